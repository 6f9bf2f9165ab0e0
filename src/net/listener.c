/* SPDX-License-Identifier: MIT */
/* Listeners: accept in bounded batches, wait when descriptors run out. */
#define _GNU_SOURCE
#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/list.h"
#include "base/mem.h"
#include "loop/patient.h"
#include "net/descriptors.h"
#include "net/socket.h"

#define BATCH 64
#define ACCEPT_US 25 /* those who are served wait as long */
#define EXHAUSTED_MS 100
#define ALONE 8      /* came one by one: behind the next one nobody is expected, */
#define ALONE_ASKS 4 /* and each fourth time it is asked after all */

struct tusk_listener {
    tusk_io io; /* first */
    tusk_loop *loop;
    tusk_addr addr;
    tusk_timer retry;
    unsigned batch;
    unsigned alone; /* how many came one by one, in a row; counted in a circle past ALONE */
    uint64_t batch_ns;
    bool accepting; /* what the owner wants */
    bool closed;    /* by a callback of ours */
    bool calling;
    bool keep_path;
    bool for_operators;
    int spare_from; /* descriptors from this number on are not for its clients */
    bool was_near;  /* a client's was one of the 32 below */
    uint64_t exhausted;
    tusk_link inlets;
    tusk_link link; /* of an inlet; else it is in no list */
    uint32_t key;   /* of an inlet */
    tusk_accept_cb on_accept;
    void (*on_exhausted)(void *user, int error);
    void *user;
};

/* The last ones are left to who is served. */
static int spare_from(const tusk_listener *self)
{
    return net_descriptors_end(self->for_operators ? FOR_OPERATORS : FOR_CLIENTS);
}

/* The next client's descriptor would be one of the last: numbers are given out from the lowest. It
 * is looked at from the first client on whose number was near, for numbers that are free again
 * further down hide how many are in use. */
static bool is_short(const tusk_listener *self)
{
    if (!self->was_near) {
        return false;
    }
    int fd = fcntl(self->io.fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0) {
        (void)close(fd);
    }
    return fd < 0 || fd >= self->spare_from;
}

/* The kernel keeps reporting the listener while it cannot accept: look away for a while. */
static void wait_for_descriptors(tusk_listener *self, int error)
{
    self->exhausted++;
    if (error == 0) {
        (void)tusk_io_set(self->loop, &self->io, 0);
    } else { /* HUP is reported whatever the interest */
        tusk_io_remove(self->loop, &self->io);
    }
    tusk_timer_start(self->loop, &self->retry, EXHAUSTED_MS);
    if (self->on_exhausted != NULL) {
        self->on_exhausted(self->user, error);
    }
}

