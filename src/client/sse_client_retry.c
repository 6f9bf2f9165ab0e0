/* SPDX-License-Identifier: MIT */
/* Where an event stream comes from: connects, follows redirects, comes back, or ends for good. */
#include "client/sse_client.h"

enum {
    RETRY_MS_LEAST = 10, /* whoever says less does not make us spin */
    REDIRECTS_MAX = 20,  /* as browsers */
    DOUBLINGS_MAX = 16
};

/* ---- the end ---- */
/* For good; the caller holds. */
static void stop(tusk_sse_client *self, const tusk_failure *failure)
{
    if (self->state == STREAM_CLOSED) {
        return;
    }
    self->state = STREAM_CLOSED;
    tusk__line_user_end(&self->base);
    self->handler->on_close(self->user, self, failure);
}

void tusk__sse_client_stop(tusk_sse_client *self, tusk_err err, uint16_t status, const char *text)
{
    tusk_failure failure = {
        .err = err, .status = status, .stage = status > 0 ? "answer" : "stream", .text = text};
    stop(self, &failure);
}

/* ---- coming back ---- */
/* A server whose streams end at once is not asked for another each millisecond because it says so:
 * the standard lets a client wait longer. */
static uint64_t base_delay(const tusk_sse_client *self)
{
    const tusk_sse_client_options *options = &self->options;
    if (self->parser.retry_ms < 0) {
        return options->retry_ms;
    }
    uint64_t said = (uint64_t)self->parser.retry_ms;
    return said > options->retry_ms_min ? said : options->retry_ms_min;
}

/* The server's time (or ours), doubled with each connect that failed, and up to a quarter more, so
 * that a restart does not bring all back at once. */
static uint32_t delay_of(tusk_sse_client *self)
{
    uint64_t delay = base_delay(self);
    uint64_t most = self->options.retry_ms_max > delay ? self->options.retry_ms_max : delay;
    unsigned doublings = self->failures > 1 ? self->failures - 1 : 0;
    delay = delay > RETRY_MS_LEAST ? delay : RETRY_MS_LEAST;
    delay <<= doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX;
    delay = delay < most ? delay : most;
    return (uint32_t)delay + tusk__client_jitter(self->base.client, (uint32_t)delay / 4 + 1);
}

void tusk__sse_client_come_back(tusk_sse_client *self, const tusk_failure *failure,
                                uint32_t delay_ms_min)
{
    bool was_open = self->state == STREAM_BODY;
    tusk__line_user_drop(&self->base);
    self->failures = was_open ? 0 : self->failures + 1;
    self->state = STREAM_WAITING;
    self->redirects = 0;
    tusk_buf_clear(&self->pending);
    tusk_sse_parser_reset(&self->parser);
    uint32_t delay = delay_of(self);
    delay = delay < delay_ms_min ? delay_ms_min : delay;
    tusk_timer_start(self->base.client->loop, &self->base.timer, delay);
    if (self->handler->on_retry != NULL) {
        self->handler->on_retry(self->user, self, failure, delay);
    }
}

void tusk__sse_client_lose(tusk_sse_client *self, tusk_err err, const char *stage, const char *text)
{
    tusk_failure failure = {.err = err, .stage = stage, .text = text};
    tusk__sse_client_come_back(self, &failure, 0);
}

/* ---- connecting ---- */
static tusk_err connect_to_target(tusk_sse_client *self)
{
    self->state = STREAM_CONNECTING;
    tusk_err err = tusk__line_user_open(&self->base);
    if (err == TUSK_OK) {
        tusk_timer_start(self->base.client->loop, &self->base.timer, self->options.answer_ms);
    }
    return err;
}

static tusk_err copy_target(tusk_sse_client *self)
{
    tusk_client_target source = {
        .url = tusk_bytes_of(tusk_buf_view(&self->first.text).ptr, self->first.url_len),
        .fields = self->first.fields,
        .tls = self->first.tls,
    };
    tusk__target_fini(&self->base.target);
    return tusk__target_init(&self->base.target, self->base.client->mem, &source, false);
}

tusk_err tusk__sse_client_connect(tusk_sse_client *self)
{
    tusk_err err = copy_target(self);
    return err == TUSK_OK ? connect_to_target(self) : err;
}

void tusk__sse_client_try_again(tusk_sse_client *self)
{
    tusk_err err = tusk__sse_client_connect(self);
    if (err != TUSK_OK) {
        tusk__sse_client_lose(self, err, "connect", tusk_err_text(err));
    }
}

void tusk__sse_client_redirect(tusk_sse_client *self, const tusk_http_head *head)
{
    const tusk_http_field *location = tusk_http_find(head, "Location");
    tusk_err err = ++self->redirects > REDIRECTS_MAX || location == NULL
                       ? TUSK_EPROTO
                       : tusk__target_redirect(&self->base.target, location->value);
    if (err != TUSK_OK) {
        tusk__sse_client_stop(self, err, head->status, "a redirect that leads nowhere");
        return;
    }
    tusk__line_user_drop(&self->base);
    err = connect_to_target(self);
    if (err != TUSK_OK) {
        tusk__sse_client_lose(self, err, "connect", tusk_err_text(err));
    }
}
