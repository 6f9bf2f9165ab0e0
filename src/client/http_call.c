/* SPDX-License-Identifier: MIT */
/* An HTTP call: one request, its answer, and the line given back for the next. */
#include <tusk/client.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "client/answer.h"
#include "client/line.h"

enum { BODY_MAX = 16 * 1024 * 1024, TIMEOUT_MS = 30000, HEAD_MAX = 80 * 1024, INTERIM_MAX = 16 };

typedef enum call_state { CALL_WAITING, CALL_HEAD, CALL_BODY, CALL_DONE } call_state;

struct tusk_http_call {
    tusk__line_user base;
    const tusk_http_call_handler *handler;
    void *user;
    tusk_buf head;   /* of the request */
    tusk_blob *body; /* NULL: none */
    tusk_http_body answer;
    uint64_t body_max;
    size_t scanned;
    tusk_http_method method;
    call_state state;
    unsigned interim;
    bool keep_alive;
    bool no_reuse;
    bool retried;
};

/* ---- life ---- */
static void destroy(tusk__line_user *base)
{
    tusk_http_call *self = TUSK_OWNER(base, tusk_http_call, base);
    tusk_client *client = self->base.client;
    tusk_buf_fini(&self->head);
    tusk_blob_unref(self->body);
    tusk__line_user_fini(&self->base);
    tusk__free(client->mem, self, sizeof(*self));
}

/* The last callback; the caller holds. */
static void finish(tusk_http_call *self, tusk_err err, const char *stage, const char *text)
{
    tusk_failure failure = {.err = err, .stage = stage, .text = text};
    if (self->state == CALL_DONE) {
        return;
    }
    self->state = CALL_DONE;
    tusk__line_user_end(&self->base);
    self->handler->on_done(self->user, self, &failure);
}

static void finish_answer(tusk_http_call *self)
{
    tusk__line *line = self->base.line;
    bool clean =
        self->keep_alive && !self->no_reuse && line->conn.send_bytes == 0 && line->conn.in_len == 0;
    self->base.line = NULL;
    if (clean) {
        tusk__line_keep(line);
    } else {
        tusk__line_drop(line);
    }
    finish(self, TUSK_OK, "answer", "");
}

/* ---- sending ---- */
static tusk_err send_request(tusk_http_call *self)
{
    tusk_bytes head = tusk_buf_view(&self->head);
    tusk_err err = tusk_conn_append(&self->base.line->conn, head.ptr, head.len);
    if (err == TUSK_OK && self->body != NULL) {
        err = tusk_conn_append_blob(&self->base.line->conn, self->body);
    }
    self->state = CALL_HEAD;
    return err;
}

/* The server closed a kept line before it saw the request, as it may (RFC 9112, 9.3.1): once more
 * on a new one. */
static bool retry(tusk_http_call *self)
{
    if (self->retried || self->state != CALL_HEAD || self->interim > 0 ||
        !tusk_http_idempotent(self->method)) {
        return false;
    }
    self->retried = true;
    self->state = CALL_WAITING;
    self->scanned = 0;
    tusk__line_user_drop(&self->base);
    return tusk__line_user_open(&self->base) == TUSK_OK;
}

/* ---- the answer ---- */
static bool read_head(tusk_http_call *self)
{
    tusk_client *client = self->base.client;
    tusk_conn *conn = &self->base.line->conn;
    ptrdiff_t used = tusk__answer_parse(&client->head, conn, self->method, &self->scanned);
    if (used == 0) {
        return false;
    }
    if (used < 0) {
        finish(self, (tusk_err)used, "answer",
               tusk__answer_fault((tusk_err)used, "the answer's head is not HTTP"));
        return false;
    }
    if (client->head.status < 200) {
        if (client->head.status == 101 || ++self->interim > INTERIM_MAX) {
            finish(self, TUSK_EPROTO, "answer",
                   "an upgrade that nobody asked for, or interim answers without end");
            return false;
        }
        tusk_conn_consume(conn, (size_t)used);
        return true;
    }
    self->state = CALL_BODY;
    self->keep_alive = client->head.keep_alive;
    tusk_http_body_init(&self->answer, &client->head, self->body_max, tusk__client_limits());
    if (self->handler->on_head != NULL) {
        self->handler->on_head(self->user, self, &client->head);
    }
    if (self->base.line != NULL) {
        tusk_conn_consume(conn, (size_t)used);
    }
    return true;
}

static bool read_body(tusk_http_call *self)
{
    tusk_conn *conn = &self->base.line->conn;
    tusk_bytes data;
    if (tusk_http_body_done(&self->answer)) {
        finish_answer(self);
        return false;
    }
    ptrdiff_t used = tusk_http_body_decode(&self->answer, tusk_conn_in(conn), &data);
    if (used < 0) {
        finish(self, (tusk_err)used, "answer",
               used == TUSK_ETOOBIG
                   ? "the answer's body is over its limit"
                   : tusk__answer_fault((tusk_err)used, "the answer's body is not HTTP"));
        return false;
    }
    if (data.len > 0 && self->handler->on_data != NULL) {
        self->handler->on_data(self->user, self, data);
    }
    if (self->base.line != NULL) {
        tusk_conn_consume(conn, (size_t)used);
    }
    return used > 0;
}

static void read_on(tusk_http_call *self)
{
    bool more = true;
    while (more && !self->base.gone && !self->base.paused && self->base.line != NULL) {
        if (self->state == CALL_HEAD) {
            more = read_head(self);
        } else {
            more = self->state == CALL_BODY && read_body(self);
        }
    }
}

/* ---- the line's callbacks ---- */
static void on_ready(tusk__line_user *base)
{
    tusk_http_call *self = TUSK_OWNER(base, tusk_http_call, base);
    tusk_err err = send_request(self);
    if (err != TUSK_OK) {
        finish(self, err, "send", tusk_err_text(err));
    }
}

