/* SPDX-License-Identifier: MIT */
/* The end of a server: its sessions are closed over a window of time, stragglers are cut. */
#include "serve/session.h"

#define DRAIN_TICK_MS 10

void tusk__server_session_gone(tusk_server *self)
{
    if (self->state == SERVER_STOPPING && self->gates.taken == 0) {
        self->state = SERVER_STOPPED;
        tusk_timer_stop(self->loop, &self->drain_timer);
        tusk_task_defer(self->loop, &self->stopped_task);
    }
}

static void cut_all(tusk_server *self)
{
    for (uint32_t i = 0; i < self->slot_count; i++) {
        tusk_session *session = self->slots[i].session;
        if (session != NULL && session->conn.state != CONN_CLOSED) {
            self->stats.drain_cut++;
            tusk__session_abort(session, TUSK_ETIMEOUT);
        }
    }
}

static void end(tusk_session *session)
{
    if (!session->close_told) {
        tusk__hub_settle_write(&session->server->hub,
                               session); /* what was published leaves before */
        tusk__session_ops(session)->drain(session);
    }
}

void tusk__server_drain_late(tusk_session *session)
{
    const tusk_server *self = session->server;
    if (tusk_server_stopping(self) && session->slot < self->drain_next &&
        tusk_conn_open(&session->conn)) {
        end(session);
    }
}

/* Clients come back at once when they are closed, so closes are spread: over half of the window, by
 * slot. */
void tusk__server_on_drain(tusk_timer *timer)
{
    tusk_server *self = TUSK_OWNER(timer, tusk_server, drain_timer);
    uint64_t passed = tusk_loop_now_ms(self->loop) - self->drain_started_ms;
    uint64_t window = self->limits.drain_ms / 2;
    if (window > self->gates.taken) {
        window = self->gates.taken; /* a millisecond each is spread enough */
    }
    uint64_t until =
        window == 0 || passed >= window ? self->slot_count : self->slot_count * passed / window;
    bool late = passed >= self->limits.drain_ms &&
                (self->drain_next < until ||
                 (!self->drain_waited && passed > self->limits.drain_ms + DRAIN_TICK_MS));
    while (self->drain_next < until) {
        tusk_session *session = self->slots[self->drain_next++].session;
        if (session != NULL) {
            end(session);
        }
    }
    if (late) { /* the process was held up: what was just written, or will be, leaves first */
        self->drain_waited = true;
        tusk_timer_start(self->loop, &self->drain_timer, DRAIN_TICK_MS);
        return;
    }
    if (passed >= self->limits.drain_ms) {
        cut_all(self);
        return;
    }
    bool all = self->drain_next >= self->slot_count;
    tusk_timer_start(self->loop, &self->drain_timer,
                     all ? self->limits.drain_ms - passed : DRAIN_TICK_MS);
}

void tusk_server_stop(tusk_server *self)
{
    if (self->state == SERVER_STOPPING) {
        cut_all(self);
        return;
    }
    if (self->state == SERVER_STOPPED) {
        return;
    }
    self->state = SERVER_STOPPING;
    net_gates_close(&self->gates);
    tusk_timer_stop(self->loop, &self->certificate_timer);
    self->drain_started_ms = tusk_loop_now_ms(self->loop);
    self->drain_next = 0;
    tusk_timer_start(self->loop, &self->drain_timer, 0);
    tusk__server_session_gone(self);
}

bool tusk_server_cut(tusk_server *self)
{
    cut_all(self);
    return self->gates.taken > 0;
}

bool tusk_server_stopping(const tusk_server *self)
{
    return self->state == SERVER_STOPPING || self->state == SERVER_STOPPED;
}
