/* SPDX-License-Identifier: MIT */
/* A WebSocket session: items from the decoder to the owner, control frames answered here, the
 * closing handshake. */
#include "serve/ws/ws.h"

#include "base/mem.h"
#include "proto/deflate.h"
#include "proto/ws_frame.h"
#include "serve/pressure.h"
#include "serve/unfinished.h"

#define ITEMS_PER_LOOK 8u /* at the clock, which costs as much as a small message */

static uint64_t now_ms(const tusk_session *self)
{
    return tusk_loop_now_ms(self->server->loop);
}

/* ---- deadlines ---- */

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void arm(tusk_session *self, uint64_t now)
{
    const tusk_server_limits *limits = &self->server->limits;
    uint64_t at = UINT64_MAX;
    if (limits->idle_ms > 0) {
        at = now + limits->idle_ms - sooner((uint32_t)now - self->last_in_ms, limits->idle_ms);
    }
    if (limits->ping_ms > 0) {
        uint32_t wait = self->ping_sent ? limits->pong_ms : limits->ping_ms;
        at = sooner(at, now + wait - sooner((uint32_t)now - self->ping_at_ms, wait));
    }
    tusk__session_deadline(self, at);
}

void tusk__ws_alive(tusk_session *self)
{
    self->last_in_ms = tusk__server_ms(self->server);
    self->ping_at_ms = self->last_in_ms;
}

/* ---- what leaves ---- */

static void send_control(tusk_session *self, uint8_t opcode, tusk_bytes payload)
{
    uint8_t frame[TUSK_WS_HEAD_MAX + TUSK_WS_CONTROL_MAX];
    size_t head = tusk_ws_head_encode(frame, TUSK_WS_FIN, opcode, payload.len, NULL);
    if (payload.len > 0) {
        memcpy(frame + head, payload.ptr, payload.len);
    }
    tusk_err err = tusk_conn_append(&self->conn, frame, head + payload.len);
    if (err != TUSK_OK) {
        tusk__session_abort(self, err);
    }
}

static void settle_pong(tusk_session *self)
{
    tusk_bytes payload;
    if (self->pong != NULL && ws_pong_settle(self->pong, &payload)) {
        send_control(self, TUSK_WS_PONG, payload);
    }
}

static void answer_ping(tusk_session *self, tusk_bytes payload)
{
    if (self->conn.send_bytes <= WS_PONG_QUEUE_MAX) {
        settle_pong(self); /* that of a ping before it, and of a queue that has left meanwhile */
        send_control(self, TUSK_WS_PONG, payload);
        return;
    }
    if (self->pong == NULL) {
        self->pong = tusk__new(self->server->mem, sizeof(*self->pong));
        if (self->pong == NULL) {
            tusk__session_abort(self, TUSK_ENOMEM);
            return;
        }
    }
    self->server->stats.pongs_replaced += ws_pong_owe(self->pong, payload);
    self->conn.above_low = true; /* on_drain has to come, however short the queue is */
}

/* Whoever calls it sees to the deadline. */
static tusk_err queue_close(tusk_session *self, uint16_t code, tusk_bytes reason)
{
    tusk__hub_settle(&self->server->hub, self); /* which may have sent one already */
    if (self->kind != SESSION_WEBSOCKET || self->state != WS_OPEN || !tusk_conn_open(&self->conn)) {
        return TUSK_ESTATE;
    }
    if (reason.len > TUSK_WS_REASON_MAX) {
        return TUSK_EINVAL;
    }
    uint8_t payload[TUSK_WS_CONTROL_MAX];
    size_t len = 0;
    if (code != 0 && code != TUSK_WS_CODE_NO_STATUS) {
        payload[0] = (uint8_t)(code >> 8);
        payload[1] = (uint8_t)code;
        len = 2;
        if (reason.len > 0) {
            memcpy(payload + 2, reason.ptr, reason.len);
            len += reason.len;
        }
    }
    settle_pong(self); /* its ping came first, and nothing may follow a Close (RFC 6455, 5.5.1) */
    if (!tusk_conn_open(&self->conn)) {
        return TUSK_ESTATE;
    }
    self->state = WS_CLOSING;
    self->close_code = code == 0 ? TUSK_WS_CODE_NO_STATUS : code;
    self->close_kind = TUSK_CLOSED_BY_US;
    send_control(self, TUSK_WS_CLOSE, tusk_bytes_of(payload, len));
    return TUSK_OK;
}

