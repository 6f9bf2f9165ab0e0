/* SPDX-License-Identifier: MIT */
/* Answers: whole, refused, or piece by piece; always with our own framing fields. */
#include "serve/http/http.h"

#include <stdio.h>

#include "base/mem.h"
#include "proto/problem.h"
#include "serve/pressure.h"

#define COPY_MAX                                                                                   \
    4096u /* shorter bodies are copied behind their head; longer ones are queued by reference */

static const char line_200[] = "HTTP/1.1 200 OK\r\n";
enum { LINE_200_LEN = sizeof(line_200) - 1 };

/* What every answer begins with, after the status line of the most frequent one. Written anew once
 * a second; the clock is asked once a millisecond. */
static tusk_err refresh_fields(tusk_server *server)
{
    tusk_buf *out = &server->fields;
    uint64_t turn_ms = tusk_loop_now_ms(server->loop);
    char date[29];
    if (TUSK_LIKELY(turn_ms == server->fields_ms && out->len > 0)) {
        return TUSK_OK;
    }
    int64_t now = tusk_loop_wall_s();
    if (now == server->fields_s && out->len > 0) {
        server->fields_ms = turn_ms;
        return TUSK_OK;
    }
    tusk_http_date(date, now);
    tusk_buf_clear(out);
    tusk_err err = tusk_buf_append(out, line_200, LINE_200_LEN);
    err = err != TUSK_OK ? err : tusk_buf_append(out, "Date: ", 6);
    err = err != TUSK_OK ? err : tusk_buf_append(out, date, sizeof(date));
    err = err != TUSK_OK ? err : tusk_buf_append(out, "\r\n", 2);
    if (err == TUSK_OK && server->server_name != NULL) {
        err = tusk_http_field_append(out, tusk_bytes_str("Server"),
                                     tusk_bytes_str(server->server_name));
    }
    server->fields_s = err == TUSK_OK ? now : 0;
    server->fields_ms = err == TUSK_OK ? turn_ms : 0;
    return err;
}

tusk_err tusk__reply_start(tusk_server *server, int status)
{
    tusk_buf *out = &server->scratch;
    const tusk_buf *fields = &server->fields;
    tusk_buf_clear(out);
    tusk_err err = refresh_fields(server);
    if (TUSK_LIKELY(err == TUSK_OK && status == 200)) {
        return tusk_buf_append(out, fields->ptr, fields->len);
    }
    err = err != TUSK_OK ? err : tusk_http_status_line(out, status);
    return err != TUSK_OK
               ? err
               : tusk_buf_append(out, fields->ptr + LINE_200_LEN, fields->len - LINE_200_LEN);
}

enum { LENGTH_MAX = 40 }; /* the longest Content-Length line */

static inline size_t put_length(uint8_t *out, uint64_t value)
{
    static const char name[] = "Content-Length: ";
    enum { NAME_LEN = sizeof(name) - 1 };
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    memcpy(out, name, NAME_LEN);
    size_t len = NAME_LEN;
    while (at < sizeof(digits)) {
        out[len++] = (uint8_t)digits[at++];
    }
    out[len++] = '\r';
    out[len++] = '\n';
    return len;
}

tusk_err tusk__reply_length(tusk_server *server, uint64_t value)
{
    uint8_t line[LENGTH_MAX];
    return tusk_buf_append(&server->scratch, line, put_length(line, value));
}

/* "Connection" as the session needs it, and the empty line. */
static inline tusk_bytes end_of_head(tusk_session *self)
{
    static const char close[] = "Connection: close\r\n\r\n";
    static const char keep[] = "Connection: keep-alive\r\n\r\n";
    if (TUSK_UNLIKELY(!self->keep_alive || self->server->state != SERVER_RUNNING)) {
        self->keep_alive = false;
        return tusk_bytes_of(close, sizeof(close) - 1);
    }
    return TUSK_LIKELY(self->minor1) ? tusk_bytes_of(close + sizeof(close) - 3, 2)
                                     : tusk_bytes_of(keep, sizeof(keep) - 1);
}

tusk_err tusk__reply_finish_head(tusk_session *self)
{
    tusk_bytes end = end_of_head(self);
    return tusk_buf_append(&self->server->scratch, end.ptr, end.len);
}

tusk_err tusk__reply_queue(tusk_session *self)
{
    return tusk_conn_append(&self->conn, tusk_buf_view(&self->server->scratch).ptr,
                            self->server->scratch.len);
}

