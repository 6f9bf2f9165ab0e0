/* SPDX-License-Identifier: MIT */
/* A server's life: made, run, stopped, failed, given back. */
#include "src/serve/host.h"

#include "src/run/fiber.h"
#include "src/serve/admin.h"
#include "src/serve/connection.h"
#include "src/serve/counters.h"
#include "src/serve/http.h"
#include "src/serve/server.h"
#include "src/serve/supervisor.h"
#include "src/serve/workers.h"

#include <ext/spl/spl_exceptions.h>
#include <signal.h>
#include <unistd.h>

enum { FAILED_DRAIN_MS = 1000 };

static void stop_server(tusk_host *self)
{
    tusk_server_stop(self->core);
}

static void reload_server(tusk_host *self)
{
    tusk_server_reload_tls(self->core);
}

static const char *server_address(const tusk_host *self, size_t listener)
{
    return tusk_server_address(self->core, listener);
}

static tusk_err server_inherit(tusk_host *self, size_t listener, int fd)
{
    return tusk_server_inherit(self->core, listener, fd);
}

static const tusk_host_kind server_kind = {.stop = stop_server,
                                           .reload = reload_server,
                                           .address = server_address,
                                           .inherit = server_inherit,
                                           .metrics = tusk_server_tell_metrics};

tusk_host *tusk_host_alloc(zend_object *server, const tusk_host_kind *kind)
{
    tusk_host *self = ecalloc(1, sizeof(*self));
    self->refs = 1;
    self->kind = kind;
    self->server = server;
    return self;
}

tusk_host *tusk_host_new(zend_object *server, tusk_server_options *options, bool compat)
{
    tusk_loop *loop = tusk_loop_get();
    if (loop == NULL) {
        return NULL;
    }
    tusk_host *self = tusk_host_alloc(server, &server_kind);
    self->compat = compat;
    self->drain_ms = options->limits.drain_ms;
    options->loop = loop;
    options->handler = &tusk_host_handler;
    options->user = self;
    options->store = &tusk_string_store;
    options->plain_io = !TUSK_G(io_uring);
    tusk_err err = tusk_server_new(&self->core, options);
    if (err != TUSK_OK) {
        efree(self);
        tusk_throw(err, "Cannot make the server");
        return NULL;
    }
    return self;
}

void tusk_host_unref(tusk_host *self)
{
    if (--self->refs == 0) {
        efree(self);
    }
}

tusk_php_route *tusk_host_route(tusk_host *self, unsigned kind)
{
    tusk_php_route *route = ecalloc(1, sizeof(*route));
    route->kind = kind;
    route->next = self->routes;
    self->routes = route;
    return route;
}

static void free_routes(tusk_host *self)
{
    while (self->routes != NULL) {
        tusk_php_route *route = self->routes;
        self->routes = route->next;
        tusk_callback_fini(&route->open);
        tusk_callback_fini(&route->message);
        tusk_callback_fini(&route->close);
        tusk_callback_fini(&route->authorize);
        efree(route);
    }
}

static void forget(zend_object **place)
{
    zend_object *object = *place;
    *place = NULL;
    if (object != NULL) {
        OBJ_RELEASE(object);
    }
}

void tusk_host_rest(tusk_host *self)
{
    forget(&self->recent);
    if (self->spare_text != NULL) {
        zend_string_release_ex(self->spare_text, 0);
        self->spare_text = NULL;
    }
    forget(&self->spare_request);
    forget(&self->spare_response);
    tusk_host_forget_text(self);
    tusk_header_memo_clear(self->headers);
}

void tusk_host_close(tusk_host *self)
{
    tusk_server *core = self->core;
    tusk_host_rest(self);
    tusk_frame_memo_fini(&self->memo);
    tusk_timer_stop(TUSK_G(loop), &self->cut);
    tusk_task_cancel(&self->start);
    self->core = NULL; /* from here on callbacks of the core only release */
    self->server = NULL;
    tusk_server_free(core);
    free_routes(self);
    tusk_host_release(self);
}

void tusk_host_release(tusk_host *self)
{
    self->server = NULL;
    tusk_callback_fini(&self->on_error);
    tusk_callback_fini(&self->on_start);
    tusk_callback_fini(&self->on_listen);
    tusk_server_free(self->admin); /* it may be in the master's loop */
    self->admin = NULL;
    tusk_workers_free(self->workers);
    self->workers = NULL;
    tusk_host_unref(self);
}

