/* SPDX-License-Identifier: MIT */
/* How a task begins that others have overtaken, or that was cancelled just then, or that comes to a
 * worker which was to be killed. */
#define _GNU_SOURCE
#include "await.h"

#include "work/owner.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* HELD says that it began and ends when it may; TOLD answers whether it was interrupted; LIES_DOWN
 * is interrupted as it is about to sleep, and answers whether it slept. */
enum { HELD, TOLD, LIES_DOWN };

/* Shared by all processes of a pool. */
typedef struct stage {
    _Atomic uint32_t began;
    _Atomic uint32_t ends;
} stage;
static stage *at;

static _Atomic uint32_t interrupted; /* in this process */

static void on_interrupt(void *user)
{
    atomic_store(&interrupted, 1);
}

static int held_up; /* who is not told to go on, but by a test; 0: nobody */

int kill(pid_t pid, int number)
{
    bool held = pid == held_up && number == SIGCONT;
    return held ? 0 : (int)syscall(SYS_kill, pid, number);
}

static bool interrupt_at_futex; /* once, before the system has heard of it */
static int futex_error;

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
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    }
    bool now = number == SYS_futex && interrupt_at_futex;
    if (now) {
        interrupt_at_futex = false;
        (void)raise(SIGVTALRM);
    }
    long got = real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    futex_error = now ? (got < 0 ? errno : 0) : futex_error;
    return got;
}

/* The first wait is ended by the interrupt that came as the task began. */
static uint32_t sleeps_all_the_same(tusk_lane *lane)
{
    uint32_t hint;
    tusk_lane_wait(lane, 0);
    interrupt_at_futex = true;
    while (interrupt_at_futex) {
        while (tusk_lane_ended(lane, &hint)) {
        }
        tusk_lane_wait(lane, 0);
    }
    return futex_error != EAGAIN;
}

static void begin(tusk_worker *self, void *user)
{
}

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    uint32_t verb = HELD;
    size_t cap;
    memcpy(&verb, task->request.ptr, sizeof(verb));
    atomic_store(&at->began, 1);
    if (verb == HELD) {
        until_set(&at->ends, 60);
    } else if (verb == TOLD) {
        until_set(&interrupted, 10);
    }
    uint32_t told =
        verb == LIES_DOWN ? sleeps_all_the_same(tusk_worker_lane(self)) : atomic_load(&interrupted);
    uint8_t *room = tusk_worker_room(self, &cap);
    if (room != NULL) {
        memcpy(room, &told, sizeof(told));
        tusk_worker_answer(self, sizeof(told));
    }
    return true;
}

/* One worker, which runs a task that ends when it may. */
static tusk_work *open_busy_pool(uint32_t *first)
{
    static const tusk_work_calls calls = {.begin = begin, .run = run, .interrupt = on_interrupt};
    tusk_work *work = NULL;
    tusk_work_options options = {
        .workers = 1, .workers_max = 1, .queue = 4, .grace_ms = 60000, .calls = &calls};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    memset(at, 0, sizeof(*at));
    *first = submit_verb(tusk_work_lane(work), HELD);
    until_set(&at->began, 60);
    assert_int_equal(atomic_exchange(&at->began, 0), 1);
    return work;
}

/* Nobody repairs the ring: its owner does not look. */
static void a_task_that_others_have_overtaken_begins_when_a_worker_is_free(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t second = submit_verb(lane, HELD);
    uint32_t third = submit_verb(lane, HELD);
    for (int i = 0; i < 100; i++) {
        assert_true(tusk_lane_withdraw(lane, submit_verb(lane, HELD)));
    }
    atomic_store(&at->ends, 1);
    until_set(&at->began, 60);
    assert_int_equal(atomic_load(&at->began), 1);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    assert_int_equal(finish(lane, third, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
}

/* Whoever wrote there, it is set right by who looks after its tasks. */
static void a_task_whose_place_was_written_over_begins_all_the_same(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t second = submit_verb(lane, HELD);
    for (uint32_t i = 0; i < lane->view->ring_max; i++) {
        atomic_store(&lane->view->ring[i], UINT64_MAX);
    }
    atomic_store(&lane->view->lane->last, 0);
    atomic_store(&at->ends, 1);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
}

/* As of a worker that is still to come: nobody could be killed for it. */
static void a_task_that_nobody_there_runs_is_lost(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    tusk_work_counters counters;
    uint32_t second = submit_verb(lane, HELD);
    _Atomic uint64_t *word = &lane->view->slots[second].word;
    atomic_store(word, word_of(SLOT_RUNNING, 0, 500, word_generation(atomic_load(word))));
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_LOST);
    assert_int_equal(result.status, -1);
    tusk_lane_release(lane, second);
    atomic_store(&at->ends, 1);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE); /* and its worker lives */
    tusk_work_count(work, &counters);
    assert_int_equal(counters.corrupt, 1);
    assert_int_equal(counters.killed, 0);
    tusk_work_close(work);
}

