/* SPDX-License-Identifier: MIT */
/* The reading half of a connection: one receive per turn into the loop's buffer, rests put away. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "loop/patient.h"
#include "net/inner.h"
#include "net/tls.h"
#include "net/socket.h"

/* Of TLS: decrypting one costs as much as 1 KiB of it, and a sender may put one byte into each. */
#define RECORDS_A_TURN 256

#define REST_COPIED_MAX 4096 /* a longer rest stays where it is and grows there */
#define REST_ROOM_MIN 4096

/* ---- where the next bytes go ---- */
typedef struct place {
    uint8_t *ptr;
    size_t cap;
    bool shared; /* in the loop's buffer, perhaps behind a copy of the rest */
} place;

/* Room behind a long rest, in its own buffer; the doubling keeps a slow sender's cost linear. */
static bool grow_rest(tusk_conn *conn)
{
    size_t used = (size_t)(conn->in_ptr - conn->rest) + conn->in_len;
    if (conn->rest_cap - used >= REST_ROOM_MIN) {
        return true;
    }
    if (conn->in_ptr != conn->rest) {
        memmove(conn->rest, conn->in_ptr, conn->in_len);
        conn->in_ptr = conn->rest;
    }
    if (conn->rest_cap - conn->in_len >= REST_ROOM_MIN) {
        return true;
    }
    uint32_t cap;
    uint8_t *grown = tusk__net_rest_take(conn->net, conn->in_len * 2 + REST_ROOM_MIN, &cap);
    if (grown == NULL) {
        return false;
    }
    memcpy(grown, conn->in_ptr, conn->in_len);
    tusk__net_rest_give(conn->net, conn->rest, conn->rest_cap);
    conn->rest = grown;
    conn->rest_cap = cap;
    conn->in_ptr = grown;
    return true;
}

static bool find_place(tusk_conn *conn, place *out)
{
    size_t cap;
    uint8_t *landing = tusk_loop_landing(conn->net->loop, &cap);
    if (conn->in_len <= REST_COPIED_MAX && conn->in_len <= cap / 2) {
        *out = (place){.ptr = landing + conn->in_len,
                       .cap = tusk__turn_read_cap(conn->net, cap - conn->in_len),
                       .shared = true};
        return true;
    }
    if (!grow_rest(conn)) {
        return false;
    }
    out->ptr = conn->in_ptr + conn->in_len;
    out->cap = conn->rest_cap - (size_t)(out->ptr - conn->rest);
    out->cap = tusk__turn_read_cap(conn->net, out->cap > cap ? cap : out->cap);
    out->shared = false;
    return true;
}

/* The bytes are there: the rest goes in front of them. */
static void landed(tusk_conn *conn, const place *at, size_t len)
{
    if (at->shared) {
        uint8_t *start = at->ptr - conn->in_len;
        if (conn->in_len > 0) {
            memcpy(start, conn->in_ptr, conn->in_len);
        }
        conn->in_ptr = start;
        conn->in_shared = true;
    }
    conn->in_len += len;
}

/* ---- what was not taken ---- */
static void early_over(tusk_conn *conn)
{
    if (TUSK_UNLIKELY(conn->early > 0)) {
        conn->net->early_of[conn->early - 1] = NULL;
        conn->early = 0;
    }
}

bool tusk__conn_keep_input(tusk_conn *conn)
{
    if (!conn->in_shared) {
        return true;
    }
    early_over(conn);
    conn->in_shared = false;
    if (conn->in_len == 0) {
        conn->in_ptr = NULL;
        return true;
    }
    if (conn->rest == NULL || conn->rest_cap < conn->in_len) {
        uint32_t cap;
        uint8_t *rest = tusk__net_rest_take(conn->net, conn->in_len, &cap);
        if (rest == NULL) {
            conn->in_ptr = NULL;
            conn->in_len = 0;
            return false;
        }
        tusk__net_rest_give(conn->net, conn->rest, conn->rest_cap);
        conn->rest = rest;
        conn->rest_cap = cap;
    }
    memcpy(conn->rest, conn->in_ptr, conn->in_len);
    conn->in_ptr = conn->rest;
    return true;
}

void tusk__conn_settle_input(tusk_conn *conn)
{
    if (conn->state == CONN_CLOSED) {
        conn->in_len = 0;
    }
    if (conn->in_len > 0) {
        if (!tusk__conn_keep_input(conn)) {
            tusk__conn_close(conn, TUSK_ENOMEM);
        }
        return;
    }
    early_over(conn);
    conn->in_ptr = NULL;
    conn->in_shared = false;
    if (TUSK_UNLIKELY(conn->rest != NULL)) {
        tusk__net_rest_give(conn->net, conn->rest, conn->rest_cap);
        conn->rest = NULL;
        conn->rest_cap = 0;
    }
}

