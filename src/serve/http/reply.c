/* SPDX-License-Identifier: MIT */
/* Answers that are whole, and the head of every answer: always with our own framing fields. */
#include "serve/http/http.h"

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

tusk_session *tusk__reply_owed(tusk_server *server, tusk_handle handle, tusk_err *err)
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
    tusk_session *self = tusk__reply_owed(server, session, &err);
    if (self == NULL) {
        return err;
    }
    if (TUSK_LIKELY(status == 200) && reply_in_place(self, fields, body)) {
        tusk__http_answered(self);
        return TUSK_OK;
    }
    tusk_http_content content = tusk_http_content_of(status);
    bool bodiless = content == TUSK_HTTP_CONTENT_NONE;
    body = content == TUSK_HTTP_CONTENT ? body : tusk_bytes_of(NULL, 0);
    bool silent = bodiless || self->head_only || body.len == 0;
    bool copied = body.len <= COPY_MAX || blob == NULL;
    tusk__reply_count(server, status);
    err = tusk__reply_start(server, status);
    if (err == TUSK_OK && !bodiless) {
        err = tusk__reply_length(server, body.len);
    }
    err = err != TUSK_OK ? err : tusk_buf_append(&server->scratch, fields.ptr, fields.len);
    err = err != TUSK_OK ? err : tusk__reply_owed_field(self, status, fields);
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
