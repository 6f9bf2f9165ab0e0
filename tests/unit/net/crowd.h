/* SPDX-License-Identifier: MIT */
/* Many connections in one turn, with rings as kernels have them, and without. */
#ifndef TUSK_TEST_CROWD_H
#define TUSK_TEST_CROWD_H

#include "net/inner.h"

#include "owner.h"

#define CROWD_MAX 300

static struct {
    owner *owner[CROWD_MAX];
    int peer[CROWD_MAX];
    unsigned count;
    int told;
    char reason[128];
} c;

static unsigned crowd_lacks; /* of this run */

static inline void tell_crowd(void *user, const char *reason)
{
    (void)user;
    c.told++;
    (void)snprintf(c.reason, sizeof(c.reason), "%s", reason);
}

static inline int crowd_set_up(void **state)
{
    memset(&c, 0, sizeof(c));
    test_batch_min = 4;
    int failed = net_set_up(state);
    t.net->batch.lacks = crowd_lacks;
    tusk_net_on_lack(t.net, tell_crowd, NULL);
    return failed;
}

static inline int crowd_tear_down(void **state)
{
    for (unsigned i = 0; i < c.count; i++) {
        owner_end(c.owner[i]);
        (void)close(c.peer[i]);
    }
    return net_tear_down(state);
}

static inline void gather(unsigned count)
{
    c.count = count;
    for (unsigned i = 0; i < count; i++) {
        int fd[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
        c.peer[i] = fd[1];
        c.owner[i] = owner_new();
        assert_err(tusk_conn_init(&c.owner[i]->conn, t.net, fd[0], NULL, &owner_ops), TUSK_OK);
        c.owner[i]->adopted = true;
    }
}

static inline void say_all(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        char text[16];
        int len = snprintf(text, sizeof(text), "for %u", i);
        assert_err(tusk_conn_append(&c.owner[i]->conn, text, (size_t)len), TUSK_OK);
    }
}

static inline void assert_heard(unsigned i, const char *expected)
{
    char heard[64];
    ssize_t len = recv(c.peer[i], heard, sizeof(heard), MSG_DONTWAIT);
    assert_int_equal(len, (ssize_t)strlen(expected));
    assert_memory_equal(heard, expected, strlen(expected));
}

static inline void assert_all_heard(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "for %u", i);
        assert_heard(i, text);
        assert_null(c.owner[i]->conn.send_head);
        assert_false(c.owner[i]->conn.blocked);
    }
}

static inline size_t hear_more(unsigned i, uint8_t *place, size_t room)
{
    ssize_t len = recv(c.peer[i], place, room, MSG_DONTWAIT);
    return len > 0 ? (size_t)len : 0;
}

static inline bool has_ring(void)
{
    return tusk_batch_works(t.net->batch.ring);
}

/* With a ring that stays: so many system calls for so many sends. */
static inline void assert_batches(uint64_t batches, uint64_t batched)
{
    if (has_ring()) {
        assert_int_equal(tusk_net_count(t.net)->batches, batches);
        assert_int_equal(tusk_net_count(t.net)->batched, batched);
    }
}

#define CROWD_RUN_FOR_EACH_RING(name, tests)                                                       \
    crowd_run(name, tests, sizeof(tests) / sizeof((tests)[0]))

static inline int crowd_run(const char *name, const struct CMUnitTest *tests, size_t count)
{
    static const struct {
        const char *name;
        unsigned lacks;
    } ways[] = {{"the best there is", 0},
                {"forbidden", BATCH_FORBIDDEN},
                {"no memory", BATCH_NO_MEMORY},
                {"refused later", BATCH_REFUSES},
                {"half is taken", BATCH_HALF}};
    int failed = 0;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        char title[64];
        crowd_lacks = ways[i].lacks;
        (void)snprintf(title, sizeof(title), "%s: %s", name, ways[i].name);
        failed += _cmocka_run_group_tests(title, tests, count, NULL, NULL);
    }
    return failed;
}

#endif
