/* SPDX-License-Identifier: MIT */
/* A host's life: run, stopped, failed, given back. */
#include "src/run/host.h"

#include "src/supervisor.h"

#include <SAPI.h>
#include <ext/spl/spl_exceptions.h>
#include <unistd.h>

enum { FAILED_DRAIN_MS = 1000, LAST_WORDS_MS_MAX = 250, PAST_DRAIN_MS = 50 };

void tusk_host_init(tusk_host *self, zend_object *object, const tusk_host_kind *kind)
{
    self->refs = 1;
    self->kind = kind;
    self->loop = TUSK_G(loop);
    self->fail = tusk_host_fail;
    self->object = object;
    tusk_forgotten_init(&self->forgotten);
}

void tusk_host_unref(tusk_host *self)
{
    if (--self->refs == 0) {
        efree(self);
    }
}

void tusk_host_release(tusk_host *self)
{
    self->object = NULL;
    tusk_timer_stop(TUSK_G(loop), &self->cut);
    tusk_task_cancel(&self->start);
    tusk_task_cancel(&self->leave);
    tusk_callback_fini(&self->on_error);
    tusk_callback_fini(&self->on_start);
    tusk_callback_fini(&self->on_stop);
    tusk_callback_fini(&self->on_listen);
    tusk_server_free(self->admin); /* it may be in the master's loop */
    self->admin = NULL;
    if (self->workers != NULL) {
        self->master->free(self->workers);
        self->workers = NULL;
    }
    tusk_host_unref(self);
}

void tusk_host_gc(const tusk_host *self, zend_get_gc_buffer *buffer)
{
    tusk_callback_gc(&self->on_error, buffer);
    tusk_callback_gc(&self->on_start, buffer);
    tusk_callback_gc(&self->on_stop, buffer);
    tusk_callback_gc(&self->on_listen, buffer);
}

/* ---- run and stop ---- */
static void drain(tusk_host *self)
{
    if (self->workers == NULL || !self->master->leave(self)) {
        self->kind->stop(self);
    }
}

static void on_cut(tusk_timer *timer)
{
    tusk_host *self = TUSK_OWNER(timer, tusk_host, cut);
    if (self->kind->cut != NULL) {
        self->kind->cut(self);
    }
    if (self->failed) {
        drain(self);
        tusk_run_end(self, false); /* handlers that wait never go on: their sessions do not end */
    } else {
        tusk_waits_cancel();
    }
}

/* What waiting handlers answer when they are told has a part of the drain to leave in. */
static uint32_t last_words_ms(const tusk_host *self)
{
    uint32_t tenth_ms = self->drain_ms / 10;
    return tenth_ms < LAST_WORDS_MS_MAX ? tenth_ms : LAST_WORDS_MS_MAX;
}

static void on_last_words(tusk_timer *timer)
{
    tusk_host *self = TUSK_OWNER(timer, tusk_host, cut);
    tusk_waits_cancel();
    self->cut.on_due = on_cut;
    tusk_timer_start(TUSK_G(loop), &self->cut, (uint64_t)last_words_ms(self) + PAST_DRAIN_MS);
}

/* A worker's supervisor is its master. */
static void tell_supervisor(const tusk_host *self, tusk_supervised what)
{
    if (!self->worker) {
        tusk_supervised_tell(what);
    }
}

/* A callback that is given the server or proxy and nothing else. */
static void call_with_object(tusk_host *self, const tusk_callback *callback)
{
    tusk_call call = {0};
    zval object;
    zval result;
    ZVAL_OBJ(&object, self->object);
    (void)tusk_call_run(&call, self, (tusk_handle){0}, callback, 1, &object, &result);
    zval_ptr_dtor(&result);
}

static void call_stop(void *arg)
{
    tusk_host *self = arg;
    call_with_object(self, &self->on_stop);
}

/* What it publishes stands in the queues before any Close does. */
static void leave(tusk_task *task)
{
    tusk_host *self = TUSK_OWNER(task, tusk_host, leave);
    if (!self->failed) {
        tusk_guarded(self, call_stop, self);
    }
    if (!self->failed) {
        drain(self);
    }
}

