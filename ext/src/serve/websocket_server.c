/* SPDX-License-Identifier: MIT */
/* Tusk\WebSocket\Server: the engine with the method names that users of native extensions know. */
#include "src/serve/service.h"
#include "src/closures.h"
#include "src/options.h"
#include "src/position.h"
#include "src/tls.h"

#include <Zend/zend_closures.h>

typedef struct ws_server {
    tusk_service *service;
    tusk_php_route *route;
    zend_string *addresses[16];
    uint32_t address_count;
    zend_string **protocols;
    uint32_t protocol_count;
    zend_object *deflate;
    zend_object *tls;
    bool prepared; /* the listeners are the core's */
    bool routed;   /* the route too */
    zend_object std;
} ws_server;

static zend_object_handlers handlers;
enum { COMPAT_DRAIN_MS = 5000 };

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(ws_server, ce, &handlers)->std;
}

static void forget_protocols(ws_server *self)
{
    for (uint32_t i = 0; i < self->protocol_count; i++) {
        zend_string_release(self->protocols[i]);
    }
    if (self->protocols != NULL) {
        efree(self->protocols);
    }
    self->protocols = NULL;
    self->protocol_count = 0;
}

static void let_go(zend_object *object)
{
    const ws_server *self = TUSK_FROM(ws_server, object);
    if (self->service != NULL) {
        tusk_service_let_go(self->service);
    }
    zend_objects_destroy_object(object);
}

static void destroy(zend_object *object)
{
    ws_server *self = TUSK_FROM(ws_server, object);
    if (self->service != NULL) {
        tusk_forgotten_tell(&self->service->host, self->address_count);
        tusk_service_close(self->service);
        self->service = NULL; /* a Loopback that the same collection frees may look */
    }
    for (uint32_t i = 0; i < self->address_count; i++) {
        zend_string_release(self->addresses[i]);
    }
    forget_protocols(self);
    if (self->deflate != NULL) {
        OBJ_RELEASE(self->deflate);
    }
    if (self->tls != NULL) {
        OBJ_RELEASE(self->tls);
    }
    zend_object_std_dtor(object);
}

