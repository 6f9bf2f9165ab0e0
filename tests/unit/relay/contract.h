/* SPDX-License-Identifier: MIT */
/*
 * The contract of every engine, with every poller: half-close, resets, back-pressure, whole bytes.
 *
 * An engine's test program includes this, describes the engine and calls contract_run; what only
 * that engine has is tested beside it.
 */
#ifndef TUSK_TEST_RELAY_CONTRACT_H
#define TUSK_TEST_RELAY_CONTRACT_H

#include "contract_bulk.h"
#include "contract_ends.h"
#include "net/socket.h"
#include "still_clock.h"

static void bytes_flow_both_ways(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "question");
    rig_expect(both.server, "question");
    rig_send(both.server, "answer");
    rig_expect(both.client, "answer");
    leave(both);
    expect_end("done");
    assert_int_equal(r.records[0].up, 8);
    assert_int_equal(r.records[0].down, 6);
    assert_int_equal(rig_stats().bytes_up, 8);
    assert_int_equal(rig_stats().bytes_down, 6);
    assert_non_null(strstr(r.records[0].target, "127.0.0.1:"));
}

static void records_nobody_wants_are_not_told_and_counters_are_the_same(void **state)
{
    (void)state;
    ends both = join();
    tusk_relay_records(r.relay, false);
    rig_send(both.client, "question");
    rig_expect(both.server, "question");
    leave(both);
    rig_until(rig_stats().active == 0);
    assert_int_equal(r.record_count, 0);
    assert_int_equal(rig_stats().bytes_up, 8);
    tusk_relay_records(r.relay, true);
}

static void the_server_may_speak_first(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.server, "220 ready");
    rig_expect(both.client, "220 ready");
    leave(both);
    expect_end("done");
}

static void what_the_client_sent_before_it_was_joined_arrives(void **state)
{
    uint16_t port;
    (void)state;
    r.later = true;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    ends both = {.client = rig_client()};
    rig_send(both.client, "early");
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_until(r.ask_count == 1);
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    assert_err(rig_answer(0), TUSK_OK);
    both.server = rig_accept(backend);
    rig_expect(both.server, "early");
    rig_expect_eof(both.server);
    rig_send(both.server, "late");
    (void)close(both.server);
    rig_expect(both.client, "late");
    rig_expect_eof(both.client);
    (void)close(both.client);
    (void)close(backend);
    expect_end("done");
}

/* Both have heard of each other, so they are joined. */
static void meet(int first, int second)
{
    rig_send(first, "hello");
    rig_expect(second, "hello");
    rig_send(second, "hello too");
    rig_expect(first, "hello too");
}

static void half_close(int first, int second)
{
    meet(first, second);
    rig_send(first, "all I have");
    assert_int_equal(shutdown(first, SHUT_WR), 0);
    rig_expect(second, "all I have");
    rig_expect_eof(second);
    rig_send(second, "and my answer");
    rig_expect(first, "and my answer");
    assert_int_equal(rig_stats().active, 1);
    assert_int_equal(shutdown(second, SHUT_WR), 0);
    rig_expect_eof(first);
}

static void the_client_half_closes(void **state)
{
    (void)state;
    ends both = join();
    half_close(both.client, both.server);
    expect_end("done");
    leave(both);
}

static void the_backend_half_closes(void **state)
{
    (void)state;
    ends both = join();
    half_close(both.server, both.client);
    expect_end("done");
    leave(both);
}

/* ---- what user space has said or taken before ---- */
static void a_first_packet_written_anew_goes_first(void **state)
{
    (void)state;
    r.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = TUSK_PROTOCOL_RAW;
    r.route.first = tusk_bytes_str("HELLO IN OTHER WORDS ");
    uint16_t port;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    ends both = {.client = rig_client()};
    rig_send(both.client, "hello");
    both.server = rig_accept(backend);
    rig_expect(both.server, "HELLO IN OTHER WORDS ");
    rig_send(both.client, "and what follows");
    rig_expect(both.server, "and what follows");
    half_close(both.client, both.server);
    expect_end("done");
    leave(both);
}

