/* SPDX-License-Identifier: MIT */
/* Tusk\Proxy\Tcp, Http and Smtp: one class in three dresses over the core's relay. */
#include "src/proxy/proxy.h"

#include "src/run/fiber.h"
#include "src/closures.h"
#include "src/options.h"
#include "src/parameters.h"
#include "src/process/admin.h"
#include "src/serve/server.h"
#include "src/tls.h"

#include <Zend/zend_closures.h>
#include <ext/spl/spl_exceptions.h>

/* Handlers of timers and onStart wait beside resolvers. */
enum { SPARE_WAITS = 64, WAITS_MAX = 30000 };

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tusk_proxy, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    tusk_proxy *self = TUSK_FROM(tusk_proxy, object);
    if (self->host != NULL) {
        tusk_forgotten_tell(self->host, self->listeners);
    }
    tusk_watchdog_stop(&self->watchdog); /* run() may have ended by a fatal error */
    tusk_relay_free(self->relay);
    tusk_relay_shared_free(self->shared);
    if (self->host != NULL) {
        tusk_host_release(self->host);
    }
    tusk_callback_fini(&self->resolve);
    tusk_callback_fini(&self->reload);
    tusk_callback_fini(&self->on_access);
    tusk_callback_fini(&self->reopen);
    if (self->resolver != NULL) {
        OBJ_RELEASE(self->resolver);
    }
    zval_ptr_dtor(&self->upstream);
    if (self->certificates != NULL) {
        zend_array_destroy(self->certificates);
    }
    zend_object_std_dtor(object);
}

