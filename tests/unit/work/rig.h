/* SPDX-License-Identifier: MIT */
/* Tasks written in C, and a pool that runs them. */
#ifndef TUSK_TEST_WORK_RIG_H
#define TUSK_TEST_WORK_RIG_H

#include "await.h"

#include "work/lane.h"

#include <signal.h>
#include <unistd.h>

/* ---- a task is a verb and a number ---- */
enum { ECHO, CRASH, SPIN, SLEEP, BIG, RUBBISH, NEST, LEAVE, PID, INNER, SUM, OWN };
typedef struct order {
    uint32_t verb;
    uint32_t number;
} order;

static volatile sig_atomic_t interrupted;
static void (*own_task)(uint32_t number); /* what OWN does, where a test has such a task */

static void on_interrupt(void *user)
{
    interrupted = 1;
}

static void answer(tusk_worker *self, const void *bytes, size_t len)
{
    size_t cap;
    uint8_t *room = tusk_worker_room(self, &cap);
    if (room == NULL || cap < len) {
        return;
    }
    memcpy(room, bytes, len);
    tusk_worker_answer(self, len);
}

static void answer_number(tusk_worker *self, uint32_t number)
{
    answer(self, &number, sizeof(number));
}

static uint32_t ask(tusk_lane *lane, order what, uint64_t deadline_ns)
{
    uint32_t slot = UINT32_MAX;
    uint8_t *room;
    size_t cap;
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    memcpy(room, &what, sizeof(what));
    tusk_lane_submit(lane, slot, sizeof(what), deadline_ns);
    return slot;
}

/* Sums what its children answer; they go to other workers, or are run by itself. */
static void nest(tusk_worker *self, uint32_t depth)
{
    tusk_lane *lane = tusk_worker_lane(self);
    uint32_t slots[4];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        order child = {depth > 1 ? NEST : ECHO, depth > 1 ? depth - 1 : 1};
        slots[i] = ask(lane, child, 0);
    }
    tusk_lane_flush(lane);
    for (uint32_t i = 0; i < 4; i++) {
        tusk_work_result result;
        if (finish(lane, slots[i], &result) == TUSK_WORK_DONE) {
            sum += number_of(&result);
        }
        tusk_lane_release(lane, slots[i]);
    }
    answer_number(self, sum);
}

/* One inner task that another worker runs: cancelled, or crashing. Answers how it ended. */
static void inner(tusk_worker *self, order child)
{
    tusk_lane *lane = tusk_worker_lane(self);
    tusk_work_result result;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    uint32_t slot = ask(lane, child, 0);
    tusk_lane_flush(lane);
    while (tusk_lane_look(lane, slot, &result) == TUSK_WORK_QUEUED &&
           tusk_loop_clock_ns() < end_ns) {
        tusk_lane_wait(lane, tusk_loop_clock_ns() + MS);
    }
    if (child.verb == SPIN) {
        tusk_lane_cancel(lane, slot);
    }
    while (tusk_lane_look(lane, slot, &result) < TUSK_WORK_DONE && tusk_loop_clock_ns() < end_ns) {
        tusk_lane_wait(lane, 0);
    }
    tusk_work_state state = tusk_lane_look(lane, slot, &result);
    answer_number(self, state == TUSK_WORK_DONE   ? number_of(&result)
                        : state == TUSK_WORK_LOST ? 1000 + (uint32_t)result.status
                                                  : UINT32_MAX);
    tusk_lane_release(lane, slot);
}

/* The region lies before the request; everything that all processes share is written over. */
static void write_rubbish(tusk_worker *self, const tusk_work_task *task, uint32_t seed)
{
    uint64_t state = seed * 2654435761u + 1;
    const work_region *region = tusk_worker_lane(self)->region;
    uint64_t *words = (uint64_t *)(void *)region->map;
    size_t count = (size_t)(region->arenas - region->map) / 8;
    for (size_t i = 0; i < count && seed < 9; i++) {
        words[i] = seed % 3 == 0 ? UINT64_MAX : seed % 3 == 1 ? 0 : test_random(&state);
    }
    for (size_t i = 0; i < 4000 && seed >= 9; i++) { /* here and there, while the others work */
        size_t at = (size_t)(test_random(&state) % (i % 2 == 0 ? count : 256));
        uint64_t word = test_random(&state);
        words[at] = i % 5 == 0   ? word % 64
                    : i % 5 == 1 ? words[at] ^ UINT64_C(1) << word % 64
                    : i % 5 == 2 ? words[word % count]
                                 : word;
    }
}

/* Of what stands behind the order, and the length. */
static uint32_t sum_of(tusk_bytes request)
{
    uint32_t sum = (uint32_t)request.len;
    for (size_t i = sizeof(order); i < request.len; i++) {
        sum += request.ptr[i];
    }
    return sum;
}

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    order what = {ECHO, 0};
    interrupted = 0; /* its deadline may have passed before it begins */
    if (tusk_worker_why(self) != TUSK_WORK_GO_ON) {
        interrupted = 1;
    }
    if (task->request.len >= sizeof(what)) {
        memcpy(&what, task->request.ptr, sizeof(what));
    }
    switch (what.verb) {
    case CRASH:
        (void)signal((int)what.number, SIG_DFL);
        (void)raise(what.number == 0 ? SIGKILL : (int)what.number);
        break;
    case SPIN:
        while (interrupted == 0 || what.number == 1) {
        }
        answer_number(self, (uint32_t)tusk_worker_why(self) + 100);
        break;
    case SLEEP:
        if (interrupted == 0) {
            (void)usleep(what.number);
        }
        answer_number(self, interrupted != 0 ? 1 : 0);
        break;
    case BIG: {
        size_t cap;
        uint8_t *room = tusk_worker_room(self, &cap);
        memset(room, (int)(what.number & 0xff), what.number);
        tusk_worker_answer(self, what.number);
        break;
    }
    case RUBBISH: write_rubbish(self, task, what.number); break;
    case NEST: nest(self, what.number); break;
    case INNER: inner(self, (order){what.number % 100, what.number / 100}); break;
    case LEAVE: answer_number(self, what.number); return false;
    case SUM: answer_number(self, sum_of(task->request)); break;
    case OWN:
        own_task(what.number);
        answer_number(self, what.number);
        break;
    case PID: answer_number(self, (uint32_t)getpid()); break;
    default: answer_number(self, what.number); break;
    }
    return true;
}

static bool prepare(char *reason, size_t cap, void *user)
{
    if (user != NULL) {
        (void)snprintf(reason, cap, "%s", (const char *)user);
        return false;
    }
    return true;
}

static void begin(tusk_worker *self, void *user)
{
}

static const tusk_work_calls calls = {
    .prepare = prepare, .begin = begin, .run = run, .interrupt = on_interrupt};

static tusk_work *open_spinning_pool(uint32_t workers, uint32_t workers_max, uint32_t queue,
                                     uint32_t spin_us)
{
    tusk_work *work = NULL;
    tusk_work_options options = {.workers = workers,
                                 .workers_max = workers_max,
                                 .queue = queue,
                                 .spin_us = spin_us,
                                 .calls = &calls};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
}

#endif
