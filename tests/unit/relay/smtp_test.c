/* SPDX-License-Identifier: MIT */
/* The SMTP proxy between a client and backends that the test plays by hand: routes by EHLO, keeps
 * order, ends messages where they end, and loses or doubles no mail when a backend dies. */
#define _GNU_SOURCE
#include "smtp_rig.h"

static void the_domain_of_ehlo_is_asked_for_and_extensions_are_filtered(void **state)
{
    (void)state;
    begin();
    assert_int_equal(r.ask_count, 1);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_DOMAIN], "client.example");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "127.0.0.1");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_SERVER_NAME], "-");
    exchange("QUIT\r\n", "221 2.0.0 bye\r\n");
    rig_expect_eof(s.client);
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "done");
    assert_string_equal(r.records[0].target, r.address[0]);
    assert_int_equal(r.records[0].up, 6);
}

static void a_message_passes_as_it_is(void **state)
{
    (void)state;
    begin_message();
    static const char text[] = "Subject: x\r\n\r\n..dot\r\n. \r\n.\r\n";
    exchange(text, "250 2.0.0 queued\r\n");
    exchange("RSET\r\n", "250 ok\r\n");
}

static void every_cut_of_a_dialogue_gives_the_same(void **state)
{
    (void)state;
    static const char dialogue[] = "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n";
    static const char message[] = "a\r\n.b\r\n.\r\n";
    begin();
    for (size_t step = 1; step <= 3; step++) {
        for (size_t at = 0; at < sizeof(dialogue) - 1; at += step) {
            size_t len = sizeof(dialogue) - 1 - at < step ? sizeof(dialogue) - 1 - at : step;
            assert_int_equal(send(s.client, dialogue + at, len, MSG_NOSIGNAL), (ssize_t)len);
            rig_turn();
        }
        rig_expect(s.backend, dialogue);
        for (const char *at = "250-a\r\n250 b\r\n250 c\r\n354 d\r\n"; *at != '\0'; at++) {
            assert_int_equal(send(s.backend, at, 1, MSG_NOSIGNAL), 1);
            rig_turn();
        }
        rig_expect(s.client, "250-a\r\n250 b\r\n250 c\r\n354 d\r\n");
        for (size_t at = 0; at < sizeof(message) - 1; at++) {
            assert_int_equal(send(s.client, message + at, 1, MSG_NOSIGNAL), 1);
            rig_turn();
        }
        rig_expect(s.backend, message);
        rig_send(s.backend, "250 taken\r\n");
        rig_expect(s.client, "250 taken\r\n");
    }
}

static void pipelined_commands_keep_their_order_around_those_answered_here(void **state)
{
    (void)state;
    begin();
    rig_send(s.client, "MAIL FROM:<a@b>\r\nXCLIENT ADDR=10.0.0.1\r\nRCPT TO:<c@d>\r\nNOOP\r\n");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\n");
    rig_send(s.backend, "250-one\r\n250 one\r\n");
    rig_expect(s.client, "250-one\r\n250 one\r\n550 5.7.0 not for clients\r\n");
    rig_expect(s.backend, "RCPT TO:<c@d>\r\nNOOP\r\n");
    rig_send(s.backend, "250 two\r\n250 three\r\n");
    rig_expect(s.client, "250 two\r\n250 three\r\n");
}

/* A hundred (docs/internals/relay-smtp.md); each reply lets one more through. */
static void so_many_replies_are_owed_and_then_commands_wait(void **state)
{
    enum { OWED = 100, MORE = 3 };
    char byte;
    (void)state;
    begin();
    for (int i = 0; i < OWED + MORE; i++) {
        rig_send(s.client, "NOOP\r\n");
    }
    for (int i = 0; i < OWED; i++) {
        rig_expect(s.backend, "NOOP\r\n");
    }
    for (int i = 0; i < MORE; i++) {
        rig_turn();
        assert_int_equal(recv(s.backend, &byte, 1, 0), -1);
        rig_send(s.backend, "250 ok\r\n");
        rig_expect(s.client, "250 ok\r\n");
        rig_expect(s.backend, "NOOP\r\n");
    }
}

