/* SPDX-License-Identifier: MIT */
/* What is known of a closure before it is entered: whether it fits, and which of its parameters
 * need not be checked again for each call. */
#include "src/run/enter.h"

#include <Zend/zend_vm.h>

bool tusk_enter_fits(const zend_function *function)
{
    const uint32_t unusual = ZEND_ACC_GENERATOR | ZEND_ACC_CALL_VIA_TRAMPOLINE | ZEND_ACC_ABSTRACT |
                             ZEND_ACC_DEPRECATED | ZEND_ACC_VARIADIC;
    if (function->type != ZEND_USER_FUNCTION || (function->common.fn_flags & unusual) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < function->common.num_args; i++) {
        if (ARG_SHOULD_BE_SENT_BY_REF(function, i + 1)) {
            return false;
        }
    }
    return true;
}

/* A union is left to the VM: whoever writes one pays what everybody paid. */
static bool takes(zend_type type, const zend_class_entry *given)
{
    uint32_t mask = given == NULL ? MAY_BE_STRING : MAY_BE_OBJECT;
    if (!ZEND_TYPE_IS_SET(type) || (ZEND_TYPE_FULL_MASK(type) & mask) != 0) {
        return true;
    }
    return given != NULL && ZEND_TYPE_HAS_NAME(type) &&
           zend_string_equals_ci(ZEND_TYPE_NAME(type), given->name);
}

/* The VM's own opcode that receives the parameter: nobody traces it, and no compiler counts it. */
static bool is_plain_recv(const zend_op *op, uint32_t number)
{
    zend_op fresh = *op;
    if ((op->opcode != ZEND_RECV && op->opcode != ZEND_RECV_INIT) || op->op1.num != number) {
        return false;
    }
    zend_vm_set_opcode_handler(&fresh);
    return fresh.handler == op->handler && zend_get_user_opcode_handler(op->opcode) == NULL;
}

uint32_t tusk_enter_proven(const zend_function *function, const zend_class_entry *const *given,
                           uint32_t count)
{
    uint32_t proven = 0;
    if (!tusk_enter_fits(function) || zend_execute_ex != execute_ex ||
        (function->common.fn_flags & ZEND_ACC_HAS_TYPE_HINTS) == 0) {
        return 0; /* without types the engine goes past its parameters itself */
    }
    const zend_op_array *body = &function->op_array;
    while (proven < count && proven < body->num_args &&
           takes(body->arg_info[proven].type, given[proven]) &&
           is_plain_recv(&body->opcodes[proven], proven + 1)) {
        proven++;
    }
    return proven;
}
