/* SPDX-License-Identifier: MIT */
/* HTTP calls against a scripted server: answers, reuse, faults, cancelling from anywhere. */
#include <sys/socket.h>

#include "peer.h"

struct result {
    tusk_http_call *call;
    int done;
    int heads;
    int status;
    char body[4096];
    size_t body_len;
    tusk_err err;
    char stage[16];
    char text[64];
    char cancel_in; /* 'h'ead, 'd'ata, d'o'ne; 'f': frees the client in on_done */
    bool pause;
    const char *chain; /* a URL to be called from inside on_done */
    struct result *next;
};

static void on_head(void *user, tusk_http_call *call, const tusk_http_head *head)
{
    struct result *self = user;
    assert_ptr_equal(call, self->call);
    self->heads++;
    self->status = head->status;
    if (self->pause) {
        tusk_http_call_pause(call);
    }
    if (self->cancel_in == 'h') {
        tusk_http_call_cancel(call);
    }
}

static void on_data(void *user, tusk_http_call *call, tusk_bytes data)
{
    struct result *self = user;
    assert_true(self->body_len + data.len < sizeof(self->body));
    memcpy(self->body + self->body_len, data.ptr, data.len);
    self->body_len += data.len;
    if (self->pause) {
        tusk_http_call_pause(call);
    }
    if (self->cancel_in == 'd') {
        tusk_http_call_cancel(call);
    }
}

static void start(struct result *self, const char *url);

static void on_done(void *user, tusk_http_call *call, const tusk_failure *failure)
{
    struct result *self = user;
    self->done++;
    self->err = failure->err;
    (void)snprintf(self->stage, sizeof(self->stage), "%s", failure->stage);
    (void)snprintf(self->text, sizeof(self->text), "%s", failure->text);
    if (self->cancel_in == 'o') {
        tusk_http_call_cancel(call);
    }
    if (self->cancel_in == 'f') {
        tusk_client_free(t.client);
        t.client = NULL;
    }
    if (self->chain != NULL) {
        start(self->next, self->chain);
    }
}

static const tusk_http_call_handler handler = {
    .on_head = on_head, .on_data = on_data, .on_done = on_done};

static void start_with(struct result *self, const tusk_http_call_options *options)
{
    assert_err(tusk_http_call_start(&self->call, t.client, options, &handler, self), TUSK_OK);
    assert_int_equal(self->done, 0); /* never from inside start */
}

static void start(struct result *self, const char *url)
{
    start_with(self, &(tusk_http_call_options){.target = {.url = tusk_bytes_str(url)}});
}

static void get(struct result *self)
{
    start(self, t.url);
    turn_until(&self->done, 1);
}

static void assert_body(const struct result *self, const char *text)
{
    assert_err(self->err, TUSK_OK);
    assert_bytes_equal(tusk_bytes_of(self->body, self->body_len), tusk_bytes_str(text));
}

#define OK(body, len) "HTTP/1.1 200 OK\r\nContent-Length: " #len "\r\n\r\n" body

