/* SPDX-License-Identifier: MIT */
/* An event stream's client: its life, its request, its deadlines. */
#include <tusk/client.h>

#include "base/mem.h"
#include "client/sse_client.h"

enum {
    RETRY_MS = 3000,
    RETRY_MS_MIN = 500,
    RETRY_MS_MAX = 60000,
    ANSWER_MS = 15000,
    LINE_MAX = 1024 * 1024,
    DATA_MAX = 16 * 1024 * 1024,
    HEAD_MAX = 80 * 1024
};

/* ---- life ---- */
static void destroy(tusk__line_user *base)
{
    tusk_sse_client *self = TUSK_OWNER(base, tusk_sse_client, base);
    tusk_client *client = self->base.client;
    tusk_task_cancel(&self->close_task);
    tusk__target_fini(&self->first);
    tusk_sse_parser_fini(&self->parser);
    tusk_buf_fini(&self->pending);
    tusk__line_user_fini(&self->base);
    tusk__free(client->mem, self, sizeof(*self));
}

/* ---- connecting ---- */
static tusk_err write_request(tusk_sse_client *self, tusk_buf *out)
{
    tusk_bytes last_id = tusk_sse_last_id(&self->parser);
    tusk_err err = tusk__target_head(&self->base.target, out, tusk_bytes_str("GET"));
    if (err == TUSK_OK) {
        err = tusk_buf_append_str(out, "Accept: text/event-stream\r\nCache-Control: no-cache\r\n");
    }
    /* An id that no field can carry is not sent; the server then begins where it likes. */
    if (err == TUSK_OK && last_id.len > 0 && tusk_http_value_valid(last_id)) {
        err = tusk_http_field_append(out, tusk_bytes_str("Last-Event-ID"), last_id);
    }
    return err == TUSK_OK ? tusk_buf_append_str(out, "\r\n") : err;
}

static void on_ready(tusk__line_user *base)
{
    tusk_sse_client *self = TUSK_OWNER(base, tusk_sse_client, base);
    tusk_buf request;
    tusk_buf_init(&request, self->base.client->mem, HEAD_MAX);
    tusk_err err = write_request(self, &request);
    if (err == TUSK_OK) {
        tusk_bytes bytes = tusk_buf_view(&request);
        err = tusk_conn_append(&base->line->conn, bytes.ptr, bytes.len);
    }
    tusk_buf_fini(&request);
    self->state = STREAM_HEAD;
    self->scanned = 0;
    self->interim = 0;
    if (err == TUSK_ETOOBIG) {
        tusk__sse_client_stop(self, err, 0, "the last event id does not fit in a request");
    } else if (err != TUSK_OK) {
        tusk__sse_client_lose(self, err, "send", tusk_err_text(err));
    }
}

/* ---- the line's callbacks ---- */
static void on_data(tusk__line_user *base)
{
    tusk_sse_client *self = TUSK_OWNER(base, tusk_sse_client, base);
    self->heard_ms = tusk_loop_now_ms(self->base.client->loop);
    tusk__sse_client_read(self);
}

static void on_eof(tusk__line_user *base)
{
    tusk_sse_client *self = TUSK_OWNER(base, tusk_sse_client, base);
    tusk__sse_client_lose(self, TUSK_EEOF, "stream", "the stream ended");
}

static void on_lost(tusk__line_user *base, const tusk_failure *failure)
{
    tusk_sse_client *self = TUSK_OWNER(base, tusk_sse_client, base);
    tusk__sse_client_come_back(self, failure, 0);
}

static void on_idle(tusk_sse_client *self)
{
    tusk_loop *loop = self->base.client->loop;
    uint64_t quiet = self->base.paused ? 0 : tusk_loop_now_ms(loop) - self->heard_ms;
    if (quiet < self->options.idle_ms) {
        tusk_timer_start(loop, &self->base.timer, self->options.idle_ms - quiet);
    } else {
        tusk__sse_client_lose(self, TUSK_ETIMEOUT, "stream", "nothing came for too long");
    }
}

static void on_due(tusk__line_user *base)
{
    tusk_sse_client *self = TUSK_OWNER(base, tusk_sse_client, base);
    switch (self->state) {
    case STREAM_WAITING: tusk__sse_client_try_again(self); break;
    case STREAM_CONNECTING:
        tusk__sse_client_lose(self, TUSK_ETIMEOUT, tusk__line_user_stage(base),
                              "no connection in time");
        break;
    case STREAM_HEAD:
        tusk__sse_client_lose(self, TUSK_ETIMEOUT, "answer", "no answer in time");
        break;
    case STREAM_BODY: on_idle(self); break;
    case STREAM_CLOSED: break;
    }
}

