/* SPDX-License-Identifier: MIT */
/* Exceptions that nobody caught, as the log has them: with the request, bounded, and none a
 * thousand times. */
#include "src/run/call.h"

#include "src/run/host.h"
#include "src/run/wait.h"

/* Of one exception: a recursion without end has a trace of some ten million bytes. */
enum { LOGGED_MAX = 16384, TARGET_LOGGED = 200, LIMIT_AGAIN_MS = 10000 };

/* "GET /orders/7: ", as it was sent, in which no line ends; "": it is about no request. Of a query
 * it has nothing: that is where secrets are. */
static ZEND_COLD void tell_request(zend_object *about, char *out, size_t cap)
{
    zval place[2];
    out[0] = '\0';
    if (about == NULL) {
        return;
    }
    zval *method = zend_read_property(about->ce, about, "method", strlen("method"), 1, &place[0]);
    zval *target = zend_read_property(about->ce, about, "target", strlen("target"), 1, &place[1]);
    if (Z_TYPE_P(method) == IS_STRING && Z_TYPE_P(target) == IS_STRING) {
        int len = (int)strcspn(Z_STRVAL_P(target), "?#");
        (void)snprintf(out, cap, "%.20s %.*s%s: ", Z_STRVAL_P(method),
                       len < TARGET_LOGGED ? len : TARGET_LOGGED, Z_STRVAL_P(target),
                       len > TARGET_LOGGED ? "..." : "");
    }
}

static ZEND_COLD void log_exception(zend_object *exception, zend_object *about)
{
    char request[TARGET_LOGGED + 32];
    zval text;
    ZVAL_UNDEF(&text);
    zend_call_known_instance_method_with_0_params(exception->ce->__tostring, exception, &text);
    if (EG(exception) != NULL) {
        tusk_clear_exception();
    }
    zend_string *all = Z_TYPE(text) == IS_STRING ? Z_STR(text) : exception->ce->name;
    tell_request(about, request, sizeof(request));
    if (ZSTR_LEN(all) > LOGGED_MAX) {
        tusk_log("%suncaught %.*s ... and %zu bytes more", request, LOGGED_MAX, ZSTR_VAL(all),
                 ZSTR_LEN(all) - LOGGED_MAX);
    } else {
        tusk_log("%suncaught %s", request, ZSTR_VAL(all));
    }
    zval_ptr_dtor(&text);
}

static zval *read_of(zend_object *exception, zend_known_string_id name, zval *place)
{
    return zend_read_property_ex(zend_ce_exception, exception, ZSTR_KNOWN(name), 1, place);
}

static bool is_limit(zend_object *exception)
{
    zval place;
    return exception->ce == tusk_ce_exception &&
           zval_get_long(read_of(exception, ZEND_STR_CODE, &place)) == TUSK_ELIMIT;
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

bool tusk_waits_are_ended(void)
{
    const tusk_run *run = TUSK_G(run);
    return run != NULL && run->cancelled;
}

/* What ended a wait as the server stopped. */
static bool is_end_of_wait(zend_object *exception)
{
    zval place;
    return tusk_waits_are_ended() && exception->ce == tusk_ce_exception &&
           zval_get_long(read_of(exception, ZEND_STR_CODE, &place)) == TUSK_ESTATE;
}

/* Of those there may be hundreds, and it is no fault of theirs: a line for each. */
static ZEND_COLD void log_without_trace(zend_object *exception, zend_object *about)
{
    char request[TARGET_LOGGED + 32];
    zval place[3];
    tell_request(about, request, sizeof(request));
    zend_string *message = zval_get_string(read_of(exception, ZEND_STR_MESSAGE, &place[0]));
    zend_string *file = zval_get_string(read_of(exception, ZEND_STR_FILE, &place[1]));
    tusk_log("%suncaught %s: %s in %s:" ZEND_LONG_FMT, request, ZSTR_VAL(exception->ce->name),
             ZSTR_VAL(message), ZSTR_VAL(file),
             zval_get_long(read_of(exception, ZEND_STR_LINE, &place[2])));
    zend_string_release(message);
    zend_string_release(file);
}

void tusk_log_uncaught(tusk_host *self, zend_object *exception, zend_object *about)
{
    if (is_end_of_wait(exception)) {
        log_without_trace(exception, about);
    } else if (is_told(self, exception)) {
        log_exception(exception, about);
    }
}