void tusk_host_gc(tusk_host *self, zend_get_gc_buffer *buffer)
{
    tusk_callback_gc(&self->on_error, buffer);
    tusk_callback_gc(&self->on_start, buffer);
    tusk_callback_gc(&self->on_listen, buffer);
    for (tusk_php_route *route = self->routes; route != NULL; route = route->next) {
        tusk_callback_gc(&route->open, buffer);
        tusk_callback_gc(&route->message, buffer);
        tusk_callback_gc(&route->close, buffer);
        tusk_callback_gc(&route->authorize, buffer);
    }
    if (self->recent != NULL) {
        tusk_gc_add_object(buffer, self->recent);
    }
    if (!self->running) { /* else run() holds the server: nothing below it can be garbage */
        tusk_peers_gc(self, buffer);
    }
}

/* ---- run and stop ---- */
static void drain(tusk_host *self)
{
    if (!tusk_workers_leave(self)) {
        self->kind->stop(self);
    }
}

static void on_cut(tusk_timer *timer)
{
    tusk_host *self = TUSK_OWNER(timer, tusk_host, cut);
    tusk_messages_end_all(self);
    if (self->failed) {
        drain(self);
        tusk_run_end(false); /* handlers that wait never go on: their sessions do not end */
    } else {
        tusk_waits_cancel();
    }
}

/* A worker's supervisor is its master. */
static void tell_supervisor(const tusk_host *self, tusk_supervised what)
{
    if (!self->worker) {
        tusk_supervised_tell(what);
    }
}

void tusk_host_stop(tusk_host *self)
{
    if (!self->running) {
        return;
    }
    if (!self->stopping) {
        tell_supervisor(self, TUSK_SUPERVISED_STOPPING);
        self->stopping = true;
        self->cut.on_due = on_cut;
        tusk_timer_start(TUSK_G(loop), &self->cut, (uint64_t)self->drain_ms + 50);
    }
    drain(self);
}

void tusk_host_fail(tusk_host *self)
{
    if (self == NULL || self->failed) {
        return;
    }
    self->failed = true;
    if (!self->running) {
        return;
    }
    php_log_err("Tusk: a fatal error in a handler: the server drains for a second and ends");
    tell_supervisor(self, TUSK_SUPERVISED_STOPPING);
    self->stopping = true;
    self->cut.on_due = on_cut;
    tusk_timer_start(TUSK_G(loop), &self->cut, FAILED_DRAIN_MS);
    drain(self);
}

static void on_term(tusk_signal *signal)
{
    tusk_host_stop(TUSK_OWNER(signal, tusk_host, on_term));
}

static void on_int(tusk_signal *signal)
{
    tusk_host_stop(TUSK_OWNER(signal, tusk_host, on_int));
}

static void on_hup(tusk_signal *signal)
{
    tusk_host *self = TUSK_OWNER(signal, tusk_host, on_hup);
    tell_supervisor(self, TUSK_SUPERVISED_RELOADING);
    self->kind->reload(self);
    tell_supervisor(self, TUSK_SUPERVISED_READY);
}

static void call_start(void *arg)
{
    tusk_host *self = arg;
    tusk_call call = {0};
    zval server;
    zval result;
    ZVAL_OBJ(&server, self->server);
    (void)tusk_call_run(&call, self, (tusk_handle){0}, &self->on_start, 1, &server, &result);
    zval_ptr_dtor(&result);
}

static void start(tusk_task *task)
{
    tusk_host *self = TUSK_OWNER(task, tusk_host, start);
    tusk_guarded(self, call_start, self);
}

static void watch_signals(tusk_host *self)
{
    tusk_loop *loop = TUSK_G(loop);
    self->on_term.on_signal = on_term;
    self->on_int.on_signal = on_int;
    self->on_hup.on_signal = on_hup;
    (void)tusk_signal_start(loop, &self->on_term, SIGTERM);
    if (!self->worker) {
        (void)tusk_signal_start(loop, &self->on_int, SIGINT);
        (void)tusk_signal_start(loop, &self->on_hup, SIGHUP);
    }
}

static void unwatch_signals(tusk_host *self)
{
    tusk_loop *loop = TUSK_G(loop);
    tusk_signal_stop(loop, &self->on_term);
    tusk_signal_stop(loop, &self->on_int);
    tusk_signal_stop(loop, &self->on_hup);
}

