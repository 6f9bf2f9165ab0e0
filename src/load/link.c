/* SPDX-License-Identifier: MIT */
/* A link: the socket of a load connection, TLS on it, bytes in and out with as few calls as can be.
 */
#define _GNU_SOURCE
#include "load/worker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

#define CLOCK_EVERY 16
#define REST_COPIED_MAX 4096 /* a longer rest stays where it is and grows there */
#define ROUNDS_MAX 4         /* receives of one link and turn */
#define REST_ROOM ((size_t)64 * 1024)

/* ---- the clock: read by the loop after each wait, and again for large batches ---- */
/* Opening takes so long, and TLS computes for so long, that the link before is none too old. */
static void look_at_clock(load_worker *self, const load_link *link)
{
    uint64_t turn = tusk_loop_now_ns(self->loop);
    if (turn != self->turn_ns) {
        self->turn_ns = turn;
        self->served = 0;
        self->now = turn > self->now ? turn : self->now;
    } else if (++self->served % CLOCK_EVERY == 0 || link->filter != NULL || link->handshake ||
               link->worker->mode->each) {
        self->now = tusk_loop_clock_ns();
    }
}

/* ---- what the poller watches ---- */
/* A plain link reads until nothing is left, so that it need not be told twice: level triggering has
 * the kernel look at each socket once more with every wait. */
static void watch(load_link *self, unsigned more)
{
    unsigned want = more | (self->out_len > 0 ? (unsigned)TUSK_IO_WRITE : 0) |
                    (self->paused ? 0 : (unsigned)TUSK_IO_READ);
    if (want == (unsigned)TUSK_IO_READ && self->filter == NULL) {
        want |= TUSK_IO_EDGE;
    }
    (void)tusk_io_set(self->worker->loop, &self->io, want);
}

/* ---- ends ---- */
static void drop_bytes(const load_worker *worker, uint8_t **ptr, size_t *cap)
{
    tusk__free(worker->mem, *ptr, *cap);
    *ptr = NULL;
    *cap = 0;
}

void tusk__load_link_close(load_link *self)
{
    load_worker *worker = self->worker;
    if (self->state == LINK_FREE) {
        return;
    }
    if (self->io.fd >= 0) {
        tusk_io_remove(worker->loop, &self->io);
        (void)close(self->io.fd);
        self->io.fd = -1;
    }
    tusk_tls_filter_free(self->filter);
    self->filter = NULL;
    drop_bytes(worker, &self->rest, &self->rest_cap);
    drop_bytes(worker, &self->out, &self->out_cap);
    self->rest_len = self->out_len = self->out_at = 0;
    self->state = LINK_FREE;
    self->usable = false;
    self->paused = false;
    self->life++;
    if (self->handshake) {
        self->handshake = false;
        worker->opening--;
    }
    if (self->counted) {
        self->counted = false;
        worker->cell->totals[LOAD_OPEN]--;
        tusk__load_link_count(self, LOAD_CLOSED);
    }
}

static const char *words_of(tusk_err why)
{
    switch ((int)why) {
    case TUSK_EEOF: return "the server closed it";
    case TUSK_ERESET: return "connection reset";
    case TUSK_EREFUSED: return "connection refused";
    case TUSK_EADDRINUSE: return "no source port is free: give more sources";
    default: return tusk_err_text(why);
    }
}

static void ended(load_link *self, tusk_err why)
{
    char text[LOAD_ERROR_MAX];
    const char *reason = why == TUSK_ETLS ? tusk_filter_reason(self->filter) : NULL;
    (void)snprintf(text, sizeof(text), "%s%s", reason != NULL ? "TLS: " : "",
                   reason != NULL ? reason : words_of(why));
    tusk__load_link_close(self);
    if (!self->worker->mode->on_ended(self, why)) {
        tusk__load_link_lost(self, why, text);
    } else if (!self->worker->mode->each) {
        tusk__load_link_gone(self);
    }
    tusk__load_room(self);
}

void tusk__load_link_fail(load_link *self, tusk_err why, const char *what)
{
    tusk__load_link_close(self);
    tusk__load_link_lost(self, why, what);
    tusk__load_room(self);
}

static bool read_some(load_link *self, size_t most);

/* ---- opening ---- */
static void went_up(load_link *self)
{
    load_worker *worker = self->worker;
    self->state = LINK_OPEN;
    self->up_ns = worker->now;
    watch(self, 0);
    uint32_t life = self->life;
    worker->mode->on_up(self);
    while (self->life == life && self->filter != NULL && tusk_filter_pending(self->filter) &&
           read_some(self, SIZE_MAX)) {
    }
}

