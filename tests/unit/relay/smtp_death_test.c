/* SPDX-License-Identifier: MIT */
/* A backend that dies, in each phase of an SMTP session: the client hears one clear 4xx, in order,
 * and no other backend ever sees what this one was told. */
#define _GNU_SOURCE
#include "smtp_rig.h"

static void connected(void)
{
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO client.example\r\n");
    s.backend = rig_accept(s.listener);
    for (int i = 0; i < 3; i++) {
        rig_turn(); /* dialled: before that, it would be one that cannot be reached (421 4.4.1) */
    }
}

static void greeted(void)
{
    connected();
    rig_send(s.backend, "220-mail.example\r\n"); /* half of it */
}

static void at_ehlo(void)
{
    connected();
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
}

static void inside_its_answer_to_ehlo(void)
{
    at_ehlo();
    rig_send(s.backend, "250-mail.example\r\n250-PIPELINING\r\n");
}

static void at_xclient(void)
{
    at_ehlo();
    rig_send(s.backend, "250-mail.example\r\n250 XCLIENT ADDR\r\n");
    rig_expect(s.backend, "XCLIENT ADDR=127.0.0.1\r\n");
}

static void idle(void)
{
    begin();
}

static void at_mail(void)
{
    begin();
    rig_send(s.client, "MAIL FROM:<a@b>\r\n");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\n");
}

static void inside_a_group(void)
{
    begin();
    rig_send(s.client, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nRCPT TO:<e@f>\r\nDATA\r\n");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nRCPT TO:<e@f>\r\nDATA\r\n");
    rig_send(s.backend, "250 one\r\n250 two\r\n");
    rig_expect(s.client, "250 one\r\n250 two\r\n");
}

static void at_data(void)
{
    begin();
    exchange("MAIL FROM:<a@b>\r\n", "250 ok\r\n");
    exchange("RCPT TO:<c@d>\r\n", "250 ok\r\n");
    rig_send(s.client, "DATA\r\n");
    rig_expect(s.backend, "DATA\r\n");
}

static void after_the_dot(void)
{
    begin_message();
    rig_send(s.client, "all of it\r\n.\r\n");
    rig_expect(s.backend, "all of it\r\n.\r\n");
}

static void inside_its_answer_to_the_dot(void)
{
    after_the_dot();
    rig_send(s.backend, "250 2.0.0 ta"); /* no whole line: nobody may say that it was taken */
    rig_turn();
}

static void at_auth(void)
{
    begin();
    rig_send(s.client, "AUTH LOGIN\r\n");
    rig_expect(s.backend, "AUTH LOGIN\r\n");
}

static void inside_auth(void)
{
    begin();
    exchange("AUTH LOGIN\r\n", "334 VXNlcm5hbWU6\r\n");
}

static void at_the_last_chunk(void)
{
    begin();
    rig_send(s.client, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nBDAT 3\r\nabcBDAT 3 LAST\r\ndef");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nBDAT 3\r\nabcBDAT 3 LAST\r\ndef");
    rig_send(s.backend, "250 1\r\n250 2\r\n250 3\r\n");
    rig_expect(s.client, "250 1\r\n250 2\r\n250 3\r\n");
}

static void at_quit(void)
{
    begin();
    rig_send(s.client, "QUIT\r\n");
    rig_expect(s.backend, "QUIT\r\n");
}

typedef struct phase {
    const char *name;
    void (*reach)(void);
} phase;

/* Where the client listens: it is answered in the turn that sees the end. */
static const phase listening[] = {
    {"connected", connected},
    {"inside the greeting", greeted},
    {"at EHLO", at_ehlo},
    {"inside the answer to EHLO", inside_its_answer_to_ehlo},
    {"at XCLIENT", at_xclient},
    {"between commands", idle},
    {"at MAIL", at_mail},
    {"inside a pipelined group", inside_a_group},
    {"at DATA", at_data},
    {"after the dot", after_the_dot},
    {"inside the answer to the dot", inside_its_answer_to_the_dot},
    {"at AUTH", at_auth},
    {"inside AUTH", inside_auth},
    {"at the last chunk", at_the_last_chunk},
    {"at QUIT", at_quit},
};

