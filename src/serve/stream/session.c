/* SPDX-License-Identifier: MIT */
/* An event stream: an answer that never ends, with heartbeats; the little that a client may send on
 * is thrown away. */
#include "serve/stream/stream.h"

#include <tusk/sse.h>

#include "serve/pressure.h"

static void end_with(tusk_session *self, uint16_t code);

/* Nothing is to come before this answer's end, and there is none. What may have been on its way is
 * thrown away, a head's length at most (a request that was pipelined, a line's end too many);
 * whoever goes on would have us read for ever for nothing. */
static void on_data(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    self->u.http.scanned += conn->in_len;
    tusk_conn_consume(conn, conn->in_len);
    if (self->u.http.scanned > server->limits.http.head_max && self->state == WS_OPEN) {
        server->stats.protocol_errors++;
        end_with(self, TUSK_WS_CODE_POLICY_VIOLATION);
    }
}

static void on_eof(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    self->close_kind = TUSK_CLOSED_BY_PEER;
    self->close_code = TUSK_WS_CODE_GOING_AWAY;
    tusk__session_abort(self, TUSK_EEOF);
}

static void on_drain(tusk_conn *conn)
{
    tusk_session *self = tusk__session_of(conn);
    tusk_server *server = self->server;
    tusk__pressure_eased(server);
    tusk__hub_on_drain(&server->hub, self);
    if (self->drain_owed && server->handler->on_drain != NULL && !self->close_told) {
        self->drain_owed = false;
        server->handler->on_drain(server->user, tusk__session_handle(self), self->route->user);
    }
}

static const tusk_conn_ops stream_ops = {.on_data = on_data,
                                         .on_eof = on_eof,
                                         .on_drain = on_drain,
                                         .on_close = tusk__session_on_close,
                                         .on_released = tusk__session_on_released};

void tusk__stream_open(tusk_session *self)
{
    tusk_server *server = self->server;
    self->kind = SESSION_STREAM;
    self->state = WS_OPEN;
    self->last_out_ms = tusk__server_ms(server);
    self->u.http.scanned = 0; /* from here on what the client sent besides */
    server->stats.streams_open++;
    server->stats.streams_total++;
    tusk_conn_set_ops(&self->conn, &stream_ops);
    tusk__session_deadline(self,
                           server->limits.heartbeat_ms == 0
                               ? UINT64_MAX
                               : tusk_loop_now_ms(server->loop) + server->limits.heartbeat_ms);
}

/* Appends a block (already SSE, of which `payload` bytes are the event's own) in the session's
 * framing. */
static tusk_err write_block(tusk_session *self, tusk_bytes block, size_t payload)
{
    tusk_server *server = self->server;
    if (!tusk__session_takes(self, block.len, payload) ||
        !tusk__session_make_room(self, block.len)) {
        server->stats.sends_refused++;
        server->stats.overflow_closed++;
        tusk__stream_end(self);
        return TUSK_ELIMIT;
    }
    tusk_err err = TUSK_OK;
    if (self->minor1) {
        char head[20];
        err = tusk_conn_append(&self->conn, head, tusk_http_chunk_head(head, block.len));
        err = err != TUSK_OK ? err : tusk_conn_append(&self->conn, block.ptr, block.len);
        err = err != TUSK_OK ? err : tusk_conn_append(&self->conn, "\r\n", 2);
    } else {
        err = tusk_conn_append(&self->conn, block.ptr, block.len);
    }
    self->last_out_ms = tusk__server_ms(server);
    if (err != TUSK_OK) {
        tusk__session_abort(self, err);
    }
    return err;
}

