/* SPDX-License-Identifier: MIT */
/* Response heads, as a client reads them: the status line, and how the body's end is known. */
#include "http1_cut.h"

static tusk_http_head head;
static tusk_http_method answered;

static ptrdiff_t parse_answer(tusk_http_head *out, tusk_bytes in, const tusk_http_limits *limits,
                              size_t *scanned)
{
    return tusk_http_response_parse(out, in, limits, answered, scanned);
}

static ptrdiff_t parse(tusk_http_method to, const char *text, size_t *at)
{
    answered = to;
    return http1_parse_cut(parse_answer, &head, tusk_bytes_str(text), tusk_http_limits_default(),
                           at);
}

static void accept(tusk_http_method to, const char *text)
{
    size_t at;
    ptrdiff_t used = parse(to, text, &at);
    if (used <= 0) {
        fail_msg("%s for\n%s", tusk_err_name((tusk_err)used), text);
    }
}

static void a_status_line_may_lack_its_reason(void **state)
{
    accept(TUSK_HTTP_GET, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    assert_int_equal(head.status, 200);
    assert_int_equal(head.content_length, 5);
    assert_true(head.keep_alive);
    assert_false(head.until_close || head.no_body);
    accept(TUSK_HTTP_GET, "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n");
    assert_int_equal(head.status, 404);
    accept(TUSK_HTTP_GET, "HTTP/1.1 299\r\nContent-Length: 0\r\n\r\n");
    assert_int_equal(head.status, 299);
    accept(TUSK_HTTP_GET, "HTTP/1.0 200 Tr\xc3\xa8s bien\r\n\r\n");
    assert_int_equal(head.minor, 0);
    assert_true(head.until_close);
}

static void a_later_minor_version_is_read_as_1_1(void **state)
{
    accept(TUSK_HTTP_GET, "HTTP/1.2 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_int_equal(head.minor, 1);
    assert_true(head.chunked && head.keep_alive);
    accept(TUSK_HTTP_GET, "HTTP/1.9 204 X\r\n\r\n");
    assert_int_equal(head.minor, 1);
}

static void white_space_before_a_colon_is_for_who_passes_answers_on(void **state)
{
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length \t: 5\r\nX :\r\n\r\n";
    static const char *const never[] = {
        "HTTP/1.1 200 OK\r\nX y: z\r\n\r\n", "HTTP/1.1 200 OK\r\n : z\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX \r\n: z\r\n\r\n", "HTTP/1.1 200 OK\r\nX: y\r\n z: a\r\n\r\n"};
    size_t at;
    assert_int_equal(parse(TUSK_HTTP_GET, text, &at), TUSK_EPROTO);
    tusk_http_limits limits = *tusk_http_limits_default();
    limits.spaced_names = true;
    answered = TUSK_HTTP_GET;
    assert_true(http1_parse_cut(parse_answer, &head, tusk_bytes_str(text), &limits, &at) > 0);
    assert_int_equal(head.content_length, 5);
    assert_bytes_equal(head.fields[0].name, tusk_bytes_str("Content-Length"));
    assert_bytes_equal(head.fields[1].name, tusk_bytes_str("X"));
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
        assert_int_equal(
            http1_parse_cut(parse_answer, &head, tusk_bytes_str(never[i]), &limits, &at),
            TUSK_EPROTO);
    }
}

static void folded_lines_become_spaces(void **state)
{
    static const struct {
        const char *head, *unfolded; /* NULL: nothing changes */
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a   b\r\n\r\n"},
        {"HTTP/1.1 200 OK\r\nX:\r\n\tb\r\n\t\r\nY: z\r\n",
         "HTTP/1.1 200 OK\r\nX:  \tb  \t\r\nY: z\r\n"},
        {"HTTP/1.1 200 OK\r\nX: a\r\n ", "HTTP/1.1 200 OK\r\nX: a   "}, /* unfinished */
        {"HTTP/1.1 200 OK\r\nX: a\r\n", NULL},
        {"HTTP/1.1 200 OK\r\nX: a\r\n\r\n\r\n b", NULL},    /* a body */
        {"HTTP/1.1 200 OK\r\n X: a\r\nY: b\r\n\r\n", NULL}, /* RFC 9112, 2.2 */
        {"HTTP/1.1 200 OK\r\n\r\n b", NULL},
        {"HTTP/1.1 200 OK\nX: a\r\n b", NULL}, /* a line feed alone ends no line */
        {"\r", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_bytes in = test_guarded_str(cases[i].head);
        const char *expected = cases[i].unfolded != NULL ? cases[i].unfolded : cases[i].head;
        bool changed = tusk_http_response_unfold((uint8_t *)(uintptr_t)in.ptr, in.len);
        if (changed != (cases[i].unfolded != NULL)) {
            fail_msg("case %zu", i);
        }
        assert_bytes_equal(in, tusk_bytes_str(expected));
    }
}

static void an_upgrade_answer_is_seen(void **state)
{
    accept(TUSK_HTTP_GET,
           "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
    assert_int_equal(head.status, 101);
    assert_true(head.upgrade);
    assert_true(head.no_body);
}

static void where_a_body_ends(void **state)
{
    static const struct {
        tusk_http_method to;
        const char *status;
        const char *fields;
        bool no_body;
        bool chunked;
        bool until_close;
        bool keep_alive;
    } cases[] = {
        {TUSK_HTTP_GET, "200", "Content-Length: 5\r\n", false, false, false, true},
        {TUSK_HTTP_GET, "200", "Content-Length: 0\r\n", false, false, false, true},
        {TUSK_HTTP_GET, "200", "Transfer-Encoding: chunked\r\n", false, true, false, true},
        {TUSK_HTTP_GET, "200", "", false, false, true, false},
        {TUSK_HTTP_GET, "200", "Connection: close\r\n", false, false, true, false},
        {TUSK_HTTP_HEAD, "200", "Content-Length: 5\r\n", true, false, false, true},
        {TUSK_HTTP_HEAD, "200", "", true, false, false, true},
        {TUSK_HTTP_GET, "204", "", true, false, false, true},
        {TUSK_HTTP_GET, "304", "Content-Length: 5\r\n", true, false, false, true},
        {TUSK_HTTP_GET, "100", "", true, false, false, true},
        {TUSK_HTTP_CONNECT, "200", "Transfer-Encoding: chunked\r\n", true, true, false, true},
        {TUSK_HTTP_CONNECT, "300", "Content-Length: 5\r\n", false, false, false, true},
        {TUSK_HTTP_CONNECT, "403", "Content-Length: 5\r\n", false, false, false, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), "HTTP/1.1 %s X\r\n%s\r\n", cases[i].status,
                       cases[i].fields);
        accept(cases[i].to, text);
        assert_int_equal(head.no_body, cases[i].no_body);
        assert_int_equal(head.chunked, cases[i].chunked);
        assert_int_equal(head.until_close, cases[i].until_close);
        assert_int_equal(head.keep_alive, cases[i].keep_alive);
    }
}

static void broken_answers_are_refused_early(void **state)
{
    static const struct {
        tusk_err err;
        size_t at; /* 0: not asserted */
        const char *text;
    } cases[] = {
        {TUSK_EPROTO, 4, "HTTX/1.1 200 OK\r\n\r\n"},
        {TUSK_EPROTO, 1, "\r\nHTTP/1.1 200 OK\r\n\r\n"},
        {TUSK_EVERSION, 8, "HTTP/2.0 200 OK\r\n\r\n"},
        {TUSK_EPROTO, 10, "HTTP/1.1  200 OK\r\n\r\n"},
        {TUSK_EPROTO, 10, "HTTP/1.1 099 OK\r\n\r\n"},
        {TUSK_EPROTO, 12, "HTTP/1.1 20 OK\r\n\r\n"},
        {TUSK_EPROTO, 13, "HTTP/1.1 2000 OK\r\n\r\n"},
        {TUSK_EPROTO, 13, "HTTP/1.1 200\n\r\n"},
        {TUSK_EPROTO, 16, "HTTP/1.1 200 OK\n\r\n"},
        {TUSK_EPROTO, 14, "HTTP/1.1 200 \x01\r\n\r\n"},
        {TUSK_EPROTO, 17, "HTTP/1.1 200 OK\rX"},
        {TUSK_EPROTO, 0, "HTTP/1.1 200 OK\r\nX : y\r\n\r\n"},
        {TUSK_EPROTO, 0, "HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\r\n"},
        {TUSK_EPROTO, 0,
         "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {TUSK_EPROTO, 0, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"},
        {TUSK_EPROTO, 0, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {TUSK_ECODING, 0, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t at;
        ptrdiff_t result = parse(TUSK_HTTP_GET, cases[i].text, &at);
        if (result != cases[i].err || (cases[i].at > 0 && at != cases[i].at)) {
            fail_msg("%td after %zu for\n%s", result, at, cases[i].text);
        }
    }
}

static void a_long_status_line_is_refused(void **state)
{
    tusk_http_limits limits = *tusk_http_limits_default();
    size_t at;
    limits.line_max = 20;
    answered = TUSK_HTTP_GET;
    const char *fine = "HTTP/1.1 200 1234567\r\n\r\n";
    const char *long_one = "HTTP/1.1 200 12345678\r\n\r\n";
    assert_true(http1_parse_cut(parse_answer, &head, tusk_bytes_str(fine), &limits, &at) > 0);
    assert_err(http1_parse_cut(parse_answer, &head, tusk_bytes_str(long_one), &limits, &at),
               TUSK_EHEADERS);
    assert_int_equal(at, 21); /* not only at its end, which may never come */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_line_may_lack_its_reason),
        cmocka_unit_test(a_later_minor_version_is_read_as_1_1),
        cmocka_unit_test(white_space_before_a_colon_is_for_who_passes_answers_on),
        cmocka_unit_test(folded_lines_become_spaces),
        cmocka_unit_test(an_upgrade_answer_is_seen),
        cmocka_unit_test(where_a_body_ends),
        cmocka_unit_test(broken_answers_are_refused_early),
        cmocka_unit_test(a_long_status_line_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
