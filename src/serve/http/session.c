/* SPDX-License-Identifier: MIT */
/* An HTTP/1.1 session: heads, dispatch to routes, deadlines; one exchange at a time, pipelined ones
 * wait in order. */
#include "serve/http/http.h"

#include <stdio.h>

#include "serve/pressure.h"
#include "serve/unfinished.h"

#define BALANCE_AT (16u * 1024u) /* no queue is long below it */

static uint64_t now_ms(const tusk_session *self)
{
    return tusk_loop_now_ms(self->server->loop);
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

void tusk__http_call_owner(tusk_session *self, const tusk_request *request, tusk_route *route)
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

static void refuse_unrouted(tusk_session *self, const tusk_http_head *head, bool path_known,
                            bool handshake)
{
    tusk_server *server = self->server;
    server->stats.handshakes_refused += handshake;
    bool method_known = tusk__router_knows(&server->router, head);
    if (head->method == TUSK_HTTP_OPTIONS && tusk_bytes_eq(head->path, tusk_bytes_str("*"))) {
        tusk__http_decline(self, head, 204, NULL, ""); /* the server as a whole: RFC 9110, 9.3.7 */
        return;
    }
    if (!path_known && !method_known) {
        tusk__http_decline(self, head, 501, NULL, "method not implemented");
        return;
    }
    if (!path_known) {
        tusk__http_decline(self, head, 404, NULL, "nothing here");
        return;
    }
    tusk_buf fields;
    enum { NAME_AND_REST = 32 };
    tusk_buf_init(&fields, server->mem,
                  NAME_AND_REST + TUSK__ALLOW_OWN + server->router.methods_bytes);
    tusk_err err = tusk_buf_append_str(&fields, "Allow: ");
    err = err != TUSK_OK ? err : tusk__router_allow(&server->router, head->path, NULL, &fields);
    err = err != TUSK_OK ? err : tusk_buf_append(&fields, ", OPTIONS\r\n", 12); /* with its NUL */
    if (err != TUSK_OK) {
        tusk__http_decline(self, head, 405, NULL, "method not allowed");
    } else if (head->method == TUSK_HTTP_OPTIONS && !handshake) {
        tusk__http_decline(self, head, 204, (const char *)tusk_buf_view(&fields).ptr, "");
    } else {
        tusk__http_decline(self, head, method_known ? 405 : 501,
                           (const char *)tusk_buf_view(&fields).ptr,
                           method_known ? "method not allowed" : "method not implemented");
    }
    tusk_buf_fini(&fields);
}

static void refuse_body(tusk_session *self, const tusk_http_head *head)
{
    char why[64];
    (void)snprintf(why, sizeof(why), "the body has more than %zu bytes",
                   self->server->limits.body_bytes);
    tusk__http_refuse(self, head, 413, NULL, why);
}

/* While a body arrives; NULL: none does, and nobody has the head. */
static const tusk_http_head *kept_head(const tusk_session *self)
{
    const http_exchange *exchange = self->u.http.exchange;
    return self->state == HTTP_BODY && exchange != NULL ? &exchange->head : NULL;
}

static void dispatch_http(tusk_session *self, tusk_request *request, tusk_bytes head_bytes,
                          route_match *match)
{
    const tusk_http_head *head = request->head;
    if (head->content_length > 0 &&
        (uint64_t)head->content_length > self->server->limits.body_bytes) {
        refuse_body(self, head);
        return;
    }
    if (!head->chunked && head->content_length > 0 &&
        self->conn.in_len >= (size_t)head->content_length) {
        request->body = tusk_bytes_of(self->conn.in_ptr, (size_t)head->content_length);
        tusk_conn_consume(&self->conn, request->body.len);
    } else if (head->chunked || head->content_length > 0) {
        tusk__http_body_begin(self, head, head_bytes);
        return;
    }
    tusk_form form;
    if (!tusk__form_admits(self, request, &form)) {
        return;
    }
    tusk__http_call_owner(self, request, match->route);
    if (request->form != NULL) {
        tusk_form_fini(request->form);
    }
}

static void dispatch(tusk_session *self, const tusk_http_head *head, tusk_bytes head_bytes)
{
    bool has_body = head->chunked || head->content_length > 0;
    route_match match;
    bool websocket = head->upgrade && head->websocket && head->minor > 0; /* RFC 9110, 7.8 */
    bool handshake = false; /* one that is none, as its method is not GET (RFC 6455, 4.2.1) */
    tusk__router_match(&self->server->router, head, websocket, &match);
    if (websocket && (match.route == NULL || head->method != TUSK_HTTP_GET)) {
        handshake = match.route != NULL;
        tusk__router_match(&self->server->router, head, false,
                           &match); /* an upgrade may be ignored (RFC 9110, 7.8) */
    }
    if (match.route == NULL) {
        refuse_unrouted(self, head, match.path_known, handshake);
        return;
    }
    if (has_body && match.route->kind != ROUTE_HTTP) {
        tusk__http_refuse(self, head, 400, NULL, "no body is expected here");
        return;
    }
    tusk_request request = tusk__http_request(self, head, &match);
    switch (match.route->kind) {
    case ROUTE_HTTP: dispatch_http(self, &request, head_bytes, &match); break;
    case ROUTE_WEBSOCKET: tusk__upgrade_begin(self, &request, match.route); break;
    case ROUTE_STREAM: tusk__stream_begin(self, &request, match.route); break;
    case ROUTE_FILES: tusk__files_serve(self, match.route, head); break;
    }
}

/* ---- input ---- */

/* Nothing of the request before tells how one is refused whose head is not whole or not good. */
static void forget_last_request(tusk_session *self)
{
    self->minor1 = true;
    self->head_only = tusk_http_begins_head(tusk_conn_in(&self->conn));
}

void tusk__http_refuse_error(tusk_session *self, tusk_err err)
{
    tusk_server *server = self->server;
    if (self->counted_handshake) {
        server->stats.handshakes_refused++;
    }
    if (self->state == HTTP_BODY && err == TUSK_ETOOBIG) {
        refuse_body(self, kept_head(self)); /* chunked, and too long: that breaks no rule */
    } else {
        server->stats.protocol_errors++;
        tusk__http_refuse(self, kept_head(self), tusk_http_status_of(err), NULL,
                          tusk_err_text(err));
    }
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
            /* The first head's deadline runs since accept; a drain had shortened it. */
            if (!self->counted_handshake || tusk_server_stopping(server)) {
                tusk__session_deadline(self, now_ms(self) + server->limits.handshake_ms);
            }
        }
        return false;
    }
    if (n < 0) {
        forget_last_request(self);
        tusk__http_refuse_error(self, (tusk_err)n);
        return false;
    }
    server->stats.requests++;
    self->minor1 = head.minor > 0;
    self->keep_alive = head.keep_alive;
    self->head_only = head.method == TUSK_HTTP_HEAD;
    tusk__session_handshake_done(self);
    tusk_conn_consume(&self->conn, (size_t)n);
    if (server->trusted_count > 0 && !tusk__forwarded_apply(self, &head)) {
        tusk__http_refuse(self, &head, 429, "Retry-After: 1\r\n",
                          "too many connections of one address");
        return false;
    }
    dispatch(self, &head, tusk_bytes_of(in.ptr, (size_t)n));
    return true;
}

