/* SPDX-License-Identifier: MIT */
/* How many connections of each address, or to each target, the processes of one server have: each
 * writes its own seat and reads all, so one that dies between two writes leaves nothing undone. */
#ifndef NET_TALLY_H
#define NET_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ways of a set; what finds no room is counted by its own process alone. */
enum { TALLY_SETS = 4096, TALLY_WAYS = 8 };

typedef struct tally_cell {
    _Atomic uint64_t hash;
    _Atomic uint64_t count; /* 0: free; above 32 bits: how many of them are spare */
} tally_cell;

/* A process's view of it. */
typedef struct net_tally {
    tally_cell *cells; /* seat by seat, all zero at first; NULL: nobody shares */
    uint32_t seats;
    uint32_t seat;
} net_tally;

/* Bytes of shared memory. */
size_t net_tally_size(uint32_t seats);
/* This process has `count` of `hash` now; of these nobody works on `spare`. */
void net_tally_tell(const net_tally *self, uint64_t hash, uint32_t count, uint32_t spare);
/* What the others have. */
uint64_t net_tally_others(const net_tally *self, uint64_t hash);
/* What a seat has and nobody works on. */
uint32_t net_tally_spare(const tally_cell *cells, uint32_t seat, uint64_t hash);
/* That seat's process has nothing any more. */
void net_tally_gone(tally_cell *cells, uint32_t seat);

#endif
