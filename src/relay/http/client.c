/* SPDX-License-Identifier: MIT */
/* A client of the HTTP proxy: heads are read, one exchange at a time, deadlines, back-pressure, the
 * end. */
#define _GNU_SOURCE
#include <unistd.h>

#include "base/mem.h"
#include "net/socket.h"
#include "net/tls.h"
#include "relay/http/inner.h"

static http_client *client_of(tusk_conn *conn)
{
    return (http_client *)(void *)conn;
}

/* ---- deadlines: the number moves, the timer looks at it when it fires ---- */
/* One that has ended its side waits for its answer, or it is gone, and only a reset would tell,
 * which nothing that is sent provokes: so long a backend may be silent that has its request; the
 * steps before that have times of their own. 0: for ever. */
static uint32_t patience_with(const http_client *self)
{
    uint32_t half = self->http->relay->limits.half_closed_ms;
    uint32_t fin = self->state == CLIENT_TUNNEL ? 0 : self->http->options.client_fin_ms;
    return fin == 0 || (half != 0 && half < fin) ? half : fin;
}

void http_client_deadline(http_client *self, uint32_t in_ms)
{
    tusk_loop *loop = http_loop(self->http);
    bool asks = self->exchange != NULL && self->exchange->state >= EXCHANGE_HEAD;
    uint32_t patience = self->ended && asks ? patience_with(self) : 0;
    self->fin_due = patience > 0 && (in_ms == 0 || in_ms > patience);
    if (self->fin_due) {
        in_ms = patience;
    }
    self->timer.put_off = false;
    if (in_ms == 0) {
        self->deadline_ms = UINT64_MAX;
        return;
    }
    self->deadline_ms = tusk_loop_now_ms(loop) + in_ms;
    self->last_queued = (uint32_t)self->conn.send_bytes;
    if (!tusk_timer_running(&self->timer) || self->timer.due_ms > self->deadline_ms) {
        tusk_timer_start(loop, &self->timer, in_ms);
    }
}

bool http_client_takes(const http_client *self, uint32_t within_ms)
{
    uint32_t queued = (uint32_t)self->conn.send_bytes;
    uint32_t fin_ms = self->fin_due ? patience_with(self) : within_ms;
    if (queued == 0) { /* of late, where the backend waits for it still */
        return self->exchange != NULL && self->exchange->line != NULL &&
               self->exchange->line->conn.paused;
    }
    if (queued != self->last_queued) {
        return true;
    }
    /* The kernel asks for more when a third of its own queue is free: megabytes, for a slow one. */
    return tusk_conn_takes(&self->conn, fin_ms < within_ms ? fin_ms : within_ms);
}

/* What is no whole or no good head has no route, but may be one of HEAD. */
static void refuse_unrouted(http_client *self, uint16_t status, const char *reason)
{
    self->keep_alive = false;
    self->minor1 = true;
    self->exchange = http_exchange_new(self);
    if (self->exchange == NULL) {
        http_client_cut(self, true);
        return;
    }
    self->state = CLIENT_BUSY;
    if (tusk_http_begins_head(tusk_conn_in(&self->conn))) {
        self->exchange->method = TUSK_HTTP_HEAD;
    }
    http_refuse(self->exchange, NULL, status, tusk_bytes_str(reason));
}

/* No answer that still leaves is cut, unless its client takes nothing of it. */
static void due_between_requests(http_client *self)
{
    relay_http *http = self->http;
    if (http_stopping(http)) { /* the second is over in which it might have asked */
        http_client_finish(self);
        return;
    }
    if (self->conn.state == CONN_OPENING || self->requests == 0) {
        http->stats.head_timeouts++;
    } else if (http_client_is_old(self)) {
        http->relay->stats.aged++;
        if (self->conn.send_bytes > 0) {
            http_client_finish(self);
            return;
        }
    } else if (http_client_takes(self, http->options.keep_alive_ms)) {
        http_client_deadline(self, http_client_until_old(self, http->options.keep_alive_ms));
        return;
    } else {
        http->stats.keep_alive_timeouts++;
    }
    http_client_cut(self, false);
}

static void on_due(tusk_timer *timer)
{
    http_client *self = TUSK_OWNER(timer, http_client, timer);
    relay_http *http = self->http;
    uint64_t now = tusk_loop_now_ms(http_loop(http));
    if (self->deadline_ms == UINT64_MAX) {
        return;
    }
    if (self->deadline_ms > now) {
        tusk_timer_start(http_loop(http), timer, self->deadline_ms - now);
        return;
    }
    self->deadline_ms = UINT64_MAX;
    switch ((http_client_state)self->state) {
    case CLIENT_PREFACE:
    case CLIENT_IDLE: due_between_requests(self); break;
    case CLIENT_HEAD:
        http->stats.head_timeouts++;
        refuse_unrouted(self, 408, "the request did not arrive in time");
        break;
    case CLIENT_BUSY:
    case CLIENT_TUNNEL: http_exchange_due(self->exchange); break;
    case CLIENT_DONE: break;
    }
}

