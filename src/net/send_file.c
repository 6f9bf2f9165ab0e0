/* SPDX-License-Identifier: MIT */
/* sendfile, and the signal that it may raise. */
#define _GNU_SOURCE
#include "net/send_file.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#if defined(__linux__)

#include <sys/sendfile.h>

ssize_t tusk__hush_send(net_hush *self, int fd, int file, uint64_t offset, size_t wanted)
{
    off_t at = (off_t)offset;
    ssize_t len;
    do {
        len = sendfile(fd, file, &at, wanted);
    } while (len < 0 && errno == EINTR);
    if (len >= 0) {
        return len;
    }
    self->broken = self->broken || errno == EPIPE;
    return -errno;
}

#else

ssize_t tusk__hush_send(net_hush *self, int fd, int file, uint64_t offset, size_t wanted)
{
    (void)self;
    (void)fd;
    (void)file;
    (void)offset;
    (void)wanted;
    return -ENOTSUP;
}

#endif

static sigset_t only_pipe(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGPIPE);
    return set;
}

void tusk__hush_begin(net_hush *self)
{
    const sigset_t pipe_only = only_pipe();
    self->broken = false;
    (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &self->before);
}

void tusk__hush_end(net_hush *self)
{
#if defined(__linux__)
    static const struct timespec now;
    sigset_t pending;
    if (self->broken && sigismember(&self->before, SIGPIPE) == 0 && sigpending(&pending) == 0 &&
        sigismember(&pending, SIGPIPE) == 1) {
        const sigset_t pipe_only = only_pipe();
        (void)sigtimedwait(&pipe_only, NULL, &now);
    }
#endif
    (void)pthread_sigmask(SIG_SETMASK, &self->before, NULL);
}
