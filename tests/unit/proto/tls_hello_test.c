/* SPDX-License-Identifier: MIT */
/* ClientHello messages built field by field after RFC 8446, 4.1.2, RFC 6066, 3 and RFC 7301, 3.1:
 * read alike however records and segments cut them, refused where a rule is broken. */
#include "test.h"

#include "proto/tls_hello.h"

enum { ROOM = 40000 };

typedef struct maker {
    size_t len;
    uint8_t bytes[ROOM];
} maker;

static void put(maker *self, tusk_bytes bytes)
{
    assert_true(bytes.len <= ROOM - self->len);
    if (bytes.len > 0) {
        memcpy(self->bytes + self->len, bytes.ptr, bytes.len);
    }
    self->len += bytes.len;
}

static void put_uint(maker *self, size_t width, size_t value)
{
    for (size_t i = width; i > 0; i--) {
        uint8_t byte = (uint8_t)(value >> (8 * (i - 1)));
        put(self, tusk_bytes_of(&byte, 1));
    }
}

/* Bytes behind their length. */
static void put_vector(maker *self, size_t width, tusk_bytes bytes)
{
    put_uint(self, width, bytes.len);
    put(self, bytes);
}

static tusk_bytes made(const maker *self)
{
    return tusk_bytes_of(self->bytes, self->len);
}

static void put_extension(maker *self, unsigned type, tusk_bytes data)
{
    put_uint(self, 2, type);
    put_vector(self, 2, data);
}

static void put_server_name(maker *self, tusk_bytes name)
{
    maker entry = {0};
    maker list = {0};
    put_uint(&entry, 1, 0);
    put_vector(&entry, 2, name);
    put_vector(&list, 2, made(&entry));
    put_extension(self, 0, made(&list));
}

/* The message, with these extensions' bytes (ptr NULL: none at all). */
static void put_hello(maker *self, unsigned version, tusk_bytes extensions)
{
    maker body = {0};
    put_uint(&body, 2, version);
    put(&body, TEST_BYTES("0123456789abcdef0123456789abcdef"));
    put_vector(&body, 1, TEST_BYTES("session"));
    put_vector(&body, 2, TEST_BYTES("\x13\x01\x13\x02"));
    put_vector(&body, 1, TEST_BYTES("\0"));
    if (extensions.ptr != NULL) {
        put_vector(&body, 2, extensions);
    }
    put_uint(self, 1, 1);
    put_vector(self, 3, made(&body));
}

/* The message in records of `step` bytes. */
static void put_records(maker *self, tusk_bytes message, size_t step)
{
    for (size_t at = 0; at < message.len; at += step) {
        size_t len = message.len - at < step ? message.len - at : step;
        put(self, TEST_BYTES("\x16\x03\x01"));
        put_vector(self, 2, tusk_bytes_of(message.ptr + at, len));
    }
}

/* A stream with one hello in one record. */
static void put_stream(maker *self, unsigned version, tusk_bytes extensions)
{
    maker message = {0};
    put_hello(&message, version, extensions);
    put_records(self, made(&message), 16384);
}

static void put_usual_extensions(maker *self)
{
    put_extension(self, 0x0a0a, TEST_BYTES("")); /* GREASE, RFC 8701 */
    put_server_name(self, TEST_BYTES("Db-7.Example.ORG"));
    put_extension(self, 16, TEST_BYTES("\0\x0c\x02h2\x08http/1.1"));
    put_extension(self, 43, TEST_BYTES("\x06\x7a\x7a\x03\x04\x03\x03"));
    put_extension(self, 21, TEST_BYTES("padding"));
}

/* The answer for the whole, and the same for every beginning that already has one. */
static ptrdiff_t parse(tusk__tls_hello *out, tusk_bytes in, size_t *decided)
{
    ptrdiff_t answer = 0;
    *decided = in.len;
    for (size_t len = 0; len <= in.len; len++) {
        tusk__tls_hello hello;
        tusk_bytes part = test_guarded_bytes(in.ptr, len);
        ptrdiff_t result = tusk__tls_hello_parse(&hello, part);
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, len);
        if (answer != 0) {
            assert_int_equal(result, answer);
        } else if (result != 0) {
            *decided = len;
        }
        if (result > 0) {
            *out = hello;
        }
        answer = result;
    }
    return answer;
}

