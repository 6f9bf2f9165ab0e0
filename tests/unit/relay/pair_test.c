/* SPDX-License-Identifier: MIT */
/* Pairs whose bytes are copied or spliced, and what they do without memory. */
#include "contract.h"
#include "visit.h"

static void nothing_was_spliced(void)
{
    assert_int_equal(rig_stats().switched_to_splice, 0);
}

static void it_was_spliced(void)
{
    assert_true(rig_stats().switched_to_splice > 0);
}

int main(void)
{
    static const contract_engine engines[] = {
        {.engine = TUSK_ENGINE_COPY, .name = "copy", .check_bulk = nothing_was_spliced},
        {.engine = TUSK_ENGINE_SPLICE, .name = "splice", .check_bulk = it_was_spliced},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(each_failing_allocation_costs_at_most_its_connection,
                                  (void *)(uintptr_t)&engines[0]),
    };
    return contract_run(&engines[0]) + contract_run(&engines[1]) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
