/* SPDX-License-Identifier: MIT */
/* Testing\Loopback: a server's handlers against connections in memory (socket pairs), without
 * ports. */
#include "src/testing/loopback.h"

#include "src/client/values.h"
#include "src/serve/http.h"
#include "src/serve/server.h"
#include "src/parameters.h"

#include <ext/spl/spl_exceptions.h>
#include <errno.h>
#include <unistd.h>

enum { TICK_MS = 1, QUIET_TICKS = 3, LAST_MS = 1000 };

static zend_object_handlers handlers;

static tusk_service *service_of(const tusk_loopback *self)
{
    return self->server->ce == tusk_ce_ws_server ? tusk_ws_server_service(self->server)
                                                 : tusk_server_service(self->server);
}

static bool may_run(const tusk_loopback *self)
{
    bool inside = TUSK_G(run) != NULL;
    bool may = !inside && tusk_host_is_here(&service_of(self)->host);
    if (!may) {
        zend_throw_exception(spl_ce_LogicException,
                             inside ? "A loopback cannot be used inside a running server"
                                    : "A loopback cannot be used where its server was not made "
                                      "(a pool's worker, a fork): make both there",
                             0);
    }
    return may;
}

/* ---- the pair ---- */
bool tusk_endpoint_open(tusk_endpoint *self, tusk_loopback *parent)
{
    tusk_buf_init(&self->in, tusk_mem_default(), LOOPBACK_BYTES_MAX);
    tusk_buf_init(&self->out, tusk_mem_default(), LOOPBACK_BYTES_MAX);
    self->fd = -1;
    if (!may_run(parent)) {
        return false;
    }
    tusk_err err = tusk_server_pair(service_of(parent)->core, &self->fd);
    if (err != TUSK_OK) {
        tusk_throw(err, "The server takes no connection");
    }
    return err == TUSK_OK;
}

static void hang_up(tusk_endpoint *self)
{
    if (self->fd >= 0) {
        close(self->fd);
        self->fd = -1;
    }
    self->ended = true;
}

void tusk_endpoint_close(tusk_endpoint *self)
{
    hang_up(self);
    tusk_buf_fini(&self->in);
    tusk_buf_fini(&self->out);
}

/* Moves what can be moved; true when something was. */
static bool endpoint_move(tusk_endpoint *self)
{
    bool moved = false;
    while (self->fd >= 0 && self->out.len > 0) {
        tusk_bytes out = tusk_buf_view(&self->out);
        ssize_t n = write(self->fd, out.ptr, out.len);
        if (n <= 0) {
            break;
        }
        tusk_buf_consume(&self->out, (size_t)n);
        moved = true;
    }
    while (self->fd >= 0 && !self->ended) {
        uint8_t *place;
        if (tusk_buf_reserve(&self->in, 65536, &place) != TUSK_OK) {
            break;
        }
        ssize_t n = read(self->fd, place, 65536);
        if (n > 0) {
            tusk_buf_commit(&self->in, (size_t)n);
            moved = true;
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            hang_up(self); /* as clients do: until then the server holds the connection */
            moved = true;
        }
        break;
    }
    return moved;
}

/* ---- running the server's loop ---- */
typedef struct pump {
    tusk_run run;
    tusk_timer tick;
    tusk_endpoint *end;      /* may be NULL */
    bool (*done)(void *arg); /* NULL: until it is quiet */
    void *arg;
    uint64_t until_ms;
    uint64_t events;
    unsigned quiet;
    bool timers; /* it is not quiet before those that are due by then */
    bool last;   /* the loopback goes */
} pump;

static uint64_t events_so_far(void)
{
    tusk_loop_counters counters;
    tusk_loop_count(TUSK_G(loop), &counters);
    return counters.events + counters.tasks;
}

static void on_tick(tusk_timer *timer)
{
    pump *self = TUSK_OWNER(timer, pump, tick);
    bool moved = self->end != NULL && endpoint_move(self->end);
    uint64_t events = events_so_far();
    bool still = !moved && events == self->events && !tusk_waits_end_by(self->until_ms) &&
                 !(self->timers && tusk_timers_due_by(self->until_ms));
    self->events = events;
    self->quiet = still ? self->quiet + 1 : 0;
    bool over = self->done != NULL ? self->done(self->arg) : self->quiet >= QUIET_TICKS;
    if (over || tusk_loop_now_ms(TUSK_G(loop)) >= self->until_ms) {
        tusk_loop_stop(TUSK_G(loop));
    } else {
        tusk_timer_start(TUSK_G(loop), timer, TICK_MS);
    }
}

