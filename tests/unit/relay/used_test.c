/* SPDX-License-Identifier: MIT */
/* Used sockets: the engines' contract over a backend's socket that has carried a session before,
 * which sockets are kept, for whom, and for how long. */
#define _GNU_SOURCE
#include "contract.h"

#include <sys/resource.h>

enum { MANY = 4 };

static bool epoll_is_here(void)
{
    return strcmp(tusk_loop_driver(r.loop), "epoll") == 0;
}

static uint16_t begin(void)
{
    uint16_t port;
    if (!epoll_is_here()) {
        skip();
    }
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    return port;
}

static ends open_session(void)
{
    ends both = {.client = rig_client()};
    both.server = rig_accept(backend);
    meet(both.client, both.server);
    return both;
}

static void end_by_client(ends both)
{
    (void)close(both.client);
    rig_expect_eof(both.server);
    (void)close(both.server);
}

/* ---- which are kept ---- */
static void the_next_session_with_a_target_has_its_socket(void **state)
{
    (void)state;
    (void)begin();
    use_once();
    assert_false(tusk__list_empty(&r.relay->used));
    const relay_pair *kept = TUSK_OWNER(r.relay->used.next, relay_pair, session.link);
    int fd = kept->end[RELAY_BACKEND].io.fd;
    ends both = open_session();
    int on = 0;
    socklen_t len = sizeof(on);
    assert_int_equal(newest_pair(r.relay)->end[RELAY_BACKEND].io.fd, fd);
    assert_int_equal(rig_stats().sockets_reused, 1);
    assert_int_equal(rig_stats().dials, 1);
    assert_int_equal(r.relay->used_count, 0);
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &len), 0);
    assert_int_equal(on, 1);
    for (int i = 0; i < MANY; i++) {
        end_by_client(both);
        rig_until(r.relay->used_count == 1);
        both = open_session();
    }
    assert_int_equal(rig_stats().sockets_reused, 1 + MANY);
    leave(both);
}

static void a_backend_that_ends_first_takes_its_socket_along(void **state)
{
    (void)state;
    (void)begin();
    ends both = open_session();
    (void)close(both.server);
    rig_expect_eof(both.client);
    (void)close(both.client);
    expect_end("done");
    assert_int_equal(r.relay->used_count, 0);
    (void)close(backend);
}

static void a_socket_that_was_reset_is_gone(void **state)
{
    (void)state;
    (void)begin();
    ends both = open_session();
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    rig_reset(both.server);
    both.server = -1;
    expect_end("backend reset");
    assert_int_equal(r.relay->used_count, 0);
    leave(both);
}

static void who_moved_much_has_a_new_socket(void **state)
{
    static uint8_t much[300 * 1024];
    (void)state;
    (void)begin();
    ends both = open_session();
    size_t sent = 0;
    size_t got = 0;
    while (got < sizeof(much)) {
        ssize_t out = send(both.client, much, sizeof(much) - sent, MSG_NOSIGNAL);
        rig_turn();
        ssize_t in = recv(both.server, much, sizeof(much), 0);
        sent += out > 0 ? (size_t)out : 0;
        got += in > 0 ? (size_t)in : 0;
    }
    end_by_client(both);
    expect_end("done");
    assert_int_equal(r.relay->used_count, 0);
    (void)close(backend);
}

static void no_more_than_so_many_are_kept(void **state)
{
    (void)state;
    (void)begin();
    ends all[MANY];
    r.relay->used_max = MANY - 1;
    for (int i = 0; i < MANY; i++) {
        all[i] = open_session();
    }
    for (int i = 0; i < MANY; i++) {
        end_by_client(all[i]);
    }
    rig_until(rig_stats().active == 0);
    assert_int_equal(r.relay->used_count, MANY - 1);
    (void)close(backend);
}

/* ---- for whom ---- */
static void another_target_gets_another_socket(void **state)
{
    uint16_t port;
    (void)state;
    (void)begin();
    use_once();
    int other = rig_listen(&port);
    r.target_count = 0;
    rig_target(port, 1);
    tusk_relay_forget(r.relay);
    rig_expect_joined(other);
    assert_int_equal(rig_stats().sockets_reused, 0);
    rig_until(rig_stats().active == 0);
    (void)close(other);
    (void)close(backend);
}

