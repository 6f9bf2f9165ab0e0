/* SPDX-License-Identifier: MIT */
/* What nobody caught: to onError, or to the log. */
#include "src/run/host.h"

/* Of one exception: a recursion without end has a trace of some ten million bytes. */
enum { LOGGED_MAX = 16384, LIMIT_AGAIN_MS = 10000 };

static ZEND_COLD void log_exception(zend_object *exception)
{
    zval text;
    ZVAL_UNDEF(&text);
    zend_call_known_instance_method_with_0_params(exception->ce->__tostring, exception, &text);
    if (EG(exception) != NULL) {
        zend_clear_exception();
    }
    zend_string *all = Z_TYPE(text) == IS_STRING ? Z_STR(text) : exception->ce->name;
    if (ZSTR_LEN(all) > LOGGED_MAX) {
        tusk_log("uncaught %.*s ... and %zu bytes more", LOGGED_MAX, ZSTR_VAL(all),
                 ZSTR_LEN(all) - LOGGED_MAX);
    } else {
        tusk_log("uncaught %s", ZSTR_VAL(all));
    }
    zval_ptr_dtor(&text);
}

static bool is_limit(zend_object *exception)
{
    zval rv;
    return exception->ce == tusk_ce_exception &&
           zval_get_long(zend_read_property_ex(zend_ce_exception, exception,
                                               ZSTR_KNOWN(ZEND_STR_CODE), 1, &rv)) == TUSK_ELIMIT;
}

/* A limit that a crowd has reached must not fill the log as well: one of so many is told. */
static bool is_told(tusk_host *self, zend_object *exception)
{
    if (self == NULL || !is_limit(exception)) {
        return true;
    }
    uint64_t now_ms = tusk_loop_now_ms(TUSK_G(loop));
    if (self->limit_ms != 0 && now_ms - self->limit_ms < LIMIT_AGAIN_MS) {
        return false;
    }
    self->limit_ms = now_ms;
    return true;
}

void tusk_host_log(tusk_host *self, zend_object *exception)
{
    if (is_told(self, exception)) {
        log_exception(exception);
    }
}

/* On this stack: one that waits on another is no reason to keep something from it. */
static bool inside_on_error(const tusk_host *self)
{
    const tusk_call *call = TUSK_G(call);
    while (call != NULL && !(call->reports && call->host == self)) {
        call = call->outer;
    }
    return call != NULL;
}

void tusk_host_report(tusk_host *self, zend_object *exception)
{
    (void)tusk_host_report_about(self, exception, NULL, NULL);
}

tusk_call_end tusk_host_report_about(tusk_host *self, zend_object *exception, zend_object *about,
                                     zval *answer)
{
    bool refused = about != NULL && exception->ce == tusk_ce_invalid_json;
    tusk_call_end thrown = refused ? CALL_REFUSED : CALL_THREW;
    if (self != NULL && tusk_callback_given(&self->on_error) && !inside_on_error(self)) {
        tusk_call call = {.reports = true};
        zval args[2];
        zval result;
        ZVAL_OBJ(&args[0], exception);
        ZVAL_NULL(&args[1]);
        if (about != NULL) {
            ZVAL_OBJ(&args[1], about);
        }
        tusk_call_end end = tusk_call_run(&call, self, (tusk_handle){0}, &self->on_error,
                                          self->compat ? 1 : 2, args, &result);
        if (answer != NULL && Z_TYPE(result) == IS_OBJECT &&
            Z_OBJCE(result) == tusk_ce_http_response) {
            ZVAL_COPY(answer, &result);
        }
        zval_ptr_dtor(&result);
        if (end == CALL_DONE) {
            return thrown;
        }
    }
    if (!refused) { /* a stranger who sends it a thousand times must not fill the log */
        tusk_host_log(self, exception);
    }
    return thrown;
}
