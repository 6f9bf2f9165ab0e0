/* SPDX-License-Identifier: MIT */
/* Watch: callbacks for streams that can be read or written, and for signals. */
#include "src/run/host.h"
#include "src/closures.h"
#include "src/run/descriptor.h"

#include <errno.h>
#include <unistd.h>

enum { LOOK_MS = 1000 };

static const tusk_arguments with_id = {1, "the watch's id", {{.scalar = MAY_BE_STRING}}};

typedef struct tusk_watch {
    tusk_loop *loop;  /* it was made for; another than this in a fork, or a task within one */
    tusk_io io;       /* of a duplicate of the descriptor; `added`: the poller has it */
    tusk_task check;  /* what PHP has buffered, when who was told of bytes has read some */
    tusk_timer again; /* ready without the poller's word: a file, or what PHP has buffered */
    tusk_timer look;  /* whether it was closed, which no poller tells */
    tusk_signal signal;
    tusk_descriptor what;
    tusk_callback callback;
    zend_string *id;
    zval stream;   /* held, a Socket as well; undefined: of a signal */
    int number;    /* of a signal; 0: of a stream */
    uint32_t refs; /* the table's and the running calls' */
    unsigned interest;
    bool enabled, added;
    bool always; /* no poller takes it: it never blocks */
} tusk_watch;

/* ---- its end ---- */
static void unref(tusk_watch *self)
{
    if (--self->refs == 0) {
        if (self->io.fd >= 0) {
            (void)close(self->io.fd);
        }
        tusk_callback_fini(&self->callback);
        tusk_descriptor_fini(&self->what);
        zval_ptr_dtor(&self->stream);
        zend_string_release(self->id);
        efree(self);
    }
}

/* One that is disabled keeps no loop running. */
static void unadd(tusk_watch *self)
{
    if (self->added) {
        self->added = false;
        tusk_io_remove(self->loop, &self->io);
        if (!self->enabled) {
            tusk_loop_background(self->loop, -1);
        }
    }
}

static void disable(tusk_watch *self)
{
    if (!self->enabled) {
        return;
    }
    tusk_task_cancel(&self->check);
    tusk_timer_stop(self->loop, &self->again);
    tusk_timer_stop(self->loop, &self->look);
    tusk_signal_stop(self->loop, &self->signal);
    self->enabled = false;
    if (self->added) {
        tusk_loop_background(self->loop, 1);
        (void)tusk_io_set(self->loop, &self->io, 0);
    }
}

/* The table's destructor: cancelled, or forgotten with the request. */
static void forget(zval *entry)
{
    tusk_watch *self = Z_PTR_P(entry);
    disable(self);
    unadd(self);
    unref(self);
}

void tusk_watches_shutdown(void)
{
    if (TUSK_G(watches) != NULL) {
        zend_hash_destroy(TUSK_G(watches));
        FREE_HASHTABLE(TUSK_G(watches));
        TUSK_G(watches) = NULL;
    }
}

/* ---- its calls ---- */
static void call(void *arg)
{
    tusk_watch *self = arg;
    tusk_call frame = {0};
    zval id;
    zval result;
    ZVAL_STR_COPY(&id, self->id);
    (void)tusk_call_run(&frame, TUSK_G(running_host), (tusk_handle){0}, &self->callback, 1, &id,
                        &result);
    zval_ptr_dtor(&result);
    zval_ptr_dtor_str(&id);
    unref(self); /* here, as destructors may run */
}

static bool is_over(const tusk_watch *self)
{
    const tusk_host *host = TUSK_G(running_host);
    return !tusk_loop_is_run(self->loop) || (host != NULL && host->failed);
}

static void fire(tusk_watch *self)
{
    tusk_host *host = TUSK_G(running_host);
    TUSK_G(timers_ran) = true;
    self->refs++;
    if (self->interest == TUSK_IO_READ) {
        tusk_task_defer_late(self->loop, &self->check);
    }
    if (host != NULL) {
        tusk_guarded(host, call, self);
    } else {
        call(self);
    }
}

