/* SPDX-License-Identifier: MIT */
/* Through the HTTP proxy when not all goes as usual: interim and early answers, backends that fail,
 * clients that go. */
#include "http_rig.h"

/* ---- interim and early answers ---- */
static void an_expectation_goes_through(void **state)
{
    static const char head[] = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                               "Expect: 100-continue\r\n\r\n";
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, head);
    int backend = rig_accept(h.listener);
    rig_expect(backend, head);
    rig_send(backend, "HTTP/1.1 100 Continue\r\n\r\n");
    rig_expect(client, "HTTP/1.1 100 Continue\r\n\r\n");
    rig_send(client, "ab");
    rig_expect(backend, "ab");
    rig_send(backend, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n");
    rig_send(backend, http_ok);
    rig_expect(client, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n");
    rig_expect(client, http_ok);
    assert_int_equal(http_stats().answers_1xx, 2);
    (void)close(client);
    (void)close(backend);
}

static void interim_answers_have_a_limit(void **state)
{
    (void)state;
    h.options.interim = 3;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    for (int i = 0; i < 4; i++) {
        rig_send(backend, "HTTP/1.1 103 Early Hints\r\n\r\n");
    }
    for (int i = 0; i < 3; i++) {
        rig_expect(client, "HTTP/1.1 103 Early Hints\r\n\r\n");
    }
    http_expect_refusal(client, "502 Bad Gateway: the backend sends interim answers", false);
    assert_int_equal(http_stats().interim_too_many, 1);
    (void)close(client);
    (void)close(backend);
}

/* It has none whatever it says (RFC 9112, 6.3), and what comes late is nobody's answer. */
static void after_an_interim_answer_that_promises_a_body_the_line_is_not_kept(void **state)
{
    static const char *const heads[] = {
        "HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n\r\n"};
    static const char *const passed[] = {"HTTP/1.1 103 Early\r\n\r\n",
                                         "HTTP/1.1 100 Continue\r\n\r\n"};
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        int client = rig_client();
        rig_send(client, http_get);
        int backend = rig_accept(h.listener);
        rig_expect(backend, http_get);
        rig_send(backend, heads[i]);
        rig_expect(client, passed[i]);
        rig_send(backend, http_ok);
        rig_expect(client, http_ok);
        rig_expect_eof(backend);
        (void)close(client);
        (void)close(backend);
    }
}

/* Its body, should one come, is no answer to whoever asks next. */
static void after_an_empty_answer_that_promises_a_body_the_line_is_not_kept(void **state)
{
    static const char *const heads[] = {
        "HTTP/1.1 204 No Content\r\nDate: D\r\nContent-Length: 40\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n"};
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        int client = rig_client();
        rig_send(client, http_get);
        int first = rig_accept(h.listener);
        rig_send(first, heads[i]);
        rig_expect(client, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
        rig_send(client, http_get);
        int second = rig_accept(h.listener);
        rig_send(second,
                 "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
        rig_expect(client, http_ok);
        (void)close(client);
        (void)close(first);
        (void)close(second);
    }
    assert_int_equal(http_stats().reused, 0);
}

static void an_early_answer_arrives_though_the_body_was_still_coming(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc");
    rig_send(backend, "HTTP/1.1 413 Content Too Large\r\nDate: D\r\nContent-Length: 3\r\n\r\nbig");
    rig_expect(client, "HTTP/1.1 413 Content Too Large\r\nDate: D\r\nContent-Length: 3\r\n"
                       "Connection: close\r\n\r\nbig");
    rig_expect_eof(client);
    assert_int_equal(http_stats().early_answers, 1);
    assert_int_equal(http_stats().kept, 0);
    (void)close(client);
    (void)close(backend);
}

static void both_directions_flow_at_once(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n"
                       "Connection: close\r\n\r\n");
    for (int i = 0; i < 3; i++) {
        rig_send(client, "1\r\nq\r\n");
        rig_expect(backend, "1\r\nq\r\n");
        rig_send(backend, "1\r\na\r\n");
        rig_expect(client, "1\r\na\r\n");
    }
    rig_send(client, "0\r\n\r\n");
    rig_expect(backend, "0\r\n\r\n");
    rig_send(backend, "0\r\n\r\n");
    rig_expect(client, "0\r\n\r\n");
    rig_expect_eof(client);
    (void)close(client);
    (void)close(backend);
}

