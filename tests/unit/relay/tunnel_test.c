/* SPDX-License-Identifier: MIT */
/* TLS that ends or begins at the relay: two relays in a row, one that begins it and one that ends
 * it, between a plain client and a plain backend. */
#define _GNU_SOURCE
#include "tunnel_rig.h"

#include "mysql_sides.h"

#define SSL_REQUEST TEST_BYTES("\0\0\0\x08\x04\xd2\x16\x2f")
#define STARTUP TEST_BYTES("\0\0\0\x20\0\x03\0\0user\0bob\0database\0shop\0\0")

enum { FLOOD = 24 << 20, STEP = 64 * 1024 };

static void bytes_flow_through_tls(void **state)
{
    (void)state;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    assert_true(back.secure);
    assert_string_equal(back.name, "db.test");
    assert_string_equal(back.alpn, ""); /* it is not known what goes through */
    rig_send(server, "220 ready");
    rig_expect(client, "220 ready");
    rig_send(client, "question");
    rig_expect(server, "question");
    (void)close(client);
    (void)close(server);
    expect_both("done", "done");
    assert_int_equal(r.records[0].up, 8);
    assert_int_equal(r.records[0].down, 9);
}

static void either_side_half_closes_through_tls(void **state)
{
    (void)state;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    rig_send(client, "all I have");
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    rig_expect(server, "all I have");
    rig_expect_eof(server);
    rig_send(server, "my answer");
    rig_expect(client, "my answer");
    assert_int_equal(shutdown(server, SHUT_WR), 0);
    rig_expect_eof(client);
    expect_both("done", "done");
    (void)close(client);
    (void)close(server);
}

static void a_reset_goes_through_tls(void **state)
{
    (void)state;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    rig_send(client, "x");
    rig_expect(server, "x");
    rig_reset(client);
    rig_expect_reset(server);
    (void)close(server);
    expect_both("client reset", "client reset");
}

static void much_goes_through_tls_and_a_stalled_reader_stops_it(void **state)
{
    static uint8_t chunk[STEP];
    static uint8_t got[STEP];
    uint64_t random = 7;
    size_t out = 0;
    size_t in = 0;
    size_t last = SIZE_MAX;
    (void)state;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    for (size_t i = 0; i < STEP; i++) {
        chunk[i] = (uint8_t)test_random(&random);
    }
    size_t before = r.mem.live_bytes;
    for (int still = 0; still < 20;) {
        ssize_t sent = send(client, chunk + out % STEP, STEP - out % STEP, MSG_NOSIGNAL);
        out += sent > 0 ? (size_t)sent : 0;
        rig_turn();
        still = out == last ? still + 1 : 0;
        last = out;
        assert_true(out < (size_t)FLOOD * 4);
    }
    assert_true(r.mem.live_bytes < before + 6 * r.options.limits.pending_bytes);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    bool eof = false;
    while (!eof) {
        ssize_t more = -1;
        rig_until((more = recv(server, got, STEP, 0)) >= 0 || errno != EAGAIN);
        assert_true(more >= 0);
        for (ssize_t i = 0; i < more; i++) {
            assert_int_equal(got[i], chunk[(in + (size_t)i) % STEP]);
        }
        in += (size_t)more;
        eof = more == 0;
    }
    assert_int_equal(in, out);
    (void)close(client);
    (void)close(server);
    expect_both("done", "done");
}

static void a_name_that_is_not_in_the_certificate_is_502(void **state)
{
    (void)state;
    r.route.tls_name = tusk_bytes_str("other.test");
    begin();
    int client = rig_client();
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 502);
    assert_string_equal(r.records[0].end, "TLS with the backend failed");
    (void)close(client);
}

/* No byte of the client's leaves before hands are shaken, so nobody hears what is said here but the
 * one who shakes them. */
