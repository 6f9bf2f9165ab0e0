/* SPDX-License-Identifier: MIT */
/* The account of what is unfinished, to the byte: its marks, what is reserved for the one that goes
 * on over the limit, and who has to go. */
#define _GNU_SOURCE
#include "holders.h"

enum { LIMIT = 8 * MIB, FEW = 3 };

static size_t net_total;

/* Three WebSockets of which nothing is unfinished but what is counted here. */
static void begin_idle(rig *r, int *fds)
{
    begin(r);
    r->server->limits.unfinished_bytes = LIMIT;
    net_total = tusk_net_room(r->server->net);
    for (int i = 0; i < FEW; i++) {
        fds[i] = rig_websocket(r);
    }
}

static void count(rig *r, size_t slot, size_t bytes)
{
    tusk__session_count_unfinished(rig_session(r, slot), bytes);
}

static void end_idle(rig *r, const int *fds)
{
    for (size_t i = 0; i < FEW; i++) {
        if (r->server->slots[i].session != NULL) {
            count(r, i, 0);
        }
    }
    close_all(fds, FEW);
    end(r);
}

typedef bool mark(const tusk_server *server);

/* Of the others so much at most is below that mark, and a byte more is not. */
static void expect_mark(rig *r, mark *is_past, size_t most)
{
    count(r, 0, most - 1);
    count(r, 1, 1);
    assert_false(is_past(r->server));
    count(r, 1, 2);
    assert_true(is_past(r->server));
    count(r, 0, 0);
    count(r, 1, 0);
}

static bool lacks_room(const tusk_server *server)
{
    return !tusk__unfinished_leaves_room(server);
}

static void expect_marks(rig *r, size_t owned, size_t rests)
{
    expect_mark(r, tusk__unfinished_is_much, LIMIT - rests - owned);
    expect_mark(r, tusk__unfinished_is_past_limit, LIMIT - rests);
    expect_mark(r, lacks_room, LIMIT - LIMIT / 4 - rests);
    expect_mark(r, tusk__unfinished_is_past_slack, LIMIT + LIMIT / 4 - rests);
}

/* A part of a head that nobody counts is memory as well; what the one has that may go on is its
 * own. */
static void the_marks_of_the_account_count_all_but_what_its_owner_has(void **state)
{
    enum { OWNED = 12345 };
    rig r;
    int fds[FEW];
    (void)state;
    begin_idle(&r, fds);
    expect_marks(&r, 0, 0);
    r.server->limits.unfinished_bytes = MIB; /* the least that a quarter is */
    expect_mark(&r, tusk__unfinished_is_past_slack, 2 * MIB);
    r.server->limits.unfinished_bytes = LIMIT;
    int head = rig_connect(&r);
    rig_write(head, "GET / HTTP/1.1\r\nHo", 18);
    rig_turn(&r, 3);
    size_t rests = tusk_net_rests(r.server->net);
    assert_in_range(rests, 18, 4096);
    expect_marks(&r, 0, rests);
    r.server->unfinished_owner = rig_session(&r, 2);
    count(&r, 2, OWNED);
    expect_marks(&r, OWNED, rests);
    count(&r, 2, 0);
    close(head);
    end_idle(&r, fds);
}

static void expect_reserved(const rig *r, size_t bytes)
{
    assert_int_equal(net_total - tusk_net_room(r->server->net), bytes);
}

/* For its answer: what it has or was granted, whichever is more, beside what is left of one before;
 * an eighth of the queues is always the others'. */
static void what_is_reserved_for_the_owner_leaves_an_eighth(void **state)
{
    enum { GRANTED = 300000, HELD = 500000, LEFT = 70000 };
    rig r;
    int fds[FEW];
    (void)state;
    begin_idle(&r, fds);
    assert_int_equal(r.server->limits.queued_bytes_total, net_total);
    r.server->unfinished_owner = rig_session(&r, 2);
    r.server->unfinished_granted = GRANTED;
    count(&r, 2, GRANTED / 2);
    expect_reserved(&r, GRANTED);
    count(&r, 2, HELD);
    expect_reserved(&r, HELD);
    r.server->retired.left = LEFT;
    tusk__unfinished_reserve(r.server);
    expect_reserved(&r, HELD + LEFT);
    r.server->retired.left = 0;
    count(&r, 2, net_total);
    expect_reserved(&r, net_total - net_total / 8);
    count(&r, 2, 0);
    assert_null(r.server->unfinished_owner);
    expect_reserved(&r, 0);
    end_idle(&r, fds);
}

static bool is_shed(rig *r, size_t slot)
{
    uint64_t before = rig_stat(r, "unfinished_closed");
    bool shed = tusk__session_is_shed(rig_session(r, slot));
    assert_int_equal(rig_stat(r, "unfinished_closed") - before, shed);
    return shed;
}

/* Past the limit and its quarter. Nobody is silent yet, so nobody else goes instead. */
static void who_adds_to_it_past_the_quarter_goes_with_four_exceptions(void **state)
{
    enum { MOST = LIMIT + LIMIT / 4 };
    rig r;
    int fds[FEW];
    (void)state;
    begin_idle(&r, fds);
    r.server->unfinished_owner = rig_session(&r, 2);
    count(&r, 2, 1);
    count(&r, 0, MOST);
    assert_false(is_shed(&r, 0)); /* nor where the quarter is not all taken */
    count(&r, 0, MOST + 1);
    assert_true(is_shed(&r, 0));
    assert_false(is_shed(&r, 1)); /* it has added nothing */
    assert_false(is_shed(&r, 2)); /* it may go on */
    tusk_handle parked = tusk__session_handle(rig_session(&r, 0));
    tusk_session_park(r.server, parked);
    assert_false(is_shed(&r, 0)); /* its handler waits: nothing can be said to it */
    tusk_session_unpark(r.server, parked);
    count(&r, 2, 0);
    assert_null(r.server->unfinished_owner);
    assert_false(is_shed(&r, 0)); /* it becomes the one that may go on */
    end_idle(&r, fds);
}

/* Who adds to it may be thousands: where one walk was in vain there is none for a quarter of what
 * one may be silent for. */
static void a_walk_in_vain_is_not_made_again_at_once(void **state)
{
    enum { WALK_MS = SILENT_MS / 4 };
    rig r;
    int fds[FEW];
    (void)state;
    begin_idle(&r, fds);
    count(&r, 0, 2 * LIMIT);
    rig_session(&r, 0)->last_in_ms = (uint32_t)tusk_loop_now_ms(r.loop);
    rig_turn(&r, SILENT_MS - WALK_MS / 2);
    assert_false(tusk__silence_makes_room(r.server));
    rig_turn(&r, WALK_MS - 5); /* now it is silent */
    assert_false(tusk__silence_makes_room(r.server));
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 0);
    rig_turn(&r, 10);
    assert_true(tusk__silence_makes_room(r.server));
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1);
    assert_int_equal(rig_stat(&r, "unfinished_bytes"), 0);
    end_idle(&r, fds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_marks_of_the_account_count_all_but_what_its_owner_has),
        cmocka_unit_test(what_is_reserved_for_the_owner_leaves_an_eighth),
        cmocka_unit_test(who_adds_to_it_past_the_quarter_goes_with_four_exceptions),
        cmocka_unit_test(a_walk_in_vain_is_not_made_again_at_once),
    };
    return cmocka_run_group_tests_name("serve/account", tests, NULL, NULL);
}
