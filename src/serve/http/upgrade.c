/* SPDX-License-Identifier: MIT */
/* From HTTP to WebSocket or to an event stream: checks, the owner's decision, the head of the
 * answer. */
#include "serve/http/http.h"

#include "base/mem.h"
#include "serve/stream/stream.h"
#include "serve/ws/ws.h"

/* Once: who is refused is not asked again on its connection. */
static tusk_err dup_target(tusk_session *self, tusk_bytes target)
{
    tusk_server *server = self->server;
    size_t extra = tusk__target_extra(target.len);
    if (extra > 0 &&
        server->target_extra + extra > (size_t)server->limits.connections * TARGET_SHARE) {
        return TUSK_ELIMIT;
    }
    self->target = tusk__new(server->mem, target.len + 1);
    if (self->target == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(self->target, target.ptr, target.len);
    server->target_extra += extra;
    return TUSK_OK;
}

/* Who expects a 100 gets it before its 101, although no content is to come (RFC 9110, 7.8). */
static void send_continue(tusk_session *self, const tusk_http_head *head)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (head->expect_continue) {
        (void)tusk_conn_append(&self->conn, text, sizeof(text) - 1);
    }
}

/* Asks the owner, or accepts at once. */
static void decide(tusk_session *self, const tusk_request *request, tusk_route *route)
{
    tusk_server *server = self->server;
    tusk_handle handle = tusk__session_handle(self);
    self->route = route;
    self->state = HTTP_AUTHORIZE;
    self->due = false;
    tusk_err err =
        route->keep_target && !self->head_only ? dup_target(self, request->head->target) : TUSK_OK;
    if (err == TUSK_ELIMIT) {
        server->stats.handshakes_refused++;
        tusk__http_refuse(self, request->head, 503, "Retry-After: 1\r\n",
                          "too many long targets are open");
        return;
    }
    if (err != TUSK_OK) {
        server->stats.out_of_memory++;
        tusk__session_abort(self, err);
        return;
    }
    server->current = self;
    server->current_request = request;
    tusk_conn_hold(&self->conn);
    if (route->authorize) {
        server->handler->on_authorize(server->user, handle, route->user, request);
    } else {
        (void)tusk_accept(server, handle, tusk_bytes_of(NULL, 0));
    }
    tusk_conn_release(&self->conn);
    if (server->current == self) {
        server->current = NULL;
        server->current_request = NULL;
    }
}

static void refuse_upgrade(tusk_session *self, const tusk_http_head *head, int status,
                           const char *why)
{
    const char *fields = status == 426 ? "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                       : "Sec-WebSocket-Version: 13\r\n";
    self->server->stats.handshakes_refused++;
    tusk__http_refuse(self, head, status, fields, why);
}

/* Which of the route's origins the request comes from; -1: it says none, or the route asks for
 * none. false: from another one, or from two. Only browsers send Origin, and they always do. */
static bool origin_allowed(const tusk_route *route, const tusk_http_head *head, int8_t *which)
{
    const tusk_http_field *origin = tusk_http_find(head, "origin");
    *which = -1;
    if (route->any_origin || origin == NULL) {
        return true;
    }
    for (uint8_t i = 0; i < route->origin_count; i++) {
        if (tusk_bytes_eq_nocase(route->origins[i], origin->value)) {
            *which = (int8_t)i;
            return tusk_http_count(head, "origin") == 1;
        }
    }
    return false;
}

static int8_t index_of(const tusk_route *route, tusk_bytes picked)
{
    for (uint8_t i = 0; picked.len > 0 && i < route->subprotocol_count; i++) {
        if (tusk_bytes_eq(route->subprotocols[i], picked)) {
            return (int8_t)i;
        }
    }
    return -1;
}