static bool run(tusk_loopback *self, pump *pumping, uint64_t ms)
{
    tusk_host *host = &service_of(self)->host;
    if (!may_run(self)) {
        return false;
    }
    pumping->run = (tusk_run){.host = host, .parked_max = host->parked_max, .last = pumping->last};
    pumping->tick.on_due = on_tick;
    pumping->until_ms = tusk_loop_clock_ns() / 1000000u + ms;
    if (pumping->end != NULL) {
        (void)endpoint_move(pumping->end);
    }
    tusk_timer_start(TUSK_G(loop), &pumping->tick, 0);
    tusk_err err = tusk_host_turn(host, &pumping->run);
    tusk_timer_stop(TUSK_G(loop), &pumping->tick);
    return tusk_host_turned(host, err);
}

bool tusk_loopback_run(tusk_loopback *self, tusk_endpoint *end, bool (*done)(void *arg), void *arg,
                       uint64_t ms)
{
    pump pumping = {.end = end, .done = done, .arg = arg};
    return run(self, &pumping, ms);
}

/* ---- Loopback ---- */
static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tusk_loopback, ce, &handlers)->std;
}

typedef struct ending {
    tusk_service *service;
    bool cut;
} ending;

/* Their clients go first, which is how the messages that some iterate come to an end. */
static bool nobody_waits(void *arg)
{
    ending *self = arg;
    if (!self->cut && TUSK_G(waits) != NULL) {
        self->cut = true;
        (void)tusk_server_cut(self->service->core);
        return false;
    }
    return !tusk_waits_cancel_of(&self->service->host);
}

/* Handlers that still wait hear that the server stops: their stacks lie on its sessions. What is
 * thrown meanwhile, as by who let the loopback go, goes on afterwards. */
static void end_handlers(zend_object *object)
{
    tusk_loopback *self = TUSK_FROM(tusk_loopback, object);
    zend_object *thrown = EG(exception);
    bool exits = thrown != NULL && (zend_is_unwind_exit(thrown) || zend_is_graceful_exit(thrown));
    if (!exits && self->server != NULL && TUSK_G(run) == NULL && TUSK_G(waits) != NULL &&
        !TUSK_G(unusable) && !tusk_calls_forked() && tusk_host_is_here(&service_of(self)->host)) {
        tusk_thrown before = tusk_thrown_aside();
        ending all = {.service = service_of(self)};
        pump pumping = {.done = nobody_waits, .arg = &all, .last = true};
        (void)run(self, &pumping, LAST_MS);
        if (thrown != NULL) {
            zend_exception_set_previous(thrown, EG(exception));
            tusk_thrown_back(&before);
        }
    }
    zend_objects_destroy_object(object);
}

/* The collector of cycles frees both in an order of its own: the server may have gone before, or be
 * in the midst of it, and what it let go of was all that held this one. */
static tusk_service *service_left(const tusk_loopback *self)
{
    tusk_service *service = self->server == NULL ? NULL : service_of(self);
    return service == NULL || service->core == NULL ? NULL : service;
}

static void destroy(zend_object *object)
{
    tusk_loopback *self = TUSK_FROM(tusk_loopback, object);
    tusk_service *service = service_left(self);
    if (service != NULL && TUSK_G(run) != NULL && !tusk_calls_forked()) {
        tusk_service_give_up(service);
    } else if (service != NULL && !tusk_waits_cancel_of(&service->host)) { /* or with the script */
        OBJ_RELEASE(self->server);
    }
    zend_object_std_dtor(object);
}

