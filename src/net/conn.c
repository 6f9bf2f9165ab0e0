/* SPDX-License-Identifier: MIT */
/* A connection's life: states, interest, events, pauses, the end. */
#define _GNU_SOURCE
#include "net/conn.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/patient.h"
#include "net/inner.h"
#include "net/socket.h"
#include "net/tcp_info.h"
#include "net/tls.h"

static bool may_follow(tusk_conn_state from, tusk_conn_state to)
{
    switch (from) {
    case CONN_OPENING: return to == CONN_OPEN || to == CONN_CLOSED;
    case CONN_OPEN: return to == CONN_OPENING || to == CONN_FINISHING || to == CONN_CLOSED;
    case CONN_FINISHING: return to == CONN_CLOSED;
    case CONN_CLOSED: return false;
    }
    return false;
}

static void become(tusk_conn *conn, tusk_conn_state state)
{
    assert(may_follow((tusk_conn_state)conn->state, state));
    conn->state = (uint8_t)state;
}

static tusk_err socket_err(int fd)
{
    int number = tusk__socket_error(fd);
    return number == 0 ? TUSK_OK : tusk__socket_err_of(number);
}

/* ---- interest: one place decides what the poller watches ---- */
void tusk__conn_interest(tusk_conn *conn)
{
    if (conn->state == CONN_CLOSED) {
        return;
    }
    unsigned want = conn->want_read ? (unsigned)TUSK_IO_READ : 0;
    want |= conn->want_write || (conn->blocked && !conn->want_read) ? (unsigned)TUSK_IO_WRITE : 0;
    if (conn->state == CONN_FINISHING) {
        want |= conn->eof_seen ? 0 : (unsigned)TUSK_IO_READ;
    } else if (conn->state == CONN_OPEN && !conn->paused && !conn->eof_seen && !conn->works) {
        /* While parked it stays as it is: mostly nothing comes meanwhile, and what does takes it
         * away (on_open_event). Two system calls less for each handler that waits. */
        want |= (unsigned)TUSK_IO_READ & (conn->parked == 0 ? ~0u : conn->io.interest);
    }
    /* It left the poller when its peer hung up while nobody read: it comes back with the first
     * interest. */
    if (tusk_io_set(conn->net->loop, &conn->io, want) != TUSK_OK && want != 0) {
        tusk_err err = tusk_io_add(conn->net->loop, &conn->io, want);
        if (err != TUSK_OK) {
            tusk__conn_close(conn, err);
        }
    }
}

/* ---- opening ---- */
static void become_open(tusk_conn *conn)
{
    become(conn, CONN_OPEN);
    conn->want_read = false;
    conn->want_write = false;
    conn->why = TUSK_OK;
    if (conn->send_head != NULL || conn->half) {
        tusk__net_schedule_flush(conn);
    }
    tusk__conn_interest(conn);
}

void tusk__conn_fail_opening(tusk_conn *conn, tusk_err err)
{
    tusk__conn_close(conn, err);
    tusk__net_schedule_tell(conn, CONN_TELL_READY);
}

static void shake_hands(tusk_conn *conn)
{
    if (conn->preface && !tusk__conn_take_preface(conn)) {
        return;
    }
    unsigned want = 0;
    ptrdiff_t result = tusk_filter_handshake(conn->filter, conn->io.fd, &want);
    if (result == TUSK_EAGAIN) {
        conn->want_read = (want & TUSK_IO_READ) != 0;
        conn->want_write = (want & TUSK_IO_WRITE) != 0;
        tusk__conn_interest(conn);
        return;
    }
    if (result < 0) {
        tusk__conn_fail_opening(conn, (tusk_err)result);
        return;
    }
    become_open(conn);
    /* The first bytes may have come with the handshake and wait inside already. */
    tusk__net_schedule_tell(conn, CONN_TELL_READY |
                                      (tusk_filter_pending(conn->filter) ? CONN_TELL_READ : 0));
}

static void connected(tusk_conn *conn)
{
    tusk_err err = socket_err(conn->io.fd);
    if (err != TUSK_OK) {
        tusk__conn_fail_opening(conn, err);
        return;
    }
    conn->connecting = false;
    conn->want_write = false;
    if (conn->filter != NULL) {
        shake_hands(conn);
        return;
    }
    become_open(conn);
    tusk__net_schedule_tell(conn, CONN_TELL_READY);
}