static void a_backend_that_fails_at_tls_is_left_for_another_one(void **state)
{
    static const struct {
        bool postgres;
        const char *says; /* to what it hears first */
    } cases[] = {{false, ""}, {false, "HTTP/1.1 400 Bad Request\r\n\r\n"},
                 {true, ""},  {true, "N"},
                 {true, "S"}, {true, "SHTTP/1.1"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint16_t port;
        int bad = rig_listen(&port);
        print_message("# %s, says \"%s\"\n", cases[i].postgres ? "postgres" : "raw", cases[i].says);
        rig_target(port, 1000000);
        r.listen.first = back.listen.first = TUSK_FIRST_CLIENT;
        if (cases[i].postgres) {
            r.listen.protocol = back.listen.protocol = TUSK_PROTOCOL_POSTGRES;
        }
        begin();
        int client = rig_client();
        rig_send_bytes(client, STARTUP);
        int server = rig_accept(bad);
        char heard[1024];
        ssize_t got = -1;
        rig_until((got = recv(server, heard, sizeof(heard), 0)) > 0);
        assert_null(memmem(heard, (size_t)got, "shop", 4));
        rig_send(server, cases[i].says);
        if (strlen(cases[i].says) <= 1 && cases[i].says[0] != 'N') {
            (void)shutdown(server, SHUT_WR);
        }
        int well = rig_accept(backend);
        assert_true(back.secure);
        rig_expect_bytes(well, STARTUP);
        rig_send(well, "answer");
        rig_expect(client, "answer");
        (void)close(client);
        rig_expect_eof(well);
        (void)close(well);
        expect_both("done", "done");
        assert_int_equal(rig_stats().retries, 1);
        assert_int_equal(rig_stats().dial_failures, 1);
        (void)close(server);
        (void)close(bad);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

/* The back has dialled and may not go on; while it waits for its client's end the backend talks. */
static void a_backend_that_the_tunnel_did_not_take_is_closed_at_once(void **state)
{
    (void)state;
    back.upstream_tls = TUSK_TLS_REQUIRE; /* without a context to do it with */
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    rig_expect_eof(client);
    assert_int_equal(back.records, 0);
    rig_send(server, "220 ready");
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    (void)close(client);
    (void)close(server);
    expect_both("done", "no TLS for the backend");
}

static void a_plain_client_where_tls_is_demanded_is_refused(void **state)
{
    (void)state;
    back.listen.first = TUSK_FIRST_CLIENT;
    r.route.upstream_tls = TUSK_TLS_DISABLE;
    begin();
    int client = rig_client();
    rig_send(client, "hello");
    rig_until(back.records == 1);
    assert_string_equal(back.end, "no TLS");
    (void)close(client);
}

static void a_plain_client_where_tls_may_be_is_served(void **state)
{
    (void)state;
    back.listen.first = TUSK_FIRST_CLIENT;
    back.listen.downstream_tls = TUSK_TLS_ALLOW;
    r.route.upstream_tls = TUSK_TLS_DISABLE;
    begin();
    int client = rig_client();
    rig_send(client, "hello");
    int server = rig_accept(backend);
    rig_expect(server, "hello");
    assert_false(back.secure);
    (void)close(client);
    (void)close(server);
}

static void the_first_bytes_inside_of_tls_route(void **state)
{
    (void)state;
    back.listen.first = TUSK_FIRST_CLIENT;
    back.listen.protocol = TUSK_PROTOCOL_RAW;
    begin();
    int client = rig_client();
    rig_send(client, "inner");
    int server = rig_accept(backend);
    assert_string_equal(back.first, "inner");
    rig_expect(server, "inner");
    (void)close(client);
    (void)close(server);
}

/* The front asks the back for TLS as PostgreSQL does; the back reads the user inside of it. */
static void postgres_is_routed_inside_of_tls(void **state)
{
    (void)state;
    r.listen.first = back.listen.first = TUSK_FIRST_CLIENT;
    back.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    r.route.user = tusk_bytes_str("eve");
    begin();
    int client = rig_client();
    rig_send_bytes(client, SSL_REQUEST);
    rig_expect(client, "N");
    rig_send_bytes(client, STARTUP);
    int server = rig_accept(backend);
    assert_true(back.secure);
    assert_string_equal(back.user, "eve");
    rig_expect_bytes(server, TEST_BYTES("\0\0\0\x20\0\x03\0\0user\0eve\0database\0shop\0\0"));
    (void)close(client);
    (void)close(server);
    expect_both("done", "done");
}

/* As outside of it: who says more than that before its route is known is not waited for. */
static void what_is_first_inside_of_tls_has_its_limit(void **state)
{
    enum { LIMIT = 4096, LEN = 5000 }; /* a hello is shorter than that */
    static uint8_t startup[LEN] = {0, 0, LEN >> 8, LEN & 255, 0, 3, 0, 0, 'u', 's', 'e', 'r'};
    (void)state;
    memset(startup + 13, 'a', LEN - 15);
    r.listen.first = back.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = back.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    back.limits.first_bytes = LIMIT;
    begin();
    int client = rig_client();
    rig_send_bytes(client, tusk_bytes_of(startup, sizeof(startup)));
    rig_until(back.records == 1);
    assert_string_equal(back.end, "protocol error");
    assert_int_equal(back.asks, 0);
    (void)close(client);
}

/* As libpq does from 17 on, and PostgreSQL demands of who offers anything: both roles are here. */
static void tls_of_postgres_says_that_it_is(void **state)
{
    (void)state;
    r.listen.first = back.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = back.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    begin();
    int client = rig_client();
    rig_send_bytes(client, STARTUP);
    int server = rig_accept(backend);
    assert_true(back.secure);
    assert_string_equal(back.alpn, "postgresql");
    rig_expect_bytes(server, STARTUP);
    (void)close(client);
    (void)close(server);
    expect_both("done", "done");
}

static void postgres_is_refused_inside_of_tls(void **state)
{
    char got[256] = "";
    size_t len = 0;
    ssize_t more = -1;
    (void)state;
    r.listen.first = back.listen.first = TUSK_FIRST_CLIENT;
    back.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    back.refusal = (tusk_relay_refusal){.status = 404, .reason = tusk_bytes_str("no tenant")};
    begin();
    int client = rig_client();
    rig_send_bytes(client, STARTUP);
    rig_until((more = recv(client, got + len, sizeof(got) - len, 0)) == 0 ||
              (len += more > 0 ? (size_t)more : 0, false));
    assert_non_null(memmem(got, len, "no tenant", 9));
    (void)close(client);
}

/* CVE-2021-23214: somebody in between writes a packet behind the client's request. */
static void what_comes_in_the_clear_behind_a_request_for_tls_is_refused(void **state)
{
    (void)state;
    r.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    r.listen.tls = server_tls;
    r.listen.downstream_tls = TUSK_TLS_ALLOW;
    begin();
    int client = rig_client();
    rig_send_bytes(client, SSL_REQUEST);
    rig_expect(client, "S");
    rig_send_bytes(client, STARTUP);
    rig_expect(client, "E");
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "protocol error");
    assert_int_equal(r.ask_count, 0);
    (void)close(client);
}

/* The front asks the back for TLS as MySQL's clients do; each greets whom it serves. */
static int begin_mysql(void)
{
    r.listen.first = back.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = back.listen.protocol = TUSK_PROTOCOL_MYSQL;
    r.route.user = tusk_bytes_str("eve");
    begin();
    return mysql_client();
}

#define SWITCH_TO(length, number, plugin)                                                          \
    length "\0\0" number "\xfe" plugin "\0" MYSQL_TEST_SALT "\0"

static void mysql_is_routed_inside_of_tls_and_numbers_are_each_sides_own(void **state)
{
    (void)state;
    int client = begin_mysql();
    int server = rig_accept(backend);
    assert_true(back.secure);
    assert_string_equal(back.user, "eve");
    assert_string_equal(back.name, "db.test");
    mysql_greet(server, MYSQL_CAPS_OFFERED | MYSQL_CLIENT_SSL);
    tusk__mysql_response heard = mysql_receive_response(server);
    assert_bytes_equal(heard.user, TEST_BYTES("eve"));
    assert_int_equal(heard.sequence, 1);
    assert_int_equal(heard.caps & MYSQL_CLIENT_SSL, 0);
    mysql_send(server, TEST_BYTES(SWITCH_TO("\x1b", "\2", "plug")));
    rig_expect_bytes(client, TEST_BYTES(SWITCH_TO("\x1b", "\2", "plug")));
    mysql_send(client, TEST_BYTES("\4\0\0\3sign"));
    rig_expect_bytes(server, TEST_BYTES("\4\0\0\3sign"));
    mysql_send(server, TEST_BYTES("\7\0\0\4\0\0\0\2\0\0\0"));
    rig_expect_bytes(client, TEST_BYTES("\7\0\0\4\0\0\0\2\0\0\0"));
    rig_send(client, "question");
    rig_expect(server, "question");
    rig_send(server, "answer");
    rig_expect(client, "answer");
    (void)close(client);
    (void)close(server);
    expect_both("done", "done");
}

static void switch_to(int server, const char *plugin)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 200);
    assert_err(tusk__mysql_packet_head(&out, (uint32_t)strlen(plugin) + 23, 2), TUSK_OK);
    assert_err(tusk_buf_append(&out, "\xfe", 1), TUSK_OK);
    assert_err(tusk_buf_append(&out, plugin, strlen(plugin) + 1), TUSK_OK);
    assert_err(tusk_buf_append(&out, MYSQL_TEST_SALT, MYSQL_SALT_LEN + 1), TUSK_OK);
    mysql_send(server, tusk_buf_view(&out));
    tusk_buf_fini(&out);
}

