/* SPDX-License-Identifier: MIT */
/* A WebSocket session: it begins, items go from the decoder to the owner, limits are looked at. */
#include "serve/ws/ws.h"

#include "proto/deflate.h"
#include "proto/ws_frame.h"
#include "serve/pressure.h"
#include "serve/rate.h"
#include "serve/unfinished.h"

#define ITEMS_PER_LOOK 8u /* at the clock, which costs as much as a small message */

static uint64_t now_ms(const tusk_session *self)
{
    return tusk_loop_now_ms(self->server->loop);
}

/* A control frame counts as a message: a flood of them is a flood. What comes behind our Close goes
 * nowhere. */
static void spend(tusk_session *self, size_t bytes)
{
    if (TUSK_UNLIKELY(self->rate != NULL) && self->state == WS_OPEN) {
        tusk__rate_spend(self, bytes);
    }
}

static inline void count_message(tusk_server *server, const tusk_ws_item *item)
{
    server->stats.messages_in++;
    server->stats.message_bytes_in += item->payload.len;
}

static void take_message(tusk_session *self, const tusk_ws_item *item)
{
    tusk_server *server = self->server;
    count_message(server, item);
    if (item->taken != NULL && server->unfinished_owner == self) {
        tusk__session_count_unfinished(self, 0); /* the room of its answer is free for it */
    }
    if (self->state != WS_OPEN || server->handler->on_message == NULL) {
        tusk_payload_drop(server, item->taken); /* after our Close only theirs matters */
    } else {
        server->handler->on_message(server->user, tusk__session_handle(self), self->route->user,
                                    item->opcode, item->payload, item->taken);
    }
    spend(self, item->payload.len);
}

/* True: the next item may be taken. */
static inline bool take(tusk_session *self, const tusk_ws_item *item)
{
    switch (item->kind) {
    case TUSK_WS_ITEM_NONE: return false;
    case TUSK_WS_ITEM_MESSAGE: take_message(self, item); return true;
    case TUSK_WS_ITEM_PING:
        if (self->state == WS_OPEN) {
            tusk__ws_answer_ping(self, item->payload);
        }
        spend(self, item->payload.len);
        return true;
    case TUSK_WS_ITEM_PONG: spend(self, item->payload.len); return true;
    case TUSK_WS_ITEM_CLOSE: tusk__ws_take_close(self, item->payload); return false;
    }
    return false;
}

/* What it made of a turn is enough: others are served before it inflates on. */
static void yield(tusk_session *self)
{
    size_t most;
    if (tusk_ws_decoder_stopped(&self->u.ws.decoder) &&
        tusk_ws_decoder_wants(&self->u.ws.decoder, &most) == 0) {
        tusk_conn_later(&self->conn);
    }
}

/* While reads are short, a short message that has come whole is read to its end here and now: it is
 * unfinished for nobody, and must not wait for those who never send theirs. */
static bool ends_now(tusk_session *self)
{
    const tusk_ws_decoder *decoder = &self->u.ws.decoder;
    uint64_t left = decoder->frame_left;
    bool is_last = (decoder->frame_bits & (TUSK_WS_FIN | TUSK__WS_CONTROL_BIT)) == TUSK_WS_FIN;
    return left > self->conn.in_len && is_last && !decoder->compressed &&
           decoder->len < TUSK__UNFINISHED_UNASKED &&
           left <= TUSK__UNFINISHED_UNASKED - decoder->len &&
           tusk__unfinished_is_much(self->server) &&
           tusk_conn_read_on(&self->conn, (size_t)left - self->conn.in_len);
}

static void settle_limits(tusk_session *self)
{
    size_t held = tusk_ws_decoder_held(&self->u.ws.decoder);
    if (held != self->unfinished) {
        tusk__session_count_unfinished(self, held);
    }
    if (TUSK_LIKELY(tusk__session_at_ease(self))) {
        return;
    }
    if (ends_now(self)) {
        return;
    }
    if (TUSK_UNLIKELY(tusk__session_is_shed(self))) {
        tusk__ws_shed(self);
        return;
    }
    yield(self);
    tusk__session_balance(self);
}

static bool may_decode(const tusk_session *self)
{
    const tusk_conn *conn = &self->conn;
    return conn->state == CONN_OPEN && self->state != WS_CLOSED &&
           (conn->in_len > 0 || tusk_ws_decoder_stopped(&self->u.ws.decoder)) && !conn->paused &&
           conn->parked == 0; /* a handler that went on elsewhere left it parked */
}

/* What on_data would do next without anything in between, as it nearly always is. */
bool tusk_session_next(tusk_server *server, tusk_handle session, uint8_t *place, size_t cap,
                       tusk_ws_item *message)
{
    tusk_session *self = server->telling;
    size_t consumed;
    if (self == NULL || self->conn.in_len == 0 || server->telling_left <= 1 ||
        self->slot != session.slot || self->generation != session.generation ||
        self->state != WS_OPEN || self->rate != NULL || server->unfinished_owner == self ||
        self->conn.send_bytes > WS_PONG_QUEUE_MAX || !may_decode(self) ||
        !tusk__ws_decode_whole(&self->u.ws.decoder, tusk_conn_in_mut(&self->conn),
                               self->conn.in_len, (tusk__ws_place){place, cap}, &consumed,
                               message)) {
        return false;
    }
    tusk_conn_consume(&self->conn, consumed);
    server->telling_left--;
    count_message(server, message);
    return true;
}

