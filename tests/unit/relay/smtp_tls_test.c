/* SPDX-License-Identifier: MIT */
/* STARTTLS on both sides of the SMTP proxy: nothing said in the clear counts afterwards. */
#define _GNU_SOURCE
#include "smtp_rig.h"

#include "../net/tls_pair.h"
#include "net/socket.h"

static const char tls_answer[] =
    "250-[127.0.0.1]\r\n250-PIPELINING\r\n250-SIZE 1000\r\n"
    "250-CHUNKING\r\n250-AUTH PLAIN\r\n250-8BITMIME\r\n250 STARTTLS\r\n";

static int tls_set_up(void **state)
{
    smtp_set_up(state);
    memset(&p, 0, sizeof(p));
    memset(&t, 0, sizeof(t));
    t.loop = r.loop;
    assert_err(tusk_net_new(&t.net, r.loop, NULL), TUSK_OK);
    contexts(&(tusk_tls_options){0},
             &(tusk_tls_options){.ca_file = in_dir("main.crt"), .verify_peer = true});
    r.listen.tls = p.server_tls;
    r.listen.downstream_tls = TUSK_TLS_ALLOW;
    return 0;
}

static void end_owner(owner **self)
{
    if (*self != NULL) {
        owner_end(*self);
        *self = NULL;
    }
}

static int tls_tear_down(void **state)
{
    end_owner(&p.client);
    end_owner(&p.server);
    tusk_net_free(t.net);
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    return smtp_tear_down(state);
}

/* The test's end as a connection of ours, which can do TLS. */
static owner *wrap(int *fd)
{
    owner *self = owner_new();
    assert_err(tusk_conn_init(&self->conn, t.net, *fd, NULL, &owner_ops), TUSK_OK);
    self->adopted = true;
    *fd = -1;
    return self;
}

static void send_owner(owner *self, const char *text)
{
    assert_err(tusk_conn_append(&self->conn, text, strlen(text)), TUSK_OK);
}

static void expect_owner(owner *self, const char *text)
{
    size_t len = strlen(text);
    rig_until(self->got_len >= len || self->closes > 0);
    assert_bytes_equal(tusk_bytes_of(self->got, self->got_len < len ? self->got_len : len),
                       tusk_bytes_str(text));
    memmove(self->got, self->got + len, self->got_len - len);
    self->got_len -= len;
}

static void secure(owner *self, tusk_tls *tls, const char *name)
{
    tusk_filter *filter;
    assert_err(tusk_tls_filter_new(&filter, tls, name), TUSK_OK);
    assert_err(tusk_conn_secure(&self->conn, filter), TUSK_OK);
}

/* As far as the answer to EHLO, in the clear. */
static void begin_clear(const char *answer)
{
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO client.example\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.client, answer);
}

static void a_client_that_starts_tls_begins_anew_with_the_same_backend(void **state)
{
    (void)state;
    begin_clear(tls_answer);
    p.client = wrap(&s.client);
    send_owner(p.client, "STARTTLS\r\n");
    expect_owner(p.client, "220 2.0.0 ready\r\n");
    secure(p.client, p.client_tls, "main.test");
    send_owner(p.client, "MAIL FROM:<a@b>\r\nEHLO client.example\r\n");
    expect_owner(p.client, "503 5.5.1 EHLO first\r\n");
    assert_err(p.client->ready, TUSK_OK);
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    expect_owner(p.client, HELLO_ANSWER);
    send_owner(p.client, "STARTTLS\r\nMAIL FROM:<a@b>\r\n");
    expect_owner(p.client, "502 5.5.1 TLS is not available\r\n");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\n");
    rig_send(s.backend, "250 ok\r\n");
    expect_owner(p.client, "250 ok\r\n");
    assert_int_equal(r.ask_count, 1);
}

