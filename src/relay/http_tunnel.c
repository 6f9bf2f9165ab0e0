/* SPDX-License-Identifier: MIT */
/* After an upgrade: the client's and the backend's connections are joined. */
#include "relay/http_inner.h"

void http_tunnel_cut(http_exchange *self, const char *end)
{
    http_client *client = self->client;
    client->state = CLIENT_DONE;
    http_exchange_end(self, end);
    http_client_cut(client, true);
}

static http_exchange *exchange_of(relay_joined *joined)
{
    return TUSK_OWNER(joined, http_exchange, joined);
}

static void set_deadline(const http_exchange *self)
{
    uint32_t patience = self->http->relay->limits.half_closed_ms;
    bool half = self->joined.eof[RELAY_CLIENT] || self->joined.eof[RELAY_BACKEND];
    http_client_deadline(self->client,
                         half && patience > 0 ? patience : self->http->options.tunnel_ms);
}

static void on_moved(relay_joined *joined, int side, size_t len)
{
    http_exchange *self = exchange_of(joined);
    self->bytes[side] += len;
    set_deadline(self);
}

static void on_paused(relay_joined *joined, int side)
{
    tusk_relay_http_stats *stats = &exchange_of(joined)->http->stats;
    stats->paused_client += side == RELAY_CLIENT ? 1 : 0;
    stats->paused_backend += side == RELAY_BACKEND ? 1 : 0;
}

static void on_half(relay_joined *joined, int side)
{
    (void)side;
    set_deadline(exchange_of(joined));
}

static void on_over(relay_joined *joined, const char *end, bool reset)
{
    http_exchange *self = exchange_of(joined);
    http_client *client = self->client;
    if (reset) {
        http_tunnel_cut(self, end);
        return;
    }
    self->finishes = true;
    client->state = CLIENT_DONE;
    http_exchange_end(self, end);
    http_client_finish(client);
}

static const relay_joined_ops joined_ops = {
    .on_moved = on_moved, .on_paused = on_paused, .on_half = on_half, .on_over = on_over};

void http_tunnel_begin(http_exchange *self)
{
    http_client *client = self->client;
    self->http->stats.upgrades++;
    self->http->stats.tunnels++;
    self->state = EXCHANGE_TUNNEL;
    client->state = CLIENT_TUNNEL;
    relay_joined_init(&self->joined, &client->conn, &self->line->conn,
                      self->http->relay->limits.pending_bytes, &joined_ops);
    set_deadline(self);
    relay_joined_data(&self->joined, RELAY_CLIENT); /* what it sent behind its request */
    if (self->state == EXCHANGE_TUNNEL) {
        relay_joined_data(&self->joined, RELAY_BACKEND);
    }
    if (self->state != EXCHANGE_TUNNEL) {
        return;
    }
    if (client->ended) {
        relay_joined_eof(&self->joined, RELAY_CLIENT);
    } else {
        http_client_go(client);
    }
}
