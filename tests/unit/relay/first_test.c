/* SPDX-License-Identifier: MIT */
/* First bytes: who speaks first, PROXY heads in and out, server names, PostgreSQL's start. */
#include "rig.h"

#define SSL_REQUEST TEST_BYTES("\0\0\0\x08\x04\xd2\x16\x2f")
#define GSS_REQUEST TEST_BYTES("\0\0\0\x08\x04\xd2\x16\x30")
#define STARTUP TEST_BYTES("\0\0\0\x20\0\x03\0\0user\0bob\0database\0shop\0\0")
#define V2_SIGNATURE "\r\n\r\n\0\r\nQUIT\n"

static int backend;
static const char *const trusted[] = {"127.0.0.0/8"};

static int set_up(void **state)
{
    uint16_t port;
    (void)state;
    rig_set_up_on(test_poller);
    backend = rig_listen(&port);
    rig_target(port, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)close(backend);
    return rig_tear_down(state);
}

static void begin(tusk_relay_first first, tusk_relay_protocol protocol)
{
    r.listen.first = first;
    r.listen.protocol = protocol;
    rig_start();
}

/* Each byte comes by itself. */
static void drip(int fd, tusk_bytes bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        rig_send_bytes(fd, tusk_bytes_of(bytes.ptr + i, 1));
        rig_turn();
    }
}

static void expect_record(uint16_t status, const char *end)
{
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, status);
    assert_string_equal(r.records[0].end, end);
}

static const char *asked(tusk_lookup_field field)
{
    assert_true(r.ask_count > 0);
    return r.asked[r.ask_count - 1][field];
}

static void a_listener_may_be_given_by_a_name(void **state)
{
    char reason[128];
    (void)state;
    rig_start();
    tusk_relay_free(r.relay);
    assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_listen(r.relay, "localhost", &r.listen), TUSK_EINVAL);
    assert_err(tusk_relay_listen(r.relay, "localhost:0", &r.listen), TUSK_OK);
    assert_string_equal(tusk_relay_address(r.relay, 0), "127.0.0.1:0");
    assert_err(tusk_relay_start(r.relay, reason, sizeof(reason)), TUSK_OK);
    assert_int_not_equal(tusk_relay_port(r.relay, 0), 0);
}

/* ---- who speaks first ---- */
static void a_client_that_speaks_first_is_routed_by_what_it_says(void **state)
{
    (void)state;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_RAW);
    int client = rig_client();
    rig_until(rig_stats().accepted == 1);
    assert_int_equal(r.ask_count, 0);
    rig_send(client, "HELLO");
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_FIRST), "HELLO");
    rig_expect(server, "HELLO");
    rig_send(client, " again");
    rig_expect(server, " again");
    (void)close(client);
    (void)close(server);
    expect_record(0, "done");
    assert_int_equal(r.records[0].up, 11);
}

static void a_client_that_says_nothing_is_given_up(void **state)
{
    (void)state;
    r.options.limits.first_ms = 20;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_RAW);
    int client = rig_client();
    rig_expect_eof(client);
    expect_record(408, "first bytes timed out");
    assert_int_equal(rig_stats().first_timeouts, 1);
    (void)close(client);
}

static void a_client_that_leaves_first_is_not_routed(void **state)
{
    (void)state;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_RAW);
    (void)close(rig_client());
    expect_record(400, "client left");
    assert_int_equal(r.ask_count, 0);
}

/* Half a packet and an end: with every poller, nothing is waited for any more. */
static void a_client_that_ends_within_its_first_packet_is_not_waited_for(void **state)
{
    (void)state;
    r.options.limits.first_ms = 0;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_POSTGRES);
    int client = rig_client();
    rig_send_bytes(client, tusk_bytes_of("\0\0\0\x20\0\x03", 6));
    rig_until(rig_stats().accepted == 1);
    rig_turn();
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    expect_record(400, "client left");
    (void)close(client);
}

/* Its bytes are peeked at and stay in the socket: nobody is woken by them until it has a route. */
static void a_client_whose_route_is_looked_up_wakes_nobody(void **state)
{
    tusk_loop_counters before, after;
    (void)state;
    r.later = true;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_RAW);
    int client = rig_client();
    rig_send(client, "HELLO");
    rig_until(r.ask_count == 1);
    rig_turn();
    tusk_loop_count(r.loop, &before);
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    tusk_loop_count(r.loop, &after);
    assert_int_equal(after.events, before.events);
    assert_err(rig_answer(0), TUSK_OK);
    int server = rig_accept(backend);
    rig_expect(server, "HELLO");
    rig_send(client, " again");
    rig_expect(server, " again");
    (void)close(client);
    (void)close(server);
}