/* EHLO in the clear, STARTTLS, EHLO again as before. */
static void hello_twice(const char *server_name)
{
    r.fields = 1u << TUSK_LOOKUP_DOMAIN | 1u << TUSK_LOOKUP_SERVER_NAME;
    begin_clear(tls_answer);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_DOMAIN], "client.example");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_SERVER_NAME], "-");
    p.client = wrap(&s.client);
    send_owner(p.client, "STARTTLS\r\n");
    expect_owner(p.client, "220 2.0.0 ready\r\n");
    secure(p.client, p.client_tls, server_name);
    send_owner(p.client, "EHLO client.example\r\n");
}

static void a_server_name_after_starttls_reaches_the_resolver(void **state)
{
    (void)state;
    hello_twice("Main.test");
    rig_expect(s.backend, "QUIT\r\n"); /* it was another question's */
    (void)close(s.backend);
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    expect_owner(p.client, HELLO_ANSWER);
    assert_int_equal(r.ask_count, 2);
    assert_string_equal(r.asked[1][TUSK_LOOKUP_DOMAIN], "client.example");
    assert_string_equal(r.asked[1][TUSK_LOOKUP_SERVER_NAME], "main.test");
    /* It is known now: the same name again is the same backend. */
    send_owner(p.client, "EHLO client.example\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    expect_owner(p.client, HELLO_ANSWER);
    assert_int_equal(r.ask_count, 2);
}

static void without_a_server_name_the_domain_is_the_key(void **state)
{
    (void)state;
    tusk_tls_unref(p.client_tls);
    char reason[200];
    assert_err(tusk_tls_client_new(&p.client_tls, &(tusk_tls_options){.verify_peer = false}, reason,
                                   sizeof(reason)),
               TUSK_OK);
    hello_twice(NULL);
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    expect_owner(p.client, HELLO_ANSWER);
    assert_int_equal(r.ask_count, 1);
    send_owner(p.client, "EHLO other.example\r\n");
    rig_until(r.ask_count == 2);
    assert_string_equal(r.asked[1][TUSK_LOOKUP_DOMAIN], "other.example");
    assert_string_equal(r.asked[1][TUSK_LOOKUP_SERVER_NAME], "-");
}

static void what_follows_starttls_in_the_clear_is_not_obeyed(void **state)
{
    (void)state;
    begin_clear(tls_answer);
    rig_send(s.client, "STARTTLS\r\nMAIL FROM:<injected@b>\r\n");
    rig_expect(s.client, "421 4.7.0 nothing may follow STARTTLS before its answer\r\n");
    rig_expect(s.backend, "QUIT\r\n");
    assert_int_equal(rig_stats().protocol_errors, 1);
}

/* What would be said now could not be read; and who is cut here may try it without TLS. */
static void who_shakes_hands_while_it_stops_is_told_so_inside_of_tls(void **state)
{
    (void)state;
    begin_clear(tls_answer);
    p.client = wrap(&s.client);
    send_owner(p.client, "STARTTLS\r\n");
    expect_owner(p.client, "220 2.0.0 ready\r\n");
    tusk_relay_stop(r.relay);
    rig_turn();
    secure(p.client, p.client_tls, "main.test");
    expect_owner(p.client, "421 4.3.2 closing\r\n");
    assert_err(p.client->ready, TUSK_OK);
    rig_expect(s.backend, "QUIT\r\n");
}

static void a_listener_that_requires_tls_takes_no_mail_and_no_password_before(void **state)
{
    (void)state;
    r.listen.downstream_tls = TUSK_TLS_REQUIRE;
    begin_clear("250-[127.0.0.1]\r\n250-PIPELINING\r\n250-SIZE 1000\r\n250-CHUNKING\r\n"
                "250-8BITMIME\r\n250 STARTTLS\r\n");
    rig_send(s.client, "AUTH PLAIN AGEAYg==\r\nMAIL FROM:<a@b>\r\nBDAT 3\r\nabcNOOP\r\n");
    rig_expect(s.client, "530 5.7.0 STARTTLS first\r\n530 5.7.0 STARTTLS first\r\n"
                         "530 5.7.0 STARTTLS first\r\n");
    rig_expect(s.backend, "NOOP\r\n");
}

static void tls_from_the_first_byte_is_greeted_inside(void **state)
{
    (void)state;
    r.listen.protocol = TUSK_PROTOCOL_TLS;
    rig_start();
    s.client = rig_client();
    p.client = wrap(&s.client);
    secure(p.client, p.client_tls, "main.test");
    expect_owner(p.client, "220 [127.0.0.1] ESMTP\r\n");
    send_owner(p.client, "QUIT\r\n");
    expect_owner(p.client, "221 2.0.0 bye\r\n");
}

/* ---- a balancer's word before the handshake ---- */
static void behind_a_balancer(void)
{
    static const char *const trusted[] = {"127.0.0.1"};
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.listen.proxy_protocol = true;
    r.listen.protocol = TUSK_PROTOCOL_TLS;
    r.fields = 1u << TUSK_LOOKUP_PEER;
    rig_start();
}

/* A handshake may not reach us as bytes of the head, however it is cut. */
static void a_proxy_head_before_the_handshake_names_the_client(void **state)
{
    static const char head[] = "PROXY TCP4 192.0.2.7 192.0.2.8 1000 465\r\n";
    (void)state;
    behind_a_balancer();
    s.client = rig_client();
    for (size_t i = 0; i < sizeof(head) - 1; i++) {
        rig_send_bytes(s.client, tusk_bytes_of(head + i, 1));
        rig_turn();
    }
    p.client = wrap(&s.client);
    secure(p.client, p.client_tls, "main.test");
    expect_owner(p.client, "220 [127.0.0.1] ESMTP\r\n");
    send_owner(p.client, "EHLO a\r\n");
    rig_until(r.ask_count == 1);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "192.0.2.7");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_DESTINATION], "192.0.2.8:465");
}

