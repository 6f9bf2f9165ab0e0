/* SPDX-License-Identifier: MIT */
/* Who sends next to nothing where others wait for memory: when it goes, and when it does not. Its
 * times are set, so that each is tested by itself. */
#define _GNU_SOURCE
#include "holders.h"

enum { LIMIT = 8 * MIB, SLACK = LIMIT / 4, NEVER = 0, LATELY = 100, LITTLE = 512, LONG = 100000 };

/* Of a message of `len` bytes all but `left` have been read, `unread` more are in its socket. */
typedef struct drip {
    uint32_t silent_ms;
    uint32_t began_ms;
    uint32_t wasted_ms; /* since a turn was in vain */
    size_t others;      /* hold so much, and it among them */
    size_t len;
    size_t left;
    size_t unread;
    bool unfinal; /* frames follow it */
} drip;

/* Looks at a server with such a one, and another that just sent. */
static bool stays(const drip *self)
{
    static const uint8_t key[4] = {0, 0, 0, 0};
    uint8_t head[TUSK_WS_HEAD_MAX];
    rig r;
    begin(&r);
    r.server->limits.unfinished_bytes = LIMIT;
    int fds[] = {rig_websocket(&r), rig_websocket(&r)};
    rig_write(fds[0], head,
              tusk_ws_head_encode(head, self->unfinal ? 0 : 0x80, TUSK_WS_BINARY, self->len, key));
    rig_write(fds[0], zeros, self->len - self->left);
    rig_turn(&r, 4);
    tusk_conn_pause(&rig_session(&r, 0)->conn);
    rig_write(fds[0], zeros, self->unread);
    rig_turn(&r, 2);
    uint32_t now = (uint32_t)tusk_loop_now_ms(r.loop);
    size_t held = rig_session(&r, 0)->unfinished;
    assert_in_range(held, 1, self->others);
    tusk__session_count_unfinished(rig_session(&r, 1), self->others - held);
    rig_session(&r, 1)->last_in_ms = now;
    rig_session(&r, 0)->last_in_ms = now - self->silent_ms;
    r.server->slots[0].began_ms = now - self->began_ms;
    r.server->wasted_ms = self->wasted_ms == NEVER ? 0 : (now - self->wasted_ms) | 1;
    (void)tusk__silence_makes_room(r.server);
    uint64_t closed = rig_stat(&r, "unfinished_closed");
    assert_in_range(closed, 0, 1); /* never the other one */
    tusk__session_count_unfinished(rig_session(&r, 1), 0);
    close_all(fds, 2);
    end(&r);
    return closed == 0;
}

/* Nothing that has come is looked at: it waits, and others with it. */
static const drip little = {.silent_ms = 2 * SILENT_MS,
                            .began_ms = 3 * SILENT_MS,
                            .wasted_ms = LATELY,
                            .others = LIMIT - SLACK + 1,
                            .len = LONG,
                            .left = LONG - 1000,
                            .unread = LITTLE - 1};

static void who_sent_next_to_nothing_goes_where_turns_are_in_vain(void **state)
{
    (void)state;
    assert_false(stays(&little));
    drip other = little;
    other.wasted_ms = 2 * TURN_MS - 2;
    assert_false(stays(&other));
    other.wasted_ms = 2 * TURN_MS + 1; /* nobody has had one in vain for two turns */
    assert_true(stays(&other));
    other.wasted_ms = NEVER;
    assert_true(stays(&other));
}

static void who_sent_more_or_not_long_ago_stays(void **state)
{
    (void)state;
    drip other = little;
    other.unread = LITTLE;
    assert_true(stays(&other));
    other = little;
    other.silent_ms--;
    assert_true(stays(&other));
}

/* A quarter of the limit is free: there is room for who comes. */
static void who_sent_next_to_nothing_stays_where_there_is_room(void **state)
{
    (void)state;
    drip other = little;
    other.others--;
    assert_true(stays(&other));
}

static void who_sent_the_end_of_its_message_stays(void **state)
{
    (void)state;
    drip other = little;
    other.len = 1000;
    other.left = other.unread = 300;
    assert_true(stays(&other));
    other.left++; /* a byte is still to come */
    assert_false(stays(&other));
    other.left--;
    other.unfinal = true; /* of the frame, but not of the message */
    assert_false(stays(&other));
}

/* Who waits with more than that goes only where even the slack is taken, and when it has had as
 * long as a turn. */
static void who_waits_with_more_goes_past_the_slack_alone(void **state)
{
    static const drip much = {.silent_ms = SILENT_MS,
                              .began_ms = TURN_MS,
                              .wasted_ms = LATELY,
                              .others = LIMIT + SLACK + 1,
                              .len = LONG,
                              .left = LONG - 1000,
                              .unread = 4 * LITTLE};
    (void)state;
    assert_false(stays(&much));
    drip other = much;
    other.others--;
    assert_true(stays(&other));
    other = much;
    other.began_ms--;
    assert_true(stays(&other));
    other = much;
    other.wasted_ms = NEVER;
    assert_true(stays(&other));
    other = much;
    other.silent_ms--;
    assert_true(stays(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sent_next_to_nothing_goes_where_turns_are_in_vain),
        cmocka_unit_test(who_sent_more_or_not_long_ago_stays),
        cmocka_unit_test(who_sent_next_to_nothing_stays_where_there_is_room),
        cmocka_unit_test(who_sent_the_end_of_its_message_stays),
        cmocka_unit_test(who_waits_with_more_goes_past_the_slack_alone),
    };
    return cmocka_run_group_tests_name("serve/drip", tests, NULL, NULL);
}
