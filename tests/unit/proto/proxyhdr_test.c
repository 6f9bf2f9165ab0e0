/* SPDX-License-Identifier: MIT */
/* The PROXY header, both versions: taken, refused at the first wrong byte, and the same however
 * cut. */
#include "test.h"

#include <tusk/http.h>

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"

/* Bytes until the answer is known are returned in `*at`. */
static ptrdiff_t parse(tusk_proxy_head *head, tusk_bytes in, size_t *at)
{
    tusk_proxy_head other;
    ptrdiff_t expected = 0;
    *at = in.len;
    for (size_t len = 0; len <= in.len; len++) {
        tusk_bytes part = test_guarded_bytes(in.ptr, len);
        ptrdiff_t result = tusk_proxy_head_parse(&other, part);
        if (expected != 0) {
            assert_int_equal(result, expected); /* more bytes change nothing */
        } else if (result != 0) {
            *at = len;
            *head = other;
        }
        expected = result;
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, len);
    }
    return expected;
}

static void a_line_of_version_1(void **state)
{
    tusk_proxy_head head;
    size_t at;
    assert_int_equal(
        parse(&head, TEST_BYTES("PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\nGET /"), &at), 45);
    assert_int_equal(head.family, 4);
    assert_false(head.local);
    assert_memory_equal(head.source, "\xc0\x00\x02\x01", 4);
    assert_memory_equal(head.target, "\xc6\x33\x64\x02", 4);
    assert_int_equal(head.source_port, 56324);
    assert_int_equal(head.target_port, 443);
    assert_int_equal(
        parse(&head, TEST_BYTES("PROXY TCP6 2001:db8::1 ::ffff:1.2.3.4 0 65535\r\n"), &at), 47);
    assert_int_equal(head.family, 6);
    assert_memory_equal(head.source, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
    assert_memory_equal(head.target, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x01\x02\x03\x04", 16);
    assert_int_equal(parse(&head, TEST_BYTES("PROXY UNKNOWN\r\n"), &at), 15);
    assert_true(head.local);
    assert_int_equal(parse(&head, TEST_BYTES("PROXY UNKNOWN ffff::1 whatever 1 2\r\n"), &at), 36);
    assert_true(head.local);
}

static void what_is_no_line_of_version_1(void **state)
{
    static const struct {
        const char *text;
        size_t at; /* 0: at its line end */
    } cases[] = {
        {"GET / HTTP/1.1\r\n", 1},
        {"PRI * HTTP/2.0\r\n", 3},
        {"PROXZ", 5},
        {"PROXY\tTCP4", 6},
        {"PROXY  TCP4 1.2.3.4 1.2.3.4 1 1\r\n", 0},
        {"PROXY TCP4  1.2.3.4 1.2.3.4 1 1\r\n", 0},
        {"PROXY TCP4 1.2.3.4 1.2.3.4 1 1 \r\n", 0},
        {"PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", 0},
        {"PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n", 0},
        {"PROXY TCP4 1.2.3.4 1.2.3.4 01 1\r\n", 0},
        {"PROXY TCP4 1.2.3.4 1.2.3.4 -1 1\r\n", 0},
        {"PROXY TCP4 1.2.3.256 1.2.3.4 1 1\r\n", 0},
        {"PROXY TCP4 ::1 ::1 1 1\r\n", 0},
        {"PROXY TCP6 1.2.3.4 1.2.3.4 1 1\r\n", 0},
        {"PROXY TCP5 1.2.3.4 1.2.3.4 1 1\r\n", 0},
        {"PROXY tcp4 1.2.3.4 1.2.3.4 1 1\r\n", 0},
        {"PROXY UDP4 1.2.3.4 1.2.3.4 1 1\r\n", 0},
        {"PROXY TCX4 1.2.3.4 1.2.3.4 1 1\r\n", 0},
        {"PROXY UNKNOWNX\r\n", 0},
        {"PROXY UNKNOWX\r\n", 0},
        {"PROXY \r\n", 0},
        {"PROXY TCP4 1.2.3.4 1.2.3.4 1 1\n", 0},
        {"PROXY TCP4 1.2.3.4 1.2.3.4 1 1\r\r\n", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_proxy_head head;
        size_t at;
        ptrdiff_t result = parse(&head, tusk_bytes_str(cases[i].text), &at);
        size_t expected = cases[i].at > 0 ? cases[i].at : strlen(cases[i].text);
        if (result != TUSK_EPROTO || at != expected) {
            fail_msg("%td after %zu for %s", result, at, cases[i].text);
        }
    }
    char long_line[120];
    tusk_proxy_head head;
    size_t at;
    memset(long_line, 'x', sizeof(long_line));
    memcpy(long_line, "PROXY UNKNOWN ", 14);
    assert_err(parse(&head, tusk_bytes_of(long_line, sizeof(long_line)), &at), TUSK_EPROTO);
    assert_int_equal(at, 107);
    memcpy(long_line + 105, "\r\n", 2);
    assert_int_equal(parse(&head, tusk_bytes_of(long_line, sizeof(long_line)), &at), 107);
}

static void a_binary_header_of_version_2(void **state)
{
    tusk_proxy_head head;
    size_t at;
    tusk_bytes v4 = TEST_BYTES(SIGNATURE "\x21\x11\0\x0c"
                                         "\xc0\0\x02\x01\xc6\x33\x64\x02"
                                         "\xdc\x04\x01\xbb"
                                         "GET");
    assert_int_equal(parse(&head, v4, &at), 28);
    assert_int_equal(head.family, 4);
    assert_memory_equal(head.source, "\xc0\x00\x02\x01", 4);
    assert_memory_equal(head.target, "\xc6\x33\x64\x02", 4);
    assert_int_equal(head.source_port, 56324);
    assert_int_equal(head.target_port, 443);
    tusk_bytes v6 = TEST_BYTES(SIGNATURE "\x21\x21\0\x29"
                                         "0123456789abcdef"
                                         "fedcba9876543210"
                                         "\0\x50\0\x51"
                                         "\x04\0\x02"
                                         "ab");
    assert_int_equal(parse(&head, v6, &at), 57);
    assert_int_equal(head.family, 6);
    assert_memory_equal(head.source, "0123456789abcdef", 16);
    assert_memory_equal(head.target, "fedcba9876543210", 16);
    assert_int_equal(head.source_port, 80);
    assert_int_equal(head.target_port, 81);
    tusk_bytes empty = TEST_BYTES(SIGNATURE "\x21\x11\0\x0f"
                                            "aaaabbbbcdef"
                                            "\x04\0\0");
    assert_int_equal(parse(&head, empty, &at), 31); /* an extension may be without a value */
}

static void without_an_address_the_sockets_own_stays(void **state)
{
    static const struct {
        const char *wire;
        size_t len;
    } cases[] = {
        {SIGNATURE "\x20\0\0\0", 16}, /* LOCAL */
        {SIGNATURE "\x20\x11\0\x0c"
                   "\1\2\3\4\5\6\7\x08\1\2\3\4",
         28}, /* LOCAL with addresses, which mean nothing */
        {SIGNATURE "\x21\0\0\x02"
                   "xx",
         18}, /* unspecified family */
        {SIGNATURE "\x21\x12\0\x0c"
                   "\1\2\3\4\5\6\7\x08\1\2\3\4",
         28},                           /* UDP */
        {SIGNATURE "\x21\x31\0\0", 16}, /* a Unix path */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_proxy_head head;
        size_t at;
        assert_int_equal(parse(&head, tusk_bytes_of(cases[i].wire, cases[i].len), &at),
                         cases[i].len);
        assert_true(head.local);
        assert_int_equal(head.family, 0);
    }
    static uint8_t longest[TUSK_PROXY_HEAD_MAX] = SIGNATURE "\x20\0\x0f\xf0";
    tusk_proxy_head head;
    assert_int_equal(tusk_proxy_head_parse(&head, tusk_bytes_of(longest, sizeof(longest))),
                     TUSK_PROXY_HEAD_MAX);
}

static void a_broken_binary_header_is_refused(void **state)
{
    static const struct {
        const char *wire;
        size_t len;
        size_t at;
    } cases[] = {
        {"\r\n\r\n\0\r\nQUIX", 11, 11},
        {"\r\n\n", 3, 3},
        {SIGNATURE "\x11", 13, 13},             /* another version */
        {SIGNATURE "\x22", 13, 13},             /* another command */
        {SIGNATURE "\x21\x11\0\x0b", 16, 16},   /* too short for IPv4 */
        {SIGNATURE "\x21\x21\0\x23", 16, 16},   /* too short for IPv6 */
        {SIGNATURE "\x21\x11\xff\xff", 16, 16}, /* longer than we take */
        {SIGNATURE "\x20\0\x0f\xf1", 16, 16},   /* one byte over TUSK_PROXY_HEAD_MAX */
        {SIGNATURE "\x21\x11\0\x0e"
                   "aaaabbbbcdef"
                   "\1\0",
         30, 30}, /* half an extension */
        {SIGNATURE "\x21\x11\0\x0d"
                   "aaaabbbbcdef"
                   "\1",
         29, 29}, /* a byte of one */
        {SIGNATURE "\x21\x11\0\x0f"
                   "aaaabbbbcdef"
                   "\1\0\x01",
         31, 31}, /* one that is longer than the header */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_proxy_head head;
        size_t at;
        ptrdiff_t result = parse(&head, tusk_bytes_of(cases[i].wire, cases[i].len), &at);
        if (result != TUSK_EPROTO || at != cases[i].at) {
            fail_msg("case %zu: %td after %zu", i, result, at);
        }
    }
}

static void extensions_of_a_binary_header_are_found(void **state)
{
    tusk_bytes value;
    tusk_bytes in = TEST_BYTES(SIGNATURE "\x21\x11\0\x1a"
                                         "aaaabbbbcdef"
                                         "\x04\0\0"
                                         "\x02\0\x03"
                                         "a.b"
                                         "\x02\0\x02"
                                         "zz"
                                         "\x02\0\x01!");
    assert_true(tusk_proxy_head_find(in, TUSK_PROXY_AUTHORITY, &value));
    assert_bytes_equal(value, TEST_BYTES("a.b"));
    assert_false(tusk_proxy_head_find(in, TUSK_PROXY_ALPN, &value)); /* nor what follows the head */
    assert_false(tusk_proxy_head_find(TEST_BYTES("PROXY UNKNOWN\r\n\x02\0\x01!"),
                                      TUSK_PROXY_AUTHORITY, &value));
    assert_false(tusk_proxy_head_find(TEST_BYTES(SIGNATURE "\x20\0\0\x04\x02\0\x01!"),
                                      TUSK_PROXY_AUTHORITY, &value));
    assert_false(tusk_proxy_head_find(TEST_BYTES("GET"), TUSK_PROXY_AUTHORITY, &value));
}

/* What is written is read as the same head, from a page's end. */
static tusk_err write_and_read(const tusk_mem *mem, void *user)
{
    const tusk_proxy_head *head = user;
    tusk_proxy_extra extra = {.authority = TEST_BYTES("db.example"),
                              .alpn = TEST_BYTES("h2"),
                              .tls_version = TEST_BYTES("TLSv1.3")};
    tusk_buf out;
    tusk_buf_init(&out, mem, 2000);
    tusk_err err = TUSK_OK;
    for (int version = 1; version <= 2 && err == TUSK_OK; version++) {
        tusk_proxy_head again;
        size_t at;
        tusk_buf_clear(&out);
        err = tusk_proxy_head_write(&out, head, version, &extra);
        if (err == TUSK_OK) {
            assert_int_equal(parse(&again, tusk_buf_view(&out), &at), out.len);
            assert_memory_equal(&again, head, sizeof(again));
        }
    }
    tusk_bytes value;
    if (err == TUSK_OK && !head->local) {
        tusk_bytes wire = tusk_buf_view(&out);
        assert_true(tusk_proxy_head_find(wire, TUSK_PROXY_AUTHORITY, &value));
        assert_bytes_equal(value, extra.authority);
        assert_true(tusk_proxy_head_find(wire, TUSK_PROXY_ALPN, &value));
        assert_bytes_equal(value, extra.alpn);
        assert_true(tusk_proxy_head_find(wire, TUSK_PROXY_SSL, &value));
        assert_bytes_equal(value, TEST_BYTES("\x01\0\0\0\x01\x21\0\x07TLSv1.3"));
    }
    tusk_buf_fini(&out);
    return err;
}

static void what_is_written_is_read_as_the_same(void **state)
{
    tusk_proxy_head heads[] = {
        {.family = 4,
         .source = {192, 0, 2, 1},
         .target = {255, 255, 255, 255},
         .source_port = 65535},
        {.family = 6, .source = {0x20, 1, [15] = 1}, .target = {0xfd}, .target_port = 443},
        {.family = 6, .source_port = 65535, .target_port = 65535},
        {.local = true},
    };
    memset(heads[2].source, 0xff, 16);
    memset(heads[2].target, 0xff, 16);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        assert_true(test_fail_each_alloc(write_and_read, false, &heads[i]) > 0);
    }
}

static void both_versions_are_written_to_the_letter(void **state)
{
    tusk_buf out;
    tusk_proxy_head head = {.family = 4,
                            .source = {192, 0, 2, 1},
                            .target = {198, 51, 100, 2},
                            .source_port = 56324,
                            .target_port = 443};
    tusk_buf_init(&out, tusk_mem_default(), 2000);
    assert_err(tusk_proxy_head_write(&out, &head, 1, NULL), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out),
                       TEST_BYTES("PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\n"));
    tusk_buf_clear(&out);
    assert_err(tusk_proxy_head_write(&out, &head, 2, NULL), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES(SIGNATURE "\x21\x11\0\x0c"
                                                                 "\xc0\0\x02\x01\xc6\x33\x64\x02"
                                                                 "\xdc\x04\x01\xbb"));
    tusk_buf_clear(&out);
    head.local = true;
    assert_err(tusk_proxy_head_write(&out, &head, 2, NULL), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES(SIGNATURE "\x20\0\0\0"));
    head.local = false;
    assert_err(tusk_proxy_head_write(&out, &head, 3, NULL), TUSK_EINVAL);
    head.family = 5;
    assert_err(tusk_proxy_head_write(&out, &head, 2, NULL), TUSK_EINVAL);
    head.family = 4;
    char long_name[256];
    memset(long_name, 'a', sizeof(long_name));
    tusk_proxy_extra extra = {.authority = tusk_bytes_of(long_name, 256)};
    assert_err(tusk_proxy_head_write(&out, &head, 2, &extra), TUSK_EINVAL);
    extra.authority.len = 255;
    extra.client_certificate = true;
    extra.tls_version = extra.authority;
    extra.alpn = extra.authority;
    tusk_buf_clear(&out);
    assert_err(tusk_proxy_head_write(&out, &head, 2, &extra), TUSK_OK);
    tusk_bytes value;
    assert_true(tusk_proxy_head_find(tusk_buf_view(&out), TUSK_PROXY_SSL, &value));
    assert_memory_equal(value.ptr, "\x07\0\0\0\0", 5);
    tusk_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_version_1),
        cmocka_unit_test(what_is_no_line_of_version_1),
        cmocka_unit_test(a_binary_header_of_version_2),
        cmocka_unit_test(without_an_address_the_sockets_own_stays),
        cmocka_unit_test(a_broken_binary_header_is_refused),
        cmocka_unit_test(extensions_of_a_binary_header_are_found),
        cmocka_unit_test(what_is_written_is_read_as_the_same),
        cmocka_unit_test(both_versions_are_written_to_the_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