void tusk__upgrade_begin(tusk_session *self, const tusk_request *request, tusk_route *route)
{
    tusk_server *server = self->server;
    const tusk_http_head *head = request->head;
    const char *why = "";
    tusk_ws_offer offer;
    tusk_bytes picked = {NULL, 0};
    /* HEAD upgrades nothing, and is told what GET is told that asks for no upgrade. */
    int status = head->method == TUSK_HTTP_HEAD ? -1 : tusk_ws_handshake_check(head, &offer, &why);
    if (status != 0) {
        refuse_upgrade(self, head, status < 0 ? 426 : status,
                       status < 0 ? "this is a WebSocket" : why);
        return;
    }
    int8_t which;
    if (offer.has_origin && !origin_allowed(route, head, &which)) {
        refuse_upgrade(self, head, 403, "origin not allowed");
        return;
    }
    if (offer.has_subprotocols &&
        tusk_ws_subprotocol_pick(head, route->subprotocols, route->subprotocol_count, &picked) !=
            TUSK_OK) {
        refuse_upgrade(self, head, 400, "malformed Sec-WebSocket-Protocol");
        return;
    }
    http_upgrade *upgrade = server->spare_upgrade;
    server->spare_upgrade = NULL;
    upgrade = upgrade != NULL ? upgrade : tusk__new(server->mem, sizeof(*upgrade));
    if (upgrade == NULL) {
        server->stats.out_of_memory++;
        tusk__session_abort(self, TUSK_ENOMEM);
        return;
    }
    self->u.http.upgrade = upgrade;
    self->picked = index_of(route, picked);
    tusk_ws_accept_key(upgrade->accept, offer.key);
    upgrade->deflate = (tusk_ws_deflate){.on = false};
    if (offer.has_extensions &&
        tusk_ws_deflate_accept(&upgrade->deflate, &route->deflate, head, upgrade->extension,
                               sizeof(upgrade->extension)) != TUSK_OK) {
        refuse_upgrade(self, head, 400, "malformed Sec-WebSocket-Extensions");
        return;
    }
    send_continue(self, head);
    decide(self, request, route);
}

void tusk__stream_begin(tusk_session *self, const tusk_request *request, tusk_route *route)
{
    if (!origin_allowed(route, request->head, &self->picked)) {
        self->server->stats.handshakes_refused++;
        tusk__http_refuse(self, request->head, 403, "Vary: Origin\r\n", "origin not allowed");
        return;
    }
    decide(self, request, route);
}

/* ---- the answer ---- */

#define TEXT(literal) tusk_bytes_of(literal, sizeof(literal) - 1)

static inline uint8_t *put(uint8_t *at, tusk_bytes text)
{
    memcpy(at, text.ptr, text.len);
    return at + text.len;
}

/* Written where it leaves from. */
static tusk_err websocket_head(tusk_session *self, tusk_bytes fields)
{
    enum { FIXED_MAX = 256 }; /* the parts whose length is always the same */
    const tusk_server *server = self->server;
    const http_upgrade *upgrade = self->u.http.upgrade;
    tusk_bytes picked = TEXT("");
    tusk_bytes extension = upgrade->deflate.on ? tusk_bytes_str(upgrade->extension) : picked;
    tusk_bytes name = server->server_name != NULL ? tusk_bytes_str(server->server_name) : picked;
    if (self->picked >= 0) {
        picked = self->route->subprotocols[self->picked];
    }
    uint8_t *start = tusk_conn_reserve(&self->conn, FIXED_MAX + picked.len + extension.len +
                                                        name.len + fields.len);
    if (start == NULL) {
        return tusk_net_room(server->net) < FIXED_MAX + fields.len ? TUSK_ELIMIT : TUSK_ENOMEM;
    }
    uint8_t *at = put(start, TEXT("HTTP/1.1 101 Switching Protocols\r\n"
                                  "Upgrade: websocket\r\n"
                                  "Connection: Upgrade\r\n"
                                  "Sec-WebSocket-Accept: "));
    at = put(at, tusk_bytes_of(upgrade->accept, TUSK_WS_ACCEPT_LEN));
    if (picked.len > 0) { /* a token, which the route saw to */
        at = put(put(at, TEXT("\r\nSec-WebSocket-Protocol: ")), picked);
    }
    if (extension.len > 0) {
        at = put(put(at, TEXT("\r\nSec-WebSocket-Extensions: ")), extension);
    }
    if (name.len > 0) { /* a value, which tusk_server_new saw to */
        at = put(put(at, TEXT("\r\nServer: ")), name);
    }
    at = put(at, TEXT("\r\n"));
    if (fields.len > 0) {
        at = put(at, fields);
    }
    at = put(at, TEXT("\r\n"));
    tusk_conn_commit(&self->conn, (size_t)(at - start));
    return TUSK_OK;
}

