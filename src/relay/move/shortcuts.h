/* SPDX-License-Identifier: MIT */
/* What a relay has of shortcuts, for the two files about them. */
#ifndef RELAY_MOVE_SHORTCUTS_H
#define RELAY_MOVE_SHORTCUTS_H

#include "relay/move/shortcut.h"
#include "relay/slots.h"

typedef struct relay_shortcuts {
    const tusk_mem *mem;
    relay_sockmap *map;
    tusk_io io;        /* the bell */
    relay_slots slots; /* pairs by their numbers on the bell */
    bool said;         /* the log was told that a pair could not be handed over */
} relay_shortcuts;

/* A direction may have begun to pass bytes. True: the pair is over. */
bool relay_shortcut_called(relay_pair *pair, int side);

#endif
