/* SPDX-License-Identifier: MIT */
/* An event stream's client: answers, redirects, reconnects, limits, closing from anywhere. */
#include "peer.h"

static struct {
    tusk_sse_client *client;
    int opens, events, retries, closes;
    char log[4096]; /* "type|id|data;" per event */
    size_t log_len;
    uint32_t delay_ms;
    tusk_failure failure;
    char act_in; /* 'o'pen, 'e'vent, 'r'etry, 'c'lose */
    char act;    /* 'a'bort, 'c'lose, 'p'ause */
} c;

static void act(char where)
{
    if (c.act_in != where) {
        return;
    }
    switch (c.act) {
    case 'a': tusk_sse_client_abort(c.client); break;
    case 'c': tusk_sse_client_close(c.client); break;
    case 'p': tusk_sse_client_pause(c.client); break;
    default: break;
    }
}

static void on_open(void *user, tusk_sse_client *self)
{
    c.opens++;
    assert_int_equal(tusk_sse_client_state(self), TUSK_SSE_OPEN);
    act('o');
}

static void on_event(void *user, tusk_sse_client *self, const tusk_sse_event *event)
{
    c.events++;
    int len = snprintf(
        c.log + c.log_len, sizeof(c.log) - c.log_len, "%.*s|%.*s|%.*s;", (int)event->type.len,
        (const char *)event->type.ptr, (int)event->id.len, (const char *)event->id.ptr,
        (int)(event->data.len > 40 ? 40 : event->data.len), (const char *)event->data.ptr);
    c.log_len += (size_t)len;
    assert_bytes_equal(tusk_sse_client_last_id(self), event->id);
    act('e');
}

static void on_retry(void *user, tusk_sse_client *self, const tusk_failure *failure,
                     uint32_t delay_ms)
{
    c.retries++;
    c.failure = *failure;
    c.delay_ms = delay_ms;
    assert_int_equal(tusk_sse_client_state(self), TUSK_SSE_CONNECTING);
    act('r');
}

static void on_close(void *user, tusk_sse_client *self, const tusk_failure *failure)
{
    c.closes++;
    c.failure = *failure;
    assert_int_equal(tusk_sse_client_state(self), TUSK_SSE_CLOSED);
    act('c');
}

static const tusk_sse_client_handler handler = {
    .on_open = on_open, .on_event = on_event, .on_retry = on_retry, .on_close = on_close};

static int set_up(void **state)
{
    memset(&c, 0, sizeof(c));
    return peer_set_up(state);
}

static int tear_down(void **state)
{
    return peer_tear_down(state);
}

static void open_with(tusk_sse_client_options options)
{
    int told = c.opens + c.closes + c.retries;
    options.target.url = tusk_bytes_str(t.url);
    assert_err(tusk_sse_client_open(&c.client, t.client, &options, &handler, NULL), TUSK_OK);
    assert_int_equal(c.opens + c.closes + c.retries, told); /* never from inside open */
    assert_int_equal(tusk_sse_client_state(c.client), TUSK_SSE_CONNECTING);
}

static const tusk_sse_client_options plain;
static const tusk_sse_client_options quick = {.retry_ms = 10, .retry_ms_max = 20};

#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
#define CHUNKED                                                                                    \
    "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream ; charset=utf-8\r\nTransfer-Encoding: "    \
    "chunked\r\n\r\n"

/* ---- events ---- */
static void events_arrive_with_type_id_and_data(void **state)
{
    t.answers[0] =
        CHUNKED "18\r\nevent: a\nid: 1\ndata: x\n\n\r\n5\r\ndata:\r\n3\r\n y\n\r\n1\r\n\n\r\n";
    open_with(plain);
    turn_until(&c.events, 2);
    assert_string_equal(c.log, "a|1|x;|1|y;");
    assert_int_equal(c.opens, 1);
    assert_non_null(strstr(t.seen, "GET / HTTP/1.1\r\n"));
    assert_non_null(strstr(t.seen, "\r\nAccept: text/event-stream\r\nCache-Control: no-cache\r\n"));
    assert_null(strstr(t.seen, "Last-Event-ID"));
}

