/* SPDX-License-Identifier: MIT */
/* A proxy with workers: a master that serves nobody, and what a worker does from the fork on. */
#include "src/proxy.h"

#include <Zend/zend_exceptions.h>
#include <main/php_output.h>
#include <signal.h>
#include <unistd.h>

#if PHP_VERSION_ID >= 80200
#include <ext/random/php_random.h>
#else
#include <ext/standard/basic_functions.h>
#include <ext/standard/php_lcg.h>
#endif

#define OWNER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

enum { WORKER_DONE = 0, WORKER_FAILED = 255 };

/* ---- the worker ---- */
/* What the master had drawn is not drawn again by every worker. */
static void draw_anew(void)
{
#if PHP_VERSION_ID >= 80200
    RANDOM_G(combined_lcg_seeded) = false;
    RANDOM_G(mt19937_seeded) = false;
#else
    LCG(seeded) = 0;
    BG(mt_rand_is_seeded) = 0;
#endif
}

static void on_drain(void *user, bool cut)
{
    tusk_proxy *self = user;
    if (cut || !self->host->stopping) {
        tusk_host_stop(self->host);
    }
}

static void on_adopt(void *user, uint32_t slot, bool adopt)
{
    tusk_proxy *self = user;
    if (!adopt) {
        tusk_relay_give_back(self->relay, slot);
        return;
    }
    for (size_t i = 0; i < self->listeners; i++) {
        int fd = tusk_crew_worker_socket(self->worker, slot, i);
        if (fd >= 0 && tusk_relay_adopt(self->relay, i, slot, fd) != TUSK_OK) {
            (void)close(fd);
        }
    }
}

static const tusk_crew_orders orders = {.on_drain = on_drain, .on_adopt = on_adopt};

/* Who takes a place later than the first has what the master had read at the start. */
static void refresh(tusk_task *task)
{
    tusk_proxy_reload(OWNER(task, tusk_proxy, refresh));
}

static tusk_err inherit(tusk_proxy *self)
{
    for (size_t i = 0; i < self->listeners; i++) {
        int fd = tusk_crew_worker_socket(self->worker, tusk_crew_worker_slot(self->worker), i);
        tusk_err err = fd < 0 ? TUSK_ESYS : tusk_relay_inherit(self->relay, i, fd);
        if (err != TUSK_OK) {
            return err;
        }
    }
    return TUSK_OK;
}

static bool serve(tusk_proxy *self)
{
    char reason[256] = "";
    tusk_err err = inherit(self);
    err = err == TUSK_OK
              ? tusk_relay_share(self->relay, self->shared, tusk_crew_worker_seat(self->worker))
              : err;
    err = err == TUSK_OK ? tusk_crew_worker_obey(self->worker, TUSK_G(loop), &orders, self) : err;
    err = err == TUSK_OK ? tusk_relay_start(self->relay, reason, sizeof(reason)) : err;
    if (!tusk_proxy_started(err, reason, "the worker")) {
        return false;
    }
    tusk_crew_worker_ready(self->worker);
    if (!tusk_crew_worker_first(self->worker)) {
        self->refresh.run = refresh;
        tusk_task_defer(TUSK_G(loop), &self->refresh);
    }
    return tusk_proxy_serve(self);
}

/* Neither destructors nor shutdown functions run here: they are the application's, which is the
 * master. What a handler printed was not held back, as no buffer was left. */
static int run_worker(void *user, tusk_crew_worker *worker)
{
    tusk_proxy *self = user;
    volatile int status = WORKER_FAILED; /* read after a longjmp */
    self->worker = worker;
    self->host->worker = true;
    draw_anew();
    zend_try
    {
        php_output_discard_all();
        status = serve(self) ? WORKER_DONE : WORKER_FAILED;
        if (EG(exception) != NULL) {
            zend_exception_error(EG(exception), E_WARNING);
        }
    }
    zend_end_try();
    tusk_relay_stats last; /* what was counted since the last time is published */
    tusk_relay_stats_get(self->relay, &last);
    (void)fflush(NULL);
    return status;
}

/* ---- the master ---- */
static void on_gone(void *user, uint32_t seat)
{
    tusk_relay_shared_gone(((tusk_proxy *)user)->shared, seat);
}

static void on_log(void *user, const char *text)
{
    (void)user;
    tusk_log("%s", text);
}

static void on_stopped(void *user)
{
    tusk_loop_stop(((tusk_proxy *)user)->master_loop);
}

static const tusk_crew_calls calls = {
    .run = run_worker, .on_gone = on_gone, .on_log = on_log, .on_stopped = on_stopped};

static void stop_crew(tusk_proxy *self)
{
    self->host->stopping = true;
    tusk_crew_stop(self->crew);
}

static void on_term(tusk_signal *signal)
{
    stop_crew(OWNER(signal, tusk_proxy, on_term));
}

static void on_int(tusk_signal *signal)
{
    stop_crew(OWNER(signal, tusk_proxy, on_int));
}

static void reopen(void *proxy)
{
    tusk_proxy_access_reopen(proxy);
}

/* Workers may not be allowed to read keys or to open logs; what the master reads and opens they
 * inherit. */
static void on_hup(tusk_signal *signal)
{
    tusk_proxy *self = OWNER(signal, tusk_proxy, on_hup);
    tusk_proxy_reload_certificates(self, true);
    (void)tusk_crew_open(self->crew, reopen, self);
    tusk_crew_reload(self->crew);
}

