/* SPDX-License-Identifier: MIT */
/* MySQL routed by its user: the client is greeted here and signs the backend's salt. */
#include "mysql_sides.h"

static const char *const trusted[] = {"127.0.0.0/8"};

static void expect_ok_and_queries(int client, int server)
{
    mysql_send(server, TEST_BYTES(OK("\4")));
    rig_expect_bytes(client, TEST_BYTES(OK("\4")));
    mysql_send(client, TEST_BYTES(QUERY));
    rig_expect_bytes(server, TEST_BYTES(QUERY));
    mysql_send(server, TEST_BYTES(OK("\1")));
    rig_expect_bytes(client, TEST_BYTES(OK("\1")));
    (void)close(client);
    (void)close(server);
    mysql_expect_record(0, "done");
}

/* ---- the dialogue ---- */
static void a_client_is_greeted_routed_by_its_user_and_signs_the_backends_salt(void **state)
{
    tusk__mysql_response heard;
    tusk__mysql_greeting first;
    (void)state;
    rig_start();
    int other = rig_client();
    first = mysql_receive_greeting(other);
    int client = rig_client();
    tusk__mysql_greeting greeting = mysql_receive_greeting(client);
    assert_bytes_equal(greeting.version, tusk_bytes_str(TUSK_MYSQL_VERSION));
    assert_int_equal(greeting.caps, MYSQL_CAPS_OFFERED);
    assert_memory_not_equal(greeting.salt, first.salt, MYSQL_SALT_LEN);
    assert_true(greeting.connection >= 0xc0000000u);
    assert_int_equal(r.ask_count, 0);
    tusk__mysql_response response = mysql_alice();
    mysql_answer(client, &response);
    int server = mysql_backend_of_alice(&heard);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_USER], "alice");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_DATABASE], "shop");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_APPLICATION], "mysql");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_FIRST], "-");
    assert_int_equal(heard.sequence, 1);
    assert_bytes_equal(heard.user, TEST_BYTES("alice"));
    assert_bytes_equal(heard.database, TEST_BYTES("shop"));
    assert_bytes_equal(heard.program, TEST_BYTES("mysql"));
    assert_int_equal(heard.auth.len, 0);
    assert_bytes_equal(heard.plugin, TEST_BYTES("tusk_proxy"));
    assert_int_equal(heard.caps, MYSQL_CAPS_OFFERED);
    assert_int_equal(heard.charset, 45);
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_send(client, TEST_BYTES(SIGNATURE("\3")));
    rig_expect_bytes(server, TEST_BYTES(SIGNATURE("\3")));
    (void)close(other);
    rig_until(r.record_count == 1);
    r.record_count = 0;
    expect_ok_and_queries(client, server);
}

/* Each byte comes by itself, from both sides. */
static void drip(int fd, tusk_bytes bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        mysql_send(fd, tusk_bytes_of(bytes.ptr + i, 1));
        rig_turn();
    }
}

static void a_login_may_come_byte_by_byte(void **state)
{
    tusk__mysql_response response = mysql_alice();
    tusk_buf out;
    (void)state;
    rig_start();
    int client = rig_client();
    (void)mysql_receive_greeting(client);
    tusk_buf_init(&out, tusk_mem_default(), 2000);
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_OK);
    drip(client, tusk_buf_view(&out));
    tusk_buf_fini(&out);
    int server = rig_accept(mysql_backend);
    out = mysql_greeting_of(MYSQL_CAPS_OFFERED);
    drip(server, tusk_buf_view(&out));
    tusk_buf_fini(&out);
    assert_bytes_equal(mysql_receive_response(server).user, TEST_BYTES("alice"));
    drip(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    drip(client, TEST_BYTES(SIGNATURE("\3")));
    rig_expect_bytes(server, TEST_BYTES(SIGNATURE("\3")));
    drip(server, TEST_BYTES(OK("\4")));
    rig_expect_bytes(client, TEST_BYTES(OK("\4")));
    drip(client, TEST_BYTES(QUERY));
    rig_expect_bytes(server, TEST_BYTES(QUERY));
    (void)close(client);
    (void)close(server);
    mysql_expect_record(0, "done");
}

