/* SPDX-License-Identifier: MIT */
/* Wait: for a stream or a descriptor that somebody else reads and writes. */
#include "src/run/wait.h"

#include "src/parameters.h"
#include "src/run/call.h"
#include "src/run/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { LOOK_MS = 100 };

typedef struct fd_wait {
    tusk_io io;
    tusk_timer late_timer;
    tusk_timer look; /* whether it was closed meanwhile, which no poller tells */
    tusk_wait wait;
    tusk_loop *loop;
    tusk_descriptor what;
    bool ready, late, closed;
} fd_wait;

static void on_event(tusk_io *io, unsigned events)
{
    fd_wait *self = TUSK_OWNER(io, fd_wait, io);
    (void)events;
    self->ready = true;
    tusk_io_set(self->loop, io, 0);
    tusk_wait_wake(&self->wait);
}

static void on_late(tusk_timer *timer)
{
    fd_wait *self = TUSK_OWNER(timer, fd_wait, late_timer);
    self->late = true;
    tusk_wait_wake(&self->wait);
}

static void on_look(tusk_timer *timer)
{
    fd_wait *self = TUSK_OWNER(timer, fd_wait, look);
    if (tusk_descriptor_closed(&self->what)) {
        self->closed = true;
        tusk_wait_wake(&self->wait);
    } else {
        tusk_timer_start(self->loop, timer, LOOK_MS);
    }
}

/* ---- by blocking ---- */
static bool block(int fd, bool write, uint64_t until_ns, bool *ready)
{
    for (;;) {
        struct pollfd poller = {.fd = fd, .events = write ? POLLOUT : POLLIN};
        int64_t left_ms = until_ns == UINT64_MAX ? -1 : (int64_t)tusk_ms_until(until_ns);
        int n = poll(&poller, 1, left_ms > INT32_MAX ? INT32_MAX : (int)left_ms);
        if (n > 0) {
            *ready = true;
            return true;
        }
        if (n < 0 && errno != EINTR) {
            tusk_throw(TUSK_ESYS, "Cannot wait for the descriptor");
            return false;
        }
        if (!tusk_serve_interrupts()) {
            return false;
        }
        if (n == 0 && (until_ns != UINT64_MAX && tusk_loop_clock_ns() >= until_ns)) {
            return true;
        }
    }
}

/* ---- by parking ---- */
static tusk_err watch(fd_wait *self, bool write)
{
    self->loop = TUSK_G(loop);
    int fd = tusk_descriptor_dup(&self->what);
    if (fd < 0) {
        return TUSK_ESYS;
    }
    self->io = (tusk_io){.fd = fd, .on_event = on_event};
    tusk_err err = tusk_io_add(self->loop, &self->io, write ? TUSK_IO_WRITE : TUSK_IO_READ);
    if (err == TUSK_ESYS && errno == EPERM) {
        self->ready = true; /* epoll refuses what is always ready */
        err = TUSK_OK;
    }
    return err;
}

static void unwatch(fd_wait *self)
{
    tusk_timer_stop(self->loop, &self->late_timer);
    tusk_timer_stop(self->loop, &self->look);
    tusk_io_remove(self->loop, &self->io);
    if (self->io.fd > 0) {
        close(self->io.fd);
    }
}

/* `*plainly`: nobody can be left aside here. False: an exception was thrown. */
static bool park(fd_wait *self, bool write, uint64_t until_ns, bool *plainly)
{
    bool ok = true;
    tusk_err err = watch(self, write);
    if (err != TUSK_OK) {
        tusk_throw(err, "Cannot wait for the descriptor");
        ok = false;
    } else if (until_ns != UINT64_MAX) {
        self->late_timer.on_due = on_late;
        tusk_timer_start(self->loop, &self->late_timer, tusk_ms_until(until_ns));
    }
    self->look.on_due = on_look;
    tusk_timer_start(self->loop, &self->look, LOOK_MS);
    while (ok && !*plainly && !self->ready && !self->late && !self->closed) {
        tusk_wait_end end = tusk_wait_park(&self->wait, TUSK_WAIT_ANY_TIME);
        *plainly = end == WAIT_BLOCK;
        ok = end == WAIT_WOKEN || end == WAIT_BLOCK;
    }
    unwatch(self);
    if (ok && self->closed && !self->ready) {
        zend_throw_exception(tusk_ce_exception, "The stream was closed while it was waited for", 0);
        ok = false;
    }
    return ok;
}

/* `until_ns` 0: looks. */
static bool wait_fd(fd_wait *self, bool write, uint64_t until_ns, bool *ready)
{
    bool plainly = until_ns == 0 || TUSK_G(run) == NULL || TUSK_G(fiber) == NULL;
    *ready = tusk_descriptor_always_ready(&self->what) ||
             (!write && tusk_descriptor_buffered(&self->what));
    if (*ready) {
        return true;
    }
    if (!plainly) {
        if (!park(self, write, until_ns, &plainly)) {
            return false;
        }
        *ready = self->ready;
        if (!*ready && !plainly) { /* a short time may be over before the poller was asked */
            return block(self->what.fd, write, 0, ready);
        }
    }
    return !plainly || block(self->what.fd, write, until_ns, ready);
}

static void wait_for(INTERNAL_FUNCTION_PARAMETERS, bool write)
{
    zval *value;
    double seconds = 0;
    bool none = true;
    bool ready = false;
    fd_wait self = {0};

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_ZVAL(value)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(seconds, none)
    ZEND_PARSE_PARAMETERS_END();

    if (!none && !tusk_seconds_valid(seconds, 2)) {
        RETURN_THROWS();
    }
    uint64_t until_ns = none           ? UINT64_MAX
                        : seconds == 0 ? 0
                                       : tusk_loop_clock_ns() + (uint64_t)(seconds * 1e9);
    if (tusk_descriptor_take(&self.what, value)) {
        (void)wait_fd(&self, write, until_ns, &ready);
    }
    tusk_descriptor_fini(&self.what);
    RETVAL_BOOL(ready);
}

TUSK_METHOD(Tusk_Wait, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Wait, readable)
{
    wait_for(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

TUSK_METHOD(Tusk_Wait, writable)
{
    wait_for(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

TUSK_METHOD(Tusk_Wait, parks)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(TUSK_G(run) != NULL && TUSK_G(fiber) != NULL && !tusk_calls_forked() &&
                !zend_fiber_switch_blocked() && OG(running) == NULL);
}
