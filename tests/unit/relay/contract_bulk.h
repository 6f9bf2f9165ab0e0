/* SPDX-License-Identifier: MIT */
/* A pair under test, and the part of the engines' contract that is about many bytes: all of them,
 * in order, with bounded memory. */
#ifndef TUSK_TEST_RELAY_CONTRACT_BULK_H
#define TUSK_TEST_RELAY_CONTRACT_BULK_H

#include "relay/move/pair.h"
#include "rig.h"

typedef struct contract_engine {
    tusk_relay_engine engine;
    const char *name;
    const char *poller; /* the only one it works with; NULL: every one */
    void (*prepare)(
        void);     /* r.options are the defaults: what the engine needs beside; may be NULL */
    bool upgraded; /* pairs begin as HTTP requests that ask for another protocol */
    bool used;     /* the backend's socket has carried a session before */
    /* The pair of the last bulk test has ended: was it this engine that moved its bytes? May be
     * NULL. */
    void (*check_bulk)(void);
} contract_engine;

enum {
    BULK = 8 << 20,
    FLOOD = 40 << 20, /* more than the kernel's four buffers take */
    STEP = 256 * 1024
};

#define CONTRACT_UPGRADE                                                                           \
    "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
#define CONTRACT_SWITCHED                                                                          \
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

static const contract_engine *contract; /* of this run */
static int backend;

typedef struct ends {
    int client;
    int server;
} ends;

static int contract_set_up(void **state)
{
    (void)state;
    rig_set_up_on(test_poller);
    r.options.engine = contract->engine;
    if (contract->upgraded) {
        static tusk_relay_http_options http;
        http = *tusk_relay_http_options_default();
        http.x_forwarded = http.forwarded = http.via = TUSK_FORWARD_OFF;
        r.options.kind = TUSK_RELAY_HTTP;
        r.options.http = &http;
    }
    if (contract->prepare != NULL) {
        contract->prepare();
    }
    return 0;
}

static uint64_t tunnels_now(void)
{
    tusk_relay_http_stats stats;
    tusk_relay_http_stats_get(r.relay, &stats);
    return stats.tunnels;
}

static void upgrade(int client, int server)
{
    rig_expect(server, CONTRACT_UPGRADE);
    rig_send(server, CONTRACT_SWITCHED);
    rig_expect(client, CONTRACT_SWITCHED);
    rig_until(tunnels_now() == 1);
}

/* A session from beginning to end, whose client ends it; as if it had not been, but for its
 * backend's socket. */
static void use_once(void)
{
    ends both = {.client = rig_client()};
    both.server = rig_accept(backend);
    rig_send(both.client, "once");
    rig_expect(both.server, "once");
    rig_send(both.server, "and over");
    rig_expect(both.client, "and over");
    (void)close(both.client);
    rig_expect_eof(both.server);
    (void)close(both.server);
    rig_until(rig_stats().active == 0);
    r.relay->stats = (tusk_relay_stats){.accepted = 0};
    r.record_count = 0;
    assert_int_equal(r.relay->used_count, 1);
}

static ends join(void)
{
    ends both;
    uint16_t port;
    bool upgraded = contract != NULL && contract->upgraded; /* NULL: an engine's own test */
    bool used = contract != NULL && contract->used;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    if (used) {
        use_once();
    }
    both.client = rig_client();
    if (upgraded) {
        rig_send(both.client, CONTRACT_UPGRADE);
    }
    both.server = rig_accept(backend);
    if (upgraded) {
        upgrade(both.client, both.server);
    }
    assert_int_equal(rig_stats().sockets_reused, used ? 1 : 0);
    return both;
}

static void leave(ends both)
{
    (void)close(both.client);
    (void)close(both.server);
    (void)close(backend);
}

static void expect_end(const char *end)
{
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, end);
    assert_int_equal(rig_stats().active, 0);
}

/* Bytes that tell their place. */
static void fill(uint8_t *ptr, size_t len, uint64_t seed)
{
    uint64_t random = seed;
    for (size_t i = 0; i + 8 <= len; i += 8) {
        uint64_t word = test_random(&random);
        memcpy(ptr + i, &word, 8);
    }
}

typedef struct stream {
    int from, to;
    uint8_t *sent;
    uint8_t *got;
    size_t len;
    size_t out, in;
    bool shut, eof;
} stream;

static void stream_init(stream *self, int from, int to, size_t len)
{
    *self = (stream){.from = from, .to = to, .len = len};
    self->sent = malloc(len);
    self->got = malloc(len);
    fill(self->sent, len, (uint64_t)from);
}

static void stream_fini(stream *self)
{
    free(self->sent);
    free(self->got);
}

static void stream_write(stream *self)
{
    size_t left = self->len - self->out;
    ssize_t sent = left == 0 ? 0
                             : send(self->from, self->sent + self->out, left < STEP ? left : STEP,
                                    MSG_NOSIGNAL);
    assert_true(sent >= 0 || errno == EAGAIN);
    self->out += sent > 0 ? (size_t)sent : 0;
    if (self->out == self->len && !self->shut) {
        self->shut = true;
        assert_int_equal(shutdown(self->from, SHUT_WR), 0);
    }
}

