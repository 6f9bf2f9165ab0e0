/* SPDX-License-Identifier: MIT */
/* Timers: order, moving, stopping from callbacks, the far future; the wheel against a sorted model.
 */
#include <tusk/loop.h>

#include "loop/inner.h"
#include "test.h"

typedef struct alarm {
    tusk_timer timer; /* first */
    int fired;
    uint64_t fired_ns;
    struct alarm *victim; /* stopped, or with `restart` started anew, by the callback */
    bool restart;
    uint64_t delay_ms;
} alarm;

static struct {
    test_mem mem;
    tusk_loop *loop;
    char log[64];
} t;

static void on_due(tusk_timer *timer)
{
    alarm *self = (alarm *)(void *)timer;
    assert_false(tusk_timer_running(timer));
    self->fired++;
    self->fired_ns = tusk_loop_clock_ns();
    if (self->victim != NULL && self->restart) {
        tusk_timer_start(t.loop, &self->victim->timer, self->delay_ms);
    } else if (self->victim != NULL) {
        tusk_timer_stop(t.loop, &self->victim->timer);
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem}), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

#define ALARM                                                                                      \
    {                                                                                              \
        .timer = {.on_due = on_due }                                                               \
    }

static void timers_fire_in_order_never_early_and_end_the_run(void **state)
{
    (void)state;
    alarm alarms[5] = {ALARM, ALARM, ALARM, ALARM, ALARM};
    static const uint64_t delays[5] = {7, 1, 30, 1, 12};
    uint64_t from = tusk_loop_clock_ns();
    for (int i = 0; i < 5; i++) {
        tusk_timer_start(t.loop, &alarms[i].timer, delays[i]);
        assert_true(tusk_timer_running(&alarms[i].timer));
    }
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(alarms[i].fired, 1);
        assert_true(alarms[i].fired_ns - from >= delays[i] * 1000000u);
    }
    assert_true(alarms[1].fired_ns <= alarms[3].fired_ns);
    assert_true(alarms[3].fired_ns <= alarms[0].fired_ns);
    assert_true(alarms[0].fired_ns <= alarms[4].fired_ns);
    assert_true(alarms[4].fired_ns <= alarms[2].fired_ns);
}

static void a_timer_started_late_in_a_turn_is_not_early(void **state)
{
    (void)state;
    alarm one = ALARM;
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    uint64_t begin = tusk_loop_clock_ns();
    while (tusk_loop_clock_ns() - begin <
           5000000) { /* a handler that computes: the loop's time stands still */
    }
    uint64_t from = tusk_loop_clock_ns();
    tusk_timer_start(t.loop, &one.timer, 3);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_true(one.fired_ns - from >= 3000000);
}

static void a_timer_by_the_loops_time_is_due_when_that_has_come(void **state)
{
    (void)state;
    alarm soon = ALARM;
    alarm past = ALARM;
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    uint64_t now_ms = tusk_loop_now_ms(t.loop);
    tusk_timer_start_at(t.loop, &soon.timer, now_ms + 60000);
    tusk_timer_start_at(t.loop, &soon.timer, now_ms + 3); /* moved */
    tusk_timer_start_at(t.loop, &past.timer, now_ms);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(past.fired, 1);
    assert_int_equal(soon.fired, 0);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_int_equal(soon.fired, 1);
    assert_true(soon.fired_ns >= (now_ms + 3) * 1000000);
}

static void starting_again_moves_and_stopping_twice_is_harmless(void **state)
{
    (void)state;
    alarm one = ALARM;
    alarm two = ALARM;
    tusk_timer_start(t.loop, &one.timer, 1);
    tusk_timer_start(t.loop, &one.timer, 20);
    tusk_timer_start(t.loop, &two.timer, 5);
    tusk_timer_stop(t.loop, &two.timer);
    tusk_timer_stop(t.loop, &two.timer);
    uint64_t from = tusk_loop_clock_ns();
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_int_equal(one.fired, 1);
    assert_true(one.fired_ns - from >= 19000000);
    assert_int_equal(two.fired, 0);
}

static void a_callback_may_stop_one_that_is_due_in_the_same_turn(void **state)
{
    (void)state;
    alarm one = ALARM;
    alarm two = ALARM;
    one.victim = &two;
    two.victim = &one;
    tusk_timer_start(t.loop, &one.timer, 0);
    tusk_timer_start(t.loop, &two.timer, 0);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_int_equal(one.fired + two.fired, 1);
}

static void a_timer_of_no_delay_that_starts_itself_lets_turns_end(void **state)
{
    (void)state;
    alarm one = ALARM;
    one.victim = &one;
    one.restart = true;
    tusk_timer_start(t.loop, &one.timer, 0);
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    assert_int_equal(one.fired, 1);
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK); /* does not wait */
    assert_int_equal(one.fired, 2);
    tusk_timer_stop(t.loop, &one.timer);
}

