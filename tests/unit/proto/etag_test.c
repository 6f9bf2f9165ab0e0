/* SPDX-License-Identifier: MIT */
/* Entity-tags in lists: which are the one that is asked for. */
#include "proto/etag.h"

#include "test.h"

static bool listed(const char *list, bool weak_fits)
{
    tusk_bytes text = test_guarded_str(list);
    bool found = tusk__etag_listed(text, tusk_bytes_str("\"tag\""), weak_fits);
    test_guarded_free((uint8_t *)(uintptr_t)text.ptr, text.len);
    return found;
}

static void a_tag_is_listed_as_it_is(void **state)
{
    static const char *const lists[] = {
        "\"tag\"",
        "*",
        "\"no\", \"tag\"",
        "\"no\",\"tag\" , \"more\"",
        ",\t, \"tag\" ,,",
        "\"a,\\\", \"tag\"",
        "W/\"tag\", \"tag\"",
        "\"a\"\"b\", \"tag\"",
        "no, \"tag\"",
        "\"\", \"tag\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!listed(lists[i], false) || !listed(lists[i], true)) {
            fail_msg("not found: %s", lists[i]);
        }
    }
}

static void a_weak_tag_is_listed_where_weak_ones_fit(void **state)
{
    static const char *const lists[] = {"W/\"tag\"", "\"no\", W/\"tag\"", " W/\"tag\" , \"no\""};
    (void)state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        assert_true(listed(lists[i], true));
        assert_false(listed(lists[i], false));
    }
}

/* What is no entity-tag matches none (RFC 9110, 8.8.3). */
static void what_is_no_tag_is_not_listed(void **state)
{
    static const char *const lists[] = {
        "",           "\"",           "W/",         "W",
        "w/\"tag\"",  "x\"tag\"",     "\"tag\"x",   "tag",
        "\"tag",      "\"tag\" \"\"", "\"Tag\"",    "\"a, \"tag\"\"",
        "\"\"",       "*, \"no\"",    "W/ \"tag\"", "W/W/\"tag\"",
        "\"x\"tag\"", "\"a,\"tag\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (listed(lists[i], true)) {
            fail_msg("found: %s", lists[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_is_listed_as_it_is),
        cmocka_unit_test(a_weak_tag_is_listed_where_weak_ones_fit),
        cmocka_unit_test(what_is_no_tag_is_not_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
