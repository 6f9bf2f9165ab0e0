/* SPDX-License-Identifier: MIT */
/* Requests and answers through the HTTP proxy: kept connections, bodies, the end. */
#include "http_rig.h"

#include "relay/inner.h"

/* ---- kept connections ---- */
static void requests_share_a_kept_connection(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    http_round(client, backend);
    int other = rig_client();
    http_round(other, backend);
    assert_int_equal(http_stats().requests, 3);
    assert_int_equal(http_stats().reused, 2);
    assert_int_equal(http_stats().kept, 1);
    assert_int_equal(rig_stats().dials, 1);
    assert_int_equal(rig_stats().cache_hits, 2);
    assert_int_equal(r.record_count, 3);
    assert_string_equal(r.records[2].end, "done");
    assert_string_equal(r.records[2].target, r.address[0]);
    assert_int_equal(r.records[2].status, 200);
    assert_int_equal(r.records[2].down, 2);
    (void)close(client);
    (void)close(other);
    (void)close(backend);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
                     "POST /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n1");
    rig_expect(backend, "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n2");
    rig_expect(backend, "POST /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n3");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n1"
                       "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n2"
                       "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n3");
    (void)close(client);
    (void)close(backend);
}

static void a_kept_connection_that_was_gone_is_tried_again_once(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    rig_send(client, http_get);
    rig_expect(backend, http_get); /* taken, and then it goes without a word */
    (void)close(backend);
    backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    rig_send(backend, http_ok);
    rig_expect(client, http_ok);
    assert_int_equal(http_stats().retried, 1);
    (void)close(client);
    (void)close(backend);
}

static void what_may_not_be_repeated_is_not(void **state)
{
    static const char post[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    (void)state;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    rig_send(client, post);
    rig_expect(backend, post);
    rig_reset(backend);
    http_expect_refusal(client, "502 Bad Gateway: the backend ended the connection", false);
    assert_int_equal(http_stats().retried, 0);
    /* A first byte of an answer forbids it as well. */
    backend = http_dialled(client);
    http_answers(client, backend);
    rig_send(client, http_get);
    rig_expect(backend, http_get);
    rig_send(backend, "H");
    rig_turn();
    (void)close(backend);
    http_expect_refusal(client, "502 Bad Gateway: the backend ended the connection", false);
    assert_int_equal(http_stats().retried, 0);
    assert_int_equal(r.records[3].status, 502);
    assert_string_equal(r.records[3].end, "refused");
    (void)close(client);
}

/* A backend that closes its connection while the route of the next request is asked for: the end is
 * in the socket, and nobody has told of it yet. */
static int closes_at_lookup; /* -1: none */
static bool by_reset;

static void close_and_answer(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    if (closes_at_lookup >= 0 && by_reset) {
        rig_reset(closes_at_lookup);
    } else if (closes_at_lookup >= 0) {
        (void)close(closes_at_lookup);
    }
    closes_at_lookup = -1;
    rig_on_lookup(user, ask, lookup);
}

static void what_may_not_be_repeated_goes_to_no_connection_that_is_gone(void **state)
{
    static const tusk_relay_handler handler = {.on_lookup = close_and_answer};
    static const char post[] = "POST /%d HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    char request[128];
    (void)state;
    closes_at_lookup = -1;
    r.options.handler = &handler;
    r.fields = 1u << TUSK_LOOKUP_PATH;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    for (int i = 0; i < 2; i++) {
        rig_until(http_stats().kept == 1);
        closes_at_lookup = backend;
        by_reset = i == 1;
        (void)snprintf(request, sizeof(request), post, i);
        rig_send(client, request);
        backend = rig_accept(h.listener);
        rig_expect(backend, request);
        http_answers(client, backend);
    }
    assert_int_equal(http_stats().reused, 0);
    assert_int_equal(http_stats().refused_5xx, 0);
    (void)close(client);
    (void)close(backend);
}

static void the_end_of_a_kept_connection_is_seen(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    rig_until(http_stats().kept == 1);
    (void)close(backend);
    rig_until(http_stats().kept == 0 && http_stats().lines == 0);
    /* So is one that speaks without being asked. */
    backend = http_dialled(client);
    http_answers(client, backend);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\n\r\n");
    rig_until(http_stats().lines == 0);
    (void)close(backend);
    (void)close(client);
}

static void bytes_behind_an_answer_reach_nobody(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    rig_send(backend,
             "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 666 Evil\r\n\r\n");
    rig_expect(client, http_ok);
    rig_until(http_stats().lines == 0);
    assert_int_equal(http_stats().kept, 0);
    rig_send(client, http_get);
    int fresh = rig_accept(h.listener);
    rig_expect(fresh, http_get);
    http_answers(client, fresh);
    (void)close(fresh);
    (void)close(backend);
    (void)close(client);
}

static void kept_connections_are_few_and_go_after_a_time(void **state)
{
    int clients[3];
    int backends[3];
    (void)state;
    h.options.pool_idle = 2;
    h.options.pool_idle_ms = 50;
    rig_start();
    for (int i = 0; i < 3; i++) {
        clients[i] = rig_client();
        rig_send(clients[i], http_get);
        backends[i] = rig_accept(h.listener);
        rig_expect(backends[i], http_get);
    }
    for (int i = 0; i < 3; i++) {
        rig_send(backends[i], http_ok);
        rig_expect(clients[i], http_ok);
    }
    assert_int_equal(http_stats().pool_full, 1);
    rig_until(http_stats().lines == 0);
    assert_int_equal(http_stats().pool_expired, 2);
    for (int i = 0; i < 3; i++) {
        (void)close(clients[i]);
        (void)close(backends[i]);
    }
}

/* ---- bodies ---- */
static void what_comes_goes_out_at_once(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/event-stream\r\n\r\n");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/event-stream\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; i++) {
        rig_send(backend, "data: x\n\n");
        rig_expect(client, "9\r\ndata: x\n\n\r\n");
    }
    (void)close(backend); /* its end is the body's end */
    rig_expect(client, "0\r\n\r\n");
    assert_string_equal(r.records[0].end, "done");
    (void)close(client);
}

