/* SPDX-License-Identifier: MIT */
/* Who wakes whom, and how often: calls of the system are counted, and the clock goes on by itself
 * for whoever reads it. Both stand before those of libc. */
#define _GNU_SOURCE
#include "rig.h"

#include <assert.h>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define STEP_NS UINT64_C(10000)
enum { SPIN_US = 50, READS_A_SPIN = 1 + SPIN_US * 1000 / 10000 };

/* Shared by all processes. */
typedef struct counts {
    _Atomic uint32_t wakes, waits;    /* of the application */
    _Atomic uint32_t bells;           /* wakes of the application, by others */
    _Atomic(_Atomic uint32_t *) bell; /* at one address in all of them */
    _Atomic uint32_t reads;           /* of the clock, by the application ... */
    _Atomic uint32_t worker_reads;    /* ... and by others */
    _Atomic uint64_t clock_ns;        /* its own; 0: the system's */
    _Atomic int application;
    _Atomic int core;         /* on which all of them believe to be, from 1; 0: where they are */
    _Atomic int others;       /* on which all but the application believe to be; 0: on the same */
    _Atomic uint32_t moves;   /* masks that were set: without that core, ... */
    _Atomic uint32_t pulls;   /* ... with it alone, ... */
    _Atomic uint32_t returns; /* ... and as it was */
} counts;
static counts *counted;

/* Not known where a test does not say: what is counted does not depend on who ran where. */
int sched_getcpu(void)
{
    bool other = counted != NULL && counted->others != 0 && getpid() != counted->application;
    return counted == NULL ? -1 : (other ? counted->others : counted->core) - 1;
}

/* A machine of two cores, whatever this one has. */
int sched_getaffinity(pid_t pid, size_t len, cpu_set_t *out)
{
    static int (*real)(pid_t, size_t, cpu_set_t *);
    if (counted != NULL && counted->core != 0 && getpid() == counted->application) {
        CPU_ZERO_S(len, out);
        CPU_SET_S(0, len, out);
        CPU_SET_S(1, len, out);
        return 0;
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "sched_getaffinity");
    }
    return real(pid, len, out);
}

int sched_setaffinity(pid_t pid, size_t len, const cpu_set_t *mask)
{
    if (counted == NULL || counted->core == 0) {
        return 0; /* another test's, where two met by chance */
    }
    bool with = CPU_ISSET_S((size_t)counted->core - 1, len, mask);
    bool all = CPU_COUNT_S(len, mask) == 2;
    assert(pid != counted->application && (all ? with : CPU_COUNT_S(len, mask) == 1));
    atomic_fetch_add(all ? &counted->returns : with ? &counted->pulls : &counted->moves, 1);
    return 0;
}

