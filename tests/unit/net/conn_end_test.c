/* SPDX-License-Identifier: MIT */
/* Every way in which a connection ends: finish, abort, the peer vanishing, no memory; and
 * connecting. */
#define _GNU_SOURCE
#include "net/conn.h"

#include <netinet/in.h>
#include <signal.h>

#include "net/inner.h"

#include "owner.h"

/* ---- finish ---- */
static void finishing_delivers_the_last_bytes_though_input_is_unread(void **state)
{
    (void)state;
    say("never read");
    assert_err(tusk_conn_append(&t.owner->conn, "bye", 3), TUSK_OK);
    tusk_conn_finish(&t.owner->conn);
    assert_err(tusk_conn_append(&t.owner->conn, "more", 4), TUSK_ESTATE);
    turns(2);
    hear("bye");
    hear(""); /* the end */
    assert_int_equal(t.owner->closes, 0);
    hang_up();
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_OK);
    assert_int_equal(t.owner->datas, 0);
    assert_int_equal(t.owner->eofs, 0);
}

static void finishing_waits_for_a_queue_that_leaves_slowly(void **state)
{
    (void)state;
    static uint8_t all[2000000];
    static uint8_t got[2000000];
    size_t at = 0;
    pattern(all, 0, sizeof(all));
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    tusk_conn_finish(&t.owner->conn);
    while (at < sizeof(got)) {
        turns(1);
        assert_int_equal(t.owner->closes, 0);
        ssize_t len = read(t.peer, got + at, 50000);
        at += len > 0 ? (size_t)len : 0;
    }
    assert_pattern(got, 0, sizeof(got));
    hang_up();
    TURN_UNTIL(t.owner->closes == 1);
    assert_err(t.owner->why, TUSK_OK);
}

static void a_peer_that_never_leaves_is_left_after_the_linger_time(void **state)
{
    (void)state;
    tusk_conn_finish(&t.owner->conn);
    TURN_UNTIL(t.owner->closes == 1);
    assert_err(t.owner->why, TUSK_OK);
    assert_int_equal(tusk_net_count(t.net)->linger_timeouts, 1);
}

static void a_peer_that_takes_nothing_times_out(void **state)
{
    (void)state;
    static uint8_t all[4000000];
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    tusk_conn_finish(&t.owner->conn);
    TURN_UNTIL(t.owner->closes == 1);
    assert_err(t.owner->why, TUSK_ETIMEOUT);
}

/* The kernel says nothing of a slow reader for as long. */
static void a_queue_may_stand_still_for_longer_than_an_end_lingers(void **state)
{
    (void)state;
    static uint8_t all[2000000];
    static uint8_t got[2000000];
    size_t at = 0;
    t.net->limits.stall_ms = 60000;
    pattern(all, 0, sizeof(all));
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    tusk_conn_finish(&t.owner->conn);
    TURN_UNTIL(t.owner->conn.still >= 2);
    while (at < sizeof(got)) {
        turns(1);
        assert_int_equal(t.owner->closes, 0);
        ssize_t len = read(t.peer, got + at, 50000);
        at += len > 0 ? (size_t)len : 0;
    }
    assert_pattern(got, 0, sizeof(got));
    TURN_UNTIL(t.owner->closes == 1);
    assert_err(t.owner->why, TUSK_OK);
}

static void a_peer_that_floods_a_finishing_connection_is_cut_off(void **state)
{
    (void)state;
    static const uint8_t flood[8192];
    tusk_conn_finish(&t.owner->conn);
    size_t sent = 0;
    while (t.owner->closes == 0 && sent < 1000000) {
        ssize_t len = send(t.peer, flood, sizeof(flood), MSG_NOSIGNAL);
        sent += len > 0 ? (size_t)len : 0;
        turns(1);
    }
    assert_int_equal(t.owner->closes, 1);
    assert_in_range(sent, 100000, 300000);
}

static void ending_lingers_for_nothing_but_the_queue(void **state)
{
    (void)state;
    assert_err(tusk_conn_append(&t.owner->conn, "close", 5), TUSK_OK);
    tusk_conn_end(&t.owner->conn);
    assert_int_equal(t.owner->closes, 0);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_OK);
    hear("close");
    hear("");
}

