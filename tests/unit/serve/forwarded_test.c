/* SPDX-License-Identifier: MIT */
/* Whose a request is that a trusted proxy passes on, and what its client spoke. */
#define _GNU_SOURCE
#include "rig_session.h"

enum { PER_ADDRESS = 2 };

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
    options.limits.per_address = PER_ADDRESS;
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

static int ask_for(rig *r, int fd, const char *fields, const char *said)
{
    char request[256];
    int n = snprintf(request, sizeof(request), "GET / HTTP/1.1\r\n%sHost: x\r\n\r\n", fields);
    rig_write(fd, request, (size_t)n);
    expect_said(r, fd, said);
    return fd;
}

/* All fields are one list, whatever their case and their place. */
static void several_fields_are_one_chain_and_one_that_breaks_off_is_none(void **state)
{
    static const tusk_server_handler handler = {.on_request = say_address};
    static const struct {
        const char *fields, *client;
    } cases[] = {
        {"X-FORWARDED-for: 192.0.2.1\r\nX-Forwarded-For: 198.51.100.1\r\n", "192.0.2.1"},
        {"X-Forwarded-For: 198.51.100.2\r\nX-Forwarded-For: 198.51.100.1\r\n", "198.51.100.2"},
        {"X-Forwarded-For: 192.0.2.1, somebody, 198.51.100.1\r\n", "unix"},
        {"X-Forwarded-For: 192.0.2.1, , 198.51.100.1\r\n", "unix"},
        {"X-Forwarded-For: somebody\r\nX-Forwarded-For: 198.51.100.1\r\n", "unix"},
    };
    rig r;
    (void)state;
    init_with(&r, &handler);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        close(ask_for(&r, rig_connect(&r), cases[i].fields, cases[i].client));
    }
    rig_fini(&r);
}

/* Each request for itself: a proxy's connection that goes on with another client's gives the place
 * of the one before back. */
static void clients_of_a_proxy_are_counted_by_their_own_addresses(void **state)
{
    static const tusk_server_handler handler = {.on_request = say_address};
    static const char one[] = "X-Forwarded-For: 192.0.2.1\r\n";
    static const char other[] = "X-Forwarded-For: 192.0.2.2\r\n";
    rig r;
    int fds[PER_ADDRESS + 1];
    char text[1024];
    (void)state;
    init_with(&r, &handler);
    for (int i = 0; i < PER_ADDRESS; i++) {
        fds[i] = ask_for(&r, rig_connect(&r), one, "192.0.2.1");
    }
    fds[PER_ADDRESS] = ask_for(&r, rig_connect(&r), other, "192.0.2.2");
    assert_int_equal(rig_stat(&r, "connections_per_address_refused"), 0);
    int late = rig_connect(&r);
    rig_ask(&r, late, "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n", text,
            sizeof(text));
    assert_memory_equal(text, "HTTP/1.1 429 ", 13);
    assert_non_null(strstr(text, "\r\nRetry-After: 1\r\n"));
    assert_int_equal(rig_stat(&r, "connections_per_address_refused"), 1);
    close(late);
    (void)ask_for(&r, fds[0], other, "192.0.2.2");
    close(ask_for(&r, rig_connect(&r), one, "192.0.2.1"));
    rig_turn(&r, 4);
    (void)ask_for(&r, fds[0], "", "unix"); /* its own: none of theirs */
    close(ask_for(&r, rig_connect(&r), other, "192.0.2.2"));
    for (int i = 0; i <= PER_ADDRESS; i++) {
        close(fds[i]);
    }
    rig_fini(&r);
}

/* As a listener of such connections has it. */
static int connect_behind(rig *r, size_t slot)
{
    int fd = rig_connect(r);
    rig_session(r, slot)->proxy_expected = true;
    return fd;
}

/* What anybody says of others is believed of a proxy alone, and where that says nothing it speaks
 * for itself. */
static void who_is_no_trusted_proxy_says_nothing_of_others(void **state)
{
    static const tusk_server_handler handler = {.on_request = say_address};
    static const char stranger[] = "PROXY TCP4 10.0.0.2 10.0.0.9 5000 80\r\n";
    static const char proxy[] = "PROXY TCP4 10.0.0.1 10.0.0.9 5000 80\r\n";
    static const char named[] = "X-Forwarded-For: 192.0.2.1\r\n";
    rig r;
    (void)state;
    init_with(&r, &handler);
    int fd = connect_behind(&r, 0);
    rig_write(fd, stranger, sizeof(stranger) - 1);
    close(ask_for(&r, fd, named, "10.0.0.2"));
    rig_turn(&r, 4);
    fd = connect_behind(&r, 0);
    rig_write(fd, proxy, sizeof(proxy) - 1);
    (void)ask_for(&r, fd, named, "192.0.2.1");
    (void)ask_for(&r, fd, "", "10.0.0.1");
    close(ask_for(&r, fd, "X-Forwarded-For: 192.0.2.2\r\n", "192.0.2.2"));
    rig_fini(&r);
}

static void the_client_of_a_proxy_head_is_counted_by_its_own_address(void **state)
{
    static const tusk_server_handler handler = {.on_request = say_address};
    static const char head[] = "PROXY TCP4 192.0.2.1 10.0.0.1 5000 80\r\n";
    static const struct {
        const char *head;
        size_t len;
    } local[] = {
        {"PROXY UNKNOWN\r\n", 15},
        {"\r\n\r\n\0\r\nQUIT\n\x20\x11\0\x0c\xc0\0\x02\x01\x0a\0\0\x09\x13\x88\0\x50", 28}};
    rig r;
    int fds[PER_ADDRESS];
    char text[64];
    (void)state;
    init_with(&r, &handler);
    for (size_t i = 0; i < PER_ADDRESS; i++) {
        fds[i] = connect_behind(&r, i);
        for (size_t at = 0; at < sizeof(head) - 1; at++) {
            rig_write(fds[i], head + at, 1);
            rig_turn(&r, 1);
        }
        (void)ask_for(&r, fds[i], "", "192.0.2.1");
    }
    for (size_t i = 0; i < 2; i++) { /* a check of the proxy's own, whatever addresses it tells */
        int checks = connect_behind(&r, PER_ADDRESS);
        rig_write(checks, local[i].head, local[i].len);
        close(ask_for(&r, checks, "", "unix"));
        rig_turn(&r, 4);
    }
    assert_int_equal(rig_stat(&r, "connections_per_address_refused"), 0);
    int fd = connect_behind(&r, PER_ADDRESS);
    rig_write(fd, head, sizeof(head) - 1);
    rig_turn(&r, 4);
    assert_int_equal(rig_read(fd, text, sizeof(text)), 0);
    assert_int_equal(rig_stat(&r, "connections_open"), PER_ADDRESS);
    assert_int_equal(rig_stat(&r, "connections_per_address_refused"), 1);
    assert_int_equal(rig_stat(&r, "protocol_errors") + rig_stat(&r, "handshakes_refused"), 0);
    close(fd);
    for (int i = 0; i < PER_ADDRESS; i++) {
        close(fds[i]);
    }
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
        cmocka_unit_test(several_fields_are_one_chain_and_one_that_breaks_off_is_none),
        cmocka_unit_test(who_is_no_trusted_proxy_says_nothing_of_others),
        cmocka_unit_test(clients_of_a_proxy_are_counted_by_their_own_addresses),
        cmocka_unit_test(the_client_of_a_proxy_head_is_counted_by_its_own_address),
        cmocka_unit_test(a_trusted_proxy_that_is_none_makes_no_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
