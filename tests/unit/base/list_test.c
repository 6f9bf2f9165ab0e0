/* SPDX-License-Identifier: MIT */
/* The embedded list: order, and links that may be removed at any time. */
#include "test.h"

#include "base/list.h"

typedef struct item {
    int number;
    tusk_link link;
} item;

static void holds(tusk_link *head, const char *numbers)
{
    char text[32] = "";
    size_t n = 0;
    for (tusk_link *l = head->next; l != head; l = l->next) {
        assert_ptr_equal(l->next->prev, l);
        text[n++] = (char)('0' + TUSK_OWNER(l, item, link)->number);
    }
    assert_string_equal(text, numbers);
    assert_int_equal(tusk__list_empty(head), n == 0);
}

static void push_and_pop_keep_the_order(void **state)
{
    tusk_link head;
    item items[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    tusk__list_init(&head);
    holds(&head, "");
    assert_null(tusk__list_pop(&head));
    tusk__list_push(&head, &items[0].link);
    tusk__list_push(&head, &items[1].link);
    tusk__list_push(&head, &items[2].link);
    tusk__list_push(&head, &items[3].link);
    holds(&head, "0123");
    assert_ptr_equal(tusk__list_pop(&head), &items[0].link);
    holds(&head, "123");
}

static void unlinking_twice_is_harmless(void **state)
{
    tusk_link head;
    item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
    tusk__list_init(&head);
    tusk__link_remove(&items[0].link); /* never linked */
    assert_false(tusk__link_linked(&items[0].link));
    for (size_t i = 0; i < 3; i++) {
        tusk__list_push(&head, &items[i].link);
    }
    assert_true(tusk__link_linked(&items[1].link));
    tusk__link_remove(&items[1].link);
    tusk__link_remove(&items[1].link);
    assert_false(tusk__link_linked(&items[1].link));
    holds(&head, "02");
}

static void splice_moves_everything_to_the_end(void **state)
{
    tusk_link to, from;
    item items[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    tusk__list_init(&to);
    tusk__list_init(&from);
    tusk__list_splice(&to, &from);
    holds(&to, "");
    tusk__list_push(&from, &items[2].link);
    tusk__list_push(&from, &items[3].link);
    tusk__list_splice(&to, &from);
    holds(&to, "23");
    holds(&from, "");
    tusk__list_push(&from, &items[0].link);
    tusk__list_splice(&to, &from);
    holds(&to, "230");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(push_and_pop_keep_the_order),
        cmocka_unit_test(unlinking_twice_is_harmless),
        cmocka_unit_test(splice_moves_everything_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
