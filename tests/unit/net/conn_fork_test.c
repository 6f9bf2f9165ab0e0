/* SPDX-License-Identifier: MIT */
/* A closed connection whose socket somebody else still holds: the loop hears no more of it. */
#define _GNU_SOURCE
#include "net/conn.h"

#include <poll.h>

#include "loop/inner.h"
#include "owner.h"

static int told;

static void tell(tusk_io *io, unsigned events)
{
    (void)io;
    (void)events;
    told++;
}

static int other; /* the descriptor that a forked child would have */

typedef tusk_err adopt(tusk_conn *self, tusk_net *net, int fd, tusk_filter *filter,
                       const tusk_conn_ops *ops);

/* Whether the poller would name it still: readable, where it has a descriptor of its own. */
static bool named(void)
{
    const tusk__poller *poller = t.loop->poller;
    struct pollfd watch = {.events = POLLIN};
    if (poller->descriptor == NULL) {
        return false;
    }
    watch.fd = poller->descriptor(t.loop);
    return poll(&watch, 1, 0) == 1;
}

/* Whether the system names a connection that has been closed; the loop never tells of it. */
static bool named_after_close(adopt *how, uint32_t forks)
{
    int fds[2];
    owner *one = owner_new();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    other = dup(fds[0]);
    assert_err(how(&one->conn, t.net, fds[0], NULL, &owner_ops), TUSK_OK);
    t.forks += forks;
    tusk_conn_abort(&one->conn, TUSK_OK);
    turns(2);
    told = 0;
    one->conn.io.interest = TUSK_IO_READ; /* a poller that is told nothing of closing goes by it */
    one->conn.io.on_event = tell;
    assert_int_equal(write(fds[1], "x", 1), 1);
    bool is_named = named();
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    (void)close(other);
    (void)close(fds[1]);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    owner_free(one);
    assert_int_equal(told, 0);
    return is_named;
}

static void one_that_may_have_been_forked_with_is_taken_out(void **state)
{
    (void)state;
    assert_false(named_after_close(tusk_conn_init, 0));
    assert_false(named_after_close(tusk_conn_accepted, 1));
}

/* One system call less: the other descriptor, of which nobody said anything, shows it. Nobody is
 * told. */
static void one_that_was_accepted_since_is_closed_only(void **state)
{
    (void)state;
    assert_int_equal(named_after_close(tusk_conn_accepted, 0), strcmp(test_poller, "epoll") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_may_have_been_forked_with_is_taken_out, net_set_up,
                                        net_tear_down),
        cmocka_unit_test_setup_teardown(one_that_was_accepted_since_is_closed_only, net_set_up,
                                        net_tear_down),
    };
    return TEST_RUN_FOR_EACH_POLLER("net/conn_fork", tests);
}
