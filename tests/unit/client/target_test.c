/* SPDX-License-Identifier: MIT */
/* Where URLs and redirects lead, and that nothing but the caller's own lines gets into a request.
 */
#include "../test.h"

#include "client/target.h"

static void init(tusk__target *self, const char *url, const char *fields)
{
    const tusk_client_target source = {.url = tusk_bytes_str(url),
                                       .fields = tusk_bytes_str(fields)};
    assert_err(tusk__target_init(self, tusk_mem_default(), &source, true), TUSK_OK);
}

static void assert_head(const tusk__target *self, const char *expected)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1 << 16);
    assert_err(tusk__target_head(self, &out, tusk_bytes_str("GET")), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), tusk_bytes_str(expected));
    tusk_buf_fini(&out);
}

#define AGENT "User-Agent: tusk/" TUSK_VERSION "\r\n"

static void the_head_names_path_and_host(void **state)
{
    static const struct {
        const char *url, *line, *host;
        unsigned port;
        bool secure;
    } cases[] = {
        {"http://a", "/", "a", 80, false},
        {"http://a:80/", "/", "a", 80, false},
        {"https://a:443/x", "/x", "a", 443, true},
        {"https://a:80/x", "/x", "a:80", 80, true},
        {"ws://a:443", "/", "a:443", 443, false},
        {"WSS://A?b=c", "/?b=c", "A", 443, true},
        {"http://[::1]:8080/x?", "/x?", "[::1]:8080", 8080, false},
        {"http://[2001:db8::1]", "/", "[2001:db8::1]", 80, false},
        {"http://a/x#frag", "/x", "a", 80, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__target target;
        char expected[256];
        init(&target, cases[i].url, "");
        (void)snprintf(expected, sizeof(expected), "GET %s HTTP/1.1\r\nHost: %s\r\n" AGENT,
                       cases[i].line, cases[i].host);
        assert_head(&target, expected);
        assert_int_equal(target.port, cases[i].port);
        assert_int_equal(target.secure, cases[i].secure);
        tusk__target_fini(&target);
    }
}

static void redirects_are_resolved(void **state)
{
    static const struct {
        const char *base, *location, *line, *host; /* line NULL: refused */
    } cases[] = {
        {"http://a/b/c?d", "http://x/y?z", "/y?z", "x"},
        {"http://a/b/c?d", "https://x/", "/", "x"},
        {"https://a/b", "http://a/b", NULL, NULL}, /* from TLS to plain */
        {"http://a/b/c?d", "/e", "/e", "a"},
        {"http://a/b/c?d", "e", "/b/e", "a"},
        {"http://a/b/c?d", "?e", "/b/c?e", "a"},
        {"http://a/b/c?d", "//x/y", "/y", "x"},
        {"http://a", "e", "/e", "a"},
        {"http://a", "?e", "/?e", "a"},
        {"http://a?d", "e", "/e", "a"},
        {"http://a?d", "?e", "/?e", "a"},
        {"http://a?d", "/e", "/e", "a"},
        {"http://a:81/", "//a/", "/", "a"},
        {"http://a/b/c", "../e", "/e", "a"}, /* dot segments: RFC 3986, 5.2.4 */
        {"http://a/b/c?d", "./e?f=..", "/b/e?f=..", "a"},
        {"http://a/b/c", "../../../e", "/e", "a"},
        {"http://a/b/c", "..", "/", "a"},
        {"http://a/b/c", "http://x/y/../z/.#f", "/z/", "x"},
        {"http://a/b/c", "http://x?y=/../", "/?y=/../", "x"},
        {"http://a/b/c?d", "e#f", "/b/e", "a"}, /* a fragment leads nowhere: RFC 3986, 5.2 */
        {"http://a/b/c?d", "e#t:1", "/b/e", "a"},
        {"http://a/b/c?d", "/e#f/../g?h", "/e", "a"},
        {"http://a/b/c?d", "?e#f", "/b/c?e", "a"},
        {"http://a/b/c?d", "#f", "/b/c?d", "a"},
        {"http://a/b/c?d", "//x/y#/z", "/y", "x"},
        {"http://a/b/c?d", "http://x#/z", "/", "x"},
        {"http://a#/b/?c", "e", "/e", "a"},
        {"http://a#b", "/e", "/e", "a"},
        {"http://a/b#c/d", "e", "/e", "a"},
        {"http://a#b", "#c", "/", "a"},
        {"http://a/b", "", NULL, NULL},
        {"http://a/b", "ftp://x/", NULL, NULL},
        {"http://a/b", "//", NULL, NULL},
        {"http://a/b", "/e f", NULL, NULL},
        {"http://a/b", "/e\r\nX: y", NULL, NULL},
        {"http://a/b", "/caf\xc3\xa9", NULL, NULL},
        {"http://a/b", "http://u:p@x/", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__target target;
        char expected[256];
        init(&target, cases[i].base, "X: 1\r\n");
        tusk_err err = tusk__target_redirect(&target, test_guarded_str(cases[i].location));
        if (err != (cases[i].line == NULL ? TUSK_EPROTO : TUSK_OK)) {
            fail_msg("%s from %s: %s", cases[i].location, cases[i].base, tusk_err_name(err));
        }
        if (cases[i].line != NULL) {
            (void)snprintf(expected, sizeof(expected),
                           "GET %s HTTP/1.1\r\nHost: %s\r\nX: 1\r\n" AGENT, cases[i].line,
                           cases[i].host);
            assert_head(&target, expected);
        }
        tusk__target_fini(&target);
    }
}

static void credentials_go_along_only_to_the_same_origin(void **state)
{
    static const struct {
        const char *location;
        bool kept;
    } cases[] = {{"/x", true},           {"http://A:80/x", true}, {"http://a:81/x", false},
                 {"https://a/x", false}, {"http://b/x", false},   {"http://a.b/x", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__target target;
        init(&target, "http://a/",
             "Authorization: x\r\nKeep: 1\r\nCOOKIE: y\r\nproxy-authorization: z\r\nHost: v\r\n");
        assert_err(tusk__target_redirect(&target, tusk_bytes_str(cases[i].location)), TUSK_OK);
        assert_bytes_equal(
            target.fields,
            cases[i].kept
                ? tusk_bytes_str(
                      "Authorization: x\r\nKeep: 1\r\nCOOKIE: y\r\nproxy-authorization: z\r\n"
                      "Host: v\r\n")
                : tusk_bytes_str("Keep: 1\r\n"));
        tusk__target_fini(&target);
    }
}

static tusk_err make_and_move(const tusk_mem *mem, void *user)
{
    tusk__target target;
    const tusk_client_target source = {.url = tusk_bytes_str("http://a/b"),
                                       .fields = tusk_bytes_str("X: 1\r\n")};
    tusk_err err = tusk__target_init(&target, mem, &source, false);
    if (err == TUSK_OK) {
        err = tusk__target_redirect(
            &target, tusk_bytes_str("/a-path-that-is-longer-than-the-smallest-buffer-can-hold"
                                    "-so-that-it-grows-once-more-on-the-way-to-its-end"));
        tusk__target_fini(&target);
    }
    return err;
}

static void without_memory_it_stays_where_it_is(void **state)
{
    assert_true(test_fail_each_alloc(make_and_move, false, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_names_path_and_host),
        cmocka_unit_test(redirects_are_resolved),
        cmocka_unit_test(credentials_go_along_only_to_the_same_origin),
        cmocka_unit_test(without_memory_it_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