void tusk__conn_deliver_on(tusk_conn *conn)
{
    bool detached = conn->detached;
    early_over(conn);
    if (TUSK_UNLIKELY(tusk__io_is_patient(&conn->io))) {
        tusk__turn_settle(conn);
    }
    tusk__turn_slice(conn);
    tusk__conn_begin_call(conn);
    conn->ops->on_data(conn);
    if (TUSK_UNLIKELY(conn->detached != detached)) {
        conn->holds--; /* this call ended long ago, and others may be under way */
        return;
    }
    tusk__conn_end_call(conn);
    if (TUSK_LIKELY(conn->in_len == 0 && conn->early == 0 && conn->rest == NULL)) {
        conn->in_ptr = NULL;
        conn->in_shared = false;
    } else {
        tusk__conn_settle_input(conn);
    }
    if (TUSK_UNLIKELY(conn->others)) {
        tusk__net_flush_as_answer(conn);
    }
    if (conn->send_bytes >= NET_LARGE_ANSWER && conn->state == CONN_OPEN && !conn->busy &&
        !tusk__conn_sends_pages(conn)) {
        tusk__net_schedule_large(conn);
    }
}

/* ---- receiving ---- */
static void end_of_stream(tusk_conn *conn)
{
    conn->eof_seen = true;
    tusk__conn_interest(conn);
    tusk__conn_begin_call(conn);
    conn->ops->on_eof(conn);
    tusk__conn_end_call(conn);
}

/* `want_write` is known afterwards: TLS may have to answer before it can read on. New keys are the
 * last of what is read in a turn. */
static ptrdiff_t read_records(tusk_conn *conn, uint8_t *ptr, size_t cap)
{
    size_t sum = 0;
    unsigned want = 0;
    conn->want_write = false;
    conn->net->counters.recv_calls++;
    for (int records = 1;; records++) {
        ptrdiff_t len = tusk_filter_read(conn->filter, ptr + sum, cap - sum, &want);
        if (len > 0) {
            sum += (size_t)len;
            if (sum < cap && records < RECORDS_A_TURN && !tusk_filter_turned_keys(conn->filter) &&
                tusk_filter_pending(conn->filter)) {
                continue;
            }
            return (ptrdiff_t)sum;
        }
        if (len == TUSK_EAGAIN) {
            conn->want_write = (want & TUSK_IO_WRITE) != 0;
        }
        /* An end or an error behind good bytes comes again at the next read. */
        return sum > 0 ? (ptrdiff_t)sum : len;
    }
}

static ptrdiff_t receive_filtered(tusk_conn *conn, uint8_t *ptr, size_t cap)
{
    ptrdiff_t len = read_records(conn, ptr, cap);
    conn->rekeys = false;
    if (len == TUSK_EAGAIN && conn->ops->on_part != NULL &&
        tusk_filter_has_got_part(conn->filter)) {
        conn->ops->on_part(conn);
    }
    if (TUSK_UNLIKELY(tusk_filter_turned_keys(conn->filter))) {
        tusk__turn_rekeyed(conn);
    }
    return len;
}

static ptrdiff_t receive(tusk_conn *conn, struct iovec *iov, int count)
{
    if (conn->filter != NULL) {
        return receive_filtered(conn, iov[0].iov_base, iov[0].iov_len);
    }
    ssize_t len;
    do {
        conn->net->counters.recv_calls++;
        len = count == 1 ? recv(conn->io.fd, iov[0].iov_base, iov[0].iov_len, 0)
                         : readv(conn->io.fd, iov, count);
    } while (len < 0 && errno == EINTR);
    if (len < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK ? TUSK_EAGAIN
                                                       : (ptrdiff_t)tusk__socket_err_of(errno);
    }
    return len;
}

/* true: bytes came. Otherwise the end, an error or nothing was dealt with. */
static bool received(tusk_conn *conn, ptrdiff_t len)
{
    if (len > 0) {
        conn->net->counters.bytes_in += (uint64_t)len;
        return true;
    }
    if (len == 0 && conn->was_reset) {
        tusk__conn_close(conn, TUSK_ERESET);
    } else if (len == 0) {
        end_of_stream(conn);
    } else if (len == TUSK_EAGAIN) {
        tusk__conn_interest(conn);
    } else {
        tusk__conn_close(conn, (tusk_err)len);
    }
    return false;
}

