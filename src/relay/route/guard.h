/* SPDX-License-Identifier: MIT */
/* The guard against server-side request forgery: which addresses the relay connects to, and ranges
 * of addresses as text. */
#ifndef RELAY_ROUTE_GUARD_H
#define RELAY_ROUTE_GUARD_H

#include <tusk/mem.h>

#include "net/addr.h"
#include "net/ip_class.h"

/* "10.0.0.0/8", "fd00::/8", "192.0.2.7", "unix:/run/" (paths that begin so, and have no "..": that
 * leads elsewhere). */
typedef struct relay_ranges {
    const tusk_mem *mem;
    tusk_ip_range *items;
    size_t count;
    char **paths;
    size_t path_count;
    size_t cap; /* of each of the two */
} relay_ranges;

/* On TUSK_EINVAL `*wrong` is the text that is no range. */
tusk_err relay_ranges_init(relay_ranges *self, const tusk_mem *mem, const char *const *texts,
                           size_t count, const char **wrong);
void relay_ranges_fini(relay_ranges *self);
/* Whether they name a peer. One of a Unix path has no address and is local: it is trusted as soon
 * as anybody is, as a server's peers are. */
bool relay_ranges_trust(const relay_ranges *self, const tusk_addr *peer);

typedef struct relay_guard {
    relay_ranges allowed;
    bool any_address;
} relay_guard;

/* Judged on the very address that connect() gets: what is allowed, then what is public. A Unix path
 * is never public. */
bool relay_guard_allows(const relay_guard *self, const tusk_addr *addr);

#endif