static void abort_handle(tusk__client_handle *handle)
{
    tusk_sse_client_abort(TUSK_OWNER(handle, tusk_sse_client, base.handle));
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
static void close_late(tusk_task *task)
{
    tusk_sse_client *self = TUSK_OWNER(task, tusk_sse_client, close_task);
    tusk__line_user_enter(&self->base);
    tusk__sse_client_stop(self, TUSK_OK, 0, "closed");
    tusk__line_user_leave(&self->base);
}

static void take_options(tusk_sse_client *self, const tusk_sse_client_options *options)
{
    self->options = *options;
    self->options.target = (tusk_client_target){.tls = NULL};
    self->options.last_event_id = (tusk_bytes){.ptr = NULL, .len = 0};
    self->options.retry_ms = options->retry_ms > 0 ? options->retry_ms : RETRY_MS;
    self->options.retry_ms_min = options->retry_ms_min > 0 ? options->retry_ms_min : RETRY_MS_MIN;
    self->options.retry_ms_max = options->retry_ms_max > 0 ? options->retry_ms_max : RETRY_MS_MAX;
    self->options.answer_ms = options->answer_ms > 0 ? options->answer_ms : ANSWER_MS;
    self->options.line_max = options->line_max > 0 ? options->line_max : LINE_MAX;
    self->options.data_max = options->data_max > 0 ? options->data_max : DATA_MAX;
}

tusk_err tusk_sse_client_open(tusk_sse_client **out, tusk_client *client,
                              const tusk_sse_client_options *options,
                              const tusk_sse_client_handler *handler, void *user)
{
    *out = NULL;
    if (handler->on_event == NULL || handler->on_close == NULL ||
        !tusk_http_value_valid(options->last_event_id)) {
        return TUSK_EINVAL;
    }
    tusk_sse_client *self = tusk__new(client->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    tusk__line_user_init(&self->base, client, &line_ops);
    self->handler = handler;
    self->user = user;
    self->close_task.run = close_late;
    take_options(self, options);
    tusk_sse_parser_init(&self->parser, client->mem, self->options.line_max,
                         self->options.data_max);
    tusk_buf_init(&self->pending, client->mem, SIZE_MAX);
    tusk_err err = tusk__target_init(&self->first, client->mem, &options->target, false);
    if (err == TUSK_OK) {
        err = tusk_buf_append(&self->parser.last_id, options->last_event_id.ptr,
                              options->last_event_id.len);
    }
    if (err == TUSK_OK) {
        err = tusk__sse_client_connect(self);
    }
    if (err != TUSK_OK) {
        destroy(&self->base);
        return err == TUSK_ETOOBIG ? TUSK_EINVAL : err;
    }
    tusk__list_push(&client->handles, &self->base.handle.link);
    *out = self;
    return TUSK_OK;
}

void tusk_sse_client_close(tusk_sse_client *self)
{
    if (!self->base.gone) {
        self->closing = true;
        self->base.paused = true; /* no event comes any more */
        tusk_task_defer(self->base.client->loop, &self->close_task);
    }
}

void tusk_sse_client_abort(tusk_sse_client *self)
{
    if (self->base.gone) {
        return; /* inside on_close */
    }
    self->state = STREAM_CLOSED;
    tusk__line_user_abandon(&self->base);
}

tusk_sse_state tusk_sse_client_state(const tusk_sse_client *self)
{
    switch (self->state) {
    case STREAM_WAITING:
    case STREAM_CONNECTING:
    case STREAM_HEAD: return TUSK_SSE_CONNECTING;
    case STREAM_BODY: return TUSK_SSE_OPEN;
    case STREAM_CLOSED: return TUSK_SSE_CLOSED;
    }
    return TUSK_SSE_CLOSED;
}

tusk_bytes tusk_sse_client_last_id(const tusk_sse_client *self)
{
    return tusk_sse_last_id(&self->parser);
}

void tusk_sse_client_pause(tusk_sse_client *self)
{
    tusk__line_user_pause(&self->base);
}

void tusk_sse_client_resume(tusk_sse_client *self)
{
    if (self->base.paused && !self->closing) {
        self->heard_ms = tusk_loop_now_ms(self->base.client->loop);
        tusk__line_user_resume(&self->base, true); /* decoded events may wait */
    }
}
