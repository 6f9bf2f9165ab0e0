/* SPDX-License-Identifier: MIT */
/* Waiting for one thing: the stack of who waits is left aside, and switched to again when it came.
 */
#include "src/run/fiber_pool.h"

#include "src/run/aside.h"
#include "src/run/call.h"
#include "src/run/host.h"
#include "src/run/spare.h"

#include <ext/spl/spl_exceptions.h>

enum { DRIVEN_PARKED_MAX = 30000 };

static void link_wait(tusk_wait *self)
{
    self->prev = NULL;
    self->next = TUSK_G(waits);
    if (self->next != NULL) {
        self->next->prev = self;
    }
    TUSK_G(waits) = self;
    if (TUSK_G(parked_fibers)++ == 0) {
        const tusk_run *run = TUSK_G(run);
        if (run->host != NULL && run->host->worker && run->host->kind->count_soon != NULL) {
            run->host->kind->count_soon(run->host);
        }
    }
}

static void unlink_wait(tusk_wait *self)
{
    if (self->prev != NULL) {
        self->prev->next = self->next;
    } else {
        TUSK_G(waits) = self->next;
    }
    if (self->next != NULL) {
        self->next->prev = self->prev;
    }
    TUSK_G(parked_fibers)--;
}

/* The request ends: the stack is unwound, as the engine does with fibers that nobody resumes. */
static tusk_wait_end unwound(void)
{
    zend_throw_graceful_exit();
    return WAIT_CANCELLED;
}

static tusk_wait_end cancelled(const tusk_strand *strand)
{
    if (TUSK_G(unwinding)) {
        return unwound();
    }
    if (strand != NULL && strand->end_class != NULL) {
        zend_throw_exception(strand->end_class, strand->end_text, 0);
    } else {
        zend_throw_exception(tusk_ce_exception, "The server stops: this handler waited too long",
                             TUSK_ESTATE);
    }
    return WAIT_CANCELLED;
}

static bool is_cancelled(const tusk_run *run, const tusk_strand *strand)
{
    return TUSK_G(unwinding) || (run != NULL && run->cancelled) ||
           (strand != NULL && strand->end_class != NULL);
}

/* No fiber can be left aside in a last run: the rest would be all of the process's. A strand is not
 * of what is let go of. */
static bool is_over_for(const tusk_run *run, const tusk_strand *strand)
{
    return is_cancelled(run, strand) || (run != NULL && run->last && strand == NULL);
}

/* Why nobody more may wait; NULL: nothing is in the way. */
static const char *what_is_full(const tusk_run *run)
{
    if (TUSK_G(parked_fibers) >= run->parked_max) {
        const char *own = run->host == NULL ? NULL : run->host->kind->waits_limit;
        return own != NULL ? own : "Limits::$parkedHandlers";
    }
    bool spares = run->host == NULL || tusk_memory_spares(0, SPARE_OF_WAITS);
    return spares ? NULL : "seven eighths of memory_limit are in use";
}

static ZEND_COLD tusk_wait_end refused(const char *why)
{
    TUSK_G(refused_waits)++;
    zend_throw_exception_ex(tusk_ce_exception, TUSK_ELIMIT,
                            "Overload: %u handlers wait already (%s)", TUSK_G(parked_fibers), why);
    return WAIT_REFUSED;
}

bool tusk_loop_is_run(const tusk_loop *loop)
{
    const tusk_run *run = TUSK_G(run);
    return run != NULL && !run->last && TUSK_G(loop) == loop;
}

tusk_wait_end tusk_wait_park(tusk_wait *self, uint64_t until_ms)
{
    tusk_run *run = TUSK_G(run);
    tusk_fiber *own = TUSK_G(fiber);
    memset(self, 0, sizeof(*self));
    if (own != NULL && UNEXPECTED(is_over_for(run, own->strand))) {
        return cancelled(own->strand);
    }
    if (run == NULL || own == NULL || tusk_calls_forked()) {
        return WAIT_BLOCK;
    }
    if (zend_fiber_switch_blocked() || OG(running) != NULL) {
        tusk_log_line("Tusk: a handler waits where fibers cannot be switched (a destructor, a "
                      "callback of ob_start()?): the whole server waits");
        return WAIT_BLOCK;
    }
    const char *full = what_is_full(run);
    tusk_fiber *next = full == NULL && own->resumer == NULL ? tusk_fiber_take() : NULL;
    if (full != NULL || (next == NULL && own->resumer == NULL)) {
        return refused(full == NULL ? "there is no stack for one more" : full);
    }
    tusk_call_park(TUSK_G(call));
    self->context = EG(current_fiber_context);
    self->loop = TUSK_G(loop);
    self->fiber = own;
    self->call = TUSK_G(call);
    self->until_ms = until_ms;
    link_wait(self);
    if (own->strand != NULL) {
        own->strand->wait = self;
        own->strand->on_wait();
    }
    tusk_aside aside;
    tusk_aside_put(&aside);
    if (next != NULL) {
        tusk_fiber_enter(next);
    } else {
        zend_fiber_context *resumer = own->resumer;
        own->resumer = NULL;
        tusk_fiber_switch(resumer);
    }
    tusk_aside_take(&aside);
    self->context = NULL;
    if (own->strand != NULL) {
        own->strand->wait = NULL;
    }
    tusk_call_unpark(TUSK_G(call));
    run = TUSK_G(run);
    return self->cancelled || is_cancelled(run, own->strand) ? cancelled(own->strand) : WAIT_WOKEN;
}

