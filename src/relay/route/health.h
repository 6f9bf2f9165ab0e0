/* SPDX-License-Identifier: MIT */
/*
 * The verdict on a target: failures in a row, ejected until when, who tries it, what probes found.
 *
 * A relay alone keeps it with the target. Those of several workers keep one for all, in a table of
 * fixed size in shared memory: what one worker found out holds for all, and one probes for all. An
 * entry is there while there is something to remember, or probes go on. In a full set a target is
 * judged by its own process. Every field is a number that is written by itself, so a process that
 * dies between two writes leaves a count that is one short, and nothing undone.
 */
#ifndef RELAY_ROUTE_HEALTH_H
#define RELAY_ROUTE_HEALTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { HEALTH_WAYS = 8, HEALTH_SETS = 1024 };

typedef struct tusk_relay tusk_relay;
typedef struct relay_target relay_target;

typedef struct relay_health {
    _Atomic uint64_t seen_ms; /* somebody asked or wrote, to the second */
    _Atomic uint64_t ejected_until_ms;
    _Atomic uint64_t trying_until_ms; /* one connection tries, and is believed to until then */
    _Atomic uint64_t probe_ms;        /* nobody probes before */
    _Atomic uint32_t failures;        /* in a row */
    _Atomic uint8_t rises, falls;     /* of probes, in a row */
    _Atomic bool ejected;
    _Atomic bool down; /* probes took it out: only probes or a connection bring it back */
} relay_health;

typedef struct relay_healths {
    _Atomic uint64_t *keys; /* a set is a cache line; NULL: nothing is shared */
    relay_health *healths;
    uint64_t stale_ms; /* an entry that nobody saw for so long is free */
} relay_healths;

/* Ejected, and its time is not over, or another connection is trying it. */
bool relay_health_is_out(relay_target *target);
bool relay_health_is_ejected(relay_target *target);
/* It is connected to though it is ejected; false: somebody else was faster. */
bool relay_health_try(relay_target *target);
void relay_health_leave(relay_target *target); /* and that told nothing of it */
void relay_health_succeeded(relay_target *target);
void relay_health_failed(relay_target *target);
/* This process is to probe it now, for all. */
bool relay_health_probes(relay_target *target);
void relay_health_probed(relay_target *target, bool up);
void relay_health_forget(relay_target *target); /* before it is freed */
/* Of a target that this process may not know: 1 up, 0 ejected, -1 unknown. */
int relay_health_known(const tusk_relay *relay, uint64_t hash);

/* ---- of all workers ---- */
int relay_healths_known(const relay_healths *self, uint64_t hash); /* the same */
void relay_healths_gone(const relay_healths *self, uint32_t seat);
uint64_t relay_healths_ejected(const relay_healths *self, uint64_t now_ms);

#endif
