/* SPDX-License-Identifier: MIT */
/* Who sends much is received, and answered, by few at a time: as if each had been read and written
 * alone. */
#define _GNU_SOURCE
#include <sys/ioctl.h>

#include "crowd.h"

#define MUCH 5000

static void tell(unsigned i, size_t len)
{
    static uint8_t bytes[100000];
    assert_in_range(len, 1, sizeof(bytes));
    pattern(bytes, c.owner[i]->got_len, len);
    assert_int_equal(send(c.peer[i], bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static void tell_each(unsigned count, size_t len)
{
    for (unsigned i = 0; i < count; i++) {
        tell(i, len);
    }
}

static void assert_each_got(unsigned count, size_t len)
{
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(c.owner[i]->got_len, len);
        assert_pattern(c.owner[i]->got, 0, len);
    }
}

/* All have said much in a first turn. */
static void gather_wide(unsigned count)
{
    gather(count);
    tell_each(count, MUCH);
    turns(1);
    assert_each_got(count, MUCH);
}

static uint64_t batches(void)
{
    return tusk_net_count(t.net)->batches;
}

static void assert_more_batches(uint64_t before, uint64_t count)
{
    if (has_ring()) {
        assert_int_equal(batches() - before, count);
    }
}

/* ---- receives ---- */
static void who_said_much_is_received_by_eights(void **state)
{
    (void)state;
    gather_wide(2 * NET_WIDE_MAX + 5);
    uint64_t before = batches();
    uint64_t calls = tusk_net_count(t.net)->recv_calls;
    tell_each(c.count, MUCH);
    turns(1);
    assert_each_got(c.count, 2 * MUCH);
    assert_more_batches(before, 3);
    assert_int_equal(tusk_net_count(t.net)->recv_calls - calls, c.count);
}

static void who_says_little_now_is_among_many_again(void **state)
{
    (void)state;
    gather_wide(20);
    tell_each(20, 10);
    turns(1);
    uint64_t before = batches();
    tell_each(20, 10);
    turns(1);
    assert_each_got(20, MUCH + 20);
    assert_more_batches(before, 1);
}

static void a_full_place_leaves_the_rest_to_the_next_turn(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        1, NET_EARLY_BYTES, NET_WIDE_BYTES - 1, NET_WIDE_BYTES, NET_WIDE_BYTES + 1, 60000};
    gather_wide(6);
    for (unsigned i = 0; i < 6; i++) {
        tell(i, sizes[i]);
    }
    turns(1);
    for (unsigned i = 0; i < 6; i++) {
        size_t most = has_ring() && sizes[i] > NET_WIDE_BYTES ? NET_WIDE_BYTES : sizes[i];
        assert_int_equal(c.owner[i]->got_len, MUCH + most);
        assert_int_equal(c.owner[i]->datas, 2);
    }
    turns(1);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(c.owner[i]->got_len, MUCH + sizes[i]);
        assert_pattern(c.owner[i]->got, 0, MUCH + sizes[i]);
    }
}

static void who_says_more_than_that_reads_alone_until_it_says_less(void **state)
{
    (void)state;
    size_t got = MUCH;
    gather_wide(4);
    for (int round = 0; round < 5; round++) {
        uint64_t before = batches();
        size_t len = round < 2 ? 40000 : MUCH;
        tell_each(4, len);
        turns(2);
        got += len;
        assert_each_got(4, got);
        assert_more_batches(before, round == 0 || round == 4);
    }
}

static void what_is_full_and_then_ends(void **state)
{
    (void)state;
    gather_wide(4);
    tell_each(4, NET_WIDE_BYTES);
    assert_int_equal(shutdown(c.peer[2], SHUT_WR), 0);
    turns(3);
    assert_each_got(4, MUCH + NET_WIDE_BYTES);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(c.owner[i]->eofs, i == 2);
    }
}

/* Whoever is told first pauses another one, whose bytes have come already. */
static owner *paused;

static void pause_another(owner *self)
{
    take(self);
    if (paused == NULL) {
        paused = self == c.owner[0] ? c.owner[5] : c.owner[0];
        tusk_conn_pause(&paused->conn);
    }
}

static void what_came_for_one_who_is_paused_is_kept(void **state)
{
    (void)state;
    paused = NULL;
    gather_wide(6);
    for (unsigned i = 0; i < 6; i++) {
        c.owner[i]->in_data = pause_another;
    }
    tell_each(6, 20000);
    turns(1);
    assert_int_equal(paused->got_len, MUCH);
    for (int round = 0; round < 3; round++) { /* others use the places */
        for (unsigned i = 1; i < 5; i++) {
            tell(i, MUCH);
        }
        turns(1);
    }
    tusk_conn_resume(&paused->conn);
    turns(2);
    assert_int_equal(paused->got_len, MUCH + 20000);
    assert_pattern(paused->got, 0, MUCH + 20000);
}

