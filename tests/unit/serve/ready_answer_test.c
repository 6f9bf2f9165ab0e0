/* SPDX-License-Identifier: MIT */
/* Answers made once for all who ask within a second: when, with what in them, and how many. */
#include "serve/http/ready_answer.h"

#include "net/blob_file.h"

#include "../test.h"

static test_mem mem;
static ready_answers all;
static ready_answer one;

static int set_up(void **state)
{
    (void)state;
    test_mem_init(&mem, 0);
    tusk__ready_answers_init(&all, &mem.mem);
    memset(&one, 0, sizeof(one));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk__ready_answer_drop(&all, &one);
    test_mem_assert_empty(&mem);
    return 0;
}

static tusk_blob *ask(ready_answer *answer, int64_t second, const char *head)
{
    return tusk__ready_answer_of(&all, answer, second, tusk_bytes_str(head),
                                 tusk_bytes_str("body"));
}

static tusk_blob *ask_until_made(ready_answer *answer, int64_t second, const char *head)
{
    for (int i = 1; i < READY_AFTER; i++) {
        assert_null(ask(answer, second, head));
    }
    return ask(answer, second, head);
}

static void assert_is(const tusk_blob *blob, const char *text)
{
    assert_non_null(blob);
    assert_int_equal(blob->len, strlen(text));
    assert_memory_equal(blob->ptr, text, blob->len);
    assert_int_equal(blob->file >= 0, tusk__blob_files);
}

static void what_is_asked_for_often_is_made_once(void **state)
{
    (void)state;
    const tusk_blob *blob = ask_until_made(&one, 5, "head ");
    assert_is(blob, "head body");
    assert_ptr_equal(ask(&one, 5, "head "), blob);
    assert_ptr_equal(ask(&one, 6, "head "), blob);
}

static void another_head_is_another_answer(void **state)
{
    (void)state;
    assert_is(ask_until_made(&one, 5, "head "), "head body");
    assert_null(ask(&one, 6, "Head "));
    assert_null(ask(&one, 6, "head"));
    assert_null(ask(&one, 6, "head  "));
    assert_is(ask(&one, 6, "head "), "head body");
}

static void the_next_second_s_is_made_anew_and_the_last_stays_as_it_was(void **state)
{
    (void)state;
    tusk_blob *blob = ask_until_made(&one, 5, "at 5 ");
    assert_non_null(blob);
    (void)tusk_blob_ref(blob);
    assert_is(ask_until_made(&one, 6, "at 6 "), "at 6 body");
    assert_memory_equal(blob->ptr, "at 5 body", 9);
    assert_int_equal(blob->file, -1);
    tusk_blob_unref(blob);
}

static void who_is_asked_seldom_is_never_made(void **state)
{
    (void)state;
    for (int second = 1; second < 10; second++) {
        for (int i = 1; i < READY_AFTER; i++) {
            assert_null(ask(&one, second, "head "));
        }
    }
}

static void so_many_there_are_and_no_more(void **state)
{
    (void)state;
    static ready_answer many[READY_MAX + 3];
    memset(many, 0, sizeof(many));
    for (size_t i = 0; i < READY_MAX + 3; i++) {
        assert_is(ask_until_made(&many[i], 1, "x "), "x body");
    }
    for (size_t i = 0; i < READY_MAX + 3; i++) {
        assert_int_equal(many[i].blob != NULL, i >= 3);
    }
    tusk__ready_answer_drop(&all, &many[10]);
    assert_is(ask_until_made(&many[10], 1, "x "), "x body");
    assert_null(many[3].blob);
    for (size_t i = 0; i < READY_MAX + 3; i++) {
        tusk__ready_answer_drop(&all, &many[i]);
    }
}

static void without_memory_it_is_put_together_as_before(void **state)
{
    (void)state;
    test_mem_init(&mem, 1);
    assert_null(ask_until_made(&one, 5, "head "));
    assert_is(ask_until_made(&one, 5, "head "), "head body");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_asked_for_often_is_made_once),
        TEST(another_head_is_another_answer),
        TEST(the_next_second_s_is_made_anew_and_the_last_stays_as_it_was),
        TEST(who_is_asked_seldom_is_never_made),
        TEST(so_many_there_are_and_no_more),
        TEST(without_memory_it_is_put_together_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
