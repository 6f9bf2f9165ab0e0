/* SPDX-License-Identifier: MIT */
/* IP addresses as text, with the C library's reader as the judge. */
#include <arpa/inet.h>

#include "test.h"

#include "proto/ip_text.h"

static bool agree(const char *text)
{
    uint8_t ours[16] = {0};
    uint8_t theirs[16] = {0};
    tusk_bytes in = test_guarded_str(text);
    bool v4 = tusk__ipv4_parse(ours, in);
    bool same =
        v4 == (inet_pton(AF_INET, text, theirs) == 1) && (!v4 || memcmp(ours, theirs, 4) == 0);
    bool v6 = tusk__ipv6_parse(ours, in);
    same = same && v6 == (inet_pton(AF_INET6, text, theirs) == 1) &&
           (!v6 || memcmp(ours, theirs, 16) == 0);
    test_guarded_free((uint8_t *)(uintptr_t)in.ptr, in.len);
    return same;
}

static void addresses_are_read_as_the_c_library_does(void **state)
{
    static const char *const texts[] = {"",
                                        ":",
                                        "::",
                                        ":::",
                                        "::1",
                                        "1::",
                                        "1::2",
                                        "1:2:3:4:5:6:7:8",
                                        "1:2:3:4:5:6:7::",
                                        "::2:3:4:5:6:7:8",
                                        "1:2:3:4:5:6:7:8:",
                                        ":1:2:3:4:5:6:7:8",
                                        "1::2::3",
                                        "1:::2",
                                        "12345::",
                                        "g::",
                                        "::ffff:1.2.3.4",
                                        "::1.2.3",
                                        "::1.2.3.4.5",
                                        "::1.2.3.256",
                                        "1:2:3:4:5:6:1.2.3.4",
                                        "1:2:3:4:5:6:7:1.2.3.4",
                                        "1.2.3.4::",
                                        "::1.2.3.4:5",
                                        "fe80::1%eth0",
                                        "1.2.3.4",
                                        "01.2.3.4",
                                        "1.2.3",
                                        "1.2.3.4.",
                                        "1..2.3",
                                        "256.1.1.1",
                                        "0.0.0.0",
                                        "1.2.3.4 ",
                                        "0001::",
                                        "00001::",
                                        "::00000",
                                        "ABCD::abcd",
                                        "1:2",
                                        "1",
                                        "::1:",
                                        "1:2:3:4:5:6:7:8:9",
                                        "::1.2.3.04"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (!agree(texts[i])) {
            fail_msg("differs from inet_pton: \"%s\"", texts[i]);
        }
    }
}

static void random_texts_too(void **state)
{
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        char text[48];
        size_t len = test_random(&seed) % 20;
        for (size_t k = 0; k < len; k++) {
            text[k] = "::::..1a0f25"[test_random(&seed) % 12];
        }
        text[len] = '\0';
        uint8_t ours[16] = {0};
        uint8_t theirs[16] = {0};
        bool v6 = tusk__ipv6_parse(ours, tusk_bytes_of(text, len));
        if (v6 != (inet_pton(AF_INET6, text, theirs) == 1) ||
            (v6 && memcmp(ours, theirs, 16) != 0)) {
            fail_msg("differs from inet_pton: \"%s\"", text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_as_the_c_library_does),
        cmocka_unit_test(random_texts_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