static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
    ws_server *self = TUSK_FROM(ws_server, object);
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    if (self->service != NULL) {
        tusk_service_gc(self->service, buffer);
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

static ws_server *this_server(zval *object)
{
    return TUSK_FROM(ws_server, Z_OBJ_P(object));
}

tusk_service *tusk_ws_server_service(zend_object *object)
{
    return TUSK_FROM(ws_server, object)->service;
}

/* Settings are for before run(). */
static bool may_change(ws_server *self, const char *what)
{
    if (self->service->host.running || self->service->host.ran || self->prepared || self->routed) {
        zend_throw_error(NULL, "%s cannot be changed once the server runs", what);
        return false;
    }
    return true;
}

TUSK_METHOD(Tusk_WebSocket_Server, __construct)
{
    zval *given = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_ZVAL(given)
    TUSK_PARSE_CONSTRUCTOR_END();

    bool is_object =
        given != NULL && Z_TYPE_P(given) == IS_OBJECT && Z_OBJCE_P(given) == tusk_ce_ws_options;
    bool is_array = given != NULL && Z_TYPE_P(given) == IS_ARRAY;
    if (given != NULL && !is_object && !is_array) {
        zend_argument_type_error(
            1, "must be of type Tusk\\WebSocket\\ServerOptions|array, %s given%s",
            zend_zval_type_name(given),
            Z_TYPE_P(given) == IS_STRING ? ": where to listen is said by listen('127.0.0.1', 8080)"
                                         : "");
        RETURN_THROWS();
    }
    zend_object *object = is_object ? Z_OBJ_P(given) : NULL;
    HashTable *array = is_array ? Z_ARRVAL_P(given) : NULL;

    ws_server *self = this_server(ZEND_THIS);
    zend_long values[WS_OPTIONS_COUNT];
    if (self->service != NULL) {
        zend_throw_error(NULL, "The server is made already");
        RETURN_THROWS();
    }
    if (!tusk_ws_options_read(values, object, array)) {
        RETURN_THROWS();
    }
    tusk_server_options options = {0};
    tusk_server_limits *limits = &options.limits;
    tusk_server_limits_default(limits);
    limits->message_bytes = (size_t)values[WS_OPTION_MAX_MESSAGE_SIZE];
    limits->queued_bytes = (size_t)values[WS_OPTION_MAX_QUEUED_BYTES];
    limits->connections = (uint32_t)values[WS_OPTION_MAX_CONNECTIONS];
    limits->handshake_ms = (uint32_t)values[WS_OPTION_HANDSHAKE_TIMEOUT_MS];
    limits->idle_ms = (uint32_t)values[WS_OPTION_IDLE_TIMEOUT_MS];
    limits->ping_ms = (uint32_t)values[WS_OPTION_PING_INTERVAL_MS];
    limits->pong_ms = (uint32_t)values[WS_OPTION_PONG_TIMEOUT_MS];
    limits->drain_ms = COMPAT_DRAIN_MS;
    if (limits->queued_bytes_total < limits->queued_bytes) {
        limits->queued_bytes_total = limits->queued_bytes;
    }
    if (limits->unfinished_bytes < limits->message_bytes) {
        limits->unfinished_bytes = limits->message_bytes;
    }
    self->service = tusk_service_new(&self->std, &options, true);
    if (self->service == NULL) {
        RETURN_THROWS();
    }
    self->service->host.slow_ms = (uint64_t)tusk_limit(NULL, LIMIT_SLOW_HANDLER_MS);
    self->service->host.parked_max = (uint32_t)tusk_limit(NULL, LIMIT_PARKED_HANDLERS);
    self->route = tusk_service_route(self->service, ROUTE_WEBSOCKET);
    ZVAL_LONG(OBJ_PROP_NUM(&self->std, HOST_PORT), 0);
}

TUSK_METHOD(Tusk_WebSocket_Server, listen)
{
    zend_string *host;
    zend_long port;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_STR(host)
    Z_PARAM_LONG(port)
    ZEND_PARSE_PARAMETERS_END();

    ws_server *self = this_server(ZEND_THIS);
    if (tusk_zstr_has_nul(host)) {
        zend_argument_value_error(1, "must not contain any null bytes");
        RETURN_THROWS();
    }
    if (ZSTR_LEN(host) == 0) {
        zend_argument_value_error(1, "must not be empty (\"0.0.0.0\" listens on every address)");
        RETURN_THROWS();
    }
    if (port < 0 || port > 65535) {
        zend_argument_value_error(2, "must be between 0 and 65535, " ZEND_LONG_FMT " given", port);
        RETURN_THROWS();
    }
    if (!may_change(self, "Listeners")) {
        RETURN_THROWS();
    }
    if (self->address_count == sizeof(self->addresses) / sizeof(self->addresses[0])) {
        zend_throw_error(NULL, "A server listens on at most 16 addresses");
        RETURN_THROWS();
    }
    bool six = memchr(ZSTR_VAL(host), ':', ZSTR_LEN(host)) != NULL && ZSTR_VAL(host)[0] != '[';
    self->addresses[self->address_count++] =
        zend_strpprintf(0, six ? "[%s]:" ZEND_LONG_FMT : "%s:" ZEND_LONG_FMT, ZSTR_VAL(host), port);
    if (self->address_count == 1) {
        ZVAL_LONG(OBJ_PROP_NUM(&self->std, HOST_PORT), port);
    }
}

TUSK_METHOD(Tusk_WebSocket_Server, subprotocols)
{
    zval *args;
    uint32_t count;

    ZEND_PARSE_PARAMETERS_START(0, -1)
    Z_PARAM_VARIADIC('*', args, count)
    ZEND_PARSE_PARAMETERS_END();

    ws_server *self = this_server(ZEND_THIS);
    if (!may_change(self, "Subprotocols")) {
        RETURN_THROWS();
    }
    zend_string **names = safe_emalloc(count, sizeof(names[0]), 1);
    for (uint32_t i = 0; i < count; i++) {
        zend_string *name = zval_try_get_string(&args[i]);
        bool string = Z_TYPE(args[i]) == IS_STRING;
        const char *fault = NULL;
        if (name != NULL && !string) {
            zend_argument_type_error(i + 1, "must be of type string, %s given",
                                     zend_zval_type_name(&args[i]));
        } else if (name != NULL && !tusk_http_name_valid(tusk_zstr(name))) {
            fault = "must be a token (RFC 6455, 4.1)";
        }
        for (uint32_t j = 0; name != NULL && fault == NULL && j < i; j++) {
            fault = zend_string_equals(names[j], name) ? "must not repeat another one" : NULL;
        }
        if (fault != NULL) {
            zend_argument_value_error(i + 1, "%s, \"%s\" given", fault, ZSTR_VAL(name));
        }
        if (name == NULL || fault != NULL || !string) {
            while (i > 0) {
                zend_string_release(names[--i]);
            }
            if (name != NULL) {
                zend_string_release(name);
            }
            efree(names);
            RETURN_THROWS();
        }
        names[i] = name;
    }
    forget_protocols(self);
    self->protocols = names;
    self->protocol_count = count;
}

static void replace(zend_object **slot, zend_object *object)
{
    zend_object *old = *slot;
    GC_ADDREF(object);
    *slot = object;
    if (old != NULL) {
        OBJ_RELEASE(old);
    }
}

TUSK_METHOD(Tusk_WebSocket_Server, deflate)
{
    zend_object *options;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_OBJ_OF_CLASS(options, tusk_ce_deflate)
    ZEND_PARSE_PARAMETERS_END();

    ws_server *self = this_server(ZEND_THIS);
    if (tusk_ws_deflate_library() == NULL) {
        zend_throw_error(NULL,
                         "This build of Tusk has no zlib: permessage-deflate cannot be turned on");
        RETURN_THROWS();
    }
    if (!may_change(self, "permessage-deflate")) {
        RETURN_THROWS();
    }
    replace(&self->deflate, options);
}

TUSK_METHOD(Tusk_WebSocket_Server, tls)
{
    zend_object *tls;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_OBJ_OF_CLASS(tls, tusk_ce_tls)
    ZEND_PARSE_PARAMETERS_END();

    ws_server *self = this_server(ZEND_THIS);
    if (!may_change(self, "TLS")) {
        RETURN_THROWS();
    }
    replace(&self->tls, tls);
}

TUSK_METHOD(Tusk_WebSocket_Server, onHandshake)
{
    static const tusk_arguments with_request = {1, "the Request", {{.ce = &tusk_ce_ws_request}}};
    ws_server *self = this_server(ZEND_THIS);
    if (may_change(self, "onHandshake")) {
        tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU, &self->route->authorize,
                                &with_request);
    }
}