static void the_far_future_is_kept_and_the_end_of_time_too(void **state)
{
    (void)state;
    alarm far[4] = {ALARM, ALARM, ALARM, ALARM};
    alarm soon = ALARM;
    tusk_timer_start(t.loop, &far[0].timer, UINT64_MAX);
    tusk_timer_start(t.loop, &far[1].timer, UINT64_MAX - tusk_loop_now_ms(t.loop) - 10);
    tusk_timer_start(t.loop, &far[2].timer, UINT64_C(1) << 40);
    tusk_timer_start(t.loop, &far[3].timer, 86400000);
    tusk_timer_start(t.loop, &soon.timer, 2);
    for (int i = 0; soon.fired == 0 && i < 100; i++) {
        assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    }
    assert_int_equal(soon.fired, 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(far[i].fired, 0);
        tusk_timer_stop(t.loop, &far[i].timer);
    }
}

static void a_stopped_timer_wakes_nobody(void **state)
{
    (void)state;
    alarm one = ALARM;
    uint64_t when;
    for (unsigned i = 0; i < 64; i++) {
        tusk_timer_start(t.loop, &one.timer, UINT64_C(1) << i);
        assert_true(tusk__wheel_next(&t.loop->wheel, &when));
        tusk_timer_stop(t.loop, &one.timer);
        assert_false(tusk__wheel_next(&t.loop->wheel, &when));
    }
}

/* ---- the wheel alone, against the simplest model ---- */
enum { TIMERS = 400 };

static void the_wheel_agrees_with_a_model(void **state)
{
    (void)state;
    static tusk_timer timers[TIMERS];
    struct tusk_loop_node due;
    uint64_t seed = 99;
    uint64_t now = 12345678901u;
    size_t fired = 0;
    memset(timers, 0, sizeof(timers));
    tusk__node_init(&due);
    tusk__wheel_init(&t.loop->wheel, now);
    for (int step = 0; step < 20000; step++) {
        tusk_timer *timer = &timers[test_random(&seed) % TIMERS];
        tusk_timer_stop(t.loop, timer);
        if (test_random(&seed) % 8 != 0) {
            /* placed as tusk_timer_start does it, but with the model's clock */
            uint64_t delay_ms =
                1 + (test_random(&seed) >> (test_random(&seed) % 64)) % (UINT64_C(1) << 45);
            timer->due_ms = (now + delay_ms) & TUSK_TIMER_DUE_MAX;
            tusk__wheel_insert(&t.loop->wheel, timer);
            t.loop->timers++;
        }
        if (test_random(&seed) % 4 != 0) {
            continue;
        }
        uint64_t first = UINT64_MAX;
        uint64_t when;
        for (int i = 0; i < TIMERS; i++) {
            if (tusk_timer_running(&timers[i]) && timers[i].due_ms < first) {
                first = timers[i].due_ms;
            }
        }
        assert_true(tusk__wheel_next(&t.loop->wheel, &when) == (first != UINT64_MAX));
        assert_true(first == UINT64_MAX || (when <= first && when > now));
        switch (test_random(&seed) % 3) {
        case 0: now += test_random(&seed) % 100; break;
        case 1: now = first == UINT64_MAX ? now : first; break;
        default: now += test_random(&seed) >> (20 + test_random(&seed) % 44); break;
        }
        tusk__wheel_advance(&t.loop->wheel, now, &due);
        uint64_t last = 0;
        struct tusk_loop_node *node;
        while ((node = tusk__node_pop(&due)) != NULL) {
            tusk_timer *each = TUSK_OWNER(node, tusk_timer, node);
            assert_true(each->due_ms <= now);
            assert_true(each->due_ms >= last);
            last = each->due_ms;
            t.loop->timers--;
            fired++;
        }
        for (int i = 0; i < TIMERS; i++) {
            assert_true(!tusk_timer_running(&timers[i]) || timers[i].due_ms > now);
        }
    }
    assert_true(fired > 1000);
    for (int i = 0; i < TIMERS; i++) {
        tusk_timer_stop(t.loop, &timers[i]);
    }
}

static void a_turn_waits_until_an_instant_finer_than_a_tick(void **state)
{
    (void)state;
    alarm far = ALARM;
    tusk_timer_start(t.loop, &far.timer, 60000); /* keeps the loop alive, and the wait long */
    uint64_t until = tusk_loop_clock_ns() + 2300000;
    assert_err(tusk_loop_turn_until(t.loop, until), TUSK_OK);
    assert_true(tusk_loop_clock_ns() >= until);
    assert_true(tusk_loop_now_ns(t.loop) >= until);
    assert_int_equal(tusk_loop_now_ns(t.loop) / 1000000, tusk_loop_now_ms(t.loop));
    assert_err(tusk_loop_turn_until(t.loop, 1), TUSK_OK); /* long past: does not wait */
    assert_int_equal(far.fired, 0);
    alarm near = ALARM;
    tusk_timer_start(t.loop, &near.timer, 5);
    while (near.fired == 0) { /* a timer ends the wait before its time */
        assert_err(tusk_loop_turn_until(t.loop, tusk_loop_clock_ns() + UINT64_C(30000000000)),
                   TUSK_OK);
    }
    assert_int_equal(far.fired, 0);
    tusk_timer_stop(t.loop, &far.timer);
}

