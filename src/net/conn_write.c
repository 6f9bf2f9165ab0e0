/* SPDX-License-Identifier: MIT */
/* The writing half of a connection: one system call per turn where the kernel takes it all. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/inner.h"
#include "net/send_file.h"
#include "net/socket.h"
#include "net/tls.h"

#define FILE_BYTES_PER_TURN ((size_t)1024 * 1024)

typedef enum write_step {
    STEP_WENT,    /* something left */
    STEP_BLOCKED, /* the kernel is full */
    STEP_ENOUGH,  /* of a file; the rest in the next turn, in fairness to others */
    STEP_SHARE,   /* the same of memory */
    STEP_FAILED   /* the connection is closed now */
} write_step;

bool tusk__conn_reads_on(tusk_conn *conn, tusk_err err)
{
    if (!conn->read_on || conn->state != CONN_OPEN || err != TUSK_ERESET) {
        return false;
    }
    tusk__sendq_drop(conn);
    conn->half = true;
    conn->shut_wr = true;
    conn->want_read = false;
    return true;
}

static write_step failed(tusk_conn *conn, int number)
{
    if (number == EAGAIN || number == EWOULDBLOCK || number == ENOBUFS) {
        return STEP_BLOCKED;
    }
    tusk_err err = tusk__socket_err_of(number);
    if (tusk__conn_reads_on(conn, err)) {
        conn->was_reset = number == ECONNRESET; /* told once; behind an end it is EPIPE */
        return STEP_BLOCKED;
    }
    tusk__conn_close(conn, err);
    return STEP_FAILED;
}

static write_step sent(tusk_conn *conn, size_t len, size_t wanted)
{
    conn->net->counters.bytes_out += len;
    tusk__sendq_sent(conn, len);
    return len < wanted ? STEP_BLOCKED : STEP_WENT;
}

/* One segment, as it nearly always is: no need to gather. */
static write_step write_segment(tusk_conn *conn)
{
    const tusk_seg *seg = conn->send_head;
    size_t wanted = tusk__share_of_send(seg->len);
    ssize_t len;
    do {
        conn->net->counters.send_calls++;
        len = send(conn->io.fd, seg->ptr, wanted, MSG_NOSIGNAL);
    } while (len < 0 && errno == EINTR);
    return len < 0 ? failed(conn, errno) : sent(conn, (size_t)len, wanted);
}

static write_step write_bytes(tusk_conn *conn)
{
    if (TUSK_LIKELY(conn->send_head->next == NULL)) {
        return write_segment(conn);
    }
    struct iovec iov[NET_IOV_MAX];
    size_t count = 0;
    size_t wanted = 0;
    const tusk_seg *seg = conn->send_head;
    for (; seg != NULL && seg->kind != SEG_FILE && count < NET_IOV_MAX && wanted < NET_SEND_SHARE;
         seg = seg->next) {
        iov[count].iov_base = (void *)(uintptr_t)seg->ptr;
        iov[count].iov_len = tusk__share_of_send(wanted + seg->len) - wanted;
        wanted += iov[count].iov_len;
        count++;
    }
    int flags = MSG_NOSIGNAL | (seg != NULL && seg->kind == SEG_FILE ? MSG_MORE : 0);
    struct msghdr message;
    memset(&message, 0, sizeof(message));
    message.msg_iov = iov;
    message.msg_iovlen = (__typeof__(message.msg_iovlen))count; /* an int, but with glibc */
    ssize_t len;
    do {
        conn->net->counters.send_calls++;
        len = count == 1 ? send(conn->io.fd, iov[0].iov_base, iov[0].iov_len, flags)
                         : sendmsg(conn->io.fd, &message, flags);
    } while (len < 0 && errno == EINTR);
    return len < 0 ? failed(conn, errno) : sent(conn, (size_t)len, wanted);
}

/* Up to `cap` bytes of a file at its offset; 0: it became shorter than it was. */
static ssize_t read_file(const tusk_seg *seg, uint8_t *place, size_t cap)
{
    ssize_t len;
    do {
        len = pread(seg->u.file.fd, place, seg->len < cap ? (size_t)seg->len : cap,
                    (off_t)seg->u.file.offset);
    } while (len < 0 && errno == EINTR);
    return len;
}

static uint8_t *gather_place(tusk_net *net)
{
    if (net->gather == NULL) {
        net->gather = tusk__resize(net->mem, NULL, 0, NET_GATHER_BYTES);
    }
    return net->gather;
}

