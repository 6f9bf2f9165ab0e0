/* SPDX-License-Identifier: MIT */
/* An HTTP/1.1 session: heads, bodies, dispatch to routes; one exchange at a time, pipelined ones
 * wait in order. */
#include "base/mem.h"
#include "serve/server.h"

#define BALANCE_AT (16u * 1024u) /* no queue is long below it */

static uint64_t now_ms(const tusk_session *self)
{
    return tusk_loop_now_ms(self->server->loop);
}

static void exchange_drop(tusk_server *server, http_exchange *exchange)
{
    if (exchange->payload != NULL) {
        server->store.drop(server->store.user, exchange->payload);
    }
    tusk_buf_fini(&exchange->bytes);
    tusk__free(server->mem, exchange, sizeof(*exchange));
}

void tusk__http_exchange_free(tusk_session *self)
{
    tusk_server *server = self->server;
    http_exchange *exchange = self->u.http.exchange;
    if (exchange != NULL) {
        self->u.http.exchange = NULL;
        exchange_drop(server, exchange);
        tusk__session_count_unfinished(self, 0);
    }
    tusk__free(server->mem, self->u.http.upgrade, sizeof(http_upgrade));
    self->u.http.upgrade = NULL;
}

void tusk__http_answered(tusk_session *self)
{
    tusk_server *server = self->server;
    tusk__http_exchange_free(self);
    self->u.http.scanned = 0;
    self->last_queued = (uint32_t)self->conn.send_bytes;
    tusk__session_deadline(self, now_ms(self) + server->limits.keep_alive_ms);
    if (!self->keep_alive || server->state != SERVER_RUNNING) {
        self->state = HTTP_DONE;
        tusk_conn_finish(&self->conn);
        return;
    }
    self->state = HTTP_IDLE;
    if (!self->in_on_data) {
        tusk__session_balance(self);
        if (self->conn.in_len > 0) {
            tusk_conn_again(&self->conn);
        }
    }
}

/* ---- requests that are whole ---- */

static void call_owner(tusk_session *self, const tusk_request *request, tusk_route *route)
{
    tusk_server *server = self->server;
    self->state = HTTP_ANSWER;
    self->route = route;
    self->due = false; /* how long a handler takes is its own business */
    server->current = self;
    server->current_request = request;
    server->handler->on_request(server->user, tusk__session_handle(self), route->user, request);
    if (server->current == self) {
        server->current = NULL;
        server->current_request = NULL;
    }
}

static void refuse_unrouted(tusk_session *self, const tusk_http_head *head, bool path_known)
{
    tusk_server *server = self->server;
    if (!path_known) {
        tusk__http_decline(self, head, 404, NULL, "nothing here");
        return;
    }
    tusk_buf fields;
    tusk_buf_init(&fields, server->mem, 512);
    tusk_err err = tusk_buf_append_str(&fields, "Allow: ");
    err = err != TUSK_OK ? err : tusk__router_allow(&server->router, head->path, &fields);
    err = err != TUSK_OK ? err : tusk_buf_append(&fields, ", OPTIONS\r\n", 12); /* with its NUL */
    if (err != TUSK_OK) {
        tusk__http_decline(self, head, 405, NULL, "method not allowed");
    } else if (head->method == TUSK_HTTP_OPTIONS) {
        tusk__http_decline(self, head, 204, (const char *)tusk_buf_view(&fields).ptr, "");
    } else {
        tusk__http_decline(self, head, head->method == TUSK_HTTP_OTHER ? 501 : 405,
                           (const char *)tusk_buf_view(&fields).ptr, "method not allowed");
    }
    tusk_buf_fini(&fields);
}

/* A 100 (Continue), unless the body is under way already. */
static void send_continue(tusk_session *self)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (self->conn.in_len == 0) {
        (void)tusk_conn_append(&self->conn, text, sizeof(text) - 1);
    }
}

/* The head must outlive the input while the body arrives: copied and parsed again, which is rare
 * and cheap. */