static bool is_want(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* Errors of the connection that would have been accepted, which is gone; any other would be met
 * again at once (a socket that somebody shut down: EINVAL; a policy's EPERM). */
static bool is_of_the_client(int error)
{
    switch (error) {
    case ECONNABORTED:
    case EPROTO:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETUNREACH:
#ifdef ENONET
    case ENONET:
#endif
        return true;
    default: return false;
    }
}

static void on_retry(tusk_timer *timer)
{
    tusk_listener *self = (tusk_listener *)(void *)((char *)timer - offsetof(tusk_listener, retry));
    unsigned interest = self->accepting ? TUSK_IO_READ : 0;
    self->spare_from = spare_from(self);
    if (tusk_io_set(self->loop, &self->io, interest) == TUSK_ESTATE &&
        tusk_io_add(self->loop, &self->io, interest) != TUSK_OK) {
        tusk_timer_start(self->loop, &self->retry, EXHAUSTED_MS);
    }
}

/* To learn that nobody is behind who comes alone is a call of its own. The poller tells again where
 * somebody is. */
static unsigned most_now(const tusk_listener *self)
{
    return self->alone > ALONE ? 1 : self->batch;
}

static void count_alone(tusk_listener *self, unsigned taken)
{
    if (taken > 1) {
        self->alone = 0;
    } else if (taken == 1) {
        self->alone = self->alone == ALONE + ALONE_ASKS - 1 ? ALONE : self->alone + 1;
    }
}

static void on_readable(tusk_io *io, unsigned events)
{
    tusk_listener *self = (tusk_listener *)(void *)io;
    unsigned most = most_now(self);
    unsigned taken = 0;
    if (!self->accepting && (events & TUSK_IO_HUP) != 0) {
        wait_for_descriptors(self, EINVAL); /* as an accept would say */
        return;
    }
    if (self->calling) {
        (void)tusk_io_set(self->loop, &self->io,
                          0); /* an older callback is set aside; it asks again when it returns */
        return;
    }
    self->calling = true;
    bool serves = most > 1 && tusk__loop_serves(self->loop);
    uint64_t since_ns = serves ? tusk_loop_clock_ns() : 0;
    for (unsigned i = 0; i < most && self->accepting && !self->closed; i++) {
        if (i > 0 && serves && tusk_loop_clock_ns() - since_ns >= self->batch_ns) {
            break;
        }
        if (is_short(self)) {
            wait_for_descriptors(self, 0);
            break;
        }
        tusk_addr peer;
        int fd = tusk__socket_accept(self->io.fd, &peer);
        if (fd >= 0) {
            self->was_near |= fd >= self->spare_from - NET_DESCRIPTORS_SPARE;
            bool is_unix = tusk_addr_family(&self->addr) == AF_UNIX;
            if (is_unix) {
                tusk_addr_unnamed(&peer); /* an unnamed peer gives no bytes at all */
            }
#if !defined(__linux__) /* there the listener's setting is inherited */
            if (!is_unix) {
                tusk__socket_set_manners(fd, &self->addr);
            }
#endif
            taken++;
            self->on_accept(self->user, fd, &peer);
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            break;
        }
        if (!is_of_the_client(errno)) {
            wait_for_descriptors(self, is_want(errno) ? 0 : errno);
            break;
        }
    }
    self->calling = false;
    count_alone(self, taken);
    if (self->closed) {
        tusk__free(tusk_loop_mem(self->loop), self, sizeof(*self));
    } else if (self->accepting) {
        tusk_listener_resume(self);
    }
}

static const tusk_listener_options defaults;

tusk_err tusk_listener_adopt(tusk_listener **out, tusk_loop *loop, int fd, const tusk_addr *addr,
                             const tusk_listener_options *options, tusk_accept_cb on_accept,
                             void *user)
{
    *out = NULL;
    options = options == NULL ? &defaults : options;
    tusk_listener *self = tusk__new(tusk_loop_mem(loop), sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->loop = loop;
    self->addr = addr != NULL ? *addr : tusk__socket_addr(fd);
    self->batch = options->accept_batch == 0 ? BATCH : options->accept_batch;
    self->batch_ns = UINT64_C(1000) * (options->accept_us == 0 ? ACCEPT_US : options->accept_us);
    self->keep_path = options->keep_path;
    self->for_operators = options->for_operators;
    self->on_accept = on_accept;
    self->on_exhausted = options->on_exhausted;
    self->user = user;
    self->retry.on_due = on_retry;
    self->spare_from = spare_from(self);
    tusk__list_init(&self->inlets);
    self->io.on_event = on_readable;
    self->io.fd = fd;
    tusk_err err = tusk_io_add(loop, &self->io, 0);
    if (err != TUSK_OK) {
        tusk__free(tusk_loop_mem(loop), self, sizeof(*self));
        return err;
    }
    tusk__io_set_aside(&self->io);
    *out = self;
    return TUSK_OK;
}

tusk_err tusk_listener_open(tusk_listener **out, tusk_loop *loop, const tusk_addr *addr,
                            const tusk_listener_options *options, tusk_accept_cb on_accept,
                            void *user)
{
    *out = NULL;
    int fd;
    tusk_addr bound = *addr;
    tusk_err err = tusk_listener_socket(&fd, &bound, options);
    if (err != TUSK_OK) {
        return err;
    }
    err = tusk_listener_adopt(out, loop, fd, &bound, options, on_accept, user);
    if (err != TUSK_OK) {
        int saved = errno;
        (void)close(fd);
        tusk__listener_unlink(&bound);
        errno = saved;
    }
    return err;
}

const tusk_addr *tusk_listener_addr(const tusk_listener *self)
{
    return &self->addr;
}

int tusk_listener_fd(const tusk_listener *self)
{
    return self->io.fd;
}

static tusk_listener *inlet_at(tusk_link *link)
{
    return TUSK_OWNER(link, tusk_listener, link);
}

void tusk_listener_pause(tusk_listener *self)
{
    self->accepting = false; /* a wait for descriptors goes on: resuming is no reason to spin */
    (void)tusk_io_set(self->loop, &self->io, 0);
    for (tusk_link *link = self->inlets.next; link != &self->inlets; link = link->next) {
        tusk_listener_pause(inlet_at(link));
    }
}

void tusk_listener_resume(tusk_listener *self)
{
    self->accepting = true;
    if (!tusk_timer_running(&self->retry)) {
        (void)tusk_io_set(self->loop, &self->io, TUSK_IO_READ);
    }
    for (tusk_link *link = self->inlets.next; link != &self->inlets; link = link->next) {
        tusk_listener_resume(inlet_at(link));
    }
}

bool tusk_listener_wanted(const tusk_listener *self)
{
    struct pollfd at = {.fd = self->io.fd, .events = POLLIN};
    if (poll(&at, 1, 0) > 0 && (at.revents & POLLIN) != 0) {
        return true;
    }
    for (tusk_link *link = self->inlets.next; link != &self->inlets; link = link->next) {
        if (tusk_listener_wanted(inlet_at(link))) {
            return true;
        }
    }
    return false;
}

uint64_t tusk_listener_exhausted(const tusk_listener *self)
{
    uint64_t sum = self->exhausted;
    for (tusk_link *link = self->inlets.next; link != &self->inlets; link = link->next) {
        sum += inlet_at(link)->exhausted;
    }
    return sum;
}

static void close_inlet(tusk_listener *self, tusk_listener *inlet)
{
    self->exhausted += inlet->exhausted;
    tusk__link_remove(&inlet->link);
    tusk_listener_close(inlet);
}

void tusk_listener_close(tusk_listener *self)
{
    if (self == NULL || self->closed) {
        return;
    }
    self->closed = true;
    while (!tusk__list_empty(&self->inlets)) {
        close_inlet(self, inlet_at(self->inlets.next));
    }
    tusk_timer_stop(self->loop, &self->retry);
    tusk_io_close(self->loop, &self->io);
    if (!self->keep_path) {
        tusk__listener_unlink(&self->addr);
    }
    if (!self->calling) {
        tusk__free(tusk_loop_mem(self->loop), self, sizeof(*self));
    }
}

/* ---- inlets ---- */
tusk_err tusk_listener_add_inlet(tusk_listener *self, uint32_t key, int fd)
{
    const tusk_listener_options options = {.keep_path = true,
                                           .for_operators = self->for_operators,
                                           .on_exhausted = self->on_exhausted};
    tusk_listener *inlet;
    tusk_err err =
        tusk_listener_adopt(&inlet, self->loop, fd, NULL, &options, self->on_accept, self->user);
    if (err != TUSK_OK) {
        return err;
    }
    inlet->key = key;
    tusk__list_push(&self->inlets, &inlet->link);
    if (self->accepting) {
        tusk_listener_resume(inlet);
    }
    return TUSK_OK;
}

void tusk_listener_drop_inlets(tusk_listener *self, uint32_t key)
{
    tusk_link *link = self->inlets.next;
    while (link != &self->inlets) {
        tusk_listener *inlet = inlet_at(link);
        link = link->next;
        if (inlet->key == key) {
            close_inlet(self, inlet);
        }
    }
}

void tusk_accepted_refuse(int fd, tusk_bytes last_words)
{
    if (last_words.len > 0) {
        tusk__socket_quiet(fd);
        (void)send(fd, last_words.ptr, last_words.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)shutdown(fd, SHUT_WR);
    }
    (void)close(fd);
}
