/* SPDX-License-Identifier: MIT */
/* HTTP sessions through a whole server. */
#define _GNU_SOURCE
#include "rig.h"

static void a_request_is_answered_and_the_connection_kept(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    for (int i = 0; i < 3; i++) {
        rig_ask(&r, fd, "GET /?a=b HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
        assert_memory_equal(text, "HTTP/1.1 200 OK\r\nDate: ", 23);
        assert_non_null(strstr(text, "\r\nContent-Length: 5\r\nX-Test: 1\r\n\r\nhello"));
    }
    assert_string_equal(r.log, "request:/?a=b;request:/?a=b;request:/?a=b;");
    close(fd);
    rig_fini(&r);
}

static void head_has_the_length_and_no_body(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, "Content-Length: 5\r\n"));
    assert_memory_equal(text + strlen(text) - 4, "\r\n\r\n", 4);
    close(fd);
    rig_fini(&r);
}

static void refusals_have_content_unless_they_refuse_head(void **state)
{
    static const char *const bad[] = {"HEAD / HTTP/1.1\r\n\r\n",
                                      "HEAD * HTTP/1.1\r\nHost: x\r\n\r\n",
                                      "HEAD / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
                                      "\r\nHEAD / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n"};
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int fd = rig_connect(&r);
        rig_ask(&r, fd, bad[i], text, sizeof(text));
        assert_memory_equal(text, "HTTP/1.1 400 ", 13);
        assert_memory_equal(text + strlen(text) - 4, "\r\n\r\n", 4);
        close(fd);
    }
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    rig_ask(&r, fd, "GET / HTTP/1.1\r\n\r\n", text, sizeof(text)); /* not as the one before it */
    assert_memory_equal(text, "HTTP/1.1 400 ", 13);
    assert_memory_not_equal(text + strlen(text) - 4, "\r\n\r\n", 4);
    close(fd);
    rig_fini(&r);
}

static size_t occurrences(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        n++;
    }
    return n;
}

static void pipelined_requests_are_answered_in_one_write(void **state)
{
    rig r;
    char text[8192];
    tusk_server_stats before;
    tusk_server_stats after;
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    rig_turn(&r, 1);
    tusk_server_stats_get(r.server, &before);
    static const char one[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    for (int i = 0; i < 16; i++) {
        rig_write(fd, one, sizeof(one) - 1);
    }
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_int_equal(occurrences(text, "hello"), 16);
    tusk_server_stats_get(r.server, &after);
    assert_int_equal(after.send_calls - before.send_calls, 1);
    close(fd);
    rig_fini(&r);
}

static void a_late_answer_keeps_the_order(void **state)
{
    rig r;
    char text[4096];
    (void)state;
    rig_init(&r, NULL);
    r.answer = false;
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET /?1 HTTP/1.1\r\nHost: x\r\n\r\nGET /?2 HTTP/1.1\r\nHost: x\r\n\r\n", text,
            sizeof(text));
    assert_string_equal(text, "");
    assert_string_equal(r.log, "request:/?1;"); /* the second waits */
    tusk_handle first = r.last;
    assert_int_equal(
        tusk_reply(r.server, first, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("A"), NULL),
        TUSK_OK);
    assert_int_equal(
        tusk_reply(r.server, first, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("A"), NULL),
        TUSK_ESTATE);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "request:/?1;request:/?2;");
    assert_int_equal(
        tusk_reply(r.server, r.last, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("B"), NULL),
        TUSK_OK);
    rig_turn(&r, 4);
    rig_read(fd, text, sizeof(text));
    assert_true(strstr(text, "\r\n\r\nA") != NULL &&
                strstr(text, "\r\n\r\nB") > strstr(text, "\r\n\r\nA"));
    close(fd);
    rig_fini(&r);
}

