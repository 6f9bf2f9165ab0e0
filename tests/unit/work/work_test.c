/* SPDX-License-Identifier: MIT */
/* Worker processes with tasks written in C: order, crashes, deadlines, rubbish, nesting. */
#define _GNU_SOURCE
#include "test.h"

#include "work/lane.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tusk/work.h>

#define SEC UINT64_C(1000000000)
#define MS UINT64_C(1000000)

/* ---- a task is a verb and a number ---- */
enum { ECHO, CRASH, SPIN, SLEEP, BIG, RUBBISH, NEST, LEAVE, PID, INNER };
typedef struct order {
    uint32_t verb;
    uint32_t number;
} order;

static volatile sig_atomic_t interrupted;

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

static tusk_work_state finish(tusk_lane *lane, uint32_t slot, tusk_work_result *result)
{
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    tusk_work_state state;
    uint32_t hint;
    while ((state = tusk_lane_look(lane, slot, result)) < TUSK_WORK_DONE) {
        if (tusk_loop_clock_ns() > end_ns) {
            return state;
        }
        if (!tusk_lane_help(lane)) {
            tusk_lane_wait(lane, 0);
        }
        while (tusk_lane_ended(lane, &hint)) {
        }
    }
    return state;
}

static uint32_t number_of(const tusk_work_result *result)
{
    uint32_t number = UINT32_MAX;
    if (result->bytes.len == sizeof(number)) {
        memcpy(&number, result->bytes.ptr, sizeof(number));
    }
    return number;
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

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    order what = {ECHO, 0};
    interrupted = 0;
    if (task->request.len == sizeof(what)) {
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
        (void)usleep(what.number);
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

static tusk_work *open_pool(uint32_t workers, uint32_t workers_max, uint32_t queue)
{
    tusk_work *work = NULL;
    tusk_work_options options = {.workers = workers,
                                 .workers_max = workers_max,
                                 .queue = queue,
                                 .spin_us = 50,
                                 .calls = &calls};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
}

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        count++;
    }
    (void)closedir(dir);
    return count;
}

/* ---- tests ---- */
static void tasks_come_back_with_their_own_answers(void **state)
{
    tusk_work *work = open_pool(2, 2, 64);
    tusk_lane *lane = tusk_work_lane(work);
    for (uint32_t round = 0; round < 50; round++) {
        uint32_t slots[64];
        for (uint32_t i = 0; i < 64; i++) {
            slots[i] = ask(lane, (order){ECHO, round * 64 + i}, 0);
        }
        uint32_t none;
        uint8_t *room;
        size_t cap;
        assert_err(tusk_lane_take(lane, &none, &room, &cap), TUSK_ELIMIT);
        tusk_lane_flush(lane);
        for (uint32_t i = 0; i < 64; i++) {
            tusk_work_result result;
            assert_int_equal(finish(lane, slots[i], &result), TUSK_WORK_DONE);
            assert_int_equal(number_of(&result), round * 64 + i);
            tusk_lane_release(lane, slots[i]);
        }
    }
    tusk_work_close(work);
}

static void a_slow_task_holds_up_nobody(void **state)
{
    tusk_work *work = open_pool(2, 2, 64);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slow = ask(lane, (order){SLEEP, 200000}, 0);
    tusk_lane_flush(lane);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t quick = ask(lane, (order){ECHO, i}, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, quick, &result), TUSK_WORK_DONE);
        tusk_lane_release(lane, quick);
    }
    assert_int_equal(tusk_lane_look(lane, slow, &result), TUSK_WORK_RUNNING);
    assert_int_equal(finish(lane, slow, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
}

static void a_crash_is_one_tasks_loss_and_the_worker_is_replaced(void **state)
{
    tusk_work *work = open_pool(2, 2, 64);
    tusk_lane *lane = tusk_work_lane(work);
    for (uint32_t i = 0; i < 50; i++) {
        tusk_work_result result;
        uint32_t before = ask(lane, (order){ECHO, i}, 0);
        uint32_t crash = ask(lane, (order){CRASH, 0}, 0);
        uint32_t after = ask(lane, (order){ECHO, i + 1}, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, after, &result), TUSK_WORK_DONE);
        assert_int_equal(number_of(&result), i + 1);
        assert_int_equal(finish(lane, before, &result), TUSK_WORK_DONE);
        assert_int_equal(number_of(&result), i);
        assert_int_equal(finish(lane, crash, &result), TUSK_WORK_LOST);
        assert_int_equal(result.status, SIGKILL);
        tusk_lane_release(lane, before);
        tusk_lane_release(lane, after);
        tusk_lane_release(lane, crash);
    }
    tusk_work_counters counters;
    tusk_work_count(work, &counters);
    assert_int_equal(counters.died, 50);
    assert_int_equal(counters.corrupt, 0);
    tusk_work_close(work);
}

