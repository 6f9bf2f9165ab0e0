/* SPDX-License-Identifier: MIT */
/* What a crowd had and nobody has any more goes back to the system. The C library's heap gives back
 * its end only, and what lies there stays: queues of many small parts left 50 MiB to the process,
 * and the next crowd had its own beside them. */
#ifndef NET_HEAP_H
#define NET_HEAP_H

#include <tusk/loop.h>

typedef struct net_heap {
    tusk_loop *loop;
    const uint32_t *crowd; /* how many are there */
    tusk_timer timer;      /* runs while somebody is */
    size_t spare;          /* what lay idle at its last look, or less */
    uint64_t trims;        /* times that something was given back */
} net_heap;

void net_heap_init(net_heap *self, tusk_loop *loop, const uint32_t *crowd);
void net_heap_fini(net_heap *self);

/* Somebody came: looks each second from now on, until all have gone, and once more then. */
static inline void net_heap_watch(net_heap *self)
{
    enum { LOOK_MS = 1000 };
    if (!tusk_timer_running(&self->timer)) {
        tusk_timer_start(self->loop, &self->timer, LOOK_MS);
    }
}

#endif