static void what_a_plugin_asks_more_passes_with_its_answers(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_send(client, TEST_BYTES("\0\0\0\3")); /* no password */
    rig_expect_bytes(server, TEST_BYTES("\0\0\0\3"));
    mysql_send(server, TEST_BYTES("\3\0\0\4\2?!")); /* a question of PAM's, not escaped */
    rig_expect_bytes(client, TEST_BYTES("\3\0\0\4\2?!"));
    mysql_send(client, TEST_BYTES(SIGNATURE("\5")));
    rig_expect_bytes(server, TEST_BYTES(SIGNATURE("\5")));
    mysql_send(server, TEST_BYTES("\x0d\0\0\6\xff\x15\x04#28000nope"));
    mysql_expect_error(client, 6, 1045, "#28000nope");
    (void)close(server);
    rig_expect_eof(client);
    (void)close(client);
    mysql_expect_record(0, "done");
}

static void a_backend_that_asks_nothing_lets_in_at_once(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    mysql_send(server, TEST_BYTES(OK("\2")));
    rig_expect_bytes(client, TEST_BYTES(OK("\2")));
    mysql_send(client, TEST_BYTES(QUERY));
    rig_expect_bytes(server, TEST_BYTES(QUERY));
    (void)close(client);
    (void)close(server);
}

static void what_follows_a_signature_waits_for_ok_and_keeps_its_number(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_send(client, TEST_BYTES(SIGNATURE("\3") QUERY));
    rig_expect_bytes(server, TEST_BYTES(SIGNATURE("\3")));
    mysql_send(server, TEST_BYTES(OK("\4") OK("\0")));
    rig_expect_bytes(client, TEST_BYTES(OK("\4") OK("\0")));
    rig_expect_bytes(server, TEST_BYTES(QUERY));
    (void)close(client);
    (void)close(server);
}

static void half_a_packet_that_was_seen_is_not_lost(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    mysql_send(server, TEST_BYTES(SWITCH("\2") "\7\0\0"));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_send(client, TEST_BYTES("\x09\0\0")); /* of a query, as if OK had come */
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    mysql_send(server, TEST_BYTES("\3\0\0\0\2\0\0\0"));
    rig_expect_bytes(client, TEST_BYTES(OK("\3")));
    rig_expect_bytes(server, TEST_BYTES("\x09\0\0"));
    (void)close(client);
    (void)close(server);
}

static void a_fast_caching_sha2_login_is_two_packets_of_the_backends(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
#define SHA2                                                                                       \
    "\x2c\0\0\2\xfe"                                                                               \
    "caching_sha2_password\0" MYSQL_TEST_SALT "\0"
    mysql_send(server, TEST_BYTES(SHA2));
    rig_expect_bytes(client, TEST_BYTES(SHA2));
    mysql_send(client, TEST_BYTES(SIGNATURE("\3")));
    rig_expect_bytes(server, TEST_BYTES(SIGNATURE("\3")));
    mysql_send(server, TEST_BYTES("\2\0\0\4\1\3" OK("\5")));
    rig_expect_bytes(client, TEST_BYTES("\2\0\0\4\1\3" OK("\5")));
    (void)close(client);
    (void)close(server);
}

static void the_route_may_name_another_user_and_database(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    r.route.user = tusk_bytes_str("app");
    r.route.database = tusk_bytes_str("shop_eu");
    rig_start();
    int client = mysql_client();
    int server = mysql_backend_of_alice(&heard);
    assert_bytes_equal(heard.user, TEST_BYTES("app"));
    assert_bytes_equal(heard.database, TEST_BYTES("shop_eu"));
    (void)close(client);
    (void)close(server);
}

static void the_backend_hears_a_proxy_head_before_it_greets(void **state)
{
    tusk__mysql_response heard;
    (void)state;
    r.route.proxy_version = 1;
    r.listen.proxy_protocol = true;
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    rig_start();
    int client = rig_client();
    mysql_send(client, TEST_BYTES("PROXY TCP4 192.0.2.7 198.51.100.9 4711 3306\r\n"));
    (void)mysql_receive_greeting(client);
    tusk__mysql_response response = mysql_alice();
    mysql_answer(client, &response);
    int server = rig_accept(mysql_backend);
    rig_expect(server, "PROXY TCP4 192.0.2.7 198.51.100.9 4711 3306\r\n");
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    heard = mysql_receive_response(server);
    assert_bytes_equal(heard.user, TEST_BYTES("alice"));
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "192.0.2.7");
    (void)close(client);
    (void)close(server);
}

