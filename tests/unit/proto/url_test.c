/* SPDX-License-Identifier: MIT */
/* URLs and their parts; ranges and media types, which belong to paths. */
#include "test.h"

#include <tusk/http.h>

static void escapes_are_decoded(void **state)
{
    static const struct {
        const char *in;
        const char *out; /* NULL: refused */
        bool plus;
    } cases[] = {
        {"", "", false},
        {"abc", "abc", false},
        {"a%20b", "a b", false},
        {"a+b", "a+b", false},
        {"a+b", "a b", true},
        {"%2B+", "+ ", true},
        {"%c3%A9", "\xc3\xa9", false},
        {"%25%32%30", "%20", false},
        {"%", NULL, false},
        {"%2", NULL, false},
        {"a%2", NULL, false},
        {"%2g", NULL, false},
        {"%g2", NULL, false},
        {"%00", NULL, false},
        {"%%32", NULL, false},
        {"%u0041", NULL, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[32];
        ptrdiff_t len = tusk_url_decode(out, test_guarded_str(cases[i].in), cases[i].plus);
        if (cases[i].out == NULL) {
            assert_err(len, TUSK_EPROTO);
        } else {
            assert_true(len >= 0);
            assert_bytes_equal(tusk_bytes_of(out, (size_t)len), tusk_bytes_str(cases[i].out));
        }
    }
    char out[4];
    assert_err(tusk_url_decode(out, tusk_bytes_of("a\0b", 3), false), TUSK_EPROTO);
}

static void dot_segments_never_leave_the_root(void **state)
{
    static const struct {
        const char *in;
        const char *out;
        tusk_err err;
    } cases[] = {
        {"/", "/", TUSK_OK},
        {"/a/b.css", "/a/b.css", TUSK_OK},
        {"/a/./b", "/a/b", TUSK_OK},
        {"/a/../b", "/b", TUSK_OK},
        {"/a/b/../../c", "/c", TUSK_OK},
        {"/a/.", "/a/", TUSK_OK},
        {"/a/b/..", "/a/", TUSK_OK},
        {"/a/..", "/", TUSK_OK},
        {"/./", "/", TUSK_OK},
        {"/.", "/", TUSK_OK},
        {"/.hidden", "/.hidden", TUSK_OK},
        {"/...", "/...", TUSK_OK},
        {"/a/..b/c..", "/a/..b/c..", TUSK_OK},
        {"/a//b", "/a//b", TUSK_OK},
        {"/a//../b", "/a/b", TUSK_OK},
        {"//", "//", TUSK_OK},
        {"/a%20b", "/a b", TUSK_OK},
        {"/a/%2e%2e/b", "/b", TUSK_OK},
        {"/a%2f..%2fb", "/b", TUSK_OK},
        {"/..", NULL, TUSK_EACCES},
        {"/../etc/passwd", NULL, TUSK_EACCES},
        {"/a/../../etc/passwd", NULL, TUSK_EACCES},
        {"/%2e%2e/etc", NULL, TUSK_EACCES},
        {"/%2e%2E%2fetc", NULL, TUSK_EACCES},
        {"/./..", NULL, TUSK_EACCES},
        {"/a%00.css", NULL, TUSK_EPROTO},
        {"/a%zz", NULL, TUSK_EPROTO},
        {"a/b", NULL, TUSK_EPROTO},
        {"*", NULL, TUSK_EPROTO},
        {"", NULL, TUSK_EPROTO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_bytes in = test_guarded_str(cases[i].in);
        char *out = (char *)test_guarded(cases[i].in,
                                         in.len); /* as much room as promised, not a byte more */
        ptrdiff_t len = tusk_url_path(out, in);
        if (cases[i].out == NULL) {
            assert_err(len, cases[i].err);
        } else {
            assert_bytes_equal(tusk_bytes_of(out, (size_t)(len < 0 ? 0 : len)),
                               tusk_bytes_str(cases[i].out));
        }
        test_guarded_free((uint8_t *)out, in.len);
    }
}

static void pairs_are_walked(void **state)
{
    static const char *const expected[][2] = {{"a", "1"},   {"b", ""}, {"c", ""},
                                              {"d", "x=y"}, {"", "z"}, {"e", "%20+"}};
    tusk_bytes rest = tusk_bytes_str("a=1&b=&c&&d=x=y&=z&e=%20+&");
    tusk_bytes name;
    tusk_bytes value;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(tusk_url_next_pair(&rest, &name, &value));
        assert_bytes_equal(name, tusk_bytes_str(expected[i][0]));
        assert_bytes_equal(value, tusk_bytes_str(expected[i][1]));
    }
    assert_false(tusk_url_next_pair(&rest, &name, &value));
    rest = tusk_bytes_of(NULL, 0);
    assert_false(tusk_url_next_pair(&rest, &name, &value));
}

static void a_url_is_taken_apart(void **state)
{
    static const struct {
        const char *text, *scheme, *host, *path, *query;
        uint16_t port;
    } cases[] = {
        {"http://a", "http", "a", "/", "", 0},
        {"ws://a:9001/chat?since=7#x", "ws", "a", "/chat", "since=7", 9001},
        {"HTTPS://[::1]:443/", "HTTPS", "::1", "/", "", 443},
        {"http://a?q", "http", "a", "/", "q", 0},
        {"http://a/?q?r", "http", "a", "/", "q?r", 0},
        {"http://a#f", "http", "a", "/", "", 0},
        {"http://a:/b", "http", "a", "/b", "", 0},
        {"a+b-c.1://h/", "a+b-c.1", "h", "/", "", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_url url;
        assert_err(tusk_url_parse(&url, test_guarded_str(cases[i].text)), TUSK_OK);
        assert_bytes_equal(url.scheme, tusk_bytes_str(cases[i].scheme));
        assert_bytes_equal(url.host, tusk_bytes_str(cases[i].host));
        assert_bytes_equal(url.path, tusk_bytes_str(cases[i].path));
        assert_bytes_equal(url.query, tusk_bytes_str(cases[i].query));
        assert_int_equal(url.port, cases[i].port);
    }
}

static void broken_urls_are_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "a",
                                        "http",
                                        "http:",
                                        "http:/",
                                        "http://",
                                        "http:///a",
                                        "//a/b",
                                        "://a",
                                        "1http://a",
                                        "ht tp://a",
                                        "http://a b/",
                                        "http://a/b c",
                                        "http://a/\r\nX: y",
                                        "http://a/\xc3\xa9",
                                        "http://u:p@a/",
                                        "http://a:x/",
                                        "http://a:65536/",
                                        "http://[::1",
                                        "http://[a]/",
                                        "http://a\x01/"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tusk_url url;
        if (tusk_url_parse(&url, test_guarded_str(texts[i])) != TUSK_EINVAL) {
            fail_msg("taken for a URL: %s", texts[i]);
        }
    }
}

