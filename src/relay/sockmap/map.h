/* SPDX-License-Identifier: MIT */
/* What one relay does with a loaded sockmap. No privilege is needed for any of it. */
#ifndef RELAY_SOCKMAP_MAP_H
#define RELAY_SOCKMAP_MAP_H

#include <stdbool.h>
#include <tusk/mem.h>
#include <tusk/sockmap.h>

#include "relay/sockmap/flow.h"

/* A relay's place in it: a bell that only its pairs ring. */
typedef struct relay_sockmap relay_sockmap;

/* In the process that will use it: after a fork, not before. TUSK_ELIMIT: all places are taken. */
tusk_err relay_sockmap_open(relay_sockmap **out, tusk_sockmap *shared, const tusk_mem *mem,
                            void (*on_bell)(void *user, const struct sockmap_bell *bell),
                            void *user);
void relay_sockmap_close(relay_sockmap *self); /* NULL is fine */

/* Readable: somebody rang. Then relay_sockmap_hear tells each; true: the bell may have been too
 * full for all of them. */
int relay_sockmap_fd(const relay_sockmap *self);
bool relay_sockmap_hear(relay_sockmap *self);

/* The next three: 0 or an errno. A direction is made, */
int relay_sockmap_begin(relay_sockmap *self, uint64_t cookie, uint32_t slot, uint32_t side);
/* and what the socket with `cookie` receives goes to `fd`: E2BIG when there is no room in the map,
 * EOPNOTSUPP when `fd` is no TCP socket that is open both ways. */
int relay_sockmap_connect(relay_sockmap *self, uint64_t cookie, int fd);
/* So many of the passed bytes were sent by user space. */
int relay_sockmap_take(relay_sockmap *self, uint64_t cookie, uint64_t bytes);
/* False: there is no such direction. */
bool relay_sockmap_look(const relay_sockmap *self, uint64_t cookie, struct sockmap_flow *out);
/* The same, for the last time. Harmless when there is none. */
bool relay_sockmap_end(relay_sockmap *self, uint64_t cookie, struct sockmap_flow *out);

#endif
