/* SPDX-License-Identifier: MIT */
/* Places at a target that are taken by connections which a worker keeps though nobody works on
 * them. Who needs one asks their worker, by a bell that was made before the fork, and it gives up
 * the oldest of them. */
#ifndef RELAY_SHARED_PLACES_H
#define RELAY_SHARED_PLACES_H

#include "relay/shared.h"

enum { PLACES_ASKED = 16 /* of a worker at once; what finds no room is asked again */ };

/* Of a seat: the hashes of targets where a place is wanted; 0: none. */
typedef struct shared_places {
    _Atomic uint64_t asked[PLACES_ASKED];
} shared_places;

/* Whether workers of such a relay keep connections that take places. */
bool relay_places_matter(const tusk_relay *relay);
/* The bells: `seats` of them, made by the master and inherited by who serves. */
tusk_err relay_places_open(tusk_relay_shared *self);
void relay_places_close(tusk_relay_shared *self);
/* The bell of this seat is heard by the relay's loop. */
tusk_err relay_places_listen(struct relay_share *self);
void relay_places_end(struct relay_share *self);
/* Another worker that keeps a connection to this target is asked for its place; false: none does.
 */
bool relay_places_ask(const tusk_relay *relay, uint64_t hash);
void relay_places_gone(tusk_relay_shared *self, uint32_t seat);

#endif
