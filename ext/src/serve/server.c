/* SPDX-License-Identifier: MIT */
/* Tusk\Server: WebSocket, Server-Sent Events and HTTP on one port. */
#include "src/serve/server.h"

#include "src/closures.h"
#include "src/options.h"
#include "src/parameters.h"
#include "src/position.h"
#include "src/tls.h"
#include "src/process/admin.h"
#include "src/process/counters.h"
#include "src/process/workers.h"

#include <Zend/zend_closures.h>
#include <ext/spl/spl_exceptions.h>

static zend_object_handlers handlers;
static const tusk_arguments with_server = {1, "the Server", {{.ce = &tusk_ce_server}}};

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tusk_php_server, ce, &handlers)->std;
}

static void let_go(zend_object *object)
{
    const tusk_php_server *self = TUSK_FROM(tusk_php_server, object);
    if (self->service != NULL) {
        tusk_service_let_go(self->service);
    }
    zend_objects_destroy_object(object);
}

static void destroy(zend_object *object)
{
    tusk_php_server *self = TUSK_FROM(tusk_php_server, object);
    if (self->service != NULL) {
        tusk_forgotten_tell(&self->service->host, self->listeners);
        tusk_service_close(self->service);
        self->service = NULL; /* a Loopback that the same collection frees may look */
    }
    tusk_server_free_workers(self);
    zval_ptr_dtor(&self->bootstrap);
    zval_ptr_dtor(&self->unbooted);
    zend_object_std_dtor(object);
}

static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
    tusk_php_server *self = TUSK_FROM(tusk_php_server, object);
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    if (self->service != NULL) {
        tusk_service_gc(self->service, buffer);
    }
    zend_get_gc_buffer_add_zval(buffer, &self->bootstrap);
    zend_get_gc_buffer_add_zval(buffer, &self->unbooted);
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

tusk_service *tusk_server_service(zend_object *object)
{
    return TUSK_FROM(tusk_php_server, object)->service;
}

/* ---- making ---- */
static void read_limits(tusk_server_limits *out, const zend_object *given)
{
    tusk_server_limits_default(out);
    out->connections = (uint32_t)tusk_limit(given, LIMIT_CONNECTIONS);
    out->per_address = (uint32_t)tusk_limit(given, LIMIT_PER_ADDRESS);
    out->handshakes = (uint32_t)tusk_limit(given, LIMIT_HANDSHAKES);
    out->message_bytes = (size_t)tusk_limit(given, LIMIT_MESSAGE_BYTES);
    out->message_frames = (uint32_t)tusk_limit(given, LIMIT_MESSAGE_FRAMES);
    out->unfinished_bytes = (size_t)tusk_limit(given, LIMIT_UNFINISHED_BYTES);
    out->unfinished_ms = (uint32_t)tusk_limit(given, LIMIT_UNFINISHED_MS);
    out->queued_bytes = (size_t)tusk_limit(given, LIMIT_QUEUED_BYTES);
    out->queued_bytes_total = (size_t)tusk_limit(given, LIMIT_QUEUED_BYTES_TOTAL);
    out->messages_per_second = (uint32_t)tusk_limit(given, LIMIT_MESSAGES_PER_SECOND);
    out->bytes_per_second = (uint32_t)tusk_limit(given, LIMIT_BYTES_PER_SECOND);
    out->subscriptions = (uint32_t)tusk_limit(given, LIMIT_SUBSCRIPTIONS);
    out->subscription_bytes = (size_t)tusk_limit(given, LIMIT_SUBSCRIPTION_BYTES);
    out->http.head_max = (uint32_t)tusk_limit(given, LIMIT_HEAD_BYTES);
    if (out->http.line_max > out->http.head_max) {
        out->http.line_max = out->http.head_max;
    }
    out->http.fields_max = (uint32_t)tusk_limit(given, LIMIT_HEAD_FIELDS);
    out->body_bytes = (size_t)tusk_limit(given, LIMIT_BODY_BYTES);
    out->form.parts_max = (uint32_t)tusk_limit(given, LIMIT_FORM_PARTS);
    out->form.head_max = (uint32_t)tusk_limit(given, LIMIT_PART_HEAD_BYTES);
    out->form.file_max = (uint64_t)tusk_limit(given, LIMIT_FILE_BYTES);
    out->handshake_ms = (uint32_t)tusk_limit(given, LIMIT_HANDSHAKE_MS);
    out->body_ms = (uint32_t)tusk_limit(given, LIMIT_BODY_MS);
    out->idle_ms = (uint32_t)tusk_limit(given, LIMIT_IDLE_MS);
    out->keep_alive_ms = (uint32_t)tusk_limit(given, LIMIT_KEEP_ALIVE_MS);
    out->ping_ms = (uint32_t)tusk_limit(given, LIMIT_PING_MS);
    out->pong_ms = (uint32_t)tusk_limit(given, LIMIT_PONG_MS);
    out->close_ms = (uint32_t)tusk_limit(given, LIMIT_CLOSE_MS);
    out->drain_ms = (uint32_t)tusk_limit(given, LIMIT_DRAIN_MS);
    out->heartbeat_ms = (uint32_t)tusk_limit(given, LIMIT_HEARTBEAT_MS);
    out->history_bytes = (size_t)tusk_limit(given, LIMIT_HISTORY_BYTES);
}