static void who_waits_is_routed_by_its_silence(void **state)
{
    (void)state;
    r.options.limits.wait_ms = 20;
    begin(TUSK_FIRST_WAIT, TUSK_PROTOCOL_AUTO);
    int client = rig_client();
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_FIRST), "-");
    rig_send(server, "220 ready");
    rig_expect(client, "220 ready");
    (void)close(client);
    (void)close(server);
}

static void add_patient_listener(tusk_relay *relay)
{
    tusk_relay_listen_options patient = r.listen;
    patient.wait_ms = 0; /* as the limits say */
    assert_err(tusk_relay_listen(relay, "127.0.0.1:0", &patient), TUSK_OK);
}

static void a_listener_may_wait_for_another_time_than_the_rest(void **state)
{
    (void)state;
    r.options.limits.wait_ms = 1000000;
    r.options.limits.first_ms = 2000000;
    r.listen.wait_ms = 20;
    r.on_made = add_patient_listener;
    begin(TUSK_FIRST_WAIT, TUSK_PROTOCOL_AUTO);
    int patient = rig_client();
    rig_until(rig_stats().accepted == 1);
    int client = rig_connect_to(tusk_relay_port(r.relay, 1));
    int server = rig_accept(backend);
    assert_int_equal(r.ask_count, 1);
    rig_send(server, "220 ready");
    rig_expect(client, "220 ready");
    (void)close(patient);
    (void)close(client);
    (void)close(server);
}

static void who_speaks_while_it_is_waited_for_is_routed_by_that(void **state)
{
    (void)state;
    r.options.limits.wait_ms = 10000;
    begin(TUSK_FIRST_WAIT, TUSK_PROTOCOL_AUTO);
    int client = rig_client();
    rig_send(client, "\x01hi");
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_FIRST), "\x01hi");
    rig_expect(server, "\x01hi");
    (void)close(client);
    (void)close(server);
}

static void the_route_may_write_the_first_bytes_anew(void **state)
{
    (void)state;
    r.route.first = tusk_bytes_str("REWRITTEN");
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_RAW);
    int client = rig_client();
    rig_send(client, "original");
    int server = rig_accept(backend);
    rig_expect(server, "REWRITTEN");
    rig_send(client, " rest");
    rig_expect(server, " rest");
    (void)close(client);
    (void)close(server);
}

/* ---- PROXY heads ---- */
static void start_behind_proxy(tusk_relay_first first)
{
    r.listen.proxy_protocol = true;
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    begin(first, TUSK_PROTOCOL_RAW);
}

static void a_head_of_version_1_tells_the_client(void **state)
{
    (void)state;
    start_behind_proxy(TUSK_FIRST_SERVER);
    int client = rig_client();
    drip(client, TEST_BYTES("PROXY TCP4 192.0.2.7 198.51.100.9 4711 5432\r\n"));
    rig_send(client, "after");
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_PEER), "192.0.2.7");
    assert_string_equal(asked(TUSK_LOOKUP_PEER_PORT), "4711");
    assert_string_equal(asked(TUSK_LOOKUP_DESTINATION), "198.51.100.9:5432");
    rig_expect(server, "after");
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].peer, "192.0.2.7:4711");
}

/* The time of a whole head is not what a client is waited for behind it. */
static void behind_a_head_silence_is_routed_as_soon_as_without(void **state)
{
    (void)state;
    r.options.limits.wait_ms = 20;
    r.options.limits.first_ms = 1000000;
    start_behind_proxy(TUSK_FIRST_WAIT);
    int client = rig_client();
    rig_send_bytes(client, TEST_BYTES("PROXY TCP4 192.0.2.7 198.51.100.9 4711 5432\r\n"));
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_PEER), "192.0.2.7");
    assert_string_equal(asked(TUSK_LOOKUP_FIRST), "-");
    (void)close(client);
    (void)close(server);
}

