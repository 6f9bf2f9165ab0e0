/* SPDX-License-Identifier: MIT */
/* Bodies passed on: decoded strictly, framed anew, trailers at the end. */
#include "relay/http/flow.h"

/* Longer pieces are queued in parts of this size, which the queue has pooled segments for. */
#define PART_BYTES ((size_t)24 * 1024)

void http_flow_init(http_flow *self, const tusk_mem *mem, const tusk_http_head *head,
                    http_framing framing, uint64_t max, const tusk_http_limits *limits)
{
    tusk_http_body_init(&self->body, head, max, limits);
    tusk_buf_init(&self->trailers, mem, limits->trailers_max);
    self->framing = framing;
    self->trailers_end = framing != HTTP_BODY_CHUNKED || http_names_own_fields(head);
    self->done = false;
}

void http_flow_fini(http_flow *self)
{
    tusk_buf_fini(&self->trailers);
}

static tusk_err append(tusk_conn *to, tusk_bytes data)
{
    tusk_err err = TUSK_OK;
    while (err == TUSK_OK && data.len > PART_BYTES) {
        err = tusk_conn_append(to, data.ptr, PART_BYTES);
        data = tusk_bytes_of(data.ptr + PART_BYTES, data.len - PART_BYTES);
    }
    return err == TUSK_OK ? tusk_conn_append(to, data.ptr, data.len) : err;
}

static tusk_err pass(http_flow *self, tusk_conn *to, tusk_bytes data)
{
    char head[20];
    if (data.len == 0 || self->framing == HTTP_BODY_NONE) {
        return TUSK_OK;
    }
    if (self->framing != HTTP_BODY_CHUNKED) {
        return append(to, data);
    }
    size_t len = tusk_http_chunk_head(head, data.len);
    tusk_err err = tusk_conn_append(to, head, len);
    err = err != TUSK_OK ? err : append(to, data);
    return err != TUSK_OK ? err : tusk_conn_append(to, "\r\n", 2);
}

static tusk_err pass_end(http_flow *self, tusk_conn *to)
{
    self->done = true;
    if (self->framing != HTTP_BODY_CHUNKED) {
        return TUSK_OK;
    }
    if (self->trailers.len == 0) {
        return tusk_conn_append(to, "0\r\n\r\n", 5);
    }
    tusk_buf fit;
    tusk_buf_init(&fit, self->trailers.mem, self->trailers.len + 16);
    tusk_err err = tusk_buf_append(&fit, "0\r\n", 3);
    err = err != TUSK_OK ? err : http_trailers_write(&fit, tusk_buf_view(&self->trailers));
    err = err != TUSK_OK ? err : tusk_buf_append(&fit, "\r\n", 2);
    tusk_bytes view = tusk_buf_view(&fit);
    err = err != TUSK_OK ? err : tusk_conn_append(to, view.ptr, view.len);
    tusk_buf_fini(&fit);
    return err;
}

/* An empty section is its empty line, which is no trailer. */
static tusk_err keep_trailers(http_flow *self, tusk_bytes trailers)
{
    bool none = self->trailers.len == 0 &&
                (trailers.len == 0 || trailers.ptr[0] == '\r' || trailers.ptr[0] == '\n');
    if (none || self->trailers_end) {
        return TUSK_OK;
    }
    return tusk_buf_append(&self->trailers, trailers.ptr, trailers.len);
}

tusk_err http_flow_move(http_flow *self, tusk_conn *from, tusk_conn *to)
{
    while (!self->done) {
        tusk_bytes data;
        tusk_bytes trailers;
        if (tusk_http_body_done(&self->body)) {
            return pass_end(self, to);
        }
        ptrdiff_t used =
            tusk_http_body_decode_all(&self->body, tusk_conn_in(from), &data, &trailers);
        if (used <= 0) {
            return (tusk_err)used;
        }
        tusk_err err = pass(self, to, data);
        err = err != TUSK_OK ? err : keep_trailers(self, trailers);
        if (err != TUSK_OK) {
            return err;
        }
        tusk_conn_consume(from, (size_t)used);
    }
    return TUSK_OK;
}

tusk_err http_flow_end(http_flow *self, tusk_conn *to)
{
    if (self->done) {
        return TUSK_OK;
    }
    return tusk_http_body_end(&self->body) ? pass_end(self, to) : TUSK_EEOF;
}
