/* SPDX-License-Identifier: MIT */
/* Work that goes on over many turns: behind the answers to everybody, once in a turn. */
#define _GNU_SOURCE
#include "loop/patient.h"

#include <fcntl.h>
#include <unistd.h>

#include "../test.h"

enum { ENDS = 3 };

typedef struct end {
    tusk_io io; /* first */
    int peer;
    bool begins_work;
} end;

static struct {
    test_mem mem;
    tusk_loop *loop;
    end ends[ENDS]; /* the last may wait */
    tusk_task answer;
    tusk_task work;
    int left; /* runs of `work` that it asks for */
    char log[256];
} t;

static void say(const char *word)
{
    strncat(t.log, word, sizeof(t.log) - strlen(t.log) - 1);
}

static void leave(tusk_task *task)
{
    (void)task;
    say("left ");
}

static void do_work(tusk_task *task)
{
    say("work ");
    if (--t.left > 0) {
        tusk__task_defer_behind(t.loop, task);
    }
    tusk_task_defer_late(t.loop, &t.answer);
}

static void on_event(tusk_io *io, unsigned events)
{
    end *self = (end *)(void *)io;
    char byte;
    char word[] = {(char)('0' + (self - t.ends)), ' ', '\0'};
    assert_int_equal(events, TUSK_IO_READ);
    assert_int_equal(read(io->fd, &byte, 1), 1);
    say(word);
    if (self->begins_work) {
        tusk__task_defer_behind(t.loop, &t.work);
    }
    if (self != &t.ends[ENDS - 1]) {
        tusk_task_defer_late(t.loop, &t.answer);
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem}), TUSK_OK);
    tusk__loop_patient_ns(t.loop, UINT64_MAX); /* no clock decides */
    t.answer.run = leave;
    t.work.run = do_work;
    for (int i = 0; i < ENDS; i++) {
        int fd[2];
        assert_int_equal(pipe2(fd, O_NONBLOCK | O_CLOEXEC), 0);
        t.ends[i].io.fd = fd[0];
        t.ends[i].io.on_event = on_event;
        t.ends[i].peer = fd[1];
        assert_err(tusk_io_add(t.loop, &t.ends[i].io, TUSK_IO_READ), TUSK_OK);
        tusk__io_may_wait(&t.ends[i].io, i == ENDS - 1);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        tusk_io_close(t.loop, &t.ends[i].io);
        (void)close(t.ends[i].peer);
    }
    tusk_task_cancel(&t.work);
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

static void poke(int who)
{
    assert_int_equal(write(t.ends[who].peer, "x", 1), 1);
}

static void assert_turn(const char *expected)
{
    t.log[0] = '\0';
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_string_equal(t.log, expected);
}

static void work_goes_on_behind_the_answers(void **state)
{
    (void)state;
    t.left = 4;
    tusk__task_defer_behind(t.loop, &t.work);
    tusk__task_defer_behind(t.loop, &t.work);
    poke(0);
    poke(2);
    assert_turn("0 left 2 work left ");
    poke(0);
    poke(1);
    assert_turn("0 1 left work left ");
    assert_turn("work left "); /* nobody else */
    poke(2);
    assert_turn("2 work left ");
    poke(0);
    assert_turn("0 left ");
    assert_turn("");
}

static void work_that_an_event_begins_is_for_the_next_turn(void **state)
{
    (void)state;
    t.ends[0].begins_work = true;
    t.left = 1;
    poke(0);
    assert_turn("0 left ");
    assert_turn("work left ");
    assert_turn("");
    t.left = 1;
    poke(0);
    assert_turn("0 left ");
    tusk_task_cancel(&t.work);
    assert_turn("");
}

/* Nothing else is there, and no turn waits. */
static void a_loop_with_work_left_runs_on(void **state)
{
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        tusk_io_remove(t.loop, &t.ends[i].io);
    }
    t.left = 5;
    tusk__task_defer_behind(t.loop, &t.work);
    assert_true(tusk_loop_alive(t.loop));
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_string_equal(t.log, "work left work left work left work left work left ");
    assert_false(tusk_loop_alive(t.loop));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(work_goes_on_behind_the_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(work_that_an_event_begins_is_for_the_next_turn, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_loop_with_work_left_runs_on, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("loop/behind", tests, NULL, NULL);
}
