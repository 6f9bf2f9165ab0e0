/* SPDX-License-Identifier: MIT */
/* Who wakes whom, and how often. */
#define _GNU_SOURCE
#include "counts.h"

#include <poll.h>
#include <sys/eventfd.h>

/* ---- tests ---- */
static void a_batch_wakes_everybody_it_needs_by_one_call(void **state)
{
    tusk_work *work = open_quiet(4, 0);
    tusk_lane *lane = tusk_work_lane(work);
    static const uint32_t sizes[] = {1, 4, 32};
    for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
        uint32_t slots[32];
        tusk_work_result result;
        all_asleep(work, 4);
        for (uint32_t i = 0; i < sizes[n]; i++) {
            slots[i] = ask(lane, (order){ECHO, i}, 0);
        }
        assert_int_equal(atomic_load(&counted->wakes), 0); /* nobody before the flush */
        tusk_lane_flush(lane);
        assert_int_equal(atomic_load(&counted->wakes), 1);
        for (uint32_t i = 0; i < sizes[n]; i++) {
            assert_int_equal(finish(lane, slots[i], &result), TUSK_WORK_DONE);
            assert_int_equal(number_of(&result), i);
            tusk_lane_release(lane, slots[i]);
        }
    }
    tusk_work_close(work);
}

static void who_is_awake_is_not_woken(void **state)
{
    tusk_work *work = open_quiet(1, 0);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    all_asleep(work, 1);
    uint32_t slot = ask(lane, (order){SPIN, 0}, 0);
    tusk_lane_flush(lane);
    while (tusk_lane_look(lane, slot, &result) != TUSK_WORK_RUNNING) {
        (void)sched_yield();
    }
    for (uint32_t i = 0; i < 8; i++) { /* a flush each, while the only worker computes */
        (void)ask(lane, (order){ECHO, i}, 0);
        tusk_lane_flush(lane);
    }
    tusk_lane_flush(lane);
    assert_int_equal(atomic_load(&counted->wakes), 1);
    tusk_work_close(work); /* which ends all of them */
}

/* Who is about to sleep and finds an answer just then is woken without a sleep: not each time. */
static void the_application_is_woken_at_most_once_for_each_time_it_slept(void **state)
{
    tusk_work *work = open_quiet(4, 0);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slots[64], bells = 1, waits = 0;
    for (int tries = 0; tries < 5 && bells > waits; tries++) {
        all_asleep(work, 4);
        for (uint32_t i = 0; i < 64; i++) {
            slots[i] = ask(lane, (order){SLEEP, 500}, 0);
        }
        tusk_lane_flush(lane);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(finish(lane, slots[i], &result), TUSK_WORK_DONE);
            tusk_lane_release(lane, slots[i]);
        }
        bells = atomic_load(&counted->bells), waits = atomic_load(&counted->waits);
        assert_true(bells >= 1);
    }
    assert_true(bells <= waits);
    tusk_work_close(work);
}

/* A write to its descriptor is a turn of the application's loop. */
static void who_does_not_listen_is_not_rung_and_who_does_is_once(void **state)
{
    work_region region;
    uint64_t rung = 0;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(fd >= 0);
    assert_err(tusk__region_open(&region, 1, 4, 65536, false), TUSK_OK);
    shared_lane *lane = region.lanes[APPLICATION].lane;
    tusk__region_ring(&region, APPLICATION, fd);
    assert_int_equal(atomic_load(&counted->wakes), 0);
    atomic_store(&lane->waits, WAITS_FUTEX);
    tusk__region_ring(&region, APPLICATION, fd);
    assert_int_equal(atomic_load(&lane->bell), 1);
    assert_int_equal(atomic_load(&counted->wakes), 1);
    assert_int_equal(read(fd, &rung, sizeof(rung)), -1);
    atomic_store(&lane->waits, WAITS_FD);
    tusk__region_ring(&region, APPLICATION, fd);
    tusk__region_ring(&region, APPLICATION, fd); /* it has not asked again */
    assert_int_equal(read(fd, &rung, sizeof(rung)), sizeof(rung));
    assert_int_equal(rung, 1);
    assert_int_equal(atomic_load(&counted->wakes), 1);
    tusk__region_rouse(&region, fd); /* all of them, whatever they say */
    assert_int_equal(read(fd, &rung, sizeof(rung)), sizeof(rung));
    assert_int_equal(atomic_load(&counted->wakes), 3);
    assert_int_equal(atomic_load(&lane->bell), 2);
    assert_int_equal(atomic_load(&region.lanes[1].lane->bell), 1);
    tusk__region_close(&region);
    (void)close(fd);
}

