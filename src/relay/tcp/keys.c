/* SPDX-License-Identifier: MIT */
/* Cancel keys, learned from the backend's first messages as they pass. */
#include "relay/tcp/keys.h"

#include "base/hash.h"
#include "base/mem.h"
#include "relay/shared_keys.h"

struct relay_key {
    tusk_entry in_table; /* by process and key */
    relay_pair *pair;
    shared_key_place place; /* among all workers' */
    uint32_t process;
    uint32_t len;
    uint8_t key[];
};

static uint64_t hash_of(const tusk_relay *relay, uint32_t process, tusk_bytes key)
{
    return tusk__hash(relay->targets.seed ^ process, key);
}

tusk_err relay_key_watch(relay_pair *pair)
{
    if (pair->watch == NULL) { /* else a backend before this one was to be */
        pair->watch = tusk__new(relay_of(pair)->mem, sizeof(*pair->watch));
    }
    return pair->watch == NULL ? TUSK_ENOMEM : TUSK_OK;
}

static void end_watch(relay_pair *pair)
{
    tusk__free(relay_of(pair)->mem, pair->watch, sizeof(*pair->watch));
    pair->watch = NULL;
}

/* Without memory this one session cannot be cancelled; it lives on. */
static void remember(relay_pair *pair, const tusk__pg_watch *watch)
{
    tusk_relay *relay = relay_of(pair);
    tusk_bytes bytes = tusk__pg_watch_key(watch);
    uint64_t hash = hash_of(relay, watch->process, bytes);
    relay_key *key = tusk__new(relay->mem, sizeof(*key) + bytes.len);
    if (key == NULL) {
        return;
    }
    if (!tusk__table_put(&relay->keys, relay->mem, &key->in_table, hash)) {
        tusk__free(relay->mem, key, sizeof(*key) + bytes.len);
        return;
    }
    key->pair = pair;
    key->process = watch->process;
    key->len = (uint32_t)bytes.len;
    memcpy(key->key, bytes.ptr, bytes.len);
    pair->key = key;
    key->place = relay_shared_key_put(relay, hash, pair);
}

void relay_key_look(relay_pair *pair, tusk_bytes bytes)
{
    tusk__pg_watch *watch = &pair->watch->pg;
    bool broken = tusk__pg_watch_bytes(watch, bytes) < 0;
    if (watch->key_len > 0 && watch->ready && pair->key == NULL) {
        remember(pair, watch);
    }
    if (broken || watch->ready || watch->failed) {
        end_watch(pair);
    }
}

void relay_key_forget(relay_pair *pair)
{
    tusk_relay *relay = relay_of(pair);
    relay_key *key = pair->key;
    if (pair->watch != NULL) {
        end_watch(pair);
    }
    if (key == NULL) {
        return;
    }
    tusk__table_remove(&relay->keys, &key->in_table);
    pair->key = NULL;
    relay_shared_key_remove(relay, key->place);
    tusk__free(relay->mem, key, sizeof(*key) + key->len);
}

static relay_answer *answer_to(tusk_relay *relay, const relay_pair *pair)
{
    const tusk_relay_target target = {.address = relay_target_text(pair->target), .weight = 1};
    tusk_relay_route route = pair->answer->route;
    relay_answer *answer;
    route.targets = &target;
    route.target_count = 1;
    route.first = route.user = route.database = tusk_bytes_of(NULL, 0);
    return relay_answer_route(&answer, relay, &route) == TUSK_OK ? answer : NULL;
}

relay_answer *relay_key_find(tusk_relay *relay, uint32_t process, tusk_bytes bytes)
{
    uint64_t hash = hash_of(relay, process, bytes);
    tusk_entry *at = tusk__table_find(&relay->keys, hash);
    for (; at != NULL; at = tusk__table_again(at)) {
        const relay_key *key = TUSK_OWNER(at, relay_key, in_table);
        if (key->process == process && tusk_bytes_eq(tusk_bytes_of(key->key, key->len), bytes)) {
            return answer_to(relay, key->pair);
        }
    }
    return relay_shared_key_find(relay, hash);
}

void relay_keys_fini(tusk_relay *relay)
{
    tusk__table_fini(&relay->keys, relay->mem);
}
