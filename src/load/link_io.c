/* SPDX-License-Identifier: MIT */
/* The bytes of a link that is open: in and out with as few calls as can be. */
#include "load/worker.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"

#define REST_COPIED_MAX 4096 /* a longer rest stays where it is and grows there */
#define ROUNDS_MAX 4         /* receives of one link and turn */
#define REST_ROOM ((size_t)64 * 1024)

/* ---- what the poller watches ---- */
/* A plain link reads until nothing is left, so that it need not be told twice: level triggering has
 * the kernel look at each socket once more with every wait. */
void tusk__load_link_watch(load_link *self, unsigned more)
{
    unsigned want = more | (self->out_len > 0 ? (unsigned)TUSK_IO_WRITE : 0) |
                    (self->paused ? 0 : (unsigned)TUSK_IO_READ);
    if (want == (unsigned)TUSK_IO_READ && self->filter == NULL) {
        want |= TUSK_IO_EDGE;
    }
    (void)tusk_io_set(self->worker->loop, &self->io, want);
}

static void drop_bytes(const load_worker *worker, uint8_t **ptr, size_t *cap)
{
    tusk__free(worker->mem, *ptr, *cap);
    *ptr = NULL;
    *cap = 0;
}

void tusk__load_link_drop_bytes(load_link *self)
{
    drop_bytes(self->worker, &self->rest, &self->rest_cap);
    drop_bytes(self->worker, &self->out, &self->out_cap);
    self->rest_len = self->out_len = self->out_at = 0;
}

/* ---- writing ---- */
static bool try_again(int number)
{
    return number == EAGAIN || number == EWOULDBLOCK || number == ENOBUFS;
}

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
        return try_again(errno) ? 0 : tusk__load_err_of(errno);
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

static bool keep_and_watch(load_link *self, const uint8_t *ptr, size_t len)
{
    if (!keep_output(self, ptr, len)) {
        tusk__load_link_fail(self, TUSK_ENOMEM, "out of memory");
        return false;
    }
    tusk__load_link_watch(self, 0);
    return true;
}

/* The kernel took so many of them; < 0: an error. */
static bool handed_over(load_link *self, const uint8_t *ptr, size_t len, ptrdiff_t took)
{
    if (took < 0) {
        tusk__load_link_ended(self, (tusk_err)took);
        return false;
    }
    return (size_t)took == len || keep_and_watch(self, ptr + took, len - (size_t)took);
}

static bool send_now(load_link *self, const uint8_t *ptr, size_t len)
{
    if (self->out_len > 0) {
        return keep_and_watch(self, ptr, len);
    }
    return handed_over(self, ptr, len,
                       self->worker->plan->chop > 0 ? hand_over_chopped(self, ptr, len)
                                                    : hand_over(self, ptr, len));
}

bool tusk__load_link_send(load_link *self, const uint8_t *ptr, size_t len)
{
    load_worker *worker = self->worker;
    uint32_t life = self->life;
    tusk__load_count(worker, LOAD_BYTES_SENT, len);
    if (TUSK_UNLIKELY(self->posted)) {
        tusk__load_round_flush(worker); /* what was posted before stays before */
    }
    return self->life == life && send_now(self, ptr, len);
}

bool tusk__load_link_post(load_link *self, const uint8_t *ptr, size_t len)
{
    load_worker *worker = self->worker;
    if (!worker->gathers || self->posted || self->out_len > 0 || self->filter != NULL ||
        worker->plan->chop > 0) {
        return tusk__load_link_send(self, ptr, len);
    }
    tusk__load_count(worker, LOAD_BYTES_SENT, len);
    tusk__load_round_post(self, ptr, len);
    return true;
}

void tusk__load_link_sent(load_link *self, const uint8_t *ptr, size_t len, int result)
{
    ptrdiff_t took = result;
    if (TUSK_UNLIKELY(result < 0)) {
        took = try_again(-result) ? 0 : (ptrdiff_t)tusk__load_err_of(-result);
    }
    (void)handed_over(self, ptr, len, took);
}

static bool write_rest(load_link *self)
{
    const uint8_t *at = self->out + self->out_at;
    ptrdiff_t took = self->worker->plan->chop > 0 ? hand_over_chopped(self, at, self->out_len)
                                                  : hand_over(self, at, self->out_len);
    if (took < 0) {
        tusk__load_link_ended(self, (tusk_err)took);
        return false;
    }
    self->out_at += (size_t)took;
    self->out_len -= (size_t)took;
    if (self->out_len > 0) {
        return true;
    }
    drop_bytes(self->worker, &self->out, &self->out_cap);
    self->out_at = 0;
    tusk__load_link_watch(self, 0);
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
            tusk__load_link_watch(self, TUSK_IO_WRITE);
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

bool tusk__load_link_show(load_link *self, uint8_t *in, size_t len)
{
    uint32_t life = self->life;
    size_t taken = self->worker->mode->on_bytes(self, in, len);
    if (self->life != life) {
        return false;
    }
    if (!keep_input(self, in + taken, len - taken)) {
        tusk__load_link_fail(self, TUSK_ENOMEM, "out of memory");
        return false;
    }
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
        tusk__load_link_ended(self, got == 0 ? TUSK_EEOF : (tusk_err)got);
        return false;
    }
    tusk__load_count(worker, LOAD_BYTES_RECEIVED, (uint64_t)got);
    if (had > 0 && place != self->rest) {
        memcpy(place, self->rest, had);
    }
    if (!tusk__load_link_show(self, place, had + (size_t)got)) {
        return false;
    }
    if (self->filter != NULL) {
        return !self->paused && tusk_filter_pending(self->filter);
    }
    return (size_t)got == cap && !self->paused;
}

void tusk__load_link_read_pending(load_link *self)
{
    uint32_t life = self->life;
    while (self->life == life && tusk_filter_pending(self->filter) && read_some(self, SIZE_MAX)) {
    }
}

void tusk__load_link_want_write(load_link *self)
{
    tusk__load_link_watch(self, TUSK_IO_WRITE);
}

void tusk__load_link_pause(load_link *self, bool paused)
{
    self->paused = paused;
    if (self->state == LINK_OPEN) {
        tusk__load_link_watch(self, 0);
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
        tusk__load_link_watch(self, self->io.interest & (unsigned)TUSK_IO_WRITE);
    }
}

void tusk__load_link_io(load_link *self, unsigned events)
{
    if (self->out_len > 0 && (events & (TUSK_IO_WRITE | TUSK_IO_HUP)) != 0 && !write_rest(self)) {
        return;
    }
    if (self->state != LINK_OPEN) {
        return;
    }
    if (self->paused) {
        if ((events & TUSK_IO_HUP) != 0) {
            tusk__load_link_ended(self, TUSK_ERESET); /* or it would be reported for ever */
        }
        return;
    }
    if (self->out_len == 0 && (self->io.interest & TUSK_IO_WRITE) != 0) {
        uint32_t life = self->life;
        tusk__load_link_watch(self, 0); /* TLS could not answer */
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
