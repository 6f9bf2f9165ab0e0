/* SPDX-License-Identifier: MIT */
/* Whose a request is that a trusted proxy passes on, and what its client spoke. */
#define _GNU_SOURCE
#include "rig.h"

static void say_address(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    rig *r = user;
    char text[64];
    (void)route;
    (void)request;
    size_t len = tusk_session_address(r->server, session, text);
    assert_int_equal(
        tusk_reply(r->server, session, 200, tusk_bytes_of(NULL, 0), tusk_bytes_of(text, len), NULL),
        TUSK_OK);
}

static void init_with(rig *r, const tusk_server_handler *handler)
{
    static const char *const trusted[] = {"10.0.0.1", "198.51.100.0/24", "fd00::/8"};
    memset(r, 0, sizeof(*r));
    assert_int_equal(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r->loop,
                                   .handler = handler,
                                   .user = r,
                                   .trusted_proxies = trusted,
                                   .trusted_proxy_count = 3};
    tusk_server_limits_default(&options.limits);
    assert_int_equal(tusk_server_new(&r->server, &options), TUSK_OK);
    assert_int_equal(tusk_server_route_http(r->server, "GET", "/", NULL), TUSK_OK);
    assert_int_equal(tusk_server_route_http(r->server, "POST", "/post", NULL), TUSK_OK);
    assert_int_equal(tusk_server_start(r->server, NULL, 0), TUSK_OK);
}

static void a_kept_connection_of_a_proxy_speaks_for_many(void **state)
{
    static const tusk_server_handler handler = {.on_request = say_address};
    static const char first[] = "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n";
    static const char second[] = "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.2\r\n\r\n";
    static const char own[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    char text[1024];
    (void)state;
    init_with(&r, &handler);
    int fd = rig_connect(&r); /* a Unix peer is local: trusted like the others */
    rig_write(fd, first, sizeof(first) - 1);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\r\n\r\n192.0.2.1"));
    rig_write(fd, second, sizeof(second) - 1);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\r\n\r\n192.0.2.2"));
    rig_write(fd, own, sizeof(own) - 1); /* says nothing of a client: not that of the one before */
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\r\n\r\n"));
    assert_null(strstr(text, "192.0.2."));
    close(fd);
    rig_fini(&r);
}

static void expect_said(rig *r, int fd, const char *said)
{
    char text[1024];
    rig_turn(r, 3);
    rig_read(fd, text, sizeof(text));
    const char *body = strstr(text, "\r\n\r\n");
    assert_non_null(body);
    assert_string_equal(body + 4, said);
}

static void say_secure(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    rig *r = user;
    (void)route;
    assert_false(request->secure);
    tusk_bytes said = tusk_bytes_str(request->client_secure ? "safe" : "plain");
    assert_err(tusk_reply(r->server, session, 200, tusk_bytes_of(NULL, 0), said, NULL), TUSK_OK);
    tusk_payload_drop(r->server, request->body_taken);
}

/* Each request of a proxy's connection for itself, with a body and without. */
static void a_trusted_proxy_says_whether_its_client_speaks_tls(void **state)
{
    static const tusk_server_handler handler = {.on_request = say_secure};
    static const struct {
        const char *fields, *said;
    } cases[] = {
        {"X-Forwarded-Proto: https\r\n", "safe"},
        {"X-Forwarded-Proto: http\r\n", "plain"},
        {"X-FORWARDED-PROTO:  HTTPS \r\nX-Forwarded-For: 192.0.2.1\r\n", "safe"},
        {"", "plain"},
        {"X-Forwarded-Proto: https, http\r\n", "safe"},
        {"X-Forwarded-Proto: http, https\r\n", "plain"},
        {"X-Forwarded-Proto: httpsx\r\n", "plain"},
        {"X-Forwarded-Proto: https\r\nContent-Length: 4\r\n", "safe"},
        {"Content-Length: 4\r\n", "plain"},
    };
    rig r;
    char line[256];
    (void)state;
    init_with(&r, &handler);
    int fd = rig_connect(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool has_body = strstr(cases[i].fields, "Length") != NULL;
        int n = snprintf(line, sizeof(line), "%s HTTP/1.1\r\nHost: x\r\n%s\r\n",
                         has_body ? "POST /post" : "GET /", cases[i].fields);
        rig_write(fd, line, (size_t)n);
        rig_turn(&r, 3);
        rig_write(fd, "body", has_body ? 4 : 0);
        expect_said(&r, fd, cases[i].said);
    }
    close(fd);
    rig_fini(&r);
}

static void the_client_is_the_first_that_no_trusted_range_has(void **state)
{
    static const tusk_server_handler handler = {.on_request = say_address};
    static const struct {
        const char *chain, *client;
    } cases[] = {
        {"192.0.2.1, 198.51.100.0, fd00::1", "192.0.2.1"},
        {"192.0.2.1, 198.51.100.255", "192.0.2.1"},
        {"192.0.2.1, 198.51.101.0, 198.51.100.1", "198.51.101.0"},
        {"192.0.2.1, 10.0.0.1", "192.0.2.1"},
        {"192.0.2.1, 10.0.0.2", "10.0.0.2"},
        {"192.0.2.1, ::ffff:198.51.100.7", "192.0.2.1"},
        {"2001:db8::1, [fdff:ffff::9]", "2001:db8::1"},
        {"2001:db8::1, fc00::9", "fc00::9"},
        {"198.51.100.3, fd00::2", "198.51.100.3"}, /* all trusted: the leftmost */
    };
    rig r;
    char line[256];
    (void)state;
    init_with(&r, &handler);
    int fd = rig_connect(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int n =
            snprintf(line, sizeof(line), "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\n\r\n",
                     cases[i].chain);
        rig_write(fd, line, (size_t)n);
        expect_said(&r, fd, cases[i].client);
    }
    close(fd);
    rig_fini(&r);
}

static void a_trusted_proxy_that_is_none_makes_no_server(void **state)
{
    static const char *const wrong[] = {"10.0.0.1/8", "10.0.0.0/33", "proxy.test", "", "unix:/x"};
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        static const tusk_server_handler handler = {.on_request = say_address};
        tusk_loop *loop;
        tusk_server *server;
        assert_int_equal(tusk_loop_new(&loop, NULL), TUSK_OK);
        tusk_server_options options = {.loop = loop,
                                       .handler = &handler,
                                       .trusted_proxies = &wrong[i],
                                       .trusted_proxy_count = 1};
        tusk_server_limits_default(&options.limits);
        assert_false(tusk_trusted_proxy_valid(wrong[i]));
        assert_err(tusk_server_new(&server, &options), TUSK_EINVAL);
        assert_null(server);
        tusk_loop_free(loop);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_connection_of_a_proxy_speaks_for_many),
        cmocka_unit_test(a_trusted_proxy_says_whether_its_client_speaks_tls),
        cmocka_unit_test(the_client_is_the_first_that_no_trusted_range_has),
        cmocka_unit_test(a_trusted_proxy_that_is_none_makes_no_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
