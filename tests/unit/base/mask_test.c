/* SPDX-License-Identifier: MIT */
/* Unmasking: vectors against the definition, at every alignment, length and phase. */
#include "test.h"

#include "base/mask.h"

enum { AREA = 1024 };

static void fill(uint8_t *area, size_t len)
{
    uint64_t seed = 3;
    for (size_t i = 0; i < len; i++) {
        area[i] = (uint8_t)test_random(&seed);
    }
}

static void every_alignment_length_and_phase_is_the_definition(void **state)
{
    static uint8_t from[AREA], to[AREA], portable[AREA];
    const uint8_t key[4] = {0x37, 0xFA, 0x21, 0x3D};
    fill(from, AREA);
    for (size_t offset = 0; offset < 36; offset++) {
        for (size_t len = 0; len < 420; len += len < 70 ? 1 : 13) {
            size_t phase = offset + len;
            memset(to, 0xEE, AREA);
            memset(portable, 0xEE, AREA);
            tusk_mask_apply(to + offset, from + offset / 2, len, key, phase);
            tusk__mask_apply_portable(portable + offset, from + offset / 2, len, key, phase);
            assert_memory_equal(to, portable, AREA);
            for (size_t i = 0; i < len; i++) {
                assert_int_equal(to[offset + i], from[offset / 2 + i] ^ key[(phase + i) & 3]);
            }
        }
    }
}

static void in_place_and_in_pieces_is_the_same_as_at_once(void **state)
{
    static uint8_t once[300], pieces[300];
    const uint8_t key[4] = {1, 0x80, 3, 0xFF};
    for (size_t cut = 0; cut <= 300; cut++) {
        fill(once, 300);
        memcpy(pieces, once, 300);
        tusk_mask_apply(once, once, 300, key, 0);
        tusk_mask_apply(pieces, pieces, cut, key, 0);
        tusk_mask_apply(pieces + cut, pieces + cut, 300 - cut, key, cut);
        assert_memory_equal(once, pieces, 300);
    }
}

static void unmasking_with_the_check_finds_one_wrong_byte_anywhere(void **state)
{
    const uint8_t key[4] = {0x37, 0xFA, 0x21, 0x3D};
    uint8_t text[280];
    for (size_t len = 1; len <= 280; len += 3) {
        for (size_t wrong = 0; wrong <= len; wrong++) { /* wrong == len: none */
            memset(text, 'a', len);
            if (wrong < len) {
                text[wrong] = 0xFF;
            }
            tusk_mask_apply(text, text, len, key, 0);
            tusk_utf8 utf8 = {0};
            assert_int_equal(tusk__mask_apply_utf8(text, text, len, key, 0, &utf8), wrong == len);
            assert_int_equal(text[0], wrong == 0 ? 0xFF : 'a'); /* unmasked in either case */
        }
    }
}

static void ascii_after_an_open_sequence_is_wrong(void **state)
{
    const uint8_t key[4] = {0};
    uint8_t open[1] = {0xC3};
    uint8_t ascii[80];
    for (size_t len = 1; len <= 80; len++) {
        tusk_utf8 utf8 = {0};
        memset(ascii, 'a', sizeof(ascii));
        assert_true(tusk__mask_apply_utf8(open, open, 1, key, 0, &utf8));
        assert_false(tusk__mask_apply_utf8(ascii, ascii, len, key, 1, &utf8));
    }
}

static void nothing_past_the_end_is_read_or_written(void **state)
{
    const uint8_t key[4] = {9, 8, 7, 6};
    uint8_t zeros[200] = {0};
    for (size_t len = 0; len <= 200; len++) {
        uint8_t *guarded = test_guarded(zeros, len);
        tusk_mask_apply(guarded, guarded, len, key, 0);
        for (size_t i = 0; i < len; i++) {
            assert_int_equal(guarded[i], key[i & 3]);
        }
        test_guarded_free(guarded, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_alignment_length_and_phase_is_the_definition),
        cmocka_unit_test(in_place_and_in_pieces_is_the_same_as_at_once),
        cmocka_unit_test(unmasking_with_the_check_finds_one_wrong_byte_anywhere),
        cmocka_unit_test(ascii_after_an_open_sequence_is_wrong),
        cmocka_unit_test(nothing_past_the_end_is_read_or_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