static void expect_usual(const tusk__tls_hello *hello)
{
    size_t at = 0;
    tusk_bytes protocol;
    assert_bytes_equal(tusk__tls_hello_name(hello), TEST_BYTES("db-7.example.org"));
    assert_int_equal(hello->versions, TLS_HELLO_1_2 | TLS_HELLO_1_3);
    assert_true(tusk__tls_hello_next_alpn(hello, &at, &protocol));
    assert_bytes_equal(protocol, TEST_BYTES("h2"));
    assert_true(tusk__tls_hello_next_alpn(hello, &at, &protocol));
    assert_bytes_equal(protocol, TEST_BYTES("http/1.1"));
    assert_false(tusk__tls_hello_next_alpn(hello, &at, &protocol));
    assert_true(tusk__tls_hello_has_alpn(hello, TEST_BYTES("http/1.1")));
    assert_false(tusk__tls_hello_has_alpn(hello, TEST_BYTES("http/1")));
}

static void name_protocols_and_versions_are_read_from_one_record(void **state)
{
    maker extensions = {0};
    maker stream = {0};
    tusk__tls_hello hello;
    size_t decided;
    put_usual_extensions(&extensions);
    put_stream(&stream, 0x0303, made(&extensions));
    size_t len = stream.len;
    put(&stream, TEST_BYTES("\x14\x03\x03\0\x01\x01 early data"));
    assert_int_equal(parse(&hello, made(&stream), &decided), len);
    assert_int_equal(decided, len);
    expect_usual(&hello);
}

static void a_hello_in_many_records_is_the_same_hello(void **state)
{
    static const size_t steps[] = {1, 2, 3, 4, 5, 7, 50, 130};
    maker extensions = {0};
    maker message = {0};
    put_usual_extensions(&extensions);
    put_hello(&message, 0x0303, made(&extensions));
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        maker stream = {0};
        tusk__tls_hello hello;
        size_t decided;
        put_records(&stream, made(&message), steps[i]);
        assert_int_equal(parse(&hello, made(&stream), &decided), stream.len);
        assert_int_equal(decided, stream.len);
        expect_usual(&hello);
    }
}

static void without_the_extension_versions_reach_up_to_the_one_named(void **state)
{
    static const struct {
        unsigned version;
        unsigned bits;
    } cases[] = {{0x0300, 0},
                 {0x0301, TLS_HELLO_1_0},
                 {0x0302, TLS_HELLO_1_0 | TLS_HELLO_1_1},
                 {0x0303, TLS_HELLO_1_0 | TLS_HELLO_1_1 | TLS_HELLO_1_2},
                 {0x0304, TLS_HELLO_1_0 | TLS_HELLO_1_1 | TLS_HELLO_1_2},
                 {0x03ff, TLS_HELLO_1_0 | TLS_HELLO_1_1 | TLS_HELLO_1_2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned with = 0; with < 2; with++) { /* no extensions, and an empty list of them */
            maker stream = {0};
            tusk__tls_hello hello;
            size_t decided;
            put_stream(&stream, cases[i].version,
                       with == 1 ? TEST_BYTES("") : tusk_bytes_of(NULL, 0));
            assert_int_equal(parse(&hello, made(&stream), &decided), stream.len);
            assert_int_equal(hello.versions, cases[i].bits);
            assert_int_equal(hello.name_len, 0);
            assert_int_equal(hello.alpn_len, 0);
        }
    }
}

static void what_is_no_tls_is_seen_at_its_first_wrong_byte(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        size_t decided;
    } cases[] = {
        {"GET / HTTP/1.1\r\n", 16, 1},      {"\0\0\0\x08\x04\xd2\x16\x2f", 8, 1}, /* Postgres */
        {"\x80\x2e\x01\x03\x01", 5, 1},     /* the hello of SSL 2.0 */
        {"\x17\x03\x03\0\x05", 5, 1},       /* a record, of application data */
        {"\x16\x02\0\0\x05", 5, 2},         /* another major version */
        {"\x16\x03\x01\0\0", 5, 5},         /* a record without bytes */
        {"\x16\x03\x01\x40\x01\x01", 6, 5}, /* one over 2^14 */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__tls_hello hello;
        size_t decided;
        ptrdiff_t result = parse(&hello, tusk_bytes_of(cases[i].bytes, cases[i].len), &decided);
        if (result != TUSK_ENOENT || decided != cases[i].decided) {
            fail_msg("case %zu: %td after %zu", i, result, decided);
        }
    }
}