tusk_err tusk__ws_send_close(tusk_session *self, uint16_t code, tusk_bytes reason)
{
    tusk_err err = queue_close(self, code, reason);
    if (err == TUSK_OK) {
        tusk__session_deadline(self, now_ms(self) + self->server->limits.close_ms);
    }
    return err;
}

/* Nothing more is read; what is queued leaves, then the connection ends. `complete`: the peer has
 * said its last. */
static void end(tusk_session *self, tusk_bytes reason, bool complete)
{
    self->state = WS_CLOSED;
    tusk_ws_decoder_fini(
        &self->u.ws.decoder); /* what is unfinished must not linger with the rest */
    tusk__session_count_unfinished(self, 0);
    tusk__session_deadline(self, now_ms(self) + self->server->limits.close_ms);
    if (complete) {
        tusk_conn_end(
            &self->conn); /* both have said Close: the server closes first (RFC 6455, 7.1.1) */
    } else {
        tusk_conn_finish(&self->conn);
    }
    tusk__session_tell_close(self, reason);
}

static void fail(tusk_session *self, uint16_t code, const char *reason)
{
    if (self->state == WS_CLOSED) {
        return;
    }
    tusk_conn_hold(&self->conn);
    if (self->state == WS_OPEN) {
        (void)queue_close(self, code, tusk_bytes_str(reason));
    }
    if (self->conn.state == CONN_OPEN) {
        end(self, tusk_bytes_str(reason), false);
    }
    tusk_conn_release(&self->conn);
}

void tusk__ws_shed(tusk_session *self)
{
    fail(self, TUSK_WS_CODE_TRY_AGAIN_LATER, "too much is unfinished");
}

/* ---- what is due ---- */
void tusk__ws_on_due(tusk_session *self, uint64_t now)
{
    tusk_server *server = self->server;
    const tusk_server_limits *limits = &server->limits;
    if (self->state != WS_OPEN) {
        server->stats.close_timeouts++;
        tusk__session_abort(self, TUSK_ETIMEOUT);
        return;
    }
    if (self->conn.parked > 0 || self->paused_rate || self->paused_unfinished) {
        self->last_in_ms = (uint32_t)now; /* its silence is our doing: nothing is read */
        self->ping_sent = false;
    }
    if (limits->idle_ms > 0 && (uint32_t)now - self->last_in_ms >= limits->idle_ms) {
        server->stats.idle_timeouts++;
        (void)tusk__ws_send_close(self, TUSK_WS_CODE_GOING_AWAY, tusk_bytes_str("idle"));
        return;
    }
    uint32_t since_ping = (uint32_t)now - self->ping_at_ms;
    if (limits->ping_ms > 0 && self->ping_sent && since_ping >= limits->pong_ms) {
        server->stats.pong_timeouts++;
        fail(self, TUSK_WS_CODE_SERVER_ERROR, "no pong");
        return;
    }
    if (limits->ping_ms > 0 && !self->ping_sent && since_ping >= limits->ping_ms) {
        self->ping_at_ms = (uint32_t)now;
        if (self->conn.send_bytes == 0) { /* to one that does not read, pings do not pile up */
            self->ping_sent = true;
            send_control(self, TUSK_WS_PING, tusk_bytes_of(NULL, 0));
        }
    }
    arm(self, now);
}

/* ---- what arrives ---- */

static void count_failure(tusk_server *server, tusk_err err)
{
    server->stats.protocol_errors +=
        err == TUSK_EPROTO || err == TUSK_EDEFLATE || err == TUSK_ELIMIT;
    server->stats.messages_too_big += err == TUSK_ETOOBIG;
    server->stats.invalid_utf8 += err == TUSK_EUTF8;
    server->stats.out_of_memory += err == TUSK_ENOMEM;
}