static void on_event(tusk_io *io, unsigned events)
{
    tusk_watch *self = TUSK_OWNER(io, tusk_watch, io);
    (void)events;
    if (!self->enabled) {
        unadd(self); /* the peer is gone, which is told over and over */
    } else if (!is_over(self)) {
        fire(self);
    }
}

static bool is_ready_anyway(const tusk_watch *self)
{
    return self->always ||
           (self->interest == TUSK_IO_READ && tusk_descriptor_buffered(&self->what));
}

static void on_check(tusk_task *task)
{
    tusk_watch *self = TUSK_OWNER(task, tusk_watch, check);
    if (is_ready_anyway(self)) {
        tusk_timer_start(self->loop, &self->again, 0);
    }
}

static void on_again(tusk_timer *timer)
{
    tusk_watch *self = TUSK_OWNER(timer, tusk_watch, again);
    if (is_over(self)) {
        tusk_timer_start(self->loop, timer, 1);
    } else if (is_ready_anyway(self)) {
        tusk_task_defer_late(self->loop, &self->check);
        fire(self);
    }
}

static void on_look(tusk_timer *timer)
{
    tusk_watch *self = TUSK_OWNER(timer, tusk_watch, look);
    if (tusk_descriptor_closed(&self->what)) {
        zend_hash_del(TUSK_G(watches), self->id);
    } else {
        tusk_timer_start(self->loop, timer, LOOK_MS);
    }
}

static void on_signal(tusk_signal *signal)
{
    tusk_watch *self = TUSK_OWNER(signal, tusk_watch, signal);
    if (!is_over(self)) {
        fire(self);
    }
}

/* ---- its begin ---- */
static tusk_err add_io(tusk_watch *self)
{
    if (self->io.fd < 0) {
        self->io.fd = tusk_descriptor_dup(&self->what);
    }
    tusk_err err = self->io.fd < 0 ? TUSK_ESYS : tusk_io_add(self->loop, &self->io, self->interest);
    self->added = err == TUSK_OK;
    if (err == TUSK_ESYS && self->io.fd >= 0 && errno == EPERM) { /* epoll's word for that */
        self->always = true;
        err = TUSK_OK;
    }
    return err;
}

static tusk_err enable_stream(tusk_watch *self)
{
    tusk_err err = TUSK_OK;
    if (self->added) {
        tusk_loop_background(self->loop, -1);
        err = tusk_io_set(self->loop, &self->io, self->interest);
    } else if (!self->always) {
        err = add_io(self);
    }
    if (err == TUSK_OK) {
        self->enabled = true;
        tusk_timer_start(self->loop, &self->look, LOOK_MS);
        on_check(&self->check);
    }
    return err;
}

/* False: an exception was thrown. */
static bool enable(tusk_watch *self)
{
    if (self->enabled) {
        return true;
    }
    tusk_err err = TUSK_OK;
    if (self->number != 0) {
        err = tusk_signal_start(self->loop, &self->signal, self->number);
        self->enabled = err == TUSK_OK;
    } else {
        err = enable_stream(self);
    }
    if (err != TUSK_OK) {
        tusk_throw(err, self->number != 0 ? "Cannot watch for signal %d" : "Cannot watch stream %d",
                   self->number != 0 ? self->number : self->what.fd);
    }
    return err == TUSK_OK;
}

/* NULL: an exception was thrown. */
static tusk_watch *make(zend_object *closure)
{
    if (tusk_loop_get() == NULL) {
        return NULL;
    }
    tusk_watch *self = ecalloc(1, sizeof(*self));
    self->refs = 1;
    self->loop = TUSK_G(loop);
    self->io = (tusk_io){.fd = -1, .on_event = on_event};
    self->check.run = on_check;
    self->again.on_due = on_again;
    self->look.on_due = on_look;
    self->signal.on_signal = on_signal;
    ZVAL_UNDEF(&self->stream);
    tusk_callback_set(&self->callback, closure);
    self->id = zend_strpprintf(0, "w%" PRIu64, ++TUSK_G(timer_last_id));
    return self;
}

