/* SPDX-License-Identifier: MIT */
/* Strands: jobs on fibers of their own, that can be ended where they wait. */
#include "src/run/fiber_pool.h"

#include "src/run/call.h"

static void run_strand(void *arg)
{
    tusk_strand *self = arg;
    self->run(self); /* which may free it */
}

bool tusk_strand_begin(tusk_strand *self)
{
    tusk_fiber *fiber = zend_fiber_switch_blocked() ? NULL : tusk_fiber_take();
    if (fiber == NULL) {
        return false;
    }
    self->fiber = fiber;
    self->prev = NULL;
    self->next = TUSK_G(strands);
    if (self->next != NULL) {
        self->next->prev = self;
    }
    TUSK_G(strands) = self;
    fiber->strand = self;
    fiber->job = run_strand;
    fiber->job_arg = self;
    fiber->resumer = EG(current_fiber_context);
    tusk_fiber_enter(fiber);
    return true;
}

tusk_strand *tusk_strand_current(void)
{
    return TUSK_G(fiber) == NULL ? NULL : TUSK_G(fiber)->strand;
}

void tusk_strand_ended(tusk_strand *self)
{
    if (self->prev != NULL) {
        self->prev->next = self->next;
    } else {
        TUSK_G(strands) = self->next;
    }
    if (self->next != NULL) {
        self->next->prev = self->prev;
    }
    self->fiber->strand = NULL; /* what destructors wait for is not its own any more */
    self->fiber = NULL;
}

void tusk_strand_end(tusk_strand *self, zend_class_entry *ce, const char *text)
{
    if (self->fiber != NULL && self->end_class == NULL) {
        self->end_class = ce;
        self->end_text = text;
        if (self->wait != NULL && (zend_fiber_switch_blocked() || EG(exception) != NULL ||
                                   self->wait->loop != TUSK_G(loop))) {
            tusk_wait_wake(self->wait);
        } else if (self->wait != NULL) {
            tusk_wait_go_on(self->wait);
        }
    }
}

void tusk_strands_shutdown(void)
{
    if (tusk_calls_forked() || TUSK_G(unusable)) {
        return; /* their waits are another process's, or their stacks lie about */
    }
    bool any = TUSK_G(strands) != NULL;
    TUSK_G(unwinding) = true;
    tusk_strand *strand = TUSK_G(strands);
    while (strand != NULL && strand->wait != NULL && !TUSK_G(unusable)) { /* by a fatal error */
        tusk_wait_go_on(strand->wait);
        strand = TUSK_G(strands);
    }
    TUSK_G(unwinding) = false;
    if (any) {
        zend_gc_collect_cycles(); /* an engine and its queue, which only a strand held */
    }
}
