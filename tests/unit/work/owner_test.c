/* SPDX-License-Identifier: MIT */
/* Templates that die young: who follows them, and when nobody does. */
#define _GNU_SOURCE
#include "await.h"

#include "work/owner.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static void begin(tusk_worker *self, void *user)
{
}

/* Answers what it was asked. */
static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    size_t cap;
    uint8_t *room = tusk_worker_room(self, &cap);
    if (room != NULL) {
        memcpy(room, task->request.ptr, task->request.len);
        tusk_worker_answer(self, task->request.len);
    }
    return true;
}

static void must_echo(tusk_lane *lane, uint32_t number)
{
    tusk_work_result result;
    uint32_t slot = UINT32_MAX;
    uint8_t *room;
    size_t cap;
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    memcpy(room, &number, sizeof(number));
    tusk_lane_submit(lane, slot, sizeof(number), 0);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), number);
    tusk_lane_release(lane, slot);
}

static bool die_preparing(char *reason, size_t cap, void *user)
{
    (void)raise(SIGKILL);
    return false;
}

static void a_template_that_never_gets_ready_ends_the_pool_with_a_reason(void **state)
{
    static const tusk_work_calls dying = {.prepare = die_preparing, .begin = begin, .run = run};
    tusk_work *work = NULL;
    tusk_work_options options = {.workers = 1, .workers_max = 1, .queue = 4, .calls = &dying};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    const char *reason = NULL;
    uint64_t end_ns = tusk_loop_clock_ns() + 100 * SEC;
    uint32_t pauses = 0;
    bool was_there = true;
    uint64_t before_ns = tusk_loop_clock_ns();
    while (tusk_work_look(work, &reason) && before_ns < end_ns) {
        bool is_there = tusk_work_template_pid(work) != 0;
        if (was_there && !is_there) { /* each time it is waited longer for the next one */
            assert_true(work->heir.again_ns >= before_ns + (20 * MS << pauses++));
        }
        was_there = is_there;
        (void)usleep(1000);
        before_ns = tusk_loop_clock_ns();
    }
    assert_true(pauses >= 1); /* four, where nothing holds this process up */
    assert_non_null(reason);
    assert_non_null(strstr(reason, "before it was ready, 5 times (signal 9)"));
    tusk_work_counters counters;
    tusk_work_count(work, &counters);
    assert_int_equal(counters.templates, 5);
    tusk_work_close(work);
}

static _Atomic uint32_t *births; /* shared by all processes */

static bool die_at_the_seventh(char *reason, size_t cap, void *user)
{
    if (atomic_fetch_add(births, 1) + 1 == 7) {
        (void)raise(SIGKILL);
    }
    return true;
}

/* So many templates were forked, and the last one is ready. */
static void until_ready(tusk_work *work, uint32_t count)
{
    const char *reason = NULL;
    tusk_work_counters counters = {0};
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while ((counters.templates < count || !tusk_work_ready(work)) &&
           tusk_loop_clock_ns() < end_ns) {
        (void)usleep(1000);
        (void)tusk_work_look(work, &reason);
        assert_null(reason);
        tusk_work_count(work, &counters);
    }
    assert_int_equal(counters.templates, count);
}

static void a_template_that_gets_ready_is_followed_however_soon_it_dies(void **state)
{
    static const tusk_work_calls weak = {.prepare = die_at_the_seventh, .begin = begin, .run = run};
    const tusk_work_options options = {.workers = 1, .workers_max = 1, .queue = 4, .calls = &weak};
    tusk_work *work = NULL;
    births = mmap(NULL, sizeof(*births), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(births != MAP_FAILED);
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    for (uint32_t i = 1; i <= 6; i++) {
        until_ready(work, i);
        assert_int_equal(kill((pid_t)tusk_work_template_pid(work), SIGKILL), 0);
    }
    until_ready(work, 8); /* the seventh never got ready */
    must_echo(tusk_work_lane(work), 9);
    tusk_work_close(work);
    (void)munmap((void *)(uintptr_t)births, sizeof(*births));
}

static void must_be_named(int pid, const char *name)
{
    char path[64];
    char text[32] = "";
    (void)snprintf(path, sizeof(path), "/proc/%d/comm", pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof(text), file));
    (void)fclose(file);
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(text, name);
}

