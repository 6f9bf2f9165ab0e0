/* SPDX-License-Identifier: MIT */
/* After an upgrade: bytes both ways, each direction with its own end. */
#include "relay/http_inner.h"

#define FLUSH_AT ((size_t)16 * 1024)

void http_tunnel_cut(http_exchange *self, const char *end)
{
    http_client *client = self->client;
    client->state = CLIENT_DONE;
    http_exchange_end(self, end);
    http_client_cut(client, true);
}

/* True: all that `from` showed is queued at `to`. */
static bool pass(http_exchange *self, tusk_conn *from, tusk_conn *to, uint64_t *count)
{
    tusk_bytes in = tusk_conn_in(from);
    if (in.len == 0) {
        return true;
    }
    if (tusk_conn_append(to, in.ptr, in.len) != TUSK_OK) {
        http_tunnel_cut(self, "no memory");
        return false;
    }
    *count += in.len;
    tusk_conn_consume(from, in.len);
    if (to->send_bytes >= FLUSH_AT) {
        tusk_conn_flush(to);
    }
    http_client_deadline(self->client, self->http->options.tunnel_ms);
    return true;
}

bool http_tunnel_input(http_exchange *self)
{
    /* The client's own balance stops reading while the backend's queue is long. */
    (void)pass(self, &self->client->conn, &self->line->conn, &self->bytes_up);
    return false;
}

void http_tunnel_line_input(http_exchange *self)
{
    tusk_conn *client = &self->client->conn;
    tusk_conn *line = &self->line->conn;
    if (pass(self, line, client, &self->bytes_down) && tusk_conn_open(client) &&
        client->send_bytes > self->http->relay->limits.pending_bytes && !line->paused) {
        self->http->stats.paused_backend++;
        tusk_conn_pause(line);
    }
}

void http_tunnel_begin(http_exchange *self)
{
    http_client *client = self->client;
    self->http->stats.upgrades++;
    self->http->stats.tunnels++;
    self->state = EXCHANGE_TUNNEL;
    client->state = CLIENT_TUNNEL;
    http_client_deadline(client, self->http->options.tunnel_ms);
    http_client_go(client); /* what it sent behind its request */
    http_tunnel_line_input(self);
}

void http_tunnel_ended(http_exchange *self, bool client)
{
    http_client *own = self->client;
    tusk_conn *other = client ? &self->line->conn : &own->conn;
    bool both = client ? self->line->conn.eof_seen : own->ended;
    if (!both) {
        tusk_conn_shutdown(other); /* the other direction goes on */
        uint32_t patience = self->http->relay->limits.half_closed_ms;
        http_client_deadline(own, patience > 0 ? patience : self->http->options.tunnel_ms);
        return;
    }
    self->finishes = true;
    own->state = CLIENT_DONE;
    http_exchange_end(self, "done");
    http_client_finish(own);
}
