/* SPDX-License-Identifier: MIT */
/* Forms as places in their body: of either kind, refused by the walk's own errors, and no place
 * outside of the body. */
#include "test.h"

#include <tusk/form.h>

#define PAIRS "application/x-www-form-urlencoded"
#define PARTS "multipart/form-data; boundary=X"
#define HEAD "--X\r\nContent-Disposition: form-data; name="

/* "name=value;" for a field, "name@filename(type)=value;" for a file, as they stand in the body. */
static void describe(tusk_buf *out, const tusk_form *form, tusk_bytes body)
{
    for (size_t i = 0; i < tusk_form_count(form); i++) {
        const tusk_form_part *part = tusk_form_at(form, i);
        const tusk_span spans[] = {part->name, part->filename, part->type, part->value};
        static const char *const before[] = {"", "@", "(", "="};
        for (size_t k = 0; k < 4; k++) {
            if ((k == 1 || k == 2) && part->filename.at == 0) {
                continue;
            }
            assert_true(spans[k].at + (size_t)spans[k].len <= body.len);
            assert_err(tusk_buf_append_str(out, before[k]), TUSK_OK);
            assert_err(tusk_buf_append(out, body.ptr + spans[k].at, spans[k].len), TUSK_OK);
            assert_err(tusk_buf_append_str(out, k == 2 ? ")" : ""), TUSK_OK);
        }
        assert_err(tusk_buf_append_str(out, ";"), TUSK_OK);
    }
}

static void gives(const char *type, const char *text, const char *expected)
{
    tusk_form form;
    tusk_buf got;
    tusk_bytes body = test_guarded_str(text);
    tusk_buf_init(&got, tusk_mem_default(), 1 << 16);
    memset(&form, 0xFF, sizeof(form)); /* whatever stood there before */
    assert_err(tusk_form_read(&form, tusk_bytes_str(type), body, NULL, NULL), TUSK_OK);
    assert_int_equal(form.pairs, strcmp(type, PARTS) != 0);
    describe(&got, &form, body);
    assert_bytes_equal(tusk_buf_view(&got), tusk_bytes_str(expected));
    tusk_buf_fini(&got);
    tusk_form_fini(&form);
    test_guarded_free((uint8_t *)(uintptr_t)body.ptr, body.len);
}

static void refuses(const char *type, const char *text, const tusk_multipart_limits *limits,
                    tusk_err err)
{
    tusk_form form;
    tusk_bytes body = test_guarded_str(text);
    assert_err(tusk_form_read(&form, tusk_bytes_str(type), body, limits, NULL), err);
    assert_int_equal(tusk_form_count(&form), 0);
    assert_null(form.list.ptr);
    test_guarded_free((uint8_t *)(uintptr_t)body.ptr, body.len);
}

static void pairs_are_places_as_they_are_encoded(void **state)
{
    (void)state;
    gives(PAIRS, "a=1&b=two+words&c%5B%5D=%C3%BC", "a=1;b=two+words;c%5B%5D=%C3%BC;");
    gives("Application/X-WWW-Form-URLencoded; charset=utf-8", "a=1", "a=1;");
    gives(PAIRS, "a&=b&&a=&", "a=;=b;a=;");
    gives(PAIRS, "", "");
    gives(PAIRS, "&", "");
}

static void parts_are_places_with_what_they_say_of_themselves(void **state)
{
    (void)state;
    gives(PARTS, HEAD "a\r\n\r\n1\r\n" HEAD "\"b\\\"\"\r\n\r\n\r\n--X--", "a=1;b\\\"=;");
    gives(PARTS, HEAD "f; filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\n\r\n-\r\n\r\n--X--",
          "f@x.png(image/png)=\r\n-\r\n;");
    gives(PARTS, HEAD "f; filename=\"\"\r\n\r\n\r\n--X--", "f@()=;"); /* nobody chose a file */
    gives(PARTS, HEAD "f; filename=x\r\n\r\nyz\r\n--X--", "f@x()=yz;");
    gives(PARTS, "before\r\n" HEAD "a\r\n\r\n1\r\n--X--\r\nbehind", "a=1;");
    gives(PARTS, "--X--", "");
}