/* ---- events ---- */
/* The peer is gone both ways while nobody reads. An error ends the connection; an orderly end (a
 * Unix peer) leaves what it sent to be read later, and the descriptor leaves the poller, which
 * would report it for ever. */
static void hung_up(tusk_conn *conn)
{
    int number = tusk__socket_error(conn->io.fd);
    tusk_err err = number == 0 ? TUSK_OK : tusk__socket_err_of(number);
    if (err != TUSK_OK && !conn->eof_seen && tusk__conn_reads_on(conn, err)) {
        conn->was_reset = number == ECONNRESET && conn->filter == NULL;
    } else if (err != TUSK_OK || conn->eof_seen) {
        tusk__conn_close(conn, err != TUSK_OK ? err : TUSK_ERESET);
        return;
    }
    tusk_io_remove(conn->net->loop, &conn->io);
    if (conn->ops->on_hangup != NULL) {
        tusk__net_schedule_tell(conn, CONN_TELL_HANGUP);
    }
}

/* Whoever hears no answer any more waits for nothing. */
void tusk__conn_close_if_reset(tusk_conn *conn)
{
    tusk_err err = socket_err(conn->io.fd);
    if (err != TUSK_OK) {
        tusk__conn_close(conn, err);
    }
}

static void read_open(tusk_conn *conn)
{
    if (conn->early == 0 && conn->net->limits.batch_min > 0) {
        tusk__conns_receive(conn);
    }
    if (conn->state == CONN_OPEN) { /* that may have been told of a reset */
        tusk__conn_read(conn);
    }
}

static void on_open_event(tusk_conn *conn, unsigned events)
{
    bool readable = (events & (TUSK_IO_READ | TUSK_IO_HUP)) != 0;
    if ((conn->send_head != NULL || (conn->half && !conn->shut_wr)) &&
        ((events & (TUSK_IO_WRITE | TUSK_IO_HUP)) != 0 || conn->want_read)) {
        tusk__conn_write(conn);
    }
    if ((events & TUSK_IO_WRITE) != 0 && conn->want_write) {
        readable = true; /* TLS could not answer; now it can, and reads on */
    }
    if (conn->state != CONN_OPEN || !readable) {
        return;
    }
    const unsigned data = CONN_TELL_DATA | CONN_TELL_AGAIN;
    if (tusk__conn_may_read(conn)) {
        if ((conn->tell & data) == 0 &&
            !tusk__conn_waits_its_turn(
                conn)) { /* else the owner looks at what it has before more comes */
            read_open(conn);
        }
    } else if ((events & TUSK_IO_HUP) != 0) {
        hung_up(conn);
    } else if (conn->busy || conn->parked > 0) {
        (void)tusk_io_set(conn->net->loop, &conn->io, conn->io.interest & (unsigned)TUSK_IO_WRITE);
    }
}

static void on_finishing_event(tusk_conn *conn, unsigned events)
{
    if ((events & (TUSK_IO_WRITE | TUSK_IO_HUP)) != 0 && !conn->shut_wr) {
        tusk__conn_write(conn);
    }
    if (conn->state == CONN_FINISHING && (events & (TUSK_IO_READ | TUSK_IO_HUP)) != 0) {
        if (!conn->eof_seen) {
            tusk__conn_discard(conn);
        } else if ((events & TUSK_IO_HUP) != 0) {
            tusk__conn_close(conn, TUSK_ERESET);
        }
    }
}

static void on_event(tusk_io *io, unsigned events)
{
    tusk_conn *conn = (tusk_conn *)(void *)io;
    tusk_conn_hold(conn);
    switch ((tusk_conn_state)conn->state) {
    case CONN_OPENING:
        if (conn->connecting) {
            connected(conn);
        } else {
            shake_hands(conn);
        }
        break;
    case CONN_OPEN: on_open_event(conn, events); break;
    case CONN_FINISHING: on_finishing_event(conn, events); break;
    case CONN_CLOSED: break;
    }
    tusk_conn_release(conn);
}

