/* SPDX-License-Identifier: MIT */
/* Awaiting a task's end, and what is left behind when a pool is closed. */
#ifndef TUSK_TEST_WORK_AWAIT_H
#define TUSK_TEST_WORK_AWAIT_H

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* A task that is a verb and no more, for whoever is free. */
static inline uint32_t submit_verb(tusk_lane *lane, uint32_t verb)
{
    uint32_t slot = UINT32_MAX;
    uint8_t *room;
    size_t cap;
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    memcpy(room, &verb, sizeof(verb));
    tusk_lane_submit(lane, slot, sizeof(verb), 0);
    tusk_lane_flush(lane);
    return slot;
}

/* Until another process has set it, in so many seconds at most. */
static inline void until_set(const _Atomic uint32_t *flag, uint64_t seconds)
{
    uint64_t end_ns = tusk_loop_clock_ns() + seconds * SEC;
    while (atomic_load(flag) == 0 && tusk_loop_clock_ns() < end_ns) {
        (void)usleep(500);
    }
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
