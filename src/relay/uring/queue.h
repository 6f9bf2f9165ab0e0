/* SPDX-License-Identifier: MIT */
/* The queue of a direction: buffers that are received and not sent. Each completion comes by here,
 * so these are inline. */
#ifndef RELAY_URING_QUEUE_H
#define RELAY_URING_QUEUE_H

#include "relay/uring/ring.h"

static inline void uring_queue_push(relay_uring *self, relay_end *from, unsigned number,
                                    uint32_t len)
{
    self->len[number] = len;
    self->next[number] = 0;
    if (from->queued == 0) {
        from->queued = (uint16_t)(number + 1);
    } else {
        self->next[from->queued_last - 1] = (uint16_t)(number + 1);
    }
    from->queued_last = (uint16_t)(number + 1);
}

static inline void uring_queue_pop(relay_uring *self, relay_end *from)
{
    unsigned number = from->queued - 1u;
    from->queued = self->next[number];
    uring_give(self, number);
}

/* Of the first `count` buffers. */
static inline uint32_t uring_queue_bytes(const relay_uring *self, const relay_end *from,
                                         unsigned count)
{
    uint32_t sum = 0;
    for (unsigned at = from->queued; at != 0 && count > 0; at = self->next[at - 1], count--) {
        sum += self->len[at - 1];
    }
    return sum;
}

/* All but the `kept` first. */
static inline void uring_queue_drop(relay_uring *self, relay_end *from, unsigned kept)
{
    uint16_t *place = &from->queued;
    while (*place != 0 && kept > 0) {
        from->queued_last = *place;
        place = &self->next[*place - 1];
        kept--;
    }
    while (*place != 0) {
        unsigned number = *place - 1u;
        *place = self->next[number];
        uring_give(self, number);
    }
}

#endif
