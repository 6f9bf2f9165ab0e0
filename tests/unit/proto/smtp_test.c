/* SPDX-License-Identifier: MIT */
/* SMTP after RFC 5321: commands and replies at every cut, extensions of RFC 1870 to 6531, and ends
 * of messages that are none. */
#include "test.h"

#include "proto/smtp.h"

/* The answer for the whole, the same for every beginning that has one. */
static ptrdiff_t parse(tusk__smtp_command *out, tusk_bytes in, size_t *decided)
{
    ptrdiff_t answer = 0;
    *decided = in.len;
    for (size_t len = 0; len <= in.len; len++) {
        tusk_bytes part = test_guarded_bytes(in.ptr, len);
        ptrdiff_t result = tusk__smtp_command_parse(out, part);
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, len);
        if (answer != 0) {
            assert_int_equal(result, answer);
        } else if (result != 0) {
            *decided = len;
        }
        answer = result;
    }
    (void)tusk__smtp_command_parse(out, in);
    return answer;
}

static void commands_are_known_whatever_their_case(void **state)
{
    static const struct {
        const char *line;
        tusk__smtp_verb verb;
        const char *argument;
    } cases[] = {
        {"EHLO Client.Example\r\n", SMTP_EHLO, "Client.Example"},
        {"helo a\r\n", SMTP_HELO, "a"},
        {"lhlo a\r\n", SMTP_LHLO, "a"},
        {"Mail FROM:<a@b> SIZE=10\r\n", SMTP_MAIL, "FROM:<a@b> SIZE=10"},
        {"RCPT TO:<\xc3\xa9@b>\r\n", SMTP_RCPT, "TO:<\xc3\xa9@b>"},
        {"DATA\r\n", SMTP_DATA, ""},
        {"DATA \t \r\n", SMTP_DATA, ""},
        {"RSET\r\n", SMTP_RSET, ""},
        {"NOOP x\r\n", SMTP_NOOP, "x"},
        {"QUIT\r\n", SMTP_QUIT, ""},
        {"VRFY  a\r\n", SMTP_VRFY, " a"},
        {"HELP\r\n", SMTP_HELP, ""},
        {"STARTTLS\r\n", SMTP_STARTTLS, ""},
        {"AUTH PLAIN AGEAYg==\r\n", SMTP_AUTH, "PLAIN AGEAYg=="},
        {"XCLIENT ADDR=1.2.3.4\r\n", SMTP_XCLIENT, "ADDR=1.2.3.4"},
        {"XFORWARD NAME=a\r\n", SMTP_XFORWARD, "NAME=a"},
        {"ETRN x\r\n", SMTP_OTHER, "x"},
        {"DATAX\r\n", SMTP_OTHER, ""},
        {"\r\n", SMTP_OTHER, ""},
        {" DATA\r\n", SMTP_OTHER, "DATA"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__smtp_command command;
        size_t decided;
        tusk_bytes in = tusk_bytes_str(cases[i].line);
        assert_int_equal(parse(&command, in, &decided), in.len);
        assert_int_equal(decided, in.len);
        if (command.verb != cases[i].verb) {
            fail_msg("%s is %d", cases[i].line, command.verb);
        }
        assert_bytes_equal(command.argument, tusk_bytes_str(cases[i].argument));
    }
}

static void only_cr_lf_ends_a_command(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        size_t decided;
    } cases[] = {
        {"QUIT\n", 5, 5},
        {"QUIT\rQUIT\r\n", 11, 6},
        {"\n", 1, 1},
        {"QUIT\r\r\n", 7, 6},
        {"NOOP a\0b\r\n", 10, 7},
        {"NOOP a\nQUIT\r\n", 13, 7},
        {"BDAT\r\n", 6, 6},
        {"BDAT x\r\n", 8, 8},
        {"BDAT -1\r\n", 9, 9},
        {"BDAT 1 LAS\r\n", 12, 12},
        {"BDAT 1LAST\r\n", 12, 12},
        {"BDAT 1  LAST\r\n", 14, 14},
        {"BDAT 0x10\r\n", 11, 11},
        {"BDAT 1 LAST x\r\n", 15, 15},
        {"BDAT 1234567890123456789\r\n", 26, 26},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__smtp_command command;
        size_t decided;
        ptrdiff_t result = parse(&command, tusk_bytes_of(cases[i].bytes, cases[i].len), &decided);
        if (result != TUSK_EPROTO || decided != cases[i].decided) {
            fail_msg("case %zu: %td after %zu", i, result, decided);
        }
    }
}

