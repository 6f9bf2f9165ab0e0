/* SPDX-License-Identifier: MIT */
/* What leaves: status lines, fields that cannot split a response, chunk heads; and which status
 * answers which error. */
#include "test.h"

#include <tusk/http.h>

static void a_status_line_is_whole(void **state)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    assert_err(tusk_http_status_line(&out, 200), TUSK_OK);
    assert_err(tusk_http_status_line(&out, 404), TUSK_OK);
    assert_err(tusk_http_status_line(&out, 599), TUSK_OK);
    assert_bytes_equal(
        tusk_buf_view(&out),
        TEST_BYTES("HTTP/1.1 200 OK\r\nHTTP/1.1 404 Not Found\r\nHTTP/1.1 599 \r\n"));
    assert_err(tusk_http_status_line(&out, 99), TUSK_EINVAL);
    assert_err(tusk_http_status_line(&out, 1000), TUSK_EINVAL);
    tusk_buf_fini(&out);
}

static void every_reason_is_found(void **state)
{
    size_t named = 0;
    for (int status = 0; status < 1100; status++) {
        named += strlen(tusk_http_reason(status)) > 0;
    }
    assert_int_equal(named, 53);
    assert_string_equal(tusk_http_reason(100), "Continue");
    assert_string_equal(tusk_http_reason(511), "Network Authentication Required");
    assert_string_equal(tusk_http_reason(431), "Request Header Fields Too Large");
}

static void a_field_cannot_split_a_response(void **state)
{
    static const struct {
        const char *name;
        const char *value;
        size_t value_len;
    } bad[] = {
        {"X", "a\r\nSet-Cookie: b", 16},
        {"X", "a\nb", 3},
        {"X", "a\rb", 3},
        {"X", "a\0b", 3},
        {"X", "\x7f", 1},
        {"X", "\x1b[0m", 4},
        {"", "a", 1},
        {"X Y", "a", 1},
        {"X:", "a", 1},
        {"X\r\n", "a", 1},
        {"X\xc3\xa9", "a", 1},
    };
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tusk_bytes value = tusk_bytes_of(bad[i].value, bad[i].value_len);
        assert_err(tusk_http_field_append(&out, tusk_bytes_str(bad[i].name), value), TUSK_EINVAL);
        assert_int_equal(out.len, 0);
    }
    assert_err(tusk_http_field_append(&out, TEST_BYTES("X-Tab"), TEST_BYTES("a\tcaf\xc3\xa9")),
               TUSK_OK);
    assert_err(tusk_http_field_append(&out, TEST_BYTES("X-Empty"), tusk_bytes_of(NULL, 0)),
               TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES("X-Tab: a\tcaf\xc3\xa9\r\nX-Empty: \r\n"));
    tusk_buf_fini(&out);
}

static void nothing_is_appended_past_a_limit(void **state)
{
    for (size_t limit = 0; limit < 8; limit++) {
        tusk_buf out;
        tusk_buf_init(&out, tusk_mem_default(), limit);
        assert_err(tusk_http_field_append(&out, TEST_BYTES("Name"), TEST_BYTES("v")), TUSK_ETOOBIG);
        assert_err(tusk_http_status_line(&out, 204), TUSK_ETOOBIG);
        assert_int_equal(out.len, 0);
        tusk_buf_fini(&out);
    }
}

static tusk_err write_some(const tusk_mem *mem, void *user)
{
    tusk_buf out;
    tusk_buf_init(&out, mem, 1000);
    tusk_err err = tusk_http_status_line(&out, 200);
    for (int i = 0; i < 20 && err == TUSK_OK; i++) {
        err = tusk_http_field_append(&out, TEST_BYTES("Name"), TEST_BYTES("value of some length"));
    }
    tusk_buf_fini(&out);
    return err;
}

static void without_memory_writing_fails_in_order(void **state)
{
    assert_true(test_fail_each_alloc(write_some, false, NULL) > 2);
}

static void a_chunk_head_is_the_length_in_hex(void **state)
{
    static const struct {
        uint64_t len;
        const char *text;
    } cases[] = {
        {0, "0\r\n"},
        {1, "1\r\n"},
        {15, "f\r\n"},
        {16, "10\r\n"},
        {31, "1f\r\n"},
        {255, "ff\r\n"},
        {65536, "10000\r\n"},
        {0xdeadbeef, "deadbeef\r\n"},
        {UINT64_MAX, "ffffffffffffffff\r\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[20];
        size_t len = tusk_http_chunk_head(out, cases[i].len);
        assert_bytes_equal(tusk_bytes_of(out, len), tusk_bytes_str(cases[i].text));
    }
}

static void a_parser_error_has_its_status(void **state)
{
    static const struct {
        tusk_err err;
        int status;
    } cases[] = {
        {TUSK_EPROTO, 400},   {TUSK_ETIMEOUT, 408}, {TUSK_ETOOBIG, 413}, {TUSK_EURI, 414},
        {TUSK_EEXPECT, 417},  {TUSK_EHEADERS, 431}, {TUSK_ECODING, 501}, {TUSK_EMETHOD, 501},
        {TUSK_EVERSION, 505}, {TUSK_ENOMEM, 503},   {TUSK_ESYS, 500},    {(tusk_err)-999, 500},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tusk_http_status_of(cases[i].err), cases[i].status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_line_is_whole),
        cmocka_unit_test(every_reason_is_found),
        cmocka_unit_test(a_field_cannot_split_a_response),
        cmocka_unit_test(nothing_is_appended_past_a_limit),
        cmocka_unit_test(without_memory_writing_fails_in_order),
        cmocka_unit_test(a_chunk_head_is_the_length_in_hex),
        cmocka_unit_test(a_parser_error_has_its_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
