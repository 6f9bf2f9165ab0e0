/* SPDX-License-Identifier: MIT */
/*
 * Linked into what `make coverage` counts. gcov writes a process's counts when it exits: a worker
 * that leaves by _exit() or is ended by a signal would have run nothing. So they are written before
 * _exit(), and once a second where a process is about to wait.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);

_Noreturn void __real__exit(int status);
int __real_epoll_wait(int epoll, struct epoll_event *events, int max, int timeout_ms);
long __real_syscall(long number, ...);

_Noreturn void __wrap__exit(int status);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int max, int timeout_ms);
long __wrap_syscall(long number, ...);

static void write_counts(void)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(
            &busy)) { /* not twice at once: two threads, or a handler of a signal within */
        __gcov_dump();
        __gcov_reset(); /* what is written next is added to what is there */
        atomic_flag_clear(&busy);
    }
}

static void now_and_then(void)
{
    static atomic_long last;
    struct timespec now;
    (void)__real_syscall(SYS_clock_gettime, CLOCK_MONOTONIC,
                         &now); /* a unit test's clock_gettime() is its own, and asks syscall() */
    if (atomic_load(&last) != now.tv_sec) {
        atomic_store(&last, now.tv_sec);
        write_counts();
    }
}

_Noreturn void __wrap__exit(int status)
{
    write_counts();
    __real__exit(status);
}

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int max, int timeout_ms)
{
    now_and_then();
    return __real_epoll_wait(epoll, events, max, timeout_ms);
}

/* epoll_pwait2, io_uring_enter, futex: whichever it is, six words are the most that a call of the
 * kernel takes. */
long __wrap_syscall(long number, ...)
{
    long word[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; ++i) {
        word[i] = va_arg(list, long);
    }
    va_end(list);
    now_and_then();
    return __real_syscall(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