static void turn_within(tusk_timer *timer)
{
    alarm *self = (alarm *)(void *)timer;
    self->fired++;
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK); /* the rest of the turn that this is in */
    assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
}

static void a_turn_in_a_callback_waits_as_it_was_told_itself(void **state)
{
    (void)state;
    alarm near = ALARM;
    near.timer.on_due = turn_within;
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    tusk_timer_start(t.loop, &near.timer, 1);
    while (near.fired == 0) { /* a newer call takes it over: TUSK_ESTATE */
        (void)tusk_loop_turn_until(t.loop, until);
    }
    assert_true(tusk_loop_clock_ns() < until);
}

static void fine_timers_fire_by_their_nanosecond_and_never_early(void **state)
{
    (void)state;
    alarm alarms[5] = {ALARM, ALARM, ALARM, ALARM, ALARM};
    static const uint64_t delays_ns[5] = {700000, 100, 3000000, 100, 1200000};
    uint64_t from = tusk_loop_clock_ns();
    for (int i = 0; i < 5; i++) {
        tusk_timer_start_ns(t.loop, &alarms[i].timer, delays_ns[i]);
        assert_true(tusk_timer_running(&alarms[i].timer));
    }
    tusk_timer_start_ns(t.loop, &alarms[3].timer, 2000000); /* moved */
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(alarms[i].fired, 1);
        assert_true(alarms[i].fired_ns - from >= (i == 3 ? 2000000 : delays_ns[i]));
    }
    assert_true(alarms[1].fired_ns <= alarms[0].fired_ns);
    assert_true(alarms[0].fired_ns <= alarms[4].fired_ns);
    assert_true(alarms[4].fired_ns <= alarms[3].fired_ns);
    assert_true(alarms[3].fired_ns <= alarms[2].fired_ns);
}

/* Between two ticks there is no tick: that the loop does not wait for one tells where it stands. */
static void a_fine_timer_is_no_timer_of_ticks_unless_too_many_are_later(void **state)
{
    (void)state;
    alarm alarms[100];
    uint64_t when;
    for (int i = 0; i < 100; i++) { /* each earlier than those before */
        alarms[i] = (alarm)ALARM;
        tusk_timer_start_ns(t.loop, &alarms[i].timer, (uint64_t)(60000 - i) * 1000000 + 1);
        assert_int_equal(tusk__wheel_next(&t.loop->wheel, &when), i > 64);
    }
    assert_true(tusk__fine_next(t.loop, &when));
    for (int i = 0; i < 100; i++) {
        assert_true(tusk_timer_running(&alarms[i].timer));
        tusk_timer_stop(t.loop, &alarms[i].timer);
        tusk_timer_stop(t.loop, &alarms[i].timer);
    }
    assert_false(tusk__fine_next(t.loop, &when));
    assert_false(tusk__wheel_next(&t.loop->wheel, &when));
    assert_err(tusk_loop_run(t.loop), TUSK_OK); /* nothing keeps it */
}

static void fine_timers_of_the_end_of_time_are_kept_and_of_no_delay_fire_at_once(void **state)
{
    (void)state;
    alarm never = ALARM;
    alarm now = ALARM;
    tusk_timer_start_ns(t.loop, &never.timer, UINT64_MAX);
    tusk_timer_start_ns(t.loop, &now.timer, 0);
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    assert_int_equal(now.fired, 1);
    assert_int_equal(never.fired, 0);
    assert_true(tusk_timer_running(&never.timer));
    tusk_timer_stop(t.loop, &never.timer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_timer_by_the_loops_time_is_due_when_that_has_come),
        TEST(timers_fire_in_order_never_early_and_end_the_run),
        TEST(a_timer_started_late_in_a_turn_is_not_early),
        TEST(starting_again_moves_and_stopping_twice_is_harmless),
        TEST(a_callback_may_stop_one_that_is_due_in_the_same_turn),
        TEST(a_timer_of_no_delay_that_starts_itself_lets_turns_end),
        TEST(the_far_future_is_kept_and_the_end_of_time_too),
        TEST(a_stopped_timer_wakes_nobody),
        TEST(the_wheel_agrees_with_a_model),
        TEST(a_turn_waits_until_an_instant_finer_than_a_tick),
        TEST(a_turn_in_a_callback_waits_as_it_was_told_itself),
        TEST(fine_timers_fire_by_their_nanosecond_and_never_early),
        TEST(a_fine_timer_is_no_timer_of_ticks_unless_too_many_are_later),
        TEST(fine_timers_of_the_end_of_time_are_kept_and_of_no_delay_fire_at_once),
    };
    return cmocka_run_group_tests_name("loop/timer", tests, NULL, NULL);
}