/* ---- back-pressure ---- */
/* What it sends now would only be held: its answer is still to come, or the backend does not take
 * what is queued. */
static bool must_wait(const http_client *self)
{
    const http_exchange *exchange = self->exchange;
    uint32_t held_max = self->http->relay->limits.pending_bytes;
    if (exchange == NULL) {
        return self->conn.send_bytes > held_max; /* it takes no answers: no more requests */
    }
    if (exchange->state == EXCHANGE_ROUTED) {
        return false; /* its head is looked at again */
    }
    if (exchange->line != NULL && exchange->line->conn.send_bytes > held_max) {
        return true;
    }
    bool flows =
        self->state == CLIENT_TUNNEL || (exchange->line != NULL && !exchange->up.done &&
                                         !exchange->deaf && exchange->state >= EXCHANGE_HEAD);
    return !flows && self->conn.in_len > 0;
}

static void balance(http_client *self)
{
    bool wait = must_wait(self);
    if (wait && !self->conn.paused) {
        self->http->stats.paused_client++;
        tusk_conn_pause(&self->conn);
    } else if (!wait && self->conn.paused) {
        tusk_conn_resume(&self->conn);
    }
}

void http_client_go(http_client *self)
{
    if (self->in_on_data || !tusk_conn_open(&self->conn)) {
        return;
    }
    balance(self);
    if (!self->conn.paused) {
        tusk_conn_again(&self->conn);
    }
}

/* ---- requests ---- */
/* For who is over a limit before a request of it was read. */
static tusk_bytes too_many(void)
{
    return tusk_bytes_str("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n"
                          "Retry-After: 1\r\nConnection: close\r\n\r\n");
}

static bool refuse_head(http_client *self, tusk_err err)
{
    self->http->stats.bad_requests++;
    refuse_unrouted(self, (uint16_t)tusk_http_status_of(err), tusk_err_text(err));
    return false;
}

/* True: there may be more to look at. */
static bool take_request(http_client *self)
{
    relay_http *http = self->http;
    tusk_bytes in = tusk_conn_in(&self->conn);
    ptrdiff_t n = tusk_http_request_parse(&http->head, in, &http->options.heads, &self->scanned);
    if (n == 0) {
        if (self->state == CLIENT_IDLE && in.len > 0) {
            self->state = CLIENT_HEAD;
            /* The first one's deadline runs since accept; a drain had shortened it. */
            if (self->requests > 0 || http_stopping(http)) {
                http_client_deadline(self, http->options.head_ms);
            }
        }
        return false;
    }
    if (n < 0) {
        return refuse_head(self, (tusk_err)n);
    }
    self->minor1 = http->head.minor > 0;
    self->keep_alive = http->head.keep_alive;
    self->requests++;
    http->stats.requests++;
    http_client_deadline(self, 0);
    self->exchange = http_exchange_new(self);
    if (self->exchange == NULL) {
        http_client_cut(self, true);
        return false;
    }
    self->state = CLIENT_BUSY;
    http_exchange_route(self->exchange, tusk_bytes_of(in.ptr, (size_t)n));
    return true;
}

static bool look_at_preface(http_client *self)
{
    ptrdiff_t n = http_client_preface(self, tusk_conn_in(&self->conn));
    if (n == TUSK_ELIMIT) {
        (void)http_client_send(self, too_many());
        http_client_finish(self);
        return false;
    }
    if (n < 0) {
        self->http->relay->stats.protocol_errors += n == TUSK_EPROTO ? 1 : 0;
        http_client_cut(self, true);
        return false;
    }
    tusk_conn_consume(&self->conn, (size_t)n);
    return n > 0;
}

static bool step(http_client *self)
{
    switch ((http_client_state)self->state) {
    case CLIENT_PREFACE: return look_at_preface(self);
    case CLIENT_IDLE:
    case CLIENT_HEAD:
        return self->conn.in_len > 0 && !must_wait(self) && !tusk_conn_enough(&self->conn) &&
               take_request(self);
    case CLIENT_BUSY: return http_exchange_input(self->exchange);
    case CLIENT_TUNNEL: relay_joined_data(&self->exchange->joined, RELAY_CLIENT); return false;
    case CLIENT_DONE: tusk_conn_consume(&self->conn, self->conn.in_len); return false;
    }
    return false;
}

static void on_data(tusk_conn *conn)
{
    http_client *self = client_of(conn);
    self->in_on_data = true;
    while (tusk_conn_open(conn) && step(self)) {
    }
    self->in_on_data = false;
    if (tusk_conn_open(conn)) {
        balance(self);
    }
}

