/* SPDX-License-Identifier: MIT */
/* What the HTTP proxy refuses, each in HTTP's words: doubtful framing, limits, deadlines, the
 * resolver's refusals. */
#include "http_rig.h"

static void doubtful_requests_are_refused_and_reach_no_backend(void **state)
{
    static const char *const requests[] = {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\"\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0b"
        "chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
        "GET http://a@b/ HTTP/1.1\r\nHost: a\r\n\r\n",
    };
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        int client = rig_client();
        rig_send(client, requests[i]);
        rig_send(client, http_get); /* what would be smuggled */
        const char *answer = http_read(client);
        if (strncmp(answer, "HTTP/1.1 400 Bad Request\r\n", 26) != 0) {
            fail_msg("%s is answered by %s", requests[i], answer);
        }
        assert_non_null(strstr(answer, "Connection: close\r\n"));
        rig_expect_eof(client);
        (void)close(client);
    }
    assert_int_equal(http_stats().bad_requests, sizeof(requests) / sizeof(requests[0]));
    assert_int_equal(rig_stats().dials, 0);
    assert_int_equal(r.ask_count, 0);
}

static void a_broken_body_ends_both_sides(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "2\r\nab\r\n0x3\r\n");
    int backend = rig_accept(h.listener);
    http_expect_refusal(client, "400 Bad Request", true);
    rig_expect_eof(backend); /* all was seen before anything left */
    (void)close(client);
    (void)close(backend);
    rig_until(http_stats().lines == 0);
}

static void methods_of_other_proxies_are_not_passed_on(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    /* What a client sends behind it in good hope is no request. */
    rig_send(client,
             "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    http_expect_refusal(client, "405 Method Not Allowed", true);
    (void)close(client);
    client = rig_client();
    rig_send(client, "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n");
    http_expect_refusal(client, "405 Method Not Allowed", false);
    rig_send(client, "OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n");
    assert_string_equal(http_read(client), "HTTP/1.1 204 No Content\r\n\r\n");
    assert_int_equal(rig_stats().dials, 0);
    (void)close(client);
}

/* ---- limits ---- */
static void bodies_have_a_limit(void **state)
{
    (void)state;
    h.options.body_bytes = 4;
    rig_start();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde");
    http_expect_refusal(client, "413 Content Too Large: the request's body is too large", true);
    (void)close(client);
    client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    http_expect_refusal(client, "413 Content Too Large", true);
    assert_int_equal(http_stats().bodies_too_big, 2);
    (void)close(client);
}

static void heads_have_limits(void **state)
{
    static char long_head[20000];
    (void)state;
    rig_start();
    memset(long_head, 'x', sizeof(long_head) - 1);
    memcpy(long_head, "GET / HTTP/1.1\r\nHost: a\r\nX: ", 28);
    int client = rig_client();
    rig_send(client, long_head);
    http_expect_refusal(client, "431 Request Header Fields Too Large", true);
    (void)close(client);
    memcpy(long_head, "GET /xxxxxxxxxxxxxxxxxxxxxxxxxxx", 28);
    client = rig_client();
    rig_send(client, long_head);
    http_expect_refusal(client, "414 URI Too Long", true);
    (void)close(client);
    client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
                     "16,17\r\n\r\n");
    http_expect_refusal(client, "431 Request Header Fields Too Large", false);
    (void)close(client);
    assert_int_equal(http_stats().bad_requests, 2); /* the last one was understood */
    assert_int_equal(http_stats().refused_4xx, 3);
}

static void a_connection_has_so_many_requests(void **state)
{
    (void)state;
    h.options.requests = 2;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    rig_send(client, http_get);
    rig_expect(backend, http_get);
    rig_send(backend, http_ok);
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    rig_expect_eof(client);
    assert_int_equal(http_stats().requests_used_up, 1);
    (void)close(client);
    (void)close(backend);
}