static void a_head_of_version_2_tells_the_authority_too(void **state)
{
    (void)state;
    start_behind_proxy(TUSK_FIRST_CLIENT);
    int client = rig_client();
    rig_send_bytes(client,
                   TEST_BYTES(V2_SIGNATURE "\x21\x11\0\x13\xc0\0\x02\x01\xc6\x33\x64\x02\x01"
                                           "\0\x02\0\x02\0\x04"
                                           "a.bcQ"));
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_PEER), "192.0.2.1");
    assert_string_equal(asked(TUSK_LOOKUP_AUTHORITY), "a.bc");
    assert_string_equal(asked(TUSK_LOOKUP_FIRST), "Q");
    rig_expect(server, "Q");
    (void)close(client);
    (void)close(server);
}

static void without_a_head_a_trusted_peer_is_refused(void **state)
{
    (void)state;
    start_behind_proxy(TUSK_FIRST_SERVER);
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\n");
    expect_record(400, "no PROXY head");
    assert_int_equal(rig_stats().protocol_errors, 1);
    (void)close(client);
}

static void the_clients_behind_a_proxy_have_their_limits(void **state)
{
    (void)state;
    r.options.limits.per_source = 1;
    start_behind_proxy(TUSK_FIRST_SERVER);
    int clients[3];
    static const char *const heads[] = {"PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n",
                                        "PROXY TCP4 192.0.2.8 192.0.2.1 1 2\r\n",
                                        "PROXY TCP4 192.0.2.7 192.0.2.1 3 2\r\n"};
    int servers[2];
    for (int i = 0; i < 2; i++) {
        clients[i] = rig_client();
        rig_send(clients[i], heads[i]);
        servers[i] = rig_accept(backend);
    }
    clients[2] = rig_client();
    rig_send(clients[2], heads[2]);
    expect_record(429, "limit of its source");
    assert_int_equal(rig_stats().refused_source, 1);
    for (int i = 0; i < 3; i++) {
        (void)close(clients[i]);
    }
    (void)close(servers[0]);
    (void)close(servers[1]);
}

static void a_backend_is_told_the_client_in_version_1(void **state)
{
    (void)state;
    r.route.proxy_version = 1;
    begin(TUSK_FIRST_SERVER, TUSK_PROTOCOL_RAW);
    int client = rig_client();
    int server = rig_accept(backend);
    char head[128];
    (void)snprintf(head, sizeof(head), "PROXY TCP4 127.0.0.1 127.0.0.1 %s %u\r\n",
                   asked(TUSK_LOOKUP_PEER_PORT), (unsigned)tusk_relay_port(r.relay, 0));
    rig_send(client, "x");
    rig_expect(server, head);
    rig_expect(server, "x");
    (void)close(client);
    (void)close(server);
}

static void a_backend_is_told_the_client_in_version_2(void **state)
{
    (void)state;
    r.route.proxy_version = 2;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_RAW);
    int client = rig_client();
    rig_send(client, "x");
    int server = rig_accept(backend);
    rig_expect_bytes(server, TEST_BYTES(V2_SIGNATURE "\x21\x11\0\x0c\x7f\0\0\x01\x7f\0\0\x01"));
    char ports[4];
    rig_until(recv(server, ports, 4, MSG_PEEK) == 4);
    assert_int_equal(recv(server, ports, 4, 0), 4);
    rig_expect(server, "x");
    (void)close(client);
    (void)close(server);
}

/* ---- TLS that goes through ---- */
/* A ClientHello for "a.test" with ALPN h2 and http/1.1. */
static tusk_bytes hello(void)
{
    return TEST_BYTES("\x16\x03\x01\0\x55\x01\0\0\x51\x03\x03"
                      "0123456789abcdef0123456789abcdef"
                      "\0\0\x02\x13\x01\x01\0\0\x26"
                      "\0\0\0\x0b\0\x09\0\0\x06"
                      "a.test"
                      "\0\x10\0\x0e\0\x0c\x02h2\x08http/1.1"
                      "\xff\x01\0\x01\0");
}

static void the_server_name_routes_and_tls_goes_through(void **state)
{
    (void)state;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_AUTO);
    int client = rig_client();
    drip(client, hello());
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_SERVER_NAME), "a.test");
    assert_string_equal(asked(TUSK_LOOKUP_ALPN), "h2,http/1.1");
    assert_string_equal(asked(TUSK_LOOKUP_USER), "-");
    rig_expect_bytes(server, hello());
    (void)close(client);
    (void)close(server);
}