/* ---- beginning ---- */
static void set_up(tusk_conn *self, tusk_net *net, int fd, tusk_filter *filter,
                   const tusk_conn_ops *ops)
{
    memset(self, 0, sizeof(*self));
    self->io.fd = fd;
    self->io.on_event = on_event;
    self->ops = ops;
    self->net = net;
    self->filter = filter;
    self->low_water = TUSK_CONN_LOW_WATER;
    tusk__socket_quiet(fd);
}

static void count_in(tusk_net *net)
{
    net->conns++;
    net->counters.conns_opened++;
}

/* `age`: TUSK_IO_NEW, or 0. */
static tusk_err init(tusk_conn *self, tusk_net *net, int fd, tusk_filter *filter,
                     const tusk_conn_ops *ops, unsigned age)
{
    set_up(self, net, fd, filter, ops);
    self->state = filter == NULL ? CONN_OPEN : CONN_OPENING;
    self->want_read = filter != NULL;
    self->want_write = filter != NULL && tusk_filter_is_client(filter);
    unsigned want = TUSK_IO_READ | (self->want_write ? (unsigned)TUSK_IO_WRITE : 0);
    tusk_err err = tusk_io_add(net->loop, &self->io, want | age);
    if (err != TUSK_OK) {
        memset(self, 0, sizeof(*self));
        self->state = CONN_CLOSED;
        return err;
    }
    tusk__io_may_wait(&self->io, net->limits.settled_reads > 0);
    count_in(net);
    return TUSK_OK;
}

tusk_err tusk_conn_init(tusk_conn *self, tusk_net *net, int fd, tusk_filter *filter,
                        const tusk_conn_ops *ops)
{
    return init(self, net, fd, filter, ops, 0);
}

tusk_err tusk_conn_accepted(tusk_conn *self, tusk_net *net, int fd, tusk_filter *filter,
                            const tusk_conn_ops *ops)
{
    return init(self, net, fd, filter, ops, TUSK_IO_NEW);
}

tusk_err tusk_conn_connect(tusk_conn *self, tusk_net *net, const tusk_addr *addr,
                           tusk_filter *filter, const tusk_conn_ops *ops)
{
    int fd = tusk__socket_open(tusk_addr_family(addr));
    if (fd < 0) {
        return tusk__socket_err_of(errno);
    }
    if (tusk_addr_family(addr) != AF_UNIX) {
        tusk__socket_set_manners(fd, addr);
    }
    set_up(self, net, fd, filter, ops);
    self->state = CONN_OPENING;
    self->connecting = true;
    self->want_write = true; /* a connect that is done at once is writable at once */
    tusk_err err = tusk__socket_connect(fd, addr);
    if (err == TUSK_OK) {
        err = tusk_io_add(net->loop, &self->io, TUSK_IO_NEW | TUSK_IO_WRITE);
    }
    if (err != TUSK_OK) {
        int saved = errno;
        (void)close(fd);
        errno = saved;
        memset(self, 0, sizeof(*self));
        self->state = CONN_CLOSED;
        return err;
    }
    count_in(net);
    return TUSK_OK;
}

/* ---- TLS in mid-stream ---- */
tusk_err tusk_conn_secure(tusk_conn *self, tusk_filter *filter)
{
    tusk_conn_flush(self);
    if (self->state != CONN_OPEN || self->filter != NULL || self->parked > 0 || self->half ||
        self->eof_seen || self->in_len > 0 || self->send_head != NULL) {
        return TUSK_ESTATE;
    }
    tusk__conn_stop_work(self);
    become(self, CONN_OPENING);
    self->filter = filter;
    self->paused = false;
    self->want_read = true;
    self->want_write = tusk_filter_is_client(filter);
    tusk__conn_interest(self);
    return TUSK_OK;
}

/* ---- pausing, parking ---- */
static void offer_again(tusk_conn *conn)
{
    if (conn->state == CONN_OPEN &&
        (conn->in_len > 0 || (conn->filter != NULL && tusk_filter_pending(conn->filter)))) {
        tusk__net_schedule_tell(conn, CONN_TELL_DATA);
    }
    tusk__conn_interest(conn);
}

void tusk_conn_pause(tusk_conn *self)
{
    self->paused = true;
    tusk__conn_interest(self);
}

void tusk_conn_resume(tusk_conn *self)
{
    if (self->paused) {
        self->paused = false;
        offer_again(self);
    }
}

