/* SPDX-License-Identifier: MIT */
/* The owned buffer: grows by doubling, stays below its limit, survives a failing allocator. */
#include "test.h"

static void what_is_appended_is_what_is_viewed(void **state)
{
    test_mem mem;
    tusk_buf buf;
    test_mem_init(&mem, 0);
    tusk_buf_init(&buf, &mem.mem, 1000);
    assert_err(tusk_buf_append_str(&buf, "one "), TUSK_OK);
    assert_err(tusk_buf_append(&buf, "two\0three", 9), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&buf), TEST_BYTES("one two\0three"));
    tusk_buf_consume(&buf, 4);
    assert_bytes_equal(tusk_buf_view(&buf), TEST_BYTES("two\0three"));
    tusk_buf_consume(&buf, 99);
    assert_int_equal(buf.len, 0);
    tusk_buf_fini(&buf);
    test_mem_assert_empty(&mem);
}

static void a_million_appends_cost_few_requests(void **state)
{
    test_mem mem;
    tusk_buf buf;
    test_mem_init(&mem, 0);
    tusk_buf_init(&buf, &mem.mem, SIZE_MAX);
    for (size_t i = 0; i < 1000000; i++) {
        assert_err(tusk_buf_append(&buf, "x", 1), TUSK_OK);
    }
    assert_in_range(mem.requests, 1, 20);
    tusk_buf_fini(&buf);
    test_mem_assert_empty(&mem);
}

static void a_queue_that_is_emptied_at_the_front_does_not_grow(void **state)
{
    test_mem mem;
    tusk_buf buf;
    test_mem_init(&mem, 0);
    tusk_buf_init(&buf, &mem.mem, SIZE_MAX);
    assert_err(tusk_buf_append(&buf, "0123456789", 10), TUSK_OK);
    for (size_t i = 0; i < 10000; i++) {
        uint8_t in = (uint8_t)('0' + i % 10);
        assert_err(tusk_buf_append(&buf, &in, 1), TUSK_OK);
        assert_int_equal(tusk_buf_view(&buf).ptr[0], '0' + i % 10);
        tusk_buf_consume(&buf, 1);
    }
    assert_in_range(mem.peak_bytes, 10, 128);
    tusk_buf_fini(&buf);
    test_mem_assert_empty(&mem);
}

static void the_limit_is_exact_and_harms_nothing(void **state)
{
    tusk_buf buf;
    tusk_buf_init(&buf, tusk_mem_default(), 100);
    for (size_t i = 0; i < 100; i++) {
        assert_err(tusk_buf_append(&buf, "x", 1), TUSK_OK);
    }
    assert_err(tusk_buf_append(&buf, "y", 1), TUSK_ETOOBIG);
    uint8_t *place;
    assert_err(tusk_buf_reserve(&buf, SIZE_MAX, &place), TUSK_ETOOBIG);
    assert_null(place);
    assert_int_equal(buf.len, 100);
    assert_true(buf.cap <= 100);
    tusk_buf_consume(&buf, 1);
    assert_err(tusk_buf_append(&buf, "y", 1), TUSK_OK);
    assert_int_equal(tusk_buf_view(&buf).ptr[99], 'y');
    tusk_buf_fini(&buf);
}

static void reserved_room_is_nothing_until_committed(void **state)
{
    tusk_buf buf;
    uint8_t *place;
    tusk_buf_init(&buf, tusk_mem_default(), 1000);
    assert_err(tusk_buf_reserve(&buf, 10, &place), TUSK_OK);
    memcpy(place, "0123456789", 10);
    assert_int_equal(tusk_buf_view(&buf).len, 0);
    tusk_buf_commit(&buf, 4);
    assert_bytes_equal(tusk_buf_view(&buf), TEST_BYTES("0123"));
    tusk_buf_clear(&buf);
    assert_int_equal(tusk_buf_view(&buf).len, 0);
    assert_true(buf.cap >= 10); /* the memory is kept */
    tusk_buf_fini(&buf);
    assert_null(buf.ptr);
}

static tusk_err fill(const tusk_mem *mem, void *user)
{
    tusk_buf buf;
    tusk_buf_init(&buf, mem, 10000);
    tusk_err err = TUSK_OK;
    for (size_t i = 0; i < 5000 && err == TUSK_OK; i++) {
        size_t before = buf.len;
        err = tusk_buf_append(&buf, "ab", 2);
        assert_int_equal(buf.len, err == TUSK_OK ? before + 2 : before);
    }
    tusk_buf_fini(&buf);
    return err;
}

static void no_memory_leaves_the_contents(void **state)
{
    assert_in_range(test_fail_each_alloc(fill, false, NULL), 5, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_appended_is_what_is_viewed),
        cmocka_unit_test(a_million_appends_cost_few_requests),
        cmocka_unit_test(a_queue_that_is_emptied_at_the_front_does_not_grow),
        cmocka_unit_test(the_limit_is_exact_and_harms_nothing),
        cmocka_unit_test(reserved_room_is_nothing_until_committed),
        cmocka_unit_test(no_memory_leaves_the_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
