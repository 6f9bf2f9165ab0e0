/* SPDX-License-Identifier: MIT */
/* The SMTP proxy's limits and deadlines, its stop, and what is left when memory is not there. */
#define _GNU_SOURCE
#include "smtp_rig.h"
#include "still_clock.h"

static void lines_without_their_end_and_too_many_errors_are_421(void **state)
{
    (void)state;
    char line[2100];
    memset(line, 'x', sizeof(line));
    begin();
    rig_send(s.client, "NOOP\n");
    rig_expect(s.client, "421 4.5.2 lines end with CR LF\r\n");
    rig_expect_eof(s.client);
    smtp_tear_down(state);
    smtp_set_up(state);
    begin();
    assert_int_equal(send(s.client, line, sizeof(line), MSG_NOSIGNAL), (ssize_t)sizeof(line));
    rig_expect(s.client, "421 4.5.2 line too long\r\n");
    smtp_tear_down(state);
    smtp_set_up(state);
    begin();
    rig_send(s.client, "BDAT 5 LATE\r\nQUIT\r\n"); /* who knows how much of this is its chunk */
    rig_expect(s.client, "501 5.5.4 BDAT is followed by a size, and LAST or nothing\r\n");
    rig_expect_eof(s.client);
    smtp_tear_down(state);
    smtp_set_up(state);
    rig_start();
    connect_client();
    for (int i = 0; i < 20; i++) {
        rig_send(s.client, "WHAT\r\n");
        rig_expect(s.client, "500 5.5.2 unknown command\r\n");
    }
    rig_send(s.client, "WHAT\r\n");
    rig_expect(s.client, "421 4.7.0 too many errors\r\n");
}

static void a_slow_reader_on_either_side_bounds_what_is_held(void **state)
{
    (void)state;
    static char block[16384];
    begin_message();
    for (size_t i = 0; i < sizeof(block); i++) {
        block[i] = i % 64 == 62 ? '\r' : i % 64 == 63 ? '\n' : 'x';
    }
    size_t sent = 0;
    for (int quiet = 0; quiet < 200;) { /* until nothing is taken any more */
        ssize_t n = send(s.client, block + sent % 64, sizeof(block) - 64, MSG_NOSIGNAL);
        sent += n > 0 ? (size_t)n : 0;
        quiet = n > 0 ? 0 : quiet + 1;
        assert_err(tusk_loop_turn(r.loop, 0), TUSK_OK);
        assert_true(r.mem.live_bytes < 1 << 20);
    }
    size_t got = 0;
    char *byte = malloc(1 << 20);
    while (got < sent) {
        ssize_t n = recv(s.backend, byte, 1 << 20, 0);
        got += n > 0 ? (size_t)n : 0;
        rig_turn();
    }
    free(byte);
    assert_int_equal(got, sent);
}

/* A client whose window is small from the first packet on. */
static int narrow_client(void)
{
    struct sockaddr_in in = rig_loopback(tusk_relay_port(r.relay, 0));
    const int few = 8192;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    rig_unblock(fd);
    return fd;
}

enum { HELPS = 32, HELP_LINES = 30, HELP_LINE = 500 };

