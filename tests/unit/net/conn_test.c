/* SPDX-License-Identifier: MIT */
/* Connections: reading, rests, pausing, parking, and being told things in order. */
#define _GNU_SOURCE
#include "net/inner.h"

#include <sys/mman.h>
#include <ucontext.h>

#include "owner.h"

/* ---- reading ---- */
static void bytes_arrive_and_an_answer_leaves_at_the_end_of_the_turn(void **state)
{
    (void)state;
    char byte;
    say("hello");
    turns(1);
    owner_has(t.owner, "hello");
    assert_err(tusk_conn_append(&t.owner->conn, "wor", 3), TUSK_OK);
    assert_err(tusk_conn_append(&t.owner->conn, "ld", 2), TUSK_OK);
    assert_int_equal(read(t.peer, &byte, 1), -1);
    turns(1);
    hear("world");
    assert_int_equal(tusk_net_count(t.net)->send_calls, 1);
    assert_int_equal(tusk_net_count(t.net)->recv_calls, 1);
}

static void echo(owner *self)
{
    tusk_bytes in = tusk_conn_in(&self->conn);
    for (size_t i = 0; i < in.len; i++) {
        uint8_t *place = tusk_conn_reserve(&self->conn, 4);
        assert_non_null(place);
        memset(place, in.ptr[i], 4);
        tusk_conn_commit(&self->conn, 4);
    }
    tusk_conn_consume(&self->conn, in.len);
}

static void a_warm_echo_costs_one_call_each_way_and_no_memory(void **state)
{
    (void)state;
    char back[1024];
    t.owner->in_data = echo;
    say("warm");
    turns(1);
    assert_int_equal(read(t.peer, back, sizeof(back)), 16);
    size_t requests = t.mem.requests;
    tusk_net_counters before = *tusk_net_count(t.net);
    for (int i = 0; i < 10; i++) {
        say("0123456789");
        turns(1);
        assert_int_equal(read(t.peer, back, sizeof(back)), 40);
    }
    assert_int_equal(t.mem.requests, requests);
    assert_int_equal(tusk_net_count(t.net)->recv_calls - before.recv_calls, 10);
    assert_int_equal(tusk_net_count(t.net)->send_calls - before.send_calls, 10);
    assert_null(t.owner->conn.rest);
    assert_null(t.owner->conn.send_head);
}

static void take_lines_of_five(owner *self)
{
    self->take_max = tusk_conn_in(&self->conn).len / 5 * 5;
    if (self->take_max > 0) {
        take(self);
    }
}

static void bytes_arriving_one_by_one_come_together(void **state)
{
    (void)state;
    const char *text = "abcdefghijklmnopqrstuvwxyz0123";
    t.owner->in_data = take_lines_of_five;
    for (size_t i = 0; i < strlen(text); i++) {
        assert_int_equal(write(t.peer, text + i, 1), 1);
        turns(1);
        assert_int_equal(t.owner->got_len, (i + 1) / 5 * 5);
        assert_true((t.owner->conn.rest != NULL) ==
                    ((i + 1) % 5 != 0)); /* given back when it empties */
    }
    assert_memory_equal(t.owner->got, text, strlen(text));
}

static void wait_for_it_all(owner *self)
{
    if (tusk_conn_in(&self->conn).len == 300000) {
        take(self);
    }
}

static void a_rest_longer_than_the_landing_buffer_grows_in_its_own(void **state)
{
    (void)state;
    uint8_t part[1000];
    t.owner->in_data = wait_for_it_all;
    for (size_t at = 0; at < 300000; at += sizeof(part)) {
        pattern(part, at, sizeof(part));
        assert_int_equal(write(t.peer, part, sizeof(part)), sizeof(part));
        turns(1);
    }
    assert_int_equal(t.owner->got_len, 300000);
    assert_pattern(t.owner->got, 0, 300000);
    assert_null(t.owner->conn.rest);
    assert_int_equal(tusk_net_count(t.net)->recv_calls, 300);
}

static void any_cut_and_any_appetite_give_the_same_bytes(void **state)
{
    (void)state;
    uint64_t seed = 42;
    size_t sent = 0;
    uint8_t part[20000];
    while (sent < 1000000) {
        size_t len = test_random(&seed) % (test_random(&seed) % 8 == 0 ? sizeof(part) : 50) + 1;
        pattern(part, sent, len);
        ssize_t done = write(t.peer, part, len);
        sent += done > 0 ? (size_t)done : 0;
        t.owner->take_max = test_random(&seed) % 9000;
        turns(1);
    }
    t.owner->take_max = 0;
    assert_int_equal(write(t.peer, "", 1), 1);
    sent++;
    TURN_UNTIL(t.owner->got_len == sent);
    assert_pattern(t.owner->got, 0, sent - 1);
}

