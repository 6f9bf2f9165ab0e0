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
    cpu_set_t mine, one;
    if (sched_getaffinity(0, sizeof(mine), &mine) != 0 || CPU_COUNT(&mine) == 0) {
        return;
    }
    size_t left = index % (size_t)CPU_COUNT(&mine);
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &mine) || left-- > 0) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof(one), &one);
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
