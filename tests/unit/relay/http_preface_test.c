/* SPDX-License-Identifier: MIT */
/* PROXY heads before and behind the HTTP proxy: who the client is, and where it wanted to go. */
#include "http_rig.h"

static void a_backend_may_be_told_by_a_proxy_head(void **state)
{
    char expected[128];
    struct sockaddr_in own;
    socklen_t len = sizeof(own);
    (void)state;
    r.route.proxy_version = 1;
    rig_start();
    int client = rig_client();
    for (int i = 0; i < 2; i++) { /* each on a connection of its own */
        rig_send(client, http_get);
        int backend = rig_accept(h.listener);
        assert_int_equal(getsockname(client, (struct sockaddr *)(void *)&own, &len), 0);
        (void)snprintf(expected, sizeof(expected), "PROXY TCP4 127.0.0.1 127.0.0.1 %u %u\r\n%s",
                       (unsigned)ntohs(own.sin_port), (unsigned)tusk_relay_port(r.relay, 0),
                       http_get);
        rig_expect(backend, expected);
        rig_send(backend, http_ok);
        rig_expect(client, http_ok);
        rig_expect_eof(backend);
        (void)close(backend);
    }
    assert_int_equal(http_stats().reused, 0);
    (void)close(client);
}

static void a_trusted_proxy_says_who_the_client_is(void **state)
{
    static const char *const trusted[] = {"127.0.0.0/8"};
    (void)state;
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.listen.proxy_protocol = true;
    h.options.x_forwarded = TUSK_FORWARD_APPEND;
    r.fields |= 1u << TUSK_LOOKUP_PEER;
    rig_start();
    int client = rig_client();
    rig_send(client, "PROXY TCP4 192.0.2.7 10.0.0.1 4000 80\r\n"
                     "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n");
    int backend = rig_accept(h.listener);
    /* The balancer is believed; who came through it is a stranger all the same. */
    rig_expect(backend, "GET / HTTP/1.1\r\nHost: a\r\n"
                        "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"
                        "X-Forwarded-Host: a\r\n\r\n");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "192.0.2.7");
    http_answers(client, backend);
    (void)close(client);
    (void)close(backend);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].peer, "192.0.2.7:4000");
    client = rig_client();
    rig_send(client, "PROXY TCP4 127.0.0.9 10.0.0.1 4000 80\r\n"
                     "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n");
    backend = rig_accept(h.listener);
    rig_expect(backend, "GET / HTTP/1.1\r\nHost: a\r\n"
                        "X-Forwarded-For: 1.2.3.4, 127.0.0.9\r\nX-Forwarded-Proto: http\r\n"
                        "X-Forwarded-Host: a\r\n\r\n");
    http_answers(client, backend);
    (void)close(client);
    (void)close(backend);
    client = rig_client();
    rig_send(client, http_get); /* no PROXY head: not from there */
    rig_expect_reset(client);
    (void)close(client);
}

/* ---- what a balancer tells beside ---- */
static const char *const loopback[] = {"127.0.0.0/8"};

static void behind_a_balancer(void)
{
    r.options.trusted_proxies = loopback;
    r.options.trusted_proxy_count = 1;
    r.listen.proxy_protocol = true;
}

static void where_the_client_connected_to_is_told_on(void **state)
{
    static const char head[] = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x18\xc0\0\x02\x09\xc0\0\x02\x08"
                               "\x10\0\0\x50\x02\0\x09mx.b.test";
    (void)state;
    behind_a_balancer();
    r.fields = 1u << TUSK_LOOKUP_DESTINATION | 1u << TUSK_LOOKUP_AUTHORITY;
    r.route.proxy_version = 1;
    rig_start();
    int client = rig_client();
    assert_int_equal(send(client, head, sizeof(head) - 1, MSG_NOSIGNAL), sizeof(head) - 1);
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    rig_expect(backend, "PROXY TCP4 192.0.2.9 192.0.2.8 4096 80\r\n");
    rig_expect(backend, http_get);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_DESTINATION], "192.0.2.8:80");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_AUTHORITY], "mx.b.test");
    http_answers(client, backend);
    (void)close(client);
    (void)close(backend);
    /* Another one's answer is not this one's. */
    client = rig_client();
    rig_send(client, "PROXY TCP4 192.0.2.9 192.0.2.7 4096 80\r\n");
    rig_send(client, http_get);
    rig_until(r.ask_count == 2);
    assert_string_equal(r.asked[1][TUSK_LOOKUP_DESTINATION], "192.0.2.7:80");
    assert_string_equal(r.asked[1][TUSK_LOOKUP_AUTHORITY], "-");
    (void)close(client);
}

static void a_client_over_its_own_limit_hears_429(void **state)
{
    (void)state;
    behind_a_balancer();
    r.options.limits.per_source = 1;
    rig_start();
    int first = rig_client();
    rig_send(first, "PROXY TCP4 192.0.2.7 10.0.0.1 4000 80\r\n");
    rig_send(first, http_get);
    int backend = rig_accept(h.listener);
    int again = rig_client();
    rig_send(again, "PROXY TCP4 192.0.2.7 10.0.0.1 4001 80\r\n");
    rig_expect(again, "HTTP/1.1 429 Too Many Requests\r\n");
    assert_int_equal(rig_stats().refused_source, 1);
    assert_int_equal(r.ask_count, 1);
    (void)close(again);
    (void)close(first);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(a_backend_may_be_told_by_a_proxy_head),
        http_test(a_trusted_proxy_says_who_the_client_is),
        http_test(where_the_client_connected_to_is_told_on),
        http_test(a_client_over_its_own_limit_hears_429),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
