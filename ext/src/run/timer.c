/* SPDX-License-Identifier: MIT */
/* Timer: callbacks on the process's one loop, and sleep() that parks a handler. */
#include "src/run/host.h"
#include "src/closures.h"
#include "src/parameters.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define FINE_BELOW_NS UINT64_C(10000000) /* a tick too late would be a tenth of it, or more */

static const tusk_arguments with_id = {1, "the timer's id", {{.scalar = MAY_BE_STRING}}};

struct tusk_ticker {
    tusk_loop *loop; /* it was made for; another than this in a fork, or a task within one */
    tusk_timer timer;
    tusk_task task; /* defer() */
    tusk_callback callback;
    zend_string *id;
    uint64_t interval_ms; /* 0: once */
    uint32_t refs;        /* the table's and the running call's */
    tusk_forgotten made;  /* before a server ran */
};

static void unref(tusk_ticker *self)
{
    if (--self->refs == 0) {
        tusk_callback_fini(&self->callback);
        zend_string_release(self->id);
        efree(self);
    }
}

static void cancel(tusk_ticker *self)
{
    tusk_timer_stop(self->loop, &self->timer);
    tusk_task_cancel(&self->task);
}

/* The table's destructor: cancelled, or forgotten with the request. */
static void forget(zval *entry)
{
    tusk_ticker *self = Z_PTR_P(entry);
    cancel(self);
    unref(self);
}

static void call(void *arg)
{
    tusk_ticker *self = arg;
    tusk_host *host = TUSK_G(running_host);
    tusk_call frame = {0};
    zval id;
    zval result;
    ZVAL_STR_COPY(&id, self->id);
    (void)tusk_call_run(&frame, host, (tusk_handle){0}, &self->callback, 1, &id, &result);
    zval_ptr_dtor(&result);
    zval_ptr_dtor_str(&id);
    unref(self); /* here, as destructors may run */
}

static void fire(tusk_ticker *self)
{
    tusk_host *host = TUSK_G(running_host);
    if (host != NULL && host->failed) {
        return;
    }
    TUSK_G(timers_ran) = true;
    self->refs++;
    if (self->interval_ms != 0) {
        tusk_timer_start(TUSK_G(loop), &self->timer, self->interval_ms);
    } else {
        zend_hash_del(TUSK_G(timers), self->id);
    }
    if (host != NULL) {
        tusk_guarded(host, call, self);
    } else {
        call(self);
    }
}

static void on_due(tusk_timer *timer)
{
    tusk_ticker *self = TUSK_OWNER(timer, tusk_ticker, timer);
    if (!tusk_loop_is_run(self->loop)) {
        tusk_timer_start(self->loop, timer, 1);
    } else {
        fire(self);
    }
}

static void on_task(tusk_task *task)
{
    tusk_ticker *self = TUSK_OWNER(task, tusk_ticker, task);
    if (!tusk_loop_is_run(self->loop)) {
        tusk_task_defer(self->loop, task);
    } else {
        fire(self);
    }
}

static tusk_ticker *add(zend_object *closure)
{
    if (tusk_loop_get() == NULL) {
        return NULL;
    }
    if (TUSK_G(timers) == NULL) {
        ALLOC_HASHTABLE(TUSK_G(timers));
        zend_hash_init(TUSK_G(timers), 8, NULL, forget, 0);
    }
    tusk_ticker *self = ecalloc(1, sizeof(*self));
    self->refs = 1;
    self->loop = TUSK_G(loop);
    self->timer.on_due = on_due;
    self->task.run = on_task;
    if (TUSK_G(running_host) == NULL && !TUSK_G(timers_ran)) { /* else nobody will ask */
        tusk_forgotten_init(&self->made);
    }
    tusk_callback_set(&self->callback, closure);
    self->id = zend_strpprintf(0, "t%" PRIu64, ++TUSK_G(timer_last_id));
    zend_hash_add_new_ptr(TUSK_G(timers), self->id, self);
    return self;
}

static void start(INTERNAL_FUNCTION_PARAMETERS, bool repeat)
{
    double seconds;
    zend_object *closure;
    uint64_t ms;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_DOUBLE(seconds)
    Z_PARAM_CLOSURE_OF(closure, &with_id)
    ZEND_PARSE_PARAMETERS_END();

    if (!tusk_seconds_valid(seconds, 1)) {
        RETURN_THROWS();
    }
    ms = tusk_seconds_in_ms(seconds);
    tusk_ticker *self = add(closure);
    if (self == NULL) {
        RETURN_THROWS();
    }
    self->interval_ms = repeat ? (ms == 0 ? 1 : ms) : 0;
    tusk_timer_start(TUSK_G(loop), &self->timer, repeat ? self->interval_ms : ms);
    RETURN_STR_COPY(self->id);
}

