/* SPDX-License-Identifier: MIT */
/* Cancel keys: which PostgreSQL session is at which backend, so that a CancelRequest, which comes
 * on a connection of its own, finds the way. */
#ifndef RELAY_TCP_KEYS_H
#define RELAY_TCP_KEYS_H

#include "proto/postgres.h"
#include "relay/move/pair.h"

/* A session whose backend is being listened to for its key, or has told it. */
typedef struct relay_key relay_key;

struct relay_watch {
    tusk__pg_watch pg;
};

/* From now on what the backend says is looked at; once its key is known it is remembered for this
 * pair's life. */
tusk_err relay_key_watch(relay_pair *pair);
void relay_key_look(relay_pair *pair, tusk_bytes bytes); /* while pair->watch is there */
void relay_key_forget(relay_pair *pair);
/* The answer that leads to the session with this key, a reference; NULL: nobody has it. */
relay_answer *relay_key_find(tusk_relay *relay, uint32_t process, tusk_bytes bytes);

void relay_keys_fini(tusk_relay *relay);

#endif
