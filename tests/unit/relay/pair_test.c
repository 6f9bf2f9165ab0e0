/* SPDX-License-Identifier: MIT */
/* Pairs whose bytes are copied or spliced, and what they do without memory. */
#define _GNU_SOURCE
#include "contract.h"
#include "visit.h"

static void nothing_was_spliced(void)
{
    assert_int_equal(rig_stats().switched_to_splice, 0);
}

static void it_was_spliced(void)
{
    assert_true(rig_stats().switched_to_splice > 0);
}

/* ---- turns inside of callbacks ---- */
static int busy_inside; /* pairs whose part was due, after the inner turns; -1: nobody asked */

static void turn_inside(void)
{
    r.on_record = NULL;
    for (int i = 0; i < 3; i++) {
        assert_err(tusk_loop_turn(r.loop, 0), TUSK_OK);
    }
    busy_inside = tusk__list_empty(&r.relay->busy_round) ? 0 : 1;
}

static void is_due(relay_pair *pair)
{
    pair->end[RELAY_CLIENT].readable = true;
    tusk__list_push(&r.relay->busy, &pair->busy);
}

/* Two pairs are due; the first one ends, and whoever is told takes up newer turns. */
static void a_newer_turn_goes_on_with_pairs_that_are_due(void **state)
{
    (void)state;
    ends first = join();
    rig_send(first.client, "1");
    rig_expect(first.server, "1");
    ends second = {.client = rig_client(), .server = rig_accept(backend)};
    rig_send(second.client, "2");
    rig_expect(second.server, "2");
    is_due(first_pair(r.relay));
    is_due(newest_pair(r.relay));
    busy_inside = -1;
    r.on_record = turn_inside;
    rig_reset(first.server);
    rig_send(first.client, "x");
    relay_busy_due(&r.relay->busy_timer);
    assert_int_equal(busy_inside, 0);
    assert_string_equal(r.records[0].end, "backend reset");
    rig_send(second.client, "goes on");
    rig_expect(second.server, "goes on");
    (void)close(first.client);
    leave(second);
}

/* The first of two sessions is cut, and in its record the relay is told to stop once more. */
static void stop_inside(void)
{
    r.on_record = NULL;
    tusk_relay_stop(r.relay);
    assert_int_equal(r.record_count, 2);
}

static void a_stop_inside_of_a_cut_reaches_who_is_left(void **state)
{
    (void)state;
    ends first = join();
    ends second = {.client = rig_client(), .server = rig_accept(backend)};
    rig_until(rig_stats().dials == 2);
    tusk_relay_stop(r.relay);
    r.on_record = stop_inside;
    tusk_relay_stop(r.relay);
    rig_until(r.stopped == 1);
    assert_int_equal(r.record_count, 2);
    leave(first);
    (void)close(second.client);
    (void)close(second.server);
}

/* Its reader takes what the kernel has, which is megabytes: nothing else moves meanwhile. The time
 * is the test's, what the kernel tells is the machine's. */
static void a_slow_reader_is_not_silent(void **state)
{
    enum { PATIENCE_MS = 30000, LITTLE = 64 * 1024 };
    static char bytes[LITTLE];
    (void)state;
    r.options.engine = TUSK_ENGINE_COPY;
    r.options.limits.idle_ms = PATIENCE_MS;
    ends both = join();
    int little = LITTLE;
    assert_int_equal(setsockopt(both.client, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
    still_stop();
    size_t sent = 0;
    for (int still = 0; still < 20; still++) { /* until it is held up */
        ssize_t more = send(both.server, bytes, sizeof(bytes), MSG_NOSIGNAL);
        still = more > 0 ? 0 : still;
        sent += more > 0 ? (size_t)more : 0;
        rig_turn();
    }
    for (size_t seen = 0; seen < sent / 4;) {
        ssize_t got = -1;
        rig_until((got = recv(both.client, bytes, sizeof(bytes), 0)) > 0 || errno != EAGAIN);
        assert_true(got > 0);
        seen += (size_t)got;
        still_pass_ms(PATIENCE_MS / 4);
        rig_turn();
    }
    assert_int_equal(r.record_count, 0);
    still_end();
    leave(both);
}

int main(void)
{
    static const contract_engine engines[] = {
        {.engine = TUSK_ENGINE_COPY, .name = "copy", .check_bulk = nothing_was_spliced},
        {.engine = TUSK_ENGINE_SPLICE, .name = "splice", .check_bulk = it_was_spliced},
        {.engine = TUSK_ENGINE_COPY,
         .name = "copy after an upgrade",
         .check_bulk = nothing_was_spliced,
         .upgraded = true},
        {.engine = TUSK_ENGINE_SPLICE,
         .name = "splice after an upgrade",
         .check_bulk = it_was_spliced,
         .upgraded = true},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(each_failing_allocation_costs_at_most_its_connection,
                                  (void *)(uintptr_t)&engines[0]),
        cmocka_unit_test_setup_teardown(a_newer_turn_goes_on_with_pairs_that_are_due, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(a_stop_inside_of_a_cut_reaches_who_is_left, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(a_slow_reader_is_not_silent, rig_set_up, rig_tear_down),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL); /* first: these have no contract */
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        failed += contract_run(&engines[i]);
    }
    return failed;
}
