/* SPDX-License-Identifier: MIT */
/* Event streams: the standard's small cases, every cut of them, what may be written, and that it
 * comes back. */
#include "test.h"

#include <tusk/sse.h>

enum { LINE_MAX = 200, DATA_MAX = 400 };

/* What a stream gave, as text: "type|id|data;" per event, then "retry". */
struct reader {
    tusk_sse_parser parser;
    const tusk_mem *mem;
    char got[2048];
    size_t got_len;
    const char *expected;
    tusk_err err;
    const char *name;
};

static void note(struct reader *self, const void *text, size_t len)
{
    assert_true(self->got_len + len < sizeof(self->got));
    if (len > 0) {
        memcpy(self->got + self->got_len, text, len);
    }
    self->got_len += len;
}

static void begin(void *user)
{
    struct reader *self = user;
    tusk_sse_parser_fini(&self->parser);
    tusk_sse_parser_init(&self->parser, self->mem, LINE_MAX, DATA_MAX);
    self->got_len = 0;
}

static ptrdiff_t feed(tusk_bytes in, void *user)
{
    struct reader *self = user;
    tusk_sse_event event;
    bool got;
    ptrdiff_t used = tusk_sse_parse(&self->parser, in, &event, &got);
    if (used >= 0 && got) {
        note(self, event.type.ptr, event.type.len);
        note(self, "|", 1);
        note(self, event.id.ptr, event.id.len);
        note(self, "|", 1);
        note(self, event.data.ptr, event.data.len);
        note(self, ";", 1);
        assert_true(event.has_data);
        assert_int_equal(event.has_id, event.id.len > 0);
    }
    assert_true(used != 0 || in.len == 0);
    return used;
}

static void end(tusk_err err, size_t left, const char *how, void *user)
{
    struct reader *self = user;
    tusk_bytes got = tusk_bytes_of(self->got, self->got_len);
    if (err != self->err ||
        (err == TUSK_OK && (left != 0 || !tusk_bytes_eq(got, tusk_bytes_str(self->expected))))) {
        fail_msg("%s, %s: %s, got %.*s, expected %s", self->name, how, tusk_err_name(err),
                 (int)self->got_len, self->got, self->expected);
    }
}

static void check_bytes(tusk_bytes wire, const char *expected, tusk_err err)
{
    static struct reader self;
    self.mem = tusk_mem_default();
    self.expected = expected;
    self.err = err;
    self.name = (const char *)wire.ptr;
    test_cut cut = {.begin = begin, .feed = feed, .end = end, .user = &self};
    test_each_cut(&cut, wire);
    tusk_sse_parser_fini(&self.parser);
}

static void check(const char *wire, const char *expected)
{
    check_bytes(tusk_bytes_str(wire), expected, TUSK_OK);
}

#define BOM "\xef\xbb\xbf"

static void the_small_cases_of_the_standard(void **state)
{
    check("data: a\rdata: b\n\n", "||a\nb;");
    check("data\n\n", "||;");
    check("data:\ndata\n\n", "||\n;");
    check("data:test\n\ndata: test\n\n", "||test;||test;");
    check("data:  x\n\n", "|| x;");
    check("data:\tx\n\n", "||\tx;");
    check("id: 42\r\ndata: x\n\ndata: y\n\n", "|42|x;|42|y;");
    check("id: 1\ndata: x\n\nid\ndata: x\n\n", "|1|x;||x;");
    check("id: 43\n\ndata: x\n\n", "|43|x;");
    check("event: \ndata: x\n\n", "||x;");
    check("event: a\nevent: b\ndata: x\n\ndata: y\n\n", "b||x;||y;");
    check("event: a\n\ndata: x\n\n", "||x;"); /* the type goes with the block */
    check(":\n\n", "");
    check("\n\n\n", "");
    check(": comment\ndata: x\n:more\ndata: y\n\n", "||x\ny;");
    check("data: x", "");
    check("data: x\n", "");
    check("data : x\n data: y\nDATA: z\ndatax: w\ndat: v\n\n", "");
    check("data: a: b\n\n", "||a: b;");
    check(":data: x\n\n", "");
    check("unknown\nfoo: bar\ndata: x\n\n", "||x;");
    check("data: x\r\r", "||x;");
    check("data: x\r\n\r\n", "||x;");
    check("data: x\n\r", "||x;");
    check("data: x\n\r\n", "||x;");
    check("data: x\r\n\n", "||x;");
    check("data: x\r\n\rdata: y\r\r\n", "||x;||y;");
    check("data: 1\ndata: 2\ndata: 3\n\n", "||1\n2\n3;");
}

