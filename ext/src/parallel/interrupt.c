/* SPDX-License-Identifier: MIT */
/* How a task is told to end: an exception, where the VM asks for interrupts or something waits. */
#include "src/parallel/parallel.h"

#include <Zend/zend_exceptions.h>
#include <signal.h>

static volatile sig_atomic_t stop_wanted;
static bool inner_told; /* it ended code of a task that runs within another one */
static void (*vm_interrupt_before)(zend_execute_data *frame);
#if PHP_VERSION_ID >= 80200
static zend_atomic_bool *volatile vm_flag;
#else
static volatile bool *volatile vm_flag;
#endif

void tusk_interrupt_ask(void *user)
{
    (void)user;
    stop_wanted = 1;
    if (vm_flag != NULL) {
#if PHP_VERSION_ID >= 80200
        zend_atomic_bool_store_ex(vm_flag, true);
#else
        *vm_flag = 1;
#endif
    }
}

static void on_vm_interrupt(zend_execute_data *frame)
{
    if (stop_wanted != 0) {
        stop_wanted = 0;
        tusk_work_why why =
            TUSK_G(worker) == NULL ? TUSK_WORK_GO_ON : tusk_worker_why(TUSK_G(worker));
        inner_told = TUSK_G(task_depth) > 1 || tusk_strand_current() != NULL;
        if (why == TUSK_WORK_LATE) {
            zend_throw_exception(tusk_ce_deadline_exceeded,
                                 "The deadline passed while the task ran", 0);
        } else if (why == TUSK_WORK_CANCELLED) {
            zend_throw_exception(tusk_ce_cancelled, "The task was cancelled while it ran", 0);
        }
    }
    if (vm_interrupt_before != NULL) {
        vm_interrupt_before(frame);
    }
}

bool tusk_interrupt_again(void)
{
    if (EXPECTED(!inner_told)) {
        return true;
    }
    inner_told = false;
    if (TUSK_G(worker) != NULL && tusk_worker_why(TUSK_G(worker)) != TUSK_WORK_GO_ON) {
        tusk_interrupt_ask(NULL);
    }
    return tusk_serve_interrupts();
}

void tusk_interrupt_pass_on(void)
{
    if (UNEXPECTED(inner_told) && TUSK_G(worker) != NULL &&
        tusk_worker_why(TUSK_G(worker)) != TUSK_WORK_GO_ON) {
        inner_told = false;
        tusk_interrupt_ask(NULL);
    }
}

void tusk_interrupt_forget(void)
{
    inner_told = false;
}

void tusk_interrupt_begin(void)
{
    vm_flag = &EG(vm_interrupt);
    stop_wanted = 0;
    inner_told = false;
}

void tusk_parallel_interrupt_startup(void)
{
    vm_interrupt_before = zend_interrupt_function;
    zend_interrupt_function = on_vm_interrupt;
}
