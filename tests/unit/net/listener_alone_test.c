/* SPDX-License-Identifier: MIT */
/* Clients of a listener that come one by one: behind them nobody is looked for, and nobody who is
 * there all the same is forgotten. */
#define _GNU_SOURCE
#include "net/listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../loop/pollers.h"

enum { MANY = 64, ALONE = 8 };

static struct {
    test_mem mem;
    tusk_loop *loop;
    tusk_listener *listener;
    int clients[MANY], accepted[MANY];
    int dialled, count;
} t;

static void on_accept(void *user, int fd, const tusk_addr *peer)
{
    (void)user;
    (void)peer;
    assert_true(t.count < MANY);
    t.accepted[t.count++] = fd;
}

static int set_up(void **state)
{
    tusk_addr addr;
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    assert_err(
        tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem, .poller = test_poller}),
        TUSK_OK);
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_listener_open(&t.listener, t.loop, &addr, NULL, on_accept, NULL), TUSK_OK);
    tusk_listener_resume(t.listener);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_listener_close(t.listener);
    for (int i = 0; i < t.dialled; i++) {
        close(t.clients[i]);
    }
    for (int i = 0; i < t.count; i++) {
        close(t.accepted[i]);
    }
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

/* Connected, all of them, before the next turn: they wait in the listener's queue. */
static void dial(int how_many)
{
    const tusk_addr *addr = tusk_listener_addr(t.listener);
    for (int i = 0; i < how_many; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_true(fd >= 0);
        assert_true(t.dialled < MANY);
        t.clients[t.dialled++] = fd;
        assert_int_equal(connect(fd, (const struct sockaddr *)(const void *)addr->u.raw, addr->len),
                         0);
    }
}

static int accepted_in_a_turn(void)
{
    int before = t.count;
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    return t.count - before;
}

static void one_by_one(int how_many)
{
    for (int i = 0; i < how_many; i++) {
        dial(1);
        assert_int_equal(accepted_in_a_turn(), 1);
    }
}

static void who_comes_together_is_taken_together(void **state)
{
    (void)state;
    one_by_one(ALONE);
    dial(5);
    assert_int_equal(accepted_in_a_turn(), 5);
    one_by_one(ALONE); /* counted anew */
    dial(2);
    assert_int_equal(accepted_in_a_turn(), 2);
}

static void behind_who_comes_alone_each_fourth_time_somebody_is_looked_for(void **state)
{
    (void)state;
    one_by_one(ALONE + 1);
    dial(6);
    for (int turn = 0; turn < 3; turn++) { /* told again each time */
        assert_int_equal(accepted_in_a_turn(), 1);
    }
    assert_int_equal(accepted_in_a_turn(), 3);
    assert_int_equal(accepted_in_a_turn(), 0);
    dial(2);
    assert_int_equal(accepted_in_a_turn(), 2);
    one_by_one(ALONE + 4);
    dial(3);
    assert_int_equal(accepted_in_a_turn(), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_comes_together_is_taken_together),
        TEST(behind_who_comes_alone_each_fourth_time_somebody_is_looked_for),
    };
    return TEST_RUN_FOR_EACH_POLLER("net/listener_alone", tests);
}
