/* SPDX-License-Identifier: MIT */
/* Who is a newcomer: from being accepted until some small reads later, and again after it filled
 * one. */
#define _GNU_SOURCE
#include "loop/patient.h"

#include "owner.h"

enum { SETTLED_READS = 4 };

static int set_up(void **state)
{
    test_settled_reads = SETTLED_READS;
    return pair_set_up(state);
}

static int tear_down(void **state)
{
    test_settled_reads = 0;
    return net_tear_down(state);
}

static void turn(void)
{
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
}

static void bring(size_t len)
{
    static const char bytes[70000];
    assert_int_equal(send(t.peer, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static bool is_newcomer(void)
{
    return tusk__io_is_patient(&t.owner->conn.io);
}

static void settle(void)
{
    for (int i = 0; i < SETTLED_READS; i++) {
        assert_true(is_newcomer());
        bring(10);
        turn();
    }
    assert_false(is_newcomer());
}

static void some_small_reads_settle_a_newcomer(void **state)
{
    (void)state;
    settle();
    bring(3000); /* a larger one now and then changes nothing */
    turn();
    assert_false(is_newcomer());
}

static void larger_reads_do_not_settle_it(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        bring(10);
        turn();
        bring(10);
        turn();
        bring(10);
        turn();
        bring(3000); /* never four small ones in a row */
        turn();
        assert_true(is_newcomer());
    }
    settle();
}

/* It fills the loop's buffer, so more is there already. */
static void who_fills_a_read_is_a_newcomer_again(void **state)
{
    (void)state;
    settle();
    int size = 1 << 18;
    assert_int_equal(setsockopt(t.peer, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
    bring(65536 + 3000);
    turn();
    assert_true(is_newcomer());
    turn();
    assert_true(is_newcomer());
    assert_int_equal(t.owner->got_len, SETTLED_READS * 10 + 65536 + 3000);
    settle();
}

static void without_the_limit_nobody_is_a_newcomer(void **state)
{
    (void)state;
    assert_false(is_newcomer());
    bring(66);
    turn();
    assert_false(is_newcomer());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(some_small_reads_settle_a_newcomer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(larger_reads_do_not_settle_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_fills_a_read_is_a_newcomer_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_the_limit_nobody_is_a_newcomer, pair_set_up,
                                        net_tear_down),
    };
    return TEST_RUN_FOR_EACH_POLLER("net/conn_newcomer", tests);
}
