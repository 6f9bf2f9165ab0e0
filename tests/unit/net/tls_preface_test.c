/* SPDX-License-Identifier: MIT */
/* What a balancer sends in front of the handshake: however it is cut, and when it stops half-way.
 */
#define _GNU_SOURCE
#include "net/tls.h"

#include "tls_pair.h"

static const char head[] = "PROXY TCP4 192.0.2.1 192.0.2.2 1000 443\r\n";
static size_t head_seen;
static ptrdiff_t refusal; /* what the owner says in place of "need more" */

static ptrdiff_t on_preface(tusk_conn *conn, tusk_bytes in)
{
    (void)conn;
    size_t len = in.len < sizeof(head) - 1 ? in.len : sizeof(head) - 1;
    assert_memory_equal(in.ptr, head, len);
    head_seen = len;
    return len == sizeof(head) - 1 ? (ptrdiff_t)len : refusal;
}

static int preface_set_up(void **state)
{
    static tusk_conn_ops ops;
    set_up(state);
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    ops = owner_ops;
    ops.on_preface = on_preface;
    tusk_conn_set_ops(&p.server->conn, &ops);
    p.server->conn.preface = true;
    p.server->in_data = echo;
    head_seen = 0;
    refusal = 0;
    return 0;
}

static void send_head(size_t from, size_t to)
{
    assert_int_equal(write(p.relay[1], head + from, to - from), (ssize_t)(to - from));
}

static void however_the_head_is_cut_the_handshake_follows(void **state)
{
    (void)state;
    for (size_t at = 1; at < sizeof(head); at++) {
        send_head(0, at);
        turns(2);
        assert_int_equal(head_seen, at);
        assert_int_equal(tusk_net_rests(t.net) > 0, at < sizeof(head) - 1);
        send_head(at, sizeof(head) - 1);
        assert_err(tusk_conn_append(&p.client->conn, "hello", 5), TUSK_OK);
        RELAY_UNTIL(at % 3 == 0 ? 7 : SIZE_MAX, p.client->got_len == 5);
        assert_memory_equal(p.client->got, "hello", 5);
        assert_int_equal(tusk_net_rests(t.net), 0);
        end_pair();
        tusk_tls_unref(p.server_tls);
        tusk_tls_unref(p.client_tls);
        net_tear_down(state);
        preface_set_up(state);
    }
}

static void a_head_in_one_piece_with_the_hello_is_taken_exactly(void **state)
{
    (void)state;
    turns(3); /* the client's hello waits in the relay */
    send_head(0, sizeof(head) - 1);
    relay(SIZE_MAX);
    RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
    assert_err(p.server->ready, TUSK_OK);
}

static uint64_t events(void)
{
    tusk_loop_counters counters;
    tusk_loop_count(t.loop, &counters);
    return counters.events;
}

static void half_a_head_that_stalls_costs_no_turns(void **state)
{
    (void)state;
    turns(3);
    send_head(0, 20);
    turns(3);
    assert_int_equal(head_seen, 20);
    uint64_t before = events();
    turns(50);
    assert_int_equal(events(), before);
    assert_int_equal(p.server->readies, 0);
}

static void a_peer_that_leaves_in_the_head_and_a_wrong_head_are_told(void **state)
{
    (void)state;
    send_head(0, 20);
    turns(3);
    close(p.relay[1]);
    p.relay[1] = -1;
    TURN_UNTIL(p.server->closes == 1);
    assert_err(p.server->ready, TUSK_EEOF);
    assert_int_equal(tusk_net_rests(t.net), 0);
    end_pair();
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    net_tear_down(state);
    preface_set_up(state);
    send_head(0, 20);
    turns(3);
    refusal = TUSK_EPROTO;
    send_head(20, 21);
    TURN_UNTIL(p.server->closes == 1);
    assert_err(p.server->ready, TUSK_EPROTO);
}

static void no_memory_for_half_a_head_ends_that_connection(void **state)
{
    (void)state;
    turns(3);
    t.mem.fail_at = t.mem.requests + 1;
    send_head(0, 20);
    TURN_UNTIL(p.server->closes == 1);
    assert_err(p.server->why, TUSK_ENOMEM);
    t.mem.fail_at = 0;
}

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
#define PREFACE_TEST(name) cmocka_unit_test_setup_teardown(name, preface_set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PREFACE_TEST(however_the_head_is_cut_the_handshake_follows),
        PREFACE_TEST(a_head_in_one_piece_with_the_hello_is_taken_exactly),
        PREFACE_TEST(half_a_head_that_stalls_costs_no_turns),
        PREFACE_TEST(a_peer_that_leaves_in_the_head_and_a_wrong_head_are_told),
        PREFACE_TEST(no_memory_for_half_a_head_ends_that_connection),
    };
    return cmocka_run_group_tests_name("net/tls_preface", tests, make_files, remove_files);
}