/* Answers are long, and its client asks on without reading them. */
static void a_client_that_reads_no_answers_holds_its_backend_up(void **state)
{
    static char reply[HELP_LINES * HELP_LINE + 1];
    (void)state;
    r.options.limits.pending_bytes = 4096;
    for (size_t i = 0; i < HELP_LINES; i++) {
        char *line = reply + i * HELP_LINE;
        memset(line, (int)('a' + i % 26), HELP_LINE);
        memcpy(line, i + 1 < HELP_LINES ? "214-" : "214 ", 4);
        memcpy(line + HELP_LINE - 2, "\r\n", 2);
    }
    rig_start();
    s.client = narrow_client();
    rig_expect(s.client, "220 [127.0.0.1] ESMTP\r\n");
    rig_send(s.client, "EHLO a\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 m\r\n");
    rig_expect(s.backend, "EHLO a\r\n");
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.client, HELLO_ANSWER);
    for (int i = 0; i < HELPS; i++) {
        rig_send(s.client, "HELP\r\n");
        rig_expect(s.backend, "HELP\r\n");
    }
    size_t put = 0;
    for (int quiet = 0; quiet < 200;) { /* until nothing is taken any more */
        size_t at = put % (sizeof(reply) - 1);
        size_t len = put < HELPS * (sizeof(reply) - 1) ? sizeof(reply) - 1 - at : 0;
        ssize_t n = len == 0 ? 0 : send(s.backend, reply + at, len, MSG_NOSIGNAL);
        put += n > 0 ? (size_t)n : 0;
        quiet = n > 0 ? 0 : quiet + 1;
        assert_err(tusk_loop_turn(r.loop, 0), TUSK_OK);
        assert_true(r.mem.live_bytes < 1 << 18);
    }
    for (size_t got = 0; got < HELPS * (sizeof(reply) - 1);) {
        char byte[65536];
        size_t at = got % (sizeof(reply) - 1);
        size_t len = sizeof(reply) - 1 - at;
        ssize_t n = recv(s.client, byte, len < sizeof(byte) ? len : sizeof(byte), 0);
        if (n > 0) {
            assert_memory_equal(byte, reply + at, (size_t)n);
            got += (size_t)n;
        }
        if (put < HELPS * (sizeof(reply) - 1)) {
            at = put % (sizeof(reply) - 1);
            n = send(s.backend, reply + at, sizeof(reply) - 1 - at, MSG_NOSIGNAL);
            put += n > 0 ? (size_t)n : 0;
        }
        rig_turn();
    }
    rig_send(s.client, "QUIT\r\n");
    rig_expect(s.backend, "QUIT\r\n");
}

static void each_deadline_says_which_it_was(void **state)
{
    (void)state;
    r.options.limits.first_ms = 30;
    rig_start();
    connect_client();
    rig_expect(s.client, "421 4.4.2 nothing was sent for too long\r\n");
    rig_until(rig_stats().first_timeouts == 1);
    smtp_tear_down(state);
    smtp_set_up(state);
    r.options.limits.idle_ms = 30;
    begin();
    rig_expect(s.client, "421 4.4.2 nothing was sent for too long\r\n");
    rig_expect(s.backend, "QUIT\r\n");
    assert_int_equal(rig_stats().idle_timeouts, 1);
    smtp_tear_down(state);
    smtp_set_up(state);
    r.options.limits.backend_first_ms = 30;
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a\r\n");
    s.backend = rig_accept(s.listener);
    rig_expect(s.client, "421 4.4.2 the mail server does not answer\r\n");
    assert_int_equal(rig_stats().backend_first_timeouts, 1);
    smtp_tear_down(state);
    smtp_set_up(state);
    r.options.limits.age_ms = 200;
    begin();
    rig_expect(s.client, "421 4.3.2 this session is over its age\r\n");
    assert_int_equal(rig_stats().aged, 1);
}

/* In steps that are no sleep of the proxy. */
static void pass_seconds(int seconds)
{
    for (int i = 0; i < seconds; i++) {
        still_pass_ms(1000);
        rig_turn();
    }
}

static void a_reply_has_the_backends_time_and_not_the_clients(void **state)
{
    (void)state;
    r.options.limits.idle_ms = 5000;
    begin();
    still_stop();
    rig_send(s.client, "MAIL FROM:<a@b>\r\n");
    rig_expect(s.backend, "MAIL FROM:<a@b>\r\n");
    pass_seconds(20);
    rig_send(s.backend, "250 2.1.0 ok\r\n");
    rig_expect(s.client, "250 2.1.0 ok\r\n");
    exchange("RCPT TO:<c@d>\r\n", "250 2.1.5 ok\r\n");
    exchange("DATA\r\n", "354 go\r\n");
    rig_send(s.client, "a\r\n.\r\n");
    rig_expect(s.backend, "a\r\n.\r\n");
    pass_seconds(20);
    rig_send(s.backend, "250 taken\r\n");
    rig_expect(s.client, "250 taken\r\n");
    assert_int_equal(rig_stats().backend_first_timeouts, 0);
    pass_seconds(10);
    rig_expect(s.client, "421 4.4.2 nothing was sent for too long\r\n");
    assert_int_equal(rig_stats().idle_timeouts, 1);
    still_end();
}