static void soon(tusk_relay *relay)
{
    relay->count_ms = 10;
}

/* As an event stream does, for hours. */
static void an_answer_that_goes_on_is_counted_while_it_does(void **state)
{
    int backend;
    (void)state;
    r.on_made = soon;
    rig_start();
    int client = http_asks(&backend);
    rig_send(backend,
             "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    rig_until(rig_stats().bytes_down == 3);
    rig_send(backend, "2\r\nde\r\n0\r\n\r\n");
    rig_expect(client, "2\r\nde\r\n0\r\n\r\n");
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].down, 5);
    assert_int_equal(rig_stats().bytes_down, 5);
    http_round(client, backend);
    rig_until(rig_stats().bytes_down == r.records[0].down + r.records[1].down);
    (void)close(client);
    (void)close(backend);
}

static void clients_of_http_1_0_get_what_they_understand(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    int backend = rig_accept(h.listener);
    char expected[128];
    (void)snprintf(expected, sizeof(expected), "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", r.address[0]);
    rig_expect(backend, expected);
    rig_send(backend, "HTTP/1.1 103 Early Hints\r\n\r\n");
    rig_send(backend, http_ok);
    rig_expect(
        client,
        "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi");
    rig_send(client, "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
    rig_expect(backend, http_get);
    rig_send(
        backend,
        "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\n\r\nhi");
    rig_expect_eof(client);
    (void)close(client);
    (void)close(backend);
}

static void a_backend_of_http_1_0_is_read_to_its_end(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    rig_send(backend, "HTTP/1.0 200 OK\r\nDate: D\r\n\r\nhello");
    (void)close(backend);
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
               "0\r\n\r\n");
    (void)close(client);
}

static void answers_without_a_body_have_none(void **state)
{
    static const char head[] = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, head);
    int backend = rig_accept(h.listener);
    rig_expect(backend, head);
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5000\r\n\r\n");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5000\r\n\r\n");
    rig_send(client, http_get);
    rig_expect(backend, http_get);
    rig_send(backend,
             "HTTP/1.1 304 Not Modified\r\nDate: D\r\nContent-Length: 7\r\nETag: x\r\n\r\n");
    rig_expect(client,
               "HTTP/1.1 304 Not Modified\r\nDate: D\r\nETag: x\r\nContent-Length: 7\r\n\r\n");
    rig_send(client, http_get);
    rig_expect(backend, http_get);
    rig_send(backend, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
    rig_expect(client, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
    http_round(client, backend);
    (void)close(client);
    (void)close(backend);
}

/* ---- the end of it all ---- */
static void stopping_lets_answers_end(void **state)
{
    (void)state;
    rig_start();
    int idle = rig_client();
    int busy = rig_client();
    rig_send(idle, http_get);
    int first = rig_accept(h.listener);
    rig_expect(first, http_get);
    rig_send(first, http_ok);
    rig_expect(idle, http_ok);
    rig_send(busy, http_get);
    rig_expect(first, http_get);
    tusk_relay_stop(r.relay);
    rig_expect_eof(idle);
    (void)close(idle);
    rig_send(first, http_ok);
    rig_expect(busy,
               "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    rig_expect_eof(busy);
    (void)close(busy);
    rig_until(r.stopped == 1);
    (void)close(first);
}

static void stop_again(void)
{
    r.on_record = NULL;
    tusk_relay_stop(r.relay);
}

static void a_stop_inside_of_a_record_ends_its_request_once(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    r.on_record = stop_again;
    tusk_relay_stop(r.relay);
    rig_send(backend, http_ok);
    rig_until(r.stopped == 1);
    assert_int_equal(r.record_count, 1);
    assert_string_equal(r.records[0].end, "done");
    (void)close(client);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(requests_share_a_kept_connection),
        http_test(pipelined_requests_are_answered_in_order),
        http_test(a_kept_connection_that_was_gone_is_tried_again_once),
        http_test(what_may_not_be_repeated_is_not),
        http_test(what_may_not_be_repeated_goes_to_no_connection_that_is_gone),
        http_test(the_end_of_a_kept_connection_is_seen),
        http_test(bytes_behind_an_answer_reach_nobody),
        http_test(kept_connections_are_few_and_go_after_a_time),
        http_test(what_comes_goes_out_at_once),
        http_test(an_answer_that_goes_on_is_counted_while_it_does),
        http_test(clients_of_http_1_0_get_what_they_understand),
        http_test(a_backend_of_http_1_0_is_read_to_its_end),
        http_test(answers_without_a_body_have_none),
        http_test(stopping_lets_answers_end),
        http_test(a_stop_inside_of_a_record_ends_its_request_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
