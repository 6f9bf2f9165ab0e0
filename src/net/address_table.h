/* SPDX-License-Identifier: MIT */
/* How many connections each address has: IPv4 whole, IPv6 by its /64; here, and with a tally in
 * other processes. */
#ifndef NET_ADDRESS_TABLE_H
#define NET_ADDRESS_TABLE_H

#include <tusk/mem.h>

#include "base/table.h"
#include "net/addr.h"
#include "net/tally.h"

typedef struct address_count {
    tusk_entry in_table;
    uint32_t count;
    tusk_addr_key key;
} address_count;

typedef struct address_table {
    const tusk_mem *mem;
    uint64_t seed;
    tusk_table table;
    net_tally tally; /* told of every change; without cells: nobody else counts */
} address_table;

tusk_err tusk__addresses_init(address_table *self, const tusk_mem *mem, uint64_t seed);
void tusk__addresses_fini(address_table *self);
/* Counts one more; NULL: no memory. */
address_count *tusk__addresses_take(address_table *self, const tusk_addr_key *key);
void tusk__addresses_give(address_table *self, address_count *entry);
/* What other processes have of it. */
uint64_t tusk__addresses_elsewhere(const address_table *self, const tusk_addr_key *key);
/* Would one more, with those of other processes, be over the limit? Told before it is looked at:
 * two processes that come to the last place both see it. One that is let in is to be taken. */
bool tusk__addresses_full(const address_table *self, const tusk_addr_key *key, uint32_t limit);
/* It was not taken after all. */
void tusk__addresses_tell(const address_table *self, const tusk_addr_key *key);

#endif
