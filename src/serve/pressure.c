/* SPDX-License-Identifier: MIT */
/* When the send queues of all sessions together are nearly full: large messages are not read on
 * until their answers would fit, and whoever holds the room without taking anything gives it up. */
#include "serve/pressure.h"

#include "serve/unfinished.h"

static tusk_session *longest_queue(const tusk_server *server)
{
    tusk_session *longest = NULL;
    size_t most = 0;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        tusk_session *other = server->slots[i].session;
        if (other != NULL && tusk_conn_held(&other->conn) > most) { /* a file takes no memory */
            longest = other;
            most = tusk_conn_held(&other->conn);
        }
    }
    return longest;
}

/* What waits only for the end of the turn leaves first: its peer may take it. */
static bool leaves(tusk_session *session, size_t need)
{
    tusk_conn *conn = &session->conn;
    while (tusk_conn_waits_for_turn(conn) && need > tusk_net_room(session->server->net)) {
        tusk_conn_flush(conn);
    }
    return conn->state == CONN_CLOSED || need <= tusk_net_room(session->server->net);
}

static void cut(tusk_session *session)
{
    session->server->stats.overflow_closed++;
    tusk__session_cut(session);
}

/* Where the longest alone was not enough, there is a crowd of them: one walk for all that are
 * longer than half of it, not one for each. */
static void cut_longer(tusk_server *server, size_t than, size_t need)
{
    for (uint32_t i = 0; i < server->slot_count && need > tusk_net_room(server->net); i++) {
        tusk_session *other = server->slots[i].session;
        if (other != NULL && tusk_conn_held(&other->conn) > than && !leaves(other, need)) {
            cut(other);
        }
    }
}

/* Thousands that are refused in one turn, as by a publication, must not be as many walks. */
static bool nobody_is_longer(const tusk_server *server, size_t than)
{
    return server->full_ns == tusk_loop_now_ns(server->loop) && server->full_bytes <= than;
}

bool tusk__session_make_room(tusk_session *self, size_t need)
{
    tusk_server *server = self->server;
    if (TUSK_LIKELY(need <= tusk_net_room(server->net))) {
        return true;
    }
    tusk_net_flush(server->net, need); /* what would leave at the turn's end keeps nobody out */
    if (leaves(self, need)) {
        return true; /* or it has found its own peer gone */
    }
    size_t own = tusk_conn_held(&self->conn);
    size_t claim = own == 0 ? 0 : own + need; /* a first answer has its right */
    while (need > tusk_net_room(server->net)) {
        if (need > server->limits.queued_bytes_total || nobody_is_longer(server, claim)) {
            return false;
        }
        tusk_session *longest = longest_queue(server);
        size_t held = longest == NULL ? 0 : tusk_conn_held(&longest->conn);
        if (held <= claim) { /* as it is where this one has the longest */
            server->full_ns = tusk_loop_now_ns(server->loop);
            server->full_bytes = held;
            return false;
        }
        if (!leaves(longest, need)) {
            cut(longest);
        }
        cut_longer(server, held / 2 > claim ? held / 2 : claim, need);
    }
    return true;
}

bool tusk__server_make_room(void *user, tusk_conn *conn, size_t need)
{
    (void)user;
    return tusk__session_make_room(tusk__session_of(conn), need);
}

bool tusk__pressure_fits(const tusk_session *self, size_t bytes)
{
    const tusk_server *server = self->server;
    const tusk_server_limits *limits = &server->limits;
    size_t eighth = limits->queued_bytes_total / 8; /* is always there for what is small */
    size_t largest =
        self->kind == SESSION_HTTP ? (size_t)limits->body_bytes : limits->message_bytes;
    size_t most = limits->queued_bytes_total - eighth;
    most = most > largest + eighth ? most : largest + eighth;
    size_t queued = tusk_net_queued(server->net);
    return queued == 0 || queued + bytes <= most; /* empty queues: there is nothing to wait for */
}

void tusk__pressure_wait(tusk_session *self)
{
    tusk_server *server = self->server;
    if (!tusk_timer_running(&server->pressure_timer)) {
        const tusk_session *longest = longest_queue(server);
        server->pressure_by = tusk__session_handle(longest == NULL ? self : longest);
        server->pressure_bytes = longest == NULL ? 0 : longest->conn.send_bytes;
        tusk_timer_start(server->loop, &server->pressure_timer, server->limits.unfinished_ms);
    }
}

bool tusk__pressure_admits(tusk_session *self)
{
    if (TUSK_LIKELY(self->unfinished < TUSK__UNFINISHED_UNASKED) ||
        tusk__pressure_fits(self, self->unfinished)) {
        return true;
    }
    tusk__pressure_wait(self);
    return false;
}

static bool anybody_waits(const tusk_server *server)
{
    for (uint32_t i = 0; i < server->slot_count; i++) {
        if (server->slots[i].session != NULL && server->slots[i].session->paused_unfinished) {
            return true;
        }
    }
    return false;
}

/* Also one that has been told its end, whose handle finds nobody. */
static tusk_session *holder_of(const tusk_server *server)
{
    tusk_handle by = server->pressure_by;
    tusk_session *session = by.slot < server->slot_count ? server->slots[by.slot].session : NULL;
    return session != NULL && session->generation == by.generation ? session : NULL;
}

/* Its memory may go with its last byte only, so what counts is what has left; a byte now and then
 * would hold others up for ever. */
static bool goes_on(const tusk_session *holder, size_t before)
{
    enum { PARTS = 16 };
    return holder->conn.send_bytes + tusk_conn_held(&holder->conn) / PARTS < before;
}

/* From the longest on, those whose peers have taken nothing at all for as long: each of a crowd of
 * them would have others wait so long once more. */
static void cut_stalled(tusk_server *server)
{
    while (tusk__pressure_high(server)) {
        tusk_session *longest = longest_queue(server);
        if (longest == NULL || tusk_conn_held(&longest->conn) < TUSK__UNFINISHED_UNASKED ||
            !tusk_conn_stalls(&longest->conn, server->limits.unfinished_ms)) {
            return;
        }
        cut(longest);
    }
}

/* Others have waited a while: one that took next to nothing of its queue in that time is cut, one
 * that takes may go on. */
void tusk__pressure_on_due(tusk_timer *timer)
{
    tusk_server *server = TUSK_OWNER(timer, tusk_server, pressure_timer);
    tusk_session *holder = holder_of(server);
    if (!anybody_waits(server)) {
        return;
    }
    if (holder != NULL && tusk_conn_held(&holder->conn) > 0 &&
        !goes_on(holder, server->pressure_bytes)) {
        cut(holder);
        cut_stalled(server);
        tusk__silence_ask_young(server);
    }
    tusk_task_defer(server->loop,
                    &server->unfinished_task); /* they look again, and the timer with them */
}

void tusk__pressure_eased(tusk_server *server)
{
    if (TUSK_UNLIKELY(tusk_timer_running(&server->pressure_timer))) {
        tusk_task_defer(server->loop, &server->unfinished_task);
    }
}