static tusk_err keep_head(tusk_session *self, tusk_bytes head_bytes)
{
    tusk_server *server = self->server;
    http_exchange *exchange = tusk__new(server->mem, sizeof(*exchange));
    if (exchange == NULL) {
        return TUSK_ENOMEM;
    }
    self->u.http.exchange = exchange;
    tusk_buf_init(&exchange->bytes, server->mem, head_bytes.len);
    tusk_err err = tusk_buf_append(&exchange->bytes, head_bytes.ptr, head_bytes.len);
    if (err != TUSK_OK) {
        return err;
    }
    size_t scanned = 0;
    ptrdiff_t n = tusk_http_request_parse(&exchange->head, tusk_buf_view(&exchange->bytes),
                                          &server->limits.http, &scanned);
    if (n <= 0) {
        return TUSK_EPROTO;
    }
    tusk__router_match(&server->router, &exchange->head, false, &exchange->match);
    return exchange->match.route == NULL ? TUSK_ENOENT : TUSK_OK;
}

/* The copy of its head counts too: it may be sixteen kilobytes, and the body a byte. */
static size_t exchange_held(const http_exchange *exchange)
{
    return sizeof(*exchange) + exchange->bytes.cap + exchange->cap;
}

static void begin_body(tusk_session *self, const tusk_http_head *head, tusk_bytes head_bytes)
{
    tusk_server *server = self->server;
    tusk_err err = keep_head(self, head_bytes);
    if (err != TUSK_OK) {
        server->stats.out_of_memory += err == TUSK_ENOMEM;
        tusk__session_abort(self, err);
        return;
    }
    http_exchange *exchange = self->u.http.exchange;
    tusk_http_body_init(&exchange->body, &exchange->head, server->limits.body_bytes,
                        &server->limits.http);
    self->state = HTTP_BODY;
    tusk__session_count_unfinished(self, exchange_held(exchange));
    tusk__session_deadline(self, now_ms(self) + server->limits.body_ms);
    if (head->expect_continue) {
        send_continue(self);
    }
}

static void dispatch_http(tusk_session *self, const tusk_http_head *head, tusk_bytes head_bytes,
                          route_match *match)
{
    tusk_request request = {.head = head,
                            .params = match->params,
                            .param_count = match->param_count,
                            .secure = self->secure};
    if (head->content_length > 0 &&
        (uint64_t)head->content_length > self->server->limits.body_bytes) {
        tusk__http_refuse(self, 413, "body too large");
        return;
    }
    if (!head->chunked && head->content_length > 0 &&
        self->conn.in_len >= (size_t)head->content_length) {
        request.body = tusk_bytes_of(self->conn.in_ptr, (size_t)head->content_length);
        tusk_conn_consume(&self->conn, request.body.len);
    } else if (head->chunked || head->content_length > 0) {
        begin_body(self, head, head_bytes);
        return;
    }
    if (!tusk__form_admits(self, &request)) {
        return;
    }
    call_owner(self, &request, match->route);
}

static void dispatch(tusk_session *self, const tusk_http_head *head, tusk_bytes head_bytes)
{
    bool has_body = head->chunked || head->content_length > 0;
    route_match match;
    bool websocket = head->upgrade && tusk_http_has_token(head, "upgrade", "websocket");
    tusk__router_match(&self->server->router, head, websocket, &match);
    if (match.route == NULL && websocket) {
        tusk__router_match(&self->server->router, head, false,
                           &match); /* an upgrade may be ignored (RFC 9110, 7.8) */
    }
    if (match.route == NULL) {
        refuse_unrouted(self, head, match.path_known);
        return;
    }
    if (has_body && match.route->kind != ROUTE_HTTP) {
        tusk__http_refuse(self, 400, "no body is expected here");
        return;
    }
    const tusk_request request = {.head = head,
                                  .params = match.params,
                                  .param_count = match.param_count,
                                  .secure = self->secure};
    switch (match.route->kind) {
    case ROUTE_HTTP: dispatch_http(self, head, head_bytes, &match); break;
    case ROUTE_WEBSOCKET: tusk__upgrade_begin(self, &request, match.route); break;
    case ROUTE_STREAM: tusk__stream_begin(self, &request, match.route); break;
    case ROUTE_FILES: tusk__files_serve(self, match.route, head); break;
    }
}

