/* SPDX-License-Identifier: MIT */
/* An arena: a ring of blocks, freed from the oldest end, whose record is the owner's own memory. */
#define _GNU_SOURCE
#include "work/arena.h"

#if defined(__linux__)

#include "base/mem.h"

#include <assert.h>
#include <sys/mman.h>

#define KEPT_BYTES (1024u * 1024u) /* pages that stay when the arena is empty */
#define ALIGN 64u

void tusk__arena_init(work_arena *self, const tusk_mem *mem, uint8_t *base, size_t size)
{
    *self = (work_arena){.mem = mem, .base = base, .size = size};
}

void tusk__arena_fini(work_arena *self)
{
    tusk__free(self->mem, self->blocks, self->block_max * sizeof(arena_block));
    *self = (work_arena){0};
}

static arena_block *block_at(const work_arena *self, uint32_t i)
{
    assert(self->block_max > 0); /* there is a record before there is a block */
    return &self->blocks[(self->first + i) % self->block_max];
}

static bool is_free(const arena_block *block)
{
    return block->freed ||
           (block->word != NULL &&
            atomic_load_explicit(block->word, memory_order_acquire) != block->expected);
}

static void reclaim(work_arena *self)
{
    while (self->count > 0 && is_free(block_at(self, 0))) {
        self->first = (self->first + 1) % self->block_max;
        self->count--;
        self->sequence++;
    }
    if (self->count == 0 && self->peak > KEPT_BYTES) {
#if defined(MADV_REMOVE)
        (void)madvise(self->base + KEPT_BYTES, (self->peak - KEPT_BYTES + 4095) / 4096 * 4096,
                      MADV_REMOVE);
#endif
        self->peak = 0;
    }
}

static bool grow_record(work_arena *self)
{
    if (self->count < self->block_max) {
        return true;
    }
    uint32_t max = self->block_max == 0 ? 16 : self->block_max * 2;
    arena_block *blocks = tusk__new(self->mem, max * sizeof(*blocks));
    if (blocks == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        blocks[i] = *block_at(self, i);
    }
    tusk__free(self->mem, self->blocks, self->block_max * sizeof(*blocks));
    self->blocks = blocks;
    self->block_max = max;
    self->first = 0;
    return true;
}

uint8_t *tusk__arena_open(work_arena *self, size_t *cap)
{
    reclaim(self);
    if (!grow_record(self)) {
        return NULL;
    }
    size_t at = 0;
    size_t end = self->size;
    if (self->count > 0) {
        size_t oldest = block_at(self, 0)->at;
        size_t newest = block_at(self, self->count - 1)->end;
        if (newest <= oldest) { /* it has wrapped: what is free lies between */
            at = newest;
            end = oldest;
        } else if (self->size - newest >= oldest) {
            at = newest;
        } else {
            end = oldest;
        }
    }
    if (end - at < ALIGN * 2) {
        return NULL;
    }
    self->open_at = at;
    *cap = end - at - ALIGN; /* a full ring is never mistaken for an empty one */
    return self->base + at;
}

static uint32_t append(work_arena *self, arena_block block)
{
    self->blocks[(self->first + self->count) % self->block_max] = block;
    self->count++;
    if (block.end > self->peak) {
        self->peak = block.end;
    }
    return self->sequence + self->count - 1;
}

uint32_t tusk__arena_commit(work_arena *self, size_t len, const _Atomic uint64_t *word,
                            uint64_t expected)
{
    size_t used = (len + ALIGN - 1) / ALIGN * ALIGN;
    return append(self, (arena_block){.at = self->open_at,
                                      .end = self->open_at + (used == 0 ? ALIGN : used),
                                      .word = word,
                                      .expected = expected});
}

void tusk__arena_free(work_arena *self, uint32_t sequence)
{
    uint32_t i = sequence - self->sequence;
    if (i < self->count) {
        block_at(self, i)->freed = true;
    }
    reclaim(self);
}

bool tusk__arena_adopt(work_arena *self, size_t at, size_t len, const _Atomic uint64_t *word,
                       uint64_t expected)
{
    if (!grow_record(self)) {
        return false;
    }
    size_t end = at + (len + ALIGN - 1) / ALIGN * ALIGN;
    end = end > self->size ? self->size : end;
    (void)append(self, (arena_block){.at = at, .end = end, .word = word, .expected = expected});
    for (uint32_t i = 0; i + 1 < self->count; i++) {
        at = block_at(self, i)->at < at ? block_at(self, i)->at : at;
        end = block_at(self, i)->end > end ? block_at(self, i)->end : end;
    }
    /* They come in any order, so each stands for all: the range is free with the last of them. */
    for (uint32_t i = 0; i < self->count; i++) {
        block_at(self, i)->at = at;
        block_at(self, i)->end = end;
    }
    return true;
}

#else

typedef int tusk__arena_is_not_built; /* an empty file would not be C */

#endif