void tusk_host_stop(tusk_host *self)
{
    if (self->running && tusk_calls_forked()) {
        tusk_log("stop() in a forked child ends nothing: the %s is its parent's", self->kind->what);
        return;
    }
    if (!self->running) {
        self->stops_first = self->serving;
        return;
    }
    bool first = !self->stopping;
    if (first) {
        tell_supervisor(self, TUSK_SUPERVISED_STOPPING);
        self->stopping = true;
        self->cut.on_due = on_last_words;
        tusk_timer_start(TUSK_G(loop), &self->cut, self->drain_ms - last_words_ms(self));
    } else if (!self->failed) {
        tusk_waits_cancel(); /* whoever is in such a hurry does not wait for them, either */
    }
    if (first && tusk_callback_given(&self->on_stop)) {
        self->leave.run = leave;
        tusk_task_defer(TUSK_G(loop), &self->leave); /* stop() may have been called by a handler */
    } else {
        drain(self);
    }
}

/* A worker's master names it by the same process, and says what follows. */
static void log_failure(const tusk_host *self)
{
    char whose[64] = "the server";
    char line[160];
    if (self->worker) {
        (void)snprintf(whose, sizeof(whose), "this worker (process %d)", (int)getpid());
    }
    (void)snprintf(line, sizeof(line),
                   "Tusk: a fatal error in a handler: %s drains for a second and ends", whose);
    tusk_log_line(line);
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
    tusk_run_fail();
    log_failure(self);
    tell_supervisor(self, TUSK_SUPERVISED_STOPPING);
    self->stopping = true;
    self->cut.on_due = on_cut;
    tusk_timer_start(TUSK_G(loop), &self->cut, FAILED_DRAIN_MS);
    drain(self);
}

static void on_stop_signal(tusk_signals *signals)
{
    tusk_host_stop(TUSK_OWNER(signals, tusk_host, signals));
}

static void on_reload_signal(tusk_signals *signals)
{
    tusk_host *self = TUSK_OWNER(signals, tusk_host, signals);
    self->kind->reload(self);
}

static void call_start(void *arg)
{
    tusk_host *self = arg;
    call_with_object(self, &self->on_start);
}

static void start(tusk_task *task)
{
    tusk_host *self = TUSK_OWNER(task, tusk_host, start);
    if (tusk_callback_given(&self->on_start)) {
        tusk_guarded(self, call_start, self);
    }
    if (self->stops_first) {
        tusk_host_stop(self);
    }
}

tusk_err tusk_host_turn(tusk_host *self, tusk_run *run)
{
    self->running = true;
    TUSK_G(running_host) = self;
    GC_ADDREF(self->object);
    tusk_err err = tusk_run_loop(run);
    TUSK_G(running_host) = NULL;
    self->running = false;
    tusk_timer_stop(TUSK_G(loop), &self->cut);
    if (self->kind->rest != NULL) {
        self->kind->rest(self);
    }
    return err;
}

bool tusk_host_turned(const tusk_host *self, tusk_err err)
{
    bool failed = self->failed;
    OBJ_RELEASE(self->object);
    if (failed) {
        TUSK_G(unusable) = true;
        zend_bailout();
    }
    if (err != TUSK_OK) {
        tusk_throw(err, "The event loop failed");
    }
    return err == TUSK_OK;
}

bool tusk_host_loop(tusk_host *self)
{
    tusk_run run = {.host = self, .parked_max = self->parked_max};
    self->ran = true;
    if (tusk_callback_given(&self->on_start) || self->stops_first) {
        self->start.run = start;
        tusk_task_defer(TUSK_G(loop), &self->start);
    }
    tusk_err err = tusk_host_turn(self, &run);
    /* What follows may end as PHP ends, past all that is below here. */
    tusk_signals_unwatch(&self->signals);
    return tusk_host_turned(self, err);
}

bool tusk_host_serve(tusk_host *self)
{
    self->signals.stop = on_stop_signal;
    self->signals.reload = on_reload_signal;
    /* Before anybody is told that it listens: who was may send one. */
    tusk_signals_watch(&self->signals, TUSK_G(loop), self->worker);
    self->serving = true;
    bool done = self->kind->serve(self);
    self->serving = false;
    tusk_signals_unwatch(&self->signals); /* unless its loop has run, and did */
    return done;
}

