/* SPDX-License-Identifier: MIT */
/* The health of targets, as relays that share know it. */
#define _GNU_SOURCE
#include "shared_rig.h"

#include "relay/route/probe.h"

static relay_target *target[RELAYS];

static void begin_with_targets(void)
{
    begin(1);
    for (int i = 0; i < RELAYS; i++) {
        assert_err(relay_target_get(&target[i], s.relay[i], tusk_bytes_str(s.target)), TUSK_OK);
    }
}

static void end_with_targets(void)
{
    for (int i = 0; i < RELAYS; i++) {
        relay_target_unref(target[i]);
    }
}

static int known(int relay)
{
    return tusk_relay_health(s.relay[relay], tusk_bytes_str(s.target));
}

static _Atomic uint64_t *set_of(const relay_target *one)
{
    return &s.shared->healths.keys[one->in_table.hash % HEALTH_SETS * HEALTH_WAYS];
}

static void eject_by_a(void)
{
    for (uint32_t i = 0; i < s.limits.eject_failures; i++) {
        relay_health_failed(target[A]);
    }
}

static void failures_of_all_workers_count_and_eject_for_all(void **state)
{
    (void)state;
    begin_with_targets();
    relay_health_failed(target[A]);
    relay_health_failed(target[B]);
    assert_int_equal(known(B), 1);
    relay_health_failed(target[A]);
    assert_true(relay_health_is_out(target[A]));
    assert_true(relay_health_is_out(target[B]));
    assert_int_equal(known(A), 0);
    assert_int_equal(stats(B).ejected, 1);
    assert_int_equal(stats(A).ejections, 1); /* A's own, which it has told nobody yet */
    relay_health_failed(target[B]);          /* once more is not another one */
    assert_int_equal(stats(A).ejections, 1);
    end_with_targets();
}

static void a_success_anywhere_brings_it_back_for_all(void **state)
{
    (void)state;
    begin_with_targets();
    eject_by_a();
    relay_health_succeeded(target[B]);
    assert_false(relay_health_is_ejected(target[A]));
    assert_int_equal(stats(A).ejected, 0);
    relay_health_failed(target[A]); /* the first one in a row again */
    assert_false(relay_health_is_ejected(target[B]));
    end_with_targets();
}

static void a_worker_that_never_saw_it_knows_of_it(void **state)
{
    (void)state;
    begin(1);
    assert_err(relay_target_get(&target[A], s.relay[A], tusk_bytes_str(s.target)), TUSK_OK);
    assert_int_equal(known(B), -1);
    eject_by_a();
    assert_int_equal(known(B), 0);
    assert_err(relay_target_get(&target[B], s.relay[B], tusk_bytes_str(s.target)), TUSK_OK);
    assert_true(relay_health_is_out(target[B]));
    end_with_targets();
}

static void one_connection_of_all_workers_tries(void **state)
{
    (void)state;
    s.limits.eject_ms = 0;
    begin_with_targets();
    eject_by_a();
    assert_false(relay_health_is_out(target[B])); /* its time is over */
    assert_true(relay_health_try(target[A]));
    assert_true(relay_health_is_out(target[B]));
    assert_false(relay_health_try(target[B]));
    relay_health_leave(target[A]);
    assert_true(relay_health_try(target[B]));
    relay_health_failed(target[B]);
    assert_true(relay_health_try(target[A]));
    end_with_targets();
}

static void who_died_trying_is_not_waited_for(void **state)
{
    (void)state;
    s.limits.eject_ms = s.limits.connect_ms = s.limits.connect_total_ms = 0;
    begin_with_targets();
    eject_by_a();
    assert_true(relay_health_try(target[A])); /* and nothing is heard of it again */
    UNTIL(!relay_health_is_out(target[B]));
    assert_true(relay_health_try(target[B]));
    end_with_targets();
}

static void one_worker_probes_for_all(void **state)
{
    (void)state;
    s.limits.check_ms = 1000000;
    s.limits.check_fall = 1;
    begin_with_targets();
    (void)close(s.backend);
    relay_probes_due(&s.relay[A]->probe_timer);
    relay_probes_due(&s.relay[B]->probe_timer);
    relay_probes_due(&s.relay[A]->probe_timer);
    UNTIL(known(B) == 0);
    assert_int_equal(stats(A).probes, 1);
    assert_int_equal(stats(A).probe_failures, 1);
    relay_health_probed(target[B], true);
    assert_true(relay_health_is_ejected(target[A]));
    relay_health_probed(target[A], true); /* the second one in a row, by whomever */
    assert_false(relay_health_is_ejected(target[B]));
    end_with_targets();
    s.backend = open("/dev/null", O_RDONLY); /* for tear_down to close */
}

static void in_a_full_set_each_process_judges_for_itself(void **state)
{
    (void)state;
    begin_with_targets();
    for (int i = 0; i < HEALTH_WAYS; i++) {
        size_t at = target[A]->in_table.hash % HEALTH_SETS * HEALTH_WAYS + (size_t)i;
        atomic_store(&set_of(target[A])[i], UINT64_MAX - (uint64_t)i);
        atomic_store(&s.shared->healths.healths[at].seen_ms, tusk_loop_now_ms(s.loop));
    }
    eject_by_a();
    assert_true(relay_health_is_out(target[A]));
    assert_false(relay_health_is_out(target[B]));
    assert_int_equal(stats(A).ejected, 1);
    s.shared->healths.stale_ms = 0; /* what nobody saw for so long gives way */
    uint64_t before = tusk_loop_now_ms(s.loop);
    UNTIL(tusk_loop_now_ms(s.loop) > before);
    for (uint32_t i = 0; i < s.limits.eject_failures; i++) {
        relay_health_failed(target[B]);
    }
    s.shared->healths.stale_ms = 1000000;
    assert_true(relay_health_is_out(target[B]));
    assert_int_equal(known(A), 0);
    end_with_targets();
    UNTIL(true);
}

static void a_place_that_a_dead_worker_was_taking_is_free(void **state)
{
    (void)state;
    begin_with_targets();
    _Atomic uint64_t *set = set_of(target[A]);
    atomic_store(&set[0], B + 1);
    tusk_relay_shared_gone(s.shared, A);
    assert_int_equal(atomic_load(&set[0]), B + 1);
    tusk_relay_shared_gone(s.shared, B);
    assert_int_equal(atomic_load(&set[0]), 0);
    end_with_targets();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARED_TEST(failures_of_all_workers_count_and_eject_for_all),
        SHARED_TEST(a_success_anywhere_brings_it_back_for_all),
        SHARED_TEST(a_worker_that_never_saw_it_knows_of_it),
        SHARED_TEST(one_connection_of_all_workers_tries),
        SHARED_TEST(who_died_trying_is_not_waited_for),
        SHARED_TEST(one_worker_probes_for_all),
        SHARED_TEST(in_a_full_set_each_process_judges_for_itself),
        SHARED_TEST(a_place_that_a_dead_worker_was_taking_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