static void shake_hands(load_link *self)
{
    load_worker *worker = self->worker;
    unsigned want = 0;
    ptrdiff_t result = tusk_filter_handshake(self->filter, self->io.fd, &want);
    if (result == TUSK_EAGAIN) {
        (void)tusk_io_set(worker->loop, &self->io, want);
        return;
    }
    if (result < 0) {
        ended(self, result == TUSK_ERESET ? TUSK_ERESET : TUSK_ETLS);
        return;
    }
    worker->now = tusk_loop_clock_ns(); /* our own half of the handshake is a part of it */
    tusk__load_link_record(self, LOAD_HIST_TLS, tusk__load_since(self->up_ns, worker->now));
    if (tusk_filter_resumed(self->filter)) {
        tusk__load_link_count(self, LOAD_RESUMED_TLS);
    }
    if (worker->cell->tls_version[0] == '\0') {
        (void)snprintf(worker->cell->tls_version, LOAD_TLS_MAX, "%s",
                       tusk_filter_version(self->filter));
        (void)snprintf(worker->cell->tls_cipher, LOAD_TLS_MAX, "%s",
                       tusk_filter_cipher(self->filter));
    }
    went_up(self);
}

static void connected(load_link *self)
{
    load_worker *worker = self->worker;
    int number = 0;
    socklen_t len = sizeof(number);
    if (getsockopt(self->io.fd, SOL_SOCKET, SO_ERROR, &number, &len) != 0 || number != 0) {
        tusk_err err = tusk__load_dial_on(self, tusk__load_err_of(number));
        if (err != TUSK_OK) {
            ended(self, err);
        }
        return;
    }
    tusk__load_dial_answered(self);
    tusk__load_link_count(self, LOAD_CONNECTED);
    tusk__load_link_record(self, LOAD_HIST_TCP, tusk__load_since(self->began_ns, worker->now));
    self->tcp_ns = self->up_ns = worker->now;
    if (self->filter != NULL) {
        self->state = LINK_SECURING;
        shake_hands(self);
        return;
    }
    went_up(self);
}

static void on_event(tusk_io *io, unsigned events);

void tusk__load_link_open(load_link *self, const load_target *target)
{
    load_worker *worker = self->worker;
    const load_plan *plan = worker->plan;
    self->state = LINK_CONNECTING;
    self->handshake = true;
    worker->opening++;
    self->began_ns = worker->now;
    self->up_ns = worker->now;
    self->target = target;
    self->io.on_event = on_event;
    tusk_err err = TUSK_OK;
    if (target->secure) {
        const char *name = plan->tls_server_name.len > 0 ? plan->tls_server_name.ptr : target->host;
        err = tusk_tls_filter_new(&self->filter, worker->tls, name);
    }
    if (err == TUSK_OK) {
        err = tusk__load_dial(self);
    }
    if (err != TUSK_OK) {
        ended(self, err);
    }
}

void tusk__load_link_impatient(load_link *self, uint64_t waited, uint64_t timeout)
{
    if (waited <= timeout / self->target->addr_count * (self->refusals + 1U)) {
        return;
    }
    if (tusk__load_dial_on(self, TUSK_ETIMEOUT) != TUSK_OK) {
        tusk__load_link_fail(self, TUSK_ETIMEOUT, "no connection within the timeout");
    }
}

/* ---- writing ---- */
/* Bytes that the kernel took; < 0: an error. */
static ptrdiff_t hand_over(load_link *self, const uint8_t *ptr, size_t len)
{
    if (self->filter != NULL) {
        size_t sum = 0;
        while (sum < len) {
            unsigned want = 0;
            ptrdiff_t took = tusk_filter_write(self->filter, ptr + sum, len - sum, &want);
            if (took == TUSK_EAGAIN) {
                break;
            }
            if (took <= 0) {
                return took == 0 ? TUSK_ERESET : took;
            }
            sum += (size_t)took;
        }
        return (ptrdiff_t)sum;
    }
    ssize_t took;
    do {
        took = send(self->io.fd, ptr, len, MSG_NOSIGNAL);
    } while (took < 0 && errno == EINTR);
    if (took < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS
                   ? 0
                   : tusk__load_err_of(errno);
    }
    return took;
}

