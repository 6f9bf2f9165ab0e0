/* SPDX-License-Identifier: MIT */
/* Upgrades through the HTTP proxy, and TLS on either side of it. */
#include "http_rig.h"

static const char upgrade[] = "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                              "Connection: Upgrade\r\n\r\n";
static const char switched[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                               "Connection: Upgrade\r\n\r\n";

static void join(int *client, int *backend)
{
    *client = rig_client();
    rig_send(*client, upgrade);
    *backend = rig_accept(h.listener);
    rig_expect(*backend, upgrade);
    rig_send(*backend, switched);
    rig_expect(*client, switched);
    rig_until(http_stats().tunnels == 1);
}

static void an_upgrade_becomes_a_tunnel(void **state)
{
    int client;
    int backend;
    (void)state;
    rig_start();
    join(&client, &backend);
    for (int i = 0; i < 3; i++) {
        rig_send(client, "ping");
        rig_expect(backend, "ping");
        rig_send(backend, "pong!");
        rig_expect(client, "pong!");
    }
    (void)close(client);
    rig_expect_eof(backend);
    (void)close(backend);
    rig_until(http_stats().tunnels == 0 && http_stats().lines == 0);
    assert_int_equal(http_stats().upgrades, 1);
    assert_int_equal(r.records[0].status, 101);
    assert_int_equal(r.records[0].up, 12);
    assert_int_equal(r.records[0].down, 15);
    assert_string_equal(r.records[0].end, "done");
}

static void bytes_around_the_switch_are_not_lost(void **state)
{
    char both[512];
    (void)state;
    rig_start();
    int client = rig_client();
    (void)snprintf(both, sizeof(both), "%sfirst", upgrade);
    rig_send(client, both); /* before it knows: in order all the same */
    int backend = rig_accept(h.listener);
    rig_expect(backend, upgrade);
    (void)snprintf(both, sizeof(both), "%shello", switched);
    rig_send(backend, both);
    rig_expect(client, both);
    rig_expect(backend, "first");
    (void)close(client);
    (void)close(backend);
}

static void each_direction_has_its_own_end(void **state)
{
    int client;
    int backend;
    (void)state;
    rig_start();
    join(&client, &backend);
    rig_send(client, "last words");
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_expect(backend, "last words");
    rig_expect_eof(backend);
    rig_send(backend, "still talking");
    rig_expect(client, "still talking");
    assert_int_equal(http_stats().tunnels, 1);
    (void)close(backend);
    rig_expect_eof(client);
    (void)close(client);
    rig_until(http_stats().tunnels == 0 && rig_stats().active == 0);
    assert_string_equal(r.records[0].end, "done");
    /* The backend first. */
    join(&client, &backend);
    assert_int_equal(shutdown(backend, SHUT_WR), 0);
    rig_expect_eof(client);
    rig_send(client, "and then");
    rig_expect(backend, "and then");
    (void)close(client);
    rig_expect_eof(backend);
    (void)close(backend);
    rig_until(http_stats().tunnels == 0 && rig_stats().active == 0);
}

static void a_client_that_had_ended_before_the_switch_is_told_so(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, upgrade);
    rig_send(client, "only this");
    int backend = rig_accept(h.listener);
    rig_expect(backend, upgrade);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_turn();
    rig_send(backend, switched);
    rig_expect(client, switched);
    rig_expect(backend, "only this");
    rig_expect_eof(backend);
    rig_send(backend, "thanks");
    rig_expect(client, "thanks");
    (void)close(backend);
    rig_expect_eof(client);
    (void)close(client);
    rig_until(rig_stats().active == 0);
    assert_string_equal(r.records[0].end, "done");
}

static void a_reset_ends_both(void **state)
{
    int client;
    int backend;
    (void)state;
    rig_start();
    join(&client, &backend);
    rig_reset(backend);
    rig_expect_reset(client);
    (void)close(client);
    rig_until(http_stats().tunnels == 0);
    join(&client, &backend);
    rig_reset(client);
    rig_until(http_stats().tunnels == 0);
    (void)close(backend);
}

static void a_silent_tunnel_ends(void **state)
{
    int client;
    int backend;
    (void)state;
    h.options.tunnel_ms = 40;
    rig_start();
    join(&client, &backend);
    rig_expect_eof(client);
    rig_expect_eof(backend);
    assert_int_equal(http_stats().tunnel_timeouts, 1);
    assert_string_equal(r.records[0].end, "idle");
    (void)close(client);
    (void)close(backend);
}

static void a_half_closed_tunnel_is_not_kept_for_ever(void **state)
{
    int client;
    int backend;
    (void)state;
    r.options.limits.half_closed_ms = 40;
    rig_start();
    join(&client, &backend);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_expect_eof(backend);
    rig_expect_eof(client);
    (void)close(client);
    (void)close(backend);
}