static bool take_and_tell(tusk_session *self, const tusk_ws_item *item, unsigned *left)
{
    tusk_server *server = self->server;
    server->telling = self;
    server->telling_left = *left;
    bool more = take(self, item);
    *left = server->telling == self ? server->telling_left - 1 : 0; /* it waited: look now */
    server->telling = NULL;
    return more;
}

static void on_data(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_conn_hold(conn);
    unsigned left = ITEMS_PER_LOOK;
    tusk__ws_heard(self);
    while (may_decode(self)) {
        size_t consumed = 0;
        tusk_ws_item item;
        tusk_err err = tusk_ws_decode(&self->u.ws.decoder, tusk_conn_in_mut(conn), conn->in_len,
                                      &consumed, &item);
        tusk_conn_consume(conn, consumed);
        if (TUSK_UNLIKELY(err != TUSK_OK)) {
            tusk__ws_fail_decode(self, err);
            break;
        }
        if (!take_and_tell(self, &item, &left)) {
            break;
        }
        if (left == 0) {
            left = ITEMS_PER_LOOK;
            if (may_decode(self) && tusk_conn_enough(conn)) {
                break;
            }
        }
        if (conn->send_bytes > WS_PONG_QUEUE_MAX) {
            tusk__session_balance(self);
        }
    }
    if (conn->state == CONN_OPEN) {
        settle_limits(self);
    }
    tusk_conn_release(conn);
}

static uint8_t *landing(tusk_conn *conn, size_t *cap)
{
    tusk_session *self = tusk__session_of(conn);
    return self->state == WS_CLOSED ? NULL : tusk_ws_decoder_landing(&self->u.ws.decoder, cap);
}

static void on_landed(tusk_conn *conn, size_t len)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_ws_item item;
    tusk_conn_hold(conn);
    tusk__ws_heard(self);
    tusk_err err = tusk_ws_decoder_landed(&self->u.ws.decoder, len, &item);
    if (err != TUSK_OK) {
        tusk__ws_fail_decode(self, err);
    } else {
        (void)take(self, &item);
    }
    if (conn->state == CONN_OPEN) {
        settle_limits(self);
    }
    tusk_conn_release(conn);
}

static void on_eof(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    if (self->state == WS_CLOSED) {
        return;
    }
    if (self->state == WS_OPEN) {
        self->close_code = TUSK_WS_CODE_ABNORMAL;
        self->close_kind = TUSK_CLOSED_ABNORMAL;
    }
    tusk_conn_hold(conn);
    tusk__ws_end(self, tusk_bytes_of(NULL, 0), false);
    tusk_conn_release(conn);
}

static void on_drain(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    tusk__pressure_eased(server);
    if (self->state == WS_OPEN) {
        tusk__ws_settle_pong(self);
    }
    tusk__hub_on_drain(&server->hub, self);
    tusk__session_balance(self);
    if (self->drain_owed && server->handler->on_drain != NULL && !self->close_told) {
        self->drain_owed = false;
        server->handler->on_drain(server->user, tusk__session_handle(self), self->route->user);
    }
}

static const tusk_conn_ops ws_ops = {.on_data = on_data,
                                     .landing = landing,
                                     .on_landed = on_landed,
                                     .on_part = tusk__session_on_part,
                                     .on_eof = on_eof,
                                     .on_drain = on_drain,
                                     .on_close = tusk__session_on_close,
                                     .on_released = tusk__session_on_released};

void tusk__ws_open(tusk_session *self, const tusk_ws_deflate *deflate)
{
    tusk_server *server = self->server;
    const tusk_ws_deflate_options *options = &self->route->deflate;
    self->kind = SESSION_WEBSOCKET;
    self->state = WS_OPEN;
    memset(&self->u, 0, sizeof(self->u));
    tusk_ws_decoder_init(&self->u.ws.decoder, &server->ws_config, deflate);
    if (deflate->on) {
        uint8_t bits = deflate->server_max_window_bits;
        self->deflate_bits = bits < TUSK__DEFLATE_BITS_MIN ? TUSK__DEFLATE_BITS_MIN : bits;
        if (!deflate->server_no_context_takeover && options->server_context_takeover) {
            (void)tusk_ws_deflater_new(&self->u.ws.deflater, server->mem,
                                       deflate->server_max_window_bits, options->level,
                                       options->mem_level, true);
        }
        if (self->u.ws.deflater == NULL) {
            server->hub.window_counts[self->deflate_bits & 15]++;
        }
    }
    self->last_in_ms = tusk__server_ms(server);
    self->ping_at_ms = self->last_in_ms;
    server->stats.websockets_open++;
    server->stats.websockets_total++;
    tusk_conn_set_ops(&self->conn, &ws_ops);
    tusk__ws_arm(self, now_ms(self));
}

void tusk__ws_fini(tusk_session *self)
{
    if (self->deflate_bits > 0 && self->u.ws.deflater == NULL) {
        self->server->hub.window_counts[self->deflate_bits & 15]--;
    }
    tusk_ws_deflater_free(self->u.ws.deflater);
    tusk_ws_decoder_fini(&self->u.ws.decoder);
}
