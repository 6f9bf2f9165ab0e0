/* SPDX-License-Identifier: MIT */
/* Who an HTTP client is: by its socket, or by the PROXY head of a balancer that is trusted. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "net/socket.h"
#include "relay/http/inner.h"

/* Who it is, and whether what it says of others is believed: of one that a PROXY head tells it is
 * not because the balancer is. */
void http_client_peer(http_client *self, const tusk_addr *peer)
{
    uint8_t ip[16];
    char text[TUSK_ADDR_TEXT_MAX];
    self->family = tusk_addr_ip(peer, ip);
    self->trusted = relay_ranges_trust(&self->http->relay->trusted, peer);
    if (self->family != 0) {
        self->peer_port = tusk_addr_port(peer);
        (void)tusk_addr_host_text(peer, text);
        memcpy(self->peer, text, strnlen(text, HTTP_PEER_TEXT_MAX - 1) + 1);
    }
}

static tusk_err note_told(http_client *self, const tusk_proxy_head *head, tusk_bytes in)
{
    tusk_bytes authority;
    self->told = tusk__new(self->http->relay->mem, sizeof(*self->told));
    if (self->told == NULL) {
        return TUSK_ENOMEM;
    }
    (void)tusk_addr_from_ip(&self->told->destination, head->family, head->target,
                            head->target_port);
    if (tusk_proxy_head_find(in, TUSK_PROXY_AUTHORITY, &authority) && authority.len > 0 &&
        authority.len <= sizeof(self->told->authority)) {
        memcpy(self->told->authority, authority.ptr, authority.len);
        self->told->authority_len = (uint8_t)authority.len;
    }
    return TUSK_OK;
}

static tusk_err apply_preface(http_client *self, const tusk_proxy_head *head, tusk_bytes in)
{
    tusk_addr peer;
    if (head->local ||
        tusk_addr_from_ip(&peer, head->family, head->source, head->source_port) != TUSK_OK) {
        return TUSK_OK;
    }
    http_client_peer(self, &peer);
    return relay_door_admits(&self->session, &peer) ? note_told(self, head, in) : TUSK_ELIMIT;
}

tusk_addr http_client_destination(const http_client *self)
{
    bool told = self->told != NULL && self->told->destination.len > 0;
    return told ? self->told->destination : tusk__socket_addr(self->conn.io.fd);
}

ptrdiff_t http_client_preface(http_client *self, tusk_bytes in)
{
    tusk_proxy_head head;
    ptrdiff_t n = tusk_proxy_head_parse(&head, in);
    if (n > 0) {
        tusk_err err = apply_preface(self, &head, in);
        self->state = CLIENT_IDLE;
        return err == TUSK_OK ? n : (ptrdiff_t)err;
    }
    return n;
}