/* MariaDB has no LONG_PASSWORD; an old server no session state: the next client is not offered it.
 */
static void what_a_backend_lacks_is_not_offered_again(void **state)
{
    const uint32_t lacking = 0x00800000u;
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(mysql_backend);
    mysql_greet(server, MYSQL_CAPS_OFFERED & ~(lacking | MYSQL_CAPS_HARMLESS));
    mysql_expect_error(client, 2, 1043,
                       "#08S01Bad handshake: the backend lacks what this client was offered; "
                       "connect again");
    (void)close(client);
    (void)close(server);
    mysql_expect_record(502, "backend lacks capabilities");
    client = rig_client();
    assert_int_equal(mysql_receive_greeting(client).caps, MYSQL_CAPS_OFFERED & ~lacking);
    tusk__mysql_response response = mysql_alice();
    response.caps &= ~lacking;
    mysql_answer(client, &response);
    server = rig_accept(mysql_backend);
    mysql_greet(server, MYSQL_CAPS_OFFERED & ~(lacking | MYSQL_CAPS_HARMLESS));
    tusk__mysql_response heard = mysql_receive_response(server);
    assert_int_equal(heard.attributes.len, 0);
    assert_int_equal(heard.caps & (MYSQL_CLIENT_LENENC_AUTH | MYSQL_CLIENT_LONG_PASSWORD),
                     MYSQL_CLIENT_LONG_PASSWORD);
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 2);
    tusk_relay_forget(r.relay);
    client = rig_client();
    assert_int_equal(mysql_receive_greeting(client).caps, MYSQL_CAPS_OFFERED);
    (void)close(client);
}

/* In a greeting of version "8.0.36", behind its head. */
enum { HIGHER_CAPS_AT = MYSQL_HEAD + 1 + 7 + 4 + 9 + 2 + 1 + 2 };

static void a_backend_without_todays_authentication_is_told_of(void **state)
{
    (void)state;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(mysql_backend);
    tusk_buf greeting = mysql_greeting_of(MYSQL_CAPS_OFFERED);
    greeting.ptr[greeting.start + HIGHER_CAPS_AT] &= (uint8_t) ~(MYSQL_CLIENT_PLUGIN_AUTH >> 16);
    mysql_send(server, tusk_buf_view(&greeting));
    tusk_buf_fini(&greeting);
    mysql_expect_error(client, 2, 1251,
                       "#08004Client does not support authentication protocol requested by server: "
                       "the backend knows none of MySQL 5.5.7 and later");
    rig_expect_reset(server); /* its greeting was only looked at */
    (void)close(client);
    (void)close(server);
    mysql_expect_record(502, "backend too old");
}

static void a_backend_that_lacks_something_is_left_for_another_one(void **state)
{
    uint16_t port;
    (void)state;
    r.targets[0].weight = 1000000; /* tried first */
    int other = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    int client = mysql_client();
    int first = rig_accept(mysql_backend);
    mysql_greet(first, MYSQL_CAPS_OFFERED & ~0x00800000u);
    int second = rig_accept(other);
    mysql_greet(second, MYSQL_CAPS_OFFERED);
    assert_bytes_equal(mysql_receive_response(second).user, TEST_BYTES("alice"));
    rig_expect_reset(first);
    assert_int_equal(rig_stats().retries, 1);
    assert_int_equal(tusk_relay_health(r.relay, r.targets[0].address), 1);
    (void)close(client);
    (void)close(first);
    (void)close(second);
    (void)close(other);
}

