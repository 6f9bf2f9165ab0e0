/* SPDX-License-Identifier: MIT */
/* Relays that share: two in one process, each with a seat of its own, as two workers have. */
#ifndef TUSK_TEST_RELAY_SHARED_RIG_H
#define TUSK_TEST_RELAY_SHARED_RIG_H

#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/listener.h"
#include "relay/shared.h"

enum { A, B, RELAYS, CLIENTS_MAX = 16, TURNS_MAX = 4000 };

static struct {
    tusk_loop *loop;
    tusk_relay *relay[RELAYS];
    tusk_relay_shared *shared;
    tusk_relay_kind kind;
    tusk_relay_limits limits;
    tusk_relay_listen_options listen;
    int backend;
    char target[32];
    int clients[CLIENTS_MAX];
    int client_count;
    int asked;
    uint64_t own[RELAYS]; /* what the owner of each has */
} s;

static inline void on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    const tusk_relay_target target = {.address = tusk_bytes_str(s.target), .weight = 1};
    const tusk_relay_route route = {.targets = &target, .target_count = 1};
    s.asked++;
    assert_err(tusk_relay_answer(*(tusk_relay **)user, ask, 0, &route), TUSK_OK);
}

static inline void on_count(void *user, tusk_relay_stats *stats)
{
    stats->own_gauge = s.own[user == &s.relay[A] ? A : B];
}

static const tusk_relay_handler handler = {.on_lookup = on_lookup, .on_count = on_count};

static inline int listen_at(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static inline int set_up(void **state)
{
    uint16_t port;
    memset(&s, 0, sizeof(s));
    s.limits = *tusk_relay_limits_default();
    s.listen.first = TUSK_FIRST_SERVER;
    s.backend = listen_at(&port);
    (void)snprintf(s.target, sizeof(s.target), "127.0.0.1:%u", port);
    assert_err(tusk_loop_new(&s.loop, NULL), TUSK_OK);
    return 0;
}

static inline int tear_down(void **state)
{
    for (int i = 0; i < s.client_count; i++) {
        (void)close(s.clients[i]);
    }
    for (int i = 0; i < RELAYS; i++) {
        tusk_relay_free(s.relay[i]);
    }
    tusk_relay_shared_free(s.shared);
    (void)close(s.backend);
    tusk_loop_free(s.loop);
    return 0;
}

/* Workers have the seeds of the relay that they are copies of. */
static inline void begin(size_t listeners)
{
    char reason[128];
    for (int i = 0; i < RELAYS; i++) {
        const tusk_relay_options options = {.loop = s.loop,
                                            .kind = s.kind,
                                            .limits = s.limits,
                                            .handler = &handler,
                                            .user = &s.relay[i],
                                            .any_address = true};
        assert_err(tusk_relay_new(&s.relay[i], &options, reason, sizeof(reason)), TUSK_OK);
        s.relay[i]->sources.seed = s.relay[A]->sources.seed;
        s.relay[i]->rate.seed = s.relay[A]->rate.seed;
        s.relay[i]->targets.seed = s.relay[A]->targets.seed;
        for (size_t k = 0; k < listeners; k++) {
            assert_err(tusk_relay_listen(s.relay[i], "127.0.0.1:0", &s.listen), TUSK_OK);
        }
    }
    assert_err(tusk_relay_shared_new(&s.shared, s.relay[A], RELAYS), TUSK_OK);
    for (uint32_t i = 0; i < RELAYS; i++) {
        assert_err(tusk_relay_share(s.relay[i], s.shared, i), TUSK_OK);
        assert_err(tusk_relay_start(s.relay[i], reason, sizeof(reason)), TUSK_OK);
    }
}

static inline int dial_port(uint16_t port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    s.clients[s.client_count++] = fd;
    return fd;
}

static inline int dial(int relay)
{
    return dial_port(tusk_relay_port(s.relay[relay], 0));
}

static inline bool ended(int fd)
{
    char byte;
    ssize_t got = recv(fd, &byte, 1, 0);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

#define UNTIL(condition)                                                                           \
    for (int turn__ = 0; !(condition); turn__++) {                                                 \
        assert_true(turn__ < TURNS_MAX);                                                           \
        assert_err(tusk_loop_turn(s.loop, 5), TUSK_OK);                                            \
    }

static inline tusk_relay_stats stats(int relay)
{
    tusk_relay_stats now;
    tusk_relay_stats_get(s.relay[relay], &now);
    return now;
}

#define SHARED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