static void many_lingering_connections_end_together_and_the_loop_with_them(void **state)
{
    (void)state;
    owner *others[20];
    int peers[20];
    for (int i = 0; i < 20; i++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        peers[i] = fds[1];
        others[i] = owner_new();
        assert_err(tusk_conn_init(&others[i]->conn, t.net, fds[0], NULL, &owner_ops), TUSK_OK);
        tusk_conn_finish(&others[i]->conn);
    }
    tusk_conn_finish(&t.owner->conn);
    assert_err(tusk_loop_run(t.loop), TUSK_OK); /* no timer of ours keeps it running afterwards */
    for (int i = 0; i < 20; i++) {
        assert_int_equal(others[i]->releases, 1);
        owner_free(others[i]);
        close(peers[i]);
    }
    assert_int_equal(t.owner->closes, 1);
}

/* ---- abort, in every callback ---- */
static void abort_it(owner *self)
{
    tusk_conn_abort(&self->conn, TUSK_EPOLICY);
    tusk_conn_abort(&self->conn, TUSK_EPROTO); /* the first reason stays */
    assert_int_equal(self->closes, 0);
    assert_false(tusk_conn_open(&self->conn));
    assert_int_equal(tusk_conn_in(&self->conn).len, 0);
    tusk_conn_consume(&self->conn, 100);
    assert_err(tusk_conn_append(&self->conn, "x", 1), TUSK_ESTATE);
    assert_null(tusk_conn_reserve(&self->conn, 1));
    tusk_conn_flush(&self->conn);
    tusk_conn_pause(&self->conn);
    tusk_conn_resume(&self->conn);
    tusk_conn_again(&self->conn);
    tusk_conn_finish(&self->conn);
}

static void pause_it(owner *self)
{
    tusk_conn_pause(&self->conn);
}

static void abort_in_on_data_on_eof_and_on_drain(void **state)
{
    (void)state;
    static uint8_t all[2000000];
    static uint8_t sink[2000000];
    for (int which = 0; which < 3; which++) {
        if (which > 0) {
            int fds[2];
            owner_end(t.owner);
            close(t.peer);
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
            t.peer = fds[1];
            t.owner = owner_new();
            assert_err(tusk_conn_init(&t.owner->conn, t.net, fds[0], NULL, &owner_ops), TUSK_OK);
            t.owner->adopted = true;
        }
        t.owner->in_data = which == 0 ? abort_it : NULL;
        t.owner->in_eof = which == 1 ? abort_it : NULL;
        t.owner->in_drain = which == 2 ? abort_it : NULL;
        say("bytes");
        if (which == 1) {
            assert_int_equal(shutdown(t.peer, SHUT_WR), 0);
        } else if (which == 2) {
            assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
            while (t.owner->drains == 0) {
                turns(1);
                (void)!read(t.peer, sink, sizeof(sink));
            }
        }
        turns(3);
        assert_int_equal(t.owner->closes, 1);
        assert_int_equal(t.owner->releases, 1);
        assert_err(t.owner->why, TUSK_EPOLICY);
    }
}

static void unread_input_goes_with_an_abort_in_another_callback(void **state)
{
    (void)state;
    static uint8_t all[400000];
    static uint8_t sink[400000];
    t.owner->in_data = pause_it;
    t.owner->in_drain = abort_it;
    say("unread");
    turns(2);
    assert_int_equal(tusk_net_rests(t.net), t.owner->conn.rest_cap);
    assert_int_equal(t.owner->conn.in_len, 6);
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    TURN_UNTIL(((void)!read(t.peer, sink, sizeof(sink)), t.owner->closes == 1));
    assert_int_equal(t.owner->drains, 1);
    assert_null(t.owner->conn.rest);
    assert_int_equal(tusk_net_rests(t.net), 0);
}

static void abort_again(owner *self)
{
    tusk_conn_abort(&self->conn, TUSK_EPROTO);
    tusk_conn_again(&self->conn);
}

static void abort_before_anything_happened_and_inside_on_close(void **state)
{
    (void)state;
    t.owner->in_close = abort_again;
    tusk_conn_abort(&t.owner->conn, TUSK_ELIMIT);
    assert_int_equal(t.owner->closes, 0);
    turns(1);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ELIMIT);
    assert_int_equal(t.owner->releases, 1);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
}

static void look_at_the_input(owner *self)
{
    tusk_bytes in = tusk_conn_in(&self->conn);
    tusk_conn_abort(&self->conn, TUSK_OK);
    assert_memory_equal(in.ptr, "payload",
                        7); /* a handler that closes may go on reading what it was given */
    tusk_conn_consume(&self->conn, in.len);
}