static bool add_listener(tusk_php_server *self, zend_string *address, tusk_tls *tls,
                         uint32_t number)
{
    if (tusk_zstr_has_nul(address)) {
        zend_argument_value_error(number, "must not contain any null bytes");
        return false;
    }
    tusk_err err = tusk_server_listen(self->service->core, ZSTR_VAL(address), tls);
    if (err == TUSK_EINVAL) {
        zend_argument_value_error(
            number,
            "must be an address such as \"127.0.0.1:8080\", \"[::1]:8080\", \"*:8080\" or "
            "\"unix:/run/app.sock\", \"%s\" given",
            ZSTR_VAL(address));
        return false;
    }
    if (err != TUSK_OK) {
        tusk_throw_listen(err, address);
        return false;
    }
    if (self->listeners++ == 0) {
        const char *colon = zend_memrchr(ZSTR_VAL(address), ':', ZSTR_LEN(address));
        bool unix_socket = strncmp(ZSTR_VAL(address), "unix:", 5) == 0;
        ZVAL_LONG(OBJ_PROP_NUM(&self->std, HOST_PORT),
                  unix_socket || colon == NULL ? 0 : atoi(colon + 1));
    }
    return true;
}

static bool add_listeners(tusk_php_server *self, zval *listen, tusk_tls *tls)
{
    if (Z_TYPE_P(listen) == IS_STRING) {
        return add_listener(self, Z_STR_P(listen), tls, 1);
    }
    zval *item;
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(listen), item)
    {
        ZVAL_DEREF(item);
        if (Z_TYPE_P(item) != IS_STRING) {
            zend_argument_type_error(1, "must be a list of strings, %s found",
                                     zend_zval_type_name(item));
            return false;
        }
        if (!add_listener(self, Z_STR_P(item), tls, 1)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* The fifth argument; the array is the caller's (efree). NULL: an exception was thrown. */
static const char **proxy_names(HashTable *proxies, size_t *count)
{
    const char **names = tusk_c_string_list(proxies, 5, count);
    for (size_t i = 0; names != NULL && i < *count; i++) {
        if (!tusk_trusted_proxy_valid(names[i])) {
            zend_argument_value_error(5,
                                      "must have addresses or ranges, \"10.0.0.1\" or "
                                      "\"10.0.0.0/8\", \"%s\" given",
                                      names[i]);
            efree(names);
            return NULL;
        }
    }
    return names;
}

/* False: an exception was thrown. */
static bool make_service(tusk_php_server *self, tusk_server_options *options, zend_object *limits,
                         uint32_t workers, const tusk_identity *identity)
{
    read_limits(&options->limits, limits);
    self->service = tusk_service_new(&self->std, options, false);
    if (self->service == NULL || !tusk_server_make_workers(self, workers, identity)) {
        return false;
    }
    self->limits = options->limits;
    if (self->service->host.workers != NULL) {
        self->service->host.workers->bytes_max = (uint64_t)tusk_limit(limits, LIMIT_WORKER_BYTES);
    }
    self->service->host.slow_ms = (uint64_t)tusk_limit(limits, LIMIT_SLOW_HANDLER_MS);
    self->service->host.parked_max = (uint32_t)tusk_limit(limits, LIMIT_PARKED_HANDLERS);
    ZVAL_LONG(OBJ_PROP_NUM(&self->std, HOST_PORT), 0);
    return true;
}

TUSK_METHOD(Tusk_Server, __construct)
{
    zval *listen = NULL;
    zend_object *tls = NULL;
    zend_object *limits = NULL;
    zend_long workers = 1;
    HashTable *proxies = NULL;
    bool proxy_protocol = false;
    zend_string *user = NULL;
    zend_string *group = NULL;
    zend_object *bootstrap = NULL;
    tusk_identity identity;

    TUSK_PARSE_CONSTRUCTOR_START(0, 9)
    Z_PARAM_OPTIONAL
    Z_PARAM_ZVAL(listen)
    Z_PARAM_AFTER_ADDRESS_OR_NULL(tls, tusk_ce_tls)
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(limits, tusk_ce_limits)
    Z_PARAM_WORKERS(workers)
    Z_PARAM_ARRAY_HT(proxies)
    Z_PARAM_BOOL(proxy_protocol)
    Z_PARAM_PATH_STR_OR_NULL(user)
    Z_PARAM_PATH_STR_OR_NULL(group)
    Z_PARAM_CLOSURE_OF_OR_NULL(bootstrap, &with_server)
    TUSK_PARSE_CONSTRUCTOR_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (self->service != NULL) {
        zend_throw_error(NULL, "The server is made already");
        RETURN_THROWS();
    }
    if (listen != NULL && !tusk_addresses_valid(listen, 1)) {
        RETURN_THROWS();
    }
    if (!tusk_workers_valid(workers, 4) || !tusk_workers_identity(&identity, user, group, 7)) {
        RETURN_THROWS();
    }
    size_t count;
    const char **names = proxy_names(proxies, &count);
    if (names == NULL) {
        RETURN_THROWS();
    }
    if (!tusk_may_demand_header(proxy_protocol, count > 0, 6)) {
        efree(names);
        RETURN_THROWS();
    }
    tusk_server_options options = {
        .trusted_proxies = names,
        .trusted_proxy_count = count,
        .proxy_protocol = proxy_protocol,
        .keep_certificates = identity.given,
    };
    if (bootstrap != NULL) {
        ZVAL_OBJ_COPY(&self->bootstrap, bootstrap);
    }
    bool made = make_service(self, &options, limits, (uint32_t)workers, &identity);
    efree(names);
    if (made && listen != NULL) {
        (void)add_listeners(self, listen, tusk_tls_peek(tls));
    }
}

TUSK_METHOD(Tusk_Server, listen)
{
    zend_string *address;
    zend_object *tls = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STR(address)
    Z_PARAM_OPTIONAL
    Z_PARAM_AFTER_ADDRESS_OR_NULL(tls, tusk_ce_tls)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (tusk_server_may_change(self, "Listeners")) {
        (void)add_listener(self, address, tusk_tls_peek(tls), 1);
    }
}

TUSK_METHOD(Tusk_Server, onError)
{
    static const tusk_arguments with = {
        2,
        "the Throwable, the Request or null",
        {{.ce = &zend_ce_throwable}, {.ce = &tusk_ce_http_request, .or_null = true}}};
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU,
                            &tusk_php_server_of(ZEND_THIS)->service->host.on_error, &with);
}

TUSK_METHOD(Tusk_Server, onListen)
{
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU,
                            &tusk_php_server_of(ZEND_THIS)->service->host.on_listen, &with_server);
}

