/* SPDX-License-Identifier: MIT */
/* A chained hash table of address counts; an address without connections is not in it. */
#include "net/address_table.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

tusk_err tusk__addresses_init(address_table *self, const tusk_mem *mem, uint64_t seed)
{
    *self = (address_table){.mem = mem, .seed = seed};
    return tusk__table_init(&self->table, mem);
}

static address_count *count_at(tusk_entry *entry)
{
    return TUSK_OWNER(entry, address_count, in_table);
}

void tusk__addresses_fini(address_table *self)
{
    tusk_entry *entry = tusk__table_next(&self->table, NULL);
    while (entry != NULL) {
        tusk_entry *next = tusk__table_next(&self->table, entry);
        tusk__free(self->mem, count_at(entry), sizeof(address_count));
        entry = next;
    }
    tusk__table_fini(&self->table, self->mem);
    memset(self, 0, sizeof(*self));
}

static uint64_t hash(const address_table *self, const tusk_addr_key *key)
{
    return tusk__hash(self->seed, tusk_bytes_of(key->bytes, sizeof(key->bytes)));
}

static address_count *find(const address_table *self, const tusk_addr_key *key)
{
    tusk_entry *at = tusk__table_find(&self->table, hash(self, key));
    while (at != NULL && memcmp(&count_at(at)->key, key, sizeof(*key)) != 0) {
        at = tusk__table_again(at);
    }
    return at == NULL ? NULL : count_at(at);
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

address_count *tusk__addresses_take(address_table *self, const tusk_addr_key *key)
{
    address_count *entry = find(self, key);
    if (entry == NULL) {
        entry = tusk__new(self->mem, sizeof(*entry));
        if (entry == NULL) {
            return NULL;
        }
        entry->key = *key;
        (void)tusk__table_put(&self->table, self->mem, &entry->in_table, hash(self, key));
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
    tusk__table_remove(&self->table, &entry->in_table);
    tusk__free(self->mem, entry, sizeof(*entry));
}
