/* SPDX-License-Identifier: MIT */
/* TLS on both sides of the HTTP proxy: one relay with TLS towards backends before another one with
 * a certificate. */
#define _GNU_SOURCE
#include "http_rig.h"

#include "../net/tls_pair.h"
#include "relay/http/inner.h"

/* The one behind, which ends TLS and passes on to the test's backend. */
static struct {
    tusk_relay *relay;
    tusk_tls *server_tls, *client_tls;
    char address[64];
    char asked[64];
    char alpn[64];
    char destination[64];
    bool secure;
    bool proxy_protocol;
} behind;

static void behind_on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    char backend[64];
    (void)user;
    (void)snprintf(backend, sizeof(backend), "127.0.0.1:%u", (unsigned)h.port);
    const tusk_relay_target target = {.address = tusk_bytes_str(backend), .weight = 1};
    const tusk_relay_route route = {.targets = &target, .target_count = 1};
    rig_copy(behind.asked, lookup->field[TUSK_LOOKUP_SERVER_NAME]);
    rig_copy(behind.alpn, lookup->field[TUSK_LOOKUP_ALPN]);
    rig_copy(behind.destination, lookup->field[TUSK_LOOKUP_DESTINATION]);
    behind.secure = lookup->secure;
    assert_err(tusk_relay_answer(behind.relay, ask, 0, &route), TUSK_OK);
}

static void start_behind(const char *certificate)
{
    static const tusk_relay_handler handler = {.on_lookup = behind_on_lookup};
    char reason[256];
    const tusk_tls_options options = {.certificate_file = in_dir(certificate),
                                      .key_file = in_dir("main.key")};
    assert_err(tusk_tls_server_new(&behind.server_tls, &options, reason, sizeof(reason)), TUSK_OK);
    tusk_relay_options relay = r.options;
    relay.handler = &handler;
    const tusk_relay_listen_options listen = {.tls = behind.server_tls,
                                              .proxy_protocol = behind.proxy_protocol};
    assert_err(tusk_relay_new(&behind.relay, &relay, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_listen(behind.relay, "127.0.0.1:0", &listen), TUSK_OK);
    assert_err(tusk_relay_start(behind.relay, reason, sizeof(reason)), TUSK_OK);
    (void)snprintf(behind.address, sizeof(behind.address), "127.0.0.1:%u",
                   (unsigned)tusk_relay_port(behind.relay, 0));
}

/* The one before: plain towards its client. */
static void start_as_it_is(const char *ca, const char *name)
{
    char reason[256];
    const tusk_tls_options options = {.ca_file = in_dir(ca), .verify_peer = true};
    assert_err(tusk_tls_client_new(&behind.client_tls, &options, reason, sizeof(reason)), TUSK_OK);
    r.targets[0].address = tusk_bytes_str(behind.address);
    r.route.tls_name = tusk_bytes_str(name);
    r.options.upstream_tls = behind.client_tls;
    rig_start();
}

static void start(const char *ca, const char *name)
{
    r.route.upstream_tls = TUSK_TLS_REQUIRE;
    start_as_it_is(ca, name);
}

static int tls_set_up(void **state)
{
    (void)http_set_up(state);
    memset(&behind, 0, sizeof(behind));
    return 0;
}

static int tls_tear_down(void **state)
{
    tusk_relay_free(behind.relay);
    int result = http_tear_down(state);
    tusk_tls_unref(behind.server_tls);
    tusk_tls_unref(behind.client_tls);
    return result;
}

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

static http_line *line_of_tunnel(void)
{
    rig_until(behind.relay->http->stats.tunnels == 1);
    return TUSK_OWNER(behind.relay->sessions.next, http_client, session.link)->exchange->line;
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

/* Both sides have ended, and the last of what one of them said is not taken by the other. */
static void end_a_tunnel_whose_backend_takes_nothing(int *client, int *backend)
{
    static const char bytes[8192];
    int little = 4096;
    assert_int_equal(setsockopt(h.listener, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
    begin_tunnel(client, backend);
    http_line *line = line_of_tunnel();
    rig_until((send(*client, bytes, sizeof(bytes), MSG_NOSIGNAL), line->conn.send_bytes > 0));
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

#define TLS_TEST(name) cmocka_unit_test_setup_teardown(name, tls_set_up, tls_tear_down)

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
        TLS_TEST(a_tunnel_over_tls_is_held_by_who_does_not_read),
        TLS_TEST(a_silent_tunnel_over_tls_ends),
        TLS_TEST(a_tunnel_over_tls_ends_when_it_is_old),
        TLS_TEST(a_silent_tunnel_ends_in_order_for_a_client_with_tls),
        TLS_TEST(a_tunnel_over_tls_that_is_cut_in_a_stream_ends_by_a_reset),
        TLS_TEST(a_reset_of_its_client_passes_through_a_tunnel_over_tls),
        TLS_TEST(a_reset_passes_through_a_tunnel_over_tls),
        TLS_TEST(a_proxy_is_freed_beside_a_line_whose_backend_takes_nothing),
        TLS_TEST(a_drain_ends_beside_a_line_whose_backend_takes_nothing),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