/* Nobody looks until all have died, one after the other in the same place. */
static void each_of_several_deaths_in_one_place_is_told_as_it_was(void **state)
{
    static const uint32_t signals[] = {SIGKILL, SIGALRM, SIGUSR2, SIGUSR1};
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_counters counters;
    tusk_work_result result;
    uint32_t slots[4];
    const char *reason;
    for (uint32_t i = 0; i < 4; i++) {
        slots[i] = ask(lane, (order){CRASH, signals[i]}, 0);
    }
    tusk_lane_flush(lane);
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    do {
        assert_true(tusk_work_look(work, &reason));
        tusk_work_count(work, &counters);
    } while (counters.died < 4 && tusk_loop_clock_ns() < end_ns);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(finish(lane, slots[i], &result), TUSK_WORK_LOST);
        assert_int_equal(result.status & 0x7f, signals[i]);
        assert_true(result.pid > 0);
        tusk_lane_release(lane, slots[i]);
    }
    tusk_work_close(work);
}

static void a_lost_task_can_be_asked_again(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slot = ask(lane, (order){CRASH, 0}, 0);
    tusk_lane_flush(lane);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_LOST);
        tusk_lane_again(lane, slot, 0);
        tusk_lane_flush(lane);
    }
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_LOST);
    tusk_lane_release(lane, slot);
    tusk_work_close(work);
}

static void a_deadline_interrupts_and_then_kills(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t heeds = ask(lane, (order){SPIN, 0}, tusk_loop_clock_ns() + 30 * MS);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, heeds, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 100 + TUSK_WORK_LATE);
    uint32_t sleeps = ask(lane, (order){SLEEP, 10000000}, tusk_loop_clock_ns() + 30 * MS);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, sleeps, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 1);
    uint32_t deaf = ask(lane, (order){SPIN, 1}, tusk_loop_clock_ns() + 30 * MS);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, deaf, &result), TUSK_WORK_LOST);
    assert_int_equal(result.status, SIGKILL);
    uint32_t next = ask(lane, (order){ECHO, 7}, 0);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, next, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), 7);
    tusk_work_close(work);
}

