/* SPDX-License-Identifier: MIT */
/* MySQL logins that come to nothing: each is told by an ERR packet with the number that is next,
 * and is one record. */
#define _GNU_SOURCE
#include "mysql_sides.h"

#include "relay/tcp/login.h"
#include "still_clock.h"

/* ---- clients ---- */
static void a_resolvers_refusal_is_an_err_packet_with_the_next_number(void **state)
{
    static const struct {
        uint16_t status, code;
        const char *text;
    } cases[] = {{403, 1045, "#28000no"}, {404, 1049, "#42000no"}, {500, 1105, "#HY000no"},
                 {502, 1429, "#HY000no"}, {503, 1040, "#08004no"}, {504, 1429, "#HY000no"}};
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r.refusal = (tusk_relay_refusal){.status = cases[i].status, .reason = TEST_BYTES("no")};
        int client = mysql_client();
        mysql_expect_error(client, 2, cases[i].code, cases[i].text);
        rig_expect_eof(client);
        (void)close(client);
        rig_until(r.record_count == (int)i + 1);
        assert_int_equal(r.records[i].status, cases[i].status);
    }
}

static void a_dead_backend_is_told_as_cannot_connect(void **state)
{
    (void)state;
    r.target_count = 0;
    rig_target(rig_dead_port(), 1);
    rig_start();
    int client = mysql_client();
    mysql_expect_error(client, 2, 1429, "#HY000the backend refuses connections");
    (void)close(client);
    mysql_expect_record(502, "the backend refuses connections");
}

static void a_socket_that_is_not_there_is_told_as_such(void **state)
{
    (void)state;
    r.targets[0] =
        (tusk_relay_target){.address = tusk_bytes_str("unix:/nowhere/at/all"), .weight = 1};
    r.target_count = 1;
    rig_start();
    int client = mysql_client();
    mysql_expect_error(client, 2, 1429, "#HY000the backend's socket does not exist");
    (void)close(client);
    mysql_expect_record(502, "the backend's socket does not exist");
}

#define RESERVED "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define ANSWER(length, number, caps) length "\0\0" number caps "\0\0\0\1\x21" RESERVED

static void a_broken_answer_is_an_err_packet(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        uint8_t sequence;
        uint16_t code;
        const char *text, *end;
    } cases[] = {
#define CASE(text) text, sizeof(text) - 1
        {CASE("GET / HTTP/1.1\r\n\r\n"), 0x21, 1153,
         "#08S01Got a packet bigger than a login may have", "protocol error"},
        {CASE("\1\0\0\1\0"), 2, 1043, "#08S01Bad handshake", "protocol error"},
        {CASE("\0\0\0\1"), 2, 1043, "#08S01Bad handshake", "protocol error"},
        {CASE("\2\0\0\1\x0d\x80"), 2, 1251,
         "#08004Client does not support authentication protocol requested by server; consider "
         "upgrading it",
         "client too old"},
        {CASE(ANSWER("\x23", "\1", "\0\x82\0\0") "a\0\0"), 2, 1251,
         "#08004Client does not support authentication protocol requested by server; consider "
         "upgrading it",
         "client too old"},
        {CASE(ANSWER("\x23", "\1", "\x20\x82\x08\0") "a\0\0"), 2, 1043,
         "#08S01Bad handshake: compression was not offered", "protocol error"},
        {CASE(ANSWER("\x23", "\7", "\0\x82\x08\0") "a\0\0"), 8, 1156,
         "#08S01Got packets out of order", "protocol error"},
        {CASE(ANSWER("\x20", "\1", "\0\x8a\x08\0")), 2, 1043, "#08S01Bad handshake",
         "protocol error"}, /* TLS was not offered */
    };
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int client = rig_client();
        (void)mysql_receive_greeting(client);
        mysql_send(client, tusk_bytes_of(cases[i].bytes, cases[i].len));
        mysql_expect_error(client, cases[i].sequence, cases[i].code, cases[i].text);
        rig_expect_eof(client);
        (void)close(client);
        rig_until(r.record_count == (int)i + 1);
        assert_string_equal(r.records[i].end, cases[i].end);
        assert_int_equal(r.records[i].status, 400);
    }
    assert_int_equal(r.ask_count, 0);
    assert_int_equal(rig_stats().protocol_errors, sizeof(cases) / sizeof(cases[0]));
}