static void what_stood_behind_a_proxy_head_arrives_once(void **state)
{
    static const char *const anybody[] = {"127.0.0.0/8"};
    (void)state;
    r.listen.proxy_protocol = true;
    r.options.trusted_proxies = anybody;
    r.options.trusted_proxy_count = 1;
    r.route.proxy_version = 1;
    uint16_t port;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    ends both = {.client = rig_client()};
    rig_send(both.client, "PROXY TCP4 192.0.2.1 192.0.2.2 1234 5678\r\nbehind it");
    both.server = rig_accept(backend);
    rig_expect(both.server, "PROXY TCP4 192.0.2.1 192.0.2.2 1234 5678\r\nbehind it");
    rig_send(both.client, ", and more");
    rig_expect(both.server, ", and more");
    half_close(both.client, both.server);
    expect_end("done");
    const size_t said = strlen("behind it, and more"
                               "hello"
                               "all I have");
    assert_int_equal(r.records[0].up, said); /* the head is none of it */
    assert_int_equal(rig_stats().bytes_up, said);
    leave(both);
}

/* ---- families ---- */
static int listen_on(bool six, uint16_t *port)
{
    struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t len = sizeof(in);
    if (!six) {
        return rig_listen(port);
    }
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)(void *)&in, sizeof(in)) != 0) {
        print_message("skipped: no IPv6 here\n");
        skip();
    }
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)(void *)&in, &len), 0);
    *port = ntohs(in.sin6_port);
    rig_unblock(fd);
    return fd;
}

static int connect_by(bool six)
{
    struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    if (!six) {
        return rig_client();
    }
    in.sin6_port = htons(tusk_relay_port(r.relay, 0));
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    rig_unblock(fd);
    return fd;
}

static void between(bool client_six, bool backend_six)
{
    uint16_t port;
    backend = listen_on(backend_six, &port);
    rig_target(port, 1);
    if (backend_six) {
        (void)snprintf(r.address[0], sizeof(r.address[0]), "[::1]:%u", (unsigned)port);
        r.targets[0].address = tusk_bytes_str(r.address[0]);
    }
    r.listen_at = client_six ? "[::1]:0" : "127.0.0.1:0";
    rig_start();
    ends both = {.client = connect_by(client_six)};
    both.server = rig_accept(backend);
    half_close(both.client, both.server);
    expect_end("done");
    leave(both);
}

static void ipv6_clients_reach_ipv6_backends(void **state)
{
    (void)state;
    between(true, true);
}

static void ipv4_clients_reach_ipv6_backends(void **state)
{
    (void)state;
    between(false, true);
}

static void ipv6_clients_reach_ipv4_backends(void **state)
{
    (void)state;
    between(true, false);
}

static void a_reset_of_the_client_is_passed_on(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_reset(both.client);
    rig_expect_reset(both.server);
    both.client = -1;
    leave(both);
    expect_end("client reset");
    assert_int_equal(r.records[0].up, 1);
    assert_int_equal(rig_stats().resets_client, 1);
}

static void a_reset_of_the_backend_is_passed_on(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_reset(both.server);
    rig_expect_reset(both.client);
    both.server = -1;
    leave(both);
    expect_end("backend reset");
    assert_int_equal(r.records[0].down, 0);
    assert_int_equal(rig_stats().resets_backend, 1);
}

static void a_reset_after_a_half_close_is_passed_on(void **state)
{
    (void)state;
    if (strcmp(tusk_loop_driver(r.loop), "select") == 0) {
        skip(); /* it sees no hang-up that nobody reads: half_closed_ms ends such a pair */
    }
    ends both = join();
    meet(both.client, both.server);
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    rig_reset(both.client);
    both.client = -1;
    expect_end("client reset");
    int number = 0;
    socklen_t len = sizeof(number);
    assert_int_equal(getsockopt(both.server, SOL_SOCKET, SO_ERROR, &number, &len), 0);
    assert_int_equal(number, EPIPE); /* that is what a reset is after an end */
    leave(both);
}

