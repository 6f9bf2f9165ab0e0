/* SPDX-License-Identifier: MIT */
/* What one call has received for many connections is told as if each had been read alone, whatever
 * an earlier one of them does to the others meanwhile. */
#define _GNU_SOURCE
#include "crowd.h"

/* ---- peers speak ---- */
static void tell_them(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        char text[16];
        int len = snprintf(text, sizeof(text), "from %u", i);
        assert_int_equal(send(c.peer[i], text, (size_t)len, MSG_NOSIGNAL), len);
    }
}

static void assert_got(unsigned i, const char *expected)
{
    assert_int_equal(c.owner[i]->got_len, strlen(expected));
    assert_memory_equal(c.owner[i]->got, expected, strlen(expected));
}

static void assert_all_got(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "from %u", i);
        assert_got(i, text);
        assert_int_equal(c.owner[i]->datas, 1);
    }
}

static void tell_much(unsigned i, size_t from, size_t len)
{
    static uint8_t bytes[100000];
    assert_in_range(len, 1, sizeof(bytes));
    pattern(bytes, from, len);
    assert_int_equal(send(c.peer[i], bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static tusk_conn *conn_of(unsigned i)
{
    return &c.owner[i]->conn;
}

static void a_turn_of_many_is_received_in_one_call(void **state)
{
    (void)state;
    gather(10);
    tell_them(0, 10);
    turns(1);
    assert_all_got(0, 10);
    assert_int_equal(tusk_net_count(t.net)->recv_calls, 10);
    assert_int_equal(tusk_net_count(t.net)->bytes_in, 60);
    assert_batches(1, 10);
}

static void more_than_a_batch_are_several(void **state)
{
    (void)state;
    unsigned count = 3 * NET_EARLY_MAX + 2;
    gather(count);
    tell_them(0, count);
    turns(1);
    assert_all_got(0, count);
    assert_int_equal(tusk_net_count(t.net)->recv_calls, count);
    assert_batches(3, count - 2);
}

static void few_are_received_one_by_one_and_need_no_ring(void **state)
{
    (void)state;
    gather(3);
    tell_them(0, 3);
    turns(1);
    assert_all_got(0, 3);
    assert_int_equal(tusk_net_count(t.net)->batches, 0);
    assert_null(t.net->batch.ring);
    assert_null(t.net->early);
}

static void without_memory_for_it_all_are_received_alone(void **state)
{
    (void)state;
    gather(6);
    say_all(0, 6); /* makes the ring */
    turns(1);
    uint64_t batches = tusk_net_count(t.net)->batches;
    t.mem.fail_at = t.mem.requests + 1;
    tell_them(0, 6);
    turns(1);
    assert_all_got(0, 6);
    assert_int_equal(tusk_net_count(t.net)->batches, batches);
    assert_null(t.net->early);
}

/* ---- what an earlier one does to the others ---- */
/* Pollers tell in orders of their own: whoever is told first does it. */
static void (*deed)(tusk_conn *own, tusk_conn *fourth);

static void do_it_once(owner *self)
{
    void (*now)(tusk_conn *, tusk_conn *) = deed;
    take(self);
    deed = NULL;
    if (now != NULL) {
        now(&self->conn, conn_of(4));
    }
}

static void gather_for(void (*it)(tusk_conn *own, tusk_conn *fourth))
{
    gather(8);
    deed = it;
    for (unsigned i = 0; i < 8; i++) {
        c.owner[i]->in_data = i == 4 ? NULL : do_it_once;
    }
    tell_them(0, 8);
}

static void one_does(void (*it)(tusk_conn *own, tusk_conn *fourth))
{
    gather_for(it);
    turns(1);
    assert_all_got(0, 4);
    assert_all_got(5, 8);
}

static void pause_it(tusk_conn *own, tusk_conn *fourth)
{
    (void)own;
    tusk_conn_pause(fourth);
}

static void who_is_paused_by_another_gets_it_when_it_reads_on(void **state)
{
    (void)state;
    one_does(pause_it);
    assert_got(4, "");
    for (int i = 0; i < 3; i++) { /* batches for others meanwhile */
        for (unsigned k = 0; k < 4; k++) {
            c.owner[k]->got_len = 0;
            c.owner[k]->datas = 0;
        }
        tell_them(0, 4);
        turns(1);
        assert_all_got(0, 4);
    }
    assert_int_equal(send(c.peer[4], ", and more", 10, 0), 10);
    turns(1);
    assert_int_equal(c.owner[4]->datas, 0);
    tusk_conn_resume(conn_of(4));
    turns(2);
    assert_got(4, "from 4, and more");
}

static void pause_and_resume(tusk_conn *own, tusk_conn *fourth)
{
    (void)own;
    tusk_conn_pause(fourth);
    tusk_conn_resume(fourth);
}

static void who_is_paused_and_resumed_by_another_gets_it_once(void **state)
{
    (void)state;
    one_does(pause_and_resume);
    assert_all_got(4, 5);
    turns(2);
    assert_all_got(4, 5);
}

static void park_it(tusk_conn *own, tusk_conn *fourth)
{
    (void)own;
    tusk_conn_park(fourth);
}

static void who_is_parked_by_another_gets_it_after_the_unpark(void **state)
{
    (void)state;
    one_does(park_it);
    assert_got(4, "");
    for (unsigned i = 0; i < 4; i++) { /* a batch for others meanwhile */
        tell_much(i, 0, 10);
    }
    turns(1);
    tusk_conn_unpark(conn_of(4));
    turns(1);
    assert_all_got(4, 5);
}

static void abort_it(tusk_conn *own, tusk_conn *fourth)
{
    (void)own;
    tusk_conn_abort(fourth, TUSK_EPOLICY);
}

static void who_is_closed_by_another_hears_of_that_alone(void **state)
{
    (void)state;
    one_does(abort_it);
    assert_got(4, "");
    assert_int_equal(c.owner[4]->datas, 0);
    assert_int_equal(c.owner[4]->eofs, 0);
    assert_int_equal(c.owner[4]->closes, 1);
    assert_int_equal(c.owner[4]->releases, 1);
    assert_err(c.owner[4]->why, TUSK_EPOLICY);
    memset(conn_of(4), 0xee, sizeof(tusk_conn)); /* its owner's memory again */
    tell_them(0, 4);
    turns(2);
    memset(conn_of(4), 0, sizeof(tusk_conn));
    c.owner[4]->adopted = false;
}

static void finish_it(tusk_conn *own, tusk_conn *fourth)
{
    (void)own;
    tusk_conn_finish(fourth);
}

static void who_is_finished_by_another_is_told_no_more(void **state)
{
    (void)state;
    one_does(finish_it);
    assert_int_equal(c.owner[4]->datas, 0);
    assert_heard(4, "");
    tell_them(0, 4);
    turns(1);
    (void)close(c.peer[4]);
    c.peer[4] = -1;
    TURN_UNTIL(c.owner[4]->closes == 1);
    assert_int_equal(c.owner[4]->datas, 0);
    assert_err(c.owner[4]->why, TUSK_OK);
}

static tusk_conn_taken taken;

static void take_it(tusk_conn *own, tusk_conn *fourth)
{
    (void)own;
    assert_err(tusk_conn_take(fourth, &taken), TUSK_OK);
}

static void who_is_taken_by_another_takes_it_along(void **state)
{
    (void)state;
    one_does(take_it);
    assert_int_equal(c.owner[4]->datas, 0);
    tusk_bytes unread = tusk_buf_view(&taken.unread);
    char all[16];
    memcpy(all, unread.len > 0 ? unread.ptr : (const uint8_t *)"", unread.len);
    ssize_t len = recv(taken.fd, all + unread.len, sizeof(all) - unread.len, MSG_DONTWAIT);
    len = len < 0 ? 0 : len; /* without a ring it is still in the socket */
    assert_int_equal(unread.len + (size_t)len, 6);
    assert_memory_equal(all, "from 4", 6);
    tusk_conn_taken_fini(&taken);
    (void)close(taken.fd);
}

static bool came_early;

static void secure_it(tusk_conn *own, tusk_conn *fourth)
{
    (void)own;
    came_early = fourth->in_len > 0; /* without a ring it is still in the socket */
    if (came_early) {
        assert_err(tusk_conn_secure(fourth, NULL), TUSK_ESTATE);
    }
}

static void what_came_in_the_clear_is_not_taken_for_tls(void **state)
{
    (void)state;
    one_does(secure_it);
    assert_true(came_early || !has_ring());
    assert_all_got(4, 5);
}

static void run_on(tusk_conn *own, tusk_conn *fourth)
{
    (void)fourth;
    tusk_conn_park(own);
    turns(1); /* as another stack would: the rest of this turn */
    assert_all_got(0, 8);
    tusk_conn_unpark(own);
}

static void while_one_waits_the_others_are_told(void **state)
{
    (void)state;
    gather_for(run_on);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_ESTATE); /* superseded */
    turns(2);
    assert_all_got(0, 8);
}

/* ---- ends ---- */
static void a_reset_is_told_once(void **state)
{
    (void)state;
    gather(8);
    say_all(0, 8);
    turns(1);
    tell_them(0, 4);
    (void)close(c.peer[4]); /* with something unread */
    c.peer[4] = -1;
    tell_them(5, 8);
    turns(3);
    assert_all_got(0, 4);
    assert_all_got(5, 8);
    assert_int_equal(c.owner[4]->datas, 0);
    assert_int_equal(c.owner[4]->eofs, 0);
    assert_int_equal(c.owner[4]->closes, 1);
    assert_err(c.owner[4]->why, TUSK_ERESET);
}

static void an_end_follows_what_was_said(void **state)
{
    (void)state;
    gather(8);
    tell_them(0, 7);
    assert_int_equal(shutdown(c.peer[3], SHUT_WR), 0);
    assert_int_equal(shutdown(c.peer[7], SHUT_WR), 0);
    turns(3);
    assert_all_got(0, 7);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(c.owner[i]->eofs, i == 3 || i == 7);
        assert_int_equal(c.owner[i]->closes, 0);
    }
    say_all(3, 4); /* the other direction goes on */
    turns(1);
    assert_all_heard(3, 4);
}

static void half_of_them_end_in_one_turn(void **state)
{
    (void)state;
    gather(40);
    for (unsigned i = 0; i < 40; i += 2) {
        assert_int_equal(shutdown(c.peer[i], SHUT_WR), 0);
    }
    turns(2);
    for (unsigned i = 0; i < 40; i++) {
        assert_int_equal(c.owner[i]->eofs, i % 2 == 0);
        assert_int_equal(c.owner[i]->datas, 0);
    }
}

/* ---- much at once ---- */
static void what_fills_its_place_comes_with_what_is_behind_it(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        1, NET_EARLY_BYTES - 1, NET_EARLY_BYTES, NET_EARLY_BYTES + 1, 5000, 60000};
    gather(6);
    for (unsigned i = 0; i < 6; i++) {
        tell_much(i, 0, sizes[i]);
    }
    turns(1);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(c.owner[i]->got_len, sizes[i]);
        assert_pattern(c.owner[i]->got, 0, sizes[i]);
        assert_int_equal(c.owner[i]->datas, 1);
    }
    assert_batches(1, 6);
}