static bool keep_output(load_link *self, const uint8_t *ptr, size_t len)
{
    if (self->out_at > 0) {
        memmove(self->out, self->out + self->out_at, self->out_len);
        self->out_at = 0;
    }
    if (self->out_cap - self->out_len < len) {
        size_t cap = (self->out_len + len) * 2;
        uint8_t *grown = tusk__resize(self->worker->mem, self->out, self->out_cap, cap);
        if (grown == NULL) {
            return false;
        }
        self->out = grown;
        self->out_cap = cap;
    }
    memcpy(self->out + self->out_len, ptr, len);
    self->out_len += len;
    return true;
}

/* In pieces of `chop` bytes where that is asked for: each is a segment of its own on the wire. */
static ptrdiff_t hand_over_chopped(load_link *self, const uint8_t *ptr, size_t len)
{
    size_t piece = (size_t)self->worker->plan->chop;
    size_t sum = 0;
    while (sum < len) {
        size_t part = len - sum < piece ? len - sum : piece;
        ptrdiff_t took = hand_over(self, ptr + sum, part);
        if (took < 0) {
            return took;
        }
        sum += (size_t)took;
        if ((size_t)took < part) {
            break;
        }
    }
    return (ptrdiff_t)sum;
}

bool tusk__load_link_send(load_link *self, const uint8_t *ptr, size_t len)
{
    load_worker *worker = self->worker;
    tusk__load_count(worker, LOAD_BYTES_SENT, len);
    if (self->out_len == 0) {
        ptrdiff_t took =
            worker->plan->chop > 0 ? hand_over_chopped(self, ptr, len) : hand_over(self, ptr, len);
        if (took < 0) {
            ended(self, (tusk_err)took);
            return false;
        }
        if ((size_t)took == len) {
            return true;
        }
        ptr += took;
        len -= (size_t)took;
    }
    if (!keep_output(self, ptr, len)) {
        tusk__load_link_fail(self, TUSK_ENOMEM, "out of memory");
        return false;
    }
    watch(self, 0);
    return true;
}

static bool write_rest(load_link *self)
{
    const uint8_t *at = self->out + self->out_at;
    ptrdiff_t took = self->worker->plan->chop > 0 ? hand_over_chopped(self, at, self->out_len)
                                                  : hand_over(self, at, self->out_len);
    if (took < 0) {
        ended(self, (tusk_err)took);
        return false;
    }
    self->out_at += (size_t)took;
    self->out_len -= (size_t)took;
    if (self->out_len > 0) {
        return true;
    }
    drop_bytes(self->worker, &self->out, &self->out_cap);
    self->out_at = 0;
    watch(self, 0);
    uint32_t life = self->life;
    if (self->worker->mode->on_drained != NULL) {
        self->worker->mode->on_drained(self);
    }
    return self->life == life;
}