/* What it does to the dialogue is not known: its reply may say that what follows is no command. */
static void an_unknown_command_is_answered_before_the_next_one_goes_on(void **state)
{
    char byte;
    (void)state;
    begin();
    rig_send(s.client, "XTURN x\r\nNOOP\r\n");
    rig_expect(s.backend, "XTURN x\r\n");
    for (int i = 0; i < 5; i++) {
        rig_turn();
    }
    assert_int_equal(recv(s.backend, &byte, 1, 0), -1);
    rig_send(s.backend, "250 turned\r\n");
    rig_expect(s.client, "250 turned\r\n");
    rig_expect(s.backend, "NOOP\r\n");
}

/* A client that has said all hears the answers to all. */
static void who_has_ended_its_half_is_answered_first(void **state)
{
    (void)state;
    begin();
    rig_send(s.client, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n");
    assert_int_equal(shutdown(s.client, SHUT_WR), 0);
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n");
    for (int i = 0; i < 5; i++) {
        rig_turn();
    }
    rig_send(s.backend, "250 one\r\n250 two\r\n");
    rig_expect(s.client, "250 one\r\n250 two\r\n");
    rig_expect_eof(s.client);
}

/* A refusal is of one name: who is served under another one was not refused. */
static void who_is_served_after_a_refusal_was_served(void **state)
{
    (void)state;
    r.refusal = (tusk_relay_refusal){.status = 404, .reason = tusk_bytes_str("no such tenant")};
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO nobody.test\r\n");
    rig_expect(s.client, "550 5.1.2 no such tenant\r\n");
    r.refusal.status = 0;
    rig_send(s.client, "EHLO client.example\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, "250 mail.example\r\n");
    rig_expect(s.client, "250 [127.0.0.1]\r\n");
    exchange("QUIT\r\n", "221 bye\r\n");
    rig_expect_eof(s.client);
    close_fd(&s.client);
    close_fd(&s.backend);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 0);
    assert_string_equal(r.records[0].end, "done");
}

static void a_backend_without_pipelining_gets_one_command_at_a_time(void **state)
{
    (void)state;
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO a\r\n");
    rig_send(s.backend, "250 mail.example\r\n");
    rig_expect(s.client, "250 [127.0.0.1]\r\n");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\n");
    for (int i = 0; i < 5; i++) {
        rig_turn();
    }
    char byte;
    assert_int_equal(recv(s.backend, &byte, 1, 0), -1);
    rig_send(s.backend, "250 one\r\n");
    rig_expect(s.backend, "RCPT TO:<c@d>\r\n");
    rig_send(s.backend, "250 two\r\n");
    rig_expect(s.client, "250 one\r\n250 two\r\n");
}

static void a_bare_line_feed_ends_no_message_and_reaches_no_backend(void **state)
{
    (void)state;
    static const char *const smuggled[] = {"a\n.\nMAIL FROM:<x@y>\r\n",
                                           "a\n.\r\nMAIL FROM:<x@y>\r\n",
                                           "a\r.\r\nMAIL FROM:<x@y>\r\n", "a\r\n.\nRSET\r\n"};
    for (size_t i = 0; i < sizeof(smuggled) / sizeof(smuggled[0]); i++) {
        begin_message();
        rig_send(s.client, "good\r\n");
        rig_expect(s.backend, "good\r\n");
        rig_send(s.client, smuggled[i]);
        rig_expect_eof(s.backend); /* without an end: the message is not taken */
        rig_send(s.client, "rest\r\n.\r\n");
        rig_expect(s.client, "550 5.6.0 a bare CR or LF in the message; lines end with CR LF\r\n");
        rig_expect_eof(s.client);
        close_fd(&s.client);
        close_fd(&s.backend);
        rig_until(r.record_count == 1);
        assert_string_equal(r.records[0].end, "bare CR or LF");
        assert_int_equal(rig_stats().protocol_errors, 1);
        smtp_tear_down(state);
        smtp_set_up(state);
    }
}

static void a_backend_that_dies_leaves_a_clear_4xx(void **state)
{
    (void)state;
    begin_message();
    rig_send(s.client, "half of it\r\n");
    rig_expect(s.backend, "half of it\r\n");
    close_fd(&s.backend);
    rig_until(rig_stats().resets_backend == 1);
    rig_expect_resets(1);
    rig_send(s.client, "the rest\r\n.\r\nNOOP\r\n");
    rig_expect(s.client, "421 4.4.2 the mail server is gone; the message was not taken\r\n");
    rig_expect_eof(s.client);
    smtp_tear_down(state);
    smtp_set_up(state);
    begin_message();
    rig_send(s.client, "all\r\n.\r\n");
    rig_expect(s.backend, "all\r\n.\r\n");
    rig_reset(s.backend); /* nobody knows whether it was taken: it is not sent to another one */
    s.backend = -1;
    rig_expect(s.client, "421 4.4.2 the mail server is gone\r\n");
    rig_expect_eof(s.client);
    assert_int_equal(r.ask_count, 1);
    assert_int_equal(accept(s.listener, NULL, NULL), -1);
    smtp_tear_down(state);
    smtp_set_up(state);
    begin();
    rig_send(s.client, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n");
    rig_send(s.backend, "250 one\r\n");
    rig_expect(s.client, "250 one\r\n");
    close_fd(&s.backend);
    rig_expect(s.client, "421 4.4.2 the mail server is gone\r\n");
    rig_expect_eof(s.client);
}

static void a_message_refused_before_its_end_is_answered_at_its_end(void **state)
{
    (void)state;
    begin_message();
    rig_send(s.client, "half of it\r\n");
    rig_expect(s.backend, "half of it\r\n");
    rig_send(s.backend, "552-5.3.4 too\r\n552 5.3.4 big\r\n");
    rig_expect_eof(s.backend);
    rig_send(s.client, "the rest\r\n");
    char byte;
    assert_int_equal(recv(s.client, &byte, 1, 0), -1);
    rig_send(s.client, ".\r\n");
    rig_expect(s.client, "552-5.3.4 too\r\n552 5.3.4 big\r\n");
    rig_expect_eof(s.client);
    smtp_tear_down(state);
    smtp_set_up(state);
    begin_message();
    rig_send(s.backend, "552-5.3.4 too\r\n"); /* and no more of it */
    close_fd(&s.backend);
    rig_until(rig_stats().resets_backend == 1);
    rig_send(s.client, ".\r\n");
    rig_expect(s.client, "421 4.4.2 the mail server is gone; the message was not taken\r\n");
}

static void a_client_that_leaves_in_its_message_has_sent_none(void **state)
{
    (void)state;
    begin_message();
    rig_send(s.client, "half\r\n");
    rig_expect(s.backend, "half\r\n");
    close_fd(&s.client);
    rig_expect_eof(s.backend);
    rig_until(r.record_count == 1);
}

static void a_client_that_ends_its_half_is_answered_first(void **state)
{
    (void)state;
    begin();
    rig_send(s.client, "NOOP\r\nQUIT\r\n");
    assert_int_equal(shutdown(s.client, SHUT_WR), 0);
    rig_expect(s.backend, "NOOP\r\nQUIT\r\n");
    rig_send(s.backend, "250 ok\r\n221 bye\r\n");
    rig_expect(s.client, "250 ok\r\n221 bye\r\n");
    rig_expect_eof(s.client);
}

static void another_ehlo_stays_where_it_is_and_another_name_goes_elsewhere(void **state)
{
    (void)state;
    begin();
    exchange("MAIL FROM:<a@b>\r\n", "250 ok\r\n");
    rig_send(s.client, "EHLO client.example\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.client, HELLO_ANSWER);
    assert_int_equal(r.ask_count, 1);
    rig_send(s.client, "EHLO other.example\r\n");
    rig_expect(s.backend, "QUIT\r\n");
    rig_expect_eof(s.backend);
    close_fd(&s.backend);
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO other.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.client, HELLO_ANSWER);
    assert_int_equal(r.ask_count, 2);
    assert_int_equal(r.records[0].status, 0);
}

/* RFC 2033, 4.2: a message has a reply for each of its recipients. */
static void lmtp_is_refused_before_and_after_ehlo(void **state)
{
    (void)state;
    begin();
    rig_send(s.client, "LHLO client.example\r\n");
    rig_expect(s.client, "500 5.5.1 LMTP is not spoken here\r\n");
    exchange("NOOP\r\n", "250 still there\r\n");
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_int_equal(r.ask_count, 1);
}

static void before_ehlo_and_after_a_refusal_commands_are_answered_here(void **state)
{
    (void)state;
    r.refusal = (tusk_relay_refusal){.status = 404, .reason = tusk_bytes_str("no such customer")};
    rig_start();
    connect_client();
    rig_send(s.client, "NOOP\r\nMAIL FROM:<a@b>\r\nWHAT\r\nLHLO a\r\nBDAT 4\r\nQUIT"
                       "HELP\r\nEHLO 1.2.3.4.5\r\nEHLO a\r\nRSET\r\nSTARTTLS\r\nQUIT\r\n");
    rig_expect(s.client, "250 2.0.0 ok\r\n503 5.5.1 EHLO first\r\n500 5.5.2 unknown command\r\n"
                         "500 5.5.1 LMTP is not spoken here\r\n"
                         "503 5.5.1 EHLO first, and only where CHUNKING is offered\r\n"
                         "214 2.0.0 EHLO HELO MAIL RCPT DATA QUIT\r\n"
                         "501 5.5.4 a host name or an address is wanted\r\n"
                         "550 5.1.2 no such customer\r\n250 2.0.0 ok\r\n"
                         "502 5.5.1 TLS is not available\r\n221 2.0.0 bye\r\n");
    rig_expect_eof(s.client);
    (void)close(s.client);
    s.client = -1;
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 404); /* whatever was said at the end */
    assert_string_equal(r.records[0].end, "refused");
}

static void who_leaves_after_a_refusal_was_refused(void **state)
{
    (void)state;
    r.refusal = (tusk_relay_refusal){.status = 403, .reason = tusk_bytes_str("no")};
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a\r\n");
    rig_expect(s.client, "550 5.7.1 no\r\n");
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 403);
    assert_string_equal(r.records[0].end, "refused");
}

