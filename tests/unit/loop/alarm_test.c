/* SPDX-License-Identifier: MIT */
/* Alarms: on the edge they wake once, set anew they wake again, put off they are silent. */
#define _GNU_SOURCE
#include "loop/alarm.h"

#include <tusk/loop.h>
#include <unistd.h>

#include "test.h"

#define LONG_NS (UINT64_C(3600) * 1000000000)

static struct {
    tusk_loop *loop;
    tusk_io io;
    int rung;
} t;

static void on_alarm(tusk_io *io, unsigned events)
{
    assert_ptr_equal(io, &t.io);
    assert_true((events & TUSK_IO_READ) != 0);
    t.rung++;
}

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    assert_err(tusk_loop_new(&t.loop, NULL), TUSK_OK);
    t.io = (tusk_io){.fd = tusk__alarm_open(), .on_event = on_alarm};
    if (t.io.fd >= 0) {
        assert_err(tusk_io_add(t.loop, &t.io, TUSK_IO_READ | TUSK_IO_EDGE), TUSK_OK);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_io_remove(t.loop, &t.io);
    if (t.io.fd >= 0) {
        assert_int_equal(close(t.io.fd), 0);
    }
    tusk_loop_free(t.loop);
    return 0;
}

static void needs_an_alarm(void)
{
    if (t.io.fd < 0) {
        skip();
    }
}

static void an_alarm_ends_a_wait_without_a_limit_and_not_before_its_time(void **state)
{
    (void)state;
    needs_an_alarm();
    uint64_t at = tusk_loop_clock_ns() + 2000000;
    tusk__alarm_set(t.io.fd, at);
    while (t.rung == 0) {
        assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    }
    assert_true(tusk_loop_now_ns(t.loop) >= at);
}

static void an_alarm_that_rang_is_silent_until_it_is_set_again(void **state)
{
    (void)state;
    needs_an_alarm();
    for (int i = 1; i <= 3; i++) {
        tusk__alarm_set(t.io.fd, tusk_loop_clock_ns());
        assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
        assert_int_equal(t.rung, i);
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK); /* nobody has read it */
        assert_int_equal(t.rung, i);
    }
}

static void an_alarm_in_the_past_rings_at_once(void **state)
{
    (void)state;
    needs_an_alarm();
    tusk__alarm_set(t.io.fd, 0);
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    assert_int_equal(t.rung, 1);
}

static void an_alarm_that_is_put_off_does_not_ring(void **state)
{
    (void)state;
    needs_an_alarm();
    tusk__alarm_set(t.io.fd, 0);
    tusk__alarm_set(t.io.fd, tusk_loop_clock_ns() + LONG_NS);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.rung, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            an_alarm_ends_a_wait_without_a_limit_and_not_before_its_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_alarm_that_rang_is_silent_until_it_is_set_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_alarm_in_the_past_rings_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_alarm_that_is_put_off_does_not_ring, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