/* ---- input ---- */

static void refuse_error(tusk_session *self, tusk_err err)
{
    tusk_server *server = self->server;
    server->stats.protocol_errors++;
    if (self->counted_handshake) {
        server->stats.handshakes_refused++;
    }
    tusk__http_refuse(self, tusk_http_status_of(err), tusk_err_text(err));
}

/* True: go on with the input. */
static bool take_head(tusk_session *self)
{
    tusk_server *server = self->server;
    tusk_http_head head;
    tusk_bytes in = tusk_conn_in(&self->conn);
    ptrdiff_t n = tusk_http_request_parse(&head, in, &server->limits.http, &self->u.http.scanned);
    if (n == 0) {
        if (self->state == HTTP_IDLE) {
            self->state = HTTP_HEAD;
            if (!self->counted_handshake) { /* the first head's deadline runs since accept */
                tusk__session_deadline(self, now_ms(self) + server->limits.handshake_ms);
            }
        }
        return false;
    }
    if (n < 0) {
        self->minor1 = true;
        refuse_error(self, (tusk_err)n);
        return false;
    }
    server->stats.requests++;
    self->minor1 = head.minor > 0;
    self->keep_alive = head.keep_alive;
    self->head_only = head.method == TUSK_HTTP_HEAD;
    tusk__session_handshake_done(self);
    tusk_conn_consume(&self->conn, (size_t)n);
    if (server->trusted_count > 0 && !tusk__forwarded_apply(self, &head)) {
        tusk__http_refuse_with(self, 429, "Retry-After: 1\r\n",
                               "too many connections of one address");
        return false;
    }
    dispatch(self, &head, tusk_bytes_of(in.ptr, (size_t)n));
    return true;
}

/* What is declared is an upper bound, never a first allocation. */
static size_t body_most(const tusk_session *self)
{
    int64_t whole = self->u.http.exchange->head.content_length;
    return whole > 0 ? (size_t)whole : self->server->limits.body_bytes;
}

static size_t body_cap(const tusk_session *self, size_t need)
{
    size_t twice = self->u.http.exchange->cap * 2;
    size_t most = body_most(self);
    size_t cap = twice > need ? twice : need;
    return cap < most || most < need ? cap : most;
}

size_t tusk__http_body_wants(const tusk_session *self, size_t *most)
{
    if (self->state != HTTP_BODY || self->u.http.exchange->wanted == 0) {
        return 0;
    }
    *most = body_most(self);
    *most = *most > self->u.http.exchange->wanted ? *most : self->u.http.exchange->wanted;
    return self->u.http.exchange->wanted;
}

/* Room for all that is here, asked for when it is much. */
static bool body_room(tusk_session *self)
{
    http_exchange *exchange = self->u.http.exchange;
    size_t need = exchange->len + self->conn.in_len;
    size_t cap = body_cap(self, need < body_most(self) ? need : body_most(self));
    exchange->wanted = 0;
    if (need <= exchange->cap || need <= exchange->allowed || cap <= exchange->cap ||
        cap <= TUSK__UNFINISHED_UNASKED) {
        return true;
    }
    exchange->wanted = cap;
    tusk__session_balance(self);
    return !self->paused_unfinished;
}

static tusk_err body_append(tusk_session *self, tusk_bytes data)
{
    tusk_server *server = self->server;
    http_exchange *exchange = self->u.http.exchange;
    if (data.len == 0) {
        return TUSK_OK;
    }
    size_t need = exchange->len + data.len;
    if (need > exchange->cap) {
        size_t cap = exchange->allowed >= need ? exchange->allowed : body_cap(self, need);
        uint8_t *place;
        void *grown = server->store.grow(server->store.user, exchange->payload, cap, &place);
        if (grown == NULL) {
            return TUSK_ENOMEM;
        }
        exchange->payload = grown;
        exchange->place = place;
        exchange->cap = cap;
        tusk__session_count_unfinished(self, exchange_held(exchange));
    }
    memcpy(exchange->place + exchange->len, data.ptr, data.len);
    exchange->len = need;
    return TUSK_OK;
}