static void a_refusal_that_may_pass_is_421(void **state)
{
    (void)state;
    r.refusal = (tusk_relay_refusal){.status = 503, .reason = tusk_bytes_str("try later")};
    rig_start();
    connect_client();
    rig_send(s.client, "HELO a\r\n");
    rig_expect(s.client, "421 4.4.1 try later\r\n");
    rig_expect_eof(s.client);
    smtp_tear_down(NULL);
    smtp_set_up(NULL);
    r.target_count = 0;
    rig_target(rig_dead_port(), 1);
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a\r\n");
    char answer[5] = "";
    rig_until(recv(s.client, answer, 4, 0) == 4);
    assert_string_equal(answer, "421 ");
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 502);
    assert_string_equal(r.records[0].end, "the backend refuses connections");
    smtp_tear_down(NULL);
    smtp_set_up(NULL);
    r.targets[0] =
        (tusk_relay_target){.address = tusk_bytes_str("unix:/nowhere/at/all"), .weight = 1};
    r.target_count = 1;
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a\r\n");
    rig_expect(s.client, "421 4.4.1 the backend's socket does not exist\r\n");
    rig_expect_eof(s.client);
}

static void auth_passes_through_line_by_line(void **state)
{
    (void)state;
    begin();
    exchange("AUTH LOGIN\r\n", "334 VXNlcm5hbWU6\r\n");
    exchange("QUIT\r\n", "334 UGFzc3dvcmQ6\r\n"); /* an answer, whatever it looks like */
    exchange("c2VjcmV0\r\n", "235 2.7.0 in\r\n");
    exchange("AUTH PLAIN AGEAYg==\r\n", "503 5.5.1 twice\r\n");
    exchange("NOOP\r\n", "250 ok\r\n");
}