static void a_listener_may_greet_with_another_version(void **state)
{
    char longer[TUSK_MYSQL_VERSION_MAX + 2];
    (void)state;
    r.listen.mysql_version = "5.5.5-10.11.6-MariaDB";
    rig_start();
    int client = rig_client();
    assert_bytes_equal(mysql_receive_greeting(client).version, TEST_BYTES("5.5.5-10.11.6-MariaDB"));
    (void)close(client);
    memset(longer, '8', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    r.listen.mysql_version = longer;
    rig_until(r.record_count == 1);
    tusk_relay_free(r.relay);
    assert_err(tusk_relay_new(&r.relay, &r.options, longer, sizeof(longer)), TUSK_OK);
    memset(longer, '8', sizeof(longer) - 1);
    assert_err(tusk_relay_listen(r.relay, "127.0.0.1:0", &r.listen), TUSK_EINVAL);
    longer[TUSK_MYSQL_VERSION_MAX] = '\0';
    assert_err(tusk_relay_listen(r.relay, "127.0.0.1:0", &r.listen), TUSK_OK);
}

static void without_tls_of_the_backend_a_route_that_demands_it_is_refused(void **state)
{
    tusk_tls *tls;
    char reason[128];
    (void)state;
    const tusk_tls_options options = {.verify_peer = false};
    if (tusk_tls_client_new(&tls, &options, reason, sizeof(reason)) == TUSK_ENOTSUP) {
        return;
    }
    r.route.tls = tls;
    r.route.upstream_tls = TUSK_TLS_REQUIRE;
    rig_start();
    int client = mysql_client();
    int server = rig_accept(mysql_backend);
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    mysql_expect_error(client, 2, 1429, "#HY000the backend has no TLS");
    (void)close(client);
    (void)close(server);
    mysql_expect_record(502, "the backend has no TLS");
    tusk_relay_forget(r.relay);
    r.route.upstream_tls = TUSK_TLS_ALLOW;
    client = mysql_client();
    server = rig_accept(mysql_backend);
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    assert_bytes_equal(mysql_receive_response(server).user, TEST_BYTES("alice"));
    mysql_send(server, TEST_BYTES(SWITCH("\2")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH("\2")));
    mysql_send(client, TEST_BYTES(SIGNATURE("\3")));
    rig_expect_bytes(server, TEST_BYTES(SIGNATURE("\3")));
    r.record_count = 0;
    expect_ok_and_queries(client, server);
    tusk_tls_unref(tls);
}

/* Whatever request for memory fails: the client is let in, told, or reset; nothing leaks. */
static void without_memory_a_login_fails_alone(void **state)
{
    (void)state;
    rig_start();
    bool whole = false;
    for (size_t n = 1; !whole; n++) {
        r.record_count = 0;
        tusk_relay_forget(r.relay);
        r.mem.requests = 0;
        r.mem.fail_at = n;
        int client = rig_client();
        int server = -1;
        tusk__mysql_response response = mysql_alice();
        uint8_t bytes[256];
        ssize_t got = -1;
        rig_until((got = recv(client, bytes, sizeof(bytes), 0)) >= 0 || errno != EAGAIN);
        if (got > 0 && bytes[4] == 10) {
            mysql_answer(client, &response);
            rig_until(r.record_count == 1 || (server = accept(mysql_backend, NULL, NULL)) >= 0);
        }
        if (server >= 0) {
            mysql_greet(server, MYSQL_CAPS_OFFERED);
            rig_unblock(server);
            rig_until(r.record_count == 1 || recv(server, bytes, sizeof(bytes), 0) > 0);
            whole = r.record_count == 0 && r.mem.requests < n;
            (void)close(server);
        }
        (void)close(client);
        rig_until(rig_stats().active == 0);
        r.mem.fail_at = 0;
        assert_true(n < 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        login_test(a_client_is_greeted_routed_by_its_user_and_signs_the_backends_salt),
        login_test(a_login_may_come_byte_by_byte),
        login_test(what_a_plugin_asks_more_passes_with_its_answers),
        login_test(a_backend_that_asks_nothing_lets_in_at_once),
        login_test(what_follows_a_signature_waits_for_ok_and_keeps_its_number),
        login_test(half_a_packet_that_was_seen_is_not_lost),
        login_test(a_fast_caching_sha2_login_is_two_packets_of_the_backends),
        login_test(the_route_may_name_another_user_and_database),
        login_test(the_backend_hears_a_proxy_head_before_it_greets),
        login_test(what_a_backend_lacks_is_not_offered_again),
        login_test(a_backend_without_todays_authentication_is_told_of),
        login_test(a_backend_that_lacks_something_is_left_for_another_one),
        login_test(a_listener_may_greet_with_another_version),
        login_test(without_tls_of_the_backend_a_route_that_demands_it_is_refused),
        login_test(without_memory_a_login_fails_alone),
    };
    return TEST_RUN_FOR_EACH_POLLER("logins", tests);
}