static void a_chunk_says_how_long_it_is(void **state)
{
    tusk__smtp_command command;
    size_t decided;
    assert_int_equal(parse(&command, TEST_BYTES("BDAT 86\r\nxx"), &decided), 9);
    assert_int_equal(command.verb, SMTP_BDAT);
    assert_int_equal(command.chunk, 86);
    assert_false(command.last);
    assert_int_equal(parse(&command, TEST_BYTES("bdat 0 last\r\n"), &decided), 13);
    assert_int_equal(command.chunk, 0);
    assert_true(command.last);
    assert_int_equal(parse(&command, TEST_BYTES("BDAT 123456789012345678\r\n"), &decided), 25);
    assert_true(command.chunk == UINT64_C(123456789012345678));
}

static void a_line_without_end_is_refused_at_its_limit(void **state)
{
    static char line[SMTP_AUTH_LINE_MAX + 2];
    tusk__smtp_command command;
    tusk_bytes view;
    memset(line, 'x', sizeof(line));
    tusk_bytes in = tusk_bytes_of(line, SMTP_COMMAND_MAX - 1);
    assert_int_equal(tusk__smtp_command_parse(&command, in), 0);
    in.len++;
    assert_int_equal(tusk__smtp_command_parse(&command, in), TUSK_ETOOBIG);
    memcpy(line + SMTP_COMMAND_MAX - 2, "\r\n", 2);
    assert_int_equal(tusk__smtp_command_parse(&command, in), SMTP_COMMAND_MAX);
    memcpy(line + SMTP_COMMAND_MAX - 2, "x\r\n", 3);
    in.len++;
    assert_int_equal(tusk__smtp_command_parse(&command, in), TUSK_ETOOBIG);
    memset(line, 'x', sizeof(line));
    memcpy(line, "AUTH PLAIN ", 11);
    in = tusk_bytes_of(line, SMTP_AUTH_LINE_MAX - 1);
    assert_int_equal(tusk__smtp_command_parse(&command, in), 0);
    assert_int_equal(tusk__smtp_auth_line_parse(&view, in), 0);
    in.len++;
    assert_int_equal(tusk__smtp_command_parse(&command, in), TUSK_ETOOBIG);
    assert_int_equal(tusk__smtp_auth_line_parse(&view, in), TUSK_ETOOBIG);
    assert_int_equal(tusk__smtp_auth_line_parse(&view, TEST_BYTES("AGEA\r\nx")), 6);
    assert_bytes_equal(view, TEST_BYTES("AGEA"));
    assert_int_equal(tusk__smtp_auth_line_parse(&view, TEST_BYTES("AGEA\nx")), TUSK_EPROTO);
}