/* The client's TLS ends at the back, whose own backend has none. */
static void a_password_of_mysql_does_not_leave_in_the_clear(void **state)
{
    static const char *const plugins[] = {"caching_sha2_password", "mysql_clear_password",
                                          "sha256_password", "dialog"};
    (void)state;
    int client = begin_mysql();
    for (int i = 0; i < 4; i++) {
        int server = rig_accept(backend);
        mysql_greet(server, MYSQL_CAPS_OFFERED);
        (void)mysql_receive_response(server);
        switch_to(server, plugins[i]);
        if (i == 0) { /* only when the server has not seen the password before */
            (void)mysql_receive(client);
            mysql_send(client, TEST_BYTES("\4\0\0\3sign"));
            rig_expect_bytes(server, TEST_BYTES("\4\0\0\3sign"));
            mysql_send(server, TEST_BYTES("\2\0\0\4\1\4"));
        }
        mysql_expect_error(client, i == 0 ? 4 : 2, 3159,
                           "#HY000This account's password would cross the proxy in the clear: it "
                           "needs TLS on both sides or on neither");
        rig_expect_eof(server);
        (void)close(server);
        (void)close(client);
        rig_until(back.records == i + 1);
        assert_string_equal(back.end, "TLS on one side only");
        client = mysql_client();
    }
    (void)close(client);
}

