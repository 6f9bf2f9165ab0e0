/* SPDX-License-Identifier: MIT */
/* The epoll poller. An event names its descriptor and which of those that had this number it was:
 * what a child holds open for a moment longer than this process would report to freed memory. */
#define _GNU_SOURCE
#include "loop/inner.h"

#if defined(__linux__)

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

enum { PLACES = 256 }; /* in a block of them */

struct epoll_poll {
    int fd;
    bool no_pwait2;       /* a kernel before 5.11, or a seccomp filter that forbids it (EPERM) */
    uint32_t count;       /* of those that were added, by two; the lowest bit: it was new */
    uint32_t forks;       /* as they were when a descriptor was last closed, */
    uint32_t forks_count; /* and the count then: who came before may be held by a child */
    tusk_io ***blocks; /* of places, by descriptor: who has it now; NULL: nobody had any of these */
    uint32_t blocks_cap;
    struct epoll_event events[LOOP_BATCH_MAX];
};

static tusk_err open_epoll(tusk_loop *loop)
{
    struct epoll_poll *poll = tusk__new(loop->mem, sizeof(*poll));
    if (poll == NULL) {
        return TUSK_ENOMEM;
    }
    poll->fd = epoll_create1(EPOLL_CLOEXEC);
    if (poll->fd < 0) {
        tusk__free(loop->mem, poll, sizeof(*poll));
        return TUSK_ESYS;
    }
    poll->forks = loop->forks != NULL ? *loop->forks : 0;
    loop->poll = poll;
    return TUSK_OK;
}

static void close_epoll(tusk_loop *loop)
{
    struct epoll_poll *poll = loop->poll;
    (void)close(poll->fd);
    for (uint32_t i = 0; i < poll->blocks_cap; i++) {
        tusk__free(loop->mem, poll->blocks[i], PLACES * sizeof(*poll->blocks[i]));
    }
    tusk__free(loop->mem, poll->blocks, poll->blocks_cap * sizeof(*poll->blocks));
    tusk__free(loop->mem, poll, sizeof(*poll));
    loop->poll = NULL;
}

/* ---- who has a descriptor ---- */
static tusk_io **place_of(const struct epoll_poll *poll, uint32_t fd)
{
    return &poll->blocks[fd / PLACES][fd % PLACES];
}

static bool grow_blocks(tusk_loop *loop, uint32_t at)
{
    struct epoll_poll *poll = loop->poll;
    uint32_t cap = poll->blocks_cap == 0 ? 4 : poll->blocks_cap;
    while (cap <= at) {
        cap *= 2;
    }
    tusk_io ***grown = tusk__resize(loop->mem, poll->blocks, poll->blocks_cap * sizeof(*grown),
                                    cap * sizeof(*grown));
    if (grown == NULL) {
        return false;
    }
    memset(grown + poll->blocks_cap, 0, (cap - poll->blocks_cap) * sizeof(*grown));
    poll->blocks = grown;
    poll->blocks_cap = cap;
    return true;
}

static bool make_place(tusk_loop *loop, uint32_t fd)
{
    const struct epoll_poll *poll = loop->poll;
    uint32_t at = fd / PLACES;
    if (at >= poll->blocks_cap && !grow_blocks(loop, at)) {
        return false;
    }
    if (poll->blocks[at] == NULL) {
        poll->blocks[at] = tusk__new(loop->mem, PLACES * sizeof(*poll->blocks[at]));
    }
    return poll->blocks[at] != NULL;
}

/* ---- what the poller watches ---- */
static int control(tusk_loop *loop, int op, tusk_io *io, unsigned interest)
{
    const struct epoll_poll *poll = loop->poll;
    struct epoll_event event = {
        .events = ((interest & TUSK_IO_EDGE) != 0 ? (uint32_t)(EPOLLET | EPOLLRDHUP) : 0) |
                  ((interest & TUSK_IO_READ) != 0 ? (uint32_t)EPOLLIN : 0) |
                  ((interest & TUSK_IO_WRITE) != 0 ? (uint32_t)EPOLLOUT : 0),
        .data = {.u64 = (uint64_t)io->slot << 32 | (uint32_t)io->fd}};
    return epoll_ctl(poll->fd, op, io->fd, &event);
}

