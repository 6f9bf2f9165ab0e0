/* SPDX-License-Identifier: MIT */
/* Entering a user's closure without zend_call_function(), whose exchange of the interrupt flag
 * drains the processor's store buffer: measured at a sixth of a pipelined echo. What is unusual
 * still goes that way. */
#ifndef TUSK_EXT_RUN_ENTER_H
#define TUSK_EXT_RUN_ENTER_H

#include "php_tusk.h"

#include <Zend/zend_closures.h>
#include <Zend/zend_observer.h>

/* Plain user code that takes none of its parameters by reference. */
bool tusk_enter_fits(const zend_function *function);
/* How many of its first parameters are declared so that they take what they are always given: an
 * object of a final class, or a string where it is NULL. Their check, two thirds of a short
 * handler's own instructions, is made here once. */
uint32_t tusk_enter_proven(const zend_function *function, const zend_class_entry *const *given,
                           uint32_t count);

/* False: not entered, zend_call_function() has to. Interrupts (signals, time limits) are looked at
 * by the VM as it enters the function. `proven` of its parameters are not checked again; all of
 * them are given. */
static inline bool tusk_enter(const zend_fcall_info_cache *fcc, uint32_t proven, uint32_t argc,
                              const zval *argv, zval *result)
{
    zend_function *function = fcc->function_handler;
    uint32_t info = ZEND_CALL_TOP_FUNCTION | ZEND_CALL_DYNAMIC;
    void *scope = fcc->called_scope;
    if (UNEXPECTED(ZEND_OBSERVER_ENABLED || EG(exception) != NULL || !EG(active))) {
        return false;
    }
    if ((function->common.fn_flags & ZEND_ACC_STATIC) == 0 && fcc->object != NULL) {
        scope = fcc->object;
        info |= ZEND_CALL_HAS_THIS;
    }
    if ((function->common.fn_flags & ZEND_ACC_CLOSURE) != 0) {
        GC_ADDREF(ZEND_CLOSURE_OBJECT(function)); /* released as the frame is left */
        info |= ZEND_CALL_CLOSURE | tusk_fake_closure_info(function);
    }
    zend_execute_data *call = zend_vm_stack_push_call_frame(info, function, argc, scope);
    for (uint32_t i = 0; i < argc; i++) {
        ZVAL_COPY(ZEND_CALL_ARG(call, i + 1), &argv[i]);
    }
    const zend_op *opline_before_exception = EG(opline_before_exception);
    uint32_t jit_trace_num = EG(jit_trace_num);
    zend_init_func_execute_data(call, &function->op_array, result);
    call->opline += proven;
    zend_execute_ex(call);
    EG(jit_trace_num) = jit_trace_num;
    EG(opline_before_exception) = opline_before_exception;
    zend_vm_stack_free_call_frame(call);
    return true;
}

#endif