static void expect_end(int record, const char *end)
{
    rig_until(r.record_count == record + 1);
    assert_string_equal(r.records[record].end, end);
}

/* The same words in the record and the same counters as of one that comes without TLS. */
static void who_sends_no_proxy_head_before_the_handshake_is_cut(void **state)
{
    (void)state;
    r.options.limits.per_source = 1;
    behind_a_balancer();
    int client = rig_client();
    rig_send(client, "EHLO a\r\n");
    expect_end(0, "no PROXY head");
    (void)close(client);
    assert_int_equal(rig_stats().protocol_errors, 1);
    client = rig_client();
    rig_send(client, "PROXY TCP4 192.0.2.7 192.0.2.8 1000 465\r\n");
    int again = rig_client();
    rig_until(rig_stats().active == 2);
    rig_send(again, "PROXY TCP4 192.0.2.7 192.0.2.8 1001 465\r\n");
    expect_end(1, "over a limit");
    (void)close(again);
    assert_int_equal(rig_stats().refused_source, 1);
    rig_send(client, "no handshake, whatever it is\r\n");
    expect_end(2, "TLS failed");
    (void)close(client);
    assert_int_equal(rig_stats().protocol_errors, 2);
}

/* As a balancer's health check does, with its head or without. */
static void who_leaves_without_a_byte_of_tls_broke_no_rule(void **state)
{
    (void)state;
    behind_a_balancer();
    for (int i = 0; i < 3; i++) {
        int client = rig_client();
        if (i > 0) {
            rig_send(client, "PROXY TCP4 192.0.2.7 192.0.2.8 1000 465\r\n");
        }
        if (i == 2) {
            rig_send(client, "\x16\x03\x01");
        }
        (void)close(client);
        expect_end(i, i == 2 ? "TLS failed" : "client left");
        assert_int_equal(rig_stats().protocol_errors, i == 2 ? 1 : 0);
        assert_int_equal(rig_stats().resets_client, 0);
    }
}