static void one_byte_order_mark_is_dropped(void **state)
{
    check(BOM "data: x\n\n", "||x;");
    check(BOM BOM "data: x\n\n", "");
    check("\xef\xbb"
          "data: x\n\n",
          "");
    check("\xef"
          "data: x\n\ndata: y\n\n",
          "||y;");
    check("data: x\n\n" BOM "data: y\n\n", "||x;");
    check("data: " BOM "x\n\n", "||" BOM "x;");
    check("\xef\xbb\n\ndata: x\n\n", "||x;");
}

static void an_id_with_nul_is_ignored(void **state)
{
    check_bytes(TEST_BYTES("id: 1\ndata: x\n\nid: a\0b\ndata: y\n\n"), "|1|x;|1|y;", TUSK_OK);
    check_bytes(TEST_BYTES("id: a\0\ndata: y\n\n"), "||y;", TUSK_OK);
}

static void what_is_not_utf8_becomes_the_replacement(void **state)
{
#define R "\xef\xbf\xbd"
    check("data: caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\n",
          "||caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80;");
    check("data: \xff\n\n", "||" R ";");
    check("data: a\x80"
          "b\n\n",
          "||a" R "b;");
    check("data: \xc3\n\n", "||" R ";");
    check("data: \xc0\xaf\n\n", "||" R R ";");
    check("data: \xe2\x82\n\n", "||" R ";"); /* one for the longest start */
    check("data: \xe2\x82"
          "a\n\n",
          "||" R "a;");
    check("data: \xe0\x80\x80\n\n", "||" R R R ";"); /* overlong: no start at all */
    check("data: \xed\xa0\x80\n\n", "||" R R R ";"); /* a surrogate */
    check("data: \xf0\x9f\x98\n\n", "||" R ";");
    check("data: \xf0\x9f\x98"
          "a\xf0\x80\n\n",
          "||" R "a" R R ";");
    check("data: \xf4\x90\x80\x80\n\n", "||" R R R R ";"); /* past U+10FFFF */
    check("data: \xf5\xfe\n\n", "||" R R ";");
    check("event: \xff\nid: \xfe\ndata: x\n\n", R "|" R "|x;");
    check("da\xff"
          "ta: x\n\n",
          "");
#undef R
}

static int64_t retry_of(const char *wire)
{
    tusk_sse_parser parser;
    tusk_sse_event event;
    bool got;
    tusk_sse_parser_init(&parser, tusk_mem_default(), LINE_MAX, DATA_MAX);
    assert_int_equal(tusk_sse_parse(&parser, tusk_bytes_str(wire), &event, &got), strlen(wire));
    int64_t retry_ms = parser.retry_ms;
    tusk_sse_parser_fini(&parser);
    return retry_ms;
}

static void retry_takes_digits_and_counts_at_once(void **state)
{
    assert_int_equal(retry_of("retry: 1000\n"), 1000);
    assert_int_equal(retry_of("retry: 1000\nretry:7\n"), 7);
    assert_int_equal(retry_of("retry: 0\n"), 0);
    assert_int_equal(retry_of("retry: 1000x\n"), -1);
    assert_int_equal(retry_of("retry:\n"), -1);
    assert_int_equal(retry_of("retry\n"), -1);
    assert_int_equal(retry_of("retry: -1\n"), -1);
    assert_int_equal(retry_of("retry:  1\n"), -1);
    assert_int_equal(retry_of("retry: \xef\xbc\x91\n"), -1);
    assert_int_equal(retry_of("retry: 99999999999999999999999999999\n"),
                     86400000); /* a day, not an overflow */
}

