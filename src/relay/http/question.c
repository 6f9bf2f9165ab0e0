/* SPDX-License-Identifier: MIT */
/* What a resolver is asked about a request, and what becomes of its answer. */
#include <stdio.h>

#include "net/tls.h"
#include "relay/http/inner.h"

typedef struct words {
    char port[8];
    char destination[TUSK_ADDR_TEXT_MAX];
    uint8_t host[TUSK_ADDR_TEXT_MAX * 2];
    uint8_t name[RELAY_SERVER_NAME_MAX];
    uint8_t fingerprint[RELAY_FINGERPRINT_LEN];
} words;

static void fill_destination(const http_client *client, tusk_relay_lookup *lookup, words *text)
{
    tusk_addr to = http_client_destination(client);
    if (to.len > 0) {
        lookup->field[TUSK_LOOKUP_DESTINATION] =
            tusk_bytes_str(tusk_addr_text(&to, text->destination));
    }
}

/* Only what somebody will read is made into text. */
static void fill_lookup(const http_client *client, const tusk_http_head *head,
                        tusk_relay_lookup *lookup, uint32_t fields, words *text)
{
    tusk_bytes *field = lookup->field;
    lookup->secure = client->secure;
    field[TUSK_LOOKUP_LISTENER] = tusk_bytes_str(client->session.door->gate.text);
    field[TUSK_LOOKUP_METHOD] = head->method_name;
    field[TUSK_LOOKUP_PATH] = head->path;
    field[TUSK_LOOKUP_PEER] =
        client->family == 0 ? tusk_bytes_str("unix") : tusk_bytes_str(client->peer);
    if (client->told != NULL && client->told->authority_len > 0) {
        field[TUSK_LOOKUP_AUTHORITY] =
            tusk_bytes_of(client->told->authority, client->told->authority_len);
    }
    if (head->authority.len <= sizeof(text->host)) {
        field[TUSK_LOOKUP_HOST] = relay_host_of(text->host, head->authority);
    }
    if ((fields & 1u << TUSK_LOOKUP_PEER_PORT) != 0 && client->family != 0) {
        (void)snprintf(text->port, sizeof(text->port), "%u", (unsigned)client->peer_port);
        field[TUSK_LOOKUP_PEER_PORT] = tusk_bytes_str(text->port);
    }
    if ((fields & 1u << TUSK_LOOKUP_SERVER_NAME) != 0) {
        field[TUSK_LOOKUP_SERVER_NAME] = relay_server_name(&client->conn, text->name);
    }
    if ((fields & 1u << TUSK_LOOKUP_CERTIFICATE) != 0) {
        field[TUSK_LOOKUP_CERTIFICATE] = relay_fingerprint(client->conn.filter, text->fingerprint);
    }
    if (client->conn.filter != NULL) {
        field[TUSK_LOOKUP_ALPN] = tusk_filter_alpn(client->conn.filter);
    }
    if ((fields & 1u << TUSK_LOOKUP_DESTINATION) != 0) {
        fill_destination(client, lookup, text);
    }
}

static void on_route(relay_waiter *waiter, relay_answer *answer, bool cached)
{
    http_exchange *self = TUSK_OWNER(waiter, http_exchange, waiter);
    self->answer = relay_answer_ref(answer);
    self->cached = cached;
    self->resolve_us = relay_us_since(self->http->relay, self->asked_ns);
    if (!self->asking) {
        self->state = EXCHANGE_ROUTED;
        http_client_go(self->client);
    }
}

void http_exchange_ask(http_exchange *self, const tusk_http_head *head)
{
    tusk_relay *relay = self->http->relay;
    tusk_relay_lookup lookup = {.secure = false};
    words text;
    self->state = EXCHANGE_ROUTE;
    self->asked_ns = tusk_loop_now_ns(relay->loop);
    self->waiter.on_route = on_route;
    fill_lookup(self->client, head, &lookup, relay_fields_known(&relay->routes), &text);
    relay_answer *answer = relay_known(relay, &lookup);
    if (answer != NULL) {
        self->answer = relay_answer_ref(answer);
        self->cached = true;
        return;
    }
    fill_lookup(self->client, head, &lookup, UINT32_MAX, &text);
    self->asking = true;
    self->waiter.filter = self->client->conn.filter;
    relay_ask_route(relay, &self->waiter, &lookup);
    self->asking = false;
}