bool tusk_host_loop(tusk_host *self)
{
    self->running = true;
    self->ran = true;
    watch_signals(self);
    if (tusk_callback_given(&self->on_start)) {
        self->start.run = start;
        tusk_task_defer(TUSK_G(loop), &self->start);
    }
    tusk_run run = {.host = self, .parked_max = self->parked_max};
    TUSK_G(running_host) = self;
    GC_ADDREF(self->server);
    tusk_err result = tusk_run_loop(&run);
    TUSK_G(running_host) = NULL;
    self->running = false;
    unwatch_signals(self);
    tusk_timer_stop(TUSK_G(loop), &self->cut);
    tusk_host_rest(self);
    bool failed = self->failed;
    OBJ_RELEASE(self->server);
    if (failed) {
        TUSK_G(unusable) = true;
        zend_bailout();
    }
    if (result != TUSK_OK) {
        tusk_throw(result, "The event loop failed");
        return false;
    }
    return true;
}

static zend_class_entry *misuse(const tusk_host *self)
{
    return self->compat ? zend_ce_error : spl_ce_LogicException;
}

bool tusk_host_may_run(const tusk_host *self, const char *what, size_t listeners)
{
    if (self->running || self->ran) {
        zend_throw_exception_ex(misuse(self), 0, "%s %s %s", self->running ? "The" : "A", what,
                                self->running ? "runs already" : "runs only once");
        return false;
    }
    if (listeners == 0) {
        zend_throw_exception_ex(misuse(self), 0,
                                "The %s listens nowhere: %scall listen() before run()", what,
                                self->compat ? "" : "give an address or ");
        return false;
    }
    return true;
}

bool tusk_host_started(tusk_err err, const char *reason, const char *what)
{
    if (err != TUSK_OK && reason[0] != '\0') {
        zend_throw_exception(tusk_ce_exception, reason, err);
    } else if (err != TUSK_OK) {
        tusk_throw(err, "Cannot start %s", what);
    }
    return err == TUSK_OK;
}

static void tell_listens(void *arg)
{
    tusk_host *self = arg;
    tusk_call call = {0};
    zval server;
    zval result;
    ZVAL_OBJ(&server, self->server);
    tusk_calls_outside();
    (void)tusk_call_run(&call, self, (tusk_handle){0}, &self->on_listen, 1, &server, &result);
    zval_ptr_dtor(&result);
}

void tusk_host_listens(tusk_host *self, uint16_t port)
{
    ZVAL_LONG(OBJ_PROP_NUM(self->server, HOST_PORT), port);
    if (!self->worker && tusk_callback_given(&self->on_listen)) {
        tusk_guarded(self, tell_listens, self);
    }
    tell_supervisor(self, TUSK_SUPERVISED_READY);
}

void tusk_host_take_sockets(tusk_host *self)
{
    const char *address;
    for (size_t i = 0; (address = self->kind->address(self, i)) != NULL; i++) {
        int fd = tusk_supervised_socket(address);
        if (fd >= 0 && self->kind->inherit(self, i, fd) != TUSK_OK) {
            (void)close(fd);
        }
    }
}

bool tusk_host_run(tusk_host *self)
{
    char reason[512] = "";
    if (TUSK_G(run) != NULL) {
        zend_throw_exception(misuse(self), "Another server runs in this process already", 0);
        return false;
    }
    if (self->workers != NULL) {
        return tusk_workers_run(self);
    }
    tusk_host_take_sockets(self);
    if (!tusk_host_started(tusk_admin_start(self, reason, sizeof(reason)), reason,
                           "the admin listener") ||
        !tusk_host_started(tusk_server_start(self->core, reason, sizeof(reason)), reason,
                           "the server")) {
        return false;
    }
    tusk_host_listens(self, tusk_server_port(self->core, 0));
    return tusk_host_loop(self);
}

/* ---- what is counted ---- */
void tusk_host_count(void *user, tusk_server_stats *stats)
{
    stats->own_gauge = (uint64_t)TUSK_G(parked_fibers);
    stats->own[OWN_PARKED_REFUSED] = TUSK_G(refused_waits);
    stats->own[OWN_SLOW_HANDLERS] = ((tusk_host *)user)->slow_handlers;
    stats->own[OWN_FIBER_SWITCHES] = TUSK_G(fiber_switches);
    stats->own[OWN_WORKERS_HEAVY] = ((tusk_host *)user)->heavy;
}

void tusk_host_stats(const tusk_server_stats *stats, zval *out)
{
    tusk_counters all = {.count = 0};
    tusk_counters_add(&all, "", &tusk_server_counters, stats);
    tusk_counters_add(&all, "", &tusk_host_counters, stats);
    tusk_counters_array(&all, out);
}