static void stream_read(stream *self)
{
    uint8_t spare;
    bool full = self->in == self->len;
    ssize_t got =
        recv(self->to, full ? &spare : self->got + self->in, full ? 1 : self->len - self->in, 0);
    assert_true(got >= 0 || errno == EAGAIN);
    assert_false(full && got > 0);
    self->eof = self->eof || got == 0;
    self->in += got > 0 ? (size_t)got : 0;
}

/* Writes until nobody takes more, for twenty turns. */
static void stream_stall(stream *self)
{
    size_t last = 0;
    for (int still = 0; still < 20;) {
        stream_write(self);
        rig_turn();
        still = self->out == last ? still + 1 : 0;
        last = self->out;
    }
}

static void stream_check(const stream *self)
{
    assert_int_equal(self->in, self->len);
    assert_memory_equal(self->sent, self->got, self->len);
}

static void both_ways_at_once(stream *up, stream *down)
{
    rig_until((stream_write(up), stream_write(down), stream_read(up), stream_read(down),
               up->eof && down->eof));
    stream_check(up);
    stream_check(down);
}

static void eight_mib_each_way_arrive_whole(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream down;
    stream_init(&up, both.client, both.server, BULK);
    stream_init(&down, both.server, both.client, BULK);
    both_ways_at_once(&up, &down);
    expect_end("done");
    assert_int_equal(r.records[0].up, BULK);
    assert_int_equal(r.records[0].down, BULK);
    assert_int_equal(r.records[0].engine, contract->engine);
    if (contract->check_bulk != NULL) {
        contract->check_bulk();
    }
    stream_fini(&up);
    stream_fini(&down);
    leave(both);
}

/* One side says all, and ends; then the other does. */
static void eight_mib_after_the_other_side_has_ended_arrive_whole(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream down;
    stream_init(&up, both.client, both.server, BULK);
    stream_init(&down, both.server, both.client, BULK);
    rig_until((stream_write(&up), stream_read(&up), up.eof));
    stream_check(&up);
    rig_until((stream_write(&down), stream_read(&down), down.eof));
    stream_check(&down);
    expect_end("done");
    stream_fini(&up);
    stream_fini(&down);
    leave(both);
}

static void a_stalled_reader_stops_the_writer_and_costs_no_more_than_its_limit(void **state)
{
    (void)state;
    r.options.limits.pending_bytes = 32 * 1024;
    ends both = join();
    stream up;
    stream_init(&up, both.client, both.server, FLOOD);
    size_t before = r.mem.live_bytes;
    stream_stall(&up);
    assert_true(up.out < FLOOD);
    assert_true(r.mem.live_bytes <= before + r.options.limits.pending_bytes + 64);
    /* The other direction goes on meanwhile. */
    rig_send(both.server, "still here");
    rig_expect(both.client, "still here");
    rig_until((stream_write(&up), stream_read(&up), up.eof));
    stream_check(&up);
    stream_fini(&up);
    leave(both);
    expect_end("done");
}

/* A reader that has a part must not take it for the whole. */
static void a_stream_that_is_cut_by_a_deadline_ends_by_a_reset(void **state)
{
    (void)state;
    static const char block[65536];
    r.options.limits.idle_ms = 100;
    ends both = join();
    rig_until((send(both.client, block, sizeof(block), MSG_NOSIGNAL), r.record_count == 1));
    expect_end("idle");
    rig_expect_reset(both.server);
    assert_int_equal(rig_stats().idle_timeouts, 1);
    leave(both);
}

/* What was taken of a writer that has ended reaches a reader that comes late. */
static void a_writer_that_ends_before_its_reader_begins_loses_nothing(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream_init(&up, both.client, both.server, FLOOD);
    stream_stall(&up);
    up.len = up.out; /* no more is said */
    stream_write(&up);
    assert_true(up.shut);
    for (int i = 0; i < 10; i++) {
        rig_turn();
    }
    rig_until((stream_read(&up), up.eof));
    stream_check(&up);
    stream_fini(&up);
    leave(both);
    expect_end("done");
    assert_int_equal(r.records[0].up, up.len);
}

/* A client that has said all, and does not read yet what it is told. */
static void an_end_leaves_the_other_direction_alone(void **state)
{
    (void)state;
    ends both = join();
    stream down;
    stream_init(&down, both.server, both.client, FLOOD);
    rig_send(both.client, "tell me");
    rig_expect(both.server, "tell me");
    stream_stall(&down);
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    rig_until((stream_write(&down), stream_read(&down), down.eof));
    stream_check(&down);
    stream_fini(&down);
    expect_end("done");
    assert_int_equal(r.records[0].down, FLOOD);
    leave(both);
}

#endif