static void a_backend_that_answers_and_resets_is_heard_first(void **state)
{
    (void)state;
    ends both = join();
    meet(both.client, both.server);
    rig_send(both.server, "too much");
    rig_expect(both.client, "too much");
    rig_reset(both.server);
    rig_expect_reset(both.client);
    both.server = -1;
    leave(both);
    expect_end("backend reset");
}

static void an_idle_pair_ends_in_time(void **state)
{
    (void)state;
    r.options.limits.idle_ms = 30;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_expect_eof(both.client);
    rig_expect_eof(both.server);
    expect_end("idle");
    assert_int_equal(rig_stats().idle_timeouts, 1);
    leave(both);
}

/* The process was stopped: its clients could not know. */
static void a_sleep_of_the_proxy_is_nobodys_silence(void **state)
{
    (void)state;
    r.options.limits.idle_ms = 3000;
    ends both = join();
    still_stop();
    still_pass_ms(10000);
    rig_turn();
    rig_turn();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    still_pass_ms(2000);
    rig_turn();
    rig_send(both.server, "y");
    rig_expect(both.client, "y");
    leave(both);
    expect_end("done");
    still_end(); /* not before: the clock goes back, and who has half-closed would be silent for
                    years */
    assert_int_equal(rig_stats().idle_timeouts, 0);
}

static void the_routes_idle_time_goes_before_the_relays(void **state)
{
    (void)state;
    r.route.idle_ms = 20;
    ends both = join();
    rig_expect_eof(both.client);
    expect_end("idle");
    leave(both);
}

static void a_half_closed_pair_in_silence_ends_in_time(void **state)
{
    (void)state;
    r.options.limits.half_closed_ms = 30;
    ends both = join();
    meet(both.client, both.server);
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    rig_expect_eof(both.client);
    expect_end("half-closed");
    assert_int_equal(rig_stats().half_closed_timeouts, 1);
    leave(both);
}

static void a_silent_backend_is_given_up(void **state)
{
    (void)state;
    r.options.limits.backend_first_ms = 30;
    ends both = join();
    rig_send(both.client, "hello?");
    rig_expect_eof(both.client);
    expect_end("backend silent");
    assert_int_equal(rig_stats().backend_first_timeouts, 1);
    leave(both);
}

/* The time is for its first byte: who has spoken may be silent as long as any other. */
static void who_has_answered_once_is_no_silent_backend(void **state)
{
    (void)state;
    r.options.limits.backend_first_ms = 3000;
    ends both = join();
    rig_send(both.server, "x");
    rig_expect(both.client, "x");
    still_stop();
    for (int i = 0; i < 40; i++) { /* in steps that are no sleep of the proxy */
        still_pass_ms(100);
        rig_turn();
    }
    assert_int_equal(rig_stats().backend_first_timeouts, 0);
    rig_send(both.server, "y");
    rig_expect(both.client, "y");
    leave(both);
    expect_end("done");
    still_end();
}

static void a_busy_pair_ends_at_its_age(void **state)
{
    (void)state;
    r.options.limits.age_ms = 50;
    ends both = join();
    char byte;
    ssize_t got = -1;
    rig_until((send(both.client, "x", 1, MSG_NOSIGNAL), send(both.server, "y", 1, MSG_NOSIGNAL),
               got = recv(both.client, &byte, 1, 0), got == 0 || (got < 0 && errno != EAGAIN)));
    expect_end("age");
    assert_int_equal(rig_stats().aged, 1);
    leave(both);
}

static void a_stop_lets_sessions_end_by_themselves(void **state)
{
    (void)state;
    ends both = join();
    tusk_relay_stop(r.relay);
    rig_turn();
    assert_int_equal(r.stopped, 0);
    rig_send(both.client, "last words");
    rig_expect(both.server, "last words");
    leave(both);
    rig_until(r.stopped == 1);
    expect_end("done");
}