static bool step(tusk_session *self)
{
    switch ((http_state)self->state) {
    case HTTP_IDLE:
    case HTTP_HEAD: return take_head(self);
    case HTTP_BODY: return tusk__http_body_take(self);
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
        tusk__session_fail_handshake(self, (tusk_err)n);
        return false;
    }
    tusk_conn_consume(&self->conn, (size_t)n);
    return n > 0;
}

void tusk__http_shed(tusk_session *self)
{
    if (self->state == HTTP_HEAD) {
        forget_last_request(self);
    }
    if (self->state == HTTP_HEAD || self->state == HTTP_BODY) {
        tusk__http_refuse(self, kept_head(self), 503, NULL, "too much is unfinished");
    } else {
        tusk__session_abort(self, TUSK_ELIMIT); /* an answer before it is still owed */
    }
}

/* Before TLS, whose bytes come after it. */
static ptrdiff_t on_preface(tusk_conn *conn, tusk_bytes in)
{
    return tusk__forwarded_proxy_head(tusk__session_of(conn), in);
}

/* The answers to a few handshakes leave by one call at the end of their turn. Of a crowd each
 * leaves at once, and its segment serves the next: a thousand at once leave no thousand behind. */
static bool is_of_crowd(tusk_server *server)
{
    enum { FEW = 64 };
    uint64_t turn_ns = tusk_loop_now_ns(server->loop);
    if (server->upgrades_ns != turn_ns) {
        server->upgrades_ns = turn_ns;
        server->upgrades = 0;
    }
    return ++server->upgrades > FEW;
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
    if (TUSK_LIKELY(tusk__session_at_ease(self))) {
        if (self->kind != SESSION_HTTP && is_of_crowd(self->server)) {
            tusk_conn_flush(conn);
        }
    } else if (tusk_conn_open(conn) && self->kind == SESSION_HTTP && tusk__session_is_shed(self)) {
        tusk__http_shed(self);
    } else if (tusk_conn_open(conn)) {
        tusk__session_balance(self);
        if (self->kind != SESSION_HTTP && conn->in_len > 0 && !conn->paused) {
            conn->ops->on_data(conn); /* frames that came with the handshake */
        }
        if (self->kind != SESSION_HTTP && tusk_conn_open(conn) && is_of_crowd(self->server)) {
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
    bool leaves =
        self->conn.send_bytes > 0 &&
        (queued != self->last_queued || tusk_conn_takes(&self->conn, server->limits.keep_alive_ms));
    if (leaves) { /* slow is allowed, stuck is not */
        self->last_queued = queued;
        tusk__session_deadline(self, now + server->limits.keep_alive_ms);
        return;
    }
    bool stops = tusk_server_stopping(server);
    if (self->conn.send_bytes > 0 || self->conn.state == CONN_OPENING) {
        server->stats.handshake_timeouts += self->conn.state == CONN_OPENING && !stops;
        server->stats.keep_alive_timeouts += self->conn.state != CONN_OPENING;
        tusk__session_abort(self, TUSK_ETIMEOUT);
        return;
    }
    switch ((http_state)self->state) {
    case HTTP_HEAD:
        server->stats.handshake_timeouts++;
        forget_last_request(self);
        tusk__http_refuse(self, NULL, 408, NULL, "the request did not arrive in time");
        break;
    case HTTP_BODY:
        if (self->paused_unfinished) { /* it is we who did not read */
            tusk__session_deadline(self, now + server->limits.body_ms);
            break;
        }
        server->stats.body_timeouts++;
        tusk__http_refuse(self, kept_head(self), 408, NULL, "the body did not arrive in time");
        break;
    case HTTP_IDLE:
        server->stats.handshake_timeouts += self->counted_handshake && !stops;
        server->stats.keep_alive_timeouts += !self->counted_handshake && !stops;
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
                                      .on_part = tusk__session_on_part,
                                      .on_eof = on_eof,
                                      .on_hangup = on_hangup,
                                      .on_drain = on_drain,
                                      .on_room = on_room,
                                      .on_ready = tusk__session_on_ready,
                                      .on_close = tusk__session_on_close,
                                      .on_released = tusk__session_on_released};