static void a_large_payload_lands_in_its_own_place(void **state)
{
    (void)state;
    uint8_t *payload = malloc(200000);
    uint8_t *all = malloc(200010);
    t.owner->place = payload;
    t.owner->place_cap = 200000;
    pattern(all, 0, 200000);
    memcpy(all + 200000, "0123456789", 10);
    for (size_t at = 0; at < 200010;) {
        ssize_t done = write(t.peer, all + at, 200010 - at);
        at += done > 0 ? (size_t)done : 0;
        turns(1);
    }
    TURN_UNTIL(t.owner->got_len == 10);
    assert_int_equal(t.owner->landed, 200000);
    assert_pattern(payload, 0, 200000);
    owner_has(t.owner, "0123456789");
    free(payload);
    free(all);
}

static void again_offers_the_rest_before_more_is_read_and_before_the_end(void **state)
{
    (void)state;
    t.owner->in_data = take_one_and_ask_again;
    say("abcdefghijklmnopqrstuvwxyz");
    turns(1);
    assert_in_range(t.owner->got_len, 2, 25); /* others have their turn in between */
    hang_up();
    TURN_UNTIL(t.owner->eofs == 1);
    owner_has(t.owner, "abcdefghijklmnopqrstuvwxyz");
}

static void ask_again_with_nothing(owner *self)
{
    if (self->datas == 1) {
        take(self);
        tusk_conn_again(&self->conn);
    }
}

static void again_comes_though_nothing_is_unread(void **state)
{
    (void)state;
    t.owner->in_data = ask_again_with_nothing;
    say("x");
    turns(2);
    assert_int_equal(t.owner->datas, 2);
}

static void the_end_comes_once_and_writing_still_works(void **state)
{
    (void)state;
    say("last");
    assert_int_equal(shutdown(t.peer, SHUT_WR), 0);
    turns(4);
    assert_int_equal(t.owner->eofs, 1);
    assert_int_equal(t.owner->closes, 0);
    assert_err(tusk_conn_append(&t.owner->conn, "answer", 6), TUSK_OK);
    tusk_conn_finish(&t.owner->conn);
    turns(1);
    hear("answer");
    turns(1);
    assert_int_equal(t.owner->closes, 1); /* nothing to linger for */
    assert_err(t.owner->why, TUSK_OK);
}

/* ---- pausing ---- */
static void pause_it(owner *self)
{
    tusk_conn_pause(&self->conn);
}

static void pausing_stops_the_sender_and_keeps_what_was_read(void **state)
{
    (void)state;
    uint8_t part[8192];
    size_t sent = 0;
    t.owner->in_data = pause_it;
    for (;;) {
        pattern(part, sent, sizeof(part));
        ssize_t done = write(t.peer, part, sizeof(part));
        if (done < 0) {
            break;
        }
        sent += (size_t)done;
        turns(1);
    }
    assert_int_equal(t.owner->datas, 1);
    assert_in_range(t.owner->conn.in_len, 1, 65536);
    /* a batch takes the beginning, and what is behind it is read by itself */
    assert_int_equal(tusk_net_count(t.net)->recv_calls, t.net->early == NULL ? 1 : 2);
    t.owner->in_data = NULL;
    tusk_conn_resume(&t.owner->conn);
    assert_int_equal(t.owner->datas, 1); /* deferred, not from inside resume */
    TURN_UNTIL(t.owner->got_len == sent);
    assert_pattern(t.owner->got, 0, sent);
}

static void pausing_and_resuming_in_one_turn_changes_nothing(void **state)
{
    (void)state;
    say("a");
    turns(1);
    tusk_conn_pause(&t.owner->conn);
    tusk_conn_resume(&t.owner->conn);
    say("b");
    turns(1);
    assert_int_equal(t.owner->got_len, 2);
    assert_int_equal(t.owner->datas, 2);
}

static void a_peer_that_leaves_while_we_pause_is_read_later_and_costs_no_turns(void **state)
{
    (void)state;
    tusk_conn_pause(&t.owner->conn);
    say("testament");
    hang_up();
    turns(3);
    tusk_loop_counters before;
    tusk_loop_counters after;
    tusk_loop_count(t.loop, &before);
    turns(3);
    tusk_loop_count(t.loop, &after);
    assert_int_equal(before.events, after.events);
    tusk_conn_resume(&t.owner->conn);
    TURN_UNTIL(t.owner->eofs == 1);
    owner_has(t.owner, "testament");
}

/* ---- parking: the owner's stack is set aside in a callback ---- */
#define STACK_BYTES ((size_t)512 * 1024)
static struct {
    ucontext_t main;
    ucontext_t side;
    void *stack;
    tusk_err result;
    bool done;
} s;

static void run_on_the_side(void)
{
    s.result = tusk_loop_run(t.loop);
    s.done = true;
}

