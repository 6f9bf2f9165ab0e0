/* SPDX-License-Identifier: MIT */
/* Counted bytes: gone with the last reference, and then once. */
#include "test.h"

static void the_last_reference_frees(void **state)
{
    test_mem mem;
    tusk_blob *blob;
    test_mem_init(&mem, 0);
    assert_err(tusk_blob_dup(&blob, &mem.mem, test_guarded_str("fan-out")), TUSK_OK);
    for (size_t i = 0; i < 1000; i++) {
        assert_ptr_equal(tusk_blob_ref(blob), blob);
    }
    for (size_t i = 0; i < 1000; i++) {
        tusk_blob_unref(blob);
    }
    assert_bytes_equal(tusk_bytes_of(blob->ptr, blob->len), TEST_BYTES("fan-out"));
    assert_int_equal(mem.requests, 1); /* header and bytes in one piece */
    tusk_blob_unref(blob);
    test_mem_assert_empty(&mem);
    tusk_blob_unref(NULL);
}

static void count_release(void *owner)
{
    ++*(int *)owner;
}

static void adopted_bytes_are_released_once_with_their_owner(void **state)
{
    test_mem mem;
    tusk_blob *blob;
    int released = 0;
    test_mem_init(&mem, 0);
    tusk_bytes text = TEST_BYTES("a string of PHP");
    assert_err(tusk_blob_adopt(&blob, &mem.mem, text, count_release, &released), TUSK_OK);
    assert_ptr_equal(blob->ptr, text.ptr);
    (void)tusk_blob_ref(blob);
    tusk_blob_unref(blob);
    assert_int_equal(released, 0);
    tusk_blob_unref(blob);
    assert_int_equal(released, 1);
    test_mem_assert_empty(&mem);
}

static void failing_to_adopt_leaves_the_owner_alone(void **state)
{
    test_mem mem;
    tusk_blob *blob;
    int released = 0;
    test_mem_init(&mem, 1);
    assert_err(tusk_blob_adopt(&blob, &mem.mem, TEST_BYTES("x"), count_release, &released),
               TUSK_ENOMEM);
    assert_null(blob);
    assert_int_equal(released, 0);
    test_mem_init(&mem, 1);
    assert_err(tusk_blob_dup(&blob, &mem.mem, TEST_BYTES("x")), TUSK_ENOMEM);
    assert_null(blob);
}

static void an_impossible_length_is_refused(void **state)
{
    tusk_blob *blob;
    uint8_t *place;
    assert_err(tusk_blob_new(&blob, tusk_mem_default(), SIZE_MAX - 4, &place), TUSK_ETOOBIG);
    assert_null(blob);
    assert_null(place);
}

static void an_empty_blob_is_a_blob(void **state)
{
    tusk_blob *blob;
    assert_err(tusk_blob_dup(&blob, tusk_mem_default(), tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_int_equal(blob->len, 0);
    assert_non_null(blob->ptr);
    tusk_blob_unref(blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_reference_frees),
        cmocka_unit_test(adopted_bytes_are_released_once_with_their_owner),
        cmocka_unit_test(failing_to_adopt_leaves_the_owner_alone),
        cmocka_unit_test(an_impossible_length_is_refused),
        cmocka_unit_test(an_empty_blob_is_a_blob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