static void begin(tusk_watch *self, zval *return_value)
{
    if (!enable(self)) {
        unref(self);
        return;
    }
    if (TUSK_G(watches) == NULL) {
        ALLOC_HASHTABLE(TUSK_G(watches));
        zend_hash_init(TUSK_G(watches), 8, NULL, forget, 0);
    }
    zend_hash_add_new_ptr(TUSK_G(watches), self->id, self);
    RETVAL_STR_COPY(self->id);
}

static void watch_stream(INTERNAL_FUNCTION_PARAMETERS, unsigned interest)
{
    zval *stream;
    zend_object *closure;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_ZVAL(stream)
    Z_PARAM_CLOSURE_OF(closure, &with_id)
    ZEND_PARSE_PARAMETERS_END();

    tusk_watch *self = make(closure);
    if (self == NULL) {
        RETURN_THROWS();
    }
    self->interest = interest;
    if (!tusk_descriptor_take(&self->what, stream)) {
        unref(self);
        RETURN_THROWS();
    }
    ZVAL_COPY(&self->stream, stream);
    self->always = tusk_descriptor_always_ready(&self->what);
    begin(self, return_value);
}

TUSK_METHOD(Tusk_Watch, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Watch, onReadable)
{
    watch_stream(INTERNAL_FUNCTION_PARAM_PASSTHRU, TUSK_IO_READ);
}

TUSK_METHOD(Tusk_Watch, onWritable)
{
    watch_stream(INTERNAL_FUNCTION_PARAM_PASSTHRU, TUSK_IO_WRITE);
}

TUSK_METHOD(Tusk_Watch, onSignal)
{
    zend_long number;
    zend_object *closure;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_LONG(number)
    Z_PARAM_CLOSURE_OF(closure, &with_id)
    ZEND_PARSE_PARAMETERS_END();

    if (number < 1 || number > INT32_MAX) {
        zend_argument_value_error(1, "must be a signal's number, " ZEND_LONG_FMT " given", number);
        RETURN_THROWS();
    }
    tusk_watch *self = make(closure);
    if (self == NULL) {
        RETURN_THROWS();
    }
    self->number = (int)number;
    begin(self, return_value);
}

/* ---- by its id ---- */
/* False: an exception was thrown. `*out` NULL: it is gone. */
static bool find(INTERNAL_FUNCTION_PARAMETERS, tusk_watch **out)
{
    zend_string *id;

    *out = NULL;
    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(id)
    ZEND_PARSE_PARAMETERS_END_EX(return false);

    (void)return_value;
    *out = TUSK_G(watches) == NULL ? NULL : zend_hash_find_ptr(TUSK_G(watches), id);
    return true;
}

TUSK_METHOD(Tusk_Watch, enable)
{
    tusk_watch *self;
    if (!find(INTERNAL_FUNCTION_PARAM_PASSTHRU, &self)) {
        RETURN_THROWS();
    }
    if (self == NULL) {
        zend_argument_value_error(1, "is no watch's id, or that of one that is gone");
        RETURN_THROWS();
    }
    (void)enable(self);
}

TUSK_METHOD(Tusk_Watch, disable)
{
    tusk_watch *self;
    if (find(INTERNAL_FUNCTION_PARAM_PASSTHRU, &self) && self != NULL) {
        disable(self);
    }
}

TUSK_METHOD(Tusk_Watch, cancel)
{
    tusk_watch *self;
    if (find(INTERNAL_FUNCTION_PARAM_PASSTHRU, &self) && self != NULL) {
        zend_hash_del(TUSK_G(watches), self->id);
    }
}