static void a_client_that_says_nothing_after_the_greeting_is_told_so(void **state)
{
    (void)state;
    r.options.limits.first_ms = 20;
    rig_start();
    int client = rig_client();
    (void)mysql_receive_greeting(client);
    mysql_expect_error(client, 1, 1159, "#08S01nothing was said in time");
    rig_expect_eof(client);
    (void)close(client);
    mysql_expect_record(408, "first bytes timed out");
    assert_int_equal(rig_stats().first_timeouts, 1);
}

static void a_client_that_leaves_at_any_time_is_one_record(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    rig_start();
    int client = rig_client();
    (void)mysql_receive_greeting(client);
    (void)close(client);
    mysql_expect_record(400, "client left");
    client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_send(client, TEST_BYTES("\4\0"));
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_expect_eof(server);
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 2);
    assert_int_equal(r.records[1].status, 400);
}

static void a_client_that_does_not_sign_in_time_is_told_so(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    r.options.limits.first_ms = 200;
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_expect_error(client, 3, 1159, "#08S01the login took too long");
    rig_expect_eof(server);
    (void)close(client);
    (void)close(server);
    mysql_expect_record(408, "the login took too long");
}

static void a_signature_out_of_order_or_too_large_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        uint8_t sequence;
        uint16_t code;
        const char *text;
    } cases[] = {
        {CASE("\4\0\0\5sign"), 6, 1156, "#08S01Got packets out of order"},
        {CASE("\xff\xff\xff\3sign"), 4, 1153, "#08S01Got a packet bigger than a login may have"}};
    tusk__mysql_response heard;
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int client = mysql_client();
        int server = mysql_backend_of_alice(&heard);
        mysql_send(server, TEST_BYTES(SWITCH("\2")));
        rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
        mysql_send(client, tusk_bytes_of(cases[i].bytes, cases[i].len));
        mysql_expect_error(client, cases[i].sequence, cases[i].code, cases[i].text);
        rig_expect_eof(server);
        (void)close(client);
        (void)close(server);
        rig_until(r.record_count == (int)i + 1);
    }
}

/* ---- backends ---- */
static void a_backends_refusal_is_told_in_its_own_words(void **state)
{
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(mysql_backend);
    mysql_send(server, TEST_BYTES("\x17\0\0\0\xff\x10\x04Too many connections"));
    mysql_expect_error(client, 2, 1040, "Too many connections");
    rig_expect_eof(client);
    (void)close(client);
    (void)close(server);
    mysql_expect_record(502, "backend refused");
}

static void a_backend_that_does_not_speak_mysql_is_refused(void **state)
{
    static const struct {
        const char *greeting;
        size_t len;
        const char *more; /* after the relay's answer; NULL: the greeting is what is wrong */
        size_t more_len;
    } cases[] = {
        {CASE("220 mail.example ESMTP\r\n"), NULL, 0},
        {CASE("\1\0\0\0\x09"), NULL, 0},
        {NULL, 0, CASE("\1\0\0\2\xfe")},           /* the switch from before 4.1 */
        {NULL, 0, CASE("\7\0\0\7\0\0\0\2\0\0\0")}, /* out of order */
        {NULL, 0, CASE("\xff\xff\xff\2\1")},
    };
    (void)state;
    rig_start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int client = mysql_client();
        int server = rig_accept(mysql_backend);
        if (cases[i].greeting != NULL) {
            mysql_send(server, tusk_bytes_of(cases[i].greeting, cases[i].len));
        } else {
            mysql_greet(server, MYSQL_CAPS_OFFERED);
            (void)mysql_receive_response(server);
            mysql_send(server, tusk_bytes_of(cases[i].more, cases[i].more_len));
        }
        mysql_expect_error(
            client, 2, 1429,
            "#HY000Error in server handshake: the backend's login is not understood");
        rig_expect_eof(client);
        (void)close(client);
        (void)close(server);
        rig_until(r.record_count == (int)i + 1);
        assert_string_equal(r.records[i].end, "backend protocol error");
        assert_int_equal(r.records[i].status, 502);
    }
}

