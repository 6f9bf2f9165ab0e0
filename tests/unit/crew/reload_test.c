/* SPDX-License-Identifier: MIT */
/* A crew that changes or goes: reload slot by slot, leaving, draining, deadlines. */
#define _GNU_SOURCE
#include "rig.h"

static void greet_eight(void)
{
    int fds[8];
    for (int k = 0; k < 8; k++) {
        fds[k] = dial();
    }
    assert_err(tusk_loop_turn(m.loop, 0), TUSK_OK);
    for (int k = 0; k < 8; k++) {
        (void)hear(fds[k]);
        (void)close(fds[k]);
    }
}

/* Connects for as long as the master reloads; each is greeted. */
static void a_reload_loses_no_connection_of_a_stream_of_them(void **state)
{
    greeting old;
    begin(3);
    int session = dial_slot(0, &old);
    for (int round = 0; round < 3; round++) {
        uint64_t started = stats().started;
        uint64_t until = now_ms() + DEADLINE_MS;
        tusk_crew_reload(m.crew);
        while (stats().started < started + 3 || stats().workers != 3 || stats().draining > 1) {
            assert_true(now_ms() < until);
            greet_eight();
        }
        for (int i = 0; i < 20; i++) {
            greet_eight();
        }
        if (round == 0) { /* the session goes on in the process that drains */
            assert_true(lives(session));
            assert_int_equal(stats().draining, 1);
            (void)close(session);
            UNTIL(stats().draining == 0);
        }
    }
    UNTIL(stats().draining == 0);
    assert_int_equal(stats().crashes, 0);
    assert_int_equal(stats().reloads, 3);
}

/* A second one waits for the seat that the drained process still has. */
static void a_reload_waits_for_who_still_drains(void **state)
{
    greeting old;
    begin(1);
    int session = dial_slot(0, &old);
    tusk_crew_reload(m.crew);
    UNTIL(stats().started == 2 && stats().workers == 1 && stats().draining == 1);
    tusk_crew_reload(m.crew);
    tusk_crew_reload(m.crew);
    assert_err(tusk_loop_turn(m.loop, 0), TUSK_OK);
    assert_int_equal(stats().started, 2);
    (void)close(session);
    UNTIL(stats().started == 4 && stats().workers == 1 && stats().draining == 0);
}

