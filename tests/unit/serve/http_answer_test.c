/* SPDX-License-Identifier: MIT */
/* What is answered when no handler is, or none may say all: methods, fallbacks, upgrades, statuses.
 */
#define _GNU_SOURCE
#include "rig.h"

struct refusal {
    const char *request;
    const char *status;
    const char *also;
};

static void what_nothing_serves_is_answered_and_the_connection_kept(void **state)
{
    static const struct refusal refusals[] = {
        {"GET /none HTTP/1.1\r\nHost: x\r\n\r\n", " 404 ", "Content-Length: 13"},
        {"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: GET, HEAD, OPTIONS"},
        {"DELETE /none HTTP/1.1\r\nHost: x\r\n\r\n", " 404 ", "nothing here"},
        {"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: GET, HEAD, OPTIONS"},
        {"BREW / HTTP/1.1\r\nHost: x\r\n\r\n", " 501 ", "Allow: "},
        {"BREW /none HTTP/1.1\r\nHost: x\r\n\r\n", " 501 ", "method not implemented"},
        {"CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n", " 501 ", "method not implemented"},
        {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", " 204 ", "Date: "},
        {"OPTIONS /post HTTP/1.1\r\nHost: x\r\n\r\n", " 204 ", "Allow: POST, OPTIONS"},
        {"POST /ws HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: GET, HEAD, OPTIONS"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        rig r;
        char text[2048];
        rig_init(&r, NULL);
        int fd = rig_connect(&r);
        rig_ask(&r, fd, refusals[i].request, text, sizeof(text));
        assert_non_null(strstr(text, refusals[i].status));
        assert_non_null(strstr(text, refusals[i].also));
        assert_null(strstr(text, "Connection: close"));
        rig_ask(&r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
        assert_non_null(strstr(text, " 200 OK"));
        close(fd);
        rig_fini(&r);
    }
}

static void expect_answer(rig *r, const struct refusal *answer)
{
    char text[2048];
    int fd = rig_connect(r);
    rig_ask(r, fd, answer->request, text, sizeof(text));
    if (strstr(text, answer->status) == NULL || strstr(text, answer->also) == NULL) {
        fail_msg("%s gave %s", answer->request, text);
    }
    close(fd);
}

/* Of a server that has this route besides. */
static void expect_answers(const char *method, const char *pattern, const struct refusal *answers,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rig r;
        rig_init(&r, NULL);
        assert_err(tusk_server_route_http(r.server, method, pattern, NULL), TUSK_OK);
        expect_answer(&r, &answers[i]);
        rig_fini(&r);
    }
}

static void a_method_that_some_route_has_is_known_at_every_path(void **state)
{
    static const struct refusal answers[] = {
        {"BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", ""},
        {"BREW / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: GET, HEAD, OPTIONS"},
        {"BREW /none HTTP/1.1\r\nHost: x\r\n\r\n", " 404 ", "nothing here"},
        {"brew /pot HTTP/1.1\r\nHost: x\r\n\r\n", " 501 ", "method not implemented"},
    };
    (void)state;
    expect_answers("BREW", "/pot", answers, sizeof(answers) / sizeof(answers[0]));
}

/* RFC 9110, 10.2.1: the field tells all of them. */
static void a_method_of_ones_own_is_allowed_where_its_route_is(void **state)
{
    static const struct refusal answers[] = {
        {"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: GET, HEAD, BREW, OPTIONS\r\n"},
        {"OPTIONS /post HTTP/1.1\r\nHost: x\r\n\r\n", " 204 ", "Allow: POST, BREW, OPTIONS\r\n"},
        {"GET /pot HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: BREW, OPTIONS\r\n"},
    };
    (void)state;
    expect_answers("BREW", "/{any*}", answers, sizeof(answers) / sizeof(answers[0]));
}

/* RFC 9110, 15.5.6: the field is never missing, however much it has to tell. */
static void a_path_of_very_many_methods_tells_all_of_them(void **state)
{
    enum { METHODS = 200 };
    static char text[16384];
    char method[32];
    char last[48];
    rig r;
    (void)state;
    rig_init(&r, NULL);
    for (int i = 0; i < METHODS; i++) {
        (void)snprintf(method, sizeof(method), "METHOD-OF-ONES-OWN-%03d", i);
        assert_err(tusk_server_route_http(r.server, method, "/many", NULL), TUSK_OK);
    }
    (void)snprintf(last, sizeof(last), ", %s, OPTIONS\r\n", method);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET /many HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, " 405 "));
    assert_non_null(strstr(text, "Allow: METHOD-OF-ONES-OWN-000, "));
    assert_non_null(strstr(text, last));
    rig_ask(&r, fd, "OPTIONS /many HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, " 204 "));
    assert_non_null(strstr(text, last));
    close(fd);
    rig_fini(&r);
}

/* RFC 9110, 15.3.6. */
static void a_reset_of_content_has_none(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    r.answer = false;
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_err(
        tusk_reply(r.server, r.last, 205, tusk_bytes_of(NULL, 0), tusk_bytes_str("body"), NULL),
        TUSK_OK);
    rig_ask(&r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, " 205 Reset Content\r\n"));
    assert_non_null(strstr(text, "\r\nContent-Length: 0\r\n\r\n"));
    assert_null(strstr(text, "body"));
    assert_err(tusk_reply_begin(r.server, r.last, 205, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_true(tusk_reply_bodiless(r.server, r.last));
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("body")), TUSK_OK);
    assert_err(tusk_reply_end(r.server, r.last), TUSK_OK);
    rig_ask(&r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, "\r\nContent-Length: 0\r\n\r\n"));
    assert_null(strstr(text, "body"));
    close(fd);
    rig_fini(&r);
}