static void a_refused_upgrade_is_an_answer_like_others(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, upgrade);
    int backend = rig_accept(h.listener);
    rig_expect(backend, upgrade);
    rig_send(backend, http_ok);
    rig_expect(client, http_ok);
    http_round(client, backend);
    assert_int_equal(http_stats().upgrades, 0);
    (void)close(client);
    (void)close(backend);
}

/* RFC 9110, 7.8: it is read as if it were not there. */
static void an_upgrade_asked_for_in_http_1_0_is_not_passed_on(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.0\r\nHost: a\r\nUpgrade: websocket\r\n"
                     "Connection: Upgrade\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    rig_send(backend, http_ok);
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    rig_expect_eof(client);
    (void)close(client);
    (void)close(backend);
}

/* A 101 before the last byte of it would make the rest of the body the tunnel's first words. */
static void an_upgrade_with_a_body_is_a_request_like_others(void **state)
{
    static const char *const framings[][2] = {{"Content-Length: 2\r\n", "hi"},
                                              {"Transfer-Encoding: chunked\r\n", "2\r\nhi\r\n"}};
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(framings) / sizeof(framings[0]); i++) {
        char request[256];
        int client = rig_client();
        (void)snprintf(request, sizeof(request),
                       "POST / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                       "Connection: Upgrade\r\n%s\r\n%s",
                       framings[i][0], framings[i][1]);
        rig_send(client, request);
        int backend = rig_accept(h.listener);
        (void)snprintf(request, sizeof(request), "POST / HTTP/1.1\r\nHost: a\r\n%s\r\n%s",
                       framings[i][0], framings[i][1]);
        rig_expect(backend, request);
        rig_send(backend, switched);
        http_expect_refusal(client, "502 Bad Gateway: the backend changes the protocol", i == 1);
        assert_int_equal(http_stats().upgrades, 0);
        (void)close(client);
        (void)close(backend);
    }
}

/* Who takes the list apart at its commas finds h2c in each of them. */
static void a_quoted_protocol_is_not_passed_on(void **state)
{
    static const char *const lists[] = {"\", h2c, \"", "websocket, \"h2c\"",
                                        "x\r\nUpgrade: \"\\\", h2c"};
    char request[160];
    int backend;
    (void)state;
    rig_start();
    int client = http_begin(&backend);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        (void)snprintf(request, sizeof(request),
                       "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n",
                       lists[i]);
        rig_send(client, request);
        rig_expect(backend, http_get);
        rig_send(backend, http_ok);
        rig_expect(client, http_ok);
    }
    (void)close(client);
    (void)close(backend);
}

/* HTTP/2 behind such an upgrade is requests that no rule of ours sees. */
static void an_upgrade_to_http_2_is_not_passed_on(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket, H2C\r\n"
                     "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQ\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    rig_send(backend, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n"
                      "Connection: Upgrade\r\n\r\n");
    http_expect_refusal(client, "502 Bad Gateway: the backend changes the protocol", false);
    assert_int_equal(http_stats().upgrades, 0);
    (void)close(client);
    (void)close(backend);
}

static void a_tunnel_is_held_by_who_does_not_read(void **state)
{
    static char piece[65536];
    int client;
    int backend;
    size_t sum = 0;
    (void)state;
    rig_start();
    join(&client, &backend);
    size_t before = r.mem.live_bytes;
    for (int full = 0; full < 20;) {
        ssize_t put = send(backend, piece, sizeof(piece), MSG_NOSIGNAL);
        full = put > 0 ? 0 : full + 1;
        sum += put > 0 ? (size_t)put : 0;
        assert_true(sum < (size_t)256 * 1024 * 1024);
        rig_turn();
    }
    assert_true(http_stats().paused_backend >= 1);
    assert_true(r.mem.peak_bytes - before < 400 * 1024);
    size_t got = 0;
    while (got < sum) {
        ssize_t n = -1;
        rig_until((n = recv(client, piece, sizeof(piece), 0)) >= 0 || errno != EAGAIN);
        assert_true(n > 0);
        got += (size_t)n;
    }
    (void)close(client);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(an_upgrade_becomes_a_tunnel),
        http_test(bytes_around_the_switch_are_not_lost),
        http_test(each_direction_has_its_own_end),
        http_test(a_client_that_had_ended_before_the_switch_is_told_so),
        http_test(a_reset_ends_both),
        http_test(a_silent_tunnel_ends),
        http_test(a_half_closed_tunnel_is_not_kept_for_ever),
        http_test(a_refused_upgrade_is_an_answer_like_others),
        http_test(an_upgrade_asked_for_in_http_1_0_is_not_passed_on),
        http_test(an_upgrade_with_a_body_is_a_request_like_others),
        http_test(a_quoted_protocol_is_not_passed_on),
        http_test(an_upgrade_to_http_2_is_not_passed_on),
        http_test(a_tunnel_is_held_by_who_does_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
