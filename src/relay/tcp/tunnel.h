/* SPDX-License-Identifier: MIT */
/* A tunnel: a pair of which at least one side speaks TLS, so that its bytes go over connections of
 * the net layer. The pair stays what holds the session, its route, its deadlines and its record. */
#ifndef RELAY_TCP_TUNNEL_H
#define RELAY_TCP_TUNNEL_H

#include "relay/move/pair.h"

/* The client's socket moves into a connection; `tls` NULL: a plain one, which is not read yet. Else
 * hands are shaken, and relay_setup_secured tells the end. On failure the pair has it still. */
tusk_err relay_tunnel_client(relay_pair *pair, tusk_tls *tls);
/* The dialled socket does too, with TLS as the route says; `asks`: PostgreSQL's SSLRequest goes
 * first. What was appended to it (relay_tunnel_say) leaves inside of TLS. When it is ready, bytes
 * flow. The client's has moved before. */
tusk_err relay_tunnel_backend(relay_pair *pair, bool asks);
tusk_err relay_tunnel_say(relay_pair *pair, int side, tusk_bytes bytes);
/* The same for MySQL's login, step by step: the dialled socket (and the client's, if it has not)
 * moves into a plain connection; TLS begins on it as the route says, and
 * relay_login_backend_secured tells the end; bytes flow. */
tusk_err relay_tunnel_begin(relay_pair *pair);
tusk_err relay_tunnel_secure(relay_pair *pair);
void relay_tunnel_flow(relay_pair *pair);
/* The backend's connection ends, and another one may take its place: relay_setup_redial follows.
 * False: it has none. */
bool relay_tunnel_leave_backend(relay_pair *pair);
/* What a side said and nobody took yet. */
tusk_bytes relay_tunnel_in(const relay_pair *pair, int side);
void relay_tunnel_take(relay_pair *pair, int side, size_t len);
/* Of the client's TLS; NULL: none. */
const tusk_filter *relay_tunnel_filter(const relay_pair *pair);
int relay_tunnel_fd(const relay_pair *pair, int side);
/* Nothing is read from the client until bytes flow, or until it is resumed. */
void relay_tunnel_pause(relay_pair *pair);
void relay_tunnel_resume(relay_pair *pair);
/* At once, for one that is being closed. */
void relay_tunnel_abort(relay_tunnel *self);
/* Something that a side has said is not on its way to the other one: an end in order would make
 * the part that is pass for the whole. */
bool relay_tunnel_owes(const relay_tunnel *self);
uint32_t relay_tunnel_taken_ms(const relay_tunnel *self); /* relay_joined_taken_ms */
/* Both connections end; then relay_pair_gone. */
void relay_tunnel_close(relay_pair *pair, uint16_t status, const char *end, bool reset);

#endif