/* Neither QUIT nor close_notify: as without TLS, an end is one and a reset the other. */
static void who_leaves_without_a_word_has_left_with_tls_or_without(void **state)
{
    static const char *const said[] = {"", "MAIL FR", "MAIL FROM:<a@b>\r\n"};
    (void)state;
    for (int i = 0; i < 12; i++) {
        bool secured = i % 2 == 1;
        bool resets = i >= 6;
        begin_clear(tls_answer);
        p.client = wrap(&s.client);
        if (secured) {
            send_owner(p.client, "STARTTLS\r\n");
            expect_owner(p.client, "220 2.0.0 ready\r\n");
            secure(p.client, p.client_tls, "main.test");
            send_owner(p.client, "EHLO client.example\r\n");
            rig_expect(s.backend, "EHLO client.example\r\n");
            rig_send(s.backend, HELLO_LINES);
            expect_owner(p.client, HELLO_ANSWER);
        }
        send_owner(p.client, said[i / 2 % 3]);
        if (i / 2 % 3 == 2) {
            rig_expect(s.backend, said[2]);
            rig_send(s.backend, "250 ok\r\n");
            expect_owner(p.client, "250 ok\r\n");
        }
        rig_turn();
        if (resets) {
            tusk__socket_will_reset(p.client->conn.io.fd);
        }
        tusk_conn_abort(&p.client->conn, TUSK_OK);
        expect_end(0, resets ? "client reset" : "client left");
        assert_int_equal(rig_stats().resets_client, resets ? 1 : 0);
        (void)tls_tear_down(state);
        (void)tls_set_up(state);
    }
}

static void begin_upstream(tusk_relay_tls wanted)
{
    r.listen.tls = NULL;
    r.route.upstream_tls = wanted;
    r.route.tls = p.client_tls;
    r.route.tls_name = tusk_bytes_str("main.test");
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO client.example\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
}

static void towards_a_backend_tls_begins_before_the_client_is_answered(void **state)
{
    (void)state;
    begin_upstream(TUSK_TLS_REQUIRE);
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.backend, "STARTTLS\r\n");
    p.server = wrap(&s.backend);
    send_owner(p.server, "220 go\r\n");
    tusk_conn_flush(&p.server->conn);
    secure(p.server, p.server_tls, NULL);
    expect_owner(p.server, "EHLO client.example\r\n");
    send_owner(p.server, "250-m\r\n250 PIPELINING\r\n");
    rig_expect(s.client, "250-[127.0.0.1]\r\n250 PIPELINING\r\n");
    rig_send(s.client, "MAIL FROM:<a@b>\r\n");
    expect_owner(p.server, "MAIL FROM:<a@b>\r\n");
}

static void a_backend_without_the_tls_that_a_route_requires_gets_no_mail(void **state)
{
    (void)state;
    begin_upstream(TUSK_TLS_REQUIRE);
    rig_send(s.backend, "250-m\r\n250 PIPELINING\r\n");
    rig_expect(s.client, "421 4.4.2 the mail server offers no TLS\r\n");
    rig_expect_eof(s.client);
}

/* Lines of its EHLO were gathered before: they are none of its refusal. */
static void a_backend_that_refuses_starttls_is_quoted(void **state)
{
    (void)state;
    begin_upstream(TUSK_TLS_ALLOW);
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.backend, "STARTTLS\r\n");
    rig_send(s.backend, "454-4.7.0 no TLS\r\n454 4.7.0 for now\r\n");
    rig_expect(s.client, "421-4.7.0 no TLS\r\n421 4.7.0 for now\r\n");
    rig_expect_eof(s.client);
}