static void die(bool reset)
{
    if (reset) {
        rig_reset(s.backend);
    } else {
        (void)close(s.backend);
    }
    s.backend = -1;
}

static void dies_in(const phase *which, bool reset)
{
    print_message("# %s, %s\n", which->name, reset ? "by a reset" : "in order");
    which->reach();
    die(reset);
    rig_expect(s.client, "421 4.4.2 the mail server is gone\r\n");
    rig_expect_eof(s.client);
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "backend reset");
    assert_int_equal(r.records[0].status, 421);
    assert_int_equal(rig_stats().resets_backend, 1);
    assert_int_equal(rig_stats().dials, 1); /* not to another one, and not again */
    assert_int_equal(accept(s.listener, NULL, NULL), -1);
}

static void a_client_that_listens_hears_421_at_once(void **state)
{
    for (size_t i = 0; i < sizeof(listening) / sizeof(listening[0]); i++) {
        for (int reset = 0; reset < 2; reset++) {
            dies_in(&listening[i], reset == 1);
            smtp_tear_down(state);
            smtp_set_up(state);
        }
    }
}

/* ---- in the middle of a message or a chunk: nobody listens until its end ---- */
static void inside_a_message(void)
{
    begin_message();
    rig_send(s.client, "half of it\r\n");
    rig_expect(s.backend, "half of it\r\n");
}

static void inside_the_dot(void)
{
    begin_message();
    rig_send(s.client, "all of it\r\n.\r");
    rig_expect(s.backend, "all of it\r\n");
    rig_turn();
}

static void inside_a_chunk(void)
{
    begin();
    rig_send(s.client, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nBDAT 8 LAST\r\n1234");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nBDAT 8 LAST\r\n1234");
    rig_send(s.backend, "250 1\r\n250 2\r\n");
    rig_expect(s.client, "250 1\r\n250 2\r\n");
}

static void dies_while_it_is_sent(const phase *which, const char *rest, bool reset)
{
    char byte;
    print_message("# %s, %s\n", which->name, reset ? "by a reset" : "in order");
    which->reach();
    die(reset);
    rig_until(rig_stats().resets_backend == 1);
    rig_turn();
    assert_int_equal(recv(s.client, &byte, 1, 0), -1); /* not before its end */
    rig_send(s.client, rest);
    rig_expect(s.client, "421 4.4.2 the mail server is gone; the message was not taken\r\n");
    rig_expect_eof(s.client);
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 421);
    assert_int_equal(rig_stats().dials, 1);
}

static void a_client_that_sends_hears_421_at_its_end(void **state)
{
    static const struct {
        phase which;
        const char *rest;
    } sending[] = {
        {{"inside a message", inside_a_message}, "the rest\r\n.\r\nQUIT\r\n"},
        {{"inside the dot", inside_the_dot}, "\n"},
        {{"inside a chunk", inside_a_chunk}, "5678NOOP\r\n"},
    };
    for (size_t i = 0; i < sizeof(sending) / sizeof(sending[0]); i++) {
        for (int reset = 0; reset < 2; reset++) {
            dies_while_it_is_sent(&sending[i].which, sending[i].rest, reset == 1);
            smtp_tear_down(state);
            smtp_set_up(state);
        }
    }
}

/* It is not gone by itself: the record says why it is. */
static void who_speaks_out_of_turn_inside_a_message_is_said_to_have(void **state)
{
    (void)state;
    inside_a_message();
    rig_send(s.backend, "250 taken before its end\r\n");
    rig_expect_eof(s.backend);
    rig_send(s.client, "the rest\r\n.\r\n");
    rig_expect(s.client, "421 4.4.2 the mail server is gone; the message was not taken\r\n");
    rig_expect_eof(s.client);
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "protocol error");
    assert_int_equal(r.records[0].status, 421);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        smtp_test(a_client_that_listens_hears_421_at_once),
        smtp_test(a_client_that_sends_hears_421_at_its_end),
        smtp_test(who_speaks_out_of_turn_inside_a_message_is_said_to_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
