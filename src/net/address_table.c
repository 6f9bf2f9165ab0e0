/* SPDX-License-Identifier: MIT */
/* A chained hash table of address counts; an address without connections is not in it. */
#include "net/address_table.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define BUCKETS_MIN 64u

tusk_err tusk__addresses_init(address_table *self, const tusk_mem *mem, uint64_t seed)
{
    *self = (address_table){.mem = mem, .seed = seed, .bucket_count = BUCKETS_MIN};
    self->buckets = tusk__new(mem, BUCKETS_MIN * sizeof(address_count *));
    return self->buckets == NULL ? TUSK_ENOMEM : TUSK_OK;
}

void tusk__addresses_fini(address_table *self)
{
    if (self->buckets == NULL) {
        return;
    }
    for (uint32_t i = 0; i < self->bucket_count; i++) {
        while (self->buckets[i] != NULL) {
            address_count *entry = self->buckets[i];
            self->buckets[i] = entry->next;
            tusk__free(self->mem, entry, sizeof(*entry));
        }
    }
    tusk__free(self->mem, self->buckets, self->bucket_count * sizeof(address_count *));
    memset(self, 0, sizeof(*self));
}

static uint64_t hash(const address_table *self, const tusk_addr_key *key)
{
    return tusk__hash(self->seed, tusk_bytes_of(key->bytes, sizeof(key->bytes)));
}

static address_count *find(const address_table *self, const tusk_addr_key *key)
{
    address_count *entry = self->buckets[hash(self, key) & (self->bucket_count - 1)];
    while (entry != NULL && memcmp(&entry->key, key, sizeof(*key)) != 0) {
        entry = entry->next;
    }
    return entry;
}

static uint32_t count_of(const address_table *self, const tusk_addr_key *key)
{
    const address_count *entry = find(self, key);
    return entry == NULL ? 0 : entry->count;
}

uint64_t tusk__addresses_elsewhere(const address_table *self, const tusk_addr_key *key)
{
    return self->tally.cells == NULL ? 0 : net_tally_others(&self->tally, hash(self, key));
}

static void tell(const address_table *self, const tusk_addr_key *key, uint32_t count)
{
    if (self->tally.cells != NULL) {
        net_tally_tell(&self->tally, hash(self, key), count, 0);
    }
}

void tusk__addresses_tell(const address_table *self, const tusk_addr_key *key)
{
    tell(self, key, count_of(self, key));
}

bool tusk__addresses_full(const address_table *self, const tusk_addr_key *key, uint32_t limit)
{
    uint32_t own = count_of(self, key);
    if (own >= limit) {
        return true;
    }
    tell(self, key, own + 1);
    bool full = own + tusk__addresses_elsewhere(self, key) >= limit;
    if (full) {
        tusk__addresses_tell(self, key);
    }
    return full;
}

static void grow(address_table *self)
{
    uint32_t wanted = self->bucket_count * 2;
    address_count **buckets = tusk__new(self->mem, wanted * sizeof(address_count *));
    if (buckets == NULL) {
        return; /* longer chains are slower, not wrong */
    }
    for (uint32_t i = 0; i < self->bucket_count; i++) {
        while (self->buckets[i] != NULL) {
            address_count *entry = self->buckets[i];
            self->buckets[i] = entry->next;
            entry->bucket = (uint32_t)(hash(self, &entry->key) & (wanted - 1));
            entry->next = buckets[entry->bucket];
            buckets[entry->bucket] = entry;
        }
    }
    tusk__free(self->mem, self->buckets, self->bucket_count * sizeof(address_count *));
    self->buckets = buckets;
    self->bucket_count = wanted;
}

address_count *tusk__addresses_take(address_table *self, const tusk_addr_key *key)
{
    address_count *entry = find(self, key);
    if (entry == NULL) {
        if (self->entry_count >= self->bucket_count) {
            grow(self);
        }
        entry = tusk__new(self->mem, sizeof(*entry));
        if (entry == NULL) {
            return NULL;
        }
        entry->key = *key;
        entry->bucket = (uint32_t)(hash(self, key) & (self->bucket_count - 1));
        entry->next = self->buckets[entry->bucket];
        self->buckets[entry->bucket] = entry;
        self->entry_count++;
    }
    entry->count++;
    tell(self, key, entry->count);
    return entry;
}

void tusk__addresses_give(address_table *self, address_count *entry)
{
    entry->count--;
    tell(self, &entry->key, entry->count);
    if (entry->count > 0) {
        return;
    }
    address_count **place = &self->buckets[entry->bucket];
    while (*place != entry) {
        place = &(*place)->next;
    }
    *place = entry->next;
    self->entry_count--;
    tusk__free(self->mem, entry, sizeof(*entry));
}
