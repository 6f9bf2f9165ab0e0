/* SPDX-License-Identifier: MIT */
/* Heads through a proxy: what goes, what stays, what is added, in both directions. */
#include "test.h"

#include "relay/http/fields.h"

static const http_forward nobody;

struct written {
    tusk_http_head head;
    tusk_buf out;
    tusk_err err;
};

static void fini(struct written *self)
{
    tusk_buf_fini(&self->out);
}

/* Each also reads what was written as the strict parser does. */
static struct written request(const char *text, http_request_how how, const http_forward *forward)
{
    struct written self = {.err = TUSK_OK};
    size_t scanned = 0;
    tusk_bytes in = test_guarded_str(text);
    assert_int_equal(tusk_http_request_parse(&self.head, in, tusk_http_limits_default(), &scanned),
                     in.len);
    tusk_buf_init(&self.out, tusk_mem_default(), 65536);
    how.raw = in;
    how.forward = forward;
    self.err = http_request_write(&self.out, &self.head, &how);
    if (self.err == TUSK_OK) {
        tusk_http_head again;
        scanned = 0;
        assert_int_equal(tusk_http_request_parse(&again, tusk_buf_view(&self.out),
                                                 tusk_http_limits_default(), &scanned),
                         self.out.len);
        assert_int_equal(again.chunked, self.head.chunked);
        assert_int_equal(again.content_length, self.head.content_length);
        assert_int_equal(again.minor, 1);
    }
    return self;
}

static struct written response(const char *text, http_response_how how, tusk_http_method to)
{
    struct written self = {.err = TUSK_OK};
    size_t scanned = 0;
    tusk_bytes in = test_guarded_str(text);
    assert_int_equal(
        tusk_http_response_parse(&self.head, in, tusk_http_limits_default(), to, &scanned), in.len);
    tusk_buf_init(&self.out, tusk_mem_default(), 65536);
    how.raw = in;
    self.err = http_response_write(&self.out, &self.head, &how);
    return self;
}

static void assert_text(const struct written *self, const char *expected)
{
    assert_err(self->err, TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&self->out), tusk_bytes_str(expected));
}

