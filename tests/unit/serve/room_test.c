/* SPDX-License-Identifier: MIT */
/* Room in the queues of all: how many are cut for it and who is not, and who waits for it. */
#define _GNU_SOURCE
#include "holders.h"

#include "serve/pressure.h"

enum { KIB = 1024, LARGEST = 2 * MIB, TOTAL = 2 * LARGEST };

static size_t net_total;

/* So much of TOTAL is kept free for others. */
static void reserve(rig *r, size_t bytes)
{
    tusk_net_reserve(r->server->net, net_total - TOTAL + bytes);
}

static void begin_small(rig *r)
{
    begin(r);
    net_total = r->server->limits.queued_bytes_total;
    r->server->limits.unfinished_bytes = 1;
    r->server->limits.message_bytes = LARGEST;
    r->server->limits.queued_bytes_total = TOTAL;
    reserve(r, 0);
}

/* A WebSocket that reads nothing; the kernel takes next to nothing for it. */
static int stalled_with(rig *r, size_t slot, size_t bytes)
{
    static const int least = 1;
    int fd = rig_websocket(r);
    tusk_session *session = rig_session(r, slot);
    assert_int_equal(setsockopt(session->conn.io.fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)),
                     0);
    assert_err(tusk_websocket_send(r->server, tusk__session_handle(session), TUSK_WS_BINARY,
                                   tusk_bytes_of(zeros, bytes), NULL, NULL),
               TUSK_OK);
    rig_turn(r, 2);
    return fd;
}

static bool is_open(const rig *r, size_t slot)
{
    const tusk_session *session = r->server->slots[slot].session;
    return session != NULL && tusk_conn_open(&session->conn);
}

static int open_in(const rig *r, int slots)
{
    int count = 0;
    for (int i = 0; i < slots; i++) {
        count += is_open(r, (size_t)i);
    }
    return count;
}

/* What could not fit into empty queues is nothing to cut somebody for. */
static void for_what_never_fits_nobody_is_cut(void **state)
{
    enum { FEW = 3 };
    rig r;
    int fds[FEW];
    (void)state;
    begin_small(&r);
    for (int i = 0; i < FEW; i++) {
        fds[i] = stalled_with(&r, (size_t)i, 1 * MIB);
    }
    int asks = rig_websocket(&r);
    assert_false(tusk__session_make_room(rig_session(&r, FEW), TOTAL + 1));
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    assert_int_equal(open_in(&r, FEW), FEW);
    assert_true(tusk__session_make_room(rig_session(&r, FEW), TOTAL));
    assert_int_equal(rig_stat(&r, "overflow_closed"), FEW);
    close_all(fds, FEW);
    close(asks);
    end(&r);
}

/* A first answer that takes more than the longest queue gives: as many of the long ones go as it
 * needs, and none of the short ones, which stand before them. */
static void of_a_crowd_the_long_ones_go_and_no_more_than_needed(void **state)
{
    enum { SHORT = 4, LONG = 7, ALL = SHORT + LONG };
    rig r;
    int fds[ALL];
    (void)state;
    begin_small(&r);
    for (int i = 0; i < ALL; i++) {
        fds[i] = stalled_with(&r, (size_t)i, i < SHORT ? 100 * KIB : 500 * KIB);
    }
    int asks = rig_websocket(&r);
    size_t room = tusk_net_room(r.server->net);
    assert_in_range(room, 1, 300 * KIB);
    assert_true(tusk__session_make_room(rig_session(&r, ALL), room + 1200 * KIB)); /* three's */
    assert_int_equal(rig_stat(&r, "overflow_closed"), 3);
    assert_int_equal(open_in(&r, SHORT), SHORT);
    assert_int_equal(open_in(&r, ALL), ALL - 3);
    close_all(fds, ALL);
    close(asks);
    end(&r);
}

/* Where more is reserved than is left, the end of the longest makes no room yet: all the same only
 * those go that have more than what asks would have. */
static void who_has_a_queue_has_nobody_cut_that_has_less(void **state)
{
    enum { LONGEST = 1200 * KIB, LESS = 700 * KIB, OWN = 400 * KIB, NEED = 400 * KIB };
    rig r;
    (void)state;
    begin_small(&r);
    int fds[] = {stalled_with(&r, 0, LESS), stalled_with(&r, 1, LONGEST), stalled_with(&r, 2, OWN)};
    reserve(&r, TOTAL - tusk_net_queued(r.server->net) + LONGEST - NEED / 2);
    assert_false(tusk__session_make_room(rig_session(&r, 2), NEED));
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    assert_true(is_open(&r, 0));
    assert_false(is_open(&r, 1));
    assert_true(is_open(&r, 2));
    close_all(fds, 3);
    end(&r);
}