static void call_with_body(tusk_session *self)
{
    http_exchange *exchange = self->u.http.exchange;
    const tusk_request request = {.head = &exchange->head,
                                  .body = tusk_bytes_of(exchange->place, exchange->len),
                                  .body_taken = exchange->payload,
                                  .params = exchange->match.params,
                                  .param_count = exchange->match.param_count,
                                  .secure = self->secure};
    if (!tusk__form_admits(self, &request)) {
        return;
    }
    exchange->payload = NULL; /* the owner's now */
    if (self->server->unfinished_owner == self) {
        tusk__session_count_unfinished(self, 0); /* the room of its answer is free for it */
    }
    /* The head is the owner's to read until it returns, also when it has answered by then. */
    self->u.http.exchange = NULL;
    call_owner(self, &request, exchange->match.route);
    exchange_drop(self->server, exchange);
    tusk__session_count_unfinished(self, 0);
}

static bool take_body(tusk_session *self)
{
    http_exchange *exchange = self->u.http.exchange;
    tusk_bytes data = {NULL, 0};
    if (!body_room(self)) {
        return false;
    }
    ptrdiff_t n = tusk_http_body_decode(&exchange->body, tusk_conn_in(&self->conn), &data);
    if (n < 0) {
        refuse_error(self, (tusk_err)n);
        return false;
    }
    tusk_err err = body_append(self, data);
    if (err != TUSK_OK) {
        self->server->stats.out_of_memory++;
        tusk__session_abort(self, err);
        return false;
    }
    tusk_conn_consume(&self->conn, (size_t)n);
    if (tusk_http_body_done(&exchange->body)) {
        call_with_body(self);
        return true;
    }
    tusk__session_balance(self);
    return n > 0;
}

static bool step(tusk_session *self)
{
    switch ((http_state)self->state) {
    case HTTP_IDLE:
    case HTTP_HEAD: return take_head(self);
    case HTTP_BODY: return take_body(self);
    case HTTP_ANSWER:
    case HTTP_AUTHORIZE:
    case HTTP_STREAMING:
    case HTTP_DONE: return false;
    }
    return false;
}

static bool take_proxy_head(tusk_session *self)
{
    ptrdiff_t n = tusk__forwarded_proxy_head(self, tusk_conn_in(&self->conn));
    if (n < 0) {
        self->server->stats.handshakes_refused++;
        tusk__session_abort(self, TUSK_EPROTO);
        return false;
    }
    tusk_conn_consume(&self->conn, (size_t)n);
    return n > 0;
}

static void shed(tusk_session *self)
{
    if (self->state == HTTP_HEAD || self->state == HTTP_BODY) {
        self->minor1 = true;
        tusk__http_refuse(self, 503, "too much is unfinished");
    } else {
        tusk__session_abort(self, TUSK_ELIMIT); /* an answer before it is still owed */
    }
}

/* Before TLS, whose bytes come after it. */
static ptrdiff_t on_preface(tusk_conn *conn, tusk_bytes in)
{
    return tusk__forwarded_proxy_head(tusk__session_of(conn), in);
}

static void on_data(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    if (self->in_on_data || (self->proxy_expected && !take_proxy_head(self))) {
        return;
    }
    tusk_conn_hold(conn);
    self->in_on_data = true;
    while (self->kind == SESSION_HTTP && tusk_conn_open(conn) && conn->in_len > 0 &&
           !conn->paused && conn->parked == 0) {
        if (!step(self) || conn->detached || tusk_conn_enough(conn)) {
            break;
        }
        if (conn->send_bytes > BALANCE_AT) {
            tusk__session_balance(
                self); /* a client that asks and does not read is stopped, not buffered */
        }
    }
    if (TUSK_UNLIKELY(conn->detached)) { /* on_open kept this stack, and the session went on */
        tusk_conn_release(conn);
        return;
    }
    self->in_on_data = false;
    if (self->kind == SESSION_HTTP && TUSK_LIKELY(tusk__session_at_ease(self))) {
        /* nothing of it waits */
    } else if (tusk_conn_open(conn) && self->kind == SESSION_HTTP && tusk__session_is_shed(self)) {
        shed(self);
    } else if (tusk_conn_open(conn)) {
        tusk__session_balance(self);
        if (self->kind != SESSION_HTTP && conn->in_len > 0 && !conn->paused) {
            conn->ops->on_data(conn); /* frames that came with the handshake */
        }
        if (self->kind != SESSION_HTTP && tusk_conn_open(conn)) {
            /* Its segment serves the next handshake of this turn: a thousand at once leave no
             * thousand behind. */
            tusk_conn_flush(conn);
        }
    }
    tusk_conn_release(conn);
}

