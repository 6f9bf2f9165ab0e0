/* SPDX-License-Identifier: MIT */
/* Condition: tasks and handlers that wait until another one says so, in the order they came. */
#include "src/run/wait.h"

#include "src/parameters.h"

#include <ext/spl/spl_exceptions.h>

typedef struct condition_waiter {
    tusk_wait wait;
    tusk_timer timer;
    bool notified, late;
    struct condition_waiter *next;
} condition_waiter;

typedef struct tusk_condition {
    condition_waiter *first, **last;
    zend_object std;
} tusk_condition;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    tusk_condition *self = TUSK_OBJECT_NEW(tusk_condition, ce, &handlers);
    self->last = &self->first;
    return &self->std;
}

static bool leave(tusk_condition *self, const condition_waiter *waiter)
{
    for (condition_waiter **at = &self->first; *at != NULL; at = &(*at)->next) {
        if (*at == waiter) {
            *at = waiter->next;
            if (self->last == &waiter->next) {
                self->last = at;
            }
            return true;
        }
    }
    return false;
}

static zend_long notify(tusk_condition *self, zend_long count)
{
    zend_long told = 0;
    while (told < count && self->first != NULL) {
        condition_waiter *waiter = self->first;
        (void)leave(self, waiter);
        waiter->notified = true;
        tusk_wait_wake(&waiter->wait);
        told++;
    }
    return told;
}

static void on_late(tusk_timer *timer)
{
    condition_waiter *self = TUSK_OWNER(timer, condition_waiter, timer);
    self->late = true;
    tusk_wait_wake(&self->wait);
}

/* False: an exception was thrown. */
static bool rest(condition_waiter *waiter)
{
    bool ok = true;
    while (ok && !waiter->notified && !waiter->late) {
        tusk_wait_end end = tusk_wait_drive(&waiter->wait, TUSK_WAIT_ANY_TIME);
        ok = end == WAIT_WOKEN;
        if (end == WAIT_BLOCK) {
            zend_throw_exception(spl_ce_LogicException,
                                 "Nobody can be waited for here: in a destructor, or in a forked "
                                 "child",
                                 0);
        }
    }
    return ok;
}

TUSK_METHOD(Tusk_Condition, wait)
{
    double seconds = 0;
    bool none = true;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(seconds, none)
    ZEND_PARSE_PARAMETERS_END();

    tusk_condition *self = TUSK_FROM(tusk_condition, Z_OBJ_P(ZEND_THIS));
    if (!none && !tusk_seconds_valid(seconds, 1)) {
        RETURN_THROWS();
    }
    tusk_loop *loop = tusk_loop_get();
    if (loop == NULL) {
        RETURN_THROWS();
    }
    condition_waiter waiter = {.timer = {.on_due = on_late}};
    *self->last = &waiter;
    self->last = &waiter.next;
    GC_ADDREF(&self->std);
    if (!none) {
        tusk_timer_start(loop, &waiter.timer, tusk_seconds_in_ms(seconds));
    }
    bool ok = rest(&waiter);
    tusk_timer_stop(loop, &waiter.timer);
    (void)leave(self, &waiter);
    if (!ok && waiter.notified) {
        (void)notify(self, 1); /* it was meant for one who goes on */
    }
    OBJ_RELEASE(&self->std);
    RETVAL_BOOL(waiter.notified);
}

TUSK_METHOD(Tusk_Condition, notify)
{
    zend_long count = 1;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(count)
    ZEND_PARSE_PARAMETERS_END();

    if (count < 1) {
        zend_argument_value_error(1, "must be at least 1, " ZEND_LONG_FMT " given", count);
        RETURN_THROWS();
    }
    RETURN_LONG(notify(TUSK_FROM(tusk_condition, Z_OBJ_P(ZEND_THIS)), count));
}

void tusk_condition_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_condition, std), zend_object_std_dtor);
    tusk_ce_condition->create_object = create;
}