static zend_class_entry *misuse(const tusk_host *self)
{
    return self->compat ? zend_ce_error : spl_ce_LogicException;
}

bool tusk_host_is_here(const tusk_host *self)
{
    return self->loop == TUSK_G(loop);
}

bool tusk_host_may_run(const tusk_host *self, size_t listeners)
{
    TUSK_G(run_called) = true; /* whatever comes of it, nobody forgot it */
    if (self->running || self->ran) {
        zend_throw_exception_ex(misuse(self), 0, "%s %s %s", self->running ? "The" : "A",
                                self->kind->what,
                                self->running ? "runs already" : "runs only once");
        return false;
    }
    if (!tusk_host_is_here(self)) {
        zend_throw_exception_ex(misuse(self), 0,
                                "A %s does not run where it was not made (a pool's worker, a "
                                "fork): make it there",
                                self->kind->what);
        return false;
    }
    if (SG(request_info).request_method != NULL) { /* it would never be answered */
        zend_throw_exception_ex(misuse(self), 0,
                                "A %s does not run inside a web request (here of %s): it is a "
                                "process of its own, started on the command line: php server.php",
                                self->kind->what, sapi_module.name);
        return false;
    }
    if (listeners == 0) {
        zend_throw_exception_ex(misuse(self), 0,
                                "The %s listens nowhere: %scall listen() before run()",
                                self->kind->what, self->compat ? "" : "give an address or ");
        return false;
    }
    return true;
}

bool tusk_host_may_publish(const tusk_host *self)
{
    bool reaches = SG(request_info).request_method == NULL || self->running;
    if (!reaches) {
        zend_throw_exception_ex(misuse(self), 0,
                                "Inside a web request (here of %s) nobody subscribes: ask the "
                                "process that runs the %s to publish it, by a route of its own",
                                sapi_module.name, self->kind->what);
    }
    return reaches;
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

bool tusk_host_begun(tusk_err err, const char *reason, const char *what)
{
    bool begun = tusk_host_started(err, reason, what);
    if (!begun) {
        tusk_say_uncaught();
    }
    return begun;
}

static void tell_listens(void *arg)
{
    tusk_host *self = arg;
    tusk_calls_outside();
    call_with_object(self, &self->on_listen);
}

void tusk_host_listens(tusk_host *self, uint16_t port)
{
    ZVAL_LONG(OBJ_PROP_NUM(self->object, HOST_PORT), port);
    if (!self->worker && tusk_callback_given(&self->on_listen)) {
        tusk_guarded(self, tell_listens, self);
    }
    tell_supervisor(self, TUSK_SUPERVISED_READY);
}

/* Listeners take the sockets that a supervisor handed over for their addresses. */
static void take_sockets(tusk_host *self)
{
    const char *address;
    for (size_t i = 0; (address = self->kind->address(self, i)) != NULL; i++) {
        int fd = tusk_supervised_socket(address);
        if (fd >= 0 && self->kind->inherit(self, i, fd) != TUSK_OK) {
            (void)close(fd);
        }
    }
}

tusk_err tusk_host_start_admin(const tusk_host *self, char *reason, size_t cap)
{
    return self->admin == NULL ? TUSK_OK : tusk_server_start(self->admin, reason, cap);
}

bool tusk_host_run(tusk_host *self)
{
    char reason[512] = "";
    char what[32];
    if (TUSK_G(run) != NULL) {
        zend_throw_exception(misuse(self), "Another server runs in this process already", 0);
        return false;
    }
    if (self->workers != NULL) {
        return self->master->run(self);
    }
    (void)snprintf(what, sizeof(what), "the %s", self->kind->what);
    take_sockets(self);
    return tusk_host_begun(tusk_host_start_admin(self, reason, sizeof(reason)), reason,
                           "the admin listener") &&
           tusk_host_begun(self->kind->start(self, reason, sizeof(reason)), reason, what) &&
           tusk_host_serve(self);
}