/* ---- reading ---- */
/* > 0 bytes, 0 the end, TUSK_EAGAIN, other errors. */
static ptrdiff_t receive(load_link *self, uint8_t *ptr, size_t cap)
{
    if (self->filter != NULL) {
        unsigned want = 0;
        ptrdiff_t got = tusk_filter_read(self->filter, ptr, cap, &want);
        if (got == TUSK_EAGAIN && (want & TUSK_IO_WRITE) != 0) {
            watch(self, TUSK_IO_WRITE);
        }
        return got;
    }
    ssize_t got;
    do {
        got = recv(self->io.fd, ptr, cap, 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK ? TUSK_EAGAIN
                                                       : (ptrdiff_t)tusk__load_err_of(errno);
    }
    return got;
}

static bool grow_rest(load_link *self, size_t need)
{
    if (self->rest_cap >= need) {
        return true;
    }
    size_t cap = self->rest_cap * 2 > need ? self->rest_cap * 2 : need;
    uint8_t *grown = tusk__resize(self->worker->mem, self->rest, self->rest_cap, cap);
    if (grown == NULL) {
        return false;
    }
    self->rest = grown;
    self->rest_cap = cap;
    return true;
}

/* Puts away what the mode left of [ptr, ptr + len). */
static bool keep_input(load_link *self, const uint8_t *ptr, size_t len)
{
    if (len == 0) {
        if (self->rest != NULL) {
            drop_bytes(self->worker, &self->rest, &self->rest_cap);
        }
        self->rest_len = 0;
        return true;
    }
    bool inside = self->rest != NULL && ptr >= self->rest && ptr < self->rest + self->rest_cap;
    if (!inside && !grow_rest(self, len)) {
        return false;
    }
    memmove(self->rest, ptr, len);
    self->rest_len = len;
    return true;
}

/* One receive and what the mode makes of it; false: the link is gone, or there is nothing more. */
static bool read_some(load_link *self, size_t most)
{
    load_worker *worker = self->worker;
    size_t cap;
    uint8_t *place = tusk_loop_landing(worker->loop, &cap);
    size_t had = self->rest_len;
    if (had > REST_COPIED_MAX) {
        if (!grow_rest(self, had + REST_ROOM)) {
            tusk__load_link_fail(self, TUSK_ENOMEM, "out of memory");
            return false;
        }
        place = self->rest;
        cap = self->rest_cap;
    }
    cap = cap - had < most ? cap - had : most;
    ptrdiff_t got = receive(self, place + had, cap);
    if (got == TUSK_EAGAIN) {
        return false;
    }
    if (got <= 0) {
        ended(self, got == 0 ? TUSK_EEOF : (tusk_err)got);
        return false;
    }
    tusk__load_count(worker, LOAD_BYTES_RECEIVED, (uint64_t)got);
    if (had > 0 && place != self->rest) {
        memcpy(place, self->rest, had);
    }
    size_t len = had + (size_t)got;
    uint32_t life = self->life;
    size_t taken = worker->mode->on_bytes(self, place, len);
    if (self->life != life) {
        return false;
    }
    if (!keep_input(self, place + taken, len - taken)) {
        tusk__load_link_fail(self, TUSK_ENOMEM, "out of memory");
        return false;
    }
    if (self->filter != NULL) {
        return !self->paused && tusk_filter_pending(self->filter);
    }
    return (size_t)got == cap && !self->paused;
}

void tusk__load_link_want_write(load_link *self)
{
    watch(self, TUSK_IO_WRITE);
}

void tusk__load_link_pause(load_link *self, bool paused)
{
    self->paused = paused;
    if (self->state == LINK_OPEN) {
        watch(self, 0);
    }
}

void tusk__load_link_sip(load_link *self, size_t most)
{
    if (self->state == LINK_OPEN && most > 0) {
        (void)read_some(self, most);
    }
}

/* To the end, but for a few landing buffers in fairness to others: then it is told again. */
static void read_all(load_link *self, bool to_the_end)
{
    int rounds = 0;
    uint32_t life = self->life;
    while (read_some(self, SIZE_MAX) ||
           (to_the_end && self->life == life && self->state == LINK_OPEN && !self->paused)) {
        if (++rounds == ROUNDS_MAX && self->filter == NULL) {
            (void)tusk_io_set(self->worker->loop, &self->io,
                              TUSK_IO_READ | (self->io.interest & (unsigned)TUSK_IO_WRITE));
            return;
        }
    }
    if (self->life == life && self->state == LINK_OPEN &&
        (self->io.interest & (unsigned)TUSK_IO_EDGE) == 0) {
        watch(self, self->io.interest & (unsigned)TUSK_IO_WRITE);
    }
}

static void on_open_event(load_link *self, unsigned events)
{
    if (self->out_len > 0 && (events & (TUSK_IO_WRITE | TUSK_IO_HUP)) != 0 && !write_rest(self)) {
        return;
    }
    if (self->state != LINK_OPEN) {
        return;
    }
    if (self->paused) {
        if ((events & TUSK_IO_HUP) != 0) {
            ended(self, TUSK_ERESET); /* or it would be reported for ever */
        }
        return;
    }
    if (self->out_len == 0 && (self->io.interest & TUSK_IO_WRITE) != 0) {
        uint32_t life = self->life;
        watch(self, 0); /* TLS could not answer */
        if (self->worker->mode->on_drained != NULL) {
            self->worker->mode->on_drained(self);
        }
        if (self->life != life) {
            return;
        }
    }
    if ((events & (TUSK_IO_READ | TUSK_IO_HUP)) != 0 || self->filter != NULL) {
        read_all(self, (events & (TUSK_IO_EDGE | TUSK_IO_HUP)) != 0);
    }
}

static void on_event(tusk_io *io, unsigned events)
{
    load_link *self = (load_link *)(void *)io;
    look_at_clock(self->worker, self);
    switch ((load_link_state)self->state) {
    case LINK_FREE: break;
    case LINK_CONNECTING: connected(self); break;
    case LINK_SECURING: shake_hands(self); break;
    case LINK_OPEN: on_open_event(self, events); break;
    }
}