/* Runs the loop on another stack until a callback calls set_aside. */
static void start_side(void)
{
    memset(&s, 0, sizeof(s));
    s.stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&s.side);
    s.side.uc_stack.ss_sp = s.stack;
    s.side.uc_stack.ss_size = STACK_BYTES;
    s.side.uc_link = &s.main;
    makecontext(&s.side, run_on_the_side, 0);
    swapcontext(&s.main, &s.side);
    assert_false(s.done);
}

static void set_aside(void)
{
    swapcontext(&s.side, &s.main);
}

static void come_back(void)
{
    swapcontext(&s.main, &s.side);
    assert_true(s.done);
    assert_err(s.result, TUSK_ESTATE);
    munmap(s.stack, STACK_BYTES);
}

/* A parse loop that waits in the middle of its first message, as a PHP handler does. */
static void wait_after_three_bytes(owner *self)
{
    self->take_max = 3;
    if (self->got_len == 0) {
        take(self);
        tusk_conn_park(&self->conn);
        set_aside();
        tusk_conn_unpark(&self->conn);
    }
    while (tusk_conn_in(&self->conn).len >= 3) {
        take(self);
    }
}

static void a_parked_parse_loop_goes_on_where_it_was(void **state)
{
    (void)state;
    t.owner->in_data = wait_after_three_bytes;
    say("abcdefgh");
    start_side();
    assert_int_equal(t.owner->got_len, 3);
    say("ijkl"); /* waits in the kernel */
    turns(3);
    assert_int_equal(t.owner->datas, 1);
    size_t cap;
    memset(tusk_loop_landing(t.loop, &cap), '!', 1000); /* others read meanwhile */
    come_back();
    assert_int_equal(t.owner->got_len, 6);
    turns(2);
    owner_has(t.owner, "abcdefghijkl");
}

static void parking_asks_nothing_of_the_poller_until_something_comes(void **state)
{
    (void)state;
    tusk_loop_counters before;
    tusk_loop_counters after;
    tusk_conn *conn = &t.owner->conn;
    tusk_conn_park(conn);
    turns(2);
    assert_true((conn->io.polled & TUSK_IO_READ) != 0);
    tusk_conn_unpark(conn);
    turns(2);
    tusk_conn_park(conn);
    say("abc");
    turns(3);
    assert_true((conn->io.polled & TUSK_IO_READ) == 0);
    tusk_loop_count(t.loop, &before);
    turns(3); /* what waits in the kernel is not told again and again */
    tusk_loop_count(t.loop, &after);
    assert_int_equal(after.events, before.events);
    assert_int_equal(t.owner->datas, 0);
    tusk_conn_unpark(conn);
    turns(2);
    owner_has(t.owner, "abc");
}

static void a_connection_closed_while_parked_tells_at_unpark(void **state)
{
    (void)state;
    t.owner->in_data = wait_after_three_bytes;
    say("abcdefgh");
    start_side();
    tusk_conn_abort(&t.owner->conn, TUSK_ETIMEOUT);
    turns(3);
    assert_int_equal(t.owner->closes, 0);
    come_back();
    assert_int_equal(t.owner->got_len, 3); /* nothing more is shown of a closed connection */
    assert_int_equal(t.owner->closes, 0);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ETIMEOUT);
}

static void unpark_from_another_stack_first(owner *self)
{
    self->take_max = 3;
    take(self);
    if (self->datas == 1) {
        tusk_conn_park(&self->conn);
        set_aside();
    }
    while (tusk_conn_in(&self->conn).len >= 3) {
        take(self);
    }
}

static void nothing_is_told_between_unpark_and_the_return_of_the_callback(void **state)
{
    (void)state;
    t.owner->in_data = unpark_from_another_stack_first;
    say("abcdefgh");
    start_side();
    tusk_conn_unpark(&t.owner->conn);
    say("i");
    turns(3);
    assert_int_equal(t.owner->datas, 1);
    come_back();
    turns(2);
    owner_has(t.owner, "abcdefghi");
}

static void wait_in_close(owner *self)
{
    (void)self;
    set_aside();
}

static void others_are_told_while_an_on_close_is_set_aside(void **state)
{
    (void)state;
    owner *others[3];
    t.owner->in_close = wait_in_close;
    tusk_conn_abort(&t.owner->conn, TUSK_OK);
    for (int i = 0; i < 3; i++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        close(fds[1]);
        others[i] = owner_new();
        assert_err(tusk_conn_init(&others[i]->conn, t.net, fds[0], NULL, &owner_ops), TUSK_OK);
        tusk_conn_abort(&others[i]->conn, TUSK_OK);
    }
    start_side();
    assert_int_equal(others[0]->closes, 0);
    turns(1);
    assert_int_equal(t.owner->releases, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(others[i]->closes, 1);
        assert_int_equal(others[i]->releases, 1);
        owner_free(others[i]);
    }
    come_back();
    assert_int_equal(t.owner->releases, 1);
}