static void end_run(tusk_task *task)
{
    tusk_wait *self = (tusk_wait *)((char *)task - offsetof(tusk_wait, task));
    self->woken = true;
    TUSK_G(run)->over = true;
}

/* What ended a run that nobody woke. */
static tusk_wait_end run_ended(const tusk_wait *self, const tusk_run *run)
{
    if (run->failed) {
        TUSK_G(unusable) = true;
        zend_bailout();
    }
    if (EG(exception) == NULL && run->exits) {
        zend_throw_unwind_exit();
    } else if (EG(exception) == NULL && run->result != TUSK_OK) {
        tusk_throw(run->result, "The event loop failed");
    } else if (EG(exception) == NULL && !self->woken) {
        zend_throw_exception(spl_ce_LogicException,
                             "Everybody waits, and for nothing that could come", 0);
    }
    return EG(exception) == NULL ? WAIT_WOKEN : WAIT_CANCELLED;
}

tusk_wait_end tusk_wait_drive(tusk_wait *self, uint64_t until_ms)
{
    if (TUSK_G(run) != NULL || TUSK_G(fiber) != NULL || zend_fiber_switch_blocked()) {
        return tusk_wait_park(self, until_ms);
    }
    tusk_run run = {.parked_max = DRIVEN_PARKED_MAX};
    memset(self, 0, sizeof(*self));
    if (tusk_loop_get() == NULL) {
        return WAIT_REFUSED;
    }
    self->context = EG(current_fiber_context);
    self->loop = TUSK_G(loop);
    (void)tusk_run_loop(&run);
    self->context = NULL;
    tusk_task_cancel(&self->task);
    return run_ended(self, &run);
}

void tusk_wait_go_on(tusk_wait *self)
{
    tusk_fiber *fiber = self->fiber;
    const tusk_run *run = TUSK_G(run);
    if (self->context == NULL) {
        return; /* forgotten */
    }
    unlink_wait(self);
    tusk_task_cancel(&self->task);
    fiber->resumer = EG(current_fiber_context);
    fiber->foot->prev_execute_data = run == NULL ? NULL : run->frame;
    tusk_fiber_switch(self->context);
    tusk_fibers_trim(IDLE_FIBERS_MAX);
    run = TUSK_G(run);
    if (run != NULL && run->ending && TUSK_G(parked_fibers) == 0) {
        tusk_loop_stop(TUSK_G(loop));
    }
}

/* From the loop, which lies on a pooled fiber's own stack. */
static void resume(tusk_task *task)
{
    tusk_wait *self = (tusk_wait *)((char *)task - offsetof(tusk_wait, task));
    tusk_wait_go_on(self);
}

void tusk_wait_wake(tusk_wait *self)
{
    if (self->context != NULL) {
        self->task.run = self->fiber == NULL ? end_run : resume;
        tusk_task_defer(self->loop, &self->task);
    }
}

bool tusk_waits_end_by(uint64_t ms)
{
    const tusk_wait *wait = TUSK_G(waits);
    while (wait != NULL && wait->until_ms > ms) {
        wait = wait->next;
    }
    return wait != NULL;
}

static void cancel(tusk_wait *self)
{
    self->cancelled = true;
    tusk_wait_wake(self);
}

void tusk_waits_cancel(void)
{
    TUSK_G(run)->cancelled = true;
    for (tusk_wait *wait = TUSK_G(waits); wait != NULL; wait = wait->next) {
        cancel(wait);
    }
}

bool tusk_waits_cancel_of(const struct tusk_host *host)
{
    bool any = false;
    for (tusk_wait *wait = TUSK_G(waits); wait != NULL; wait = wait->next) {
        if (wait->call != NULL && wait->call->host == host) {
            any = true;
            cancel(wait);
        }
    }
    return any;
}
