/* SPDX-License-Identifier: MIT */
/* A relay over loopback with a handler in C, clients and backends that the test drives by hand. */
#ifndef TUSK_TEST_RELAY_RIG_H
#define TUSK_TEST_RELAY_RIG_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tusk/relay.h>

#include "../loop/pollers.h"

enum { RIG_ASKS = 64, RIG_RECORDS = 64, RIG_TEXT = 256 };

typedef struct rig_record {
    char end[64], target[64], metadata[64], peer[64], route[64];
    uint16_t status;
    uint64_t up, down;
    bool cached;
    tusk_relay_engine engine;
} rig_record;

static struct {
    test_mem mem;
    tusk_loop *loop;
    tusk_relay *relay;
    tusk_relay_options options;
    tusk_relay_listen_options listen;
    const char *listen_at;
    /* What the handler does. */
    bool later;      /* answers are given by the test (rig_answer) */
    uint32_t fields; /* what an answer depends on */
    tusk_relay_target targets[8];
    size_t target_count;
    tusk_relay_route route;     /* without its targets */
    tusk_relay_refusal refusal; /* status != 0: instead of a route */
    /* What it was told. */
    tusk_relay_ask asks[RIG_ASKS];
    char asked[RIG_ASKS][TUSK_LOOKUP_FIELDS][RIG_TEXT];
    int ask_count;
    rig_record records[RIG_RECORDS];
    int record_count;
    int stopped;
    char log[RIG_TEXT];
    char address[8][64];
    void (*on_record)(void); /* called inside of on_access; may be NULL */
    /* Called with the relay made and not started; may be NULL. */
    void (*on_made)(tusk_relay *relay);
} r;

static inline tusk_err rig_answer(int ask)
{
    tusk_relay_route route = r.route;
    if (r.refusal.status != 0) {
        return tusk_relay_refuse(r.relay, r.asks[ask], r.fields, &r.refusal);
    }
    route.targets = r.targets;
    route.target_count = r.target_count;
    return tusk_relay_answer(r.relay, r.asks[ask], r.fields, &route);
}

static inline void rig_on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    assert_ptr_equal(user, &r);
    int at = r.ask_count++;
    assert_true(at < RIG_ASKS);
    r.asks[at] = ask;
    for (int i = 0; i < TUSK_LOOKUP_FIELDS; i++) {
        tusk_bytes field = lookup->field[i];
        size_t len = field.len < RIG_TEXT - 1 ? field.len : RIG_TEXT - 1;
        memset(r.asked[at][i], 0, RIG_TEXT);
        if (field.ptr == NULL) {
            memcpy(r.asked[at][i], "-", 2);
        } else if (len > 0) {
            memcpy(r.asked[at][i], field.ptr, len);
        }
    }
    if (!r.later) {
        tusk_err err = rig_answer(at);
        assert_true(err == TUSK_OK || err == TUSK_ENOMEM);
        if (err == TUSK_ENOMEM) {
            const tusk_relay_refusal refusal = {.status = 500};
            (void)tusk_relay_refuse(r.relay, ask, 0, &refusal);
        }
    }
}

static inline void rig_copy(char out[64], tusk_bytes bytes)
{
    size_t len = bytes.len < 63 ? bytes.len : 63;
    memset(out, 0, 64);
    if (len > 0) {
        memcpy(out, bytes.ptr, len);
    }
}

static inline void rig_on_access(void *user, const tusk_relay_record *record)
{
    (void)user;
    assert_true(r.record_count < RIG_RECORDS);
    rig_record *own = &r.records[r.record_count++];
    *own = (rig_record){.status = record->status,
                        .up = record->bytes_up,
                        .down = record->bytes_down,
                        .cached = record->cached,
                        .engine = record->engine};
    rig_copy(own->end, tusk_bytes_str(record->end));
    rig_copy(own->target, record->target);
    rig_copy(own->metadata, record->metadata);
    rig_copy(own->peer, record->peer);
    rig_copy(own->route, record->route);
    if (r.on_record != NULL) {
        r.on_record();
    }
}

static inline void rig_on_log(void *user, const char *text)
{
    (void)user;
    (void)snprintf(r.log, sizeof(r.log), "%s", text);
}

static inline void rig_on_stopped(void *user)
{
    (void)user;
    r.stopped++;
}

static const tusk_relay_handler rig_handler = {.on_lookup = rig_on_lookup,
                                               .on_access = rig_on_access,
                                               .on_log = rig_on_log,
                                               .on_stopped = rig_on_stopped};

static inline void rig_turn(void)
{
    assert_err(tusk_loop_turn(r.loop, 10), TUSK_OK);
}

/* Turns until the condition holds; the deadline is for a test that would hang. */
#define rig_until(condition)                                                                       \
    do {                                                                                           \
        uint64_t rig__end = tusk_loop_clock_ns() + UINT64_C(20000000000);                          \
        while (!(condition)) {                                                                     \
            assert_true(tusk_loop_clock_ns() < rig__end);                                          \
            rig_turn();                                                                            \
        }                                                                                          \
    } while (0)

/* ---- sockets of the test ---- */
static inline void rig_unblock(int fd)
{
    assert_int_equal(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
}

static inline struct sockaddr_in rig_loopback(uint16_t port)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return in;
}

/* A listening socket; `*port` is told. */
static inline int rig_listen(uint16_t *port)
{
    struct sockaddr_in in = rig_loopback(0);
    socklen_t len = sizeof(in);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    assert_int_equal(listen(fd, 128), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)(void *)&in, &len), 0);
    *port = ntohs(in.sin_port);
    rig_unblock(fd);
    return fd;
}

enum { RIG_FILL = 4 };