void tusk__stream_on_due(tusk_session *self, uint64_t now)
{
    tusk_server *server = self->server;
    uint32_t silent = (uint32_t)now - self->last_out_ms;
    if (self->state != WS_OPEN && tusk_conn_takes(&self->conn, server->limits.close_ms)) {
        tusk__session_deadline(self, now + server->limits.close_ms); /* its end comes behind that */
        return;
    }
    if (self->state != WS_OPEN) {
        tusk__session_abort(self, TUSK_ETIMEOUT);
        return;
    }
    if (silent + 1 >= server->limits.heartbeat_ms) {
        if (self->conn.send_bytes == 0) { /* to one that does not read, heartbeats do not pile up */
            bool written = write_block(self, tusk_bytes_str(":\n\n"), 0) == TUSK_OK;
            server->stats.heartbeats += written;
        }
        silent = 0;
    }
    tusk__session_deadline(self, now + server->limits.heartbeat_ms - silent);
}

static void end_with(tusk_session *self, uint16_t code)
{
    tusk_server *server = self->server;
    if (self->state != WS_OPEN) {
        return;
    }
    self->state = WS_CLOSED;
    self->close_kind = TUSK_CLOSED_BY_US;
    self->close_code = code;
    if (self->minor1) {
        (void)tusk_conn_append(&self->conn, "0\r\n\r\n", 5);
    }
    tusk__session_deadline(self, tusk_loop_now_ms(server->loop) + server->limits.close_ms);
    tusk_conn_finish(&self->conn);
}

void tusk__stream_end(tusk_session *self)
{
    end_with(self, TUSK_WS_CODE_NORMAL);
}

/* ---- commands ---- */

/* What was published before leaves before; that may end the stream. */
static tusk_session *open_stream(tusk_server *server, tusk_handle handle, tusk_err *err)
{
    tusk_session *self = tusk__session_find(server, handle);
    if (self != NULL) {
        tusk__hub_settle_write(&server->hub, self);
        self = tusk__session_find(server, handle);
    }
    *err = self == NULL ? TUSK_ENOENT : TUSK_ESTATE;
    bool usable = self != NULL && self->kind == SESSION_STREAM && self->state == WS_OPEN;
    return usable && tusk_conn_open(&self->conn) ? self : NULL;
}

tusk_err tusk_stream_send(tusk_server *server, tusk_handle session, tusk_bytes type, tusk_bytes id,
                          bool has_id, tusk_bytes data)
{
    tusk_err err;
    tusk_session *self = open_stream(server, session, &err);
    if (self == NULL) {
        return err;
    }
    const tusk_sse_event event = {
        .type = type, .id = id, .data = data, .has_id = has_id, .has_data = true, .retry_ms = -1};
    tusk_buf_clear(&server->scratch);
    err = tusk_sse_encode(&server->scratch, &event);
    return err != TUSK_OK ? err : write_block(self, tusk_buf_view(&server->scratch), data.len);
}

tusk_err tusk_stream_comment(tusk_server *server, tusk_handle session, tusk_bytes text)
{
    tusk_err err;
    tusk_session *self = open_stream(server, session, &err);
    if (self == NULL) {
        return err;
    }
    tusk_buf_clear(&server->scratch);
    err = tusk_sse_comment(&server->scratch, text);
    return err != TUSK_OK ? err : write_block(self, tusk_buf_view(&server->scratch), text.len);
}

tusk_err tusk_stream_retry(tusk_server *server, tusk_handle session, uint32_t milliseconds)
{
    tusk_err err;
    tusk_session *self = open_stream(server, session, &err);
    if (self == NULL) {
        return err;
    }
    const tusk_sse_event event = {.retry_ms = milliseconds};
    tusk_buf_clear(&server->scratch);
    err = tusk_sse_encode(&server->scratch, &event);
    return err != TUSK_OK ? err : write_block(self, tusk_buf_view(&server->scratch), 0);
}

tusk_err tusk_stream_close(tusk_server *server, tusk_handle session)
{
    tusk_err err;
    tusk_session *self = tusk__session_find(server, session);
    if (self != NULL) {
        tusk__hub_settle_end(&server->hub, self);
    }
    self = open_stream(server, session, &err);
    if (self == NULL) {
        return err;
    }
    tusk__stream_end(self);
    return TUSK_OK;
}
