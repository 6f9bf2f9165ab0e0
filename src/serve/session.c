/* SPDX-License-Identifier: MIT */
/* Sessions: their slots and handles, their lifetime, their deadlines, and when their reading stops.
 */
#include "serve/session.h"

#include <stdio.h>

#include "base/mem.h"
#include "net/socket.h"
#include "net/tls.h"
#include "serve/http/http.h"
#include "serve/pressure.h"
#include "serve/rate.h"
#include "serve/share.h"
#include "serve/unfinished.h"

#define LOW_WATER (32u * 1024u)

uint32_t tusk__server_ms(const tusk_server *server)
{
    return (uint32_t)tusk_loop_now_ms(server->loop);
}

/* ---- slots ---- */

static tusk_err slots_grow(tusk_server *server)
{
    uint32_t wanted =
        server->slot_count + (server->slot_count / 4 > 64 ? server->slot_count / 4 : 64);
    session_slot *slots = tusk__resize(
        server->mem, server->slots, server->slot_count * sizeof(*slots), wanted * sizeof(*slots));
    if (slots == NULL) {
        return TUSK_ENOMEM;
    }
    uint32_t first = server->hub.store->first_generation;
    for (uint32_t i = server->slot_count; i < wanted; i++) {
        slots[i] =
            (session_slot){.generation = first, .next_free = i + 1 < wanted ? i + 1 : UINT32_MAX};
    }
    server->slots = slots;
    server->slot_free = server->slot_count;
    server->slot_count = wanted;
    return TUSK_OK;
}

static tusk_err slot_take(tusk_session *self)
{
    tusk_server *server = self->server;
    if (server->slot_free == UINT32_MAX) {
        tusk_err err = slots_grow(server);
        if (err != TUSK_OK) {
            return err;
        }
    }
    session_slot *slot = &server->slots[server->slot_free];
    self->slot = server->slot_free;
    self->generation = slot->generation;
    server->slot_free = slot->next_free;
    slot->session = self;
    return TUSK_OK;
}

/* The handle is dead from here on. The session keeps its place as long as it lives: what it still
 * has to send takes room, and who stops waits for it. */
static void slot_retire(const tusk_session *self)
{
    session_slot *slot = &self->server->slots[self->slot];
    if (slot->generation == self->generation) {
        slot->generation = slot->generation == UINT32_MAX ? 1 : slot->generation + 1;
    }
}

static void slot_give(const tusk_session *self)
{
    session_slot *slot = &self->server->slots[self->slot];
    slot_retire(self);
    slot->session = NULL;
    slot->next_free = self->server->slot_free;
    self->server->slot_free = self->slot;
}

/* ---- birth ---- */

/* A client of WebSocket may have been silent because no ping came: of its silence does not count
 * what was behind its deadline, as nobody was here. */
static void forgive(tusk_session *self, uint32_t now, uint32_t behind_ms)
{
    uint32_t silent = now - self->last_in_ms;
    self->last_in_ms += behind_ms < silent ? behind_ms : silent;
}

static void on_due(tusk_timer *timer)
{
    tusk_session *self = TUSK_OWNER(timer, tusk_session, timer);
    uint64_t now = tusk_loop_now_ms(self->server->loop);
    int32_t left = (int32_t)(self->deadline_ms - (uint32_t)now);
    if (!self->due) {
        return;
    }
    if (left > 0) {
        tusk_timer_start_at(self->server->loop, &self->timer, now + (uint64_t)left);
        return;
    }
    if (TUSK_UNLIKELY(timer->put_off)) {
        forgive(self, (uint32_t)now, 0 - (uint32_t)left);
    }
    self->due = false;
    tusk__session_ops(self)->on_due(self, now);
}

void tusk__session_deadline(tusk_session *self, uint64_t at_ms)
{
    uint64_t now = tusk_loop_now_ms(self->server->loop);
    self->due = at_ms != UINT64_MAX;
    if (!self->due) {
        return; /* an armed timer looks and finds nothing due: cheaper than unlinking each time */
    }
    uint64_t left = at_ms > now ? at_ms - now : 0;
    if (left > INT32_MAX) {
        left = INT32_MAX; /* 24 days: kept in 32 bits, and looked at again then */
    }
    self->deadline_ms = (uint32_t)(now + left);
    if (!tusk_timer_running(&self->timer) || self->timer.due_ms > now + left) {
        tusk_timer_start_at(self->server->loop, &self->timer, now + left);
    } else {
        self->timer.put_off = false;
    }
}

static void take_address(tusk_session *self, const tusk_addr *peer)
{
    tusk_addr_key key = tusk_addr_key_of(peer);
    self->family = tusk_addr_ip(peer, self->ip);
    self->address = tusk__addresses_take(&self->server->addresses, &key);
}

/* ---- their memory: the last ones that ended serve the next ---- */
enum { SESSIONS_KEPT = 64 };

#if defined(__SANITIZE_ADDRESS__)
static const uint32_t sessions_kept = 0; /* what looks at one that has ended shall be found */
#else
static const uint32_t sessions_kept = SESSIONS_KEPT;
#endif