/* RFC 5321, 4.5.3.2.6: to give up sooner is how a mail comes twice. */
static void a_messages_end_has_ten_minutes_whatever_is_sent_behind_it(void **state)
{
    static const char *const ends[] = {"a\r\n.\r\n", "a\r\n.\r\nRSET\r\n",
                                       "a\r\n.\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        begin_message();
        still_stop();
        rig_send(s.client, ends[i]);
        rig_expect(s.backend, ends[i]);
        pass_seconds(590);
        rig_send(s.backend, "250 taken\r\n");
        rig_expect(s.client, "250 taken\r\n");
        pass_seconds(290);
        assert_int_equal(rig_stats().backend_first_timeouts, 0);
        pass_seconds(20);
        assert_int_equal(rig_stats().backend_first_timeouts, i == 0 ? 0 : 1);
        still_end();
        smtp_tear_down(state);
        smtp_set_up(state);
    }
}

/* Its mail would be there, and come again. */
static void no_session_is_too_old_for_the_answer_to_its_message(void **state)
{
    (void)state;
    r.options.limits.age_ms = 5000;
    begin_message();
    still_stop();
    rig_send(s.client, "a\r\n.\r\n");
    rig_expect(s.backend, "a\r\n.\r\n");
    pass_seconds(20);
    assert_int_equal(rig_stats().aged, 0);
    rig_send(s.backend, "250 taken\r\n");
    rig_expect(s.client, "250 taken\r\n421 4.3.2 this session is over its age\r\n");
    assert_int_equal(rig_stats().aged, 1);
    still_end();
}

static void a_chunk_that_is_being_sent_is_the_clients_time(void **state)
{
    (void)state;
    r.options.limits.idle_ms = 60000;
    r.options.limits.backend_first_ms = 5000;
    begin();
    still_stop();
    exchange("MAIL FROM:<a@b>\r\n", "250 2.1.0 ok\r\n");
    exchange("RCPT TO:<c@d>\r\n", "250 2.1.5 ok\r\n");
    rig_send(s.client, "BDAT 6 LAST\r\nab");
    rig_expect(s.backend, "BDAT 6 LAST\r\nab");
    rig_send(s.client, "c");
    rig_expect(s.backend, "c");
    pass_seconds(20);
    rig_send(s.client, "def");
    rig_expect(s.backend, "def");
    assert_int_equal(rig_stats().backend_first_timeouts, 0);
    pass_seconds(10);
    rig_expect(s.client, "421 4.4.2 the mail server does not answer\r\n");
    assert_int_equal(rig_stats().backend_first_timeouts, 1);
    still_end();
}

static void a_sleep_of_the_proxy_is_nobodys_silence(void **state)
{
    (void)state;
    r.options.limits.idle_ms = 3000;
    begin();
    still_stop();
    still_pass_ms(10000);
    rig_turn();
    rig_send(s.client, "NOOP\r\n");
    rig_expect(s.backend, "NOOP\r\n");
    still_end();
    assert_int_equal(rig_stats().idle_timeouts, 0);
}

static void a_stop_waits_for_a_message_and_not_for_idle_sessions(void **state)
{
    (void)state;
    begin_message();
    int idle = rig_client();
    rig_expect(idle, "220 [127.0.0.1] ESMTP\r\n");
    tusk_relay_stop(r.relay);
    rig_expect(idle, "421 4.3.2 closing\r\n");
    rig_expect_eof(idle);
    (void)close(idle);
    rig_send(s.client, "a\r\n.\r\n");
    rig_expect(s.backend, "a\r\n.\r\n");
    rig_send(s.backend, "250 taken\r\n");
    rig_expect(s.client, "250 taken\r\n421 4.3.2 closing\r\n");
    rig_expect_eof(s.client);
    close_fd(&s.client);
    close_fd(&s.backend);
    rig_until(r.stopped == 1);
}

/* To close before its reply would leave a client not knowing whether its mail was taken; it would
 * send it again (RFC 1047). */
