/* SPDX-License-Identifier: MIT */
/* What the relays of several workers know of each other: counters, and how much of each limit is
 * taken. All of it is numbers of processes that write their own seats and read all. */
#ifndef RELAY_SHARED_H
#define RELAY_SHARED_H

#include <stdatomic.h>

#include "loop/bell.h"
#include "net/seats.h"
#include "net/tally.h"
#include "relay/inner.h"

enum {
    SHARED_STATS = sizeof(tusk_relay_stats) / sizeof(uint64_t),
    SHARED_HTTP_STATS = sizeof(tusk_relay_http_stats) / sizeof(uint64_t)
};

struct tusk_relay_shared {
    const tusk_mem *mem;
    net_seats seats; /* of SHARED_STATS and SHARED_HTTP_STATS */
    net_gates_shared gates;
    tally_cell *cells;      /* of sources and targets; NULL: no limit needs them */
    relay_rate_cell *rates; /* NULL: no rate is limited */
    relay_healths healths;  /* of targets */
    relay_meters meters;
    tusk_relay_kind kind;
    struct shared_places *places; /* shared_places.h; seat by seat; NULL: nobody keeps any */
    tusk__bell *bells;            /* the same */
    uint32_t bell_count;
    struct shared_key *keys; /* shared_keys.h; NULL: no such protocol is relayed */
    _Atomic uint64_t *key_words;
    _Atomic uint64_t *stamps; /* so many keys were put there so far */
};

/* A relay's part of it. */
struct relay_share {
    tusk_relay *relay;
    tusk_relay_shared *all;
    uint32_t seat;
    tusk_timer publish;
    tusk_io bell; /* others want places that connections of ours take for nothing */
};

/* This process has `count` of `hash` now, and keeps `kept` of them idle. */
void relay_share_tell(const tusk_relay *relay, uint64_t hash, uint32_t count, uint32_t kept);
/* What the others have. */
uint64_t relay_share_others(const tusk_relay *relay, uint64_t hash);
uint32_t relay_share_kept(const tusk_relay_shared *self, uint32_t seat, uint64_t hash);
/* Whether it has something whose end is to be told, too. */
bool relay_share_publish(tusk_relay *relay);
void relay_share_publish_soon(tusk_relay *relay);
/* Alone, or the one of several that says what is so for all of them. */
bool relay_share_first(const tusk_relay *relay);
void relay_share_end(tusk_relay *relay); /* before the relay is freed */

#endif
