/* SPDX-License-Identifier: MIT */
/* The turn of a loop: wait, events, timers, tasks; every cursor of it lives in the loop. */
#include <tusk/loop.h>

#include "loop/inner.h"

/* ---- tasks ---- */
void tusk_task_defer(tusk_loop *self, tusk_task *task)
{
    if (!tusk__node_linked(&task->node)) {
        tusk__node_push(&self->tasks, &task->node);
    }
}

void tusk_task_defer_late(tusk_loop *self, tusk_task *task)
{
    if (!tusk__node_linked(&task->node)) {
        tusk__node_push(&self->late, &task->node);
    }
}

void tusk__task_defer_behind(tusk_loop *self, tusk_task *task)
{
    if (!tusk__node_linked(&task->node)) {
        tusk__node_push(&self->behind, &task->node);
    }
}

void tusk_task_cancel(tusk_task *task)
{
    tusk__node_remove(&task->node);
}

/* ---- what is left to do ---- */
static bool interrupted(const tusk_loop *self, uint64_t run)
{
    return self->runs != run || self->stopping;
}

static bool is_more_behind(const tusk_loop *self)
{
    return !tusk__node_empty(&self->behind) || !tusk__patient_empty(self);
}

static bool tasks_wait(const tusk_loop *self)
{
    return !tusk__node_empty(&self->tasks) || !tusk__node_empty(&self->late);
}

bool tusk_loop_alive(const tusk_loop *self)
{
    return self->phase != PHASE_WAIT ||
           (long)self->ios + self->timers + self->signals > self->background || tasks_wait(self) ||
           !tusk__node_empty(&self->behind);
}

void tusk_loop_background(tusk_loop *self, int change)
{
    self->background += change;
}

/* ---- waiting ---- */
/* How long a turn may wait; a call's own, as one that begins in a callback of its has another. */
typedef struct patience {
    int timeout_ms;
    uint64_t until_ns; /* instead; 0: as the timeout says */
} patience;

static int64_t wait_ns(const tusk_loop *self, const patience *most, uint64_t clock_ns)
{
    if (most->timeout_ms == 0 || tasks_wait(self) || !tusk__node_empty(&self->due) ||
        is_more_behind(self)) {
        return 0;
    }
    int64_t ns = most->timeout_ms < 0 ? -1 : (int64_t)most->timeout_ms * 1000000;
    if (most->until_ns != 0) {
        ns = most->until_ns > clock_ns ? (int64_t)(most->until_ns - clock_ns) : 0;
    }
    uint64_t when;
    if (tusk__wheel_next(&self->wheel, &when)) {
        uint64_t clock_ms = clock_ns / 1000000u;
        uint64_t ms = when > clock_ms ? when - clock_ms : 0;
        int64_t left = ms > LOOP_WAIT_MS_MAX ? (int64_t)LOOP_WAIT_MS_MAX * 1000000
                       : ms == 0             ? 0
                                             : (int64_t)(when * 1000000u - clock_ns);
        if (ns < 0 || left < ns) {
            ns = left;
        }
    }
    if (tusk__fine_next(self, &when)) {
        uint64_t left = when <= clock_ns ? 0 : when - clock_ns;
        if (ns < 0 || left < (uint64_t)ns) {
            ns = left > LOOP_WAIT_MS_MAX * 1000000 ? (int64_t)LOOP_WAIT_MS_MAX * 1000000
                                                   : (int64_t)left;
        }
    }
    return ns;
}

int tusk__loop_wait_in(tusk_loop *self, tusk__waiter *waiter)
{
    if (self->waiter != NULL || self->poller->descriptor == NULL) {
        return -1;
    }
    self->waiter = waiter;
    return self->poller->descriptor(self);
}

void tusk__loop_waits_itself(tusk_loop *self)
{
    self->waiter = NULL;
}

/* A signal, SIGCONT as well, ends the wait of a process that may have slept for long: what came
 * meanwhile is told before the timers that became due. */