static void a_stop_waits_for_the_reply_to_a_message(void **state)
{
    (void)state;
    begin_message();
    rig_send(s.client, "a\r\n.\r\n");
    rig_expect(s.backend, "a\r\n.\r\n");
    tusk_relay_stop(r.relay);
    for (int i = 0; i < 5; i++) {
        rig_turn();
    }
    rig_send(s.backend, "250 taken\r\n");
    rig_expect(s.client, "250 taken\r\n421 4.3.2 closing\r\n");
    rig_expect_eof(s.client);
    close_fd(&s.client);
    close_fd(&s.backend);
    rig_until(r.stopped == 1);
}

/* At that time it is between messages, too. */
static void who_is_answered_ehlo_while_it_stops_is_told_so_behind_the_answer(void **state)
{
    static const char *const ends[] = {HELLO_ANSWER, "550-5.7.1 not you\r\n550 for good\r\n"};
    for (int i = 0; i < 3; i++) {
        bool again = i == 2;
        if (again) {
            begin();
            exchange("MAIL FROM:<a@b>\r\n", "250 2.1.0 ok\r\n");
        } else {
            rig_start();
            connect_client();
        }
        rig_send(s.client, "EHLO Client.Example\r\n");
        if (!again) {
            s.backend = rig_accept(s.listener);
            rig_send(s.backend, "220 ready\r\n");
        }
        rig_expect(s.backend, "EHLO client.example\r\n");
        tusk_relay_stop(r.relay);
        rig_send(s.backend, i == 1 ? ends[1] : HELLO_LINES);
        rig_expect(s.client, ends[i % 2]);
        rig_expect(s.client, "421 4.3.2 closing\r\n");
        rig_expect_eof(s.client);
        close_fd(&s.client);
        close_fd(&s.backend);
        rig_until(r.stopped == 1);
        smtp_tear_down(state);
        smtp_set_up(state);
    }
}

static void one_over_a_limit_is_told_so(void **state)
{
    (void)state;
    r.options.limits.per_source = 1;
    rig_start();
    connect_client();
    int other = rig_client();
    rig_expect(other, "421 4.7.0 too many connections\r\n");
    (void)close(other);
}

static void a_trusted_balancer_tells_who_the_client_is(void **state)
{
    (void)state;
    static const char *const trusted[] = {"127.0.0.1"};
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.listen.proxy_protocol = true;
    rig_start();
    s.client = rig_client();
    rig_send(s.client, "PROXY TCP4 192.0.2.7 192.0.2.8 1000 25\r\n");
    rig_expect(s.client, "220 [127.0.0.1] ESMTP\r\n");
    rig_send(s.client, "EHLO a\r\n");
    s.backend = rig_accept(s.listener);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "192.0.2.7");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_DESTINATION], "192.0.2.8:25");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_AUTHORITY], "-");
    static const char binary[] = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x18\xc0\0\x02\x09\xc0\0\x02\x08"
                                 "\x10\0\0\x19\x02\0\x09mx.b.test";
    int named = rig_client();
    assert_int_equal(send(named, binary, sizeof(binary) - 1, MSG_NOSIGNAL), sizeof(binary) - 1);
    rig_expect(named, "220 [127.0.0.1] ESMTP\r\n");
    rig_send(named, "EHLO b\r\n");
    rig_until(r.ask_count == 2);
    assert_string_equal(r.asked[1][TUSK_LOOKUP_AUTHORITY], "mx.b.test");
    assert_string_equal(r.asked[1][TUSK_LOOKUP_PEER], "192.0.2.9");
    (void)close(named);
    int other = rig_client();
    rig_send(other, "EHLO a\r\n");
    rig_expect_eof(other);
    (void)close(other);
}