/* Once, by the last of those that came during one; who is not there is not counted. */
static void a_reload_that_is_done_is_said(void **state)
{
    greeting hello;
    m.options.settled_ms = 3600 * 1000;
    m.options.pause_ms_min = m.options.pause_ms_max = 3600 * 1000;
    begin(2);
    tusk_crew_reload(m.crew);
    tusk_crew_reload(m.crew);
    UNTIL(m.log[0] != '\0');
    assert_string_equal(m.log, "reloaded: 2 of 2 workers are new");
    assert_int_equal(stats().started, 6);
    int fd = dial_slot(0, &hello);
    (void)close(fd);
    assert_int_equal(kill(hello.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1);
    assert_int_equal(stats().workers, 1);
    tusk_crew_reload(m.crew);
    UNTIL(strstr(m.log, "reloaded") != NULL);
    assert_string_equal(m.log, "reloaded: 1 of 2 workers are new");
    assert_int_equal(stats().started, 7);
}

/* It may have loaded what was there before the reload was asked for. */
static void who_was_not_ready_when_a_reload_came_is_followed_too(void **state)
{
    atomic_store(&wish->slow, 1);
    begin(2);
    assert_int_equal(stats().started, 2);
    tusk_crew_reload(m.crew);
    assert_err(tusk_loop_turn(m.loop, 0), TUSK_OK);
    assert_int_equal(stats().started, 2);
    atomic_store(&wish->slow, 0);
    UNTIL(stats().started == 4 && stats().workers == 2 && stats().draining == 0);
    assert_int_equal(stats().crashes, 0);
}

/* The second one is not lost with the successor that the first one had begun. */
static void a_reload_that_comes_while_a_successor_fails_is_tried(void **state)
{
    begin(2);
    atomic_store(&wish->slow, 1);
    tusk_crew_reload(m.crew);
    tusk_crew_reload(m.crew);
    assert_int_equal(stats().started, 3);
    atomic_store(&wish->slow, 2);
    UNTIL(stats().started == 5 && stats().workers == 2 && stats().draining == 0);
    assert_int_equal(stats().crashes, 1);
    assert_null(strstr(m.log, "the others stay"));
}

static void a_successor_that_fails_leaves_the_old_ones_in_place(void **state)
{
    greeting hello;
    m.options.pause_ms_min = 1;
    begin(2);
    atomic_store(&wish->die_in_slot, 1);
    tusk_crew_reload(m.crew);
    UNTIL(stats().crashes == 1);
    assert_int_equal(stats().workers, 2);
    assert_int_equal(stats().started, 3);
    assert_int_equal(stats().draining, 0);
    assert_non_null(strstr(m.log, "the others stay"));
    int fd = dial_slot(0, &hello);
    (void)close(fd);
}

/* The pause is for who failed by itself, not for a reload that did. */
static void who_dies_behind_a_failed_reload_is_replaced_at_once(void **state)
{
    greeting hello;
    m.options.settled_ms = 1;
    m.options.pause_ms_min = m.options.pause_ms_max = 3600 * 1000;
    begin(1);
    int session = dial_slot(0, &hello);
    atomic_store(&wish->die_in_slot, 1);
    tusk_crew_reload(m.crew);
    UNTIL(stats().crashes == 1);
    atomic_store(&wish->die_in_slot, 0);
    assert_int_equal(kill(hello.pid, SIGKILL), 0);
    UNTIL(stats().started == 3 && stats().workers == 1);
    (void)close(session);
}

/* The only worker does what `word` says, and a successor is there before its session has ended. */
static void replaced_after(const char *word)
{
    greeting first, next;
    m.options.settled_ms = 1;
    begin(1);
    int session = dial_slot(0, &first);
    assert_int_equal(send(session, word, 1, 0), 1);
    UNTIL(stats().workers == 1 && stats().draining == 1);
    int fd = dial_slot(0, &next);
    assert_int_not_equal(next.pid, first.pid);
    assert_true(lives(session));
    (void)close(session);
    UNTIL(stats().draining == 0);
    assert_int_equal(stats().crashes, 0);
    (void)close(fd);
}

static void who_leaves_by_itself_is_replaced_while_it_drains(void **state)
{
    (void)state;
    replaced_after("l");
}

static void who_weighs_more_than_it_may_is_told_once_and_replaced(void **state)
{
    (void)state;
    atomic_store(&wish->spare, UINT64_C(32) << 20);
    replaced_after("g");
    assert_int_equal(atomic_load(&wish->heavy), 1);
}

/* As when a SIGTERM to the whole group reaches a worker before its master. */
static void a_stop_right_behind_who_leaves_forks_nobody(void **state)
{
    greeting hello;
    m.options.grace_ms = DEADLINE_MS; /* the word comes in time, however slow this machine is */
    begin(2);
    int session = dial_slot(1, &hello);
    uint64_t adopted = stats().adopted;
    assert_int_equal(send(session, "l", 1, 0), 1);
    UNTIL(stats().draining == 1);
    assert_int_equal(stats().waiting, 1);
    assert_int_equal(stats().adopted, adopted + 1); /* nobody who comes waits for the word */
    tusk_crew_stop(m.crew);
    (void)close(session);
    UNTIL(m.stopped == 1);
    assert_int_equal(stats().started, 2);
    assert_int_equal(stats().crashes, 0);
}

static void stopping_waits_for_sessions_and_refuses_new_ones(void **state)
{
    greeting hello;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    begin(2);
    to.sin_port = htons(tusk_crew_port(m.crew, 0));
    int session = dial_slot(1, &hello);
    tusk_crew_stop(m.crew);
    UNTIL(stats().draining == 1); /* the other one had nothing to wait for */
    assert_true(lives(session));
    int refused = 0;
    for (uint64_t until = now_ms() + DEADLINE_MS; refused != ECONNREFUSED;) {
        /* As soon as both have heard; who comes as a listener closes may be reset. */
        assert_true(now_ms() < until);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        refused = connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 ? errno : 0;
        (void)close(fd);
    }
    assert_int_equal(m.stopped, 0);
    (void)close(session);
    UNTIL(m.stopped == 1);
    assert_int_equal(stats().killed, 0);
}

static void who_does_not_drain_in_time_is_killed(void **state)
{
    m.options.drain_ms = 1;
    begin(2);
    atomic_store(&wish->deaf, 1);
    tusk_crew_stop(m.crew);
    UNTIL(m.stopped == 1);
    assert_int_equal(stats().killed, 2);
    assert_int_equal(stats().crashes, 0);
}

static void who_is_not_ready_in_time_is_killed_and_tried_again(void **state)
{
    m.options.ready_ms = 20;
    m.options.pause_ms_min = 1;
    atomic_store(&wish->ready_not, 1);
    begin(1);
    UNTIL(stats().killed >= 2);
    assert_int_equal(stats().workers, 0);
    atomic_store(&wish->ready_not, 0);
    UNTIL(stats().workers == 1);
}

/* As long as all of them slept, nobody could say that it is ready. */
static void a_master_that_slept_asks_once_more(void **state)
{
    m.options.ready_ms = 500;
    atomic_store(&wish->ready_not, 1);
    begin(1);
    assert_int_equal(poll(NULL, 0, 700), 0);
    assert_err(tusk_loop_turn(m.loop, 0), TUSK_OK);
    assert_int_equal(stats().killed, 0);
    UNTIL(stats().killed == 1);
}

static void a_second_stop_cuts(void **state)
{
    greeting hello;
    begin(1);
    int session = dial_slot(0, &hello);
    tusk_crew_stop(m.crew);
    assert_err(tusk_loop_turn(m.loop, 0), TUSK_OK);
    assert_int_equal(m.stopped, 0);
    tusk_crew_stop(m.crew);
    UNTIL(m.stopped == 1);
    assert_true(ended(session));
    (void)close(session);
}

/* It serves nobody, and hears no orders: a bootstrap that waits for a database. */
static void who_is_not_ready_is_not_waited_for_by_a_stop(void **state)
{
    m.options.drain_ms = 15000;
    begin(2);
    atomic_store(&wish->slow, 1);
    tusk_crew_reload(m.crew);
    assert_int_equal(stats().started, 3);
    uint64_t began = tusk_loop_clock_ns();
    tusk_crew_stop(m.crew);
    UNTIL(m.stopped == 1);
    assert_true(tusk_loop_clock_ns() - began < UINT64_C(10000000000));
    assert_int_equal(stats().crashes, 0);
    assert_int_equal(stats().killed, 0);
}

/* What blocks it may be what the reload mends. */
static void a_reload_waits_for_who_is_not_ready_for_a_time_only(void **state)
{
    m.options.yield_ms = 50;
    m.options.pause_ms_min = 60000;
    atomic_store(&wish->slow, 1);
    begin(1);
    tusk_crew_reload(m.crew); /* of a first one that blocks */
    UNTIL(stats().started == 2);
    atomic_store(&wish->slow, 0);
    UNTIL(stats().workers == 1 && stats().draining == 0);
    atomic_store(&wish->slow, 1);
    tusk_crew_reload(m.crew);
    assert_int_equal(stats().started, 3);
    for (int i = 0; i < 100; i++) { /* nobody waits for this one: it has its time */
        assert_err(tusk_loop_turn(m.loop, 1), TUSK_OK);
    }
    assert_int_equal(stats().started, 3);
    tusk_crew_reload(m.crew); /* of a successor that blocks */
    UNTIL(stats().started == 4);
    atomic_store(&wish->slow, 0);
    UNTIL(stats().workers == 1 && stats().draining == 0);
    assert_int_equal(stats().crashes, 0);
    assert_int_equal(stats().killed, 0);
    assert_int_equal(m.unready, 0);
}

/* A bootstrap that needs longer than a reload waits, under reloads that come more often. */
static void who_takes_long_is_ready_at_last_however_often_reloads_come(void **state)
{
    m.options.yield_ms = 20;
    begin(2);
    atomic_store(&wish->takes_ms, 100);
    for (int i = 0; i < 2; i++) { /* one after another */
        UNTIL((tusk_crew_reload(m.crew), stats().draining == 1));
        UNTIL((tusk_crew_reload(m.crew), stats().draining == 0));
    }
    assert_true(stats().started > 4); /* and yet some did not come to their end */
    atomic_store(&wish->takes_ms, 0);
    assert_int_equal(stats().workers, 2);
    assert_int_equal(stats().crashes, 0);
    assert_int_equal(stats().killed, 0);
}

static void a_worker_may_stop_the_whole_crew(void **state)
{
    greeting hello;
    begin(2);
    int session = dial_slot(1, &hello);
    assert_int_equal(send(session, "s", 1, 0), 1);
    UNTIL(stats().draining == 1);
    (void)close(session);
    UNTIL(m.stopped == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CREW_TEST(a_reload_loses_no_connection_of_a_stream_of_them),
        CREW_TEST(a_reload_waits_for_who_still_drains),
        CREW_TEST(a_reload_that_is_done_is_said),
        CREW_TEST(who_was_not_ready_when_a_reload_came_is_followed_too),
        CREW_TEST(a_reload_that_comes_while_a_successor_fails_is_tried),
        CREW_TEST(a_successor_that_fails_leaves_the_old_ones_in_place),
        CREW_TEST(who_dies_behind_a_failed_reload_is_replaced_at_once),
        CREW_TEST(who_leaves_by_itself_is_replaced_while_it_drains),
        CREW_TEST(who_weighs_more_than_it_may_is_told_once_and_replaced),
        CREW_TEST(a_stop_right_behind_who_leaves_forks_nobody),
        CREW_TEST(stopping_waits_for_sessions_and_refuses_new_ones),
        CREW_TEST(who_does_not_drain_in_time_is_killed),
        CREW_TEST(who_is_not_ready_in_time_is_killed_and_tried_again),
        CREW_TEST(a_master_that_slept_asks_once_more),
        CREW_TEST(a_second_stop_cuts),
        CREW_TEST(who_is_not_ready_is_not_waited_for_by_a_stop),
        CREW_TEST(a_reload_waits_for_who_is_not_ready_for_a_time_only),
        CREW_TEST(who_takes_long_is_ready_at_last_however_often_reloads_come),
        CREW_TEST(a_worker_may_stop_the_whole_crew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
