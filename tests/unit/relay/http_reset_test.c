/* SPDX-License-Identifier: MIT */
/* A side of the HTTP proxy that resets in the very turn in which the other one speaks: its end is
 * known before it is told. */
#include "http_rig.h"
#include "sessions_of.h"

#include "net/tcp_info.h"
#include "relay/http/inner.h"

#define PUT_HEAD "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
#define OK_HEAD "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 4\r\n\r\n"

static void expect_record(const char *end, uint16_t status)
{
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, end);
    assert_int_equal(r.records[0].status, status);
}

static int half_a_body(int *backend)
{
    rig_start();
    int client = rig_client();
    rig_send(client, PUT_HEAD "ab");
    *backend = rig_accept(h.listener);
    rig_expect(*backend, PUT_HEAD "ab");
    return client;
}

static void a_backend_that_resets_while_the_body_comes_is_a_bad_gateway(void **state)
{
    (void)state;
    int backend;
    int client = half_a_body(&backend);
    rig_reset(backend); /* first, so that the poller tells it first */
    rig_send(client, "cd");
    assert_memory_equal(http_read(client), "HTTP/1.1 502 Bad Gateway\r\n", 26);
    expect_record("refused", 502);
    assert_int_equal(rig_stats().resets_backend, 1);
    rig_expect_resets(1);
    (void)close(client);
}

static void a_backend_that_resets_within_its_answer_is_counted(void **state)
{
    (void)state;
    int backend;
    int client = half_a_body(&backend);
    rig_send(backend, OK_HEAD "x");
    rig_expect(client, "HTTP/1.1 200 OK\r\n");
    rig_reset(backend);
    rig_send(client, "cd");
    expect_record("backend reset", 200);
    assert_int_equal(http_stats().truncated, 1);
    assert_int_equal(rig_stats().resets_backend, 1);
    rig_expect_resets(1);
    (void)close(client);
}

/* The kernel tells a reset once: where something waits to be written, to who writes. Of an answer
 * without a length nothing but its end tells that it is whole. */
static void an_answer_of_no_length_is_not_whole_though_writing_met_the_reset(void **state)
{
#define LONG_PUT "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n"
    static const char body[65536];
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, LONG_PUT);
    int backend = rig_accept(h.listener);
    rig_expect(backend, LONG_PUT);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\n\r\na part");
    rig_expect(client, "HTTP/1.1 200 OK\r\n");
    for (int full = 0; full < 10; full++) {
        full = send(client, body, sizeof(body), MSG_NOSIGNAL) > 0 ? 0 : full;
        rig_turn();
    }
    rig_reset(backend);
    expect_record("backend reset", 200);
    assert_int_equal(http_stats().truncated, 1);
    assert_int_equal(rig_stats().resets_backend, 1);
    (void)close(client);
}

/* A server that answers and closes with input unread resets, its answer all said. A client that
 * takes it slowly gets all of it. */
static void a_reset_behind_a_whole_answer_takes_nothing_from_a_slow_client(void **state)
{
    static const char piece[] = "1000\r\n";
    static char bytes[65536];
    net_tcp_info info;
    size_t got = 0;
    (void)state;
    int backend;
    rig_start();
    int client = http_asks(&backend);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n");
    memset(bytes, 'x', 4096);
    memcpy(bytes + 4096, "\r\n", 2);
    int count = 0;
    for (int more = 4; more > 0;) {
        rig_send(backend, piece);
        assert_int_equal(send(backend, bytes, 4098, MSG_NOSIGNAL), 4098);
        count++;
        rig_turn();
        more = first_http_line(r.relay)->conn.paused ? more - 1 : 4;
    }
    rig_send(backend, "0\r\n\r\n");
    rig_until(!tusk__tcp_info_get(&info, backend) || !info.held);
    rig_reset(backend);
    for (int i = 0; i < 5; i++) {
        rig_turn(); /* the proxy hears of it before its client reads on */
    }
    size_t seen = 0;
    while (seen < 5 || memcmp(bytes + seen - 5, "0\r\n\r\n", 5) != 0) {
        ssize_t n = -1;
        rig_until((n = recv(client, bytes, sizeof(bytes), 0)) >= 0 || errno != EAGAIN);
        assert_true(n > 0);
        seen = (size_t)n;
        got += seen;
    }
    assert_true(got > (size_t)count * 4096);
    expect_record("done", 200);
    assert_int_equal(http_stats().truncated, 0);
    (void)close(client);
}

static void a_client_that_resets_while_the_answer_comes_has_reset(void **state)
{
    static const char *const heads[] = {"", OK_HEAD "x"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        rig_start();
        int client = rig_client();
        rig_send(client, http_get);
        int backend = rig_accept(h.listener);
        rig_expect(backend, http_get);
        if (i > 0) {
            rig_send(backend, heads[i]);
            rig_expect(client, heads[i]);
        }
        rig_reset(client);
        rig_send(backend, i > 0 ? "yz" : OK_HEAD);
        expect_record("client reset", i > 0 ? 200 : 0);
        assert_int_equal(rig_stats().resets_client, 1);
        (void)close(backend);
        (void)http_tear_down(state);
        (void)http_set_up(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(a_backend_that_resets_while_the_body_comes_is_a_bad_gateway),
        http_test(a_backend_that_resets_within_its_answer_is_counted),
        http_test(an_answer_of_no_length_is_not_whole_though_writing_met_the_reset),
        http_test(a_reset_behind_a_whole_answer_takes_nothing_from_a_slow_client),
        http_test(a_client_that_resets_while_the_answer_comes_has_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
