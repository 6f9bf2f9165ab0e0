/* SPDX-License-Identifier: MIT */
/* What only the system can do for worker processes: futexes. */
#define _GNU_SOURCE
#include "work/region.h"

#include <time.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

bool tusk__futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                             .tv_nsec = (long)(until_ns % 1000000000u)};
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, until_ns == 0 ? NULL : &until, NULL,
                   FUTEX_BITSET_MATCH_ANY) == 0;
}

void tusk__futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}
#endif