static void bytes_live_till_the_callback_returns_though_it_closes(void **state)
{
    (void)state;
    t.owner->take_max = 3;
    say("abcpay");
    turns(1);
    t.owner->in_data = look_at_the_input;
    say("load");
    turns(2);
    assert_int_equal(t.owner->closes, 1);
}

static void a_held_connection_is_released_with_the_last_hold(void **state)
{
    (void)state;
    tusk_conn_hold(&t.owner->conn);
    tusk_conn_hold(&t.owner->conn);
    tusk_conn_abort(&t.owner->conn, TUSK_OK);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_int_equal(t.owner->releases, 0);
    tusk_conn_release(&t.owner->conn);
    assert_int_equal(t.owner->releases, 0);
    tusk_conn_release(&t.owner->conn);
    assert_int_equal(t.owner->releases, 1);
}

/* ---- peers that vanish ---- */
static void a_peer_gone_in_mid_write_is_a_reset_and_no_signal(void **state)
{
    (void)state;
    static uint8_t all[4000000];
    assert_ptr_not_equal(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    turns(1);
    assert_true(t.owner->conn.blocked);
    hang_up();
    TURN_UNTIL(t.owner->closes == 1);
    assert_err(t.owner->why, TUSK_ERESET);
}

static void writing_to_a_peer_that_left_is_a_reset_and_no_signal(void **state)
{
    (void)state;
    tusk_conn_pause(&t.owner->conn);
    hang_up();
    assert_err(tusk_conn_append(&t.owner->conn, "x", 1), TUSK_OK);
    tusk_conn_flush(&t.owner->conn);
    assert_int_equal(t.owner->closes, 0);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ERESET);
}

static void a_file_to_a_peer_that_left_is_a_reset_and_no_signal(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_int_equal(ftruncate(fileno(file), 100000), 0);
    assert_ptr_not_equal(signal(SIGPIPE, SIG_DFL), SIG_ERR);
    tusk_conn_pause(&t.owner->conn);
    hang_up();
    assert_err(tusk_conn_append_file(&t.owner->conn, fileno(file), 0, 100000, NULL, NULL), TUSK_OK);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ERESET);
    (void)fclose(file);
}

static int tcp_listen(tusk_addr *addr)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t len = sizeof(addr->u.raw);
    assert_err(tusk_addr_parse(addr, "127.0.0.1:0"), TUSK_OK);
    assert_int_equal(bind(fd, (struct sockaddr *)(void *)addr->u.raw, addr->len), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)(void *)addr->u.raw, &len), 0);
    return fd;
}

/* The owner's connection becomes one that connects to a TCP socket of the test. */
static void connect_tcp(void)
{
    tusk_addr addr;
    int listener = tcp_listen(&addr);
    t.owner = owner_new();
    assert_err(tusk_conn_connect(&t.owner->conn, t.net, &addr, NULL, &owner_ops), TUSK_OK);
    t.owner->adopted = true;
    t.peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    assert_true(t.peer >= 0);
    close(listener);
    assert_int_equal(t.owner->readies, 0);
    TURN_UNTIL(t.owner->readies == 1);
    assert_err(t.owner->ready, TUSK_OK);
}

static void reset_by_peer(void)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(t.peer, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
    hang_up();
}

static void a_reset_ends_an_idle_a_paused_and_a_parked_connection(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        connect_tcp();
        if (which == 1) {
            tusk_conn_pause(&t.owner->conn);
        } else if (which == 2) {
            tusk_conn_park(&t.owner->conn);
        } else if (which == 3) {
            tusk_conn_finish(&t.owner->conn);
        }
        if (strcmp(test_poller, "select") == 0 && (which == 1 || which == 2)) {
            hang_up(); /* select cannot see it while nobody asks */
            owner_end(t.owner);
            continue;
        }
        reset_by_peer();
        if (which == 2) {
            TURN_UNTIL(t.owner->conn.state == CONN_CLOSED);
            assert_int_equal(t.owner->closes, 0);
            tusk_conn_unpark(&t.owner->conn);
        }
        TURN_UNTIL(t.owner->closes == 1);
        assert_err(t.owner->why, which == 3 ? TUSK_OK : TUSK_ERESET);
        owner_end(t.owner);
    }
    t.owner = NULL;
}

