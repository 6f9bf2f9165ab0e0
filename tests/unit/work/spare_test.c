/* SPDX-License-Identifier: MIT */
/* Where a worker died, one more process stands by: the next death is followed by it, and whatever
 * happens to it, the count of workers is right. */
#define _GNU_SOURCE
#include "await.h"

#include "work/spare.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { WORKERS = 2, CHILDREN_MAX = 8 };
enum { PID, CRASH };

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    size_t cap;
    uint32_t verb = 0;
    uint32_t answer = (uint32_t)getpid();
    memcpy(&verb, task->request.ptr, sizeof(verb));
    if (verb == CRASH) {
        (void)kill(getpid(), SIGKILL);
    }
    uint8_t *room = tusk_worker_room(self, &cap);
    if (room != NULL) {
        memcpy(room, &answer, sizeof(answer));
        tusk_worker_answer(self, sizeof(answer));
    }
    return true;
}

static void begin(tusk_worker *self, void *user)
{
}

static const tusk_work_calls calls = {.begin = begin, .run = run};

static tusk_work *open_pool(uint32_t tasks_max)
{
    tusk_work_options options = {.workers = WORKERS,
                                 .workers_max = WORKERS,
                                 .queue = 32,
                                 .arena_bytes = 1 << 20,
                                 .tasks_max = tasks_max,
                                 .calls = &calls};
    tusk_work *work = NULL;
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
}

/* UINT32_MAX: it was lost. */
static uint32_t ask(tusk_work *work, uint32_t verb)
{
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slot = submit_verb(lane, verb);
    tusk_work_state state = finish(lane, slot, &result);
    assert_int_equal(state, verb == CRASH ? TUSK_WORK_LOST : TUSK_WORK_DONE);
    uint32_t number = state == TUSK_WORK_DONE ? number_of(&result) : UINT32_MAX;
    tusk_lane_release(lane, slot);
    return number;
}

/* ---- processes below the template ---- */
static uint32_t children_of(int pid, int *out)
{
    char path[64];
    uint32_t count = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (count < CHILDREN_MAX && fscanf(file, "%d", &out[count]) == 1) {
        count++;
    }
    (void)fclose(file);
    return count;
}

static void wait_for_children(tusk_work *work, uint32_t wanted, int *out)
{
    const char *reason = NULL;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    uint32_t count;
    do {
        (void)usleep(1000);
        assert_true(tusk_work_look(work, &reason));
        count = children_of(tusk_work_template_pid(work), out);
    } while (count != wanted && tusk_loop_clock_ns() < end_ns);
    assert_int_equal(count, wanted);
}

/* The one that no task finds, however many there are. */
static int spare_of(tusk_work *work)
{
    int children[CHILDREN_MAX];
    bool works[CHILDREN_MAX] = {false};
    uint32_t found = 0;
    wait_for_children(work, WORKERS + 1, children);
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while (found < WORKERS && tusk_loop_clock_ns() < end_ns) {
        int pid = (int)ask(work, PID);
        for (uint32_t i = 0; i < WORKERS + 1; i++) {
            found += children[i] == pid && !works[i];
            works[i] |= children[i] == pid;
        }
        (void)usleep(found == 1 ? 1000 : 0); /* who just answered may be quicker each time */
    }
    assert_int_equal(found, WORKERS);
    for (uint32_t i = 0; i < WORKERS; i++) {
        if (!works[i]) {
            return children[i];
        }
    }
    return children[WORKERS];
}

static void must_count(tusk_work *work, uint64_t deaths)
{
    tusk_work_counters counters;
    const char *reason = NULL;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    do {
        (void)usleep(1000);
        assert_true(tusk_work_look(work, &reason));
        tusk_work_count(work, &counters);
    } while ((counters.workers != WORKERS || counters.forked != WORKERS + deaths) &&
             tusk_loop_clock_ns() < end_ns);
    assert_int_equal(counters.workers, WORKERS);
    assert_int_equal(counters.forked, WORKERS + deaths);
    assert_int_equal(counters.died, deaths);
    assert_int_equal(counters.corrupt, 0);
}

/* ---- tests ---- */
static void a_pool_whose_workers_live_has_no_process_more(void **state)
{
    int children[CHILDREN_MAX];
    tusk_work *work = open_pool(0);
    for (int i = 0; i < 100; i++) {
        (void)ask(work, PID);
    }
    wait_for_children(work, WORKERS, children);
    tusk_work_close(work);
    assert_no_child();
}

/* Who has done its tasks goes as it should: nobody stands by for the next one. */
static void who_retires_is_no_death(void **state)
{
    tusk_work_counters counters;
    int children[CHILDREN_MAX];
    tusk_work *work = open_pool(1);
    for (uint64_t i = 1; i <= 20; i++) {
        const char *reason = NULL;
        uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
        (void)ask(work, PID);
        do { /* and time for one more to be forked, where somebody wants it */
            (void)usleep(5000);
            assert_true(tusk_work_look(work, &reason));
            tusk_work_count(work, &counters);
        } while (counters.forked < WORKERS + i && tusk_loop_clock_ns() < end_ns);
        assert_int_equal(counters.retired, i);
        assert_in_range(children_of(tusk_work_template_pid(work), children), 1, WORKERS);
    }
    assert_int_equal(counters.died, 0);
    assert_int_equal(counters.killed, 0);
    tusk_work_close(work);
    assert_no_child();
}