/* ---- answers ---- */
static void an_answer_of_each_framing_is_read(void **state)
{
    static const struct {
        const char *answer;
        int status;
        const char *body;
    } cases[] = {
        {OK("hello", 5), 200, "hello"},
        {"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: "
         "chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX: y\r\n\r\n",
         404, "abcde"},
        {"!HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"},
        {"HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
        {"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 \r\n\r\n" OK("x", 1), 200, "x"},
        {"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 301, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct result got = {0};
        t.answers[t.requests] = cases[i].answer;
        get(&got);
        assert_body(&got, cases[i].body);
        assert_int_equal(got.status, cases[i].status);
        assert_int_equal(got.heads, 1);
    }
}

static void the_request_is_what_was_asked_for(void **state)
{
    struct result got = {0};
    char expected[256];
    t.answers[0] = OK("", 0);
    t.answers[1] = OK("", 0);
    t.answers[2] = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"; /* to HEAD: no body comes */
    peer_set_url("http", "/a/b?c=d#e");
    start_with(&got, &(tusk_http_call_options){
                         .target = {.url = tusk_bytes_str(t.url),
                                    .fields = tusk_bytes_str("X-A: 1\r\nUser-Agent: me\r\n")},
                         .method = tusk_bytes_str("PUT"),
                         .body = tusk_bytes_str("hello"),
                     });
    turn_until(&got.done, 1);
    (void)snprintf(expected, sizeof(expected),
                   "PUT /a/b?c=d HTTP/1.1\r\nHost: %.*s\r\nX-A: 1\r\nUser-Agent: "
                   "me\r\nContent-Length: 5\r\n\r\nhello",
                   (int)(strlen(t.url) - strlen("http:///a/b?c=d#e")), t.url + strlen("http://"));
    assert_string_equal(t.seen, expected);

    t.seen_len = 0;
    struct result second = {0};
    start_with(&second, &(tusk_http_call_options){
                            .target = {.url = tusk_bytes_str(t.url),
                                       .fields = tusk_bytes_str("Host: other\r\n")},
                            .method = tusk_bytes_str("POST"),
                        });
    turn_until(&second.done, 1);
    assert_non_null(strstr(t.seen, "Host: other\r\n"));
    assert_null(strstr(t.seen, "Host: 127"));
    assert_non_null(strstr(t.seen, "Content-Length: 0\r\n"));
    assert_non_null(strstr(t.seen, "User-Agent: tusk/"));

    struct result third = {0};
    start_with(&third, &(tusk_http_call_options){
                           .target = {.url = tusk_bytes_str(t.url)},
                           .method = tusk_bytes_str("HEAD"),
                       });
    turn_until(&third.done, 1);
    assert_body(&third, "");
}

static void what_cannot_be_sent_is_refused_at_once(void **state)
{
    static const struct {
        const char *url, *method, *fields;
    } cases[] = {
        {"ftp://a/", "GET", ""},
        {"ws://a/", "GET", ""},
        {"/a", "GET", ""},
        {"", "GET", ""},
        {"http://a/\r\nX: y", "GET", ""},
        {"http://a/", "G ET", ""},
        {"http://a/", "GET\r\n", ""},
        {"http://a/", "CONNECT", ""},
        {"http://a/", "GET", "X: y"},
        {"http://a/", "GET", "X: y\n"},
        {"http://a/", "GET", "X : y\r\n"},
        {"http://a/", "GET", "X: y\rz\r\n"},
        {"http://a/", "GET", "X: y\r\n\r\n"},
        {"http://a/", "GET", "content-length: 5\r\n"},
        {"http://a/", "GET", "Transfer-Encoding: chunked\r\n"},
        {"http://a/", "GET", "Connection: close\r\n"},
        {"http://a/", "GET", "Sec-WebSocket-Key: x\r\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_http_call *call = (tusk_http_call *)(void *)&t;
        tusk_http_call_options options = {.target = {.url = tusk_bytes_str(cases[i].url),
                                                     .fields = tusk_bytes_str(cases[i].fields)},
                                          .method = tusk_bytes_str(cases[i].method)};
        if (tusk_http_call_start(&call, t.client, &options, &handler, NULL) != TUSK_EINVAL ||
            call != NULL) {
            fail_msg("case %zu was taken", i);
        }
    }
}

/* ---- reuse ---- */
static void a_connection_serves_many_requests(void **state)
{
    for (int i = 0; i < 5; i++) {
        struct result got = {0};
        t.answers[t.requests] = OK("hello", 5);
        get(&got);
        assert_body(&got, "hello");
    }
    assert_int_equal(t.conns, 1);
    struct result alone = {0};
    t.answers[t.requests] = OK("hello", 5);
    start_with(&alone, &(tusk_http_call_options){.target = {.url = tusk_bytes_str(t.url)},
                                                 .no_reuse = true});
    turn_until(&alone.done, 1);
    assert_int_equal(t.conns, 2);
    turn_until_closed(1); /* the one of its own */
    tusk_client_close_idle(t.client);
    turn_until_closed(2);
}

static void what_the_server_closes_is_not_used_again(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n", /* more than was asked
                                                                               for */
        "!" OK("x", 1),
    };
    for (unsigned i = 0; i < 4; i++) {
        struct result got = {0};
        t.answers[t.requests] = answers[i];
        get(&got);
        assert_body(&got, "x");
        assert_int_equal(t.conns, i + 1);
        turn_until_closed(i + 1);
    }
}

static void a_stale_connection_costs_a_second_try(void **state)
{
    struct result first = {0};
    struct result second = {0};
    t.answers[0] = OK("x", 1);
    t.answers[1] = NULL; /* the server closes just as the request comes */
    t.answers[2] = OK("again", 5);
    get(&first);
    get(&second);
    assert_body(&second, "again");
    assert_int_equal(t.conns, 2);
    assert_int_equal(t.requests, 3);
}

static void a_post_is_never_sent_twice(void **state)
{
    struct result first = {0};
    struct result second = {0};
    t.answers[0] = OK("x", 1);
    t.answers[1] = NULL;
    get(&first);
    start_with(&second, &(tusk_http_call_options){.target = {.url = tusk_bytes_str(t.url)},
                                                  .method = tusk_bytes_str("POST"),
                                                  .body = tusk_bytes_str("pay")});
    turn_until(&second.done, 1);
    assert_int_not_equal(second.err, TUSK_OK);
    assert_int_equal(t.requests, 2);
    struct result fresh = {0}; /* nor is a request on a new connection repeated */
    t.answers[2] = NULL;
    get(&fresh);
    assert_int_not_equal(fresh.err, TUSK_OK);
    assert_int_equal(t.requests, 3);
}

/* ---- faults ---- */
static void broken_answers_fail_with_their_reason(void **state)
{
    static char long_head[70100];
    (void)snprintf(long_head, sizeof(long_head), "HTTP/1.1 200 OK\r\nX: %070000d", 0);
    static const struct {
        const char *answer;
        tusk_err err;
        const char *text; /* NULL: any */
    } cases[] = {
        {"SSH-2.0-x\r\n", TUSK_EPROTO, "the answer's head is not HTTP"},
        {"HTTP/2.0 200 OK\r\n\r\n", TUSK_EVERSION, "protocol version not supported"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", TUSK_ECODING,
         "transfer coding not implemented"},
        {long_head, TUSK_EHEADERS, "header section too large"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", TUSK_EPROTO,
         "the answer's head is not HTTP"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx", TUSK_EPROTO,
         "the answer's body is not HTTP"},
        {"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", TUSK_EPROTO, NULL},
        {"!HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", TUSK_EEOF, NULL},
        {"!HTTP/1.1 200 OK\r\n", TUSK_EEOF, NULL},
        {"HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n", TUSK_ETOOBIG, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct result got = {0};
        t.answers[t.requests] = cases[i].answer;
        get(&got);
        const char *text = cases[i].text != NULL ? cases[i].text : got.text;
        if (got.err != cases[i].err || strcmp(got.stage, "answer") != 0 || strlen(got.text) == 0 ||
            strcmp(got.text, text) != 0) {
            fail_msg("case %zu: %s at %s: %s", i, tusk_err_name(got.err), got.stage, got.text);
        }
        assert_int_equal(got.done, 1);
    }
}

static void nobody_listens(void **state)
{
    struct result got = {0};
    tusk_listener *other;
    tusk_addr addr;
    char url[64];
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_listener_open(&other, t.loop, &addr, &(tusk_listener_options){0},
                                  peer_on_accept, NULL),
               TUSK_OK);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/",
                   tusk_addr_port(tusk_listener_addr(other)));
    tusk_listener_close(other);
    start(&got, url);
    turn_until(&got.done, 1);
    assert_err(got.err, TUSK_EREFUSED);
    assert_string_equal(got.stage, "connect");
}

static void a_name_without_an_address(void **state)
{
    struct result got = {0};
    start(&got, "http://name%20that%20cannot%20be/");
    turn_until(&got.done, 1);
    assert_string_equal(got.stage, "resolve");
    assert_int_not_equal(got.err, TUSK_OK);
}

static void an_answer_that_does_not_come_in_time(void **state)
{
    struct result got = {0};
    t.answers[0] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe";
    start_with(&got, &(tusk_http_call_options){.target = {.url = tusk_bytes_str(t.url)},
                                               .timeout_ms = 30});
    turn_until(&got.done, 1);
    assert_err(got.err, TUSK_ETIMEOUT);
    assert_int_equal(got.heads, 1);
    turn_until_closed(1);
}

/* ---- a server that says more than it is asked, or in pieces ---- */
static peer_conn *asked; /* who asked last */

static size_t keep_asker(peer_conn *self, tusk_bytes in)
{
    size_t len = peer_head_len(in);
    t.requests += len > 0;
    asked = len > 0 ? self : asked;
    return len;
}

static void turn_until_asked(unsigned wanted)
{
    int asks;
    for (asks = (int)t.requests; asks < (int)wanted; asks = (int)t.requests) {
        assert_err(tusk_loop_turn(t.loop, 1000), TUSK_OK);
    }
}

static void write_now(const char *text, size_t len)
{
    assert_err(tusk_conn_append(&asked->conn, text, len), TUSK_OK);
    tusk_conn_flush(&asked->conn);
}

static void folded_lines_are_read_as_one_however_they_are_cut(void **state)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\n\tc\r\nContent-Length:\r\n "
                                 "5\r\nX-B: \r\n \r\n\r\nhello";
    t.answer = keep_asker;
    for (size_t cut = 0; cut < sizeof(answer) - 1; cut++) {
        struct result got = {0};
        start(&got, t.url);
        turn_until_asked((unsigned)cut + 1);
        write_now(answer, cut);
        for (int turn = 0; turn < 2; turn++) {
            assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
        }
        assert_int_equal(t.closed, 0); /* without memory who asked may be no more */
        write_now(answer + cut, sizeof(answer) - 1 - cut);
        turn_until(&got.done, 1);
        assert_body(&got, "hello");
    }
    assert_int_equal(t.conns, 1);
}

