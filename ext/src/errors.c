/* SPDX-License-Identifier: MIT */
/* The core's errors as exceptions. */
#include "php_tusk.h"

#include <errno.h>

void tusk_throw(tusk_err err, const char *format, ...)
{
    int said = err == TUSK_ESYS ? errno : 0; /* the system's own word is what helps */
    va_list args;
    va_start(args, format);
    zend_string *what = zend_vstrpprintf(0, format, args);
    va_end(args);
    if (err == TUSK_OK) {
        zend_throw_exception(tusk_ce_exception, ZSTR_VAL(what), 0);
    } else {
        zend_throw_exception_ex(tusk_ce_exception, err, "%s: %s", ZSTR_VAL(what),
                                said != 0 ? strerror(said) : tusk_err_text(err));
    }
    zend_string_release(what);
}

void tusk_throw_listen(tusk_err err, const zend_string *address)
{
    if (err == TUSK_ENOENT || err == TUSK_EINVAL) {
        zend_throw_exception_ex(tusk_ce_exception, err,
                                "Cannot listen on %s: no such host; give an address such as "
                                "127.0.0.1, or a name that this machine can look up",
                                ZSTR_VAL(address));
    } else {
        tusk_throw(err, "Cannot listen on %s", ZSTR_VAL(address));
    }
}

void tusk_clear_exception(void)
{
    zend_execute_data *frame = EG(current_execute_data);
    bool of_php = frame != NULL && frame->func != NULL && ZEND_USER_CODE(frame->func->type);
    const zend_op *opline = of_php ? frame->opline : NULL;
    zend_clear_exception();
    if (of_php && opline->opcode != ZEND_HANDLE_EXCEPTION) {
        frame->opline = opline;
    }
}

tusk_thrown tusk_thrown_aside(void)
{
    tusk_thrown thrown = {EG(exception), EG(opline_before_exception)};
    EG(exception) = NULL;
    return thrown;
}

void tusk_thrown_back(const tusk_thrown *thrown)
{
    EG(exception) = thrown->exception;
    EG(opline_before_exception) = thrown->opline;
}