static void broken_records_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        size_t decided;
    } cases[] = {
        {"\x16\x03\x01\0\x05\x02\0\0\0\0", 10, 6},                   /* a ServerHello */
        {"\x16\x03\x01\0\x01\x01\x15\x03\x01\0\x02\x01\x01", 13, 7}, /* an alert in between */
        {"\x16\x03\x01\0\x01\x01\x16\x04", 8, 8},                    /* another version */
        {"\x16\x03\x01\0\x01\x01\x16\x03\x01\0\0", 11, 11},          /* an empty record */
        {"\x16\x03\x01\0\x01\x01\x16\x03\x01\x40\x01", 11, 11},      /* one over 2^14 */
        {"\x16\x03\x01\0\x06\x01\0\0\x01", 9, 9}, /* something behind the hello */
        {"\x16\x03\x01\0\x04\x01\0\0\0", 9, 9},   /* a hello without fields */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__tls_hello hello;
        size_t decided;
        ptrdiff_t result = parse(&hello, tusk_bytes_of(cases[i].bytes, cases[i].len), &decided);
        if (result != TUSK_EPROTO || decided != cases[i].decided) {
            fail_msg("case %zu: %td after %zu", i, result, decided);
        }
    }
}

static ptrdiff_t parse_extensions(tusk_bytes extensions)
{
    maker stream = {0};
    tusk__tls_hello hello;
    put_stream(&stream, 0x0303, extensions);
    tusk_bytes in = test_guarded_bytes(stream.bytes, stream.len);
    ptrdiff_t result = tusk__tls_hello_parse(&hello, in);
    test_guarded_free((uint8_t *)(uintptr_t)in.ptr, in.len);
    return result > 0 ? 1 : result;
}

static void broken_extensions_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        ptrdiff_t result;
    } cases[] = {
        {"\0\x0a\0\x02\0\x1d", 6, 1},                            /* any other passes */
        {"\0", 1, TUSK_EPROTO},                                  /* half a type */
        {"\0\x0a\0\x03\0\x1d", 6, TUSK_EPROTO},                  /* longer than the list */
        {"\0\0\0\0", 4, TUSK_EPROTO},                            /* a name without a list */
        {"\0\0\0\x02\0\0", 6, TUSK_EPROTO},                      /* an empty list */
        {"\0\0\0\x05\0\x03\0\0\0", 9, TUSK_EPROTO},              /* an empty name */
        {"\0\0\0\x06\0\x04\0\0\0\x01", 10, TUSK_EPROTO},         /* a name beyond the list */
        {"\0\0\0\x07\0\x04\0\0\x01X!", 11, TUSK_EPROTO},         /* something behind the list */
        {"\0\0\0\x06\0\x04\0\0\x01X", 10, 1},                    /* a name */
        {"\0\0\0\x06\0\x04\x01\0\x01X", 10, 1},                  /* a name of another type */
        {"\0\0\0\x0a\0\x08\0\0\x01X\0\0\x01Y", 14, TUSK_EPROTO}, /* two of a type */
        {"\0\0\0\x06\0\x04\0\0\x01X\0\0\0\x06\0\x04\0\0\x01X", 20, TUSK_EPROTO}, /* twice */
        {"\0\x10\0\x02\0\0", 6, TUSK_EPROTO},        /* an empty list of protocols */
        {"\0\x10\0\x03\0\x01\0", 7, TUSK_EPROTO},    /* an empty protocol */
        {"\0\x10\0\x04\0\x02\x02h", 8, TUSK_EPROTO}, /* a protocol beyond the list */
        {"\0\x10\0\x04\0\x02\x01h", 8, 1},
        {"\0\x10\0\x04\0\x02\x01h\0\x10\0\x04\0\x02\x01h", 16, TUSK_EPROTO},
        {"\0\x2b\0\x01\0", 5, TUSK_EPROTO},            /* no versions */
        {"\0\x2b\0\x02\x01\x03", 6, TUSK_EPROTO},      /* half a version */
        {"\0\x2b\0\x04\x02\x03\x04!", 8, TUSK_EPROTO}, /* something behind them */
        {"\0\x2b\0\x03\x02\x03\x04", 7, 1},
        {"\0\x2b\0\x03\x02\x03\x04\0\x2b\0\x03\x02\x03\x04", 14, TUSK_EPROTO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ptrdiff_t result = parse_extensions(tusk_bytes_of(cases[i].bytes, cases[i].len));
        if (result != cases[i].result) {
            fail_msg("case %zu: %td", i, result);
        }
    }
}