/* What stands in shared memory is believed where it fits. */
static void a_word_that_cannot_be_is_one_tasks_loss(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    tusk_work_counters counters;
    const uint32_t hands = lane->region->hands;
    uint32_t hint;
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t slot = submit_verb(lane, HELD);
        shared_slot *shared = &lane->view->slots[slot];
        uint32_t generation = word_generation(atomic_load(&shared->word));
        const uint64_t words[] = {
            word_of(SLOT_QUEUED, 0, 0, generation + 1),  word_of(SLOT_DONE, 0, 1, generation - 1),
            word_of(SLOT_FREE, 0, 0, generation),        word_of(77, 0, 1, generation),
            word_of(SLOT_RUNNING, hands, 1, generation), word_of(SLOT_DONE, hands, 1, generation),
            word_of(SLOT_DONE, 0, 1, generation)};
        atomic_store(&shared->result_at, i == 5 ? INSIDE : lane->region->arena_size);
        atomic_store(&shared->result_len, 1);
        atomic_store(&shared->word, words[i]);
        assert_int_equal(tusk_lane_look(lane, slot, &result), TUSK_WORK_LOST);
        assert_int_equal(result.status, -1);
        assert_int_equal(tusk_lane_look(lane, slot, &result), TUSK_WORK_LOST); /* once */
        tusk_work_count(work, &counters);
        assert_int_equal(counters.corrupt, i + 1);
        assert_int_equal(lane->outstanding, 1);
        tusk_lane_release(lane, slot);
        tusk__lane_sweep(lane); /* none that was given back is told of */
        assert_true(tusk_lane_ended(lane, &hint));
        assert_int_equal(hint, first);
        assert_false(tusk_lane_ended(lane, &hint));
    }
    atomic_store(&at->ends, 1);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE);
    tusk_lane_release(lane, first);
    tusk__lane_sweep(lane);
    assert_false(tusk_lane_ended(lane, &hint));
    tusk_work_close(work);
}

/* As one that was taken at that moment: nobody is told who could be signalled. */
static void a_task_that_is_cancelled_before_anybody_says_that_he_runs_it_is_told(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t second = submit_verb(lane, TOLD);
    tusk_lane_cancel(lane, second);
    atomic_store(&at->ends, 1);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 0);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 1);
    tusk_work_close(work);
}

/* The template is held up (SIGSTOP, a fork that takes long) between the wish and the deed. */
static void who_was_to_be_killed_and_has_ended_does_not_take_the_next_one_along(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    held_up = tusk_work_template_pid(work);
    assert_int_equal(kill(held_up, SIGSTOP), 0);
    work->shape.options.grace_ms = 1; /* here, and not where it runs */
    tusk_lane_cancel(lane, first);
    work->shape.options.grace_ms = 60000;
    while (lane->own[first].asked_ns == 0) { /* to be killed, in vain */
        tusk_lane_wait(lane, 0);
    }
    atomic_store(&at->ends, 1);
    assert_int_equal(finish(lane, first, &result), TUSK_WORK_DONE);
    uint32_t second = submit_verb(lane, TOLD);
    until_set(&at->began, 60);
    tusk_lane_cancel(lane, second); /* the template hears of it after all that */
    held_up = 0;
    assert_int_equal(kill(tusk_work_template_pid(work), SIGCONT), 0);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 1);
    tusk_work_close(work);
}

static void a_fork_that_is_cancelled_at_once_is_told(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t verb = TOLD;
    uint32_t slot = UINT32_MAX;
    uint8_t *room;
    size_t cap;
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    memcpy(room, &verb, sizeof(verb));
    assert_err(tusk_lane_fork(lane, slot, sizeof(verb), 0), TUSK_OK);
    tusk_lane_cancel(lane, slot);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 1);
    tusk_work_close(work);
}

static void who_waits_for_its_own_tasks_does_not_miss_an_interrupt_as_it_lies_down(void **state)
{
    uint32_t first;
    tusk_work *work = open_busy_pool(&first);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t second = submit_verb(lane, LIES_DOWN);
    tusk_lane_cancel(lane, second);
    atomic_store(&at->ends, 1);
    assert_int_equal(finish(lane, second, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 0);
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
        cmocka_unit_test(a_task_that_others_have_overtaken_begins_when_a_worker_is_free),
        cmocka_unit_test(a_task_whose_place_was_written_over_begins_all_the_same),
        cmocka_unit_test(a_task_that_nobody_there_runs_is_lost),
        cmocka_unit_test(a_word_that_cannot_be_is_one_tasks_loss),
        cmocka_unit_test(a_task_that_is_cancelled_before_anybody_says_that_he_runs_it_is_told),
        cmocka_unit_test(who_was_to_be_killed_and_has_ended_does_not_take_the_next_one_along),
        cmocka_unit_test(a_fork_that_is_cancelled_at_once_is_told),
        cmocka_unit_test(who_waits_for_its_own_tasks_does_not_miss_an_interrupt_as_it_lies_down),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