static void cancelling_interrupts_then_kills_and_withdrawing_is_at_once(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t verbs[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        uint32_t slot = ask(lane, (order){SPIN, verbs[i]}, 0);
        uint32_t waits = ask(lane, (order){ECHO, 1}, 0);
        tusk_lane_flush(lane);
        while (tusk_lane_look(lane, slot, &result) == TUSK_WORK_QUEUED) {
            tusk_lane_wait(lane, tusk_loop_clock_ns() + MS);
        }
        assert_false(tusk_lane_withdraw(lane, slot));
        assert_true(tusk_lane_withdraw(lane, waits));
        tusk_lane_cancel(lane, slot);
        tusk_work_state end = finish(lane, slot, &result);
        assert_int_equal(end, i == 0 ? TUSK_WORK_DONE : TUSK_WORK_LOST);
        if (i == 0) {
            assert_int_equal(number_of(&result), 100 + TUSK_WORK_CANCELLED);
        }
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

static void answers_of_megabytes_are_whole_and_their_pages_are_given_back(void **state)
{
    tusk_work *work = open_pool(2, 2, 8);
    tusk_lane *lane = tusk_work_lane(work);
    for (uint32_t i = 0; i < 20; i++) {
        tusk_work_result result;
        uint32_t len = (i + 1) * 500000 + 1;
        uint32_t slot = ask(lane, (order){BIG, len}, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
        assert_int_equal(result.bytes.len, len);
        assert_int_equal(result.bytes.ptr[0], len & 0xff);
        assert_int_equal(result.bytes.ptr[len - 1], len & 0xff);
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

static void a_worker_that_writes_rubbish_neither_crashes_nor_hangs_the_parent(void **state)
{
    for (uint32_t seed = 0; seed < 33; seed++) {
        tusk_work *work = open_pool(2, 2, 64);
        tusk_lane *lane = tusk_work_lane(work);
        uint32_t slots[32];
        tusk_work_result result;
        for (uint32_t i = 0; i < 32; i++) {
            slots[i] = ask(lane, (order){i == 7 ? RUBBISH : ECHO, i == 7 ? seed : i}, 0);
        }
        tusk_lane_flush(lane);
        for (uint32_t i = 0; i < 32; i++) {
            tusk_work_state end = finish(lane, slots[i], &result);
            assert_true(end == TUSK_WORK_DONE || end == TUSK_WORK_LOST);
            tusk_lane_release(lane, slots[i]);
        }
        uint32_t good = 0;
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t slot = ask(lane, (order){ECHO, i}, 0);
            tusk_lane_flush(lane);
            good += finish(lane, slot, &result) == TUSK_WORK_DONE && number_of(&result) == i;
            tusk_lane_release(lane, slot);
        }
        assert_true(good >= 1);
        tusk_work_close(work);
    }
}

static void nested_tasks_need_no_second_worker(void **state)
{
    for (uint32_t workers = 1; workers <= 2; workers++) {
        tusk_work *work = open_pool(workers, workers, 64);
        tusk_lane *lane = tusk_work_lane(work);
        uint32_t slots[4];
        for (uint32_t i = 0; i < 4; i++) {
            slots[i] = ask(lane, (order){NEST, 3}, 0);
        }
        tusk_lane_flush(lane);
        for (uint32_t i = 0; i < 4; i++) {
            tusk_work_result result;
            assert_int_equal(finish(lane, slots[i], &result), TUSK_WORK_DONE);
            assert_int_equal(number_of(&result), 64);
            tusk_lane_release(lane, slots[i]);
        }
        tusk_work_close(work);
    }
}

static void inner_tasks_are_cancelled_killed_and_told_of_as_others_are(void **state)
{
    static const struct {
        uint32_t inner, end;
    } cases[] = {{SPIN, 100 + TUSK_WORK_CANCELLED},
                 {100 + SPIN, 1000 + SIGKILL}, /* one that does not heed it */
                 {CRASH, 1000 + SIGKILL}};
    tusk_work *work = open_pool(2, 2, 8);
    tusk_lane *lane = tusk_work_lane(work);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_work_result result;
        uint32_t slot = ask(lane, (order){INNER, cases[i].inner}, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
        assert_int_equal(number_of(&result), cases[i].end);
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

static void a_worker_that_says_so_is_replaced_after_its_answer(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    for (uint32_t i = 0; i < 20; i++) {
        tusk_work_result result;
        uint32_t slot = ask(lane, (order){LEAVE, i}, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
        assert_int_equal(number_of(&result), i);
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

static void a_guest_is_a_fork_of_this_moment(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t slot;
        uint8_t *room;
        size_t cap;
        tusk_work_result result;
        order what = {i % 2 == 0 ? ECHO : CRASH, i};
        assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
        memcpy(room, &what, sizeof(what));
        assert_err(tusk_lane_fork(lane, slot, sizeof(what), 0), TUSK_OK);
        assert_int_equal(finish(lane, slot, &result), i % 2 == 0 ? TUSK_WORK_DONE : TUSK_WORK_LOST);
        if (i % 2 == 0) {
            assert_int_equal(number_of(&result), i);
        }
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
}

static void what_prepare_says_comes_with_the_first_look(void **state)
{
    tusk_work *work = NULL;
    static char text[] = "no such file: app.php";
    tusk_work_options options = {
        .workers = 1, .workers_max = 1, .queue = 4, .calls = &calls, .user = text};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slot = ask(lane, (order){ECHO, 1}, 0);
    tusk_lane_flush(lane);
    const char *reason = NULL;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while (tusk_work_look(work, &reason) && tusk_loop_clock_ns() < end_ns) {
        tusk_lane_wait(lane, tusk_loop_clock_ns() + 10 * MS);
    }
    assert_non_null(reason);
    assert_string_equal(reason, text);
    assert_int_equal(tusk_lane_look(lane, slot, &result), TUSK_WORK_QUEUED);
    assert_true(tusk_lane_withdraw(lane, slot));
    tusk_work_close(work);
}

static void nothing_stays_open_and_no_child_is_left(void **state)
{
    size_t before = open_descriptors();
    for (int i = 0; i < 5; i++) {
        tusk_work *work = open_pool(2, 2, 8);
        tusk_lane *lane = tusk_work_lane(work);
        tusk_work_result result;
        uint32_t slot = ask(lane, (order){PID, 0}, 0);
        tusk_lane_flush(lane);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
        pid_t worker = (pid_t)number_of(&result);
        tusk_work_close(work);
        assert_int_equal(kill(worker, 0), -1);
    }
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void other_children_are_not_waited_for(void **state)
{
    pid_t child = fork();
    if (child == 0) {
        _exit(42);
    }
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slot = ask(lane, (order){CRASH, 0}, 0);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_LOST);
    tusk_work_close(work);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_come_back_with_their_own_answers),
        cmocka_unit_test(a_slow_task_holds_up_nobody),
        cmocka_unit_test(a_crash_is_one_tasks_loss_and_the_worker_is_replaced),
        cmocka_unit_test(each_of_several_deaths_in_one_place_is_told_as_it_was),
        cmocka_unit_test(a_lost_task_can_be_asked_again),
        cmocka_unit_test(a_deadline_interrupts_and_then_kills),
        cmocka_unit_test(cancelling_interrupts_then_kills_and_withdrawing_is_at_once),
        cmocka_unit_test(answers_of_megabytes_are_whole_and_their_pages_are_given_back),
        cmocka_unit_test(a_worker_that_writes_rubbish_neither_crashes_nor_hangs_the_parent),
        cmocka_unit_test(nested_tasks_need_no_second_worker),
        cmocka_unit_test(inner_tasks_are_cancelled_killed_and_told_of_as_others_are),
        cmocka_unit_test(a_worker_that_says_so_is_replaced_after_its_answer),
        cmocka_unit_test(a_guest_is_a_fork_of_this_moment),
        cmocka_unit_test(what_prepare_says_comes_with_the_first_look),
        cmocka_unit_test(nothing_stays_open_and_no_child_is_left),
        cmocka_unit_test(other_children_are_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
