/* SPDX-License-Identifier: MIT */
/* The client behind trusted proxies: X-Forwarded-For, X-Forwarded-Proto and the PROXY protocol,
 * believed from trusted peers only. */
#include "serve/http/http.h"

static bool trusts_ip(const tusk_server *server, const uint8_t ip[16], uint8_t family)
{
    for (size_t i = 0; i < server->trusted_count; i++) {
        if (tusk_ip_range_has(&server->trusted[i], family, ip)) {
            return true;
        }
    }
    return false;
}

bool tusk__forwarded_trusts(const tusk_server *server, const tusk_addr *peer)
{
    uint8_t ip[16] = {0};
    uint8_t family = tusk_addr_ip(peer, ip);
    return family == 0 ? server->trusted_count > 0
                       : trusts_ip(server, ip, family); /* a Unix path is local */
}

/* Counts the session under another address; the old one keeps it when there is no memory. */
static void move_to(tusk_session *self, const tusk_addr *client)
{
    tusk_server *server = self->server;
    tusk_addr_key key = tusk_addr_key_of(client);
    address_count *entry = tusk__addresses_take(&server->addresses, &key);
    if (entry == NULL) {
        return;
    }
    tusk__addresses_give(&server->addresses, self->address);
    self->address = entry;
    memset(self->ip, 0, sizeof(self->ip));
    self->family = tusk_addr_ip(client, self->ip);
}

/* Counted already, so two that come to the last place at once both see it. */
static bool is_over(const tusk_session *self)
{
    const address_table *addresses = &self->server->addresses;
    uint32_t limit = self->server->limits.per_address;
    return limit > 0 &&
           self->address->count + tusk__addresses_elsewhere(addresses, &self->address->key) > limit;
}

/* Some proxies (application gateways above all) append the client's port, as RFC 7239 has it in its
 * own field: it counts for nothing, but who cannot be read would be the proxy itself, which no
 * limit counts. */
static bool parse_client(tusk_addr *out, tusk_bytes text)
{
    return tusk_addr_parse_ip(out, tusk_bytes_trim(text)) == TUSK_OK;
}

/* From the right: each proxy appended who spoke to it; the first that we do not trust is the
 * client, or the leftmost when all are trusted. False: nothing there, or something that we cannot
 * read. */
static bool find_client(const tusk_server *server, const tusk_http_head *head, tusk_addr *client)
{
    bool any = false;
    for (size_t i = head->field_count; i > 0; i--) {
        const tusk_http_field *field = &head->fields[i - 1];
        if (!tusk_bytes_eq_nocase(field->name, tusk_bytes_str("x-forwarded-for"))) {
            continue;
        }
        size_t end = field->value.len;
        for (;;) {
            size_t start = end;
            while (start > 0 && field->value.ptr[start - 1] != ',') {
                start--;
            }
            if (!parse_client(client, tusk_bytes_of(field->value.ptr + start, end - start))) {
                return false;
            }
            any = true;
            if (!tusk__forwarded_trusts(server, client)) {
                return true;
            }
            if (start == 0) {
                break;
            }
            end = start - 1;
        }
    }
    return any;
}

/* The leftmost word is what the client spoke: proxies that append stand behind it. */
static bool says_https(const tusk_http_head *head)
{
    for (size_t i = 0; i < head->field_count; i++) {
        const tusk_http_field *field = &head->fields[i];
        if (tusk_bytes_eq_nocase(field->name, tusk_bytes_str("x-forwarded-proto"))) {
            size_t len = 0;
            while (len < field->value.len && field->value.ptr[len] != ',') {
                len++;
            }
            return tusk_bytes_eq_nocase(tusk_bytes_trim(tusk_bytes_of(field->value.ptr, len)),
                                        tusk_bytes_str("https"));
        }
    }
    return false;
}

bool tusk__forwarded_apply(tusk_session *self, const tusk_http_head *head)
{
    const tusk_server *server = self->server;
    http_forwarded *proxy = &self->u.http.proxy;
    tusk_addr client;
    proxy->secure = false;
    if (!proxy->used) {
        memcpy(proxy->ip, self->ip, sizeof(proxy->ip));
        proxy->family = self->family;
    }
    if (proxy->family != 0 && !trusts_ip(server, proxy->ip, proxy->family)) {
        return true;
    }
    proxy->secure = says_https(head);
    /* A proxy's connection carries requests of many clients: each says whose it is, and one that
     * does not is the proxy's own. */
    if (!find_client(server, head, &client)) {
        if (!proxy->used) {
            return true;
        }
        tusk_addr_unnamed(&client);
        if (proxy->family != 0) {
            (void)tusk_addr_from_ip(&client, proxy->family, proxy->ip, 0);
        }
        move_to(self, &client);
        return true;
    }
    proxy->used = true;
    move_to(self, &client);
    if (is_over(self)) {
        self->server->stats.connections_per_address_refused++;
        return false;
    }
    return true;
}

ptrdiff_t tusk__forwarded_proxy_head(tusk_session *self, tusk_bytes in)
{
    tusk_proxy_head head;
    ptrdiff_t n = tusk_proxy_head_parse(&head, in);
    if (n < 0) {
        tusk__server_say_unnamed(self->server, self);
    }
    if (n <= 0) {
        return n;
    }
    self->proxy_expected = false;
    tusk_addr client;
    if (!head.local &&
        tusk_addr_from_ip(&client, head.family, head.source, head.source_port) == TUSK_OK) {
        move_to(self, &client);
        if (is_over(self)) {
            self->server->stats.connections_per_address_refused++;
            return TUSK_ELIMIT;
        }
    }
    return n;
}
