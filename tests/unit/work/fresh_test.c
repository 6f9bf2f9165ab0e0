/* SPDX-License-Identifier: MIT */
/* A template that is this program begun anew: what it receives, what it does not carry, how it is
 * followed, and what is none. */
#define _GNU_SOURCE
#include "await.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum { GREETING, CARRIED, PID, OTHER, CRASH };

static char greeting[64]; /* as received */
static int carried;       /* of this process only */

static void receive(tusk_bytes payload, void *user)
{
    assert_true(payload.len < sizeof(greeting));
    memcpy(greeting, payload.ptr, payload.len);
}

/* Another worker's number, which there is only where one is asked for; 0: nobody came. */
static int ask_another(tusk_worker *self)
{
    tusk_lane *lane = tusk_worker_lane(self);
    tusk_work_result result;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    uint32_t slot = UINT32_MAX;
    char text[64] = "";
    uint8_t *room;
    size_t cap;
    if (tusk_lane_take(lane, &slot, &room, &cap) != TUSK_OK) {
        return 0;
    }
    room[0] = PID;
    tusk_lane_submit(lane, slot, 1, 0);
    tusk_lane_flush(lane);
    tusk_work_state state;
    while ((state = tusk_lane_look(lane, slot, &result)) < TUSK_WORK_DONE &&
           tusk_loop_clock_ns() < end_ns) {
        tusk_lane_wait(lane, 0);
    }
    if (state != TUSK_WORK_DONE || result.bytes.len >= sizeof(text)) {
        return 0;
    }
    memcpy(text, result.bytes.ptr, result.bytes.len); /* what it says, and what is told of it */
    return atoi(text) == result.pid ? result.pid : 0;
}

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    uint8_t verb = task->request.len == 1 ? task->request.ptr[0] : CRASH;
    char text[64];
    size_t cap;
    if (verb == CRASH) {
        (void)raise(SIGKILL);
    }
    int number = verb == CARRIED ? carried : verb == OTHER ? ask_another(self) : (int)getpid();
    (void)snprintf(text, sizeof(text), "%d", number);
    const char *answer = verb == GREETING ? greeting : text;
    uint8_t *room = tusk_worker_room(self, &cap);
    memcpy(room, answer, strlen(answer));
    tusk_worker_answer(self, strlen(answer));
    return true;
}

static void begin(tusk_worker *self, void *user)
{
}

static const tusk_work_calls calls = {.receive = receive, .begin = begin, .run = run};

static tusk_work *open_pool(const char *const *argv)
{
    tusk_work *work = NULL;
    tusk_work_options options = {.workers = 1,
                                 .workers_max = 2,
                                 .queue = 8,
                                 .calls = &calls,
                                 .argv = argv,
                                 .payload = tusk_bytes_str("good morning")};
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    return work;
}

static const char *const itself[] = {"/proc/self/exe", "become", NULL};

/* What it answers; NULL: it was lost. */
static const char *ask(tusk_work *work, uint8_t verb)
{
    static char text[64];
    tusk_lane *lane = tusk_work_lane(work);
    uint32_t slot = 0;
    uint8_t *room;
    size_t cap;
    tusk_work_result result;
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    room[0] = verb;
    tusk_lane_submit(lane, slot, 1, 0);
    tusk_lane_flush(lane);
    tusk_work_state state = finish(lane, slot, &result);
    assert_true(state >= TUSK_WORK_DONE);
    if (state == TUSK_WORK_DONE) {
        assert_true(result.bytes.len < sizeof(text));
        memcpy(text, result.bytes.ptr, result.bytes.len);
        text[result.bytes.len] = '\0';
    }
    tusk_lane_release(lane, slot);
    return state == TUSK_WORK_DONE ? text : NULL;
}

static void it_receives_the_payload_and_carries_nothing_of_its_parent(void **state)
{
    carried = 42;
    tusk_work *work = open_pool(itself);
    assert_string_equal(ask(work, GREETING), "good morning");
    assert_string_equal(ask(work, CARRIED), "0");
    assert_null(ask(work, CRASH));
    assert_string_equal(ask(work, GREETING), "good morning");
    tusk_work_close(work);
    assert_no_child();
}

