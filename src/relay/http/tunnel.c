/* SPDX-License-Identifier: MIT */
/* After an upgrade: the two sockets are a pair of the relay's; where TLS is on one of them, the
 * connections are joined. */
#include <unistd.h>

#include "base/mem.h"
#include "net/socket.h"
#include "relay/http/inner.h"
#include "relay/move/pair.h"

void http_tunnel_cut(http_exchange *self, const char *end)
{
    http_client *client = self->client;
    client->state = CLIENT_DONE;
    self->resets = true;
    http_exchange_end(self, end);
    http_client_cut(client, true);
}

/* By a deadline: what is queued leaves, then both hear an end; where more was said, a reset. */
static void end_in_time(http_exchange *self, const char *end)
{
    http_client *client = self->client;
    if (relay_joined_owes(&self->joined)) {
        http_tunnel_cut(self, end);
        return;
    }
    self->finishes = true;
    client->state = CLIENT_DONE;
    tusk_conn_end(&self->line->conn); /* neither has more to say: nobody is waited for */
    http_exchange_end(self, end);
    tusk_conn_end(&client->conn);
    http_client_finish(client);
}

bool http_tunnel_lacks(const http_exchange *self)
{
    return relay_joined_owes(&self->joined) || relay_joined_queues(&self->joined);
}

static http_exchange *exchange_of(relay_joined *joined)
{
    return TUSK_OWNER(joined, http_exchange, joined);
}

static http_patience patience_of(const http_exchange *self)
{
    relay_http *http = self->http;
    return http_exchange_patience(self, http->options.tunnel_ms, &http->stats.tunnel_timeouts);
}

static bool is_half_closed(const http_exchange *self)
{
    return self->joined.eof[RELAY_CLIENT] || self->joined.eof[RELAY_BACKEND];
}

/* The shorter one, as of a pair. */
static http_patience silence_of(const http_exchange *self)
{
    tusk_relay *relay = self->http->relay;
    http_patience patience = patience_of(self);
    uint32_t half_ms = is_half_closed(self) ? relay->limits.half_closed_ms : 0;
    if (half_ms != 0 && (patience.ms == 0 || half_ms < patience.ms)) {
        patience = (http_patience){.ms = half_ms, .counter = &relay->stats.half_closed_timeouts};
    }
    return patience;
}

static void set_deadline(const http_exchange *self)
{
    http_client_deadline(self->client, http_client_until_old(self->client, silence_of(self).ms));
}

/* Bytes that move put off the end of the silence, but not that of a tunnel's age once it has come.
 */
static void put_off_deadline(const http_exchange *self)
{
    if (!http_client_is_old(self->client)) {
        set_deadline(self);
    }
}

/* Who is held up by a slow reader is silent, and that one is not: it takes what the kernel has. */
void http_tunnel_due(http_exchange *self)
{
    http_client *client = self->client;
    tusk_relay_stats *stats = &self->http->relay->stats;
    http_patience silence = silence_of(self);
    uint32_t taken_ms = relay_joined_taken_ms(&self->joined);
    if (http_client_is_old(client)) {
        stats->aged++;
        end_in_time(self, "age");
    } else if (taken_ms < silence.ms) {
        http_client_deadline(client, http_client_until_old(client, silence.ms - taken_ms));
    } else {
        (*silence.counter)++;
        end_in_time(self, silence.counter == &stats->half_closed_timeouts ? "half-closed" : "idle");
    }
}

