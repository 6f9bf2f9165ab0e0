/* SPDX-License-Identifier: MIT */
/* What is large leaves in shares of a turn: a kernel whose reader keeps up would take tens of
 * megabytes in one call, and everybody else would wait for that. */
#define _GNU_SOURCE
#include <poll.h>

#include "net/inner.h"

#include "owner.h"
#include "tcp_pair.h"

#define LARGE ((size_t)2 << 20)
#define TAKERS 6

static struct {
    owner *owner[TAKERS];
    int peer[TAKERS];
    uint8_t *bytes;
} l;

static int large_set_up(void **state)
{
    int failed = net_set_up(state);
    memset(&l, 0, sizeof(l));
    l.bytes = malloc(LARGE);
    pattern(l.bytes, 0, LARGE);
    for (unsigned i = 0; i < TAKERS; i++) {
        int fd[2];
        tcp_pair(fd);
        l.peer[i] = fd[1];
        l.owner[i] = owner_new();
        assert_err(tusk_conn_init(&l.owner[i]->conn, t.net, fd[0], NULL, &owner_ops), TUSK_OK);
        l.owner[i]->adopted = true;
    }
    return failed;
}

static int large_tear_down(void **state)
{
    for (unsigned i = 0; i < TAKERS; i++) {
        owner_end(l.owner[i]);
        (void)close(l.peer[i]);
    }
    free(l.bytes);
    return net_tear_down(state);
}

static uint64_t sent(void)
{
    return tusk_net_count(t.net)->bytes_out;
}

static void say_much(unsigned i, size_t len)
{
    assert_err(tusk_conn_append(&l.owner[i]->conn, l.bytes, len), TUSK_OK);
}

/* More of it; a busy kernel passes on over loopback when it comes to it. */
static size_t hear_more(unsigned i, uint8_t *out, size_t cap)
{
    ssize_t n = recv(l.peer[i], out, cap, MSG_DONTWAIT);
    return n > 0 ? (size_t)n : 0;
}

static void hear_all(unsigned i, size_t len)
{
    uint8_t *heard = malloc(len + 1);
    size_t got = 0;
    TURN_UNTIL((got += hear_more(i, heard + got, len + 1 - got), got >= len));
    turns(1);
    assert_int_equal(got + hear_more(i, heard + got, len + 1 - got), len);
    assert_pattern(heard, 0, len);
    free(heard);
}

static void a_turn_sends_a_share_of_what_is_large(void **state)
{
    (void)state;
    say_much(0, LARGE);
    for (size_t turn = 1; turn <= 4; turn++) {
        uint64_t before = sent();
        turns(1);
        assert_in_range(sent() - before, 1, NET_SEND_TURN);
    }
    hear_all(0, LARGE);
    assert_int_equal(tusk_net_queued(t.net), 0);
}

static void small_parts_are_counted_together(void **state)
{
    (void)state;
    for (size_t at = 0; at < LARGE; at += LARGE / 64) {
        tusk_blob *blob;
        uint8_t *place;
        assert_err(tusk_blob_new(&blob, &t.mem.mem, LARGE / 64, &place), TUSK_OK);
        memcpy(place, l.bytes + at, LARGE / 64);
        assert_err(tusk_conn_append_blob(&l.owner[0]->conn, blob), TUSK_OK);
        tusk_blob_unref(blob);
    }
    uint64_t before = sent();
    turns(1);
    assert_in_range(sent() - before, NET_SEND_SHARE, NET_SEND_TURN);
    hear_all(0, LARGE);
}

static void those_with_much_share_the_rest_of_a_turn(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TAKERS; i++) {
        say_much(i, LARGE / 2);
    }
    turns(1); /* a first share of each, as an answer */
    uint64_t before = sent();
    turns(1);
    assert_in_range(sent() - before, 1, NET_SEND_TURN);
    for (unsigned i = 0; i < TAKERS; i++) {
        hear_all(i, LARGE / 2);
    }
}

static void answer(owner *self)
{
    take(self);
    assert_err(tusk_conn_append(&self->conn, "answer", 6), TUSK_OK);
}

/* No turn passes meanwhile. */
static void arrives(int fd)
{
    assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 20000), 1);
}

static void who_asks_meanwhile_is_answered_in_its_turn(void **state)
{
    char heard[8];
    (void)state;
    l.owner[1]->in_data = answer;
    say_much(0, LARGE);
    turns(1);
    assert_int_equal(send(l.peer[1], "ask", 3, 0), 3);
    arrives(l.owner[1]->conn.io.fd);
    turns(1);
    arrives(l.peer[1]);
    assert_int_equal(recv(l.peer[1], heard, sizeof(heard), MSG_DONTWAIT), 6);
    assert_true(tusk_net_queued(t.net) > 0);
    hear_all(0, LARGE);
}

/* Peers that waited, all writable in one turn. */
static void those_that_become_writable_together_share_a_turn(void **state)
{
    static uint8_t sink[LARGE];
    (void)state;
    for (unsigned i = 0; i < TAKERS; i++) { /* less than a queue holds, more than a kernel does */
        int small = 64 * 1024;
        (void)setsockopt(l.peer[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
        if (setsockopt(l.owner[i]->conn.io.fd, SOL_SOCKET, SO_SNDBUFFORCE, &small, sizeof(small))) {
            skip(); /* it wants CAP_NET_ADMIN */
        }
        say_much(i, LARGE / 2 + LARGE / 8);
    }
    TURN_UNTIL(l.owner[0]->conn.blocked && l.owner[TAKERS - 1]->conn.blocked);
    for (unsigned i = 0; i < TAKERS; i++) {
        int large = 4 << 20;
        (void)setsockopt(l.owner[i]->conn.io.fd, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof(large));
        (void)recv(l.peer[i], sink, sizeof(sink), MSG_DONTWAIT);
    }
    for (int turn = 0; turn < 20; turn++) {
        uint64_t before = sent();
        turns(1);
        assert_in_range(sent() - before, 0, 3 * NET_SEND_SHARE + NET_SEND_TURN);
    }
}

/* What is one part of memory makes no room before its last byte has left. */
static void a_flush_that_makes_no_room_is_not_made_again_in_its_turn(void **state)
{
    (void)state;
    say_much(0, LARGE);
    turns(1);
    size_t before = sent();
    tusk_net_flush(t.net, SIZE_MAX);
    size_t after = sent();
    assert_true(after > before || l.owner[0]->conn.blocked);
    tusk_net_flush(t.net, SIZE_MAX);
    assert_int_equal(sent(), after);
    hear_all(0, LARGE);
}

static void who_ends_and_who_leaves_in_between(void **state)
{
    (void)state;
    say_much(0, LARGE);
    say_much(1, LARGE);
    turns(1);
    tusk_conn_finish(&l.owner[0]->conn);
    tusk_conn_abort(&l.owner[1]->conn, TUSK_OK);
    hear_all(0, LARGE);
    TURN_UNTIL(l.owner[1]->closes == 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, large_set_up, large_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_turn_sends_a_share_of_what_is_large),
        TEST(small_parts_are_counted_together),
        TEST(those_with_much_share_the_rest_of_a_turn),
        TEST(who_asks_meanwhile_is_answered_in_its_turn),
        TEST(those_that_become_writable_together_share_a_turn),
        TEST(a_flush_that_makes_no_room_is_not_made_again_in_its_turn),
        TEST(who_ends_and_who_leaves_in_between),
    };
    return TEST_RUN_ALSO_IN_BATCHES("net/conn_large", tests);
}