static void a_plain_mysql_client_where_tls_is_demanded_is_told_so(void **state)
{
    (void)state;
    r.route.upstream_tls = TUSK_TLS_DISABLE;
    back.listen.first = TUSK_FIRST_SERVER; /* a certificate without a greeting is of no use */
    back.listen.protocol = TUSK_PROTOCOL_MYSQL;
    begin();
    int client = rig_connect_to(tusk_relay_port(back.relay, 0));
    assert_int_equal(mysql_receive_greeting(client).caps, MYSQL_CAPS_OFFERED | MYSQL_CLIENT_SSL);
    tusk__mysql_response response = mysql_alice();
    mysql_answer(client, &response);
    mysql_expect_error(client, 2, 3159,
                       "#HY000Connections using insecure transport are prohibited: TLS is demanded "
                       "here");
    rig_until(back.records == 1);
    assert_string_equal(back.end, "no TLS");
    (void)close(client);
    client = rig_connect_to(tusk_relay_port(back.relay, 0));
    (void)mysql_receive_greeting(client);
    response = (tusk__mysql_response){
        .wants_tls = true, .sequence = 1, .caps = MYSQL_CAPS_OFFERED | MYSQL_CLIENT_SSL};
    mysql_answer(client, &response);
    mysql_send(client, TEST_BYTES("\4\0\0\2text, not TLS"));
    mysql_expect_error(client, 2, 1043, "#08S01this is not the protocol that is spoken here");
    (void)close(client);
}

