/* SPDX-License-Identifier: MIT */
/* Forms: what browsers and programs send, every cut of it, each rule broken, each limit. */
#include "test.h"

#include <tusk/multipart.h>

#define TYPE "multipart/form-data; boundary=X1"
#define FIELD "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
#define FILE_HEAD "Content-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\n\r\n"

/* What a body gave, as text: "a=1;" for a field, "f@x.txt(type)=bytes;" for a file, "." at the end.
 */
struct reader {
    tusk_multipart parser;
    tusk_bytes type;
    tusk_multipart_limits limits;
    char got[4096];
    size_t len;
    const char *expected;
    tusk_err err;
    const char *name;
};

static void note(struct reader *self, const void *bytes, size_t len)
{
    assert_true(self->len + len < sizeof(self->got));
    if (len > 0) {
        memcpy(self->got + self->len, bytes, len);
    }
    self->len += len;
}

static void note_text(struct reader *self, tusk_bytes text)
{
    char plain[1024];
    assert_true(text.len <= sizeof(plain));
    note(self, plain, tusk_multipart_text(plain, text));
}

static void begin(void *user)
{
    struct reader *self = user;
    assert_err(tusk_multipart_init(&self->parser, self->type, &self->limits), TUSK_OK);
    self->len = 0;
}

static void on_part(struct reader *self, const tusk_multipart_part *part)
{
    note_text(self, part->name);
    if (part->filename.ptr != NULL) {
        note(self, "@", 1);
        note_text(self, part->filename);
        note(self, "(", 1);
        note(self, part->type.ptr, part->type.len);
        note(self, ")", 1);
    }
    note(self, "=", 1);
}

static ptrdiff_t feed(tusk_bytes in, void *user)
{
    struct reader *self = user;
    tusk_multipart_event event;
    ptrdiff_t used = tusk_multipart_parse(&self->parser, in, &event);
    if (used > 0 && event == TUSK_MULTIPART_PART) {
        on_part(self, &self->parser.part);
    } else if (used > 0 && event == TUSK_MULTIPART_DATA) {
        note(self, self->parser.data.ptr, self->parser.data.len);
    } else if (used > 0 && event == TUSK_MULTIPART_PART_END) {
        note(self, ";", 1);
    } else if (used > 0 && event == TUSK_MULTIPART_END) {
        note(self, ".", 1);
    }
    return used;
}

static void end(tusk_err err, size_t left, const char *how, void *user)
{
    struct reader *self = user;
    tusk_bytes got = tusk_bytes_of(self->got, self->len);
    bool whole = self->err == TUSK_OK && strchr(self->expected, '.') != NULL;
    if (err != self->err ||
        (whole && (left != 0 || !tusk_multipart_done(&self->parser) ||
                   !tusk_bytes_eq(got, tusk_bytes_str(self->expected)))) ||
        (!whole && tusk_multipart_done(&self->parser))) {
        fail_msg("%s, %s: %s, got %.*s, expected %s %s", self->name, how, tusk_err_name(err),
                 (int)self->len, self->got, tusk_err_name(self->err), self->expected);
    }
}

static struct reader reader;

static void check_of(const char *type, tusk_bytes body, const char *expected, tusk_err err)
{
    reader.type = tusk_bytes_str(type);
    reader.expected = expected;
    reader.err = err;
    reader.name = (const char *)body.ptr;
    test_cut cut = {.begin = begin, .feed = feed, .end = end, .user = &reader};
    test_each_cut(&cut, body);
}

static void gives(const char *body, const char *expected)
{
    reader.limits = *tusk_multipart_limits_default();
    check_of(TYPE, tusk_bytes_str(body), expected, TUSK_OK);
}

static void refuses(const char *body, tusk_err err)
{
    reader.limits = *tusk_multipart_limits_default();
    check_of(TYPE, tusk_bytes_str(body), "", err);
}

/* Not whole: no error, and not done. */
static void waits(const char *body)
{
    refuses(body, TUSK_OK);
}

