/* SPDX-License-Identifier: MIT */
/* Fields of a TCP client. */
#include "relay/tcp/fields.h"

#include "relay/tcp/tunnel.h"

static void fill_destination(const relay_pair *pair, tusk_relay_lookup *lookup,
                             relay_field_text *text)
{
    tusk_addr local = relay_setup_destination(pair);
    if (local.len > 0) {
        lookup->field[TUSK_LOOKUP_DESTINATION] =
            tusk_bytes_str(tusk_addr_text(&local, text->destination));
    }
}

static void fill_secure(const relay_setup *self, tusk_relay_lookup *lookup)
{
    lookup->secure = true;
    if (self->name_len > 0) {
        lookup->field[TUSK_LOOKUP_SERVER_NAME] = tusk_bytes_of(self->hello, self->name_len);
    }
    if (self->alpn_len > 0) {
        lookup->field[TUSK_LOOKUP_ALPN] =
            tusk_bytes_of(self->hello + self->name_len, self->alpn_len);
    }
}

/* Only what somebody will read is made into text. */
void relay_fields_fill(const relay_pair *pair, tusk_relay_lookup *lookup, uint32_t fields,
                       relay_field_text *text)
{
    tusk_addr peer = relay_pair_peer(pair);
    lookup->field[TUSK_LOOKUP_LISTENER] = tusk_bytes_str(pair->session.door->gate.text);
    if (pair->setup->authority_len > 0) {
        lookup->field[TUSK_LOOKUP_AUTHORITY] =
            tusk_bytes_of(pair->setup->authority, pair->setup->authority_len);
    }
    if (pair->setup->secure) {
        fill_secure(pair->setup, lookup);
    }
    if ((fields & 1u << TUSK_LOOKUP_CERTIFICATE) != 0) {
        lookup->field[TUSK_LOOKUP_CERTIFICATE] =
            relay_fingerprint(relay_tunnel_filter(pair), text->fingerprint);
    }
    if ((fields & 1u << TUSK_LOOKUP_PEER) != 0) {
        lookup->field[TUSK_LOOKUP_PEER] = tusk_bytes_str(tusk_addr_host_text(&peer, text->peer));
    }
    if ((fields & 1u << TUSK_LOOKUP_PEER_PORT) != 0 && pair->peer_family != 0) {
        lookup->field[TUSK_LOOKUP_PEER_PORT] = tusk__decimal(text->port, pair->peer_port);
    }
    if ((fields & 1u << TUSK_LOOKUP_DESTINATION) != 0) {
        fill_destination(pair, lookup, text);
    }
}