static void a_backend_that_answers_and_resets_is_heard(void **state)
{
    static char body[262144];
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_until(send(client, body, sizeof(body), MSG_NOSIGNAL) > 0);
    rig_turn();
    rig_send(backend, "HTTP/1.1 413 Content Too Large\r\nDate: D\r\nContent-Length: 3\r\n\r\nbig");
    (void)close(backend); /* with input unread: a reset */
    for (int i = 0; i < 4; i++) {
        (void)send(client, body, sizeof(body), MSG_NOSIGNAL);
        rig_turn();
    }
    rig_expect(client, "HTTP/1.1 413 Content Too Large\r\nDate: D\r\nContent-Length: 3\r\n"
                       "Connection: close\r\n\r\nbig");
    (void)close(client);
}

/* ---- clients that go while an answer streams ---- */
static const char streams[] = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/event-stream\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n";

/* A stream that has said one event, and then nothing. */
static void stream(int *client, int *backend)
{
    *client = rig_client();
    rig_send(*client, http_get);
    *backend = rig_accept(h.listener);
    rig_expect(*backend, http_get);
    rig_send(*backend, streams);
    rig_send(*backend, "9\r\ndata: a\n\n\r\n");
    rig_expect(*client, streams);
    rig_expect(*client, "9\r\ndata: a\n\n\r\n");
}

static void a_client_that_ends_during_a_silent_stream_is_let_go_in_its_own_time(void **state)
{
    int client;
    int backend;
    (void)state;
    h.options.client_fin_ms = 40;
    h.options.idle_ms = 0;
    r.options.limits.half_closed_ms = 0;
    rig_start();
    stream(&client, &backend);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_expect_eof(backend);
    rig_until(rig_stats().active == 0);
    assert_int_equal(http_stats().client_fin_timeouts, 1);
    assert_int_equal(http_stats().idle_timeouts, 0);
    assert_string_equal(r.records[0].end, "client half-closed");
    assert_int_equal(r.records[0].down, 9);
    (void)close(client);
    (void)close(backend);
}

static void a_client_that_has_ended_its_side_gets_what_the_backend_still_says(void **state)
{
    int client;
    int backend;
    (void)state;
    rig_start();
    stream(&client, &backend);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    for (int i = 0; i < 3; i++) {
        rig_turn();
        rig_send(backend, "1\r\nx\r\n");
        rig_expect(client, "1\r\nx\r\n");
    }
    rig_send(backend, "0\r\n\r\n");
    rig_expect(client, "0\r\n\r\n");
    rig_expect_eof(client);
    assert_int_equal(http_stats().client_fin_timeouts, 0);
    assert_string_equal(r.records[0].end, "done");
    (void)close(client);
    (void)close(backend);
}

/* With every time switched off nothing but the reset can end it. */
static void reset_in_silence(bool after_fin)
{
    int client;
    int backend;
    h.options.client_fin_ms = 0;
    h.options.idle_ms = 0;
    r.options.limits.half_closed_ms = 0;
    rig_start();
    stream(&client, &backend);
    if (after_fin) {
        assert_int_equal(shutdown(client, SHUT_WR), 0);
        rig_turn();
        assert_int_equal(rig_stats().active, 1);
    }
    rig_reset(client);
    rig_expect_eof(backend);
    rig_until(rig_stats().active == 0 && http_stats().lines == 0);
    assert_int_equal(rig_stats().resets_client, 1);
    assert_string_equal(r.records[0].end, "client reset");
    (void)close(backend);
}

static void a_reset_during_a_silent_stream_ends_the_backends_connection(void **state)
{
    (void)state;
    reset_in_silence(false);
}

static void so_does_one_of_a_client_that_had_ended_its_side(void **state)
{
    (void)state;
    reset_in_silence(true);
}

static void so_does_one_of_a_client_that_is_not_read(void **state)
{
    (void)state;
    h.options.idle_ms = 0;
    r.options.limits.half_closed_ms = 0;
    rig_start();
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    rig_send(backend, streams);
    rig_expect(client, streams);
    rig_until(http_stats().paused_client == 1);
    rig_reset(client);
    rig_expect_eof(backend);
    rig_until(rig_stats().active == 0 && http_stats().lines == 0);
    (void)close(backend);
}

