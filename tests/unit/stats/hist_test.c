/* SPDX-License-Identifier: MIT */
/* Histogram: slots against their definition, the published test vector, hostile encodings, failing
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <tusk/stats.h>

static const tusk_hist_range hour_us = {.lowest = 1, .highest = 3600000000U, .digits = 3};
static const uint8_t vector_bytes[] = {
    0x1c, 0x84, 0x93, 0x13, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0xd6, 0x93,
    0xa4, 0x00, 0x3f, 0xf0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0xcb, 0x0f, 0x04,
    0xab, 0x10, 0x02, 0x02, 0xfd, 0x0f, 0x02, 0x8f, 0x4e, 0x02, 0xad, 0x30, 0x02};
static const uint64_t vector_values[] = {1, 1000, 1000, 2047, 2048, 4096, 123456, 1000000};

static tusk_hist *make(tusk_hist_range range)
{
    tusk_hist *hist;
    assert_int_equal(tusk_hist_new(&hist, tusk_mem_default(), range), TUSK_OK);
    return hist;
}

static tusk_hist *make_vector(void)
{
    tusk_hist *hist = make(hour_us);
    for (size_t i = 0; i < sizeof(vector_values) / sizeof(vector_values[0]); i++) {
        tusk_hist_record(hist, vector_values[i]);
    }
    return hist;
}

static void slots_are_where_the_format_says(void **state)
{
    (void)state;
    tusk_hist *hist = make(hour_us);
    assert_int_equal(tusk_hist_slot(hist, 0), 0);
    assert_int_equal(tusk_hist_slot(hist, 2047), 2047);
    assert_int_equal(tusk_hist_slot(hist, 2048), 2048);
    assert_int_equal(tusk_hist_slot(hist, 4096), 3072);
    assert_int_equal(tusk_hist_slot(hist, 123456), 8073);
    assert_int_equal(tusk_hist_slot(hist, 1000000), 11169);
    tusk_hist_free(hist);
    tusk_hist_range empty = {.lowest = 1, .highest = 2, .digits = 1};
    size_t head = tusk_hist_size(empty) - 32 * sizeof(uint64_t);
    tusk_hist_range hour_ns = {.lowest = 1, .highest = UINT64_C(3600000000000), .digits = 3};
    assert_int_equal((tusk_hist_size(hour_us) - head) / 8, 23552);
    assert_int_equal((tusk_hist_size(hour_ns) - head) / 8, 33792);
}

static void bad_ranges_are_refused(void **state)
{
    (void)state;
    static const tusk_hist_range bad[] = {
        {0, 10, 3}, {1, 1, 3}, {1, 10, 0},         {1, 10, 6},
        {8, 15, 3}, {1, 0, 3}, {1, UINT64_MAX, 3}, {UINT64_C(1) << 50, UINT64_C(1) << 62, 5},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tusk_hist *hist;
        assert_int_equal(tusk_hist_size(bad[i]), 0);
        assert_int_equal(tusk_hist_new(&hist, tusk_mem_default(), bad[i]), TUSK_EINVAL);
        assert_null(hist);
    }
}

/* Or to `unit`, which is no more than the lowest. */
static void assert_known(uint64_t lowest, double unit, int digits)
{
    tusk_hist_range range = {.lowest = lowest, .highest = UINT64_C(1) << 62, .digits = digits};
    tusk_hist *hist = make(range);
    double tolerance = 1;
    for (int i = 0; i < digits; i++) {
        tolerance /= 10;
    }
    uint64_t value = 1;
    for (int i = 0; value < UINT64_C(1) << 62; i++) {
        tusk_hist_reset(hist);
        tusk_hist_record(hist, value);
        tusk_hist_record(hist, UINT64_C(1) << 62); /* so that max does not hide the slot's edge */
        double got = (double)tusk_hist_percentile(hist, 50);
        assert_true(got >= (double)value);
        assert_true(got - (double)value < unit || got - (double)value <= tolerance * (double)value);
        value += value / 7 + 1 + (uint64_t)(i % 3);
    }
    tusk_hist_free(hist);
}

static void every_value_is_known_to_its_digits(void **state)
{
    (void)state;
    for (int digits = 1; digits <= 5; digits++) {
        assert_known(1, 1, digits);
    }
    assert_known(1000, 512, 3);
}