/* Else the kernel would keep for minutes what it does not take. */
static void who_is_aborted_while_it_takes_nothing_hears_a_reset(void **state)
{
    (void)state;
    static uint8_t all[8000000];
    ssize_t len;
    connect_tcp();
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    TURN_UNTIL(t.owner->conn.blocked);
    tusk_conn_abort(&t.owner->conn, TUSK_EPOLICY);
    TURN_UNTIL(t.owner->closes == 1);
    while ((len = read(t.peer, all, sizeof(all))) > 0) {
    }
    assert_int_equal(len < 0 ? errno : 0, ECONNRESET);
}

static void over_tcp_no_reset_destroys_the_last_bytes(void **state)
{
    (void)state;
    static uint8_t unread[50000];
    connect_tcp();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(send(t.peer, unread, sizeof(unread) / 2, 0), sizeof(unread) / 2);
    }
    assert_err(tusk_conn_append(&t.owner->conn, "HTTP/1.1 400 Bad Request", 24), TUSK_OK);
    tusk_conn_finish(&t.owner->conn);
    turns(4);
    hear("HTTP/1.1 400 Bad Request");
    hear("");
    hang_up();
    TURN_UNTIL(t.owner->closes == 1);
}

/* ---- connecting ---- */
static void connecting_where_nobody_listens_is_refused(void **state)
{
    (void)state;
    tusk_addr addr;
    close(tcp_listen(&addr));
    t.owner = owner_new();
    tusk_err err = tusk_conn_connect(&t.owner->conn, t.net, &addr, NULL, &owner_ops);
    if (err == TUSK_OK) {
        t.owner->adopted = true;
        TURN_UNTIL(t.owner->closes == 1);
        assert_int_equal(t.owner->readies, 1);
        assert_err(t.owner->ready, TUSK_EREFUSED);
        assert_err(t.owner->why, TUSK_EREFUSED);
    } else {
        assert_err(err, TUSK_EREFUSED);
    }
}

static void what_is_appended_while_connecting_leaves_when_connected(void **state)
{
    (void)state;
    tusk_addr addr;
    int listener = tcp_listen(&addr);
    t.owner = owner_new();
    assert_err(tusk_conn_connect(&t.owner->conn, t.net, &addr, NULL, &owner_ops), TUSK_OK);
    t.owner->adopted = true;
    assert_err(tusk_conn_append(&t.owner->conn, "early", 5), TUSK_OK);
    TURN_UNTIL(t.owner->readies == 1);
    t.peer = accept4(listener, NULL, NULL, 0);
    turns(1);
    hear("early");
    close(listener);
}

static void aborting_while_connecting_tells_the_close_alone(void **state)
{
    (void)state;
    tusk_addr addr;
    int listener = tcp_listen(&addr);
    t.owner = owner_new();
    assert_err(tusk_conn_connect(&t.owner->conn, t.net, &addr, NULL, &owner_ops), TUSK_OK);
    t.owner->adopted = true;
    tusk_conn_abort(&t.owner->conn, TUSK_ETIMEOUT);
    turns(2);
    assert_int_equal(t.owner->readies, 0);
    assert_err(t.owner->why, TUSK_ETIMEOUT);
    close(listener);
}

static void a_unix_path_without_a_listener_is_refused_at_once(void **state)
{
    (void)state;
    tusk_addr addr;
    assert_err(tusk_addr_parse(&addr, "unix:/nowhere/at/all.sock"), TUSK_OK);
    t.owner = owner_new();
    assert_err(tusk_conn_connect(&t.owner->conn, t.net, &addr, NULL, &owner_ops), TUSK_EREFUSED);
}

static void a_descriptor_that_cannot_be_watched_stays_the_callers(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDWR);
    t.owner = owner_new();
    if (strcmp(test_poller, "epoll") == 0) {
        assert_err(tusk_conn_init(&t.owner->conn, t.net, fd, NULL, &owner_ops), TUSK_ESYS);
    }
    assert_int_equal(close(fd), 0);
}

