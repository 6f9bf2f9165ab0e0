/* SPDX-License-Identifier: MIT */
/* An HTTP proxy that stops: no request that is on its way is left without an answer. */
#define _GNU_SOURCE
#include "http_rig.h"
#include "still_clock.h"

static const char last_ok[] =
    "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";

static void expect_last_answer(int client, int backend, const char *rest)
{
    rig_send(client, rest);
    rig_expect(backend, http_get);
    rig_send(backend, http_ok);
    rig_expect(client, last_ok);
    rig_expect_eof(client);
    (void)close(client);
}

static int on_new_line(int client, const char *rest)
{
    rig_send(client, rest);
    int backend = rig_accept(h.listener);
    expect_last_answer(client, backend, "");
    return backend;
}

static void expect_silence(int fd)
{
    char byte;
    rig_turn();
    assert_int_equal(recv(fd, &byte, 1, 0), -1);
    assert_int_equal(errno, EAGAIN);
}

static void expect_stopped(void)
{
    rig_until(r.stopped == 1);
    assert_int_equal(http_stats().head_timeouts + http_stats().keep_alive_timeouts, 0);
    assert_int_equal(http_stats().refused_4xx + http_stats().refused_5xx, 0);
}

/* A reload stops a worker whose clients know nothing of it: who has connected and not asked yet,
 * who has said half of it, who asked in this moment, and who was answered a moment ago. */
static void what_is_on_its_way_is_answered_by_who_stops(void **state)
{
    int lines[6];
    (void)state;
    rig_start();
    still_stop();
    int kept = http_begin(&lines[0]);
    still_pass_ms(1500);
    rig_turn();
    int next = rig_client();
    http_round(next, lines[0]);
    int asks = rig_client();
    http_round(asks, lines[0]);
    int half = rig_client();
    rig_send_bytes(half, tusk_bytes_of(http_get, 5));
    int fresh = rig_client();
    int silent = rig_client();
    rig_until(rig_stats().accepted == 6);
    rig_turn();
    rig_send(asks, http_get);
    tusk_relay_stop(r.relay);
    rig_expect_eof(kept); /* nothing is owed to that one */
    lines[1] = on_new_line(asks, "");
    still_pass_ms(200);
    rig_turn();
    lines[2] = on_new_line(fresh, http_get);
    lines[3] = on_new_line(next, http_get);
    still_pass_ms(700);
    expect_silence(silent);
    still_pass_ms(200);
    rig_expect_eof(silent); /* it has had its second */
    still_pass_ms(2000);
    assert_int_equal(r.stopped, 0);
    lines[4] = on_new_line(half, http_get + 5);
    expect_stopped();
    for (int i = 0; i < 5; i++) {
        (void)close(lines[i]);
    }
    (void)close(kept);
    (void)close(silent);
    still_end();
}

/* Its head has not said that it would be the last. */
static int stop_inside_of_an_answer(int *backend)
{
    int client = http_asks(backend);
    rig_send(*backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\nh");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\nh");
    tusk_relay_stop(r.relay);
    rig_send(*backend, "i");
    rig_expect(client, "i");
    return client;
}

static void an_answer_that_had_begun_is_followed_by_one_more(void **state)
{
    int backend;
    (void)state;
    rig_start();
    still_stop();
    int client = stop_inside_of_an_answer(&backend);
    still_pass_ms(900);
    int line = on_new_line(client, http_get);
    expect_stopped();
    (void)close(line);
    (void)close(backend);
    still_end();
}

static void who_asks_nothing_more_holds_no_drain_up(void **state)
{
    int backend;
    (void)state;
    rig_start();
    still_stop();
    int client = stop_inside_of_an_answer(&backend);
    still_pass_ms(950);
    expect_silence(client);
    still_pass_ms(60);
    rig_expect_eof(client);
    (void)close(client);
    expect_stopped();
    (void)close(backend);
    still_end();
}

/* Half of the drain's time at most: the other half is for the answer. */
static void a_short_drain_waits_for_half_of_its_time(void **state)
{
    (void)state;
    r.options.limits.drain_ms = 100;
    rig_start();
    still_stop();
    int silent = rig_client();
    rig_until(rig_stats().accepted == 1);
    tusk_relay_stop(r.relay);
    still_pass_ms(45);
    expect_silence(silent);
    still_pass_ms(15);
    rig_expect_eof(silent);
    (void)close(silent);
    expect_stopped();
    still_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(what_is_on_its_way_is_answered_by_who_stops),
        http_test(an_answer_that_had_begun_is_followed_by_one_more),
        http_test(who_asks_nothing_more_holds_no_drain_up),
        http_test(a_short_drain_waits_for_half_of_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
