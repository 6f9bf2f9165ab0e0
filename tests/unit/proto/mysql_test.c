/* SPDX-License-Identifier: MIT */
/* MySQL's connection phase, after the manual's packet formats: packets of real servers and clients
 * read, ours written, and those until OK told apart however they are cut. */
#include "test.h"

#include "proto/mysql.h"

/* MySQL 8.0 and MariaDB 10.11 as they greet. */
#define GREETING_8                                                                                 \
    "\x4a\0\0\0\x0a"                                                                               \
    "8.0.36\0\x0b\0\0\0"                                                                           \
    "12345678\0"                                                                                   \
    "\xff\xff\xff\x02\0\xff\xdf\x15"                                                               \
    "\0\0\0\0\0\0\0\0\0\0"                                                                         \
    "abcdefghijkl\0"                                                                               \
    "caching_sha2_password\0"

/* The answer for the whole, the same for every beginning that has one. */
static ptrdiff_t parse_greeting(tusk__mysql_greeting *out, tusk_bytes in)
{
    ptrdiff_t answer = 0;
    for (size_t len = 0; len <= in.len; len++) {
        tusk_bytes part = test_guarded_bytes(in.ptr, len);
        ptrdiff_t result = tusk__mysql_greeting_parse(out, part);
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, len);
        assert_true(answer == 0 || result == answer);
        answer = result;
    }
    (void)tusk__mysql_greeting_parse(out, in);
    return answer;
}

static ptrdiff_t parse_response(tusk__mysql_response *out, tusk_bytes in)
{
    ptrdiff_t answer = 0;
    for (size_t len = 0; len <= in.len; len++) {
        tusk_bytes part = test_guarded_bytes(in.ptr, len);
        ptrdiff_t result = tusk__mysql_response_parse(out, part);
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, len);
        assert_true(answer == 0 || result == answer);
        answer = result;
    }
    (void)tusk__mysql_response_parse(out, in);
    return answer;
}

static void a_packet_has_a_length_and_a_number(void **state)
{
    tusk__mysql_packet packet;
    assert_int_equal(tusk__mysql_packet_parse(&packet,
                                              TEST_BYTES("\x02\0\0\x07"
                                                         "abc"),
                                              2),
                     6);
    assert_int_equal(packet.sequence, 7);
    assert_bytes_equal(packet.payload, TEST_BYTES("ab"));
    assert_int_equal(tusk__mysql_packet_parse(&packet, TEST_BYTES("\x02\0"), 2), 0);
    assert_int_equal(tusk__mysql_packet_parse(&packet,
                                              TEST_BYTES("\x02\0\0\x07"
                                                         "a"),
                                              2),
                     0);
    assert_int_equal(tusk__mysql_packet_parse(&packet, TEST_BYTES("\x03\0\0"), 2), TUSK_ETOOBIG);
    assert_int_equal(tusk__mysql_packet_parse(&packet, TEST_BYTES("\xff\xff\xff\0"), 2),
                     TUSK_ETOOBIG);
    assert_int_equal(tusk__mysql_packet_parse(&packet, TEST_BYTES("\0\0\0"), 2), TUSK_EPROTO);
}

static void a_servers_greeting_is_read(void **state)
{
    tusk__mysql_greeting greeting;
    tusk_bytes in = TEST_BYTES(GREETING_8);
    assert_int_equal(parse_greeting(&greeting, in), in.len);
    assert_false(greeting.is_error);
    assert_bytes_equal(greeting.version, TEST_BYTES("8.0.36"));
    assert_int_equal(greeting.connection, 11);
    assert_int_equal(greeting.caps, 0xdfffffff);
    assert_int_equal(greeting.charset, 255);
    assert_int_equal(greeting.status, 2);
    assert_int_equal(greeting.salt_len, 20);
    assert_memory_equal(greeting.salt, "12345678abcdefghijkl", 20);
    assert_bytes_equal(greeting.plugin, TEST_BYTES("caching_sha2_password"));
}

static void an_error_in_place_of_a_greeting_is_read(void **state)
{
    tusk__mysql_greeting greeting;
    assert_int_equal(parse_greeting(&greeting, TEST_BYTES("\x0c\0\0\0\xff\x10\x04Too many!")), 16);
    assert_true(greeting.is_error);
    assert_int_equal(greeting.error, 1040);
    assert_bytes_equal(greeting.text, TEST_BYTES("Too many!"));
    assert_int_equal(parse_greeting(&greeting, TEST_BYTES("\x0c\0\0\0\xff\x10\x04#08004Too")), 16);
    assert_bytes_equal(greeting.text, TEST_BYTES("Too"));
    assert_int_equal(parse_greeting(&greeting, TEST_BYTES("\x02\0\0\0\xff\x10")), TUSK_EPROTO);
}