static void take_close(tusk_session *self, tusk_bytes payload)
{
    uint16_t code;
    tusk_bytes reason;
    tusk_err err = tusk_ws_close_parse(payload, &code, &reason);
    if (err != TUSK_OK) {
        count_failure(self->server, err);
        fail(self, tusk_ws_code_of(err), tusk_err_text(err));
        return;
    }
    if (self->state == WS_OPEN) {
        (void)queue_close(self, code, tusk_bytes_of(NULL, 0)); /* the echo of its code */
        self->close_code = code == 0 ? TUSK_WS_CODE_NO_STATUS : code;
        self->close_kind = TUSK_CLOSED_BY_PEER;
    }
    if (self->conn.state == CONN_OPEN) {
        uint8_t copy[TUSK_WS_REASON_MAX]; /* the input may move while the owner is told */
        memcpy(copy, reason.ptr == NULL ? copy : reason.ptr, reason.len);
        end(self, tusk_bytes_of(copy, reason.len), self->conn.in_len == 0);
    }
}

/* A control frame counts as a message: a flood of them is a flood. */
static void spend(tusk_session *self, size_t bytes)
{
    if (TUSK_UNLIKELY(self->rate != NULL)) {
        tusk__session_spend(self, bytes);
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

static void take_pong(tusk_session *self)
{
    if (self->ping_sent) {
        self->ping_sent = false;
        if (self->state == WS_OPEN) {
            arm(self, now_ms(self)); /* the next ping may be due before this one's pong was */
        }
    }
}

/* True: the next item may be taken. */
static inline bool take(tusk_session *self, const tusk_ws_item *item)
{
    switch (item->kind) {
    case TUSK_WS_ITEM_NONE: return false;
    case TUSK_WS_ITEM_MESSAGE: take_message(self, item); return true;
    case TUSK_WS_ITEM_PING:
        if (self->state == WS_OPEN) {
            answer_ping(self, item->payload);
        }
        spend(self, item->payload.len);
        return true;
    case TUSK_WS_ITEM_PONG:
        take_pong(self);
        spend(self, item->payload.len);
        return true;
    case TUSK_WS_ITEM_CLOSE: take_close(self, item->payload); return false;
    }
    return false;
}

static void fail_decode(tusk_session *self, tusk_err err)
{
    count_failure(self->server, err);
    fail(self, err == TUSK_ELIMIT ? TUSK_WS_CODE_POLICY_VIOLATION : tusk_ws_code_of(err),
         tusk_err_text(err));
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

static void settle_limits(tusk_session *self)
{
    size_t held = tusk_ws_decoder_held(&self->u.ws.decoder);
    if (held != self->unfinished) {
        tusk__session_count_unfinished(self, held);
    }
    if (TUSK_LIKELY(tusk__session_at_ease(self))) {
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
    self->last_in_ms = tusk__server_ms(self->server);
    while (may_decode(self)) {
        size_t consumed = 0;
        tusk_ws_item item;
        tusk_err err = tusk_ws_decode(&self->u.ws.decoder, tusk_conn_in_mut(conn), conn->in_len,
                                      &consumed, &item);
        tusk_conn_consume(conn, consumed);
        if (TUSK_UNLIKELY(err != TUSK_OK)) {
            fail_decode(self, err);
            break;
        }
        if (!take_and_tell(self, &item, &left)) {
            break;
        }
        if (left == 0) {
            left = ITEMS_PER_LOOK;
            if (tusk_conn_enough(conn)) {
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
    self->last_in_ms = tusk__server_ms(self->server);
    tusk_err err = tusk_ws_decoder_landed(&self->u.ws.decoder, len, &item);
    if (err != TUSK_OK) {
        fail_decode(self, err);
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
    end(self, tusk_bytes_of(NULL, 0), false);
    tusk_conn_release(conn);
}

static void on_drain(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    tusk__pressure_eased(server);
    if (self->state == WS_OPEN) {
        settle_pong(self);
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
    arm(self, now_ms(self));
}

void tusk__ws_fini(tusk_session *self)
{
    if (self->deflate_bits > 0 && self->u.ws.deflater == NULL) {
        self->server->hub.window_counts[self->deflate_bits & 15]--;
    }
    tusk_ws_deflater_free(self->u.ws.deflater);
    tusk_ws_decoder_fini(&self->u.ws.decoder);
}
