/* SPDX-License-Identifier: MIT */
/* One tusk_io in the place of another one. */
#define _GNU_SOURCE
#include "loop/successor.h"

#include <sys/socket.h>
#include <unistd.h>

#include "pollers.h"

enum { PAIRS = 2 };

typedef struct end {
    tusk_io io; /* first */
    int peer;
    int calls;
    unsigned events;
    bool hands_over;
} end;

static struct {
    test_mem mem;
    tusk_loop *loop;
    end ends[PAIRS];
    end heir;
} t;

/* In the place of whichever of the two is told later. */
static void on_event(tusk_io *io, unsigned events)
{
    end *self = (end *)(void *)io;
    self->calls++;
    self->events = events;
    if (self->hands_over) {
        self->hands_over = false;
        tusk__io_succeed(t.loop, &t.heir.io, &t.ends[self == &t.ends[0] ? 1 : 0].io);
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    const tusk_loop_options options = {.mem = &t.mem.mem, .poller = "epoll"};
    if (tusk_loop_new(&t.loop, &options) != TUSK_OK) {
        return 0; /* this platform has none */
    }
    t.heir.io = (tusk_io){.fd = -1, .on_event = on_event};
    for (int i = 0; i < PAIRS; i++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        t.ends[i].io = (tusk_io){.fd = fds[0], .on_event = on_event};
        t.ends[i].peer = fds[1];
        assert_err(tusk_io_add(t.loop, &t.ends[i].io, TUSK_IO_READ), TUSK_OK);
        assert_int_equal(write(fds[1], "x", 1), 1);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS && t.loop != NULL; i++) {
        if (t.ends[i].io.fd >= 0) {
            tusk_io_close(t.loop, &t.ends[i].io);
        }
        (void)close(t.ends[i].peer);
    }
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

static void needs_epoll(void)
{
    if (t.loop == NULL) {
        skip();
    }
    assert_true(tusk__loop_has_successors(t.loop));
}

static void a_successor_is_told_what_happens_from_then_on(void **state)
{
    (void)state;
    needs_epoll();
    end *former = &t.ends[0];
    int fd = former->io.fd;
    tusk__io_succeed(t.loop, &t.heir.io, &former->io);
    assert_int_equal(former->io.fd, -1);
    assert_int_equal(t.heir.io.fd, fd);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(former->calls, 0);
    assert_int_equal(t.heir.calls, 1);
    assert_int_equal(t.heir.events, TUSK_IO_READ);
    tusk_io_close(t.loop, &t.heir.io);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.heir.calls, 1);
}

static void what_a_turn_had_still_to_tell_is_told_to_the_successor_in_the_next(void **state)
{
    (void)state;
    needs_epoll();
    t.ends[0].hands_over = t.ends[1].hands_over = true;
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.ends[0].calls + t.ends[1].calls, 1);
    assert_int_equal(t.heir.calls, 0);
    t.ends[0].hands_over = t.ends[1].hands_over = false;
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.heir.calls, 1);
    tusk_io_close(t.loop, &t.heir.io);
}

/* A socket that is connected again is watched by its edges: epoll is told nothing of its new owner.
 */
static void edges_come_to_the_successor(void **state)
{
    (void)state;
    needs_epoll();
    end *former = &t.ends[0];
    char byte;
    tusk_io_remove(t.loop, &former->io);
    assert_int_equal(read(former->io.fd, &byte, 1), 1);
    assert_err(tusk_io_add(t.loop, &former->io, TUSK_IO_EDGE | TUSK_IO_READ | TUSK_IO_WRITE),
               TUSK_OK);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(former->calls, 1);
    assert_int_equal(former->events, TUSK_IO_WRITE);
    tusk__io_succeed(t.loop, &t.heir.io, &former->io);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.heir.calls, 0); /* it was told */
    assert_int_equal(write(former->peer, "y", 1), 1);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.heir.calls, 1);
    assert_true((t.heir.events & TUSK_IO_READ) != 0);
    assert_int_equal(former->calls, 1);
    tusk_io_close(t.loop, &t.heir.io);
}

static void an_interest_that_was_not_told_yet_is_the_successors(void **state)
{
    (void)state;
    needs_epoll();
    assert_err(tusk_io_set(t.loop, &t.ends[0].io, TUSK_IO_WRITE), TUSK_OK);
    tusk__io_succeed(t.loop, &t.heir.io, &t.ends[0].io);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.heir.calls, 1);
    assert_int_equal(t.heir.events, TUSK_IO_WRITE);
    tusk_io_close(t.loop, &t.heir.io);
}

static void other_pollers_have_none(void **state)
{
    (void)state;
    tusk_loop *loop;
    assert_err(tusk_loop_new(&loop, &(tusk_loop_options){.poller = "poll"}), TUSK_OK);
    assert_false(tusk__loop_has_successors(loop));
    tusk_loop_free(loop);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_successor_is_told_what_happens_from_then_on),
        TEST(what_a_turn_had_still_to_tell_is_told_to_the_successor_in_the_next),
        TEST(edges_come_to_the_successor),
        TEST(an_interest_that_was_not_told_yet_is_the_successors),
        cmocka_unit_test(other_pollers_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
