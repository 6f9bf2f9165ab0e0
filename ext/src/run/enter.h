/* SPDX-License-Identifier: MIT */
/* Entering a user's closure without zend_call_function(), whose exchange of the interrupt flag
 * drains the processor's store buffer: measured at a sixth of a pipelined echo. What is unusual
 * still goes that way. */
#ifndef TUSK_EXT_RUN_ENTER_H
#define TUSK_EXT_RUN_ENTER_H

#include "src/run/call.h"

#include <Zend/zend_closures.h>
#include <Zend/zend_observer.h>

/* Plain user code that takes none of its parameters by reference. */
bool tusk_enter_fits(const zend_function *function);
/* How many of its first parameters are declared so that they take what they are always given: an
 * object of a final class, or a string where it is NULL. Their check, two thirds of a short
 * handler's own instructions, is made here once. */
uint32_t tusk_enter_proven(const zend_function *function, const zend_class_entry *const *given,
                           uint32_t count);

/* What of its frame is the same for each call. */
static inline void tusk_enter_prepare(tusk_entry *self, const zend_fcall_info_cache *fcc,
                                      uint32_t argc)
{
    zend_function *function = fcc->function_handler;
    *self = (tusk_entry){.quick = tusk_enter_fits(function),
                         .function = function,
                         .info = ZEND_CALL_TOP_FUNCTION | ZEND_CALL_DYNAMIC,
                         .scope = fcc->called_scope,
                         .argc = argc};
    if (!self->quick) {
        return;
    }
    if ((function->common.fn_flags & ZEND_ACC_STATIC) == 0 && fcc->object != NULL) {
        self->scope = fcc->object;
        self->info |= ZEND_CALL_HAS_THIS;
    }
    if ((function->common.fn_flags & ZEND_ACC_CLOSURE) != 0) {
        self->info |= ZEND_CALL_CLOSURE | tusk_fake_closure_info(function);
    }
    self->frame_bytes = zend_vm_calc_used_stack(argc, function);
}

/* A frame for `argc` arguments, which the caller writes into it; then tusk_enter_run. NULL: not
 * entered, zend_call_function() has to. */
static inline zend_execute_data *tusk_enter_frame(const tusk_entry *self, uint32_t argc)
{
    if (UNEXPECTED(!self->quick || ZEND_OBSERVER_ENABLED || EG(exception) != NULL || !EG(active))) {
        return NULL;
    }
    if ((self->info & ZEND_CALL_CLOSURE) != 0) {
        GC_ADDREF(ZEND_CLOSURE_OBJECT(self->function)); /* released as the frame is left */
    }
    uint32_t bytes = EXPECTED(argc == self->argc) ? self->frame_bytes
                                                  : zend_vm_calc_used_stack(argc, self->function);
    return zend_vm_stack_push_call_frame_ex(bytes, self->info, self->function, argc, self->scope);
}

/* Interrupts (signals, time limits) are looked at by the VM as it enters the function. Those of its
 * parameters that are proven are not checked again; all of them are given. */
static inline void tusk_enter_run(const tusk_entry *self, zend_execute_data *call, zval *result)
{
    const zend_op *opline_before_exception = EG(opline_before_exception);
    uint32_t jit_trace_num = EG(jit_trace_num);
    zend_init_func_execute_data(call, &self->function->op_array, result);
    call->opline += self->proven;
    zend_execute_ex(call);
    EG(jit_trace_num) = jit_trace_num;
    EG(opline_before_exception) = opline_before_exception;
    zend_vm_stack_free_call_frame(call);
}

#endif
