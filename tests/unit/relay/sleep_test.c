/* SPDX-License-Identifier: MIT */
/* A proxy that slept throws out nobody whose session is being set up. */
#define _GNU_SOURCE
#include "rig.h"
#include "still_clock.h"

static int backend;

static int set_up(void **state)
{
    uint16_t port;
    (void)state;
    rig_set_up_on(test_poller);
    backend = rig_listen(&port);
    rig_target(port, 1);
    return 0;
}

static int tear_down(void **state)
{
    still_end();
    (void)close(backend);
    return rig_tear_down(state);
}

/* What its client had no chance to say it may say now, once. */
static void who_is_being_set_up_outlives_a_sleep_of_the_proxy_and_no_second_one(void **state)
{
    (void)state;
    r.options.limits.first_ms = 3000;
    r.listen.first = TUSK_FIRST_CLIENT;
    rig_start();
    still_stop();
    int heard = rig_client();
    int silent = rig_client();
    rig_until(rig_stats().accepted == 2);
    still_pass_ms(10000);
    rig_turn();
    assert_int_equal(rig_stats().first_timeouts, 0);
    rig_send(heard, "HELLO");
    int server = rig_accept(backend);
    rig_expect(server, "HELLO");
    still_pass_ms(10000);
    rig_turn();
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 408);
    assert_string_equal(r.records[0].end, "first bytes timed out");
    rig_expect_eof(silent);
    rig_send(server, "still here");
    rig_expect(heard, "still here");
    assert_int_equal(rig_stats().first_timeouts, 1);
    (void)close(silent);
    (void)close(heard);
    (void)close(server);
}

static void who_waits_for_its_route_outlives_a_sleep_of_the_proxy(void **state)
{
    (void)state;
    r.later = true;
    r.options.limits.resolve_ms = 3000;
    rig_start();
    still_stop();
    int client = rig_client();
    rig_send(client, "HELLO");
    rig_until(r.ask_count == 1);
    still_pass_ms(10000);
    rig_turn();
    assert_err(rig_answer(0), TUSK_OK);
    int server = rig_accept(backend);
    rig_expect(server, "HELLO");
    assert_int_equal(rig_stats().lookup_timeouts, 0);
    (void)close(server);
    (void)close(client);
}

static void who_waits_for_room_at_a_target_outlives_a_sleep_of_the_proxy(void **state)
{
    (void)state;
    r.options.limits.queue_ms = 3000;
    r.options.limits.per_target = 1;
    rig_start();
    int first = rig_client();
    int server = rig_accept(backend);
    still_stop();
    int client = rig_client();
    rig_until(rig_stats().queue_waits == 1);
    still_pass_ms(10000);
    rig_turn();
    (void)close(first);
    (void)close(server);
    server = rig_accept(backend);
    rig_send(client, "HELLO");
    rig_expect(server, "HELLO");
    assert_int_equal(rig_stats().queue_timeouts, 0);
    (void)close(server);
    (void)close(client);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_is_being_set_up_outlives_a_sleep_of_the_proxy_and_no_second_one),
        TEST(who_waits_for_its_route_outlives_a_sleep_of_the_proxy),
        TEST(who_waits_for_room_at_a_target_outlives_a_sleep_of_the_proxy),
    };
    return TEST_RUN_FOR_EACH_POLLER("relay/sleep", tests);
}
