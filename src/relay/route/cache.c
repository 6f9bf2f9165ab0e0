/* SPDX-License-Identifier: MIT */
/* The cache of answers: hashed by fields and values, with a time each, the longest unused goes. */
#include "relay/route/cache.h"

#include "base/hash.h"
#include "base/mem.h"
#include "proto/mysql.h"
#include "relay/inner.h"

#define ABSENT UINT32_MAX

typedef struct relay_entry {
    tusk_entry in_table; /* by its fields */
    tusk_link used;
    relay_answer *answer;
    uint64_t until_ms;
    uint32_t fields;
    uint32_t key_len;
    bool secure;
    uint8_t key[]; /* for each field its length (ABSENT) and bytes */
} relay_entry;

static uint32_t lowest(uint32_t fields)
{
    return (uint32_t)__builtin_ctz(fields);
}

uint64_t relay_hash_fields(uint64_t seed, uint32_t fields, const tusk_relay_lookup *lookup)
{
    uint64_t hash = seed ^ fields ^ (lookup->secure ? UINT64_C(1) << 40 : 0);
    for (; fields != 0; fields &= fields - 1) {
        tusk_bytes field = lookup->field[lowest(fields)];
        hash = tusk__hash_mix(hash, field.ptr == NULL ? ABSENT : tusk__hash(seed, field));
    }
    return hash;
}

static bool same_field(tusk_bytes a, tusk_bytes b)
{
    return (a.ptr == NULL) == (b.ptr == NULL) && tusk_bytes_eq(a, b);
}

bool relay_same_fields(uint32_t fields, const tusk_relay_lookup *a, const tusk_relay_lookup *b)
{
    for (; fields != 0; fields &= fields - 1) {
        if (!same_field(a->field[lowest(fields)], b->field[lowest(fields)])) {
            return false;
        }
    }
    return a->secure == b->secure;
}

static bool same_key(const relay_entry *self, const tusk_relay_lookup *lookup)
{
    const uint8_t *at = self->key;
    for (uint32_t fields = self->fields; fields != 0; fields &= fields - 1) {
        tusk_bytes field = lookup->field[lowest(fields)];
        uint32_t len;
        memcpy(&len, at, sizeof(len));
        at += sizeof(len);
        if (len == ABSENT || field.ptr == NULL) {
            if (len != ABSENT || field.ptr != NULL) {
                return false;
            }
            continue;
        }
        if (field.len != len || memcmp(field.ptr, at, len) != 0) {
            return false;
        }
        at += len;
    }
    return self->secure == lookup->secure;
}

static void write_key(uint8_t *at, uint32_t fields, const tusk_relay_lookup *lookup)
{
    for (; fields != 0; fields &= fields - 1) {
        tusk_bytes field = lookup->field[lowest(fields)];
        uint32_t len = field.ptr == NULL ? ABSENT : (uint32_t)field.len;
        memcpy(at, &len, sizeof(len));
        at += sizeof(len);
        if (len != ABSENT) {
            memcpy(at, field.ptr, len);
            at += len;
        }
    }
}

static size_t key_len(uint32_t fields, const tusk_relay_lookup *lookup)
{
    size_t len = 0;
    for (; fields != 0; fields &= fields - 1) {
        len += sizeof(uint32_t) + lookup->field[lowest(fields)].len;
    }
    return len;
}

/* ---- sets of fields ---- */
static relay_mask *find_mask(relay_routes *self, uint32_t fields)
{
    for (uint32_t i = 0; i < self->mask_count; i++) {
        if (self->masks[i].fields == fields) {
            return &self->masks[i];
        }
    }
    return NULL;
}

static relay_mask *take_mask(relay_routes *self, uint32_t fields)
{
    relay_mask *mask = find_mask(self, fields);
    if (mask == NULL && self->mask_count < RELAY_MASKS_MAX) {
        mask = &self->masks[self->mask_count++];
        *mask = (relay_mask){.fields = fields};
    }
    return mask;
}

static void give_mask(relay_routes *self, uint32_t fields)
{
    relay_mask *mask = find_mask(self, fields);
    if (--mask->entries == 0) {
        *mask = self->masks[--self->mask_count];
    }
}

