/* SPDX-License-Identifier: MIT */
/* An owner of a connection that records what it is told and does what the test says; one loop, net
 * and peer. */
#ifndef TUSK_TEST_OWNER_H
#define TUSK_TEST_OWNER_H

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/conn.h"

#include "../loop/pollers.h"

typedef struct owner {
    tusk_conn conn; /* first */
    uint8_t *got;   /* grows: ASan maps a block of megabytes anew each time */
    size_t got_len, got_cap;
    size_t take_max; /* bytes taken per on_data; 0: all */
    int datas, parts, eofs, drains, readies, closes, releases;
    tusk_err why, ready;
    void (*in_data)(struct owner *self); /* instead of taking */
    void (*in_eof)(struct owner *self);
    void (*in_drain)(struct owner *self);
    void (*in_ready)(struct owner *self);
    void (*in_close)(struct owner *self);
    uint8_t *place; /* for landing */
    size_t place_cap;
    size_t landed;
    bool adopted;
} owner;

#define OWNER_GOT_MAX ((size_t)4 << 20)

static struct {
    test_mem mem;
    tusk_loop *loop;
    tusk_net *net;
    owner *owner;
    int peer;
    volatile uint32_t forks; /* as the loop hears of them */
} t;

static inline owner *of(tusk_conn *conn)
{
    return (owner *)(void *)conn;
}

static inline void take(owner *self)
{
    tusk_bytes in = tusk_conn_in(&self->conn);
    size_t len = self->take_max != 0 && in.len > self->take_max ? self->take_max : in.len;
    if (self->got_len + len > self->got_cap) {
        assert_true(self->got_len + len <= OWNER_GOT_MAX);
        self->got_cap = 2 * (self->got_len + len);
        self->got = realloc(self->got, self->got_cap);
    }
    memcpy(self->got + self->got_len, in.ptr, len);
    self->got_len += len;
    tusk_conn_consume(&self->conn, len);
}

/* It has got this text and no more; without memory it may have nothing to compare. */
static inline void owner_has(const owner *self, const char *text)
{
    assert_int_equal(self->got_len, strlen(text));
    assert_memory_equal(self->got, text, strlen(text));
}

static inline void owner_on_data(tusk_conn *conn)
{
    owner *self = of(conn);
    self->datas++;
    if (self->in_data != NULL) {
        self->in_data(self);
    } else {
        take(self);
    }
}

static inline uint8_t *owner_landing(tusk_conn *conn, size_t *cap)
{
    *cap = of(conn)->place_cap - of(conn)->landed;
    return *cap == 0 ? NULL : of(conn)->place + of(conn)->landed;
}

static inline void owner_on_landed(tusk_conn *conn, size_t len)
{
    of(conn)->landed += len;
}

static inline void owner_on_eof(tusk_conn *conn)
{
    of(conn)->eofs++;
    if (of(conn)->in_eof != NULL) {
        of(conn)->in_eof(of(conn));
    }
}

static inline void owner_on_drain(tusk_conn *conn)
{
    of(conn)->drains++;
    if (of(conn)->in_drain != NULL) {
        of(conn)->in_drain(of(conn));
    }
}

static inline void owner_on_ready(tusk_conn *conn, tusk_err err)
{
    of(conn)->readies++;
    of(conn)->ready = err;
    if (of(conn)->in_ready != NULL) {
        of(conn)->in_ready(of(conn));
    }
}

static inline void owner_on_close(tusk_conn *conn, tusk_err why)
{
    of(conn)->closes++;
    of(conn)->why = why;
    if (of(conn)->in_close != NULL) {
        of(conn)->in_close(of(conn));
    }
}

static inline void owner_on_released(tusk_conn *conn)
{
    assert_int_equal(of(conn)->closes, 1);
    of(conn)->releases++;
}

static inline void owner_on_part(tusk_conn *conn)
{
    of(conn)->parts++;
}

static const tusk_conn_ops owner_ops = {.on_data = owner_on_data,
                                        .landing = owner_landing,
                                        .on_landed = owner_on_landed,
                                        .on_part = owner_on_part,
                                        .on_eof = owner_on_eof,
                                        .on_drain = owner_on_drain,
                                        .on_ready = owner_on_ready,
                                        .on_close = owner_on_close,
                                        .on_released = owner_on_released};