static tusk_session *session_take(tusk_server *server)
{
    tusk_session *self = server->spare_sessions;
    if (self == NULL) {
        return tusk__new(server->mem, sizeof(*self));
    }
    server->spare_sessions = self->user;
    server->spare_count--;
    memset(self, 0, sizeof(*self));
    return self;
}

static void session_give(tusk_server *server, tusk_session *self)
{
    if (server->spare_count >= sessions_kept) {
        tusk__free(server->mem, self, sizeof(*self));
        return;
    }
    self->user = server->spare_sessions;
    server->spare_sessions = self;
    server->spare_count++;
}

void tusk__sessions_drop_spare(tusk_server *server)
{
    while (server->spare_sessions != NULL) {
        tusk_session *next = server->spare_sessions->user;
        tusk__free(server->mem, server->spare_sessions, sizeof(*next));
        server->spare_sessions = next;
    }
    server->spare_count = 0;
}

static void count_handshake(tusk_server *server, int by)
{
    server->handshakes += (uint32_t)by;
    net_gates_set_busy(&server->gates, server->handshakes >= server->limits.handshakes);
}

tusk_err tusk__session_new(tusk_session **out, tusk_server *server, int fd, bool is_new,
                           const tusk_addr *peer, tusk_tls *tls)
{
    *out = NULL;
    tusk_session *self = session_take(server);
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->server = server;
    self->timer.on_due = on_due;
    self->timer.deadline = true;
    self->due = false;
    self->keep_alive = true;
    self->picked = -1;
    self->secure = tls != NULL;
    tusk_filter *filter = NULL;
    tusk_err err = tls == NULL ? TUSK_OK : tusk_tls_filter_new(&filter, tls, NULL);
    if (err == TUSK_OK) {
        err = tusk__rate_new(self);
    }
    if (err == TUSK_OK) {
        err = slot_take(self);
    }
    if (err == TUSK_OK) {
        take_address(self, peer);
        err = self->address == NULL ? TUSK_ENOMEM
              : is_new ? tusk_conn_accepted(&self->conn, server->net, fd, filter, &tusk__http_ops)
                       : tusk_conn_init(&self->conn, server->net, fd, filter, &tusk__http_ops);
    }
    if (err != TUSK_OK) {
        if (self->address != NULL) {
            tusk__addresses_give(&server->addresses, self->address);
        }
        if (self->generation != 0) {
            slot_give(self);
        }
        if (filter != NULL) {
            tusk_tls_filter_free(filter);
        }
        tusk__free(server->mem, self->rate, sizeof(*self->rate));
        session_give(server, self);
        return err;
    }
    size_t quarter =
        server->limits.queued_bytes / 4; /* on_drain must come though the limit is small */
    self->conn.low_water = quarter < LOW_WATER ? (uint32_t)quarter : LOW_WATER;
    self->counted_handshake = true;
    count_handshake(server, 1);
    tusk__share_publish_soon(server);
    server->stats.connections_total++;
    tusk__session_deadline(self, tusk_loop_now_ms(server->loop) + server->limits.handshake_ms);
    *out = self;
    return TUSK_OK;
}

void tusk__session_fail_handshake(tusk_session *self, tusk_err err)
{
    self->server->stats.handshakes_refused +=
        err != TUSK_ELIMIT; /* that one is counted as its limit's */
    tusk__session_abort(self, err);
}

void tusk__session_on_ready(tusk_conn *conn, tusk_err err)
{
    tusk_session *self = tusk__session_of(conn);
    if (err != TUSK_OK) {
        tusk__session_fail_handshake(self, err);
        return;
    }
    self->shaken = self->secure;
    tusk__server_drain_late(self);
}

void tusk__session_on_part(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    self->last_in_ms = tusk__server_ms(self->server);
}

void tusk__session_handshake_done(tusk_session *self)
{
    if (self->counted_handshake) {
        self->counted_handshake = false;
        count_handshake(self->server, -1);
    }
}

/* ---- death ---- */

void tusk__session_abort(tusk_session *self, tusk_err why)
{
    if (self->conn.state != CONN_CLOSED) {
        if (self->kind == SESSION_HTTP && tusk__http_ends_with_conn(self)) {
            tusk__socket_will_reset(self->conn.io.fd);
        }
        tusk_conn_abort(&self->conn, why);
    }
}

void tusk__session_cut(tusk_session *self)
{
    if (self->close_code == 0) {
        self->close_code = TUSK_WS_CODE_TRY_AGAIN_LATER;
        self->close_kind = TUSK_CLOSED_BY_US;
    }
    tusk__session_abort(self, TUSK_ELIMIT);
}

void tusk__session_drop_parks(tusk_session *self)
{
    if (self->parks > 0) {
        self->parks = 0;
        self->server->stats.parked--;
        tusk_conn_unpark(&self->conn);
    }
}

