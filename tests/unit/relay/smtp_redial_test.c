/* SPDX-License-Identifier: MIT */
/* SMTP: a backend that fails before it has answered the client's EHLO is left for another one. No
 * mail has begun, so none is lost or doubled. */
#define _GNU_SOURCE
#include "smtp_rig.h"

enum { SILENCE_MS = 400 };

static int good;

static int set_up(void **state)
{
    uint16_t port;
    (void)smtp_set_up(state);
    r.targets[0].weight = 1000000;
    good = rig_listen(&port);
    rig_target(port, 1);
    return 0;
}

static int tear_down(void **state)
{
    close_fd(&good);
    return smtp_tear_down(state);
}

/* Connected: before that, it would be one that cannot be reached. */
static void accept_from(int listener)
{
    s.backend = rig_accept(listener);
    for (int i = 0; i < 10; i++) {
        rig_turn();
    }
}

#define redial_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void greet_client(void)
{
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO client.example\r\n");
    accept_from(s.listener);
}

/* ---- ways to serve nobody ---- */
static void hangs_up(void)
{
}

static void resets(void)
{
    rig_reset(s.backend);
    s.backend = -1;
}

static void hangs_up_in_its_greeting(void)
{
    rig_send(s.backend, "220-mail.exa");
}

static void is_silent(void)
{
    rig_expect_eof(s.backend);
}

static void speaks_something_else(void)
{
    rig_send(s.backend, "SSH-2.0-OpenSSH_9.2\r\n");
    rig_expect_eof(s.backend);
}

static void says_421(void)
{
    rig_send(s.backend, "421-mail.example\r\n421 too busy\r\n");
    rig_expect(s.backend, "QUIT\r\n");
}

static void says_554(void)
{
    rig_send(s.backend, "554 no service here\r\n");
    rig_expect(s.backend, "QUIT\r\n");
}

static void hangs_up_at_ehlo(void)
{
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
}

static void hangs_up_inside_its_answer(void)
{
    hangs_up_at_ehlo();
    rig_send(s.backend, "250-mail.example\r\n250-PIPELINING\r\n");
}

static void hangs_up_at_xclient(void)
{
    hangs_up_at_ehlo();
    rig_send(s.backend, "250-mail.example\r\n250 XCLIENT ADDR\r\n");
    rig_expect(s.backend, "XCLIENT ADDR=127.0.0.1\r\n");
}

static const struct {
    const char *name;
    void (*serve)(void);
    const char *words;
    const char *end;
} faults[] = {
    {"hangs up", hangs_up, "421 4.4.2 the mail server is gone\r\n", "backend reset"},
    {"resets", resets, "421 4.4.2 the mail server is gone\r\n", "backend reset"},
    {"hangs up in its greeting", hangs_up_in_its_greeting, "421 4.4.2 the mail server is gone\r\n",
     "backend reset"},
    {"is silent", is_silent, "421 4.4.2 the mail server does not answer\r\n", "backend timed out"},
    {"speaks something else", speaks_something_else,
     "421 4.4.2 the mail server cannot be understood\r\n", "protocol error"},
    {"says 421", says_421, "421-mail.example\r\n421 too busy\r\n", "backend refused"},
    {"says 554", says_554, "421 no service here\r\n", "backend refused"},
    {"hangs up at EHLO", hangs_up_at_ehlo, "421 4.4.2 the mail server is gone\r\n",
     "backend reset"},
    {"hangs up inside its answer", hangs_up_inside_its_answer,
     "421 4.4.2 the mail server is gone\r\n", "backend reset"},
    {"hangs up at XCLIENT", hangs_up_at_xclient, "421 4.4.2 the mail server is gone\r\n",
     "backend reset"},
};
enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