static void count_status(tusk_server *server, int status)
{
    server->stats.responses_4xx += status >= 400 && status < 500;
    server->stats.responses_5xx += status >= 500;
}

/* In words, or as problem details for who accepts JSON first: which of them it is depends on that
 * field, where a head was read. */
static tusk_err put_reason(tusk_session *self, const tusk_http_head *head, int status,
                           const char *why, tusk_buf *body)
{
    tusk_buf *out = &self->server->scratch;
    bool json = tusk__problem_wanted(head);
    tusk_err err = head == NULL ? TUSK_OK : tusk_buf_append_str(out, "Vary: Accept\r\n");
    err = err != TUSK_OK
              ? err
              : tusk_buf_append_str(out, json ? "Content-Type: " TUSK__PROBLEM_TYPE "\r\n"
                                              : "Content-Type: text/plain; charset=utf-8\r\n");
    if (err == TUSK_OK && json) {
        err = tusk__problem_append(body, status, tusk_bytes_str(why));
    } else if (err == TUSK_OK) {
        err = tusk_buf_append_str(body, why);
        err = err != TUSK_OK ? err : tusk_buf_append_str(body, "\n");
    }
    return err != TUSK_OK ? err : tusk__reply_length(self->server, body->len);
}

static tusk_err put_refusal(tusk_session *self, const tusk_http_head *head, int status,
                            const char *fields, const char *why, tusk_buf *body)
{
    tusk_server *server = self->server;
    tusk_err err = tusk__reply_start(server, status);
    if (err == TUSK_OK && fields != NULL) {
        err = tusk_buf_append_str(&server->scratch, fields);
    }
    if (err == TUSK_OK && why[0] != '\0') {
        err = put_reason(self, head, status, why, body);
    } else if (err == TUSK_OK && status != 204) {
        err = tusk__reply_length(server, 0);
    }
    if (err == TUSK_OK && status == 426) { /* Upgrade goes with its option (RFC 9110, 7.8) */
        err = tusk_buf_append_str(&server->scratch, "Connection: upgrade, close\r\n\r\n");
    } else if (err == TUSK_OK) {
        err = tusk__reply_finish_head(self);
    }
    if (err == TUSK_OK && !self->head_only && body->len > 0) {
        err = tusk_buf_append(&server->scratch, body->ptr, body->len);
    }
    return err != TUSK_OK ? err : tusk__reply_queue(self);
}

static void refuse(tusk_session *self, const tusk_http_head *head, int status, const char *fields,
                   const char *why, bool keep)
{
    enum { BODY_MAX = 1024 };
    tusk_server *server = self->server;
    tusk_buf body;
    count_status(server, status);
    self->keep_alive = self->keep_alive && keep;
    self->chunked_out = self->sized_out = false;
    tusk_buf_init(&body, server->mem, BODY_MAX);
    tusk_err err = put_refusal(self, head, status, fields, why, &body);
    tusk_buf_fini(&body);
    if (err != TUSK_OK) {
        tusk__session_abort(self, err);
        return;
    }
    tusk__http_answered(self);
}

void tusk__http_refuse(tusk_session *self, const tusk_http_head *head, int status,
                       const char *fields, const char *why)
{
    refuse(self, head, status, fields, why, false);
}

void tusk__http_decline(tusk_session *self, const tusk_http_head *head, int status,
                        const char *fields, const char *why)
{
    bool whole = !head->chunked && head->content_length <= 0 && !head->upgrade;
    refuse(self, head, status, fields, why, whole);
}

/* The session that owes an answer; NULL: none, with the reason. */
static tusk_session *answering(tusk_server *server, tusk_handle handle, tusk_err *err)
{
    tusk_session *self = tusk__session_find(server, handle);
    *err = self == NULL ? TUSK_ENOENT : TUSK_ESTATE;
    if (self == NULL || self->kind != SESSION_HTTP || !tusk_conn_open(&self->conn)) {
        return NULL;
    }
    if (self->state == HTTP_AUTHORIZE) {
        self->keep_alive = false; /* what follows a refused upgrade may be frames */
        self->server->stats.handshakes_refused++;
        return self;
    }
    return self->state == HTTP_ANSWER ? self : NULL;
}

static inline uint8_t *put(uint8_t *at, tusk_bytes bytes)
{
    if (bytes.len > 0) {
        memcpy(at, bytes.ptr, bytes.len);
    }
    return at + bytes.len;
}

/* A 200 that is short, as most answers are, is written where it leaves from. False: it is not, or
 * there is no room for it now, and nothing was done. */