static void the_end_of_a_stream_forgets_the_unfinished(void **state)
{
    const char *first = "id: 1\nretry: 5\ndata: x\n\nid: 2\nevent: e\ndata: lost";
    const char *second = BOM "data: y\n\n";
    tusk_sse_parser parser;
    tusk_sse_event event;
    bool got;
    tusk_sse_parser_init(&parser, tusk_mem_default(), LINE_MAX, DATA_MAX);
    tusk_bytes in = tusk_bytes_str(first);
    ptrdiff_t used = tusk_sse_parse(&parser, in, &event, &got);
    assert_true(got);
    in = tusk_bytes_of(in.ptr + used, in.len - (size_t)used);
    assert_int_equal(tusk_sse_parse(&parser, in, &event, &got), in.len);
    assert_false(got);
    tusk_sse_parser_reset(&parser);
    assert_bytes_equal(tusk_sse_last_id(&parser), TEST_BYTES("1"));
    assert_int_equal(parser.retry_ms, 5);
    in = tusk_bytes_str(second);
    assert_int_equal(tusk_sse_parse(&parser, in, &event, &got), in.len);
    assert_true(got);
    assert_bytes_equal(event.data, TEST_BYTES("y"));
    assert_bytes_equal(event.type, TEST_BYTES(""));
    assert_bytes_equal(event.id, TEST_BYTES("1"));
    tusk_sse_parser_fini(&parser);
}

static void lines_and_data_have_limits(void **state)
{
    char wire[1024];
    char expected[1024];
    /* A line of exactly LINE_MAX, then one more byte. */
    (void)snprintf(wire, sizeof(wire), "data: %0*d\n\n", LINE_MAX - 6, 0);
    (void)snprintf(expected, sizeof(expected), "||%0*d;", LINE_MAX - 6, 0);
    check(wire, expected);
    (void)snprintf(wire, sizeof(wire), "data: %0*d\n\n", LINE_MAX - 5, 0);
    check_bytes(tusk_bytes_str(wire), "", TUSK_ETOOBIG);
    (void)snprintf(wire, sizeof(wire), ":%0*d", LINE_MAX,
                   0); /* comments too, and before their end */
    check_bytes(tusk_bytes_str(wire), "", TUSK_ETOOBIG);
    /* Data of exactly DATA_MAX in three lines, then one more byte. */
    (void)snprintf(wire, sizeof(wire), "data:%0133d\ndata:%0133d\ndata:%0132d\n\n", 0, 0, 0);
    (void)snprintf(expected, sizeof(expected), "||%0133d\n%0133d\n%0132d;", 0, 0, 0);
    check(wire, expected);
    (void)snprintf(wire, sizeof(wire), "data:%0133d\ndata:%0133d\ndata:%0133d\n\n", 0, 0, 0);
    check_bytes(tusk_bytes_str(wire), "", TUSK_ETOOBIG);
}

