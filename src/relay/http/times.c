/* SPDX-License-Identifier: MIT */
/* How long an exchange waits for each of its steps, and what it does when that was too long. */
#include "relay/http/inner.h"

http_patience http_exchange_patience(const http_exchange *self, uint32_t own_ms,
                                     uint64_t *own_counter)
{
    tusk_relay *relay = self->http->relay;
    uint32_t routes = self->answer->route.idle_ms;
    uint32_t all = routes != 0 ? routes : relay->limits.idle_ms;
    if (all == 0 || (routes == 0 && own_ms != 0 && own_ms <= all)) {
        return (http_patience){.ms = own_ms, .counter = own_counter};
    }
    return (http_patience){.ms = all == UINT32_MAX ? 0 : all,
                           .counter = &relay->stats.idle_timeouts};
}

static http_patience patience_in_body(const http_exchange *self)
{
    relay_http *http = self->http;
    return http_exchange_patience(self, http->options.idle_ms, &http->stats.idle_timeouts);
}

void http_exchange_body_moved(http_exchange *self)
{
    http_client_deadline(self->client, patience_in_body(self).ms);
}

/* For the answer's head. */
static http_patience patience_in_head(const http_exchange *self)
{
    relay_http *http = self->http;
    uint32_t first_ms = http->relay->limits.backend_first_ms;
    if (first_ms != 0 && first_ms < http->options.answer_ms) {
        return (http_patience){.ms = first_ms,
                               .counter = &http->relay->stats.backend_first_timeouts};
    }
    return (http_patience){.ms = http->options.answer_ms, .counter = &http->stats.answer_timeouts};
}

void http_exchange_await_answer(http_exchange *self)
{
    http_client_deadline(self->client, patience_in_head(self).ms);
}

static void due_in_head(http_exchange *self)
{
    relay_http *http = self->http;
    bool clients = !self->up.done && !self->client->conn.paused;
    if (clients) {
        http->stats.body_timeouts++;
        self->client->keep_alive = false;
        http_refuse_late(self, 408, "the request's body did not arrive in time");
    } else if (self->client->fin_due) {
        http->stats.client_fin_timeouts++;
        http_refuse_late(self, 504, "the client ended its side, and the backend says nothing");
    } else {
        (*patience_in_head(self).counter)++;
        relay_target_count(self->line->pool->target, METER_ANSWER_TIMEOUTS);
        http_refuse_late(self, 504, "the backend did not answer in time");
    }
}

static void due_in_body(http_exchange *self)
{
    http_client *client = self->client;
    relay_http *http = self->http;
    if (http_client_takes(client, patience_in_body(self).ms)) {
        http_exchange_body_moved(self);
        return;
    }
    bool fin = client->fin_due;
    (*(fin ? &http->stats.client_fin_timeouts : patience_in_body(self).counter))++;
    client->state = CLIENT_DONE;
    http_exchange_end(self, fin ? "client half-closed" : "idle");
    http_client_cut(client, true);
}

void http_exchange_due(http_exchange *self)
{
    relay_http *http = self->http;
    switch ((http_exchange_state)self->state) {
    case EXCHANGE_WAIT:
        http->stats.pool_wait_timeouts++;
        http_refuse_late(self, 503, "the backend is busy");
        break;
    case EXCHANGE_DIAL: /* with TLS; before that the dial has a time of its own */
        relay_dial_count_timeout(self->line->pool->target);
        http_exchange_line_refused(self, TUSK_ETIMEOUT);
        break;
    case EXCHANGE_HEAD: due_in_head(self); break;
    case EXCHANGE_BODY: due_in_body(self); break;
    case EXCHANGE_TUNNEL: http_tunnel_due(self); break;
    case EXCHANGE_ROUTE:
    case EXCHANGE_ROUTED:
    case EXCHANGE_OVER: break;
    }
}
