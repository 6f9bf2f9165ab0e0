/* SPDX-License-Identifier: MIT */
/* After an upgrade where TLS is on one side: joined connections, their times and ends. */
#define _GNU_SOURCE
#include "http_tls_rig.h"
#include "sessions_of.h"

#include "slow_reader.h"

static void read_head(int fd)
{
    char bytes[1024] = "";
    size_t len = 0;
    while (strstr(bytes, "\r\n\r\n") == NULL) {
        ssize_t got = -1;
        rig_until((got = recv(fd, bytes + len, 1, 0)) > 0);
        len += (size_t)got;
    }
}

/* Through both relays: on either of them TLS is on one side, so that no pair of sockets is made. */
static void begin_tunnel(int *client, int *backend)
{
    if (behind.relay == NULL) {
        start_behind("main.crt");
    }
    start("main.crt", "main.test");
    *client = rig_client();
    rig_send(*client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    *backend = rig_accept(h.listener);
    read_head(*backend);
    rig_send(*backend, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n"
                       "Upgrade: x\r\n\r\n");
    read_head(*client);
    rig_until(behind.relay->http->stats.tunnels == 1 && http_stats().tunnels == 1);
}

static void expect_no_tunnel(int client, int backend)
{
    rig_until(behind.relay->http->stats.tunnels == 0 && http_stats().tunnels == 0);
    rig_until(behind.relay->http->stats.lines == 0 && http_stats().lines == 0);
    (void)close(client);
    (void)close(backend);
}

static void a_tunnel_over_tls_is_held_by_who_does_not_read(void **state)
{
    static uint8_t piece[65536];
    int client;
    int backend;
    size_t sum = 0;
    (void)state;
    begin_tunnel(&client, &backend);
    size_t before = r.mem.live_bytes;
    for (int full = 0; full < 20;) {
        pattern(piece, sum, sizeof(piece));
        ssize_t put = send(client, piece, sizeof(piece), MSG_NOSIGNAL);
        full = put > 0 ? 0 : full + 1;
        sum += put > 0 ? (size_t)put : 0;
        assert_true(sum < (size_t)256 * 1024 * 1024);
        rig_turn();
    }
    assert_true(http_stats().paused_client >= 1);
    assert_true(behind.relay->http->stats.paused_client >= 1);
    assert_true(r.mem.peak_bytes - before < 1024 * 1024);
    for (size_t got = 0; got < sum;) {
        ssize_t n = -1;
        rig_until((n = recv(backend, piece, sizeof(piece), 0)) >= 0 || errno != EAGAIN);
        assert_true(n > 0);
        assert_pattern(piece, got, (size_t)n);
        got += (size_t)n;
    }
    (void)shutdown(client, SHUT_WR);
    rig_expect_eof(backend);
    (void)shutdown(backend, SHUT_WR);
    rig_expect_eof(client);
    expect_no_tunnel(client, backend);
}

/* As without TLS: what the kernel has for it is megabytes. */
static void a_slow_reader_of_a_tunnel_over_tls_is_not_silent(void **state)
{
    enum { PATIENCE_MS = 30000 };
    int client;
    int backend;
    (void)state;
    h.options.tunnel_ms = 0;
    start_behind("main.crt"); /* it does not look */
    h.options.tunnel_ms = PATIENCE_MS;
    begin_tunnel(&client, &backend);
    read_slowly(client, backend, PATIENCE_MS / 4);
    assert_int_equal(http_stats().tunnel_timeouts, 0);
    still_end();
    rig_reset(client);
    rig_expect_reset(backend);
    expect_no_tunnel(-1, backend);
}

/* Whichever time is the shorter one, and it is that one which counts. */
static void a_half_closed_tunnel_over_tls_ends_in_its_time_or_in_silences(void **state)
{
    static const uint32_t half_ms[] = {40, 60000};
    for (int i = 0; i < 2; i++) {
        int client;
        int backend;
        h.options.tunnel_ms = 60000;
        r.options.limits.half_closed_ms = 60000;
        start_behind("main.crt");
        h.options.tunnel_ms = i == 0 ? 60000 : 40;
        r.options.limits.half_closed_ms = half_ms[i];
        begin_tunnel(&client, &backend);
        assert_int_equal(shutdown(client, SHUT_WR), 0);
        rig_expect_eof(backend);
        rig_expect_eof(client);
        (void)shutdown(backend, SHUT_WR);
        expect_no_tunnel(client, backend);
        assert_string_equal(r.records[0].end, i == 0 ? "half-closed" : "idle");
        assert_int_equal(rig_stats().half_closed_timeouts, i == 0 ? 1 : 0);
        assert_int_equal(http_stats().tunnel_timeouts, i == 0 ? 0 : 1);
        (void)tls_tear_down(state);
        (void)tls_set_up(state);
    }
}

static void a_silent_tunnel_over_tls_ends(void **state)
{
    int client;
    int backend;
    (void)state;
    start_behind("main.crt"); /* it waits for longer */
    h.options.tunnel_ms = 40;
    begin_tunnel(&client, &backend);
    rig_expect_eof(client);
    rig_expect_eof(backend);
    (void)shutdown(backend, SHUT_WR);
    expect_no_tunnel(client, backend);
    assert_int_equal(http_stats().tunnel_timeouts, 1);
    assert_string_equal(r.records[0].end, "idle");
}

/* As without TLS: what it says after the switch is that it has no more to say. */
static void an_end_before_the_switch_passes_through_a_tunnel_over_tls(void **state)
{
    (void)state;
    start_behind("main.crt");
    start("main.crt", "main.test");
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    int backend = rig_accept(h.listener);
    read_head(backend);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_until(first_http_client(r.relay)->ended);
    rig_send(backend, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n"
                      "Upgrade: x\r\n\r\n");
    read_head(client);
    rig_expect_eof(backend);
    rig_send(backend, "thanks");
    rig_expect(client, "thanks");
    (void)shutdown(backend, SHUT_WR);
    rig_expect_eof(client);
    expect_no_tunnel(client, backend);
    assert_string_equal(r.records[0].end, "done");
}

/* With close_notify: else it would be heard as a failure. */
static void a_silent_tunnel_ends_in_order_for_a_client_with_tls(void **state)
{
    int client;
    int backend;
    (void)state;
    h.options.tunnel_ms = 40;
    start_behind("main.crt");
    h.options.tunnel_ms = 60000;
    begin_tunnel(&client, &backend);
    rig_expect_eof(client);
    rig_expect_eof(backend);
    (void)close(client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "done");
    expect_no_tunnel(-1, backend);
    assert_int_equal(behind.relay->http->stats.tunnel_timeouts, 1);
}

/* A reader that has a part must not take it for the whole, whichever of the two cuts it. */
static void a_tunnel_over_tls_that_is_cut_in_a_stream_ends_by_a_reset(void **state)
{
    static const uint8_t piece[65536];
    for (int who = 0; who < 3; who++) {
        int client;
        int backend;
        h.options.tunnel_ms = who == 1 ? 300 : 60000;
        start_behind("main.crt");
        h.options.tunnel_ms = who == 0 ? 300 : 60000;
        begin_tunnel(&client, &backend);
        for (int full = 0; full < 10; full++) {
            full = send(client, piece, sizeof(piece), MSG_NOSIGNAL) > 0 ? 0 : full;
            rig_turn();
        }
        if (who == 2) {
            tusk_relay_stop(behind.relay);
            tusk_relay_stop(behind.relay);
        }
        rig_until(r.record_count == 1);
        assert_string_equal(r.records[0].end, who == 0 ? "idle" : "backend reset");
        rig_expect_reset(backend);
        expect_no_tunnel(client, backend);
        (void)tls_tear_down(state);
        (void)tls_set_up(state);
    }
}

static void a_reset_of_its_client_passes_through_a_tunnel_over_tls(void **state)
{
    int client;
    int backend;
    (void)state;
    begin_tunnel(&client, &backend);
    rig_reset(client);
    rig_expect_reset(backend);
    expect_no_tunnel(-1, backend);
}

/* However busy it is. */
static void a_tunnel_over_tls_ends_when_it_is_old(void **state)
{
    int client;
    int backend;
    char byte;
    ssize_t got = -1;
    tusk_relay_stats stats;
    (void)state;
    r.options.limits.age_ms = 60;
    begin_tunnel(&client, &backend);
    rig_until((got = recv(backend, &byte, 1, 0)) == 0 || (got < 0 && errno != EAGAIN) ||
              (send(client, "x", 1, MSG_NOSIGNAL), false));
    expect_no_tunnel(client, backend);
    tusk_relay_stats_get(behind.relay, &stats);
    assert_true(rig_stats().aged + stats.aged >= 1);
    assert_int_equal(http_stats().tunnel_timeouts + behind.relay->http->stats.tunnel_timeouts, 0);
}

static void a_reset_passes_through_a_tunnel_over_tls(void **state)
{
    int client;
    int backend;
    (void)state;
    begin_tunnel(&client, &backend);
    rig_reset(backend);
    rig_expect_reset(client);
    (void)close(client);
    rig_until(http_stats().tunnels == 0);
    assert_string_equal(r.records[0].end, "backend reset");
}

/* The kernel tells a reset once: where something waits to be written, to who writes. */
static void a_reset_passes_though_the_tunnel_has_more_to_say(void **state)
{
    static const uint8_t piece[65536];
    int client;
    int backend;
    (void)state;
    begin_tunnel(&client, &backend);
    rig_until((send(client, piece, sizeof(piece), MSG_NOSIGNAL),
               first_http_line(behind.relay)->conn.blocked));
    rig_reset(backend);
    rig_expect_reset(client);
    expect_no_tunnel(client, -1);
    assert_string_equal(r.records[0].end, "backend reset");
}

/* Both sides have ended, and the last of what one of them said is not taken by the other. */
/* Writing meets the reset first, and reading finds the end that came before it. */
static void what_its_backend_says_before_a_reset_arrives(void **state)
{
    static const uint8_t much[65536];
    int client;
    int backend;
    (void)state;
    for (int ended = 0; ended < 2; ended++) {
        begin_tunnel(&client, &backend);
        assert_int_equal(send(client, much, sizeof(much), MSG_NOSIGNAL), sizeof(much));
        rig_turn(); /* it is on its way to the relay that is connected to the backend */
        rig_send(backend, "last words");
        assert_true(ended == 0 || shutdown(backend, SHUT_WR) == 0);
        rig_reset(backend);
        rig_expect(client, "last words");
        rig_expect_reset(client);
        expect_no_tunnel(client, -1);
        assert_string_equal(r.records[0].end, "backend reset");
        (void)tls_tear_down(state);
        (void)tls_set_up(state);
    }
}

static void end_a_tunnel_whose_backend_takes_nothing(int *client, int *backend)
{
    static const char bytes[8192];
    int little = 4096;
    assert_int_equal(setsockopt(h.listener, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
    begin_tunnel(client, backend);
    rig_until((send(*client, bytes, sizeof(bytes), MSG_NOSIGNAL),
               first_http_line(behind.relay)->conn.send_bytes > 0));
    assert_int_equal(shutdown(*backend, SHUT_WR), 0);
    assert_int_equal(shutdown(*client, SHUT_WR), 0);
    rig_until(behind.relay->http->stats.tunnels == 0);
    assert_int_equal(behind.relay->http->stats.lines, 1);
}

static void a_proxy_is_freed_beside_a_line_whose_backend_takes_nothing(void **state)
{
    int client;
    int backend;
    (void)state;
    end_a_tunnel_whose_backend_takes_nothing(&client, &backend);
    tusk_relay_stop(behind.relay);
    tusk_relay_stop(behind.relay);
    rig_until(behind.relay->http->stats.lines == 0);
    (void)close(client);
    (void)close(backend);
}

/* Its client is gone: nobody is there but the line. */
static void a_drain_ends_beside_a_line_whose_backend_takes_nothing(void **state)
{
    int client;
    int backend;
    (void)state;
    r.options.limits.drain_ms = 20;
    end_a_tunnel_whose_backend_takes_nothing(&client, &backend);
    (void)close(client);
    rig_until(behind.relay->gates.taken == 0);
    assert_int_equal(behind.relay->http->stats.lines, 1);
    tusk_relay_stop(behind.relay);
    rig_until(behind.relay->state == RELAY_STOPPED);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TLS_TEST(a_tunnel_over_tls_is_held_by_who_does_not_read),
        TLS_TEST(a_half_closed_tunnel_over_tls_ends_in_its_time_or_in_silences),
        TLS_TEST(a_slow_reader_of_a_tunnel_over_tls_is_not_silent),
        TLS_TEST(a_silent_tunnel_over_tls_ends),
        TLS_TEST(a_tunnel_over_tls_ends_when_it_is_old),
        TLS_TEST(an_end_before_the_switch_passes_through_a_tunnel_over_tls),
        TLS_TEST(a_silent_tunnel_ends_in_order_for_a_client_with_tls),
        TLS_TEST(a_tunnel_over_tls_that_is_cut_in_a_stream_ends_by_a_reset),
        TLS_TEST(a_reset_of_its_client_passes_through_a_tunnel_over_tls),
        TLS_TEST(a_reset_passes_through_a_tunnel_over_tls),
        TLS_TEST(a_reset_passes_though_the_tunnel_has_more_to_say),
        TLS_TEST(what_its_backend_says_before_a_reset_arrives),
        TLS_TEST(a_proxy_is_freed_beside_a_line_whose_backend_takes_nothing),
        TLS_TEST(a_drain_ends_beside_a_line_whose_backend_takes_nothing),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