static void where_tls_is_demanded_nothing_else_passes(void **state)
{
    (void)state;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_TLS);
    int client = rig_client();
    rig_send(client, "GET /");
    expect_record(400, "protocol error");
    assert_int_equal(r.ask_count, 0);
    (void)close(client);
}

static void first_bytes_have_their_limit(void **state)
{
    /* Less than a hello may have, more than this listener takes. */
    static uint8_t endless[600] = {0x16, 3, 1, 0x10, 0, 1, 0, 0x0f, 0xfc, 3, 3};
    (void)state;
    r.options.limits.first_bytes = 512;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_TLS);
    int client = rig_client();
    rig_send_bytes(client, tusk_bytes_of(endless, sizeof(endless)));
    expect_record(400, "protocol error");
    (void)close(client);
}

/* ---- PostgreSQL ---- */
static void a_startup_packet_tells_user_and_database(void **state)
{
    (void)state;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_AUTO);
    int client = rig_client();
    rig_send_bytes(client, SSL_REQUEST);
    rig_expect(client, "N");
    rig_send_bytes(client, GSS_REQUEST);
    rig_expect(client, "N");
    drip(client, STARTUP);
    int server = rig_accept(backend);
    assert_string_equal(asked(TUSK_LOOKUP_USER), "bob");
    assert_string_equal(asked(TUSK_LOOKUP_DATABASE), "shop");
    rig_expect_bytes(server, STARTUP);
    (void)close(client);
    (void)close(server);
}

static void the_route_may_name_another_user_and_database(void **state)
{
    (void)state;
    r.route.user = tusk_bytes_str("tenant7");
    r.route.database = tusk_bytes_str("db7");
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_POSTGRES);
    int client = rig_client();
    rig_send_bytes(client, STARTUP);
    rig_send_bytes(client, TEST_BYTES("Q"));
    int server = rig_accept(backend);
    rig_expect_bytes(server, TEST_BYTES("\0\0\0\x23\0\x03\0\0user\0tenant7\0database\0db7\0\0Q"));
    (void)close(client);
    (void)close(server);
}

static void expect_text_within(int fd, const char *text)
{
    char got[256] = "";
    size_t len = 0;
    ssize_t more = -1;
    rig_until((more = recv(fd, got + len, sizeof(got) - len, 0)) == 0 ||
              (len += more > 0 ? (size_t)more : 0, false));
    bool found = false;
    for (size_t i = 0; i + strlen(text) <= len; i++) {
        found = found || memcmp(got + i, text, strlen(text)) == 0;
    }
    assert_true(found);
}

static void a_refusal_is_an_error_response(void **state)
{
    (void)state;
    r.refusal = (tusk_relay_refusal){.status = 404, .reason = tusk_bytes_str("no such tenant")};
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_POSTGRES);
    int client = rig_client();
    rig_send_bytes(client, STARTUP);
    expect_text_within(client, "3D000");
    expect_record(404, "refused");
    (void)close(client);
}

static void a_dead_backend_is_an_error_response(void **state)
{
    (void)state;
    r.target_count = 0;
    rig_target(rig_dead_port(), 1);
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_AUTO);
    int client = rig_client();
    rig_send_bytes(client, STARTUP);
    expect_text_within(client, "the backend refuses connections");
    (void)close(client);
}

static void a_refusal_before_mysql_greets_is_an_err_packet(void **state)
{
    (void)state;
    r.refusal = (tusk_relay_refusal){.status = 503, .reason = tusk_bytes_str("try later")};
    begin(TUSK_FIRST_SERVER, TUSK_PROTOCOL_MYSQL);
    int client = rig_client();
    /* without an SQLSTATE: clients look for one only after a greeting */
    rig_expect_bytes(client, TEST_BYTES("\x0c\0\0\0\xff\x10\x04try later"));
    (void)close(client);
}

static void garbage_is_no_postgres(void **state)
{
    (void)state;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_POSTGRES);
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\n\r\n");
    expect_text_within(client, "08P01");
    (void)close(client);
}

