/* SPDX-License-Identifier: MIT */
/* Alarms: timerfd, which only Linux has. */
#define _GNU_SOURCE
#include "loop/alarm.h"

#if defined(__linux__)

#include <sys/timerfd.h>
#include <time.h>

int tusk__alarm_open(void)
{
    return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

void tusk__alarm_set(int fd, uint64_t at_ns)
{
    uint64_t at = at_ns == 0 ? 1 : at_ns; /* all zero would disarm it */
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)}};
    (void)timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

#else

int tusk__alarm_open(void)
{
    return -1;
}

void tusk__alarm_set(int fd, uint64_t at_ns)
{
    (void)fd;
    (void)at_ns;
}

#endif