/* A hello whose fields in front of the extensions are these bytes. */
static ptrdiff_t parse_body(tusk_bytes body)
{
    maker message = {0};
    maker stream = {0};
    tusk__tls_hello hello;
    put_uint(&message, 1, 1);
    put_vector(&message, 3, body);
    put_records(&stream, made(&message), 16384);
    ptrdiff_t result = tusk__tls_hello_parse(&hello, made(&stream));
    return result > 0 ? 1 : result;
}

static void broken_fields_are_refused(void **state)
{
#define HEAD                                                                                       \
    "\x03\x03"                                                                                     \
    "0123456789abcdef0123456789abcdef"
    static const struct {
        const char *bytes;
        size_t len;
        ptrdiff_t result;
    } cases[] = {
        {HEAD "\0\0\x02\x13\x01\x01\0", 41, 1},
        {HEAD "\0\0\x02\x13\x01\x01\0\0", 42, TUSK_EPROTO},    /* half a length */
        {HEAD "\0\0\x02\x13\x01\x01\0\0\0!", 44, TUSK_EPROTO}, /* behind the extensions */
        {HEAD "\0\0\x02\x13\x01\x01", 40, TUSK_EPROTO},        /* a compression is missing */
        {HEAD "\0\0\x02\x13\x01\0", 40, TUSK_EPROTO},          /* none */
        {HEAD "\0\0\x03\x13\x01\x02\x01\0", 42, TUSK_EPROTO},  /* half a suite */
        {HEAD "\0\0\0\x01\0", 39, TUSK_EPROTO},                /* no suite */
        {HEAD "\x21"
              "0123456789abcdef0123456789abcdefg\0\x02\x13\x01\x01\0",
         74, TUSK_EPROTO},
        {HEAD "\x20"
              "0123456789abcdef0123456789abcdef\0\x02\x13\x01\x01\0",
         73, 1},
        {HEAD, 34, TUSK_EPROTO},
        {HEAD, 33, TUSK_EPROTO},
        {"\x02\x03"
         "0123456789abcdef0123456789abcdef\0\0\x02\x13\x01\x01\0",
         41, TUSK_EPROTO},
    };
#undef HEAD
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ptrdiff_t result = parse_body(tusk_bytes_of(cases[i].bytes, cases[i].len));
        if (result != cases[i].result) {
            fail_msg("case %zu: %td", i, result);
        }
    }
}

/* PHP's clients send one, though RFC 6066, 3 has none: it is no reason to refuse them. */
static void an_address_is_no_server_name(void **state)
{
    static const char *const addresses[] = {"192.0.2.1", "127.0.0.1", "::1", "fd00::7"};
    (void)state;
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        maker extensions = {0};
        maker stream = {0};
        tusk__tls_hello hello;
        put_server_name(&extensions, tusk_bytes_str(addresses[i]));
        put_stream(&stream, 0x0303, made(&extensions));
        assert_int_equal(tusk__tls_hello_parse(&hello, tusk_bytes_of(stream.bytes, stream.len)),
                         stream.len);
        assert_int_equal(hello.name_len, 0);
    }
}