/* ---- deadlines ---- */
static void a_slow_head_is_told_so(void **state)
{
    (void)state;
    h.options.head_ms = 40;
    rig_start();
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\nHo");
    http_expect_refusal(client, "408 Request Timeout", true);
    (void)close(client);
    client = rig_client(); /* and one that says nothing hears nothing */
    rig_expect_eof(client);
    assert_int_equal(http_stats().head_timeouts, 2);
    (void)close(client);
}

static void an_idle_client_is_left(void **state)
{
    (void)state;
    h.options.keep_alive_ms = 40;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    rig_expect_eof(client);
    assert_int_equal(http_stats().keep_alive_timeouts, 1);
    (void)close(client);
    (void)close(backend);
}

static void a_body_that_does_not_come_is_told_so(void **state)
{
    (void)state;
    h.options.body_ms = 40;
    rig_start();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    http_expect_refusal(client, "408 Request Timeout: the request's body", true);
    assert_int_equal(http_stats().body_timeouts, 1);
    (void)close(client);
}

static void a_backend_that_says_nothing_is_a_gateway_timeout(void **state)
{
    (void)state;
    h.options.answer_ms = 40;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    http_expect_refusal(client, "504 Gateway Timeout: the backend did not answer in time", false);
    rig_expect_eof(backend);
    assert_int_equal(http_stats().answer_timeouts, 1);
    assert_int_equal(r.records[0].status, 504);
    (void)close(client);
    (void)close(backend);
}

static void an_answer_that_stops_is_cut(void **state)
{
    (void)state;
    h.options.idle_ms = 40;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\nhi");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\nhi");
    rig_expect_reset(client);
    assert_int_equal(http_stats().idle_timeouts, 1);
    assert_string_equal(r.records[0].end, "idle");
    (void)close(client);
    (void)close(backend);
}

static void a_half_closed_client_is_not_waited_for_for_ever(void **state)
{
    (void)state;
    r.options.limits.half_closed_ms = 40;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    http_expect_refusal(client, "504 Gateway Timeout", true);
    (void)close(client);
    (void)close(backend);
}

static void a_backend_that_says_nothing_to_a_client_that_has_ended_is_given_up(void **state)
{
    (void)state;
    h.options.client_fin_ms = 40;
    r.options.limits.half_closed_ms = 0;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    http_expect_refusal(client, "504 Gateway Timeout: the client ended its side", true);
    rig_expect_eof(backend);
    assert_int_equal(http_stats().client_fin_timeouts, 1);
    assert_int_equal(http_stats().answer_timeouts, 0);
    (void)close(client);
    (void)close(backend);
}

/* ---- the resolver ---- */
static void a_refusal_has_the_resolvers_code_and_reason(void **state)
{
    static const uint16_t codes[] = {403, 404, 500, 502, 503, 504};
    (void)state;
    r.fields = 1u << TUSK_LOOKUP_HOST | 1u << TUSK_LOOKUP_PATH;
    rig_start();
    int client = rig_client();
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        char request[64];
        char expected[128];
        r.refusal = (tusk_relay_refusal){
            .status = codes[i], .reason = tusk_bytes_str("say \"no\""), .ttl_ms = 1000};
        (void)snprintf(request, sizeof(request), "GET /%u HTTP/1.1\r\nHost: A:80\r\n\r\n",
                       (unsigned)codes[i]);
        (void)snprintf(expected, sizeof(expected), "%u %s: say \"no\"\n", (unsigned)codes[i],
                       tusk_http_reason(codes[i]));
        rig_send(client, request);
        http_expect_refusal(client, expected, false);
    }
    assert_string_equal(r.asked[0][TUSK_LOOKUP_HOST], "a");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_METHOD], "GET");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PATH], "/403");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "127.0.0.1");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_LISTENER], "127.0.0.1:0");
    rig_send(client, "GET /403 HTTP/1.1\r\nHost: a\r\nAccept: text/html;q=0.1, application/json\r\n"
                     "\r\n");
    assert_non_null(strstr(http_read(client), "text/plain"));
    rig_send(client, "GET /403 HTTP/1.1\r\nHost: a\r\nAccept: application/problem+json\r\n\r\n");
    assert_non_null(strstr(http_read(client), "{\"title\":\"Forbidden\",\"status\":403,"
                                              "\"detail\":\"say \\u0022no\\u0022\"}\n"));
    assert_int_equal(r.ask_count, 6);
    rig_send(client, "HEAD /404 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /404 HTTP/1.1\r\nHost: a\r\n\r\n");
    rig_until(http_stats().refused_4xx == 6);
    (void)close(client);
}

