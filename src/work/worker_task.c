/* SPDX-License-Identifier: MIT */
/* One task of a worker: run, answered, interrupted and in the end killed at its deadline. */
#define _GNU_SOURCE
#include "work/worker.h"

#if defined(__linux__)

#include "base/mem.h"
#include "work/worker_inner.h"

#include <string.h>

#define MS UINT64_C(1000000)
#define INTERRUPT SIGVTALRM

static tusk_worker *self_of_signal; /* one per process: the handler has nothing else to go by */

/* ---- deadlines ---- */
static void arm(timer_t timer, uint64_t at_ns)
{
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / 1000000000u),
                                           .tv_nsec = (long)(at_ns % 1000000000u)}};
    (void)timer_settime(timer, TIMER_ABSTIME, &when, NULL);
}

static uint64_t grace_ns(const tusk_worker *self)
{
    return (uint64_t)self->shape->options.grace_ms * MS;
}

static bool is_cancelled(const tusk_worker *self, const work_run *run)
{
    const shared_slot *slot = &self->shape->region.lanes[run->owner].slots[run->slot];
    return atomic_load(&slot->word) == run->word && atomic_load(&slot->cancelled) != 0;
}

tusk_work_why tusk_worker_why(const tusk_worker *self)
{
    uint64_t now_ns = 0;
    for (const work_run *run = self->runs; run != NULL; run = run->outer) {
        if (is_cancelled(self, run)) {
            return TUSK_WORK_CANCELLED;
        }
        if (run->deadline_ns != 0) {
            now_ns = now_ns == 0 ? tusk_loop_clock_ns() : now_ns;
            if (now_ns >= run->deadline_ns) {
                return TUSK_WORK_LATE;
            }
        }
    }
    return TUSK_WORK_GO_ON;
}

static void interrupt(const tusk_worker *self)
{
    if (self->shape->options.calls->interrupt != NULL) {
        self->shape->options.calls->interrupt(self->shape->options.user);
    }
}

/* What is cancelled is late from now on: a task within it may end by this interrupt, and it shall
 * then have its own one, and be killed if it does not heed that. */
static void let_cancelled_be_late(tusk_worker *self, uint64_t now_ns)
{
    for (work_run *run = self->runs; run != NULL; run = run->outer) {
        if ((run->deadline_ns == 0 || run->deadline_ns > now_ns) && is_cancelled(self, run)) {
            run->deadline_ns = now_ns;
        }
    }
}

/* It may be about to sleep as it waits for a task of its own: the system would not know that this
 * has come, and wake it only for the next. */
static void stir(tusk_lane *lane)
{
    if (lane->view != NULL) { /* a guest has none */
        lane->stirred = 1;
        atomic_fetch_add(&lane->view->lane->bell, 1);
    }
}

static void end_soon(tusk_worker *self)
{
    if (self->timers) {
        uint64_t now_ns = tusk_loop_clock_ns();
        let_cancelled_be_late(self, now_ns);
        arm(self->hard, now_ns + grace_ns(self));
        self->armed = true;
    }
    interrupt(self);
    stir(&self->lane);
}

static void on_interrupt(int number)
{
    tusk_worker *self = self_of_signal;
    (void)number;
    if (self != NULL && self->runs != NULL && tusk_worker_why(self) != TUSK_WORK_GO_ON) {
        end_soon(self);
    }
}

void tusk__worker_make_timers(tusk_worker *self)
{
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: sleeping ends */
    struct sigevent soft = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = INTERRUPT};
    struct sigevent hard = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    self_of_signal = self;
    (void)sigaction(INTERRUPT, &action, NULL);
    self->timers = timer_create(CLOCK_MONOTONIC, &soft, &self->soft) == 0 &&
                   timer_create(CLOCK_MONOTONIC, &hard, &self->hard) == 0;
}

void tusk__worker_forget_signal(void)
{
    self_of_signal = NULL;
}

/* The earliest deadline of what runs, innermost and around it. One that is past is told at once: a
 * signal would come a moment later, when who waited for an inner task may have gone on. */
static void set_timers(tusk_worker *self)
{
    uint64_t first_ns = 0;
    for (const work_run *run = self->runs; run != NULL; run = run->outer) {
        if (run->deadline_ns != 0 && (first_ns == 0 || run->deadline_ns < first_ns)) {
            first_ns = run->deadline_ns;
        }
    }
    if (!self->timers || (first_ns == 0 && !self->armed)) {
        return;
    }
    bool due = first_ns != 0 && tusk_loop_clock_ns() >= first_ns;
    arm(self->soft, due ? 0 : first_ns);
    arm(self->hard, first_ns == 0 ? 0 : first_ns + grace_ns(self));
    self->armed = first_ns != 0;
    if (due) {
        interrupt(self);
    }
}

/* ---- one task ---- */
static void tell_what_runs(tusk_worker *self)
{
    const work_run *run = self->runs;
    uint64_t value = run == NULL ? 0 : (uint64_t)run->owner << 32 | (run->slot + 1);
    atomic_store_explicit(&self->shape->region.head->hands[self->hand].runs, value,
                          memory_order_release);
}

static void hint(tusk_worker *self, const work_run *run)
{
    const lane_view *view = &self->shape->region.lanes[run->owner];
    if (!run->watched) {
        atomic_fetch_or(&view->done[run->slot / 64], UINT64_C(1) << (run->slot % 64));
    }
    tusk__region_ring(&self->shape->region, run->owner,
                      run->owner == APPLICATION ? self->shape->bell_fd : -1);
}