#if defined(__linux__)
static write_step write_file(tusk_conn *conn)
{
    const tusk_seg *seg = conn->send_head;
    size_t wanted = seg->len < FILE_BYTES_PER_TURN ? (size_t)seg->len : FILE_BYTES_PER_TURN;
    uint64_t offset = seg->u.file.offset;
    net_hush hush;
    tusk__hush_begin(&hush);
    conn->net->counters.send_calls++;
    ssize_t len = tusk__hush_send(&hush, conn->io.fd, seg->u.file.fd, offset, wanted);
    tusk__hush_end(&hush);
    if (len < 0) {
        return failed(conn, (int)-len);
    }
    if (len == 0) {
        tusk__conn_close(conn,
                         TUSK_ESYS); /* shorter than announced: what was promised cannot be kept */
        return STEP_FAILED;
    }
    write_step step = sent(conn, (size_t)len, wanted);
    return step == STEP_WENT && wanted == FILE_BYTES_PER_TURN ? STEP_ENOUGH : step;
}
#else
static write_step write_file(tusk_conn *conn)
{
    uint8_t *place = gather_place(conn->net);
    ssize_t got = place == NULL ? -1 : read_file(conn->send_head, place, NET_GATHER_BYTES);
    if (got <= 0) {
        tusk__conn_close(conn, place == NULL ? TUSK_ENOMEM : TUSK_ESYS);
        return STEP_FAILED;
    }
    ssize_t len;
    do {
        conn->net->counters.send_calls++;
        len = send(conn->io.fd, place, (size_t)got, MSG_NOSIGNAL);
    } while (len < 0 && errno == EINTR);
    return len < 0 ? failed(conn, errno) : sent(conn, (size_t)len, (size_t)got);
}
#endif

/* What the next record is made of: one large segment as it stands, or several put together. A retry
 * gathers the same bytes again (the queue only grows meanwhile), which OpenSSL demands. */
static const uint8_t *gather(tusk_conn *conn, size_t *len)
{
    const tusk_seg *head = conn->send_head;
    *len = 0;
    if (head->kind != SEG_FILE && (head->next == NULL || head->len >= NET_GATHER_BYTES)) {
        *len = head->len < NET_GATHER_BYTES ? (size_t)head->len : NET_GATHER_BYTES;
        return head->ptr;
    }
    uint8_t *place = gather_place(conn->net);
    if (place == NULL) {
        return NULL;
    }
    for (const tusk_seg *seg = head; seg != NULL && *len < NET_GATHER_BYTES; seg = seg->next) {
        size_t space = NET_GATHER_BYTES - *len;
        size_t part = seg->len < space ? (size_t)seg->len : space;
        if (seg->kind != SEG_FILE) {
            memcpy(place + *len, seg->ptr, part);
        } else {
            ssize_t got = read_file(seg, place + *len, space);
            if (got <= 0) {
                break;
            }
            part = (size_t)got;
        }
        *len += part;
        if (part < seg->len) {
            break;
        }
    }
    return place;
}

static write_step write_filtered(tusk_conn *conn)
{
    size_t len;
    const uint8_t *place = gather(conn, &len);
    if (place == NULL || len == 0) {
        tusk__conn_close(conn, place == NULL ? TUSK_ENOMEM : TUSK_ESYS);
        return STEP_FAILED;
    }
    unsigned want = 0;
    conn->net->counters.send_calls++;
    ptrdiff_t taken = tusk_filter_write(conn->filter, place, len, &want);
    if (taken == TUSK_EAGAIN) {
        conn->want_read = (want & TUSK_IO_READ) != 0;
        return STEP_BLOCKED;
    }
    if (taken <= 0) {
        tusk_err err = taken == 0 ? TUSK_ERESET : (tusk_err)taken;
        if (tusk__conn_reads_on(conn,
                                err)) { /* an end without close_notify will be told as a reset */
            return STEP_BLOCKED;
        }
        tusk__conn_close(conn, err);
        return STEP_FAILED;
    }
    conn->want_read = false;
    (void)sent(conn, (size_t)taken, (size_t)taken);
    return STEP_WENT;
}

/* The queue is empty and the owner has finished: say so to the peer, then wait until it has read
 * it. */
static void shut_down(tusk_conn *conn)
{
    if (conn->filter != NULL) {
        unsigned want = 0;
        if (tusk_filter_shutdown(conn->filter, &want) == TUSK_EAGAIN &&
            (want & TUSK_IO_WRITE) != 0) {
            conn->blocked = true;
            return;
        }
    }
    conn->shut_wr = true;
    if (conn->eof_seen || conn->brief || shutdown(conn->io.fd, SHUT_WR) != 0) {
        tusk__conn_close(conn, TUSK_OK);
        return;
    }
    tusk__net_linger(conn);
}

/* Our direction alone; the peer's goes on, unless it has ended before. */
static void shut_half(tusk_conn *conn)
{
    unsigned want = 0;
    if (conn->filter == NULL) {
        (void)shutdown(conn->io.fd, SHUT_WR);
    } else if (tusk_filter_shutdown(conn->filter, &want) == TUSK_EAGAIN &&
               (want & TUSK_IO_WRITE) != 0) {
        conn->blocked = true;
        return;
    }
    conn->shut_wr = true;
    if (conn->eof_seen) {
        tusk__conn_close(conn, TUSK_OK);
    }
}

