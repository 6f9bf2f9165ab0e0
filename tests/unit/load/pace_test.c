/* SPDX-License-Identifier: MIT */
/* Schedules: computed from index and seed, ramp and lanes included. */
#include "load/pace.h"

#include <math.h>

#include "test.h"

#define SECOND UINT64_C(1000000000)

static void assert_about(uint64_t is, uint64_t wanted, uint64_t within)
{
    if (is + within < wanted || is > wanted + within) {
        fail_msg("%llu is not within %llu of %llu", (unsigned long long)is,
                 (unsigned long long)within, (unsigned long long)wanted);
    }
}

static void uniform_arrivals_stand_at_their_index(void **state)
{
    (void)state;
    load_pace pace;
    tusk__load_pace_init(&pace, 1000, 0, false, 1, 0, 1, 5 * SECOND, 15 * SECOND);
    uint64_t count = 0;
    uint64_t at;
    while ((at = tusk__load_pace_take(&pace)) != UINT64_MAX) {
        assert_about(at, 5 * SECOND + count * 1000000, 2);
        count++;
    }
    assert_int_equal(count, 10000);
    assert_int_equal(tusk__load_pace_take(&pace), UINT64_MAX);
}

static void lanes_interleave_to_the_same_schedule(void **state)
{
    (void)state;
    load_pace whole;
    load_pace lanes[3];
    tusk__load_pace_init(&whole, 700, 2, false, 1, 0, 1, 0, 10 * SECOND);
    for (uint32_t i = 0; i < 3; i++) {
        tusk__load_pace_init(&lanes[i], 700, 2, false, 1, i, 3, 0, 10 * SECOND);
    }
    for (uint64_t i = 0; whole.next_ns != UINT64_MAX; i++) {
        assert_int_equal(tusk__load_pace_take(&whole), tusk__load_pace_take(&lanes[i % 3]));
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lanes[i].next_ns, UINT64_MAX);
    }
}

static void a_ramp_rises_to_the_rate(void **state)
{
    (void)state;
    load_pace pace;
    tusk__load_pace_init(&pace, 100, 4, false, 1, 0, 1, 0, 14 * SECOND);
    /* 100/s over 4 s of ramp: 200 arrivals, half of the time gives a quarter of them */
    assert_true(fabs(tusk__load_pace_time(&pace, 50) - 2.0) < 1e-9);
    assert_true(fabs(tusk__load_pace_time(&pace, 200) - 4.0) < 1e-9);
    assert_true(fabs(tusk__load_pace_time(&pace, 300) - 5.0) < 1e-9);
    uint64_t count = 0;
    while (tusk__load_pace_take(&pace) != UINT64_MAX) {
        count++;
    }
    assert_int_equal(count, 200 + 1000);
}

static void poisson_arrivals_have_the_rate_and_follow_from_the_seed(void **state)
{
    (void)state;
    load_pace one;
    load_pace same;
    load_pace other;
    tusk__load_pace_init(&one, 1000, 0, true, 7, 0, 2, 0, 100 * SECOND);
    tusk__load_pace_init(&same, 1000, 0, true, 7, 0, 2, 0, 100 * SECOND);
    tusk__load_pace_init(&other, 1000, 0, true, 8, 0, 2, 0, 100 * SECOND);
    uint64_t count = 0;
    uint64_t last = 0;
    uint64_t differing = 0;
    double squares = 0;
    uint64_t at;
    while ((at = tusk__load_pace_take(&one)) != UINT64_MAX) {
        double gap = (double)(at - last) / 2e6 - 1; /* this lane has 500/s: gaps of 2 ms */
        assert_int_equal(at, tusk__load_pace_take(&same));
        differing += at != tusk__load_pace_take(&other);
        squares += gap * gap;
        last = at;
        count++;
    }
    assert_about(count, 50000, 1000); /* 4.5 standard deviations; the seed is fixed */
    assert_true(differing > 49000);
    assert_true(fabs(squares / (double)count - 1) < 0.05); /* exponential: variance = mean^2 */
}

static void what_is_due_is_counted_without_being_taken(void **state)
{
    (void)state;
    load_pace pace;
    tusk__load_pace_init(&pace, 1000, 0, false, 1, 0, 1, 0, SECOND);
    assert_int_equal(tusk__load_pace_due(&pace, 9500000, 100), 10);
    assert_int_equal(tusk__load_pace_due(&pace, 9500000, 4), 4);
    assert_int_equal(tusk__load_pace_due(&pace, 5 * SECOND, UINT64_MAX), 1000);
    assert_int_equal(pace.index, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_arrivals_stand_at_their_index),
        cmocka_unit_test(lanes_interleave_to_the_same_schedule),
        cmocka_unit_test(a_ramp_rises_to_the_rate),
        cmocka_unit_test(poisson_arrivals_have_the_rate_and_follow_from_the_seed),
        cmocka_unit_test(what_is_due_is_counted_without_being_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