/* What the proxy asked for is not the client's: a 5xx would be the end of its mail. */
static void a_backend_that_refuses_starttls_for_good_is_a_421(void **state)
{
    (void)state;
    begin_upstream(TUSK_TLS_REQUIRE);
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.backend, "STARTTLS\r\n");
    rig_send(s.backend, "502 5.5.1 not implemented\r\n");
    rig_expect(s.client, "421 5.5.1 not implemented\r\n");
    rig_expect_eof(s.client);
}

static void a_backend_that_refuses_starttls_is_left_for_another_one(void **state)
{
    (void)state;
    uint16_t port;
    int good = rig_listen(&port);
    r.targets[0].weight = 1000000;
    rig_target(port, 1);
    begin_upstream(TUSK_TLS_REQUIRE);
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.backend, "STARTTLS\r\n");
    rig_send(s.backend, "502 5.5.1 not implemented\r\n");
    rig_expect(s.backend, "QUIT\r\n");
    int second = rig_accept(good);
    rig_send(second, "220 ready\r\n");
    rig_expect(second, "EHLO client.example\r\n");
    close_fd(&second);
    close_fd(&good);
}

static void a_certificate_of_somebody_else_ends_it(void **state)
{
    (void)state;
    r.route.tls_name = tusk_bytes_str("other.test");
    begin_upstream(TUSK_TLS_ALLOW);
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.backend, "STARTTLS\r\n");
    p.server = wrap(&s.backend);
    send_owner(p.server, "220 go\r\n");
    tusk_tls *wrong;
    char reason[200];
    const tusk_tls_options options = {.certificate_file = in_dir("exact.crt"),
                                      .key_file = in_dir("exact.key")};
    assert_err(tusk_tls_server_new(&wrong, &options, reason, sizeof(reason)), TUSK_OK);
    secure(p.server, wrong, NULL);
    rig_expect(s.client, "421 4.4.2 no TLS with the mail server\r\n");
    tusk_tls_unref(wrong);
}

static void a_reply_behind_the_backends_220_is_not_taken_as_secure(void **state)
{
    (void)state;
    begin_upstream(TUSK_TLS_ALLOW);
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.backend, "STARTTLS\r\n");
    rig_send(s.backend, "220 go\r\n250 injected\r\n");
    rig_expect(s.client, "421 4.4.2 no TLS with the mail server\r\n");
}

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
#define TLS_TEST(name) cmocka_unit_test_setup_teardown(name, tls_set_up, tls_tear_down)
    const struct CMUnitTest tests[] = {
        TLS_TEST(a_client_that_starts_tls_begins_anew_with_the_same_backend),
        TLS_TEST(a_server_name_after_starttls_reaches_the_resolver),
        TLS_TEST(without_a_server_name_the_domain_is_the_key),
        TLS_TEST(what_follows_starttls_in_the_clear_is_not_obeyed),
        TLS_TEST(who_shakes_hands_while_it_stops_is_told_so_inside_of_tls),
        TLS_TEST(a_listener_that_requires_tls_takes_no_mail_and_no_password_before),
        TLS_TEST(tls_from_the_first_byte_is_greeted_inside),
        TLS_TEST(a_proxy_head_before_the_handshake_names_the_client),
        TLS_TEST(who_sends_no_proxy_head_before_the_handshake_is_cut),
        TLS_TEST(who_leaves_without_a_byte_of_tls_broke_no_rule),
        TLS_TEST(who_leaves_without_a_word_has_left_with_tls_or_without),
        TLS_TEST(towards_a_backend_tls_begins_before_the_client_is_answered),
        TLS_TEST(a_backend_without_the_tls_that_a_route_requires_gets_no_mail),
        TLS_TEST(a_backend_that_refuses_starttls_is_quoted),
        TLS_TEST(a_backend_that_refuses_starttls_for_good_is_a_421),
        TLS_TEST(a_backend_that_refuses_starttls_is_left_for_another_one),
        TLS_TEST(a_certificate_of_somebody_else_ends_it),
        TLS_TEST(a_reply_behind_the_backends_220_is_not_taken_as_secure),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