static bool answer_owed(const tusk_session *self)
{
    return self->state == HTTP_ANSWER || self->state == HTTP_AUTHORIZE ||
           self->state == HTTP_STREAMING;
}

static void on_eof(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    if (answer_owed(self)) {
        self->keep_alive = false; /* a half-closed client still gets its answer */
        return;
    }
    tusk_conn_finish(conn);
}

static void on_hangup(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    if (answer_owed(self)) { /* to nobody: neither for this request nor for those that wait */
        tusk__session_abort(self, TUSK_ERESET);
    }
}

static void on_drain(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    tusk__pressure_eased(server);
    tusk__session_balance(self);
    if (self->drain_owed && self->state == HTTP_STREAMING && server->handler->on_drain != NULL) {
        self->drain_owed = false;
        server->handler->on_drain(server->user, tusk__session_handle(self), self->route->user);
    }
}

/* Of a streamed answer; whoever produces it may wait on a stack set aside. */
static void on_room(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    if (self->room_owed && server->handler->on_writable != NULL) {
        self->room_owed = false;
        server->handler->on_writable(server->user, tusk__session_handle(self), self->route->user);
    }
}

void tusk__http_on_due(tusk_session *self, uint64_t now)
{
    tusk_server *server = self->server;
    uint32_t queued = (uint32_t)self->conn.send_bytes;
    if (self->conn.send_bytes > 0 &&
        queued != self->last_queued) { /* an answer still leaves: slow is allowed, stuck is not */
        self->last_queued = queued;
        tusk__session_deadline(self, now + server->limits.keep_alive_ms);
        return;
    }
    if (self->conn.send_bytes > 0 || self->conn.state == CONN_OPENING) {
        server->stats.handshake_timeouts += self->conn.state == CONN_OPENING;
        server->stats.keep_alive_timeouts += self->conn.state != CONN_OPENING;
        tusk__session_abort(self, TUSK_ETIMEOUT);
        return;
    }
    switch ((http_state)self->state) {
    case HTTP_HEAD:
        server->stats.handshake_timeouts++;
        self->minor1 = true;
        tusk__http_refuse(self, 408, "the request did not arrive in time");
        break;
    case HTTP_BODY:
        server->stats.body_timeouts++;
        tusk__http_refuse(self, 408, "the body did not arrive in time");
        break;
    case HTTP_IDLE:
        server->stats.handshake_timeouts += self->counted_handshake;
        server->stats.keep_alive_timeouts += !self->counted_handshake;
        tusk_conn_finish(&self->conn);
        break;
    case HTTP_STREAMING: /* nothing waits to leave now; what comes later is watched again */
        self->last_queued = 0;
        tusk__session_deadline(self, now + server->limits.keep_alive_ms);
        break;
    case HTTP_ANSWER:
    case HTTP_AUTHORIZE:
    case HTTP_DONE: break;
    }
}

const tusk_conn_ops tusk__http_ops = {.on_data = on_data,
                                      .on_preface = on_preface,
                                      .on_eof = on_eof,
                                      .on_hangup = on_hangup,
                                      .on_drain = on_drain,
                                      .on_room = on_room,
                                      .on_ready = tusk__session_on_ready,
                                      .on_close = tusk__session_on_close,
                                      .on_released = tusk__session_on_released};
