/* SPDX-License-Identifier: MIT */
/* The pong that waits behind a long queue. */
#include "proto/ws_pong.h"

#include "../test.h"

static tusk_bytes of(const char *text)
{
    return tusk_bytes_of(text, strlen(text));
}

static void assert_settles(ws_pong *pong, const char *payload)
{
    tusk_bytes owed;
    assert_true(ws_pong_settle(pong, &owed));
    assert_int_equal(owed.len, strlen(payload));
    assert_memory_equal(owed.ptr, payload, owed.len);
    assert_false(ws_pong_settle(pong, &owed));
}

static void the_last_ping_is_answered_once(void **state)
{
    (void)state;
    ws_pong pong = {.owed = 0};
    tusk_bytes owed;
    assert_false(ws_pong_settle(&pong, &owed));
    assert_false(ws_pong_owe(&pong, of("first")));
    assert_settles(&pong, "first");
    assert_false(ws_pong_owe(&pong, of("second")));
    assert_true(ws_pong_owe(&pong, of("third")));
    assert_settles(&pong, "third");
}

static void an_empty_ping_and_the_longest_are_answered_too(void **state)
{
    (void)state;
    ws_pong pong = {.owed = 0};
    char longest[TUSK_WS_CONTROL_MAX + 1];
    memset(longest, 'p', TUSK_WS_CONTROL_MAX);
    longest[TUSK_WS_CONTROL_MAX] = '\0';
    assert_false(ws_pong_owe(&pong, of("")));
    assert_settles(&pong, "");
    assert_false(ws_pong_owe(&pong, of(longest)));
    assert_settles(&pong, longest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_ping_is_answered_once),
        cmocka_unit_test(an_empty_ping_and_the_longest_are_answered_too),
    };
    return cmocka_run_group_tests_name("proto/ws_pong", tests, NULL, NULL);
}