void tusk__session_tell_close(tusk_session *self, tusk_bytes reason)
{
    if (self->close_told) {
        return;
    }
    tusk_server *server = self->server;
    self->close_told = true;
    tusk__hub_unsubscribe_all(&server->hub, self);
    tusk_handle handle = tusk__session_handle(self);
    void *user = self->user;
    self->user = NULL;
    if (self->opened) {
        if (self->kind == SESSION_WEBSOCKET) {
            server->stats.websockets_open--;
        } else {
            server->stats.streams_open--;
        }
        if (server->handler->on_close != NULL) {
            tusk_conn_hold(&self->conn);
            server->handler->on_close(
                server->user, handle, self->route == NULL ? NULL : self->route->user,
                self->close_code, reason, (tusk_close_kind)self->close_kind, user);
            tusk_conn_release(&self->conn);
        }
    } else if (server->handler->on_gone != NULL &&
               (user != NULL || self->state == HTTP_ANSWER || self->state == HTTP_AUTHORIZE ||
                self->state == HTTP_STREAMING)) {
        tusk_conn_hold(&self->conn);
        server->handler->on_gone(server->user, handle, user);
        tusk_conn_release(&self->conn);
    }
    tusk__session_drop_parks(self);  /* of its last callback: without a handle nobody could */
    self->paused_unfinished = false; /* it waits for nothing any more */
    slot_retire(self);
}

void tusk__session_on_close(tusk_conn *conn, tusk_err why)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    server->stats.protocol_errors += why == TUSK_ETLS && self->shaken;
    if (self->close_code == 0) { /* else it had its end before, and by whom was said with it */
        bool left = self->kind == SESSION_STREAM && why == TUSK_ERESET;
        self->close_code = TUSK_WS_CODE_ABNORMAL;
        self->close_kind = left             ? TUSK_CLOSED_BY_PEER
                           : why == TUSK_OK ? TUSK_CLOSED_BY_US
                                            : TUSK_CLOSED_ABNORMAL;
    }
    tusk__session_tell_close(self, tusk_bytes_of(NULL, 0));
    tusk_timer_stop(server->loop, &self->timer);
    if (self->rate != NULL) {
        tusk_timer_stop(server->loop, &self->rate->timer);
    }
    tusk__session_handshake_done(self);
    tusk__session_count_unfinished(self, 0);
    tusk__pressure_eased(server);
}

void tusk__session_on_released(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    tusk__session_ops(self)->fini(self);
    tusk__hub_member_free(&server->hub, self);
    slot_give(self);
    tusk__addresses_give(&server->addresses, self->address);
    if (self->target != NULL) {
        size_t len = strlen(self->target);
        server->target_extra -= tusk__target_extra(len);
        tusk__free(server->mem, self->target, len + 1);
    }
    tusk__free(server->mem, self->rate, sizeof(*self->rate));
    tusk__free(server->mem, self->pong, sizeof(*self->pong));
    session_give(server, self);
    net_gates_leave(&server->gates, NULL);
    tusk__share_publish_soon(server);
    tusk__server_session_gone(server);
}

/* ---- when writing may go on ---- */

void tusk__session_owe_room(tusk_session *self)
{
    self->drain_owed = true;
    if (self->conn.send_bytes > 0) {
        self->conn.above_low =
            true; /* however little waits: it was too much for what was to come */
    }
}

/* ---- what is unread ---- */

bool tusk__session_has_decrypted(const tusk_session *self)
{
    return self->conn.filter != NULL && tusk_filter_pending(self->conn.filter);
}

bool tusk__session_has_sent_all(const tusk_session *self)
{
    return !tusk__session_has_decrypted(self) && !tusk__socket_has_bytes(self->conn.io.fd);
}

/* ---- when reading stops ---- */

void tusk__session_apply_pause(tusk_session *self)
{
    bool pause =
        self->paused_queue || self->paused_unfinished || self->paused_rate || self->paused_answer;
    if (pause && !self->conn.paused) {
        tusk_conn_pause(&self->conn);
    } else if (!pause && self->conn.paused) {
        tusk_conn_resume(&self->conn);
        if (self->kind == SESSION_WEBSOCKET && tusk_ws_decoder_stopped(&self->u.ws.decoder)) {
            tusk_conn_again(&self->conn); /* it has something to do, though nothing is unread */
        }
    }
}

static bool queue_long(const tusk_session *self)
{
    const tusk_server *server = self->server;
    size_t queued = self->conn.send_bytes;
    if (TUSK_LIKELY(queued < LOW_WATER * 2)) {
        return false;
    }
    size_t pause_at = self->kind == SESSION_HTTP ? LOW_WATER * 2 : server->pause_at;
    return queued > pause_at || tusk__pressure_high(server);
}

void tusk__session_balance(tusk_session *self)
{
    tusk_server *server = self->server;
    bool was = self->paused_queue;
    self->paused_queue = queue_long(self);
    server->stats.queue_paused += self->paused_queue && !was;
    was = self->paused_unfinished;
    self->paused_unfinished = !tusk__unfinished_admits(self) || !tusk__pressure_admits(self);
    server->stats.unfinished_paused += self->paused_unfinished && !was;
    self->paused_answer =
        self->kind == SESSION_HTTP && self->state >= HTTP_ANSWER && self->conn.in_len > 0;
    tusk__session_apply_pause(self);
}
