/* SPDX-License-Identifier: MIT */
/* What the program in the kernel and user space tell each other; both compile it. */
#ifndef RELAY_SOCKMAP_FLOW_H
#define RELAY_SOCKMAP_FLOW_H

enum {
    /* Redirected bytes that the receiver has not acknowledged: past it user space relays, which
     * reads only what it can send. */
    SOCKMAP_UNACKED_MAX = 1 << 20,
    /* Memory that TCP counts for a segment beside its bytes, at most. */
    SOCKMAP_SEGMENT_COST = 1536,
    SOCKMAP_BELL_BYTES = 16 * 1024 /* a power of two, and whole pages */
};

/* A direction, kept under the cookie of the socket that its bytes come from. */
struct sockmap_flow {
    unsigned long long redirected; /* bytes */
    unsigned long long passed;     /* bytes left to user space, since it was made */
    unsigned long long acked;      /* by the peer, when the first bytes were looked at */
    unsigned long long first_ns;   /* monotonic; 0: no bytes yet */
    unsigned int write_seq;        /* of the peer, when it was made */
    unsigned int waiting;          /* memory that the peer's queue will take, at most */
    unsigned int bell;             /* whom it tells, and as whom: */
    unsigned int slot;
    unsigned int side;
    unsigned int unheard; /* the bell could not be rung */
};

/* "A direction has begun to pass bytes." */
struct sockmap_bell {
    unsigned long long cookie;
    unsigned int slot;
    unsigned int side;
};

#endif
