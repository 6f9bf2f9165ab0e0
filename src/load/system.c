/* SPDX-License-Identifier: MIT */
/* Processes and their limits; what only Linux has stands in its own branch. */
#define _GNU_SOURCE
#include "load/system.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define DESCRIPTORS_MAX (1 << 20)

void tusk__system_die_with_parent(void)
{
#if defined(__linux__)
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

void tusk__system_name(const char *name)
{
#if defined(__linux__)
    (void)prctl(PR_SET_NAME, name);
#else
    (void)name;
#endif
}

void tusk__system_punctual(void)
{
#if defined(__linux__)
    (void)prctl(PR_SET_TIMERSLACK, 1);
#endif
}

void tusk__system_pin(uint32_t index)
{
#if defined(__linux__)
    cpu_set_t set;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    CPU_ZERO(&set);
    CPU_SET((size_t)index % (size_t)(cpus > 0 ? cpus : 1), &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
#else
    (void)index;
#endif
}

void tusk__system_raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void tusk__system_close_from(int first)
{
#if defined(__linux__) && defined(SYS_close_range)
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) {
        return;
    }
#endif
    struct rlimit limit;
    int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS_MAX
                   ? (int)limit.rlim_cur
                   : DESCRIPTORS_MAX;
    for (int fd = first; fd < last; fd++) {
        (void)close(fd);
    }
}

int tusk__system_pipe(int ends[2])
{
    if (pipe(ends) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}
