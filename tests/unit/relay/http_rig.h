/* SPDX-License-Identifier: MIT */
/* The relay's rig as an HTTP proxy: one backend whose socket the test holds, answers read whole. */
#ifndef TUSK_TEST_RELAY_HTTP_RIG_H
#define TUSK_TEST_RELAY_HTTP_RIG_H

#include "rig.h"

static struct {
    int listener;
    uint16_t port;
    tusk_relay_http_options options;
    char answer[65536];
} h;

static inline int http_set_up(void **state)
{
    (void)rig_set_up(state);
    memset(&h, 0, sizeof(h));
    h.listener = rig_listen(&h.port);
    h.options = *tusk_relay_http_options_default();
    h.options.x_forwarded = TUSK_FORWARD_OFF;
    h.options.forwarded = TUSK_FORWARD_OFF;
    h.options.via = TUSK_FORWARD_OFF;
    r.options.kind = TUSK_RELAY_HTTP;
    r.options.http = &h.options;
    r.fields = 1u << TUSK_LOOKUP_HOST;
    rig_target(h.port, 1);
    return 0;
}

static inline int http_tear_down(void **state)
{
    (void)close(h.listener);
    return rig_tear_down(state);
}

#define http_test(name) cmocka_unit_test_setup_teardown(name, http_set_up, http_tear_down)

static inline tusk_relay_http_stats http_stats(void)
{
    tusk_relay_http_stats stats;
    tusk_relay_http_stats_get(r.relay, &stats);
    return stats;
}

static const char http_get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
static const char http_ok[] = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\nhi";

/* One answer of the proxy's own, whole by its Content-Length, without its Date. */
static inline const char *http_read(int fd)
{
    size_t len = 0;
    size_t whole = SIZE_MAX;
    memset(h.answer, 0, sizeof(h.answer));
    while (len < whole) {
        ssize_t got = -1;
        rig_until((got = recv(fd, h.answer + len, 1, 0)) >= 0 || errno != EAGAIN);
        assert_int_equal(got, 1);
        len++;
        if (whole == SIZE_MAX && len >= 4 && memcmp(h.answer + len - 4, "\r\n\r\n", 4) == 0) {
            const char *length = strstr(h.answer, "Content-Length: ");
            whole = len + (length == NULL ? 0 : strtoul(length + 16, NULL, 10));
        }
    }
    char *date = strstr(h.answer, "Date: ");
    if (date != NULL) {
        char *after = strstr(date, "\r\n") + 2;
        memmove(date, after, strlen(after) + 1);
    }
    return h.answer;
}

/* A refusal in text, and then the end when it closes. */
static inline void http_expect_refusal(int fd, const char *status_and_reason, bool closes)
{
    char expected[1024];
    (void)snprintf(expected, sizeof(expected), "HTTP/1.1 %.*s\r\n",
                   (int)strcspn(status_and_reason, ":\n"), status_and_reason);
    const char *answer = http_read(fd);
    assert_memory_equal(answer, expected, strlen(expected));
    const char *body = strstr(answer, "\r\n\r\n") + 4;
    assert_memory_equal(body, status_and_reason, strlen(status_and_reason));
    assert_int_equal(strstr(answer, "Connection: close\r\n") != NULL, closes);
    assert_int_equal(strstr(answer, "\r\nRetry-After: ") != NULL,
                     strncmp(status_and_reason, "503", 3) == 0);
    if (closes) {
        rig_expect_eof(fd);
    }
}

static inline void http_answers(int client, int backend)
{
    rig_send(backend, http_ok);
    rig_expect(client, http_ok);
}

/* A request to the backend and its answer back. */
static inline void http_round(int client, int backend)
{
    rig_send(client, http_get);
    rig_expect(backend, http_get);
    http_answers(client, backend);
}

/* A request of this client that comes to the backend on a new connection. */
static inline int http_dialled(int client)
{
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    return backend;
}

/* A client whose first request is there. */
static inline int http_asks(int *backend)
{
    int client = rig_client();
    *backend = http_dialled(client);
    return client;
}

/* And answered: the backend's connection is kept. */
static inline int http_begin(int *backend)
{
    int client = http_asks(backend);
    http_answers(client, *backend);
    return client;
}

#endif
