/* SPDX-License-Identifier: MIT */
/* Limits of messages and of bytes per second: two token buckets with one second of burst. */
#include "serve/rate.h"

#include "base/mem.h"

static void go_on(tusk_session *session)
{
    session->paused_rate = false;
    tusk__session_apply_pause(session);
}

static void on_due(tusk_timer *timer)
{
    go_on(TUSK_OWNER(timer, session_rate, timer)->session);
}

tusk_err tusk__rate_new(tusk_session *self)
{
    const tusk_server_limits *limits = &self->server->limits;
    if (limits->messages_per_second == 0 && limits->bytes_per_second == 0) {
        return TUSK_OK;
    }
    self->rate = tusk__new(self->server->mem, sizeof(*self->rate));
    if (self->rate == NULL) {
        return TUSK_ENOMEM;
    }
    self->rate->messages = limits->messages_per_second;
    self->rate->bytes = limits->bytes_per_second;
    self->rate->at_ms = tusk_loop_now_ms(self->server->loop);
    self->rate->timer.on_due = on_due;
    self->rate->session = self;
    return TUSK_OK;
}

void tusk__rate_over(tusk_session *self)
{
    if (self->paused_rate) {
        tusk_timer_stop(self->server->loop, &self->rate->timer);
        go_on(self);
    }
}

static double refill(double tokens, uint32_t per_second, double seconds)
{
    tokens += per_second * seconds;
    return tokens > per_second ? per_second : tokens;
}

void tusk__rate_spend(tusk_session *self, size_t bytes)
{
    session_rate *rate = self->rate;
    const tusk_server_limits *limits = &self->server->limits;
    uint64_t now = tusk_loop_now_ms(self->server->loop);
    double seconds = (double)(now - rate->at_ms) / 1000.0;
    rate->at_ms = now;
    rate->messages = refill(rate->messages, limits->messages_per_second, seconds) - 1;
    rate->bytes = refill(rate->bytes, limits->bytes_per_second, seconds) - (double)bytes;
    double wait = 0;
    if (limits->messages_per_second > 0 && rate->messages < 0) {
        wait = -rate->messages / limits->messages_per_second;
    }
    if (limits->bytes_per_second > 0 && rate->bytes < 0 &&
        -rate->bytes / limits->bytes_per_second > wait) {
        wait = -rate->bytes / limits->bytes_per_second;
    }
    if (wait > 0 && !self->paused_rate) {
        self->paused_rate = true;
        self->server->stats.rate_paused++;
        tusk_timer_start(self->server->loop, &rate->timer, (uint64_t)(wait * 1000.0) + 1);
        tusk__session_apply_pause(self);
    }
}
