/* SPDX-License-Identifier: MIT */
/* Pooled fibers: the loop's stacks, and how a handler leaves its own aside. */
#include "src/fiber.h"

#include "src/call.h"

#include <ext/spl/spl_exceptions.h>

struct tusk_fiber {
    zend_fiber_context context;
    tusk_fiber *next; /* in the pool of idle ones */
    zend_fiber_context
        *resumer; /* the stack that woke this one's handler; NULL: it runs the loop */
    zend_vm_stack vm_stack;
    zend_execute_data *foot; /* its first frame, below which stands whoever runs the loop */
    void (*job)(void *arg);  /* what to run in place of the loop */
    void *job_arg;
    tusk_strand *strand; /* whose job that is; NULL: a handler's */
};

enum { IDLE_FIBERS_MAX = 32, FIBER_VM_STACK_BYTES = 16 * 1024, DRIVEN_PARKED_MAX = 30000 };

static const zend_function foot_function = {ZEND_INTERNAL_FUNCTION};
static char fiber_kind[] = "tusk";

/* What is this stack's own stands in globals, and comes back with it. */
static void switch_to(zend_fiber_context *target)
{
    tusk_fiber *fiber = TUSK_G(fiber);
    struct tusk_call *call = TUSK_G(call);
    zend_fiber_transfer transfer = {.context = target, .flags = 0};
    ZVAL_NULL(&transfer.value);
    TUSK_G(fiber_switches)++;
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
    self->foot = foot;
    EG(current_execute_data) = foot;
    EG(active_fiber) = run->active_fiber;
    EG(jit_trace_num) = 0;
    EG(error_reporting) =
        INI_STR("error_reporting") == NULL ? E_ALL : (int)INI_INT("error_reporting");
    EG(bailout) = NULL;
    tusk_stack_bounds(&self->context);
}

/* Turns the loop for somebody who waits outside of a server. Between turns the VM is asked for what
 * interrupts it: there is no code of PHP on this stack that would. */
static void turn_for_run(tusk_run *run, tusk_err *result)
{
    while (!run->over && tusk_serve_interrupts() && tusk_loop_alive(TUSK_G(loop))) {
        *result = tusk_loop_turn(TUSK_G(loop), -1);
        if (*result != TUSK_OK) {
            return; /* superseded, as a callback waited here: another stack turns the loop now */
        }
    }
}

static tusk_err turn_until_over(void)
{
    tusk_run *run = TUSK_G(run);
    volatile tusk_err result = TUSK_OK;
    zend_try
    {
        tusk_err last = TUSK_OK;
        turn_for_run(run, &last);
        result = last;
    }
    zend_catch
    {
        TUSK_G(run)->failed = true;
    }
    zend_end_try();
    return result;
}

bool tusk_serve_interrupts(void)
{
#if PHP_VERSION_ID >= 80200
    if (EXPECTED(!zend_atomic_bool_load_ex(&EG(vm_interrupt)))) {
        return true;
    }
    zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
#else
    if (EXPECTED(!EG(vm_interrupt))) {
        return true;
    }
    EG(vm_interrupt) = 0;
#endif
    if (zend_interrupt_function != NULL && EG(current_execute_data) != NULL) {
        zend_interrupt_function(EG(current_execute_data));
    }
    return EG(exception) == NULL;
}

#if defined(__SANITIZE_ADDRESS__)
/* A stack may be mapped where another one was, whose last frames never returned: ASan still holds
 * their borders for poisoned. */
extern void __asan_unpoison_memory_region(void const volatile *at, size_t size);
static void forget_former_stack(void)
{
    size_t below = (size_t)EG(fiber_stack_size) - 4 * 4096;
    __asan_unpoison_memory_region((char *)__builtin_frame_address(0) - below, below);
}
#else
static void forget_former_stack(void)
{
}
#endif

static ZEND_STACK_ALIGNED void fiber_main(zend_fiber_transfer *transfer)
{
    tusk_fiber *self = TUSK_G(fiber);
    forget_former_stack();
    tusk_run *run = TUSK_G(run);
    make_vm_stack(self, run);
    for (;;) {
        run = TUSK_G(run); /* a fiber may serve several runs */
        TUSK_G(call) = NULL;
        self->foot->prev_execute_data = run->frame;
        /* A user's fiber that called run() is not what a strand may suspend: it outlives the run */
        EG(active_fiber) = self->strand == NULL ? run->active_fiber : NULL;
        tusk_err result = TUSK_OK;
        if (self->job != NULL) {
            void (*job)(void *arg) = self->job;
            self->job = NULL;
            job(self->job_arg);
        } else if (run->host == NULL) {
            result = turn_until_over();
        } else {
            result = tusk_loop_run(TUSK_G(loop));
        }
        run = TUSK_G(run); /* not the one before a wait */
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
    TUSK_G(fiber) = fiber;
    switch_to(&fiber->context);
    TUSK_G(fiber) = own;
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
        trim_pool(run->host == NULL ? IDLE_FIBERS_MAX : 0);
    }
    TUSK_G(run) = NULL;
    return run->result;
}

/* ---- strands ---- */
static void run_strand(void *arg)
{
    tusk_strand *self = arg;
    self->run(self); /* which may free it */
}

bool tusk_strand_begin(tusk_strand *self)
{
    tusk_fiber *fiber = zend_fiber_switch_blocked() ? NULL : take_fiber();
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
    enter(fiber);
    return true;
}

tusk_strand *tusk_strand_current(void)
{
    return TUSK_G(fiber) == NULL ? NULL : TUSK_G(fiber)->strand;
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
                             0);
    }
    return WAIT_CANCELLED;
}

