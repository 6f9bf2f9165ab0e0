/* SPDX-License-Identifier: MIT */
/* Time that only the test moves, between still_begin and still_end: what depends on how long
 * something took is the same in every run, however busy the machine is. A turn of a rig is a
 * millisecond then, and nothing in it takes any time; a turn that waits would wait in vain.
 * clock_gettime is the C library's name, and this one comes before it, so one source of a program
 * may have it. */
#ifndef TEST_STILL_CLOCK_H
#define TEST_STILL_CLOCK_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t still_now_ns; /* 0: the clock is the system's */

int clock_gettime(clockid_t id, struct timespec *out)
{
    if (id != CLOCK_MONOTONIC || still_now_ns == 0) {
        return (int)syscall(SYS_clock_gettime, id, out);
    }
    out->tv_sec = (time_t)(still_now_ns / 1000000000u);
    out->tv_nsec = (long)(still_now_ns % 1000000000u);
    return 0;
}

/* Nothing while the clock is the system's. */
static inline void still_pass_ms(uint64_t ms)
{
    still_now_ns += still_now_ns == 0 ? 0 : ms * 1000000u;
}

/* Before the loop is made. */
static inline void still_begin(void)
{
    still_now_ns = UINT64_C(1000000000000);
}

/* From now on, also of a loop that is there. */
static inline void still_stop(void)
{
    struct timespec now;
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    still_now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void still_end(void)
{
    still_now_ns = 0;
}

#endif
