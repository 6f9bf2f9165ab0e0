/* SPDX-License-Identifier: MIT */
/* What the SMTP proxy and a backend say to each other before the client's first command: EHLO,
 * what a backend refuses of it, and XCLIENT. */
#define _GNU_SOURCE
#include "smtp_rig.h"

#include <sys/un.h>

static void what_a_backend_says_of_ehlo_is_told(void **state)
{
    (void)state;
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "554-no service here\r\n554-\r\n554 see https://mail.example/why\r\n");
    rig_expect(s.client, "554-no service here\r\n554-\r\n554 see https://mail.example/why\r\n");
    rig_expect(s.backend, "QUIT\r\n");
    close_fd(&s.backend);
    rig_send(s.client, "HELO a\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO a\r\n");
    rig_send(s.backend, "502 what\r\n");
    rig_expect(s.backend, "HELO a\r\n");
    rig_send(s.backend, "250 mail.example\r\n");
    rig_expect(s.client, "250 [127.0.0.1]\r\n");
    exchange("NOOP\r\n", "250 ok\r\n");
}

/* Past its greeting: it is well, and this client is not welcome. */
static void an_ehlo_that_a_backend_refuses_is_refused_in_its_words(void **state)
{
    (void)state;
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO bad.example\r\nNOOP\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO bad.example\r\n");
    rig_send(s.backend, "550-5.7.1 you are\r\n550 5.7.1 on a list\r\n");
    rig_expect(s.client, "550-5.7.1 you are\r\n550 5.7.1 on a list\r\n250 2.0.0 ok\r\n");
    rig_expect(s.backend, "QUIT\r\n");
    close_fd(&s.backend);
    assert_int_equal(rig_stats().retries, 0);
    rig_send(s.client, "EHLO good.example\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO good.example\r\n");
    rig_send(s.backend, "450-4.7.1 not\r\n450 4.7.1 now\r\n");
    rig_expect(s.client, "421-4.7.1 not\r\n421 4.7.1 now\r\n");
    rig_expect_eof(s.client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "backend refused");
}

static void a_refused_ehlo_is_in_the_record_of_who_leaves(void **state)
{
    (void)state;
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO bad.example\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO bad.example\r\n");
    rig_send(s.backend, "550 5.7.1 you are on a list\r\n");
    rig_expect(s.client, "550 5.7.1 you are on a list\r\n");
    rig_send(s.client, "QUIT\r\n");
    rig_expect(s.client, "221 2.0.0 bye\r\n");
    close_fd(&s.client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "backend refused");
    assert_int_equal(r.records[0].status, 550);
}

/* As far as the answer to XCLIENT, which is this. */
static void answer_xclient(const char *reply)
{
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a.b\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO a.b\r\n");
    rig_send(s.backend, "250-m\r\n250 XCLIENT ADDR\r\n");
    rig_expect(s.backend, "XCLIENT ADDR=127.0.0.1\r\n");
    rig_send(s.backend, reply);
}

/* A 5xx would be the end of the client's mail, which has no part in it. */
static void a_backend_that_does_not_take_xclient_is_a_421(void **state)
{
    (void)state;
    answer_xclient("501 5.5.4 bad parameter\r\n");
    rig_expect(s.client, "421 5.5.4 bad parameter\r\n");
    rig_expect_eof(s.client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "backend refused");
    assert_int_equal(r.records[0].status, 421);
}

static void a_client_that_a_backend_got_to_know_by_xclient_may_be_refused_for_good(void **state)
{
    (void)state;
    answer_xclient("554 5.7.1 you are on a list\r\n");
    rig_expect(s.client, "554 5.7.1 you are on a list\r\n");
}

static void who_the_client_is_is_told_to_a_backend_that_asks(void **state)
{
    (void)state;
    char expected[96];
    struct sockaddr_in in;
    socklen_t len = sizeof(in);
    r.route.proxy_version = 1;
    rig_start();
    connect_client();
    assert_int_equal(getsockname(s.client, (struct sockaddr *)(void *)&in, &len), 0);
    rig_send(s.client, "EHLO a.b\r\n");
    s.backend = rig_accept(s.listener);
    (void)snprintf(expected, sizeof(expected), "PROXY TCP4 127.0.0.1 127.0.0.1 %u %u\r\n",
                   (unsigned)ntohs(in.sin_port), (unsigned)tusk_relay_port(r.relay, 0));
    rig_expect(s.backend, expected);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO a.b\r\n");
    rig_send(s.backend, "250-m\r\n250 XCLIENT NAME ADDR PORT PROTO HELO\r\n");
    (void)snprintf(expected, sizeof(expected),
                   "XCLIENT ADDR=127.0.0.1 PORT=%u PROTO=ESMTP HELO=a.b\r\n",
                   (unsigned)ntohs(in.sin_port));
    rig_expect(s.backend, expected);
    rig_send(s.backend, "220 again\r\n");
    rig_expect(s.backend, "EHLO a.b\r\n");
    rig_send(s.backend, "250-m\r\n250-XCLIENT NAME ADDR\r\n250 DSN\r\n");
    rig_expect(s.client, "250-[127.0.0.1]\r\n250 DSN\r\n");
}

/* Postfix's list has words that end as others do: each is asked for by its whole name. */
static void what_a_backend_does_not_list_is_not_told(void **state)
{
    (void)state;
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO a.b\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO a.b\r\n");
    rig_send(s.backend, "250-m\r\n250 XCLIENT NAME ADDR DESTADDR DESTPORT\r\n");
    rig_expect(s.backend, "XCLIENT ADDR=127.0.0.1\r\n");
}

/* Who comes by a path has no address, and XCLIENT has a word for that. */
static void a_client_without_an_address_is_told_as_one(void **state)
{
    char dir[64];
    char at[96];
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)state;
    test_temp_dir(dir, "smtp");
    (void)snprintf(un.sun_path, sizeof(un.sun_path), "%.80s/in", dir);
    (void)snprintf(at, sizeof(at), "unix:%.80s", un.sun_path);
    r.listen_at = at;
    rig_start();
    s.client = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(s.client, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    rig_unblock(s.client);
    rig_expect(s.client, "220 localhost ESMTP\r\n");
    rig_send(s.client, "HELO a.b\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220 ready\r\n");
    rig_expect(s.backend, "EHLO a.b\r\n");
    rig_send(s.backend, "250-m\r\n250 XCLIENT ADDR PORT PROTO HELO\r\n");
    rig_expect(s.backend, "XCLIENT ADDR=[UNAVAILABLE] PROTO=SMTP HELO=a.b\r\n");
    tusk_relay_free(r.relay); /* its path goes with it */
    r.relay = NULL;
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        smtp_test(what_a_backend_says_of_ehlo_is_told),
        smtp_test(an_ehlo_that_a_backend_refuses_is_refused_in_its_words),
        smtp_test(a_refused_ehlo_is_in_the_record_of_who_leaves),
        smtp_test(a_backend_that_does_not_take_xclient_is_a_421),
        smtp_test(a_client_that_a_backend_got_to_know_by_xclient_may_be_refused_for_good),
        smtp_test(who_the_client_is_is_told_to_a_backend_that_asks),
        smtp_test(what_a_backend_does_not_list_is_not_told),
        smtp_test(a_client_without_an_address_is_told_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