/* Much that waits unread makes reads small, and these are nobody's batch. */
static void where_reads_are_to_be_small_nobody_is_received_ahead(void **state)
{
    (void)state;
    gather_wide(6);
    uint64_t before = batches();
    t.net->limits.held_bytes = 1;
    tusk_net_hold(t.net, 2);
    tell_each(6, 3 * MUCH);
    turns(1);
    for (unsigned i = 0; i < 6; i++) {
        assert_in_range(c.owner[i]->got_len - MUCH, 1, 4096);
    }
    assert_int_equal(batches(), before);
    tusk_net_hold(t.net, 0);
    turns(4);
    assert_each_got(6, 4 * MUCH);
}

/* ---- answers ---- */
static size_t answer_len;
static size_t heard_before; /* what peers could read as the last of them was told */
static unsigned told;

static size_t waiting_for_peers(void)
{
    size_t sum = 0;
    for (unsigned i = 0; i < c.count; i++) {
        int len = 0;
        assert_int_equal(ioctl(c.peer[i], FIONREAD, &len), 0);
        sum += (size_t)len;
    }
    return sum;
}

static void answer_much(owner *self)
{
    static uint8_t bytes[100000];
    pattern(bytes, 0, answer_len);
    take(self);
    told++;
    if (told == c.count) {
        heard_before = waiting_for_peers();
    }
    assert_err(tusk_conn_append(&self->conn, bytes, answer_len), TUSK_OK);
}

static void ask_for(unsigned count, size_t len)
{
    gather(count);
    told = 0;
    answer_len = len;
    for (unsigned i = 0; i < count; i++) {
        c.owner[i]->in_data = answer_much;
    }
    tell_each(count, 10);
    turns(1);
    for (unsigned i = 0; i < count; i++) {
        static uint8_t heard[100000];
        assert_int_equal(hear_more(i, heard, sizeof(heard)), len);
        assert_pattern(heard, 0, len);
    }
}

static void large_answers_leave_by_some_before_the_turn_ends(void **state)
{
    (void)state;
    ask_for(20, 10000); /* after seven of them there are 64 KiB */
    assert_int_equal(heard_before, 2 * 7 * 10000);
    assert_batches(1 + 3, 20 + 20); /* one received, and three left: seven, seven, six */
}

static void what_is_enough_alone_leaves_at_once(void **state)
{
    (void)state;
    ask_for(6, NET_LARGE_TOGETHER);
    assert_int_equal(heard_before, 5 * NET_LARGE_TOGETHER);
}

static void small_answers_leave_as_the_turn_ends(void **state)
{
    (void)state;
    ask_for(20, NET_LARGE_ANSWER - 1);
    assert_int_equal(heard_before, 0);
}

/* An answer that waits for others to leave with it is closed, aborted or written to meanwhile. */
static void close_those_before(owner *self)
{
    answer_much(self);
    if (told == 4) {
        for (unsigned i = 0; i < 4; i++) {
            if (c.owner[i]->conn.send_head != NULL && c.owner[i] != self) {
                tusk_conn_abort(&c.owner[i]->conn, TUSK_EPOLICY);
            }
        }
    }
}

static void who_is_aborted_leaves_nothing_behind(void **state)
{
    (void)state;
    gather(4);
    told = 0;
    answer_len = NET_LARGE_ANSWER;
    for (unsigned i = 0; i < 4; i++) {
        c.owner[i]->in_data = close_those_before;
    }
    tell_each(4, 10);
    turns(2);
    unsigned answered = 0;
    for (unsigned i = 0; i < 4; i++) {
        static uint8_t heard[100000];
        size_t len = hear_more(i, heard, sizeof(heard));
        assert_int_equal(len, c.owner[i]->closes == 0 ? NET_LARGE_ANSWER : 0);
        answered += len > 0;
    }
    assert_int_equal(answered, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, crowd_set_up, crowd_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_said_much_is_received_by_eights),
        TEST(who_says_little_now_is_among_many_again),
        TEST(a_full_place_leaves_the_rest_to_the_next_turn),
        TEST(who_says_more_than_that_reads_alone_until_it_says_less),
        TEST(what_is_full_and_then_ends),
        TEST(what_came_for_one_who_is_paused_is_kept),
        TEST(where_reads_are_to_be_small_nobody_is_received_ahead),
        TEST(large_answers_leave_by_some_before_the_turn_ends),
        TEST(what_is_enough_alone_leaves_at_once),
        TEST(small_answers_leave_as_the_turn_ends),
        TEST(who_is_aborted_leaves_nothing_behind),
    };
    return CROWD_RUN_FOR_EACH_RING("net/conn_wide", tests) +
           TEST_RUN_FOR_EACH_POLLER("net/conn_wide", tests);
}