static bool reply_in_place(tusk_session *self, tusk_bytes fields, tusk_bytes body)
{
    enum { SHORT_MAX = 1920, REST_MAX = LENGTH_MAX + 32 };
    tusk_server *server = self->server;
    if (body.len > SHORT_MAX || fields.len > SHORT_MAX || refresh_fields(server) != TUSK_OK) {
        return false;
    }
    size_t most = server->fields.len + REST_MAX + fields.len + body.len;
    uint8_t *start = most > SHORT_MAX ? NULL : tusk_conn_reserve(&self->conn, most);
    if (start == NULL) {
        return false;
    }
    uint8_t *at = put(start, tusk_bytes_of(server->fields.ptr, server->fields.len));
    at += put_length(at, body.len);
    at = put(at, fields);
    at = put(at, end_of_head(self));
    at = self->head_only ? at : put(at, body);
    tusk_conn_commit(&self->conn, (size_t)(at - start));
    return true;
}

tusk_err tusk_reply(tusk_server *server, tusk_handle session, int status, tusk_bytes fields,
                    tusk_bytes body, tusk_blob *blob)
{
    tusk_err err;
    tusk_session *self = answering(server, session, &err);
    if (self == NULL) {
        return err;
    }
    if (TUSK_LIKELY(status == 200) && reply_in_place(self, fields, body)) {
        tusk__http_answered(self);
        return TUSK_OK;
    }
    bool bodiless = status < 200 || status == 204 || status == 304;
    bool silent = bodiless || self->head_only || body.len == 0;
    bool copied = body.len <= COPY_MAX || blob == NULL;
    count_status(server, status);
    err = tusk__reply_start(server, status);
    if (err == TUSK_OK && !bodiless) {
        err = tusk__reply_length(server, body.len);
    }
    err = err != TUSK_OK ? err : tusk_buf_append(&server->scratch, fields.ptr, fields.len);
    err = err != TUSK_OK ? err : tusk__reply_finish_head(self);
    if (err == TUSK_OK && !silent && copied && body.len <= COPY_MAX) {
        err = tusk_buf_append(&server->scratch, body.ptr, body.len);
    }
    if (!silent && body.len > COPY_MAX) { /* for all of it, before its head stands in the queue */
        (void)tusk__session_make_room(self, server->scratch.len + body.len);
    }
    err = err != TUSK_OK ? err : tusk__reply_queue(self);
    if (err == TUSK_OK && !silent && body.len > COPY_MAX) {
        err = blob == NULL ? tusk_conn_append(&self->conn, body.ptr, body.len)
                           : tusk_conn_append_slice(&self->conn, blob,
                                                    (size_t)(body.ptr - blob->ptr), body.len);
    }
    if (err != TUSK_OK) {
        server->stats.out_of_memory += err == TUSK_ENOMEM;
        tusk__session_abort(self, err);
        return err;
    }
    tusk__http_answered(self);
    return TUSK_OK;
}

tusk_err tusk_reply_reason(tusk_server *server, tusk_handle session, int status)
{
    enum { REASON_MAX = 256 };
    const tusk_session *self = tusk__session_find(server, session);
    tusk_buf body;
    tusk_buf_init(&body, server->mem, REASON_MAX);
    bool json = self != NULL &&
                (server->current == self ? tusk__problem_wanted(server->current_request->head)
                                         : self->json_wanted);
    const char *fields = json ? "Content-Type: " TUSK__PROBLEM_TYPE "\r\nVary: Accept\r\n"
                              : "Content-Type: text/plain; charset=utf-8\r\nVary: Accept\r\n";
    tusk_err err;
    if (json) {
        err = tusk__problem_append(&body, status, tusk_bytes_of(NULL, 0));
    } else {
        char text[64]; /* the longest phrase has 31 bytes */
        int len = snprintf(text, sizeof(text), "%d %s\n", status, tusk_http_reason(status));
        err = tusk_buf_append(&body, text, (size_t)len);
    }
    err = err != TUSK_OK ? err
                         : tusk_reply(server, session, status, tusk_bytes_str(fields),
                                      tusk_buf_view(&body), NULL);
    tusk_buf_fini(&body);
    return err;
}

/* ---- piece by piece ---- */

/* How the body ends: in chunks, at a length that is known, or with the connection (HTTP/1.0). */
static tusk_err put_framing(tusk_session *self, bool bodiless, const uint64_t *length)
{
    tusk_server *server = self->server;
    self->sized_out = length != NULL && !bodiless;
    self->chunked_out = !self->sized_out && self->minor1 && !bodiless;
    self->u.http.owed = self->sized_out ? *length : 0;
    self->keep_alive = self->keep_alive && (self->minor1 || bodiless || self->sized_out);
    if (self->sized_out) {
        return tusk__reply_length(server, *length);
    }
    return self->chunked_out
               ? tusk_buf_append_str(&server->scratch, "Transfer-Encoding: chunked\r\n")
               : TUSK_OK;
}

