/* SPDX-License-Identifier: MIT */
/* Awaiting a task's end, and what is left behind when a pool is closed. */
#ifndef TUSK_TEST_WORK_AWAIT_H
#define TUSK_TEST_WORK_AWAIT_H

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include <tusk/work.h>

#define SEC UINT64_C(1000000000)
#define MS UINT64_C(1000000)

/* Runs queued tasks itself where it may (in a worker). */
static inline tusk_work_state finish(tusk_lane *lane, uint32_t slot, tusk_work_result *result)
{
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    tusk_work_state state;
    uint32_t hint;
    while ((state = tusk_lane_look(lane, slot, result)) < TUSK_WORK_DONE) {
        if (tusk_loop_clock_ns() > end_ns) {
            return state;
        }
        if (!tusk_lane_help(lane)) {
            tusk_lane_wait(lane, 0);
        }
        while (tusk_lane_ended(lane, &hint)) {
        }
    }
    return state;
}

/* UINT32_MAX: the answer is no number. */
static inline uint32_t number_of(const tusk_work_result *result)
{
    uint32_t number = UINT32_MAX;
    if (result->bytes.len == sizeof(number)) {
        memcpy(&number, result->bytes.ptr, sizeof(number));
    }
    return number;
}

static inline size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        count++;
    }
    (void)closedir(dir);
    return count;
}

static inline void assert_no_child(void)
{
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

#endif
