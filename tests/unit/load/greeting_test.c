/* SPDX-License-Identifier: MIT */
/* Greetings: taken whole however they are cut, and told from other protocols at once. */
#include "load/greeting.h"

#include "test.h"

typedef struct sample {
    tusk_tcp_greeting kind;
    const char *text;
    size_t len;
    ptrdiff_t taken;
    const char *reason;
} sample;

#define TEXT(text) text, sizeof(text) - 1

static const sample samples[] = {
    {TUSK_GREETING_POSTGRES, TEXT("R\0\0\0\x08\0\0\0\0rest"), 9, NULL},
    {TUSK_GREETING_POSTGRES, TEXT("E\0\0\0\x0aSFATAL"), 11, NULL},
    {TUSK_GREETING_POSTGRES, TEXT("220 mail\r\n"), TUSK_EPROTO, "this is no PostgreSQL server"},
    {TUSK_GREETING_POSTGRES, TEXT("R\xff\0\0\x08\0\0\0\0"), TUSK_EPROTO,
     "this is no PostgreSQL server"},
    {TUSK_GREETING_MYSQL,
     TEXT("\x05\0\0\0\x0a"
          "8.0\0more"),
     9, NULL},
    {TUSK_GREETING_MYSQL, TEXT("\x03\0\0\0\xff\x10\x04"), TUSK_EPOLICY,
     "the MySQL server refuses connections"},
    {TUSK_GREETING_MYSQL, TEXT("220 mail\r\n"), TUSK_EPROTO, "this is no MySQL server"},
    {TUSK_GREETING_SMTP, TEXT("220 mail.example ready\r\nmore"), 24, NULL},
    {TUSK_GREETING_SMTP, TEXT("220-mail\r\n220-hello\r\n220 go\r\n"), 29, NULL},
    {TUSK_GREETING_SMTP, TEXT("554 no\r\n"), TUSK_EPOLICY, "the SMTP server answers 554"},
    {TUSK_GREETING_SMTP, TEXT("HTTP/1.1 400\r\n"), TUSK_EPROTO, "this is no SMTP server"},
    {TUSK_GREETING_SMTP, TEXT("220\r\n"), 5, NULL},
    {TUSK_GREETING_SMTP, TEXT("22\r\n"), TUSK_EPROTO, "this is no SMTP server"},
};

static void greetings_are_read_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        const sample *one = &samples[i];
        char reason[LOAD_GREETING_REASON] = "";
        ptrdiff_t taken = 0;
        for (size_t len = 0; len <= one->len && taken == 0; len++) {
            taken = tusk__load_greeting_read(one->kind, test_guarded_bytes(one->text, len), reason);
        }
        assert_int_equal(taken, one->taken);
        if (one->reason != NULL) {
            assert_string_equal(reason, one->reason);
        }
    }
}

static void an_endless_line_is_no_greeting(void **state)
{
    (void)state;
    char line[4096];
    char reason[LOAD_GREETING_REASON];
    memset(line, 'x', sizeof(line));
    memcpy(line, "220 ", 4);
    assert_int_equal(
        tusk__load_greeting_read(TUSK_GREETING_SMTP, tusk_bytes_of(line, sizeof(line)), reason),
        TUSK_EPROTO);
}

static void the_startup_message_has_its_own_length(void **state)
{
    (void)state;
    tusk_bytes words = tusk__load_greeting_words(TUSK_GREETING_POSTGRES);
    assert_int_equal(words.ptr[3], words.len);
    assert_int_equal(words.ptr[5], 3); /* protocol 3.0 */
    assert_int_equal(words.ptr[words.len - 1], 0);
    assert_int_equal(tusk__load_greeting_words(TUSK_GREETING_SMTP).len, 0);
}

static void what_our_server_says_is_a_greeting(void **state)
{
    static const tusk_tcp_greeting kinds[] = {TUSK_GREETING_POSTGRES, TUSK_GREETING_MYSQL,
                                              TUSK_GREETING_SMTP};
    char reason[LOAD_GREETING_REASON];
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        tusk_bytes words = tusk__load_greeting_words(kinds[i]);
        tusk_bytes answer = tusk__load_greeting_answer(kinds[i]);
        assert_int_equal(tusk__load_greeting_read(kinds[i], answer, reason), answer.len);
        for (size_t cut = 0; cut < words.len; cut++) {
            assert_int_equal(tusk__load_greeting_asked(kinds[i], tusk_bytes_of(words.ptr, cut)), 0);
        }
        assert_int_equal(tusk__load_greeting_asked(kinds[i], words), words.len);
    }
    assert_int_equal(tusk__load_greeting_asked(TUSK_GREETING_POSTGRES, tusk_bytes_str("GET /")),
                     TUSK_EPROTO);
    assert_int_equal(tusk__load_greeting_answer(TUSK_GREETING_NONE).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_our_server_says_is_a_greeting),
        cmocka_unit_test(greetings_are_read_whole),
        cmocka_unit_test(an_endless_line_is_no_greeting),
        cmocka_unit_test(the_startup_message_has_its_own_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
