/* SPDX-License-Identifier: MIT */
/* What an event stream's server says: its answer, and events out of the body. */
#include "client/answer.h"
#include "client/sse_client.h"

enum { INTERIM_MAX = 16 };

/* ---- the answer ---- */
static void refuse(tusk_sse_client *self, const tusk_http_head *head)
{
    bool transient =
        head->status == 429 || head->status == 502 || head->status == 503 || head->status == 504;
    if (head->status == 204) {
        tusk__sse_client_stop(self, TUSK_EEOF, 204, "the server ended the stream for good");
    } else if (head->status == 200) {
        tusk__sse_client_stop(self, TUSK_EPROTO, 200, "the answer is not an event stream");
    } else if (transient && self->options.retry_on_error_status) {
        tusk_failure failure = {
            .err = TUSK_EREFUSED, .status = head->status, .stage = "answer", .text = "not now"};
        tusk__sse_client_come_back(self, &failure, tusk__answer_retry_after_ms(head));
    } else {
        tusk__sse_client_stop(self, TUSK_EREFUSED, head->status, "the server refused");
    }
}

static bool read_head(tusk_sse_client *self)
{
    tusk_http_head *head = &self->base.client->head;
    tusk_conn *conn = &self->base.line->conn;
    ptrdiff_t used = tusk__answer_parse(head, conn, TUSK_HTTP_GET, &self->scanned);
    if (used == 0) {
        return false;
    }
    if (used < 0 || head->status == 101 || (head->status < 200 && ++self->interim > INTERIM_MAX)) {
        tusk_err err = used < 0 ? (tusk_err)used : TUSK_EPROTO;
        tusk__sse_client_stop(self, err, 0, tusk__answer_fault(err, "the answer is not HTTP"));
        return false;
    }
    if (head->status < 200) {
        tusk_conn_consume(conn, (size_t)used);
        return true;
    }
    if (tusk__answer_is_redirect(head)) {
        tusk__sse_client_redirect(self, head);
        return false;
    }
    if (head->status != 200 || !tusk__answer_is_event_stream(head)) {
        refuse(self, head);
        return false;
    }
    tusk_http_body_init(&self->body, head, UINT64_MAX, tusk__client_limits());
    tusk_conn_consume(conn, (size_t)used);
    self->state = STREAM_BODY;
    self->failures = 0;
    self->heard_ms = tusk_loop_now_ms(self->base.client->loop);
    tusk_timer_stop(self->base.client->loop, &self->base.timer);
    if (self->options.idle_ms > 0) {
        tusk_timer_start(self->base.client->loop, &self->base.timer, self->options.idle_ms);
    }
    if (self->handler->on_open != NULL) {
        self->handler->on_open(self->user, self);
    }
    return true;
}

/* ---- events ---- */
/* Returns what was not read, because of a pause or the end. */
static tusk_bytes read_events(tusk_sse_client *self, tusk_bytes data)
{
    while (data.len > 0 && !self->base.paused && self->state == STREAM_BODY) {
        tusk_sse_event event;
        bool got;
        ptrdiff_t used = tusk_sse_parse(&self->parser, data, &event, &got);
        if (used < 0) {
            tusk__sse_client_stop(self, (tusk_err)used, 0, "an event over the limits");
            break;
        }
        data.ptr += used;
        data.len -= (size_t)used;
        if (got) {
            self->handler->on_event(self->user, self, &event);
        }
    }
    return data;
}

static void read_pending(tusk_sse_client *self)
{
    tusk_bytes data = tusk_buf_view(&self->pending);
    tusk_bytes rest = read_events(self, data);
    tusk_buf_consume(&self->pending, data.len - rest.len);
    if (self->pending.len == 0) {
        tusk_buf_fini(&self->pending);
        tusk_buf_init(&self->pending, self->base.client->mem, SIZE_MAX);
    }
}

static bool read_body(tusk_sse_client *self)
{
    tusk_conn *conn = &self->base.line->conn;
    tusk_bytes data;
    if (tusk_http_body_done(&self->body)) {
        tusk__sse_client_lose(self, TUSK_EEOF, "stream", "the stream ended");
        return false;
    }
    ptrdiff_t used = tusk_http_body_decode(&self->body, tusk_conn_in(conn), &data);
    if (used < 0) {
        tusk__sse_client_lose(self, (tusk_err)used, "stream",
                              tusk__answer_fault((tusk_err)used, "the stream's chunks are broken"));
        return false;
    }
    tusk_bytes rest = read_events(self, data);
    if (self->state != STREAM_BODY || self->base.line == NULL) {
        return false;
    }
    if (rest.len > 0 && tusk_buf_append(&self->pending, rest.ptr, rest.len) != TUSK_OK) {
        tusk__sse_client_lose(self, TUSK_ENOMEM, "stream", "no memory for what waits");
        return false;
    }
    tusk_conn_consume(conn, (size_t)used);
    return used > 0;
}

void tusk__sse_client_read(tusk_sse_client *self)
{
    bool more = true;
    if (self->state == STREAM_BODY && self->pending.len > 0 && !self->base.paused) {
        read_pending(self);
    }
    while (more && !self->base.gone && !self->base.paused && self->base.line != NULL) {
        if (self->state == STREAM_HEAD) {
            more = read_head(self);
        } else {
            more = self->state == STREAM_BODY && read_body(self);
        }
    }
}