static void fields_and_files_are_told_however_they_are_cut(void **state)
{
    (void)state;
    gives("--X1\r\n" FIELD "1\r\n--X1--\r\n", "a=1;.");
    gives("--X1\r\n" FIELD "1\r\n--X1\r\n" FILE_HEAD "\r\n--X\r\n-\r\r\n--X1--",
          "a=1;f@x.txt(text/plain)=\r\n--X\r\n-\r;.");
    gives("--X1\r\nContent-Disposition: form-data; name=\"f\"; filename=\"b.png\"\r\n"
          "Content-Type: image/png\r\n\r\n\x89PNG\r\n\r\n--X1--\r\n",
          "f@b.png(image/png)=\x89PNG\r\n;.");
    gives("--X1--", ".");                         /* an empty form */
    gives("--X1--\r\nanything\r\n--X1\r\n", "."); /* an epilogue */
    gives("\r\n--X1\r\n" FIELD "1\r\n--X1--", "a=1;.");
    gives("This is for old readers.\r\n--X2\r\n--X\r\n--X1\r\n" FIELD "1\r\n--X1--", "a=1;.");
    gives("--X1 \t\r\n" FIELD "1\r\n--X1  \r\n" FIELD "2\r\n--X1--  ", "a=1;a=2;.");
    gives("--X1\r\n" FIELD "\r\n--X1--", "a=;.");
    gives("--X1\r\n" FIELD "--X1--", "a=;."); /* no contents at all: the blank line is its CR LF */
    gives("--X1\r\n" FIELD "--X\r\n--X1--", "a=--X;.");
}

static void bytes_of_every_value_pass(void **state)
{
    char body[512] = "--X1\r\n" FIELD;
    char expected[300] = "a=";
    size_t head = strlen(body);
    (void)state;
    for (size_t i = 0; i < 256; i++) {
        body[head + i] = (char)(255 - i);
        expected[2 + i] = (char)(255 - i);
    }
    memcpy(body + head + 256, "\r\n--X1--", 8);
    reader.limits = *tusk_multipart_limits_default();
    begin((reader.type = tusk_bytes_str(TYPE), &reader));
    tusk_bytes in = test_guarded_bytes(body, head + 264);
    while (in.len > 0) {
        ptrdiff_t used = feed(in, &reader);
        assert_true(used > 0);
        in = tusk_bytes_of(in.ptr + used, in.len - (size_t)used);
    }
    assert_int_equal(reader.len, 2 + 256 + 2);
    assert_memory_equal(reader.got, expected, 258);
}

static void a_part_is_read_by_the_letter(void **state)
{
    (void)state;
    gives("--X1\r\ncontent-disposition:form-data;name=a\r\n\r\n1\r\n--X1--", "a=1;.");
    gives("--X1\r\nX-Other: y\r\nContent-Disposition: FORM-DATA ; NAME=\"a b\" ; size=3;\r\n\r\n1"
          "\r\n--X1--",
          "a b=1;.");
    gives("--X1\r\nContent-Disposition: form-data; name=\"q\\\"\\\\w\"\r\n\r\n1\r\n--X1--",
          "q\"\\w=1;.");
    gives("--X1\r\nContent-Disposition: form-data; name=\"%22%0d%0A%20%\"\r\n\r\n1\r\n--X1--",
          "\"\r\n%20%=1;.");
    gives("--X1\r\nContent-Disposition: form-data; name=\"\\\"ab%22\"\r\n\r\n1\r\n--X1--",
          "\"ab\"=1;.");
    gives("--X1\r\nContent-Disposition: form-data; name=f; filename=\"C:\\dir\\b\xc3\xa4r.txt\"\r\n"
          "\r\n1\r\n--X1--",
          "f@C:\\dir\\b\xc3\xa4r.txt(text/plain)=1;.");
    gives("--X1\r\nContent-Disposition: form-data; name=f; filename=\"\"\r\n\r\n\r\n--X1--",
          "f@(text/plain)=;.");
    /* what .NET sends: the second one is ignored */
    gives("--X1\r\nContent-Disposition: form-data; name=f; filename=a; filename*=utf-8''b\r\n\r\n1"
          "\r\n--X1--",
          "f@a(text/plain)=1;.");
    static const char *const codings[] = {"Binary", "7bit", "8BIT"};
    for (size_t i = 0; i < 3; i++) {
        char text[128];
        (void)snprintf(text, sizeof(text),
                       "--X1\r\nContent-Transfer-Encoding: %s\r\n" FIELD "1\r\n--X1--", codings[i]);
        gives(text, "a=1;.");
    }
}

