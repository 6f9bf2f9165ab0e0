/* SPDX-License-Identifier: MIT */
/* Blobs that a file has, too: many that leave in one turn leave by the pages of it, and are the
 * same bytes as ever, whoever is gone, full, or has another in the same turn. */
#define _GNU_SOURCE
#include "net/blob_file.h"

#include <signal.h>

#include "crowd.h"

enum { LEN = 20000, GREAT = 512 * 1024 };

static tusk_blob *blob_in_file(size_t len)
{
    uint8_t *place;
    tusk_blob *blob;
    assert_err(tusk_blob_new(&blob, &t.mem.mem, len, &place), TUSK_OK);
    pattern(place, 0, len);
    assert_int_equal(blob->file, -1);
    tusk__blob_file_open(blob);
    assert_int_equal(blob->file >= 0, tusk__blob_files);
    return blob;
}

static void done_with(tusk_blob *blob)
{
    tusk__blob_file_close(blob);
    assert_int_equal(blob->file, -1);
    tusk_blob_unref(blob);
}

static void queue_for(unsigned from, unsigned to, tusk_blob *blob)
{
    for (unsigned i = from; i < to; i++) {
        assert_err(tusk_conn_append_blob(&c.owner[i]->conn, blob), TUSK_OK);
    }
}

static void assert_all_have(unsigned from, unsigned to)
{
    static uint8_t heard[LEN + 1];
    for (unsigned i = from; i < to; i++) {
        assert_int_equal(recv(c.peer[i], heard, sizeof(heard), MSG_DONTWAIT), LEN);
        assert_pattern(heard, 0, LEN);
        assert_null(c.owner[i]->conn.send_head);
    }
}

static void assert_from_files(uint64_t sends)
{
    assert_int_equal(tusk_net_count(t.net)->from_files, tusk__blob_files ? sends : 0);
}

static void many_of_one_turn_leave_by_pages(void **state)
{
    (void)state;
    tusk_blob *blob = blob_in_file(LEN);
    gather(200);
    queue_for(0, 200, blob);
    turns(1);
    TURN_UNTIL(!tusk_net_lags(t.net));
    assert_all_have(0, 200);
    assert_from_files(200);
    assert_int_equal(tusk_net_count(t.net)->send_calls, 200);
    assert_int_equal(tusk_net_count(t.net)->bytes_out, 200 * LEN);
    assert_int_equal(blob->refs, 1);
    done_with(blob);
}

static void few_and_short_ones_are_copied(void **state)
{
    (void)state;
    tusk_blob *blob = blob_in_file(LEN);
    gather(9);
    queue_for(0, 1, blob);
    for (unsigned i = 1; i < 9; i++) {
        assert_err(tusk_conn_append_slice(&c.owner[i]->conn, blob, 7, 1000), TUSK_OK);
    }
    turns(1);
    assert_all_have(0, 1);
    uint8_t heard[1001];
    for (unsigned i = 1; i < 9; i++) {
        assert_int_equal(recv(c.peer[i], heard, sizeof(heard), MSG_DONTWAIT), 1000);
        assert_pattern(heard, 7, 1000);
    }
    assert_from_files(0);
    done_with(blob);
}

static void a_part_leaves_from_where_it_begins(void **state)
{
    (void)state;
    static uint8_t heard[LEN];
    tusk_blob *blob = blob_in_file(LEN);
    gather(5);
    for (unsigned i = 0; i < 5; i++) {
        assert_err(tusk_conn_append_slice(&c.owner[i]->conn, blob, 4001, 9000), TUSK_OK);
    }
    turns(1);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(recv(c.peer[i], heard, sizeof(heard), MSG_DONTWAIT), 9000);
        assert_pattern(heard, 4001, 9000);
    }
    assert_from_files(5);
    done_with(blob);
}

static void what_is_short_leaves_in_the_same_turn(void **state)
{
    (void)state;
    tusk_blob *blob = blob_in_file(LEN);
    gather(12);
    say_all(0, 6);
    queue_for(6, 12, blob);
    turns(1);
    assert_all_heard(0, 6);
    assert_all_have(6, 12);
    assert_batches(1, 6);
    assert_from_files(6);
    done_with(blob);
}