static void a_stop_cuts_tunnels(void **state)
{
    (void)state;
    r.options.limits.drain_ms = 20;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    tusk_relay_stop(r.relay);
    rig_until(r.stopped == 1);
    rig_until(back.records == 1);
    (void)close(client);
    (void)close(server);
}

/* As a health check does, which is content with the answer to its question. */
static void who_leaves_before_a_hello_broke_no_rule(void **state)
{
    tusk_relay_stats stats;
    (void)state;
    back.listen.first = TUSK_FIRST_CLIENT;
    back.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    begin();
    for (int i = 0; i < 2; i++) {
        int client = rig_connect_to(tusk_relay_port(back.relay, 0));
        rig_send_bytes(client, SSL_REQUEST);
        rig_expect(client, "S");
        if (i == 1) {
            rig_send(client, "\x16\x03\x01"); /* no hello yet */
        }
        (void)close(client);
        rig_until(back.records == i + 1);
        assert_string_equal(back.end, "client left");
        tusk_relay_stats_get(back.relay, &stats);
        assert_int_equal(stats.protocol_errors, 0);
    }
}

static void hands_that_are_not_shaken_end_in_time(void **state)
{
    (void)state;
    back.limits.first_ms = 30;
    begin();
    int client = rig_connect_to(tusk_relay_port(back.relay, 0));
    rig_send(client, "\x16\x03\x01");
    rig_until(back.records == 1);
    assert_string_equal(back.end, "first bytes timed out");
    (void)close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tls_test(bytes_flow_through_tls),
        tls_test(either_side_half_closes_through_tls),
        tls_test(a_reset_goes_through_tls),
        tls_test(much_goes_through_tls_and_a_stalled_reader_stops_it),
        tls_test(a_name_that_is_not_in_the_certificate_is_502),
        tls_test(a_backend_that_fails_at_tls_is_left_for_another_one),
        tls_test(a_backend_that_the_tunnel_did_not_take_is_closed_at_once),
        tls_test(a_plain_client_where_tls_is_demanded_is_refused),
        tls_test(a_plain_client_where_tls_may_be_is_served),
        tls_test(the_first_bytes_inside_of_tls_route),
        tls_test(postgres_is_routed_inside_of_tls),
        tls_test(what_is_first_inside_of_tls_has_its_limit),
        tls_test(tls_of_postgres_says_that_it_is),
        tls_test(postgres_is_refused_inside_of_tls),
        tls_test(what_comes_in_the_clear_behind_a_request_for_tls_is_refused),
        tls_test(mysql_is_routed_inside_of_tls_and_numbers_are_each_sides_own),
        tls_test(a_password_of_mysql_does_not_leave_in_the_clear),
        tls_test(a_plain_mysql_client_where_tls_is_demanded_is_told_so),
        tls_test(a_stop_cuts_tunnels),
        tls_test(who_leaves_before_a_hello_broke_no_rule),
        tls_test(hands_that_are_not_shaken_end_in_time),
    };
    (void)make_files(NULL);
    int failed = tusk_tls_library() == NULL ? 0 : TEST_RUN_FOR_EACH_POLLER("tunnels", tests);
    (void)remove_files(NULL);
    return failed;
}
