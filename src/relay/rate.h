/* SPDX-License-Identifier: MIT */
/* New connections a second of one address, in a table of fixed size. */
#ifndef RELAY_RATE_H
#define RELAY_RATE_H

#include <stdatomic.h>
#include <tusk/mem.h>

#include "net/addr.h"

enum { RELAY_RATE_WAYS = 4, RELAY_RATE_SETS = 4096 };

/* An address is known as long as it has used up a part of its second. In a full set the one that
 * has used least is forgotten: an attack from very many addresses is let through rather than
 * remembered without bound. */
typedef struct relay_rate_cell {
    _Atomic uint64_t hash;    /* of the address */
    _Atomic uint64_t paid_us; /* when all it did is paid for, at the rate allowed */
} relay_rate_cell;

typedef struct relay_rate {
    const tusk_mem *mem;
    relay_rate_cell *cells; /* NULL: off */
    relay_rate_cell *own;   /* what is given back at the end */
    uint64_t seed;
    uint32_t per_second;
} relay_rate;

tusk_err relay_rate_init(relay_rate *self, const tusk_mem *mem, uint32_t per_second, uint64_t seed);
/* With the cells of several processes; they stay whose they are. NULL: nothing changes. */
void relay_rate_share(relay_rate *self, relay_rate_cell *cells);
void relay_rate_fini(relay_rate *self);
bool relay_rate_allows(relay_rate *self, const tusk_addr_key *key, uint64_t now_us);

#endif