static void after_a_reset_it_is_as_new(void **state)
{
    (void)state;
    tusk_hist *hist = make(hour_us);
    tusk_hist_record(hist, 5);
    tusk_hist_record(hist, UINT64_MAX);
    tusk_hist_reset(hist);
    tusk_hist_record(hist, 900);
    assert_int_equal(tusk_hist_count(hist), 1);
    assert_int_equal(tusk_hist_min(hist), 900);
    assert_int_equal(tusk_hist_max(hist), 900);
    assert_true(tusk_hist_mean(hist) == 900);
    tusk_hist_free(hist);
}

static void percentiles_follow_the_rank_rule(void **state)
{
    (void)state;
    tusk_hist *hist = make(hour_us);
    assert_int_equal(tusk_hist_percentile(hist, 50), 0);
    assert_int_equal(tusk_hist_min(hist), 0);
    for (uint64_t i = 1; i <= 1000; i++) {
        tusk_hist_record(hist, i);
    }
    assert_int_equal(tusk_hist_percentile(hist, 0), 1);
    assert_int_equal(tusk_hist_percentile(hist, 50), 500);
    assert_int_equal(tusk_hist_percentile(hist, 99), 990);
    assert_int_equal(tusk_hist_percentile(hist, 99.9), 999);
    assert_int_equal(tusk_hist_percentile(hist, 100), 1000);
    assert_int_equal(tusk_hist_percentile(hist, 250), 1000);
    assert_true(tusk_hist_mean(hist) == 500.5);
    assert_true(tusk_hist_stddev(hist) > 288.67 && tusk_hist_stddev(hist) < 288.68);
    assert_true(tusk_hist_supports(hist, 99));
    assert_false(tusk_hist_supports(hist, 99.9));
    tusk_hist_free(hist);
}

static void a_percentile_never_exceeds_the_maximum(void **state)
{
    (void)state;
    tusk_hist *hist = make_vector();
    assert_int_equal(tusk_hist_percentile(hist, 99), 1000000);
    assert_int_equal(tusk_hist_max(hist), 1000000);
    tusk_hist_free(hist);
}

static void values_over_the_highest_are_kept_and_counted(void **state)
{
    (void)state;
    tusk_hist *hist = make(hour_us);
    tusk_hist_record_n(hist, UINT64_MAX, 3);
    tusk_hist_record(hist, hour_us.highest);
    assert_int_equal(tusk_hist_count(hist), 4);
    assert_int_equal(tusk_hist_saturated(hist), 3);
    assert_int_equal(tusk_hist_percentile(hist, 50), hour_us.highest);
    tusk_hist_free(hist);
}

static void a_stall_is_filled_in_when_corrected(void **state)
{
    (void)state;
    tusk_hist *hist = make(hour_us);
    tusk_hist_record_corrected(hist, 1000, 300);
    assert_int_equal(tusk_hist_count(hist), 3); /* 1000, 700, 400; 100 is under the interval */
    assert_int_equal(tusk_hist_min(hist), 400);
    tusk_hist_reset(hist);
    tusk_hist_record_corrected(hist, 900, 300);
    assert_int_equal(tusk_hist_count(hist), 3);
    assert_int_equal(tusk_hist_min(hist), 300);
    tusk_hist_reset(hist);
    tusk_hist_record_corrected(hist, 299, 300);
    tusk_hist_record_corrected(hist, 299, 0);
    assert_int_equal(tusk_hist_count(hist), 2);
    tusk_hist_free(hist);
}

static void merging_equals_recording_in_one(void **state)
{
    (void)state;
    tusk_hist *one = make(hour_us);
    tusk_hist *two = make(hour_us);
    tusk_hist *all = make(hour_us);
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
        uint64_t value = (seed >> 33) % 5000000;
        tusk_hist_record(i % 2 == 0 ? one : two, value);
        tusk_hist_record(all, value);
    }
    assert_int_equal(tusk_hist_merge(one, two), TUSK_OK);
    assert_int_equal(tusk_hist_count(one), 20000);
    for (double p = 0; p <= 100; p += 0.5) {
        assert_int_equal(tusk_hist_percentile(one, p), tusk_hist_percentile(all, p));
    }
    assert_true(tusk_hist_mean(one) == tusk_hist_mean(all));
    tusk_hist_range other = hour_us;
    other.digits = 2;
    tusk_hist *coarse = make(other);
    assert_int_equal(tusk_hist_merge(one, coarse), TUSK_EINVAL);
    tusk_hist_free(coarse);
    tusk_hist_free(all);
    tusk_hist_free(two);
    tusk_hist_free(one);
}

