/* SPDX-License-Identifier: MIT */
/* An SMTP proxy between a client and a backend that the test plays by hand. */
#ifndef TUSK_TEST_SMTP_RIG_H
#define TUSK_TEST_SMTP_RIG_H

#include "test.h"

#include "rig.h"

#define HELLO_LINES                                                                                \
    "250-mail.example greets you\r\n250-PIPELINING\r\n250-SIZE 1000\r\n250-STARTTLS\r\n"           \
    "250-XCLIENT NAME\r\n250-ETRN\r\n250-CHUNKING\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n"
#define HELLO_ANSWER                                                                               \
    "250-[127.0.0.1]\r\n250-PIPELINING\r\n250-SIZE 1000\r\n250-CHUNKING\r\n250-AUTH PLAIN\r\n"     \
    "250 8BITMIME\r\n"

static struct {
    int listener;
    int client;
    int backend;
} s;

static inline int smtp_set_up(void **state)
{
    uint16_t port;
    rig_set_up(state);
    r.options.kind = TUSK_RELAY_SMTP;
    r.fields = 1u << TUSK_LOOKUP_DOMAIN;
    s.listener = rig_listen(&port);
    rig_target(port, 1);
    s.client = -1;
    s.backend = -1;
    return 0;
}

static inline void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

static inline int smtp_tear_down(void **state)
{
    close_fd(&s.client);
    close_fd(&s.backend);
    close_fd(&s.listener);
    return rig_tear_down(state);
}

static inline void connect_client(void)
{
    s.client = rig_client();
    rig_expect(s.client, "220 [127.0.0.1] ESMTP\r\n");
}

/* As far as commands. */
static inline void begin(void)
{
    rig_start();
    connect_client();
    rig_send(s.client, "EHLO Client.Example\r\n");
    s.backend = rig_accept(s.listener);
    rig_send(s.backend, "220-mail.example\r\n220 ready\r\n");
    rig_expect(s.backend, "EHLO client.example\r\n");
    rig_send(s.backend, HELLO_LINES);
    rig_expect(s.client, HELLO_ANSWER);
}

/* One command and its answer. */
static inline void exchange(const char *command, const char *answer)
{
    rig_send(s.client, command);
    rig_expect(s.backend, command);
    rig_send(s.backend, answer);
    rig_expect(s.client, answer);
}

static inline void begin_message(void)
{
    begin();
    exchange("MAIL FROM:<a@b>\r\n", "250 2.1.0 ok\r\n");
    exchange("RCPT TO:<c@d>\r\n", "250 2.1.5 ok\r\n");
    exchange("DATA\r\n", "354 go\r\n");
}

#define smtp_test(name) cmocka_unit_test_setup_teardown(name, smtp_set_up, smtp_tear_down)

#endif
