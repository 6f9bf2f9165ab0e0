/* SPDX-License-Identifier: MIT */
/* Whether a file has changed since a moment, on a machine whose clock may be set meanwhile. */
#include "src/travel/travel.h"

#include <sys/stat.h>
#include <time.h>

#if defined(CLOCK_REALTIME_COARSE) && defined(CLOCK_MONOTONIC_COARSE)
enum { WALL = CLOCK_REALTIME_COARSE, CLOCK = CLOCK_MONOTONIC_COARSE }; /* as files are stamped */
#else
enum { WALL = CLOCK_REALTIME, CLOCK = CLOCK_MONOTONIC };
#endif
#if defined(__APPLE__)
#define CHANGED(info) (info).st_ctimespec
#else
#define CHANGED(info) (info).st_ctim
#endif

static uint64_t in_ns(struct timespec time)
{
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec time = {0};
    (void)clock_gettime(clock, &time);
    return in_ns(time);
}

tusk_moment tusk_moment_now(void)
{
    return (tusk_moment){.wall_ns = now_ns(WALL), .clock_ns = now_ns(CLOCK)};
}

uint64_t tusk_moment_of_change(const zend_string *file)
{
    struct stat info;
    return stat(ZSTR_VAL(file), &info) == 0 ? in_ns(CHANGED(info)) : 0;
}

/* By the time of the change, which nobody sets back, as copying does with the other one. Where the
 * clock was set meanwhile the moment has two places in it, and the earlier one counts. */
bool tusk_moment_before_change(const tusk_moment *self, const zend_string *file)
{
    struct stat info;
    if (self->wall_ns == 0 || stat(ZSTR_VAL(file), &info) != 0) {
        return false;
    }
    uint64_t moved_ns = now_ns(WALL) - (now_ns(CLOCK) - self->clock_ns);
    return in_ns(CHANGED(info)) >= (moved_ns < self->wall_ns ? moved_ns : self->wall_ns);
}