static void serve_well(void)
{
    accept_from(good);
    rig_send(s.backend, "220-mail.example\r\n220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.client, HELLO_ANSWER);
}

static void a_backend_that_fails_before_it_serves_is_left_for_another_one(void **state)
{
    for (size_t i = 0; i < FAULTS; i++) {
        print_message("# one that %s\n", faults[i].name);
        r.options.limits.backend_first_ms = SILENCE_MS;
        r.options.limits.eject_failures = 1;
        greet_client();
        faults[i].serve();
        close_fd(&s.backend);
        serve_well();
        exchange("MAIL FROM:<a@b>\r\n", "250 2.1.0 ok\r\n");
        exchange("RCPT TO:<c@d>\r\n", "250 2.1.5 ok\r\n");
        exchange("DATA\r\n", "354 go\r\n");
        exchange("once\r\n.\r\n", "250 2.0.0 taken\r\n");
        rig_send(s.client, "QUIT\r\n");
        rig_expect(s.backend, "QUIT\r\n");
        rig_send(s.backend, "221 bye\r\n");
        rig_expect(s.client, "221 bye\r\n");
        close_fd(&s.backend);
        close_fd(&s.client);
        rig_until(r.record_count == 1);
        assert_string_equal(r.records[0].end, "done");
        assert_string_equal(r.records[0].target, r.address[1]);
        assert_int_equal(rig_stats().dials, 2);
        assert_int_equal(rig_stats().retries, 1);
        assert_int_equal(rig_stats().dial_failures, 1);
        assert_int_equal(tusk_relay_health(r.relay, r.targets[0].address), 0);
        assert_int_equal(tusk_relay_health(r.relay, r.targets[1].address), 1);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

static void when_all_fail_the_client_hears_of_the_last_one(void **state)
{
    for (size_t i = 0; i < FAULTS; i++) {
        print_message("# the last one %s\n", faults[i].name);
        r.options.limits.backend_first_ms = SILENCE_MS;
        greet_client();
        faults[(i + 1) % FAULTS].serve();
        close_fd(&s.backend);
        accept_from(good);
        faults[i].serve();
        close_fd(&s.backend);
        rig_expect(s.client, faults[i].words);
        rig_expect_eof(s.client);
        close_fd(&s.client);
        rig_until(r.record_count == 1);
        assert_string_equal(r.records[0].end, faults[i].end);
        assert_int_equal(r.records[0].status, 421);
        assert_int_equal(rig_stats().dial_failures, 2);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

/* Then, and only then, a mail comes back for good. */
static void a_554_of_all_is_a_554(void **state)
{
    (void)state;
    greet_client();
    rig_send(s.backend, "554-the first\r\n554 of two\r\n");
    close_fd(&s.backend);
    accept_from(good);
    rig_send(s.backend, "554-no service\r\n554 here\r\n");
    close_fd(&s.backend);
    rig_expect(s.client, "554-no service\r\n554 here\r\n");
    rig_send(s.client, "NOOP\r\n"); /* the session is there still, as after any 5xx to EHLO */
    char answer[5] = "";
    rig_until(recv(s.client, answer, 4, 0) == 4);
    assert_string_equal(answer, "250 ");
    /* And EHLO is asked anew, from the first target on. */
    rig_send(s.client, "EHLO client.example\r\n");
    rig_until(s.backend >= 0 || (s.backend = accept(s.listener, NULL, NULL)) >= 0);
}

static void a_refusal_behind_a_proxy_head_is_about_the_client(void **state)
{
    (void)state;
    r.route.proxy_version = 1;
    r.options.limits.eject_failures = 1;
    greet_client();
    rig_expect(s.backend, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    rig_send(s.backend, "554 you are on a list\r\n");
    close_fd(&s.backend);
    accept_from(good);
    rig_expect(s.backend, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    assert_int_not_equal(tusk_relay_health(r.relay, r.targets[0].address), 0);
    rig_send(s.backend, "554 you are on a list\r\n");
    rig_expect(s.client, "554 you are on a list\r\n");
    assert_int_equal(rig_stats().ejections, 0);
}

/* Its EHLO was answered: what it says from then on went to this one, and goes to nobody else. */
static void who_has_answered_ehlo_is_not_left(void **state)
{
    (void)state;
    greet_client();
    hangs_up_at_ehlo();
    rig_send(s.backend, "250 mail.example\r\n");
    rig_expect(s.client, "250 [127.0.0.1]\r\n");
    rig_send(s.client, "EHLO client.example\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    close_fd(&s.backend);
    rig_expect(s.client, "421 4.4.2 the mail server is gone\r\n");
    rig_expect_eof(s.client);
    assert_int_equal(rig_stats().dials, 1);
    assert_int_equal(accept(good, NULL, NULL), -1);
}

static void a_client_that_leaves_between_two_backends_is_one_record(void **state)
{
    (void)state;
    greet_client();
    close_fd(&s.backend);
    rig_reset(s.client);
    s.client = -1;
    rig_until(r.record_count == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        redial_test(a_backend_that_fails_before_it_serves_is_left_for_another_one),
        redial_test(when_all_fail_the_client_hears_of_the_last_one),
        redial_test(a_554_of_all_is_a_554),
        redial_test(a_refusal_behind_a_proxy_head_is_about_the_client),
        redial_test(who_has_answered_ehlo_is_not_left),
        redial_test(a_client_that_leaves_between_two_backends_is_one_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