static void count_futex(const void *word, long operation)
{
    bool ours = getpid() == counted->application;
    bool wakes = operation == FUTEX_WAKE;
    if (ours) {
        atomic_fetch_add(wakes ? &counted->wakes : &counted->waits, 1);
    } else if (wakes && word == (const void *)atomic_load(&counted->bell)) {
        atomic_fetch_add(&counted->bells, 1);
    }
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long args[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        args[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_futex && counted != NULL) {
        count_futex((const void *)args[0], args[1]);
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    }
    return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    if (counted != NULL && clock == CLOCK_MONOTONIC && getpid() == counted->application) {
        atomic_fetch_add(&counted->reads, 1);
        if (counted->clock_ns != 0) {
            uint64_t ns = atomic_fetch_add(&counted->clock_ns, STEP_NS);
            *out = (struct timespec){.tv_sec = (time_t)(ns / SEC), .tv_nsec = (long)(ns % SEC)};
            return 0;
        }
    } else if (counted != NULL && clock == CLOCK_MONOTONIC) {
        atomic_fetch_add(&counted->worker_reads, 1);
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    }
    return real(clock, out);
}

static tusk_work *open_quiet(uint32_t workers, uint32_t spin_us)
{
    tusk_work *work = open_spinning_pool(workers, workers, 64, spin_us);
    atomic_store(&counted->bell, &tusk_work_lane(work)->view->lane->bell);
    return work;
}

/* Until all workers sleep; then nothing has been counted. */
static void all_asleep(tusk_work *work, uint32_t workers)
{
    const shared_head *head = tusk_work_lane(work)->region->head;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while ((uint32_t)__builtin_popcountll(atomic_load(&head->sleeping)) < workers) {
        assert_true(tusk_loop_clock_ns() < end_ns);
        (void)sched_yield();
    }
    atomic_store(&counted->wakes, 0);
    atomic_store(&counted->waits, 0);
    atomic_store(&counted->bells, 0);
}

static int set_up(void **state)
{
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    counted = shared;
    counted->application = (int)getpid();
    return 0;
}

static int tear_down(void **state)
{
    (void)munmap(counted, 4096);
    counted = NULL;
    return 0;
}

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

/* So many tasks, each of which is woken for and rings. Watched: as run() does it, who waits for
 * that one and for nothing else. */
static void run_each(tusk_work *work, uint32_t workers, uint32_t count, bool watched)
{
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    for (uint32_t i = 0; i < count; i++) {
        all_asleep(work, workers);
        uint32_t slot = ask(lane, (order){SLEEP, 500}, 0);
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

/* With the pause before it over, and the one after it without end. */
static void run_until_moved(tusk_work *work, work_move *move, const _Atomic uint32_t *count,
                            uint32_t moves)
{
    move->next_ns = 0;
    for (int i = 0; i < 12 && *count < moves; i++) {
        run_each(work, 1, 1, false);
    }
    assert_int_equal(*count, moves);
    move->next_ns = UINT64_MAX;
}

/* Whatever a sanitizer or valgrind makes of it: each task follows at once, or none does. */
static tusk_lane *lane_of(tusk_work *work, uint32_t soon_us)
{
    tusk_lane *lane = tusk_work_lane(work);
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
    run_until_moved(work, away, &counted->moves, 1);
    assert_int_equal(counted->returns, 1); /* at once: it may run anywhere again */
    uint32_t pause_ms = away->pause_ms;
    run_each(work, 1, 12, false);
    assert_int_equal(counted->moves, 1); /* not before the pause is over */
    away->met = false;
    run_until_moved(work, away, &counted->moves, 2);
    assert_int_equal(counted->returns, 2);
    assert_int_equal(away->pause_ms, pause_ms * 2); /* of no use: less often */
    away->met = true;
    run_until_moved(work, away, &counted->moves, 3);
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
    run_alone(work, 4);
    assert_int_equal(counted->pulls, 1);
    assert_int_equal(counted->returns, 1);
    uint32_t pause_ms = near->pause_ms;
    near->next_ns = 0;
    run_alone(work, 5);
    assert_int_equal(counted->pulls, 2);
    assert_int_equal(near->pause_ms, pause_ms * 2); /* it did not come */
    counted->others = 1;
    near->next_ns = 0;
    run_alone(work, 8);
    assert_int_equal(counted->pulls, 2); /* it is there */
    counted->others = 2;
    run_alone(work, 5);
    assert_int_equal(counted->pulls, 3);
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

#define WITH_COUNTS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_COUNTS(a_batch_wakes_everybody_it_needs_by_one_call),
        WITH_COUNTS(who_is_awake_is_not_woken),
        WITH_COUNTS(the_application_is_woken_at_most_once_for_each_time_it_slept),
        WITH_COUNTS(a_watched_task_leaves_no_hint_and_is_found),
        WITH_COUNTS(answers_of_every_length_are_whole),
        WITH_COUNTS(requests_of_every_length_are_whole),
        WITH_COUNTS(spinning_is_short_and_rare_where_it_finds_nothing),
        WITH_COUNTS(nobody_spins_where_no_core_is_free),
        WITH_COUNTS(a_worker_that_is_wanted_at_once_is_put_elsewhere_now_and_then),
        WITH_COUNTS(a_lone_tasks_worker_is_called_to_its_caller_where_tasks_are_rare),
        WITH_COUNTS(nobody_is_moved_where_nobody_spins),
        WITH_COUNTS(who_is_roused_on_the_callers_core_leaves_it_to_the_caller),
        WITH_COUNTS(nobody_spins_where_those_who_were_woken_need_the_cores),
        WITH_COUNTS(tasks_that_are_expected_wake_sleepers_by_one_call_where_cores_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
