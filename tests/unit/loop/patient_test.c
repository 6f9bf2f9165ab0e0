/* SPDX-License-Identifier: MIT */
/* The order of a turn, by a poller that says what the test has written: who may wait is told last,
 * and those for whom the turn has no time left stand in a line. No clock decides: their part of a
 * turn is nothing, or without an end. */
#include "script.h"

static void remove_first(end *self)
{
    (void)self;
    tusk_io_remove(t.loop, &t.ends[0].io);
}

static tusk_task answer;

static void leave(tusk_task *task)
{
    (void)task;
    strcat(t.log, "left ");
}

static void answers(end *self)
{
    (void)self;
    answer.run = leave;
    tusk_task_defer_late(t.loop, &answer);
}

/* ---- order ---- */
static void answers_leave_before_those_that_may_wait_are_told(void **state)
{
    (void)state;
    tusk__loop_patient_ns(t.loop, UINT64_MAX);
    enter(0, 6, false);
    tusk__io_set_aside(&t.ends[0].io);
    tusk__io_may_wait(&t.ends[1].io, true);
    tusk__io_set_aside(&t.ends[3].io);
    t.ends[2].then = t.ends[4].then = answers;
    poke(0, 6);
    assert_turn("5 2 4 left 3 0 1 "); /* those set aside change places with the last */
    poke(0, 2);
    t.ends[0].then = answers;
    assert_turn("0 1 left "); /* nobody else: the turn is one */
    poke(2, 5);
    assert_turn("2 4 left 3 ");
}

static void who_is_set_aside_may_be_removed_before_it_is_told(void **state)
{
    (void)state;
    enter(0, 4, false);
    tusk__io_set_aside(&t.ends[0].io);
    t.ends[3].then = remove_first;
    poke(0, 4);
    assert_turn("3 1 2 ");
}

static void those_that_may_wait_are_told_last(void **state)
{
    (void)state;
    tusk__loop_patient_ns(t.loop, UINT64_MAX);
    enter(0, 6, false);
    tusk__io_may_wait(&t.ends[0].io, true);
    tusk__io_may_wait(&t.ends[3].io, true);
    poke(0, 6);
    assert_turn("1 2 4 5 0 3 ");
    assert_int_equal(t.ends[0].sets + t.ends[3].sets, 0); /* in time: the poller is told nothing */
    assert_turn("");
    assert_true(t.timeout_ns > 0);
}

static void one_that_may_not_wait_is_told_in_each_turn_however_many_do(void **state)
{
    (void)state;
    enter(0, 5, true);
    enter(5, 6, false);
    poke(0, 6);
    assert_turn("5 0 ");
    poke(5, 6);
    assert_turn("5 1 ");
    assert_turn("2 ");
    assert_int_equal(t.timeout_ns, 0); /* a line is no time to sleep */
    poke(5, 6);
    assert_turn("5 3 ");
    assert_turn("4 ");
    assert_turn("");
    assert_true(t.timeout_ns > 0);
}

static void who_comes_later_stands_behind(void **state)
{
    (void)state;
    enter(0, 6, true);
    poke(3, 6);
    assert_turn("3 ");
    poke(0, 4); /* 3 again as well: now it is the last of the first four */
    assert_turn("4 ");
    assert_turn("5 ");
    assert_turn("0 ");
    assert_turn("1 ");
    assert_turn("2 ");
    assert_turn("3 ");
    assert_turn("");
}

/* Two of its own calls for each would be dearer than to hear of them again. */
static void a_short_line_is_watched_while_nobody_else_is_served(void **state)
{
    (void)state;
    enter(0, 3, true);
    poke(0, 3);
    assert_turn("0 ");
    assert_turn("1 ");
    t.ends[2].pending |= TUSK_IO_HUP;
    assert_turn("2 ");
    assert_turn("");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t.ends[i].sets, 0);
    }
}

