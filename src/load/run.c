/* SPDX-License-Identifier: MIT */
/* A run as its own process sees it: plan, board, children, and what they counted. */
#define _GNU_SOURCE
#include <tusk/load.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "load/inner.h"
#include "load/payload.h"
#include "load/system.h"
#include "load/worker.h"

static tusk_err new_plan(tusk_load *self, const char *mode, tusk_bytes url, char *reason)
{
    load_mode_id id;
    if (!tusk__load_mode_find(&id, mode)) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "there is no mode \"%.40s\"", mode);
        return TUSK_ENOENT;
    }
    return tusk__load_plan_init(&self->plan, self->mem, id, url, reason);
}

tusk_err tusk_load_new(tusk_load **out, const tusk_mem *mem, const char *mode, tusk_bytes url,
                       char *reason)
{
    *out = NULL;
    reason[0] = '\0';
    tusk_load *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->mem = mem;
    self->bell[0] = self->bell[1] = -1;
    tusk_err err = new_plan(self, mode, url, reason);
    if (err != TUSK_OK) {
        tusk__free(mem, self, sizeof(*self));
        return err;
    }
    *out = self;
    return TUSK_OK;
}

tusk_err tusk_load_set(tusk_load *self, tusk_bytes name, tusk_bytes value, char *reason)
{
    reason[0] = '\0';
    return self->board != NULL ? TUSK_ESTATE
                               : tusk__load_plan_set(&self->plan, name, value, reason);
}

tusk_err tusk_load_check(tusk_load *self, char *reason)
{
    reason[0] = '\0';
    return tusk__load_plan_check(&self->plan, reason);
}

/* ---- starting ---- */
static tusk_err make_tls(tusk_load *self, char *reason)
{
    const load_plan *plan = &self->plan;
    if (!plan->target.secure && !plan->publish_target.secure) {
        return TUSK_OK;
    }
    const tusk_tls_options options = {
        .ca_file = plan->tls_ca.len > 0 ? plan->tls_ca.ptr : NULL,
        .verify_peer = !plan->tls_insecure,
        .resume = plan->tls_resume,
    };
    return tusk_tls_client_new(&self->tls, &options, reason, TUSK_LOAD_REASON_MAX);
}

static tusk_err fork_all(tusk_load *self)
{
    uint32_t count = self->board->workers + (self->plan.hiccup ? 1 : 0);
    for (uint32_t i = 0; i < count; i++) {
        load_start start = {
            .plan = &self->plan, .board = self->board, .tls = self->tls, .index = i};
        bool works = i < self->board->workers;
        tusk_err err =
            tusk_child_start(&self->pids[i], works ? self->bell[1] : -1,
                             works ? tusk__load_worker_run : tusk__load_hiccup_run, &start);
        if (err != TUSK_OK) {
            return err;
        }
        self->alive += works;
    }
    (void)close(self->bell[1]); /* when the last worker ends, the bell's other end says so */
    self->bell[1] = -1;
    return TUSK_OK;
}

static void kill_all(tusk_load *self)
{
    for (uint32_t i = 0; self->pids != NULL && self->ends != NULL && i <= self->board->workers;
         i++) {
        if (self->pids[i] > 0 && !self->ends[i].seen) {
            tusk_child_kill(self->pids[i]);
            self->ends[i].seen = true;
        }
    }
    self->alive = 0;
}

static void release(tusk_load *self)
{
    if (self->board != NULL) {
        kill_all(self);
        tusk__free(self->mem, self->pids, (self->board->workers + 1) * sizeof(self->pids[0]));
        tusk__free(self->mem, self->ends, (self->board->workers + 1) * sizeof(self->ends[0]));
    }
    self->pids = NULL;
    self->ends = NULL;
    tusk__load_board_free(self->board);
    self->board = NULL;
    tusk_tls_unref(self->tls);
    self->tls = NULL;
    for (int i = 0; i < 2; i++) {
        if (self->bell[i] >= 0) {
            (void)close(self->bell[i]);
            self->bell[i] = -1;
        }
    }
}

