/* SPDX-License-Identifier: MIT */
/* Pooled fibers: the stacks that the loop runs on, and its runs. */
#include "src/run/fiber_pool.h"

#include "src/run/call.h"

enum { FIBER_VM_STACK_BYTES = 16 * 1024 };

static const zend_function foot_function = {ZEND_INTERNAL_FUNCTION};
static char fiber_kind[] = "tusk";

void tusk_fiber_switch(zend_fiber_context *target)
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
static void make_vm_stack(tusk_fiber *self)
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
    EG(active_fiber) = NULL;
    EG(jit_trace_num) = 0;
    EG(error_reporting) = zend_ini_string(ZEND_STRL("error_reporting"), false) == NULL
                              ? E_ALL
                              : (int)zend_ini_long(ZEND_STRL("error_reporting"), false);
    EG(bailout) = NULL;
    tusk_stack_bounds(&self->context);
}

/* Their stacks stay, as timers and descriptors that lie on them may yet be due. */
static void forget_waits(void)
{
    for (tusk_wait *wait = TUSK_G(waits); wait != NULL; wait = wait->next) {
        wait->context = NULL;
        tusk_task_cancel(&wait->task);
    }
    TUSK_G(waits) = NULL;
    TUSK_G(parked_fibers) = 0;
}

void tusk_run_fail(void)
{
    if (TUSK_G(run) != NULL) {
        TUSK_G(run)->failed = true;
    }
    TUSK_G(unusable) = true;
    forget_waits();
}

bool tusk_run_failed(void)
{
    return TUSK_G(run) != NULL && TUSK_G(run)->failed;
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
        tusk_run_fail();
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
    make_vm_stack(self);
    for (;;) {
        tusk_run *run = TUSK_G(run); /* a fiber may serve several runs */
        TUSK_G(call) = NULL;
        self->foot->prev_execute_data = run->frame;
        /* A user's fiber that called run() is not what may be suspended here: its run would be left
         * half-way, and others would turn the loop on it. */
        EG(active_fiber) = NULL;
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
        tusk_fiber_switch(target);
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

tusk_fiber *tusk_fiber_take(void)
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

void tusk_fibers_trim(uint32_t keep)
{
    while (TUSK_G(idle_fiber_count) > keep) {
        tusk_fiber *idle = TUSK_G(idle_fibers);
        TUSK_G(idle_fibers) = idle->next;
        TUSK_G(idle_fiber_count)--;
        free_fiber(idle);
    }
}

void tusk_fiber_enter(tusk_fiber *fiber)
{
    tusk_fiber *own = TUSK_G(fiber);
    TUSK_G(fiber) = fiber;
    tusk_fiber_switch(&fiber->context);
    TUSK_G(fiber) = own;
}

void tusk_fiber_detach(void (*job)(void *arg), void *arg)
{
    tusk_fiber *fiber =
        TUSK_G(fiber) == NULL || zend_fiber_switch_blocked() ? NULL : tusk_fiber_take();
    if (fiber == NULL) {
        job(arg);
        return;
    }
    fiber->job = job;
    fiber->job_arg = arg;
    fiber->resumer = EG(current_fiber_context);
    tusk_fiber_enter(fiber);
}

tusk_err tusk_run_loop(tusk_run *run)
{
    run->caller = EG(current_fiber_context);
    run->frame = EG(current_execute_data);
    run->finished = false;
    run->cancelled = false;
    tusk_calls_begin();
    tusk_loop_catch_up(TUSK_G(loop)); /* its former run may have ended long ago, amid a turn */
    /* A server runs for as long as it does, whatever the script may compute. */
    zend_long seconds = run->host == NULL ? 0 : tusk_time_limit_lift();
    /* What a handler prints may find a full disk, or a pipe that nobody reads: PHP would end then,
     * as for a client that has left. */
    const bool prints_on = PG(ignore_user_abort);
    PG(ignore_user_abort) = prints_on || run->host != NULL;
    TUSK_G(run) = run;
    tusk_fiber *fiber = zend_fiber_switch_blocked() ? NULL : tusk_fiber_take();
    if (fiber == NULL) {
        run->result = tusk_loop_run(TUSK_G(loop));
    } else {
        while (!run->finished) {
            tusk_fiber_enter(fiber);
        }
        tusk_fibers_trim(run->host == NULL ? IDLE_FIBERS_MAX : 0);
    }
    TUSK_G(run) = NULL;
    PG(ignore_user_abort) = prints_on;
    if (seconds != 0) {
        zend_set_timeout(seconds, 0);
    }
    return run->result;
}

void tusk_run_end(const struct tusk_host *host, bool wait)
{
    tusk_run *run = TUSK_G(run);
    if (run == NULL || run->host != host) {
        return;
    }
    run->ending = true;
    if (TUSK_G(waits) == NULL || !wait) {
        tusk_loop_stop(TUSK_G(loop));
    }
}

void tusk_fibers_shutdown(void)
{
    tusk_fibers_trim(0);
    TUSK_G(unusable) = TUSK_G(unusable) || TUSK_G(waits) != NULL; /* a fatal error left them */
    TUSK_G(waits) = NULL;
    TUSK_G(curl_waits) = NULL;
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
    TUSK_G(watches) = NULL;
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
        const tusk_loop_options options = {.forks = tusk_calls_fork_marks()};
        tusk_err err = tusk_loop_new(&TUSK_G(loop), &options);
        if (err != TUSK_OK) {
            tusk_throw(err, "Cannot make the event loop");
            return NULL;
        }
        TUSK_G(loop_forks) = tusk_calls_forks();
    }
    return TUSK_G(loop);
}
