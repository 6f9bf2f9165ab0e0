/* SPDX-License-Identifier: MIT */
/* Times that a route and the relay's limits set for every protocol hold for HTTP's answers, too. */
#define _GNU_SOURCE
#include "http_rig.h"
#include "still_clock.h"

/* The head of an answer and a part of its body, and then nothing. */
static int stopped_answer(int *backend)
{
    int client = http_asks(backend);
    rig_send(*backend, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi");
    rig_expect(client, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi");
    return client;
}

static void expect_idle(void)
{
    int backend;
    rig_start();
    int client = stopped_answer(&backend);
    rig_expect_reset(client);
    assert_string_equal(r.records[0].end, "idle");
    assert_int_equal(rig_stats().idle_timeouts, 1);
    assert_int_equal(http_stats().idle_timeouts, 0);
    (void)close(client);
    (void)close(backend);
}

static void an_answer_is_silent_as_long_as_its_route_says(void **state)
{
    (void)state;
    h.options.idle_ms = 0;
    r.options.limits.idle_ms = 0;
    r.route.idle_ms = 40;
    expect_idle();
}

static void or_as_long_as_all_sessions_may_be(void **state)
{
    (void)state;
    r.options.limits.idle_ms = 40; /* shorter than HTTP's own 60 s */
    expect_idle();
}

static void the_shorter_one_of_http_is_counted_as_its_own(void **state)
{
    (void)state;
    int backend;
    r.options.limits.idle_ms = 60000;
    h.options.idle_ms = 40;
    rig_start();
    int client = stopped_answer(&backend);
    rig_expect_reset(client);
    assert_int_equal(rig_stats().idle_timeouts, 0);
    assert_int_equal(http_stats().idle_timeouts, 1);
    (void)close(client);
    (void)close(backend);
}

static void a_backends_first_byte_has_its_time(void **state)
{
    (void)state;
    int backend;
    r.options.limits.backend_first_ms = 40;
    rig_start();
    int client = http_asks(&backend);
    http_expect_refusal(client, "504 Gateway Timeout: the backend did not answer in time", false);
    rig_expect_eof(backend);
    assert_int_equal(rig_stats().backend_first_timeouts, 1);
    assert_int_equal(http_stats().answer_timeouts, 0);
    (void)close(client);
    (void)close(backend);
}

/* However busy it is; but no answer is cut for it. */
static void a_connection_ends_behind_the_answer_at_its_age(void **state)
{
    (void)state;
    int backend;
    r.options.limits.age_ms = 60;
    rig_start();
    int client = http_asks(&backend);
    uint64_t old = tusk_loop_clock_ns() + UINT64_C(70000000);
    rig_until(tusk_loop_clock_ns() > old);
    rig_send(backend, http_ok);
    rig_expect(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    rig_expect_eof(client);
    assert_int_equal(rig_stats().aged, 1);
    (void)close(client);
    (void)close(backend);
}

static void a_connection_between_requests_ends_at_its_age(void **state)
{
    (void)state;
    int backend;
    r.options.limits.age_ms = 60;
    rig_start();
    int client = http_asks(&backend);
    rig_send(backend, http_ok);
    char byte;
    ssize_t got = 1;
    rig_until((got = recv(client, &byte, 1, 0)) == 0);
    assert_int_equal(rig_stats().aged, 1);
    assert_int_equal(http_stats().keep_alive_timeouts, 0);
    (void)close(client);
    (void)close(backend);
}

/* The process was stopped: what the client had no chance to say it may say now, once. */
static void a_head_under_way_outlives_a_sleep_of_the_proxy_and_no_second_one(void **state)
{
    (void)state;
    h.options.head_ms = 3000;
    rig_start();
    still_stop();
    for (int sleeps = 1; sleeps < 3; sleeps++) {
        int client = rig_client();
        rig_send(client, "GET / HTTP/1.1\r\nHo");
        rig_until(rig_stats().accepted == (uint64_t)sleeps);
        rig_turn();
        for (int i = 0; i < sleeps; i++) {
            still_pass_ms(10000);
            rig_turn();
        }
        if (sleeps == 1) {
            rig_send(client, "st: a\r\n\r\n");
            int backend = rig_accept(h.listener);
            rig_send(backend, http_ok);
            rig_expect(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
            (void)close(backend);
        } else {
            http_expect_refusal(client, "408 Request Timeout", true);
        }
        assert_int_equal(http_stats().head_timeouts, sleeps - 1);
        (void)close(client);
    }
    still_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(an_answer_is_silent_as_long_as_its_route_says),
        http_test(or_as_long_as_all_sessions_may_be),
        http_test(the_shorter_one_of_http_is_counted_as_its_own),
        http_test(a_backends_first_byte_has_its_time),
        http_test(a_connection_ends_behind_the_answer_at_its_age),
        http_test(a_connection_between_requests_ends_at_its_age),
        http_test(a_head_under_way_outlives_a_sleep_of_the_proxy_and_no_second_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
