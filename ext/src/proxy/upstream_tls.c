/* SPDX-License-Identifier: MIT */
/* Proxy\UpstreamTls: a client's side of TLS, as routes and proxies name it. */
#include "src/proxy/proxy.h"

typedef struct upstream_tls {
    tusk_tls *context;
    zend_object std;
} upstream_tls;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(upstream_tls, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    tusk_tls_unref(TUSK_FROM(upstream_tls, object)->context);
    zend_object_std_dtor(object);
}

tusk_tls *tusk_upstream_tls_peek(zend_object *object)
{
    return object == NULL ? NULL : TUSK_FROM(upstream_tls, object)->context;
}

TUSK_METHOD(Tusk_Proxy_UpstreamTls, __construct)
{
    bool require = true;
    bool verify = true;
    zend_string *ca = NULL;
    zend_string *name = NULL;
    zend_string *certificate = NULL;
    zend_string *key = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(0, 6)
    Z_PARAM_OPTIONAL
    Z_PARAM_BOOL(require)
    Z_PARAM_BOOL(verify)
    Z_PARAM_PATH_STR_OR_NULL(ca)
    Z_PARAM_PATH_STR_OR_NULL(name)
    Z_PARAM_PATH_STR_OR_NULL(certificate)
    Z_PARAM_PATH_STR_OR_NULL(key)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *object = Z_OBJ_P(ZEND_THIS);
    upstream_tls *self = TUSK_FROM(upstream_tls, object);
    if (self->context != NULL) {
        zend_throw_error(NULL, "Tusk\\Proxy\\UpstreamTls is readonly once it is made");
        RETURN_THROWS();
    }
    if ((certificate == NULL) != (key == NULL)) {
        zend_argument_value_error(certificate == NULL ? 5 : 6,
                                  "must be given: certificate and key go together");
        RETURN_THROWS();
    }
    tusk_tls_options options = {
        .certificate_file = certificate == NULL ? NULL : ZSTR_VAL(certificate),
        .key_file = key == NULL ? NULL : ZSTR_VAL(key),
        .ca_file = ca == NULL ? NULL : ZSTR_VAL(ca),
        .verify_peer = verify,
    };
    char reason[1024] = "";
    tusk_err err = tusk_tls_client_new(&self->context, &options, reason, sizeof(reason));
    if (err != TUSK_OK) {
        zend_value_error("Tusk\\Proxy\\UpstreamTls: %s",
                         reason[0] != '\0' ? reason : tusk_err_text(err));
        RETURN_THROWS();
    }
    ZVAL_BOOL(OBJ_PROP_NUM(object, UPSTREAM_REQUIRE), require);
    if (name == NULL) {
        ZVAL_NULL(OBJ_PROP_NUM(object, UPSTREAM_NAME));
    } else {
        ZVAL_STR_COPY(OBJ_PROP_NUM(object, UPSTREAM_NAME), name);
    }
}

void tusk_upstream_tls_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(upstream_tls, std), destroy);
    tusk_proxy_ce[PROXY_UPSTREAM_TLS]->create_object = create;
}