static void on_data(tusk__line_user *base)
{
    tusk_http_call *self = TUSK_OWNER(base, tusk_http_call, base);
    read_on(self);
}

static void on_end(tusk_http_call *self, tusk_err err, const char *stage, const char *text)
{
    bool taken =
        self->base.line != NULL && self->base.line->taken && self->base.line->conn.in_len == 0;
    if (!taken || !retry(self)) {
        finish(self, err, stage, text);
    }
}

/* Only an orderly end ends a body without a length; a reset, or TLS without its close_notify, may
 * have cut it (RFC 9112, 8 and 9.8). */
static void on_eof(tusk__line_user *base)
{
    tusk_http_call *self = TUSK_OWNER(base, tusk_http_call, base);
    if (self->state == CALL_BODY && tusk_http_body_end(&self->answer)) {
        self->keep_alive = false;
        finish(self, TUSK_OK, "answer", "");
    } else {
        on_end(self, TUSK_EEOF, "answer", "the connection ended before the answer did");
    }
}

static void on_lost(tusk__line_user *base, const tusk_failure *failure)
{
    on_end(TUSK_OWNER(base, tusk_http_call, base), failure->err, failure->stage, failure->text);
}

static void on_due(tusk__line_user *base)
{
    tusk_http_call *self = TUSK_OWNER(base, tusk_http_call, base);
    if (self->state == CALL_WAITING) {
        finish(self, TUSK_ETIMEOUT, tusk__line_user_stage(base), "no connection in time");
    } else {
        finish(self, TUSK_ETIMEOUT, "answer", "no whole answer in time");
    }
}

static void abort_handle(tusk__client_handle *handle)
{
    tusk_http_call_cancel(TUSK_OWNER(handle, tusk_http_call, base.handle));
}

static const tusk__line_ops line_ops = {
    .on_ready = on_ready,
    .on_data = on_data,
    .on_eof = on_eof,
    .on_lost = on_lost,
    .on_due = on_due,
    .abort = abort_handle,
    .destroy = destroy,
};

/* ---- for callers ---- */
static tusk_err append_length(tusk_buf *out, size_t len)
{
    uint8_t digits[DECIMAL_MAX];
    return tusk_http_field_append(out, tusk_bytes_str("Content-Length"),
                                  tusk__decimal(digits, len));
}

static tusk_err prepare(tusk_http_call *self, const tusk_http_call_options *options,
                        tusk_bytes method)
{
    bool wants_length = self->method == TUSK_HTTP_POST || self->method == TUSK_HTTP_PUT ||
                        self->method == TUSK_HTTP_PATCH;
    tusk_err err =
        tusk__target_init(&self->base.target, self->base.client->mem, &options->target, false);
    if (err == TUSK_OK) {
        err = tusk__target_head(&self->base.target, &self->head, method);
    }
    if (err == TUSK_OK && (options->body.len > 0 || wants_length)) {
        err = append_length(&self->head, options->body.len);
    }
    if (err == TUSK_OK && self->no_reuse) {
        err = tusk_buf_append_str(&self->head, "Connection: close\r\n");
    }
    if (err == TUSK_OK) {
        err = tusk_buf_append_str(&self->head, "\r\n");
    }
    if (err == TUSK_OK && options->body.len > 0) {
        err = tusk_blob_dup(&self->body, self->base.client->mem, options->body);
    }
    return err;
}

static tusk_err set_out(tusk_http_call *self)
{
    if (!self->no_reuse && tusk__line_user_take(&self->base)) {
        return send_request(self);
    }
    return tusk__line_user_open(&self->base);
}

tusk_err tusk_http_call_start(tusk_http_call **out, tusk_client *client,
                              const tusk_http_call_options *options,
                              const tusk_http_call_handler *handler, void *user)
{
    *out = NULL;
    tusk_bytes method = options->method.len > 0 ? options->method : tusk_bytes_str("GET");
    tusk_http_method known = tusk_http_method_of(method);
    if (handler->on_done == NULL || !tusk_http_name_valid(method) || known == TUSK_HTTP_CONNECT ||
        (known == TUSK_HTTP_TRACE && options->body.len > 0)) { /* RFC 9110, 9.3.8 */
        return TUSK_EINVAL;
    }
    tusk_http_call *self = tusk__new(client->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    tusk__line_user_init(&self->base, client, &line_ops);
    self->handler = handler;
    self->user = user;
    self->method = known;
    self->body_max = options->body_max > 0 ? options->body_max : BODY_MAX;
    self->no_reuse = options->no_reuse;
    tusk_buf_init(&self->head, client->mem, HEAD_MAX);
    tusk_err err = prepare(self, options, method);
    if (err == TUSK_OK) {
        err = set_out(self);
    }
    if (err != TUSK_OK) {
        tusk__line_user_drop(&self->base);
        destroy(&self->base);
        return err;
    }
    tusk__list_push(&client->handles, &self->base.handle.link);
    tusk_timer_start(client->loop, &self->base.timer,
                     options->timeout_ms > 0 ? options->timeout_ms : TIMEOUT_MS);
    *out = self;
    return TUSK_OK;
}

void tusk_http_call_cancel(tusk_http_call *self)
{
    if (self->base.gone) {
        return; /* inside on_done */
    }
    self->state = CALL_DONE;
    tusk__line_user_abandon(&self->base);
}

void tusk_http_call_pause(tusk_http_call *self)
{
    tusk__line_user_pause(&self->base);
}

void tusk_http_call_resume(tusk_http_call *self)
{
    tusk__line_user_resume(&self->base, true); /* perhaps nothing is missing but to say so */
}