static void the_poller_does_not_watch_who_stands_in_line_while_others_are_served(void **state)
{
    (void)state;
    enter(0, 3, true);
    enter(3, 4, false);
    poke(0, 4);
    assert_turn("3 0 ");
    assert_turn("1 "); /* before this wait 1 and 2 stood in line */
    assert_int_equal(t.ends[0].sets, 0);
    assert_int_equal(t.ends[2].watched, 0);
    assert_turn("2 "); /* and before this one 1 was watched again */
    assert_int_equal(t.ends[1].watched, TUSK_IO_READ);
    assert_turn("");
    assert_int_equal(t.ends[2].watched, TUSK_IO_READ);
    assert_int_equal(t.ends[1].sets, 2);
    assert_int_equal(t.ends[2].sets, 2);
}

/* So the poller has room for who comes. */
static void a_long_line_is_not_watched(void **state)
{
    (void)state;
    enter(0, 131, true);
    poke(0, 129);
    assert_turn("0 ");
    assert_turn("1 "); /* 128 stood in line */
    assert_int_equal(t.ends[128].sets, 0);
    poke(0, 1);
    poke(129, 131);
    assert_turn("2 ");
    assert_turn("3 "); /* 126, and three that came */
    assert_int_equal(t.ends[128].watched, 0);
    assert_int_equal(t.ends[130].watched, 0);
}

static void a_line_that_was_watched_is_not_when_somebody_else_is_served(void **state)
{
    (void)state;
    enter(0, 4, true);
    enter(4, 5, false);
    poke(0, 4);
    assert_turn("0 ");
    assert_int_equal(t.ends[3].watched, TUSK_IO_READ);
    poke(4, 5);
    assert_turn("4 1 ");
    assert_turn("2 ");
    assert_int_equal(t.ends[3].watched, 0);
    assert_turn("3 ");
}

/* ---- what happens to one meanwhile ---- */
static void one_that_is_removed_in_line_is_not_told(void **state)
{
    (void)state;
    enter(0, 4, true);
    poke(0, 4);
    assert_turn("0 ");
    tusk_io_remove(t.loop, &t.ends[1].io);
    enter(1, 2, true); /* the same memory, another descriptor */
    t.ends[1].pending = 0;
    assert_turn("2 ");
    poke(1, 2);
    assert_turn("3 ");
    assert_turn("1 ");
}

static void interest_that_goes_in_line_is_not_told_and_comes_back(void **state)
{
    (void)state;
    enter(0, 3, true);
    poke(0, 3);
    assert_turn("0 ");
    assert_err(tusk_io_set(t.loop, &t.ends[1].io, 0), TUSK_OK);
    assert_turn("");
    assert_turn("2 ");
    assert_err(tusk_io_set(t.loop, &t.ends[1].io, TUSK_IO_READ | TUSK_IO_WRITE), TUSK_OK);
    assert_turn("1 ");
    assert_int_equal(t.ends[1].watched, TUSK_IO_READ | TUSK_IO_WRITE);
}

static void interest_that_changes_in_line_is_watched_after_it(void **state)
{
    (void)state;
    enter(0, 3, true);
    enter(3, 4, false);
    poke(0, 4);
    assert_turn("3 0 ");
    assert_err(tusk_io_set(t.loop, &t.ends[2].io, TUSK_IO_READ | TUSK_IO_WRITE), TUSK_OK);
    assert_turn("1 ");
    assert_int_equal(t.ends[2].watched, 0);
    assert_turn("2 ");
    assert_turn("");
    assert_int_equal(t.ends[2].watched, TUSK_IO_READ | TUSK_IO_WRITE);
}

static void a_hang_up_in_line_is_told_with_the_rest(void **state)
{
    (void)state;
    enter(0, 2, true);
    poke(0, 2);
    assert_turn("0 ");
    t.ends[1].pending |= TUSK_IO_HUP;
    assert_turn("1 ");
    assert_int_equal(t.ends[1].told, TUSK_IO_READ | TUSK_IO_HUP);
}

static void one_that_need_not_wait_any_more_keeps_its_place_in_line(void **state)
{
    (void)state;
    enter(0, 3, true);
    poke(0, 3);
    assert_turn("0 ");
    tusk__io_may_wait(&t.ends[2].io, false);
    assert_turn("1 ");
    assert_turn("2 ");
    poke(0, 3);
    assert_turn("2 0 ");
}

