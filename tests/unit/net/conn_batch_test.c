/* SPDX-License-Identifier: MIT */
/* What many connections say in one turn leaves in one system call, and each hears of its own fate
 * only; with rings as kernels have them, and without. */
#define _GNU_SOURCE
#include "crowd.h"

static void a_turn_of_many_is_one_call(void **state)
{
    (void)state;
    gather(10);
    say_all(0, 10);
    turns(1);
    assert_all_heard(0, 10);
    assert_int_equal(tusk_net_count(t.net)->send_calls, 10);
    assert_batches(1, 10);
}

static void more_than_a_share_are_several_batches(void **state)
{
    (void)state;
    gather(CROWD_MAX);
    say_all(0, CROWD_MAX);
    turns(1);
    TURN_UNTIL(!tusk_net_lags(t.net));
    assert_all_heard(0, CROWD_MAX);
    assert_int_equal(tusk_net_count(t.net)->send_calls, CROWD_MAX);
    assert_batches((CROWD_MAX + NET_OTHERS_SHARE - 1) / NET_OTHERS_SHARE, CROWD_MAX);
}

static void few_leave_one_by_one_and_need_no_ring(void **state)
{
    (void)state;
    gather(3);
    say_all(0, 3);
    turns(1);
    assert_all_heard(0, 3);
    assert_int_equal(tusk_net_count(t.net)->batches, 0);
    assert_null(t.net->batch.ring);
    assert_int_equal(c.told, 0);
}

static void who_takes_nothing_waits_alone(void **state)
{
    (void)state;
    static uint8_t large[1 << 20];
    gather(6);
    pattern(large, 0, sizeof(large));
    assert_err(tusk_conn_append(&c.owner[2]->conn, large, sizeof(large)), TUSK_OK);
    say_all(3, 6);
    turns(1);
    assert_all_heard(3, 6);
    assert_in_range(c.owner[2]->conn.send_bytes, 1, sizeof(large) - 1);
    assert_true(c.owner[2]->conn.blocked);
    say_all(3, 6);
    assert_err(tusk_conn_append(&c.owner[2]->conn, "end", 3), TUSK_OK);
    turns(1); /* it is full: nothing more is tried */
    assert_all_heard(3, 6);
    static uint8_t heard[sizeof(large) + 3];
    size_t len = 0;
    TURN_UNTIL((len += hear_more(2, heard + len, sizeof(heard) - len), len == sizeof(heard)));
    assert_pattern(heard, 0, sizeof(large));
    assert_memory_equal(heard + sizeof(large), "end", 3);
    turns(1);
    assert_false(c.owner[2]->conn.blocked);
}

static void what_was_not_taken_at_all_leaves_later(void **state)
{
    (void)state;
    uint8_t sink[65536] = {0};
    gather(6);
    for (size_t len = sizeof(sink); len > 0;) { /* not even one byte more */
        if (send(c.owner[2]->conn.io.fd, sink, len, MSG_DONTWAIT) < 0) {
            len /= 2;
        }
    }
    say_all(0, 6);
    turns(1);
    assert_all_heard(0, 2);
    assert_all_heard(3, 6);
    assert_true(c.owner[2]->conn.blocked);
    assert_int_equal(c.owner[2]->conn.send_bytes, 5);
    while (hear_more(2, sink, sizeof(sink)) > 0) {
    }
    TURN_UNTIL(!c.owner[2]->conn.blocked);
    assert_all_heard(2, 3);
}

static void who_is_gone_is_closed_alone(void **state)
{
    (void)state;
    gather(6);
    for (unsigned i = 0; i < 6; i++) {
        tusk_conn_pause(&c.owner[i]->conn); /* or it would be seen by reading */
    }
    turns(1);
    (void)close(c.peer[1]);
    (void)close(c.peer[4]);
    c.peer[1] = c.peer[4] = -1;
    say_all(0, 6);
    turns(2);
    for (unsigned i = 0; i < 6; i++) {
        bool gone = i == 1 || i == 4;
        assert_int_equal(c.owner[i]->closes, gone);
        if (gone) {
            assert_err(c.owner[i]->why, TUSK_ERESET);
        } else {
            assert_all_heard(i, i + 1);
        }
    }
}

