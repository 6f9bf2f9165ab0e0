/* SPDX-License-Identifier: MIT */
/* Tls: certificates that a listener shows. */
#include "src/tls.h"

#include "src/run/call.h"

typedef struct tls {
    tusk_tls *context;
    zend_object std;
} tls;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tls, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    tusk_tls_unref(TUSK_FROM(tls, object)->context);
    zend_object_std_dtor(object);
}

tusk_tls *tusk_tls_peek(zend_object *object)
{
    return object == NULL ? NULL : TUSK_FROM(tls, object)->context;
}

static void say(void *user, const char *text)
{
    (void)user;
    tusk_log("%s", text);
}

void tusk_tls_tend_object(zend_object *object, unsigned what)
{
    tusk_tls_tend(tusk_tls_peek(object), what, say, NULL);
}

/* One entry of `sni`: name => [certificate, key]. */
static bool add_name(tls *self, zend_string *name, zval *pair, const char *passphrase)
{
    char reason[1024] = "";
    ZVAL_DEREF(pair);
    zval *certificate =
        Z_TYPE_P(pair) == IS_ARRAY ? zend_hash_index_find_deref(Z_ARRVAL_P(pair), 0) : NULL;
    zval *key = Z_TYPE_P(pair) == IS_ARRAY ? zend_hash_index_find_deref(Z_ARRVAL_P(pair), 1) : NULL;
    if (name == NULL || tusk_zstr_has_nul(name) || certificate == NULL || key == NULL ||
        Z_TYPE_P(certificate) != IS_STRING || Z_TYPE_P(key) != IS_STRING ||
        tusk_zstr_has_nul(Z_STR_P(certificate)) || tusk_zstr_has_nul(Z_STR_P(key))) {
        zend_argument_value_error(4, "must be of the form name => [certificate, key]");
        return false;
    }
    tusk_err err = tusk_tls_add_certificate(self->context, ZSTR_VAL(name), Z_STRVAL_P(certificate),
                                            Z_STRVAL_P(key), passphrase, reason, sizeof(reason));
    if (err != TUSK_OK) {
        zend_argument_value_error(4, "has no usable certificate for \"%s\": %s", ZSTR_VAL(name),
                                  reason[0] != '\0' ? reason : tusk_err_text(err));
        return false;
    }
    tusk_tls_tend(self->context, TUSK_TLS_WARN, say, NULL);
    return true;
}

TUSK_METHOD(Tusk_Tls, __construct)
{
    zend_string *certificate;
    zend_string *key;
    zend_string *passphrase = NULL;
    HashTable *sni = NULL;
    zend_string *client_ca = NULL;
    zend_string *min_version = NULL;
    zend_string *ciphers = NULL;
    bool client_optional = false;
    zend_string *client_crl = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(2, 9)
    Z_PARAM_PATH_STR(certificate)
    Z_PARAM_PATH_STR(key)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(passphrase)
    Z_PARAM_ARRAY_HT(sni)
    Z_PARAM_PATH_STR_OR_NULL(client_ca)
    Z_PARAM_STR(min_version)
    Z_PARAM_PATH_STR_OR_NULL(ciphers)
    Z_PARAM_BOOL(client_optional)
    Z_PARAM_PATH_STR_OR_NULL(client_crl)
    TUSK_PARSE_CONSTRUCTOR_END();

    tls *self = TUSK_FROM(tls, Z_OBJ_P(ZEND_THIS));
    if (self->context != NULL) {
        zend_throw_error(NULL, "Tusk\\Tls is readonly once it is made");
        RETURN_THROWS();
    }
    int version = 12;
    if (min_version != NULL && zend_string_equals_literal(min_version, "1.3")) {
        version = 13;
    } else if (min_version != NULL && !zend_string_equals_literal(min_version, "1.2")) {
        zend_argument_value_error(6, "must be \"1.2\" or \"1.3\", \"%s\" given",
                                  ZSTR_VAL(min_version));
        RETURN_THROWS();
    }
    if (client_optional && client_ca == NULL) {
        zend_argument_value_error(8, "must be false without $clientCa: nobody is asked for a "
                                     "certificate");
        RETURN_THROWS();
    }
    if (client_crl != NULL && client_ca == NULL) {
        zend_argument_value_error(9, "must be null without $clientCa: nobody is asked for a "
                                     "certificate");
        RETURN_THROWS();
    }
    tusk_tls_options options = {
        .certificate_file = ZSTR_VAL(certificate),
        .key_file = ZSTR_VAL(key),
        .passphrase = passphrase == NULL ? NULL : ZSTR_VAL(passphrase),
        .ca_file = client_ca == NULL ? NULL : ZSTR_VAL(client_ca),
        .min_version = version,
        .verify_client = client_ca != NULL,
        .client_optional = client_optional,
        .crl_file = client_crl == NULL ? NULL : ZSTR_VAL(client_crl),
        .ciphers = ciphers == NULL ? NULL : ZSTR_VAL(ciphers),
    };
    char reason[1024] = "";
    tusk_err err = tusk_tls_server_new(&self->context, &options, reason, sizeof(reason));
    if (err != TUSK_OK) {
        zend_value_error("Tusk\\Tls: %s", reason[0] != '\0' ? reason : tusk_err_text(err));
        RETURN_THROWS();
    }
    tusk_tls_tend(self->context, TUSK_TLS_WARN, say, NULL);
    if (sni == NULL) {
        return;
    }
    zend_string *name;
    zval *pair;
    ZEND_HASH_FOREACH_STR_KEY_VAL(sni, name, pair)
    {
        if (!add_name(self, name, pair, options.passphrase)) {
            RETURN_THROWS();
        }
    }
    ZEND_HASH_FOREACH_END();
}

void tusk_tls_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tls, std), destroy);
    tusk_ce_tls->create_object = create;
}
