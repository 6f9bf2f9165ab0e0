/* SPDX-License-Identifier: MIT */
/* Inner tasks that go on when the worker that asked for them has died. */
#define _GNU_SOURCE
#include "await.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEAVE_BEHIND, LEAVE_LONG, WAIT_LONG, READ_LATE, LOOK_LATE, ASK_LONG, ANSWER };
enum { LONG = 300 };
typedef struct order {
    uint32_t verb;
    uint32_t number;
} order;

/* Shared by all processes of a pool. */
typedef struct stage {
    _Atomic uint32_t began; /* the task that is left behind */
    _Atomic uint32_t ends;  /* it may */
    _Atomic uint32_t looks; /* the successor may look at its own task */
    _Atomic uint32_t whole; /* so many bytes of a long request were as they were asked for */
} stage;
static stage *at;

static uint32_t ask_with(tusk_lane *lane, uint32_t verb, uint32_t number, size_t len)
{
    uint32_t slot = UINT32_MAX;
    uint8_t *room;
    size_t cap;
    order what = {verb, number};
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    memset(room, (int)number, len);
    memcpy(room, &what, sizeof(what));
    tusk_lane_submit(lane, slot, len, 0);
    tusk_lane_flush(lane);
    return slot;
}

static uint32_t ask(tusk_lane *lane, uint32_t verb, uint32_t number)
{
    return ask_with(lane, verb, number, sizeof(order));
}

static void answer(tusk_worker *self, uint32_t number)
{
    size_t cap;
    uint8_t *room = tusk_worker_room(self, &cap);
    if (room != NULL) {
        memcpy(room, &number, sizeof(number));
        tusk_worker_answer(self, sizeof(number));
    }
}

/* Another worker runs it when this one dies. */
static void leave_behind(tusk_worker *self, uint32_t verb, size_t len)
{
    (void)ask_with(tusk_worker_lane(self), verb, 66, len);
    until_set(&at->began, 60);
    (void)raise(SIGKILL);
}

/* Its own task is done; then that of the one before ends; then it looks. */
static void look_late(tusk_worker *self, uint32_t number)
{
    tusk_lane *lane = tusk_worker_lane(self);
    tusk_work_result result;
    uint32_t slot = ask(lane, ANSWER, number);
    while (tusk_lane_look(lane, slot, &result) < TUSK_WORK_DONE && tusk_lane_help(lane)) {
    }
    atomic_store(&at->ends, 1);
    until_set(&at->looks, 60);
    bool done = tusk_lane_look(lane, slot, &result) == TUSK_WORK_DONE;
    answer(self, done ? number_of(&result) : UINT32_MAX);
    tusk_lane_release(lane, slot);
}

/* Its request, when the successor of who asked has asked for more. */
static void read_late(const tusk_work_task *task)
{
    uint32_t whole = 0;
    atomic_store(&at->began, 1);
    until_set(&at->ends, 60);
    for (size_t i = sizeof(order); i < task->request.len; i++) {
        whole += task->request.ptr[i] == 66;
    }
    atomic_store(&at->whole, whole);
}

static void ask_long(tusk_worker *self, uint32_t number)
{
    tusk_lane *lane = tusk_worker_lane(self);
    tusk_work_result result;
    uint32_t slot = ask_with(lane, ANSWER, number, LONG);
    while (tusk_lane_look(lane, slot, &result) < TUSK_WORK_DONE && tusk_lane_help(lane)) {
    }
    bool done = tusk_lane_look(lane, slot, &result) == TUSK_WORK_DONE;
    answer(self, done ? number_of(&result) : UINT32_MAX);
    tusk_lane_release(lane, slot);
}

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    order what = {ANSWER, UINT32_MAX};
    if (task->request.len >= sizeof(what)) {
        memcpy(&what, task->request.ptr, sizeof(what));
    }
    switch (what.verb) {
    case LEAVE_BEHIND: leave_behind(self, WAIT_LONG, sizeof(what)); break;
    case LEAVE_LONG: leave_behind(self, READ_LATE, LONG); break;
    case READ_LATE: read_late(task); break;
    case ASK_LONG: ask_long(self, what.number); break;
    case WAIT_LONG:
        atomic_store(&at->began, 1);
        until_set(&at->ends, 60);
        answer(self, what.number);
        break;
    case LOOK_LATE: look_late(self, what.number); break;
    default: answer(self, what.number); break;
    }
    return true;
}

static bool prepare(char *reason, size_t cap, void *user)
{
    return true;
}

static void begin(tusk_worker *self, void *user)
{
}

static const tusk_work_calls calls = {.prepare = prepare, .begin = begin, .run = run};

static tusk_work *open_pool(void)
{
    tusk_work *work = NULL;
    const tusk_work_options options = {.workers = 2, .workers_max = 2, .queue = 8, .calls = &calls};
    at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
}

static void what_a_dead_worker_asked_for_answers_nothing_of_its_successor(void **state)
{
    tusk_work *work = open_pool();
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t lost = ask(lane, LEAVE_BEHIND, 0);
    assert_int_equal(finish(lane, lost, &result), TUSK_WORK_LOST);
    uint32_t late = ask(lane, LOOK_LATE, 42);
    until_set(&at->ends, 60);
    uint32_t next = ask(lane, ANSWER, 7); /* of who ran what was left behind, when that has ended */
    assert_int_equal(finish(lane, next, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 7);
    atomic_store(&at->looks, 1);
    assert_int_equal(finish(lane, late, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 42);
    tusk_work_close(work);
    (void)munmap(at, sizeof(*at));
}

static void a_request_that_a_dead_worker_left_is_read_whole(void **state)
{
    tusk_work *work = open_pool();
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t lost = ask(lane, LEAVE_LONG, 0);
    assert_int_equal(finish(lane, lost, &result), TUSK_WORK_LOST);
    uint32_t more = ask(lane, ASK_LONG, 42); /* of its successor: the other one still runs */
    assert_int_equal(finish(lane, more, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 42);
    atomic_store(&at->ends, 1);
    until_set(&at->whole, 60);
    assert_int_equal(atomic_load(&at->whole), LONG - sizeof(order));
    tusk_work_close(work);
    (void)munmap(at, sizeof(*at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_dead_worker_asked_for_answers_nothing_of_its_successor),
        cmocka_unit_test(a_request_that_a_dead_worker_left_is_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