static tusk_err begin(tusk_server *server, tusk_handle session, int status, tusk_bytes fields,
                      const uint64_t *length)
{
    tusk_err err;
    tusk_session *self = answering(server, session, &err);
    if (self == NULL) {
        return err;
    }
    bool bodiless = status < 200 || status == 204 || status == 304;
    count_status(server, status);
    self->head_only = self->head_only || bodiless; /* what is written goes nowhere */
    err = tusk__reply_start(server, status);
    err = err != TUSK_OK ? err : tusk_buf_append(&server->scratch, fields.ptr, fields.len);
    err = err != TUSK_OK ? err : put_framing(self, bodiless, length);
    err = err != TUSK_OK ? err : tusk__reply_finish_head(self);
    err = err != TUSK_OK ? err : tusk__reply_queue(self);
    if (err != TUSK_OK) {
        tusk__session_abort(self, err);
        return err;
    }
    self->state = HTTP_STREAMING;
    tusk__session_deadline(self, tusk_loop_now_ms(server->loop) + server->limits.keep_alive_ms);
    return TUSK_OK;
}

tusk_err tusk_reply_begin(tusk_server *server, tusk_handle session, int status, tusk_bytes fields)
{
    return begin(server, session, status, fields, NULL);
}

tusk_err tusk_reply_begin_sized(tusk_server *server, tusk_handle session, int status,
                                tusk_bytes fields, uint64_t length)
{
    return begin(server, session, status, fields, &length);
}

/* NULL: nothing is owed, or nobody is there whom it could be given to. */
static tusk_session *streaming(const tusk_server *server, tusk_handle handle, tusk_err *err)
{
    tusk_session *self = tusk__session_find(server, handle);
    *err = self == NULL ? TUSK_ENOENT : TUSK_ESTATE;
    return self != NULL && self->kind == SESSION_HTTP && self->state == HTTP_STREAMING &&
                   tusk_conn_open(&self->conn)
               ? self
               : NULL;
}

bool tusk_reply_bodiless(const tusk_server *server, tusk_handle session)
{
    tusk_err err;
    const tusk_session *self = streaming(server, session, &err);
    return self != NULL && self->head_only;
}

tusk_err tusk_reply_write(tusk_server *server, tusk_handle session, tusk_bytes data)
{
    tusk_err err;
    tusk_session *self = streaming(server, session, &err);
    if (self == NULL) {
        return err;
    }
    if (data.len == 0 || self->head_only) {
        return TUSK_OK; /* an empty chunk would be the end */
    }
    if (self->sized_out && data.len > self->u.http.owed) {
        return TUSK_EINVAL;
    }
    if (self->conn.send_bytes > 0 &&
        self->conn.send_bytes + data.len > server->limits.queued_bytes / 4) {
        self->room_owed = true;
        tusk__session_owe_room(self);
        return TUSK_ELIMIT;
    }
    char head[20];
    size_t head_len = tusk_http_chunk_head(head, data.len);
    err = self->chunked_out ? tusk_conn_append(&self->conn, head, head_len) : TUSK_OK;
    err = err != TUSK_OK ? err : tusk_conn_append(&self->conn, data.ptr, data.len);
    if (err == TUSK_OK && self->chunked_out) {
        err = tusk_conn_append(&self->conn, "\r\n", 2);
    }
    if (err != TUSK_OK) {
        tusk__session_abort(self, err); /* half an answer is worse than none */
    } else if (self->sized_out) {
        self->u.http.owed -= data.len;
    }
    return err;
}

tusk_err tusk_reply_end(tusk_server *server, tusk_handle session)
{
    tusk_err err;
    tusk_session *self = streaming(server, session, &err);
    if (self == NULL) {
        return err;
    }
    err = TUSK_OK;
    if (self->chunked_out && !self->head_only) {
        err = tusk_conn_append(&self->conn, "0\r\n\r\n", 5);
    } else if (self->sized_out && !self->head_only && self->u.http.owed > 0) {
        err = TUSK_EINVAL;
    }
    if (err != TUSK_OK) {
        tusk__session_abort(self, err);
        return err;
    }
    tusk__http_answered(self);
    return TUSK_OK;
}