/* Somebody waits for the queues whose message is large. */
static int wait_large(rig *r, size_t slot)
{
    int fd = rig_websocket(r);
    send_part(r, fd, 1600000, 70000);
    assert_true(rig_session(r, slot)->paused_unfinished);
    assert_null(r->server->unfinished_owner);
    return fd;
}

/* Nobody has waited as long as a turn lasts: whoever did is gone. */
static void where_nobody_waits_any_more_the_longest_stays(void **state)
{
    rig r;
    (void)state;
    begin_small(&r);
    int stalled = stalled_with(&r, 0, 2400 * KIB);
    int large = wait_large(&r, 1);
    rig_turn(&r, TURN_MS / 2);
    tusk__session_abort(rig_session(&r, 1), TUSK_ETIMEOUT);
    rig_turn(&r, 2 * TURN_MS);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    assert_true(is_open(&r, 0));
    close(stalled);
    close(large);
    end(&r);
}

/* The one that was watched left; who has its slot now came a moment ago. */
static void who_comes_into_the_slot_of_the_longest_is_not_cut_for_it(void **state)
{
    enum { HALF = 2100 * KIB };
    rig r;
    (void)state;
    begin_small(&r);
    tusk_net_reserve(r.server->net, 0);
    int fds[] = {stalled_with(&r, 0, HALF), stalled_with(&r, 1, HALF - 10 * KIB)};
    int large = wait_large(&r, 2);
    rig_turn(&r, TURN_MS - 200);
    close(fds[0]);
    rig_turn(&r, 3);
    assert_null(r.server->slots[0].session);
    assert_null(r.server->unfinished_owner);
    fds[0] = stalled_with(&r, 0, HALF + 10 * KIB);
    rig_turn(&r, 400);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    assert_true(is_open(&r, 0));
    rig_turn(&r, TURN_MS); /* but for itself */
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    assert_false(is_open(&r, 0));
    close_all(fds, 2);
    close(large);
    end(&r);
}

/* Of a crowd only those go with the longest of whom it is known that their peers take nothing. */
static void who_is_not_known_to_stall_stays_when_the_longest_goes(void **state)
{
    enum { FEW = 3 };
    rig r;
    int fds[FEW];
    (void)state;
    begin_small(&r);
    for (int i = 0; i < FEW; i++) { /* of a socket pair nothing is */
        fds[i] = stalled_with(&r, (size_t)i, (size_t)(1200 + i) * KIB);
    }
    int large = wait_large(&r, FEW);
    rig_turn(&r, TURN_MS + 100);
    assert_true(tusk__pressure_high(r.server));
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    assert_int_equal(open_in(&r, FEW), FEW - 1);
    assert_false(is_open(&r, FEW - 1));
    close_all(fds, FEW);
    close(large);
    end(&r);
}

/* There may be thousands of those that wait for the queues as well. */
static void behind_queues_that_were_held_who_began_last_is_asked_first(void **state)
{
    rig r;
    (void)state;
    begin_small(&r);
    int stalled = stalled_with(&r, 0, 2400 * KIB);
    int first = wait_large(&r, 1);
    rig_turn(&r, 10);
    int last = wait_large(&r, 2);
    rig_turn(&r, TURN_MS + 100);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    assert_ptr_equal(r.server->unfinished_owner, rig_session(&r, 2));
    close(stalled);
    close(first);
    close(last);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_what_never_fits_nobody_is_cut),
        cmocka_unit_test(of_a_crowd_the_long_ones_go_and_no_more_than_needed),
        cmocka_unit_test(who_has_a_queue_has_nobody_cut_that_has_less),
        cmocka_unit_test(where_nobody_waits_any_more_the_longest_stays),
        cmocka_unit_test(who_comes_into_the_slot_of_the_longest_is_not_cut_for_it),
        cmocka_unit_test(who_is_not_known_to_stall_stays_when_the_longest_goes),
        cmocka_unit_test(behind_queues_that_were_held_who_began_last_is_asked_first),
    };
    return cmocka_run_group_tests_name("serve/room", tests, NULL, NULL);
}
