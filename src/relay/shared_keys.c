/* SPDX-License-Identifier: MIT */
/* The table of cancel keys that workers share: sets of a few entries, each written by one process
 * and read by all without a lock. */
#include "relay/move/pair.h"

#include "relay/shared_keys.h"

#include "base/mem.h"

#define WRITTEN (UINT64_C(1) << 31)
#define SEAT_MASK UINT64_C(0x7fffffff)

/* What stands in `data`, in this order; the texts follow. */
typedef struct key_head {
    uint64_t hash;
    uint32_t connect_ms;
    uint32_t idle_ms;
    uint16_t address_len;
    uint16_t name_len;
    uint8_t proxy_version;
    uint8_t upstream_tls;
    uint8_t unused[2];
} key_head;

typedef struct key_entry {
    key_head head;
    uint8_t text[KEY_WORDS * 8 - sizeof(key_head)];
} key_entry;

/* The number of the first entry of a key's set. */
static uint32_t set_of(uint64_t hash)
{
    return (uint32_t)(hash % KEY_SETS) * KEY_WAYS;
}

static uint64_t next_word(uint64_t word, uint64_t rest)
{
    return ((word >> 32) + 1) << 32 | rest;
}

/* ---- writing ---- */
/* A TLS context is a pointer, which means nothing in another process: what needs one of its own is
 * asked in this one only, and what may do without does without. */
static bool fill(key_entry *entry, uint64_t hash, const relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    const tusk_relay_route *route = &pair->answer->route;
    tusk_bytes address = relay_target_text(pair->target);
    bool own = route->tls != NULL && route->tls != relay->upstream_tls;
    tusk_relay_tls tls = route->upstream_tls;
    if (own && tls == TUSK_TLS_REQUIRE) {
        return false;
    }
    if (tls == TUSK_TLS_ALLOW && relay->upstream_tls == NULL) {
        tls = TUSK_TLS_DISABLE;
    }
    if (address.len + route->tls_name.len > sizeof(entry->text)) {
        return false;
    }
    *entry = (key_entry){.head = {.hash = hash,
                                  .connect_ms = route->connect_ms,
                                  .idle_ms = route->idle_ms,
                                  .address_len = (uint16_t)address.len,
                                  .name_len = (uint16_t)route->tls_name.len,
                                  .proxy_version = route->proxy_version,
                                  .upstream_tls = (uint8_t)tls}};
    memcpy(entry->text, address.ptr, address.len);
    if (route->tls_name.len > 0) {
        memcpy(entry->text + address.len, route->tls_name.ptr, route->tls_name.len);
    }
    return true;
}

/* A free one, else the oldest that nobody writes; KEY_ENTRIES: none. */
static uint32_t choose(const tusk_relay_shared *shared, uint32_t set, uint64_t *seen)
{
    uint32_t oldest = KEY_ENTRIES;
    for (uint32_t i = set; i < set + KEY_WAYS; i++) {
        uint64_t word = atomic_load(&shared->key_words[i]);
        if ((word & WRITTEN) != 0) {
            continue;
        }
        if ((word & SEAT_MASK) == 0) {
            *seen = word;
            return i;
        }
        if (oldest == KEY_ENTRIES ||
            atomic_load(&shared->keys[i].stamp) < atomic_load(&shared->keys[oldest].stamp)) {
            oldest = i;
            *seen = word;
        }
    }
    return oldest;
}

static void write_data(shared_key *key, const key_entry *entry)
{
    for (size_t i = 0; i < KEY_WORDS; i++) {
        uint64_t value;
        memcpy(&value, (const uint8_t *)entry + i * sizeof(value), sizeof(value));
        atomic_store_explicit(&key->data[i], value, memory_order_relaxed);
    }
}