static void it_comes_back_with_the_last_id(void **state)
{
    t.answers[0] = "!" STREAM "retry: 12\nid: 7:42\ndata: x\n\nid: lost\ndata: unfinished";
    t.answers[1] = "!" STREAM "data: y\n\nid\ndata: z\n\n";
    t.answers[2] = STREAM "data: end\n\n";
    open_with((tusk_sse_client_options){.retry_ms_min = 11});
    turn_until(&c.events, 4);
    assert_string_equal(c.log, "|7:42|x;|7:42|y;||z;||end;");
    assert_int_equal(c.opens, 3);
    assert_int_equal(c.retries, 2);
    assert_in_range(c.delay_ms, 12, 16); /* the server's time, spread by a quarter */
    const char *second = strstr(t.seen + 4, "GET ");
    assert_non_null(second);
    const char *third = strstr(second + 4, "GET ");
    assert_non_null(third);
    const char *sent = strstr(second, "\r\nLast-Event-ID: 7:42\r\n");
    assert_true(sent != NULL && sent < third);
    assert_null(strstr(third, "Last-Event-ID")); /* an empty id is not sent */
}

static void the_first_request_may_carry_an_id(void **state)
{
    t.answers[0] = STREAM "data: x\n\n";
    open_with((tusk_sse_client_options){.last_event_id = tusk_bytes_str("caf\xc3\xa9")});
    turn_until(&c.events, 1);
    assert_non_null(strstr(t.seen, "\r\nLast-Event-ID: caf\xc3\xa9\r\n"));
    tusk_sse_client *client;
    assert_err(tusk_sse_client_open(
                   &client, t.client,
                   &(tusk_sse_client_options){.target.url = tusk_bytes_str(t.url),
                                              .last_event_id = tusk_bytes_str("a\r\nX: y")},
                   &handler, NULL),
               TUSK_EINVAL);
}

static void an_empty_stream_is_legal_and_comes_back(void **state)
{
    t.answers[0] = "!" STREAM;
    t.answers[1] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n";
    t.answers[2] = CHUNKED "0\r\n\r\n";
    t.answers[3] = STREAM "data: x\n\n";
    open_with(quick);
    turn_until(&c.events, 1);
    assert_int_equal(c.opens, 4);
    assert_int_equal(c.retries, 3);
}