static void what_is_not_one_send_leaves_beside_it(void **state)
{
    (void)state;
    static const char text[] = "0123456789";
    tusk_blob *blob;
    FILE *file = tmpfile();
    assert_non_null(file);
    int fd = fileno(file);
    assert_int_equal(write(fd, "file", 4), 4);
    gather(8);
    assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(text, 10)), TUSK_OK);
    say_all(0, 6);
    assert_err(tusk_conn_append_slice(&c.owner[6]->conn, blob, 0, 3), TUSK_OK);
    assert_err(tusk_conn_append_slice(&c.owner[6]->conn, blob, 5, 3), TUSK_OK);
    assert_err(tusk_conn_append_file(&c.owner[7]->conn, fd, 0, 4, NULL, NULL), TUSK_OK);
    turns(1);
    assert_all_heard(0, 6);
    assert_heard(6, "012567");
    assert_heard(7, "file");
    assert_batches(1, 6);
    tusk_blob_unref(blob);
    (void)fclose(file);
}

static void the_end_follows_what_was_said(void **state)
{
    (void)state;
    gather(8);
    say_all(0, 8);
    for (unsigned i = 0; i < 8; i++) {
        if (i < 4) {
            tusk_conn_end(&c.owner[i]->conn);
        } else {
            tusk_conn_shutdown(&c.owner[i]->conn);
        }
    }
    turns(2);
    for (unsigned i = 0; i < 8; i++) {
        assert_all_heard(i, i + 1);
        assert_heard(i, ""); /* the end */
        assert_int_equal(c.owner[i]->closes, i < 4);
    }
}

static void silence(owner *self)
{
    (void)self;
    for (unsigned i = 0; i < c.count; i++) {
        tusk_conn_abort(&c.owner[i]->conn, TUSK_OK);
    }
}

static void who_is_told_may_close_all_others(void **state)
{
    (void)state;
    gather(6);
    for (unsigned i = 0; i < 6; i++) {
        c.owner[i]->conn.low_water = 2;
    }
    c.owner[0]->in_drain = silence;
    say_all(0, 6);
    turns(3);
    for (unsigned i = 0; i < 6; i++) {
        assert_heard(i, (const char[][8]){"for 0", "for 1", "for 2", "for 3", "for 4", "for 5"}[i]);
        assert_int_equal(c.owner[i]->closes, 1);
    }
}

static void what_lacks_is_told_once(void **state)
{
    (void)state;
    gather(5);
    for (int round = 0; round < 3; round++) {
        say_all(0, 5);
        turns(1);
        assert_all_heard(0, 5);
    }
    bool none = t.net->batch.ring == NULL;
    assert_int_equal(c.told, none);
    assert_int_equal(c.reason[0] != '\0', none);
    assert_int_equal(tusk_net_count(t.net)->send_calls, 15);
    assert_true(!none || tusk_net_count(t.net)->batches == 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, crowd_set_up, crowd_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_turn_of_many_is_one_call),
        TEST(more_than_a_share_are_several_batches),
        TEST(few_leave_one_by_one_and_need_no_ring),
        TEST(who_takes_nothing_waits_alone),
        TEST(what_was_not_taken_at_all_leaves_later),
        TEST(who_is_gone_is_closed_alone),
        TEST(what_is_not_one_send_leaves_beside_it),
        TEST(the_end_follows_what_was_said),
        TEST(who_is_told_may_close_all_others),
        TEST(what_lacks_is_told_once),
    };
    return CROWD_RUN_FOR_EACH_RING("net/conn_batch", tests);
}