/* ---- together ---- */
static void name_three(end *self)
{
    tusk_io *named[3];
    assert_int_equal(tusk__loop_coming(t.loop, &self->io, 0, named, 3), 3);
}

static void those_named_ahead_are_told_in_that_turn(void **state)
{
    (void)state;
    enter(0, 6, true);
    t.ends[0].then = name_three;
    poke(0, 6);
    assert_turn("0 1 2 ");
    assert_turn("3 ");
    assert_turn("4 ");
    assert_turn("5 ");
}

static void serve_three(end *self)
{
    tusk_io *named[3];
    assert_int_equal(tusk__loop_coming(t.loop, &self->io, 0, named, 3), 3);
    for (int i = 0; i < 3; i++) {
        tusk__loop_told(t.loop, named[i]);
    }
}

static void who_was_served_ahead_is_told_no_more_unless_there_is_more_than_bytes(void **state)
{
    (void)state;
    enter(0, 6, false);
    t.ends[0].then = serve_three;
    poke(0, 6);
    t.ends[2].pending |= TUSK_IO_HUP;
    assert_turn("0 2 3 4 5 ");
    assert_int_equal(t.ends[2].told, TUSK_IO_READ | TUSK_IO_HUP);
    poke(1, 2);
    assert_turn("1 ");
}

static void of_those_in_line_who_was_served_ahead_leaves_it(void **state)
{
    (void)state;
    enter(0, 6, true);
    t.ends[0].then = serve_three;
    poke(0, 6);
    assert_turn("0 ");
    assert_turn("3 ");
    poke(1, 2);
    assert_turn("4 ");
    assert_turn("5 ");
    assert_turn("1 ");
}

static void name_none_that_has_room(end *self)
{
    tusk_io *named[3];
    assert_int_equal(tusk__loop_coming(t.loop, &self->io, TUSK_IO_READ, named, 3), 0);
}

static void those_to_whom_something_else_happened_are_not_named(void **state)
{
    (void)state;
    enter(0, 3, true);
    t.ends[0].then = name_none_that_has_room;
    poke(0, 3);
    assert_turn("0 1 2 "); /* told all the same */
}

static void takes_long(end *self)
{
    enum { LONG_NS = 1000000 };
    tusk_io *named[3];
    (void)tusk__loop_coming(t.loop, &self->io, 0, named, 3);
    for (uint64_t since = tusk_loop_clock_ns(); tusk_loop_clock_ns() - since < LONG_NS;) {
    }
}

/* Whoever is named ahead is told however long it takes. */
static void of_those_that_take_long_none_is_named_ahead(void **state)
{
    (void)state;
    enter(0, 6, true);
    for (int i = 0; i < 6; i++) {
        t.ends[i].then = takes_long;
    }
    poke(0, 6);
    tusk__loop_patient_ns(t.loop, 1000000);
    assert_turn("0 1 2 ");
    assert_turn("3 ");
    assert_turn("4 ");
    assert_turn("5 ");
}

/* A listener says nothing of that. */
static void while_others_are_served_an_eighth_of_the_time_is_theirs(void **state)
{
    (void)state;
    enter(0, 3, true);
    enter(3, 5, false);
    tusk__io_set_aside(&t.ends[3].io);
    for (int i = 0; i < 3; i++) {
        t.ends[i].then = takes_long;
    }
    tusk__loop_patient_ns(t.loop, 8000000);
    poke(0, 2);
    poke(4, 5);
    t.loop->patient.each_ns = 1000000;
    assert_turn("4 0 ");
    assert_true(tusk__loop_serves(t.loop));
    poke(4, 5);
    assert_turn("4 1 ");
    t.loop->patient.other_ns = 0;
    poke(2, 4);
    assert_turn("3 2 ");
    assert_false(tusk__loop_serves(t.loop));
}

static void takes_8_ms(end *self)
{
    uint64_t until_ns = tusk_loop_clock_ns() + 8000000;
    (void)self;
    while (tusk_loop_clock_ns() < until_ns) {
    }
}

static void takes_a_second_by_a_late_clock(end *self)
{
    (void)self;
    t.loop->now_ns -= 1000000000;
}