shared_key_place relay_shared_key_put(tusk_relay *relay, uint64_t hash, const relay_pair *pair)
{
    const shared_key_place nowhere = {.word = 0};
    struct relay_share *self = relay->share;
    key_entry entry;
    if (self == NULL || self->all->keys == NULL) {
        return nowhere;
    }
    uint64_t seen = 0;
    uint32_t index =
        fill(&entry, hash, pair) ? choose(self->all, set_of(hash), &seen) : (uint32_t)KEY_ENTRIES;
    uint64_t mine = next_word(seen, self->seat + 1);
    if (index == KEY_ENTRIES ||
        !atomic_compare_exchange_strong(&self->all->key_words[index], &seen, mine | WRITTEN)) {
        relay->stats
            .cancel_keys_dropped++; /* another one was quicker: rare, and no harm but this */
        return nowhere;
    }
    relay->stats.cancel_keys_dropped += (seen & SEAT_MASK) != 0 ? 1 : 0;
    atomic_thread_fence(memory_order_release);
    write_data(&self->all->keys[index], &entry);
    atomic_store(&self->all->keys[index].stamp, atomic_fetch_add(self->all->stamps, 1));
    atomic_store(&self->all->key_words[index], mine);
    return (shared_key_place){.word = mine, .index = index};
}

void relay_shared_key_remove(const tusk_relay *relay, shared_key_place place)
{
    if (place.word != 0 && relay->share != NULL) {
        uint64_t seen = place.word; /* another one's by now: left alone */
        (void)atomic_compare_exchange_strong(&relay->share->all->key_words[place.index], &seen,
                                             next_word(place.word, 0));
    }
}

void relay_shared_keys_gone(tusk_relay_shared *shared, uint32_t seat)
{
    for (size_t i = 0; shared->keys != NULL && i < KEY_ENTRIES; i++) {
        uint64_t word = atomic_load(&shared->key_words[i]);
        if ((word & SEAT_MASK) == seat + 1) { /* unless somebody takes that place just now */
            (void)atomic_compare_exchange_strong(&shared->key_words[i], &word, next_word(word, 0));
        }
    }
}

/* ---- reading ---- */
/* False: it is another one's, free, or was changed meanwhile. */
static bool read_entry(const tusk_relay_shared *shared, uint32_t index, uint64_t hash,
                       key_entry *out)
{
    const shared_key *key = &shared->keys[index];
    uint64_t word = atomic_load(&shared->key_words[index]);
    if ((word & WRITTEN) != 0 || (word & SEAT_MASK) == 0 ||
        atomic_load_explicit(&key->data[0], memory_order_relaxed) != hash) {
        return false;
    }
    for (size_t i = 0; i < KEY_WORDS; i++) {
        uint64_t value = atomic_load_explicit(&key->data[i], memory_order_relaxed);
        memcpy((uint8_t *)out + i * sizeof(value), &value, sizeof(value));
    }
    atomic_thread_fence(memory_order_acquire);
    return atomic_load(&shared->key_words[index]) == word && out->head.hash == hash &&
           (size_t)out->head.address_len + out->head.name_len <= sizeof(out->text) &&
           out->head.upstream_tls <= TUSK_TLS_REQUIRE;
}

static relay_answer *answer_of(tusk_relay *relay, const key_entry *entry)
{
    const key_head *head = &entry->head;
    const tusk_relay_target target = {
        .address = tusk_bytes_of((const char *)entry->text, head->address_len), .weight = 1};
    const tusk_relay_route route = {
        .targets = &target,
        .target_count = 1,
        .connect_ms = head->connect_ms,
        .idle_ms = head->idle_ms,
        .proxy_version = head->proxy_version,
        .upstream_tls = (tusk_relay_tls)head->upstream_tls,
        .tls_name = tusk_bytes_of(
            head->name_len == 0 ? NULL : (const char *)entry->text + head->address_len,
            head->name_len)};
    relay_answer *answer;
    return relay_answer_route(&answer, relay, &route) == TUSK_OK ? answer : NULL;
}

relay_answer *relay_shared_key_find(tusk_relay *relay, uint64_t hash)
{
    key_entry entry;
    if (relay->share == NULL || relay->share->all->keys == NULL) {
        return NULL;
    }
    uint32_t set = set_of(hash);
    for (uint32_t i = set; i < set + KEY_WAYS; i++) {
        if (read_entry(relay->share->all, i, hash, &entry)) {
            return answer_of(relay, &entry);
        }
    }
    return NULL;
}