static void no_more_than_the_landing_buffer_comes_in_a_turn(void **state)
{
    (void)state;
    size_t cap;
    (void)tusk_loop_landing(t.loop, &cap);
    gather(4);
    for (unsigned i = 0; i < 4; i++) {
        tell_much(i, 0, cap + 10000);
    }
    turns(1);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(c.owner[i]->got_len, cap);
    }
    turns(4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(c.owner[i]->got_len, cap + 10000);
        assert_pattern(c.owner[i]->got, 0, cap + 10000);
    }
}

static void a_full_place_and_then_the_end(void **state)
{
    (void)state;
    gather(6);
    for (unsigned i = 0; i < 6; i++) {
        tell_much(i, 0, NET_EARLY_BYTES);
        if (i == 2) {
            assert_int_equal(shutdown(c.peer[i], SHUT_WR), 0);
        }
    }
    turns(3);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(c.owner[i]->got_len, NET_EARLY_BYTES);
        assert_pattern(c.owner[i]->got, 0, NET_EARLY_BYTES);
        assert_int_equal(c.owner[i]->eofs, i == 2);
    }
}

static void a_full_place_and_then_a_reset(void **state)
{
    (void)state;
    gather(6);
    say_all(2, 3);
    turns(1);
    for (unsigned i = 0; i < 6; i++) {
        tell_much(i, 0, NET_EARLY_BYTES);
    }
    (void)close(c.peer[2]); /* with something unread */
    c.peer[2] = -1;
    turns(3);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(c.owner[i]->got_len, NET_EARLY_BYTES);
        assert_pattern(c.owner[i]->got, 0, NET_EARLY_BYTES);
        assert_int_equal(c.owner[i]->eofs, 0);
        assert_int_equal(c.owner[i]->closes, i == 2);
    }
    assert_err(c.owner[2]->why, TUSK_ERESET);
}

