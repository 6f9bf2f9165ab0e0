/* SPDX-License-Identifier: MIT */
/* The select(2) poller: for descriptors below FD_SETSIZE, where nothing better exists. */
#include "loop/inner.h"

#include <errno.h>
#include <sys/select.h>

#include "base/mem.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wsign-conversion" /* within musl's FD_SET and its like */
#endif

struct select_poll {
    fd_set read;
    fd_set write;
    int top;  /* highest descriptor ever watched + 1 */
    int from; /* where the next scan begins, so that a full batch starves nobody */
    tusk_io *ios[FD_SETSIZE];
};

static tusk_err open_select(tusk_loop *loop)
{
    loop->poll = tusk__new(loop->mem, sizeof(struct select_poll));
    return loop->poll == NULL ? TUSK_ENOMEM : TUSK_OK;
}

static void close_select(tusk_loop *loop)
{
    tusk__free(loop->mem, loop->poll, sizeof(struct select_poll));
    loop->poll = NULL;
}

static void set(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    struct select_poll *self = loop->poll;
    FD_CLR(io->fd, &self->read);
    FD_CLR(io->fd, &self->write);
    if ((interest & TUSK_IO_READ) != 0) {
        FD_SET(io->fd, &self->read);
    }
    if ((interest & TUSK_IO_WRITE) != 0) {
        FD_SET(io->fd, &self->write);
    }
}

static tusk_err add(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    struct select_poll *self = loop->poll;
    if (io->fd < 0 || io->fd >= FD_SETSIZE) {
        return TUSK_ELIMIT;
    }
    self->ios[io->fd] = io;
    self->top = io->fd >= self->top ? io->fd + 1 : self->top;
    set(loop, io, interest);
    return TUSK_OK;
}

static void forget(tusk_loop *loop, tusk_io *io)
{
    struct select_poll *self = loop->poll;
    set(loop, io, 0);
    self->ios[io->fd] = NULL;
}

static tusk_err wait_select(tusk_loop *loop, int64_t timeout_ns)
{
    struct select_poll *self = loop->poll;
    fd_set can_read = self->read;
    fd_set can_write = self->write;
    int ms = tusk__ms_up(timeout_ns);
    struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    int got = select(self->top, &can_read, &can_write, NULL, ms < 0 ? NULL : &limit);
    if (got < 0) {
        return errno == EINTR ? TUSK_EAGAIN : TUSK_ESYS;
    }
    for (int seen = 0; seen < self->top && got > 0 && tusk__loop_room(loop) > 0; seen++) {
        self->from = self->from + 1 < self->top ? self->from + 1 : 0;
        unsigned events = (FD_ISSET(self->from, &can_read) ? (unsigned)TUSK_IO_READ : 0) |
                          (FD_ISSET(self->from, &can_write) ? (unsigned)TUSK_IO_WRITE : 0);
        if (events != 0) {
            tusk__loop_ready(loop, self->ios[self->from], events);
        }
    }
    return TUSK_OK;
}

const tusk__poller *tusk__poller_select(void)
{
    static const tusk__poller table = {.name = "select",
                                       .open = open_select,
                                       .close = close_select,
                                       .add = add,
                                       .set = set,
                                       .remove = forget,
                                       .wait = wait_select};
    return &table;
}
