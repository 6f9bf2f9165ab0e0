/* SPDX-License-Identifier: MIT */
/*
 * Names to addresses without holding up the loop: getaddrinfo blocks, so threads call it.
 *
 * Threads are there only while names are looked up; they touch nothing but their job, and no signal
 * reaches them. Equal names under way are one job. A lookup that nobody waits for any more keeps
 * its thread until the system's resolver gives up; tusk_resolver_free does not wait for it, and the
 * code stays loaded for it (docs/decisions/0013-names-are-looked-up-in-threads.md).
 */
#ifndef NET_RESOLVER_H
#define NET_RESOLVER_H

#include <tusk/loop.h>

#include "base/list.h"
#include "net/addr.h"

enum { RESOLVER_ADDRS_MAX = 8, RESOLVER_HOST_MAX = 255 };

typedef struct tusk_resolver tusk_resolver;

/* As tusk_addr_resolve, called in a thread. */
typedef int (*tusk_look_up)(void *user, tusk_addr *out, int cap, const char *host, uint16_t port);

typedef struct tusk_resolver_options {
    unsigned threads;     /* at most so many names at once; 0: 4 */
    unsigned names;       /* so many under way, waiting ones too; 0: 1024 */
    tusk_look_up look_up; /* NULL: tusk_addr_resolve */
    void *user;
} tusk_resolver_options;

/* One who waits for a name, embedded in its owner; all zero is nobody. */
typedef struct tusk_lookup {
    tusk_link link;
    struct resolver_job *job; /* NULL: nothing is under way */
    /* `count` > 0: so many addresses, borrowed until the return; else a tusk_err. From the loop,
     * and never from inside start. May start and cancel any, but not free the resolver. */
    void (*on_done)(struct tusk_lookup *self, const tusk_addr *addrs, int count);
} tusk_lookup;

/* It does not keep tusk_loop_run going. `options` NULL: all as the zeros say. TUSK_EEXHAUSTED: no
 * descriptor is left. */
tusk_err tusk_resolver_new(tusk_resolver **out, tusk_loop *loop,
                           const tusk_resolver_options *options);
/* Nobody may wait any more. */
void tusk_resolver_free(tusk_resolver *self);
/* TUSK_EINVAL: longer than a name can be; TUSK_ELIMIT: too many names; TUSK_EEXHAUSTED: no
 * thread can be started. */
tusk_err tusk_resolver_start(tusk_resolver *self, tusk_lookup *lookup, const char *host,
                             uint16_t port);
void tusk_lookup_cancel(tusk_lookup *self); /* harmless when nothing is under way */

#endif
