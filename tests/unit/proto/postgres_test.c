/* SPDX-License-Identifier: MIT */
/* PostgreSQL's first packets, after the manual's message formats: every kind of request, startup
 * packets read and written again, and a backend's start watched however it is cut. */
#include "test.h"

#include "proto/postgres.h"

#define VERSION_3_0 "\0\x03\0\0"

/* The answer for the whole, the same for every beginning that has one. */
static ptrdiff_t parse(tusk__pg_start *out, tusk_bytes in, size_t *decided)
{
    ptrdiff_t answer = 0;
    *decided = in.len;
    for (size_t len = 0; len <= in.len; len++) {
        tusk__pg_start start;
        tusk_bytes part = test_guarded_bytes(in.ptr, len);
        ptrdiff_t result = tusk__pg_start_parse(&start, part);
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, len);
        if (answer != 0) {
            assert_int_equal(result, answer);
        } else if (result != 0) {
            *decided = len;
        }
        answer = result;
    }
    assert_int_equal(tusk__pg_start_parse(out, in), answer);
    return answer;
}

static void each_kind_of_request_is_known(void **state)
{
    tusk__pg_start start;
    size_t decided;
    assert_int_equal(parse(&start, TEST_BYTES("\0\0\0\x08\x04\xd2\x16\x2f"), &decided), 8);
    assert_int_equal(start.kind, PG_SSL_REQUEST);
    assert_int_equal(parse(&start, TEST_BYTES("\0\0\0\x08\x04\xd2\x16\x30more"), &decided), 8);
    assert_int_equal(start.kind, PG_GSSENC_REQUEST);
    assert_int_equal(decided, 8);
    assert_int_equal(
        parse(&start, TEST_BYTES("\0\0\0\x10\x04\xd2\x16\x2e\0\x01\x02\x03KEY4"), &decided), 16);
    assert_int_equal(start.kind, PG_CANCEL_REQUEST);
    assert_int_equal(start.process, 0x010203);
    assert_bytes_equal(start.key, TEST_BYTES("KEY4"));
    assert_int_equal(parse(&start, TEST_BYTES("\x16\x03\x01"), &decided), 1);
    assert_int_equal(start.kind, PG_DIRECT_TLS);
    assert_memory_equal(tusk__pg_ssl_request, "\0\0\0\x08\x04\xd2\x16\x2f", 8);
}

static void a_cancel_key_has_4_to_256_bytes(void **state)
{
    for (size_t len = 0; len <= 260; len++) {
        uint8_t packet[300] = {0, 0, 0, 0, 0x04, 0xd2, 0x16, 0x2e, 1, 2, 3, 4};
        packet[2] = (uint8_t)((12 + len) >> 8);
        packet[3] = (uint8_t)(12 + len);
        tusk__pg_start start;
        ptrdiff_t result = tusk__pg_start_parse(&start, tusk_bytes_of(packet, 12 + len));
        assert_int_equal(result, len < 4 || len > 256 ? TUSK_EPROTO : (ptrdiff_t)(12 + len));
    }
}

static void a_startup_packet_gives_its_parameters(void **state)
{
    tusk__pg_start start;
    size_t decided;
    tusk_bytes in = TEST_BYTES("\0\0\0\x5c" VERSION_3_0 "user\0alice\0database\0shop\0"
                               "application_name\0psql\0options\0-c x=1\0"
                               "replication\0database\0\0"
                               "p");
    assert_int_equal(parse(&start, in, &decided), 92);
    assert_int_equal(start.kind, PG_STARTUP);
    assert_int_equal(start.minor, 0);
    assert_bytes_equal(start.user, TEST_BYTES("alice"));
    assert_bytes_equal(start.database, TEST_BYTES("shop"));
    assert_bytes_equal(start.application, TEST_BYTES("psql"));
    assert_bytes_equal(start.options, TEST_BYTES("-c x=1"));
    assert_bytes_equal(start.replication, TEST_BYTES("database"));
    tusk_bytes rest = start.pairs;
    tusk_bytes name;
    tusk_bytes value;
    size_t pairs = 0;
    while (tusk__pg_next_pair(&rest, &name, &value)) {
        pairs++;
    }
    assert_int_equal(pairs, 5);
    assert_int_equal(parse(&start, TEST_BYTES("\0\0\0\x10\0\x03\0\x02user\0b\0\0"), &decided), 16);
    assert_int_equal(start.minor, 2); /* protocol 3.2 */
    assert_bytes_equal(start.user, TEST_BYTES("b"));
    assert_null(start.database.ptr);
}

