/* SPDX-License-Identifier: MIT */
/* The table of character classes against the RFCs' own words. */
#include "test.h"

#include "proto/ascii.h"

static bool is_letter_or_digit(unsigned c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_one_of(unsigned c, const char *set)
{
    return c != 0 && strchr(set, (int)c) != NULL && c < 0x80;
}

static void each_class_is_what_its_rfc_says(void **state)
{
    for (unsigned i = 0; i < 256; i++) {
        uint8_t c = (uint8_t)i;
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        assert_int_equal(tusk__is(c, TUSK__TOKEN),
                         is_letter_or_digit(c) || is_one_of(c, "!#$%&'*+-.^_`|~"));
        assert_int_equal(tusk__is(c, TUSK__TARGET), c > 0x20 && c < 0x7f && c != '#');
        assert_int_equal(tusk__is(c, TUSK__VALUE), c == '\t' || (c >= 0x20 && c != 0x7f));
        assert_int_equal(tusk__is(c, TUSK__DIGIT), c >= '0' && c <= '9');
        assert_int_equal(tusk__is(c, TUSK__HEX), hex);
        assert_int_equal(tusk__is(c, TUSK__HOST),
                         is_letter_or_digit(c) || is_one_of(c, "-._~!$&'()*+,;=%"));
    }
}

static void hex_digits_have_their_values(void **state)
{
    const char *digits = "0123456789abcdef";
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(tusk__hex((uint8_t)digits[i]), i);
    }
    assert_int_equal(tusk__hex('A'), 10);
    assert_int_equal(tusk__hex('F'), 15);
}

/* Every byte at every place of three vectors, with every length after it. */
static void vectors_and_the_table_agree(void **state)
{
    uint8_t text[48];
    for (unsigned c = 0; c < 256; c++) {
        for (size_t at = 0; at < sizeof(text); at++) {
            memset(text, 'a', sizeof(text));
            text[at] = (uint8_t)c;
            for (size_t len = at + 1; len <= sizeof(text); len += 5) {
                const uint8_t *end = text + len;
                assert_ptr_equal(tusk__skip_token(text, end), tusk__skip(text, end, TUSK__TOKEN));
                assert_ptr_equal(tusk__skip_value(text, end), tusk__skip(text, end, TUSK__VALUE));
                assert_ptr_equal(tusk__skip_target(text, end), tusk__skip(text, end, TUSK__TARGET));
            }
        }
    }
}

static void names_are_compared_without_case_and_no_further(void **state)
{
    const char *name = "transfer-encoding";
    char copy[18];
    assert_true(tusk__same((const uint8_t *)"Transfer-ENCODING", name, 17));
    for (size_t i = 0; i < 17; i++) {
        for (unsigned c = 0; c < 256; c++) {
            memcpy(copy, name, 18);
            copy[i] = (char)c;
            if (!tusk__is((uint8_t)c, TUSK__TOKEN)) {
                continue;
            }
            bool same = (uint8_t)copy[i] == (uint8_t)name[i] ||
                        ((c | 0x20) == (uint8_t)name[i] && c >= 'A' && c <= 'Z');
            assert_int_equal(tusk__same((const uint8_t *)copy, name, 17), same);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_is_what_its_rfc_says),
        cmocka_unit_test(hex_digits_have_their_values),
        cmocka_unit_test(vectors_and_the_table_agree),
        cmocka_unit_test(names_are_compared_without_case_and_no_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