TUSK_METHOD(Tusk_Server, onStart)
{
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU,
                            &tusk_php_server_of(ZEND_THIS)->service->host.on_start, &with_server);
}

TUSK_METHOD(Tusk_Server, onStop)
{
    tusk_callback_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU,
                            &tusk_php_server_of(ZEND_THIS)->service->host.on_stop, &with_server);
}

/* ---- topics ---- */
TUSK_METHOD(Tusk_Server, publish)
{
    zend_string *topic;
    zend_string *data;
    zend_object *type = NULL;
    zend_string *event = NULL;
    zend_string *id = NULL;

    ZEND_PARSE_PARAMETERS_START(2, 5)
    Z_PARAM_STR(topic)
    Z_PARAM_STR(data)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS(type, tusk_ce_message_type)
    Z_PARAM_STR_OR_NULL(event)
    Z_PARAM_STR_OR_NULL(id)
    ZEND_PARSE_PARAMETERS_END();

    tusk_service_publish_method(tusk_php_server_of(ZEND_THIS)->service, topic, data, type, event,
                                id, NULL, return_value);
}

TUSK_METHOD(Tusk_Server, subscribers)
{
    zend_string *topic;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(topic)
    ZEND_PARSE_PARAMETERS_END();

    RETURN_LONG((zend_long)tusk_server_subscribers(tusk_php_server_of(ZEND_THIS)->service->core,
                                                   tusk_zstr(topic)));
}