static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    if (TUSK_FROM(tusk_loopback, object)->server != NULL) {
        tusk_gc_add_object(buffer, TUSK_FROM(tusk_loopback, object)->server);
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

static tusk_loopback *this_loopback(zval *object)
{
    return TUSK_FROM(tusk_loopback, Z_OBJ_P(object));
}

TUSK_METHOD(Tusk_Testing_Loopback, __construct)
{
    zend_object *server;

    TUSK_PARSE_CONSTRUCTOR_START(1, 1)
    Z_PARAM_OBJ(server)
    TUSK_PARSE_CONSTRUCTOR_END();

    tusk_loopback *self = this_loopback(ZEND_THIS);
    if (server->ce != tusk_ce_server && server->ce != tusk_ce_ws_server) {
        zend_argument_type_error(1,
                                 "must be of type Tusk\\Server|Tusk\\WebSocket\\Server, %s given",
                                 ZSTR_VAL(server->ce->name));
        RETURN_THROWS();
    }
    if (self->server != NULL) {
        zend_throw_error(NULL, "The loopback is made already");
        RETURN_THROWS();
    }
    tusk_service *service = server->ce == tusk_ce_ws_server ? tusk_ws_server_service(server)
                                                            : tusk_server_service(server);
    if (service->host.running || service->host.ran) {
        zend_throw_exception(spl_ce_LogicException, "The server runs already", 0);
        RETURN_THROWS();
    }
    if (server->ce == tusk_ce_ws_server && !tusk_ws_server_add_route(server)) {
        RETURN_THROWS();
    }
    if (server->ce == tusk_ce_server && !tusk_server_boot(server)) {
        if (EG(exception) == NULL) { /* a fatal error */
            zend_bailout();
        }
        RETURN_THROWS();
    }
    service->host.forgotten.line = 0; /* its handlers are what is run */
    self->server = server;
    GC_ADDREF(server);
}

bool tusk_loopback_head(tusk_buf *out, zend_string *line, HashTable *headers, uint32_t number)
{
    bool host = false;
    zend_string *name;
    if (tusk_buf_append(out, ZSTR_VAL(line), ZSTR_LEN(line)) != TUSK_OK) {
        tusk_throw(TUSK_ETOOBIG, "Cannot send the request");
        return false;
    }
    if (headers != NULL) {
        ZEND_HASH_FOREACH_STR_KEY(headers, name)
        {
            host = host || (name != NULL && zend_string_equals_literal_ci(name, "host"));
        }
        ZEND_HASH_FOREACH_END();
    }
    if (!host) {
        (void)tusk_buf_append_str(out, "Host: loopback\r\n");
    }
    return headers == NULL || tusk_header_lines(out, headers, number);
}

bool tusk_loopback_is_stream(const tusk_http_head *head)
{
    const tusk_http_field *type = tusk_http_find(head, "content-type");
    return head->status == 200 && type != NULL && tusk_sse_is_content_type(type->value);
}

/* ---- request() ---- */
typedef struct answer {
    tusk_endpoint end;
    tusk_http_method method;
    size_t scanned;
    tusk_http_head head;
    tusk_http_body body;
    tusk_buf data;
    tusk_answer_fields fields;
    tusk_err err;
    bool head_done;
    bool streams; /* it has no end */
    bool done;
} answer;

static bool parse_answer(void *arg)
{
    answer *self = arg;
    const tusk_http_limits *limits = tusk_http_limits_default();
    while (!self->head_done) {
        tusk_bytes in = tusk_buf_view(&self->end.in);
        ptrdiff_t n =
            tusk_http_response_parse(&self->head, in, limits, self->method, &self->scanned);
        if (n <= 0) {
            self->err = n < 0 ? (tusk_err)n : self->end.ended ? TUSK_EEOF : TUSK_OK;
            return n < 0 || self->end.ended;
        }
        self->head_done = self->head.status >= 200;
        if (self->method != TUSK_HTTP_HEAD && tusk_loopback_is_stream(&self->head)) {
            self->streams = true;
            return true;
        }
        if (self->head_done) {
            tusk_http_body_init(&self->body, &self->head, LOOPBACK_BYTES_MAX, limits);
            for (uint32_t i = 0; i < self->head.field_count; i++) {
                tusk_answer_fields_add(&self->fields, self->head.fields[i].name,
                                       self->head.fields[i].value);
            }
        }
        tusk_buf_consume(&self->end.in, (size_t)n);
    }
    while (!tusk_http_body_done(&self->body)) {
        tusk_bytes data = tusk_bytes_of(NULL, 0);
        tusk_bytes in = tusk_buf_view(&self->end.in);
        ptrdiff_t n = in.len == 0 ? 0 : tusk_http_body_decode(&self->body, in, &data);
        if (n <= 0) {
            self->done = self->end.ended && tusk_http_body_end(&self->body);
            self->err = n < 0 ? (tusk_err)n : self->end.ended && !self->done ? TUSK_EEOF : TUSK_OK;
            return n < 0 || self->end.ended;
        }
        (void)tusk_buf_append(&self->data, data.ptr, data.len);
        tusk_buf_consume(&self->end.in, (size_t)n);
    }
    self->done = true;
    return true;
}

TUSK_METHOD(Tusk_Testing_Loopback, request)
{
    zend_string *method;
    zend_string *target;
    HashTable *headers = NULL;
    zend_string *body = ZSTR_EMPTY_ALLOC();

    ZEND_PARSE_PARAMETERS_START(2, 4)
    Z_PARAM_STR(method)
    Z_PARAM_STR(target)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_STR(body)
    ZEND_PARSE_PARAMETERS_END();

    tusk_loopback *self = this_loopback(ZEND_THIS);
    answer *pending = ecalloc(1, sizeof(*pending));
    tusk_buf_init(&pending->data, tusk_mem_default(), LOOPBACK_BYTES_MAX);
    pending->method = zend_string_equals_literal(method, "HEAD") ? TUSK_HTTP_HEAD : TUSK_HTTP_GET;
    if (tusk_endpoint_open(&pending->end, self)) {
        zend_string *line = zend_strpprintf(0, "%s %s HTTP/1.1\r\nContent-Length: %zu\r\n",
                                            ZSTR_VAL(method), ZSTR_VAL(target), ZSTR_LEN(body));
        if (tusk_loopback_head(&pending->end.out, line, headers, 3)) {
            (void)tusk_buf_append(&pending->end.out, "\r\n", 2);
            (void)tusk_buf_append(&pending->end.out, ZSTR_VAL(body), ZSTR_LEN(body));
            if (tusk_loopback_run(self, &pending->end, parse_answer, pending, LOOPBACK_MS_MAX)) {
                if (pending->done) {
                    tusk_client_response(return_value, pending->head.status, &pending->fields,
                                         tusk_buf_view(&pending->data));
                } else if (pending->streams) {
                    zend_throw_exception_ex(spl_ce_LogicException, 0,
                                            "%s is an event stream: events() reads it",
                                            ZSTR_VAL(target));
                } else {
                    tusk_throw(pending->err == TUSK_OK ? TUSK_ETIMEOUT : pending->err,
                               "No answer to %s %s", ZSTR_VAL(method), ZSTR_VAL(target));
                }
            }
        }
        zend_string_release(line);
    }
    tusk_answer_fields_fini(&pending->fields);
    tusk_endpoint_close(&pending->end);
    tusk_buf_fini(&pending->data);
    efree(pending);
}

TUSK_METHOD(Tusk_Testing_Loopback, raw)
{
    zend_string *bytes;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();

    tusk_loopback *self = this_loopback(ZEND_THIS);
    tusk_endpoint end = {.fd = -1};
    if (tusk_endpoint_open(&end, self) &&
        tusk_buf_append(&end.out, ZSTR_VAL(bytes), ZSTR_LEN(bytes)) == TUSK_OK &&
        tusk_loopback_run(self, &end, NULL, NULL, LOOPBACK_MS_MAX)) {
        RETVAL_STR(tusk_zstr_of(tusk_buf_view(&end.in)));
    }
    tusk_endpoint_close(&end);
}

TUSK_METHOD(Tusk_Testing_Loopback, settle)
{
    double seconds = 1;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE(seconds)
    ZEND_PARSE_PARAMETERS_END();

    if (!tusk_seconds_valid(seconds, 1)) {
        RETURN_THROWS();
    }
    pump pumping = {.timers = true};
    (void)run(this_loopback(ZEND_THIS), &pumping, tusk_seconds_in_ms(seconds));
}

void tusk_loopback_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_loopback, std), destroy);
    handlers.dtor_obj = end_handlers;
    handlers.get_gc = get_gc;
    tusk_ce_loopback->create_object = create;
}
