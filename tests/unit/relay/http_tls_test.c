/* SPDX-License-Identifier: MIT */
/* TLS of the HTTP proxy: requests over it, and its handshakes. */
#define _GNU_SOURCE
#include "http_tls_rig.h"

static void requests_pass_over_tls_and_connections_are_kept(void **state)
{
    (void)state;
    start_behind("main.crt");
    start("main.crt", "Main.test");
    int backend;
    int client = http_begin(&backend);
    assert_string_equal(behind.asked, "main.test");
    assert_string_equal(behind.alpn, "http/1.1"); /* what a relay offers as a client */
    assert_true(behind.secure);
    http_round(client, backend);
    assert_int_equal(rig_stats().dials, 1);
    assert_int_equal(http_stats().reused, 1);
    (void)close(client);
    (void)close(backend);
}

static void a_proxy_head_stands_before_tls(void **state)
{
    static const char *const trusted[] = {"127.0.0.0/8"};
    char wanted[64];
    (void)state;
    behind.proxy_protocol = true;
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.fields |= 1u << TUSK_LOOKUP_DESTINATION;
    r.route.proxy_version = 2;
    start_behind("main.crt");
    start("main.crt", "main.test");
    int backend;
    int client = http_begin(&backend);
    (void)snprintf(wanted, sizeof(wanted), "127.0.0.1:%u", (unsigned)tusk_relay_port(r.relay, 0));
    assert_string_equal(behind.destination, wanted); /* of the first one, by the head */
    assert_true(behind.secure);
    (void)close(client);
    (void)close(backend);
}

/* Its address is full, which is no fault of what it said. */
static void who_is_over_a_limit_before_tls_broke_no_rule(void **state)
{
    static const char *const trusted[] = {"127.0.0.0/8"};
    static const char head[] = "PROXY TCP4 192.0.2.7 192.0.2.8 1000 443\r\n";
    tusk_relay_stats stats;
    (void)state;
    behind.proxy_protocol = true;
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.options.limits.per_source = 1;
    start_behind("main.crt");
    int first = rig_connect_to(tusk_relay_port(behind.relay, 0));
    rig_send(first, head);
    int second = rig_connect_to(tusk_relay_port(behind.relay, 0));
    rig_send(second, head);
    rig_until((tusk_relay_stats_get(behind.relay, &stats), stats.done == 1));
    assert_int_equal(stats.refused_source, 1);
    assert_int_equal(stats.protocol_errors, 0);
    rig_send(first, "neither a handshake nor anything else\r\n");
    (void)close(second);
    rig_until((tusk_relay_stats_get(behind.relay, &stats), stats.done == 2));
    assert_int_equal(stats.protocol_errors, 1);
    (void)close(first);
}

/* As a balancer's health check does. */
static void who_leaves_without_a_byte_of_tls_broke_no_rule(void **state)
{
    tusk_relay_stats stats;
    (void)state;
    start_behind("main.crt");
    for (uint64_t i = 0; i < 4; i++) {
        int client = rig_connect_to(tusk_relay_port(behind.relay, 0));
        if (i == 2) {
            rig_reset(client);
        } else {
            if (i == 3) {
                rig_send(client, "\x16\x03\x01");
            }
            (void)close(client);
        }
        rig_until((tusk_relay_stats_get(behind.relay, &stats), stats.done == i + 1));
        assert_int_equal(stats.protocol_errors, i == 3 ? 1 : 0);
    }
}

/* Nothing can be asked before TLS, so it is not left out because it was only preferred. */
static void tls_that_is_preferred_is_spoken(void **state)
{
    (void)state;
    start_behind("main.crt");
    r.route.upstream_tls = TUSK_TLS_ALLOW;
    start_as_it_is("main.crt", "main.test");
    int backend;
    int client = http_begin(&backend);
    assert_true(behind.secure);
    (void)close(client);
    (void)close(backend);
}

static void a_large_answer_passes_over_tls(void **state)
{
    enum { BODY = 3000000 };
    static uint8_t body[BODY];
    size_t put = 0;
    size_t got = 0;
    (void)state;
    pattern(body, 0, BODY);
    start_behind("main.crt");
    start("main.crt", "main.test");
    int backend;
    int client = http_asks(&backend);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 3000000\r\n\r\n");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 3000000\r\n\r\n");
    while (got < BODY) {
        uint8_t piece[65536];
        ssize_t n = put < BODY ? send(backend, body + put, BODY - put, MSG_NOSIGNAL) : 0;
        put += n > 0 ? (size_t)n : 0;
        rig_turn();
        while ((n = recv(client, piece, sizeof(piece), 0)) > 0) {
            assert_pattern(piece, got, (size_t)n);
            got += (size_t)n;
        }
        assert_int_not_equal(n, 0);
    }
    (void)close(client);
    (void)close(backend);
}