static void a_reset_does_not_end_a_body_as_its_end_does(void **state)
{
    struct result got = {0};
    const struct linger now = {.l_onoff = 1};
    t.answer = keep_asker;
    start(&got, t.url);
    turn_until_asked(1);
    write_now("HTTP/1.1 200 OK\r\n\r\nhalf", 23);
    turn_until(&got.heads, 1);
    assert_int_equal(setsockopt(asked->conn.io.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
    tusk_conn_abort(&asked->conn, TUSK_OK);
    turn_until(&got.done, 1);
    assert_err(got.err, TUSK_ERESET);
}

static void what_came_unasked_answers_nothing(void **state)
{
    static const char *const unasked[] = {OK("evil", 4), "x", "\r\n", NULL};
    t.answer = keep_asker;
    for (unsigned i = 0; i < 4; i++) {
        struct result first = {0};
        start(&first, t.url);
        turn_until_asked(2 * i + 1);
        write_now(OK("x", 1), strlen(OK("x", 1)));
        turn_until(&first.done, 1);
        if (unasked[i] != NULL) {
            write_now(unasked[i], strlen(unasked[i])); /* and no turn tells the client of it */
        } else {
            tusk_conn_abort(&asked->conn, TUSK_OK);
        }
        struct result second = {0};
        start_with(&second, &(tusk_http_call_options){.target = {.url = tusk_bytes_str(t.url)},
                                                      .method = tusk_bytes_str("POST")});
        turn_until_asked(2 * i + 2);
        write_now(OK("good", 4), strlen(OK("good", 4)));
        turn_until(&second.done, 1);
        assert_body(&second, "good");
        tusk_client_close_idle(t.client);
        assert_int_equal(t.conns, 2 * i + 2);
    }
}

/* ---- from inside callbacks ---- */
static void cancelling_in_a_callback_ends_everything(void **state)
{
    for (const char *where = "hd"; *where != '\0'; where++) {
        struct result got = {.cancel_in = *where};
        unsigned closed = t.closed;
        t.answers[t.requests] = OK("hello", 5);
        start(&got, t.url);
        turn_until_closed(closed + 1);
        assert_int_equal(got.done, 0);
    }
    struct result got = {.cancel_in = 'o'};
    t.answers[t.requests] = OK("hello", 5);
    get(&got);
    assert_body(&got, "hello");
}

static void cancelling_before_the_connection_stands(void **state)
{
    struct result got = {0};
    start(&got, t.url);
    tusk_http_call_cancel(got.call);
    start(&got, "http://name%20that%20cannot%20be/");
    tusk_http_call_cancel(got.call);
    for (int i = 0; i < 10; i++) {
        assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
    }
    assert_int_equal(got.done, 0);
}

static void a_call_from_inside_on_done_uses_the_same_connection(void **state)
{
    struct result second = {0};
    struct result first = {.chain = t.url, .next = &second};
    t.answers[0] = OK("1", 1);
    t.answers[1] = OK("2", 1);
    get(&first);
    turn_until(&second.done, 1);
    assert_body(&second, "2");
    assert_int_equal(t.conns, 1);
}

static void a_paused_call_waits(void **state)
{
    static const char *const answers[] = {OK("hello", 5), "HTTP/1.1 204 X\r\n\r\n",
                                          "!HTTP/1.1 200 OK\r\n\r\nabc"};
    for (int i = 0; i < 3; i++) {
        struct result got = {.pause = true};
        t.answers[t.requests] = answers[i];
        start(&got, t.url);
        turn_until(&got.heads, 1);
        for (int turn = 0; turn < 5; turn++) {
            assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
        }
        assert_int_equal(got.done, 0);
        assert_int_equal(got.body_len, 0);
        while (got.done == 0) {
            tusk_http_call_resume(got.call);
            assert_err(tusk_loop_turn(t.loop, 1000), TUSK_OK);
        }
        assert_err(got.err, TUSK_OK);
        assert_int_equal(got.body_len, i == 0 ? 5 : i == 1 ? 0 : 3);
    }
}

static void freeing_the_client_ends_all_without_a_word(void **state)
{
    struct result got = {0};
    struct result waiting = {0};
    struct result lost = {0};
    t.answers[0] = OK("x", 1);
    t.answers[1] = "HTTP/1.1 200 OK\r\n";
    get(&got);
    start(&waiting, t.url);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    start(&lost, "http://name%20that%20cannot%20be/");
    tusk_client_free(t.client);
    t.client = NULL;
    for (int i = 0; i < 5; i++) {
        assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
    }
    assert_int_equal(waiting.done + lost.done, 0);
}

static void freeing_the_client_from_inside_a_callback(void **state)
{
    struct result other = {0};
    struct result got = {.cancel_in = 'f'};
    t.answers[0] = OK("hello", 5);
    t.answers[1] = OK("hello", 5);
    start(&got, t.url);
    start(&other, "http://127.0.0.1:1/");
    turn_until(&got.done, 1);
    for (int i = 0; i < 5; i++) {
        assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
    }
    assert_true(other.done <= 1);
}

/* ---- memory ---- */
static void without_memory_a_call_fails_and_nothing_leaks(void **state)
{
    size_t failures = 0;
    for (size_t n = 1; n < 60; n++) {
        struct result got = {0};
        t.requests = 0;
        t.answers[0] = OK("hello", 5);
        tusk_client_close_idle(t.client);
        size_t before = t.mem.requests;
        t.mem.fail_at = before + n;
        tusk_err err =
            tusk_http_call_start(&got.call, t.client,
                                 &(tusk_http_call_options){.target = {.url = tusk_bytes_str(t.url)},
                                                           .body = tusk_bytes_str("body"),
                                                           .timeout_ms = 300},
                                 &handler, &got);
        if (err == TUSK_OK) {
            turn_until(&got.done, 1);
            err = got.err;
        }
        t.mem.fail_at = 0;
        failures += err != TUSK_OK;
        if (t.mem.requests - before < n) {
            break; /* the n-th request was never made */
        }
    }
    assert_true(failures >= 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, peer_set_up, peer_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_answer_of_each_framing_is_read),
        TEST(the_request_is_what_was_asked_for),
        TEST(what_cannot_be_sent_is_refused_at_once),
        TEST(a_connection_serves_many_requests),
        TEST(what_the_server_closes_is_not_used_again),
        TEST(a_stale_connection_costs_a_second_try),
        TEST(a_post_is_never_sent_twice),
        TEST(broken_answers_fail_with_their_reason),
        TEST(nobody_listens),
        TEST(a_name_without_an_address),
        TEST(an_answer_that_does_not_come_in_time),
        TEST(folded_lines_are_read_as_one_however_they_are_cut),
        TEST(a_reset_does_not_end_a_body_as_its_end_does),
        TEST(what_came_unasked_answers_nothing),
        TEST(cancelling_in_a_callback_ends_everything),
        TEST(cancelling_before_the_connection_stands),
        TEST(a_call_from_inside_on_done_uses_the_same_connection),
        TEST(a_paused_call_waits),
        TEST(freeing_the_client_ends_all_without_a_word),
        TEST(freeing_the_client_from_inside_a_callback),
        TEST(without_memory_a_call_fails_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