static void every_status_of_a_refusal_is_told_with_a_page(void **state)
{
    (void)state;
    r.fields = 1u << TUSK_LOOKUP_PATH;
    rig_start();
    int client = rig_client();
    for (unsigned status = 400; status <= 599; status++) {
        const char *name = tusk_http_reason((int)status);
        char request[128];
        char expected[256];
        r.refusal = (tusk_relay_refusal){
            .status = (uint16_t)status, .reason = tusk_bytes_str("no <b>way</b>"), .ttl_ms = 1000};
        (void)snprintf(request, sizeof(request), "GET /%u HTTP/1.1\r\nHost: a\r\n\r\n", status);
        rig_send(client, request);
        const char *answer = http_read(client);
        (void)snprintf(expected, sizeof(expected), "HTTP/1.1 %u %s\r\n", status, name);
        assert_memory_equal(answer, expected, strlen(expected));
        assert_non_null(strstr(answer, "Content-Type: text/plain; charset=utf-8\r\n"));
        (void)snprintf(expected, sizeof(expected), "\r\n\r\n%u%s%s: no <b>way</b>\n", status,
                       name[0] == '\0' ? "" : " ", name);
        assert_non_null(strstr(answer, expected));
        (void)snprintf(request, sizeof(request),
                       "GET /%u HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n", status);
        rig_send(client, request);
        (void)snprintf(expected, sizeof(expected),
                       "\r\n\r\n{\"title\":\"%s\",\"status\":%u,\"detail\":\"no <b>way</b>\"}\n",
                       name, status);
        answer = http_read(client);
        assert_non_null(strstr(answer, expected));
        assert_true((strstr(answer, "\r\nAllow: ") != NULL) == (status == 405));
        assert_true((strstr(answer, "\r\nWWW-Authenticate: ") != NULL) == (status == 401));
        assert_true((strstr(answer, "\r\nProxy-Authenticate: ") != NULL) == (status == 407));
        assert_true((strstr(answer, "\r\nUpgrade: websocket\r\n") != NULL) == (status == 426));
        assert_true((strstr(answer, "\r\nConnection: upgrade\r\n") != NULL) == (status == 426));
        assert_int_equal(r.records[0].status, status);
        assert_int_equal(r.ask_count, 1);
        r.record_count = r.ask_count = 0;
    }
    assert_int_equal(rig_stats().dials, 0);
    (void)close(client);
}

