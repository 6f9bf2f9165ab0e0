/* SPDX-License-Identifier: MIT */
/* Slots. */
#include "relay/slots.h"

#include "../test.h"

static void numbers_are_used_again_with_another_generation(void **state)
{
    relay_slots slots;
    test_mem mem;
    uint32_t first, second, third;
    int a, b, c;
    (void)state;
    test_mem_init(&mem, 0);
    relay_slots_init(&slots);
    assert_null(relay_slots_at(&slots, 0));
    assert_true(relay_slots_take(&slots, &mem.mem, &a, &first));
    assert_true(relay_slots_take(&slots, &mem.mem, &b, &second));
    assert_int_not_equal(first, second);
    assert_ptr_equal(relay_slots_at(&slots, first), &a);
    uint32_t generation = slots.slots[first].generation;
    relay_slots_give(&slots, first);
    assert_null(relay_slots_at(&slots, first));
    assert_true(relay_slots_take(&slots, &mem.mem, &c, &third));
    assert_int_equal(third, first);
    assert_int_not_equal(slots.slots[third].generation, generation);
    assert_ptr_equal(relay_slots_at(&slots, second), &b);
    relay_slots_fini(&slots, &mem.mem);
    assert_null(relay_slots_at(&slots, second));
    test_mem_assert_empty(&mem);
}

static void it_grows_and_keeps_who_is_there(void **state)
{
    enum { MANY = 1000 };
    static int owners[MANY];
    relay_slots slots;
    test_mem mem;
    (void)state;
    test_mem_init(&mem, 0);
    relay_slots_init(&slots);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t slot;
        assert_true(relay_slots_take(&slots, &mem.mem, &owners[i], &slot));
        assert_int_equal(slot, i);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        assert_ptr_equal(relay_slots_at(&slots, i), &owners[i]);
    }
    assert_null(relay_slots_at(&slots, UINT32_MAX));
    relay_slots_fini(&slots, &mem.mem);
    test_mem_assert_empty(&mem);
}

static void without_memory_none_is_taken_and_those_there_stay(void **state)
{
    relay_slots slots;
    test_mem mem;
    int owner;
    uint32_t slot;
    (void)state;
    test_mem_init(&mem, 1);
    relay_slots_init(&slots);
    assert_false(relay_slots_take(&slots, &mem.mem, &owner, &slot));
    assert_true(relay_slots_take(&slots, &mem.mem, &owner, &slot));
    assert_ptr_equal(relay_slots_at(&slots, slot), &owner);
    relay_slots_fini(&slots, &mem.mem);
    test_mem_assert_empty(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_used_again_with_another_generation),
        cmocka_unit_test(it_grows_and_keeps_who_is_there),
        cmocka_unit_test(without_memory_none_is_taken_and_those_there_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
