/* SPDX-License-Identifier: MIT */
/* Cancel keys of all workers: where the session is that has a key, so that a CancelRequest that the
 * kernel gave to another worker finds the backend. */
#ifndef RELAY_SHARED_KEYS_H
#define RELAY_SHARED_KEYS_H

#include "relay/shared.h"

enum {
    KEY_SETS = 8192,
    KEY_WAYS = 8,
    KEY_TEXT_MAX = 512, /* the target's address and the name for its certificate together */
    KEY_WORDS = 5 + KEY_TEXT_MAX / 8
};

/* Beside each stands a word: generation 32 | written now 1 | seat + 1 of 31; a seat of 0: free.
 * Whoever dies while it writes leaves its number behind, and the master frees what has it. The
 * words lie together, so that looking through all of them touches no entry that was never used. */
typedef struct shared_key {
    _Atomic uint64_t stamp; /* the lowest is the oldest */
    _Atomic uint64_t data[KEY_WORDS];
} shared_key;

/* Where a key of this process was put, and as what. */
typedef struct shared_key_place {
    uint64_t word; /* 0: nowhere */
    uint32_t index;
} shared_key_place;

enum { KEY_ENTRIES = KEY_SETS * KEY_WAYS };
/* Without room for it (a text too long, TLS that other workers do not have) it is known here alone.
 */
shared_key_place relay_shared_key_put(tusk_relay *relay, uint64_t hash, const relay_pair *pair);
void relay_shared_key_remove(const tusk_relay *relay, shared_key_place place);
/* A reference; NULL: no worker has a session with this key. */
relay_answer *relay_shared_key_find(tusk_relay *relay, uint64_t hash);
void relay_shared_keys_gone(tusk_relay_shared *shared, uint32_t seat);

#endif
