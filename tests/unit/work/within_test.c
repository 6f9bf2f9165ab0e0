/* SPDX-License-Identifier: MIT */
/* A deadline within a task: the earliest of all around it counts, and it is over with what it was
 * for. */
#define _GNU_SOURCE
#include "await.h"

#include <signal.h>
#include <unistd.h>

enum { HEEDS, DEAF, AT_ONCE, TWICE, PAST };

typedef struct order {
    uint32_t verb;
    uint32_t ms; /* of the inner deadline; 0: none */
} order;

static volatile sig_atomic_t interrupted;
static tusk_worker *worker;

static void on_interrupt(void *user)
{
    interrupted = 1;
}

static void begin(tusk_worker *self, void *user)
{
    worker = self;
}

static bool wait_for_the_interrupt(void *user)
{
    uint64_t end_ns = tusk_loop_clock_ns() + 10 * SEC;
    while (interrupted == 0 && tusk_loop_clock_ns() < end_ns) {
    }
    *(uint32_t *)user = tusk_loop_clock_ns() < end_ns ? (uint32_t)tusk_worker_why(worker) : 99;
    return true;
}

static bool heed_nothing(void *user)
{
    while (*(volatile uint32_t *)user != 0) {
        (void)usleep(1000);
    }
    return true;
}

static bool do_nothing(void *user)
{
    return false;
}

static bool be_within_another(void *user)
{
    return tusk_worker_within(worker, tusk_loop_clock_ns() + 10 * SEC, wait_for_the_interrupt,
                              user);
}

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    static bool (*const deeds[])(void *) = {wait_for_the_interrupt, heed_nothing, do_nothing,
                                            be_within_another, wait_for_the_interrupt};
    order what = {0, 0};
    uint32_t why = 50;
    size_t cap;
    interrupted = tusk_worker_why(self) != TUSK_WORK_GO_ON; /* before it begins, perhaps */
    memcpy(&what, task->request.ptr, sizeof(what));
    uint64_t end_ns = what.ms == 0 ? 0 : tusk_loop_clock_ns() + what.ms * MS;
    end_ns = what.verb == PAST ? tusk_loop_clock_ns() : end_ns; /* it is told at once */
    bool result = tusk_worker_within(self, end_ns, deeds[what.verb], &why);
    if (what.verb == AT_ONCE) { /* past that deadline, and its grace */
        while (tusk_loop_clock_ns() < end_ns + 2 * what.ms * MS) {
            (void)usleep(1000);
        }
        why = result ? 60 : interrupted != 0 ? 70 : 50 + (uint32_t)tusk_worker_why(self);
    }
    uint8_t *room = tusk_worker_room(self, &cap);
    memcpy(room, &why, sizeof(why));
    tusk_worker_answer(self, sizeof(why));
    return true;
}

static tusk_work *open_pool(uint32_t grace_ms)
{
    static const tusk_work_calls calls = {.begin = begin, .run = run, .interrupt = on_interrupt};
    const tusk_work_options options = {
        .workers = 1, .workers_max = 1, .queue = 4, .grace_ms = grace_ms, .calls = &calls};
    tusk_work *work = NULL;
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
}

static tusk_work_state ask(tusk_work *work, order what, uint64_t deadline_ns,
                           tusk_work_result *result)
{
    tusk_lane *lane = tusk_work_lane(work);
    uint32_t slot = UINT32_MAX;
    uint8_t *room;
    size_t cap;
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    memcpy(room, &what, sizeof(what));
    tusk_lane_submit(lane, slot, sizeof(what), deadline_ns);
    tusk_lane_flush(lane);
    tusk_work_state state = finish(lane, slot, result);
    tusk_lane_release(lane, slot);
    return state;
}

static void the_earliest_deadline_interrupts(void **state)
{
    static const struct {
        order what;
        uint64_t ms; /* of the task's own; 0: none */
    } cases[] = {{{HEEDS, 20}, 0},     {{HEEDS, 20}, 10000}, {{HEEDS, 10000}, 20},
                 {{HEEDS, 0}, 20},     {{TWICE, 20}, 0},     {{TWICE, 20}, 10000},
                 {{TWICE, 10000}, 20}, {{PAST, 0}, 0},       {{PAST, 0}, 10000}};
    tusk_work *work = open_pool(60000);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_work_result result;
        uint64_t end_ns = cases[i].ms == 0 ? 0 : tusk_loop_clock_ns() + cases[i].ms * MS;
        assert_int_equal(ask(work, cases[i].what, end_ns, &result), TUSK_WORK_DONE);
        assert_int_equal(number_of(&result), TUSK_WORK_LATE);
    }
    tusk_work_close(work);
}

static void who_does_not_heed_it_is_killed(void **state)
{
    tusk_work *work = open_pool(20);
    tusk_work_result result;
    assert_int_equal(ask(work, (order){DEAF, 20}, 0, &result), TUSK_WORK_LOST);
    assert_int_equal(result.status, SIGKILL);
    assert_int_equal(ask(work, (order){DEAF, 20}, tusk_loop_clock_ns() + 60 * SEC, &result),
                     TUSK_WORK_LOST);
    assert_int_equal(result.status, SIGKILL);
    tusk_work_close(work);
    assert_no_child();
}

/* Neither the interrupt nor the end comes for what is done. */
static void it_is_over_with_what_it_was_for(void **state)
{
    tusk_work *work = open_pool(20);
    tusk_work_result result;
    assert_int_equal(ask(work, (order){AT_ONCE, 50}, 0, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 50 + TUSK_WORK_GO_ON);
    assert_int_equal(ask(work, (order){AT_ONCE, 50}, tusk_loop_clock_ns() + 60 * SEC, &result),
                     TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 50 + TUSK_WORK_GO_ON);
    tusk_work_close(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_deadline_interrupts),
        cmocka_unit_test(who_does_not_heed_it_is_killed),
        cmocka_unit_test(it_is_over_with_what_it_was_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