uint8_t *tusk_worker_room(tusk_worker *self, size_t *cap)
{
    self->runs->room = tusk__arena_open(&self->arena, cap);
    return self->runs->room;
}

void tusk_worker_answer(tusk_worker *self, size_t len)
{
    work_run *run = self->runs;
    shared_slot *slot = &self->shape->region.lanes[run->owner].slots[run->slot];
    uint64_t done = word_of(SLOT_DONE, self->hand, self->incarnation, word_generation(run->word));
    uint64_t mine = run->word;
    run->answered = true;
    if (atomic_load(&slot->word) != mine) {
        return; /* its owner died, and the answer that stands there is its successor's */
    }
    run->watched = atomic_load(&slot->watched) != 0; /* afterwards it may be another task's */
    if (run->room != NULL && len <= RESULT_INSIDE) {
        memcpy(slot->result, run->room, RESULT_INSIDE); /* of a room that is longer */
        atomic_store_explicit(&slot->result_at, INSIDE, memory_order_relaxed);
    } else if (run->room != NULL) {
        atomic_store_explicit(&slot->result_at, self->arena.open_at, memory_order_relaxed);
        (void)tusk__arena_commit(&self->arena, len, &slot->word, done);
    } else {
        atomic_store_explicit(&slot->result_at, 0, memory_order_relaxed);
        len = 0;
    }
    atomic_store_explicit(&slot->result_len, len, memory_order_relaxed);
    (void)atomic_compare_exchange_strong(&slot->word, &mine, done);
}

static bool view_request(const tusk_worker *self, uint32_t owner, const shared_slot *slot,
                         tusk_bytes *out)
{
    uint64_t at = atomic_load(&slot->request_at);
    uint64_t len = atomic_load(&slot->request_len);
    if (at == INSIDE && len <= REQUEST_INSIDE) {
        *out = tusk_bytes_of(slot->request, (size_t)len);
        return true;
    }
    return region_view(&self->shape->region, owner, at, len, out);
}

static bool run_request(tusk_worker *self, const tusk_work_task *task)
{
    return self->shape->options.calls->run(self, task, self->shape->options.user);
}

/* A worker may be killed after it asked, and its successor clears the slots, then writes over the
 * arena: what another worker asked for is copied, and is whole where the slot is ours after that.
 * Where it is not, nobody waits for an answer. */
static bool run_copy(tusk_worker *self, const shared_slot *slot, tusk_work_task *task)
{
    uint8_t small[REQUEST_INSIDE];
    tusk_bytes shared = task->request;
    uint8_t *copy = shared.len <= sizeof(small) ? small : tusk__new(self->shape->mem, shared.len);
    if (copy == NULL) {
        return true; /* without an answer it has failed */
    }
    memcpy(copy, shared.ptr, shared.len);
    task->request = tusk_bytes_of(copy, shared.len);
    atomic_thread_fence(memory_order_acquire);
    bool ours = atomic_load_explicit(&slot->word, memory_order_relaxed) == self->runs->word;
    bool fit = !ours || run_request(self, task);
    if (copy != small) {
        tusk__free(self->shape->mem, copy, shared.len);
    }
    return fit;
}

void tusk__worker_run(tusk_worker *self, uint32_t owner, uint32_t slot, uint64_t word)
{
    const shared_slot *shared = &self->shape->region.lanes[owner].slots[slot];
    work_run run = {.outer = self->runs, .owner = owner, .slot = slot, .word = word};
    tusk_work_task task = {.deadline_ns = atomic_load(&shared->deadline_ns),
                           .watched = atomic_load(&shared->watched) != 0};
    run.deadline_ns = task.deadline_ns;
    self->runs = &run;
    tell_what_runs(self);
    if (task.deadline_ns != 0) {
        set_timers(self);
    }
    if (is_cancelled(self, &run)) { /* the signal came before there was somebody to be told */
        end_soon(self);
    }
    bool others = owner != APPLICATION && owner != self->lane.owner;
    bool fit = view_request(self, owner, shared, &task.request) &&
               (others ? run_copy(self, shared, &task) : run_request(self, &task));
    if (self->armed) {
        work_run *outer = run.outer;
        self->runs = outer;
        set_timers(self);
        self->runs = &run;
    }
    if (!run.answered) {
        run.room = NULL;
        tusk_worker_answer(self, 0);
    }
    self->runs = run.outer;
    tell_what_runs(self);
    if (self->armed) { /* by a signal that came when it had ended: it would hit the next one */
        set_timers(self);
    }
    hint(self, &run);
    self->tasks++;
    self->used_up |= !fit;
}

/* It says that it is the task around it, which is cancelled with it, and adds its deadline. */
bool tusk_worker_within(tusk_worker *self, uint64_t deadline_ns, bool (*run)(void *user),
                        void *user)
{
    work_run *outer = self->runs;
    if (outer == NULL || deadline_ns == 0) {
        return run(user);
    }
    work_run within = {.outer = outer,
                       .owner = outer->owner,
                       .slot = outer->slot,
                       .word = outer->word,
                       .deadline_ns = deadline_ns};
    self->runs = &within;
    set_timers(self);
    bool result = run(user);
    self->runs = outer;
    if (self->armed) {
        set_timers(self);
    }
    return result;
}

#else

typedef int tusk__worker_task_is_not_built; /* an empty file would not be C */

#endif