static void a_payload_goes_straight_into_its_place(void **state)
{
    (void)state;
    static uint8_t place[3000];
    gather(6);
    c.owner[2]->place = place;
    c.owner[2]->place_cap = sizeof(place);
    for (unsigned i = 0; i < 6; i++) {
        tell_much(i, 0, 1000);
    }
    turns(1);
    assert_int_equal(c.owner[2]->landed, 1000);
    assert_pattern(place, 0, 1000);
    assert_int_equal(c.owner[2]->datas, 0);
    assert_batches(1, 5);
}

static void take_lines_of_seven(owner *self)
{
    self->take_max = tusk_conn_in(&self->conn).len / 7 * 7;
    if (self->take_max > 0) {
        take(self);
    }
}

static void a_rest_stays_in_front_of_what_follows(void **state)
{
    (void)state;
    size_t told = 0;
    gather(8);
    for (unsigned i = 0; i < 8; i++) {
        c.owner[i]->in_data = take_lines_of_seven;
    }
    for (size_t len = 1; len < 60; len++) {
        for (unsigned i = 0; i < 8; i++) {
            tell_much(i, told, len);
        }
        told += len;
        turns(1);
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(c.owner[i]->got_len, told / 7 * 7);
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        assert_pattern(c.owner[i]->got, 0, told / 7 * 7);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, crowd_set_up, crowd_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_turn_of_many_is_received_in_one_call),
        TEST(more_than_a_batch_are_several),
        TEST(few_are_received_one_by_one_and_need_no_ring),
        TEST(without_memory_for_it_all_are_received_alone),
        TEST(who_is_paused_by_another_gets_it_when_it_reads_on),
        TEST(who_is_paused_and_resumed_by_another_gets_it_once),
        TEST(who_is_parked_by_another_gets_it_after_the_unpark),
        TEST(who_is_closed_by_another_hears_of_that_alone),
        TEST(who_is_finished_by_another_is_told_no_more),
        TEST(who_is_taken_by_another_takes_it_along),
        TEST(what_came_in_the_clear_is_not_taken_for_tls),
        TEST(while_one_waits_the_others_are_told),
        TEST(a_reset_is_told_once),
        TEST(an_end_follows_what_was_said),
        TEST(half_of_them_end_in_one_turn),
        TEST(what_fills_its_place_comes_with_what_is_behind_it),
        TEST(no_more_than_the_landing_buffer_comes_in_a_turn),
        TEST(a_full_place_and_then_the_end),
        TEST(a_full_place_and_then_a_reset),
        TEST(a_payload_goes_straight_into_its_place),
        TEST(a_rest_stays_in_front_of_what_follows),
    };
    return CROWD_RUN_FOR_EACH_RING("net/conn_early", tests) +
           TEST_RUN_FOR_EACH_POLLER("net/conn_early", tests);
}
