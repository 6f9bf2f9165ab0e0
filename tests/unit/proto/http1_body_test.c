/* SPDX-License-Identifier: MIT */
/* Bodies: lengths, chunks with extensions and trailers, the connection's end; the same however cut.
 */
#include "test.h"

#include <tusk/http.h>

enum { MAX = 1000 };

struct body {
    tusk_http_head head;
    tusk_http_body body;
    tusk_http_limits limits;
    uint64_t max;
    uint8_t got[4096];
    size_t got_len;
    /* expected */
    tusk_err err;
    const char *data;
    size_t left;
    bool done;
    const char *name;
};

static void begin(void *user)
{
    struct body *self = user;
    tusk_http_body_init(&self->body, &self->head, self->max, &self->limits);
    self->got_len = 0;
}

static ptrdiff_t feed(tusk_bytes in, void *user)
{
    struct body *self = user;
    tusk_bytes data;
    if (tusk_http_body_done(&self->body)) {
        return 0;
    }
    ptrdiff_t used = tusk_http_body_decode(&self->body, in, &data);
    if (used >= 0 && data.len > 0) {
        assert_in_range(data.ptr - in.ptr, 0, used);
        memcpy(self->got + self->got_len, data.ptr, data.len);
        self->got_len += data.len;
    }
    if (used == 0 && in.len > 0) {
        assert_true(tusk_http_body_done(&self->body));
    }
    return used;
}

static void end(tusk_err err, size_t left, const char *how, void *user)
{
    struct body *self = user;
    if (err != self->err || tusk_http_body_done(&self->body) != self->done ||
        (err == TUSK_OK && left != self->left)) {
        fail_msg("%s, %s: %s, %zu left, done %d", self->name, how, tusk_err_name(err), left,
                 tusk_http_body_done(&self->body));
    }
    if (err == TUSK_OK) {
        assert_bytes_equal(tusk_bytes_of(self->got, self->got_len), tusk_bytes_str(self->data));
    }
}

static void check(struct body *self, tusk_bytes in)
{
    test_cut cut = {.begin = begin, .feed = feed, .end = end, .user = self};
    test_each_cut(&cut, in);
}

static struct body chunked(const char *name)
{
    struct body self = {.head = {.chunked = true, .content_length = -1}, .max = MAX, .name = name};
    self.limits = *tusk_http_limits_default();
    return self;
}

