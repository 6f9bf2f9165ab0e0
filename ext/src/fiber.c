/* SPDX-License-Identifier: MIT */
/* Pooled fibers: the loop's stacks, and how a handler leaves its own aside. */
#include "src/fiber.h"

#include "src/call.h"

struct tusk_fiber {
    zend_fiber_context context;
    tusk_fiber *next; /* in the pool of idle ones */
    zend_fiber_context
        *resumer; /* the stack that woke this one's handler; NULL: it runs the loop */
    zend_vm_stack vm_stack;
    void (*job)(void *arg); /* what to run in place of the loop */
    void *job_arg;
};

enum { IDLE_FIBERS_MAX = 32, FIBER_VM_STACK_BYTES = 16 * 1024 };

static const zend_function foot_function = {ZEND_INTERNAL_FUNCTION};
static char fiber_kind[] = "tusk";

/* What is this stack's own stands in globals, and comes back with it. */
static void switch_to(zend_fiber_context *target)
{
    tusk_fiber *fiber = TUSK_G(fiber);
    struct tusk_call *call = TUSK_G(call);
    zend_fiber_transfer transfer = {.context = target, .flags = 0};
    ZVAL_NULL(&transfer.value);
    zend_fiber_switch_context(&transfer);
    TUSK_G(fiber) = fiber;
    TUSK_G(call) = call;
}

/* A VM stack of its own with one frame at its foot, as the engine's own fibers have it. */
static void make_vm_stack(tusk_fiber *self, const tusk_run *run)
{
    zend_vm_stack page = emalloc(FIBER_VM_STACK_BYTES);
    page->top = ZEND_VM_STACK_ELEMENTS(page);
    page->end = (zval *)((char *)page + FIBER_VM_STACK_BYTES);
    page->prev = NULL;
    self->vm_stack = page;
    EG(vm_stack) = page;
    EG(vm_stack_top) = page->top + ZEND_CALL_FRAME_SLOT;
    EG(vm_stack_end) = page->end;
    EG(vm_stack_page_size) = FIBER_VM_STACK_BYTES;
    zend_execute_data *foot = (zend_execute_data *)page->top;
    memset(foot, 0, sizeof(*foot));
    foot->func = (zend_function *)&foot_function;
    foot->prev_execute_data = run->frame;
    EG(current_execute_data) = foot;
    EG(active_fiber) = run->active_fiber;
    EG(jit_trace_num) = 0;
    EG(error_reporting) =
        INI_STR("error_reporting") == NULL ? E_ALL : (int)INI_INT("error_reporting");
    EG(bailout) = NULL;
    tusk_stack_bounds(&self->context);
}

static ZEND_STACK_ALIGNED void fiber_main(zend_fiber_transfer *transfer)
{
    tusk_fiber *self = TUSK_G(fiber);
    tusk_run *run = TUSK_G(run);
    make_vm_stack(self, run);
    for (;;) {
        TUSK_G(call) = NULL;
        tusk_err result = TUSK_OK;
        if (self->job != NULL) {
            void (*job)(void *arg) = self->job;
            self->job = NULL;
            job(self->job_arg);
        } else {
            result = tusk_loop_run(TUSK_G(loop));
        }
        run = TUSK_G(run); /* a fiber may serve several runs */
        zend_fiber_context *target = self->resumer;
        if (target == NULL) {
            run->finished = true;
            run->result = result;
            target = run->caller;
        }
        self->resumer = NULL;
        self->next = TUSK_G(idle_fibers);
        TUSK_G(idle_fibers) = self;
        TUSK_G(idle_fiber_count)++;
        switch_to(target);
    }
}

static void free_fiber(tusk_fiber *self)
{
    zend_fiber_destroy_context(&self->context);
    if (self->vm_stack != NULL) {
        efree(self->vm_stack);
    }
    efree(self);
}

/* An idle fiber or a new one; NULL: the system has no stack for it. */
static tusk_fiber *take_fiber(void)
{
    tusk_fiber *self = TUSK_G(idle_fibers);
    if (self != NULL) {
        TUSK_G(idle_fibers) = self->next;
        TUSK_G(idle_fiber_count)--;
        return self;
    }
    self = ecalloc(1, sizeof(*self));
    zend_fiber_init_context(&self->context, fiber_kind, fiber_main, (size_t)EG(fiber_stack_size));
    if (self->context.stack == NULL) {
        efree(self);
        return NULL;
    }
    return self;
}

static void trim_pool(uint32_t keep)
{
    while (TUSK_G(idle_fiber_count) > keep) {
        tusk_fiber *idle = TUSK_G(idle_fibers);
        TUSK_G(idle_fibers) = idle->next;
        TUSK_G(idle_fiber_count)--;
        free_fiber(idle);
    }
}

/* Switches to a fiber that runs the loop; comes back when somebody switches to this stack. */
static void enter(tusk_fiber *fiber)
{
    tusk_fiber *own = TUSK_G(fiber);
    struct tusk_call *call = TUSK_G(call);
    TUSK_G(fiber) = fiber;
    zend_fiber_transfer transfer = {.context = &fiber->context, .flags = 0};
    ZVAL_NULL(&transfer.value);
    zend_fiber_switch_context(&transfer);
    TUSK_G(fiber) = own;
    TUSK_G(call) = call;
}

