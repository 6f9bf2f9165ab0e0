/* SPDX-License-Identifier: MIT */
/* EchoServer: small servers in processes of their own, for calibration. */
#include "src/bench/bench.h"

#include <ext/spl/spl_exceptions.h>
#include <tusk/load.h>
#include <tusk/server.h>
#include <unistd.h>

#define PROCESSES_MAX 64
#define INHERITED 3 /* the listening socket, in the child */
#define TOPIC_MAX 256
#define HELLO "Hello, World!"
#define FIELDS "Content-Type: text/plain\r\n"

typedef enum echo_kind { KIND_WS, KIND_HTTP, KIND_SSE, KIND_FANOUT, KIND_TCP } echo_kind;
static const char *const kinds[] = {"ws", "http", "sse", "fanout", "tcp"};
static const char *const serves[] = {"echo", "sink", "source"};
static const char *const greetings[] = {"none", "postgres", "mysql", "smtp"};

typedef struct echo_options {
    echo_kind kind;
    tusk_tls *tls;
    tusk_tcp_serve serve;
    tusk_tcp_greeting greeting;
    zend_long size; /* of an HTTP body or an event */
    double rate;    /* events a second */
} echo_options;

typedef struct echo_server {
    int pids[PROCESSES_MAX];
    int count;
    uint16_t port;
    zend_object std;
} echo_server;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(echo_server, ce, &handlers)->std;
}

static void end_all(echo_server *self)
{
    for (int i = 0; i < self->count; i++) {
        tusk_child_kill(self->pids[i]);
    }
    self->count = 0;
}

static void destroy(zend_object *object)
{
    end_all(TUSK_FROM(echo_server, object));
    zend_object_std_dtor(object);
}

/* ---- in the child: C alone, on tusk_server ---- */
typedef struct child {
    const echo_options *options;
    tusk_server *server;
    tusk_loop *loop;
    tusk_timer tick;
    uint64_t from_ms;
    uint64_t ticks;
    uint8_t *body;
} child;

static void on_request(void *user, tusk_handle session, void *route_user,
                       const tusk_request *request)
{
    const child *self = user;
    if (self->options->kind == KIND_HTTP) {
        (void)tusk_reply(self->server, session, 200, tusk_bytes_str(FIELDS),
                         tusk_bytes_of(self->body, (size_t)self->options->size), NULL);
        return;
    }
    const tusk_publication publication = {
        .topic = request->head->path, .data = request->body, .opcode = TUSK_WS_TEXT};
    tusk_err err = tusk_server_publish(self->server, &publication, NULL);
    (void)tusk_reply(self->server, session, err == TUSK_OK ? 204 : 500, tusk_bytes_of("", 0),
                     tusk_bytes_of("", 0), NULL);
}

static void on_open(void *user, tusk_handle session, void *route_user, const tusk_request *request)
{
    const child *self = user;
    tusk_position since;
    const tusk_http_field *last =
        request == NULL ? NULL : tusk_http_find(request->head, "last-event-id");
    bool again = last != NULL && tusk_position_parse(&since, last->value) == TUSK_OK;
    if (request != NULL && self->options->kind != KIND_WS) {
        (void)tusk_session_subscribe(self->server, session, request->head->path,
                                     again ? &since : NULL, TUSK_OVERFLOW_CLOSE);
    }
}

static void on_message(void *user, tusk_handle session, void *route_user, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    const child *self = user;
    if (self->options->kind == KIND_WS) {
        (void)tusk_websocket_send(self->server, session, opcode, payload, NULL, NULL);
    } else {
        const tusk_publication publication = {
            .topic = tusk_session_target(self->server, session), .data = payload, .opcode = opcode};
        (void)tusk_server_publish(self->server, &publication, NULL);
    }
    tusk_payload_drop(self->server, taken);
}

static void on_close(void *user, tusk_handle session, void *route_user, uint16_t code,
                     tusk_bytes reason, tusk_close_kind kind, void *session_user)
{
}

