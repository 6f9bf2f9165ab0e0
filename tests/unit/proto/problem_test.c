/* SPDX-License-Identifier: MIT */
/* Problem details, and who asks for them. */
#include "proto/problem.h"

#include "../test.h"

static bool wanted(const char *accept)
{
    static char text[512];
    tusk_http_head head;
    size_t scanned = 0;
    (void)snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", accept);

    assert_true(tusk_http_request_parse(&head, tusk_bytes_str(text), tusk_http_limits_default(),
                                        &scanned) > 0);
    return tusk__problem_wanted(&head);
}

static void who_accepts_json_before_text_wants_problems(void **state)
{
    (void)state;
    assert_true(wanted("Accept: application/json\r\n"));
    assert_true(wanted("Accept: application/problem+json ;q=0.9, text/html\r\n"));
    assert_true(wanted("accept: image/png\r\nAccept: */*, APPLICATION/JSON\r\n"));
    assert_false(wanted("Accept: text/html;q=0.1, application/json\r\n"));
    assert_false(wanted("Accept: */*\r\n"));
    assert_false(wanted("Accept: application/xjson, json\r\n"));
    assert_false(wanted(""));
    assert_false(tusk__problem_wanted(NULL));
}

static void expect(int status, tusk_bytes detail, const char *expected)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 512);
    assert_err(tusk__problem_append(&out, status, detail), TUSK_OK);
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.ptr, expected, out.len);
    tusk_buf_fini(&out);
}

static void a_problem_has_title_status_and_what_can_be_said(void **state)
{
    (void)state;
    expect(413, tusk_bytes_str("more than \"5\" \\ \n bytes"),
           "{\"title\":\"Content Too Large\",\"status\":413,"
           "\"detail\":\"more than \\u00225\\u0022 \\u005c \\u000a bytes\"}\n");
    expect(404, tusk_bytes_str(""), "{\"title\":\"Not Found\",\"status\":404}\n");
    expect(404, tusk_bytes_str("\xff"), "{\"title\":\"Not Found\",\"status\":404}\n");
    expect(599, tusk_bytes_str("\xc3\xa4"),
           "{\"title\":\"\",\"status\":599,\"detail\":\"\xc3\xa4\"}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_accepts_json_before_text_wants_problems),
        cmocka_unit_test(a_problem_has_title_status_and_what_can_be_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
