/* SPDX-License-Identifier: MIT */
/* A listener whose socket accepts nobody any more: another process that has a copy of it has shut
 * it down, and pollers report that for ever. */
#define _GNU_SOURCE
#include "net/listener.h"

#include <errno.h>
#include <sys/socket.h>

#include "../loop/pollers.h"

static struct {
    tusk_loop *loop;
    tusk_listener *listener;
    int error; /* on_exhausted was told */
} t;

static void on_accept(void *user, int fd, const tusk_addr *peer)
{
    (void)user;
    (void)peer;
    fail_msg("accepted %d", fd);
}

static void on_exhausted(void *user, int error)
{
    assert_ptr_equal(user, &t);
    t.error = error;
}

static int set_up(void **state)
{
    tusk_addr addr;
    const tusk_listener_options options = {.on_exhausted = on_exhausted};
    (void)state;
    memset(&t, 0, sizeof(t));
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.poller = test_poller}), TUSK_OK);
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_listener_open(&t.listener, t.loop, &addr, &options, on_accept, &t), TUSK_OK);
    assert_int_equal(shutdown(tusk_listener_fd(t.listener), SHUT_RDWR), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_listener_close(t.listener);
    tusk_loop_free(t.loop);
    return 0;
}

/* Events that some turns bring, once it was looked at so often. */
static uint64_t events_after(uint64_t looks)
{
    tusk_loop_counters counters;
    for (int turns = 0; tusk_listener_exhausted(t.listener) < looks; turns++) {
        assert_true(turns < 1000);
        assert_err(tusk_loop_turn(t.loop, 10), TUSK_OK);
    }
    for (int i = 0; i < 5; i++) {
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    }
    tusk_loop_count(t.loop, &counters);
    return counters.events;
}

static void it_is_told_and_looked_at_again_without_spinning(void **state)
{
    (void)state;
    tusk_listener_resume(t.listener);
    assert_int_equal(events_after(1), 1); /* looked once, then looked away */
    assert_int_equal(t.error, EINVAL);
    assert_int_equal(events_after(2), 2);
}

static void whoever_accepts_nobody_is_no_reason_to_spin_either(void **state)
{
    (void)state;
    tusk_listener_pause(t.listener);
    if (strcmp(test_poller, "epoll") == 0 || strcmp(test_poller, "poll") == 0) {
        assert_int_equal(events_after(1), 1);
    } else { /* which tells nothing without an interest */
        assert_int_equal(events_after(0), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_told_and_looked_at_again_without_spinning, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(whoever_accepts_nobody_is_no_reason_to_spin_either, set_up,
                                        tear_down),
    };
    return TEST_RUN_FOR_EACH_POLLER("net/listener_shut", tests);
}
