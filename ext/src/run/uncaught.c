/* SPDX-License-Identifier: MIT */
/* An exception that nobody will catch: where the trace of run() helps nobody (a port that is
 * taken), the sentence alone ends the script. */
#include "src/run/call.h"

#include <Zend/zend_exceptions.h>
#include <Zend/zend_interfaces.h>

enum { STATUS_UNCAUGHT = 255 }; /* as PHP has it */

static bool has_try(const zend_execute_data *frame)
{
    const zend_op_array *code = &frame->func->op_array;
    uint32_t at = (uint32_t)(frame->opline - code->opcodes);
    for (uint32_t i = 0; i < (uint32_t)code->last_try_catch; i++) { /* of 8.6: unsigned */
        const zend_try_catch_element *element = &code->try_catch_array[i];
        if (at >= element->try_op && (at < element->catch_op || at < element->finally_op)) {
            return true;
        }
    }
    return false;
}

/* Only where there is nothing but code of the script below the method that runs: whatever else
 * calls code (a pool, a fiber, a test) may have its own use for an exception. */
static bool nobody_catches(void)
{
    const zend_execute_data *frame = EG(current_execute_data);
    if (Z_TYPE(EG(user_exception_handler)) != IS_UNDEF || EG(active_fiber) != NULL ||
        frame == NULL) {
        return false;
    }
    const zend_execute_data *last = NULL;
    for (frame = frame->prev_execute_data; frame != NULL; frame = frame->prev_execute_data) {
        if (frame->func == NULL || !ZEND_USER_CODE(frame->func->type) || has_try(frame)) {
            return false;
        }
        last = frame;
    }
    return last != NULL && (ZEND_CALL_INFO(last) & ZEND_CALL_TOP_CODE) == ZEND_CALL_TOP_CODE;
}

void tusk_say_uncaught(void)
{
    if (EG(exception) == NULL || !nobody_catches()) {
        return;
    }
    zval copy;
    const zval *text = zend_read_property_ex(zend_ce_exception, EG(exception),
                                             ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &copy);
    tusk_log("%s", Z_STRVAL_P(text));
    tusk_clear_exception();
    EG(exit_status) = STATUS_UNCAUGHT;
    zend_throw_unwind_exit();
}