static void a_broken_greeting_is_refused(void **state)
{
    uint8_t packet[128];
    tusk_bytes whole = TEST_BYTES(GREETING_8);
    tusk__mysql_greeting greeting;
    for (size_t len = 1; len < whole.len - 4; len++) { /* a shorter packet, however short */
        memcpy(packet, whole.ptr, 4 + len);
        packet[0] = (uint8_t)len;
        ptrdiff_t result = tusk__mysql_greeting_parse(&greeting, tusk_bytes_of(packet, 4 + len));
        bool old_server = len >= 52; /* only the plugin's NUL, or some of its name, is missing */
        assert_int_equal(result, old_server ? (ptrdiff_t)(4 + len) : TUSK_EPROTO);
    }
    memcpy(packet, whole.ptr, whole.len);
    packet[4] = 9;
    assert_int_equal(tusk__mysql_greeting_parse(&greeting, tusk_bytes_of(packet, whole.len)),
                     TUSK_EVERSION);
    memcpy(packet, whole.ptr, whole.len);
    packet[26] = 0; /* without the bit of 4.1 */
    assert_int_equal(tusk__mysql_greeting_parse(&greeting, tusk_bytes_of(packet, whole.len)),
                     TUSK_EVERSION);
    memcpy(packet, whole.ptr, whole.len);
    packet[32] = 22; /* a longer salt than any plugin has */
    assert_int_equal(tusk__mysql_greeting_parse(&greeting, tusk_bytes_of(packet, whole.len)),
                     TUSK_EPROTO);
    assert_int_equal(tusk__mysql_greeting_parse(&greeting, TEST_BYTES("\x01\x04\0\0")),
                     TUSK_ETOOBIG);
}

static tusk_err write_greeting(const tusk_mem *mem, void *user)
{
    tusk__mysql_greeting self = {.connection = 7,
                                 .caps = MYSQL_CAPS_OFFERED,
                                 .charset = 45,
                                 .status = 2,
                                 .version = TEST_BYTES("8.0.0-tusk"),
                                 .plugin = TEST_BYTES("mysql_native_password")};
    tusk__mysql_greeting again;
    tusk_buf out;
    memcpy(self.salt, "abcdefghijklmnopqrst", 20);
    tusk_buf_init(&out, mem, 2000);
    tusk_err err = tusk__mysql_greeting_write(&out, &self);
    if (err == TUSK_OK) {
        assert_int_equal(tusk__mysql_greeting_parse(&again, tusk_buf_view(&out)), out.len);
        assert_int_equal(again.caps, MYSQL_CAPS_OFFERED);
        assert_int_equal(again.connection, 7);
        assert_int_equal(again.charset, 45);
        assert_int_equal(again.salt_len, 20);
        assert_memory_equal(again.salt, self.salt, 20);
        assert_bytes_equal(again.version, self.version);
        assert_bytes_equal(again.plugin, self.plugin);
        self.salt[3] = 0;
        assert_err(tusk__mysql_greeting_write(&out, &self), TUSK_EINVAL);
        self.salt[3] = 1;
        self.version = TEST_BYTES("8\0");
        size_t len = out.len;
        assert_err(tusk__mysql_greeting_write(&out, &self), TUSK_EINVAL);
        assert_int_equal(out.len, len);
    }
    tusk_buf_fini(&out);
    return err;
}

static void our_greeting_is_read_as_it_was_meant(void **state)
{
    assert_true(test_fail_each_alloc(write_greeting, false, NULL) > 0);
    assert_int_equal(MYSQL_CAPS_OFFERED & (MYSQL_CLIENT_COMPRESS | MYSQL_CLIENT_ZSTD), 0);
}

#define RESERVED "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
/* caps 0x003a820d: 4.1, database, secure connection, plugin, attributes, lenenc */
#define RESPONSE_HEAD "\x0d\x82\x3a\0\0\0\0\x01\x21" RESERVED