static void a_backend_that_hangs_up_or_is_silent_is_told_of(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    r.options.limits.first_ms = 300;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(mysql_backend);
    mysql_send(server, TEST_BYTES("\x4a\0\0"));
    (void)close(server);
    mysql_expect_error(client, 2, 1429, "#HY000the backend hung up during the login");
    (void)close(client);
    mysql_expect_record(502, "the backend hung up during the login");
    client = mysql_client();
    server = mysql_backend_of_alice(&heard);
    rig_reset(server);
    mysql_expect_error(client, 2, 1429, "#HY000the backend hung up during the login");
    (void)close(client);
    client = mysql_client();
    server = rig_accept(mysql_backend);
    mysql_expect_error(client, 2, 1429, "#HY000the backend did not answer the login in time");
    (void)close(client);
    (void)close(server);
    assert_int_equal(rig_stats().backend_first_timeouts, 1);
}

static void a_greeting_has_the_time_of_a_backends_first_byte(void **state)
{
    (void)state;
    r.options.limits.first_ms = 600000;
    r.options.limits.backend_first_ms = 20;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(mysql_backend);
    mysql_expect_error(client, 2, 1429, "#HY000the backend did not answer the login in time");
    (void)close(client);
    (void)close(server);
    mysql_expect_record(504, "the backend did not answer the login in time");
    assert_int_equal(rig_stats().backend_first_timeouts, 1);
}

/* Its greeting is that byte: a client may take longer over its signature. */
static void and_a_signature_has_the_clients(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    r.options.limits.first_ms = 600000;
    r.options.limits.backend_first_ms = 3000;
    rig_start();
    still_stop();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    for (int i = 0; i < 40; i++) { /* in steps that are no sleep of the proxy */
        still_pass_ms(100);
        rig_turn();
    }
    assert_int_equal(r.record_count, 0);
    assert_int_equal(rig_stats().first_timeouts + rig_stats().backend_first_timeouts, 0);
    (void)close(client);
    (void)close(server);
    still_end();
}

static void a_backend_that_never_comes_to_an_end_is_cut(void **state)
{
    tusk__mysql_response heard;
    uint8_t more[] = "\1\0\0\2\1";
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    for (int i = 0; i < RELAY_LOGIN_PACKETS; i++) {
        mysql_send(server, tusk_bytes_of(more, 5));
        rig_expect_bytes(client, tusk_bytes_of(more, 5));
        more[3]++;
    }
    mysql_send(server, tusk_bytes_of(more, 5));
    mysql_expect_error(client, 66, 1429,
                       "#HY000Error in server handshake: the backend's login is not understood");
    rig_expect_eof(client);
    (void)close(client);
    (void)close(server);
    mysql_expect_record(502, "backend protocol error");
}

static void first_bytes_that_a_route_replaces_are_none_of_a_logins(void **state)
{
    (void)state;
    r.route.first = tusk_bytes_str("REWRITTEN");
    rig_start();
    int client = mysql_client();
    mysql_expect_error(client, 2, 1105, "#HY000a login has no first bytes to be replaced");
    (void)close(client);
    mysql_expect_record(500, "a login has no first bytes to be replaced");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        login_test(a_resolvers_refusal_is_an_err_packet_with_the_next_number),
        login_test(a_dead_backend_is_told_as_cannot_connect),
        login_test(a_socket_that_is_not_there_is_told_as_such),
        login_test(a_broken_answer_is_an_err_packet),
        login_test(a_client_that_says_nothing_after_the_greeting_is_told_so),
        login_test(a_client_that_leaves_at_any_time_is_one_record),
        login_test(a_client_that_does_not_sign_in_time_is_told_so),
        login_test(a_signature_out_of_order_or_too_large_is_refused),
        login_test(a_backends_refusal_is_told_in_its_own_words),
        login_test(a_backend_that_does_not_speak_mysql_is_refused),
        login_test(a_backend_that_hangs_up_or_is_silent_is_told_of),
        login_test(a_greeting_has_the_time_of_a_backends_first_byte),
        login_test(and_a_signature_has_the_clients),
        login_test(a_backend_that_never_comes_to_an_end_is_cut),
        login_test(first_bytes_that_a_route_replaces_are_none_of_a_logins),
    };
    return TEST_RUN_FOR_EACH_POLLER("logins refused", tests);
}