static void a_domain_is_a_host_name_or_an_address(void **state)
{
    static const struct {
        const char *text;
        const char *domain; /* NULL: none */
    } cases[] = {
        {"Mail.Example.ORG", "mail.example.org"},
        {"localhost", "localhost"},
        {"[192.0.2.1]", "[192.0.2.1]"},
        {"[IPv6:2001:DB8::1]", "[ipv6:2001:db8::1]"},
        {"192.0.2.1", "192.0.2.1"},
        {"[2001:DB8::1]", "[2001:db8::1]"},
        {"2001:db8::1", "2001:db8::1"},
        {"IPv6:2001:db8::1", NULL},
        {"Mail.Example.ORG.", "mail.example.org"}, /* the same name, its root spelled out */
        {"localhost.", "localhost"},
        {"mail.example.org..", NULL},
        {".", NULL},
        {"..", NULL},
        {"192.0.2.1.", NULL},
        {"[192.0.2.1].", NULL},
        {"192.0.2.256", NULL},
        {"192.0.2.1]", NULL},
        {"[IPv6:]", NULL},
        {"[]", NULL},
        {"[", NULL},
        {"", NULL},
        {"a b", NULL},
        {"a..b", NULL},
        {"[192.0.2.1", NULL},
        {"<a>", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[SMTP_DOMAIN_MAX];
        tusk_bytes text = test_guarded_str(cases[i].text);
        size_t len = tusk__smtp_domain(out, text);
        const char *expected = cases[i].domain == NULL ? "" : cases[i].domain;
        assert_bytes_equal(tusk_bytes_of(out, len), tusk_bytes_str(expected));
        test_guarded_free((uint8_t *)(uintptr_t)text.ptr, text.len);
    }
}

/* ---- replies ---- */
static struct {
    tusk__smtp_reply reply;
    char seen[256];
    size_t len;
} reading;

static void begin_reading(void *user)
{
    memset(&reading, 0, sizeof(reading));
}

static ptrdiff_t feed_reading(tusk_bytes in, void *user)
{
    tusk__smtp_line line;
    ptrdiff_t used = tusk__smtp_reply_parse(&reading.reply, &line, in);
    if (used > 0) {
        reading.len += (size_t)snprintf(
            reading.seen + reading.len, sizeof(reading.seen) - reading.len, "%u%s%.*s;", line.code,
            line.last ? " " : "-", (int)line.text.len, (const char *)line.text.ptr);
    }
    return used;
}

static void end_of_reading(tusk_err err, size_t left, const char *how, void *user)
{
    assert_err(err, TUSK_OK);
    assert_int_equal(left, 0);
    assert_string_equal(reading.seen,
                        "250-a.example greets;250-SIZE 10;250 DSN;354 ;354 go;421-a;421 ;");
}

static void replies_are_paired_by_code_and_hyphen_however_cut(void **state)
{
    const test_cut cut = {begin_reading, feed_reading, end_of_reading, NULL};
    test_each_cut(&cut, TEST_BYTES("250-a.example greets\r\n250-SIZE 10\r\n250 DSN\r\n"
                                   "354\r\n354 go\r\n421-a\r\n421 \r\n"));
}

static void what_is_no_reply_is_refused(void **state)
{
    static const char *const cases[] = {
        "220 a\n",      "hello\r\n",          "25\r\n",        "\r\n",      "2500 a\r\n",
        "250_a\r\n",    "150 a\r\n",          "650 a\r\n",     "260 a\r\n", "2x0 a\r\n",
        "250 a\rb\r\n", "250-a\r\n251 b\r\n", "250-a\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk__smtp_reply reply = {.code = 0};
        tusk__smtp_line line;
        tusk_bytes rest = tusk_bytes_str(cases[i]);
        ptrdiff_t used = 1;
        while (rest.len > 0 && used > 0) {
            used = tusk__smtp_reply_parse(&reply, &line, rest);
            rest.ptr += used > 0 ? used : 0;
            rest.len -= used > 0 ? (size_t)used : 0;
        }
        if (used != TUSK_EPROTO) {
            fail_msg("%s: %td", cases[i], used);
        }
    }
}

static void a_reply_has_a_limit(void **state)
{
    static char text[SMTP_REPLY_LINE_MAX + 1];
    tusk__smtp_reply reply = {.code = 0};
    tusk__smtp_line line;
    memset(text, 'x', sizeof(text));
    memcpy(text, "250-", 4);
    assert_int_equal(
        tusk__smtp_reply_parse(&reply, &line, tusk_bytes_of(text, SMTP_REPLY_LINE_MAX)),
        TUSK_ETOOBIG);
    memcpy(text + SMTP_REPLY_LINE_MAX - 2, "\r\n", 2);
    for (int i = 0; i < SMTP_REPLY_MAX / SMTP_REPLY_LINE_MAX; i++) {
        assert_int_equal(
            tusk__smtp_reply_parse(&reply, &line, tusk_bytes_of(text, SMTP_REPLY_LINE_MAX)),
            SMTP_REPLY_LINE_MAX);
    }
    assert_int_equal(tusk__smtp_reply_parse(&reply, &line, TEST_BYTES("250 \r\n")), TUSK_ETOOBIG);
}

static tusk_err write_reply(const tusk_mem *mem, void *user)
{
    static char text[2000];
    tusk_buf out;
    memset(text, 'x', sizeof(text));
    tusk_buf_init(&out, mem, 3000);
    tusk_err err = tusk__smtp_reply_write(&out, 550, "5.7.1", TEST_BYTES("no\r\n250 \0r\xc3"));
    if (err == TUSK_OK) {
        assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES("550 5.7.1 no??250 ?r?\r\n"));
        tusk_buf_clear(&out);
        err = tusk__smtp_reply_write(&out, 221, NULL, tusk_bytes_of(text, sizeof(text)));
    }
    if (err == TUSK_OK) {
        assert_int_equal(out.len, SMTP_TEXT_MAX);
        assert_memory_equal(out.ptr + out.start + out.len - 2, "\r\n", 2);
    }
    tusk_buf_fini(&out);
    return err;
}

