/* SPDX-License-Identifier: MIT */
/* What a relay has of shortcuts, for the two files about them. */
#ifndef RELAY_SHORTCUTS_H
#define RELAY_SHORTCUTS_H

#include "relay/shortcut.h"

/* A pair's number on the bell. */
typedef struct shortcut_slot {
    relay_shortcut *shortcut; /* NULL: free, */
    uint32_t next;            /* and the next free one; UINT32_MAX: none */
} shortcut_slot;

typedef struct relay_shortcuts {
    const tusk_mem *mem;
    relay_sockmap *map;
    tusk_io io; /* the bell */
    shortcut_slot *slots;
    uint32_t cap;
    uint32_t free;
    bool said; /* the log was told that a pair could not be handed over */
} relay_shortcuts;

bool relay_slot_take(relay_shortcuts *self, relay_shortcut *shortcut);
void relay_slot_give(relay_shortcuts *self, uint32_t slot);
/* A direction may have begun to pass bytes. True: the pair is over. */
bool relay_shortcut_called(relay_pair *pair, int side);

#endif