/* A full backlog leaves connects unanswered. */
static inline void rig_fill(int listener, uint16_t port, int fill[RIG_FILL])
{
    assert_int_equal(listen(listener, 0), 0);
    for (int i = 0; i < RIG_FILL; i++) {
        struct sockaddr_in in = rig_loopback(port);
        fill[i] = socket(AF_INET, SOCK_STREAM, 0);
        rig_unblock(fill[i]);
        (void)connect(fill[i], (struct sockaddr *)(void *)&in, sizeof(in));
    }
}

/* A port of loopback that nobody listens on. */
static inline uint16_t rig_dead_port(void)
{
    uint16_t port;
    (void)close(rig_listen(&port));
    return port;
}

static inline int rig_connect_to(uint16_t port)
{
    struct sockaddr_in in = rig_loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    rig_unblock(fd);
    return fd;
}

static inline int rig_client(void)
{
    return rig_connect_to(tusk_relay_port(r.relay, 0));
}

static inline int rig_accept(int listener)
{
    int fd = -1;
    rig_until((fd = accept(listener, NULL, NULL)) >= 0);
    rig_unblock(fd);
    return fd;
}

static inline void rig_send_bytes(int fd, tusk_bytes bytes)
{
    assert_int_equal(send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL), (ssize_t)bytes.len);
}

static inline void rig_send(int fd, const char *text)
{
    rig_send_bytes(fd, tusk_bytes_str(text));
}

/* Exactly these bytes arrive next. */
static inline void rig_expect_bytes(int fd, tusk_bytes expected)
{
    size_t at = 0;
    uint8_t byte[4096];
    while (at < expected.len) {
        ssize_t got = -1;
        size_t want = expected.len - at < sizeof(byte) ? expected.len - at : sizeof(byte);
        rig_until((got = recv(fd, byte, want, 0)) >= 0 || errno != EAGAIN);
        assert_true(got > 0);
        assert_memory_equal(byte, expected.ptr + at, (size_t)got);
        at += (size_t)got;
    }
}

static inline void rig_expect(int fd, const char *text)
{
    rig_expect_bytes(fd, tusk_bytes_str(text));
}

/* A client and who is accepted from there for it: what one says the other hears. */
static inline void rig_expect_joined(int backend)
{
    int client = rig_client();
    int server = rig_accept(backend);
    rig_send(server, "hi");
    rig_expect(client, "hi");
    (void)close(client);
    (void)close(server);
}

static inline void rig_expect_eof(int fd)
{
    char byte;
    ssize_t got = -1;
    rig_until((got = recv(fd, &byte, 1, 0)) >= 0 || errno != EAGAIN);
    assert_int_equal(got, 0);
}

static inline void rig_expect_reset(int fd)
{
    char byte[4096];
    ssize_t got = -1;
    rig_until((got = recv(fd, byte, sizeof(byte), 0)) == 0 || (got < 0 && errno != EAGAIN));
    assert_int_equal(got, -1);
    assert_int_equal(errno, ECONNRESET);
}

static inline void rig_reset(int fd)
{
    const struct linger now = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
    (void)close(fd);
}

static inline tusk_relay_stats rig_stats(void)
{
    tusk_relay_stats stats;
    tusk_relay_stats_get(r.relay, &stats);
    return stats;
}

/* Whether the metrics have this line. */
static inline bool rig_metrics_have(const char *line)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1 << 20);
    assert_err(tusk_relay_metrics(r.relay, &out), TUSK_OK);
    assert_err(tusk_buf_append(&out, "", 1), TUSK_OK);
    const char *text = (const char *)tusk_buf_view(&out).ptr;
    const char *at = strstr(text, line);
    bool found = at != NULL && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
    tusk_buf_fini(&out);
    return found;
}

/* How often the first target has reset, as its meter has it. */
static inline void rig_expect_resets(int count)
{
    char line[128];
    (void)snprintf(line, sizeof(line), "tusk_proxy_target_resets_total{target=\"%s\"} %d",
                   r.address[0], count);
    assert_true(rig_metrics_have(line));
}

/* ---- the relay ---- */
/* One more target: "127.0.0.1:port". */
static inline void rig_target(uint16_t port, uint32_t weight)
{
    char *text = r.address[r.target_count];
    (void)snprintf(text, sizeof(r.address[0]), "127.0.0.1:%u", (unsigned)port);
    r.targets[r.target_count++] =
        (tusk_relay_target){.address = tusk_bytes_str(text), .weight = weight};
}

static inline void rig_set_up_on(const char *poller)
{
    memset(&r, 0, sizeof(r));
    test_mem_init(&r.mem, 0);
    const tusk_loop_options options = {.mem = &r.mem.mem, .poller = poller};
    assert_err(tusk_loop_new(&r.loop, &options), TUSK_OK);
    r.options = (tusk_relay_options){.loop = r.loop,
                                     .limits = *tusk_relay_limits_default(),
                                     .handler = &rig_handler,
                                     .user = &r,
                                     .any_address = true};
    r.listen_at = "127.0.0.1:0";
    r.route.ttl_ms = 60000;
}

static inline int rig_set_up(void **state)
{
    (void)state;
    rig_set_up_on(NULL);
    return 0;
}

static inline void rig_start(void)
{
    char reason[128] = "?";
    assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_OK);
    assert_string_equal(reason, "");
    if (r.on_made != NULL) {
        r.on_made(r.relay);
    }
    assert_err(tusk_relay_listen(r.relay, r.listen_at, &r.listen), TUSK_OK);
    assert_err(tusk_relay_start(r.relay, reason, sizeof(reason)), TUSK_OK);
}

static inline int rig_tear_down(void **state)
{
    (void)state;
    tusk_relay_free(r.relay);
    tusk_loop_free(r.loop);
    test_mem_assert_empty(&r.mem);
    return 0;
}

#define rig_test(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

#endif
