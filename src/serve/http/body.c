/* SPDX-License-Identifier: MIT */
/* A request whose body is under way: its head is kept, the body grows as it comes, and when it is
 * whole the owner is called. */
#include "serve/http/http.h"

#include "base/mem.h"
#include "serve/unfinished.h"

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
    http_upgrade *upgrade = self->u.http.upgrade;
    if (upgrade != NULL && server->spare_upgrade == NULL) {
        server->spare_upgrade = upgrade;
    } else {
        tusk__free(server->mem, upgrade, sizeof(*upgrade));
    }
    self->u.http.upgrade = NULL;
}

/* ---- the head ---- */

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

/* The copy of its head counts too: it may be sixteen kilobytes, and the body a byte. What the body
 * was allowed is its own from then on. */
static size_t exchange_held(const http_exchange *exchange)
{
    size_t place = exchange->allowed > exchange->cap ? exchange->allowed : exchange->cap;
    return sizeof(*exchange) + exchange->bytes.cap + place;
}

void tusk__http_body_begin(tusk_session *self, const tusk_http_head *head, tusk_bytes head_bytes)
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
    self->last_in_ms = tusk__server_ms(server);
    tusk__session_count_unfinished(self, exchange_held(exchange));
    tusk__session_deadline(self, tusk_loop_now_ms(server->loop) + server->limits.body_ms);
    if (head->expect_continue) {
        send_continue(self);
    }
}

/* ---- the body ---- */

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

void tusk__http_body_allow(tusk_session *self, size_t cap)
{
    http_exchange *exchange = self->u.http.exchange;
    exchange->allowed = cap;
    exchange->wanted = 0;
    tusk__session_count_unfinished(self, exchange_held(exchange));
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
    tusk_request request = tusk__http_request(self, &exchange->head, &exchange->match);
    tusk_form form;
    request.body = tusk_bytes_of(exchange->place, exchange->len);
    request.body_taken = exchange->payload;
    if (!tusk__form_admits(self, &request, &form)) {
        return;
    }
    exchange->payload = NULL; /* the owner's now */
    if (self->server->unfinished_owner == self) {
        tusk__session_count_unfinished(self, 0); /* the room of its answer is free for it */
    }
    /* The head is the owner's to read until it returns, also when it has answered by then. */
    self->u.http.exchange = NULL;
    tusk__http_call_owner(self, &request, exchange->match.route);
    if (request.form != NULL) {
        tusk_form_fini(request.form);
    }
    exchange_drop(self->server, exchange);
    tusk__session_count_unfinished(self, 0);
}

bool tusk__http_body_take(tusk_session *self)
{
    http_exchange *exchange = self->u.http.exchange;
    tusk_bytes data = {NULL, 0};
    if (!body_room(self)) {
        return false;
    }
    ptrdiff_t n = tusk_http_body_decode(&exchange->body, tusk_conn_in(&self->conn), &data);
    if (n < 0) {
        tusk__http_refuse_error(self, (tusk_err)n);
        return false;
    }
    if (n > 0) { /* the head of a chunk, too, is something that it sent */
        self->last_in_ms = tusk__server_ms(self->server);
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
