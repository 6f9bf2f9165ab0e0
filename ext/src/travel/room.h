/* SPDX-License-Identifier: MIT */
/* The room that values take of PHP's memory, counted before it is taken: a length that is true may
 * still be more than a memory limit allows, which would be the end of this process. */
#ifndef TUSK_EXT_TRAVEL_ROOM_H
#define TUSK_EXT_TRAVEL_ROOM_H

#include "src/travel/travel.h"

/* A PHP built for debugging keeps the place of its allocation with each block; what is claimed at
 * once are two of them at most, an array and its table. */
#if ZEND_DEBUG
enum { BLOCK_EXTRA = 2 * 32 };
#else
enum { BLOCK_EXTRA = 0 };
#endif

#define CHUNK_BYTES ((size_t)2 * 1024 * 1024)
#define PAGE_BYTES ((size_t)4096)
#define CHUNK_PAGES (CHUNK_BYTES / PAGE_BYTES - 1) /* the first one is the chunk's own */

/* What PHP's allocator takes for so many bytes: its steps, a share of a chunk that holds some of
 * these, or chunks of 2 MB. */
static inline size_t taken(size_t bytes)
{
    size_t step = 8;
    if (bytes > CHUNK_PAGES * PAGE_BYTES) {
        step = CHUNK_BYTES;
    } else if (bytes > 3072) {
        return CHUNK_BYTES / (CHUNK_PAGES / ((bytes + PAGE_BYTES - 1) / PAGE_BYTES));
    } else if (bytes > 64) {
        step = ((size_t)1 << (63 - __builtin_clzll((unsigned long long)bytes - 1))) / 4;
    }
    return (bytes + step - 1) & ~(step - 1);
}

/* False: it is not there, which is noted. */
static inline bool spend_counted(tusk_unpacker *self, size_t bytes)
{
    bytes = taken(bytes + BLOCK_EXTRA);
    if (UNEXPECTED(bytes > self->room)) {
        self->too_large = true;
        return tusk_unpack_broken(self, "it takes more than the memory limit leaves");
    }
    self->room -= bytes;
    return true;
}

/* For what the codec itself makes of bytes. */
static inline bool spend(tusk_unpacker *self, size_t bytes)
{
    return EXPECTED(self->prepaid) || spend_counted(self, bytes);
}

#if PHP_VERSION_ID >= 80200
#define LIST_ELEMENT_BYTES sizeof(zval)
#else
#define LIST_ELEMENT_BYTES sizeof(Bucket)
#endif
#define HASH_ELEMENT_BYTES (sizeof(Bucket) + 2 * sizeof(uint32_t))
#define LIST_HASH_BYTES                                                                            \
    (2 * sizeof(uint32_t)) /* those of all lists: with them a table may begin another chunk */

/* PHP rounds up to a power of two. */
static inline bool spend_array(tusk_unpacker *self, uint32_t count, size_t element, size_t more)
{
    size_t cells = 8;
    if (EXPECTED(self->prepaid)) {
        return true;
    }
    while (cells < count) {
        cells *= 2;
    }
    return spend(self, sizeof(zend_array)) && spend(self, cells * element + more);
}

static inline bool spend_list(tusk_unpacker *self, uint32_t count)
{
    return spend_array(self, count, LIST_ELEMENT_BYTES, LIST_HASH_BYTES);
}

static inline bool spend_hash(tusk_unpacker *self, uint32_t count)
{
    return spend_array(self, count, HASH_ELEMENT_BYTES, 0);
}

#endif