static void chunks_are_joined(void **state)
{
    static const struct {
        const char *wire;
        const char *data;
        size_t left;
    } cases[] = {
        {"5\r\nhello\r\n0\r\n\r\n", "hello", 0},
        {"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\nGET /", "hello!", 5},
        {"0\r\n\r\n", "", 0},
        {"000\r\n\r\n", "", 0},
        {"0000000000000000000000005\r\nhello\r\n0\r\n\r\n", "hello", 0},
        {"a\r\n0123456789\r\n0\r\n\r\n", "0123456789", 0},
        {"A\r\n0123456789\r\n0\r\n\r\n", "0123456789", 0},
        {"2\r\n\r\n\r\n0\r\n\r\n", "\r\n", 0},
        {"1;a\r\nx\r\n0;b\r\n\r\n", "x", 0},
        {"1;a=b;c=\"d;\\\"\t e\";f\r\nx\r\n0\r\n\r\n", "x", 0},
        {"1 ; a = b ; c\r\nx\r\n0\r\n\r\n", "x", 0}, /* bad white space: must be taken */
        {"0\r\nX: y\r\nZ:\r\n\r\nmore", "", 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct body self = chunked(cases[i].wire);
        self.data = cases[i].data;
        self.left = cases[i].left;
        self.done = true;
        check(&self, tusk_bytes_str(cases[i].wire));
        assert_int_equal(self.body.total, strlen(cases[i].data));
        assert_true(tusk_http_body_end(&self.body));
    }
}

static void broken_chunks_are_refused(void **state)
{
    static const struct {
        const char *wire;
        size_t len;
        tusk_err err;
    } cases[] = {
        {"\r\n", 0, TUSK_EPROTO},
        {" 5\r\nhello\r\n", 0, TUSK_EPROTO},
        {"+5\r\nhello\r\n", 0, TUSK_EPROTO},
        {"-5\r\nhello\r\n", 0, TUSK_EPROTO},
        {"0x5\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5h\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5_0\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5 \r\nhello\r\n", 0, TUSK_EPROTO},
        {"5\t\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5\nhello\n0\n\n", 0, TUSK_EPROTO},
        {"5\rhello\r\n", 0, TUSK_EPROTO},
        {"5\rXhello\r\n0\r\n\r\n", 0, TUSK_EPROTO},
        {"0\rX\r\n", 0, TUSK_EPROTO},
        {"5\r\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5\0\r\nhello\r\n", 12, TUSK_EPROTO},
        {"5,5\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5\r\nhelloX", 0, TUSK_EPROTO},
        {"5\r\nhello\n0\r\n\r\n", 0, TUSK_EPROTO},
        {"5\r\nhello\rX", 0, TUSK_EPROTO},
        {"5\r\nhello0\r\n\r\n", 0, TUSK_EPROTO},
        {"5;\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;;a\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a \r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=b \r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;=b\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=b=c\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=\"b\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=\"\\\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=\"\\\x01\"\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=\"\\\x7f\"\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a=\"b\"c\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a\rb\r\nhello\r\n", 0, TUSK_EPROTO},
        {"5;a\x7f\r\nhello\r\n", 0, TUSK_EPROTO},
        {"10000000000000000\r\n", 0, TUSK_ETOOBIG},
        {"FFFFFFFFFFFFFFFFF\r\n", 0, TUSK_ETOOBIG},
        {"3e9\r\n", 0, TUSK_ETOOBIG}, /* 1001 */
        {"0\r\n X: y\r\n\r\n", 0, TUSK_EPROTO},
        {"0\r\nX : y\r\n\r\n", 0, TUSK_EPROTO},
        {"0\r\nX\r\n\r\n", 0, TUSK_EPROTO},
        {"0\r\n: y\r\n\r\n", 0, TUSK_EPROTO},
        {"0\r\nX: y\n\r\n", 0, TUSK_EPROTO},
        {"0\r\nX: \x01\r\n\r\n", 0, TUSK_EPROTO},
        {"0\r\nX: y\r\n\n", 0, TUSK_EPROTO},
        {"0\r\nX: y\rZ\r\n", 0, TUSK_EPROTO},
        {"0\r\n\rX", 0, TUSK_EPROTO},
        {"0\r\nX: y\r\n z\r\n\r\n", 0, TUSK_EPROTO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct body self = chunked(cases[i].wire);
        self.err = cases[i].err;
        check(&self, tusk_bytes_of(cases[i].wire,
                                   cases[i].len > 0 ? cases[i].len : strlen(cases[i].wire)));
    }
}

/* As in heads: of a response, and for who says so (RFC 9112, 5.1). */
static void white_space_before_the_colon_of_a_trailer_is_for_who_reads_responses(void **state)
{
    static const struct {
        const char *wire;
        bool is_spaced; /* and a name */
    } cases[] = {{"0\r\nX : y\r\n\r\n", true},   {"0\r\nX\t : y\r\n\r\n", true},
                 {"0\r\nX y: z\r\n\r\n", false}, {"0\r\nX  y: z\r\n\r\n", false},
                 {"0\r\nX \r\n\r\n", false},     {"0\r\n : y\r\n\r\n", false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int way = 0; way < 4; way++) {
            struct body self = chunked(cases[i].wire);
            self.head.status = (way & 1) != 0 ? 200 : 0;
            self.limits.spaced_names = (way & 2) != 0;
            self.done = way == 3 && cases[i].is_spaced;
            self.err = self.done ? TUSK_OK : TUSK_EPROTO;
            self.data = "";
            check(&self, tusk_bytes_str(cases[i].wire));
        }
    }
}

static void a_size_past_64_bits_does_not_wrap(void **state)
{
    static const char *const sizes[] = {"10000000000000005\r\nhello", "fffffffffffffffff\r\n",
                                        "123456789abcdef01\r\n"};
    for (size_t i = 0; i < 3; i++) {
        struct body self = chunked(sizes[i]);
        self.max = UINT64_MAX;
        self.err = TUSK_EPROTO;
        check(&self, tusk_bytes_str(sizes[i]));
    }
    struct body self = chunked("the largest size");
    self.max = UINT64_MAX;
    self.data = "x";
    check(&self, tusk_bytes_str("ffffffffffffffff\r\nx"));
}

static void a_body_over_its_limit_is_413(void **state)
{
    static char wire[4096];
    struct body self = chunked("in chunks");
    memset(wire, 'x', sizeof(wire));
    memcpy(wire, "3e8\r\n", 5);
    memcpy(wire + 1005, "\r\n1\r\nx\r\n", 8);
    self.err = TUSK_ETOOBIG;
    check(&self, tusk_bytes_of(wire, 1012));
    assert_int_equal(tusk_http_status_of(TUSK_ETOOBIG), 413);

    struct body length = {.head = {.content_length = MAX + 1},
                          .max = MAX,
                          .name = "of a length",
                          .err = TUSK_ETOOBIG};
    length.limits = *tusk_http_limits_default();
    check(&length, tusk_bytes_str("x"));
    tusk_bytes data;
    begin(&length);
    assert_err(tusk_http_body_decode(&length.body, tusk_bytes_of(NULL, 0), &data),
               TUSK_ETOOBIG); /* before any byte */

    struct body open = {
        .head = {.content_length = -1, .until_close = true}, .max = MAX, .name = "until close"};
    open.err = TUSK_ETOOBIG;
    check(&open, tusk_bytes_of(wire, MAX + 1));
}

static void chunk_lines_and_trailers_have_limits(void **state)
{
    struct body self = chunked("line at its limit");
    self.limits.chunk_line_max = 8;
    self.limits.trailers_max = 10;
    self.data = "x";
    self.done = true;
    check(&self, tusk_bytes_str("1;abcd\r\nx\r\n000000\r\nabc: d\r\n\r\n"));
    self.name = "line over it";
    self.err = TUSK_EPROTO;
    self.done = false;
    check(&self, tusk_bytes_str("1;abcde\r\nx\r\n0\r\n\r\n"));
    self.name = "zeros over it";
    check(&self, tusk_bytes_str("000000000\r\n\r\n"));
    self.name = "trailers over it";
    self.err = TUSK_EHEADERS;
    check(&self, tusk_bytes_str("0\r\na: b\r\nc: d\r\n\r\n"));
}

static void many_small_chunks_pass_but_not_in_large_extensions(void **state)
{
    enum { TIMES = 2000 };
    struct body self = chunked("");
    tusk_bytes data;
    self.max = UINT64_MAX;
    begin(&self);
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(tusk_http_body_decode(&self.body, tusk_bytes_str("1\r\nx"), &data), 4);
        assert_int_equal(tusk_http_body_decode(&self.body, tusk_bytes_str("\r\n"), &data), 2);
    }
    begin(&self);
    ptrdiff_t used = 0;
    size_t wire = 0;
    for (int i = 0; i < TIMES && used >= 0; i++) {
        char line[256];
        int len = snprintf(line, sizeof(line), "1;%.*s\r\nx\r\n", 200,
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        for (tusk_bytes in = tusk_bytes_of(line, (size_t)len); in.len > 0 && used >= 0;) {
            used = tusk_http_body_decode(&self.body, in, &data);
            if (used >= 0) {
                in.ptr += used;
                in.len -= (size_t)used;
                wire += (size_t)used;
            }
        }
    }
    assert_err(used, TUSK_EPROTO);
    assert_in_range(wire, 16384, 20000);
}

static void a_length_is_counted_down(void **state)
{
    struct body self = {.head = {.content_length = 5},
                        .max = 5,
                        .data = "hello",
                        .left = 5,
                        .done = true,
                        .name = "5"};
    self.limits = *tusk_http_limits_default();
    check(&self, tusk_bytes_str("helloGET /"));
    self.data = "hell";
    self.left = 0;
    self.done = false;
    check(&self, tusk_bytes_str("hell"));
    assert_false(tusk_http_body_end(&self.body)); /* cut off: not a legal end */
}

static void without_framing_there_is_no_body(void **state)
{
    struct body self = {.head = {.content_length = -1},
                        .max = 5,
                        .data = "",
                        .left = 3,
                        .done = true,
                        .name = "none"};
    self.limits = *tusk_http_limits_default();
    check(&self, tusk_bytes_str("GET"));
    self.head.content_length = 0;
    check(&self, tusk_bytes_str("GET"));
    self.head.content_length = 3;
    self.head.chunked = true;
    self.head.no_body = true;
    check(&self, tusk_bytes_str("GET"));
}

static void until_close_ends_only_with_the_connection(void **state)
{
    struct body self = {.head = {.content_length = -1, .until_close = true},
                        .max = 5,
                        .data = "hello",
                        .name = "close"};
    self.limits = *tusk_http_limits_default();
    check(&self, tusk_bytes_str("hello"));
    assert_true(tusk_http_body_end(&self.body));
    struct body cut = chunked("cut");
    cut.data = "hel";
    check(&cut, tusk_bytes_str("5\r\nhel"));
    assert_false(tusk_http_body_end(&cut.body));
}

/* Trailers in pieces are the same bytes, put together. */
struct section {
    tusk_http_head head;
    tusk_http_body body;
    uint8_t got[256];
    size_t got_len;
};

static void begin_section(void *user)
{
    struct section *self = user;
    tusk_http_body_init(&self->body, &self->head, MAX, tusk_http_limits_default());
    self->got_len = 0;
}

static ptrdiff_t feed_section(tusk_bytes in, void *user)
{
    struct section *self = user;
    tusk_bytes data;
    tusk_bytes trailers;
    ptrdiff_t used = tusk_http_body_decode_all(&self->body, in, &data, &trailers);
    if (used > 0 && trailers.len > 0) {
        assert_in_range(trailers.ptr + trailers.len - in.ptr, 1, used);
        memcpy(self->got + self->got_len, trailers.ptr, trailers.len);
        self->got_len += trailers.len;
    }
    return used;
}

static void end_section(tusk_err err, size_t left, const char *how, void *user)
{
    struct section *self = user;
    (void)how;
    assert_err(err, TUSK_OK);
    assert_int_equal(left, 0);
    assert_bytes_equal(tusk_bytes_of(self->got, self->got_len), TEST_BYTES("A: 1\r\nb:2\r\n\r\n"));
}

static void trailers_are_shown_to_who_asks(void **state)
{
    struct section self = {.head = {.chunked = true, .content_length = -1}};
    test_cut cut = {
        .begin = begin_section, .feed = feed_section, .end = end_section, .user = &self};
    (void)state;
    test_each_cut(&cut, TEST_BYTES("3\r\nabc\r\n2;x=y\r\nde\r\n0;z\r\nA: 1\r\nb:2\r\n\r\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_joined),
        cmocka_unit_test(broken_chunks_are_refused),
        cmocka_unit_test(white_space_before_the_colon_of_a_trailer_is_for_who_reads_responses),
        cmocka_unit_test(a_size_past_64_bits_does_not_wrap),
        cmocka_unit_test(a_body_over_its_limit_is_413),
        cmocka_unit_test(chunk_lines_and_trailers_have_limits),
        cmocka_unit_test(many_small_chunks_pass_but_not_in_large_extensions),
        cmocka_unit_test(a_length_is_counted_down),
        cmocka_unit_test(without_framing_there_is_no_body),
        cmocka_unit_test(until_close_ends_only_with_the_connection),
        cmocka_unit_test(trailers_are_shown_to_who_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
