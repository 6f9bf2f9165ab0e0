/* SPDX-License-Identifier: MIT */
/*
 * Waiting in another place than the poller: a ring of io_uring wakes its owner cheapest when it is
 * what the owner waits in. It watches the poller's descriptor as one more thing, so one wait serves
 * both.
 */
#ifndef LOOP_WAITER_H
#define LOOP_WAITER_H

#include <tusk/loop.h>

typedef struct tusk__waiter {
    /* Waits until something of its own is there, or something in the poller, or `timeout_ns` is
     * over (-1: without end; 0: does not wait). Calls nobody: what is its own to do it defers.
     * True: the poller is to be asked. */
    bool (*wait)(struct tusk__waiter *self, int64_t timeout_ns);
} tusk__waiter;

/* From the next turn on the loop waits in `waiter`, until tusk__loop_waits_itself. The poller's
 * descriptor, readable when the poller has something; -1: this poller has none, or another waiter
 * is there. */
int tusk__loop_wait_in(tusk_loop *self, tusk__waiter *waiter);
void tusk__loop_waits_itself(tusk_loop *self);

#endif