void tusk_conn_park(tusk_conn *self)
{
    assert(self->parked < UINT16_MAX);
    self->parked++;
    self->reading = false;
    if (!tusk__conn_keep_input(self)) {
        tusk__conn_close(self, TUSK_ENOMEM);
        return;
    }
    tusk__conn_interest(self);
}

void tusk_conn_unpark(tusk_conn *self)
{
    assert(self->parked > 0);
    if (--self->parked > 0) {
        return;
    }
    offer_again(self);
    if (self->tell != 0 && !self->busy) {
        tusk__net_schedule_tell(self, 0);
    }
}

void tusk_conn_detach(tusk_conn *self)
{
    assert(self->busy && !self->detached);
    self->detached = true;
    self->reading = false;
    self->busy = false;
    tusk__conn_settle_input(self);
    offer_again(self);
    if (self->tell != 0) {
        tusk__net_schedule_tell(self, 0);
    }
}

void tusk_conn_again(tusk_conn *self)
{
    if (self->state == CONN_OPEN) {
        tusk__net_schedule_tell(self, CONN_TELL_AGAIN);
    }
}

bool tusk_conn_quiet(const tusk_conn *self)
{
    uint8_t byte;
    self->net->counters.recv_calls++;
    ssize_t len = recv(self->io.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

bool tusk_conn_takes(const tusk_conn *self, uint32_t within_ms)
{
    net_tcp_info info;
    return tusk__tcp_info_get(&info, self->io.fd) && info.held && info.taken_ms < within_ms;
}

bool tusk_conn_stalls(const tusk_conn *self, uint32_t for_ms)
{
    net_tcp_info info;
    return tusk__tcp_info_get(&info, self->io.fd) && info.held && info.taken_ms >= for_ms;
}

bool tusk_conn_shakes_hands(const tusk_conn *self)
{
    return self->state == CONN_OPENING && self->filter != NULL &&
           tusk_filter_has_begun(self->filter);
}

/* ---- ending ---- */
void tusk_conn_shutdown(tusk_conn *self)
{
    if ((self->state == CONN_OPEN || self->state == CONN_OPENING) && !self->half) {
        self->half = true;
        if (self->state == CONN_OPEN && !self->blocked) {
            tusk__net_schedule_flush(self);
        }
    }
}

void tusk_conn_finish(tusk_conn *self)
{
    bool over = self->shut_wr && (self->eof_seen || self->brief);
    if (self->state == CONN_OPENING || (self->state == CONN_OPEN && over)) {
        tusk__conn_close(self, TUSK_OK);
    } else if (self->state == CONN_OPEN) {
        tusk__conn_stop_work(self);
        become(self, CONN_FINISHING);
        tusk__conn_interest(self);
        if (self->state == CONN_FINISHING && self->blocked) {
            tusk__net_linger(self);
        } else if (self->state == CONN_FINISHING) {
            tusk__net_schedule_flush(self); /* which lingers, if anything is left to do */
        }
    }
}

void tusk_conn_end(tusk_conn *self)
{
    self->brief = true;
    tusk_conn_finish(self);
}

void tusk_conn_abort(tusk_conn *self, tusk_err why)
{
    tusk__conn_close(self, why);
}

void tusk__conn_leave(tusk_conn *conn, tusk_err why)
{
    become(conn, CONN_CLOSED);
    conn->why = (int16_t)why;
    tusk__sendq_drop(conn);
    tusk__link_remove(&conn->flush);
    tusk__conn_stop_work(conn);
    tusk__net_unlinger(conn);
    if (conn->busy) {
        conn->in_len =
            0; /* the bytes stay till the callback returns: the owner may be looking at them */
    } else {
        tusk__conn_settle_input(conn);
    }
    conn->net->conns--;
    conn->net->counters.conns_closed++;
    conn->tell = 0;
    tusk__net_schedule_tell(conn, CONN_TELL_CLOSE | CONN_TELL_ROOM);
}

void tusk__conn_close(tusk_conn *conn, tusk_err why)
{
    if (conn->state == CONN_CLOSED) {
        return;
    }
    if (conn->blocked) {
        /* The kernel's buffer is full of what this peer does not take: do not keep it for minutes.
         */
        tusk__socket_will_reset(conn->io.fd);
    }
    tusk_io_close(conn->net->loop, &conn->io);
    tusk__conn_leave(conn, why);
}