static void watch_signals(tusk_proxy *self)
{
    self->on_term.on_signal = on_term;
    self->on_int.on_signal = on_int;
    self->on_hup.on_signal = on_hup;
    (void)tusk_signal_start(self->master_loop, &self->on_term, SIGTERM);
    (void)tusk_signal_start(self->master_loop, &self->on_int, SIGINT);
    (void)tusk_signal_start(self->master_loop, &self->on_hup, SIGHUP);
}

static void unwatch_signals(tusk_proxy *self)
{
    tusk_signal_stop(self->master_loop, &self->on_term);
    tusk_signal_stop(self->master_loop, &self->on_int);
    tusk_signal_stop(self->master_loop, &self->on_hup);
}

/* What is opened from tusk_crew_new on is the master's alone: its admin listener. */
static tusk_err start(tusk_proxy *self, char *reason, size_t cap)
{
    const tusk_crew_options options = {
        .loop = self->master_loop,
        .worker_loop = TUSK_G(loop),
        .workers = self->workers,
        .drain_ms = self->host->drain_ms,
        .identity = self->identity,
        .calls = &calls,
        .user = self,
    };
    const char *address;
    tusk_err err = tusk_relay_shared_new(&self->shared, self->relay, 2 * self->workers);
    err = err == TUSK_OK ? tusk_crew_new(&self->crew, &options) : err;
    for (size_t i = 0; err == TUSK_OK && (address = tusk_relay_address(self->relay, i)) != NULL;
         i++) {
        err = tusk_crew_listen(self->crew, address, self->listen.backlog);
    }
    if (err == TUSK_OK && self->admin != NULL) {
        err = tusk_server_start(self->admin, reason, cap);
    }
    return err == TUSK_OK ? tusk_crew_start(self->crew, reason, cap) : err;
}

bool tusk_proxy_run_crew(tusk_proxy *self)
{
    char reason[256] = "";
    bool done = false;
    GC_ADDREF(&self->std);
    watch_signals(self); /* before the first fork, so that none is missed */
    self->host->running = true;
    tusk_relay_shared_free(self->shared); /* of a run that could not start */
    self->shared = NULL;
    if (tusk_proxy_started(start(self, reason, sizeof(reason)), reason, "the proxy's workers")) {
        self->host->ran = true;
        tusk_proxy_listens(self, tusk_crew_port(self->crew, 0));
        tusk_err err = tusk_loop_run(self->master_loop);
        done = err == TUSK_OK;
        if (!done) {
            tusk_throw(err, "The master's event loop failed");
        }
    }
    self->host->running = false;
    unwatch_signals(self);
    tusk_crew_free(self->crew);
    self->crew = NULL;
    bool failed = self->host->failed;
    OBJ_RELEASE(&self->std);
    if (failed) { /* in a handler of the master's */
        zend_bailout();
    }
    return done;
}

static bool find_identity(tusk_identity *out, const tusk_proxy_given *from)
{
    const char *user = from->user == NULL ? NULL : ZSTR_VAL(from->user);
    const char *group = from->group == NULL ? NULL : ZSTR_VAL(from->group);
    if (tusk_identity_find(out, user, NULL) != TUSK_OK) {
        zend_argument_value_error(from->user_number, "must be a user of this system, \"%s\" given",
                                  user);
        return false;
    }
    if (tusk_identity_find(out, user, group) != TUSK_OK) {
        zend_argument_value_error(from->user_number + 1,
                                  "must be a group of this system, \"%s\" given", group);
        return false;
    }
    return true;
}

/* One process alone needs no master, unless it is to be somebody else than who binds. */
bool tusk_proxy_make_crew(tusk_proxy *self, const tusk_proxy_given *from)
{
    if (from->workers < 1 || from->workers > TUSK_CREW_WORKERS_MAX) {
        zend_argument_value_error(from->workers_number,
                                  "must be between 1 and %u, " ZEND_LONG_FMT " given",
                                  TUSK_CREW_WORKERS_MAX, from->workers);
        return false;
    }
    if (!find_identity(&self->identity, from)) {
        return false;
    }
    if (self->master_loop != NULL || (from->workers == 1 && !self->identity.given)) {
        return true;
    }
    tusk_err err = tusk_loop_new(&self->master_loop, NULL);
    if (err != TUSK_OK) {
        tusk_throw(err, "Cannot make the master's loop");
        return false;
    }
    self->workers = (uint32_t)from->workers;
    return true;
}

/* The loop's last: its admin listener is gone. */
void tusk_proxy_free_crew(tusk_proxy *self)
{
    tusk_loop_free(self->master_loop);
    self->master_loop = NULL;
    tusk_relay_shared_free(self->shared);
    self->shared = NULL;
}

void tusk_proxy_stats(const tusk_proxy *self, tusk_relay_stats *stats, tusk_relay_http_stats *http)
{
    if (self->shared != NULL && self->worker == NULL) {
        tusk_relay_shared_stats(self->shared, stats);
        tusk_relay_shared_http_stats(self->shared, http);
    } else {
        tusk_relay_stats_get(self->relay, stats);
        tusk_relay_http_stats_get(self->relay, http);
    }
}

void tusk_proxy_stop(tusk_proxy *self)
{
    if (self->worker != NULL) {
        tusk_crew_worker_stop(self->worker);
    } else if (self->crew != NULL) {
        stop_crew(self);
    } else {
        tusk_host_stop(self->host);
    }
}

void tusk_proxy_leave(tusk_proxy *self)
{
    if (self->worker != NULL) {
        tusk_crew_worker_leave(self->worker);
    }
}
