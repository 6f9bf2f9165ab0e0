/* SPDX-License-Identifier: MIT */
/* Wait::curl(): transfers of PHP's curl, driven by the descriptors and the time that libcurl names.
 */
#include "src/run/wait.h"

#include "src/parameters.h"

#include <dlfcn.h>
#include <ext/spl/spl_exceptions.h>
#include <sys/select.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wsign-conversion" /* within musl's FD_SET and its like */
#endif

/* Of libcurl's stable interface. We do not link it: it is there when PHP's extension is. */
enum { OPT_SOCKETFUNCTION = 20001, OPT_SOCKETDATA = 10002, OPT_TIMERFUNCTION = 20004 };
enum { OPT_TIMERDATA = 10005, SOCKET_TIMEOUT = -1, BLOCK_MS = 1000 };
enum { WANT_IN = 1, WANT_OUT = 2, WANT_NONE = 4 };
enum { SELECT_IN = 1, SELECT_OUT = 2, SELECT_ERR = 4 };

typedef struct curl_calls {
    int (*setopt)(void *multi, int option, ...);
    int (*action)(void *multi, int fd, int events, int *running);
    int (*timeout)(void *multi, long *ms);
    int (*perform)(void *multi, int *running);
    int (*poll)(void *multi, void *more, unsigned count, int ms, int *ready);
    int (*fdset)(void *multi, fd_set *in, fd_set *out, fd_set *odd, int *last);
} curl_calls;

typedef struct curl_socket {
    tusk_io io;
    struct curl_wait *owner;
    int events; /* that came and libcurl was not told */
    struct curl_socket *next;
} curl_socket;

typedef struct curl_wait {
    curl_calls calls;
    void *multi;
    tusk_loop *loop;
    tusk_wait wait;
    tusk_timer timer; /* libcurl's */
    tusk_timer late_timer;
    curl_socket *sockets;
    struct curl_wait *next; /* of those that drive a multi handle now */
    int running;
    bool telling; /* libcurl is at work for us: what it says belongs to that */
    bool due, late, failed;
} curl_wait;

/* ---- finding libcurl, and what stands behind PHP's object ---- */
static bool find_calls(curl_calls *out)
{
    *(void **)&out->setopt = dlsym(RTLD_DEFAULT, "curl_multi_setopt");
    *(void **)&out->action = dlsym(RTLD_DEFAULT, "curl_multi_socket_action");
    *(void **)&out->timeout = dlsym(RTLD_DEFAULT, "curl_multi_timeout");
    *(void **)&out->perform = dlsym(RTLD_DEFAULT, "curl_multi_perform");
    *(void **)&out->poll = dlsym(RTLD_DEFAULT, "curl_multi_poll");
    *(void **)&out->fdset = dlsym(RTLD_DEFAULT, "curl_multi_fdset");
    return out->setopt != NULL && out->fdset != NULL && out->action != NULL &&
           out->timeout != NULL && out->perform != NULL && out->poll != NULL;
}

/* A CurlMultiHandle's struct begins with libcurl's handle (8.2 and newer); libcurl itself says
 * whether that is one. */
static void *multi_of(const curl_calls *calls, zend_object *object)
{
    long ms;
    void *multi = *(void **)(void *)((char *)object - object->handlers->offset);
    return PHP_VERSION_ID >= 80200 && multi != NULL && calls->timeout(multi, &ms) == 0 ? multi
                                                                                       : NULL;
}

/* ---- what libcurl wants ---- */
static void on_event(tusk_io *io, unsigned events)
{
    curl_socket *self = TUSK_OWNER(io, curl_socket, io);
    self->events = ((events & TUSK_IO_READ) != 0 ? SELECT_IN : 0) |
                   ((events & TUSK_IO_WRITE) != 0 ? SELECT_OUT : 0) |
                   ((events & TUSK_IO_HUP) != 0 ? SELECT_ERR : 0);
    tusk_wait_wake(&self->owner->wait);
}

static void drop(curl_wait *self, curl_socket **at)
{
    curl_socket *socket = *at;
    *at = socket->next;
    tusk_io_remove(self->loop, &socket->io);
    efree(socket);
}

static void watch(curl_wait *self, int fd, unsigned interest)
{
    curl_socket *socket = ecalloc(1, sizeof(*socket));
    socket->owner = self;
    socket->io = (tusk_io){.fd = fd, .on_event = on_event};
    if (tusk_io_add(self->loop, &socket->io, interest) != TUSK_OK) {
        efree(socket);
        self->failed = true;
        return;
    }
    socket->next = self->sockets;
    self->sockets = socket;
}

