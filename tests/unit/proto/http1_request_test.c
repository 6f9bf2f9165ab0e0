/* SPDX-License-Identifier: MIT */
/* Request heads: what is understood, and what is refused with which status, however it arrives. */
#include "http1_cut.h"

static tusk_http_head head;

static ptrdiff_t parse(const char *text, size_t *at)
{
    return http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text),
                           tusk_http_limits_default(), at);
}

static void accept(const char *text)
{
    size_t at;
    ptrdiff_t used = parse(text, &at);
    if (used <= 0) {
        fail_msg("%s for\n%s", tusk_err_name((tusk_err)used), text);
    }
}

static void assert_text(tusk_bytes actual, const char *expected)
{
    assert_bytes_equal(actual, tusk_bytes_str(expected));
}

/* ---- understood ---- */
static void a_request_is_taken_apart(void **state)
{
    const char *text =
        "POST /rooms/a%20b?since=7&x HTTP/1.1\r\nHost: chat.example:8080\r\nContent-Length:5\r\n"
        "X-Padded: \t two words \t \r\nX-Empty:\r\nX-Bytes: caf\xc3\xa9\r\n\r\nhello";
    size_t at;
    assert_int_equal(parse(text, &at), strlen(text) - 5);
    assert_int_equal(at, strlen(text) - 5);
    assert_int_equal(head.method, TUSK_HTTP_POST);
    assert_text(head.method_name, "POST");
    assert_text(head.target, "/rooms/a%20b?since=7&x");
    assert_text(head.path, "/rooms/a%20b");
    assert_text(head.query, "since=7&x");
    assert_text(head.authority, "chat.example:8080");
    assert_int_equal(head.minor, 1);
    assert_int_equal(head.content_length, 5);
    assert_true(head.keep_alive);
    assert_false(head.chunked || head.upgrade || head.expect_continue || head.until_close ||
                 head.no_body);
    assert_int_equal(head.field_count, 5);
    assert_text(tusk_http_find(&head, "x-PADDED")->value, "two words");
    assert_text(tusk_http_find(&head, "x-empty")->value, "");
    assert_text(tusk_http_find(&head, "x-bytes")->value, "caf\xc3\xa9");
    assert_null(tusk_http_find(&head, "x-none"));
}

static void methods_are_named_and_others_kept(void **state)
{
    static const struct {
        const char *name;
        tusk_http_method method;
        bool idempotent;
    } cases[] = {
        {"GET", TUSK_HTTP_GET, true},         {"HEAD", TUSK_HTTP_HEAD, true},
        {"POST", TUSK_HTTP_POST, false},      {"PUT", TUSK_HTTP_PUT, true},
        {"PATCH", TUSK_HTTP_PATCH, false},    {"DELETE", TUSK_HTTP_DELETE, true},
        {"OPTIONS", TUSK_HTTP_OPTIONS, true}, {"TRACE", TUSK_HTTP_TRACE, true},
        {"get", TUSK_HTTP_OTHER, false},      {"PROPFIND", TUSK_HTTP_OTHER, false},
        {"GETS", TUSK_HTTP_OTHER, false},     {"!#$%&'*+-.^_`|~", TUSK_HTTP_OTHER, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "%s / HTTP/1.1\r\nHost: a\r\n\r\n", cases[i].name);
        accept(text);
        assert_int_equal(head.method, cases[i].method);
        assert_text(head.method_name, cases[i].name);
        assert_int_equal(tusk_http_method_of(tusk_bytes_str(cases[i].name)), cases[i].method);
        assert_int_equal(tusk_http_idempotent(cases[i].method), cases[i].idempotent);
    }
}

