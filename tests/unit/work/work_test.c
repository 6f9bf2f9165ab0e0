/* SPDX-License-Identifier: MIT */
/* Worker processes with tasks written in C: order, crashes, deadlines, rubbish, nesting. */
#define _GNU_SOURCE
#include "rig.h"

#include <sys/stat.h>

static tusk_work *open_pool(uint32_t workers, uint32_t workers_max, uint32_t queue)
{
    return open_spinning_pool(workers, workers_max, queue, 50);
}

/* Who heeds has long for it, however little of a processor there is. */
static tusk_work *open_patient_pool(void)
{
    tusk_work *work = NULL;
    const tusk_work_options options = {
        .workers = 1, .workers_max = 1, .queue = 8, .grace_ms = 20000, .calls = &calls};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
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
    tusk_work *work = open_patient_pool();
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
    tusk_work_close(work);
    work = open_pool(1, 1, 8);
    lane = tusk_work_lane(work);
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
    tusk_work_result result;
    uint32_t verbs[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        tusk_work *work = i == 0 ? open_patient_pool() : open_pool(1, 1, 8);
        tusk_lane *lane = tusk_work_lane(work);
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
        tusk_work_close(work);
    }
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

static void expect_big(tusk_lane *lane, uint32_t slot, uint32_t len)
{
    tusk_work_result result;
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
    assert_int_equal(result.bytes.len, len);
    for (uint32_t i = 0; i < len; i++) {
        assert_int_equal(result.bytes.ptr[i], len & 0xff);
    }
}

/* Who comes to its place has its arena, too. */
static void what_a_dead_worker_answered_is_not_written_over(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    uint32_t slots[8];
    for (uint32_t i = 0; i < 3; i++) {
        slots[2 * i] = ask(lane, (order){BIG, 70001 + i}, 0);
        slots[2 * i + 1] = ask(lane, (order){CRASH, 0}, 0);
    }
    slots[6] = ask(lane, (order){BIG, 5000}, 0);
    tusk_lane_flush(lane);
    expect_big(lane, slots[6], 5000);
    for (uint32_t i = 0; i < 3; i++) {
        expect_big(lane, slots[2 * i], 70001 + i);
        assert_int_equal(finish(lane, slots[2 * i + 1], &result), TUSK_WORK_LOST);
    }
    tusk_work_close(work);
}

static tusk_err fork_big(tusk_lane *lane, uint32_t len, uint32_t *slot)
{
    uint8_t *room;
    size_t cap;
    order what = {BIG, len};
    assert_err(tusk_lane_take(lane, slot, &room, &cap), TUSK_OK);
    memcpy(room, &what, sizeof(what));
    tusk_err err = tusk_lane_fork(lane, *slot, sizeof(what), 0);
    if (err != TUSK_OK) {
        tusk_lane_drop(lane, *slot);
    }
    return err;
}

static void what_a_fork_answered_is_not_written_over_by_another(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    uint32_t slots[TUSK_WORK_GUESTS_MAX];
    uint32_t more = 0;
    for (uint32_t i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        assert_err(fork_big(lane, 3001 + i, &slots[i]), TUSK_OK);
    }
    for (uint32_t i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        expect_big(lane, slots[i], 3001 + i);
    }
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    const char *reason;
    while (tusk__work_restless(work) && tusk_loop_clock_ns() < end_ns) {
        assert_true(tusk_work_look(work, &reason)); /* until they have ended, too */
    }
    assert_err(fork_big(lane, 9, &more), TUSK_ELIMIT);
    tusk_lane_release(lane, slots[2]);
    assert_err(fork_big(lane, 9000, &more), TUSK_OK);
    expect_big(lane, more, 9000);
    for (uint32_t i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        if (i != 2) {
            expect_big(lane, slots[i], 3001 + i);
        }
    }
    tusk_work_close(work);
}

static void end_where_streams_are_the_applications(uint32_t number)
{
    struct stat in, out, err, null;
    bool right = fstat(0, &in) == 0 && fstat(1, &out) == 0 && fstat(2, &err) == 0 &&
                 stat("/dev/null", &null) == 0 && in.st_rdev == null.st_rdev &&
                 S_ISCHR(in.st_mode) && out.st_dev == err.st_dev && out.st_ino == err.st_ino;
    if (!right) {
        (void)raise(SIGKILL);
    }
}

static void a_task_reads_nothing_of_the_applications_and_writes_to_its_errors_alone(void **state)
{
    int input = dup(0);
    int output = dup(1);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0); /* its input and output, whatever this program has */
    own_task = end_where_streams_are_the_applications;
    assert_true(dup2(pipes[0], 0) == 0 && dup2(pipes[1], 1) == 1);
    tusk_work *work = open_pool(1, 1, 8);
    assert_true(dup2(input, 0) == 0 && dup2(output, 1) == 1);
    tusk_work_result result;
    uint32_t slot = ask(tusk_work_lane(work), (order){OWN, 3}, 0);
    tusk_lane_flush(tusk_work_lane(work));
    assert_int_equal(finish(tusk_work_lane(work), slot, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
    (void)close(input);
    (void)close(output);
}

static void a_worker_that_writes_rubbish_neither_crashes_nor_hangs_the_parent(void **state)
{
    for (uint32_t seed = 0; seed < 33; seed++) {
        tusk_work *work = open_pool(2, 2, 64);
        tusk_lane *lane = tusk_work_lane(work);
        uint32_t slots[32];
        tusk_work_result result;
        uint64_t deadline_ns = tusk_loop_clock_ns() + 2 * SEC; /* rubbish may be an order to spin */
        for (uint32_t i = 0; i < 32; i++) {
            order what = {i == 7 ? RUBBISH : ECHO, i == 7 ? seed : i};
            slots[i] = ask(lane, what, deadline_ns);
        }
        tusk_lane_flush(lane);
        for (uint32_t i = 0; i < 32; i++) {
            tusk_work_state end = finish(lane, slots[i], &result);
            assert_true(end == TUSK_WORK_DONE || end == TUSK_WORK_LOST);
            tusk_lane_release(lane, slots[i]);
        }
        uint32_t good = 0;
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t slot = ask(lane, (order){ECHO, i}, tusk_loop_clock_ns() + 2 * SEC);
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

/* It sleeps all the time: looked at once a second, ten ages would be ten seconds. */
static void an_idle_worker_is_replaced_when_its_age_has_come(void **state)
{
    tusk_work *work = NULL;
    const tusk_work_options options = {
        .workers = 1, .workers_max = 1, .queue = 8, .age_ms_max = 100, .calls = &calls};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    tusk_work_counters counters = {0};
    uint64_t end_ns = tusk_loop_clock_ns() + 8 * SEC;
    while (counters.retired < 10 && tusk_loop_clock_ns() < end_ns) {
        tusk_lane_wait(tusk_work_lane(work), 0);
        tusk_work_count(work, &counters);
    }
    assert_true(counters.retired >= 10);
    assert_int_equal(counters.died, 0);
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
        order what = {i % 2 == 0 ? PID : CRASH, 0};
        assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
        memcpy(room, &what, sizeof(what));
        assert_err(tusk_lane_fork(lane, slot, sizeof(what), 0), TUSK_OK);
        assert_int_equal(finish(lane, slot, &result), i % 2 == 0 ? TUSK_WORK_DONE : TUSK_WORK_LOST);
        assert_true(result.pid > 0 && result.pid != tusk_work_template_pid(work));
        if (i % 2 == 0) {
            assert_int_equal(number_of(&result), result.pid);
        } else {
            assert_int_equal(result.status, SIGKILL);
        }
        tusk_lane_release(lane, slot);
    }
    tusk_work_counters counters;
    tusk_work_count(work, &counters);
    assert_int_equal(counters.guests, 10);
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

static void options_that_nothing_could_be_made_of_are_refused(void **state)
{
    static const tusk_work_options fit = {
        .workers = 1, .workers_max = 1, .queue = 1, .calls = &calls};
    tusk_work_options wrong[8];
    for (size_t i = 0; i < 8; i++) {
        wrong[i] = fit;
    }
    wrong[0].workers = 0;
    wrong[1].workers = 2;
    wrong[2].workers = wrong[2].workers_max = 0;
    wrong[3].workers_max = TUSK_WORK_WORKERS_MAX + 1;
    wrong[4].workers_max = UINT32_MAX;
    wrong[5].queue = 0;
    wrong[6].queue = 65536 + 1;
    wrong[7].calls = NULL;
    tusk_work *work = NULL;
    for (size_t i = 0; i < 8; i++) {
        work = (tusk_work *)&wrong[i];
        assert_err(tusk_work_open(&work, &wrong[i]), TUSK_EINVAL);
        assert_null(work);
    }
    tusk_work_options most = fit;
    most.workers_max = TUSK_WORK_WORKERS_MAX;
    most.queue = 65536;
    assert_err(tusk_work_open(&work, &most), TUSK_OK);
    tusk_work_close(work);
    assert_no_child();
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
    assert_no_child();
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

/* Of a detached pool: how many descriptors its close() closes. */
static _Noreturn void leave_as_fork(tusk_work *work)
{
    size_t before = open_descriptors();
    tusk_work_detach(work);
    tusk_work_close(work);
    _exit((int)(before - open_descriptors()));
}

static void who_is_detached_closes_nobodys_descriptors_and_the_owner_goes_on(void **state)
{
    tusk_work *work = open_pool(1, 1, 8);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        leave_as_fork(work);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    uint32_t slot = ask(lane, (order){PID, 0}, 0);
    tusk_lane_flush(lane);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
    assert_no_child();
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
        cmocka_unit_test(what_a_dead_worker_answered_is_not_written_over),
        cmocka_unit_test(what_a_fork_answered_is_not_written_over_by_another),
        cmocka_unit_test(a_task_reads_nothing_of_the_applications_and_writes_to_its_errors_alone),
        cmocka_unit_test(a_worker_that_writes_rubbish_neither_crashes_nor_hangs_the_parent),
        cmocka_unit_test(nested_tasks_need_no_second_worker),
        cmocka_unit_test(inner_tasks_are_cancelled_killed_and_told_of_as_others_are),
        cmocka_unit_test(a_worker_that_says_so_is_replaced_after_its_answer),
        cmocka_unit_test(an_idle_worker_is_replaced_when_its_age_has_come),
        cmocka_unit_test(a_guest_is_a_fork_of_this_moment),
        cmocka_unit_test(what_prepare_says_comes_with_the_first_look),
        cmocka_unit_test(options_that_nothing_could_be_made_of_are_refused),
        cmocka_unit_test(nothing_stays_open_and_no_child_is_left),
        cmocka_unit_test(other_children_are_not_waited_for),
        cmocka_unit_test(who_is_detached_closes_nobodys_descriptors_and_the_owner_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