static void on_moved(relay_joined *joined, int side, size_t len)
{
    http_exchange *self = exchange_of(joined);
    self->bytes[side] += len;
    put_off_deadline(self);
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
    put_off_deadline(exchange_of(joined));
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

static void join_connections(http_exchange *self)
{
    http_client *client = self->client;
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

/* ---- a pair of sockets ---- */
/* What stays of the exchange while its sockets are a pair. */
typedef struct http_tunnel {
    relay_origin origin; /* first */
    relay_http *http;
    http_pool *pool; /* in which it counts as the line did */
    size_t size;     /* of all of it, with the words of its record behind */
    uint8_t words[];
} http_tunnel;

static void tunnel_free(http_tunnel *self)
{
    tusk__free(self->http->relay->mem, self, self->size);
}

static void on_pair_over(relay_origin *origin)
{
    http_tunnel *self = (http_tunnel *)(void *)origin;
    http_pool *pool = self->pool;
    self->http->stats.tunnels--;
    self->http->stats.lines--;
    tunnel_free(self);
    pool->count--;
    http_pool_settle(pool);
}

static tusk_bytes keep_word(uint8_t **place, tusk_bytes word)
{
    tusk_bytes kept = tusk_bytes_of(*place, word.len);
    if (word.len > 0) {
        memcpy(*place, word.ptr, word.len);
        *place += word.len;
    }
    return kept;
}

static http_tunnel *tunnel_new(const http_exchange *self)
{
    const http_client *client = self->client;
    relay_http *http = self->http;
    char peer[TUSK_ADDR_TEXT_MAX];
    tusk_relay_record of = {.peer = tusk_bytes_str(http_peer_text(client, peer))};
    http_exchange_tell_request(self, &of);
    size_t size = sizeof(http_tunnel) + of.peer.len + of.method.len + of.host.len + of.path.len;
    http_tunnel *tunnel = tusk__resize(http->relay->mem, NULL, 0, size);
    if (tunnel == NULL) {
        return NULL;
    }
    uint8_t *place = tunnel->words;
    http_patience patience = patience_of(self);
    *tunnel = (http_tunnel){.http = http, .pool = self->line->pool, .size = size};
    tunnel->origin =
        (relay_origin){.peer = keep_word(&place, of.peer),
                       .method = keep_word(&place, of.method),
                       .host = keep_word(&place, of.host),
                       .path = keep_word(&place, of.path),
                       .began_ns = self->began_ns,
                       .paused = {&http->stats.paused_client, &http->stats.paused_backend},
                       .idle_timeouts = patience.counter,
                       .idle_ms = patience.ms,
                       .status = self->status,
                       .on_over = on_pair_over};
    return tunnel;
}

/* The bytes that go first from `side`: those the other one's connection had not sent yet, then
 * those that this one's had not passed on. */
static tusk_err hold_first(relay_pair *pair, int side, tusk_conn_taken taken[2])
{
    tusk_buf *unsent = &taken[1 - side].unsent;
    tusk_bytes unread = tusk_buf_view(&taken[side].unread);
    if (unsent->len == 0) {
        return relay_pair_hold(pair, side, unread);
    }
    tusk_err err = unread.len == 0 ? TUSK_OK : tusk_buf_append(unsent, unread.ptr, unread.len);
    return err == TUSK_OK ? relay_pair_hold(pair, side, tusk_buf_view(unsent)) : err;
}

/* The exchange's answer and numbers, its line's places at target and in the pool, are the pair's.
 */
static void move_to(http_exchange *self, relay_pair *pair)
{
    http_client *client = self->client;
    pair->answer = self->answer;
    pair->target = self->line->pool->target;
    pair->cached = self->cached;
    pair->resolve_us = self->resolve_us;
    pair->connect_us = self->connect_us;
    pair->first_us = self->first_us;
    self->answer = NULL;
    self->line->pool = NULL;
    self->line->exchange = NULL;
    self->line = NULL;
    client->state = CLIENT_DONE;
    relay_hold(self->http->relay); /* until the client's connection is let go */
    http_exchange_retire(self);
}

static relay_pair *make_pair(http_exchange *self, relay_origin *origin, tusk_conn_taken taken[2])
{
    const int fd[2] = {taken[0].fd, taken[1].fd};
    const size_t unread[2] = {taken[0].unread.len, taken[1].unread.len};
    return relay_pair_adopt(&self->client->session, fd, origin, unread);
}

static void put_away(tusk_conn_taken taken[2])
{
    for (int side = 0; side < 2; side++) {
        if (taken[side].fd >= 0) {
            tusk__socket_will_reset(taken[side].fd);
            (void)close(taken[side].fd);
        }
        tusk_conn_taken_fini(&taken[side]);
    }
}

/* False: nothing was changed. */
static bool hand_over(http_exchange *self)
{
    tusk_conn_taken taken[2] = {{.fd = -1}, {.fd = -1}};
    tusk_conn *client = &self->client->conn;
    if (client->filter != NULL || !tusk_conn_open(client)) {
        return false;
    }
    http_tunnel *tunnel = tunnel_new(self);
    if (tunnel == NULL) {
        return false;
    }
    if (tusk_conn_take(&self->line->conn, &taken[RELAY_BACKEND]) != TUSK_OK) {
        tunnel_free(tunnel);
        return false;
    }
    tusk_err err = tusk_conn_take(client, &taken[RELAY_CLIENT]);
    relay_pair *pair = err == TUSK_OK ? make_pair(self, &tunnel->origin, taken) : NULL;
    if (pair == NULL) { /* neither of them goes on */
        put_away(taken);
        tunnel_free(tunnel);
        http_tunnel_cut(self, err == TUSK_ESTATE ? "client reset" : "out of memory");
        return true;
    }
    move_to(self, pair);
    err = hold_first(pair, RELAY_CLIENT, taken);
    err = err == TUSK_OK ? hold_first(pair, RELAY_BACKEND, taken) : err;
    taken[RELAY_CLIENT].fd = taken[RELAY_BACKEND].fd = -1;
    put_away(taken);
    if (err == TUSK_OK) {
        relay_pair_join(pair);
    } else {
        relay_pair_close(pair, "out of memory", true);
    }
    return true;
}

void http_tunnel_begin(http_exchange *self)
{
    self->http->stats.upgrades++;
    self->http->stats.tunnels++;
    self->state = EXCHANGE_TUNNEL;
    self->client->state = CLIENT_TUNNEL;
    if (!hand_over(self)) {
        join_connections(self);
    }
}
