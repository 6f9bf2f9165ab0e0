/* SPDX-License-Identifier: MIT */
/* A backend that is connected to and then serves nobody is left for another one, as long as nothing
 * of the client's went there: MySQL's greeting, PostgreSQL's answer about TLS. */
#define _GNU_SOURCE
#include "mysql_sides.h"

#define SSL_REQUEST TEST_BYTES("\0\0\0\x08\x04\xd2\x16\x2f")
#define STARTUP TEST_BYTES("\0\0\0\x20\0\x03\0\0user\0bob\0database\0shop\0\0")
#define FULL "\x17\0\0\0\xff\x10\x04Too many connections"

enum { SILENCE_MS = 400 };

static int bad, good;

static int set_up(void **state)
{
    uint16_t port;
    (void)state;
    rig_set_up_on(test_poller);
    bad = rig_listen(&port);
    rig_target(port, 1000000);
    good = rig_listen(&port);
    rig_target(port, 1);
    r.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = TUSK_PROTOCOL_MYSQL;
    return 0;
}

static int tear_down(void **state)
{
    (void)close(bad);
    (void)close(good);
    return rig_tear_down(state);
}

/* Connected: before that, it would be one that cannot be reached. */
static int accept_from(int listener)
{
    int server = rig_accept(listener);
    for (int i = 0; i < 10; i++) { /* it is there: nothing is waited for */
        assert_err(tusk_loop_turn(r.loop, 0), TUSK_OK);
    }
    return server;
}

#define redial_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* ---- ways to serve nobody ---- */
static void hangs_up(int server)
{
    (void)close(server);
}

static void hangs_up_in_its_greeting(int server)
{
    mysql_send(server, TEST_BYTES("\x4a\0\0\0\x0a"
                                  "8.0"));
    (void)close(server);
}

static void resets(int server)
{
    rig_reset(server);
}

/* What it said is not read by anybody, so it hears a reset, or an end. */
static void speaks_something_else(int server)
{
    char byte;
    ssize_t got = -1;
    mysql_send(server, TEST_BYTES("220 mail.example ESMTP\r\n"));
    rig_until((got = recv(server, &byte, 1, 0)) >= 0 || errno != EAGAIN);
    assert_true(got <= 0);
    (void)close(server);
}

static void is_full(int server)
{
    mysql_send(server, TEST_BYTES(FULL));
    rig_expect_eof(server);
    (void)close(server);
}

/* Whoever is there hears the end, and not one byte of the client's before. */
static void is_silent(int server)
{
    rig_expect_eof(server);
    (void)close(server);
}

static const struct {
    const char *name;
    void (*serve)(int server);
    uint16_t status;
    uint16_t code;
    const char *words;
    const char *end;
} faults[] = {
    {"hangs up", hangs_up, 502, 1429, "#HY000the backend hung up during the login",
     "the backend hung up during the login"},
    {"hangs up in its greeting", hangs_up_in_its_greeting, 502, 1429,
     "#HY000the backend hung up during the login", "the backend hung up during the login"},
    {"resets", resets, 502, 1429, "#HY000the backend hung up during the login",
     "the backend hung up during the login"},
    {"speaks something else", speaks_something_else, 502, 1429,
     "#HY000Error in server handshake: the backend's login is not understood",
     "backend protocol error"},
    {"is full", is_full, 502, 1040, "Too many connections", "backend refused"},
    {"is silent", is_silent, 504, 1429, "#HY000the backend did not answer the login in time",
     "the backend did not answer the login in time"},
};
enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

/* Alice's login at who is good; one record, with its name. */
static void expect_served(int client)
{
    int server = rig_accept(good);
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    tusk__mysql_response heard = mysql_receive_response(server);
    assert_int_equal(heard.sequence, 1);
    assert_bytes_equal(heard.user, TEST_BYTES("alice"));
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_send(client, TEST_BYTES(SIGNATURE("\3")));
    rig_expect_bytes(server, TEST_BYTES(SIGNATURE("\3")));
    mysql_send(server, TEST_BYTES(OK("\4")));
    rig_expect_bytes(client, TEST_BYTES(OK("\4")));
    mysql_send(client, TEST_BYTES(QUERY));
    rig_expect_bytes(server, TEST_BYTES(QUERY));
    (void)close(client);
    rig_expect_eof(server);
    (void)close(server);
    mysql_expect_record(0, "done");
    assert_string_equal(r.records[0].target, r.address[1]);
}

