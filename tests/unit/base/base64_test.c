/* SPDX-License-Identifier: MIT */
/* Base64: RFC 4648's vectors, and each way to be wrong. */
#include "test.h"

#include "base/base64.h"

static void vectors_of_the_rfc_hold(void **state)
{
    static const char *pairs[][2] = {{"", ""},
                                     {"f", "Zg=="},
                                     {"fo", "Zm8="},
                                     {"foo", "Zm9v"},
                                     {"foob", "Zm9vYg=="},
                                     {"fooba", "Zm9vYmE="},
                                     {"foobar", "Zm9vYmFy"},
                                     {"\xFB\xFF\xBF", "+/+/"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        char text[16];
        size_t n = tusk_base64_encode(text, test_guarded_str(pairs[i][0]));
        assert_bytes_equal(tusk_bytes_of(text, n), tusk_bytes_str(pairs[i][1]));
        assert_int_equal(tusk_base64_len(test_guarded_str(pairs[i][1])), strlen(pairs[i][0]));
    }
}

/* What nobody but this test undoes. */
static void decode(uint8_t *out, size_t out_len, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (size_t i = 0, at = 0; at < out_len; i++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4 != 0) {
            out[at++] = (uint8_t)(bits >> (6 - i % 4 * 2));
        }
    }
}

static void random_bytes_come_back(void **state)
{
    uint64_t seed = 11;
    uint8_t in[100], out[100];
    char text[140];
    for (size_t round = 0; round < 20000; round++) {
        size_t len = test_random(&seed) % sizeof(in);
        for (size_t i = 0; i < len; i++) {
            in[i] = (uint8_t)test_random(&seed);
        }
        size_t n = tusk_base64_encode(text, tusk_bytes_of(in, len));
        assert_int_equal(n, (len + 2) / 3 * 4);
        assert_int_equal(tusk_base64_len(tusk_bytes_of(text, n)), len);
        decode(out, len, text);
        assert_memory_equal(in, out, len == 0 ? 0 : len);
    }
}

static void whatever_is_not_strict_base64_is_refused(void **state)
{
    static const char *bad[] = {
        "A",     "AB",       "ABC",      "AB=",      "=AAA",    "A===", "====", "AB=C",
        "QUJD=", "QUJD====", "Zg==Zg==", "Zm8=Zg==", "Zh==",    "Zm9=", "Z g=", "Zm9v\n",
        "Zm9\n", "Zm-v",     "Zm_v",     "Zm9\x80",  "\xFFm9v", " m9v", "=m9v", "Zm==Zm9v"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_err(tusk_base64_len(test_guarded_str(bad[i])), TUSK_EPROTO);
    }
}

static void no_byte_is_accepted_twice(void **state)
{
    size_t known = 0;
    for (unsigned c = 0; c < 256; c++) {
        uint8_t text[4] = {(uint8_t)c, 'A', 'A', 'A'};
        known += tusk_base64_len(tusk_bytes_of(text, 4)) == 3 ? 1 : 0;
    }
    assert_int_equal(known, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_the_rfc_hold),
        cmocka_unit_test(random_bytes_come_back),
        cmocka_unit_test(whatever_is_not_strict_base64_is_refused),
        cmocka_unit_test(no_byte_is_accepted_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