static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
    tusk_proxy *self = TUSK_FROM(tusk_proxy, object);
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    if (self->host != NULL) {
        tusk_host_gc(self->host, buffer);
    }
    tusk_callback_gc(&self->resolve, buffer);
    tusk_callback_gc(&self->reload, buffer);
    tusk_callback_gc(&self->on_access, buffer);
    tusk_callback_gc(&self->reopen, buffer);
    if (self->resolver != NULL) {
        tusk_gc_add_object(buffer, self->resolver);
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

static void set_resolver(tusk_proxy *self, zend_object *resolver)
{
    zend_object *old = self->resolver;
    GC_ADDREF(resolver);
    self->resolver = resolver;
    tusk_callback_set_method(&self->resolve, resolver, "resolve");
    if (instanceof_function(resolver->ce, tusk_proxy_ce[PROXY_RELOADABLE])) {
        tusk_callback_set_method(&self->reload, resolver, "reload");
    } else {
        tusk_callback_fini(&self->reload);
    }
    if (old != NULL) {
        OBJ_RELEASE(old);
    }
}

/* ---- making ---- */
static bool make_relay(tusk_proxy *self, const tusk_proxy_given *from)
{
    HashTable *allowed = from->validation == NULL
                             ? NULL
                             : Z_ARRVAL_P(OBJ_PROP_NUM(from->validation, VALIDATION_ALLOWED));
    tusk_relay_engine engine = (tusk_relay_engine)tusk_case_or(from->engine, TUSK_ENGINE_SPLICE);
    tusk_relay_options options = {
        .loop = tusk_loop_get(),
        .kind = from->kind,
        .handler = &tusk_proxy_handler,
        .user = self,
        .engine = tusk_case_or(from->sockmap, 0) == 1 ? TUSK_ENGINE_SOCKMAP : engine,
        .otherwise = engine,
        .plain_io = !TUSK_G(io_uring),
        .sockmap_object = from->bpf_object == NULL ? NULL : ZSTR_VAL(from->bpf_object),
        .any_address = from->validation != NULL &&
                       Z_TYPE_P(OBJ_PROP_NUM(from->validation, VALIDATION_ANY)) == IS_TRUE,
        .upstream_tls = tusk_upstream_tls_peek(from->upstream),
    };
    if (options.loop == NULL) {
        return false;
    }
    tusk_proxy_read_limits(&self->limits, from->limits);
    options.limits = self->limits;
    tusk_relay_http_options http;
    tusk_proxy_read_http_limits(&http, from->http);
    tusk_proxy_read_forwarding(&http, from->forwarding);
    options.http = &http;
    options.allowed = tusk_c_string_list(allowed, 0, &options.allowed_count);
    options.trusted_proxies =
        tusk_c_string_list(from->proxies, from->proxies_number, &options.trusted_proxy_count);
    char reason[256] = "";
    tusk_err err = options.trusted_proxies == NULL
                       ? TUSK_EINVAL
                       : tusk_relay_new(&self->relay, &options, reason, sizeof(reason));
    efree((void *)options.allowed);
    if (options.trusted_proxies != NULL) {
        efree((void *)options.trusted_proxies);
    }
    if (err == TUSK_EINVAL && reason[0] != '\0') {
        zend_value_error("%s: %s", ZSTR_VAL(self->std.ce->name), reason);
    } else if (err != TUSK_OK && EG(exception) == NULL) {
        tusk_throw(err, "Cannot make the proxy");
    }
    return err == TUSK_OK;
}

static void construct(tusk_proxy *self, const tusk_proxy_given *from)
{
    if (self->host != NULL) {
        zend_throw_error(NULL, "The proxy is made already");
        return;
    }
    if (from->listen != NULL && !tusk_addresses_valid(from->listen, 2)) {
        return;
    }
    self->trusts = from->proxies != NULL && zend_hash_num_elements(from->proxies) > 0;
    uint32_t header_number = from->proxies_number + 1; /* it comes behind them, of all kinds */
    if (!tusk_may_demand_header(from->proxy_protocol, self->trusts, header_number) ||
        !make_relay(self, from)) {
        return;
    }
    tusk_relay_records(self->relay, false); /* until onAccess() is given */
    self->host = ecalloc(1, sizeof(*self->host));
    tusk_host_init(self->host, &self->std, &tusk_proxy_kind);
    self->host->drain_ms = tusk_proxy_limit(from->limits, PROXY_LIMIT_DRAIN_MS);
    self->host->slow_ms = (uint64_t)tusk_limit(NULL, LIMIT_SLOW_HANDLER_MS);
    self->host->parked_max = tusk_proxy_limit(from->limits, PROXY_LIMIT_LOOKUPS) + SPARE_WAITS;
    if (self->host->parked_max > WAITS_MAX) {
        self->host->parked_max = WAITS_MAX;
    }
    self->listen = (tusk_relay_listen_options){
        .first = (tusk_relay_first)tusk_case_or(from->first, TUSK_FIRST_WAIT),
        .protocol = (tusk_relay_protocol)tusk_case_or(from->protocol, TUSK_PROTOCOL_AUTO),
        .tls = tusk_tls_peek(from->tls),
        .downstream_tls = (tusk_relay_tls)tusk_case_or(from->downstream, TUSK_TLS_ALLOW),
        .proxy_protocol = from->proxy_protocol,
        .backlog = (int)tusk_proxy_limit(from->limits, PROXY_LIMIT_BACKLOG),
    };
    if (from->mysql_version != NULL) {
        (void)strcpy(self->mysql_version, ZSTR_VAL(from->mysql_version));
        self->listen.mysql_version = self->mysql_version;
    }
    tusk_proxy_keep_certificate(self, from->tls);
    if (from->upstream != NULL) {
        ZVAL_OBJ_COPY(&self->upstream, from->upstream);
    }
    set_resolver(self, from->resolver);
    ZVAL_LONG(OBJ_PROP_NUM(&self->std, HOST_PORT), 0);
    if (tusk_proxy_make_crew(self, from)) {
        (void)tusk_proxy_add_listeners(self, from->listen);
    }
}

static void make(INTERNAL_FUNCTION_PARAMETERS, tusk_relay_kind kind)
{
    tusk_proxy_given from;
    zval constructed = tusk_this_hide(execute_data);
    bool parsed = tusk_proxy_parse(INTERNAL_FUNCTION_PARAM_PASSTHRU, kind, &from);
    tusk_this_show(execute_data, constructed);
    if (parsed && tusk_proxy_is_version(from.mysql_version, from.mysql_version_number)) {
        construct(tusk_proxy_of(ZEND_THIS), &from);
    }
}

TUSK_METHOD(Tusk_Proxy_Tcp, __construct)
{
    make(INTERNAL_FUNCTION_PARAM_PASSTHRU, TUSK_RELAY_TCP);
}

TUSK_METHOD(Tusk_Proxy_Http, __construct)
{
    make(INTERNAL_FUNCTION_PARAM_PASSTHRU, TUSK_RELAY_HTTP);
}

TUSK_METHOD(Tusk_Proxy_Smtp, __construct)
{
    make(INTERNAL_FUNCTION_PARAM_PASSTHRU, TUSK_RELAY_SMTP);
}

TUSK_METHOD(Tusk_Proxy_Tcp, admin)
{
    zend_string *address;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(address)
    ZEND_PARSE_PARAMETERS_END();

    tusk_proxy *self = tusk_proxy_of(ZEND_THIS);
    if (!tusk_proxy_may_change(self) ||
        !tusk_admin_listen(self->host, address, tusk_proxy_tell_metrics)) {
        RETURN_THROWS();
    }
}

/* ---- closures ---- */
static void take_for_proxy(INTERNAL_FUNCTION_PARAMETERS, tusk_callback *callback)
{
    const tusk_arguments with = {1, "the proxy", {{.ce = &Z_OBJCE_P(ZEND_THIS)}}};
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU, callback, &with);
}