/* Somebody else added or removed a handle, or ended its connection: libcurl is asked anew. */
static void was_changed(curl_wait *self)
{
    if (!self->telling) {
        self->due = true;
        tusk_wait_wake(&self->wait);
    }
}

static int on_socket(void *easy, int fd, int what, void *user, void *socket_user)
{
    curl_wait *self = user;
    unsigned interest = ((what & WANT_IN) != 0 && what != WANT_NONE ? TUSK_IO_READ : 0u) |
                        ((what & WANT_OUT) != 0 && what != WANT_NONE ? TUSK_IO_WRITE : 0u);
    curl_socket **at = &self->sockets;
    (void)easy;
    (void)socket_user;
    while (*at != NULL && (*at)->io.fd != fd) {
        at = &(*at)->next;
    }
    if (what == WANT_NONE) {
        if (*at != NULL) {
            drop(self, at);
        }
    } else if (*at != NULL) {
        tusk_io_set(self->loop, &(*at)->io, interest);
    } else {
        watch(self, fd, interest);
    }
    was_changed(self);
    return 0;
}

static void on_due(tusk_timer *timer)
{
    curl_wait *self = TUSK_OWNER(timer, curl_wait, timer);
    self->due = true;
    tusk_wait_wake(&self->wait);
}

static int on_timer(void *multi, long ms, void *user)
{
    curl_wait *self = user;
    (void)multi;
    if (ms < 0) {
        tusk_timer_stop(self->loop, &self->timer);
    } else {
        tusk_timer_start(self->loop, &self->timer, (uint64_t)ms);
    }
    was_changed(self);
    return 0;
}

/* Transfers that were under way before: libcurl tells of changes only. Descriptors from FD_SETSIZE
 * on it does not name here: their transfers go on with the next change or time. */
static void go_on(curl_wait *self)
{
    fd_set in;
    fd_set out;
    fd_set odd;
    long ms = -1;
    int last = -1;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_ZERO(&odd);
    if (self->calls.fdset(self->multi, &in, &out, &odd, &last) == 0) {
        for (int fd = 0; fd <= last; fd++) {
            unsigned interest =
                (FD_ISSET(fd, &in) ? TUSK_IO_READ : 0u) | (FD_ISSET(fd, &out) ? TUSK_IO_WRITE : 0u);
            if (interest != 0) {
                watch(self, fd, interest);
            }
        }
    }
    if (self->calls.timeout(self->multi, &ms) == 0) {
        (void)on_timer(self->multi, ms, self);
    }
}

static void on_late(tusk_timer *timer)
{
    curl_wait *self = TUSK_OWNER(timer, curl_wait, late_timer);
    self->late = true;
    tusk_wait_wake(&self->wait);
}

/* ---- by parking; libcurl, and the user's callbacks, run on the stack of who waits ---- */
static curl_socket *next_ready(curl_wait *self)
{
    curl_socket *socket = self->sockets;
    while (socket != NULL && socket->events == 0) {
        socket = socket->next;
    }
    return socket;
}

static void tell(curl_wait *self)
{
    curl_socket *socket;
    self->telling = true;
    while (EG(exception) == NULL && (socket = next_ready(self)) != NULL) {
        int events = socket->events;
        socket->events = 0; /* it may be gone when the call returns */
        self->failed |= self->calls.action(self->multi, socket->io.fd, events, &self->running) != 0;
    }
    if (EG(exception) == NULL && self->due) {
        self->due = false;
        self->failed |= self->calls.action(self->multi, SOCKET_TIMEOUT, 0, &self->running) != 0;
    }
    self->telling = false;
}

static void listen_to(curl_wait *self, bool on)
{
    self->calls.setopt(self->multi, OPT_SOCKETFUNCTION, on ? on_socket : NULL);
    self->calls.setopt(self->multi, OPT_SOCKETDATA, on ? self : NULL);
    self->calls.setopt(self->multi, OPT_TIMERFUNCTION, on ? on_timer : NULL);
    self->calls.setopt(self->multi, OPT_TIMERDATA, on ? self : NULL);
}