#define UPGRADE(version, fields)                                                                   \
    "GET /ws HTTP/" version "\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"         \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" fields "\r\n"

/* RFC 9110, 7.8. */
static void an_upgrade_of_http_1_0_is_ignored(void **state)
{
    static const struct refusal answers[] = {
        {UPGRADE("1.0", ""), " 200 OK", "hello"},
        {UPGRADE("1.1", ""), " 101 ", ""},
    };
    (void)state;
    expect_answers("GET", "/ws", answers, sizeof(answers) / sizeof(answers[0]));
}

/* RFC 9110, 7.8. */
static void who_expects_100_gets_it_before_101(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, UPGRADE("1.1", "Expect: 100-continue\r\n"), text, sizeof(text));
    assert_ptr_equal(strstr(text, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 "), text);
    close(fd);
    rig_fini(&r);
}

static void a_route_for_options_answers_and_makes_no_path_known(void **state)
{
    static const struct refusal answers[] = {
        {"OPTIONS /post HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", "Content-Length: "},
        {"OPTIONS /none HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", "Content-Length: "},
        {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", " 204 ", "Date: "},
        {"GET /none HTTP/1.1\r\nHost: x\r\n\r\n", " 404 ", "nothing here"},
        {"PUT /post HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: POST, OPTIONS"},
    };
    (void)state;
    expect_answers("OPTIONS", "/{rest*}", answers, sizeof(answers) / sizeof(answers[0]));
}

static void a_fallback_may_be_asked_for_methods_that_a_path_has_not(void **state)
{
    static const struct refusal answers[] = {
        {"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", ""},
        {"BREW / HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", ""},
        {"POST /ws HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", " 200 OK", "hello"},
        {"GET /none HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", ""},
        {"OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n", " 204 ", "Allow: GET, HEAD, OPTIONS"},
        {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", " 204 ", "Date: "},
        {"GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", " 426 ", "Upgrade: websocket"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        rig r;
        rig_init(&r, NULL);
        assert_err(tusk_server_route_fallback(r.server, NULL), TUSK_OK);
        tusk_server_fallback_methods(r.server);
        expect_answer(&r, &answers[i]);
        rig_fini(&r);
    }
}

static void a_fallback_is_asked_for_paths_that_nobody_knows(void **state)
{
    static const struct refusal answers[] = {
        {"GET /none HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", ""},
        {"BREW /none HTTP/1.1\r\nHost: x\r\n\r\n", " 200 OK", ""},
        {"POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", " 200 OK", "hello"},
        {"GET /none HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
         " 200 OK", ""},
        {"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "Allow: GET, HEAD, OPTIONS"},
        {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", " 204 ", "Date: "},
        {"GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", " 426 ", "Upgrade: websocket"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        rig r;
        rig_init(&r, NULL);
        assert_err(tusk_server_route_fallback(r.server, NULL), TUSK_OK);
        assert_err(tusk_server_route_fallback(r.server, NULL), TUSK_ESTATE);
        expect_answer(&r, &answers[i]);
        assert_true((strstr(answers[i].request, "hello") == NULL) ==
                    (strstr(r.log, "body:hello") == NULL));
        rig_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nothing_serves_is_answered_and_the_connection_kept),
        cmocka_unit_test(a_method_that_some_route_has_is_known_at_every_path),
        cmocka_unit_test(a_method_of_ones_own_is_allowed_where_its_route_is),
        cmocka_unit_test(a_path_of_very_many_methods_tells_all_of_them),
        cmocka_unit_test(a_reset_of_content_has_none),
        cmocka_unit_test(an_upgrade_of_http_1_0_is_ignored),
        cmocka_unit_test(who_expects_100_gets_it_before_101),
        cmocka_unit_test(a_route_for_options_answers_and_makes_no_path_known),
        cmocka_unit_test(a_fallback_may_be_asked_for_methods_that_a_path_has_not),
        cmocka_unit_test(a_fallback_is_asked_for_paths_that_nobody_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
