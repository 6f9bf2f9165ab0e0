/* SPDX-License-Identifier: MIT */
/* How a task is told to end: an exception, where the VM asks for interrupts or something waits. */
#include "src/parallel/parallel.h"

#include <Zend/zend_exceptions.h>
#include <signal.h>

static volatile sig_atomic_t stop_wanted;
static bool inner_told; /* it ended code of a task that runs within another one */
static bool passed_on;  /* that was a strand, which has ended or waits: whoever runs next is told,
                          but by who waits for it */
static void (*vm_interrupt_before)(zend_execute_data *frame);
#if PHP_VERSION_ID >= 80200
static zend_atomic_bool *volatile vm_flag;
#else
static volatile bool *volatile vm_flag;
#endif

static void ask_the_vm(void)
{
    if (vm_flag != NULL) {
#if PHP_VERSION_ID >= 80200
        zend_atomic_bool_store_ex(vm_flag, true);
#else
        *vm_flag = 1;
#endif
    }
}

void tusk_interrupt_ask(void *user)
{
    (void)user;
    stop_wanted = 1;
    ask_the_vm();
}

/* The VM asks behind a call, where the next instruction may be one that passes an argument on or
 * adds to a string. Of an exception there it believes that this was done, and frees what stands in
 * its place, which may be anything (PHP 8.2: cleanup_unfinished_calls, cleanup_live_vars).
 * So something stands there that is freed by nobody. */
static void make_safe(zend_execute_data *frame)
{
    if (frame == NULL || frame->func == NULL || !ZEND_USER_CODE(frame->func->type)) {
        return;
    }
    const zend_op *next = frame->opline;
    switch (next->opcode) {
    case ZEND_SEND_VAL:
    case ZEND_SEND_VAL_EX:
    case ZEND_SEND_VAR:
    case ZEND_SEND_VAR_EX:
    case ZEND_SEND_VAR_NO_REF:
    case ZEND_SEND_VAR_NO_REF_EX:
    case ZEND_SEND_REF:
    case ZEND_SEND_FUNC_ARG:
    case ZEND_SEND_USER:
        /* An argument by name is counted when it is there. */
        if (next->op2_type != IS_CONST && frame->call != NULL) {
            ZVAL_UNDEF(ZEND_CALL_VAR(frame->call, next->result.var));
        }
        break;
    case ZEND_ROPE_INIT:
        *(zend_string **)ZEND_CALL_VAR(frame, next->result.var) = ZSTR_EMPTY_ALLOC();
        break;
    case ZEND_ROPE_ADD:
        ((zend_string **)ZEND_CALL_VAR(frame, next->op1.var))[next->extended_value] =
            ZSTR_EMPTY_ALLOC();
        break;
    default: break;
    }
}

static tusk_work_why why_to_end(void)
{
    return TUSK_G(worker) == NULL ? TUSK_WORK_GO_ON : tusk_worker_why(TUSK_G(worker));
}

static void on_vm_interrupt(zend_execute_data *frame)
{
    if (stop_wanted != 0 || passed_on) {
        stop_wanted = 0;
        passed_on = false;
        tusk_work_why why = why_to_end();
        inner_told = TUSK_G(task_depth) > 1 || tusk_strand_current() != NULL;
        if (why != TUSK_WORK_GO_ON) {
            make_safe(frame);
        }
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
    inner_told = passed_on = false;
    if (why_to_end() != TUSK_WORK_GO_ON) {
        tusk_interrupt_ask(NULL);
    }
    return tusk_serve_interrupts();
}

void tusk_interrupt_pass_on(void)
{
    if (UNEXPECTED(inner_told) && why_to_end() != TUSK_WORK_GO_ON) {
        passed_on = true;
        ask_the_vm();
    }
}

void tusk_interrupt_forget(void)
{
    inner_told = passed_on = false;
}

void tusk_interrupt_begin(void)
{
    vm_flag = &EG(vm_interrupt);
    stop_wanted = 0;
    inner_told = passed_on = false;
}

void tusk_parallel_interrupt_startup(void)
{
    vm_interrupt_before = zend_interrupt_function;
    zend_interrupt_function = on_vm_interrupt;
}