/* ---- a drain ---- */
enum { ON_ITS_WAY_MS = 1000 };

/* Whether a request is, as far as can be known: the first of who has just come, one that lies in
 * the socket, or the next one of who was answered a moment ago. To close would leave it without an
 * answer, and what is no GET its client may not ask again. */
static bool may_be_asking(const http_client *self)
{
    uint64_t now_ms = tusk_loop_now_ms(http_loop(self->http));
    uint32_t most_ms = http_client_until_old(self, self->http->options.keep_alive_ms);
    return self->requests == 0 || self->deadline_ms + ON_ITS_WAY_MS > now_ms + most_ms ||
           !tusk_conn_quiet(&self->conn);
}

/* Between two requests of a relay that stops: what has begun is answered, and says that it is the
 * last. */
static void drain(http_client *self)
{
    uint32_t half_ms = self->http->relay->limits.drain_ms / 2;
    uint32_t most_ms = half_ms < ON_ITS_WAY_MS ? half_ms : ON_ITS_WAY_MS;
    if (self->state != CLIENT_IDLE || self->conn.in_len > 0 ||
        tusk_conn_shakes_hands(&self->conn)) {
        return;
    }
    if (most_ms == 0 || !may_be_asking(self)) {
        http_client_finish(self);
    } else if (self->deadline_ms > tusk_loop_now_ms(http_loop(self->http)) + most_ms) {
        http_client_deadline(self, most_ms);
    }
}

static void on_ready(tusk_conn *conn, tusk_err err)
{
    http_client *self = client_of(conn);
    if (err == TUSK_OK && http_stopping(self->http)) {
        drain(self);
    }
    if (err != TUSK_OK && relay_conn_broke_tls(conn, err)) {
        self->http->relay->stats.protocol_errors++;
    }
}

/* ---- its end ---- */
static void on_eof(tusk_conn *conn)
{
    http_client *self = client_of(conn);
    self->ended = true;
    switch ((http_client_state)self->state) {
    case CLIENT_PREFACE:
    case CLIENT_IDLE:
    case CLIENT_HEAD: http_client_finish(self); break;
    case CLIENT_BUSY: http_exchange_client_ended(self->exchange); break;
    case CLIENT_TUNNEL: relay_joined_eof(&self->exchange->joined, RELAY_CLIENT); break;
    case CLIENT_DONE: break;
    }
}

/* While it is not read it hears nothing more: its answer would be for nobody. */
static void on_hangup(tusk_conn *conn)
{
    http_client *self = client_of(conn);
    if (self->state == CLIENT_BUSY) {
        http_client_cut(self, true);
    }
}

static void on_drain(tusk_conn *conn)
{
    http_client *self = client_of(conn);
    http_exchange *exchange = self->exchange;
    if (exchange != NULL && exchange->line != NULL) {
        tusk_conn_resume(&exchange->line->conn);
    }
    http_client_go(self);
}

static ptrdiff_t on_preface(tusk_conn *conn, tusk_bytes in)
{
    return http_client_preface(client_of(conn), in);
}

static void on_close(tusk_conn *conn, tusk_err why)
{
    http_client *self = client_of(conn);
    tusk_timer_stop(http_loop(self->http), &self->timer);
    self->state = CLIENT_DONE;
    if (self->exchange != NULL) {
        self->http->relay->stats.resets_client += why == TUSK_ERESET ? 1 : 0;
        self->exchange->resets = self->exchange->state == EXCHANGE_TUNNEL;
        http_exchange_end(self->exchange, why == TUSK_ETIMEOUT ? "idle" : "client reset");
    }
}

static void on_released(tusk_conn *conn)
{
    http_client *self = client_of(conn);
    tusk_relay *relay = self->http->relay;
    if (self->session.door != NULL) {
        relay->stats.done++;
        relay_session_close(&self->session);
    } else { /* it goes on as a tunnel, without this */
        relay_release(relay);
    }
    tusk__free(relay->mem, self->told, sizeof(*self->told));
    tusk__free(relay->mem, self, sizeof(*self));
}

static const tusk_conn_ops client_ops = {
    .on_data = on_data,
    .on_preface = on_preface,
    .on_eof = on_eof,
    .on_hangup = on_hangup,
    .on_drain = on_drain,
    .on_ready = on_ready,
    .on_close = on_close,
    .on_released = on_released,
};

void http_client_finish(http_client *self)
{
    self->state = CLIENT_DONE;
    http_client_deadline(self, 0);
    if (self->conn.paused) {
        tusk_conn_resume(&self->conn);
    }
    tusk_conn_finish(&self->conn);
}