static void a_certificate_of_somebody_else_is_a_bad_gateway(void **state)
{
    (void)state;
    start_behind("main.crt");
    start("exact.crt", "main.test");
    int client = rig_client();
    rig_send(client, http_get);
    http_expect_refusal(client, "502 Bad Gateway: the backend's TLS failed", false);
    (void)close(client);
}

static void a_backend_without_tls_is_a_bad_gateway(void **state)
{
    (void)state;
    (void)snprintf(behind.address, sizeof(behind.address), "127.0.0.1:%u", (unsigned)h.port);
    start("main.crt", "main.test");
    int client = rig_client();
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    rig_send(backend, "HTTP/1.1 400 Bad Request\r\nDate: D\r\n\r\n");
    http_expect_refusal(client, "502 Bad Gateway: the backend's TLS failed", false);
    (void)close(client);
    (void)close(backend);
}

/* Nothing of the request has left, so it does not matter what it is. */
static void left_for_another_one(bool silent)
{
    static const char post[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    uint16_t port;
    int plain = rig_listen(&port);
    rig_target(port, 1000000);
    r.options.limits.connect_ms = silent ? 50 : 10000;
    start_behind("main.crt");
    start("main.crt", "main.test");
    int client = rig_client();
    rig_send(client, post);
    int first = rig_accept(plain);
    if (!silent) {
        rig_send(first, "HTTP/1.1 400 Bad Request\r\nDate: D\r\n\r\n");
    }
    int backend = rig_accept(h.listener);
    rig_expect(backend, post);
    http_answers(client, backend);
    assert_int_equal(rig_stats().retries, 1);
    assert_int_equal(rig_stats().dial_timeouts, silent ? 1 : 0);
    assert_int_equal(http_stats().retried, 0);
    (void)close(client);
    (void)close(first);
    (void)close(plain);
    (void)close(backend);
}

static void a_backend_whose_tls_fails_is_left_for_another_one(void **state)
{
    (void)state;
    left_for_another_one(false);
}

static void so_is_one_that_is_silent_in_its_handshake(void **state)
{
    (void)state;
    left_for_another_one(true);
}

static void a_silent_handshake_of_the_only_target_is_a_timeout(void **state)
{
    (void)state;
    (void)snprintf(behind.address, sizeof(behind.address), "127.0.0.1:%u", (unsigned)h.port);
    r.options.limits.connect_ms = 30;
    start("main.crt", "main.test");
    int client = rig_client();
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    http_expect_refusal(
        client, "504 Gateway Timeout: the backend did not shake hands for TLS in time", false);
    (void)close(client);
    (void)close(backend);
    rig_until(http_stats().lines == 0);
}

static void a_client_that_goes_during_the_handshake_takes_it_along(void **state)
{
    (void)state;
    (void)snprintf(behind.address, sizeof(behind.address), "127.0.0.1:%u", (unsigned)h.port);
    start("main.crt", "main.test");
    int client = rig_client();
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    rig_turn();
    rig_reset(client);
    rig_until(rig_stats().active == 0 && http_stats().lines == 0);
    (void)close(backend);
}

static void a_client_without_tls_is_left(void **state)
{
    (void)state;
    start_behind("main.crt");
    int client = rig_connect_to(tusk_relay_port(behind.relay, 0));
    rig_send(client, http_get);
    tusk_relay_stats stats;
    do {
        rig_turn();
        tusk_relay_stats_get(behind.relay, &stats);
    } while (stats.active > 0 || stats.protocol_errors == 0);
    (void)close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TLS_TEST(requests_pass_over_tls_and_connections_are_kept),
        TLS_TEST(a_proxy_head_stands_before_tls),
        TLS_TEST(who_is_over_a_limit_before_tls_broke_no_rule),
        TLS_TEST(who_leaves_without_a_byte_of_tls_broke_no_rule),
        TLS_TEST(tls_that_is_preferred_is_spoken),
        TLS_TEST(a_large_answer_passes_over_tls),
        TLS_TEST(a_certificate_of_somebody_else_is_a_bad_gateway),
        TLS_TEST(a_backend_without_tls_is_a_bad_gateway),
        TLS_TEST(a_backend_whose_tls_fails_is_left_for_another_one),
        TLS_TEST(so_is_one_that_is_silent_in_its_handshake),
        TLS_TEST(a_silent_handshake_of_the_only_target_is_a_timeout),
        TLS_TEST(a_client_that_goes_during_the_handshake_takes_it_along),
        TLS_TEST(a_client_without_tls_is_left),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