static void it_lives_in_storage_of_the_caller(void **state)
{
    (void)state;
    size_t size = tusk_hist_size(hour_us);
    uint8_t *storage = malloc(size);
    uint8_t *moved = malloc(size);
    assert_true(storage != NULL && moved != NULL);
    tusk_hist *hist;
    assert_int_equal(tusk_hist_init(&hist, storage, size - 1, hour_us), TUSK_EINVAL);
    assert_int_equal(tusk_hist_init(&hist, storage, size, hour_us), TUSK_OK);
    tusk_hist_record(hist, 77);
    memcpy(moved, storage, size); /* no pointer into itself: another mapping reads the same */
    free(storage);
    assert_int_equal(tusk_hist_percentile((tusk_hist *)(void *)moved, 50), 77);
    free(moved);
}

static void the_test_vector_encodes_to_its_bytes(void **state)
{
    (void)state;
    tusk_hist *hist = make_vector();
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 4096);
    assert_int_equal(tusk_buf_append(&out, "before", 6), TUSK_OK);
    assert_int_equal(tusk_hist_encode(hist, &out), TUSK_OK);
    tusk_bytes view = tusk_buf_view(&out);
    assert_int_equal(view.len, 6 + sizeof(vector_bytes));
    assert_memory_equal(view.ptr + 6, vector_bytes, sizeof(vector_bytes));
    tusk_buf_fini(&out);
    tusk_hist_free(hist);
}

static void the_test_vector_decodes(void **state)
{
    (void)state;
    tusk_hist *hist;
    tusk_bytes in = tusk_bytes_of(vector_bytes, sizeof(vector_bytes));
    assert_int_equal(tusk_hist_decode(&hist, tusk_mem_default(), in, 23552), TUSK_OK);
    assert_int_equal(tusk_hist_count(hist), 8);
    assert_int_equal(tusk_hist_percentile(hist, 50), 2047);
    assert_int_equal(tusk_hist_percentile(hist, 90), 1000447);
    assert_int_equal(tusk_hist_percentile(hist, 99), 1000447);
    assert_int_equal(tusk_hist_min(hist), 1);
    tusk_hist_free(hist);
    assert_int_equal(tusk_hist_decode(&hist, tusk_mem_default(), in, 23551), TUSK_ELIMIT);
    assert_null(hist);
}

static void large_counts_survive_the_round_trip(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 63, 64, 8191, 8192, UINT64_C(1) << 40, UINT64_C(1) << 56};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        tusk_hist *hist = make(hour_us);
        tusk_hist_record_n(hist, 5, counts[i]);
        tusk_hist_record_n(hist, hour_us.highest, counts[i]);
        tusk_buf out;
        tusk_buf_init(&out, tusk_mem_default(), 4096);
        assert_int_equal(tusk_hist_encode(hist, &out), TUSK_OK);
        tusk_hist *back;
        assert_int_equal(tusk_hist_decode(&back, tusk_mem_default(), tusk_buf_view(&out), SIZE_MAX),
                         TUSK_OK);
        assert_int_equal(tusk_hist_count(back), counts[i] * 2);
        assert_int_equal(tusk_hist_percentile(back, 50), 5);
        tusk_hist_free(back);
        tusk_hist_free(hist);
        tusk_buf_fini(&out);
    }
}

/* The same bytes at the end of a heap block, so that ASan sees one byte too far. */
static tusk_err decode_exact(const uint8_t *bytes, size_t len)
{
    uint8_t *exact = malloc(len == 0 ? 1 : len);
    assert_non_null(exact);
    memcpy(exact, bytes, len);
    tusk_hist *hist;
    tusk_err err = tusk_hist_decode(&hist, tusk_mem_default(), tusk_bytes_of(exact, len), 1 << 20);
    tusk_hist_free(hist);
    free(exact);
    return err;
}