TUSK_METHOD(Tusk_WebSocket_Server, onOpen)
{
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU, &this_server(ZEND_THIS)->route->open,
                            &tusk_with_connection);
}

TUSK_METHOD(Tusk_WebSocket_Server, onMessage)
{
    tusk_php_route *route = this_server(ZEND_THIS)->route;
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU, &route->message, &tusk_with_message);
    tusk_service_message_given(&route->message);
}

TUSK_METHOD(Tusk_WebSocket_Server, onClose)
{
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU, &this_server(ZEND_THIS)->route->close,
                            &tusk_with_connection);
}

TUSK_METHOD(Tusk_WebSocket_Server, onError)
{
    static const tusk_arguments with = {1, "the Throwable", {{.ce = &zend_ce_throwable}}};
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU,
                            &this_server(ZEND_THIS)->service->host.on_error, &with);
}

TUSK_METHOD(Tusk_WebSocket_Server, onStart)
{
    static const tusk_arguments with = {1, "the Server", {{.ce = &tusk_ce_ws_server}}};
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU,
                            &this_server(ZEND_THIS)->service->host.on_start, &with);
}

TUSK_METHOD(Tusk_WebSocket_Server, publish)
{
    tusk_service_publish_message(INTERNAL_FUNCTION_PARAM_PASSTHRU, this_server(ZEND_THIS)->service,
                                 NULL);
}

/* The one route: any path. */
static bool add_route(ws_server *self)
{
    if (self->routed) {
        return true;
    }
    tusk_bytes *names = safe_emalloc(self->protocol_count, sizeof(names[0]), 1);
    for (uint32_t i = 0; i < self->protocol_count; i++) {
        names[i] = tusk_zstr(self->protocols[i]);
    }
    tusk_websocket_options options = {
        .authorize = tusk_callback_given(&self->route->authorize),
        .subprotocols = names,
        .subprotocol_count = self->protocol_count,
        .any_origin = true,
        .direct = true,
    };
    tusk_deflate_read(&options.deflate, self->deflate);
    tusk_err err =
        tusk_server_route_websocket(self->service->core, "/{path*}", &options, self->route);
    efree(names);
    self->routed = err == TUSK_OK;
    if (!self->routed) {
        tusk_throw(err, "Cannot start the server");
    }
    return self->routed;
}

static bool add_listeners(ws_server *self)
{
    for (uint32_t i = 0; i < self->address_count; i++) {
        tusk_err err = tusk_server_listen(self->service->core, ZSTR_VAL(self->addresses[i]),
                                          tusk_tls_peek(self->tls));
        if (err != TUSK_OK) {
            tusk_throw_listen(err, self->addresses[i]);
            return false;
        }
    }
    return true;
}

static bool prepare(ws_server *self)
{
    if (!self->prepared) {
        self->prepared = add_listeners(self) && add_route(self);
    }
    return self->prepared;
}

bool tusk_ws_server_add_route(zend_object *object)
{
    return add_route(TUSK_FROM(ws_server, object));
}

TUSK_METHOD(Tusk_WebSocket_Server, run)
{
    ZEND_PARSE_PARAMETERS_NONE();

    ws_server *self = this_server(ZEND_THIS);
    if (!tusk_host_may_run(&self->service->host, self->address_count) || !prepare(self)) {
        RETURN_THROWS();
    }
    (void)tusk_host_run(&self->service->host);
}

TUSK_METHOD(Tusk_WebSocket_Server, stop)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_host_stop(&this_server(ZEND_THIS)->service->host);
}

TUSK_METHOD(Tusk_WebSocket_Server, getDriver)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_STRING(tusk_loop_driver(this_server(ZEND_THIS)->service->host.loop));
}

TUSK_METHOD(Tusk_WebSocket_Server, stats)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_server_stats stats;
    tusk_server_stats_get(this_server(ZEND_THIS)->service->core, &stats);
    tusk_service_stats(&stats, return_value);
}

void tusk_ws_server_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(ws_server, std), destroy);
    handlers.dtor_obj = let_go;
    handlers.get_gc = get_gc;
    tusk_ce_ws_server->create_object = create;
}