/* A payload lands in its own place; what comes behind it in the loop's buffer. */
static bool read_into_owner(tusk_conn *conn)
{
    size_t own_cap = 0;
    size_t cap;
    uint8_t *own =
        conn->ops->landing == NULL || conn->in_len > 0 ? NULL : conn->ops->landing(conn, &own_cap);
    if (own == NULL || own_cap == 0) {
        return false;
    }
    uint8_t *landing = tusk_loop_landing(conn->net->loop, &cap);
    struct iovec iov[2] = {{.iov_base = own, .iov_len = own_cap < cap ? own_cap : cap},
                           {.iov_base = landing, .iov_len = tusk__turn_read_cap(conn->net, cap)}};
    ptrdiff_t len = receive(conn, iov, own_cap < cap ? 2 : 1);
    if (!received(conn, len)) {
        return true;
    }
    conn->filled = false;
    size_t first = (size_t)len < iov[0].iov_len ? (size_t)len : iov[0].iov_len;
    conn->in_len = (size_t)len - first;
    conn->in_ptr = conn->in_len > 0 ? landing : NULL;
    conn->in_shared = conn->in_len > 0;
    tusk__conn_begin_call(conn);
    conn->ops->on_landed(conn, first);
    tusk__conn_end_call(conn);
    if (conn->in_len > 0 && tusk__conn_may_read(conn)) {
        conn->tell = (uint8_t)(conn->tell & ~(unsigned)CONN_TELL_DATA);
        tusk__conn_deliver(conn);
    } else {
        tusk__conn_settle_input(conn);
    }
    return true;
}

/* ---- received ahead of the event ---- */
/* Whoever asks again hears the same. */
static bool comes_again(int number)
{
    return number == EAGAIN || number == EWOULDBLOCK || number == EINTR || number == ENOBUFS ||
           number == ENOMEM;
}

void tusk__conn_not_received(tusk_conn *conn, int result)
{
    if (result < 0 && !comes_again(-result)) {
        tusk__conn_close(conn, tusk__socket_err_of(-result)); /* told once: the next would hear 0 */
    }
}

/* A full small place: what else is there comes behind it, before the owner looks. An end there
 * comes again; an error does not, and follows the bytes that came before it. */
static void read_behind(tusk_conn *conn)
{
    place at;
    size_t cap;
    tusk_err err = TUSK_OK;
    if (find_place(conn, &at)) {
        (void)tusk_loop_landing(conn->net->loop, &cap);
        cap = tusk__turn_read_cap(conn->net, cap) -
              NET_EARLY_BYTES; /* they are of its part of the turn */
        at.cap = at.cap < cap ? at.cap : cap;
        struct iovec iov = {.iov_base = at.ptr, .iov_len = at.cap};
        ptrdiff_t len = receive(conn, &iov, 1);
        if (len > 0) {
            conn->net->counters.bytes_in += (uint64_t)len;
            tusk__turn_filled(conn, at.cap + NET_EARLY_BYTES, len + (ptrdiff_t)NET_EARLY_BYTES);
            landed(conn, &at, (size_t)len);
        } else if (len < 0 && len != TUSK_EAGAIN) {
            err = (tusk_err)len;
        }
    }
    tusk__choose_place(conn);
    tusk__conn_deliver(conn);
    if (err != TUSK_OK) {
        tusk__conn_close(conn, err);
    }
}

static void read_early(tusk_conn *conn)
{
    if (TUSK_UNLIKELY(conn->in_len == NET_EARLY_BYTES) &&
        conn->net->early_bytes == NET_EARLY_BYTES) {
        read_behind(conn);
    } else {
        tusk__choose_place(conn);
        tusk__conn_deliver(conn);
    }
}

static void read_once(tusk_conn *conn)
{
    if (conn->early > 0) {
        read_early(conn);
        return;
    }
    if (read_into_owner(conn)) {
        return;
    }
    place at;
    if (!find_place(conn, &at)) {
        tusk__conn_close(conn, TUSK_ENOMEM);
        return;
    }
    struct iovec iov = {.iov_base = at.ptr, .iov_len = at.cap};
    ptrdiff_t len = receive(conn, &iov, 1);
    tusk__turn_filled(conn, at.cap, len);
    if (received(conn, len)) {
        landed(conn, &at, (size_t)len);
        tusk__choose_place(conn);
        tusk__conn_deliver(conn);
    }
}

