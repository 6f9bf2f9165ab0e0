/* SPDX-License-Identifier: MIT */
/*
 * Shortcuts: pairs whose bytes the kernel relays (TUSK_ENGINE_SOCKMAP).
 *
 * A pair is handed over when it is joined and nothing of it is under way in user space. From then
 * on only ends, resets and deadlines are seen here, and a direction whose receiver does not keep
 * up: that one is relayed by the copying pump until it flows again.
 */
#ifndef RELAY_MOVE_SHORTCUT_H
#define RELAY_MOVE_SHORTCUT_H

#include "relay/move/pair.h"
#include "relay/sockmap/map.h"

typedef enum way_mode {
    WAY_KERNEL,
    WAY_SETTLING, /* bytes were passed to user space; those redirected before go first */
    WAY_USER      /* they are copied */
} way_mode;

/* A direction, named as its end is by where the bytes come from. */
typedef struct relay_way {
    uint64_t cookie;  /* of this end's socket */
    uint64_t read;    /* from it by user space, before it was handed over */
    uint64_t written; /* to the other one, before */
    uint64_t taken;   /* of the bytes passed to user space, read by it */
    uint8_t mode;     /* way_mode */
} relay_way;

enum { SHORTCUT_WHOLE = 2 };

struct relay_shortcut {
    relay_pair *pair;
    relay_way way[2];
    uint32_t slot;
    uint8_t tick_ms; /* something is awaited that no event tells; 0: nothing */
    uint8_t tries;   /* ticks since a side was lost */
    uint8_t lost;    /* the side that reset; SHORTCUT_WHOLE: none */
    bool half;       /* only one socket is in the map: both directions stay in user space */
};

/* ---- of a relay ---- */
/* Loads the map or takes the given one; what came of it is the engine's state. Before the fork. */
void relay_shortcuts_load(tusk_relay *relay, const tusk_relay_options *options);
/* Its place in the map, and its bell; the log is told. After it. */
void relay_shortcuts_open(tusk_relay *relay);
void relay_shortcuts_close(tusk_relay *relay); /* harmless when there are none */

/* ---- of a pair ---- */
void relay_shortcut_try(relay_pair *pair);
/* All of these: true when the pair is over. */
bool relay_shortcut_event(relay_pair *pair, int side, unsigned events);
bool relay_shortcut_run(relay_pair *pair);
bool relay_shortcut_due(relay_pair *pair); /* the timer fired: what is known is made new */
/* Who reads a socket's end may be early: bytes before it are still under way in the kernel. */
bool relay_shortcut_has_arrived(relay_pair *pair, int side);
/* It is known to have reset. Its error was told then, and who reads it further finds an end that is
 * none. */
static inline bool relay_shortcut_lost(const relay_pair *pair, int side)
{
    return pair->shortcut != NULL && pair->shortcut->lost == side;
}
/* Back to nothing; what the kernel relayed it has told (TCP_INFO tells the rest). */
void relay_shortcut_free(relay_pair *pair);

static inline void relay_shortcut_offer(relay_pair *pair)
{
    if (pair->session.door->relay->shortcuts != NULL && !pair->offered) {
        relay_shortcut_try(pair);
    }
}

#endif