/* ---- writing ---- */
static void an_event_is_written_in_order(void **state)
{
    static const struct {
        tusk_sse_event event;
        const char *wire;
    } cases[] = {
        {{.data = {(const uint8_t *)"x", 1}, .has_data = true, .retry_ms = -1}, "data: x\n\n"},
        {{.data = {(const uint8_t *)"", 0}, .has_data = true, .retry_ms = -1}, "data: \n\n"},
        {{.data = {(const uint8_t *)" x", 2}, .has_data = true, .retry_ms = -1}, "data:  x\n\n"},
        {{.data = {(const uint8_t *)"a\nb\rc\r\nd", 8}, .has_data = true, .retry_ms = -1},
         "data: a\ndata: b\ndata: c\ndata: d\n\n"},
        {{.data = {(const uint8_t *)"\n", 1}, .has_data = true, .retry_ms = -1},
         "data: \ndata: \n\n"},
        {{.data = {(const uint8_t *)"\r\r\n\n", 4}, .has_data = true, .retry_ms = -1},
         "data: \ndata: \ndata: \ndata: \n\n"},
        {{.type = {(const uint8_t *)"t", 1},
          .id = {(const uint8_t *)"7:9", 3},
          .has_id = true,
          .data = {(const uint8_t *)"x", 1},
          .has_data = true,
          .retry_ms = 3000},
         "event: t\nretry: 3000\nid: 7:9\ndata: x\n\n"},
        {{.type = {(const uint8_t *)"type", 4},
          .data = {(const uint8_t *)"x", 1},
          .has_data = true,
          .retry_ms = -1},
         "event: type\ndata: x\n\n"},
        {{.id = {(const uint8_t *)"7:9", 3}, .has_id = true, .retry_ms = -1}, "id: 7:9\n\n"},
        {{.has_id = true, .retry_ms = -1}, "id: \n\n"},
        {{.retry_ms = 0}, "retry: 0\n\n"},
        {{.retry_ms = INT64_MAX}, "retry: 9223372036854775807\n\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_buf out;
        tusk_buf_init(&out, tusk_mem_default(), 1000);
        assert_err(tusk_sse_encode(&out, &cases[i].event), TUSK_OK);
        assert_bytes_equal(tusk_buf_view(&out), tusk_bytes_str(cases[i].wire));
        assert_true(out.len <= tusk_sse_encode_max(&cases[i].event));
        tusk_buf_fini(&out);
    }
}

static void no_field_can_be_smuggled_in(void **state)
{
    static const char *const bad[] = {"a\nb", "a\rb",         "\n",     "a\r\nid: 1",
                                      "\xff", "\xed\xa0\x80", "caf\xc3"};
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tusk_bytes text = test_guarded_str(bad[i]);
        bool utf8 = i < 4;
        assert_err(tusk_sse_encode(&out, &(tusk_sse_event){.type = text, .retry_ms = -1}),
                   TUSK_EINVAL);
        assert_err(
            tusk_sse_encode(&out, &(tusk_sse_event){.id = text, .has_id = true, .retry_ms = -1}),
            TUSK_EINVAL);
        assert_err(tusk_sse_comment(&out, text), TUSK_EINVAL);
        assert_int_equal(out.len, 0);
        assert_err(tusk_sse_encode(
                       &out, &(tusk_sse_event){.data = text, .has_data = true, .retry_ms = -1}),
                   utf8 ? TUSK_OK : TUSK_EINVAL);
        tusk_buf_clear(&out);
    }
    tusk_bytes nul = TEST_BYTES("a\0b");
    assert_err(tusk_sse_encode(&out, &(tusk_sse_event){.type = nul, .retry_ms = -1}), TUSK_EINVAL);
    assert_err(tusk_sse_encode(&out, &(tusk_sse_event){.id = nul, .has_id = true, .retry_ms = -1}),
               TUSK_EINVAL);
    assert_err(tusk_sse_comment(&out, nul), TUSK_EINVAL);
    tusk_buf_fini(&out);
}