static tusk_err add(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    struct epoll_poll *poll = loop->poll;
    if (io->fd < 0) {
        return TUSK_ESYS;
    }
    if (!make_place(loop, (uint32_t)io->fd)) {
        return TUSK_ENOMEM;
    }
    poll->count += 2;
    io->slot = poll->count | ((interest & TUSK_IO_NEW) != 0 ? 1 : 0);
    if (control(loop, EPOLL_CTL_ADD, io, interest) == 0) {
        *place_of(poll, (uint32_t)io->fd) = io;
        return TUSK_OK;
    }
    return errno == ENOMEM ? TUSK_ENOMEM : TUSK_ESYS;
}

static void set(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    (void)control(loop, EPOLL_CTL_MOD, io,
                  interest); /* fails for nothing but a descriptor that is gone */
}

/* Epoll is told nothing: it names the descriptor, and reports what comes whoever has it. */
static void take_over(tusk_loop *loop, tusk_io *io)
{
    *place_of(loop->poll, (uint32_t)io->fd) = io;
}

/* Closing the descriptor would not do: a forked child may hold it open, and then it would be
 * reported for as long as that lives. */
static void forget(tusk_loop *loop, tusk_io *io)
{
    *place_of(loop->poll, (uint32_t)io->fd) = NULL;
    (void)control(loop, EPOLL_CTL_DEL, io, 0);
}

/* But it does where no child was forked since: the descriptor is then the only one of its socket
 * but for a moment. What starts programs without fork (vfork, posix_spawn) lets this process go on
 * before the kernel has closed it in them (CLOEXEC). */
static bool is_held_here_only(tusk_loop *loop, const tusk_io *io)
{
    struct epoll_poll *poll = loop->poll;
    if (loop->forks == NULL || (io->slot & 1) == 0) {
        return false;
    }
    if (poll->forks != *loop->forks) {
        poll->forks = *loop->forks;
        poll->forks_count = poll->count;
    }
    return (int32_t)((io->slot & ~1u) - poll->forks_count) > 0;
}

static void closing(tusk_loop *loop, tusk_io *io)
{
    if (is_held_here_only(loop, io)) {
        *place_of(loop->poll, (uint32_t)io->fd) = NULL;
    } else {
        forget(loop, io);
    }
}

static int wait_finely(struct epoll_poll *poll, int64_t timeout_ns)
{
#if defined(SYS_epoll_pwait2)
    if (timeout_ns > 0 && !poll->no_pwait2) {
        struct {
            int64_t sec;
            int64_t nsec;
        } limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
        long got =
            syscall(SYS_epoll_pwait2, poll->fd, poll->events, LOOP_BATCH_MAX, &limit, NULL, 0);
        if (got >= 0 || (errno != ENOSYS && errno != EPERM)) {
            return (int)got;
        }
        poll->no_pwait2 = true;
    }
#endif
    return epoll_wait(poll->fd, poll->events, LOOP_BATCH_MAX, tusk__ms_up(timeout_ns));
}

static tusk_err wait_epoll(tusk_loop *loop, int64_t timeout_ns)
{
    struct epoll_poll *poll = loop->poll;
    int got = wait_finely(poll, timeout_ns);
    if (got < 0) {
        return errno == EINTR ? TUSK_EAGAIN : TUSK_ESYS;
    }
    for (int i = 0; i < got; i++) {
        uint32_t happened = poll->events[i].events;
        unsigned events = ((happened & EPOLLIN) != 0 ? (unsigned)TUSK_IO_READ : 0) |
                          ((happened & EPOLLOUT) != 0 ? (unsigned)TUSK_IO_WRITE : 0) |
                          ((happened & EPOLLRDHUP) != 0 ? (unsigned)TUSK_IO_EDGE : 0) |
                          ((happened & (EPOLLHUP | EPOLLERR)) != 0 ? (unsigned)TUSK_IO_HUP : 0);
        uint64_t named = poll->events[i].data.u64;
        tusk_io *io = *place_of(poll, (uint32_t)named);
        if (TUSK_LIKELY(io != NULL && io->slot == named >> 32)) {
            tusk__loop_ready(loop, io, events);
        }
    }
    return TUSK_OK;
}

static int descriptor(const tusk_loop *loop)
{
    const struct epoll_poll *poll = loop->poll;
    return poll->fd;
}

const tusk__poller *tusk__poller_epoll(void)
{
    static const tusk__poller table = {.name = "epoll",
                                       .open = open_epoll,
                                       .close = close_epoll,
                                       .add = add,
                                       .set = set,
                                       .take_over = take_over,
                                       .remove = forget,
                                       .closing = closing,
                                       .wait = wait_epoll,
                                       .descriptor = descriptor};
    return &table;
}

#else

const tusk__poller *tusk__poller_epoll(void)
{
    return NULL;
}

#endif