static void cut_or_broken_encodings_are_refused(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof(vector_bytes); len++) {
        assert_int_equal(decode_exact(vector_bytes, len), TUSK_EPROTO);
    }
    /* an open varint, a zero count, more zeros than slots, a count past the last slot, counts that
     * overflow */
    static const uint8_t tails[][12] = {
        {1, 0x80},
        {1, 0x00},
        {4, 0xff, 0xff, 0xff, 0x7f},
        {4, 0xff, 0xef, 0x02, 0x02},
        {9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        {9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
    };
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        uint8_t bytes[64];
        memcpy(bytes, vector_bytes, 40);
        memcpy(bytes + 40, tails[i] + 1, tails[i][0]);
        bytes[7] = tails[i][0];
        tusk_err expected = i == 5 ? TUSK_OK : TUSK_EPROTO;
        assert_int_equal(decode_exact(bytes, 40U + tails[i][0]), expected);
        bytes[0] ^= 1;
        assert_int_equal(decode_exact(bytes, 40U + tails[i][0]), TUSK_EPROTO);
    }
    uint8_t bytes[sizeof(vector_bytes)];
    for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) { /* any flip: an answer, never a fault */
        memcpy(bytes, vector_bytes, sizeof(bytes));
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        (void)decode_exact(bytes, sizeof(bytes));
    }
}

static void slots_in_use_are_walked_in_order(void **state)
{
    (void)state;
    tusk_hist *hist = make_vector();
    static const uint64_t values[][2] = {{1, 1},    {1000, 2},   {2047, 1},   {2049, 1},
                                         {4099, 1}, {123519, 1}, {1000447, 1}};
    size_t cursor = 0;
    uint64_t highest;
    uint64_t count;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_true(tusk_hist_next(hist, &cursor, &highest, &count));
        assert_int_equal(highest, values[i][0]);
        assert_int_equal(count, values[i][1]);
    }
    assert_false(tusk_hist_next(hist, &cursor, &highest, &count));
    assert_int_equal(tusk_hist_range_of(hist).highest, hour_us.highest);
    tusk_hist_free(hist);
}

static void *resize_failing(void *user, void *old, size_t old_size, size_t size)
{
    size_t *left = user;
    if (size != 0 && (*left)-- == 0) {
        *left = 0;
        return NULL;
    }
    const tusk_mem *libc = tusk_mem_default();
    return libc->resize(libc->user, old, old_size, size);
}

static void out_of_memory_is_returned(void **state)
{
    (void)state;
    size_t left = 0;
    const tusk_mem mem = {.resize = resize_failing, .user = &left};
    tusk_hist *hist;
    assert_int_equal(tusk_hist_new(&hist, &mem, hour_us), TUSK_ENOMEM);
    assert_null(hist);
    tusk_bytes in = tusk_bytes_of(vector_bytes, sizeof(vector_bytes));
    assert_int_equal(tusk_hist_decode(&hist, &mem, in, SIZE_MAX), TUSK_ENOMEM);
    assert_null(hist);
    hist = make_vector();
    tusk_buf out;
    tusk_buf_init(&out, &mem, 4096);
    assert_int_equal(tusk_hist_encode(hist, &out), TUSK_ENOMEM);
    tusk_buf_fini(&out);
    tusk_buf_init(&out, tusk_mem_default(), 45); /* a buffer whose limit ends inside the counts */
    assert_int_equal(tusk_hist_encode(hist, &out), TUSK_ETOOBIG);
    tusk_buf_fini(&out);
    tusk_hist_free(hist);
    tusk_hist_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_where_the_format_says),
        cmocka_unit_test(bad_ranges_are_refused),
        cmocka_unit_test(every_value_is_known_to_its_digits),
        cmocka_unit_test(after_a_reset_it_is_as_new),
        cmocka_unit_test(percentiles_follow_the_rank_rule),
        cmocka_unit_test(a_percentile_never_exceeds_the_maximum),
        cmocka_unit_test(values_over_the_highest_are_kept_and_counted),
        cmocka_unit_test(a_stall_is_filled_in_when_corrected),
        cmocka_unit_test(merging_equals_recording_in_one),
        cmocka_unit_test(it_lives_in_storage_of_the_caller),
        cmocka_unit_test(slots_in_use_are_walked_in_order),
        cmocka_unit_test(the_test_vector_encodes_to_its_bytes),
        cmocka_unit_test(the_test_vector_decodes),
        cmocka_unit_test(large_counts_survive_the_round_trip),
        cmocka_unit_test(cut_or_broken_encodings_are_refused),
        cmocka_unit_test(out_of_memory_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