/* What stands in front of a handshake is taken exactly, since the handshake reads the socket
 * itself: peeked at behind what came before, and as much of it as belongs there moved into the
 * rest. Nothing seen stays in the socket, where the poller would report it for ever. */
bool tusk__conn_take_preface(tusk_conn *conn)
{
    size_t cap;
    size_t had = conn->in_len;
    uint8_t *start = tusk_loop_landing(conn->net->loop, &cap);
    if (had > 0) {
        memcpy(start, conn->in_ptr, had);
    }
    conn->net->counters.recv_calls++;
    ssize_t len = recv(conn->io.fd, start + had, cap - had, MSG_PEEK);
    if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return false;
    }
    if (len <= 0) {
        tusk__conn_fail_opening(conn, len == 0 ? TUSK_EEOF : tusk__socket_err_of(errno));
        return false;
    }
    size_t seen = had + (size_t)len;
    ptrdiff_t taken = conn->ops->on_preface(conn, tusk_bytes_of(start, seen));
    if (taken < 0 || (taken == 0 && seen == cap)) {
        tusk__conn_fail_opening(conn, taken < 0 ? (tusk_err)taken : TUSK_ETOOBIG);
        return false;
    }
    size_t whole = taken == 0 ? seen : (size_t)taken;
    if (recv(conn->io.fd, start + had, whole - had, 0) != (ssize_t)(whole - had)) {
        tusk__conn_fail_opening(conn, TUSK_ESYS);
        return false;
    }
    conn->preface = taken == 0;
    conn->in_ptr = start;
    conn->in_len = taken == 0 ? whole : 0;
    conn->in_shared = true;
    if (!tusk__conn_keep_input(conn)) {
        tusk__conn_fail_opening(conn, TUSK_ENOMEM);
        return false;
    }
    if (!conn->preface) {
        tusk__conn_settle_input(conn); /* gives the rest back */
    }
    return !conn->preface;
}

bool tusk_conn_read_on(tusk_conn *self, size_t bytes)
{
    self->goes_on =
        self->reading && self->filter == NULL && tusk__socket_unread(self->io.fd) >= bytes;
    return self->goes_on;
}

/* However much one sends behind the other: by then others are served first. What is left of the
 * last one is in the socket still, and read on in the next turn. */
#define READ_ON_BYTES ((uint64_t)64 * 1024)

/* Bytes that TLS holds already are not seen by the poller: they are read in the next turn, behind
 * those who have less. */
void tusk__conn_read(tusk_conn *conn)
{
    uint64_t before = conn->net->counters.bytes_in;
    conn->reading = true;
    do {
        conn->goes_on = false;
        read_once(conn);
    } while (TUSK_UNLIKELY(conn->goes_on) && tusk__conn_may_read(conn) &&
             conn->net->counters.bytes_in - before < READ_ON_BYTES);
    conn->reading = false;
    if (conn->filter != NULL && conn->state == CONN_OPEN && tusk_filter_pending(conn->filter) &&
        tusk__conn_may_read(conn)) {
        tusk__net_schedule_cut(conn, CONN_TELL_READ);
    }
}

/* Of TCP, Linux does not even copy it. */
#if defined(__linux__)
#define DISCARD MSG_TRUNC
#else
#define DISCARD 0
#endif

/* While finishing, what the peer still sends is read away, so that no reset destroys what it has
 * not read yet. */
void tusk__conn_discard(tusk_conn *conn)
{
    size_t cap;
    uint8_t *landing = tusk_loop_landing(conn->net->loop, &cap);
    ssize_t len;
    do {
        conn->net->counters.recv_calls++;
        len = recv(conn->io.fd, landing, cap, DISCARD);
    } while (len < 0 && errno == EINTR);
    if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return;
    }
    if (len < 0) {
        tusk__conn_close(conn, conn->send_head == NULL ? TUSK_OK : tusk__socket_err_of(errno));
        return;
    }
    if (len == 0) {
        conn->eof_seen = true;
        if (conn->shut_wr) {
            tusk__conn_close(conn, TUSK_OK);
        } else {
            tusk__conn_interest(conn);
        }
        return;
    }
    conn->net->counters.bytes_in += (uint64_t)len;
    conn->discarded += (uint32_t)len;
    if (conn->discarded > conn->net->limits.linger_bytes) {
        conn->net->counters.linger_timeouts++;
        tusk__conn_close(conn, conn->send_head == NULL ? TUSK_OK : TUSK_ELIMIT);
    }
}
