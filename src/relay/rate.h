/* SPDX-License-Identifier: MIT */
/* New connections a second of one address, in a table of fixed size. */
#ifndef RELAY_RATE_H
#define RELAY_RATE_H

#include <tusk/mem.h>

#include "net/addr.h"

enum { RELAY_RATE_WAYS = 4, RELAY_RATE_SETS = 4096 };

/* An address is known as long as it has used up a part of its second. In a full set the one that
 * has used least is forgotten: an attack from very many addresses is let through rather than
 * remembered without bound. */
typedef struct relay_rate_cell {
    uint64_t hash;    /* of the address */
    uint64_t paid_us; /* when all it did is paid for, at the rate allowed */
} relay_rate_cell;

typedef struct relay_rate {
    const tusk_mem *mem;
    relay_rate_cell *cells; /* NULL: off */
    uint64_t seed;
    uint32_t per_second;
} relay_rate;

tusk_err relay_rate_init(relay_rate *self, const tusk_mem *mem, uint32_t per_second, uint64_t seed);
void relay_rate_fini(relay_rate *self);
bool relay_rate_allows(relay_rate *self, const tusk_addr_key *key, uint64_t now_us);

#endif
