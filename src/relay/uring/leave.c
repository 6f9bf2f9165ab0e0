/* SPDX-License-Identifier: MIT */
/* The end of a pair that is in the ring: what it asked for is cancelled, and its memory stays until
 * the kernel has completed all of it. */
#define _GNU_SOURCE /* for liburing.h, of which older ones said it themselves */
#include "base/mem.h"
#include "relay/uring/queue.h"

static relay_uring *ring_of(const relay_pair *pair)
{
    return relay_of(pair)->uring;
}

bool uring_cancel_all(relay_uring *self, relay_pair *pair)
{
    bool all = true;
    for (unsigned kind = 0; kind < URING_KINDS; kind++) {
        bool send = kind == URING_SEND || kind == URING_SEND + 1; /* never waits */
        if (!send && uring_is_under_way(pair, kind)) {
            all = uring_cancel(self, pair, kind) && all;
        }
    }
    return all;
}

void uring_leave(relay_pair *pair)
{
    relay_uring *self = ring_of(pair);
    pair->ring_leaves = true;
    for (int side = 0; side < 2; side++) {
        uring_queue_drop(self, &pair->end[side], pair->end[side].sending);
    }
    if (!uring_cancel_all(self, pair)) {
        tusk__list_push(&self->hungry, &pair->busy); /* and again */
    }
    /* A request names its descriptor by number, and the number is free in a moment. One that waits
     * keeps its socket open: the other side would hear of the end later. */
    bool clear = pair->under_way == 0 || (uring_enter(self) && io_uring_sq_ready(&self->ring) == 0);
    if (!clear) {
        uring_forget(self, pair);
    }
}

size_t uring_unread(const relay_pair *pair, int side)
{
    const struct io_uring *ring = &ring_of(pair)->ring;
    struct io_uring_cqe *cqe; /* not const: newer ones of liburing set it by its address */
    unsigned head;
    size_t sum = 0;
    if (!uring_is_under_way(pair, URING_RECEIVE + (unsigned)side)) {
        return 0;
    }
    io_uring_for_each_cqe(ring, head, cqe)
    {
        bool is_its = cqe->user_data == uring_data(pair, URING_RECEIVE + (unsigned)side);
        sum += is_its && cqe->res > 0 ? (size_t)cqe->res : 0;
    }
    return sum;
}

/* Its sockets do not tell: what a receive has taken is in them no more. */
bool uring_owes(const relay_pair *pair)
{
    return pair->end[RELAY_CLIENT].queued != 0 || pair->end[RELAY_BACKEND].queued != 0 ||
           uring_unread(pair, RELAY_CLIENT) > 0 || uring_unread(pair, RELAY_BACKEND) > 0;
}

static void count_out(relay_uring *self)
{
    if (--self->pairs == 0) {
        tusk_loop_background(self->relay->loop, 1);
    }
}

bool uring_keeps(relay_pair *pair)
{
    pair->ring_leaves = false;
    if (pair->under_way == 0) {
        tusk__link_remove(&pair->busy);
        count_out(ring_of(pair));
        return false;
    }
    relay_hold(ring_of(pair)->relay);
    return true;
}

static void give_back(relay_uring *self, const struct io_uring_cqe *cqe)
{
    if ((cqe->flags & IORING_CQE_F_BUFFER) != 0) {
        uring_took(self);
        uring_give(self, cqe->flags >> IORING_CQE_BUFFER_SHIFT);
    }
}

void uring_late(relay_uring *self, relay_pair *pair, unsigned kind, const struct io_uring_cqe *cqe)
{
    int side = (int)(kind & 1u);
    if ((kind & ~1u) == URING_RECEIVE) {
        give_back(self, cqe);
    } else if ((kind & ~1u) == URING_SEND) {
        uring_queue_drop(self, &pair->end[side], 0);
    }
    if (pair->under_way == 0 && !pair->ring_leaves) {
        tusk__link_remove(&pair->busy);
        tusk__free(self->relay->mem, pair, sizeof(*pair));
        count_out(self);
        relay_release(self->relay);
    }
}
