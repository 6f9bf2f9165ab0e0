/* SPDX-License-Identifier: MIT */
/* Answers that leave piece by piece, as long as their client takes them. */
#include "serve/http/http.h"
#include "serve/pressure.h"

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
    tusk_session *self = tusk__reply_owed(server, session, &err);
    if (self == NULL) {
        return err;
    }
    static const uint64_t nothing = 0;
    tusk_http_content content = tusk_http_content_of(status);
    bool bodiless = content == TUSK_HTTP_CONTENT_NONE;
    tusk__reply_count(server, status);
    /* What is written goes nowhere. */
    self->head_only = self->head_only || content != TUSK_HTTP_CONTENT;
    length = content == TUSK_HTTP_CONTENT_EMPTY ? &nothing : length;
    err = tusk__reply_start(server, status);
    err = err != TUSK_OK ? err : tusk_buf_append(&server->scratch, fields.ptr, fields.len);
    if (err == TUSK_OK && status != 200) {
        err = tusk__reply_owed_field(self, status, fields);
    }
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

/* A producer can wait. */
static bool has_room(const tusk_session *self, size_t len)
{
    size_t queued = self->conn.send_bytes;
    return queued == 0 || (queued + len <= self->server->limits.queued_bytes / 4 &&
                           tusk__pressure_lets(self, len));
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
    if (!has_room(self, data.len)) {
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
        tusk__session_abort(self, err);               /* half an answer is worse than none */
        err = err == TUSK_ELIMIT ? TUSK_ESTATE : err; /* no room will be told of */
    } else if (self->sized_out) {
        self->u.http.owed -= data.len;
    }
    return err;
}

void tusk__http_break_off(tusk_session *self, tusk_err why)
{
    tusk_conn_flush(&self->conn);
    tusk__session_abort(self, why);
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
        tusk__http_break_off(self, err);
        return err;
    }
    tusk__http_answered(self);
    return TUSK_OK;
}