static void run_faults(void (*prepare)(void), void **state)
{
    for (size_t i = 0; i < FAULTS; i++) {
        print_message("# one that %s\n", faults[i].name);
        if (prepare != NULL) {
            prepare();
        }
        r.options.limits.backend_first_ms = SILENCE_MS;
        r.options.limits.eject_failures = 1;
        rig_start();
        int client = mysql_client();
        faults[i].serve(accept_from(bad));
        expect_served(client);
        assert_int_equal(rig_stats().dials, 2);
        assert_int_equal(rig_stats().retries, 1);
        assert_int_equal(rig_stats().dial_failures, 1);
        assert_int_equal(rig_stats().backend_first_timeouts, faults[i].status == 504);
        assert_int_equal(tusk_relay_health(r.relay, r.targets[0].address), 0);
        assert_int_equal(tusk_relay_health(r.relay, r.targets[1].address), 1);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

/* ---- MySQL ---- */
static void a_backend_that_fails_before_its_greeting_is_left_for_another_one(void **state)
{
    run_faults(NULL, state);
}

static void over_connections(void)
{
    r.route.upstream_tls = TUSK_TLS_ALLOW; /* which nobody here has */
}

static void so_is_one_where_tls_may_be_spoken(void **state)
{
    run_faults(over_connections, state);
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    }
    return count;
}

/* poll and select take a refused connection out before its dial hears of it. */
static void a_refused_connection_leaves_no_descriptor_and_the_next_one_is_read(void **state)
{
    (void)state;
    r.target_count = 0;
    rig_target(rig_dead_port(), 1000000000);
    rig_target(rig_dead_port(), 1000000);
    struct sockaddr_in in;
    socklen_t len = sizeof(in);
    assert_int_equal(getsockname(good, (struct sockaddr *)(void *)&in, &len), 0);
    rig_target(ntohs(in.sin_port), 1);
    rig_start();
    int before = open_descriptors();
    int client = mysql_client();
    int server = rig_accept(good);
    assert_int_equal(open_descriptors(), before + 4); /* the pair's two, the test's two */
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    (void)mysql_receive_response(server);
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 1);
}