static void a_reply_is_one_line_whatever_its_text(void **state)
{
    assert_true(test_fail_each_alloc(write_reply, false, NULL) > 0);
}

static void expect_lines(const char *lines, const char *reply)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 3000);
    assert_int_equal(tusk__smtp_reply_write_lines(&out, 554, tusk_bytes_str(lines)), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), tusk_bytes_str(reply));
    tusk_buf_fini(&out);
}

static void a_reply_of_several_lines_says_which_is_its_last(void **state)
{
    (void)state;
    expect_lines("", "554 \r\n");
    expect_lines("\n", "554 \r\n");
    expect_lines("no", "554 no\r\n");
    expect_lines("no\n", "554 no\r\n");
    expect_lines("no\r\n\nnever\n", "554-no?\r\n554-\r\n554 never\r\n");
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 10);
    assert_int_equal(tusk__smtp_reply_write_lines(&out, 554, TEST_BYTES("a\nb\n")), TUSK_ETOOBIG);
    tusk_buf_fini(&out);
}

static void extensions_are_known_and_only_some_are_carried_on(void **state)
{
    static const char *const carried[] = {"PIPELINING",
                                          "8bitmime",
                                          "SMTPUTF8",
                                          "CHUNKING",
                                          "AUTH PLAIN LOGIN",
                                          "SIZE 1000",
                                          "SIZE",
                                          "ENHANCEDSTATUSCODES",
                                          "DSN"};
    static const char *const others[] = {"STARTTLS", "XCLIENT NAME ADDR", "ETRN",
                                         "VRFY",     "AUTH=LOGIN",        "",
                                         " SIZE",    "BINARYMIME",        "REQUIRETLS"};
    for (size_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++) {
        assert_true((tusk__smtp_extension(tusk_bytes_str(carried[i])) & SMTP_EXT_CARRIED) != 0);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(tusk__smtp_extension(tusk_bytes_str(others[i])) & SMTP_EXT_CARRIED, 0);
    }
    assert_int_equal(tusk__smtp_extension(TEST_BYTES("starttls")), SMTP_EXT_STARTTLS);
    assert_int_equal(tusk__smtp_extension(TEST_BYTES("XCLIENT NAME")), SMTP_EXT_XCLIENT);
}

/* ---- messages ---- */
static struct {
    tusk__smtp_data data;
    bool lenient;
    tusk_err err;
    size_t left;
} scanning;

static void begin_scanning(void *user)
{
    scanning.data = (tusk__smtp_data){.lenient = scanning.lenient};
}

static ptrdiff_t feed_scanning(tusk_bytes in, void *user)
{
    return tusk__smtp_data_scan(&scanning.data, in);
}