/* As many events as are due by now: a timer that comes late does not lower the rate. */
static void on_tick(tusk_timer *timer)
{
    child *self = (child *)((char *)timer - offsetof(child, tick));
    double passed = (double)(tusk_loop_now_ms(self->loop) - self->from_ms) / 1000;
    const tusk_publication event = {
        .topic = tusk_bytes_str("/"),
        .data = tusk_bytes_of(self->body, (size_t)self->options->size),
        .opcode = TUSK_WS_TEXT,
    };
    for (; (double)self->ticks < passed * self->options->rate; self->ticks++) {
        (void)tusk_server_publish(self->server, &event, NULL);
    }
    double pause = 1000 / self->options->rate;
    tusk_timer_start(self->loop, timer, pause < 1 ? 1 : (uint64_t)pause);
}

static tusk_err add_routes(child *self)
{
    static const tusk_websocket_options anywhere = {
        .any_origin = true, .keep_target = true, .deflate = {.on = true}};
    tusk_websocket_options websocket = anywhere;
    tusk_err err = TUSK_OK;
    websocket.deflate.server_max_window_bits = 15;
    websocket.deflate.client_max_window_bits = 15;
    websocket.deflate.level = 1;
    websocket.deflate.mem_level = 8;
    if (self->options->kind == KIND_HTTP) {
        err = tusk_server_route_http(self->server, "GET", "/{path*}", NULL);
        return err != TUSK_OK ? err
                              : tusk_server_route_http(self->server, "POST", "/{path*}", NULL);
    }
    if (self->options->kind == KIND_WS || self->options->kind == KIND_FANOUT) {
        err = tusk_server_route_websocket(self->server, "/{path*}", &websocket, NULL);
    }
    if (err == TUSK_OK && self->options->kind != KIND_WS) {
        err = tusk_server_route_http(self->server, "POST", "/{path*}", NULL);
    }
    if (err == TUSK_OK && self->options->kind != KIND_WS) {
        err = tusk_server_route_events(self->server, "/{path*}",
                                       &(tusk_events_options){.any_origin = true}, NULL);
    }
    return err;
}

static tusk_err serve(child *self)
{
    static const tusk_server_handler handler = {.on_request = on_request,
                                                .on_open = on_open,
                                                .on_message = on_message,
                                                .on_close = on_close};
    tusk_server_options options = {.loop = self->loop, .handler = &handler, .user = self};
    char reason[256];
    tusk_server_limits_default(&options.limits);
    options.limits.connections = 1000000;
    options.limits.message_bytes = (size_t)1 << 30;
    options.limits.unfinished_bytes = (size_t)1 << 32;
    options.limits.queued_bytes = (size_t)1 << 30;
    options.limits.queued_bytes_total = (size_t)1 << 32;
    options.limits.body_bytes = (size_t)1 << 26;
    options.limits.idle_ms = 0;
    options.limits.keep_alive_ms = 3600 * 1000;
    options.limits.handshake_ms = 60 * 1000;
    tusk_err err = tusk_server_new(&self->server, &options);
    if (err == TUSK_OK) {
        err = add_routes(self);
    }
    if (err == TUSK_OK) {
        err = tusk_server_listen_on(self->server, INHERITED, self->options->tls);
    }
    if (err == TUSK_OK) {
        err = tusk_server_start(self->server, reason, sizeof(reason));
    }
    if (err == TUSK_OK && self->options->kind == KIND_SSE && self->options->rate > 0) {
        self->from_ms = tusk_loop_now_ms(self->loop);
        self->tick.on_due = on_tick;
        tusk_timer_start(self->loop, &self->tick, 1);
    }
    return err == TUSK_OK ? tusk_loop_run(self->loop) : err;
}

static void run_child(void *user)
{
    child self = {.options = user};
    size_t size = (size_t)self.options->size;
    self.body = pemalloc(size + 1, 1);
    for (size_t i = 0; i < size; i++) {
        self.body[i] = (uint8_t)(size == sizeof(HELLO) - 1 ? HELLO[i] : 'x');
    }
    if (tusk_loop_new(&self.loop, NULL) != TUSK_OK) {
        return;
    }
    if (self.options->kind == KIND_TCP) {
        (void)tusk_tcp_serve_on(self.loop, INHERITED, self.options->serve, self.options->greeting);
    } else {
        (void)serve(&self);
    }
}

