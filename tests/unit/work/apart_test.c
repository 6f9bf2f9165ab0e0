/* SPDX-License-Identifier: MIT */
/* On which core a worker is woken. */
#define _GNU_SOURCE
#include "counts.h"

/* So many tasks, each of which is woken for and rings. Watched: as run() does it, who waits for
 * that one and for nothing else. */
static void run_each(tusk_work *work, uint32_t workers, uint32_t count, bool watched)
{
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    for (uint32_t i = 0; i < count; i++) {
        all_asleep(work, workers);
        uint32_t slot = ask(lane, (order){OWN, 0}, 0);
        if (watched) {
            tusk_lane_watch(lane, slot); /* nobody looks at it before the flush */
        }
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
        tusk_lane_release(lane, slot);
    }
}

static void run_alone(tusk_work *work, uint32_t count)
{
    run_each(work, 1, count, true);
}

/* With the pause before it over, and the one after it without end. Not each task counts: where the
 * machine is busy its answer is there before its caller sleeps. */
static void run_until(tusk_work *work, work_move *move, const _Atomic uint32_t *count,
                      uint32_t moves, bool watched)
{
    move->next_ns = 0;
    for (int i = 0; i < 100 && *count < moves; i++) {
        run_each(work, 1, 1, watched);
    }
    assert_int_equal(*count, moves);
    move->next_ns = UINT64_MAX;
}

/* Whatever a sanitizer or valgrind makes of it: each task follows at once, or none does. */
static tusk_lane *lane_of(tusk_work *work, uint32_t soon_us)
{
    tusk_lane *lane = tusk_work_lane(work);
    const char *reason;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while (tusk__work_worker_pid(work, 0) == 0 && tusk_loop_clock_ns() < end_ns) {
        assert_true(tusk_work_look(work, &reason)); /* whose birth was not told is not moved */
    }
    lane->apart.soon_us = soon_us;
    lane->apart.rung_ns = tusk_loop_clock_ns();
    /* what it finds by looking would lengthen no pause */
    lane->region->head->awake = 0;
    ((work_region *)(uintptr_t)lane->region)->cpus = 2;
    return lane;
}

static void a_worker_that_is_wanted_at_once_is_put_elsewhere_now_and_then(void **state)
{
    tusk_work *work = open_quiet(1, SPIN_US);
    tusk_lane *lane = lane_of(work, UINT32_MAX);
    work_move *away = &lane->apart.away;
    counted->core = 1;
    run_each(work, 1, 2, false);
    assert_int_equal(counted->moves, 0); /* it may be chance */
    run_until(work, away, &counted->moves, 1, false);
    assert_int_equal(counted->returns, 1); /* at once: it may run anywhere again */
    uint32_t pause_ms = away->pause_ms;
    run_each(work, 1, 12, false);
    assert_int_equal(counted->moves, 1); /* not before the pause is over */
    away->met = false;
    run_until(work, away, &counted->moves, 2, false);
    assert_int_equal(counted->returns, 2);
    assert_int_equal(away->pause_ms, pause_ms * 2); /* of no use: less often */
    away->met = true;
    run_until(work, away, &counted->moves, 3, false);
    assert_int_equal(away->pause_ms, pause_ms);
    assert_int_equal(counted->pulls, 0);
    counted->core = 0;
    tusk_work_close(work);
}

static void a_lone_tasks_worker_is_called_to_its_caller_where_tasks_are_rare(void **state)
{
    tusk_work *work = open_quiet(1, SPIN_US);
    tusk_lane *lane = lane_of(work, 0);
    work_move *near = &lane->apart.near;
    counted->core = 1;
    counted->others = 2;
    run_each(work, 1, 8, false);
    assert_int_equal(counted->pulls, 0); /* who submits such a task may do something else */
    lane->apart.near.row = 0;
    run_alone(work, 2);
    assert_int_equal(counted->pulls, 0); /* it may be chance */
    run_until(work, near, &counted->pulls, 1, true);
    assert_int_equal(counted->returns, 1);
    uint32_t pause_ms = near->pause_ms;
    run_until(work, near, &counted->pulls, 2, true);
    assert_int_equal(near->pause_ms, pause_ms * 2); /* it did not come */
    counted->others = 1;
    near->next_ns = 0;
    run_alone(work, 8);
    assert_int_equal(counted->pulls, 2); /* it is there */
    counted->others = 2;
    run_until(work, near, &counted->pulls, 3, true);
    assert_int_equal(near->pause_ms, pause_ms);
    assert_int_equal(counted->moves, 0);
    counted->core = counted->others = 0;
    tusk_work_close(work);
}

static void nobody_is_moved_where_nobody_spins(void **state)
{
    tusk_work *work = open_quiet(1, 0);
    (void)lane_of(work, UINT32_MAX);
    counted->core = 1;
    run_each(work, 1, 12, false);
    assert_int_equal(counted->moves + counted->pulls, 0);
    counted->core = 0;
    tusk_work_close(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_COUNTS(a_worker_that_is_wanted_at_once_is_put_elsewhere_now_and_then),
        WITH_COUNTS(a_lone_tasks_worker_is_called_to_its_caller_where_tasks_are_rare),
        WITH_COUNTS(nobody_is_moved_where_nobody_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