static void a_backend_that_has_gone_refuses(void **state)
{
    (void)state;
    (void)begin();
    use_once();
    (void)close(backend);
    int client = rig_client();
    rig_expect_eof(client);
    expect_end("the backend refuses connections");
    assert_int_equal(r.records[0].status, 502);
    assert_int_equal(rig_stats().sockets_reused, 1);
    assert_int_equal(r.relay->used_count, 0);
    (void)close(client);
}

/* ---- what its new session tells ---- */
static void the_kernel_counts_the_bytes_of_this_session_alone(void **state)
{
    (void)state;
    (void)begin();
    use_once();
    ends both = open_session();
    assert_int_equal(rig_stats().sockets_reused, 1);
    rig_send(both.server, "fivex");
    rig_expect(both.client, "fivex");
    rig_reset(both.client);
    rig_expect_reset(both.server);
    both.client = -1;
    expect_end("client reset");
    assert_int_equal(r.records[0].up, 5);       /* "hello" */
    assert_int_equal(r.records[0].down, 9 + 5); /* "hello too" */
    leave(both);
}

/* ---- how long ---- */
static void who_is_not_wanted_for_a_second_is_closed(void **state)
{
    (void)state;
    (void)begin();
    use_once();
    rig_until(r.relay->used_count == 0);
    (void)close(backend);
}

static void a_stop_closes_them(void **state)
{
    (void)state;
    (void)begin();
    use_once();
    tusk_relay_stop(r.relay);
    assert_int_equal(r.relay->used_count, 0);
    rig_until(r.stopped == 1);
    (void)close(backend);
}

static void who_ends_while_it_stops_is_closed(void **state)
{
    (void)state;
    (void)begin();
    ends both = open_session();
    tusk_relay_stop(r.relay);
    end_by_client(both);
    rig_until(r.stopped == 1);
    assert_int_equal(r.relay->used_count, 0);
    (void)close(backend);
}

static void stop(void)
{
    tusk_relay_stop(r.relay);
}

static void a_stop_by_who_hears_of_the_end_closes_it_too(void **state)
{
    (void)state;
    (void)begin();
    r.on_record = stop;
    end_by_client(open_session());
    rig_until(r.stopped == 1);
    assert_int_equal(r.relay->used_count, 0);
    (void)close(backend);
}

static void descriptors_that_clients_want_are_theirs(void **state)
{
    struct rlimit old, low;
    (void)state;
    (void)begin();
    use_once();
    int client = rig_client();
    int next = dup(client);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    (void)close(next);
    low = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    rig_until(r.relay->used_count == 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    int server = rig_accept(backend);
    meet(client, server);
    (void)close(client);
    (void)close(server);
    (void)close(backend);
}

int main(void)
{
    static const contract_engine engines[] = {
        {.engine = TUSK_ENGINE_COPY, .name = "copy, used sockets", .poller = "epoll", .used = true},
        {.engine = TUSK_ENGINE_SPLICE,
         .name = "splice, used sockets",
         .poller = "epoll",
         .used = true},
    };
    const struct CMUnitTest tests[] = {
        rig_test(the_next_session_with_a_target_has_its_socket),
        rig_test(a_backend_that_ends_first_takes_its_socket_along),
        rig_test(a_socket_that_was_reset_is_gone),
        rig_test(who_moved_much_has_a_new_socket),
        rig_test(no_more_than_so_many_are_kept),
        rig_test(another_target_gets_another_socket),
        rig_test(a_backend_that_has_gone_refuses),
        rig_test(the_kernel_counts_the_bytes_of_this_session_alone),
        rig_test(who_is_not_wanted_for_a_second_is_closed),
        rig_test(a_stop_closes_them),
        rig_test(who_ends_while_it_stops_is_closed),
        rig_test(a_stop_by_who_hears_of_the_end_closes_it_too),
        rig_test(descriptors_that_clients_want_are_theirs),
    };
    int failed = cmocka_run_group_tests_name("used sockets", tests, NULL, NULL);
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        failed += contract_run(&engines[i]);
    }
    return failed;
}
