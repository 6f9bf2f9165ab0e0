/* SPDX-License-Identifier: MIT */
/* Processes and their limits; what only Linux has stands in its own branch. */
#define _GNU_SOURCE
#include "load/system.h"

#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#endif

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