static tusk_err ask_poller(tusk_loop *self, int64_t timeout_ns)
{
    tusk_err err = self->poller->wait(self, timeout_ns);
    err = TUSK_UNLIKELY(err == TUSK_EAGAIN) ? self->poller->wait(self, 0) : err;
    return TUSK_UNLIKELY(err == TUSK_EAGAIN) ? TUSK_OK : err;
}

static tusk_err wait_somewhere(tusk_loop *self, int64_t timeout_ns)
{
    if (self->waiter == NULL) {
        return ask_poller(self, timeout_ns);
    }
    return self->waiter->wait(self->waiter, timeout_ns) ? ask_poller(self, 0) : TUSK_OK;
}

static tusk_err wait_for_events(tusk_loop *self, const patience *most)
{
    tusk__io_apply(self);
    tusk__patient_hold(self);
    self->batch_at = 0;
    self->batch_len = 0;
    self->batch_seen = 0;
    self->asides = 0;
    uint64_t before = tusk_loop_clock_ns();
    tusk_err err = wait_somewhere(self, wait_ns(self, most, before));
    uint64_t after = tusk_loop_clock_ns();
    self->counters.waited_ns += after - before;
    self->counters.turns++;
    self->now_ns = after;
    self->now_ms = after / 1000000u;
    tusk__fine_advance(self);
    tusk__wheel_advance(&self->wheel, self->now_ms, &self->due);
    self->batch_first = self->batch_len;
    if (TUSK_UNLIKELY(self->asides > 0 || is_more_behind(self))) {
        tusk__node_splice(&self->behind_round, &self->behind);
        tusk__patient_look(self);
    }
    return err;
}

/* ---- the phases ---- */
static void deliver_next(tusk_loop *self)
{
    const tusk__ready *ready = &self->batch[self->batch_at++];
    tusk_io *io = ready->io;
    if (io == NULL) {
        return;
    }
    io->ready = 0;
    unsigned events = ready->events & (io->interest | (unsigned)TUSK_IO_HUP);
    if (events != 0) {
        self->counters.events++;
        io->on_event(io, events);
    }
}

/* Whoever may wait is told when the answers to all others have left: in a second half of the turn.
 */
static void end_of_half(tusk_loop *self)
{
    self->phase = self->halves ? PHASE_EVENTS : PHASE_WAIT;
    self->halves = false;
    self->batch_first = self->batch_len;
}

static void end_of_events(tusk_loop *self)
{
    if (TUSK_UNLIKELY(!tusk__node_empty(&self->behind_round)) && !self->halves) {
        tusk__node_splice(&self->tasks, &self->behind_round);
    }
    if (tusk__node_empty(&self->due) && !tasks_wait(self)) {
        end_of_half(self); /* most turns of a busy loop: nothing but events */
        return;
    }
    tusk__node_splice(&self->running, &self->due);
    self->phase = PHASE_TIMERS;
}

static void deliver_events(tusk_loop *self, uint64_t run)
{
    while (self->batch_at < self->batch_first) {
        deliver_next(self);
        if (interrupted(self, run)) {
            return;
        }
    }
    if (self->halves || tusk__patient_empty(self)) {
        end_of_events(self);
        return;
    }
    tusk__patient_begin(self);
    self->phase = PHASE_PATIENT;
}

static void deliver_patient(tusk_loop *self, uint64_t run)
{
    while (tusk__patient_next(self)) {
        deliver_next(self);
        if (interrupted(self, run)) {
            return;
        }
    }
    end_of_events(self);
}

static void deliver_timers(tusk_loop *self, uint64_t run)
{
    struct tusk_loop_node *node;
    while ((node = tusk__node_pop(&self->running)) != NULL) {
        tusk_timer *timer = TUSK_OWNER(node, tusk_timer, node);
        self->timers--;
        if (timer->deadline && TUSK_UNLIKELY(tusk__timer_put_off(self, timer))) {
            continue;
        }
        self->counters.timers++;
        timer->on_due(timer);
        if (interrupted(self, run)) {
            return;
        }
    }
    self->rounds = 0;
    self->phase = PHASE_TASKS;
}

