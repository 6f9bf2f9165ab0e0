/* SPDX-License-Identifier: MIT */
/* The sessions of a relay, from the first to the last: counted in and out, drained, cut. */
#include "relay/inner.h"

#include "net/tls.h"

#include "relay/route/probe.h"
#include "relay/shared.h"
#include "relay/used.h"

void relay_session_open(relay_session *self, relay_door *door, const relay_session_ops *ops)
{
    tusk_relay *relay = door->relay;
    self->door = door;
    self->ops = ops;
    self->began_ns = tusk_loop_now_ns(relay->loop);
    self->source = relay->source;
    relay->source = NULL;
    tusk__list_push(&relay->sessions, &self->link);
    if (!tusk_timer_running(&relay->count_timer)) {
        tusk_timer_start(relay->loop, &relay->count_timer, relay->count_ms);
    }
    if (relay->share != NULL) {
        relay_share_publish_soon(relay);
    }
}

static void settle_if_empty(tusk_relay *self)
{
    if (self->state == RELAY_STOPPING && self->gates.taken == 0 && self->held == 0) {
        self->state = RELAY_STOPPED;
        if (self->share != NULL) {
            relay_share_publish(self);
        }
        tusk_timer_stop(self->loop, &self->drain_timer);
        tusk_timer_stop(self->loop, &self->count_timer);
        tusk_task_defer(self->loop, &self->stopped_task);
    }
}

void relay_session_close(relay_session *self)
{
    relay_door *door = self->door;
    tusk_relay *relay = door->relay;
    tusk__link_remove(&self->link);
    relay_source_give(relay, &self->source);
    if (relay->share != NULL) {
        relay_share_publish_soon(relay);
    }
    net_gates_leave(&relay->gates, &door->gate);
    settle_if_empty(relay);
}

void relay_session_move(relay_session *to, relay_session *from, const relay_session_ops *ops)
{
    *to = *from;
    to->ops = ops;
    to->link = (tusk_link){.next = NULL};
    tusk__link_remove(&from->link);
    tusk__list_push(&to->door->relay->sessions, &to->link);
    *from = (relay_session){.door = NULL};
}

void relay_hold(tusk_relay *self)
{
    self->held++;
}

void relay_release(tusk_relay *self)
{
    self->held--;
    settle_if_empty(self);
}

/* ---- connections ---- */
tusk_err relay_conn_init(tusk_relay *relay, tusk_conn *conn, int fd, tusk_filter *filter,
                         const tusk_conn_ops *ops)
{
    tusk_err err = tusk_conn_init(conn, relay->net, fd, filter, ops);
    if (err == TUSK_OK) {
        conn->low_water = relay->limits.pending_bytes / 2;
    }
    return err;
}

bool relay_conn_broke_tls(const tusk_conn *conn, tusk_err err)
{
    bool left = err == TUSK_EEOF || err == TUSK_ERESET;
    bool ours = err == TUSK_ELIMIT || err == TUSK_ENOMEM;
    return !ours && (!left || tusk_filter_has_begun(conn->filter));
}

/* ---- bytes of those that last ---- */
enum { COUNT_MS = 10000, COUNT_PART = 2048 /* sessions in a turn */ };

/* Nobody is called by it, so a round holds who was there when it began and has not ended. */
static void on_count(tusk_timer *timer)
{
    tusk_relay *self = TUSK_OWNER(timer, tusk_relay, count_timer);
    tusk_link *link = NULL;
    if (tusk__list_empty(&self->count_round)) {
        tusk__list_splice(&self->count_round, &self->sessions);
    }
    for (int i = 0; i < COUNT_PART && (link = tusk__list_pop(&self->count_round)) != NULL; i++) {
        relay_session *session = TUSK_OWNER(link, relay_session, link);
        tusk__list_push(&self->sessions, link);
        if (session->ops->count != NULL) {
            session->ops->count(session);
        }
    }
    relay_share_publish_soon(self);
    if (self->gates.taken > 0) {
        tusk_timer_start(self->loop, timer,
                         tusk__list_empty(&self->count_round) ? self->count_ms : 1);
    }
}

/* ---- stop ---- */
static void stop_kind(tusk_relay *self)
{
    if (self->ops->stop != NULL) {
        self->ops->stop(self);
    }
}

static void on_stopped(tusk_task *task)
{
    tusk_relay *self = TUSK_OWNER(task, tusk_relay, stopped_task);
    if (self->handler->on_stopped != NULL) {
        self->handler->on_stopped(self->user);
    }
}

/* A session may be gone when its callback returns, and others with it: a round goes over those that
 * were there. Inside a callback another one may begin, with a newer word, and takes over the rest.
 */
static void each_session(tusk_relay *self, const char *end)
{
    tusk_link *link;
    tusk__list_splice(&self->session_round, &self->count_round);
    tusk__list_splice(&self->session_round, &self->sessions);
    while ((link = tusk__list_pop(&self->session_round)) != NULL) {
        relay_session *session = TUSK_OWNER(link, relay_session, link);
        tusk__list_push(&self->sessions, link);
        if (end != NULL) {
            session->ops->cut(session, end);
        } else if (session->ops->drain != NULL) {
            session->ops->drain(session);
        }
    }
    if (end != NULL && self->ops->cut != NULL) {
        self->ops->cut(self);
    }
}

static void on_drained(tusk_timer *timer)
{
    each_session(TUSK_OWNER(timer, tusk_relay, drain_timer), "stopped");
}

void tusk_relay_stop(tusk_relay *self)
{
    if (self->state == RELAY_STOPPING) {
        each_session(self, "stopped");
        return;
    }
    if (self->state == RELAY_STOPPED) {
        return;
    }
    self->state = RELAY_STOPPING;
    net_gates_close(&self->gates);
    relay_probes_stop(self);
    relay_used_close(self);
    stop_kind(self);
    if (self->gates.taken + self->held > 0) { /* what outlives its session has that time, too */
        tusk_timer_start(self->loop, &self->drain_timer, self->limits.drain_ms);
        each_session(self, NULL);
    }
    settle_if_empty(self);
}

void relay_stop_init(tusk_relay *self)
{
    self->drain_timer.on_due = on_drained;
    self->stopped_task.run = on_stopped;
    self->count_timer.on_due = on_count;
    self->count_ms = COUNT_MS;
}

void relay_sessions_cut(tusk_relay *self)
{
    each_session(self, "stopped");
    stop_kind(self);
}
