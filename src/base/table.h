/* SPDX-License-Identifier: MIT */
/* A chained hash table whose entries are embedded in their owners. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdint.h>

#include <tusk/err.h>
#include <tusk/mem.h>

#include "base/list.h"

typedef struct tusk_entry {
    struct tusk_entry *next; /* in its bucket */
    uint64_t hash;
} tusk_entry;

/* All zero: empty, and the first entry makes its buckets. */
typedef struct tusk_table {
    tusk_entry **buckets;
    uint32_t bucket_count; /* a power of two, or 0 */
    uint32_t count;
} tusk_table;

/* Makes the first buckets, so that no tusk__table_put fails. TUSK_ENOMEM. */
tusk_err tusk__table_init(tusk_table *self, const tusk_mem *mem);
/* Of one that may be all zero; entries are their owners' affair. */
void tusk__table_fini(tusk_table *self, const tusk_mem *mem);
/* False: there is no bucket, and no memory for any. Where there is no memory for more of them,
 * chains get longer. */
bool tusk__table_put(tusk_table *self, const tusk_mem *mem, tusk_entry *entry, uint64_t hash);
/* `entry` is there. */
void tusk__table_remove(tusk_table *self, const tusk_entry *entry);
/* Every entry once, the first one after NULL; NULL behind the last. None may be put meanwhile. */
tusk_entry *tusk__table_next(const tusk_table *self, const tusk_entry *entry);

static inline tusk_entry *tusk__entry_with(tusk_entry *entry, uint64_t hash)
{
    while (entry != NULL && entry->hash != hash) {
        entry = entry->next;
    }
    return entry;
}

/* The first of those with this hash, NULL: there is none; and the one after it. */
static inline tusk_entry *tusk__table_find(const tusk_table *self, uint64_t hash)
{
    return self->bucket_count == 0
               ? NULL
               : tusk__entry_with(self->buckets[hash & (self->bucket_count - 1)], hash);
}
static inline tusk_entry *tusk__table_again(const tusk_entry *entry)
{
    return tusk__entry_with(entry->next, entry->hash);
}

#endif