/* ---- entries ---- */
static void drop(tusk_relay *relay, relay_entry *entry)
{
    relay_routes *self = &relay->routes;
    tusk__table_remove(&self->table, &entry->in_table);
    tusk__link_remove(&entry->used);
    give_mask(self, entry->fields);
    relay_answer_unref(entry->answer);
    tusk__free(relay->mem, entry, sizeof(*entry) + entry->key_len);
}

static relay_entry *find(const relay_routes *self, uint32_t fields, uint64_t hash,
                         const tusk_relay_lookup *lookup)
{
    tusk_entry *at = tusk__table_find(&self->table, hash);
    for (; at != NULL; at = tusk__table_again(at)) {
        relay_entry *entry = TUSK_OWNER(at, relay_entry, in_table);
        if (entry->fields == fields && same_key(entry, lookup)) {
            return entry;
        }
    }
    return NULL;
}

relay_answer *relay_known(tusk_relay *relay, const tusk_relay_lookup *lookup)
{
    relay_routes *self = &relay->routes;
    uint64_t now_ms = tusk_loop_now_ms(relay->loop);
    for (uint32_t i = 0; i < self->mask_count; i++) {
        uint32_t fields = self->masks[i].fields;
        uint64_t hash = relay_hash_fields(self->seed, fields, lookup);
        relay_entry *entry = find(self, fields, hash, lookup);
        if (entry == NULL) {
            continue;
        }
        if (entry->until_ms <= now_ms) {
            uint32_t before = self->mask_count;
            drop(relay, entry);
            i -= self->mask_count < before ? 1 : 0; /* another one stands in its place */
            continue;
        }
        tusk__link_remove(&entry->used);
        tusk__list_push(&self->used, &entry->used);
        relay->stats.cache_hits++;
        return entry->answer;
    }
    return NULL;
}

void relay_remember(tusk_relay *relay, uint32_t fields, const tusk_relay_lookup *lookup,
                    relay_answer *answer, uint32_t ttl_ms)
{
    relay_routes *self = &relay->routes;
    size_t len = key_len(fields, lookup);
    self->learned |= fields;
    self->any_learned = true;
    if (ttl_ms == 0 || len > RELAY_KEY_MAX || relay->limits.routes == 0) {
        return;
    }
    uint64_t hash = relay_hash_fields(self->seed, fields, lookup);
    relay_entry *old = find(self, fields, hash, lookup);
    if (old != NULL) {
        drop(relay, old);
    }
    while (self->table.count >= relay->limits.routes) {
        relay->stats.routes_dropped++;
        drop(relay, TUSK_OWNER(self->used.next, relay_entry, used));
    }
    relay_entry *entry = tusk__new(relay->mem, sizeof(*entry) + len);
    relay_mask *mask = entry == NULL ? NULL : take_mask(self, fields);
    if (mask == NULL) {
        tusk__free(relay->mem, entry, sizeof(*entry) + len);
        return;
    }
    mask->entries++;
    entry->answer = relay_answer_ref(answer);
    entry->until_ms = tusk_loop_now_ms(relay->loop) + ttl_ms;
    entry->fields = fields;
    entry->key_len = (uint32_t)len;
    entry->secure = lookup->secure;
    write_key(entry->key, fields, lookup);
    (void)tusk__table_put(&self->table, relay->mem, &entry->in_table, hash); /* it has buckets */
    tusk__list_push(&self->used, &entry->used);
}

void tusk_relay_forget(tusk_relay *self)
{
    relay_routes *routes = &self->routes;
    while (!tusk__list_empty(&routes->used)) {
        drop(self, TUSK_OWNER(routes->used.next, relay_entry, used));
    }
    routes->epoch++;
    routes->learned = 0;
    routes->any_learned = false;
    self->mysql_caps = MYSQL_CAPS_OFFERED; /* backends may be others now */
}

tusk_err relay_cache_init(tusk_relay *relay)
{
    relay_routes *self = &relay->routes;
    tusk__list_init(&self->used);
    return tusk__table_init(&self->table, relay->mem);
}

void relay_cache_fini(tusk_relay *relay)
{
    relay_routes *self = &relay->routes;
    if (self->table.buckets != NULL) {
        tusk_relay_forget(relay);
        tusk__table_fini(&self->table, relay->mem);
    }
}