/* ---- in the parent ---- */
static bool find_word(zend_string *text, const char *const *words, int count, int *out)
{
    for (*out = 0; *out < count; ++*out) {
        if (zend_string_equals_cstr(text, words[*out], strlen(words[*out]))) {
            return true;
        }
    }
    return false;
}

static bool make_tls(echo_options *options, HashTable *given)
{
    zval *certificate = zend_hash_str_find_deref(given, ZEND_STRL("tls-certificate"));
    zval *key = zend_hash_str_find_deref(given, ZEND_STRL("tls-key"));
    char reason[256] = "";
    if (certificate == NULL && key == NULL) {
        return true;
    }
    if (certificate == NULL || key == NULL || Z_TYPE_P(certificate) != IS_STRING ||
        Z_TYPE_P(key) != IS_STRING || options->kind == KIND_TCP) {
        zend_argument_value_error(
            5, "needs both tls-certificate and tls-key, as files, and not for tcp");
        return false;
    }
    const tusk_tls_options files = {.certificate_file = Z_STRVAL_P(certificate),
                                    .key_file = Z_STRVAL_P(key)};
    if (tusk_tls_server_new(&options->tls, &files, reason, sizeof(reason)) != TUSK_OK) {
        zend_argument_value_error(5, "has no usable certificate: %s", reason);
        return false;
    }
    return true;
}

/* One of the other options; false: an error was thrown. */
static bool read_option(echo_options *options, zend_string *name, zval *value)
{
    ZVAL_DEREF(value);
    if (name != NULL && (zend_string_equals_literal(name, "tls-certificate") ||
                         zend_string_equals_literal(name, "tls-key"))) {
        return true;
    }
    if (name != NULL && zend_string_equals_literal(name, "size") &&
        (options->kind == KIND_HTTP || options->kind == KIND_SSE)) {
        options->size = zval_get_long(value);
        if (options->size < 0 || options->size > 1 << 26) {
            zend_argument_value_error(5, "has a size that is not between 0 and 67108864");
            return false;
        }
        return true;
    }
    if (name != NULL && zend_string_equals_literal(name, "rate") && options->kind == KIND_SSE) {
        options->rate = zval_get_double(value);
        if (!(options->rate >= 0 && options->rate <= 1e6)) {
            zend_argument_value_error(5, "has a rate that is not between 0 and 1000000");
            return false;
        }
        return true;
    }
    if (name != NULL && zend_string_equals_literal(name, "serve") && options->kind == KIND_TCP) {
        int serve = 0;
        if (Z_TYPE_P(value) != IS_STRING || !find_word(Z_STR_P(value), serves, 3, &serve)) {
            zend_argument_value_error(5, "has a \"serve\" that is not echo, sink or source");
            return false;
        }
        options->serve = (tusk_tcp_serve)serve;
        return true;
    }
    if (name != NULL && zend_string_equals_literal(name, "greeting") && options->kind == KIND_TCP) {
        int greeting = 0;
        if (Z_TYPE_P(value) != IS_STRING || !find_word(Z_STR_P(value), greetings, 4, &greeting)) {
            zend_argument_value_error(
                5, "has a \"greeting\" that is not none, postgres, mysql or smtp");
            return false;
        }
        options->greeting = (tusk_tcp_greeting)greeting;
        return true;
    }
    zend_argument_value_error(5, "has no option \"%s\" for this kind",
                              name == NULL ? "" : ZSTR_VAL(name));
    return false;
}