/* Two backends; the key says to which one a cancel request goes. */
static void a_cancel_request_goes_to_the_session_with_that_key(void **state)
{
#define KEY_DATA "K\0\0\0\x0c\0\0\x12\x34KEY!"
    static const char cancel[] = "\0\0\0\x10\x04\xd2\x16\x2e\0\0\x12\x34KEY!";
    (void)state;
    r.route.ttl_ms = 0;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_POSTGRES);
    int client = rig_client();
    rig_send_bytes(client, STARTUP);
    int server = rig_accept(backend);
    rig_expect_bytes(server, STARTUP);
    tusk_bytes answer = TEST_BYTES("R\0\0\0\x08\0\0\0\0" KEY_DATA "Z\0\0\0\x05I");
    drip(server, answer);
    rig_expect_bytes(client, answer);
    r.target_count = 0; /* whoever asks now is led elsewhere */
    rig_target(rig_dead_port(), 1);
    int canceller = rig_client();
    rig_send_bytes(canceller, tusk_bytes_of(cancel, 16));
    int second = rig_accept(backend);
    rig_expect_bytes(second, tusk_bytes_of(cancel, 16));
    assert_int_equal(rig_stats().cancels, 1);
    assert_int_equal(r.ask_count, 1);
    (void)close(canceller);
    (void)close(second);
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 2);
    canceller = rig_client();
    rig_send_bytes(canceller, tusk_bytes_of(cancel, 16));
    rig_until(r.record_count == 3);
    assert_string_equal(r.records[2].end, "no session to cancel");
    rig_expect_eof(canceller); /* a server ends it, and resets nothing */
    (void)close(canceller);
}

/* It said that it is PostgreSQL's: what is silent behind that is slow, and no client of a server
 * that speaks first. */
static void who_has_asked_for_tls_is_not_routed_by_its_silence(void **state)
{
    (void)state;
    r.options.limits.wait_ms = 10;
    r.options.limits.first_ms = 30;
    begin(TUSK_FIRST_WAIT, TUSK_PROTOCOL_AUTO);
    int client = rig_client();
    rig_send_bytes(client, SSL_REQUEST);
    rig_expect(client, "N");
    expect_record(408, "first bytes timed out");
    assert_int_equal(r.ask_count, 0);
    (void)close(client);
}

static void tls_is_asked_for_once(void **state)
{
    (void)state;
    begin(TUSK_FIRST_CLIENT, TUSK_PROTOCOL_POSTGRES);
    int client = rig_client();
    rig_send_bytes(client, SSL_REQUEST);
    rig_expect(client, "N");
    rig_send_bytes(client, SSL_REQUEST);
    expect_record(400, "protocol error");
    (void)close(client);
}

int main(void)
{
#define first_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        first_test(a_listener_may_be_given_by_a_name),
        first_test(a_client_that_speaks_first_is_routed_by_what_it_says),
        first_test(a_client_that_says_nothing_is_given_up),
        first_test(a_client_that_leaves_first_is_not_routed),
        first_test(a_client_that_ends_within_its_first_packet_is_not_waited_for),
        first_test(a_client_whose_route_is_looked_up_wakes_nobody),
        first_test(who_waits_is_routed_by_its_silence),
        first_test(a_listener_may_wait_for_another_time_than_the_rest),
        first_test(who_speaks_while_it_is_waited_for_is_routed_by_that),
        first_test(the_route_may_write_the_first_bytes_anew),
        first_test(a_head_of_version_1_tells_the_client),
        first_test(behind_a_head_silence_is_routed_as_soon_as_without),
        first_test(a_head_of_version_2_tells_the_authority_too),
        first_test(without_a_head_a_trusted_peer_is_refused),
        first_test(the_clients_behind_a_proxy_have_their_limits),
        first_test(a_backend_is_told_the_client_in_version_1),
        first_test(a_backend_is_told_the_client_in_version_2),
        first_test(the_server_name_routes_and_tls_goes_through),
        first_test(where_tls_is_demanded_nothing_else_passes),
        first_test(first_bytes_have_their_limit),
        first_test(a_startup_packet_tells_user_and_database),
        first_test(the_route_may_name_another_user_and_database),
        first_test(a_refusal_is_an_error_response),
        first_test(a_dead_backend_is_an_error_response),
        first_test(a_refusal_before_mysql_greets_is_an_err_packet),
        first_test(garbage_is_no_postgres),
        first_test(a_cancel_request_goes_to_the_session_with_that_key),
        first_test(who_has_asked_for_tls_is_not_routed_by_its_silence),
        first_test(tls_is_asked_for_once),
    };
    return TEST_RUN_FOR_EACH_POLLER("first bytes", tests);
}