static void chunks_are_bytes_whatever_they_look_like(void **state)
{
    (void)state;
    begin();
    rig_send(
        s.client,
        "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nBDAT 9\r\n\n.\r\nQUIT\nBDAT 3 LAST\r\nabcNOOP\r\n");
    rig_expect(
        s.backend,
        "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nBDAT 9\r\n\n.\r\nQUIT\nBDAT 3 LAST\r\nabcNOOP\r\n");
    rig_send(s.backend, "250 1\r\n250 2\r\n250 3\r\n250 4\r\n250 5\r\n");
    rig_expect(s.client, "250 1\r\n250 2\r\n250 3\r\n250 4\r\n250 5\r\n");
    rig_send(s.client, "BDAT 10 LAST\r\n12345");
    rig_expect(s.backend, "BDAT 10 LAST\r\n12345");
    close_fd(&s.backend);
    rig_until(rig_stats().resets_backend == 1);
    rig_send(s.client, "67890NOOP\r\n");
    rig_expect(s.client, "421 4.4.2 the mail server is gone; the message was not taken\r\n");
}

static void replies_that_nothing_led_to_end_the_session(void **state)
{
    (void)state;
    static const char *const replies[] = {"354 go\r\n", "334 go\r\n", "hello\r\n",
                                          "250-a\r\n251 b\r\n", "250 a\n"};
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        begin();
        rig_send(s.client, "NOOP\r\n");
        rig_expect(s.backend, "NOOP\r\n");
        rig_send(s.backend, replies[i]);
        if (i == 3) {
            rig_expect(s.client, "250-a\r\n");
        }
        rig_expect(s.client, "421 4.4.2 the mail server ");
        close_fd(&s.client);
        smtp_tear_down(state);
        smtp_set_up(state);
    }
    begin();
    rig_send(s.backend, "250 unasked\r\n");
    rig_expect(s.client, "421 4.4.2 the mail server spoke out of turn\r\n");
    smtp_tear_down(state);
    smtp_set_up(state);
    begin();
    rig_send(s.backend, "421 4.3.2 closing\r\n");
    rig_expect(s.client, "421 4.3.2 closing\r\n");
    rig_expect_eof(s.client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        smtp_test(the_domain_of_ehlo_is_asked_for_and_extensions_are_filtered),
        smtp_test(a_message_passes_as_it_is),
        smtp_test(every_cut_of_a_dialogue_gives_the_same),
        smtp_test(pipelined_commands_keep_their_order_around_those_answered_here),
        smtp_test(so_many_replies_are_owed_and_then_commands_wait),
        smtp_test(a_backend_without_pipelining_gets_one_command_at_a_time),
        smtp_test(an_unknown_command_is_answered_before_the_next_one_goes_on),
        smtp_test(who_has_ended_its_half_is_answered_first),
        smtp_test(who_is_served_after_a_refusal_was_served),
        smtp_test(a_bare_line_feed_ends_no_message_and_reaches_no_backend),
        smtp_test(a_backend_that_dies_leaves_a_clear_4xx),
        smtp_test(a_message_refused_before_its_end_is_answered_at_its_end),
        smtp_test(a_client_that_leaves_in_its_message_has_sent_none),
        smtp_test(a_client_that_ends_its_half_is_answered_first),
        smtp_test(another_ehlo_stays_where_it_is_and_another_name_goes_elsewhere),
        smtp_test(lmtp_is_refused_before_and_after_ehlo),
        smtp_test(before_ehlo_and_after_a_refusal_commands_are_answered_here),
        smtp_test(who_leaves_after_a_refusal_was_refused),
        smtp_test(a_refusal_that_may_pass_is_421),
        smtp_test(auth_passes_through_line_by_line),
        smtp_test(chunks_are_bytes_whatever_they_look_like),
        smtp_test(replies_that_nothing_led_to_end_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