static void what_is_no_postgres_or_is_broken_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        ptrdiff_t result;
        size_t decided;
    } cases[] = {
        {"GET / HTTP/1.1", 14, TUSK_ENOENT, 1},
        {"\0\x01\0\x08", 4, TUSK_ENOENT, 2},
        {"\0\0\0\x07", 4, TUSK_ENOENT, 4},
        {"\0\0\x27\x11", 4, TUSK_ETOOBIG, 4}, /* 10,001 */
        {"\0\0\x27\x10", 4, 0, 4},
        {"\0\0\0\x09\x04\xd2\x16\x2f!", 9, TUSK_EPROTO, 8},
        {"\0\0\0\x08\x04\xd2\x16\x31", 8, TUSK_EVERSION, 8},
        {"\0\0\0\x08\0\x02\0\0", 8, TUSK_EVERSION, 8},
        {"\0\0\0\x08\0\x04\0\0", 8, TUSK_EVERSION, 8},
        {"\0\0\0\x08\0\x04\x16\x2f", 8, TUSK_EVERSION, 8},  /* the code of SSL, of another major */
        {"\0\0\0\x08" VERSION_3_0, 8, TUSK_EPROTO, 8},      /* not even the end */
        {"\0\0\0\x09" VERSION_3_0 "\0", 9, TUSK_EPROTO, 9}, /* no user */
        {"\0\0\0\x10" VERSION_3_0 "user\0a\0x", 16, TUSK_EPROTO, 16},    /* no end */
        {"\0\0\0\x0f" VERSION_3_0 "user\0a\0", 15, TUSK_EPROTO, 15},     /* no end */
        {"\0\0\0\x0f" VERSION_3_0 "user\0\0\0", 15, TUSK_EPROTO, 15},    /* an empty user */
        {"\0\0\0\x11" VERSION_3_0 "user\0a\0\0\0", 17, TUSK_EPROTO, 17}, /* two ends */
        {"\0\0\0\x17" VERSION_3_0 "user\0a\0user\0a\0\0", 23, TUSK_EPROTO, 23},
        {"\0\0\0\x15" VERSION_3_0 "user\0a\0name\0\0", 21, TUSK_EPROTO, 21}, /* half a pair */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__pg_start start;
        size_t decided;
        ptrdiff_t result = parse(&start, tusk_bytes_of(cases[i].bytes, cases[i].len), &decided);
        if (result != cases[i].result || decided != cases[i].decided) {
            fail_msg("case %zu: %td after %zu", i, result, decided);
        }
    }
}

typedef struct rewrite {
    tusk_bytes in;
    tusk_bytes user;
    tusk_bytes database;
    tusk_bytes expected;
} rewrite;

static tusk_err write_again(const tusk_mem *mem, void *user)
{
    const rewrite *row = user;
    tusk__pg_start start;
    tusk_buf out;
    tusk_buf_init(&out, mem, 20000);
    tusk_err err = tusk_buf_append_str(&out, "#");
    assert_true(tusk__pg_start_parse(&start, row->in) > 0);
    if (err == TUSK_OK) {
        err = tusk__pg_startup_write(&out, &start, row->user, row->database);
        if (err != TUSK_OK) {
            assert_int_equal(out.len, 1); /* nothing half written stays */
        }
    }
    if (err == TUSK_OK) {
        tusk_bytes all = tusk_buf_view(&out);
        assert_bytes_equal(tusk_bytes_of(all.ptr + 1, all.len - 1), row->expected);
    }
    tusk_buf_fini(&out);
    return err;
}

static void a_startup_packet_is_written_again_with_another_user_or_database(void **state)
{
    static const tusk_bytes none = {NULL, 0};
    tusk_bytes both = TEST_BYTES("\0\0\0\x1f" VERSION_3_0 "database\0d\0a\0b\0user\0u\0\0");
    tusk_bytes alone = TEST_BYTES("\0\0\0\x10\0\x03\0\x02user\0u\0\0");
    rewrite rows[] = {
        {both, TEST_BYTES("other"), TEST_BYTES("base"),
         TEST_BYTES("\0\0\0\x26" VERSION_3_0 "database\0base\0a\0b\0user\0other\0\0")},
        {both, none, none, both},
        {both, TEST_BYTES("v"), none,
         TEST_BYTES("\0\0\0\x1f" VERSION_3_0 "database\0d\0a\0b\0user\0v\0\0")},
        {alone, TEST_BYTES("v"), none,
         TEST_BYTES("\0\0\0\x1b\0\x03\0\x02user\0v\0database\0u\0\0")},
        {alone, none, TEST_BYTES("d"),
         TEST_BYTES("\0\0\0\x1b\0\x03\0\x02user\0u\0database\0d\0\0")},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(test_fail_each_alloc(write_again, false, &rows[i]) > 0);
    }
    char large[PG_START_MAX];
    memset(large, 'x', sizeof(large));
    rewrite refused[] = {{both, TEST_BYTES("a\0b"), none, none},
                         {both, TEST_BYTES(""), none, none},
                         {both, none, TEST_BYTES("\0"), none},
                         {both, tusk_bytes_of(large, sizeof(large)), none, none}};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_err(write_again(tusk_mem_default(), &refused[i]),
                   i < 3 ? TUSK_EINVAL : TUSK_ETOOBIG);
    }
}