static void a_file_that_is_closed_before_is_not_missed(void **state)
{
    (void)state;
    tusk_blob *blob = blob_in_file(LEN);
    gather(6);
    queue_for(0, 6, blob);
    done_with(blob);
    turns(1);
    assert_all_have(0, 6);
    assert_from_files(0);
}

static void who_takes_little_gets_the_rest_from_memory(void **state)
{
    (void)state;
    static uint8_t heard[4][GREAT];
    size_t len[4] = {0};
    tusk_blob *blob = blob_in_file(GREAT);
    gather(4);
    for (unsigned i = 0; i < 4; i++) { /* less than leaves in a turn */
        int size = 64 * 1024;
        (void)setsockopt(c.owner[i]->conn.io.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    }
    queue_for(0, 4, blob);
    turns(1);
    assert_from_files(4);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(c.owner[i]->conn.blocked);
        assert_in_range(c.owner[i]->conn.send_bytes, 1, GREAT - 1);
    }
    done_with(blob);
    for (unsigned i = 0; i < 4; i++) {
        TURN_UNTIL((len[i] += hear_more(i, heard[i] + len[i], GREAT - len[i]), len[i] == GREAT));
        assert_pattern(heard[i], 0, GREAT);
    }
    turns(1);
    assert_from_files(4);
}

static int pending_pipe(void)
{
    sigset_t set;
    assert_int_equal(sigpending(&set), 0);
    return sigismember(&set, SIGPIPE);
}

static int blocked_pipe(void)
{
    sigset_t set;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &set), 0);
    return sigismember(&set, SIGPIPE);
}

/* Two of six peers go after the poller was asked, as the turn ends. */
static void send_to_some_that_are_gone(void)
{
    tusk_blob *blob = blob_in_file(LEN);
    gather(6);
    for (unsigned i = 0; i < 6; i++) {
        tusk_conn_pause(&c.owner[i]->conn); /* or it would be seen by reading */
    }
    turns(1);
    queue_for(0, 6, blob);
    (void)close(c.peer[1]);
    (void)close(c.peer[4]);
    c.peer[1] = c.peer[4] = -1;
    tusk__conns_flush_some(t.net, &t.net->flush_others, NET_BATCH_MAX);
    turns(2);
    for (unsigned i = 0; i < 6; i++) {
        bool gone = i == 1 || i == 4;
        assert_int_equal(c.owner[i]->closes, gone);
        if (gone) {
            assert_err(c.owner[i]->why, TUSK_ERESET);
        } else {
            assert_all_have(i, i + 1);
        }
    }
    assert_from_files(6);
    done_with(blob);
}

static void who_is_gone_is_closed_alone_and_raises_no_signal(void **state)
{
    (void)state;
    struct sigaction before;
    const struct sigaction deadly = {.sa_handler = SIG_DFL};
    assert_int_equal(sigaction(SIGPIPE, &deadly, &before), 0);
    assert_int_equal(blocked_pipe(), 0);
    send_to_some_that_are_gone();
    assert_int_equal(pending_pipe(), 0);
    assert_int_equal(blocked_pipe(), 0);
    assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
}

static void a_signal_that_others_hold_back_stays_theirs(void **state)
{
    (void)state;
    sigset_t pipe_only;
    const struct sigaction deadly = {.sa_handler = SIG_DFL};
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    assert_int_equal(sigaction(SIGPIPE, &deadly, &before), 0);
    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &pipe_only, NULL), 0);
    assert_int_equal(raise(SIGPIPE), 0);
    send_to_some_that_are_gone();
    assert_int_equal(pending_pipe(), 1);
    assert_int_equal(blocked_pipe(), 1);
    assert_int_equal(sigaction(SIGPIPE, &ignored, NULL), 0); /* forgets it */
    assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &pipe_only, NULL), 0);
    assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, crowd_set_up, crowd_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_of_one_turn_leave_by_pages),
        TEST(few_and_short_ones_are_copied),
        TEST(a_part_leaves_from_where_it_begins),
        TEST(what_is_short_leaves_in_the_same_turn),
        TEST(a_file_that_is_closed_before_is_not_missed),
        TEST(who_takes_little_gets_the_rest_from_memory),
        TEST(who_is_gone_is_closed_alone_and_raises_no_signal),
        TEST(a_signal_that_others_hold_back_stays_theirs),
    };
    return CROWD_RUN_FOR_EACH_RING("net/blob_file", tests);
}
