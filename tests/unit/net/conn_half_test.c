/* SPDX-License-Identifier: MIT */
/* Half-closes: our direction ends and the peer's goes on, in order or because it hears no more. */
#define _GNU_SOURCE
#include "net/conn.h"

#include <netinet/in.h>

#include "owner.h"

static void a_shutdown_ends_our_direction_alone(void **state)
{
    (void)state;
    assert_err(tusk_conn_append(&t.owner->conn, "bye", 3), TUSK_OK);
    tusk_conn_shutdown(&t.owner->conn);
    tusk_conn_shutdown(&t.owner->conn);
    assert_err(tusk_conn_append(&t.owner->conn, "more", 4), TUSK_ESTATE);
    turns(2);
    hear("bye");
    hear(""); /* the end */
    say("still here");
    turns(2);
    assert_bytes_equal(tusk_bytes_of(t.owner->got, t.owner->got_len), TEST_BYTES("still here"));
    assert_int_equal(t.owner->closes, 0);
    assert_int_equal(shutdown(t.peer, SHUT_WR), 0);
    t.owner->in_eof = NULL;
    turns(1);
    assert_int_equal(t.owner->eofs, 1);
    tusk_conn_finish(&t.owner->conn);
    TURN_UNTIL(t.owner->closes == 1);
    assert_err(t.owner->why, TUSK_OK);
    assert_int_equal(tusk_net_count(t.net)->linger_timeouts, 0);
}

static void a_shutdown_after_the_peers_end_closes(void **state)
{
    (void)state;
    assert_int_equal(shutdown(t.peer, SHUT_WR), 0);
    turns(2);
    assert_int_equal(t.owner->eofs, 1);
    assert_int_equal(t.owner->closes, 0);
    assert_err(tusk_conn_append(&t.owner->conn, "last", 4), TUSK_OK);
    tusk_conn_shutdown(&t.owner->conn);
    TURN_UNTIL(t.owner->closes == 1);
    assert_err(t.owner->why, TUSK_OK);
    hear("last");
}

static void a_shutdown_waits_for_a_queue_that_leaves_slowly(void **state)
{
    (void)state;
    static uint8_t all[2000000];
    static uint8_t got[2000000];
    size_t at = 0;
    pattern(all, 0, sizeof(all));
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    tusk_conn_shutdown(&t.owner->conn);
    while (at < sizeof(got)) {
        turns(1);
        ssize_t len = read(t.peer, got + at, 50000);
        assert_int_not_equal(len, 0);
        at += len > 0 ? (size_t)len : 0;
    }
    assert_pattern(got, 0, sizeof(got));
    turns(2);
    hear("");
    assert_int_equal(t.owner->closes, 0);
}

static void a_peer_that_goes_after_its_end_is_a_reset(void **state)
{
    (void)state;
    assert_int_equal(shutdown(t.peer, SHUT_WR), 0);
    TURN_UNTIL(t.owner->eofs == 1);
    hang_up();
    if (strcmp(test_poller, "select") != 0) { /* which cannot see it while nobody asks */
        TURN_UNTIL(t.owner->closes == 1);
        assert_err(t.owner->why, TUSK_ERESET);
    }
}

/* A pair over TCP, where a reset is one. */
static void connect_tcp(void)
{
    tusk_addr addr;
    socklen_t len = sizeof(addr.u.raw);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    assert_int_equal(bind(listener, (struct sockaddr *)(void *)addr.u.raw, addr.len), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)(void *)addr.u.raw, &len), 0);
    t.owner = owner_new();
    assert_err(tusk_conn_connect(&t.owner->conn, t.net, &addr, NULL, &owner_ops), TUSK_OK);
    t.owner->adopted = true;
    t.peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    assert_true(t.peer >= 0);
    close(listener);
    TURN_UNTIL(t.owner->readies == 1);
}

/* The kernel tells a reset once, here to who writes: what is read behind the answer looks like an
 * end, and is one only where the peer had ended before. */
static void a_reset_that_writing_met_is_no_end(void **state)
{
    static uint8_t body[300000];
    (void)state;
    for (int ended = 0; ended < 2; ended++) {
        char heard[1000];
        connect_tcp();
        t.owner->conn.read_on = true;
        assert_err(tusk_conn_append(&t.owner->conn, body, sizeof(heard)), TUSK_OK);
        turns(2);
        say("413");
        if (ended == 1) {
            assert_int_equal(recv(t.peer, heard, sizeof(heard), MSG_WAITALL), sizeof(heard));
        }
        hang_up();
        for (int i = 0; i < 2 && !t.owner->conn.half; i++) { /* the first one brings the reset */
            assert_err(tusk_conn_append(&t.owner->conn, body, sizeof(body)), TUSK_OK);
            tusk_conn_flush(&t.owner->conn);
        }
        assert_true(t.owner->conn.half);
        TURN_UNTIL(t.owner->closes == 1 || t.owner->eofs == 1);
        assert_bytes_equal(tusk_bytes_of(t.owner->got, t.owner->got_len), TEST_BYTES("413"));
        assert_int_equal(t.owner->eofs, ended);
        assert_err(t.owner->why, ended == 1 ? TUSK_OK : TUSK_ERESET);
        owner_end(t.owner);
    }
    t.owner = NULL;
}

/* The peer answers early and goes, with input of ours unread, which makes its kernel send a reset:
 * writing fails, and what it had said is there to be read. */
static void an_early_answer_is_read_though_writing_fails(void **state)
{
    static uint8_t body[300000];
    (void)state;
    for (int reads_on = 0; reads_on < 2; reads_on++) {
        connect_tcp();
        t.owner->conn.read_on = reads_on == 1;
        assert_err(tusk_conn_append(&t.owner->conn, body, 1000), TUSK_OK);
        turns(2);
        say("413");
        hang_up();
        assert_err(tusk_conn_append(&t.owner->conn, body, sizeof(body)), TUSK_OK);
        tusk_conn_flush(&t.owner->conn);
        TURN_UNTIL(t.owner->closes == 1 || t.owner->eofs == 1);
        assert_int_equal(t.owner->eofs == 0 || reads_on == 1, true);
        if (reads_on == 1) {
            assert_bytes_equal(tusk_bytes_of(t.owner->got, t.owner->got_len), TEST_BYTES("413"));
        }
        owner_end(t.owner);
    }
    t.owner = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_shutdown_ends_our_direction_alone, pair_set_up,
                                        net_tear_down),
        cmocka_unit_test_setup_teardown(a_shutdown_after_the_peers_end_closes, pair_set_up,
                                        net_tear_down),
        cmocka_unit_test_setup_teardown(a_shutdown_waits_for_a_queue_that_leaves_slowly,
                                        pair_set_up, net_tear_down),
        cmocka_unit_test_setup_teardown(a_peer_that_goes_after_its_end_is_a_reset, pair_set_up,
                                        net_tear_down),
        cmocka_unit_test_setup_teardown(a_reset_that_writing_met_is_no_end, net_set_up,
                                        net_tear_down),
        cmocka_unit_test_setup_teardown(an_early_answer_is_read_though_writing_fails, net_set_up,
                                        net_tear_down),
    };
    return TEST_RUN_ALSO_IN_BATCHES("net/conn_half", tests);
}
