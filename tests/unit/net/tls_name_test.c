/* SPDX-License-Identifier: MIT */
/* Names that certificates are given for, and names that clients ask for. */
#include "tls_pair.h"

static tusk_err give(const char *name, char reason[300])
{
    return tusk_tls_add_certificate(p.server_tls, name, in_dir("exact.crt"), in_dir("exact.key"),
                                    NULL, reason, 300);
}

static void what_no_client_asks_for_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ex\xc3\xa4mple.test", /* is asked for as xn--exmple-cua.test */
        "https://exact.test",
        "exact.test:443",
        "exact test",
        "127.0.0.1",
        "::1",
        "*",
        "*.",
        "*.*.test",
        "www.*",
        "*w.test",
        ".",
        ".test",
        "a..test",
        "exact.test..",
        "a123456789b123456789c123456789d123456789e123456789f123456789g123.test", /* a label of 64 */
    };
    char reason[300];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (give(names[i], reason) != TUSK_EINVAL || strstr(reason, "xn--") == NULL) {
            fail_msg("%s: %s", names[i], reason);
        }
    }
}

static void case_and_a_dot_at_the_end_make_no_other_name(void **state)
{
    (void)state;
    char reason[300];
    tusk_tls_validity of;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    assert_err(give("Exact.Test.", reason), TUSK_OK);
    assert_err(give("*.Many.test.", reason), TUSK_OK);
    assert_true(tusk_tls_validity_at(p.server_tls, 1, &of));
    assert_string_equal(of.server_name, "exact.test");
    assert_true(tusk_tls_validity_at(p.server_tls, 2, &of));
    assert_string_equal(of.server_name, "*.many.test");
    static const char *const asked[][2] = {{"exact.test", "exact.test"},
                                           {"EXACT.test.", "exact.test"},
                                           {"_a.Many.TEST.", "_a.many.test"},
                                           {"exact.test..", ""},
                                           {"a b", ""}};
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        tusk_tls_info info;
        open_pair(asked[i][0]);
        RELAY_UNTIL(SIZE_MAX, p.server->readies == 1);
        assert_err(p.server->ready, TUSK_OK);
        tusk_filter_info(p.server->conn.filter, &info);
        assert_string_equal(info.server_name, asked[i][1]);
        end_pair();
    }
}

static void a_name_has_one_certificate(void **state)
{
    (void)state;
    char reason[300];
    tusk_tls_validity of;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    assert_err(give("exact.test", reason), TUSK_OK);
    assert_err(give("*.exact.test", reason), TUSK_OK);
    static const char *const again[] = {"exact.test", "EXACT.test", "exact.test.", "*.Exact.test"};
    for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++) {
        assert_err(give(again[i], reason), TUSK_EINVAL);
        assert_non_null(strstr(reason, "has one already"));
    }
    assert_false(tusk_tls_validity_at(p.server_tls, 3, &of));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(what_no_client_asks_for_is_refused),
        TEST(case_and_a_dot_at_the_end_make_no_other_name),
        TEST(a_name_has_one_certificate),
    };
    return cmocka_run_group_tests_name("net/tls_name", tests, make_files, remove_files);
}