static bool is_cancelled(const tusk_run *run, const tusk_strand *strand)
{
    return TUSK_G(unwinding) || (run != NULL && run->cancelled) ||
           (strand != NULL && strand->end_class != NULL);
}

tusk_wait_end tusk_wait_park(tusk_wait *self)
{
    tusk_run *run = TUSK_G(run);
    tusk_fiber *own = TUSK_G(fiber);
    memset(self, 0, sizeof(*self));
    if (own != NULL && UNEXPECTED(is_cancelled(run, own->strand))) {
        return cancelled(own->strand);
    }
    if (run == NULL || own == NULL || tusk_calls_forked()) {
        return WAIT_BLOCK;
    }
    if (zend_fiber_switch_blocked()) {
        php_log_err("Tusk: a handler waits where fibers cannot be switched (a destructor?): the "
                    "whole server waits");
        return WAIT_BLOCK;
    }
    tusk_fiber *next = NULL;
    if (TUSK_G(parked_fibers) < run->parked_max && own->resumer == NULL) {
        next = take_fiber();
    }
    if (next == NULL && (own->resumer == NULL || TUSK_G(parked_fibers) >= run->parked_max)) {
        TUSK_G(refused_waits)++;
        zend_throw_exception_ex(tusk_ce_exception, TUSK_ELIMIT,
                                "Overload: %u handlers wait already (Limits::$parkedHandlers)",
                                TUSK_G(parked_fibers));
        return WAIT_REFUSED;
    }
    tusk_call_park(TUSK_G(call));
    self->context = EG(current_fiber_context);
    self->loop = TUSK_G(loop);
    self->fiber = own;
    self->call = TUSK_G(call);
    link_wait(self);
    if (own->strand != NULL) {
        own->strand->wait = self;
    }
    if (next != NULL) {
        enter(next);
    } else {
        zend_fiber_context *resumer = own->resumer;
        own->resumer = NULL;
        switch_to(resumer);
    }
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
    if (EG(exception) == NULL && run->result != TUSK_OK) {
        tusk_throw(run->result, "The event loop failed");
    } else if (EG(exception) == NULL && !self->woken) {
        zend_throw_exception(spl_ce_LogicException,
                             "Everybody waits, and for nothing that could come", 0);
    }
    return EG(exception) == NULL ? WAIT_WOKEN : WAIT_CANCELLED;
}

tusk_wait_end tusk_wait_drive(tusk_wait *self)
{
    if (TUSK_G(run) != NULL || TUSK_G(fiber) != NULL || zend_fiber_switch_blocked()) {
        return tusk_wait_park(self);
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

/* To the stack that waits; comes back when it waits again or has ended. */
static void go_on(tusk_wait *self)
{
    tusk_fiber *fiber = self->fiber;
    const tusk_run *run = TUSK_G(run);
    unlink_wait(self);
    tusk_task_cancel(&self->task);
    fiber->resumer = EG(current_fiber_context);
    fiber->foot->prev_execute_data = run == NULL ? NULL : run->frame;
    switch_to(self->context);
    trim_pool(IDLE_FIBERS_MAX);
    run = TUSK_G(run);
    if (run != NULL && run->ending && TUSK_G(parked_fibers) == 0) {
        tusk_loop_stop(TUSK_G(loop));
    }
}

/* From the loop, which lies on a pooled fiber's own stack. */
static void resume(tusk_task *task)
{
    tusk_wait *self = (tusk_wait *)((char *)task - offsetof(tusk_wait, task));
    go_on(self);
}

void tusk_wait_wake(tusk_wait *self)
{
    if (self->context != NULL) {
        self->task.run = self->fiber == NULL ? end_run : resume;
        tusk_task_defer(self->loop, &self->task);
    }
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
            go_on(self->wait);
        }
    }
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

void tusk_strands_shutdown(void)
{
    if (tusk_calls_forked() || TUSK_G(unusable)) {
        return; /* their waits are another process's, or their stacks lie about */
    }
    bool any = TUSK_G(strands) != NULL;
    TUSK_G(unwinding) = true;
    for (tusk_strand *strand = TUSK_G(strands); strand != NULL; strand = TUSK_G(strands)) {
        if (strand->wait == NULL) {
            break; /* a fatal error left it as it was */
        }
        go_on(strand->wait);
    }
    TUSK_G(unwinding) = false;
    if (any) {
        zend_gc_collect_cycles(); /* an engine and its queue, which only a strand held */
    }
}

void tusk_fibers_shutdown(void)
{
    trim_pool(0);
    TUSK_G(unusable) = TUSK_G(unusable) || TUSK_G(waits) != NULL; /* a fatal error left them */
    TUSK_G(waits) = NULL;
    TUSK_G(parked_fibers) = 0;
    TUSK_G(fiber) = NULL;
    TUSK_G(run) = NULL;
    TUSK_G(call) = NULL;
}

/* In a forked child: descriptors of the loop are the parent's as well, so it gets one of its own.
 * Who waits in the parent does not wait here. */
static void leave_parents_loop(void)
{
    TUSK_G(loop) = NULL;
    TUSK_G(timers) = NULL;
    TUSK_G(waits) = NULL;
    TUSK_G(strands) = NULL;
    TUSK_G(parked_fibers) = 0;
}

tusk_loop *tusk_loop_get(void)
{
    if (TUSK_G(loop) != NULL && TUSK_G(run) == NULL && TUSK_G(loop_forks) != tusk_calls_forks()) {
        leave_parents_loop();
    }
    if (TUSK_G(loop) == NULL) {
        tusk_err err = tusk_loop_new(&TUSK_G(loop), NULL);
        if (err != TUSK_OK) {
            tusk_throw(err, "Cannot make the event loop");
            return NULL;
        }
        TUSK_G(loop_forks) = tusk_calls_forks();
    }
    return TUSK_G(loop);
}
