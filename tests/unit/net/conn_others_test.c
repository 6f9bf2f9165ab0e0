/* SPDX-License-Identifier: MIT */
/* What is written to many leaves in shares: who asks for something meanwhile is answered between
 * two of them, and no answer stands behind a crowd. How much a share is depends on the clock, so
 * each test writes to the crowd until a turn has left some of it. */
#define _GNU_SOURCE
#include "crowd.h"

#include "loop/patient.h"

#define TRIES 1000

static struct {
    unsigned asked;
    bool lagged; /* when it was asked */
} guest;

static void answer(owner *self)
{
    guest.asked++;
    guest.lagged = tusk_net_lags(t.net);
    take(self);
    assert_err(tusk_conn_append(&self->conn, "answer", 6), TUSK_OK);
}

static void tell_others_and_answer(owner *self)
{
    say_all(1, CROWD_MAX);
    answer(self);
}

static void begin(unsigned which, void (*in_data)(owner *self))
{
    memset(&guest, 0, sizeof(guest));
    gather(CROWD_MAX);
    c.owner[which]->in_data = in_data;
}

static void ask(unsigned which)
{
    assert_int_equal(send(c.peer[which], "ask", 3, 0), 3);
}

static void all_leaves(void)
{
    TURN_UNTIL(!tusk_net_lags(t.net));
}

static void who_asks_between_two_shares_is_answered_there(void **state)
{
    (void)state;
    begin(0, answer);
    for (unsigned i = 0; i < TRIES && !guest.lagged; i++) {
        say_all(1, CROWD_MAX);
        turns(1);
        if (tusk_net_lags(t.net)) {
            ask(0);
            turns(1);
            assert_heard(0, "answer");
        }
        all_leaves();
        assert_all_heard(1, CROWD_MAX);
    }
    assert_true(guest.lagged);
}

static void an_answer_does_not_stand_behind_what_its_handler_told_others(void **state)
{
    (void)state;
    bool lagged = false;
    begin(0, tell_others_and_answer);
    for (unsigned i = 0; i < TRIES && !lagged; i++) {
        ask(0);
        turns(1);
        lagged = tusk_net_lags(t.net);
        assert_heard(0, "answer");
        all_leaves();
        assert_all_heard(1, CROWD_MAX);
    }
    assert_true(lagged);
}

/* When the answers have left, and before the turn goes on with the line. */
static uint64_t sends_between;

static void look_between(tusk_task *task)
{
    (void)task;
    sends_between = tusk_net_count(t.net)->send_calls;
}

/* What the line took before the answers were counted would be time that others were served, and
 * have a second part of the turn as long. */
static void a_turn_goes_on_with_the_line_once_behind_the_answers(void **state)
{
    tusk_task task = {.run = look_between};
    bool lagged = false;
    (void)state;
    begin(0, answer);
    for (unsigned i = 0; i < TRIES && !lagged; i++) {
        say_all(1, CROWD_MAX);
        turns(1);
        lagged = tusk_net_lags(t.net);
        if (lagged) {
            uint64_t before = tusk_net_count(t.net)->send_calls;
            ask(0);
            tusk__task_defer_behind(t.loop, &task);
            turns(1);
            assert_heard(0, "answer");
            assert_int_equal(sends_between - before, 1);
            assert_true(tusk_net_count(t.net)->send_calls > sends_between);
        }
        all_leaves();
        assert_all_heard(1, CROWD_MAX);
    }
    assert_true(lagged);
}

static void who_was_written_to_goes_ahead_when_it_asks(void **state)
{
    (void)state;
    bool lagged = false;
    begin(CROWD_MAX - 1, answer);
    for (unsigned i = 0; i < TRIES && !lagged; i++) {
        say_all(0, CROWD_MAX);
        ask(CROWD_MAX - 1);
        turns(1);
        lagged = tusk_net_lags(t.net);
        assert_heard(CROWD_MAX - 1, "for 299answer");
        all_leaves();
        assert_all_heard(0, CROWD_MAX - 1);
    }
    assert_true(lagged);
}

static void who_leaves_before_its_share_is_gone_alone(void **state)
{
    (void)state;
    bool lagged = false;
    begin(0, answer);
    for (unsigned i = 0; i < TRIES && !lagged; i++) {
        say_all(1, CROWD_MAX);
        turns(1);
        lagged = tusk_net_lags(t.net);
        if (lagged) {
            tusk_conn_abort(&c.owner[CROWD_MAX - 1]->conn, TUSK_OK);
        }
        all_leaves();
        assert_all_heard(1, CROWD_MAX - 1);
        if (!lagged) {
            assert_heard(CROWD_MAX - 1, "for 299");
        }
    }
    assert_true(lagged);
    turns(1);
    assert_int_equal(c.owner[CROWD_MAX - 1]->closes, 1);
}

/* As whoever needs the room in the queues asks it to. */
static void what_is_to_leave_now_leaves_for_all(void **state)
{
    (void)state;
    begin(0, answer);
    for (unsigned i = 0; i < 2; i++) {
        say_all(1, CROWD_MAX);
        tusk_net_flush(t.net, SIZE_MAX);
        assert_false(tusk_net_lags(t.net));
        assert_all_heard(1, CROWD_MAX);
    }
}

static void who_needs_room_has_no_more_leave_than_that(void **state)
{
    (void)state;
    unsigned heard = 0;
    begin(0, answer);
    say_all(1, CROWD_MAX);
    tusk_net_flush(t.net, tusk_net_room(t.net) + 1);
    for (unsigned i = 1; i < CROWD_MAX; i++) {
        heard += c.owner[i]->conn.send_head == NULL;
    }
    assert_int_equal(heard, NET_OTHERS_SHARE);
    TURN_UNTIL(c.owner[CROWD_MAX - 1]->conn.send_head == NULL);
    assert_all_heard(1, CROWD_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, crowd_set_up, crowd_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_asks_between_two_shares_is_answered_there),
        TEST(an_answer_does_not_stand_behind_what_its_handler_told_others),
        TEST(a_turn_goes_on_with_the_line_once_behind_the_answers),
        TEST(who_was_written_to_goes_ahead_when_it_asks),
        TEST(who_leaves_before_its_share_is_gone_alone),
        TEST(what_is_to_leave_now_leaves_for_all),
        TEST(who_needs_room_has_no_more_leave_than_that),
    };
    return CROWD_RUN_FOR_EACH_RING("net/conn_others", tests);
}
