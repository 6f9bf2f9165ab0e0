/* SPDX-License-Identifier: MIT */
/* What of a turn one connection may have: how much it reads where many read much, and for how long
 * its handlers run. */
#include "net/inner.h"

#include "loop/patient.h"

#define SLICE_NS_MIN UINT64_C(15000)
#define SHORT_READ 4096
#define CROWD_READ_MIN ((size_t)8 * 1024)
#define CROWD_READS 4 /* landing buffers that all together read in a turn */

/* ---- crowds ---- */
static void join(net_crowd *self, uint64_t turn)
{
    if (self->turn != turn) {
        self->before = self->turn + 1 == turn ? self->now : 0;
        self->now = 0;
        self->turn = turn;
    }
    self->now++;
}

static uint32_t count(const net_crowd *self, uint64_t turn)
{
    if (self->turn != turn) {
        return self->turn + 1 == turn ? self->now : 0;
    }
    return self->now > self->before ? self->now : self->before;
}

static uint64_t turn_of(const tusk_net *net)
{
    tusk_loop_counters counters;
    tusk_loop_count(net->loop, &counters);
    return counters.turns;
}

bool tusk__conn_of_crowd_waits(tusk_conn *conn)
{
    tusk_net *net = conn->net;
    if (conn->works) {
        tusk__conn_close_if_reset(conn);
        return true;
    }
    uint64_t turn = turn_of(net);
    net_crowd *of = conn->rekeys ? &net->rekey : &net->ahead;
    uint32_t crowd = count(of, turn);
    if (crowd <= NET_CROWD_TURN ||
        (turn * NET_CROWD_TURN + (uint64_t)conn->io.fd) % crowd < NET_CROWD_TURN) {
        return false;
    }
    join(of, turn);
    return true;
}

static size_t share_of_reads(const tusk_net *net, size_t cap)
{
    uint32_t ahead = count(&net->ahead, turn_of(net));
    size_t share = ahead > CROWD_READS ? cap * CROWD_READS / ahead : cap;
    share = share > CROWD_READ_MIN ? share : CROWD_READ_MIN;
    return share < cap ? share : cap;
}

size_t tusk__turn_read_cap(const tusk_net *net, size_t cap)
{
    size_t limit = net->limits.held_bytes;
    bool much = limit > 0 && net->rest_bytes + net->held_outside > limit;
    if (TUSK_UNLIKELY(net->ahead.turn != 0)) {
        cap = share_of_reads(net, cap);
    }
    return much && cap > SHORT_READ ? SHORT_READ : cap;
}

static void unsettle(tusk_conn *conn)
{
    conn->small = 0;
    tusk__io_may_wait(&conn->io, conn->net->limits.settled_reads > 0);
}

void tusk__turn_filled(tusk_conn *conn, size_t cap, ptrdiff_t len)
{
    conn->filled = len == (ptrdiff_t)cap && cap >= CROWD_READ_MIN;
    if (conn->filled) {
        join(&conn->net->ahead, turn_of(conn->net));
        unsettle(conn);
    }
}

void tusk__turn_rekeyed(tusk_conn *conn)
{
    tusk_net *net = conn->net;
    conn->rekeys = true;
    join(&net->rekey, turn_of(net));
    unsettle(conn);
}

/* ---- newcomers ---- */
void tusk__turn_settle(tusk_conn *conn)
{
    if (conn->in_len >= NET_EARLY_BYTES) {
        conn->small = 0;
    } else if (++conn->small >= conn->net->limits.settled_reads) {
        conn->small = 0;
        tusk__io_may_wait(&conn->io, false);
    }
}

/* ---- slices of time ---- */
bool tusk_conn_enough(tusk_conn *self)
{
    tusk_net *net = self->net;
    if (self->state != CONN_OPEN || net->slice_of != self ||
        tusk_loop_clock_ns() - net->slice_start_ns < net->slice_ns) {
        return false;
    }
    net->slice_of = NULL;
    net->counters.slices_cut++;
    join(&net->cuts, turn_of(net));
    tusk__net_schedule_cut(self, CONN_TELL_AGAIN);
    return true;
}

/* One has slice_us for itself; those that had to be cut, or have more to come, share it. */
static uint64_t slice_ns(const tusk_net *net)
{
    uint64_t whole = UINT64_C(1000) * net->limits.slice_us;
    if (TUSK_LIKELY(net->ahead.turn == 0 && net->cuts.turn == 0)) {
        return whole;
    }
    uint64_t turn = turn_of(net);
    uint32_t ahead = count(&net->ahead, turn);
    uint32_t crowd = count(&net->cuts, turn);
    crowd = crowd > ahead ? crowd : ahead;
    uint64_t share = crowd > 1 ? whole / crowd : whole;
    return share > SLICE_NS_MIN || whole < SLICE_NS_MIN ? share : SLICE_NS_MIN;
}

void tusk__turn_slice_long(const tusk_conn *conn)
{
    tusk_net *net = conn->net;
    net->slice_of = conn;
    net->slice_ns = slice_ns(net);
    net->slice_start_ns = tusk_loop_clock_ns();
}
