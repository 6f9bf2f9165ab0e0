/* SPDX-License-Identifier: MIT */
/* Who resets while the kernel relays, at the moments in which that looks like an end. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "sockmap_here.h"

static int set_up(void **state)
{
    (void)state;
    rig_set_up_on("epoll");
    r.options.engine = TUSK_ENGINE_SOCKMAP;
    r.options.sockmap = loaded;
    return 0;
}

typedef struct ends {
    int front; /* listeners */
    int backend;
    int client;
    int server;
} ends;

/* The kernel has little room for what the client is told. */
static ends join(void)
{
    const int small = 8192;
    char reason[256];
    uint16_t front;
    uint16_t port;
    ends both = {.front = rig_listen(&front), .backend = rig_listen(&port)};
    rig_target(port, 1);
    assert_int_equal(setsockopt(both.front, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
    assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_listen_on(r.relay, both.front, &r.listen), TUSK_OK);
    assert_err(tusk_relay_start(r.relay, reason, sizeof(reason)), TUSK_OK);
    both.client = rig_connect_to(front);
    assert_int_equal(setsockopt(both.client, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    both.server = rig_accept(both.backend);
    rig_until(rig_stats().switched_to_sockmap == 1);
    return both;
}

/* Its server is gone already. */
static void leave(ends both)
{
    (void)close(both.client);
    (void)close(both.backend);
    (void)close(both.front);
}

/* Whoever is told of the bell passes here, and may be kept from hearing it. */
struct ring_buffer;
static bool deaf;
static int unheard;

int ring_buffer__consume(struct ring_buffer *ring);
int ring_buffer__consume(struct ring_buffer *ring)
{
    static int (*real)(struct ring_buffer * ring);
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "ring_buffer__consume");
    }
    unheard += deaf ? 1 : 0;
    return deaf ? 0 : real(ring);
}

/* Both: who asks for the error of a socket is told once, and then reads "end". Its client has ended
 * before, so that such an end would be that of the session. */
static void a_reset_behind_passed_bytes_is_no_end(void **state)
{
    (void)state;
    static const size_t much = 4 << 20;
    static const char chunk[1024];
    char got[4096];
    size_t sent = 0;
    size_t read = 0;
    ends both = join();
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    deaf = true;
    for (unheard = 0; unheard == 0; rig_turn()) {
        assert_true(sent < much);
        assert_int_equal(send(both.server, chunk, sizeof(chunk), MSG_NOSIGNAL), sizeof(chunk));
        sent += sizeof(chunk);
    }
    while (read < sent / 2) { /* what was redirected; there is room for what was passed */
        ssize_t part = recv(both.client, got, sizeof(got), 0);
        read += part > 0 ? (size_t)part : 0;
        rig_turn();
    }
    rig_reset(both.server);
    rig_until(r.record_count == 1);
    deaf = false;
    assert_string_equal(r.records[0].end, "backend reset");
    assert_int_equal(r.records[0].down, sent);
    rig_expect_reset(both.client);
    leave(both);
}

/* What the kernel tells of a socket passes here: once, that a byte more has come. The header that
 * has tcpi_bytes_received cannot be had beside <netinet/tcp.h>. */
enum { BYTES_RECEIVED_AT = 128 };
static bool one_is_under_way;

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
    static int (*real)(int fd, int level, int name, void *value, socklen_t *len);
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "getsockopt");
    }
    int result = real(fd, level, name, value, len);
    if (one_is_under_way && level == IPPROTO_TCP && name == TCP_INFO) {
        uint64_t received;
        uint8_t *at = (uint8_t *)value + BYTES_RECEIVED_AT;
        memcpy(&received, at, sizeof(received));
        received++;
        memcpy(at, &received, sizeof(received));
        one_is_under_way = false;
    }
    return result;
}

static void a_reset_whose_last_byte_arrives_meanwhile_is_no_end(void **state)
{
    (void)state;
    ends both = join();
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    one_is_under_way = true;
    rig_reset(both.server);
    rig_until(r.record_count == 1);
    assert_false(one_is_under_way);
    assert_string_equal(r.records[0].end, "backend reset");
    rig_expect_reset(both.client);
    leave(both);
}

static int run_all(void)
{
#define own(test) cmocka_unit_test_setup_teardown(test, set_up, rig_tear_down)
    const struct CMUnitTest tests[] = {
        own(a_reset_behind_passed_bytes_is_no_end),
        own(a_reset_whose_last_byte_arrives_meanwhile_is_no_end),
    };
#undef own
    return cmocka_run_group_tests_name("sockmap and resets", tests, NULL, NULL);
}

int main(void)
{
    return with_sockmap(run_all);
}
