/* SPDX-License-Identifier: MIT */
/* The kqueue poller, for the BSDs and macOS. Written against their manuals; not yet run by us. */
#include "loop/inner.h"

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) ||   \
    defined(__DragonFly__)

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>

#include <sys/event.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct kqueue_poll {
    int fd;
    struct kevent events[LOOP_BATCH_MAX];
};

static tusk_err open_kqueue(tusk_loop *loop)
{
    struct kqueue_poll *poll = tusk__new(loop->mem, sizeof(*poll));
    if (poll == NULL) {
        return TUSK_ENOMEM;
    }
    poll->fd = kqueue();
    if (poll->fd < 0) {
        tusk__free(loop->mem, poll, sizeof(*poll));
        return TUSK_ESYS;
    }
    (void)fcntl(poll->fd, F_SETFD, FD_CLOEXEC);
    loop->poll = poll;
    return TUSK_OK;
}

static void close_kqueue(tusk_loop *loop)
{
    struct kqueue_poll *poll = loop->poll;
    (void)close(poll->fd);
    tusk__free(loop->mem, poll, sizeof(*poll));
    loop->poll = NULL;
}

/* Two filters per descriptor; only what differs from `had` is told, each by itself: the kernel
 * skips what stands behind a change that fails. */
static tusk_err tell(tusk_loop *loop, tusk_io *io, unsigned had, unsigned interest)
{
    static const struct {
        unsigned interest;
        short filter;
    } filters[] = {{TUSK_IO_READ, EVFILT_READ}, {TUSK_IO_WRITE, EVFILT_WRITE}};
    const struct kqueue_poll *poll = loop->poll;
    tusk_err err = TUSK_OK;
    for (int i = 0; i < 2; i++) {
        unsigned bit = filters[i].interest;
        struct kevent change;
        if (((had ^ interest) & bit) == 0) {
            continue;
        }
        EV_SET(&change, (uintptr_t)io->fd, filters[i].filter,
               (interest & bit) != 0 ? EV_ADD : EV_DELETE, 0, 0, (void *)io);
        if (kevent(poll->fd, &change, 1, NULL, 0, NULL) != 0) {
            err = errno == ENOMEM ? TUSK_ENOMEM : TUSK_ESYS;
        }
    }
    return err;
}

static tusk_err add(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    tusk_err err = tell(loop, io, 0, interest);
    if (err != TUSK_OK) {
        (void)tell(loop, io, interest, 0); /* what it took of it */
    }
    return err;
}

static void set(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    (void)tell(loop, io, io->polled & TUSK__IO_BOTH, interest);
}

static void forget(tusk_loop *loop, tusk_io *io)
{
    (void)tell(loop, io, io->polled & TUSK__IO_BOTH, 0);
}

static tusk_err wait_kqueue(tusk_loop *loop, int64_t timeout_ns)
{
    struct kqueue_poll *poll = loop->poll;
    struct timespec limit = {.tv_sec = (time_t)(timeout_ns / 1000000000),
                             .tv_nsec = (long)(timeout_ns % 1000000000)};
    int got =
        kevent(poll->fd, NULL, 0, poll->events, LOOP_BATCH_MAX, timeout_ns < 0 ? NULL : &limit);
    if (got < 0) {
        return errno == EINTR ? TUSK_EAGAIN : TUSK_ESYS;
    }
    for (int i = 0; i < got; i++) {
        const struct kevent *event = &poll->events[i];
        bool writes = event->filter == EVFILT_WRITE;
        unsigned events = writes ? (unsigned)TUSK_IO_WRITE : (unsigned)TUSK_IO_READ;
        if ((writes && (event->flags & EV_EOF) != 0) || (event->flags & EV_ERROR) != 0) {
            events |= (unsigned)TUSK_IO_HUP; /* EV_EOF on reading alone is a half-close */
        }
        tusk__loop_ready(loop, (tusk_io *)event->udata, events);
    }
    return TUSK_OK;
}

const tusk__poller *tusk__poller_kqueue(void)
{
    static const tusk__poller table = {.name = "kqueue",
                                       .open = open_kqueue,
                                       .close = close_kqueue,
                                       .add = add,
                                       .set = set,
                                       .remove = forget,
                                       .wait = wait_kqueue};
    return &table;
}

#else

const tusk__poller *tusk__poller_kqueue(void)
{
    return NULL;
}

#endif
