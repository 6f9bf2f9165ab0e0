/* SPDX-License-Identifier: MIT */
/* A scripted server on loopback beside the client under test, both on one loop that the test turns.
 */
#ifndef TUSK_TEST_PEER_H
#define TUSK_TEST_PEER_H

#include <unistd.h>

#include "../test.h"

#include <tusk/client.h>

#include "net/conn.h"
#include "net/listener.h"

enum { PEER_CONNS_MAX = 64, PEER_SEEN_MAX = 64 * 1024 };

typedef struct peer_conn {
    tusk_conn conn; /* first */
    unsigned index; /* of all that came */
    unsigned requests;
} peer_conn;

static struct {
    test_mem mem;
    tusk_loop *loop;
    tusk_client *client;
    tusk_net *net;
    tusk_listener *listener;
    unsigned conns;
    unsigned closed;
    unsigned requests;
    char seen[PEER_SEEN_MAX]; /* everything that came, over all connections */
    size_t seen_len;
    /* The script: what is answered to a whole head; returns bytes taken of `in`, 0 for "more". */
    size_t (*answer)(peer_conn *self, tusk_bytes in);
    const char *answers[16]; /* or: one per request, in order; a NULL closes at once */
    char url[64];
} t;

static inline void peer_write(peer_conn *self, const char *text)
{
    if (tusk_conn_append(&self->conn, text, strlen(text)) != TUSK_OK) {
        tusk_conn_abort(&self->conn, TUSK_ENOMEM); /* a test that lets allocations fail */
    }
}

static inline size_t peer_head_len(tusk_bytes in)
{
    for (size_t i = 0; i + 4 <= in.len; i++) {
        if (memcmp(in.ptr + i, "\r\n\r\n", 4) == 0) {
            return i + 4;
        }
    }
    return 0;
}

static inline void peer_on_data(tusk_conn *conn)
{
    peer_conn *self = (peer_conn *)(void *)conn;
    tusk_bytes in = tusk_conn_in(conn);
    if (t.answer != NULL) {
        size_t used = t.answer(self, in);
        tusk_conn_consume(conn, used);
        return;
    }
    size_t len = peer_head_len(in);
    if (len == 0) {
        return;
    }
    assert_true(t.seen_len + in.len < PEER_SEEN_MAX);
    memcpy(t.seen + t.seen_len, in.ptr, in.len);
    t.seen_len += in.len;
    t.seen[t.seen_len] = '\0';
    tusk_conn_consume(conn, in.len);
    assert_true(t.requests < sizeof(t.answers) / sizeof(t.answers[0]));
    const char *answer = t.answers[t.requests++];
    self->requests++;
    if (answer == NULL) {
        tusk_conn_abort(conn, TUSK_OK);
        return;
    }
    peer_write(self, answer[0] == '!' ? answer + 1 : answer);
    if (answer[0] == '!') {
        tusk_conn_finish(conn); /* "!": closes behind its answer */
    }
}

static inline void peer_on_eof(tusk_conn *conn)
{
    tusk_conn_finish(conn);
}

static inline void peer_on_close(tusk_conn *conn, tusk_err why)
{
    (void)conn;
    (void)why;
    t.closed++;
}

static inline void peer_on_released(tusk_conn *conn)
{
    free(conn);
}

static const tusk_conn_ops peer_ops = {
    .on_data = peer_on_data,
    .on_eof = peer_on_eof,
    .on_close = peer_on_close,
    .on_released = peer_on_released,
};

static inline void peer_on_accept(void *user, int fd, const tusk_addr *peer)
{
    (void)user;
    (void)peer;
    peer_conn *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    if (tusk_conn_init(&self->conn, t.net, fd, NULL, &peer_ops) != TUSK_OK) {
        (void)close(fd);
        free(self);
        return;
    }
    self->index = t.conns++;
}

static inline void peer_set_url(const char *scheme, const char *path)
{
    (void)snprintf(t.url, sizeof(t.url), "%s://127.0.0.1:%u%s", scheme,
                   tusk_addr_port(tusk_listener_addr(t.listener)), path);
}

static inline int peer_set_up(void **state)
{
    tusk_addr addr;
    tusk_listener_options options = {0};
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem}), TUSK_OK);
    assert_err(tusk_net_new(&t.net, t.loop, NULL), TUSK_OK);
    assert_err(tusk_client_new(&t.client, &(tusk_client_options){.loop = t.loop}), TUSK_OK);
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_listener_open(&t.listener, t.loop, &addr, &options, peer_on_accept, NULL),
               TUSK_OK);
    tusk_listener_resume(t.listener);
    peer_set_url("http", "/");
    return 0;
}

/* Turns until `*done`, with a deadline that only a fault reaches. */
static inline void turn_until(const int *done, int wanted)
{
    uint64_t deadline = tusk_loop_clock_ns() + UINT64_C(10000000000);
    while (*done < wanted) {
        assert_err(tusk_loop_turn(t.loop, 1000), TUSK_OK);
        if (tusk_loop_clock_ns() > deadline) {
            fail_msg("nothing came within ten seconds");
        }
    }
}

static inline void turn_until_closed(unsigned wanted)
{
    uint64_t deadline = tusk_loop_clock_ns() + UINT64_C(10000000000);
    while (t.closed < wanted) {
        assert_err(tusk_loop_turn(t.loop, 1000), TUSK_OK);
        assert_true(tusk_loop_clock_ns() < deadline);
    }
}

static inline int peer_tear_down(void **state)
{
    (void)state;
    tusk_client_free(t.client);
    tusk_listener_close(t.listener);
    for (int i = 0; i < 8; i++) {
        (void)tusk_loop_turn(t.loop, 0);
    }
    turn_until_closed(t.conns);
    tusk_net_free(t.net);
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

#endif