TUSK_METHOD(Tusk_Proxy_Tcp, onListen)
{
    take_for_proxy(INTERNAL_FUNCTION_PARAM_PASSTHRU, &tusk_proxy_of(ZEND_THIS)->host->on_listen);
}

TUSK_METHOD(Tusk_Proxy_Tcp, onStart)
{
    take_for_proxy(INTERNAL_FUNCTION_PARAM_PASSTHRU, &tusk_proxy_of(ZEND_THIS)->host->on_start);
}

TUSK_METHOD(Tusk_Proxy_Tcp, onStop)
{
    take_for_proxy(INTERNAL_FUNCTION_PARAM_PASSTHRU, &tusk_proxy_of(ZEND_THIS)->host->on_stop);
}

TUSK_METHOD(Tusk_Proxy_Tcp, onError)
{
    static const tusk_arguments with = {
        2,
        "the Throwable, null",
        {{.ce = &zend_ce_throwable}, {.ce = &tusk_ce_http_request, .or_null = true}}};
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU,
                            &tusk_proxy_of(ZEND_THIS)->host->on_error, &with);
}

TUSK_METHOD(Tusk_Proxy_Tcp, onAccess)
{
    static const tusk_arguments with = {1, "the Access", {{.ce = &tusk_proxy_ce[PROXY_ACCESS]}}};
    tusk_proxy *self = tusk_proxy_of(ZEND_THIS);
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU, &self->on_access, &with);
    if (EG(exception) == NULL) {
        tusk_proxy_access_given(self);
    }
}

/* ---- life ---- */
TUSK_METHOD(Tusk_Proxy_Tcp, run)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_proxy *self = tusk_proxy_of(ZEND_THIS);
    if (!tusk_host_may_run(self->host, self->listeners) || !tusk_host_run(self->host)) {
        RETURN_THROWS();
    }
    RETURN_LONG(0);
}

TUSK_METHOD(Tusk_Proxy_Tcp, stop)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_workers_stop(tusk_proxy_of(ZEND_THIS)->host);
}

TUSK_METHOD(Tusk_Proxy_Tcp, resolver)
{
    zend_object *resolver;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_OBJ_OF_CLASS(resolver, tusk_proxy_ce[PROXY_RESOLVER])
    ZEND_PARSE_PARAMETERS_END();

    set_resolver(tusk_proxy_of(ZEND_THIS), resolver);
    tusk_relay_forget(tusk_proxy_of(ZEND_THIS)->relay);
}

TUSK_METHOD(Tusk_Proxy_Tcp, reload)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_proxy_reload(tusk_proxy_of(ZEND_THIS));
}

TUSK_METHOD(Tusk_Proxy_Tcp, forget)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_relay_forget(tusk_proxy_of(ZEND_THIS)->relay);
}

TUSK_METHOD(Tusk_Proxy_Tcp, worker)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_workers_number(tusk_proxy_of(ZEND_THIS)->host, return_value);
}

TUSK_METHOD(Tusk_Proxy_Tcp, stats)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_proxy_counters_array(tusk_proxy_of(ZEND_THIS), return_value);
}

TUSK_METHOD(Tusk_Proxy_Tcp, health)
{
    zend_string *address;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(address)
    ZEND_PARSE_PARAMETERS_END();

    int health = tusk_relay_health(tusk_proxy_of(ZEND_THIS)->relay, tusk_zstr(address));
    if (health >= 0) {
        RETURN_BOOL(health > 0);
    }
}

TUSK_METHOD(Tusk_Proxy_Tcp, engine)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_STRING(tusk_relay_engine_state(tusk_proxy_of(ZEND_THIS)->relay));
}

void tusk_proxy_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_proxy, std), destroy);
    handlers.get_gc = get_gc;
    tusk_proxy_ce[PROXY_TCP]->create_object = create;
    tusk_proxy_ce[PROXY_HTTP]->create_object = create;
    tusk_proxy_ce[PROXY_SMTP]->create_object = create;
}
