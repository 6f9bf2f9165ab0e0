/* SPDX-License-Identifier: MIT */
/* Times that a route and the relay's limits set for every protocol hold for HTTP's answers, too. */
#define _GNU_SOURCE
#include "http_rig.h"
#include "still_clock.h"

#include "net/gate.h"
#include "relay/inner.h"

/* The head of an answer and a part of its body, and then nothing. */
static int stopped_answer(int *backend)
{
    int client = http_asks(backend);
    rig_send(*backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\nhi");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\nhi");
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
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
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

enum { SLOW_BYTES = 60000, SLOW_MS = 400 };

/* A client whose answer is whole at the proxy, which holds most of it: little room is in both
 * sockets. */
static int slow_client(void)
{
    static char answer[64 + SLOW_BYTES];
    int little = 8192;
    int backend;
    int listener = tusk_listener_fd(net_gates_at(&r.relay->gates, 0)->listener);
    struct sockaddr_in in = rig_loopback(tusk_relay_port(r.relay, 0));
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
    assert_int_equal(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
    assert_int_equal(connect(client, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    rig_unblock(client);
    backend = http_dialled(client);
    int head = snprintf(answer, sizeof(answer),
                        "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: %d\r\n\r\n", SLOW_BYTES);
    rig_send_bytes(backend, tusk_bytes_of(answer, (size_t)head + SLOW_BYTES));
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "done");
    rig_expect_bytes(client, tusk_bytes_of(answer, (size_t)head));
    (void)close(backend);
    return client;
}

/* Slow is allowed, stuck is not. */
static void an_answer_that_still_leaves_outlives_the_time_between_requests(void **state)
{
    (void)state;
    size_t seen = 0;
    char bytes[2048];
    h.options.keep_alive_ms = SLOW_MS;
    rig_start();
    still_stop();
    int client = slow_client();
    while (seen < SLOW_BYTES) {
        still_pass_ms(SLOW_MS / 10);
        rig_turn();
        ssize_t got = recv(client, bytes, sizeof(bytes), 0);
        assert_true(got > 0 || (got < 0 && errno == EAGAIN));
        seen += got > 0 ? (size_t)got : 0;
    }
    assert_int_equal(http_stats().keep_alive_timeouts, 0);
    rig_until((still_pass_ms(SLOW_MS), http_stats().keep_alive_timeouts) == 1);
    rig_expect_eof(client);
    (void)close(client);
    still_end();
}

/* Its client reads, and the kernel, which has taken megabytes, asks for none of the rest. The
 * client's time is the test's, what the kernel tells is the machine's. */
static void an_answer_is_not_silent_while_its_client_takes_what_the_kernel_has(void **state)
{
    enum { BODY = 24 << 20, PATIENCE_MS = 30000, STEPS = 40, STEP_BYTES = 64 * 1024 };
    static char body[BODY];
    static char bytes[STEP_BYTES];
    int backend;
    int little = 64 * 1024;
    (void)state;
    h.options.idle_ms = PATIENCE_MS;
    rig_start();
    still_stop();
    struct sockaddr_in in = rig_loopback(tusk_relay_port(r.relay, 0));
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
    assert_int_equal(connect(client, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    rig_unblock(client);
    backend = http_dialled(client);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 25165824\r\n\r\n");
    size_t sent = 0;
    for (int still = 0; still < 20; still++) { /* until it is held up */
        ssize_t more = send(backend, body + sent, BODY - sent, MSG_NOSIGNAL);
        still = more > 0 ? 0 : still;
        sent += more > 0 ? (size_t)more : 0;
        rig_turn();
    }
    assert_true(sent < BODY);
    for (int i = 0; i < STEPS; i++) {
        ssize_t got = -1;
        rig_until((got = recv(client, bytes, sizeof(bytes), 0)) > 0 || errno != EAGAIN);
        assert_true(got > 0);
        still_pass_ms(PATIENCE_MS / 4);
        rig_turn();
    }
    assert_int_equal(http_stats().idle_timeouts, 0);
    (void)close(client);
    (void)close(backend);
    still_end();
}

static void an_answer_that_nobody_takes_does_not(void **state)
{
    (void)state;
    h.options.keep_alive_ms = SLOW_MS;
    rig_start();
    still_stop();
    int client = slow_client();
    rig_until((still_pass_ms(SLOW_MS / 10), http_stats().keep_alive_timeouts) == 1);
    (void)close(client);
    still_end();
}

static void nor_is_it_cut_at_its_connections_age(void **state)
{
    (void)state;
    size_t seen = 0;
    char bytes[4096];
    ssize_t got = -1;
    r.options.limits.age_ms = SLOW_MS;
    rig_start();
    still_stop();
    int client = slow_client();
    rig_until((still_pass_ms(SLOW_MS), rig_stats().aged) == 1);
    rig_until((got = recv(client, bytes, sizeof(bytes), 0)) == 0 || (got < 0 && errno != EAGAIN) ||
              (seen += got > 0 ? (size_t)got : 0) > SLOW_BYTES);
    assert_int_equal(got, 0);
    assert_int_equal(seen, SLOW_BYTES);
    (void)close(client);
    still_end();
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
            rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\nhi");
            (void)close(backend);
        } else {
            http_expect_refusal(client, "408 Request Timeout", true);
        }
        assert_int_equal(http_stats().head_timeouts, sleeps - 1);
        (void)close(client);
    }
    still_end();
}

/* A body that its backend does not take is held up by that one: its client is not blamed. */
static void a_backend_that_takes_no_body_is_the_one_that_is_late(void **state)
{
    static char piece[65536];
    (void)state;
    h.options.body_ms = SLOW_MS;
    rig_start();
    still_stop();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n");
    int backend = rig_accept(h.listener);
    for (int full = 0; full < 20; full++) {
        full = send(client, piece, sizeof(piece), MSG_NOSIGNAL) > 0 ? 0 : full;
        rig_turn();
    }
    rig_until((still_pass_ms(SLOW_MS), r.record_count) == 1);
    assert_int_equal(http_stats().answer_timeouts, 1);
    assert_int_equal(r.records[0].status, 504);
    (void)close(client);
    (void)close(backend);
    still_end();
}

/* A client's end says nothing of the dial, which has times of its own: here the second one, as the
 * kept connection was gone, and nothing answers it. */
static void a_dial_has_its_own_time_also_for_who_has_ended_its_side(void **state)
{
    (void)state;
    int backend;
    int fill[RIG_FILL];
    h.options.client_fin_ms = SLOW_MS;
    r.options.limits.connect_ms = 4 * SLOW_MS;
    rig_start();
    still_stop();
    int client = http_begin(&backend);
    rig_fill(h.listener, h.port, fill);
    rig_send(client, http_get);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_expect(backend, http_get);
    rig_turn(); /* its end is seen */
    (void)close(backend);
    rig_until(http_stats().retried == 1);
    for (int i = 0; i < 2; i++) {
        still_pass_ms(SLOW_MS);
        rig_turn();
        assert_int_equal(r.record_count, 1);
    }
    rig_until((still_pass_ms(SLOW_MS), r.record_count) == 2);
    http_expect_refusal(client, "504 Gateway Timeout", true);
    assert_int_equal(http_stats().client_fin_timeouts, 0);
    for (int i = 0; i < RIG_FILL; i++) {
        (void)close(fill[i]);
    }
    (void)close(client);
    still_end();
}

/* A backend may answer at once and read on: what is still sent to it is progress, too. */
static void a_request_that_is_still_sent_is_no_silence_of_its_answer(void **state)
{
    static const char head[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";
    (void)state;
    h.options.idle_ms = SLOW_MS;
    rig_start();
    still_stop();
    int client = rig_client();
    rig_send(client, head);
    int backend = rig_accept(h.listener);
    rig_expect(backend, head);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\n");
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: close\r\n\r\n");
    for (int i = 0; i < 4; i++) {
        still_pass_ms(SLOW_MS / 2);
        rig_send(client, "x");
        rig_expect(backend, "x");
    }
    assert_int_equal(http_stats().idle_timeouts, 0);
    rig_send(backend, "hi");
    rig_expect(client, "hi");
    rig_expect_eof(client);
    assert_string_equal(r.records[0].end, "done");
    (void)close(client);
    (void)close(backend);
    still_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(an_answer_is_silent_as_long_as_its_route_says),
        http_test(or_as_long_as_all_sessions_may_be),
        http_test(the_shorter_one_of_http_is_counted_as_its_own),
        http_test(a_backends_first_byte_has_its_time),
        http_test(a_backend_that_takes_no_body_is_the_one_that_is_late),
        http_test(a_connection_ends_behind_the_answer_at_its_age),
        http_test(a_connection_between_requests_ends_at_its_age),
        http_test(an_answer_that_still_leaves_outlives_the_time_between_requests),
        http_test(an_answer_is_not_silent_while_its_client_takes_what_the_kernel_has),
        http_test(an_answer_that_nobody_takes_does_not),
        http_test(nor_is_it_cut_at_its_connections_age),
        http_test(a_head_under_way_outlives_a_sleep_of_the_proxy_and_no_second_one),
        http_test(a_request_that_is_still_sent_is_no_silence_of_its_answer),
        http_test(a_dial_has_its_own_time_also_for_who_has_ended_its_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
