/* SPDX-License-Identifier: MIT */
/* When the send queues of all sessions together are nearly full: large messages are not read on
 * until their answers would fit, and whoever holds the room without taking anything gives it up. */
#include "serve/server.h"

static tusk_session *longest_queue(const tusk_server *server, const tusk_session *but)
{
    tusk_session *longest = NULL;
    size_t most = 0;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        tusk_session *other = server->slots[i].session;
        if (other != NULL && other != but && other->conn.state != CONN_CLOSED &&
            tusk_conn_held(&other->conn) > most) { /* a file that waits takes no memory */
            longest = other;
            most = tusk_conn_held(&other->conn);
        }
    }
    return longest;
}

static void cut(tusk_session *session)
{
    session->server->stats.overflow_closed++;
    tusk__session_cut(session);
}

bool tusk__session_make_room(tusk_session *self, size_t need)
{
    tusk_server *server = self->server;
    while (need > tusk_net_room(server->net)) {
        tusk_session *longest = longest_queue(server, self);
        if (longest == NULL ||
            tusk_conn_held(&longest->conn) <= tusk_conn_held(&self->conn) + need) {
            return false;
        }
        cut(longest);
    }
    return true;
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
        const tusk_session *longest = longest_queue(server, NULL);
        server->pressure_by = tusk__session_handle(longest == NULL ? self : longest);
        server->pressure_bytes = longest == NULL ? 0 : tusk_conn_held(&longest->conn);
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

/* Others have waited a while: one that took nothing of its queue in that time is cut, one that
 * takes may go on. */
void tusk__pressure_on_due(tusk_timer *timer)
{
    tusk_server *server = TUSK_OWNER(timer, tusk_server, pressure_timer);
    tusk_session *holder = tusk__session_find(server, server->pressure_by);
    if (!anybody_waits(server)) {
        return;
    }
    if (holder != NULL && tusk_conn_held(&holder->conn) > 0 &&
        tusk_conn_held(&holder->conn) >= server->pressure_bytes) {
        cut(holder);
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