static void end_of_scanning(tusk_err err, size_t left, const char *how, void *user)
{
    if (err != scanning.err || (err == TUSK_OK && left != scanning.left)) {
        fail_msg("%s: %s, %zu left", how, tusk_err_name(err), left);
    }
    assert_true(err != TUSK_OK || scanning.data.done == (scanning.left != SIZE_MAX - 1));
}

static void only_cr_lf_dot_cr_lf_ends_a_message(void **state)
{
    static const struct {
        const char *text;
        ptrdiff_t left; /* behind its end; -1: no end; -2: refused */
    } cases[] = {
        {".\r\n", 0},
        {".\r\nQUIT\r\n", 6},
        {"a\r\n.\r\n", 0},
        {"a\r\n.\r\n.\r\n", 3},
        {"\r\n.\r\n", 0},
        {"a\r\n..\r\n.\r\nx", 1},
        {"a\r\n.b\r\n.\r\n", 0},
        {"a.\r\n.\r\n", 0},
        {"a.\r\n", -1},
        {"a\r\n.", -1},
        {"a\r\n.\r", -1},
        {"", -1},
        {"a\n.\n", -2},
        {"a\n.\r\n", -2},
        {"a\r.\r\n", -2},
        {"a\r\n.\n", -2},
        {"a\r\n.\r.\r\n", -2},
        {"a\r\r\n.\r\n", -2},
        {"\n.\r\n", -2},
        {"a\r\n\n.\r\n", -2},
        {"a long line that the vectors walk over, and then \r\n.\r\nMAIL", 4},
        {"a long line that the vectors walk over, and then \n.\r\nMAIL", -2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const test_cut cut = {begin_scanning, feed_scanning, end_of_scanning, NULL};
        scanning.lenient = false;
        scanning.err = cases[i].left == -2 ? TUSK_EPROTO : TUSK_OK;
        scanning.left = cases[i].left == -1 ? SIZE_MAX - 1 : (size_t)cases[i].left;
        if (cases[i].left == -1) { /* all of it belongs to the message */
            begin_scanning(NULL);
            size_t len = strlen(cases[i].text);
            assert_int_equal(feed_scanning(tusk_bytes_str(cases[i].text), NULL), len);
            assert_false(scanning.data.done);
            continue;
        }
        test_each_cut(&cut, tusk_bytes_str(cases[i].text));
    }
}

static void a_message_thrown_away_ends_at_the_same_place(void **state)
{
    static const struct {
        const char *text;
        size_t left;
    } cases[] = {
        {"a\n.\n\n.\r\nb\r.\r\n.\n\r\n.\r\nNOOP\r\n", 6},
        {"a\r\r\n.\r\nx", 1},
        {"a\r\n.\r.\r\n.\r\nx", 1},
        {"a\r\n.\r\r\n.\r\nxy", 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const test_cut cut = {begin_scanning, feed_scanning, end_of_scanning, NULL};
        scanning.lenient = true;
        scanning.err = TUSK_OK;
        scanning.left = cases[i].left;
        test_each_cut(&cut, tusk_bytes_str(cases[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_known_whatever_their_case),
        cmocka_unit_test(only_cr_lf_ends_a_command),
        cmocka_unit_test(a_chunk_says_how_long_it_is),
        cmocka_unit_test(a_line_without_end_is_refused_at_its_limit),
        cmocka_unit_test(a_domain_is_a_host_name_or_an_address),
        cmocka_unit_test(replies_are_paired_by_code_and_hyphen_however_cut),
        cmocka_unit_test(what_is_no_reply_is_refused),
        cmocka_unit_test(a_reply_has_a_limit),
        cmocka_unit_test(a_reply_is_one_line_whatever_its_text),
        cmocka_unit_test(a_reply_of_several_lines_says_which_is_its_last),
        cmocka_unit_test(extensions_are_known_and_only_some_are_carried_on),
        cmocka_unit_test(only_cr_lf_dot_cr_lf_ends_a_message),
        cmocka_unit_test(a_message_thrown_away_ends_at_the_same_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
