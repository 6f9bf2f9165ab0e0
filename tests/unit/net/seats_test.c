/* SPDX-License-Identifier: MIT */
/* Seats: what each process counts, what all of them have, and what stays of one that is gone. */
#define _GNU_SOURCE
#include "test.h"

#include "net/seats.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SEATS = 3, COUNTERS = 5, BESIDE = 100 };

static void other_processes_see_what_one_writes_in_its_seat(void **state)
{
    net_seats seats;
    int status = -1;
    assert_err(net_seats_open(&seats, SEATS, COUNTERS, BESIDE), TUSK_OK);
    pid_t child = fork();
    if (child == 0) {
        atomic_store(net_seats_held(&seats, 2), 7);
        atomic_store(&net_seats_counters(&seats, 2)[COUNTERS - 1], 11);
        net_seats_beside(&seats)[BESIDE - 1] = 13;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(net_seats_held_by_all(&seats), 7);
    assert_int_equal(atomic_load(&net_seats_counters(&seats, 2)[COUNTERS - 1]), 11);
    assert_int_equal(net_seats_beside(&seats)[BESIDE - 1], 13);
    net_seats_close(&seats);
    assert_null(seats.map);
    net_seats_close(&seats);
}

static void what_lies_beside_begins_a_line_behind_all_seats_and_is_zero(void **state)
{
    static const uint8_t zero[BESIDE];
    net_seats seats;
    assert_err(net_seats_open(&seats, SEATS, COUNTERS, BESIDE), TUSK_OK);
    assert_int_equal((uintptr_t)net_seats_beside(&seats) % SEATS_LINE, 0);
    for (uint32_t i = 0; i <= SEATS; i++) {
        atomic_store(net_seats_held(&seats, i), UINT64_MAX);
        for (size_t at = 0; at < COUNTERS; at++) {
            assert_int_equal(atomic_exchange(&net_seats_counters(&seats, i)[at], UINT64_MAX), 0);
        }
    }
    assert_memory_equal(net_seats_beside(&seats), zero, BESIDE);
    net_seats_close(&seats);
}

static void of_who_is_gone_its_counters_stay_and_not_its_connections_and_gauges(void **state)
{
    static const tusk_metric first[] = {{"a", "", TUSK_METRIC_COUNTER, 0}};
    static const tusk_metric others[] = {{"b", "", TUSK_METRIC_COUNTER, 0},
                                         {"c", "", TUSK_METRIC_GAUGE, 1},
                                         {"d", "", TUSK_METRIC_GAUGE_MAX, 2},
                                         {"e", "", TUSK_METRIC_COUNTER, 3}};
    static const tusk_metric_table one = {first, 1};
    static const tusk_metric_table four = {others, 4};
    net_seats seats;
    assert_err(net_seats_open(&seats, SEATS, COUNTERS, 0), TUSK_OK);
    for (uint32_t i = 0; i < SEATS; i++) {
        atomic_store(net_seats_held(&seats, i), 1 + i);
        for (size_t at = 0; at < COUNTERS; at++) {
            atomic_store(&net_seats_counters(&seats, i)[at], 10 * at + i);
        }
    }
    net_seats_gone(&seats, 1);
    net_seats_bury(&seats, 1, 0, &one);
    net_seats_bury(&seats, 1, 1, &four);
    assert_int_equal(net_seats_held_by_all(&seats), 1 + 3);
    uint64_t sum[COUNTERS] = {0};
    net_seats_merge(&seats, 0, &one, sum);
    net_seats_merge(&seats, 1, &four, sum + 1);
    assert_int_equal(sum[0], 0 + 1 + 2);
    assert_int_equal(sum[1], 10 + 11 + 12);
    assert_int_equal(sum[2], 20 + 22);
    assert_int_equal(sum[3], 32); /* what several may know is not counted twice */
    assert_int_equal(sum[4], 40 + 41 + 42);
    uint64_t part[4] = {100, 0, 33, 0};
    net_seats_merge(&seats, 1, &four, part);
    assert_int_equal(part[0], 100 + 33);
    assert_int_equal(part[2], 33);
    net_seats_close(&seats);
}

static void there_is_a_seat_at_least(void **state)
{
    net_seats seats;
    assert_err(net_seats_open(&seats, 0, COUNTERS, BESIDE), TUSK_EINVAL);
    net_seats_close(&seats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_processes_see_what_one_writes_in_its_seat),
        cmocka_unit_test(what_lies_beside_begins_a_line_behind_all_seats_and_is_zero),
        cmocka_unit_test(of_who_is_gone_its_counters_stay_and_not_its_connections_and_gauges),
        cmocka_unit_test(there_is_a_seat_at_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
