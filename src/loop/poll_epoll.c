/* SPDX-License-Identifier: MIT */
/* The epoll poller: the event's data is the descriptor's tusk_io. */
#define _GNU_SOURCE
#include "loop/inner.h"

#if defined(__linux__)

#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

struct epoll_poll {
    int fd;
    bool no_pwait2; /* a kernel before 5.11 */
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
    loop->poll = poll;
    return TUSK_OK;
}

static void close_epoll(tusk_loop *loop)
{
    struct epoll_poll *poll = loop->poll;
    (void)close(poll->fd);
    tusk__free(loop->mem, poll, sizeof(*poll));
    loop->poll = NULL;
}

static int control(tusk_loop *loop, int op, tusk_io *io, unsigned interest)
{
    const struct epoll_poll *poll = loop->poll;
    struct epoll_event event = {
        .events = ((interest & TUSK_IO_EDGE) != 0 ? (uint32_t)(EPOLLET | EPOLLRDHUP) : 0) |
                  ((interest & TUSK_IO_READ) != 0 ? (uint32_t)EPOLLIN : 0) |
                  ((interest & TUSK_IO_WRITE) != 0 ? (uint32_t)EPOLLOUT : 0),
        .data = {.ptr = io}};
    return epoll_ctl(poll->fd, op, io->fd, &event);
}

/* When nobody but this process held it, by forks; another number than the present one: unknown. */
static uint32_t held_alone_at(const tusk_loop *loop, unsigned interest)
{
    uint32_t forks = loop->forks != NULL ? *loop->forks : 0;
    return (interest & TUSK_IO_NEW) != 0 ? forks : forks - 1;
}

static tusk_err add(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    io->slot = held_alone_at(loop, interest);
    if (control(loop, EPOLL_CTL_ADD, io, interest) == 0) {
        return TUSK_OK;
    }
    return errno == ENOMEM ? TUSK_ENOMEM : TUSK_ESYS;
}

static void set(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    (void)control(loop, EPOLL_CTL_MOD, io,
                  interest); /* fails for nothing but a descriptor that is gone */
}

/* Closing the descriptor would not do: a forked child may hold it open, and then it would report to
 * freed memory. */
static void forget(tusk_loop *loop, tusk_io *io)
{
    (void)control(loop, EPOLL_CTL_DEL, io, 0);
}

/* But it does where no child was forked since: the descriptor is then the only one of its socket,
 * and what starts programs without fork (vfork, posix_spawn) has closed it in them (CLOEXEC) before
 * this process goes on. */
static bool is_held_here_only(const tusk_loop *loop, const tusk_io *io)
{
    return loop->forks != NULL && io->slot == *loop->forks;
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
        if (got >= 0 || errno != ENOSYS) {
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
        tusk__loop_ready(loop, poll->events[i].data.ptr, events);
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
                                       .by_number = true,
                                       .remove = forget,
                                       .ends_by_close = is_held_here_only,
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