static void the_four_forms_of_a_target(void **state)
{
    accept("GET http://Other.example:81/a/b?c HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_text(head.authority, "Other.example:81");                       /* not Host's */
    assert_text(tusk_http_find(&head, "host")->value, "Other.example:81"); /* nobody reads that */
    assert_text(head.path, "/a/b");
    assert_text(head.query, "c");
    accept("GET HTTPS://a HTTP/1.1\r\nHost: b\r\n\r\n");
    assert_text(head.path, "/");
    assert_null(head.query.ptr);
    accept("GET ws://a?q HTTP/1.1\r\nHost: b\r\n\r\n");
    assert_text(head.path, "/");
    assert_text(head.query, "q");
    accept("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_text(head.path, "*");
    accept("OPTIONS http://a:81 HTTP/1.1\r\nHost: a\r\n\r\n"); /* RFC 9112, 3.2.4 */
    assert_text(head.path, "*");
    assert_null(head.query.ptr);
    accept("OPTIONS http://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_text(head.path, "/");
    accept("OPTIONS http://a?q HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_text(head.path, "/");
    accept("CONNECT db.example:5432 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_text(head.authority, "db.example:5432");
    accept("CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: a\r\n\r\n");
    accept("GET /? HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_non_null(head.query.ptr); /* an empty query is one */
    assert_int_equal(head.query.len, 0);
    accept(
        "GET /{a}|\"b\"\\^`<> HTTP/1.1\r\nHost: a\r\n\r\n"); /* browsers send some of these raw */
}

static void hosts_of_every_kind(void **state)
{
    static const char *const hosts[] = {
        "a",          "localhost:8080",     "127.0.0.1",       "[::1]",
        "[::1]:8080", "a.b-c_d~e",          "xn--nxasmq6b.gr", "host:",
        "h%C3%A9",    "[::ffff:1.2.3.4]:1", "1:65535",         "[1:2:3:4:5:6:7:8]"};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]);
        accept(text);
        assert_text(head.authority, hosts[i]);
    }
}

static void keep_alive_follows_version_and_connection(void **state)
{
    static const struct {
        const char *version;
        const char *connection;
        bool keep_alive;
    } cases[] = {
        {"1.1", "x", true},
        {"1.1", "close", false},
        {"1.1", "Keep-Alive", true},
        {"1.0", "x", false},
        {"1.0", "Keep-Alive", true},
        {"1.0", "keep-alive, close", false},
        {"1.1", "x , CLOSE", false},
        {"1.1", "closed", true},
        {"1.1", ",, close ,,", false},
        {"1.1", "keep-alive, Upgrade", true},
        {"1.1", "\"close\"", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "GET / HTTP/%s\r\nHost: a\r\nConnection: %s\r\n\r\n",
                       cases[i].version, cases[i].connection);
        accept(text);
        assert_int_equal(head.keep_alive, cases[i].keep_alive);
    }
    accept("GET / HTTP/1.1\r\nHost: a\r\nConnection: x\r\nConnection: y, close\r\n\r\n");
    assert_false(head.keep_alive);
    accept("GET / HTTP/1.0\r\n\r\n"); /* no Host needed */
    assert_false(head.keep_alive);
    accept("GET / HTTP/1.2\r\nHost: a\r\n\r\n"); /* as 1.1: RFC 9110, 2.5 */
    accept("POST / HTTP/1.9\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_true(head.keep_alive);
}

static void an_upgrade_needs_both_fields(void **state)
{
    accept("GET / HTTP/1.1\r\nHost: a\r\nConnection: Keep-Alive, UPGRADE\r\nUpgrade: "
           "websocket\r\n\r\n");
    assert_true(head.upgrade && head.websocket);
    accept("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: x\r\nConnection: "
           "upgrade\r\n\r\n");
    assert_true(head.upgrade && !head.websocket);
    accept("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c, , WebSocket ,x\r\n\r\n");
    assert_true(head.websocket);
    accept("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n\r\n");
    assert_true(head.websocket);
    accept("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket/13, webso cket, \"websocket\"\r\n\r\n");
    assert_false(head.websocket);
    accept("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n");
    assert_false(head.upgrade);
    accept("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\r\n");
    assert_false(head.upgrade);
}

static void expectations(void **state)
{
    size_t at;
    accept("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n");
    assert_true(head.expect_continue);
    accept("POST / HTTP/1.0\r\nExpect: 200-ok\r\n\r\n"); /* RFC 9110, 10.1.1: ignored in 1.0 */
    assert_false(head.expect_continue);
    assert_err(parse("POST / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", &at), TUSK_EEXPECT);
    assert_err(parse("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, b\r\n\r\n", &at),
               TUSK_EEXPECT);
    assert_int_equal(tusk_http_status_of(TUSK_EEXPECT), 417);
}

static void an_expectation_may_be_said_in_a_list(void **state) /* RFC 9110, 5.6.1.2 */
{
    accept("POST / HTTP/1.1\r\nHost: a\r\nExpect: , 100-continue, 100-CONTINUE ,\r\n\r\n");
    assert_true(head.expect_continue);
    accept("POST / HTTP/1.1\r\nHost: a\r\nExpect: ,\r\nExpect:\r\n\r\n");
    assert_false(head.expect_continue);
}

static void pipelined_requests_are_told_apart(void **state)
{
    const char *text = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n";
    size_t scanned = 0;
    ptrdiff_t used =
        tusk_http_request_parse(&head, tusk_bytes_str(text), tusk_http_limits_default(), &scanned);
    assert_int_equal(used, 28);
    assert_text(head.target, "/1");
    used = tusk_http_request_parse(&head, tusk_bytes_str(text + 28), tusk_http_limits_default(),
                                   &scanned);
    assert_int_equal(used, 30); /* with the one empty line that is skipped */
    assert_text(head.target, "/2");
}

static void lists_are_walked_over_fields_and_quotes(void **state)
{
    static const char *const expected[] = {"a", "b;x=\"1,2\\\",\"", "c", "d"};
    tusk_bytes token;
    size_t cursor = 0;
    accept("GET / HTTP/1.1\r\nHost: h\r\nX: a , b;x=\"1,2\\\",\"\r\ny: no\r\nx:\r\nX: ,c,, d "
           ",\r\n\r\n");
    for (size_t i = 0; i < 4; i++) {
        assert_true(tusk_http_next_token(&head, "x", &cursor, &token));
        assert_text(token, expected[i]);
    }
    assert_false(tusk_http_next_token(&head, "x", &cursor, &token));
    assert_false(tusk_http_next_token(&head, "x", &cursor, &token));
    assert_true(tusk_http_has_token(&head, "X", "C"));
    assert_false(tusk_http_has_token(&head, "X", "no"));
    assert_int_equal(tusk_http_count(&head, "x"), 3);
    accept("GET / HTTP/1.1\r\nHost: h\r\nX: b, \"a,\\\r\n\r\n"); /* ends within a quoted pair */
    cursor = 0;
    assert_true(tusk_http_next_token(&head, "x", &cursor, &token));
    assert_true(tusk_http_next_token(&head, "x", &cursor, &token));
    assert_text(token, "\"a,\\");
    assert_false(tusk_http_next_token(&head, "x", &cursor, &token));
    assert_null(tusk_http_find(&head, "y"));
}

/* ---- refused ---- */
#define GET "GET / HTTP/1.1\r\n"
#define POST "POST / HTTP/1.1\r\nHost: a\r\n"

/* `at`: how many bytes must be enough to know (0: not asserted). `len` 0: strlen. */
static const struct {
    const char *name;
    int status;
    size_t at;
    const char *text;
    size_t len;
} corpus[] = {
    /* both framings and doubtful lengths */
    {"CL.TE", 400, 0, POST "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG", 0},
    {"TE.CL", 400, 0, POST "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", 0},
    {"CL.0 with TE", 400, 0, POST "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
    {"two lengths", 400, 0, POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 0},
    {"two equal lengths", 400, 0, POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 0},
    {"two lengths, case", 400, 0, POST "Content-Length: 5\r\ncontent-length: 0\r\n\r\n", 0},
    {"length list", 400, 0, POST "Content-Length: 5, 5\r\n\r\n", 0},
    {"length list differing", 400, 0, POST "Content-Length: 5, 6\r\n\r\n", 0},
    {"negative length", 400, 0, POST "Content-Length: -1\r\n\r\n", 0},
    {"signed length", 400, 0, POST "Content-Length: +5\r\n\r\n", 0},
    {"hex length", 400, 0, POST "Content-Length: 0x5\r\n\r\n", 0},
    {"length with exponent", 400, 0, POST "Content-Length: 5e1\r\n\r\n", 0},
    {"length with point", 400, 0, POST "Content-Length: 5.0\r\n\r\n", 0},
    {"length with space inside", 400, 0, POST "Content-Length: 5 0\r\n\r\n", 0},
    {"quoted length", 400, 0, POST "Content-Length: \"5\"\r\n\r\n", 0},
    {"empty length", 400, 0, POST "Content-Length: \r\n\r\n", 0},
    {"length past 63 bits", 400, 0, POST "Content-Length: 9223372036854775808\r\n\r\n", 0},
    {"length past 64 bits", 400, 0, POST "Content-Length: 18446744073709551621\r\n\r\n", 0},
    {"length of 30 digits", 400, 0,
     POST "Content-Length: 000000000000000000000000000009999999999999999999\r\n\r\n", 0},
    {"length in full-width digits", 400, 0, POST "Content-Length: \xef\xbc\x95\r\n\r\n", 0},
    /* transfer codings */
    {"chunked twice", 400, 0, POST "Transfer-Encoding: chunked, chunked\r\n\r\n", 0},
    {"chunked in two fields", 400, 0,
     POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
    {"chunked not last", 400, 0, POST "Transfer-Encoding: chunked, gzip\r\n\r\n", 0},
    {"chunked and identity", 400, 0, POST "Transfer-Encoding: chunked, identity\r\n\r\n", 0},
    {"chunked, then gzip in two fields", 400, 0,
     POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n", 0},
    {"chunked with parameter", 400, 0, POST "Transfer-Encoding: chunked;a=b\r\n\r\n", 0},
    {"chunked with comma", 400, 0, POST "Transfer-Encoding: chunked,\r\n\r\n", 0},
    {"comma, chunked", 400, 0, POST "Transfer-Encoding: , chunked\r\n\r\n", 0},
    {"quoted chunked", 400, 0, POST "Transfer-Encoding: \"chunked\"\r\n\r\n", 0},
    {"empty coding", 400, 0, POST "Transfer-Encoding:\r\n\r\n", 0},
    {"vertical tab before chunked", 400, 0,
     POST "Transfer-Encoding: \x0b"
          "chunked\r\n\r\n",
     0},
    {"form feed after chunked", 400, 0, POST "Transfer-Encoding: chunked\x0c\r\n\r\n", 0},
    {"chunked in brackets", 400, 0, POST "Transfer-Encoding: [chunked]\r\n\r\n", 0},
    {"chunked in HTTP/1.0", 400, 0, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
    {"xchunked", 501, 0, POST "Transfer-Encoding: xchunked\r\n\r\n", 0},
    {"chunked-x", 501, 0, POST "Transfer-Encoding: chunked-x\r\n\r\n", 0},
    {"gzip, chunked", 501, 0, POST "Transfer-Encoding: gzip, chunked\r\n\r\n", 0},
    {"chunked between two", 400, 0, POST "Transfer-Encoding: gzip, chunked, br\r\n\r\n", 0},
    {"chunked with parameter, last", 400, 0, POST "Transfer-Encoding: gzip, chunked;a=b\r\n\r\n",
     0},
    {"coding that is no name", 400, 0, POST "Transfer-Encoding: gzip/x\r\n\r\n", 0},
    {"coding with parameter", 501, 0, POST "Transfer-Encoding: gzip;a=b\r\n\r\n", 0},
    {"gzip", 501, 0, POST "Transfer-Encoding: gzip\r\n\r\n", 0},
    {"identity", 501, 0, POST "Transfer-Encoding: identity\r\n\r\n", 0},
    /* line ends and folding */
    {"LF after the request line", 400, 15, "GET / HTTP/1.1\nHost: a\r\n\r\n", 0},
    {"LF after a field", 400, 0, GET "Host: a\nX: y\r\n\r\n", 0},
    {"LF as the empty line", 400, 0, GET "Host: a\r\n\n", 0},
    {"CR in a value", 400, 0, GET "Host: a\r\nX: a\rb\r\n\r\n", 0},
    {"CR CR LF", 400, 0, GET "Host: a\r\nX: y\r\r\n\r\n", 0},
    {"CR alone as the empty line", 400, 0, GET "Host: a\r\n\rX", 0},
    {"obs-fold", 400, 0, GET "Host: a\r\nX: y\r\n z\r\n\r\n", 0},
    {"obs-fold with tab", 400, 0, GET "Host: a\r\nX: y\r\n\tz\r\n\r\n", 0},
    {"first field begins with space", 400, 17, GET " Host: a\r\n\r\n", 0},
    {"obs-fold that hides a coding", 400, 0, POST "Transfer-Encoding:\r\n chunked\r\n\r\n", 0},
    {"two empty lines first", 400, 3, "\r\n\r\n" GET "Host: a\r\n\r\n", 0},
    {"LF first", 400, 1, "\n" GET "Host: a\r\n\r\n", 0},
    /* names */
    {"space before the colon", 400, 0, POST "Content-Length : 5\r\n\r\n", 0},
    {"tab before the colon", 400, 0, POST "Transfer-Encoding\t: chunked\r\n\r\n", 0},
    {"no colon", 400, 0, GET "Host: a\r\nX\r\n\r\n", 0},
    {"empty name", 400, 17, GET ": a\r\n\r\n", 0},
    {"NUL in a name", 400, 0, GET "Ho\0st: a\r\n\r\n", 28},
    {"NUL in a value", 400, 0, GET "Host: a\r\nX: \0\r\n\r\n", 30},
    {"DEL in a value", 400, 0, GET "Host: a\r\nX: \x7f\r\n\r\n", 0},
    {"control byte in a value", 400, 0, GET "Host: a\r\nX: \x01\r\n\r\n", 0},
    {"byte over 0x7f in a name", 400, 0, GET "Host: a\r\nX\xc3\xa9: y\r\n\r\n", 0},
    {"separator in a name", 400, 0, GET "Host: a\r\nX(y): z\r\n\r\n", 0},
    {"quote in a name", 400, 0, GET "Host: a\r\n\"X\": z\r\n\r\n", 0},
    /* the request line */
    {"two spaces after the method", 400, 5, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"two spaces before the version", 400, 7, "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"tab after the method", 400, 4, "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"space first", 400, 1, " GET / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"space after the version", 400, 15, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 0},
    {"space in the target", 400, 8, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"no version (HTTP/0.9)", 400, 6, "GET /\r\n", 0},
    {"no target", 400, 13, "GET HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"lower-case protocol", 400, 7, "GET / http/1.1\r\nHost: a\r\n\r\n", 0},
    {"another protocol", 400, 7, "GET / ICY/1.1\r\nHost: a\r\n\r\n", 0},
    {"version of two digits", 400, 15, "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 0},
    {"version without point", 400, 13, "GET / HTTP/11\r\nHost: a\r\n\r\n", 0},
    {"version with comma", 400, 13, "GET / HTTP/1,1\r\nHost: a\r\n\r\n", 0},
    {"version 2.0", 505, 14, "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 0},
    {"no Host in 1.2", 400, 0, "GET / HTTP/1.2\r\n\r\n", 0},
    {"version 0.9", 505, 14, "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 0},
    {"HTTP/2 preface", 505, 14, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0},
    {"TLS hello on a plain port", 400, 1, "\x16\x03\x01\x02\x00", 5},
    {"NUL in the method", 400, 3, "GE\0T / HTTP/1.1\r\n\r\n", 19},
    {"method of a separator", 400, 4, "GET/ / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"method of 25 letters", 501, 25, "ABCDEFGHIJKLMNOPQRSTUVWXY / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    /* targets */
    {"fragment", 400, 7, "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"byte over 0x7f in the target", 400, 6, "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"control byte in the target", 400, 6, "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"DEL in the target", 400, 6, "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"relative target", 400, 0, "GET a/b HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"broken escape in the path", 400, 0, "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"broken escape before a query", 400, 0, "GET /a%4?b HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"escape cut by the path's end", 400, 0, "GET /a%20% HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"broken escape in absolute form", 400, 0, "GET http://a/%g0 HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"asterisk for GET", 400, 0, "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"authority form for GET", 400, 0, "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"origin form for CONNECT", 400, 0, "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"CONNECT without a port", 400, 0, "CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"another scheme", 400, 0, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"absolute form without host", 400, 0, "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"absolute form with a user", 400, 0, "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"absolute form with a bad port", 400, 0, "GET http://a:99999/ HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    /* Host */
    {"no Host", 400, 0, GET "X: y\r\n\r\n", 0},
    {"two Hosts", 400, 0, GET "Host: a\r\nHost: a\r\n\r\n", 0},
    {"two Hosts, in another case", 400, 0, GET "Host: a\r\nHOST: b\r\n\r\n", 0},
    {"two Hosts in 1.0", 400, 0, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 0},
    {"empty Host", 400, 0, GET "Host:\r\n\r\n", 0},
    {"Host with a user", 400, 0, GET "Host: u@a\r\n\r\n", 0},
    {"Host with a path", 400, 0, GET "Host: a/b\r\n\r\n", 0},
    {"Host with a space", 400, 0, GET "Host: a b\r\n\r\n", 0},
    {"Host with a bad port", 400, 0, GET "Host: a:8x\r\n\r\n", 0},
    {"Host with a port too large", 400, 0, GET "Host: a:65536\r\n\r\n", 0},
    {"Host with a port that would wrap", 400, 0, GET "Host: a:4294967376\r\n\r\n", 0},
    {"Host with a port of six digits", 400, 0, GET "Host: a:000080\r\n\r\n", 0},
    {"Host with two ports", 400, 0, GET "Host: a:80:80\r\n\r\n", 0},
    {"Host of a broken address", 400, 0, GET "Host: [::1\r\n\r\n", 0},
    {"Host of a bracketed name", 400, 0, GET "Host: [a.example]\r\n\r\n", 0},
    {"Host of three colons", 400, 0, GET "Host: [1:::2]\r\n\r\n", 0},
    {"Host of nine groups", 400, 0, GET "Host: [1:2:3:4:5:6:7:8:9]\r\n\r\n", 0},
    {"Host of seven groups", 400, 0, GET "Host: [1:2:3:4:5:6:7]\r\n\r\n", 0},
    {"Host of an address with text after", 400, 0, GET "Host: [::1]a\r\n\r\n", 0},
    {"Host with a broken escape", 400, 0, GET "Host: a%2\r\n\r\n", 0},
};

static void every_doubtful_request_is_refused(void **state)
{
    size_t count = sizeof(corpus) / sizeof(corpus[0]);
    assert_true(count >= 60);
    for (size_t i = 0; i < count; i++) {
        size_t at;
        tusk_bytes in = tusk_bytes_of(corpus[i].text,
                                      corpus[i].len > 0 ? corpus[i].len : strlen(corpus[i].text));
        ptrdiff_t result =
            http1_parse_cut(tusk_http_request_parse, &head, in, tusk_http_limits_default(), &at);
        int status = result > 0 ? 200 : result == 0 ? 0 : tusk_http_status_of((tusk_err)result);
        if (status != corpus[i].status || (corpus[i].at > 0 && corpus[i].at != at)) {
            fail_msg("%s: %d after %zu bytes, expected %d after %zu", corpus[i].name, status, at,
                     corpus[i].status, corpus[i].at);
        }
    }
}

static void a_length_is_said_once_and_may_be_large(void **state)
{
    accept(POST "Content-Length: 9223372036854775807\r\n\r\n");
    assert_int_equal(head.content_length, INT64_MAX);
    accept(POST "Transfer-Encoding: Chunked \r\n\r\n");
    assert_true(head.chunked);
    assert_int_equal(head.content_length, -1);
}

static void no_byte_may_stand_in_a_value_but_visible_ones_space_and_tab(void **state)
{
    for (unsigned c = 0; c < 256; c++) {
        /* At every distance from a vector's end. */
        for (size_t pad = 0; pad < 20; pad++) {
            char text[128];
            size_t scanned = 0;
            int len = snprintf(text, sizeof(text), GET "Host: a\r\nX: %.*s?%.*s\r\n\r\n", (int)pad,
                               "aaaaaaaaaaaaaaaaaaaa", (int)(19 - pad), "aaaaaaaaaaaaaaaaaaaa");
            char *mark = strchr(text, '?');
            *mark = (char)c;
            tusk_bytes in = test_guarded_bytes(text, (size_t)len);
            ptrdiff_t result =
                tusk_http_request_parse(&head, in, tusk_http_limits_default(), &scanned);
            bool fine = c == '\t' || (c >= 0x20 && c != 0x7f);
            if ((result > 0) != fine) {
                fail_msg("byte 0x%02x at %zu: %td", c, pad, result);
            }
            test_guarded_free((uint8_t *)(uintptr_t)in.ptr, in.len);
        }
    }
}

static void no_byte_may_stand_in_a_target_but_visible_ones(void **state)
{
    for (unsigned c = 0; c < 256; c++) {
        for (size_t pad = 0; pad < 20; pad++) {
            char text[128];
            size_t scanned = 0;
            int len =
                snprintf(text, sizeof(text), "GET /%.*s?%.*s HTTP/1.1\r\nHost: a\r\n\r\n", (int)pad,
                         "aaaaaaaaaaaaaaaaaaaa", (int)(19 - pad), "aaaaaaaaaaaaaaaaaaaa");
            *strchr(text, '?') = (char)c;
            ptrdiff_t result = tusk_http_request_parse(&head, tusk_bytes_of(text, (size_t)len),
                                                       tusk_http_limits_default(), &scanned);
            bool escape = pad < 18; /* two "a" behind it */
            bool fine = c > 0x20 && c < 0x7f && c != '#' && (c != '%' || escape);
            if ((result > 0) != fine) {
                fail_msg("byte 0x%02x at %zu: %td", c, pad, result);
            }
        }
    }
}

/* ---- limits ---- */
static void a_long_request_line_is_414(void **state)
{
    static char text[9000];
    size_t at;
    memset(text, 'a', sizeof(text));
    memcpy(text, "GET /", 5);
    tusk_http_limits limits = *tusk_http_limits_default();
    limits.line_max = 100;
    /* 4 + target + 9 = 100 */
    memcpy(text + 4 + 87, " HTTP/1.1\r\nHost: a\r\n\r\n", 23);
    assert_true(
        http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text), &limits, &at) > 0);
    limits.line_max = 99;
    assert_err(http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text), &limits, &at),
               TUSK_EURI);
    assert_int_equal(at, 91); /* the version would not fit any more */
    assert_int_equal(tusk_http_status_of(TUSK_EURI), 414);
}

static void a_large_head_is_431(void **state)
{
    tusk_http_limits limits = *tusk_http_limits_default();
    const char *text = GET "Host: a\r\nX: 0123456789\r\n\r\n";
    size_t at;
    limits.head_max = (uint32_t)strlen(text);
    assert_true(
        http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text), &limits, &at) > 0);
    limits.head_max--;
    assert_err(http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text), &limits, &at),
               TUSK_EHEADERS);
    assert_int_equal(at, limits.head_max);
    limits.head_max = 20;
    assert_err(http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text), &limits, &at),
               TUSK_EHEADERS);
    assert_int_equal(tusk_http_status_of(TUSK_EHEADERS), 431);
}

static void too_many_fields_are_431(void **state)
{
    tusk_http_limits limits = *tusk_http_limits_default();
    const char *text = GET "Host: a\r\nA: 1\r\nB: 2\r\n\r\n";
    size_t at;
    limits.fields_max = 3;
    assert_true(
        http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text), &limits, &at) > 0);
    limits.fields_max = 2;
    assert_err(http1_parse_cut(tusk_http_request_parse, &head, tusk_bytes_str(text), &limits, &at),
               TUSK_EHEADERS);
    limits.fields_max = 1000; /* never more than there is room for */
    static char many[8192];
    size_t len = (size_t)snprintf(many, sizeof(many), GET "Host: a\r\n");
    for (int i = 0; i < TUSK_HTTP_FIELDS_CAP; i++) {
        len += (size_t)snprintf(many + len, sizeof(many) - len, "A: %d\r\n", i);
    }
    size_t scanned = 0;
    assert_err(tusk_http_request_parse(&head, tusk_bytes_of(many, len), &limits, &scanned),
               TUSK_EHEADERS);
    assert_int_equal(head.field_count, TUSK_HTTP_FIELDS_CAP);
}

/* Byte by byte, a head may not cost much more than its bytes: counted in parses from the start,
 * which only delimiters cause, by timing nothing and looking at what `scanned` remembers. */
static void a_value_that_grows_is_not_parsed_again(void **state)
{
    static char text[16000];
    size_t scanned = 0;
    size_t len = (size_t)snprintf(text, sizeof(text), GET "Host: a\r\nX: ");
    memset(text + len, 'v', sizeof(text) - len);
    assert_int_equal(tusk_http_request_parse(&head, tusk_bytes_of(text, len),
                                             tusk_http_limits_default(), &scanned),
                     0);
    assert_int_equal(head.field_count, 1);
    head.field_count = 77; /* a parse from the start would set it */
    for (; len <= sizeof(text); len++) {
        assert_int_equal(tusk_http_request_parse(&head, tusk_bytes_of(text, len),
                                                 tusk_http_limits_default(), &scanned),
                         0);
        assert_int_equal(head.field_count, 77);
    }
}

/* What a request begins with, though it may be none: its refusal has no body then. */
static void head_is_known_by_its_first_bytes(void **state)
{
    static const struct {
        const char *text;
        bool is_head;
    } cases[] = {{"HEAD / HTTP/1.1", true},
                 {"HEAD ", true},
                 {"\r\n\n\rHEAD ", true},
                 {"HEAD", false},
                 {"H", false},
                 {"", false},
                 {"\r\n", false},
                 {"\n", false},
                 {"HEADS /", false},
                 {"head / ", false},
                 {"GET / HTTP/1", false},
                 {" HEAD / ", false},
                 {"READ / ", false},
                 {"HERD / ", false},
                 {"HEAP / ", false},
                 {"HAAD / ", false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t len = strlen(cases[i].text);
        uint8_t *text = test_guarded(cases[i].text, len);
        assert_int_equal(tusk_http_begins_head(tusk_bytes_of(text, len)), cases[i].is_head);
        test_guarded_free(text, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_taken_apart),
        cmocka_unit_test(methods_are_named_and_others_kept),
        cmocka_unit_test(the_four_forms_of_a_target),
        cmocka_unit_test(hosts_of_every_kind),
        cmocka_unit_test(keep_alive_follows_version_and_connection),
        cmocka_unit_test(an_upgrade_needs_both_fields),
        cmocka_unit_test(expectations),
        cmocka_unit_test(an_expectation_may_be_said_in_a_list),
        cmocka_unit_test(pipelined_requests_are_told_apart),
        cmocka_unit_test(lists_are_walked_over_fields_and_quotes),
        cmocka_unit_test(every_doubtful_request_is_refused),
        cmocka_unit_test(a_length_is_said_once_and_may_be_large),
        cmocka_unit_test(no_byte_may_stand_in_a_value_but_visible_ones_space_and_tab),
        cmocka_unit_test(no_byte_may_stand_in_a_target_but_visible_ones),
        cmocka_unit_test(a_long_request_line_is_414),
        cmocka_unit_test(a_large_head_is_431),
        cmocka_unit_test(too_many_fields_are_431),
        cmocka_unit_test(head_is_known_by_its_first_bytes),
        cmocka_unit_test(a_value_that_grows_is_not_parsed_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
