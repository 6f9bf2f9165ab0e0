/* SPDX-License-Identifier: MIT */
/* Deadlines of peers: one that is told late is put off, once. */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include "loop/inner.h"
#include "still_clock.h"
#include "test.h"

typedef struct counted {
    tusk_timer timer; /* first */
    int fired;
} counted;

static struct {
    test_mem mem;
    tusk_loop *loop;
} t;

static void on_due(tusk_timer *timer)
{
    ((counted *)(void *)timer)->fired++;
}

#define COUNTED                                                                                    \
    {                                                                                              \
        .timer = {.on_due = on_due }                                                               \
    }

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    still_begin();
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem}), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_loop_free(t.loop);
    still_end();
    test_mem_assert_empty(&t.mem);
    return 0;
}

static void turn_after_ms(uint64_t ms)
{
    still_pass_ms(ms);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
}

static void a_deadline_is_put_off_once_when_it_is_told_late(void **state)
{
    static const struct {
        uint64_t late_ms;
        uint64_t more_ms; /* 0: it is told */
    } sleeps[] = {{0, 0}, {99, 0}, {100, 100}, {700, 700}, {1000, 1000}, {10000, 1000}};
    (void)state;
    for (size_t i = 0; i < sizeof(sleeps) / sizeof(sleeps[0]); i++) {
        counted deadline = COUNTED;
        counted other = COUNTED;
        deadline.timer.deadline = true;
        tusk_timer_start(t.loop, &deadline.timer, 50);
        tusk_timer_start(t.loop, &other.timer, 50);
        turn_after_ms(50 + sleeps[i].late_ms);
        assert_int_equal(other.fired, 1);
        if (sleeps[i].more_ms > 0) {
            assert_int_equal(deadline.fired, 0);
            turn_after_ms(sleeps[i].more_ms - 1);
            assert_int_equal(deadline.fired, 0);
            turn_after_ms(5000); /* and it sleeps again */
        }
        assert_int_equal(deadline.fired, 1);
    }
}

/* Another deadline: it was started anew, or moved while its timer stays. */
static void a_deadline_that_is_another_one_is_put_off_again(void **state)
{
    (void)state;
    counted one = COUNTED;
    one.timer.deadline = true;
    tusk_timer_start(t.loop, &one.timer, 50);
    for (int i = 0; i < 3; i++) {
        turn_after_ms(10000);
        assert_int_equal(one.fired, 0);
        assert_true(one.timer.put_off);
        if (i == 0) {
            tusk_timer_start(t.loop, &one.timer, 50);
        } else if (i == 1) {
            one.timer.put_off = false;
        }
    }
    turn_after_ms(10000);
    assert_int_equal(one.fired, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_deadline_is_put_off_once_when_it_is_told_late),
        TEST(a_deadline_that_is_another_one_is_put_off_again),
    };
    return cmocka_run_group_tests_name("loop/deadline", tests, NULL, NULL);
}
