/* SPDX-License-Identifier: MIT */
/* Buckets that double when there are as many entries. */
#include "base/table.h"

#include "base/mem.h"

enum { BUCKETS_MIN = 64 };

static tusk_entry **bucket_of(tusk_entry **buckets, uint32_t count, uint64_t hash)
{
    return &buckets[hash & (count - 1)];
}

static void push(tusk_entry **bucket, tusk_entry *entry)
{
    entry->next = *bucket;
    *bucket = entry;
}

static tusk_err grow(tusk_table *self, const tusk_mem *mem)
{
    uint32_t wanted = self->bucket_count == 0 ? BUCKETS_MIN : self->bucket_count * 2;
    tusk_entry **buckets = tusk__new(mem, wanted * sizeof(tusk_entry *));
    if (buckets == NULL) {
        return TUSK_ENOMEM;
    }
    for (uint32_t i = 0; i < self->bucket_count; i++) {
        while (self->buckets[i] != NULL) {
            tusk_entry *entry = self->buckets[i];
            self->buckets[i] = entry->next;
            push(bucket_of(buckets, wanted, entry->hash), entry);
        }
    }
    tusk__free(mem, self->buckets, self->bucket_count * sizeof(tusk_entry *));
    self->buckets = buckets;
    self->bucket_count = wanted;
    return TUSK_OK;
}

tusk_err tusk__table_init(tusk_table *self, const tusk_mem *mem)
{
    *self = (tusk_table){.count = 0};
    return grow(self, mem);
}

void tusk__table_fini(tusk_table *self, const tusk_mem *mem)
{
    tusk__free(mem, self->buckets, self->bucket_count * sizeof(tusk_entry *));
    *self = (tusk_table){.count = 0};
}

bool tusk__table_put(tusk_table *self, const tusk_mem *mem, tusk_entry *entry, uint64_t hash)
{
    if (self->count >= self->bucket_count && grow(self, mem) != TUSK_OK &&
        self->bucket_count == 0) {
        return false;
    }
    entry->hash = hash;
    push(bucket_of(self->buckets, self->bucket_count, hash), entry);
    self->count++;
    return true;
}

void tusk__table_remove(tusk_table *self, const tusk_entry *entry)
{
    tusk_entry **place = bucket_of(self->buckets, self->bucket_count, entry->hash);
    while (*place != entry) {
        place = &(*place)->next;
    }
    *place = entry->next;
    self->count--;
}

tusk_entry *tusk__table_next(const tusk_table *self, const tusk_entry *entry)
{
    uint32_t at = 0;
    if (entry != NULL && entry->next != NULL) {
        return entry->next;
    }
    if (entry != NULL) {
        at = (uint32_t)(entry->hash & (self->bucket_count - 1)) + 1;
    }
    while (at < self->bucket_count && self->buckets[at] == NULL) {
        at++;
    }
    return at < self->bucket_count ? self->buckets[at] : NULL;
}
