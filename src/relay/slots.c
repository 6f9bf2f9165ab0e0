/* SPDX-License-Identifier: MIT */
/* Slots: an array that doubles, with its free ones in a chain. */
#include "relay/slots.h"

#include "base/mem.h"

enum { SLOTS_MIN = 16 };

void relay_slots_init(relay_slots *self)
{
    *self = (relay_slots){.free = UINT32_MAX};
}

void relay_slots_fini(relay_slots *self, const tusk_mem *mem)
{
    tusk__free(mem, self->slots, self->count * sizeof(self->slots[0]));
    *self = (relay_slots){.free = UINT32_MAX};
}

static bool grow(relay_slots *self, const tusk_mem *mem)
{
    uint32_t count = self->count == 0 ? SLOTS_MIN : 2 * self->count;
    relay_slot *slots =
        tusk__resize(mem, self->slots, self->count * sizeof(slots[0]), count * sizeof(slots[0]));
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = self->count; i < count; i++) {
        slots[i] = (relay_slot){.next = i + 1 < count ? i + 1 : UINT32_MAX};
    }
    self->free = self->count;
    self->slots = slots;
    self->count = count;
    return true;
}

bool relay_slots_take(relay_slots *self, const tusk_mem *mem, void *owner, uint32_t *slot)
{
    if (self->free == UINT32_MAX && !grow(self, mem)) {
        return false;
    }
    relay_slot *taken = &self->slots[self->free];
    *slot = self->free;
    self->free = taken->next;
    taken->owner = owner;
    taken->generation++;
    return true;
}

void relay_slots_give(relay_slots *self, uint32_t slot)
{
    self->slots[slot].owner = NULL;
    self->slots[slot].next = self->free;
    self->free = slot;
}
