/* SPDX-License-Identifier: MIT */
/* Borrowed bytes and their comparisons. */
#include "test.h"

static void equal_means_length_and_every_byte(void **state)
{
    assert_true(tusk_bytes_eq(TEST_BYTES("a\0b"), TEST_BYTES("a\0b")));
    assert_false(tusk_bytes_eq(TEST_BYTES("a\0b"), TEST_BYTES("a\0c")));
    assert_false(tusk_bytes_eq(TEST_BYTES("ab"), TEST_BYTES("abc")));
    assert_true(tusk_bytes_eq(tusk_bytes_of(NULL, 0), tusk_bytes_str("")));
}

static void only_ascii_letters_lose_their_case(void **state)
{
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            uint8_t left = (uint8_t)a;
            uint8_t right = (uint8_t)b;
            bool letters = (a | 0x20) >= 'a' && (a | 0x20) <= 'z' && (a | 0x20) == (b | 0x20);
            assert_int_equal(
                tusk_bytes_eq_nocase(tusk_bytes_of(&left, 1), tusk_bytes_of(&right, 1)),
                a == b || letters);
        }
    }
    assert_false(tusk_bytes_eq_nocase(tusk_bytes_str("Upgrade"), tusk_bytes_str("Upgraded")));
}

/* Eight bytes are folded at once: every byte at every place among others. */
static void letters_lose_their_case_at_every_place(void **state)
{
    uint8_t left[19];
    uint8_t right[19];
    for (size_t at = 0; at < sizeof(left); at++) {
        for (unsigned a = 0; a < 256; a++) {
            for (unsigned b = 0; b < 256; b++) {
                bool letters = (a | 0x20) >= 'a' && (a | 0x20) <= 'z' && (a | 0x20) == (b | 0x20);
                memset(left, 'Z', sizeof(left));
                memset(right, 'z', sizeof(right));
                left[at] = (uint8_t)a;
                right[at] = (uint8_t)b;
                assert_int_equal(tusk_bytes_eq_nocase(tusk_bytes_of(left, sizeof(left)),
                                                      tusk_bytes_of(right, sizeof(right))),
                                 a == b || letters);
            }
        }
    }
}

static void nothing_is_read_past_the_end(void **state)
{
    assert_true(tusk_bytes_eq_nocase(test_guarded_str("WebSocket"), test_guarded_str("websocket")));
    assert_true(tusk_bytes_eq_nocase(test_guarded_str(""), test_guarded_str("")));
}

static void blanks_are_trimmed_at_either_end_only(void **state)
{
    static const struct {
        const char *text, *start, *end, *both;
    } cases[] = {{"", "", "", ""},
                 {" \t ", "", "", ""},
                 {"a", "a", "a", "a"},
                 {" \ta b\t ", "a b\t ", " \ta b", "a b"},
                 {"\na\r", "\na\r", "\na\r", "\na\r"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_bytes text = tusk_bytes_str(cases[i].text);
        assert_true(tusk_bytes_eq(tusk_bytes_trim_start(text), tusk_bytes_str(cases[i].start)));
        assert_true(tusk_bytes_eq(tusk_bytes_trim_end(text), tusk_bytes_str(cases[i].end)));
        assert_true(tusk_bytes_eq(tusk_bytes_trim(text), tusk_bytes_str(cases[i].both)));
    }
    assert_int_equal(tusk_bytes_trim(tusk_bytes_of(NULL, 0)).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_means_length_and_every_byte),
        cmocka_unit_test(only_ascii_letters_lose_their_case),
        cmocka_unit_test(letters_lose_their_case_at_every_place),
        cmocka_unit_test(nothing_is_read_past_the_end),
        cmocka_unit_test(blanks_are_trimmed_at_either_end_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
