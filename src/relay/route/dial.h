/* SPDX-License-Identifier: MIT */
/*
 * A dial: from an answer to one backend that serves. Names are looked up beside the loop and pinned
 * for dns_ttl_ms; the guard judges each address right before it is connected to.
 *
 * Which target is next, how many are tried, until when, what is counted and whose health hears of
 * it is decided here and nowhere else. What "serves" means the owner says: where a backend has to
 * greet before anything of the client's may be sent, a connection is no more than an offer. Until
 * it is accepted the dial goes on after a failure as after a refused connection, since no byte of
 * the client's has left.
 *
 *   IDLE ─► LINE ◄─► NAME ─► CONNECT ─► OFFERED ─ accept ─► IDLE
 *             ▲        ▲        │          │
 *             └────────┴────────┴──────────┘ lost, or rejected: the next address, the next target
 *                                            (none is left: FAILED, told from a turn of its own)
 */
#ifndef RELAY_ROUTE_DIAL_H
#define RELAY_ROUTE_DIAL_H

#include "relay/route/target.h"

typedef enum relay_dial_state {
    DIAL_IDLE,    /* nothing is under way */
    DIAL_LINE,    /* all targets are full: a place is waited for */
    DIAL_NAME,    /* a target's name is looked up */
    DIAL_CONNECT, /* a socket is being connected */
    DIAL_OFFERED, /* the owner has a connection, and has not said yet what became of it */
    DIAL_FAILED   /* nobody is left */
} relay_dial_state;

typedef struct relay_dial {
    /* Where the connecting socket is watched. NULL: in `own`, and the loop has let go of the
     * descriptor when on_dialed tells it. Else the owner's, all zero: its on_event hands on to
     * relay_dial_event while it is being connected, and it stays added with the relay's interest
     * for a new socket (its `armed`). */
    tusk_io *io;
    /* Never from inside relay_dial_start or relay_dial_reject: a connected, non-blocking descriptor
     * with the options of the relay (but keep-alive where `io` is the owner's), and its target,
     * which has been entered (relay_target_leave when the connection is gone). The owner answers by
     * relay_dial_accept, relay_dial_reject or relay_dial_cancel, now or later. Or the last failure
     * (relay_dial_status, relay_dial_reason), -1 and NULL, once. May free the dial.
     */
    void (*on_dialed)(struct relay_dial *self, tusk_err err, int fd, relay_target *target);
    /* The owner's: something is sent as soon as it is connected, and the handshake's last
     * acknowledgement leaves with that, for one segment less. Where nothing followed the target
     * would not hear of the connection for a fifth of a second. */
    bool words_follow;
    uint8_t first;     /* the owner's: the choice that is tried first, counted from 1; 0: any */
    uint64_t avoid;    /* the owner's: a bit for each target of the answer that is not tried */
    tusk_relay *relay; /* this and the rest are the dial's own */
    relay_answer *answer;
    relay_target *target; /* entered; NULL: none. DIAL_OFFERED: the owner's to leave */
    const char *end;      /* of the last failure, as the owner named it; NULL: by `why` */
    tusk_io own;
    tusk_timer timer;
    tusk_link waiting; /* in the target's, for its name; or in line for a place */
    uint64_t tried;
    uint64_t started_ms; /* less the time in line, and that of offers */
    uint64_t queued_ms;  /* since then in line */
    uint64_t connect_ns; /* the present address is connected to since then */
    uint64_t offered_ms; /* since then the owner has it */
    uint32_t waited_ms;  /* in line before */
    uint8_t state;       /* relay_dial_state */
    uint8_t attempts;
    uint8_t addr_next;
    uint8_t events;      /* what came with the connection (TUSK_IO_READ: the backend has spoken) */
    uint8_t failed;      /* addresses so far; 255: that many, or more */
    uint8_t last;        /* the answer's choice that was tried last, counted from 1; 0: none was */
    bool blameless;      /* the last failure says nothing of the target's health */
    bool no_path;        /* it was that of a Unix path that is not there */
    int16_t why;         /* of the last failure */
    uint16_t generation; /* of the target's addresses, when the present one was taken of them */
} relay_dial;

/* Before connect: its last acknowledgement leaves with the words that follow, where they do. */
void relay_dial_hush(int fd, bool words_follow);
/* `io`, `on_dialed`, `words_follow`, `avoid` and `first` are set, all else is zero. */
void relay_dial_start(relay_dial *self, tusk_relay *relay, relay_answer *answer);
/* An offered connection is the owner's to close, and its target to leave afterwards. Harmless when
 * nothing is under way. */
void relay_dial_cancel(relay_dial *self);
void relay_dial_event(relay_dial *self, unsigned events);
/* What was offered serves: bytes of the client's go there from now on, and nowhere else. Harmless
 * when it was said before. */
void relay_dial_accept(relay_dial *self);
/* It does not: its connection is closed (or ends by itself), nothing of the client's went there,
 * and its target is not left but the dial's again. The next address or target is tried. `end` is
 * static text for the record, and the client where it has no better words; NULL: what `why` is
 * called. `blameless`: it may be about this client alone, so its health hears nothing. */
void relay_dial_reject(relay_dial *self, tusk_err why, const char *end, bool blameless);
/* Somebody else may still be tried: an offer waits for its answer. */
static inline bool relay_dial_offers(const relay_dial *self)
{
    return self->state == DIAL_OFFERED;
}
/* What was offered has failed its owner, who tries nobody else by this dial. The target is the
 * owner's to leave. Harmless when nothing is offered. */
void relay_dial_blame(relay_dial *self);
/* It took too long to be connected to, its owner's TLS included. */
void relay_dial_count_timeout(const relay_target *target);
/* What is told when nobody is left. */
uint16_t relay_dial_status(const relay_dial *self);
const char *relay_dial_reason(const relay_dial *self);

/* From where it stands: the next target, or in line. */
void relay_dial_next(relay_dial *self);

/* The addresses of a target's name are there, or are not. */
void relay_dial_on_looked_up(tusk_lookup *lookup, const tusk_addr *addrs, int count);

#endif