static void a_stop_cuts_stragglers_in_time(void **state)
{
    (void)state;
    r.options.limits.drain_ms = 20;
    ends both = join();
    tusk_relay_stop(r.relay);
    rig_until(r.stopped == 1);
    expect_end("stopped");
    leave(both);
}

static void a_second_stop_is_at_once(void **state)
{
    (void)state;
    ends both = join();
    tusk_relay_stop(r.relay);
    tusk_relay_stop(r.relay);
    assert_int_equal(r.record_count, 1);
    rig_until(r.stopped == 1);
    leave(both);
}

#define promise(test) cmocka_unit_test_setup_teardown(test, contract_set_up, rig_tear_down)

/* What holds of a pair however it began. */
#define CONTRACT_OF_JOINED                                                                         \
    promise(bytes_flow_both_ways),                                                                 \
        promise(records_nobody_wants_are_not_told_and_counters_are_the_same),                      \
        promise(the_server_may_speak_first), promise(the_client_half_closes),                      \
        promise(the_backend_half_closes), promise(a_reset_of_the_client_is_passed_on),             \
        promise(a_reset_of_the_backend_is_passed_on),                                              \
        promise(a_reset_after_a_half_close_is_passed_on),                                          \
        promise(eight_mib_each_way_arrive_whole),                                                  \
        promise(eight_mib_after_the_other_side_has_ended_arrive_whole),                            \
        promise(a_stalled_reader_stops_the_writer_and_costs_no_more_than_its_limit),               \
        promise(a_stream_that_is_cut_by_a_deadline_ends_by_a_reset),                               \
        promise(a_writer_that_ends_before_its_reader_begins_loses_nothing),                        \
        promise(an_end_leaves_the_other_direction_alone),                                          \
        promise(a_backend_that_answers_and_resets_is_heard_first),                                 \
        promise(an_idle_pair_ends_in_time), promise(a_sleep_of_the_proxy_is_nobodys_silence),      \
        promise(the_routes_idle_time_goes_before_the_relays),                                      \
        promise(a_half_closed_pair_in_silence_ends_in_time), promise(a_busy_pair_ends_at_its_age), \
        promise(a_stop_lets_sessions_end_by_themselves), promise(a_stop_cuts_stragglers_in_time),  \
        promise(a_second_stop_is_at_once)

static inline int contract_run_tests(const contract_engine *which, const struct CMUnitTest *tests,
                                     size_t count)
{
    char title[64];
    contract = which;
    if (which->poller == NULL) {
        return test_run_pollers(which->name, tests, count);
    }
    test_poller = which->poller;
    (void)snprintf(title, sizeof(title), "%s with %s", which->name, which->poller);
    return _cmocka_run_group_tests(title, tests, count, NULL, NULL);
}

/* How many of the suite's tests failed. */
static inline int contract_run(const contract_engine *which)
{
    const struct CMUnitTest joined[] = {CONTRACT_OF_JOINED};
    const struct CMUnitTest all[] = {
        CONTRACT_OF_JOINED,
        promise(what_the_client_sent_before_it_was_joined_arrives),
        promise(a_first_packet_written_anew_goes_first),
        promise(what_stood_behind_a_proxy_head_arrives_once),
        promise(ipv6_clients_reach_ipv6_backends),
        promise(ipv4_clients_reach_ipv6_backends),
        promise(ipv6_clients_reach_ipv4_backends),
        promise(a_silent_backend_is_given_up),
        promise(who_has_answered_once_is_no_silent_backend),
        promise(an_end_that_nobody_read_is_no_byte),
        promise(a_reset_with_bytes_unread_counts_them),
        promise(an_end_before_such_a_reset_is_no_byte),
        promise(an_end_that_ours_follows_is_no_byte_of_a_reset),
        promise(an_end_that_follows_ours_is_no_byte_of_a_reset),
    };
    return which->upgraded ? contract_run_tests(which, joined, sizeof(joined) / sizeof(joined[0]))
                           : contract_run_tests(which, all, sizeof(all) / sizeof(all[0]));
}
#undef promise

#endif