static void a_range_is_read_or_ignored(void **state)
{
    static const struct {
        const char *value;
        uint64_t size;
        int result;
        uint64_t first, last;
    } cases[] = {
        {"bytes=0-499", 1000, 1, 0, 499},
        {"bytes=500-999", 1000, 1, 500, 999},
        {"bytes=500-", 1000, 1, 500, 999},
        {"bytes=-500", 1000, 1, 500, 999},
        {"bytes=-2000", 1000, 1, 0, 999},
        {"bytes=0-0", 1000, 1, 0, 0},
        {"bytes=999-5000", 1000, 1, 999, 999},
        {"BYTES=0-1", 1000, 1, 0, 1},
        {"bytes=0-99999999999999999999999999", 1000, 1, 0, 999},
        {"bytes=1000-", 1000, -1, 0, 0},
        {"bytes=99999999999999999999999999-", 1000, -1, 0, 0},
        {"bytes=-0", 1000, -1, 0, 0},
        {"bytes=0-", 0, -1, 0, 0},
        {"bytes=-5", 0, 0, 0, 0},
        {"bytes=5-4", 1000, 0, 0, 0},
        {"bytes=0-3,", 1000, 1, 0, 3}, /* empty elements: 9110, 5.6.1.2 */
        {"bytes=,0-3", 1000, 1, 0, 3},
        {"bytes= ,\t, 5- , ,,", 1000, 1, 5, 999},
        {"bytes=,-3,", 1000, 1, 997, 999},
        {"bytes=1000-,", 1000, -1, 0, 0},
        {"bytes=,", 1000, 0, 0, 0},
        {"bytes=0-,3", 1000, 0, 0, 0},
        {"bytes=0-1,,5-6", 1000, 0, 0, 0},
        {"bytes=0-1, x", 1000, 0, 0, 0},
        {"bytes=0-1,5-6", 1000, 0, 0, 0},
        {"bytes=", 1000, 0, 0, 0},
        {"bytes=-", 1000, 0, 0, 0},
        {"bytes=a-b", 1000, 0, 0, 0},
        {"bytes=+1-2", 1000, 0, 0, 0},
        {"bytes= 1-2", 1000, 0, 0, 0},
        {"bytes=1-2 ", 1000, 0, 0, 0},
        {"bytes=1--2", 1000, 0, 0, 0},
        {"items=0-5", 1000, 0, 0, 0},
        {"bytes", 1000, 0, 0, 0},
        {"", 1000, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t first;
        uint64_t last;
        int result =
            tusk_http_range(test_guarded_str(cases[i].value), cases[i].size, &first, &last);
        if (result != cases[i].result ||
            (result == 1 && (first != cases[i].first || last != cases[i].last))) {
            fail_msg("%s of %llu: %d, %llu to %llu", cases[i].value,
                     (unsigned long long)cases[i].size, result, (unsigned long long)first,
                     (unsigned long long)last);
        }
    }
}

static void a_file_name_tells_its_type(void **state)
{
    static const struct {
        const char *name, *type;
    } cases[] = {
        {"index.html", "text/html; charset=utf-8"},
        {"/a/app.JS", "text/javascript; charset=utf-8"},
        {"app.mjs", "text/javascript; charset=utf-8"},
        {"style.css", "text/css; charset=utf-8"},
        {"a.svg", "image/svg+xml"},
        {"a.json", "application/json"},
        {"a.js.map", "application/json"},
        {"a.wasm", "application/wasm"},
        {"a.webp", "image/webp"},
        {"a.avif", "image/avif"},
        {"A.AVIF", "image/avif"},
        {"a.ZIP", "application/zip"},
        {"a.woff2", "font/woff2"},
        {"a.mp4", "video/mp4"},
        {"a.webm", "video/webm"},
        {"a.txt", "text/plain; charset=utf-8"},
        {"README.md", "text/markdown; charset=utf-8"},
        {"a.xml", "text/xml; charset=utf-8"},
        {"a.pdf", "application/pdf"},
        {"favicon.ico", "image/x-icon"},
        {"app.webmanifest", "application/manifest+json"},
        {"a.7z", "application/x-7z-compressed"},
        {"a.zst", "application/zstd"},
        {"a.png", "image/png"},
        {"a.unknown", "application/octet-stream"},
        {"html", "application/octet-stream"},
        {"a.html/b", "application/octet-stream"},
        {"a.", "application/octet-stream"},
        {"", "application/octet-stream"},
        {"a.thisextensionistoolong", "application/octet-stream"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(tusk_http_media_type(test_guarded_str(cases[i].name)), cases[i].type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(dot_segments_never_leave_the_root),
        cmocka_unit_test(pairs_are_walked),
        cmocka_unit_test(a_url_is_taken_apart),
        cmocka_unit_test(broken_urls_are_refused),
        cmocka_unit_test(a_range_is_read_or_ignored),
        cmocka_unit_test(a_file_name_tells_its_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