static void a_late_answer_of_the_resolver_finds_its_request(void **state)
{
    (void)state;
    r.later = true;
    rig_start();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
    rig_until(r.ask_count == 1);
    rig_send(client, "cd");
    rig_turn();
    assert_err(rig_answer(0), TUSK_OK);
    int backend = rig_accept(h.listener);
    rig_expect(backend, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd");
    rig_send(backend, http_ok);
    rig_expect(client, http_ok);
    /* And one that comes when its client is gone finds nobody. */
    rig_send(client, "GET / HTTP/1.1\r\nHost: b\r\n\r\n");
    rig_until(r.ask_count == 2);
    rig_reset(client);
    rig_until(rig_stats().active == 0);
    assert_err(rig_answer(1), TUSK_OK);
    rig_turn();
    (void)close(backend);
}

static void a_resolver_that_says_nothing_is_a_gateway_timeout(void **state)
{
    (void)state;
    r.later = true;
    r.options.limits.resolve_ms = 30;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    assert_non_null(strstr(http_read(client), "HTTP/1.1 504 Gateway Timeout\r\n"));
    (void)close(client);
}

static void a_route_may_answer_itself(void **state)
{
    (void)state;
    r.fields = 1u << TUSK_LOOKUP_PATH;
    r.target_count = 0;
    r.route.status = 301;
    r.route.fields = tusk_bytes_str("Location: https://a/\r\n");
    r.route.body = tusk_bytes_str("moved\n");
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    assert_string_equal(http_read(client), "HTTP/1.1 301 Moved Permanently\r\n"
                                           "Location: https://a/\r\nContent-Length: 6\r\n\r\n"
                                           "moved\n");
    assert_int_equal(http_stats().direct, 1);
    assert_int_equal(r.records[0].status, 301);
    assert_string_equal(r.records[0].end, "direct");
    r.route.status = 205; /* RFC 9110, 15.3.6: of any other length the next answer would be lost */
    r.route.fields = tusk_bytes_str("");
    rig_send(client, "GET /205 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_string_equal(http_read(client),
                        "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n");
    r.route.status = 204;
    rig_send(client, "GET /204 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_string_equal(http_read(client), "HTTP/1.1 204 No Content\r\n\r\n");
    (void)close(client);
}

/* RFC 9110, 15.5.2, 15.5.6, 15.5.8, 15.5.22: what it says itself counts, else it is said. */
static void a_routes_answer_has_what_its_status_wants(void **state)
{
    static const struct {
        uint16_t status;
        const char *fields, *head;
    } cases[] = {
        {401, "", "WWW-Authenticate: Application\r\nContent-Length: 0\r\n\r\n"},
        {401, "X: y\r\nwww-authenticate: Basic\r\n",
         "X: y\r\nwww-authenticate: Basic\r\nContent-Length: 0\r\n\r\n"},
        {405, "Allow: \r\n", "Allow: \r\nContent-Length: 0\r\n\r\n"},
        {407, "", "Proxy-Authenticate: Application\r\nContent-Length: 0\r\n\r\n"},
        {407, "Proxy-Authenticate: Basic realm=\"a\"\r\n",
         "Proxy-Authenticate: Basic realm=\"a\"\r\nContent-Length: 0\r\n\r\n"},
        {426, "", "Upgrade: websocket\r\nContent-Length: 0\r\nConnection: upgrade\r\n\r\n"},
        {426, "Upgrade: x/1\r\n",
         "Upgrade: x/1\r\nContent-Length: 0\r\nConnection: upgrade\r\n\r\n"},
    };
    (void)state;
    r.fields = 1u << TUSK_LOOKUP_HOST | 1u << TUSK_LOOKUP_PATH;
    r.target_count = 0;
    rig_start();
    int client = rig_client();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[256];
        char request[64];
        r.route.status = cases[i].status;
        r.route.fields = tusk_bytes_str(cases[i].fields);
        (void)snprintf(request, sizeof(request), "GET /%zu HTTP/1.1\r\nHost: a\r\n\r\n", i);
        rig_send(client, request);
        (void)snprintf(expected, sizeof(expected), "HTTP/1.1 %u %s\r\n%s", cases[i].status,
                       tusk_http_reason(cases[i].status), cases[i].head);
        assert_string_equal(http_read(client), expected);
    }
    (void)close(client);
    client = rig_client();
    rig_send(client, "GET /last HTTP/1.0\r\n\r\n");
    assert_non_null(strstr(http_read(client), "\r\nConnection: upgrade, close\r\n"));
    (void)close(client);
}

static void a_route_that_would_frame_its_answer_is_none(void **state)
{
    static const char *const wrong[] = {"Content-Length: 3\r\n",
                                        "X: y",
                                        "X: y\n",
                                        "X y\r\n",
                                        "Transfer-Encoding: chunked\r\n",
                                        "X: y\r\n\r\n",
                                        "Upgrade: x\r\n",
                                        "Proxy-Authenticate: x\r\n"};
    (void)state;
    r.later = true;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    rig_until(r.ask_count == 1);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const tusk_relay_route route = {.status = 200, .fields = tusk_bytes_str(wrong[i])};
        assert_err(tusk_relay_answer(r.relay, r.asks[0], r.fields, &route), TUSK_EINVAL);
    }
    r.route.host = tusk_bytes_str("a b");
    assert_err(rig_answer(0), TUSK_EINVAL);
    (void)close(client);
}