/* As an open handler that goes on for the connection's whole life. */
static void detach_in_the_first_call(owner *self)
{
    self->take_max = self->datas == 1 ? 3 : 0;
    take(self);
    if (self->datas == 1) {
        tusk_conn_detach(&self->conn);
        set_aside();
    }
}

static void a_connection_goes_on_while_a_detached_callback_is_aside(void **state)
{
    (void)state;
    size_t cap;
    t.owner->in_data = detach_in_the_first_call;
    say("abcdefgh");
    start_side();
    assert_int_equal(t.owner->got_len, 3);
    memset(tusk_loop_landing(t.loop, &cap), '!', 1000); /* others read meanwhile */
    turns(1);
    owner_has(t.owner, "abcdefgh");
    say("ijkl");
    turns(1);
    owner_has(t.owner, "abcdefghijkl");
    come_back();
    say("mn");
    turns(1);
    owner_has(t.owner, "abcdefghijklmn");
    assert_int_equal(t.owner->datas, 4);
}

static void a_connection_closes_while_a_detached_callback_is_aside_and_goes_after_it(void **state)
{
    (void)state;
    t.owner->in_data = detach_in_the_first_call;
    say("abc");
    start_side();
    tusk_conn_abort(&t.owner->conn, TUSK_ETIMEOUT);
    turns(1);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ETIMEOUT);
    assert_int_equal(t.owner->releases, 0);
    come_back();
    assert_int_equal(t.owner->releases, 1);
}

static void park_and_detach_later(owner *self)
{
    if (self->datas > 1) {
        take(self);
        return;
    }
    tusk_conn_park(&self->conn);
    set_aside();
    tusk_conn_unpark(&self->conn);
    tusk_conn_detach(&self->conn);
    if (tusk_conn_open(&self->conn)) { /* closed: there was no memory for what was unread */
        take(self);                    /* still on its stack: nothing of the input was lost */
    }
}

static void a_callback_may_detach_after_it_was_parked(void **state)
{
    (void)state;
    t.owner->in_data = park_and_detach_later;
    say("abc");
    start_side();
    turns(1);
    assert_int_equal(t.owner->datas, 1);
    come_back();
    owner_has(t.owner, "abc");
    say("def");
    turns(2);
    owner_has(t.owner, "abcdef");
}

/* ---- taking over ---- */
static int second_datas;
static void second_on_data(tusk_conn *conn)
{
    second_datas++;
    take(of(conn));
}

static tusk_conn_ops second_ops;

static void hand_over(owner *self)
{
    self->take_max = 2;
    take(self);
    tusk_conn_set_ops(&self->conn, &second_ops);
    tusk_conn_again(&self->conn);
    self->take_max = 0;
}

static void a_new_owner_gets_what_the_old_one_left(void **state)
{
    (void)state;
    second_ops = owner_ops;
    second_ops.on_data = second_on_data;
    second_datas = 0;
    t.owner->in_data = hand_over;
    say("GETframe");
    turns(1);
    assert_int_equal(second_datas, 1);
    owner_has(t.owner, "GETframe");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_set_up, net_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bytes_arrive_and_an_answer_leaves_at_the_end_of_the_turn),
        TEST(a_warm_echo_costs_one_call_each_way_and_no_memory),
        TEST(bytes_arriving_one_by_one_come_together),
        TEST(a_rest_longer_than_the_landing_buffer_grows_in_its_own),
        TEST(any_cut_and_any_appetite_give_the_same_bytes),
        TEST(a_large_payload_lands_in_its_own_place),
        TEST(again_offers_the_rest_before_more_is_read_and_before_the_end),
        TEST(again_comes_though_nothing_is_unread),
        TEST(the_end_comes_once_and_writing_still_works),
        TEST(pausing_stops_the_sender_and_keeps_what_was_read),
        TEST(pausing_and_resuming_in_one_turn_changes_nothing),
        TEST(a_peer_that_leaves_while_we_pause_is_read_later_and_costs_no_turns),
        TEST(a_parked_parse_loop_goes_on_where_it_was),
        TEST(parking_asks_nothing_of_the_poller_until_something_comes),
        TEST(a_connection_closed_while_parked_tells_at_unpark),
        TEST(nothing_is_told_between_unpark_and_the_return_of_the_callback),
        TEST(others_are_told_while_an_on_close_is_set_aside),
        TEST(a_connection_goes_on_while_a_detached_callback_is_aside),
        TEST(a_connection_closes_while_a_detached_callback_is_aside_and_goes_after_it),
        TEST(a_callback_may_detach_after_it_was_parked),
        TEST(a_new_owner_gets_what_the_old_one_left),
    };
    return TEST_RUN_ALSO_IN_BATCHES("net/conn", tests);
}