static void a_clients_answer_is_read_and_written_again(void **state)
{
    tusk__mysql_response response;
    tusk_bytes in = TEST_BYTES("\x65\0\0\x01" RESPONSE_HEAD "alice\0\x05"
                               "01234"
                               "shop\0mysql_native_password\0"
                               "\x1d\x03_os\x05Linux\x0cprogram_name\x05mysql");
    assert_int_equal(parse_response(&response, in), 105);
    assert_false(response.wants_tls);
    assert_int_equal(response.sequence, 1);
    assert_int_equal(response.caps, 0x003a820d);
    assert_int_equal(response.packet_max, 0x01000000);
    assert_int_equal(response.charset, 0x21);
    assert_bytes_equal(response.user, TEST_BYTES("alice"));
    assert_bytes_equal(response.auth, TEST_BYTES("01234"));
    assert_bytes_equal(response.database, TEST_BYTES("shop"));
    assert_bytes_equal(response.plugin, TEST_BYTES("mysql_native_password"));
    assert_bytes_equal(response.program, TEST_BYTES("mysql"));
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 70000);
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), in);
    uint8_t large[MYSQL_RESPONSE_MAX];
    memset(large, 'x', sizeof(large));
    tusk_buf_clear(&out);
    response.user = TEST_BYTES("other");
    response.database = tusk_bytes_of(NULL, 0);
    response.auth = tusk_bytes_of(large, 300); /* the longer form of a length */
    response.sequence = 3;
    tusk__mysql_response again;
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_OK);
    assert_int_equal(parse_response(&again, tusk_buf_view(&out)), out.len);
    assert_bytes_equal(again.user, TEST_BYTES("other"));
    assert_int_equal(again.auth.len, 300);
    assert_int_equal(again.database.len, 0);
    assert_int_equal(again.caps & MYSQL_CLIENT_CONNECT_WITH_DB, 0);
    assert_bytes_equal(again.plugin, response.plugin);
    size_t len = out.len;
    response.auth = tusk_bytes_of(large, sizeof(large));
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_ETOOBIG);
    response.auth = tusk_bytes_of(large, 300);
    response.caps &= ~MYSQL_CLIENT_LENENC_AUTH;
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_EINVAL);
    response.auth.len = 255;
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_OK);
    response.user = TEST_BYTES("a\0b");
    len = out.len;
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_EINVAL);
    assert_int_equal(out.len, len);
    tusk_buf_fini(&out);
}

static void a_wish_for_tls_is_known_and_written(void **state)
{
    tusk__mysql_response response;
    tusk_bytes in = TEST_BYTES("\x20\0\0\x01\0\x8a\0\0\0\0\0\x01\x21" RESERVED);
    assert_int_equal(parse_response(&response, in), 36);
    assert_true(response.wants_tls);
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    assert_err(tusk__mysql_response_write(&out, &response), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), in);
    tusk_buf_fini(&out);
}

static void older_forms_of_an_answer_are_read(void **state)
{
    tusk__mysql_response response;
    /* a NUL ends the signature; no database, no plugin */
    assert_int_equal(
        parse_response(&response,
                       TEST_BYTES("\x28\0\0\x01\0\x02\0\0\0\0\0\x01\x21" RESERVED "bob\0xyz\0")),
        44);
    assert_bytes_equal(response.user, TEST_BYTES("bob"));
    assert_bytes_equal(response.auth, TEST_BYTES("xyz"));
    /* the last text without its NUL; an anonymous user */
    assert_int_equal(
        parse_response(&response,
                       TEST_BYTES("\x24\0\0\x01\x08\x82\0\0\0\0\0\x01\x21" RESERVED "\0\0ab")),
        40);
    assert_int_equal(response.user.len, 0);
    assert_bytes_equal(response.database, TEST_BYTES("ab"));
}

static void a_broken_answer_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        ptrdiff_t result;
    } cases[] = {
        {"\x01\0\0\x01\x0d", 5, TUSK_EPROTO},
        {"\x02\0\0\x01\x0d\x80", 6, TUSK_EVERSION}, /* from before 4.1 */
        {"\x1f\0\0\x01\0\x8a\0\0\0\0\0\x01\x21" RESERVED, 35, TUSK_EPROTO},
        {"\x20\0\0\x01\0\x82\0\0\0\0\0\x01\x21" RESERVED, 36, TUSK_EPROTO}, /* no user, no TLS */
        {"\x22\0\0\x01\0\x82\0\0\0\0\0\x01\x21" RESERVED "ab", 38, TUSK_EPROTO}, /* no NUL */
        {"\x24\0\0\x01\0\x82\0\0\0\0\0\x01\x21" RESERVED "a\0\x02x", 40,
         TUSK_EPROTO}, /* too short */
        {"\x23\0\0\x01\0\x82\x20\0\0\0\0\x01\x21" RESERVED "a\0\xfb", 39, TUSK_EPROTO}, /* NULL */
        {"\x23\0\0\x01\0\x82\x20\0\0\0\0\x01\x21" RESERVED "a\0\xff", 39, TUSK_EPROTO},
        {"\x25\0\0\x01\0\x82\x20\0\0\0\0\x01\x21" RESERVED "a\0\xfc\xff\xff", 41, TUSK_EPROTO},
        {"\x2b\0\0\x01\0\x82\x20\0\0\0\0\x01\x21" RESERVED "a\0\xfe\0\0\0\0\x01\0\0\0", 47,
         TUSK_EPROTO},
        {"\x26\0\0\x01\0\x82\x10\0\0\0\0\x01\x21" RESERVED "a\0\0\x02\x01x", 42, TUSK_EPROTO},
        {"\x24\0\0\x01\0\x82\x10\0\0\0\0\x01\x21" RESERVED "a\0\0\0", 40, 40},
        {"\x23\0\0\x01\0\x82\x10\0\0\0\0\x01\x21" RESERVED "a\0\0", 39, TUSK_EPROTO},
        {"\x01\x40\0\x01", 4, TUSK_ETOOBIG},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__mysql_response response;
        ptrdiff_t result = parse_response(&response, tusk_bytes_of(cases[i].bytes, cases[i].len));
        if (result != cases[i].result) {
            fail_msg("case %zu: %td", i, result);
        }
    }
}