static void each_broken_rule_is_refused(void **state)
{
    static const char *const heads[] = {
        "",
        "Content-Type: text/plain\r\n",
        "Content-Disposition: form-data\r\n",
        "Content-Disposition: form-data; filename=x\r\n",
        "Content-Disposition: attachment; name=a\r\n",
        "Content-Disposition: form-datax; name=a\r\n",
        "Content-Disposition: form-data; name=a; name=a\r\n",
        "Content-Disposition: form-data; name=f; filename=a; filename=b\r\n",
        "Content-Disposition: form-data; name=f; filename*=utf-8''b\r\n",
        "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=a\r\n",
        "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n",
        "Content-Disposition: form-data; name=a\r\nContent-Type:\r\n",
        "Content-Disposition: form-data; name=\"a\r\n",
        "Content-Disposition: form-data; name=\"a\\\"\r\n",
        "Content-Disposition: form-data; name=\r\n",
        "Content-Disposition: form-data; name\r\n",
        "Content-Disposition: form-data; =a\r\n",
        "Content-Disposition: form-data name=a\r\n",
        "Content-Disposition: form-data; name=\"a\"b\r\n",
        "Content-Disposition : form-data; name=a\r\n",
        "Content-Disposition: form-data;\r\n name=a\r\n", /* folded */
        "Content-Disposition: form-data; name=a\nX: y\r\n",
        "Content-Disposition: form-data; name=\"a\rb\"\r\n",
        "Content-Disposition: form-data; name=\"a\x01\"\r\n",
        "Content-Disposition: form-data; name=\"a\x7f\"\r\n",
        "no colon\r\nContent-Disposition: form-data; name=a\r\n",
        ": nameless\r\nContent-Disposition: form-data; name=a\r\n",
    };
    char body[512];
    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        (void)snprintf(body, sizeof(body), "--X1\r\n%s\r\n1\r\n--X1--", heads[i]);
        refuses(body, TUSK_EPROTO);
    }
    refuses("--X1x\r\n" FIELD "1\r\n--X1--", TUSK_EPROTO);
    refuses("--X1\n" FIELD "1\r\n--X1--", TUSK_EPROTO);
    refuses("--X1\r" FIELD, TUSK_EPROTO);
    refuses("--X1-\r\n" FIELD, TUSK_EPROTO);
    refuses("--X1 --", TUSK_EPROTO);
    refuses("--X1\r\n" FIELD "1\r\n--X1y\r\n--X1--", TUSK_EPROTO); /* no line may begin so */
    refuses("--X1\r\nContent-Transfer-Encoding: base64\r\n" FIELD "MQ==\r\n--X1--", TUSK_ECODING);
    refuses("--X1\r\nContent-Transfer-Encoding: quoted-printable\r\n" FIELD "=\r\n--X1--",
            TUSK_ECODING);
}

static void what_is_cut_off_is_not_done(void **state)
{
    (void)state;
    waits("");
    waits("--X");
    waits("--X1");
    waits("--X1-");
    waits("--X1\r\nContent-Disp");
    waits("--X1\r\n" FIELD "1");
    waits("--X1\r\n" FIELD "1\r\n--X1");
    waits("--X1\r\n" FIELD "1\r\n--X1\r\n");
    waits("nothing of a form");
    waits("--X2\r\n" FIELD "1\r\n--X2--");
}

static void limits_hold_to_the_byte(void **state)
{
    tusk_multipart_limits limits = {.parts_max = 2, .head_max = 4096, .file_max = 5};
    static const char two[] = "--X1\r\n" FIELD "1\r\n--X1\r\n" FIELD "2\r\n--X1--";
    static const char three[] =
        "--X1\r\n" FIELD "1\r\n--X1\r\n" FIELD "2\r\n--X1\r\n" FIELD "3\r\n--X1--";
    (void)state;
    reader.limits = limits;
    check_of(TYPE, tusk_bytes_str(two), "a=1;a=2;.", TUSK_OK);
    check_of(TYPE, tusk_bytes_str(three), "", TUSK_ELIMIT);
    check_of(TYPE,
             tusk_bytes_str("--X1\r\n" FILE_HEAD "12345\r\n--X1\r\n" FILE_HEAD "12345\r\n--X1--"),
             "f@x.txt(text/plain)=12345;f@x.txt(text/plain)=12345;.", TUSK_OK);
    check_of(TYPE, tusk_bytes_str("--X1\r\n" FILE_HEAD "123456\r\n--X1--"), "", TUSK_ETOOBIG);
    check_of(TYPE, tusk_bytes_str("--X1\r\n" FIELD "123456\r\n--X1--"), "a=123456;.", TUSK_OK);
    reader.limits.head_max = sizeof(FIELD) - 1;
    check_of(TYPE, tusk_bytes_str(two), "a=1;a=2;.", TUSK_OK);
    reader.limits.head_max = sizeof(FIELD) - 2;
    check_of(TYPE, tusk_bytes_str(two), "", TUSK_EHEADERS);
}