/* False: an exception was thrown, or `*plainly`: nobody can be left aside here. */
static bool park(curl_wait *self, int64_t ms, bool *plainly)
{
    bool ok = true;
    self->loop = TUSK_G(loop);
    self->timer.on_due = on_due;
    self->late_timer.on_due = on_late;
    if (ms >= 0) {
        tusk_timer_start(self->loop, &self->late_timer, (uint64_t)ms);
    }
    listen_to(self, true);
    self->telling = true;
    go_on(self);
    self->due = true;
    tell(self);
    while (ok && self->running > 0 && !self->late && !self->failed && EG(exception) == NULL) {
        tusk_wait_end end = tusk_wait_park(&self->wait, TUSK_WAIT_ANY_TIME);
        *plainly = end == WAIT_BLOCK;
        ok = end == WAIT_WOKEN;
        if (ok) {
            tell(self);
        }
    }
    listen_to(self, false);
    while (self->sockets != NULL) {
        drop(self, &self->sockets);
    }
    tusk_timer_stop(self->loop, &self->timer);
    tusk_timer_stop(self->loop, &self->late_timer);
    return ok && EG(exception) == NULL;
}

/* ---- by blocking ---- */
static bool block(curl_wait *self, int64_t ms)
{
    uint64_t until_ms = tusk_loop_clock_ns() / 1000000u + (uint64_t)(ms < 0 ? 0 : ms);
    for (;;) {
        self->failed |= self->calls.perform(self->multi, &self->running) != 0;
        if (EG(exception) != NULL || self->failed || self->running == 0) {
            return EG(exception) == NULL;
        }
        uint64_t now_ms = tusk_loop_clock_ns() / 1000000u;
        if (ms >= 0 && now_ms >= until_ms) {
            self->late = true;
            return true;
        }
        uint64_t left_ms = ms < 0 ? BLOCK_MS : until_ms - now_ms;
        (void)self->calls.poll(self->multi, NULL, 0, left_ms > BLOCK_MS ? BLOCK_MS : (int)left_ms,
                               NULL);
        if (!tusk_serve_interrupts()) {
            return false;
        }
    }
}

static bool is_driven(const void *multi)
{
    const curl_wait *other = TUSK_G(curl_waits);
    while (other != NULL && other->multi != multi) {
        other = other->next;
    }
    return other != NULL;
}

static bool drive(curl_wait *self, int64_t ms)
{
    bool plainly = TUSK_G(run) == NULL || TUSK_G(fiber) == NULL;
    self->next = TUSK_G(curl_waits);
    TUSK_G(curl_waits) = self;
    bool ok = !plainly && park(self, ms, &plainly);
    if (plainly && EG(exception) == NULL) {
        ok = block(self, ms);
    }
    curl_wait **at = &TUSK_G(curl_waits);
    while (*at != NULL && *at != self) {
        at = &(*at)->next;
    }
    *at = *at == NULL ? NULL : self->next;
    return ok;
}

TUSK_METHOD(Tusk_Wait, curl)
{
    zval *multi;
    double seconds = 0;
    bool none = true;
    curl_wait self = {0};

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_OBJECT(multi)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(seconds, none)
    ZEND_PARSE_PARAMETERS_END();

    if (!zend_string_equals_literal(Z_OBJCE_P(multi)->name, "CurlMultiHandle")) {
        zend_argument_type_error(1, "must be of type CurlMultiHandle, %s given",
                                 ZSTR_VAL(Z_OBJCE_P(multi)->name));
        RETURN_THROWS();
    }
    if (!none && !tusk_seconds_valid(seconds, 2)) {
        RETURN_THROWS();
    }
    if (!find_calls(&self.calls) || (self.multi = multi_of(&self.calls, Z_OBJ_P(multi))) == NULL) {
        zend_throw_exception(tusk_ce_exception,
                             "The libcurl behind PHP's extension curl cannot be reached", 0);
        RETURN_THROWS();
    }
    int64_t ms = none ? -1 : (int64_t)tusk_seconds_in_ms(seconds);
    if (is_driven(self.multi)) {
        zend_throw_exception(spl_ce_LogicException, "Another task waits for this CurlMultiHandle",
                             0);
        RETURN_THROWS();
    }
    bool ok = drive(&self, ms);
    if (ok && self.failed) {
        zend_throw_exception(tusk_ce_exception, "libcurl cannot go on", 0);
        RETURN_THROWS();
    }
    RETURN_BOOL(ok && !self.late);
}