TUSK_METHOD(Tusk_Server, position)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_position_object(return_value,
                         tusk_server_position(tusk_php_server_of(ZEND_THIS)->service->core));
}

/* ---- what is counted ---- */
/* Of all workers, or of this process alone. */
static void count(const tusk_php_server *self, tusk_server_stats *out)
{
    if (self->shared != NULL && !self->service->host.worker) {
        tusk_server_shared_stats(self->shared, out);
    } else {
        tusk_server_stats_get(self->service->core, out);
    }
}

/* Of memory each worker has as much. */
static tusk_err put_limits(const tusk_php_server *self, const tusk_server_stats *stats,
                           tusk_buf *out)
{
    const tusk_server_limits *bound = &self->limits;
    uint64_t each = self->service->host.workers == NULL ? 1 : self->service->host.workers->count;
    const tusk_admin_limit limits[] = {
        {"connections", stats->connections_open, bound->connections},
        {"handshakes", stats->handshakes_pending, each * bound->handshakes},
        {"queuedBytesTotal", stats->queued_bytes, each * bound->queued_bytes_total},
        {"unfinishedBytes", stats->unfinished_bytes, each * bound->unfinished_bytes},
        {"subscriptionBytes", stats->subscription_bytes, each * bound->subscription_bytes},
        {"parkedHandlers", stats->own_gauge, each * self->service->host.parked_max},
    };
    return tusk_admin_put_limits(out, "server", limits, sizeof(limits) / sizeof(limits[0]));
}

size_t tusk_php_server_contexts(const tusk_php_server *self, tusk_tls **out, size_t cap)
{
    const tusk_server *core = self->service->core;
    size_t count = 0;
    for (size_t i = 0; tusk_server_address(core, i) != NULL && count < cap; i++) {
        out[count] = tusk_server_tls(core, i);
        count += out[count] != NULL ? 1 : 0;
    }
    return count;
}

static tusk_err put_certificates(const tusk_php_server *self, tusk_buf *out)
{
    tusk_tls *contexts[TUSK_CONTEXTS_MAX];
    size_t count = tusk_php_server_contexts(self, contexts, TUSK_CONTEXTS_MAX);
    return tusk_admin_put_certificates(out, "server", contexts, count);
}

static tusk_err tell_metrics(const tusk_host *host, tusk_buf *out)
{
    const tusk_php_server *self = TUSK_FROM(tusk_php_server, host->object);
    tusk_server_stats stats;
    tusk_counters all = {.count = 0};
    count(self, &stats);
    tusk_counters_add(&all, "", &tusk_server_counters, &stats);
    tusk_counters_add(&all, "", &tusk_service_counters, &stats);
    tusk_counters_add_crew(&all, host);
    tusk_err err = tusk_counters_text(&all, "server", host, out);
    err = err == TUSK_OK ? put_limits(self, &stats, out) : err;
    return err == TUSK_OK ? put_certificates(self, out) : err;
}

/* ---- life ---- */
TUSK_METHOD(Tusk_Server, run)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (!tusk_host_may_run(&self->service->host, self->listeners) || !tusk_server_may_fork(self) ||
        !tusk_host_run(&self->service->host)) {
        RETURN_THROWS();
    }
    RETURN_LONG(0);
}

TUSK_METHOD(Tusk_Server, stop)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_workers_stop(&tusk_php_server_of(ZEND_THIS)->service->host);
}

TUSK_METHOD(Tusk_Server, worker)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_workers_number(&tusk_php_server_of(ZEND_THIS)->service->host, return_value);
}

TUSK_METHOD(Tusk_Server, reloadCertificates)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_server_reload_tls(tusk_php_server_of(ZEND_THIS)->service->core);
}

TUSK_METHOD(Tusk_Server, admin)
{
    zend_string *address;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(address)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (tusk_server_may_change(self, "Listeners")) {
        (void)tusk_admin_listen(&self->service->host, address, tell_metrics);
    }
}

TUSK_METHOD(Tusk_Server, stats)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_server_stats stats;
    count(tusk_php_server_of(ZEND_THIS), &stats);
    tusk_service_stats(&stats, return_value);
}

TUSK_METHOD(Tusk_Server, getDriver)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_STRING(tusk_loop_driver(tusk_php_server_of(ZEND_THIS)->service->host.loop));
}

void tusk_general_server_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_php_server, std), destroy);
    handlers.dtor_obj = let_go;
    handlers.get_gc = get_gc;
    tusk_ce_server->create_object = create;
}
