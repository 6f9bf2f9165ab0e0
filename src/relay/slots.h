/* SPDX-License-Identifier: MIT */
/* Slots: small numbers for things that somebody else names, and that may be gone by then. A number
 * is used again with another generation. */
#ifndef RELAY_SLOTS_H
#define RELAY_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <tusk/mem.h>

typedef struct relay_slot {
    void *owner; /* NULL: free, `next` is the next free one */
    uint32_t generation;
    uint32_t next;
} relay_slot;

typedef struct relay_slots {
    relay_slot *slots;
    uint32_t count;
    uint32_t free; /* UINT32_MAX: none */
} relay_slots;

void relay_slots_init(relay_slots *self);
void relay_slots_fini(relay_slots *self, const tusk_mem *mem);
/* False: no memory. */
bool relay_slots_take(relay_slots *self, const tusk_mem *mem, void *owner, uint32_t *slot);
void relay_slots_give(relay_slots *self, uint32_t slot);

/* Any number may be asked for. NULL: nobody has it. */
static inline void *relay_slots_at(const relay_slots *self, uint32_t slot)
{
    return slot < self->count ? self->slots[slot].owner : NULL;
}

#endif