static _Atomic uint32_t *may_go_on;

static bool wait_at_the_second(char *reason, size_t cap, void *user)
{
    if (atomic_fetch_add(births, 1) + 1 == 2) {
        until_set(may_go_on, 20);
    }
    return true;
}

static void look(tusk_work *work, tusk_work_counters *counters)
{
    const char *reason = NULL;
    (void)usleep(1000);
    assert_true(tusk_work_look(work, &reason));
    tusk_work_count(work, counters);
}

/* Two workers that sleep: they have named themselves. */
static tusk_work *open_two(const tusk_work_calls *calls, tusk_work_counters *counters,
                           uint64_t end_ns)
{
    const tusk_work_options options = {.workers = 2, .workers_max = 2, .queue = 4, .calls = calls};
    tusk_work *work = NULL;
    *counters = (tusk_work_counters){0};
    births = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(births != MAP_FAILED);
    may_go_on = births + 1;
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    const shared_head *head = tusk_work_lane(work)->region->head;
    while ((counters->workers < 2 || atomic_load(&head->sleeping) != 3) &&
           tusk_loop_clock_ns() < end_ns) {
        look(work, counters);
    }
    return work;
}

/* Numbers of processes are used again: nobody is moved or told of by one of another's time. */
static void no_worker_is_known_until_the_next_template_has_forked_it(void **state)
{
    static const tusk_work_calls slow = {.prepare = wait_at_the_second, .begin = begin, .run = run};
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    tusk_work_counters counters;
    tusk_work *work = open_two(&slow, &counters, end_ns);
    for (uint32_t hand = 0; hand < 2; hand++) {
        must_be_named(tusk__work_worker_pid(work, hand), "tusk-worker");
    }
    must_be_named(tusk_work_template_pid(work), "tusk-template");
    assert_int_equal(tusk__work_worker_pid(work, 63), 0); /* as rubbish in shared memory says */
    assert_int_equal(kill((pid_t)tusk_work_template_pid(work), SIGKILL), 0);
    while (counters.templates < 2 && tusk_loop_clock_ns() < end_ns) {
        look(work, &counters);
    }
    for (uint32_t hand = 0; hand < 2; hand++) {
        assert_int_equal(tusk__work_worker_pid(work, hand), 0);
    }
    assert_false(tusk_work_ready(work));
    assert_int_equal(counters.workers, 0);
    assert_int_equal(counters.idle, 0);
    assert_int_equal(counters.died, 2);
    atomic_store(may_go_on, 1);
    must_echo(tusk_work_lane(work), 5);
    tusk_work_close(work);
    (void)munmap((void *)(uintptr_t)births, 4096);
}

static void begin_late_as_the_third(tusk_worker *self, void *user)
{
    if (atomic_fetch_add(births, 1) + 1 > 2) {
        until_set(may_go_on, 20);
    }
}

/* Its successor has not said anything yet; the other one sleeps, and is woken. */
static void what_a_dead_worker_said_of_itself_is_no_longer_so(void **state)
{
    static const tusk_work_calls late = {.begin = begin_late_as_the_third, .run = run};
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    tusk_work_counters counters;
    tusk_work *work = open_two(&late, &counters, end_ns);
    const shared_head *head = tusk_work_lane(work)->region->head;
    assert_int_equal(counters.idle, 2);
    assert_int_equal(kill((pid_t)tusk__work_worker_pid(work, 0), SIGKILL), 0);
    while (counters.died < 1 && tusk_loop_clock_ns() < end_ns) {
        look(work, &counters);
    }
    assert_int_equal(atomic_load(&head->sleeping) & ~UINT64_C(2), 0);
    assert_int_equal(counters.killed, 1);
    must_echo(tusk_work_lane(work), 5);
    atomic_store(may_go_on, 1);
    tusk_work_close(work);
    (void)munmap((void *)(uintptr_t)births, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_that_never_gets_ready_ends_the_pool_with_a_reason),
        cmocka_unit_test(a_template_that_gets_ready_is_followed_however_soon_it_dies),
        cmocka_unit_test(no_worker_is_known_until_the_next_template_has_forked_it),
        cmocka_unit_test(what_a_dead_worker_said_of_itself_is_no_longer_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