/* By the descriptors that it was given, too. */
static void its_workers_ring_whoever_listens_and_ask_for_more_of_them(void **state)
{
    tusk_work *work = open_pool(itself);
    tusk_lane *lane = tusk_work_lane(work);
    struct pollfd bell = {.fd = tusk_work_fd(work), .events = POLLIN};
    tusk_work_result result;
    const char *reason;
    int pid = atoi(ask(work, PID));
    int other = atoi(ask(work, OTHER));
    assert_true(other > 0);
    assert_int_not_equal(other, pid);
    while (poll(&bell, 1, 0) != 0) { /* what rang before */
        assert_true(tusk_work_look(work, &reason));
    }
    uint32_t slot = UINT32_MAX;
    uint8_t *room;
    size_t cap;
    assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
    room[0] = PID;
    tusk_work_listen(work, true);
    tusk_lane_submit(lane, slot, 1, 0);
    tusk_lane_flush(lane);
    assert_int_equal(poll(&bell, 1, 20 * 1000), 1);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
    tusk_work_close(work);
    assert_no_child();
}

static void it_is_followed_by_another_fresh_one(void **state)
{
    tusk_work *work = open_pool(itself);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(ask(work, GREETING), "good morning");
        int template = tusk_work_template_pid(work);
        const char *reason;
        uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
        assert_int_equal(kill(template, SIGKILL), 0);
        while (tusk_work_template_pid(work) == template && tusk_loop_clock_ns() < end_ns) {
            assert_true(tusk_work_look(work, &reason));
            tusk_lane_wait(tusk_work_lane(work), tusk_loop_clock_ns() + 1000000);
        }
    }
    assert_string_equal(ask(work, CARRIED), "0");
    tusk_work_counters counters;
    tusk_work_count(work, &counters);
    assert_int_equal(counters.templates, 4);
    tusk_work_close(work);
}

static void a_program_that_does_not_become_one_ends_the_pool_with_a_reason(void **state)
{
    static const char *const other[] = {"/bin/false", NULL};
    tusk_work *work = open_pool(other);
    const char *reason = NULL;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while (tusk_work_look(work, &reason) && tusk_loop_clock_ns() < end_ns) {
        tusk_lane_wait(tusk_work_lane(work), tusk_loop_clock_ns() + 10000000);
    }
    assert_non_null(reason);
    assert_non_null(strstr(reason, "before it was ready, 5 times (exit 1)"));
    tusk_work_close(work);
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    static const char *const none[] = {"/nowhere/at/all", NULL};
    tusk_work *work = NULL;
    tusk_work_options options = {
        .workers = 1, .workers_max = 1, .queue = 8, .calls = &calls, .argv = none};
    assert_err(tusk_work_open(&work, &options), TUSK_ESYS);
    assert_null(work);
}

static void becoming_one_takes_what_such_a_program_was_given_and_nothing_else(void **state)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "0,1,2,3,4,5,6",
                                        "3,4,5,6,7,8",
                                        "3,4,5,6,7",
                                        "3,4,5,6,7,8,",
                                        "-1,4,5,6,7,8,9",
                                        "900,901,902,903,904,905,906"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_err(tusk_work_become(texts[i], &calls, NULL), TUSK_EINVAL);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_receives_the_payload_and_carries_nothing_of_its_parent),
        cmocka_unit_test(its_workers_ring_whoever_listens_and_ask_for_more_of_them),
        cmocka_unit_test(it_is_followed_by_another_fresh_one),
        cmocka_unit_test(a_program_that_does_not_become_one_ends_the_pool_with_a_reason),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
        cmocka_unit_test(becoming_one_takes_what_such_a_program_was_given_and_nothing_else),
    };
    if (argc == 3 && strcmp(argv[1], "become") == 0) {
        return (int)tusk_work_become(argv[2], &calls, NULL) == TUSK_OK ? 0 : 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