static void a_comment_is_a_block_of_its_own(void **state)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    assert_err(tusk_sse_comment(&out, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_err(tusk_sse_comment(&out, TEST_BYTES("hi")), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES(":\n\n: hi\n\n"));
    tusk_buf_fini(&out);
}

/* Line ends become LF; all else must come back as it went, at any length and place of a line end.
 */
static void what_is_written_is_read(void **state)
{
    uint64_t seed = 3;
    for (int round = 0; round < 20000; round++) {
        char data[64];
        char plain[64];
        size_t len = test_random(&seed) % sizeof(data);
        size_t plain_len = 0;
        for (size_t i = 0; i < len; i++) {
            data[i] = "abcdefg :\n\n\r"[test_random(&seed) % 12];
        }
        for (size_t i = 0; i < len; i++) {
            if (data[i] == '\r' && i + 1 < len && data[i + 1] == '\n') {
                continue;
            }
            plain[plain_len++] = (char)(data[i] == '\r' ? '\n' : data[i]);
        }
        tusk_sse_event event = {.data = tusk_bytes_of(data, len), .has_data = true, .retry_ms = -1};
        tusk_sse_event back;
        tusk_sse_parser parser;
        tusk_buf out;
        bool got;
        tusk_buf_init(&out, tusk_mem_default(), 4096);
        tusk_sse_parser_init(&parser, tusk_mem_default(), 4096, 4096);
        assert_err(tusk_sse_encode(&out, &event), TUSK_OK);
        assert_true(out.len <= tusk_sse_encode_max(&event));
        assert_int_equal(tusk_sse_parse(&parser, tusk_buf_view(&out), &back, &got), out.len);
        assert_true(got);
        assert_bytes_equal(back.data, tusk_bytes_of(plain, plain_len));
        tusk_sse_parser_fini(&parser);
        tusk_buf_fini(&out);
    }
}

/* ---- memory ---- */
static tusk_err read_a_stream(const tusk_mem *mem, void *user)
{
    const char *pieces[] = {"id: 1\nevent: e", "\ndata: \xff x\ndata: ", "y\n\nid: 2\ndata: z\n",
                            "\n"};
    tusk_sse_parser parser;
    tusk_sse_event event;
    tusk_err err = TUSK_OK;
    int events = 0;
    tusk_sse_parser_init(&parser, mem, 1000, 1000);
    for (size_t i = 0; i < 4 && err == TUSK_OK; i++) {
        tusk_bytes in = tusk_bytes_str(pieces[i]);
        while (in.len > 0 && err == TUSK_OK) {
            bool got;
            ptrdiff_t used = tusk_sse_parse(&parser, in, &event, &got);
            err = used < 0 ? (tusk_err)used : TUSK_OK;
            if (used > 0) {
                events += got;
                in.ptr += used;
                in.len -= (size_t)used;
            }
        }
    }
    if (err == TUSK_OK) {
        assert_int_equal(events, 2);
    } else {
        tusk_sse_parser_reset(&parser); /* allowed after an error */
    }
    tusk_sse_parser_fini(&parser);
    return err;
}

static tusk_err write_a_stream(const tusk_mem *mem, void *user)
{
    tusk_buf out;
    tusk_buf_init(&out, mem, 4096);
    tusk_err err = TUSK_OK;
    for (int i = 0; i < 30 && err == TUSK_OK; i++) {
        tusk_sse_event event = {
            .data = TEST_BYTES("some data\nin lines"), .has_data = true, .retry_ms = -1};
        size_t before = out.len;
        err = i % 3 == 0 ? tusk_sse_comment(&out, TEST_BYTES("x")) : tusk_sse_encode(&out, &event);
        assert_true(err == TUSK_OK || out.len == before); /* whole or not at all */
    }
    tusk_buf_fini(&out);
    return err;
}

static void without_memory_both_fail_in_order(void **state)
{
    assert_true(test_fail_each_alloc(read_a_stream, false, NULL) >= 5);
    assert_true(test_fail_each_alloc(write_a_stream, false, NULL) >= 3);
}

static void a_new_parser_owns_nothing(void **state)
{
    test_mem mem;
    tusk_sse_parser parser;
    tusk_sse_event event;
    bool got;
    test_mem_init(&mem, 0);
    tusk_sse_parser_init(&parser, &mem.mem, LINE_MAX, DATA_MAX);
    assert_int_equal(
        tusk_sse_parse(&parser, TEST_BYTES(":\n\n: heartbeat\n\nretry: 5\n"), &event, &got), 25);
    assert_int_equal(mem.requests, 0); /* whole lines are read where they are */
    tusk_sse_parser_fini(&parser);
    test_mem_assert_empty(&mem);
}

static void its_media_type_is_known_in_any_case_and_with_any_parameters(void **state)
{
    static const char *const yes[] = {"text/event-stream", "TEXT/Event-Stream",
                                      "text/event-stream;charset=utf-8",
                                      "text/event-stream \t; charset=utf-8", "text/event-stream "};
    static const char *const no[] = {"",           "text/event-streams", "text/event-stream x",
                                     "text/event", "text/html",          "text/event-stream,x"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        uint8_t *at = test_guarded(yes[i], strlen(yes[i]));
        assert_true(tusk_sse_is_content_type(tusk_bytes_of(at, strlen(yes[i]))));
        test_guarded_free(at, strlen(yes[i]));
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        uint8_t *at = test_guarded(no[i], strlen(no[i]));
        assert_false(tusk_sse_is_content_type(tusk_bytes_of(at, strlen(no[i]))));
        test_guarded_free(at, strlen(no[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_small_cases_of_the_standard),
        cmocka_unit_test(its_media_type_is_known_in_any_case_and_with_any_parameters),
        cmocka_unit_test(one_byte_order_mark_is_dropped),
        cmocka_unit_test(an_id_with_nul_is_ignored),
        cmocka_unit_test(what_is_not_utf8_becomes_the_replacement),
        cmocka_unit_test(retry_takes_digits_and_counts_at_once),
        cmocka_unit_test(the_end_of_a_stream_forgets_the_unfinished),
        cmocka_unit_test(lines_and_data_have_limits),
        cmocka_unit_test(an_event_is_written_in_order),
        cmocka_unit_test(no_field_can_be_smuggled_in),
        cmocka_unit_test(a_comment_is_a_block_of_its_own),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(without_memory_both_fail_in_order),
        cmocka_unit_test(a_new_parser_owns_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
