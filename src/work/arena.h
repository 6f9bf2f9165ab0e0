/* SPDX-License-Identifier: MIT */
/* An arena: room in the region that one process hands out, in order, and gets back. */
#ifndef WORK_ARENA_H
#define WORK_ARENA_H

#include "work/region.h"

/* A piece that somebody reads; the owner's own record. */
typedef struct arena_block {
    size_t at, end;
    const _Atomic uint64_t *word; /* the piece is free when this is no longer `expected`; NULL: */
    uint64_t expected;            /* until it is freed */
    bool freed;
} arena_block;

typedef struct work_arena {
    const tusk_mem *mem;
    uint8_t *base;
    size_t size;
    size_t peak; /* touched since pages were last given back */
    size_t open_at;
    arena_block *blocks; /* oldest first, a ring */
    uint32_t block_max, first, count;
    uint32_t sequence; /* of the oldest block */
} work_arena;

void tusk__arena_init(work_arena *self, const tusk_mem *mem, uint8_t *base, size_t size);
void tusk__arena_fini(work_arena *self);
/* The largest room in one piece; NULL: full, or no memory for the record. */
uint8_t *tusk__arena_open(work_arena *self, size_t *cap);
/* That room again. */
static inline uint8_t *tusk__arena_room(const work_arena *self)
{
    return self->base + self->open_at;
}
/* What was written into the room is a block from now on; its number is for tusk__arena_free. */
uint32_t tusk__arena_commit(work_arena *self, size_t len, const _Atomic uint64_t *word,
                            uint64_t expected);
void tusk__arena_free(work_arena *self, uint32_t sequence);
/* A block that is there already: of a process that died. */
bool tusk__arena_adopt(work_arena *self, size_t at, size_t len, const _Atomic uint64_t *word,
                       uint64_t expected);

#endif
