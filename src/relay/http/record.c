/* SPDX-License-Identifier: MIT */
/* The record of an exchange: what the request was, and what became of it. */
#include <stdio.h>

#include "relay/http/inner.h"

/* Method, path and Host stand in what was made for the backend, in this order. */
void http_exchange_tell_request(const http_exchange *self, tusk_relay_record *record)
{
    static const char before_host[] = " HTTP/1.1\r\nHost: ";
    tusk_bytes text = tusk_buf_view(&self->head);
    const uint8_t *space = text.len == 0 ? NULL : memchr(text.ptr, ' ', text.len);
    if (space == NULL) {
        return;
    }
    const uint8_t *end = text.ptr + text.len;
    const uint8_t *path = space + 1;
    const uint8_t *after = memchr(path, ' ', (size_t)(end - path));
    const uint8_t *query = after == NULL ? NULL : memchr(path, '?', (size_t)(after - path));
    if (after == NULL || (size_t)(end - after) < sizeof(before_host)) {
        return;
    }
    const uint8_t *host = after + sizeof(before_host) - 1;
    const uint8_t *cr = memchr(host, '\r', (size_t)(end - host));
    record->method = tusk_bytes_of(text.ptr, (size_t)(space - text.ptr));
    record->path = tusk_bytes_of(path, (size_t)((query != NULL ? query : after) - path));
    record->host = tusk_bytes_of(host, cr == NULL ? 0 : (size_t)(cr - host));
}

const char *http_peer_text(const http_client *client, char text[TUSK_ADDR_TEXT_MAX])
{
    if (client->family == 0) {
        return "unix";
    }
    (void)snprintf(text, TUSK_ADDR_TEXT_MAX, client->family == 6 ? "[%s]:%u" : "%s:%u",
                   client->peer, (unsigned)client->peer_port);
    return text;
}

static void untold(const http_exchange *self, uint64_t bytes[2])
{
    const http_flow *flow[] = {&self->up, &self->down};
    for (int side = 0; side < 2; side++) {
        bytes[side] = flow[side]->body.total + self->bytes[side] - self->told[side];
    }
}

void http_exchange_account_so_far(http_exchange *self)
{
    tusk_relay_stats *stats = &self->http->relay->stats;
    uint64_t new[2];
    if (self->line == NULL || !self->routed) {
        return;
    }
    untold(self, new);
    self->told[RELAY_CLIENT] += new[RELAY_CLIENT];
    self->told[RELAY_BACKEND] += new[RELAY_BACKEND];
    stats->bytes_up += new[RELAY_CLIENT];
    stats->bytes_down += new[RELAY_BACKEND];
    relay_account_add(self->line->pool->target, self->answer, new[RELAY_CLIENT],
                      new[RELAY_BACKEND]);
}

void http_exchange_account(const http_exchange *self)
{
    uint64_t rest[2];
    untold(self, rest);
    tusk_relay_stats *stats = &self->http->relay->stats;
    const relay_account account = {.target = self->line == NULL ? NULL : self->line->pool->target,
                                   .answer = self->routed ? self->answer : NULL,
                                   .bytes_up = rest[RELAY_CLIENT],
                                   .bytes_down = rest[RELAY_BACKEND],
                                   .first_us = self->first_us,
                                   .status = self->status,
                                   .answered = self->answered};
    stats->bytes_up += account.bytes_up;
    stats->bytes_down += account.bytes_down;
    relay_account_close(&account);
}

void http_exchange_tell(const http_exchange *self, const char *end)
{
    const http_client *client = self->client;
    tusk_relay *relay = self->http->relay;
    const http_line *line = self->line;
    if (!relay_record_wanted(relay)) {
        return;
    }
    char peer[TUSK_ADDR_TEXT_MAX];
    tusk_relay_record record = {.peer = tusk_bytes_str(http_peer_text(client, peer)),
                                .engine = TUSK_ENGINE_COPY,
                                .resolve_us = self->resolve_us,
                                .connect_us = self->connect_us,
                                .first_byte_us = self->first_us,
                                .bytes_up = self->up.body.total + self->bytes[RELAY_CLIENT],
                                .bytes_down = self->down.body.total + self->bytes[RELAY_BACKEND],
                                .status = self->status,
                                .end = end,
                                .cached = self->cached,
                                .reason = self->reason};
    if (line != NULL) {
        record.target = relay_target_text(line->pool->target);
    } else if (self->answer != NULL && self->dial.last != 0) {
        record.target = relay_target_text(self->answer->choices[self->dial.last - 1].target);
    }
    http_exchange_tell_request(self, &record);
    if (self->answer != NULL) {
        record.metadata = self->answer->route.metadata;
        record.route = self->answer->route.name;
    }
    const relay_session session = {.door = client->session.door, .began_ns = self->began_ns};
    relay_record_tell(&session, &record);
}
