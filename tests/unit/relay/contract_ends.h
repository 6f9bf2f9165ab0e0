/* SPDX-License-Identifier: MIT */
/* Ends and resets that come while bytes are unread: what is counted then. */
#ifndef TUSK_TEST_RELAY_CONTRACT_ENDS_H
#define TUSK_TEST_RELAY_CONTRACT_ENDS_H

#include "contract_bulk.h"
#include "sessions_of.h"

#include "net/socket.h"
#include "net/tcp_info.h"

/* The backend has said all, of which a part is never read: its end is among that. */
static void an_end_that_nobody_read_is_no_byte(void **state)
{
    (void)state;
    static const char block[16384];
    ends both = join();
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    size_t sent = 0;
    while (rig_stats().paused == 0) {
        ssize_t part = send(both.server, block, sizeof(block), MSG_NOSIGNAL);
        sent += part > 0 ? (size_t)part : 0;
        rig_turn();
    }
    assert_int_equal(shutdown(both.server, SHUT_WR), 0);
    rig_until(tusk__socket_is_over(both.server)); /* all of it has been acknowledged */
    rig_reset(both.client);
    both.client = -1;
    expect_end("client reset");
    assert_int_equal(r.records[0].down, sent);
    assert_int_equal(rig_stats().bytes_down, sent);
    leave(both);
}

/* Its last bytes are in the kernel's hands as it resets: unread by the proxy, or by its client. */
static void reset_with_bytes_unread(bool ended)
{
    static const char block[16384];
    ends both = join();
    size_t sent = 0;
    net_tcp_info info;
    for (int more = 3; rig_stats().paused == 0 || more > 0; more -= rig_stats().paused > 0) {
        ssize_t part = send(both.server, block, sizeof(block), MSG_NOSIGNAL);
        sent += part > 0 ? (size_t)part : 0;
        rig_turn();
    }
    if (ended) {
        assert_int_equal(shutdown(both.server, SHUT_WR), 0);
    }
    rig_until(!tusk__tcp_info_get(&info, both.server) || !info.held);
    rig_reset(both.server);
    both.server = -1;
    rig_until((send(both.client, "x", 1, MSG_NOSIGNAL), r.record_count == 1)); /* or nobody looks */
    assert_string_equal(r.records[0].end, "backend reset");
    assert_int_equal(r.records[0].down, sent);
    assert_int_equal(rig_stats().bytes_down, sent);
    leave(both);
}

static void a_reset_with_bytes_unread_counts_them(void **state)
{
    (void)state;
    reset_with_bytes_unread(false);
}

static void an_end_before_such_a_reset_is_no_byte(void **state)
{
    (void)state;
    reset_with_bytes_unread(true);
}

/* So much that the backend's window is closed, and then the client's end. */
static size_t say_all(int client)
{
    static const char block[16384];
    size_t sum = 0;
    for (; sum < 8 * sizeof(block); sum += sizeof(block)) {
        rig_send_bytes(client, tusk_bytes_of(block, sizeof(block)));
        rig_turn();
    }
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    return sum;
}

/* The backend's end is unread, and ours cannot leave: the kernel tells of a reset then as of one
 * before any end. */
static void reset_between_two_ends(bool ours_first)
{
    static const char block[16384];
    size_t sent = 0;
    size_t up = 0;
    net_tcp_info info;
    const int window = 128 * 1024; /* that of a used socket may be too small for what is to wait */
    if (contract->engine == TUSK_ENGINE_SOCKMAP) {
        print_message("skipped: what the kernel's relay has read only its kernel knows\n");
        skip();
    }
    ends both = join(); /* the backend says more than the relay holds: its end stays unread */
    int unread = newest_pair(r.relay)->end[RELAY_BACKEND].io.fd;
    assert_int_equal(setsockopt(unread, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window)), 0);
    for (int still = 0, all = 0; still < 12 && all < 2000; still++, all++) {
        if (tusk__socket_unread(newest_pair(r.relay)->end[RELAY_BACKEND].io.fd) <
            3 * sizeof(block)) {
            ssize_t part = send(both.server, block, sizeof(block), MSG_NOSIGNAL);
            sent += part > 0 ? (size_t)part : 0;
            still = 0;
        }
        rig_turn();
    }
    rig_until(!tusk__tcp_info_get(&info, both.server) || !info.held);
    for (int step = 0; step < 2; step++) {
        if ((step == 0) == ours_first) {
            up = say_all(both.client);
        } else {
            assert_int_equal(shutdown(both.server, SHUT_WR), 0);
        }
        for (int i = 0; i < 5; i++) {
            rig_turn();
        }
    }
    rig_reset(both.server);
    rig_reset(both.client);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].up, up);
    assert_int_equal(r.records[0].down, sent);
    assert_int_equal(rig_stats().bytes_down, sent);
    both.server = both.client = -1;
    leave(both);
}

static void an_end_that_ours_follows_is_no_byte_of_a_reset(void **state)
{
    (void)state;
    reset_between_two_ends(false);
}

static void an_end_that_follows_ours_is_no_byte_of_a_reset(void **state)
{
    (void)state;
    reset_between_two_ends(true);
}

#endif