static void errors_are_written_as_the_manual_has_them(void **state)
{
    char text[1000];
    tusk_buf out;
    memset(text, 'x', sizeof(text));
    tusk_buf_init(&out, tusk_mem_default(), 4000);
    assert_err(tusk__mysql_error_write(&out, 2, 1045, "28000", TEST_BYTES("no\0 more")), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES("\x0b\0\0\x02\xff\x15\x04#28000no"));
    tusk_buf_clear(&out);
    assert_err(tusk__mysql_error_write(&out, 0, 1040, NULL, TEST_BYTES("full")), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES("\x07\0\0\0\xff\x10\x04"
                                                       "full"));
    tusk_buf_clear(&out);
    assert_err(tusk__mysql_error_write(&out, 2, 1045, "28000", tusk_bytes_of(text, sizeof(text))),
               TUSK_OK);
    assert_int_equal(out.len, 4 + 9 + MYSQL_TEXT_MAX);
    tusk_buf_fini(&out);
}

/* ---- what passes until OK or ERR ---- */
static struct {
    char seen[8]; /* a letter for each packet */
    size_t count;
} passing;

static void begin_passing(void *user)
{
    memset(&passing, 0, sizeof(passing));
}

static ptrdiff_t feed_passing(tusk_bytes in, void *user)
{
    static const char letters[] = {[MYSQL_MORE] = 'm',
                                   [MYSQL_SWITCH] = 's',
                                   [MYSQL_SWITCH_OLD] = 'o',
                                   [MYSQL_OK] = 'k',
                                   [MYSQL_ERR] = 'e'};
    tusk__mysql_packet packet;
    ptrdiff_t used = tusk__mysql_auth_parse(&packet, in);
    if (used > 0) {
        assert_int_equal(packet.sequence, passing.count + 2);
        passing.seen[passing.count++] = letters[tusk__mysql_verdict_of(packet.payload)];
    }
    return used;
}

static void end_of_passing(tusk_err err, size_t left, const char *how, void *user)
{
    assert_err(err, TUSK_OK);
    assert_int_equal(left, 0);
    assert_string_equal(passing.seen, "msmoek");
}

static void packets_until_ok_are_told_apart_however_cut(void **state)
{
    const test_cut cut = {begin_passing, feed_passing, end_of_passing, NULL};
    test_each_cut(&cut, TEST_BYTES("\0\0\0\x02"
                                   "\x04\0\0\x03\xfe"
                                   "p\0s"
                                   "\x02\0\0\x04\x01\x04"
                                   "\x01\0\0\x05\xfe"
                                   "\x01\0\0\x06\xff"
                                   "\x03\0\0\x07\0\0\0"));
    tusk__mysql_packet packet;
    assert_int_equal(tusk__mysql_auth_parse(&packet, TEST_BYTES("\x01\0\x01\x02")), TUSK_ETOOBIG);
    assert_int_equal(tusk__mysql_auth_parse(&packet, TEST_BYTES("\xff\xff\xff\0")), TUSK_ETOOBIG);
    assert_bytes_equal(tusk__mysql_switch_plugin(TEST_BYTES("\xfeplug\0salt\0")),
                       TEST_BYTES("plug"));
    assert_bytes_equal(tusk__mysql_switch_plugin(TEST_BYTES("\xfeplug")), TEST_BYTES("plug"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_has_a_length_and_a_number),
        cmocka_unit_test(a_servers_greeting_is_read),
        cmocka_unit_test(an_error_in_place_of_a_greeting_is_read),
        cmocka_unit_test(a_broken_greeting_is_refused),
        cmocka_unit_test(our_greeting_is_read_as_it_was_meant),
        cmocka_unit_test(a_clients_answer_is_read_and_written_again),
        cmocka_unit_test(a_wish_for_tls_is_known_and_written),
        cmocka_unit_test(older_forms_of_an_answer_are_read),
        cmocka_unit_test(a_broken_answer_is_refused),
        cmocka_unit_test(errors_are_written_as_the_manual_has_them),
        cmocka_unit_test(packets_until_ok_are_told_apart_however_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