/* What lets a page of another origin read the stream (Fetch, 3.2.3), and keeps its answer from
 * being told to others. */
static tusk_err cross_origin(const tusk_session *self, tusk_buf *out)
{
    const tusk_route *route = self->route;
    if (route->any_origin) {
        return TUSK_OK;
    }
    tusk_err err = tusk_buf_append_str(out, "Vary: Origin\r\n");
    if (err == TUSK_OK && self->picked >= 0) {
        err = tusk_http_field_append(out, tusk_bytes_str("Access-Control-Allow-Origin"),
                                     route->origins[self->picked]);
        err = err != TUSK_OK
                  ? err
                  : tusk_buf_append_str(out, "Access-Control-Allow-Credentials: true\r\n");
    }
    return err;
}

static tusk_err stream_head(tusk_session *self, tusk_bytes fields)
{
    tusk_server *server = self->server;
    tusk_err err = tusk__reply_start(server, 200);
    err = err != TUSK_OK
              ? err
              : tusk_buf_append_str(&server->scratch, "Content-Type: text/event-stream\r\n"
                                                      "Cache-Control: no-cache, no-transform\r\n"
                                                      "X-Accel-Buffering: no\r\n");
    err = err != TUSK_OK ? err : cross_origin(self, &server->scratch);
    err = err != TUSK_OK ? err : tusk_buf_append(&server->scratch, fields.ptr, fields.len);
    self->keep_alive = self->keep_alive && (self->minor1 || self->head_only);
    if (err == TUSK_OK && self->minor1) {
        err = tusk_buf_append_str(&server->scratch, "Transfer-Encoding: chunked\r\n");
    }
    err = err != TUSK_OK ? err : tusk__reply_finish_head(self);
    if (err != TUSK_OK || self->head_only) {
        return err;
    }
    return tusk_buf_append_str(&server->scratch, self->minor1 ? "3\r\n:\n\n\r\n" : ":\n\n");
}

tusk_err tusk_accept(tusk_server *server, tusk_handle session, tusk_bytes fields)
{
    tusk_session *self = tusk__session_find(server, session);
    if (self == NULL) {
        return TUSK_ENOENT;
    }
    if (self->kind != SESSION_HTTP || self->state != HTTP_AUTHORIZE ||
        !tusk_conn_open(&self->conn)) {
        return TUSK_ESTATE;
    }
    bool websocket = self->route->kind == ROUTE_WEBSOCKET;
    tusk_err err = websocket ? websocket_head(self, fields) : stream_head(self, fields);
    err = err != TUSK_OK || websocket ? err : tusk__reply_queue(self);
    if (err != TUSK_OK) {
        server->stats.out_of_memory += err == TUSK_ENOMEM;
        tusk__session_abort(self, err);
        return err;
    }
    if (self->head_only) { /* what was asked is told, and no stream begins: RFC 9110, 9.3.2 */
        tusk__http_answered(self);
        return TUSK_OK;
    }
    const tusk_request *request = server->current == self ? server->current_request : NULL;
    if (websocket) {
        tusk_ws_deflate deflate = self->u.http.upgrade->deflate;
        tusk__http_exchange_free(self);
        tusk__ws_open(self, &deflate);
    } else {
        tusk__http_exchange_free(self);
        tusk__stream_open(self);
    }
    tusk_conn_hold(&self->conn);
    self->opened = true;
    if (server->handler->on_open != NULL) {
        server->handler->on_open(server->user, session, self->route->user, request);
    }
    tusk__server_drain_late(self);
    if (!self->in_on_data && !self->conn.detached && tusk_conn_open(&self->conn)) {
        tusk__session_balance(self); /* reading had stopped while the owner decided */
        if (self->conn.in_len > 0) {
            tusk_conn_again(&self->conn);
        }
    }
    tusk_conn_release(&self->conn);
    return TUSK_OK;
}
