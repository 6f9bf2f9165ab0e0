/* SPDX-License-Identifier: MIT */
/*
 * A dial: from an answer to one connected socket. Names are looked up beside the loop and pinned
 * for dns_ttl_ms; the guard judges each address right before it is connected to; what fails is
 * tried elsewhere, as nothing of the client's was sent yet.
 */
#ifndef RELAY_DIAL_H
#define RELAY_DIAL_H

#include "relay/target.h"

typedef struct relay_dial {
    /* Where the connecting socket is watched. NULL: in `own`, and the loop has let go of the
     * descriptor when on_dialed tells it. Else the owner's, all zero: its on_event hands on to
     * relay_dial_event while it is being connected, and it stays added with the relay's interest
     * for a new socket (relay_armed). */
    tusk_io *io;
    /* Once, never from inside relay_dial_start: a connected, non-blocking descriptor with the
     * options of the relay (but keep-alive where `io` is the owner's), and its target, which has
     * been entered (relay_target_leave when the connection is gone); or an error (relay_status_of)
     * and -1, NULL. May free the dial.
     */
    void (*on_dialed)(struct relay_dial *self, tusk_err err, int fd, relay_target *target);
    tusk_relay *relay; /* NULL: nothing is under way; this and the rest are the dial's own */
    relay_answer *answer;
    relay_target *target; /* entered; NULL: none yet */
    tusk_io own;
    tusk_timer timer;
    tusk_link waiting; /* in the target's, for its name; or in line for a place */
    uint64_t tried;
    uint64_t started_ms; /* less the time in line */
    uint64_t queued_ms;  /* since then in line */
    uint32_t waited_ms;  /* and so long before */
    bool in_line;
    uint8_t attempts;
    uint8_t addr_next;
    uint8_t events; /* what came with the connection (TUSK_IO_READ: the backend has spoken) */
    int16_t why;    /* of the last failure */
} relay_dial;

/* `io` and `on_dialed` are set, all else is zero. */
void relay_dial_start(relay_dial *self, tusk_relay *relay, relay_answer *answer);
void relay_dial_cancel(relay_dial *self); /* harmless when nothing is under way */
void relay_dial_event(relay_dial *self, unsigned events);
static inline bool relay_dial_running(const relay_dial *self)
{
    return self->relay != NULL;
}

/* Places may be free: whoever is in line looks, in order. */
void relay_queue_due(tusk_timer *timer);
void relay_queue_run(tusk_task *task);

/* The addresses of a target's name are there, or are not. */
void relay_dial_on_looked_up(tusk_lookup *lookup, const tusk_addr *addrs, int count);

#endif