static tusk_err start_all(tusk_load *self, char *reason)
{
    if (tusk__load_mode_of(&self->plan) == NULL) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "this mode is not part of this build");
        return TUSK_ENOTSUP;
    }
    tusk_err err = tusk__load_preflight(&self->plan, reason);
    if (err == TUSK_OK) {
        err = make_tls(self, reason);
    }
    if (err == TUSK_OK) {
        err = tusk__load_board_new(&self->board, &self->plan);
    }
    if (err != TUSK_OK) {
        return err;
    }
    size_t cells = self->board->workers + 1;
    self->pids = tusk__new(self->mem, cells * sizeof(self->pids[0]));
    self->ends = tusk__new(self->mem, cells * sizeof(self->ends[0]));
    if (self->pids == NULL || self->ends == NULL) {
        return TUSK_ENOMEM;
    }
    if (tusk__system_pipe(self->bell) != 0) {
        return TUSK_ESYS;
    }
    self->board->start_ns = tusk_loop_clock_ns();
    self->board->wall_s = tusk_loop_wall_s();
    self->plan.run_id = tusk__load_random(self->board->start_ns ^ self->plan.seed) & 0xFFFFFF;
    return fork_all(self);
}

tusk_err tusk_load_start(tusk_load *self, char *reason)
{
    reason[0] = '\0';
    if (self->board != NULL || self->finished) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "a run is started once");
        return TUSK_ESTATE;
    }
    tusk_err err = start_all(self, reason);
    if (err != TUSK_OK) {
        if (reason[0] == '\0') {
            (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "the workers could not be started: %s%s%s",
                           tusk_err_text(err), err == TUSK_ESYS ? ": " : "",
                           err == TUSK_ESYS ? strerror(errno) : "");
        }
        release(self);
    }
    return err;
}

/* ---- while it runs ---- */
/* A worker that ended before its time leaves the others waiting for nobody. */
static void bury(tusk_load *self, uint32_t i, int status)
{
    load_cell *cell = &self->board->cells[i];
    self->ends[i].seen = true;
    if (i >= self->board->workers) {
        return;
    }
    self->alive--;
    if (atomic_load(&cell->phase) == LOAD_PHASE_DONE) {
        return;
    }
    self->partial = true;
    (void)snprintf(self->ends[i].error, LOAD_ERROR_MAX, "the worker was ended by %s %d",
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    atomic_store(&cell->phase, LOAD_PHASE_DONE);
    tusk__load_board_ready(self->board, cell);
}

static void reap(tusk_load *self)
{
    for (uint32_t i = 0; i <= self->board->workers; i++) {
        int status = 0;
        if (self->pids[i] <= 0 || self->ends[i].seen) {
            continue;
        }
        pid_t got = waitpid((pid_t)self->pids[i], &status, WNOHANG);
        if (got == (pid_t)self->pids[i] || (got < 0 && errno == ECHILD)) {
            bury(self, i, status);
        }
    }
}

bool tusk_load_poll(tusk_load *self, uint32_t timeout_ms)
{
    uint8_t bytes[256];
    if (self->board == NULL || self->finished) {
        return false;
    }
    struct pollfd bell = {.fd = self->bell[0], .events = POLLIN, .revents = 0};
    (void)poll(&bell, 1, timeout_ms > 3600000 ? 3600000 : (int)timeout_ms);
    while (read(self->bell[0], bytes, sizeof(bytes)) > 0) {
    }
    tusk__load_collect(self);
    reap(self);
    if (self->alive > 0) {
        return true;
    }
    tusk__load_collect(self);
    kill_all(self); /* the one that measures stalls */
    self->finished = true;
    return false;
}

void tusk_load_stop(tusk_load *self)
{
    if (self->board == NULL || self->finished) {
        return;
    }
    for (uint32_t i = 0; i < self->board->workers; i++) {
        if (atomic_load(&self->board->cells[i].phase) < LOAD_PHASE_DRAIN) {
            self->partial = true;
        }
    }
    atomic_store(&self->board->stop, 1);
}

bool tusk_load_partial(const tusk_load *self)
{
    return self->partial;
}

const char *tusk_load_phase(const tusk_load *self)
{
    uint32_t least = LOAD_PHASE_DONE;
    if (self->board == NULL) {
        return tusk__load_phase_name(LOAD_PHASE_CONNECT);
    }
    for (uint32_t i = 0; i < self->board->workers; i++) {
        uint32_t phase = atomic_load(&self->board->cells[i].phase);
        least = phase < least ? phase : least;
    }
    return tusk__load_phase_name(least);
}

void tusk_load_free(tusk_load *self)
{
    if (self != NULL) {
        tusk__load_collect_fini(self);
        release(self);
        tusk__load_plan_fini(&self->plan);
        tusk__free(self->mem, self, sizeof(*self));
    }
}