static void a_server_name_is_a_dns_name(void **state)
{
    char label[65];
    char name[260];
    memset(label, 'a', sizeof(label));
    static const struct {
        const char *name;
        ptrdiff_t result;
    } cases[] = {
        {"a", 1},
        {"a.b", 1},
        {"xn--bcher-kva.example", 1},
        {"_acme.example", 1},
        {"1.example", 1},
        {"a..b", TUSK_EPROTO},
        {".a", TUSK_EPROTO},
        {"a.", TUSK_EPROTO},
        {"a b", TUSK_EPROTO},
        {"a/b", TUSK_EPROTO},
        {"b\xc3\xbc"
         "cher",
         TUSK_EPROTO},
        {"192.0.2.300", TUSK_EPROTO},
        {"192.0.2", TUSK_EPROTO},
        {"a.example.1", TUSK_EPROTO},
        {"a.1x", 1},
        {"[::1]", TUSK_EPROTO},
        {"a:80", TUSK_EPROTO},
        {"*.a", TUSK_EPROTO},
        {"a\r\n", TUSK_EPROTO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        maker extensions = {0};
        put_server_name(&extensions, tusk_bytes_str(cases[i].name));
        ptrdiff_t result = parse_extensions(made(&extensions));
        if (result != cases[i].result) {
            fail_msg("%s: %td", cases[i].name, result);
        }
    }
    for (size_t len = 62; len <= 64; len++) {
        maker extensions = {0};
        put_server_name(&extensions, tusk_bytes_of(label, len));
        assert_int_equal(parse_extensions(made(&extensions)), len > 63 ? TUSK_EPROTO : 1);
    }
    for (size_t len = 252; len <= 255; len++) {
        maker extensions = {0};
        for (size_t i = 0; i < len; i++) {
            name[i] = i % 50 == 49 ? '.' : 'a';
        }
        put_server_name(&extensions, tusk_bytes_of(name, len));
        assert_int_equal(parse_extensions(made(&extensions)), len > 253 ? TUSK_EPROTO : 1);
    }
    maker extensions = {0};
    put_server_name(&extensions, TEST_BYTES("a\0b"));
    assert_int_equal(parse_extensions(made(&extensions)), TUSK_EPROTO);
}

static void a_hello_over_the_limits_is_refused_as_soon_as_its_length_says_so(void **state)
{
    maker list = {0};
    maker protocols = {0};
    maker extensions = {0};
    tusk__tls_hello hello;
    size_t decided;
    while (list.len + 8 <= TLS_HELLO_ALPN_MAX) {
        put_vector(&list, 1, TEST_BYTES("seven_b"));
    }
    put_vector(&protocols, 2, made(&list));
    put_extension(&extensions, 16, made(&protocols));
    assert_int_equal(parse_extensions(made(&extensions)), 1);
    put_vector(&list, 1, TEST_BYTES("x"));
    protocols.len = 0;
    extensions.len = 0;
    put_vector(&protocols, 2, made(&list));
    put_extension(&extensions, 16, made(&protocols));
    assert_int_equal(parse_extensions(made(&extensions)), TUSK_ETOOBIG);
    /* the longest in one record, and one byte more */
    tusk_bytes longest = TEST_BYTES("\x16\x03\x01\x3f\xfb\x01\0\x3f\xf7");
    tusk_bytes longer = TEST_BYTES("\x16\x03\x01\x3f\xfc\x01\0\x3f\xf8");
    assert_int_equal(parse(&hello, longest, &decided), 0);
    assert_int_equal(parse(&hello, longer, &decided), TUSK_ETOOBIG);
    assert_int_equal(decided, 9);
}

static void one_byte_a_record_does_not_reach_past_the_limit(void **state)
{
    static uint8_t bytes[TLS_HELLO_MAX + 6];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        static const uint8_t record[] = {0x16, 3, 1, 0, 1, 0};
        bytes[i] = record[i % 6];
    }
    memcpy(bytes + 5, "\x01", 1); /* a hello of 16,000 bytes */
    bytes[11] = 0;
    bytes[17] = 0x3e;
    bytes[23] = 0x80;
    tusk__tls_hello hello;
    assert_int_equal(tusk__tls_hello_parse(&hello, tusk_bytes_of(bytes, TLS_HELLO_MAX - 1)), 0);
    for (size_t len = TLS_HELLO_MAX; len <= sizeof(bytes); len++) {
        tusk_bytes in = test_guarded_bytes(bytes, len);
        assert_int_equal(tusk__tls_hello_parse(&hello, in), TUSK_ETOOBIG);
        test_guarded_free((uint8_t *)(uintptr_t)in.ptr, in.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_protocols_and_versions_are_read_from_one_record),
        cmocka_unit_test(a_hello_in_many_records_is_the_same_hello),
        cmocka_unit_test(without_the_extension_versions_reach_up_to_the_one_named),
        cmocka_unit_test(what_is_no_tls_is_seen_at_its_first_wrong_byte),
        cmocka_unit_test(broken_records_are_refused),
        cmocka_unit_test(broken_extensions_are_refused),
        cmocka_unit_test(broken_fields_are_refused),
        cmocka_unit_test(an_address_is_no_server_name),
        cmocka_unit_test(a_server_name_is_a_dns_name),
        cmocka_unit_test(a_hello_over_the_limits_is_refused_as_soon_as_its_length_says_so),
        cmocka_unit_test(one_byte_a_record_does_not_reach_past_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