/* ---- what backends are told ---- */
static void a_route_may_say_another_host(void **state)
{
    (void)state;
    r.route.host = tusk_bytes_str("inside");
    h.options.x_forwarded = TUSK_FORWARD_APPEND;
    h.options.forwarded = TUSK_FORWARD_APPEND;
    h.options.via = TUSK_FORWARD_APPEND;
    h.options.via_name = "edge";
    rig_start();
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "GET / HTTP/1.1\r\nHost: inside\r\nX-Forwarded-For: 127.0.0.1\r\n"
                        "X-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\n"
                        "Forwarded: for=127.0.0.1;host=\"a\";proto=http\r\nVia: 1.1 edge\r\n\r\n");
    rig_send(backend, http_ok);
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nVia: 1.1 edge\r\n\r\nhi");
    (void)close(client);
    (void)close(backend);
}

/* RFC 9110, 9.3.2: the length that GET would have had, and no content, which would be read as the
 * answer to the next request. */
static void a_refusal_of_head_has_no_content(void **state)
{
    char head[1024] = "";
    size_t len = 0;
    (void)state;
    r.refusal = (tusk_relay_refusal){.status = 403, .reason = tusk_bytes_str("not you")};
    rig_start();
    int client = rig_client();
    rig_send(client, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    while (strstr(head, "\r\n\r\n") == NULL) {
        ssize_t got = -1;
        rig_until((got = recv(client, head + len, 1, 0)) >= 0 || errno != EAGAIN);
        assert_int_equal(got, 1);
        len++;
    }
    assert_non_null(strstr(head, "HTTP/1.1 403 "));
    assert_non_null(strstr(head, "\r\nContent-Length: "));
    assert_null(strstr(head, "\r\nContent-Length: 0\r\n"));
    rig_send(client, http_get);
    http_expect_refusal(client, "403 Forbidden: not you", false);
    (void)close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(doubtful_requests_are_refused_and_reach_no_backend),
        http_test(a_broken_body_ends_both_sides),
        http_test(methods_of_other_proxies_are_not_passed_on),
        http_test(bodies_have_a_limit),
        http_test(heads_have_limits),
        http_test(a_connection_has_so_many_requests),
        http_test(a_slow_head_is_told_so),
        http_test(an_idle_client_is_left),
        http_test(a_body_that_does_not_come_is_told_so),
        http_test(a_backend_that_says_nothing_is_a_gateway_timeout),
        http_test(an_answer_that_stops_is_cut),
        http_test(a_half_closed_client_is_not_waited_for_for_ever),
        http_test(a_backend_that_says_nothing_to_a_client_that_has_ended_is_given_up),
        http_test(a_refusal_has_the_resolvers_code_and_reason),
        http_test(every_status_of_a_refusal_is_told_with_a_page),
        http_test(a_late_answer_of_the_resolver_finds_its_request),
        http_test(a_resolver_that_says_nothing_is_a_gateway_timeout),
        http_test(a_route_may_answer_itself),
        http_test(a_routes_answer_has_what_its_status_wants),
        http_test(a_route_that_would_frame_its_answer_is_none),
        http_test(a_route_may_say_another_host),
        http_test(a_refusal_of_head_has_no_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
