/* SPDX-License-Identifier: MIT */
/* Those that have more to compute than a turn has time for: they go on in the next turns, behind
 * the answers to everybody else. */
#include "loop/patient.h"
#include "net/inner.h"
#include "net/tls.h"

/* Counted rather than timed, in inflated bytes: these are 25 to 60 us. */
#define WORK_BESIDE ((size_t)8 * 1024)
#define WORK_ALONE ((size_t)64 * 1024)

size_t *tusk_net_work(tusk_net *self)
{
    return &self->work_left;
}

static void run_again(tusk_net *net)
{
    if (tusk__list_empty(&net->cut) && tusk__list_empty(&net->working)) {
        tusk_task_cancel(&net->behind_task);
    } else {
        tusk__task_defer_behind(net->loop, &net->behind_task);
    }
}

/* ---- who has much input ---- */
void tusk__net_schedule_cut(tusk_conn *conn, unsigned tell)
{
    tusk_net *net = conn->net;
    conn->tell = (uint8_t)(conn->tell | tell);
    if (!tusk__link_linked(&conn->pending)) {
        tusk__list_push(&net->cut, &conn->pending);
        tusk__task_defer_behind(net->loop, &net->behind_task);
    }
}

static void tell_cut(tusk_net *net)
{
    for (unsigned i = 0; i < NET_CROWD_TURN && !tusk__list_empty(&net->cut);) {
        tusk_conn *conn = TUSK_OWNER(tusk__list_pop(&net->cut), tusk_conn, pending);
        i += conn->rekeys ? NET_CROWD_TURN : 1; /* a read of those takes as long as all others' */
        tusk__list_push(&net->pending, &conn->pending);
        tusk_task_defer(net->loop, &net->tell_task);
    }
}

/* ---- who has much to make of it ---- */
void tusk_conn_later(tusk_conn *self)
{
    tusk_net *net = self->net;
    if (self->state == CONN_OPEN && !self->works) {
        net->counters.slices_cut++;
        self->works = true;
        tusk__list_push(&net->working, &self->linger);
        tusk__task_defer_behind(net->loop, &net->behind_task);
        tusk__conn_interest(self);
    }
}

void tusk__conn_stop_work(tusk_conn *conn)
{
    if (conn->works) {
        conn->works = false;
        tusk__link_remove(&conn->linger);
    }
}

static void go_on(tusk_conn *conn)
{
    tusk_conn_hold(conn);
    tusk__conn_stop_work(conn);
    if (conn->parked > 0 || conn->busy) {
        conn->tell = (uint8_t)(conn->tell | CONN_TELL_AGAIN);
    } else if (!conn->paused) {
        tusk__conn_deliver_on(conn);
        if (conn->filter != NULL && !conn->works && tusk__conn_may_read(conn) &&
            tusk_filter_pending(conn->filter)) {
            tusk__net_schedule_tell(conn, CONN_TELL_READ);
        }
    }
    tusk__conn_interest(conn);
    tusk_conn_release(conn);
}

/* One after the other, so that each has half of a turn's part at least. As in run_tell (net.c) a
 * callback may set its stack aside: the task is deferred before, and an older run is superseded. */
static void work(tusk_net *net)
{
    uint64_t run = ++net->work_runs;
    size_t part = tusk__loop_serves(net->loop) ? WORK_BESIDE : WORK_ALONE;
    net->work_left = part;
    for (unsigned i = 0; i < NET_CROWD_TURN && net->work_left >= part / 2; i++) {
        if (tusk__list_empty(&net->working)) {
            break;
        }
        run_again(net);
        go_on(TUSK_OWNER(net->working.next, tusk_conn, linger));
        if (net->work_runs != run) {
            return;
        }
    }
    run_again(net);
}

void tusk__net_run_behind(tusk_task *task)
{
    tusk_net *net = TUSK_OWNER(task, tusk_net, behind_task);
    tell_cut(net);
    work(net);
}