/* ---- the end for good ---- */
static void fatal_answers_end_it(void **state)
{
    static const struct {
        const char *answer;
        unsigned status;
        tusk_err err;
    } cases[] = {
        {"HTTP/1.1 204 No Content\r\n\r\n", 204, TUSK_EEOF},
        {"HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n", 500, TUSK_EREFUSED},
        {"HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n", 503, TUSK_EREFUSED},
        {"HTTP/1.1 404 X\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n", 404,
         TUSK_EREFUSED},
        {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n", 200,
         TUSK_EPROTO},
        {"HTTP/1.1 200 OK\r\nContent-Type: text/event-streams\r\n\r\n", 200, TUSK_EPROTO},
        {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, TUSK_EPROTO},
        {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n",
         200, TUSK_EPROTO},
        {"HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n", 302, TUSK_EPROTO},
        {"HTTP/1.1 302 X\r\nLocation: ftp://a/\r\nContent-Length: 0\r\n\r\n", 302, TUSK_EPROTO},
        {"HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n", 0, TUSK_EPROTO},
        {"SSH-2.0-x\r\n", 0, TUSK_EPROTO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        t.requests = 0;
        c.closes = 0;
        t.answers[0] = cases[i].answer;
        open_with(plain);
        turn_until(&c.closes, 1);
        if (c.failure.status != cases[i].status || c.failure.err != cases[i].err) {
            fail_msg("case %zu: status %u, %s", i, c.failure.status, tusk_err_name(c.failure.err));
        }
    }
    assert_int_equal(c.opens + c.retries, 0);
}

static void an_event_over_the_limits_ends_it(void **state)
{
    t.answers[0] = STREAM "data: 12345678901234567890\n\n";
    open_with((tusk_sse_client_options){.line_max = 20});
    turn_until(&c.closes, 1);
    assert_err(c.failure.err, TUSK_ETOOBIG);
    assert_int_equal(c.events, 0);
    c.closes = 0;
    t.answers[1] = STREAM "data: 12345\ndata: 67890\n\n";
    open_with((tusk_sse_client_options){.data_max = 10});
    turn_until(&c.closes, 1);
    assert_err(c.failure.err, TUSK_ETOOBIG);
}

/* ---- coming back ---- */
static void among_servers_busy_answers_are_tried_again(void **state)
{
    static const char *const answers[] = {"HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n",
                                          "HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n",
                                          "HTTP/1.1 502 X\r\nContent-Length: 0\r\n\r\n",
                                          "HTTP/1.1 504 X\r\nContent-Length: 0\r\n\r\n",
                                          STREAM "data: x\n\n"};
    tusk_sse_client_options options = quick;
    options.retry_on_error_status = true;
    memcpy(t.answers, answers, sizeof(answers));
    open_with(options);
    turn_until(&c.events, 1);
    assert_int_equal(c.retries, 4);
    assert_int_equal(c.failure.status, 504);
}

static void retry_after_is_respected(void **state)
{
    static const struct {
        const char *answer;
        uint32_t low, high;
    } cases[] = {
        {"HTTP/1.1 503 X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", 7000, 7000},
        {"HTTP/1.1 503 X\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n",
         86400000, 86400000},
        {"HTTP/1.1 503 X\r\nRetry-After: -7\r\nContent-Length: 0\r\n\r\n", 10, 25},
        {"HTTP/1.1 503 X\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 "
         "08:49:35 GMT\r\n"
         "Content-Length: 0\r\n\r\n",
         2000, 2000},
        {"HTTP/1.1 503 X\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: "
         "0\r\n\r\n",
         10, 25},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_sse_client_options options = quick;
        options.retry_on_error_status = true;
        t.requests = 0;
        c.retries = 0;
        t.answers[0] = cases[i].answer;
        open_with(options);
        turn_until(&c.retries, 1);
        assert_in_range(c.delay_ms, cases[i].low, cases[i].high);
        tusk_sse_client_abort(c.client);
    }
}

static void failing_connects_wait_longer_each_time(void **state)
{
    uint32_t last = 0;
    for (int i = 0; i < 8; i++) {
        t.answers[i] = NULL;
    }
    open_with((tusk_sse_client_options){.retry_ms = 10, .retry_ms_max = 80});
    for (int i = 1; i <= 5; i++) {
        turn_until(&c.retries, i);
        uint32_t base = 10U << (i - 1) < 80 ? 10U << (i - 1) : 80;
        assert_in_range(c.delay_ms, base, base + base / 4);
        assert_true(c.delay_ms >= last || base == 80);
        last = c.delay_ms;
    }
    t.answers[5] = "!" STREAM;
    turn_until(&c.retries, 6);
    assert_in_range(c.delay_ms, 10, 12); /* an open stream forgives the failures */
    assert_int_equal(c.closes, 0);
}

static void a_server_that_says_zero_does_not_make_it_spin(void **state)
{
    t.answers[0] = "!" STREAM "retry: 0\n";
    t.answers[1] = "!" STREAM "retry: 600\n";
    open_with(plain);
    turn_until(&c.retries, 1);
    assert_in_range(c.delay_ms, 500, 625);
    turn_until(&c.retries, 2);
    assert_in_range(c.delay_ms, 600, 750);
}

static void who_may_come_back_sooner_says_so(void **state)
{
    t.answers[0] = "!" STREAM "retry: 0\n";
    t.answers[1] = "!" STREAM "retry: 1\n";
    open_with((tusk_sse_client_options){.retry_ms_min = 20});
    turn_until(&c.retries, 1);
    assert_in_range(c.delay_ms, 20, 25);
    turn_until(&c.retries, 2);
    assert_in_range(c.delay_ms, 20, 25);
    tusk_sse_client_abort(c.client);
}

static void no_answer_and_no_byte_are_noticed(void **state)
{
    t.answers[0] = "HTTP/1.1 200 OK\r\n";
    t.answers[1] = STREAM "data: x\n\n";
    t.answers[2] = STREAM;
    open_with((tusk_sse_client_options){.retry_ms = 10, .answer_ms = 20, .idle_ms = 25});
    turn_until(&c.retries, 1);
    assert_err(c.failure.err, TUSK_ETIMEOUT);
    assert_string_equal(c.failure.stage, "answer");
    turn_until(&c.retries, 2);
    assert_err(c.failure.err, TUSK_ETIMEOUT);
    assert_string_equal(c.failure.stage, "stream");
    assert_int_equal(c.events, 1);
}

/* ---- redirects ---- */
static void redirects_are_followed_and_repeated(void **state)
{
    char there[256];
    (void)snprintf(there, sizeof(there),
                   "HTTP/1.1 307 X\r\nLocation: %snew/a?b\r\nContent-Length: 0\r\n\r\n", t.url);
    t.answers[0] = there;
    t.answers[1] = "HTTP/1.1 301 X\r\nLocation: c\r\nContent-Length: 0\r\n\r\n";
    t.answers[2] = "HTTP/1.1 302 X\r\nLocation: ?d=e\r\nContent-Length: 0\r\n\r\n";
    t.answers[3] = "HTTP/1.1 303 X\r\nLocation: /f\r\nContent-Length: 0\r\n\r\n";
    t.answers[4] = "!" STREAM "id: 9\ndata: x\n\n";
    t.answers[5] = STREAM "data: y\n\n"; /* from the first place again */
    open_with(quick);
    turn_until(&c.events, 2);
    static const char *const lines[] = {"GET / HTTP",      "GET /new/a?b HTTP",
                                        "GET /new/c HTTP", "GET /new/c?d=e HTTP",
                                        "GET /f HTTP",     "GET / HTTP"};
    const char *at = t.seen;
    for (size_t i = 0; i < 6; i++) {
        at = strstr(at, "GET ");
        assert_non_null(at);
        assert_memory_equal(at, lines[i], strlen(lines[i]));
        at += 4;
    }
    assert_non_null(strstr(at, "Last-Event-ID: 9\r\n"));
}

static void redirects_have_an_end(void **state)
{
    for (int i = 0; i < 16; i++) {
        t.answers[i] = "HTTP/1.1 302 X\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n";
    }
    open_with(plain);
    int lap = 0;
    while (c.closes == 0 && lap++ < 1000) {
        t.requests = 0; /* the same answer for ever */
        assert_err(tusk_loop_turn(t.loop, 100), TUSK_OK);
    }
    assert_int_equal(c.closes, 1);
    assert_int_equal(c.failure.status, 302);
    assert_in_range(t.conns, 20, 21);
}

static void secrets_stay_with_their_origin(void **state)
{
    char there[256];
    const char *port = strrchr(t.url, ':');
    /* The same listener by another name is another origin. */
    (void)snprintf(there, sizeof(there),
                   "HTTP/1.1 302 X\r\nLocation: http://localhost%sb\r\nContent-Length: 0\r\n\r\n",
                   port);
    t.answers[0] = "HTTP/1.1 302 X\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n";
    t.answers[1] = there;
    t.answers[2] = STREAM "data: x\n\n";
    open_with((tusk_sse_client_options){
        .target.fields = tusk_bytes_str("Authorization: Bearer s\r\nX-Kept: 1\r\ncookie: a=b\r\n"),
        .retry_ms = 10});
    turn_until(&c.events, 1);
    const char *second = strstr(t.seen + 4, "GET /a");
    const char *third = strstr(t.seen + 4, "GET /b");
    assert_non_null(second);
    assert_non_null(third);
    assert_non_null(strstr(second, "Authorization: Bearer s\r\n"));
    assert_true(strstr(second, "Authorization") < third);
    assert_null(strstr(third, "Authorization"));
    assert_null(strstr(third, "cookie"));
    assert_non_null(strstr(third, "X-Kept: 1\r\n"));
    assert_non_null(strstr(third, "Host: localhost"));
}

/* ---- from inside callbacks ---- */
static void acting_inside_any_callback(void **state)
{
    for (const char *where = "oerc"; *where != '\0'; where++) {
        for (const char *what = "ac"; *what != '\0'; what++) {
            unsigned closed = t.closed;
            memset(&c, 0, sizeof(c));
            c.act_in = *where;
            c.act = *what;
            t.requests = 0;
            t.answers[0] = "!" STREAM "data: x\n\ndata: y\n\n";
            t.answers[1] = "HTTP/1.1 204 X\r\n\r\n";
            open_with(quick);
            turn_until_closed(closed + 1);
            for (int i = 0; i < 20 && c.closes == 0; i++) {
                assert_err(tusk_loop_turn(t.loop, 10), TUSK_OK);
            }
            assert_int_equal(c.closes, *what == 'a' && *where != 'c' ? 0 : 1);
            assert_int_equal(c.events, *where == 'o' ? 0 : *where == 'e' ? 1 : 2);
            turn_until_closed(t.conns);
        }
    }
}

static void a_paused_stream_keeps_what_came(void **state)
{
    c.act_in = 'e';
    c.act = 'p';
    t.answers[0] =
        "!" CHUNKED "12\r\ndata: a\n\ndata: b\n\n\r\n12\r\ndata: c\n\ndata: d\n\n\r\n0\r\n\r\n";
    t.answers[1] = "HTTP/1.1 204 X\r\n\r\n";
    open_with(quick);
    for (int i = 1; i <= 4; i++) {
        turn_until(&c.events, i);
        for (int turn = 0; turn < 5; turn++) {
            assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
        }
        assert_int_equal(c.events, i);
        assert_int_equal(c.retries, 0);
        tusk_sse_client_resume(c.client);
    }
    assert_string_equal(c.log, "||a;||b;||c;||d;");
    turn_until(&c.closes, 1);
    assert_int_equal(c.retries, 1);
}

static void closing_while_it_waits_to_come_back(void **state)
{
    t.answers[0] = "!" STREAM;
    open_with(plain);
    turn_until(&c.retries, 1);
    tusk_sse_client_close(c.client);
    tusk_sse_client_close(c.client);
    assert_int_equal(c.closes, 0);
    turn_until(&c.closes, 1);
    assert_err(c.failure.err, TUSK_OK);
    open_with(plain);
    tusk_sse_client_abort(c.client);
}

static void without_memory_it_comes_back_or_ends(void **state)
{
    for (size_t n = 1; n < 60; n++) {
        size_t before = t.mem.requests;
        memset(&c, 0, sizeof(c));
        t.requests = 0;
        for (int i = 0; i < 8; i++) {
            t.answers[i] = CHUNKED "9\r\ndata: x\xff\n\r\n1\r\n\n\r\n";
        }
        t.mem.fail_at = before + n;
        tusk_sse_client_options options = quick;
        options.target.url = tusk_bytes_str(t.url);
        options.answer_ms = 300;
        tusk_err err = tusk_sse_client_open(&c.client, t.client, &options, &handler, NULL);
        uint64_t deadline = tusk_loop_clock_ns() + UINT64_C(10000000000);
        while (err == TUSK_OK && c.events + c.closes == 0 && tusk_loop_clock_ns() < deadline) {
            assert_err(tusk_loop_turn(t.loop, 100), TUSK_OK);
        }
        assert_true(err != TUSK_OK || c.events + c.closes > 0);
        if (err == TUSK_OK && c.closes == 0) {
            assert_string_equal(c.log, "||x\xef\xbf\xbd;");
            tusk_sse_client_abort(c.client);
        }
        t.mem.fail_at = 0;
        turn_until_closed(t.conns);
        if (t.mem.requests - before < n) {
            break;
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(events_arrive_with_type_id_and_data),
        TEST(it_comes_back_with_the_last_id),
        TEST(the_first_request_may_carry_an_id),
        TEST(an_empty_stream_is_legal_and_comes_back),
        TEST(fatal_answers_end_it),
        TEST(an_event_over_the_limits_ends_it),
        TEST(among_servers_busy_answers_are_tried_again),
        TEST(retry_after_is_respected),
        TEST(failing_connects_wait_longer_each_time),
        TEST(a_server_that_says_zero_does_not_make_it_spin),
        TEST(who_may_come_back_sooner_says_so),
        TEST(no_answer_and_no_byte_are_noticed),
        TEST(redirects_are_followed_and_repeated),
        TEST(redirects_have_an_end),
        TEST(secrets_stay_with_their_origin),
        TEST(acting_inside_any_callback),
        TEST(a_paused_stream_keeps_what_came),
        TEST(closing_while_it_waits_to_come_back),
        TEST(without_memory_it_comes_back_or_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