/* ---- no memory ---- */
static tusk_err a_whole_life(const tusk_mem *mem, void *user)
{
    (void)user;
    tusk_loop *loop = NULL;
    tusk_net *net = NULL;
    int fds[2];
    static uint8_t big[100000];
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem, .poller = test_poller});
    if (err != TUSK_OK) {
        return err;
    }
    err = tusk_net_new(&net, loop, NULL);
    if (err != TUSK_OK) {
        tusk_loop_free(loop);
        return err;
    }
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    owner *self = owner_new();
    err = tusk_conn_init(&self->conn, net, fds[0], NULL, &owner_ops);
    if (err != TUSK_OK) {
        close(fds[0]);
    } else {
        tusk_blob *blob = NULL;
        self->take_max = 2;
        (void)send(fds[1], big, 9000, MSG_NOSIGNAL); /* a rest, first small, then of its own */
        (void)tusk_loop_turn(loop, 0);
        (void)send(fds[1], big, 9000, MSG_NOSIGNAL);
        (void)tusk_loop_turn(loop, 0);
        err = tusk_conn_append(&self->conn, "small", 5);
        tusk_err each = tusk_conn_append(&self->conn, big, 3000);
        err = err == TUSK_OK ? each : err;
        each = tusk_conn_append(&self->conn, big, sizeof(big));
        err = err == TUSK_OK ? each : err;
        each = tusk_blob_dup(&blob, mem, tusk_bytes_of(big, 5000));
        err = err == TUSK_OK ? each : err;
        if (blob != NULL) {
            each = tusk_conn_append_blob(&self->conn, blob);
            err = err == TUSK_OK ? each : err;
        }
        tusk_blob_unref(blob);
        if (tusk_conn_reserve(&self->conn, 16) != NULL) {
            tusk_conn_commit(&self->conn, 16);
        }
        (void)tusk_loop_turn(loop, 0);
        if (err == TUSK_OK && self->conn.state == CONN_CLOSED) {
            err = (tusk_err)self->conn.why;
        }
        tusk_conn_abort(&self->conn, TUSK_OK);
        (void)tusk_loop_turn(loop, 0);
        assert_int_equal(self->releases, 1);
        err = self->why != TUSK_OK ? self->why : err;
    }
    assert_int_equal(tusk_net_queued(net), 0);
    close(fds[1]);
    owner_free(self);
    tusk_net_free(net);
    tusk_loop_free(loop);
    return err;
}

static void whichever_allocation_fails_one_connection_ends_and_nothing_leaks(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(a_whole_life, true, NULL) >= 9);
}

#define PAIR(name) cmocka_unit_test_setup_teardown(name, pair_set_up, net_tear_down)
#define BARE(name) cmocka_unit_test_setup_teardown(name, net_set_up, net_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR(finishing_delivers_the_last_bytes_though_input_is_unread),
        PAIR(finishing_waits_for_a_queue_that_leaves_slowly),
        PAIR(a_peer_that_never_leaves_is_left_after_the_linger_time),
        PAIR(a_queue_may_stand_still_for_longer_than_an_end_lingers),
        PAIR(a_peer_that_takes_nothing_times_out),
        PAIR(a_peer_that_floods_a_finishing_connection_is_cut_off),
        PAIR(ending_lingers_for_nothing_but_the_queue),
        PAIR(many_lingering_connections_end_together_and_the_loop_with_them),
        PAIR(abort_in_on_data_on_eof_and_on_drain),
        PAIR(unread_input_goes_with_an_abort_in_another_callback),
        PAIR(abort_before_anything_happened_and_inside_on_close),
        PAIR(bytes_live_till_the_callback_returns_though_it_closes),
        PAIR(a_held_connection_is_released_with_the_last_hold),
        PAIR(a_peer_gone_in_mid_write_is_a_reset_and_no_signal),
        PAIR(writing_to_a_peer_that_left_is_a_reset_and_no_signal),
        PAIR(a_file_to_a_peer_that_left_is_a_reset_and_no_signal),
        BARE(a_reset_ends_an_idle_a_paused_and_a_parked_connection),
        BARE(who_is_aborted_while_it_takes_nothing_hears_a_reset),
        BARE(over_tcp_no_reset_destroys_the_last_bytes),
        BARE(connecting_where_nobody_listens_is_refused),
        BARE(what_is_appended_while_connecting_leaves_when_connected),
        BARE(aborting_while_connecting_tells_the_close_alone),
        BARE(a_unix_path_without_a_listener_is_refused_at_once),
        BARE(a_descriptor_that_cannot_be_watched_stays_the_callers),
        BARE(whichever_allocation_fails_one_connection_ends_and_nothing_leaks),
    };
    return TEST_RUN_ALSO_IN_BATCHES("net/conn_end", tests);
}