static void another_type_is_no_form(void **state)
{
    static const char *const types[] = {"",
                                        "text/plain",
                                        "application/json",
                                        PAIRS "2",
                                        "application/x-www-form",
                                        "multipart/mixed; boundary=X",
                                        "multipart/form-data2; boundary=X"};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        refuses(types[i], "a=1", NULL, TUSK_ENOENT);
    }
}

static void what_is_broken_or_over_a_limit_leaves_an_empty_form(void **state)
{
    const tusk_multipart_limits limits = {.parts_max = 2, .head_max = 120, .file_max = 3};
    (void)state;
    refuses(PAIRS, "a&b&c", &limits, TUSK_ELIMIT);
    refuses(PARTS, HEAD "a\r\n\r\n1\r\n" HEAD "a\r\n\r\n1\r\n" HEAD "a\r\n\r\n1\r\n--X--", &limits,
            TUSK_ELIMIT);
    refuses(PARTS, HEAD "a; filename=b\r\n\r\n1234\r\n--X--", &limits, TUSK_ETOOBIG);
    refuses(PARTS,
            HEAD
            "a\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            "aaaaaaaaaaa\r\n\r\n1\r\n--X--",
            &limits, TUSK_EHEADERS);
    refuses(PARTS, HEAD "a\r\nContent-Transfer-Encoding: base64\r\n\r\n1\r\n--X--", NULL,
            TUSK_ECODING);
    refuses(PARTS, HEAD "a\r\n\r\n1\r\n--X-?", NULL, TUSK_EPROTO);
    refuses(PARTS, HEAD "a\r\n\r\n1\r\n--X", NULL, TUSK_EPROTO); /* cut off */
    refuses(PARTS, HEAD "a\r\n\r\n1", NULL, TUSK_EPROTO);
    refuses("multipart/form-data", "--X--", NULL, TUSK_EPROTO);
}

/* Only its length is looked at before it is refused. */
static void places_are_of_32_bits_so_a_longer_body_is_refused(void **state)
{
    tusk_form form;
    (void)state;
    if (SIZE_MAX > UINT32_MAX) {
        tusk_bytes body = {(const uint8_t *)"a=1", (size_t)UINT32_MAX + (size_t)1};
        assert_err(tusk_form_read(&form, tusk_bytes_str(PAIRS), body, NULL, NULL), TUSK_ETOOBIG);
        assert_err(tusk_form_read(&form, tusk_bytes_str(PARTS), body, NULL, NULL), TUSK_ETOOBIG);
    }
}

static tusk_err read_with(const tusk_mem *mem, void *user)
{
    tusk_form form;
    tusk_err err = tusk_form_read(&form, tusk_bytes_str(PAIRS),
                                  tusk_bytes_str("a=1&b=2&c=3&d=4&e=5&f=6&g=7"), NULL, mem);
    if (err == TUSK_OK) {
        tusk_form taken = tusk_form_take(&form);
        tusk_form_fini(&form); /* nothing is left in it */
        assert_int_equal(tusk_form_count(&taken), 7);
        tusk_form_fini(&taken);
    }
    (void)user;
    return err;
}

static void without_memory_there_is_no_half_of_a_form(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(read_with, false, NULL) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_places_as_they_are_encoded),
        cmocka_unit_test(parts_are_places_with_what_they_say_of_themselves),
        cmocka_unit_test(another_type_is_no_form),
        cmocka_unit_test(what_is_broken_or_over_a_limit_leaves_an_empty_form),
        cmocka_unit_test(places_are_of_32_bits_so_a_longer_body_is_refused),
        cmocka_unit_test(without_memory_there_is_no_half_of_a_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