static void tell_drained(tusk_conn *conn)
{
    if (conn->above_low && conn->send_bytes <= conn->low_water) {
        conn->above_low = false;
        if (conn->state == CONN_OPEN) {
            tusk__net_schedule_tell(conn, CONN_TELL_DRAIN | CONN_TELL_ROOM);
        }
    }
}

/* Until the queue is empty, its peer takes no more, or it had its part of the turn. */
static write_step write_part(tusk_conn *conn, write_step step, size_t before)
{
    size_t files = 0;
    while (step == STEP_WENT && conn->send_head != NULL) {
        bool is_file = conn->send_head->kind == SEG_FILE;
        size_t had = conn->send_bytes;
        if (before - had - files >= NET_SEND_SHARE) {
            return STEP_SHARE;
        }
        if (conn->send_head->len == 0) {
            tusk__sendq_sent(conn, 0); /* reserved and not used, or an empty file */
            continue;
        }
        step = conn->filter != NULL ? write_filtered(conn)
               : is_file            ? write_file(conn)
                                    : write_bytes(conn);
        if (step == STEP_WENT && is_file) {
            files += had - conn->send_bytes;
            step = files >= FILE_BYTES_PER_TURN ? STEP_ENOUGH : STEP_WENT;
        }
    }
    return step;
}

/* From `step` on, and what follows. */
static void write_on(tusk_conn *conn, write_step step, size_t before, bool waited)
{
    step = write_part(conn, step, before);
    if (step == STEP_FAILED) {
        return;
    }
    conn->blocked = conn->send_head != NULL && (step != STEP_SHARE || waited);
    if (TUSK_UNLIKELY(step == STEP_SHARE) && !waited) { /* else the poller tells of it again */
        tusk__net_schedule_more(conn);
    }
    if (TUSK_UNLIKELY(conn->blocked) && !waited) {
        tusk__sendq_unshare(conn);
    }
    tell_drained(conn);
    if (conn->half && conn->state == CONN_OPEN && conn->send_head == NULL && !conn->shut_wr) {
        shut_half(conn);
    }
    if (conn->state == CONN_FINISHING) {
        if (conn->send_head == NULL && !conn->shut_wr) {
            shut_down(conn);
        } else if (conn->send_bytes < before) {
            tusk__net_linger(conn); /* it moves: the deadline is for a peer that takes nothing */
        }
    }
    if (conn->state == CONN_FINISHING && !tusk__link_linked(&conn->linger)) {
        tusk__net_linger(conn);
    }
    bool as_before = !waited && !conn->blocked && conn->filter == NULL;
    if (conn->state == CONN_FINISHING || (conn->state == CONN_OPEN && !as_before)) {
        tusk__conn_interest(conn);
    }
}

/* The peers of many may have taken much at once: who finds that enough was sent in this turn stands
 * in line. */
static void write_large(tusk_conn *conn, size_t before)
{
    tusk_net *net = conn->net;
    uint64_t now_ns = tusk_loop_now_ns(net->loop);
    uint64_t had = net->counters.bytes_out;
    net->sent_much = net->sent_ns == now_ns ? net->sent_much : 0;
    net->sent_ns = now_ns;
    if (net->sent_much >= NET_SEND_TURN) {
        tusk__net_schedule_more(conn);
        tusk__conn_interest(conn);
        return;
    }
    write_on(conn, STEP_WENT, before, true);
    net->sent_much += (size_t)(net->counters.bytes_out - had);
}

void tusk__conn_write(tusk_conn *conn)
{
    if (conn->state != CONN_OPEN && conn->state != CONN_FINISHING) {
        return; /* what is queued before the handshake leaves when that is done */
    }
    bool waited = conn->blocked;
    size_t before = conn->send_bytes;
    conn->blocked = false;
    if (TUSK_UNLIKELY(waited && before > NET_SEND_SHARE)) {
        write_large(conn, before);
        return;
    }
    write_on(conn, STEP_WENT, before, waited);
}

void tusk__conn_sent(tusk_conn *conn, int result)
{
    size_t before = conn->send_bytes;
    conn->net->counters.send_calls++;
    if (TUSK_LIKELY(conn->state == CONN_OPEN && !conn->half && !conn->above_low &&
                    result == (ptrdiff_t)before)) {
        conn->net->counters.bytes_out += before; /* all of it, and nobody waits to hear so */
        tusk__sendq_sent_all(conn);
        return;
    }
    write_step step = result < 0
                          ? failed(conn, -result)
                          : sent(conn, (size_t)result, tusk__share_of_send(conn->send_head->len));
    write_on(conn, step, before, false);
}

void tusk_conn_flush(tusk_conn *self)
{
    if (self->send_head != NULL && !self->blocked) {
        tusk__link_remove(&self->flush);
        tusk__conn_write(self);
    }
}
