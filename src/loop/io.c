/* SPDX-License-Identifier: MIT */
/* Descriptors of a loop: what their owners want to be told of, and what of it a turn has still to
 * tell. */
#include <assert.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/coming.h"
#include "loop/inner.h"
#include "loop/successor.h"

#define CHANGED_CAP_MIN 16

static tusk_err grow_changed(tusk_loop *self)
{
    if (self->ios < self->changed_cap) {
        return TUSK_OK;
    }
    uint32_t cap = self->changed_cap == 0 ? CHANGED_CAP_MIN : self->changed_cap * 2;
    tusk_io **grown = tusk__resize(self->mem, self->changed, self->changed_cap * sizeof(grown[0]),
                                   cap * sizeof(grown[0]));
    if (grown == NULL) {
        return TUSK_ENOMEM;
    }
    self->changed = grown;
    self->changed_cap = cap;
    return TUSK_OK;
}

static void forget_change(tusk_loop *self, tusk_io *io)
{
    if (io->change != 0) {
        tusk_io *last = self->changed[--self->changed_len];
        self->changed[io->change - 1] = last;
        last->change = io->change;
        io->change = 0;
    }
}

tusk_err tusk_io_add(tusk_loop *self, tusk_io *io, unsigned interest)
{
    assert((io->polled & TUSK__IO_ADDED) == 0);
    tusk_err err = grow_changed(self);
    if (err != TUSK_OK) {
        return err;
    }
    err = self->poller->add(self, io, interest & (TUSK__IO_BOTH | TUSK_IO_NEW));
    if (err != TUSK_OK) {
        return err;
    }
    io->interest = (uint8_t)(interest & TUSK__IO_BOTH);
    io->polled = (uint8_t)(TUSK__IO_ADDED | io->interest);
    io->ready = 0;
    io->change = 0;
    self->ios++;
    return TUSK_OK;
}

tusk_err tusk_io_set(tusk_loop *self, tusk_io *io, unsigned interest)
{
    if ((io->polled & TUSK__IO_ADDED) == 0) {
        return TUSK_ESTATE;
    }
    io->interest = (uint8_t)(interest & TUSK__IO_BOTH);
    if (io->interest != (io->polled & TUSK__IO_BOTH) && io->change == 0) {
        self->changed[self->changed_len] = io;
        io->change = ++self->changed_len;
    }
    return TUSK_OK;
}

/* The loop's part of it. */
static void leave(tusk_loop *self, tusk_io *io)
{
    forget_change(self, io);
    if (io->ready != 0) {
        tusk__ready_of(self, io)->io = NULL;
        io->ready = 0;
    }
    io->polled = 0;
    io->interest = 0;
    self->ios--;
}

void tusk_io_remove(tusk_loop *self, tusk_io *io)
{
    if ((io->polled & TUSK__IO_ADDED) != 0) {
        self->poller->remove(self, io);
        leave(self, io);
    }
}

void tusk_io_close(tusk_loop *self, tusk_io *io)
{
    const tusk__poller *poller = self->poller;
    if ((io->polled & TUSK__IO_ADDED) != 0) {
        (poller->closing != NULL ? poller->closing : poller->remove)(self, io);
        leave(self, io);
    }
    (void)close(io->fd);
    io->fd = -1;
}

bool tusk__loop_has_successors(const tusk_loop *self)
{
    return self->poller->take_over != NULL;
}

void tusk__io_succeed(tusk_loop *self, tusk_io *to, tusk_io *from)
{
    assert(self->poller->take_over != NULL && (from->polled & TUSK__IO_ADDED) != 0);
    to->fd = from->fd;
    to->slot = from->slot; /* its name in the poller: the descriptor is the same */
    to->polled = from->polled;
    to->ready = 0;
    to->change = 0;
    unsigned interest = from->interest;
    leave(self, from);
    from->fd = -1;
    self->ios++;
    self->poller->take_over(self, to);
    (void)tusk_io_set(self, to, interest); /* what is not watched yet is at the end of the turn */
}

void tusk__io_apply(tusk_loop *self)
{
    for (uint32_t i = 0; i < self->changed_len; i++) {
        tusk_io *io = self->changed[i];
        io->change = 0;
        if (io->ready == 0 && io->interest != (io->polled & TUSK__IO_BOTH)) {
            self->poller->set(self, io, io->interest);
            io->polled = (uint8_t)((io->polled & ~TUSK__IO_BOTH) | io->interest);
        }
    }
    self->changed_len = 0;
}

unsigned tusk__loop_coming(tusk_loop *self, const tusk_io *first, unsigned without, tusk_io **out,
                           unsigned max)
{
    unsigned count = 0;
    unsigned at = self->batch_at - 1; /* the place of `first` */
    if (at < self->batch_seen) {
        return 0;
    }
    for (; at < self->batch_len && count < max; at++) {
        const tusk__ready *ready = &self->batch[at];
        if (ready->io != NULL && ready->io->on_event == first->on_event &&
            (ready->events & ready->io->interest & (unsigned)TUSK_IO_READ) != 0 &&
            (ready->events & without) == 0) {
            out[count++] = ready->io;
        }
    }
    self->batch_seen = at;
    return count;
}

void tusk__loop_told(tusk_loop *self, tusk_io *io)
{
    if (io->ready != 0) {
        tusk__ready *ready = tusk__ready_of(self, io);
        if (ready->events == TUSK_IO_READ) {
            ready->io = NULL;
            io->ready = 0;
        }
    }
}
