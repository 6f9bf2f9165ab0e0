/* SPDX-License-Identifier: MIT */
/* Wake-ups: other threads and signal handlers call into the loop through a bell. */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/eventfd.h>
#endif

#include "base/mem.h"
#include "loop/inner.h"

#if defined(__linux__)
tusk_err tusk__bell_open(tusk__bell *self)
{
    self->read_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    self->write_fd = self->read_fd;
    return self->read_fd < 0 ? TUSK_ESYS : TUSK_OK;
}
#else
tusk_err tusk__bell_open(tusk__bell *self)
{
    int fds[2];
    if (pipe(fds) != 0) {
        return TUSK_ESYS;
    }
    for (int i = 0; i < 2; i++) {
        (void)fcntl(fds[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(fds[i], F_SETFL, O_NONBLOCK);
    }
    self->read_fd = fds[0];
    self->write_fd = fds[1];
    return TUSK_OK;
}
#endif

void tusk__bell_ring(int write_fd)
{
    int saved = errno;
    static const uint64_t one = 1; /* an eventfd wants eight bytes; a full pipe rings already */
    ssize_t written = write(write_fd, &one, sizeof(one));
    (void)written;
    errno = saved;
}

void tusk__bell_hush(const tusk__bell *self)
{
    uint8_t bytes[64];
    while (read(self->read_fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes)) {
    }
}

void tusk__bell_close(tusk__bell *self)
{
    (void)close(self->read_fd);
    if (self->write_fd != self->read_fd) {
        (void)close(self->write_fd);
    }
}

tusk_err tusk__bell_forked(tusk__bell *self, tusk_loop *loop, tusk_io *io)
{
    tusk__bell_close(self);
    tusk_err err = tusk__bell_open(self);
    *io = (tusk_io){.fd = self->read_fd, .on_event = io->on_event};
    return err == TUSK_OK ? tusk_io_add(loop, io, TUSK_IO_READ) : err;
}

struct tusk_wakeup {
    tusk_io io; /* first */
    struct tusk_loop_node node;
    tusk_loop *loop;
    tusk__bell bell;
    atomic_bool rung;
    void (*on_wakeup)(void *user);
    void *user;
};

static void on_bell(tusk_io *io, unsigned events)
{
    (void)events;
    tusk_wakeup *self = (tusk_wakeup *)(void *)io;
    tusk__bell_hush(&self->bell);
    /* Cleared before the callback: who sends during it rings again. */
    atomic_store(&self->rung, false);
    self->on_wakeup(self->user);
}

tusk_err tusk_wakeup_open(tusk_wakeup **out, tusk_loop *loop, void (*on_wakeup)(void *user),
                          void *user)
{
    *out = NULL;
    tusk_wakeup *self = tusk__new(loop->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    tusk_err err = tusk__bell_open(&self->bell);
    if (err != TUSK_OK) {
        goto fail_bell;
    }
    atomic_init(&self->rung, false);
    self->loop = loop;
    self->on_wakeup = on_wakeup;
    self->user = user;
    self->io.fd = self->bell.read_fd;
    self->io.on_event = on_bell;
    err = tusk_io_add(loop, &self->io, TUSK_IO_READ);
    if (err != TUSK_OK) {
        goto fail_io;
    }
    tusk__node_push(&loop->wakeups, &self->node);
    *out = self;
    return TUSK_OK;

fail_io:
    tusk__bell_close(&self->bell);
fail_bell:
    tusk__free(loop->mem, self, sizeof(*self));
    return err;
}

void tusk_wakeup_send(tusk_wakeup *self)
{
    if (!atomic_exchange(&self->rung, true)) {
        tusk__bell_ring(self->bell.write_fd);
    }
}

void tusk_wakeup_close(tusk_wakeup *self)
{
    if (self == NULL) {
        return;
    }
    tusk__node_remove(&self->node);
    tusk_io_remove(self->loop, &self->io);
    tusk__bell_close(&self->bell);
    tusk__free(self->loop->mem, self, sizeof(*self));
}

/* A ring that was not heard before the fork is the child's as well. */
tusk_err tusk__wakeups_forked(tusk_loop *loop)
{
    tusk_err err = TUSK_OK;
    for (struct tusk_loop_node *node = loop->wakeups.next; node != &loop->wakeups && err == TUSK_OK;
         node = node->next) {
        tusk_wakeup *self = TUSK_OWNER(node, tusk_wakeup, node);
        err = tusk__bell_forked(&self->bell, loop, &self->io);
        if (err == TUSK_OK && atomic_load(&self->rung)) {
            tusk__bell_ring(self->bell.write_fd);
        }
    }
    return err;
}
