/* SPDX-License-Identifier: MIT */
/* The ring: what is asked of the kernel, what it completed, and the buffers that it fills. */
#ifndef RELAY_URING_RING_H
#define RELAY_URING_RING_H

#include <liburing.h>

#include "loop/waiter.h"
#include "relay/uring/uring.h"

enum {
    URING_ASKS = 512,         /* before they are submitted early */
    URING_COMPLETIONS = 4096, /* the kernel keeps what is more than that in a list */
    URING_BUFFERS = 256,      /* a power of two */
    URING_BUFFER_BYTES = 16 * 1024,
    URING_SHELF_LEAST = 16,   /* buffers on the shelf, where few are enough */
    URING_SHELF_TURNS = 1024, /* after which it is looked at how many are */
    URING_PIECES = 8,         /* buffers that one send takes */
    URING_LISTS = 32,         /* sends of several buffers before they are submitted early */
    URING_GROUP = 1
};

/* What may be under way for a pair, one of each at most: added to the side that it belongs to, it
 * is a bit of pair->under_way and stands in the low bits of user_data, above which is the pair's
 * address. */
enum {
    URING_RECEIVE = 0, /* from this side */
    URING_SEND = 2,    /* what came from this side, to the other one */
    URING_ROOM = 4,    /* the other side takes more of what came from this one */
    URING_KINDS = 8,
    URING_POLLER = 1 /* with no pair: the poller has something */
};

typedef struct uring_list {
    struct msghdr head;
    struct iovec piece[URING_PIECES];
} uring_list;

struct relay_uring {
    struct io_uring ring;
    tusk_relay *relay;
    tusk__waiter waiter;
    int poller;        /* the loop waits in the ring, where this is watched; -1: the ring's
                          descriptor is watched by the poller */
    bool poller_asked; /* it is watched: once, then anew, so that nothing is missed */
    tusk_io io;        /* the ring's descriptor, without `poller` */
    tusk_task task;    /* late in the turn: what is completed is handled */
    uint64_t runs;     /* of the task: who has an older number is superseded */
    uint32_t pairs;    /* in the ring, also those that are over and wait for completions */
    uint32_t room;     /* bytes of one direction that user memory may hold */
    uint32_t buffer_bytes;
    uint16_t buffers; /* a power of two, URING_BUFFERS at most */
    bool capped;      /* multishot receives that end by themselves; else single ones */
    struct io_uring_buf_ring *shelf; /* free buffers, for the kernel to take */
    uint8_t *bytes;                  /* URING_BUFFERS of them */
    unsigned given;                  /* put on the shelf, not told to the kernel yet */
    unsigned free;                   /* on the shelf */
    unsigned wanted; /* there at most: the others are spare, and the kernel fills those again that
                        were in use a moment ago */
    unsigned spares; /* of `spare` */
    unsigned taken;  /* in this turn; in the busiest of some turns */
    unsigned taken_most;
    unsigned turns;
    tusk_link hungry; /* pairs whose receive found no buffer */
    unsigned lists;   /* of `list`, in use until the next submit */
    uring_list list[URING_LISTS];
    uint32_t len[URING_BUFFERS];
    uint16_t spare[URING_BUFFERS];
    uint16_t next[URING_BUFFERS]; /* in its direction's queue: number + 1, 0 is the end */
};
typedef struct relay_uring relay_uring;

static inline uint64_t uring_data(const relay_pair *pair, unsigned kind)
{
    return (uint64_t)(uintptr_t)pair | kind;
}
static inline relay_pair *uring_pair(uint64_t data)
{
    return (relay_pair *)(uintptr_t)(data & ~(uint64_t)(URING_KINDS - 1));
}
static inline bool uring_is_under_way(const relay_pair *pair, unsigned kind)
{
    return (pair->under_way >> kind & 1u) != 0;
}

/* An entry to be filled in (the caller sets its data last: uring_data), counted as under way; NULL:
 * the kernel takes no more now. */
struct io_uring_sqe *uring_ask(relay_uring *self, relay_pair *pair, unsigned kind);
/* A receive of at most `room` bytes in all, into buffers of the shelf. */
void uring_prepare_receive(const relay_uring *self, struct io_uring_sqe *sqe, int fd,
                           uint32_t room);
/* The loop's wait. */
bool uring_wait(tusk__waiter *waiter, int64_t timeout_ns);
/* What is completed is handled. pump.c. */
void uring_reap(relay_uring *self);
/* `kind` of this pair is cancelled; its completion still comes. False: the kernel takes no more. */
bool uring_cancel(relay_uring *self, const relay_pair *pair, unsigned kind);
/* leave.c. Whatever waits for this pair is cancelled; false: not all of it, ask again. A completion
 * of a pair that is over: the last one takes its memory along. */
bool uring_cancel_all(relay_uring *self, relay_pair *pair);
void uring_late(relay_uring *self, relay_pair *pair, unsigned kind, const struct io_uring_cqe *cqe);
/* leave.c. As relay_ring_ops has them. */
void uring_leave(relay_pair *pair);
bool uring_keeps(relay_pair *pair);
bool uring_owes(const relay_pair *pair);
size_t uring_unread(const relay_pair *pair, int side);
extern const relay_ring_ops uring_ops; /* pump.c */
/* What was asked for goes to the kernel; what it has done meanwhile is completed. False: it takes
 * nothing now. */
bool uring_enter(relay_uring *self);
/* The next completion, copied, so that handling it may enter the kernel again. */
bool uring_next(relay_uring *self, struct io_uring_cqe *out);
/* What this pair asked for and the kernel has not seen must not meet a descriptor of that number
 * that is somebody else's. */
void uring_forget(relay_uring *self, const relay_pair *pair);

/* A buffer that nobody reads any more; the kernel learns of it by uring_stock. */
void uring_give(relay_uring *self, unsigned number);
void uring_stock(relay_uring *self);
/* The kernel took one. */
static inline void uring_took(relay_uring *self)
{
    self->free--;
    self->taken++;
}
/* At the end of a turn: as many as such turns need stand on the shelf from now on. */
void uring_shelve(relay_uring *self);
/* A receive found none: all of them. */
void uring_shelve_all(relay_uring *self);
static inline uint8_t *uring_buffer(const relay_uring *self, unsigned number)
{
    return self->bytes + (size_t)number * self->buffer_bytes;
}

#endif