static inline owner *owner_new(void)
{
    return calloc(1, sizeof(owner));
}

static inline void owner_free(owner *self)
{
    free(self->got);
    free(self);
}

static inline void turns(int count)
{
    while (count-- > 0) {
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    }
}

static inline void take_one_and_ask_again(owner *self)
{
    self->take_max = 1;
    take(self);
    if (tusk_conn_in(&self->conn).len > 0) {
        tusk_conn_again(&self->conn);
    }
}

/* Turns until the condition holds; the deadline is for a test that would hang. */
#define TURN_UNTIL(condition)                                                                      \
    for (uint64_t test__end = tusk_loop_clock_ns() + UINT64_C(20000000000); !(condition);) {       \
        assert_true(tusk_loop_clock_ns() < test__end);                                             \
        assert_err(tusk_loop_turn(t.loop, 5), TUSK_OK);                                            \
    }

static inline void owner_end(owner *self)
{
    if (self->adopted) {
        while (self->conn.parked > 0) {
            tusk_conn_unpark(&self->conn);
        }
        tusk_conn_abort(&self->conn, TUSK_OK);
        turns(2);
        assert_int_equal(self->closes, 1);
        assert_int_equal(self->releases, 1);
        assert_null(self->conn.rest);
        assert_null(self->conn.send_head);
    }
    owner_free(self);
}

static uint32_t test_batch_min; /* of the net's limits */
static uint32_t test_settled_reads;

/* Once more with every send in a batch, however few there are. */
#define TEST_RUN_ALSO_IN_BATCHES(name, tests)                                                      \
    (TEST_RUN_FOR_EACH_POLLER(name, tests) +                                                       \
     test_run_in_batches(name " in batches", tests, sizeof(tests) / sizeof((tests)[0])))

static inline int test_run_in_batches(const char *name, const struct CMUnitTest *tests,
                                      size_t count)
{
    tusk_loop *loop;
    if (tusk_loop_new(&loop, NULL) != TUSK_OK) {
        return 1;
    }
    test_batch_min = 1;
    test_poller = tusk_loop_driver(loop); /* a static name */
    tusk_loop_free(loop);
    return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

static inline int net_set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem,
                                                           .poller = test_poller,
                                                           .forks = &t.forks}),
               TUSK_OK);
    assert_err(tusk_net_new(&t.net, t.loop,
                            &(tusk_net_limits){.linger_ms = 250,
                                               .linger_bytes = 100000,
                                               .batch_min = test_batch_min,
                                               .settled_reads = test_settled_reads,
                                               .queued_bytes_total = 8 << 20}),
               TUSK_OK);
    t.peer = -1;
    return 0;
}

static inline int net_tear_down(void **state)
{
    (void)state;
    if (t.peer >= 0) {
        close(t.peer);
    }
    if (t.owner != NULL) {
        owner_end(t.owner);
    }
    assert_int_equal(tusk_net_queued(t.net), 0);
    assert_int_equal(tusk_net_count(t.net)->conns_opened, tusk_net_count(t.net)->conns_closed);
    tusk_net_free(t.net);
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

/* One connection whose peer the test holds. */
static inline int pair_set_up(void **state)
{
    int fds[2];
    net_set_up(state);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    t.peer = fds[1];
    t.owner = owner_new();
    assert_err(tusk_conn_init(&t.owner->conn, t.net, fds[0], NULL, &owner_ops), TUSK_OK);
    t.owner->adopted = true;
    return 0;
}

static inline void say(const char *text)
{
    assert_int_equal(write(t.peer, text, strlen(text)), (ssize_t)strlen(text));
}

static inline void hear(const char *text)
{
    char heard[256];
    assert_int_equal(read(t.peer, heard, sizeof(heard)), (ssize_t)strlen(text));
    assert_memory_equal(heard, text, strlen(text));
}

static inline void hang_up(void)
{
    close(t.peer);
    t.peer = -1;
}

/* Bytes that tell their own place. */
static inline void pattern(uint8_t *place, size_t from, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t at = from + i;
        place[i] = (uint8_t)(at ^ at >> 8 ^ at >> 16);
    }
}

static inline void assert_pattern(const uint8_t *place, size_t from, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t at = from + i;
        if (place[i] != (uint8_t)(at ^ at >> 8 ^ at >> 16)) {
            fail_msg("byte %zu is wrong", at);
        }
    }
}

#endif