/* A worker was killed when it had read who waits, and before it rang. */
static void a_death_is_heard_where_the_dead_one_took_the_wish_to_hear(void **state)
{
    tusk_work *work = open_quiet(1, 0);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result = {0};
    struct pollfd bell = {.fd = tusk_work_fd(work), .events = POLLIN};
    const char *reason;
    all_asleep(work, 1);
    uint32_t slot = ask(lane, (order){SLEEP, 20 * 1000 * 1000}, 0);
    tusk_lane_flush(lane);
    while (tusk_lane_look(lane, slot, &result) != TUSK_WORK_RUNNING || result.pid == 0) {
        (void)sched_yield();
    }
    tusk_work_listen(work, true);
    assert_true(tusk_work_look(work, &reason)); /* what rang before */
    atomic_store(&lane->view->lane->waits, 0);
    assert_int_equal(kill(result.pid, SIGKILL), 0);
    assert_int_equal(poll(&bell, 1, 20 * 1000), 1);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_LOST);
    tusk_work_close(work);
}

static void a_watched_task_leaves_no_hint_and_is_found(void **state)
{
    tusk_work *work = open_quiet(2, 50);
    tusk_lane *lane = tusk_work_lane(work);
    const _Atomic uint64_t *done = lane->view->done;
    tusk_work_result result;
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t slot = UINT32_MAX;
        uint32_t ended = UINT32_MAX;
        uint8_t *room;
        size_t cap;
        order what = {i % 10 == 9 ? CRASH : ECHO, i % 10 == 9 ? 0 : i};
        assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
        memcpy(room, &what, sizeof(what));
        tusk_lane_watch(lane, slot);
        tusk_lane_submit(lane, slot, sizeof(what), 0);
        tusk_lane_flush(lane);
        uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
        tusk_work_state told = TUSK_WORK_RUNNING;
        while (told < TUSK_WORK_DONE && tusk_loop_clock_ns() < end_ns) {
            while (tusk_lane_ended(lane, &ended)) {
                assert_int_equal(ended, slot);
                told = tusk_lane_look(lane, slot, &result);
            }
            if (told < TUSK_WORK_DONE) {
                tusk_lane_wait(lane, 0);
            }
        }
        assert_int_equal(told, what.verb == CRASH ? TUSK_WORK_LOST : TUSK_WORK_DONE);
        assert_true(what.verb == CRASH || number_of(&result) == i);
        assert_int_equal(atomic_load(done), 0);
        if (what.verb == CRASH) { /* once more: it is watched again */
            tusk_lane_again(lane, slot, 0);
            assert_int_equal(lane->watched, slot);
            while (!tusk_lane_ended(lane, &ended)) {
                tusk_lane_flush(lane);
                tusk_lane_wait(lane, 0);
            }
        }
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

/* What is small travels in the slot, what is not in the arena: at every length around the borders.
 */
static void answers_of_every_length_are_whole(void **state)
{
    tusk_work *work = open_quiet(1, 50);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    for (uint32_t len = 1; len <= 2 * REQUEST_INSIDE; len++) {
        uint32_t slot = ask(lane, (order){BIG, len}, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
        assert_int_equal(result.bytes.len, len);
        for (uint32_t i = 0; i < len; i++) {
            assert_int_equal(result.bytes.ptr[i], len);
        }
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

static void requests_of_every_length_are_whole(void **state)
{
    tusk_work *work = open_quiet(1, 50);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    for (uint32_t len = sizeof(order); len <= 2 * REQUEST_INSIDE; len++) {
        uint32_t slot = UINT32_MAX;
        uint8_t *room;
        size_t cap;
        uint32_t sum = 0;
        assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
        memcpy(room, &(order){SUM, 0}, sizeof(order));
        for (uint32_t i = sizeof(order); i < len; i++) {
            room[i] = (uint8_t)(i * 7);
            sum += room[i];
        }
        tusk_lane_submit(lane, slot, len, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
        assert_int_equal(number_of(&result), sum + len);
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

/* The application's reads of the clock in 640 waits for something that does not come; how many of
 * them slept is counted. */
static uint32_t reads_of_waits(tusk_work *work, work_luck luck)
{
    tusk_lane *lane = tusk_work_lane(work);
    uint32_t slot;
    atomic_store(&counted->clock_ns, tusk_loop_clock_ns());
    tusk_lane_wait(lane, 1);
    while (tusk_lane_ended(lane, &slot)) { /* it may have been time for a look at all of them */
    }
    lane->luck = luck;
    atomic_store(&counted->reads, 0);
    atomic_store(&counted->waits, 0);
    for (int i = 0; i < 640; i++) {
        tusk_lane_wait(lane, 1); /* long ago: the system says so at once */
    }
    atomic_store(&counted->clock_ns, 0);
    return atomic_load(&counted->reads);
}

/* Now and then something does come: news of the template on a machine that is busy elsewhere. */
/* The least of three times: who is held up for long looks after more, and at the clock for that. */
static uint32_t reads_of_640_waits(tusk_work *work, work_luck luck)
{
    uint32_t least = UINT32_MAX;
    for (int tries = 0; tries < 3 || (least == UINT32_MAX && tries < 20); tries++) {
        uint32_t reads = reads_of_waits(work, luck);
        least = atomic_load(&counted->waits) == 640 && reads < least ? reads : least;
    }
    return least;
}

static void spinning_is_short_and_rare_where_it_finds_nothing(void **state)
{
    tusk_work *work = open_quiet(1, SPIN_US);
    tusk_lane *lane = tusk_work_lane(work);
    work_region *region = (work_region *)(uintptr_t)lane->region;
    all_asleep(work, 1);
    region->cpus = 8;
    work_luck none = {0};
    work_luck much = {.left = LUCK_MAX}; /* four more that find nothing */
    uint32_t plain = 640 * 2;
    assert_int_equal(reads_of_640_waits(work, none), plain + 640 / LUCK_AGAIN * READS_A_SPIN);
    assert_int_equal(reads_of_640_waits(work, much),
                     plain + (LUCK_MAX / 2 + 636 / LUCK_AGAIN) * READS_A_SPIN);
    lane->spin_us = 0;
    assert_int_equal(reads_of_640_waits(work, much), plain);
    tusk_work_close(work);
}

static void nobody_spins_where_no_core_is_free(void **state)
{
    tusk_work *work = open_quiet(1, SPIN_US);
    tusk_lane *lane = tusk_work_lane(work);
    work_region *region = (work_region *)(uintptr_t)lane->region;
    tusk_work_result result;
    uint32_t slot = ask(lane, (order){SPIN, 0}, 0);
    tusk_lane_flush(lane);
    while (tusk_lane_look(lane, slot, &result) != TUSK_WORK_RUNNING) {
        (void)sched_yield();
    }
    for (region->cpus = 1; region->cpus <= 2; region->cpus++) { /* the worker has one of them */
        uint32_t spins = region->cpus == 1 ? 0 : 640 / LUCK_AGAIN;
        uint32_t reads = reads_of_640_waits(work, (work_luck){0});
        assert_int_equal(reads, 640 * 2 + spins * READS_A_SPIN);
    }
    tusk_work_close(work);
}

/* What expecting so many tasks costs the application in wake-ups, where it has so many cores. */
static uint32_t wakes_of_expecting(tusk_work *work, uint32_t cpus)
{
    tusk_lane *lane = tusk_work_lane(work);
    all_asleep(work, 4);
    ((work_region *)(uintptr_t)lane->region)->cpus = cpus;
    tusk_lane_expect(lane, 11);
    return atomic_load(&counted->wakes);
}

static void tasks_that_are_expected_wake_sleepers_by_one_call_where_cores_are_free(void **state)
{
    tusk_work *work = open_quiet(4, SPIN_US);
    tusk_lane *lane = tusk_work_lane(work);
    assert_int_equal(wakes_of_expecting(work, 1), 0); /* the application has that one */
    assert_int_equal(wakes_of_expecting(work, 2), 1);
    assert_int_equal(wakes_of_expecting(work, 8), 1);
    all_asleep(work, 4); /* nothing came: they sleep again */
    tusk_lane_expect(lane, 1);
    tusk_work_result result;
    uint32_t slot = ask(lane, (order){ECHO, 7}, 0);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
    tusk_lane_release(lane, slot);
    lane->spin_us = 0;
    assert_int_equal(wakes_of_expecting(work, 8), 0); /* who was woken would not look out */
    tusk_work_close(work);
}

/* One worker looks, and is given a task: was nobody else woken? Now and then it takes the task
 * before the caller has seen that it looks. */
static bool one_that_looks_is_enough(tusk_work *work, uint32_t *first, uint64_t end_ns)
{
    tusk_lane *lane = tusk_work_lane(work);
    const shared_head *head = lane->region->head;
    all_asleep(work, 2);
    tusk_lane_expect(lane, 1);
    while (atomic_load(&head->awake) == 0) {
        assert_true(tusk_loop_clock_ns() < end_ns);
        (void)sched_yield();
    }
    assert_int_equal(atomic_load(&counted->wakes), 1);
    *first = ask(lane, (order){SPIN, 0}, 0);
    tusk_lane_flush(lane);
    return atomic_load(&counted->wakes) == 1;
}

static void a_task_that_somebody_looks_for_wakes_nobody(void **state)
{
    tusk_work *work = open_quiet(2, 1000000);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t first;
    if (lane->region->cpus < 2) {
        skip(); /* nobody looks there */
    }
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while (!one_that_looks_is_enough(work, &first, end_ns)) {
        tusk_work_close(work);
        work = open_quiet(2, 1000000);
        lane = tusk_work_lane(work);
    }
    while (tusk_lane_look(lane, first, &result) != TUSK_WORK_RUNNING) {
        assert_true(tusk_loop_clock_ns() < end_ns);
        (void)sched_yield();
    }
    uint32_t second = ask(lane, (order){ECHO, 7}, 0); /* the one who looked runs something now */
    tusk_lane_flush(lane);
    assert_int_equal(atomic_load(&counted->wakes), 2);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
}

static void who_is_roused_on_the_callers_core_leaves_it_to_the_caller(void **state)
{
    tusk_work *work = open_quiet(1, SPIN_US);
    tusk_lane *lane = tusk_work_lane(work);
    uint32_t at_once = 0;
    for (uint32_t i = 0; i < 20; i++) {
        all_asleep(work, 1);
        ((work_region *)(uintptr_t)lane->region)->cpus = 2;
        atomic_store(&counted->core, 1);
        atomic_store(&counted->worker_reads, 0);
        tusk_lane_expect(lane, 11);
        assert_int_equal(atomic_load(&counted->wakes), 1);
        while (atomic_load(&counted->worker_reads) < 2) {
            (void)sched_yield();
        }
        all_asleep(work, 1);
        /* How old it is, and how long it may sleep; a look has one more at least, and an idle
         * worker looks each second, whoever roused it. */
        at_once += atomic_load(&counted->worker_reads) == 2;
        atomic_store(&counted->core, 0);
    }
    assert_true(at_once > 0);
    tusk_work_close(work);
}

static void nobody_spins_where_those_who_were_woken_need_the_cores(void **state)
{
    tusk_work *work = open_quiet(4, SPIN_US);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slots[4];
    ((work_region *)(uintptr_t)lane->region)->cpus = 2;
    all_asleep(work, 4);
    for (uint32_t i = 0; i < 4; i++) {
        slots[i] = ask(lane, (order){SLEEP, 50000}, 0); /* nobody is woken for it */
    }
    atomic_store(&counted->reads, 0);
    counted->clock_ns = tusk_loop_clock_ns();
    atomic_store(&counted->reads, 0);
    tusk_lane_wait(lane, counted->clock_ns + 10 * STEP_NS);
    assert_true(atomic_load(&counted->reads) < READS_A_SPIN);
    counted->clock_ns = 0;
    tusk_lane_flush(lane);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(finish(lane, slots[i], &result), TUSK_WORK_DONE);
        tusk_lane_release(lane, slots[i]);
    }
    tusk_work_close(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_COUNTS(a_batch_wakes_everybody_it_needs_by_one_call),
        WITH_COUNTS(who_is_awake_is_not_woken),
        WITH_COUNTS(the_application_is_woken_at_most_once_for_each_time_it_slept),
        WITH_COUNTS(who_does_not_listen_is_not_rung_and_who_does_is_once),
        WITH_COUNTS(a_death_is_heard_where_the_dead_one_took_the_wish_to_hear),
        WITH_COUNTS(a_watched_task_leaves_no_hint_and_is_found),
        WITH_COUNTS(answers_of_every_length_are_whole),
        WITH_COUNTS(requests_of_every_length_are_whole),
        WITH_COUNTS(spinning_is_short_and_rare_where_it_finds_nothing),
        WITH_COUNTS(nobody_spins_where_no_core_is_free),
        WITH_COUNTS(a_task_that_somebody_looks_for_wakes_nobody),
        WITH_COUNTS(who_is_roused_on_the_callers_core_leaves_it_to_the_caller),
        WITH_COUNTS(nobody_spins_where_those_who_were_woken_need_the_cores),
        WITH_COUNTS(tasks_that_are_expected_wake_sleepers_by_one_call_where_cores_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
