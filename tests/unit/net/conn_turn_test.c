/* SPDX-License-Identifier: MIT */
/* How much of a turn those have that go on behind the others: so many of them, and where each takes
 * long, one. */
#define _GNU_SOURCE
#include "crowd.h"

static void hear_nothing(owner *self)
{
    (void)self; /* that it was asked is counted */
}

static unsigned datas(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < c.count; i++) {
        sum += (unsigned)c.owner[i]->datas;
    }
    return sum;
}

/* All of them are cut: the most that is told in one turn, until all are. */
static unsigned most_of_a_turn(void)
{
    unsigned most = 0;
    for (unsigned i = 0; i < c.count; i++) {
        c.owner[i]->in_data = hear_nothing;
        tusk__net_schedule_cut(&c.owner[i]->conn, CONN_TELL_AGAIN);
    }
    for (unsigned i = 0, told = 0; told < c.count; i++) {
        assert_in_range(i, 0, 2 * c.count);
        turns(1);
        unsigned now = datas();
        most = now - told > most ? now - told : most;
        told = now;
    }
    turns(4);
    assert_int_equal(datas(), c.count);
    return most;
}

static void so_many_of_those_that_were_cut_go_on_in_a_turn(void **state)
{
    (void)state;
    gather(3 * NET_CROWD_TURN);
    assert_int_equal(most_of_a_turn(), NET_CROWD_TURN);
}

/* A read of it takes as long as those of all others together. */
static void of_those_that_ask_for_new_keys_one_goes_on_in_a_turn(void **state)
{
    (void)state;
    gather(5);
    for (unsigned i = 0; i < c.count; i++) {
        c.owner[i]->conn.rekeys = true;
    }
    assert_int_equal(most_of_a_turn(), 1);
}

/* Who fills its reads does not wait for them, nor do they when they are few. */
static void who_asks_for_new_keys_is_of_a_crowd_of_its_own(void **state)
{
    enum { MANY = 40 };
    unsigned waits = 0;
    (void)state;
    gather(MANY + 1);
    tusk_conn *fills = &c.owner[MANY]->conn;
    fills->filled = true;
    for (unsigned i = 0; i < NET_CROWD_TURN; i++) {
        tusk__turn_rekeyed(&c.owner[i]->conn);
        assert_true(c.owner[i]->conn.rekeys);
        assert_false(tusk__conn_waits_its_turn(&c.owner[i]->conn));
    }
    for (unsigned i = NET_CROWD_TURN; i < MANY; i++) {
        tusk__turn_rekeyed(&c.owner[i]->conn);
    }
    for (unsigned i = 0; i < MANY; i++) {
        waits += tusk__conn_waits_its_turn(&c.owner[i]->conn);
    }
    assert_in_range(waits, 1, MANY - 1); /* the others in the next turns */
    assert_false(tusk__conn_waits_its_turn(fills));
}

static void of_who_has_work_left_nothing_is_read(void **state)
{
    (void)state;
    gather(1);
    c.owner[0]->in_data = hear_nothing;
    tusk_conn *conn = &c.owner[0]->conn;
    assert_false(tusk__conn_waits_its_turn(conn));
    tusk_conn_later(conn);
    assert_true(tusk__conn_waits_its_turn(conn));
    turns(4);
    assert_int_equal(c.owner[0]->datas, 1);
    assert_false(tusk__conn_waits_its_turn(conn));
}

/* Its place in the line is gone by then: it is asked when its handler is done. */
static void whose_handler_waits_goes_on_with_its_work_afterwards(void **state)
{
    (void)state;
    gather(1);
    c.owner[0]->in_data = hear_nothing;
    tusk_conn_later(&c.owner[0]->conn);
    tusk_conn_park(&c.owner[0]->conn);
    turns(4);
    assert_int_equal(c.owner[0]->datas, 0);
    tusk_conn_unpark(&c.owner[0]->conn);
    turns(4);
    assert_int_equal(c.owner[0]->datas, 1);
}

/* Resuming is what makes it go on. */
static void who_is_paused_is_not_asked_for_its_work(void **state)
{
    (void)state;
    gather(1);
    c.owner[0]->in_data = hear_nothing;
    tusk_conn_later(&c.owner[0]->conn);
    tusk_conn_pause(&c.owner[0]->conn);
    turns(4);
    assert_int_equal(c.owner[0]->datas, 0);
    assert_false(c.owner[0]->conn.works);
}

static uint64_t slice_of(tusk_conn *conn, uint32_t slice_us)
{
    t.net->limits.slice_us = slice_us;
    tusk__turn_slice_long(conn);
    return t.net->slice_ns;
}

