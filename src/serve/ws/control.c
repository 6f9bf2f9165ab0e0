/* SPDX-License-Identifier: MIT */
/* Control frames of a WebSocket session (RFC 6455, 5.5): pings and pongs, which tell that it lives,
 * and the closing handshake, in which every failure ends. */
#include "serve/ws/ws.h"

#include "base/mem.h"
#include "serve/rate.h"
#include "serve/unfinished.h"

static uint64_t now_ms(const tusk_session *self)
{
    return tusk_loop_now_ms(self->server->loop);
}

/* ---- deadlines ---- */

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void tusk__ws_arm(tusk_session *self, uint64_t now)
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

void tusk__ws_heard(tusk_session *self)
{
    self->last_in_ms = tusk__server_ms(self->server);
    if (TUSK_UNLIKELY(self->ping_sent)) {
        self->ping_sent = false;
        if (self->state == WS_OPEN) { /* the next ping may be due before this one's pong was */
            tusk__ws_arm(self, now_ms(self));
        }
    }
}

void tusk__ws_alive(tusk_session *self)
{
    self->last_in_ms = tusk__server_ms(self->server);
    self->ping_at_ms = self->last_in_ms;
}

/* Since it was looked at last. */
static bool queue_moved(tusk_session *self)
{
    size_t queued = self->conn.send_bytes;
    uint16_t like = (uint16_t)(queued ^ queued >> 16); /* another one, but by chance */
    bool moved = like != self->queued_as;
    self->queued_as = like;
    return moved;
}

static void await_end(tusk_session *self)
{
    (void)queue_moved(self);
    tusk__session_deadline(self, now_ms(self) + self->server->limits.close_ms);
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

void tusk__ws_settle_pong(tusk_session *self)
{
    tusk_bytes payload;
    if (self->pong != NULL && ws_pong_settle(self->pong, &payload)) {
        send_control(self, TUSK_WS_PONG, payload);
    }
}

void tusk__ws_answer_ping(tusk_session *self, tusk_bytes payload)
{
    if (self->conn.send_bytes <= WS_PONG_QUEUE_MAX) {
        tusk__ws_settle_pong(
            self); /* that of a ping before it, and of a queue that has left meanwhile */
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
    tusk__ws_settle_pong(
        self); /* its ping came first, and nothing may follow a Close (RFC 6455, 5.5.1) */
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
        tusk__rate_over(self); /* the answer is behind what a rate holds up */
        await_end(self);
    }
    return err;
}

/* Nothing more is read; what is queued leaves, then the connection ends. `complete`: the peer has
 * said its last. */
void tusk__ws_end(tusk_session *self, tusk_bytes reason, bool complete)
{
    self->state = WS_CLOSED;
    tusk_ws_decoder_fini(
        &self->u.ws.decoder); /* what is unfinished must not linger with the rest */
    tusk__session_count_unfinished(self, 0);
    await_end(self);
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
        tusk__ws_end(self, tusk_bytes_str(reason), false);
    }
    tusk_conn_release(&self->conn);
}

void tusk__ws_shed(tusk_session *self)
{
    fail(self, TUSK_WS_CODE_TRY_AGAIN_LATER, "too much is unfinished");
}

/* ---- what is due ---- */
/* Reading stopped at its long queue, of which it has taken something; or it takes what the kernel
 * has of what it was sent, perhaps for minutes: a ping would come behind that, and its silence
 * tells nothing. */
static bool takes_what_it_is_sent(tusk_session *self)
{
    bool moved = queue_moved(self);
    return (self->paused_queue && moved) ||
           tusk_conn_takes(&self->conn, self->server->limits.pong_ms);
}

/* Our Close, or the end, comes behind what it still takes: slow is allowed, stuck is not. */
static bool takes_the_rest(tusk_session *self)
{
    bool moved = queue_moved(self);
    return (self->conn.send_bytes > 0 && moved) ||
           tusk_conn_takes(&self->conn, self->server->limits.close_ms);
}

void tusk__ws_on_due(tusk_session *self, uint64_t now)
{
    tusk_server *server = self->server;
    const tusk_server_limits *limits = &server->limits;
    if (self->state != WS_OPEN && takes_the_rest(self)) {
        tusk__session_deadline(self, now + limits->close_ms);
        return;
    }
    if (self->state != WS_OPEN) {
        server->stats.close_timeouts++;
        tusk__session_abort(self, TUSK_ETIMEOUT);
        return;
    }
    bool takes = takes_what_it_is_sent(self);
    if (takes || self->conn.parked > 0 || self->paused_rate || self->paused_unfinished) {
        self->last_in_ms = (uint32_t)now; /* its silence is our doing */
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
        if (self->conn.send_bytes == 0 && !takes) { /* else pings would pile up */
            self->ping_sent = true;
            send_control(self, TUSK_WS_PING, tusk_bytes_of(NULL, 0));
        }
    }
    tusk__ws_arm(self, now);
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

void tusk__ws_take_close(tusk_session *self, tusk_bytes payload)
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
        tusk__ws_end(self, tusk_bytes_of(copy, reason.len), self->conn.in_len == 0);
    }
}

void tusk__ws_fail_decode(tusk_session *self, tusk_err err)
{
    count_failure(self->server, err);
    fail(self, err == TUSK_ELIMIT ? TUSK_WS_CODE_POLICY_VIOLATION : tusk_ws_code_of(err),
         tusk_err_text(err));
}