static void fields_of_this_hop_do_not_go_on(void **state)
{
    (void)state;
    struct written w = request("GET /a?b HTTP/1.1\r\nhost: x:80\r\nConnection: close, X-Mine\r\n"
                               "X-Mine: 1\r\nX-Stays:  as it came \r\nKeep-Alive: 5\r\n"
                               "Proxy-Connection: keep-alive\r\nProxy-Authorization: y\r\n"
                               "Proxy: http://evil\r\nTE: gzip\r\nUpgrade: h2c\r\n"
                               "HTTP2-Settings: z\r\nAccept: */*\r\n\r\n",
                               (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "GET /a?b HTTP/1.1\r\nHost: x:80\r\nX-Stays:  as it came \r\n"
                    "Accept: */*\r\n\r\n");
    fini(&w);
}

static void framing_is_said_anew(void **state)
{
    (void)state;
    struct written w = request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 007\r\n\r\n",
                               (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n");
    fini(&w);
    w = request("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n"
                "Expect: 100-Continue\r\n\r\n",
                (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "POST / HTTP/1.1\r\nHost: x\r\nTrailer: A\r\nTransfer-Encoding: chunked\r\n"
                    "Expect: 100-continue\r\n\r\n");
    fini(&w);
    /* A client that names them as its own hop's cannot take them away. */
    w = request("POST / HTTP/1.1\r\nHost: x\r\nConnection: content-length, host\r\n"
                "Content-Length: 3\r\n\r\n",
                (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n");
    fini(&w);
}

static void targets_become_origin_form(void **state)
{
    (void)state;
    struct written w = request("GET http://real.example:81?q HTTP/1.1\r\nHost: other\r\n\r\n",
                               (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "GET /?q HTTP/1.1\r\nHost: real.example:81\r\n\r\n");
    fini(&w);
    w = request("OPTIONS http://x:81 HTTP/1.1\r\nHost: x:81\r\n\r\n",
                (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "OPTIONS * HTTP/1.1\r\nHost: x:81\r\n\r\n");
    fini(&w);
    w = request("OPTIONS http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
                (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n");
    fini(&w);
    w = request("OPTIONS http://x?q HTTP/1.1\r\nHost: x\r\n\r\n",
                (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "OPTIONS /?q HTTP/1.1\r\nHost: x\r\n\r\n");
    fini(&w);
    w = request("OPTIONS * HTTP/1.1\r\nHost: x\r\nMax-Forwards: 3\r\n\r\n",
                (http_request_how){.max_forwards = 2}, &nobody);
    assert_text(&w, "OPTIONS * HTTP/1.1\r\nHost: x\r\nMax-Forwards: 2\r\n\r\n");
    assert_int_equal(http_max_forwards(&w.head), 3);
    fini(&w);
    w = request(
        "GET / HTTP/1.0\r\n\r\n",
        (http_request_how){.max_forwards = -1, .fallback_host = tusk_bytes_str("10.0.0.1:80")},
        &nobody);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: 10.0.0.1:80\r\n\r\n");
    fini(&w);
    w = request("GET / HTTP/1.1\r\nHost: shop\r\n\r\n",
                (http_request_how){.max_forwards = -1, .host = tusk_bytes_str("inside:81")},
                &nobody);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: inside:81\r\n\r\n");
    fini(&w);
}

static void an_upgrade_is_passed_on_when_it_may(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\n"
                               "Upgrade: websocket\r\nTE: trailers\r\n\r\n";
    (void)state;
    struct written w =
        request(text, (http_request_how){.max_forwards = -1, .upgrade = true}, &nobody);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                    "TE: trailers\r\nConnection: TE, Upgrade\r\n\r\n");
    fini(&w);
    w = request(text, (http_request_how){.max_forwards = -1}, &nobody);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: TE\r\n\r\n");
    fini(&w);
}

static void what_a_stranger_says_of_the_client_is_replaced(void **state)
{
    const http_forward forward = {.x_forwarded = TUSK_FORWARD_APPEND,
                                  .standard = TUSK_FORWARD_APPEND,
                                  .secure = true,
                                  .peer = tusk_bytes_str("192.0.2.1"),
                                  .via.name = tusk_bytes_str("tusk")};
    (void)state;
    struct written w = request("GET / HTTP/1.1\r\nHost: shop:8443\r\nX-Forwarded-For: 1.1.1.1\r\n"
                               "X_Forwarded_For: 2.2.2.2\r\nx-forwarded-proto: ftp\r\n"
                               "X.Forwarded.For: 5.5.5.5\r\nX!Forwarded~Port: 1\r\n"
                               "X.Real_IP: 6.6.6.6\r\nTransfer.Encoding: chunked\r\n"
                               "X-Forwarded-Prefix: /p\r\nX-Real-IP: 3.3.3.3\r\n"
                               "Forwarded: for=4.4.4.4\r\nVia: 1.0 other\r\n\r\n",
                               (http_request_how){.max_forwards = -1}, &forward);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: shop:8443\r\nVia: 1.0 other\r\n"
                    "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n"
                    "X-Forwarded-Host: shop:8443\r\n"
                    "Forwarded: for=192.0.2.1;host=\"shop:8443\";proto=https\r\n"
                    "Via: 1.1 tusk\r\n\r\n");
    fini(&w);
}

/* Balancers that pass such names on put their own in front of them. */
static void what_a_trusted_proxy_let_through_is_not_what_it_says(void **state)
{
    const http_forward forward = {.x_forwarded = TUSK_FORWARD_APPEND,
                                  .standard = TUSK_FORWARD_OFF,
                                  .trusted = true,
                                  .peer = tusk_bytes_str("192.0.2.1")};
    (void)state;
    struct written w = request("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.1.1.1\r\n"
                               "X_Forwarded_For: 6.6.6.6\r\nX.Forwarded.For: 7.7.7.7\r\n"
                               "X_Forwarded_Proto: https\r\nX-Forwarded.Host: evil\r\n"
                               "X_Real_IP: 8.8.8.8\r\n\r\n",
                               (http_request_how){.max_forwards = -1}, &forward);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.1.1.1, 192.0.2.1\r\n"
                    "X-Forwarded-Proto: http\r\nX-Forwarded-Host: x\r\n\r\n");
    fini(&w);
}

static void what_a_trusted_proxy_says_stays_and_ours_is_added(void **state)
{
    const http_forward forward = {.x_forwarded = TUSK_FORWARD_APPEND,
                                  .standard = TUSK_FORWARD_APPEND,
                                  .trusted = true,
                                  .ipv6 = true,
                                  .peer = tusk_bytes_str("2001:db8::1")};
    (void)state;
    struct written w = request("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.1.1.1, 2.2.2.2\r\n"
                               "X-Forwarded-Proto: https\r\nX-Forwarded-For: 3.3.3.3\r\n"
                               "X-Forwarded-Port: 443\r\nForwarded: for=a\r\n"
                               "Forwarded: for=b\r\n\r\n",
                               (http_request_how){.max_forwards = -1}, &forward);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\n"
                    "X-Forwarded-Port: 443\r\n"
                    "X-Forwarded-For: 1.1.1.1, 2.2.2.2, 3.3.3.3, 2001:db8::1\r\n"
                    "X-Forwarded-Host: x\r\n"
                    "Forwarded: for=a, for=b, for=\"[2001:db8::1]\";host=\"x\";proto=http\r\n\r\n");
    fini(&w);
}

/* What reaches a backend of a head whose sender says all there is, in each mode of all three. */
static void assert_forwarded(tusk_relay_forward mode, bool trusted, const char *expected)
{
    const http_forward forward = {
        .x_forwarded = mode,
        .standard = mode,
        .trusted = trusted,
        .peer = tusk_bytes_str("192.0.2.1"),
        .via = {.name = tusk_bytes_str(mode == TUSK_FORWARD_OFF ? "" : "tusk"),
                .alone = mode == TUSK_FORWARD_SET}};
    char whole[512];
    struct written w = request("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.1.1.1\r\n"
                               "X-Forwarded-Proto: https\r\nX-Real-IP: 2.2.2.2\r\n"
                               "Forwarded: for=3.3.3.3\r\nVia: 1.0 other\r\n\r\n",
                               (http_request_how){.max_forwards = -1}, &forward);
    (void)snprintf(whole, sizeof(whole), "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", expected);
    assert_text(&w, whole);
    fini(&w);
}

static void each_mode_of_forwarding_does_what_it_says(void **state)
{
    static const char ours[] = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\n"
                               "X-Forwarded-Host: x\r\n"
                               "Forwarded: for=192.0.2.1;host=\"x\";proto=http\r\n"
                               "Via: 1.1 tusk\r\n";
    char with_via[512];
    (void)state;
    (void)snprintf(with_via, sizeof(with_via), "Via: 1.0 other\r\n%s", ours);
    assert_forwarded(TUSK_FORWARD_OFF, false, "Via: 1.0 other\r\n");
    assert_forwarded(TUSK_FORWARD_OFF, true,
                     "X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-Proto: https\r\n"
                     "X-Real-IP: 2.2.2.2\r\nForwarded: for=3.3.3.3\r\nVia: 1.0 other\r\n");
    assert_forwarded(TUSK_FORWARD_APPEND, false, with_via);
    assert_forwarded(TUSK_FORWARD_APPEND, true,
                     "X-Forwarded-Proto: https\r\nX-Real-IP: 2.2.2.2\r\nVia: 1.0 other\r\n"
                     "X-Forwarded-For: 1.1.1.1, 192.0.2.1\r\nX-Forwarded-Host: x\r\n"
                     "Forwarded: for=3.3.3.3, for=192.0.2.1;host=\"x\";proto=http\r\n"
                     "Via: 1.1 tusk\r\n");
    assert_forwarded(TUSK_FORWARD_SET, false, ours);
    assert_forwarded(TUSK_FORWARD_SET, true, ours);
}

static void a_backends_via_is_left_out_when_ours_stands_alone(void **state)
{
    static const char text[] = "HTTP/1.1 204 No Content\r\nDate: D\r\nVia: 1.0 inner\r\n\r\n";
    http_response_how how = {
        .minor = 1, .keep_alive = true, .via = {.name = tusk_bytes_str("tusk"), .alone = true}};
    (void)state;
    struct written w = response(text, how, TUSK_HTTP_GET);
    assert_text(&w, "HTTP/1.1 204 No Content\r\nDate: D\r\nVia: 1.1 tusk\r\n\r\n");
    fini(&w);
    how.via.alone = false;
    w = response(text, how, TUSK_HTTP_GET);
    assert_text(&w,
                "HTTP/1.1 204 No Content\r\nDate: D\r\nVia: 1.0 inner\r\nVia: 1.1 tusk\r\n\r\n");
    fini(&w);
}

static void a_peer_without_an_address_is_unknown(void **state)
{
    const http_forward forward = {.x_forwarded = TUSK_FORWARD_APPEND,
                                  .standard = TUSK_FORWARD_APPEND};
    (void)state;
    struct written w = request(
        "GET / HTTP/1.0\r\nX-Forwarded-For: 1.1.1.1\r\n\r\n",
        (http_request_how){.max_forwards = -1, .fallback_host = tusk_bytes_str("h")}, &forward);
    assert_text(&w, "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-Proto: http\r\n"
                    "Forwarded: for=unknown;proto=http\r\n\r\n");
    fini(&w);
}

static void too_many_connection_options_are_refused(void **state)
{
    char text[1024] = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close";
    (void)state;
    for (int i = 0; i <= HTTP_CONNECTION_OPTIONS_MAX; i++) {
        (void)snprintf(text + strlen(text), 16, ", o%d", i);
    }
    (void)snprintf(text + strlen(text), 8, "\r\n\r\n");
    struct written w = request(text, (http_request_how){.max_forwards = -1}, &nobody);
    assert_err(w.err, TUSK_EHEADERS);
    fini(&w);
}

static void responses_lose_what_was_for_us(void **state)
{
    (void)state;
    struct written w =
        response("HTTP/1.0 200 All is well\r\nDate: D\r\nConnection: keep-alive, X-A\r\n"
                 "X-A: 1\r\nKeep-Alive: timeout=5\r\nX-B: 2\r\n"
                 "Proxy-Authenticate: Basic\r\nContent-Length: 5\r\n\r\n",
                 (http_response_how){.framing = HTTP_BODY_LENGTH,
                                     .keep_alive = true,
                                     .minor = 1,
                                     .via.name = tusk_bytes_str("tusk")},
                 TUSK_HTTP_GET);
    assert_text(&w, "HTTP/1.1 200 All is well\r\nDate: D\r\nX-B: 2\r\nContent-Length: 5\r\n"
                    "Via: 1.0 tusk\r\n\r\n");
    fini(&w);
    w = response("HTTP/1.1 200\r\nDate: D\r\n\r\n",
                 (http_response_how){.framing = HTTP_BODY_CHUNKED, .minor = 1}, TUSK_HTTP_GET);
    assert_text(
        &w, "HTTP/1.1 200 \r\nDate: D\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    fini(&w);
    w = response("HTTP/1.1 200 OK\r\nDate: D\r\nTrailer: X\r\nTransfer-Encoding: chunked\r\n\r\n",
                 (http_response_how){.framing = HTTP_BODY_CLOSE}, TUSK_HTTP_GET);
    assert_text(&w, "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\n\r\n");
    fini(&w);
}

static void a_length_is_told_only_where_it_means_something(void **state)
{
    (void)state;
    struct written w = response("HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\n",
                                (http_response_how){.framing = HTTP_BODY_NONE, .keep_alive = true},
                                TUSK_HTTP_HEAD);
    assert_text(
        &w, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n");
    fini(&w);
    w = response("HTTP/1.1 204 No Content\r\nDate: D\r\nContent-Length: 5\r\n\r\n",
                 (http_response_how){.framing = HTTP_BODY_NONE, .keep_alive = true, .minor = 1},
                 TUSK_HTTP_GET);
    assert_text(&w, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
    fini(&w);
}

static void interim_answers_say_nothing_of_the_connection(void **state)
{
    (void)state;
    struct written w =
        response("HTTP/1.1 103 Early Hints\r\nConnection: close\r\nLink: <x>\r\n\r\n",
                 (http_response_how){.minor = 1}, TUSK_HTTP_GET);
    assert_text(&w, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n");
    fini(&w);
    w = response("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
                 (http_response_how){.minor = 1}, TUSK_HTTP_GET);
    assert_text(&w, "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    fini(&w);
}

/* RFC 9110, 6.6.1. */
static void a_final_answer_without_a_date_gets_one(void **state)
{
    const http_response_how how = {.minor = 1, .keep_alive = true, .now_s = 784111777};
    (void)state;
    struct written w = response("HTTP/1.1 404 None\r\nA: b\r\n\r\n", how, TUSK_HTTP_HEAD);
    assert_text(&w, "HTTP/1.1 404 None\r\nA: b\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
    fini(&w);
    w = response("HTTP/1.1 404 None\r\nDATE: of the backend\r\n\r\n", how, TUSK_HTTP_HEAD);
    assert_text(&w, "HTTP/1.1 404 None\r\nDATE: of the backend\r\n\r\n");
    fini(&w);
    w = response("HTTP/1.1 404 None\r\nConnection: date\r\nDate: for us\r\n\r\n", how,
                 TUSK_HTTP_HEAD);
    assert_text(&w, "HTTP/1.1 404 None\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
    fini(&w);
    w = response("HTTP/1.1 103 Early\r\nA: b\r\n\r\n", how, TUSK_HTTP_GET);
    assert_text(&w, "HTTP/1.1 103 Early\r\nA: b\r\n\r\n");
    fini(&w);
}

/* RFC 9110, 7.8. */
static void a_demand_to_upgrade_names_its_option(void **state)
{
    static const char demand[] = "HTTP/1.1 426 Upgrade\r\nDate: D\r\nUpgrade: websocket\r\n"
                                 "Connection: upgrade\r\nContent-Length: 0\r\n\r\n";
    static const struct {
        bool keep_alive;
        uint8_t minor;
        const char *connection;
    } cases[] = {
        {true, 1, "Upgrade"}, {false, 1, "Upgrade, close"}, {true, 0, "Upgrade, keep-alive"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[256];
        const http_response_how how = {.framing = HTTP_BODY_LENGTH,
                                       .keep_alive = cases[i].keep_alive,
                                       .minor = cases[i].minor};
        (void)snprintf(expected, sizeof(expected),
                       "HTTP/1.1 426 Upgrade\r\nDate: D\r\nUpgrade: websocket\r\n"
                       "Content-Length: 0\r\nConnection: %s\r\n\r\n",
                       cases[i].connection);
        struct written w = response(demand, how, TUSK_HTTP_GET);
        assert_text(&w, expected);
        fini(&w);
    }
}

/* RFC 9110, 7.6.2: whatever is said, less goes on, or it is for us. */
static void max_forwards_has_any_length(void **state)
{
    static const struct {
        const char *said;
        int read;
    } cases[] = {{"7", 7},  {"0000000", 0}, {"0000000012", 12}, {"9999999", 999999},
                 {"x", -1}, {"", -1},       {"-1", -1},         {"99999999999999999999", 999999}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text),
                       "OPTIONS * HTTP/1.1\r\nHost: x\r\nMax-Forwards: %s\r\n\r\n", cases[i].said);
        struct written w = request(text, (http_request_how){.max_forwards = -1}, &nobody);
        assert_int_equal(http_max_forwards(&w.head), cases[i].read);
        fini(&w);
    }
}

static void trailers_that_would_change_the_message_are_left_out(void **state)
{
    tusk_buf out;
    (void)state;
    tusk_buf_init(&out, tusk_mem_default(), 4096);
    assert_err(
        http_trailers_write(
            &out,
            test_guarded_str(
                "X-Sum: 1\r\nContent-Length: 9\r\nTransfer-Encoding: x\r\n"
                "Host: y\r\nset-cookie: z\r\nConnection: X-Sum\r\n"
                "X_Forwarded_For: q\r\nX-Real-IP: r\r\nX.Real.IP: s\r\ngrpc-status:0\r\n\r\n")),
        TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES("X-Sum: 1\r\ngrpc-status:0\r\n"));
    tusk_buf_fini(&out);
}

static tusk_err write_both(const tusk_mem *mem, void *user)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n";
    const http_forward forward = {.x_forwarded = TUSK_FORWARD_APPEND,
                                  .standard = TUSK_FORWARD_APPEND};
    tusk_http_head head;
    tusk_buf out;
    size_t scanned = 0;
    (void)user;
    tusk_bytes raw = tusk_bytes_of(text, sizeof(text) - 1);
    assert_true(tusk_http_request_parse(&head, raw, tusk_http_limits_default(), &scanned) > 0);
    tusk_buf_init(&out, mem, 4096);
    tusk_err err = http_request_write(
        &out, &head, &(http_request_how){.raw = raw, .max_forwards = -1, .forward = &forward});
    tusk_buf_fini(&out);
    return err;
}

static void without_memory_nothing_is_half_written(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(write_both, false, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_this_hop_do_not_go_on),
        cmocka_unit_test(framing_is_said_anew),
        cmocka_unit_test(targets_become_origin_form),
        cmocka_unit_test(an_upgrade_is_passed_on_when_it_may),
        cmocka_unit_test(what_a_stranger_says_of_the_client_is_replaced),
        cmocka_unit_test(what_a_trusted_proxy_let_through_is_not_what_it_says),
        cmocka_unit_test(what_a_trusted_proxy_says_stays_and_ours_is_added),
        cmocka_unit_test(each_mode_of_forwarding_does_what_it_says),
        cmocka_unit_test(a_backends_via_is_left_out_when_ours_stands_alone),
        cmocka_unit_test(a_peer_without_an_address_is_unknown),
        cmocka_unit_test(too_many_connection_options_are_refused),
        cmocka_unit_test(responses_lose_what_was_for_us),
        cmocka_unit_test(a_length_is_told_only_where_it_means_something),
        cmocka_unit_test(interim_answers_say_nothing_of_the_connection),
        cmocka_unit_test(a_final_answer_without_a_date_gets_one),
        cmocka_unit_test(a_demand_to_upgrade_names_its_option),
        cmocka_unit_test(max_forwards_has_any_length),
        cmocka_unit_test(trailers_that_would_change_the_message_are_left_out),
        cmocka_unit_test(without_memory_nothing_is_half_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