static void bodies_arrive_whole_however_they_are_cut(void **state)
{
    static const char *const requests[] = {
        "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world",
        "POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
        "chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nT: 1\r\n\r\n"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        rig r;
        char text[2048];
        rig_init(&r, NULL);
        int fd = rig_connect(&r);
        for (size_t at = 0; at < strlen(requests[i]); at++) {
            rig_write(fd, requests[i] + at, 1);
            rig_turn(&r, 1);
        }
        rig_turn(&r, 3);
        rig_read(fd, text, sizeof(text));
        assert_non_null(strstr(text, " 200 OK"));
        assert_string_equal(r.log, "request:/post;body:hello world;");
        close(fd);
        rig_fini(&r);
    }
}

struct refusal {
    const char *request;
    const char *status;
    const char *also;
};

static void refusals_have_their_status_and_end_the_connection(void **state)
{
    static const struct refusal refusals[] = {
        {"POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", " 404 ",
         "Connection: close"},
        {"GET /none HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
         " 404 ", "Connection: close"},
        {"GET / HTTP/1.1\r\n\r\n", " 400 ", ""},
        {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", " 505 ", ""},
        {"GET / HTTP/1.1\nHost: x\n\n", " 400 ", ""},
        {"POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: "
         "chunked\r\n\r\n",
         " 400 ", ""},
        {"POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", " 413 ", ""},
        {"POST /post HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n", " 417 ", ""},
        {"GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", " 426 ", "Upgrade: websocket"},
        {"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
         "upgrade\r\nSec-WebSocket-Version: 12\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
         " 426 ", "Sec-WebSocket-Version: 13"},
        {"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
         "upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: short\r\n\r\n",
         " 400 ", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        rig r;
        char text[2048];
        rig_init(&r, NULL);
        int fd = rig_connect(&r);
        rig_ask(&r, fd, refusals[i].request, text, sizeof(text));
        if (strstr(text, refusals[i].status) == NULL || strstr(text, refusals[i].also) == NULL) {
            fail_msg("%s gave %s", refusals[i].request, text);
        }
        assert_string_equal(r.log, "");
        assert_int_equal(read(fd, text, 1), 0);
        close(fd);
        rig_fini(&r);
    }
}

static void expect_continue_is_answered_before_the_body(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    rig_ask(&r, fd,
            "POST /post HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
            text, sizeof(text));
    assert_string_equal(text, "HTTP/1.1 100 Continue\r\n\r\n");
    rig_ask(&r, fd, "ok", text, sizeof(text));
    assert_non_null(strstr(text, " 200 OK"));
    close(fd);
    rig_fini(&r);
}

static void http_1_0_is_not_asked_what_it_expects(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "POST /post HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi",
            text, sizeof(text));
    assert_memory_equal(text, "HTTP/1.1 200 OK\r\n", 17);
    assert_string_equal(r.log, "request:/post;body:hi;");
    close(fd);
    rig_fini(&r);
}

/* And what is no encoding is no target (RFC 9112, 3.2). */
static void an_encoded_path_is_the_same_path(void **state)
{
    static const struct {
        const char *target;
        const char *status;
    } cases[] = {{"/%70ost", "200"},   {"/p%6Fs%74", "200"}, {"/pos%", "400"},
                 {"/pos%7", "400"},    {"/pos%7a", "404"},   {"/%2fpost", "404"},
                 {"/post%", "400"},    {"/pos", "404"},      {"/post%00", "404"},
                 {"/%70os", "404"},    {"/%zz", "400"},      {"/%e2%82%ac", "200"},
                 {"/%e2%82%ad", "404"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rig r;
        char text[2048];
        rig_init(&r, NULL);
        assert_int_equal(tusk_server_route_http(r.server, "POST", "/\xe2\x82\xac", NULL), TUSK_OK);
        int fd = rig_connect(&r);
        snprintf(text, sizeof(text), "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
                 cases[i].target);
        rig_write(fd, text, strlen(text));
        rig_turn(&r, 4);
        rig_read(fd, text, sizeof(text));
        if (strncmp(text + 9, cases[i].status, 3) != 0) {
            fail_msg("%s: %.60s", cases[i].target, text);
        }
        close(fd);
        rig_fini(&r);
    }
}

static void a_streamed_answer_leaves_in_chunks(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    r.answer = false;
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_int_equal(tusk_reply_begin(r.server, r.last, 200, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_int_equal(tusk_reply_write(r.server, r.last, tusk_bytes_str("hello")), TUSK_OK);
    assert_int_equal(tusk_reply_write(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_int_equal(tusk_reply_end(r.server, r.last), TUSK_OK);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
    close(fd);
    rig_fini(&r);
}

/* RFC 9112, 6.2: what a Content-Length promised comes, no more and no less; else the connection is
 * cut. */
static void a_streamed_answer_of_a_known_length_keeps_it_or_is_cut(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    r.answer = false;
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", text, sizeof(text));
    tusk_bytes none = tusk_bytes_of(NULL, 0);
    assert_err(tusk_reply_begin_sized(r.server, r.last, 200, none, 5), TUSK_OK);
    assert_false(tusk_reply_bodiless(r.server, r.last));
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("hel")), TUSK_OK);
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("loo")), TUSK_EINVAL);
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("lo")), TUSK_OK);
    assert_err(tusk_reply_end(r.server, r.last), TUSK_OK);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "Content-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"));
    assert_null(strstr(text, "chunked"));

    rig_ask(&r, fd, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_err(tusk_reply_begin_sized(r.server, r.last, 200, none, 1000), TUSK_OK);
    assert_true(tusk_reply_bodiless(r.server, r.last));
    assert_err(tusk_reply_end(r.server, r.last), TUSK_OK); /* a HEAD's body is not missing */
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "Content-Length: 1000\r\n\r\n"));

    rig_ask(&r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_err(tusk_reply_begin_sized(r.server, r.last, 200, none, 5), TUSK_OK);
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("hell")), TUSK_OK);
    assert_err(tusk_reply_end(r.server, r.last), TUSK_EINVAL);
    rig_turn(&r, 3);
    assert_false(tusk_session_exists(r.server, r.last));
    rig_read(fd, text, sizeof(text)); /* what there was of it leaves before */
    assert_non_null(strstr(text, "Content-Length: 5\r\n\r\nhell"));
    close(fd);
    rig_fini(&r);
}

