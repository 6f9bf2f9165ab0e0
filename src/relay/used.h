/* SPDX-License-Identifier: MIT */
/*
 * Used sockets: those of backends that have carried a session to its orderly end. Linux connects a
 * socket again, so the next session with the same target gets it: nothing is made, set up, added to
 * the poller and closed for it. To the backend it is another connection, from another port.
 *
 * Only after an end that nobody can tell from close(): the client ended first, and the backend's
 * system has acknowledged all and ended as well. Only to the same target: the kernel counts the
 * sequence numbers of the next connection on from those of the last one, which that backend knows
 * (RFC 6528 has them unknown to everybody else). Few of them, and for a second.
 */
#ifndef RELAY_USED_H
#define RELAY_USED_H

#include "relay/inner.h"

typedef struct relay_pair relay_pair;

/* A relay starts, and its engine is known: whether it uses sockets again. */
void relay_used_open(tusk_relay *relay);
/* All of them are closed: it stops, or descriptors are wanted elsewhere. */
void relay_used_close(tusk_relay *relay);

/* The pair is ending in order: its backend's socket is not to be closed, and relay_used_put takes
 * the pair's memory with it instead of its being freed. */
bool relay_used_wants(const relay_pair *pair);
/* Nothing else refers to the pair any more; its target, which it has left, is referenced for it. */
void relay_used_put(relay_pair *pair);

/* A used socket of this target, being connected to `addr`, in `to` and with its interest in the
 * poller; its options are those of any other. False: there is none, or it cannot be, and `to` is as
 * it was. */
bool relay_used_connect(relay_target *target, const tusk_addr *addr, bool words_follow,
                        tusk_io *to);
void relay_used_due(tusk_timer *timer);

#endif
