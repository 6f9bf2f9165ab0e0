/* SPDX-License-Identifier: MIT */
/* Where a worker died, the next one is there sooner: a process is kept that is forked and set up
 * already and waits for its place. A pool whose workers live has none. */
#define _GNU_SOURCE
#include "work/spare.h"

#if defined(__linux__)

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define CALM_NS (20 * MS)    /* the successor first, and what it runs */
#define KEPT_NS (30000 * MS) /* after the last death */

void tusk__spare_init(work_spare *self)
{
    *self = (work_spare){.pidfd = -1, .to = -1};
}

void tusk__spare_want(work_spare *self, uint64_t now_ns)
{
    self->end_ns = now_ns + KEPT_NS;
    self->fork_ns = now_ns + CALM_NS; /* where there is one: after the one that follows now */
}

uint64_t tusk__spare_due(const work_spare *self)
{
    return self->pid != 0 ? self->end_ns : self->fork_ns;
}

int tusk__spare_open(work_spare *self, uint64_t now_ns)
{
    int ends[2];
    if (self->fork_ns == 0 || now_ns < self->fork_ns || self->pid != 0) {
        return -1;
    }
    self->fork_ns = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    self->to = ends[1];
    return ends[0];
}

static void close_pipe(work_spare *self)
{
    if (self->to >= 0) {
        (void)close(self->to);
    }
    self->to = -1;
}

static void forget(work_spare *self)
{
    close_pipe(self);
    self->pid = 0;
    self->pidfd = -1;
}

void tusk__spare_forked(work_spare *self, int from, int pid, uint64_t now_ns)
{
    (void)close(from);
    if (pid < 0) {
        forget(self);
        return;
    }
    self->pid = pid;
    self->pidfd = tusk__pidfd_open(pid);
    self->end_ns = now_ns + KEPT_NS;
}

int tusk__spare_take(work_spare *self, work_place place, int *pidfd)
{
    int pid = self->pid;
    if (pid == 0 || write(self->to, &place, sizeof(place)) != (ssize_t)sizeof(place)) {
        return 0; /* where it died it is reaped by the next look */
    }
    *pidfd = self->pidfd;
    forget(self);
    return pid;
}

void tusk__spare_look(work_spare *self, uint64_t now_ns)
{
    int status;
    if (self->pid != 0 && tusk__reap(self->pid, self->pidfd, &status) != 0) {
        if (self->pidfd >= 0) {
            (void)close(self->pidfd);
        }
        forget(self);
        self->fork_ns = 0;
    } else if (self->pid != 0 && now_ns >= self->end_ns) {
        (void)kill(self->pid, SIGKILL);
        close_pipe(self); /* it has no place to come: a worker may die before it has been reaped */
        self->end_ns = now_ns + KEPT_NS; /* by then it has */
    }
}

void tusk__spare_end(work_spare *self)
{
    struct pollfd end = {.fd = self->pidfd, .events = POLLIN};
    if (self->pid != 0) {
        (void)kill(self->pid, SIGKILL);
    }
    while (self->pid != 0) {
        (void)poll(&end, self->pidfd >= 0 ? 1 : 0, 5);
        tusk__spare_look(self, 0);
    }
}

#else

typedef int tusk__spare_is_not_built; /* an empty file would not be C */

#endif