static void the_next_death_is_followed_by_the_one_that_stands_by(void **state)
{
    tusk_work *work = open_pool(0);
    int children[CHILDREN_MAX];
    for (uint64_t deaths = 1; deaths < 4; deaths++) {
        (void)ask(work, CRASH);
        must_count(work, deaths);
        int spare = spare_of(work);
        (void)ask(work, CRASH);
        must_count(work, ++deaths);
        uint32_t count = children_of(tusk_work_template_pid(work), children);
        bool there = false;
        for (uint32_t i = 0; i < count; i++) {
            there |= children[i] == spare;
        }
        assert_true(there);
        assert_int_not_equal(spare_of(work), spare); /* it works; another one stands by */
    }
    tusk_work_close(work);
    assert_no_child();
}

static void one_that_is_killed_while_it_stands_by_is_none_of_the_workers(void **state)
{
    tusk_work *work = open_pool(0);
    int children[CHILDREN_MAX];
    (void)ask(work, CRASH);
    must_count(work, 1);
    assert_int_equal(kill(spare_of(work), SIGKILL), 0);
    wait_for_children(work, WORKERS, children);
    must_count(work, 1);
    (void)ask(work, CRASH);
    must_count(work, 2);
    (void)spare_of(work);
    tusk_work_close(work);
    assert_no_child();
}

static void die_at_birth(tusk_worker *self, void *user)
{
    _exit(1);
}

/* The eighth in a row and those after it are followed later each time. */
static void workers_that_die_at_their_birth_are_forked_ever_more_rarely(void **state)
{
    static const tusk_work_calls weak = {.begin = die_at_birth, .run = run};
    const tusk_work_options options = {.workers = 1, .workers_max = 1, .queue = 4, .calls = &weak};
    tusk_work *work = NULL;
    tusk_work_counters counters = {0};
    const char *reason = NULL;
    uint64_t begin_ns = tusk_loop_clock_ns();
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    while (counters.died < 12 && tusk_loop_clock_ns() < begin_ns + 100 * SEC) {
        (void)usleep(1000);
        assert_true(tusk_work_look(work, &reason));
        tusk_work_count(work, &counters);
    }
    uint64_t took_ns = tusk_loop_clock_ns() - begin_ns;
    assert_true(counters.died >= 12);
    assert_true(took_ns >= (10 + 20 + 40 + 80) * MS);
    assert_int_equal(counters.retired, 0);
    tusk_work_close(work);
    assert_no_child();
}

/* By hours that the caller names. */
static void it_is_given_up_where_nobody_dies_for_long(void **state)
{
    size_t before = open_descriptors();
    work_spare spare;
    tusk__spare_init(&spare);
    assert_int_equal(tusk__spare_due(&spare), 0);
    assert_int_equal(tusk__spare_open(&spare, SEC), -1); /* nobody wants one */
    tusk__spare_want(&spare, SEC);
    assert_int_equal(tusk__spare_open(&spare, SEC), -1); /* not yet */
    uint64_t fork_ns = tusk__spare_due(&spare);
    assert_true(fork_ns > SEC && fork_ns <= SEC + 100 * MS);
    int from = tusk__spare_open(&spare, fork_ns);
    assert_true(from >= 0);
    pid_t child = fork();
    if (child == 0) {
        for (;;) {
            (void)pause();
        }
    }
    int still = dup(from); /* as one that was killed has it until it ends */
    tusk__spare_forked(&spare, from, child, fork_ns);
    uint64_t end_ns = tusk__spare_due(&spare);
    assert_true(end_ns >= fork_ns + 10 * SEC);
    tusk__spare_look(&spare, end_ns - 1);
    assert_int_equal(spare.pid, child);
    tusk__spare_look(&spare, end_ns);
    int pidfd = -1;
    assert_int_equal(tusk__spare_take(&spare, (work_place){0}, &pidfd), 0);
    assert_int_equal(close(still), 0);
    struct pollfd ended = {.fd = spare.pidfd, .events = POLLIN};
    assert_int_equal(poll(&ended, 1, 20000), 1);
    tusk__spare_look(&spare, end_ns);
    assert_int_equal(spare.pid, 0);
    assert_int_equal(tusk__spare_due(&spare), 0);
    assert_int_equal(open_descriptors(), before);
    assert_no_child();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_whose_workers_live_has_no_process_more),
        cmocka_unit_test(who_retires_is_no_death),
        cmocka_unit_test(the_next_death_is_followed_by_the_one_that_stands_by),
        cmocka_unit_test(one_that_is_killed_while_it_stands_by_is_none_of_the_workers),
        cmocka_unit_test(workers_that_die_at_their_birth_are_forked_ever_more_rarely),
        cmocka_unit_test(it_is_given_up_where_nobody_dies_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
