/* SPDX-License-Identifier: MIT */
/* The poll(2) poller: two arrays side by side; a descriptor's slot is its place in both. */
#include "loop/inner.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/mem.h"

#define SLOTS_MIN 16

struct poll_poll {
    struct pollfd *fds;
    tusk_io **ios;
    uint32_t len;
    uint32_t cap;
    uint32_t from; /* where the next scan begins, so that a full batch starves nobody */
};

static tusk_err open_poll(tusk_loop *loop)
{
    loop->poll = tusk__new(loop->mem, sizeof(struct poll_poll));
    return loop->poll == NULL ? TUSK_ENOMEM : TUSK_OK;
}

static void close_poll(tusk_loop *loop)
{
    struct poll_poll *self = loop->poll;
    tusk__free(loop->mem, self->fds, self->cap * sizeof(self->fds[0]));
    tusk__free(loop->mem, self->ios, self->cap * sizeof(self->ios[0]));
    tusk__free(loop->mem, self, sizeof(*self));
    loop->poll = NULL;
}

static short bits(unsigned interest)
{
    return (short)(((interest & TUSK_IO_READ) != 0 ? POLLIN : 0) |
                   ((interest & TUSK_IO_WRITE) != 0 ? POLLOUT : 0));
}

static tusk_err grow(struct poll_poll *self, const tusk_mem *mem)
{
    uint32_t cap = self->cap == 0 ? SLOTS_MIN : self->cap * 2;
    struct pollfd *fds = tusk__resize(mem, NULL, 0, cap * sizeof(fds[0]));
    tusk_io **ios = tusk__resize(mem, NULL, 0, cap * sizeof(ios[0]));
    if (fds == NULL || ios == NULL) {
        tusk__free(mem, fds, cap * sizeof(fds[0]));
        tusk__free(mem, ios, cap * sizeof(ios[0]));
        return TUSK_ENOMEM;
    }
    if (self->len > 0) {
        memcpy(fds, self->fds, self->len * sizeof(fds[0]));
        memcpy(ios, self->ios, self->len * sizeof(ios[0]));
    }
    tusk__free(mem, self->fds, self->cap * sizeof(fds[0]));
    tusk__free(mem, self->ios, self->cap * sizeof(ios[0]));
    self->fds = fds;
    self->ios = ios;
    self->cap = cap;
    return TUSK_OK;
}

static tusk_err add(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    struct poll_poll *self = loop->poll;
    if (self->len == self->cap) {
        tusk_err err = grow(self, loop->mem);
        if (err != TUSK_OK) {
            return err;
        }
    }
    self->fds[self->len] = (struct pollfd){.fd = io->fd, .events = bits(interest)};
    self->ios[self->len] = io;
    io->slot = self->len++;
    return TUSK_OK;
}

static void set(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    struct poll_poll *self = loop->poll;
    self->fds[io->slot].events = bits(interest);
}

static void forget(tusk_loop *loop, tusk_io *io)
{
    struct poll_poll *self = loop->poll;
    uint32_t last = --self->len;
    self->fds[io->slot] = self->fds[last];
    self->ios[io->slot] = self->ios[last];
    self->ios[io->slot]->slot = io->slot;
}

static tusk_err wait_poll(tusk_loop *loop, int64_t timeout_ns)
{
    struct poll_poll *self = loop->poll;
    int got = poll(self->fds, self->len, tusk__ms_up(timeout_ns));
    if (got < 0) {
        return errno == EINTR ? TUSK_EAGAIN : TUSK_ESYS;
    }
    for (uint32_t seen = 0; seen < self->len && got > 0 && tusk__loop_room(loop) > 0; seen++) {
        self->from = self->from + 1 < self->len ? self->from + 1 : 0;
        short happened = self->fds[self->from].revents;
        if (happened != 0) {
            unsigned events =
                ((happened & POLLIN) != 0 ? (unsigned)TUSK_IO_READ : 0) |
                ((happened & POLLOUT) != 0 ? (unsigned)TUSK_IO_WRITE : 0) |
                ((happened & (POLLHUP | POLLERR | POLLNVAL)) != 0 ? (unsigned)TUSK_IO_HUP : 0);
            tusk__loop_ready(loop, self->ios[self->from], events);
            got--;
        }
    }
    return TUSK_OK;
}

const tusk__poller *tusk__poller_poll(void)
{
    static const tusk__poller table = {.name = "poll",
                                       .open = open_poll,
                                       .close = close_poll,
                                       .add = add,
                                       .set = set,
                                       .remove = forget,
                                       .wait = wait_poll};
    return &table;
}