/* RFC 9112, 6.1: HTTP/1.0 knows no chunks; the end of such an answer is that of its connection. */
static void a_streamed_answer_to_http_1_0_ends_with_its_connection(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    r.answer = false;
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", text, sizeof(text));
    assert_err(tusk_reply_begin(r.server, r.last, 200, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("hello ")), TUSK_OK);
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("you")), TUSK_OK);
    assert_err(tusk_reply_end(r.server, r.last), TUSK_OK);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\r\n\r\nhello you"));
    assert_null(strstr(text, "hello you\r\n"));
    assert_null(strstr(text, "Transfer-Encoding"));
    assert_null(strstr(text, "keep-alive"));
    assert_int_equal(read(fd, text, sizeof(text)), 0);
    close(fd);
    rig_fini(&r);
}

/* RFC 9110, 8.6: a 204 tells no length, whatever its handler said; its connection goes on. */
static void a_streamed_204_tells_no_length(void **state)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    r.answer = false;
    int fd = rig_connect(&r);
    for (int i = 0; i < 2; i++) {
        rig_ask(&r, fd, request, text, sizeof(text));
        assert_err(tusk_reply_begin_sized(r.server, r.last, 204, tusk_bytes_of(NULL, 0), 5),
                   TUSK_OK);
        assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("hello")), TUSK_OK);
        assert_err(tusk_reply_end(r.server, r.last), TUSK_OK);
        rig_turn(&r, 3);
        rig_read(fd, text, sizeof(text));
        assert_non_null(strstr(text, "HTTP/1.1 204 "));
        assert_null(strstr(text, "Content-Length"));
        assert_null(strstr(text, "hello"));
    }
    close(fd);
    rig_fini(&r);
}

