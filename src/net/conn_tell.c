/* SPDX-License-Identifier: MIT */
/* What a connection's owner is told and when: one callback at a time, the struct held over it. */
#include <assert.h>

#include "net/inner.h"
#include "net/tls.h"

void tusk__conn_begin_call(tusk_conn *conn)
{
    assert(!conn->busy);
    conn->busy = true;
    conn->holds++;
}

void tusk__conn_end_call(tusk_conn *conn)
{
    conn->busy = false;
    if (conn->tell != 0 && conn->parked == 0) {
        tusk__net_schedule_tell(conn, 0);
    }
    if (conn->state != CONN_CLOSED && (conn->io.interest & TUSK_IO_READ) == 0) {
        tusk__conn_interest(conn); /* an event that came in the meantime took it away */
    }
    conn->holds--; /* whoever called us holds too, or the close is not told yet */
}

static void tell_ready(tusk_conn *conn)
{
    tusk_err err = (tusk_err)conn->why;
    if (conn->ops->on_ready != NULL) {
        tusk__conn_begin_call(conn);
        conn->ops->on_ready(conn, err);
        tusk__conn_end_call(conn);
    }
}

static void tell_data(tusk_conn *conn, unsigned tell)
{
    if (conn->state != CONN_OPEN || conn->paused || conn->works) {
        return; /* resuming offers it again, or its place in the line comes */
    }
    if ((tell & CONN_TELL_AGAIN) != 0 || ((tell & CONN_TELL_DATA) != 0 && conn->in_len > 0)) {
        tusk__conn_deliver(conn);
    }
    if (conn->filter == NULL || conn->state != CONN_OPEN || conn->works ||
        ((tell & CONN_TELL_READ) == 0 && !tusk_filter_pending(conn->filter))) {
        return;
    }
    if ((conn->tell & (CONN_TELL_DATA | CONN_TELL_AGAIN)) != 0) {
        conn->tell |=
            CONN_TELL_READ; /* the owner looks at what it has before more comes, or the end */
    } else if (tusk__conn_may_read(conn)) {
        tusk__conn_read(conn);
    }
}

static void tell_drain(tusk_conn *conn)
{
    if (conn->state == CONN_OPEN && conn->ops->on_drain != NULL) {
        tusk__conn_begin_call(conn);
        conn->ops->on_drain(conn);
        tusk__conn_end_call(conn);
    }
}

static void tell_hangup(tusk_conn *conn)
{
    if (conn->state == CONN_OPEN && conn->ops->on_hangup != NULL) {
        tusk__conn_begin_call(conn);
        conn->ops->on_hangup(conn);
        tusk__conn_end_call(conn);
    }
}

static void tell_close(tusk_conn *conn)
{
    tusk__link_remove(&conn->pending); /* the memory may go with the last hold */
    tusk__conn_settle_input(conn);
    tusk__conn_begin_call(conn);
    conn->ops->on_close(conn, (tusk_err)conn->why);
    conn->tell = 0; /* this was the last: with anything left it would be listed, and then freed */
    tusk__conn_end_call(conn);
    conn->close_told = true;
    tusk_tls_filter_free(conn->filter); /* not before: the owner may have asked it for the reason */
    conn->filter = NULL;
}

static bool take_tell(tusk_conn *conn, unsigned which)
{
    bool is_set = (conn->tell & which) != 0;
    conn->tell = (uint8_t)(conn->tell & ~which);
    return is_set;
}

/* No call of the owner like the others: it may come between the halves of one. */
static void tell_room(tusk_conn *conn)
{
    if (take_tell(conn, CONN_TELL_ROOM) && conn->ops->on_room != NULL) {
        conn->ops->on_room(conn);
    }
}

void tusk__conn_tell(tusk_conn *conn)
{
    const unsigned data = CONN_TELL_DATA | CONN_TELL_AGAIN | CONN_TELL_READ;
    tusk_conn_hold(conn);
    tell_room(conn);
    if (conn->parked == 0 && !conn->busy && take_tell(conn, CONN_TELL_READY)) {
        tell_ready(conn);
    }
    if (conn->parked == 0 && !conn->busy) {
        unsigned tell = conn->tell & data;
        if (take_tell(conn, data)) {
            tell_data(conn, tell);
        }
    }
    if (conn->parked == 0 && !conn->busy && take_tell(conn, CONN_TELL_DRAIN)) {
        tell_drain(conn);
    }
    if (conn->parked == 0 && !conn->busy && take_tell(conn, CONN_TELL_HANGUP)) {
        tell_hangup(conn);
    }
    if (conn->parked == 0 && !conn->busy && take_tell(conn, CONN_TELL_CLOSE)) {
        tell_room(conn); /* closed by one of the calls above */
        tell_close(conn);
    }
    tusk_conn_release(conn);
}

void tusk_conn_release(tusk_conn *self)
{
    if (--self->holds == 0 && self->close_told) {
        self->ops->on_released(self);
    }
}
