/* SPDX-License-Identifier: MIT */
/* What only the system can do for worker processes: futexes, pidfds, descriptors, signals. */
#define _GNU_SOURCE
#include "work/region.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if !defined(P_PIDFD)
#define P_PIDFD 3
#endif

void tusk__futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                             .tv_nsec = (long)(until_ns % 1000000000u)};
    (void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, until_ns == 0 ? NULL : &until, NULL,
                  FUTEX_BITSET_MATCH_ANY);
}

void tusk__futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

int tusk__pidfd_open(int pid)
{
#if defined(SYS_pidfd_open)
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
#else
    (void)pid;
    return -1;
#endif
}

static int status_of(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED ? (info->si_status & 0xff) << 8 : info->si_status & 0x7f;
}

int tusk__reap(int pid, int pidfd, int *status)
{
    siginfo_t info = {0};
    int got = pidfd >= 0 ? waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG)
                         : waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG);
    if (got != 0) {
        return errno == EINTR ? 0 : -1;
    }
    if (info.si_pid == 0) {
        return 0;
    }
    *status = status_of(&info);
    return 1;
}

static void close_between(int first, int last)
{
#if defined(SYS_close_range)
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0) {
        return;
    }
#endif
    long max = sysconf(_SC_OPEN_MAX);
    if (last > max) {
        last = (int)max;
    }
    for (int fd = first; fd <= last; fd++) {
        (void)close(fd);
    }
}

void tusk__close_all_but(const int *kept, size_t count)
{
    int from = 3;
    for (size_t i = 0; i < count; i++) {
        if (kept[i] >= from) {
            close_between(from, kept[i] - 1);
            from = kept[i] + 1;
        }
    }
    close_between(from, (1 << 30));
}

bool tusk__die_with(int parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent;
}

void tusk__process_name(const char *name)
{
    (void)prctl(PR_SET_NAME, name);
}
#endif

/* The application's handlers are not ours to run, and what a terminal or a supervisor sends to the
 * whole group is the application's to obey: we die with it. */
void tusk__calm_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        bool ignored = number == SIGINT || number == SIGTERM || number == SIGHUP ||
                       number == SIGQUIT || number == SIGPIPE || number == SIGTSTP;
        if (number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL &&
            number != SIGABRT) {
            (void)signal(number, ignored ? SIG_IGN : SIG_DFL);
        }
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}