void http_client_cut(http_client *self, bool reset)
{
    if (reset && self->conn.state != CONN_CLOSED) {
        tusk_conn_flush(&self->conn); /* as much as it takes at once; it may be gone by that */
    }
    if (reset && self->conn.state != CONN_CLOSED) {
        tusk__socket_will_reset(self->conn.io.fd);
    }
    tusk_conn_abort(&self->conn, reset ? TUSK_ERESET : TUSK_OK);
}

tusk_err http_client_send(http_client *self, tusk_bytes bytes)
{
    return tusk_conn_append(&self->conn, bytes.ptr, bytes.len);
}

/* UINT64_MAX: it has none. */
static uint64_t left_of_age(const http_client *self)
{
    const tusk_relay *relay = self->http->relay;
    uint64_t age_ms = (tusk_loop_now_ns(relay->loop) - self->session.began_ns) / 1000000u;
    uint32_t most = relay->limits.age_ms;
    return most == 0 ? UINT64_MAX : most > age_ms ? most - age_ms : 0;
}

bool http_client_is_old(const http_client *self)
{
    return left_of_age(self) == 0;
}

uint32_t http_client_until_old(const http_client *self, uint32_t in_ms)
{
    uint64_t left = left_of_age(self);
    if (left == UINT64_MAX || (in_ms != 0 && in_ms < left)) {
        return in_ms;
    }
    return (uint32_t)(left < UINT32_MAX ? left + 1 : left); /* or it would not be old then */
}

void http_client_answered(http_client *self)
{
    relay_http *http = self->http;
    uint32_t most = http->options.requests;
    http->stats.requests_used_up += self->requests == most && most > 0 ? 1 : 0;
    self->exchange = NULL;
    self->scanned = 0;
    if (!self->keep_alive || self->ended || http_client_is_old(self)) {
        http->relay->stats.aged += http_client_is_old(self) ? 1 : 0;
        http_client_finish(self);
        return;
    }
    self->state = CLIENT_IDLE;
    http_client_deadline(self, http_client_until_old(self, http->options.keep_alive_ms));
    if (self->conn.in_len > 0 || self->conn.paused) {
        http_client_go(self);
    }
    if (http_stopping(http)) { /* its head had not said that it was the last */
        drain(self);
    }
}

/* ---- birth ---- */
static void cut(relay_session *session, const char *end)
{
    http_client *self = TUSK_OWNER(session, http_client, session);
    if (self->exchange != NULL) {
        http_exchange *exchange = self->exchange;
        self->state = CLIENT_DONE;
        exchange->resets = exchange->state == EXCHANGE_TUNNEL && http_tunnel_lacks(exchange);
        http_exchange_end(exchange, end);
    }
    http_client_cut(self, true);
}

static void count(relay_session *session)
{
    http_exchange *exchange = TUSK_OWNER(session, http_client, session)->exchange;
    if (exchange != NULL) {
        http_exchange_account_so_far(exchange);
    }
}

static void drained(relay_session *session)
{
    drain(TUSK_OWNER(session, http_client, session));
}

static const relay_session_ops session_ops = {.drain = drained, .cut = cut, .count = count};

static tusk_err open_conn(http_client *self, relay_door *door, int fd)
{
    tusk_filter *filter = NULL;
    tusk_err err = TUSK_OK;
    if (door->options.tls != NULL) {
        err = tusk_tls_filter_new(&filter, door->options.tls, NULL);
    }
    if (filter != NULL) {
        tusk_filter_keep_alpn(filter);
    }
    if (err == TUSK_OK) {
        err = relay_conn_init(door->relay, &self->conn, fd, filter, &client_ops);
    }
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
    }
    return err;
}

bool http_client_open(tusk_relay *relay, relay_door *door, int fd, const tusk_addr *peer)
{
    http_client *self = tusk__new(relay->mem, sizeof(*self));
    tusk_err err = self == NULL ? TUSK_ENOMEM : open_conn(self, door, fd);
    if (err != TUSK_OK) {
        relay_lost(relay, err);
        (void)close(fd);
        tusk__free(relay->mem, self, sizeof(*self));
        return false;
    }
    self->http = relay->http;
    self->timer.on_due = on_due;
    self->timer.deadline = true;
    self->secure = door->options.tls != NULL;
    self->keep_alive = true;
    http_client_peer(self, peer);
    self->state = CLIENT_IDLE;
    if (door->options.proxy_protocol && self->trusted) {
        self->state = CLIENT_PREFACE;
        self->conn.preface = self->secure;
    }
    relay_session_open(&self->session, door, &session_ops);
    http_client_deadline(self, self->http->options.head_ms);
    return true;
}

/* Before anything was read of it: what its door refuses hears it in HTTP. */
void http_client_refused(relay_door *door, int fd, uint16_t status)
{
    (void)status;
    tusk_accepted_refuse(fd, door->options.tls != NULL ? tusk_bytes_of(NULL, 0) : too_many());
}
