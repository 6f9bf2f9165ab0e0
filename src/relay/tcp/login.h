/* SPDX-License-Identifier: MIT */
/*
 * MySQL's login where it is routed by its user: our greeting, the client's answer, the backend's
 * greeting, and what both say until OK or ERR, each side with sequence numbers of its own.
 * docs/internals/relay.md draws it.
 */
#ifndef RELAY_TCP_LOGIN_H
#define RELAY_TCP_LOGIN_H

#include "relay/tcp/setup.h"

enum {
    RELAY_LOGIN_PACKETS = 64 /* that pass between the answer and OK: far more than any plugin */
};

/* A listener that greets by itself; the others leave that to the backend. */
static inline bool relay_login_wanted(const relay_door *door)
{
    return door->options.protocol == TUSK_PROTOCOL_MYSQL &&
           (door->options.first != TUSK_FIRST_SERVER || door->options.tls != NULL);
}

/* Our greeting leaves; setup->login is there from now on. False: the pair is over. */
bool relay_login_begin(relay_pair *pair);
void relay_login_free(relay_pair *pair); /* harmless without one */
/* What the next packet to the client has for its number. */
uint8_t relay_login_sequence(const relay_login *self);
/* The client has asked for TLS and its ClientHello comes next. */
bool relay_login_awaits_hello(const relay_login *self);

/* The client's bytes while the pair is PAIR_FIRST: its answer leads to a route. */
relay_looked relay_login_look(relay_pair *pair, tusk_bytes in);
void relay_login_client_secured(relay_pair *pair);
/* A backend is connected: PAIR_LOGIN until both sides may speak freely. */
void relay_login_dialed(relay_pair *pair);
void relay_login_backend_secured(relay_pair *pair);
/* One of the sides said something; the pair may be over afterwards. */
void relay_login_go(relay_pair *pair);
void relay_login_hung_up(relay_pair *pair, int side);
void relay_login_due(relay_pair *pair);
/* Nobody serves: the client hears what the last backend said, and the pair is over. False: that one
 * said nothing worth telling. */
bool relay_login_tell_failure(relay_pair *pair);

#endif