/* Where a fixed time would be nothing beside what others take. */
static void of_long_turns_an_eighth_is_theirs(void **state)
{
    (void)state;
    enter(0, 3, true);
    enter(3, 4, false);
    tusk__loop_patient_ns(t.loop, 10000000);
    poke(0, 1);
    poke(3, 4);
    assert_turn("3 0 ");
    assert_in_range(t.loop->patient.part_ns, 625000, 10000000);
    t.ends[3].then = takes_8_ms;
    poke(1, 2);
    poke(3, 4);
    assert_turn("3 1 ");
    assert_in_range(t.loop->patient.part_ns, 1000000, 10000000);
    t.ends[3].then = takes_a_second_by_a_late_clock;
    poke(2, 4);
    assert_turn("3 2 ");
    assert_int_equal(t.loop->patient.part_ns, 10000000); /* as if nobody were served */
}

static void stop(end *self)
{
    (void)self;
    tusk_loop_stop(t.loop);
}

static void stopping_leaves_the_line_for_the_next_run(void **state)
{
    (void)state;
    tusk__loop_patient_ns(t.loop, UINT64_MAX);
    enter(0, 4, true);
    enter(4, 5, false);
    t.ends[1].then = stop;
    poke(0, 5);
    assert_turn("4 0 1 ");
    assert_turn("2 3 ");
}

static void a_long_line_keeps_its_order(void **state)
{
    char expected[16];
    (void)state;
    enter(0, MANY, true);
    poke(0, 100);
    for (int i = 0; i < MANY; i++) {
        if (i < MANY - 100) { /* the line is longer with each turn, its beginning goes on */
            poke(100 + i, 101 + i);
        }
        (void)snprintf(expected, sizeof(expected), "%d ", i);
        assert_turn(expected);
    }
    assert_turn("");
}

/* The poller names a part of them at a time, and whoever should not wait may be behind it. */
static void while_crowds_come_one_of_them_is_told(void **state)
{
    (void)state;
    tusk__loop_patient_ns(t.loop, UINT64_MAX);
    enter(0, 300, true);
    poke(0, 257);
    assert_turn("0 ");
    poke(257, 300);
    t.log[0] = '\0';
    assert_err(tusk_loop_turn(t.loop, 1000), TUSK_OK);
    assert_memory_equal(t.log, "1 2 3 ", 6);
    assert_string_equal(t.log + strlen(t.log) - 8, "298 299 ");
}

static void without_memory_for_a_line_nobody_waits(void **state)
{
    (void)state;
    enter(0, 2, true);
    enter(2, 3, false);
    poke(0, 3);
    t.mem.fail_at = t.mem.requests + 1;
    assert_turn("0 2 1 "); /* refused once: the next one has a line */
}

static void a_loop_is_freed_with_a_line(void **state)
{
    (void)state;
    enter(0, 10, true);
    poke(0, 10);
    assert_turn("0 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_leave_before_those_that_may_wait_are_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_is_set_aside_may_be_removed_before_it_is_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(those_that_may_wait_are_told_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_may_not_wait_is_told_in_each_turn_however_many_do,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_comes_later_stands_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_short_line_is_watched_while_nobody_else_is_served, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            the_poller_does_not_watch_who_stands_in_line_while_others_are_served, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(a_long_line_is_not_watched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_that_was_watched_is_not_when_somebody_else_is_served,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_is_removed_in_line_is_not_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interest_that_goes_in_line_is_not_told_and_comes_back,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(interest_that_changes_in_line_is_watched_after_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_hang_up_in_line_is_told_with_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_need_not_wait_any_more_keeps_its_place_in_line,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(those_named_ahead_are_told_in_that_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            who_was_served_ahead_is_told_no_more_unless_there_is_more_than_bytes, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(of_those_in_line_who_was_served_ahead_leaves_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(those_to_whom_something_else_happened_are_not_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(of_those_that_take_long_none_is_named_ahead, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(while_others_are_served_an_eighth_of_the_time_is_theirs,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_long_turns_an_eighth_is_theirs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stopping_leaves_the_line_for_the_next_run, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_long_line_keeps_its_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(while_crowds_come_one_of_them_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_for_a_line_nobody_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_loop_is_freed_with_a_line, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("loop/patient", tests, NULL, NULL);
}