static bool run_round(tusk_loop *self, struct tusk_loop_node *round, uint64_t run)
{
    struct tusk_loop_node *node;
    while ((node = tusk__node_pop(round)) != NULL) {
        self->counters.tasks++;
        tusk_task *task = TUSK_OWNER(node, tusk_task, node);
        task->run(task);
        if (interrupted(self, run)) {
            return false;
        }
    }
    return true;
}

static void run_tasks(tusk_loop *self, uint64_t run)
{
    do {
        if (tusk__node_empty(&self->round) && self->rounds < LOOP_TASK_ROUNDS) {
            tusk__node_splice(&self->round, &self->tasks);
            self->rounds++;
        }
        if (!run_round(self, &self->round, run)) {
            return;
        }
    } while (!tusk__node_empty(&self->tasks) && self->rounds < LOOP_TASK_ROUNDS);
    tusk__node_splice(&self->late_round, &self->late);
    self->phase = PHASE_LATE;
}

/* What late tasks defer runs in the same turn too, as long as generations are left. */
static void run_late(tusk_loop *self, uint64_t run)
{
    if (!run_round(self, &self->late_round, run)) {
        return;
    }
    if (tasks_wait(self) && self->rounds < LOOP_TASK_ROUNDS) {
        self->phase = PHASE_TASKS;
        return;
    }
    end_of_half(self);
}

/* ---- run and stop ---- */
/* To the end of the turn, or until interrupted; true: the turn is complete. */
static bool turn(tusk_loop *self, uint64_t run, const patience *most, tusk_err *err)
{
    do {
        switch (self->phase) {
        case PHASE_WAIT:
            *err = wait_for_events(self, most);
            if (*err != TUSK_OK) {
                return true;
            }
            self->phase = PHASE_EVENTS;
            break;
        case PHASE_EVENTS: deliver_events(self, run); break;
        case PHASE_PATIENT: deliver_patient(self, run); break;
        case PHASE_TIMERS: deliver_timers(self, run); break;
        case PHASE_TASKS: run_tasks(self, run); break;
        case PHASE_LATE: run_late(self, run); break;
        }
        if (interrupted(self, run)) {
            return false;
        }
    } while (self->phase != PHASE_WAIT);
    return true;
}

/* The end of a call that was interrupted: by a newer call, which owns everything now, or by stop.
 */
static tusk_err leave(tusk_loop *self, uint64_t run)
{
    if (self->runs != run) {
        return TUSK_ESTATE;
    }
    self->stopping = false;
    return TUSK_OK;
}

tusk_err tusk_loop_run(tusk_loop *self)
{
    const patience endless = {.timeout_ms = -1};
    uint64_t run = ++self->runs;
    tusk_err err = TUSK_OK;
    if (self->stopping) {
        return leave(self, run);
    }
    while (tusk_loop_alive(self)) {
        if (!turn(self, run, &endless, &err)) {
            return leave(self, run);
        }
        if (err != TUSK_OK) {
            return err;
        }
    }
    return TUSK_OK;
}

static tusk_err turn_once(tusk_loop *self, const patience *most)
{
    uint64_t run = ++self->runs;
    tusk_err err = TUSK_OK;
    if (self->stopping || !turn(self, run, most, &err)) {
        return leave(self, run);
    }
    return err;
}

tusk_err tusk_loop_turn(tusk_loop *self, int timeout_ms)
{
    return turn_once(self, &(patience){.timeout_ms = timeout_ms});
}

tusk_err tusk_loop_turn_until(tusk_loop *self, uint64_t until_ns)
{
    return turn_once(self, &(patience){.timeout_ms = -1, .until_ns = until_ns == 0 ? 1 : until_ns});
}

void tusk_loop_settle(tusk_loop *self)
{
    for (int i = 0; i < LOOP_SETTLE_TURNS && tusk_loop_alive(self); i++) {
        (void)tusk_loop_turn(self, 0);
    }
}

void tusk_loop_stop(tusk_loop *self)
{
    self->stopping = true;
}
