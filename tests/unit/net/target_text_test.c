/* SPDX-License-Identifier: MIT */
/* Targets and ranges as people write them, in every spelling that is one and many that are none. */
#include <tusk/net.h>

#include "test.h"

static bool target(const char *text)
{
    return tusk_net_target_valid(tusk_bytes_of(text, strlen(text)));
}

static bool range(const char *text)
{
    return tusk_net_range_valid(tusk_bytes_of(text, strlen(text)));
}

static void targets_in_every_spelling_are_taken(void **state)
{
    static const char *const good[] = {
        "10.0.0.7:5432", "[fd00::7]:5432", "[::1]:1",          "db7.internal:5432",
        "a:65535",       "my_db:90",       "unix:/run/x.sock", "[::ffff:10.0.0.1]:80",
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (!target(good[i])) {
            fail_msg("%s", good[i]);
        }
    }
}

static void what_is_no_target_is_refused(void **state)
{
    static const char *const bad[] = {
        "",           ":",       ":1",      "host",         "host:",        "host:0",
        "host:65536", "host:-1", "host: 1", "host:1 ",      "host:1234567", "fd00::7:5432",
        "[fd00::7]",  "[]:1",    "[x]:1",   "[10.0.0.1]:1", "[::1:1",       "::1]:1",
        "-x:1",       ".x:1",    "a b:1",   "http://x:1",   "unix:",        "x/y:1",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (target(bad[i])) {
            fail_msg("%s", bad[i]);
        }
    }
    assert_false(tusk_net_target_valid(tusk_bytes_of("ho\0st:1", 7)));
    assert_false(tusk_net_target_valid(tusk_bytes_of("[::\0]:1", 7)));
    assert_false(tusk_net_target_valid(tusk_bytes_of("unix:/a\0b", 9)));
}

static void lengths_end_where_the_system_ends(void **state)
{
    char text[300];
    memset(text, 'a', sizeof(text));
    memcpy(text + 253, ":1", 2);
    assert_true(tusk_net_target_valid(tusk_bytes_of(text, 255)));
    memset(text + 253, 'a', 2);
    memcpy(text + 254, ":1", 2);
    assert_false(tusk_net_target_valid(tusk_bytes_of(text, 256)));
    memcpy(text, "unix:", 5);
    assert_true(tusk_net_target_valid(tusk_bytes_of(text, 5 + 107)));
    assert_false(tusk_net_target_valid(tusk_bytes_of(text, 5 + 108)));
}

static void ranges_are_addresses_with_or_without_a_length(void **state)
{
    assert_true(range("10.0.0.0/8"));
    assert_true(range("127.0.0.1"));
    assert_true(range("fd00::/8"));
    assert_true(range("::1"));
    assert_false(range(""));
    assert_false(range("10.0.0.0/33"));
    assert_false(range("10.0.0.1/8"));
    assert_false(range("host"));
    assert_false(range("::/129"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_in_every_spelling_are_taken),
        cmocka_unit_test(what_is_no_target_is_refused),
        cmocka_unit_test(lengths_end_where_the_system_ends),
        cmocka_unit_test(ranges_are_addresses_with_or_without_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