static void errors_are_written_as_the_manual_has_them(void **state)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    assert_err(tusk__pg_error_write(&out, "FATAL", "08004", TEST_BYTES("no route\0hidden")),
               TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out),
                       TEST_BYTES("E\0\0\0\x24SFATAL\0VFATAL\0C08004\0Mno route\0\0"));
    tusk_buf_fini(&out);
    tusk_buf_init(&out, tusk_mem_default(), 30);
    assert_err(tusk__pg_error_write(&out, "FATAL", "08004", TEST_BYTES("no route")), TUSK_ETOOBIG);
    assert_int_equal(out.len, 0);
    tusk_buf_fini(&out);
}

/* ---- the backend's start ---- */
static tusk__pg_watch watch;

static void begin_watch(void *user)
{
    memset(&watch, 0, sizeof(watch));
}

static ptrdiff_t feed_watch(tusk_bytes in, void *user)
{
    return tusk__pg_watch_bytes(&watch, in);
}

#define AUTH_OK "R\0\0\0\x08\0\0\0\0"
#define READY "Z\0\0\0\x05I"

static void end_of_a_good_start(tusk_err err, size_t left, const char *how, void *user)
{
    assert_err(err, TUSK_OK);
    assert_int_equal(left, 5); /* what follows is not looked at */
    assert_true(watch.ready && watch.authenticated && !watch.failed);
    assert_int_equal(watch.process, 0x0102);
    assert_bytes_equal(tusk__pg_watch_key(&watch), TEST_BYTES("SECRETKEY"));
}

static void the_cancel_key_is_learned_while_bytes_pass(void **state)
{
    const test_cut cut = {begin_watch, feed_watch, end_of_a_good_start, NULL};
    test_each_cut(&cut, TEST_BYTES("R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0" /* SASL */
                                   "v\0\0\0\x0c\0\x03\0\0\0\0\0\0" AUTH_OK "S\0\0\0\x08"
                                   "a\0b\0"
                                   "N\0\0\0\x05\0"
                                   "K\0\0\0\x11\0\0\x01\x02SECRETKEY" READY "T\0\0\0\x04"));
}

static void end_of_a_failed_start(tusk_err err, size_t left, const char *how, void *user)
{
    assert_err(err, TUSK_OK);
    assert_int_equal(left, 1);
    assert_true(watch.failed && !watch.ready);
    assert_int_equal(watch.key_len, 0);
}

static void an_error_ends_a_start(void **state)
{
    const test_cut cut = {begin_watch, feed_watch, end_of_a_failed_start, NULL};
    test_each_cut(&cut, TEST_BYTES("R\0\0\0\x0c\0\0\0\x05salt"
                                   "E\0\0\0\x0eSFATAL\0C2\0"
                                   "x"));
}

static void what_no_start_has_is_refused_with_its_head(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        tusk_err err;
    } cases[] = {
        {"D\0\0\0\x04", 5, TUSK_EPROTO},
        {"R\0\0\0\x03", 5, TUSK_EPROTO},
        {"R\0\0\0\x07", 5, TUSK_EPROTO},
        {"N\0\x01\0\x05", 5, TUSK_ETOOBIG}, /* 65,537 bytes behind the length */
        {READY, 6, TUSK_EPROTO},            /* not before AuthenticationOk */
        {"K\0\0\0\x0c\0\0\0\0keyx", 13, TUSK_EPROTO},
        {AUTH_OK AUTH_OK, 18, TUSK_EPROTO},
        {AUTH_OK "K\0\0\0\x0b", 14, TUSK_EPROTO},   /* a key of three */
        {AUTH_OK "K\0\0\x01\x09", 14, TUSK_EPROTO}, /* of 257 */
        {AUTH_OK "K\0\0\x01\x08", 14, TUSK_OK},
        {AUTH_OK "K\0\0\0\x0c\0\0\0\0keyxK\0\0\0\x0c", 27, TUSK_EPROTO}, /* twice */
        {AUTH_OK "Z\0\0\0\x06", 14, TUSK_EPROTO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin_watch(NULL);
        ptrdiff_t result =
            tusk__pg_watch_bytes(&watch, tusk_bytes_of(cases[i].bytes, cases[i].len));
        if (cases[i].err == TUSK_OK ? result != (ptrdiff_t)cases[i].len : result != cases[i].err) {
            fail_msg("case %zu: %td", i, result);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_request_is_known),
        cmocka_unit_test(a_cancel_key_has_4_to_256_bytes),
        cmocka_unit_test(a_startup_packet_gives_its_parameters),
        cmocka_unit_test(what_is_no_postgres_or_is_broken_is_refused),
        cmocka_unit_test(a_startup_packet_is_written_again_with_another_user_or_database),
        cmocka_unit_test(errors_are_written_as_the_manual_has_them),
        cmocka_unit_test(the_cancel_key_is_learned_while_bytes_pass),
        cmocka_unit_test(an_error_ends_a_start),
        cmocka_unit_test(what_no_start_has_is_refused_with_its_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