static void when_all_fail_the_client_hears_of_the_last_one(void **state)
{
    for (size_t i = 0; i < FAULTS; i++) {
        print_message("# the last one %s\n", faults[i].name);
        r.options.limits.backend_first_ms = SILENCE_MS;
        rig_start();
        int client = mysql_client();
        faults[(i + 1) % FAULTS].serve(accept_from(bad));
        faults[i].serve(accept_from(good));
        mysql_expect_error(client, 2, faults[i].code, faults[i].words);
        rig_expect_eof(client);
        (void)close(client);
        mysql_expect_record(faults[i].status, faults[i].end);
        assert_int_equal(rig_stats().dial_failures, 2);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

static void a_refusal_behind_which_nobody_listens_is_that_of_who_was_dialled_last(void **state)
{
    (void)state;
    r.target_count = 1;
    rig_target(rig_dead_port(), 1);
    rig_start();
    int client = mysql_client();
    is_full(accept_from(bad));
    mysql_expect_error(client, 2, 1429, "#HY000the backend refuses connections");
    (void)close(client);
    mysql_expect_record(502, "the backend refuses connections");
}

static void no_more_are_tried_than_attempts(void **state)
{
    (void)state;
    r.options.limits.attempts = 1;
    rig_start();
    int client = mysql_client();
    hangs_up(accept_from(bad));
    mysql_expect_error(client, 2, 1429, "#HY000the backend hung up during the login");
    (void)close(client);
    mysql_expect_record(502, "the backend hung up during the login");
    assert_int_equal(accept(good, NULL, NULL), -1);
}

/* ---- the PROXY head ---- */
static void expect_head(int server)
{
    char byte = 0;
    rig_expect(server, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    while (byte != '\n') {
        ssize_t got = -1;
        rig_until((got = recv(server, &byte, 1, 0)) >= 0 || errno != EAGAIN);
        assert_int_equal(got, 1);
    }
}

static void each_hears_a_head_and_a_refusal_behind_it_is_about_the_client(void **state)
{
    (void)state;
    r.route.proxy_version = 1;
    r.options.limits.eject_failures = 1;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(bad);
    expect_head(server);
    is_full(server);
    server = rig_accept(good);
    expect_head(server);
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    tusk__mysql_response heard = mysql_receive_response(server);
    assert_bytes_equal(heard.user, TEST_BYTES("alice"));
    assert_int_not_equal(tusk_relay_health(r.relay, r.targets[0].address), 0);
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 1);
}

/* ---- too late ---- */
static void who_has_heard_the_client_is_not_left(void **state)
{
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(bad);
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    (void)mysql_receive_response(server);
    (void)close(server);
    mysql_expect_error(client, 2, 1429, "#HY000the backend hung up during the login");
    rig_expect_eof(client);
    (void)close(client);
    mysql_expect_record(502, "the backend hung up during the login");
    assert_int_equal(rig_stats().dials, 1);
    assert_int_equal(accept(good, NULL, NULL), -1);
}

static void a_client_that_leaves_between_two_backends_is_one_record(void **state)
{
    (void)state;
    for (int tls = 0; tls < 2; tls++) {
        if (tls == 1) {
            over_connections();
        }
        /* select does not see it leave: it is the silence that ends it there */
        r.options.limits.backend_first_ms = SILENCE_MS;
        rig_start();
        int client = mysql_client();
        int server = rig_accept(bad);
        hangs_up(server);
        rig_reset(client);
        rig_until(r.record_count == 1);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

/* ---- PostgreSQL ---- */
static void postgres(void)
{
    r.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    r.route.upstream_tls = TUSK_TLS_ALLOW;
    r.options.limits.backend_first_ms = SILENCE_MS;
}

static void a_startup_goes_once_to_who_answers_about_tls(void **state)
{
    static void (*const serve[])(int server) = {hangs_up, resets, is_silent};
    for (size_t i = 0; i < sizeof(serve) / sizeof(serve[0]); i++) {
        postgres();
        rig_start();
        int client = rig_client();
        rig_send_bytes(client, STARTUP);
        int server = rig_accept(bad);
        rig_expect_bytes(server, SSL_REQUEST);
        serve[i](server);
        server = rig_accept(good);
        rig_expect_bytes(server, SSL_REQUEST);
        rig_send(server, "N");
        rig_expect_bytes(server, STARTUP);
        rig_send(server, "R");
        rig_expect(client, "R");
        (void)close(client);
        rig_expect_eof(server);
        (void)close(server);
        rig_until(r.record_count == 1);
        assert_string_equal(r.records[0].target, r.address[1]);
        assert_string_equal(r.records[0].end, "done");
        assert_int_equal(rig_stats().retries, 1);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

static void a_startup_that_nobody_takes_is_refused_in_its_own_words(void **state)
{
    char words[256] = "";
    size_t len = 0;
    (void)state;
    postgres();
    rig_start();
    int client = rig_client();
    rig_send_bytes(client, STARTUP);
    hangs_up(accept_from(bad));
    int server = rig_accept(good);
    rig_expect_bytes(server, SSL_REQUEST);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "the backend did not answer in time");
    assert_int_equal(r.records[0].status, 504);
    rig_expect_eof(server);
    ssize_t got;
    while ((got = recv(client, words + len, sizeof(words) - 1 - len, 0)) > 0) {
        len += (size_t)got;
    }
    assert_int_equal(words[0], 'E');
    assert_non_null(memmem(words, len, "08006", 5));
    assert_non_null(memmem(words, len, "did not answer in time", 22));
    (void)close(client);
    (void)close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        redial_test(a_backend_that_fails_before_its_greeting_is_left_for_another_one),
        redial_test(so_is_one_where_tls_may_be_spoken),
        redial_test(a_refused_connection_leaves_no_descriptor_and_the_next_one_is_read),
        redial_test(when_all_fail_the_client_hears_of_the_last_one),
        redial_test(a_refusal_behind_which_nobody_listens_is_that_of_who_was_dialled_last),
        redial_test(no_more_are_tried_than_attempts),
        redial_test(each_hears_a_head_and_a_refusal_behind_it_is_about_the_client),
        redial_test(who_has_heard_the_client_is_not_left),
        redial_test(a_client_that_leaves_between_two_backends_is_one_record),
        redial_test(a_startup_goes_once_to_who_answers_about_tls),
        redial_test(a_startup_that_nobody_takes_is_refused_in_its_own_words),
    };
    return TEST_RUN_FOR_EACH_POLLER("redials", tests);
}