void tusk_fiber_detach(void (*job)(void *arg), void *arg)
{
    tusk_fiber *fiber = TUSK_G(fiber) == NULL || zend_fiber_switch_blocked() ? NULL : take_fiber();
    if (fiber == NULL) {
        job(arg);
        return;
    }
    fiber->job = job;
    fiber->job_arg = arg;
    fiber->resumer = EG(current_fiber_context);
    enter(fiber);
}

tusk_err tusk_run_loop(tusk_run *run)
{
    run->caller = EG(current_fiber_context);
    run->active_fiber = EG(active_fiber);
    run->frame = EG(current_execute_data);
    run->finished = false;
    run->cancelled = false;
    tusk_calls_begin();
    TUSK_G(run) = run;
    tusk_fiber *fiber = zend_fiber_switch_blocked() ? NULL : take_fiber();
    if (fiber == NULL) {
        run->result = tusk_loop_run(TUSK_G(loop));
    } else {
        while (!run->finished) {
            enter(fiber);
        }
        trim_pool(0);
    }
    TUSK_G(run) = NULL;
    return run->result;
}

static void link_wait(tusk_wait *self)
{
    self->prev = NULL;
    self->next = TUSK_G(waits);
    if (self->next != NULL) {
        self->next->prev = self;
    }
    TUSK_G(waits) = self;
    TUSK_G(parked_fibers)++;
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

static tusk_wait_end cancelled(void)
{
    zend_throw_exception(tusk_ce_exception, "The server stops: this handler waited too long", 0);
    return WAIT_CANCELLED;
}

tusk_wait_end tusk_wait_park(tusk_wait *self)
{
    tusk_run *run = TUSK_G(run);
    tusk_fiber *own = TUSK_G(fiber);
    memset(self, 0, sizeof(*self));
    if (run == NULL || own == NULL || tusk_calls_forked()) {
        return WAIT_BLOCK;
    }
    if (zend_fiber_switch_blocked()) {
        php_log_err("Tusk: a handler waits where fibers cannot be switched (a destructor?): the "
                    "whole server waits");
        return WAIT_BLOCK;
    }
    if (run->cancelled) {
        return cancelled();
    }
    tusk_fiber *next = NULL;
    if (TUSK_G(parked_fibers) < run->parked_max && own->resumer == NULL) {
        next = take_fiber();
    }
    if (next == NULL && (own->resumer == NULL || TUSK_G(parked_fibers) >= run->parked_max)) {
        zend_throw_exception_ex(tusk_ce_exception, TUSK_ELIMIT,
                                "Overload: %u handlers wait already (Limits::$parkedHandlers)",
                                TUSK_G(parked_fibers));
        return WAIT_REFUSED;
    }
    tusk_call_park(TUSK_G(call));
    self->context = EG(current_fiber_context);
    self->fiber = own;
    link_wait(self);
    if (next != NULL) {
        enter(next);
    } else {
        zend_fiber_context *resumer = own->resumer;
        own->resumer = NULL;
        switch_to(resumer);
    }
    self->context = NULL;
    tusk_call_unpark(TUSK_G(call));
    return self->cancelled ? cancelled() : WAIT_WOKEN;
}

/* From the loop, which lies on a pooled fiber's own stack. */
static void resume(tusk_task *task)
{
    tusk_wait *self = (tusk_wait *)((char *)task - offsetof(tusk_wait, task));
    tusk_fiber *fiber = self->fiber;
    unlink_wait(self);
    fiber->resumer = EG(current_fiber_context);
    switch_to(self->context);
    trim_pool(IDLE_FIBERS_MAX);
    tusk_run *run = TUSK_G(run);
    if (run->ending && TUSK_G(parked_fibers) == 0) {
        tusk_loop_stop(TUSK_G(loop));
    }
}

void tusk_wait_wake(tusk_wait *self)
{
    if (self->context != NULL) {
        self->task.run = resume;
        tusk_task_defer(TUSK_G(loop), &self->task);
    }
}

void tusk_waits_cancel(void)
{
    TUSK_G(run)->cancelled = true;
    for (tusk_wait *wait = TUSK_G(waits); wait != NULL; wait = wait->next) {
        wait->cancelled = true;
        tusk_wait_wake(wait);
    }
}

void tusk_run_end(bool wait)
{
    tusk_run *run = TUSK_G(run);
    if (run == NULL) {
        return;
    }
    run->ending = true;
    if (TUSK_G(waits) == NULL || !wait) {
        tusk_loop_stop(TUSK_G(loop));
    }
}

void tusk_fibers_shutdown(void)
{
    trim_pool(0);
    TUSK_G(waits) = NULL;
    TUSK_G(parked_fibers) = 0;
    TUSK_G(fiber) = NULL;
    TUSK_G(run) = NULL;
    TUSK_G(call) = NULL;
}

tusk_loop *tusk_loop_get(void)
{
    if (TUSK_G(loop) == NULL) {
        tusk_err err = tusk_loop_new(&TUSK_G(loop), NULL);
        if (err != TUSK_OK) {
            tusk_throw(err, "Cannot make the event loop");
            return NULL;
        }
    }
    return TUSK_G(loop);
}
