/* SPDX-License-Identifier: MIT */
/* Preloaded into a server of one thread: how long it computes between its system calls, into the
 * file that TUSK_USER_TIME names (int64 each: nanoseconds, calls, gaps that were left out). The
 * kernel's own figure is a sample at each tick, and a tick that was held back in the kernel hits
 * whoever comes next: of a bare server that does nothing else it said 7 us where this says 2. A
 * call that is not wrapped here counts as computing, as does an interrupt. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "shim.h"

enum { COMPUTED, CALLS, LEFT_OUT, COUNTS, MOST_NS = 1000000 /* of a gap: somebody else ran */ };

static int64_t nowhere[COUNTS];
static int64_t *counts = nowhere;
static double ns_each = 1; /* tick */
static uint64_t left_at;   /* the last call, in ticks; 0: none yet */

static uint64_t clock_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc(); /* half of what a clock of the system takes, twice for each call */
#else
    return clock_ns();
#endif
}

__attribute__((constructor)) static void open_counts(void)
{
    const struct timespec while_ = {.tv_nsec = 20000000};
    uint64_t from_ns = clock_ns();
    uint64_t from = ticks();
    (void)nanosleep(&while_, NULL);
    ns_each = (double)(clock_ns() - from_ns) / (double)(ticks() - from);
    int64_t *file = shim_open("TUSK_USER_TIME", sizeof(nowhere));
    counts = file == NULL ? nowhere : file;
}

static void enter(void)
{
    int64_t ns = left_at == 0 ? 0 : (int64_t)((double)(ticks() - left_at) * ns_each);
    counts[ns > MOST_NS ? LEFT_OUT : COMPUTED] += ns > MOST_NS ? 1 : ns;
    counts[CALLS]++;
}

#define WRAPPED(result, name, parameters, arguments)                                               \
    result name parameters                                                                         \
    {                                                                                              \
        static result(*real) parameters;                                                           \
        if (real == NULL) {                                                                        \
            *(void **)(&real) = dlsym(RTLD_NEXT, #name);                                           \
        }                                                                                          \
        enter();                                                                                   \
        result got = real arguments;                                                               \
        left_at = ticks();                                                                         \
        return got;                                                                                \
    }

struct io_uring;
struct io_uring_cqe;
int __io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **out, unsigned submit,
                       unsigned wait, sigset_t *mask);
int io_uring_submit(struct io_uring *ring);
int io_uring_submit_and_get_events(struct io_uring *ring);

/* clang-format off */
WRAPPED(int, accept, (int fd, struct sockaddr *addr, socklen_t *len), (fd, addr, len))
WRAPPED(int, accept4, (int fd, struct sockaddr *addr, socklen_t *len, int flags),
        (fd, addr, len, flags))
WRAPPED(int, close, (int fd), (fd))
WRAPPED(int, epoll_ctl, (int fd, int op, int at, struct epoll_event *event), (fd, op, at, event))
WRAPPED(int, epoll_wait, (int fd, struct epoll_event *events, int n, int ms), (fd, events, n, ms))
WRAPPED(int, getpeername, (int fd, struct sockaddr *addr, socklen_t *len), (fd, addr, len))
WRAPPED(int, getsockname, (int fd, struct sockaddr *addr, socklen_t *len), (fd, addr, len))
WRAPPED(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *len),
        (fd, level, name, value, len))
WRAPPED(int, __io_uring_get_cqe,
        (struct io_uring *ring, struct io_uring_cqe **out, unsigned submit, unsigned wait,
         sigset_t *mask),
        (ring, out, submit, wait, mask))
WRAPPED(int, io_uring_submit, (struct io_uring *ring), (ring))
WRAPPED(int, io_uring_submit_and_get_events, (struct io_uring *ring), (ring))
WRAPPED(ssize_t, read, (int fd, void *to, size_t len), (fd, to, len))
WRAPPED(ssize_t, recv, (int fd, void *to, size_t len, int flags), (fd, to, len, flags))
WRAPPED(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WRAPPED(ssize_t, send, (int fd, const void *from, size_t len, int flags), (fd, from, len, flags))
WRAPPED(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
WRAPPED(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len),
        (fd, level, name, value, len))
WRAPPED(int, shutdown, (int fd, int how), (fd, how))
WRAPPED(ssize_t, write, (int fd, const void *from, size_t len), (fd, from, len))
WRAPPED(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n))
/* clang-format on */

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long value[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        value[i] = va_arg(list, long);
    }
    va_end(list);
    if (real == NULL) {
        *(void **)(&real) = dlsym(RTLD_NEXT, "syscall");
    }
    enter();
    long got = real(number, value[0], value[1], value[2], value[3], value[4], value[5]);
    left_at = ticks();
    return got;
}