TUSK_METHOD(Tusk_Timer, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Timer, delay)
{
    start(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

TUSK_METHOD(Tusk_Timer, repeat)
{
    start(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

TUSK_METHOD(Tusk_Timer, defer)
{
    zend_object *closure;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_CLOSURE_OF(closure, &with_id)
    ZEND_PARSE_PARAMETERS_END();

    tusk_ticker *self = add(closure);
    if (self == NULL) {
        RETURN_THROWS();
    }
    tusk_task_defer(TUSK_G(loop), &self->task);
    RETURN_STR_COPY(self->id);
}

TUSK_METHOD(Tusk_Timer, cancel)
{
    zend_string *id;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(id)
    ZEND_PARSE_PARAMETERS_END();

    if (TUSK_G(timers) != NULL) {
        zend_hash_del(TUSK_G(timers), id);
    }
}

bool tusk_timers_due_by(uint64_t ms)
{
    const tusk_ticker *ticker;
    if (TUSK_G(timers) == NULL) {
        return false;
    }
    ZEND_HASH_FOREACH_PTR(TUSK_G(timers), ticker)
    {
        if (ticker->interval_ms == 0 && tusk_timer_running(&ticker->timer) &&
            ticker->timer.due_ms <= ms) {
            return true;
        }
    }
    ZEND_HASH_FOREACH_END();
    return false;
}

/* ---- sleep ---- */
typedef struct sleeper {
    tusk_timer timer;
    tusk_wait wait;
} sleeper;

static void on_rested(tusk_timer *timer)
{
    tusk_wait_wake(&TUSK_OWNER(timer, sleeper, timer)->wait);
}

/* What interrupts the VM is heard amid it: a task's deadline, a handler of a signal. False: an
 * exception was thrown. */
static bool sleep_plainly(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / 1000000000u),
                            .tv_nsec = (long)(ns % 1000000000u)};
    while (tusk_serve_interrupts()) {
        if (nanosleep(&left, &left) == 0 || errno != EINTR) {
            return true;
        }
    }
    return false;
}

/* The handler waits that long (blocking where no fiber can be left aside). False: an exception was
 * thrown. */
static bool rest(uint64_t ns)
{
    sleeper self = {.timer = {.on_due = on_rested}};
    uint64_t until_ms = TUSK_WAIT_ANY_TIME;
    if (TUSK_G(loop) != NULL && TUSK_G(fiber) != NULL) {
        until_ms = tusk_loop_now_ms(TUSK_G(loop)) + ns / 1000000;
        if (ns < FINE_BELOW_NS) {
            tusk_timer_start_ns(TUSK_G(loop), &self.timer, ns);
        } else { /* those of one tick share a turn */
            tusk_timer_start(TUSK_G(loop), &self.timer, (ns + 999999) / 1000000);
        }
    }
    tusk_wait_end end = tusk_wait_park(&self.wait, until_ms);
    if (TUSK_G(loop) != NULL) {
        tusk_timer_stop(TUSK_G(loop), &self.timer);
    }
    return end == WAIT_BLOCK ? sleep_plainly(ns) : end == WAIT_WOKEN;
}

TUSK_METHOD(Tusk_Timer, sleep)
{
    double seconds;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_DOUBLE(seconds)
    ZEND_PARSE_PARAMETERS_END();

    if (tusk_seconds_valid(seconds, 1)) {
        (void)rest((uint64_t)ceil(seconds * 1e9));
    }
}

static void tell_forgotten(void)
{
    HashPosition at;
    zend_hash_internal_pointer_reset_ex(TUSK_G(timers), &at);
    const tusk_ticker *first = zend_hash_get_current_data_ptr_ex(TUSK_G(timers), &at);
    if (first != NULL && !TUSK_G(timers_ran)) {
        tusk_forgotten_tell_timer(&first->made);
    }
}

void tusk_timers_shutdown(void)
{
    if (TUSK_G(timers) != NULL) {
        tell_forgotten();
        zend_hash_destroy(TUSK_G(timers));
        FREE_HASHTABLE(TUSK_G(timers));
        TUSK_G(timers) = NULL;
    }
}