/* The balancer's address is one for all; whom it names is counted. */
static void clients_behind_a_balancer_have_limits_of_their_own(void **state)
{
    (void)state;
    static const char *const trusted[] = {"127.0.0.1"};
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.options.limits.per_source = 1;
    r.listen.proxy_protocol = true;
    rig_start();
    int first = rig_client();
    rig_send(first, "PROXY TCP4 192.0.2.7 192.0.2.8 1000 25\r\n");
    rig_expect(first, "220 [127.0.0.1] ESMTP\r\n");
    int again = rig_client();
    rig_send(again, "PROXY TCP4 192.0.2.7 192.0.2.8 1001 25\r\nEHLO a\r\n");
    rig_expect(again, "421 4.7.0 too many connections\r\n");
    rig_expect_eof(again);
    (void)close(again);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "over a limit");
    assert_int_equal(r.records[0].status, 421);
    assert_int_equal(rig_stats().refused_source, 1);
    assert_int_equal(r.ask_count, 0);
    int other = rig_client();
    rig_send(other, "PROXY TCP4 192.0.2.9 192.0.2.8 1002 25\r\n");
    rig_expect(other, "220 [127.0.0.1] ESMTP\r\n");
    (void)close(other);
    (void)close(first); /* and its place is free again */
    rig_until(rig_stats().active == 0);
    int last = rig_client();
    rig_send(last, "PROXY TCP4 192.0.2.7 192.0.2.8 1003 25\r\n");
    rig_expect(last, "220 [127.0.0.1] ESMTP\r\n");
    (void)close(last);
}

/* Each failing allocation costs its session at most, and nothing stays behind. */
static void out_of_memory_costs_its_session_at_most(void **state)
{
    (void)state;
    for (size_t n = 1; n < 60; n++) {
        rig_start();
        r.mem.fail_at = r.mem.requests + n;
        s.client = rig_client();
        rig_send(s.client, "EHLO a\r\nMAIL FROM:<a@b>\r\nDATA\r\n");
        char text[512];
        bool over = false;
        bool backend_over = false;
        uint64_t end = tusk_loop_clock_ns() + UINT64_C(10000000000);
        int steps = 0;
        while (!over) {
            assert_true(tusk_loop_clock_ns() < end);
            rig_turn();
            if (s.backend < 0) {
                s.backend = accept(s.listener, NULL, NULL);
                if (s.backend >= 0) {
                    rig_unblock(s.backend);
                    rig_send(s.backend, "220 a\r\n");
                }
            }
            ssize_t got =
                s.backend < 0 || backend_over ? -1 : recv(s.backend, text, sizeof(text), 0);
            backend_over =
                backend_over || got == 0 || (got < 0 && s.backend >= 0 && errno != EAGAIN);
            if (got > 0) {
                static const char *const answers[] = {"250-a\r\n250 DSN\r\n", "250 b\r\n",
                                                      "421 c\r\n", "", ""};
                const char *answer = answers[steps < 4 ? steps++ : 4];
                (void)send(s.backend, answer, strlen(answer), MSG_NOSIGNAL);
            }
            got = recv(s.client, text, sizeof(text), 0);
            over = got == 0 || (got < 0 && errno != EAGAIN);
        }
        close_fd(&s.client);
        close_fd(&s.backend);
        smtp_tear_down(state);
        smtp_set_up(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        smtp_test(lines_without_their_end_and_too_many_errors_are_421),
        smtp_test(a_slow_reader_on_either_side_bounds_what_is_held),
        smtp_test(a_client_that_reads_no_answers_holds_its_backend_up),
        smtp_test(each_deadline_says_which_it_was),
        smtp_test(a_reply_has_the_backends_time_and_not_the_clients),
        smtp_test(a_messages_end_has_ten_minutes_whatever_is_sent_behind_it),
        smtp_test(no_session_is_too_old_for_the_answer_to_its_message),
        smtp_test(a_chunk_that_is_being_sent_is_the_clients_time),
        smtp_test(a_sleep_of_the_proxy_is_nobodys_silence),
        smtp_test(a_stop_waits_for_a_message_and_not_for_idle_sessions),
        smtp_test(a_stop_waits_for_the_reply_to_a_message),
        smtp_test(who_is_answered_ehlo_while_it_stops_is_told_so_behind_the_answer),
        smtp_test(one_over_a_limit_is_told_so),
        smtp_test(a_trusted_balancer_tells_who_the_client_is),
        smtp_test(clients_behind_a_balancer_have_limits_of_their_own),
        smtp_test(out_of_memory_costs_its_session_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