static bool read_options(echo_options *options, HashTable *given)
{
    zend_string *name;
    zval *value;
    if (given == NULL) {
        return true;
    }
    ZEND_HASH_FOREACH_STR_KEY_VAL(given, name, value)
    {
        if (!read_option(options, name, value)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return make_tls(options, given);
}

static void start_all(echo_server *self, const echo_options *options, int processes,
                      const char *address)
{
    int fd;
    tusk_err err = tusk_server_socket(&fd, &self->port, address);
    if (err != TUSK_OK) {
        zend_throw_exception_ex(spl_ce_RuntimeException, err, "cannot listen on %s: %s", address,
                                tusk_err_text(err));
        return;
    }
    while (self->count < processes && err == TUSK_OK) {
        err = tusk_child_start(&self->pids[self->count], fd, run_child, (void *)(uintptr_t)options);
        self->count += err == TUSK_OK;
    }
    (void)close(fd);
    if (err != TUSK_OK) {
        end_all(self);
        zend_throw_exception(spl_ce_RuntimeException, "no process could be made", err);
    }
}

TUSK_METHOD(Tusk_Bench_EchoServer, __construct)
{
    zend_string *kind;
    zend_long processes = 1;
    zend_string *host = NULL;
    zend_long port = 0;
    HashTable *given = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(1, 5)
    Z_PARAM_STR(kind)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(processes)
    Z_PARAM_STR(host)
    Z_PARAM_LONG(port)
    Z_PARAM_ARRAY_HT(given)
    TUSK_PARSE_CONSTRUCTOR_END();

    echo_server *self = TUSK_FROM(echo_server, Z_OBJ_P(ZEND_THIS));
    echo_options options = {.size = sizeof(HELLO) - 1, .rate = 10};
    int found;
    if (self->port != 0) {
        zend_throw_error(NULL, "Tusk\\Bench\\EchoServer is constructed once");
        RETURN_THROWS();
    }
    if (!find_word(kind, kinds, 5, &found)) {
        zend_argument_value_error(1, "must be ws, http, sse, fanout or tcp, \"%s\" given",
                                  ZSTR_VAL(kind));
        RETURN_THROWS();
    }
    if (processes < 1 || processes > PROCESSES_MAX) {
        zend_argument_value_error(2, "must be between 1 and %d, " ZEND_LONG_FMT " given",
                                  PROCESSES_MAX, processes);
        RETURN_THROWS();
    }
    if (port < 0 || port > 65535) {
        zend_argument_value_error(4, "must be between 0 and 65535, " ZEND_LONG_FMT " given", port);
        RETURN_THROWS();
    }
    options.kind = (echo_kind)found;
    if (options.kind >= KIND_SSE && options.kind <= KIND_FANOUT && processes > 1) {
        zend_argument_value_error(2, "must be 1 for %s: its topics live in one process",
                                  kinds[options.kind]);
        RETURN_THROWS();
    }
    if (read_options(&options, given)) {
        zend_string *address = strpprintf(
            0, strchr(host == NULL ? "" : ZSTR_VAL(host), ':') != NULL ? "[%s]:%d" : "%s:%d",
            host == NULL ? "127.0.0.1" : ZSTR_VAL(host), (int)port);
        start_all(self, &options, (int)processes, ZSTR_VAL(address));
        zend_string_release(address);
    }
    tusk_tls_unref(options.tls);
}

TUSK_METHOD(Tusk_Bench_EchoServer, port)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_LONG(TUSK_FROM(echo_server, Z_OBJ_P(ZEND_THIS))->port);
}

TUSK_METHOD(Tusk_Bench_EchoServer, pids)
{
    ZEND_PARSE_PARAMETERS_NONE();
    const echo_server *self = TUSK_FROM(echo_server, Z_OBJ_P(ZEND_THIS));
    array_init(return_value);
    for (int i = 0; i < self->count; i++) {
        add_next_index_long(return_value, self->pids[i]);
    }
}

TUSK_METHOD(Tusk_Bench_EchoServer, stop)
{
    ZEND_PARSE_PARAMETERS_NONE();
    end_all(TUSK_FROM(echo_server, Z_OBJ_P(ZEND_THIS)));
}

void tusk_bench_echo_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(echo_server, std), destroy);
    tusk_ce_bench_echo->create_object = create;
}