/* A share is long enough for a message or two, unless there was no more for one alone. */
static void a_crowd_shares_one_slice_and_each_has_a_least_of_it(void **state)
{
    enum { CUT = 8, FILLING = 20, LEAST_NS = 15000 };
    (void)state;
    gather(FILLING);
    turns(1); /* none is counted before the first */
    tusk_conn *conn = &c.owner[0]->conn;
    assert_int_equal(slice_of(conn, 1000), 1000000);
    for (unsigned i = 0; i < CUT; i++) {
        c.owner[i]->in_data = hear_nothing;
        assert_int_equal(slice_of(&c.owner[i]->conn, 0), 0);
        assert_true(tusk_conn_enough(&c.owner[i]->conn));
        assert_false(tusk_conn_enough(&c.owner[i]->conn)); /* once in its slice */
    }
    assert_int_equal(t.net->counters.slices_cut, CUT);
    assert_int_equal(slice_of(conn, 1000), 1000000 / CUT);
    assert_false(tusk_conn_enough(&c.owner[1]->conn)); /* it is another one's */
    assert_int_equal(slice_of(conn, 8 * 20), 20000);
    assert_int_equal(slice_of(conn, 8 * 10), LEAST_NS);
    assert_int_equal(slice_of(conn, 10), 10000 / CUT);
    for (unsigned i = 0; i < FILLING; i++) {
        tusk__turn_filled(&c.owner[i]->conn, 65536, 65536);
    }
    assert_int_equal(slice_of(conn, 1000), 1000000 / FILLING);
}

/* How much is read where others wait for memory or for their reads: never less than a short one. */
static void what_is_read_in_a_turn_is_shared(void **state)
{
    enum { CAP = 65536, READS = 4, MANY = 20, SHORT = 4096 };
    (void)state;
    gather(MANY);
    turns(1);
    assert_int_equal(tusk__turn_read_cap(t.net, CAP), CAP);
    t.net->limits.held_bytes = 1000;
    t.net->rest_bytes = 600;
    t.net->held_outside = 400;
    assert_int_equal(tusk__turn_read_cap(t.net, CAP), CAP);
    t.net->rest_bytes++;
    assert_int_equal(tusk__turn_read_cap(t.net, CAP), SHORT);
    assert_int_equal(tusk__turn_read_cap(t.net, SHORT - 1), SHORT - 1);
    t.net->limits.held_bytes = 0; /* no limit */
    assert_int_equal(tusk__turn_read_cap(t.net, CAP), CAP);
    t.net->rest_bytes = t.net->held_outside = 0;
    for (unsigned i = 0; i < MANY; i++) {
        tusk__turn_filled(&c.owner[i]->conn, SHORT, SHORT); /* that is not much */
        assert_false(c.owner[i]->conn.filled);
    }
    assert_int_equal(tusk__turn_read_cap(t.net, CAP), CAP);
    for (unsigned i = 0; i < MANY; i++) {
        tusk__turn_filled(&c.owner[i]->conn, CAP, CAP);
        assert_true(c.owner[i]->conn.filled);
    }
    assert_int_equal(tusk__turn_read_cap(t.net, CAP), CAP * READS / MANY);
    assert_int_equal(tusk__turn_read_cap(t.net, 16384), 8192);
    assert_int_equal(tusk__turn_read_cap(t.net, 1000), 1000);
    turns(2); /* nobody did in the turn before */
    assert_int_equal(tusk__turn_read_cap(t.net, CAP), CAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(so_many_of_those_that_were_cut_go_on_in_a_turn,
                                        crowd_set_up, crowd_tear_down),
        cmocka_unit_test_setup_teardown(of_those_that_ask_for_new_keys_one_goes_on_in_a_turn,
                                        crowd_set_up, crowd_tear_down),
        cmocka_unit_test_setup_teardown(who_asks_for_new_keys_is_of_a_crowd_of_its_own,
                                        crowd_set_up, crowd_tear_down),
        cmocka_unit_test_setup_teardown(of_who_has_work_left_nothing_is_read, crowd_set_up,
                                        crowd_tear_down),
        cmocka_unit_test_setup_teardown(whose_handler_waits_goes_on_with_its_work_afterwards,
                                        crowd_set_up, crowd_tear_down),
        cmocka_unit_test_setup_teardown(a_crowd_shares_one_slice_and_each_has_a_least_of_it,
                                        crowd_set_up, crowd_tear_down),
        cmocka_unit_test_setup_teardown(what_is_read_in_a_turn_is_shared, crowd_set_up,
                                        crowd_tear_down),
        cmocka_unit_test_setup_teardown(who_is_paused_is_not_asked_for_its_work, crowd_set_up,
                                        crowd_tear_down),
    };
    return cmocka_run_group_tests_name("net/conn_turn", tests, NULL, NULL);
}