static tusk_err init_of(const char *type)
{
    tusk_multipart parser;
    tusk_bytes text = test_guarded_str(type);
    tusk_err err = tusk_multipart_init(&parser, text, NULL);
    test_guarded_free((uint8_t *)(uintptr_t)text.ptr, text.len);
    return err;
}

static void the_boundary_is_what_the_type_says(void **state)
{
    static const char *const fine[] = {
        TYPE,
        "Multipart/Form-Data;boundary=\"X 1\"",
        "multipart/form-data; charset=utf-8; BOUNDARY=X1",
        "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
        "multipart/form-data; boundary=\"----=_Part_1'()+_,-./:=?\"",
        "multipart/form-data; boundary=X1;",
        "multipart/form-data; boundary=\"\\X\\1\"",
        "multipart/form-data; boundary=\"\\"
        "0123456789012345678901234567890123456789012345678901234567890123456789\"",
        "multipart/form-data; boundary="
        "0123456789012345678901234567890123456789012345678901234567890123456789",
    };
    static const char *const broken[] = {
        "multipart/form-data",
        "multipart/form-data;",
        "multipart/form-data; boundary",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"X1",
        "multipart/form-data; boundary=\"X1 \"",
        "multipart/form-data; boundary=\"X\\\"1\"",
        "multipart/form-data; boundary=X1; boundary=X1",
        "multipart/form-data; boundary=X*1",
        "multipart/form-data; boundary=X=1",
        "multipart/form-data, text/plain",
        "multipart/form-data; boundary="
        "01234567890123456789012345678901234567890123456789012345678901234567890",
        "multipart/form-data; boundary=\"X\\\\1\"",
        "multipart/form-data; boundary=\"X1\\ \"",
        "multipart/form-data; boundary=\"\\"
        "01234567890123456789012345678901234567890123456789012345678901234567890\"",
    };
    static const char *const other[] = {"", "text/plain", "multipart/mixed; boundary=X1",
                                        "multipart/form-data2; boundary=X1",
                                        "application/x-www-form-urlencoded"};
    (void)state;
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
        assert_err(init_of(fine[i]), TUSK_OK);
    }
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        assert_err(init_of(broken[i]), TUSK_EPROTO);
    }
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        assert_err(init_of(other[i]), TUSK_ENOENT);
    }
    reader.limits = *tusk_multipart_limits_default();
    check_of("multipart/form-data; boundary=\"X 1\"",
             tusk_bytes_str("--X 1\r\n" FIELD "1\r\n--X 1--"), "a=1;.", TUSK_OK);
    check_of("multipart/form-data; boundary=\"X\\ \\1\"", /* 9110, 5.6.4 */
             tusk_bytes_str("--X 1\r\n" FIELD "1\r\n--X 1--"), "a=1;.", TUSK_OK);
}

static void a_file_name_says_no_folder(void **state)
{
    static const char *const names[][2] = {
        {"x.txt", "x.txt"},
        {"/etc/passwd", "passwd"},
        {"C:\\dir\\x.txt", "x.txt"},
        {"../../x", "x"},
        {"dir/", ""},
        {"", ""},
        {"a\\b/c\\d.tar.gz", "d.tar.gz"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_bytes_equal(tusk_multipart_base_name(tusk_bytes_str(names[i][0])),
                           tusk_bytes_str(names[i][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_and_files_are_told_however_they_are_cut),
        cmocka_unit_test(bytes_of_every_value_pass),
        cmocka_unit_test(a_part_is_read_by_the_letter),
        cmocka_unit_test(each_broken_rule_is_refused),
        cmocka_unit_test(what_is_cut_off_is_not_done),
        cmocka_unit_test(limits_hold_to_the_byte),
        cmocka_unit_test(the_boundary_is_what_the_type_says),
        cmocka_unit_test(a_file_name_says_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