/* ---- backends that fail ---- */
static void a_lying_length_ends_the_answer_visibly(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 10\r\n\r\nhi");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 10\r\n\r\nhi");
    (void)close(backend);
    rig_expect_eof(client); /* short of its length */
    assert_int_equal(http_stats().truncated, 1);
    assert_string_equal(r.records[0].end, "answer cut short");
    (void)close(client);
    client = rig_client();
    rig_send(client, "GET / HTTP/1.0\r\nHost: a\r\n\r\n");
    backend = rig_accept(h.listener);
    rig_send(backend,
             "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\n\r\nhi");
    (void)close(backend);
    rig_expect_reset(client); /* nothing else could tell it */
    assert_int_equal(http_stats().truncated, 2);
    (void)close(client);
}

static void a_broken_chunk_of_the_backend_ends_the_answer_visibly(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    rig_send(backend,
             "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n-1\r\n");
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n");
    rig_expect_eof(client);
    assert_int_equal(http_stats().bad_answers, 1);
    (void)close(client);
    (void)close(backend);
}

/* It is HTTP, and who runs the proxy may allow more of it. */
static void a_head_over_its_limits_is_called_so(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 a reason that is longer than the line may be, which is of no use\r\n",
        "HTTP/1.1 200 OK\r\nA: 0123456789012345678901234567890123456789012345678901234567890123\r\n"
        "B: 0123456789012345678901234567890123456789012345678901234567890123\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\nE: f\r\nG: h\r\n\r\n",
    };
    (void)state;
    h.options.heads.line_max = 64;
    h.options.heads.head_max = 128;
    h.options.heads.fields_max = 3;
    rig_start();
    for (int i = 0; i < 3; i++) {
        int backend;
        int client = http_asks(&backend);
        rig_send(backend, answers[i]);
        http_expect_refusal(client, "502 Bad Gateway: the backend's header section is too large",
                            false);
        (void)close(client);
        (void)close(backend);
    }
    assert_int_equal(http_stats().bad_answers, 3);
}

static void what_is_no_http_is_a_bad_gateway(void **state)
{
    static const char *const answers[] = {
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nDate: D\r\nX y: z\r\n\r\n",
        "HTTP/1.1 200 OK\r\nDate: D\r\n : y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length : 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nDate: D\r\nX: y\r\n z\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    };
    (void)state;
    rig_start();
    int client = rig_client();
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        rig_send(client, http_get);
        int backend = rig_accept(h.listener);
        rig_expect(backend, http_get);
        rig_send(backend, answers[i]);
        http_expect_refusal(client, "502 Bad Gateway: the backend", false);
        rig_expect_eof(backend);
        (void)close(backend);
    }
    assert_int_equal(http_stats().bad_answers, sizeof(answers) / sizeof(answers[0]));
    (void)close(client);
}

static void an_unreachable_backend_is_a_bad_gateway(void **state)
{
    (void)state;
    r.target_count = 0;
    rig_target(rig_dead_port(), 1);
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    http_expect_refusal(client, "502 Bad Gateway: the backend refuses connections", false);
    rig_send(client, "GET / HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n");
    assert_non_null(strstr(http_read(client), "{\"title\":\"Bad Gateway\",\"status\":502,"));
    assert_non_null(strstr(h.answer, "Content-Type: application/problem+json\r\n"));
    (void)close(client);
}

/* ---- a new connection that ends before a byte of the answer ---- */
static int other;

/* As good as always the second choice. */
static void open_other(void)
{
    uint16_t port;
    other = rig_listen(&port);
    r.targets[0].weight = 1000000;
    rig_target(port, 1);
}

static void it_goes_elsewhere_once(void **state)
{
    static const char *const requests[] = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"};
    char request[64];
    (void)state;
    r.options.limits.eject_failures = 100;
    open_other();
    rig_start();
    int client = rig_client();
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        (void)snprintf(request, sizeof(request), "%s / HTTP/1.1\r\nHost: a\r\n\r\n", requests[i]);
        rig_send(client, request);
        int first = rig_accept(h.listener);
        rig_expect(first, request);
        (void)close(first);
        int second = rig_accept(other);
        rig_expect(second, request);
        rig_send(second, "HTTP/1.1 204 No Content\r\nDate: D\r\nConnection: close\r\n\r\n");
        rig_expect(client, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
        (void)close(second);
        assert_int_equal(http_stats().retried, i + 1);
    }
    (void)close(client);
    (void)close(other);
}

static void a_second_try_that_fails_is_the_last(void **state)
{
    (void)state;
    open_other();
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    int first = rig_accept(h.listener);
    rig_expect(first, http_get);
    rig_reset(first);
    int second = rig_accept(other);
    rig_expect(second, http_get);
    (void)close(second);
    http_expect_refusal(client, "502 Bad Gateway: the backend ended the connection", false);
    assert_int_equal(rig_stats().dials, 2);
    assert_int_equal(http_stats().retried, 1);
    (void)close(client);
    (void)close(other);
}

