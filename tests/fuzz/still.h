/* SPDX-License-Identifier: MIT */
/*
 * Time and randomness that only the target moves, so that the same input does the same every time.
 * clock_gettime and getentropy are the C library's names, and these come before it; the wall clock
 * is libFuzzer's, too, so of that one only our reading is wrapped (by the linker).
 */
#ifndef TUSK_FUZZ_STILL_H
#define TUSK_FUZZ_STILL_H

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

static uint64_t still_now_ns;
static uint64_t still_entropy;

int64_t __wrap_tusk_loop_wall_s(void);

int clock_gettime(clockid_t id, struct timespec *out)
{
    if (id == CLOCK_MONOTONIC) {
        out->tv_sec = (time_t)(still_now_ns / 1000000000u);
        out->tv_nsec = (long)(still_now_ns % 1000000000u);
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, id, out);
}

int64_t __wrap_tusk_loop_wall_s(void)
{
    return INT64_C(1000000000) + (int64_t)(still_now_ns / 1000000000u);
}

int getentropy(void *out, size_t len)
{
    uint8_t *to = out;
    for (size_t i = 0; i < len; i++) {
        still_entropy = still_entropy * UINT64_C(6364136223846793005) + 1442695040888963407u;
        to[i] = (uint8_t)(still_entropy >> 56);
    }
    return 0;
}

/* At the start of each input. */
static inline void still_begin(void)
{
    still_now_ns = UINT64_C(1000) * 1000000000u;
    still_entropy = 0;
}

static inline void still_pass_ms(uint64_t ms)
{
    still_now_ns += ms * 1000000u;
}

#endif
