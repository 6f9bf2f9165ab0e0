/* SPDX-License-Identifier: MIT */
/* Two connections of the net layer joined: what one says the other hears, each direction has its
 * own end, and who does not take is not read for. */
#ifndef RELAY_MOVE_JOINED_H
#define RELAY_MOVE_JOINED_H

#include "net/conn.h"
#include "relay/move/pair.h"

typedef struct relay_joined relay_joined;

/* Told by whatever call below moved bytes or ended a direction; on_over may free its owner. */
typedef struct relay_joined_ops {
    void (*on_moved)(relay_joined *self, int side, size_t len); /* so much came from `side` */
    void (*on_paused)(relay_joined *self, int side); /* it is not read for a while; may be NULL */
    void (*on_half)(relay_joined *self, int side);   /* it has said all, the other goes on */
    void (*on_over)(relay_joined *self, const char *end, bool reset);
} relay_joined_ops;

/* By RELAY_CLIENT and RELAY_BACKEND. */
struct relay_joined {
    const relay_joined_ops *ops;
    tusk_conn *conn[2];
    uint32_t held_max; /* queued at one side; past it the other one is paused */
    bool eof[2];
};

void relay_joined_init(relay_joined *self, tusk_conn *client, tusk_conn *backend, uint32_t held_max,
                       const relay_joined_ops *ops);
/* What the connections tell: bytes are there, the end is, the queue is short again. */
void relay_joined_data(relay_joined *self, int side);
void relay_joined_eof(relay_joined *self, int side);
void relay_joined_drain(relay_joined *self, int side);
/* It hears no more, for writing met its reset, and what it had said is still read (`read_on` of its
 * connection): an end behind that is the reset's. */
bool relay_joined_is_deaf(const relay_joined *self, int side);
/* Something that a side has said is not in the other one's queue yet. */
bool relay_joined_owes(const relay_joined *self);
/* Something that was queued has not left. */
bool relay_joined_queues(const relay_joined *self);
/* Since one for whom the other is paused took more, of what is queued here or in the kernel;
 * UINT32_MAX: neither is paused, or nobody knows. */
uint32_t relay_joined_taken_ms(const relay_joined *self);

#endif