static void the_only_target_is_not_asked_again(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    (void)close(backend);
    http_expect_refusal(client, "502 Bad Gateway: the backend ended the connection", false);
    assert_int_equal(rig_stats().dials, 1);
    assert_int_equal(http_stats().retried, 0);
    (void)close(client);
}

static void what_may_have_been_done_is_not_done_again(void **state)
{
    static const char *const requests[] = {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "PATCH / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", /* its body is not kept */
    };
    (void)state;
    r.options.limits.eject_failures = 100;
    open_other();
    rig_start();
    int client = rig_client();
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        rig_send(client, requests[i]);
        int first = rig_accept(h.listener);
        rig_expect(first, requests[i]);
        (void)close(first);
        http_expect_refusal(client, "502 Bad Gateway: the backend ended the connection", false);
    }
    assert_int_equal(http_stats().retried, 0);
    assert_int_equal(rig_stats().dials, 3);
    (void)close(client);
    (void)close(other);
}

static void a_target_that_connects_and_says_nothing_is_ejected(void **state)
{
    (void)state;
    r.options.limits.eject_failures = 2;
    r.options.limits.eject_ms = 60000;
    open_other();
    rig_start();
    int client = rig_client();
    for (int i = 0; i < 2; i++) {
        rig_send(client, http_get);
        int first = rig_accept(h.listener);
        rig_expect(first, http_get);
        (void)close(first);
        int second = rig_accept(other);
        rig_expect(second, http_get);
        rig_send(second, "HTTP/1.1 204 No Content\r\nDate: D\r\nConnection: close\r\n\r\n");
        rig_expect(client, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
        (void)close(second);
    }
    assert_int_equal(tusk_relay_health(r.relay, r.targets[0].address), 0);
    assert_int_equal(tusk_relay_health(r.relay, r.targets[1].address), 1);
    (void)close(client);
    (void)close(other);
}

/* ---- the client goes ---- */
static void a_client_that_goes_takes_its_request_along(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    rig_reset(client);
    rig_expect_eof(backend);
    rig_until(http_stats().lines == 0);
    assert_string_equal(r.records[0].end, "client reset");
    (void)close(backend);
}

static void a_client_that_has_said_all_gets_its_answer(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    for (int i = 0; i < 5; i++) {
        rig_turn();
    }
    rig_send(backend, http_ok);
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    rig_expect_eof(client);
    (void)close(client);
    (void)close(backend);
}

static void a_body_that_is_cut_short_is_told_to_both(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    http_expect_refusal(client, "400 Bad Request: the request ended before its body did", true);
    rig_expect_eof(backend);
    (void)close(client);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(an_expectation_goes_through),
        http_test(interim_answers_have_a_limit),
        http_test(after_an_interim_answer_that_promises_a_body_the_line_is_not_kept),
        http_test(after_an_empty_answer_that_promises_a_body_the_line_is_not_kept),
        http_test(an_early_answer_arrives_though_the_body_was_still_coming),
        http_test(both_directions_flow_at_once),
        http_test(a_backend_that_answers_and_resets_is_heard),
        http_test(a_client_that_ends_during_a_silent_stream_is_let_go_in_its_own_time),
        http_test(a_client_that_has_ended_its_side_gets_what_the_backend_still_says),
        http_test(a_reset_during_a_silent_stream_ends_the_backends_connection),
        http_test(so_does_one_of_a_client_that_had_ended_its_side),
        http_test(so_does_one_of_a_client_that_is_not_read),
        http_test(a_lying_length_ends_the_answer_visibly),
        http_test(a_broken_chunk_of_the_backend_ends_the_answer_visibly),
        http_test(a_head_over_its_limits_is_called_so),
        http_test(what_is_no_http_is_a_bad_gateway),
        http_test(an_unreachable_backend_is_a_bad_gateway),
        http_test(it_goes_elsewhere_once),
        http_test(a_second_try_that_fails_is_the_last),
        http_test(the_only_target_is_not_asked_again),
        http_test(what_may_have_been_done_is_not_done_again),
        http_test(a_target_that_connects_and_says_nothing_is_ejected),
        http_test(a_client_that_goes_takes_its_request_along),
        http_test(a_client_that_has_said_all_gets_its_answer),
        http_test(a_body_that_is_cut_short_is_told_to_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