static void a_client_that_asks_and_never_reads_is_stopped(void **state)
{
    rig r;
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    static const char one[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    int stuck = 0;
    size_t at = 0;
    for (int i = 0; i < 200000 && stuck < 50; i++) {
        ssize_t n = write(fd, one + at, sizeof(one) - 1 - at);
        at = n > 0 ? (at + (size_t)n) % (sizeof(one) - 1) : at;
        stuck = n > 0 ? 0 : stuck + 1;
        if (n <= 0 || i % 100 == 0) {
            rig_turn(&r, 1);
        }
        assert_true(tusk_session_buffered(r.server, r.last) < 256u * 1024u);
        r.log_len = 0;
    }
    assert_int_equal(stuck, 50);
    close(fd);
    rig_fini(&r);
}

static void files_are_served_with_conditions_and_ranges(void **state)
{
    rig r;
    char text[4096];
    char folder[TEST_TEMP_MAX];
    char path[128];
    (void)state;
    test_temp_dir(folder, "files");
    snprintf(path, sizeof(path), "%s/a.txt", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("0123456789", file);
    fclose(file);
    memset(&r, 0, sizeof(r));
    rig_init(&r, NULL);
    const tusk_files_options options = {
        .directory = folder, .index = "index.html", .cache_control = "no-cache"};
    assert_int_equal(tusk_server_route_files(r.server, "/static/", &options), TUSK_OK);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET /static/a.txt HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, " 200 OK"));
    assert_non_null(strstr(text, "Content-Type: text/plain; charset=utf-8\r\n"));
    assert_non_null(strstr(text, "\r\n\r\n0123456789"));
    char etag[64];
    const char *at = strstr(text, "ETag: ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "ETag: %63s", etag), 1);
    char request[512];
    snprintf(request, sizeof(request),
             "GET /static/a.txt HTTP/1.1\r\nHost: x\r\nIf-None-Match: %s\r\n\r\n", etag);
    rig_ask(&r, fd, request, text, sizeof(text));
    assert_non_null(strstr(text, " 304 "));
    rig_ask(&r, fd, "GET /static/a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=2-4\r\n\r\n", text,
            sizeof(text));
    assert_non_null(strstr(text, " 206 "));
    assert_non_null(strstr(text, "Content-Range: bytes 2-4/10\r\n"));
    assert_non_null(strstr(text, "\r\n\r\n234"));
    rig_ask(&r, fd, "GET /static/a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=20-\r\n\r\n", text,
            sizeof(text));
    assert_non_null(strstr(text, " 416 "));
    rig_ask(&r, fd, "HEAD /static/a.txt HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, "Content-Length: 10\r\n"));
    assert_null(strstr(text, "0123456789"));
    rig_ask(&r, fd, "GET /%73t%61tic/a.txt HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, "\r\n\r\n0123456789"));
    rig_ask(&r, fd, "GET /static%2fa.txt HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, " 404 "));
    rig_ask(&r, fd, "GET /static/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_true(strstr(text, " 403 ") != NULL || strstr(text, " 404 ") != NULL ||
                strstr(text, " 400 ") != NULL);
    close(fd);
    rig_fini(&r);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_answered_and_the_connection_kept),
        cmocka_unit_test(head_has_the_length_and_no_body),
        cmocka_unit_test(refusals_have_content_unless_they_refuse_head),
        cmocka_unit_test(pipelined_requests_are_answered_in_one_write),
        cmocka_unit_test(a_late_answer_keeps_the_order),
        cmocka_unit_test(bodies_arrive_whole_however_they_are_cut),
        cmocka_unit_test(refusals_have_their_status_and_end_the_connection),
        cmocka_unit_test(expect_continue_is_answered_before_the_body),
        cmocka_unit_test(http_1_0_is_not_asked_what_it_expects),
        cmocka_unit_test(an_encoded_path_is_the_same_path),
        cmocka_unit_test(a_streamed_answer_leaves_in_chunks),
        cmocka_unit_test(a_streamed_answer_of_a_known_length_keeps_it_or_is_cut),
        cmocka_unit_test(a_streamed_answer_to_http_1_0_ends_with_its_connection),
        cmocka_unit_test(a_streamed_204_tells_no_length),
        cmocka_unit_test(a_client_that_asks_and_never_reads_is_stopped),
        cmocka_unit_test(files_are_served_with_conditions_and_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
