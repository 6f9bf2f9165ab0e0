/* SPDX-License-Identifier: MIT */
/* A proxy's listeners: those of its constructor, and listen(), which may say more of one. */
#include "src/proxy/proxy.h"

#include "src/options.h"
#include "src/parameters.h"
#include "src/tls.h"

#include <ext/spl/spl_exceptions.h>

void tusk_proxy_keep_certificate(tusk_proxy *self, zend_object *tls)
{
    if (tls == NULL) {
        return;
    }
    zval value;
    ZVAL_OBJ_COPY(&value, tls);
    if (self->certificates == NULL) {
        self->certificates = zend_new_array(1);
    }
    zend_hash_next_index_insert(self->certificates, &value);
}

static bool add_listener(tusk_proxy *self, zend_string *address,
                         const tusk_relay_listen_options *options)
{
    if (tusk_zstr_has_nul(address)) {
        zend_value_error("An address must not contain any null bytes");
        return false;
    }
    if (options->downstream_tls == TUSK_TLS_REQUIRE && options->tls == NULL) {
        zend_value_error("TlsMode::Require needs a certificate (tls: new Tls(…)) for \"%s\"",
                         ZSTR_VAL(address));
        return false;
    }
    tusk_err err = tusk_relay_listen(self->relay, ZSTR_VAL(address), options);
    if (err == TUSK_EINVAL) {
        zend_value_error("%s cannot listen on \"%s\": give \"127.0.0.1:5432\", \"[::1]:5432\", "
                         "\"*:5432\" or \"unix:/run/proxy.sock\"",
                         ZSTR_VAL(self->std.ce->name), ZSTR_VAL(address));
    } else if (err != TUSK_OK) {
        tusk_throw_listen(err, address);
    } else {
        self->listeners++;
    }
    return err == TUSK_OK;
}

bool tusk_proxy_add_listeners(tusk_proxy *self, zval *listen)
{
    zval *item;
    if (listen == NULL) {
        return true;
    }
    if (Z_TYPE_P(listen) == IS_STRING) {
        return add_listener(self, Z_STR_P(listen), &self->listen);
    }
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(listen), item)
    {
        ZVAL_DEREF(item);
        if (Z_TYPE_P(item) != IS_STRING) {
            zend_argument_type_error(2, "must be a list of strings, %s found",
                                     zend_zval_type_name(item));
            return false;
        }
        if (!add_listener(self, Z_STR_P(item), &self->listen)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

bool tusk_proxy_is_version(const zend_string *version, uint32_t number)
{
    if (version == NULL) {
        return true;
    }
    if (ZSTR_LEN(version) == 0 || ZSTR_LEN(version) > TUSK_MYSQL_VERSION_MAX ||
        tusk_zstr_has_nul(version)) {
        zend_argument_value_error(number, "must have 1 to %d bytes, none of them null",
                                  TUSK_MYSQL_VERSION_MAX);
        return false;
    }
    return true;
}

/* ---- listen() ---- */
bool tusk_proxy_may_change(const tusk_proxy *self)
{
    if (self->host->running || self->host->ran) {
        zend_throw_exception(spl_ce_LogicException, "Listeners are given before run()", 0);
        return false;
    }
    return true;
}

TUSK_METHOD(Tusk_Proxy_Tcp, listen)
{
    zend_string *address;
    zend_object *first = NULL;
    zend_object *protocol = NULL;
    zend_object *tls = NULL;
    zend_object *downstream = NULL;
    bool proxy_protocol = false;
    bool proxy_protocol_null = true;
    zend_string *mysql_version = NULL;
    zend_long wait_ms = 0;
    bool wait_ms_null = true;
    zend_long connections = 0;
    bool connections_null = true;

    ZEND_PARSE_PARAMETERS_START(1, 9)
    Z_PARAM_STR(address)
    Z_PARAM_OPTIONAL
    Z_PARAM_AFTER_ADDRESS_OR_NULL(first, tusk_proxy_ce[PROXY_FIRST])
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(protocol, tusk_proxy_ce[PROXY_PROTOCOL])
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(tls, tusk_ce_tls)
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(downstream, tusk_proxy_ce[PROXY_TLS_MODE])
    Z_PARAM_BOOL_OR_NULL(proxy_protocol, proxy_protocol_null)
    Z_PARAM_STR_OR_NULL(mysql_version)
    Z_PARAM_LONG_OR_NULL(wait_ms, wait_ms_null)
    Z_PARAM_LONG_OR_NULL(connections, connections_null)
    ZEND_PARSE_PARAMETERS_END();

    tusk_proxy *self = tusk_proxy_of(ZEND_THIS);
    if (!tusk_proxy_may_change(self) || !tusk_proxy_is_version(mysql_version, 7) ||
        !tusk_may_demand_header(proxy_protocol, self->trusts, 6)) {
        RETURN_THROWS();
    }
    tusk_relay_listen_options options = self->listen;
    if ((!wait_ms_null &&
         !tusk_proxy_limit_own(&options.wait_ms, PROXY_LIMIT_WAIT_MS, wait_ms, 8)) ||
        (!connections_null &&
         !tusk_proxy_limit_own(&options.connections, PROXY_LIMIT_PER_LISTENER, connections, 9))) {
        RETURN_THROWS();
    }
    options.first = (tusk_relay_first)tusk_case_or(first, options.first);
    options.protocol = (tusk_relay_protocol)tusk_case_or(protocol, options.protocol);
    options.downstream_tls = (tusk_relay_tls)tusk_case_or(downstream, options.downstream_tls);
    if (tls != NULL) {
        options.tls = tusk_tls_peek(tls);
        tusk_proxy_keep_certificate(self, tls);
    }
    if (!proxy_protocol_null) {
        options.proxy_protocol = proxy_protocol;
    }
    if (mysql_version != NULL) {
        options.mysql_version = ZSTR_VAL(mysql_version); /* copied by the core */
    }
    (void)add_listener(self, address, &options);
}

TUSK_METHOD(Tusk_Proxy_Smtp, listen)
{
    zend_string *address;
    zend_object *tls = NULL;
    zend_long connections = 0;
    bool connections_null = true;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(address)
    Z_PARAM_OPTIONAL
    Z_PARAM_AFTER_ADDRESS_OR_NULL(tls, tusk_ce_tls)
    Z_PARAM_LONG_OR_NULL(connections, connections_null)
    ZEND_PARSE_PARAMETERS_END();

    tusk_proxy *self = tusk_proxy_of(ZEND_THIS);
    if (!tusk_proxy_may_change(self)) {
        RETURN_THROWS();
    }
    tusk_relay_listen_options options = self->listen;
    if (!connections_null &&
        !tusk_proxy_limit_own(&options.connections, PROXY_LIMIT_PER_LISTENER, connections, 3)) {
        RETURN_THROWS();
    }
    if (tls != NULL) {
        options.tls = tusk_tls_peek(tls);
        tusk_proxy_keep_certificate(self, tls);
    }
    (void)add_listener(self, address, &options);
}
