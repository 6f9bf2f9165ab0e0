/* SPDX-License-Identifier: MIT */
/* Tasks of several lanes at once: each has a worker, as far as there are places. */
#define _GNU_SOURCE
#include "await.h"

#include "work/lane.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* HOST asks for a task of its own when it may, and does not help itself; HELD ends when FREE ran.
 */
enum { HOST, HELD, FREE };

/* Shared by all processes of a pool. */
typedef struct stage {
    _Atomic uint32_t hosts; /* began */
    _Atomic uint32_t asks;  /* it may */
    _Atomic uint32_t asked; /* it did */
    _Atomic uint32_t held;  /* began */
    _Atomic uint32_t freed;
} stage;
static stage *at;

static void host(tusk_worker *self)
{
    tusk_lane *lane = tusk_worker_lane(self);
    tusk_work_result result;
    atomic_store(&at->hosts, 1);
    until_set(&at->asks, 60);
    uint32_t slot = submit_verb(lane, HELD);
    atomic_store(&at->asked, 1);
    uint64_t end_ns = tusk_loop_clock_ns() + 60 * SEC;
    while (tusk_lane_look(lane, slot, &result) < TUSK_WORK_DONE && tusk_loop_clock_ns() < end_ns) {
        tusk_lane_wait(lane, 0);
    }
    tusk_lane_release(lane, slot);
}

static void begin(tusk_worker *self, void *user)
{
}

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    uint32_t verb = FREE;
    memcpy(&verb, task->request.ptr, sizeof(verb));
    if (verb == HOST) {
        host(self);
    } else if (verb == HELD) {
        atomic_store(&at->held, 1);
        until_set(&at->freed, 60);
    } else {
        atomic_store(&at->freed, 1);
    }
    return true;
}

static tusk_work *open_pool(uint32_t workers, uint32_t workers_max)
{
    static const tusk_work_calls calls = {.begin = begin, .run = run};
    tusk_work *work = NULL;
    tusk_work_options options = {
        .workers = workers, .workers_max = workers_max, .queue = 8, .calls = &calls};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
}

static uint64_t workers_of(tusk_work *work)
{
    tusk_work_counters counters;
    const char *reason;
    (void)tusk_work_look(work, &reason);
    tusk_work_count(work, &counters);
    return counters.workers;
}

static void until_workers(tusk_work *work, uint32_t count)
{
    uint64_t end_ns = tusk_loop_clock_ns() + 60 * SEC;
    while (workers_of(work) != count) {
        assert_true(tusk_loop_clock_ns() < end_ns);
        tusk_lane_wait(tusk_work_lane(work), tusk_loop_clock_ns() + MS);
    }
}

/* It stays where it is, idle as far as anybody can tell. */
static int stop_the_idle_one(const tusk_lane *lane, uint32_t busy)
{
    const shared_head *head = lane->region->head;
    char path[64];
    char state = '?';
    while ((atomic_load(&head->sleeping) | UINT64_C(1) << busy) != 3) {
        (void)usleep(500);
    }
    int pid = (int)(uint32_t)atomic_load(&head->hands[1 - busy].who);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    while (state != 'T') {
        FILE *stat = fopen(path, "r");
        assert_non_null(stat);
        assert_int_equal(fscanf(stat, "%*d (%*[^)]) %c", &state), 1);
        (void)fclose(stat);
    }
    return pid;
}

/* Two of two lanes, one after the other, where one worker is idle and one may be forked. */
static void one_idle_worker_for_two(bool inner_first)
{
    tusk_work_result result;
    tusk_work *work = open_pool(2, 3);
    tusk_lane *lane = tusk_work_lane(work);
    memset(at, 0, sizeof(*at));
    until_workers(work, 2);
    uint32_t first = submit_verb(lane, HOST);
    until_set(&at->hosts, 60);
    assert_int_equal(tusk_lane_look(lane, first, &result), TUSK_WORK_RUNNING);
    int idle = stop_the_idle_one(lane, result.worker);
    uint32_t second = inner_first ? UINT32_MAX : submit_verb(lane, FREE);
    atomic_store(&at->asks, 1);
    until_set(&at->asked, 60);
    second = inner_first ? submit_verb(lane, FREE) : second;
    until_workers(work, 3);
    assert_int_equal(kill(idle, SIGCONT), 0);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
}

static void an_idle_worker_is_there_for_one_task_whichever_lane_it_is_in(void **state)
{
    one_idle_worker_for_two(false);
    one_idle_worker_for_two(true);
}

/* The application has not heard that the template is ready, and asks for nobody before. */
static void what_waits_as_the_template_is_ready_does_not_wait_for_tasks_of_tasks(void **state)
{
    tusk_work_result result;
    tusk_work *work = open_pool(2, 4);
    tusk_lane *lane = tusk_work_lane(work);
    memset(at, 0, sizeof(*at));
    uint32_t first = submit_verb(lane, HOST);
    until_set(&at->hosts, 60);
    while (atomic_load(&lane->region->head->sleeping) == 0) { /* the other one */
        (void)usleep(500);
    }
    atomic_store(&at->asks, 1);
    until_set(&at->held, 60);
    uint32_t second = submit_verb(lane, HELD);
    uint32_t third = submit_verb(lane, FREE);
    assert_false(tusk_work_ready(work));
    assert_int_equal(finish(lane, third, &result), TUSK_WORK_DONE);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
}

static int set_up(void **state)
{
    at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
    return munmap(at, sizeof(*at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_worker_is_there_for_one_task_whichever_lane_it_is_in),
        cmocka_unit_test(what_waits_as_the_template_is_ready_does_not_wait_for_tasks_of_tasks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
