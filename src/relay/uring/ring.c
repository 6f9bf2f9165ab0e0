/* SPDX-License-Identifier: MIT */
/* The ring itself: entries, completions, buffers. */
#define _GNU_SOURCE
#include "relay/uring/ring.h"

#include <errno.h>
#include <poll.h>

/* False: the kernel takes nothing now. */
static bool note_submit(relay_uring *self, int err)
{
    if (err < 0 && err != -ETIME && err != -EINTR) {
        return false;
    }
    if (io_uring_sq_ready(&self->ring) == 0) {
        self->lists = 0;
    }
    return true;
}

bool uring_enter(relay_uring *self)
{
    bool refused = (self->relay->uring_lacks & URING_NO_SUBMIT) != 0;
    return note_submit(self, refused ? -EAGAIN : io_uring_submit_and_get_events(&self->ring));
}

static void ask_poller(relay_uring *self)
{
    struct io_uring_sqe *sqe = self->poller_asked ? NULL : io_uring_get_sqe(&self->ring);
    if (sqe != NULL) {
        io_uring_prep_poll_add(sqe, self->poller, POLLIN);
        io_uring_sqe_set_data64(sqe, URING_POLLER);
        self->poller_asked = true;
    }
}

static bool poller_told(relay_uring *self)
{
    unsigned head;
    struct io_uring_cqe *cqe; /* not const: newer ones of liburing set it by its address */
    io_uring_for_each_cqe(&self->ring, head, cqe)
    {
        if (cqe->user_data == URING_POLLER) {
            return true;
        }
    }
    return false;
}

bool uring_wait(tusk__waiter *waiter, int64_t timeout_ns)
{
    relay_uring *self = TUSK_OWNER(waiter, relay_uring, waiter);
    int err = 0;
    ask_poller(self);
    if (timeout_ns == 0 || (self->relay->uring_lacks & URING_NO_SUBMIT) != 0) {
        (void)uring_enter(self);
    } else {
        struct io_uring_cqe *cqe;
        struct __kernel_timespec limit = {.tv_sec = timeout_ns / 1000000000,
                                          .tv_nsec = timeout_ns % 1000000000};
        err = io_uring_submit_and_wait_timeout(&self->ring, &cqe, 1, timeout_ns < 0 ? NULL : &limit,
                                               NULL);
        (void)note_submit(self, err);
    }
    if (io_uring_cq_ready(&self->ring) == 0) {
        /* A signal, or the kernel takes nothing: the poller is not left alone. */
        return err == -EINTR || !self->poller_asked;
    }
    tusk_task_defer_late(self->relay->loop, &self->task);
    return poller_told(self);
}

static struct io_uring_sqe *entry(relay_uring *self)
{
    if (self->poller < 0 && io_uring_sq_ready(&self->ring) == 0) {
        tusk_task_defer_late(self->relay->loop, &self->task);
    }
    struct io_uring_sqe *sqe = io_uring_get_sqe(&self->ring);
    if (sqe == NULL && uring_enter(self)) {
        sqe = io_uring_get_sqe(&self->ring);
    }
    return sqe;
}

struct io_uring_sqe *uring_ask(relay_uring *self, relay_pair *pair, unsigned kind)
{
    struct io_uring_sqe *sqe = entry(self);
    if (sqe != NULL) {
        pair->under_way = (uint8_t)(pair->under_way | 1u << kind);
    }
    return sqe;
}

void uring_prepare_receive(const relay_uring *self, struct io_uring_sqe *sqe, int fd, uint32_t room)
{
    io_uring_prep_recv(sqe, fd, NULL, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_GROUP;
    if (self->capped) {
        sqe->ioprio |= IORING_RECV_MULTISHOT;
        /* The kernel's `optlen`, which liburing 2.3 does not name yet: it ends when so much has
         * come, but the last buffer may be filled past it. */
        sqe->file_index = room - self->buffer_bytes + 1;
    }
}

bool uring_cancel(relay_uring *self, const relay_pair *pair, unsigned kind)
{
    struct io_uring_sqe *sqe = entry(self);
    if (sqe != NULL) {
        io_uring_prep_cancel64(sqe, uring_data(pair, kind), 0);
        io_uring_sqe_set_data64(sqe, 0);
    }
    return sqe != NULL;
}

bool uring_next(relay_uring *self, struct io_uring_cqe *out)
{
    unsigned head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&self->ring, head, cqe)
    {
        out->user_data = cqe->user_data;
        out->res = cqe->res;
        out->flags = cqe->flags;
        io_uring_cq_advance(&self->ring, 1);
        return true;
    }
    return false;
}

void uring_forget(relay_uring *self, const relay_pair *pair)
{
    struct io_uring_sq *sq = &self->ring.sq;
    unsigned waiting = io_uring_sq_ready(&self->ring);
    for (unsigned at = sq->sqe_tail - waiting; at != sq->sqe_tail; at++) {
        struct io_uring_sqe *sqe = &sq->sqes[at & sq->ring_mask];
        uint64_t data = sqe->user_data;
        if (uring_pair(data) == pair) {
            io_uring_prep_nop(sqe);
            io_uring_sqe_set_data64(sqe, data);
        }
    }
}

/* ---- buffers ---- */
static void shelve(relay_uring *self, unsigned number)
{
    io_uring_buf_ring_add(self->shelf, uring_buffer(self, number), self->buffer_bytes,
                          (unsigned short)number, self->buffers - 1, (int)self->given);
    self->given++;
    self->free++;
}

/* The kernel takes the one that has lain there longest. Were all of them there, each receive would
 * go to memory that the processor has forgotten. */
void uring_give(relay_uring *self, unsigned number)
{
    if (self->free < self->wanted) {
        shelve(self, number);
    } else {
        self->spare[self->spares++] = (uint16_t)number;
    }
}

static void want(relay_uring *self, unsigned wanted)
{
    self->wanted = wanted < self->buffers ? wanted : self->buffers;
    while (self->spares > 0 && self->free < self->wanted) {
        shelve(self, self->spare[--self->spares]);
    }
}

void uring_shelve(relay_uring *self)
{
    self->taken_most = self->taken > self->taken_most ? self->taken : self->taken_most;
    self->taken = 0;
    if (++self->turns >= URING_SHELF_TURNS) {
        unsigned most = 2 * self->taken_most;
        want(self, most > URING_SHELF_LEAST ? most : URING_SHELF_LEAST);
        self->turns = self->taken_most = 0;
    }
}

void uring_shelve_all(relay_uring *self)
{
    want(self, self->buffers);
    self->turns = 0;
}

void uring_stock(relay_uring *self)
{
    if (self->given > 0) {
        io_uring_buf_ring_advance(self->shelf, (int)self->given);
        self->given = 0;
    }
}
