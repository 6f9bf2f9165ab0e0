/* SPDX-License-Identifier: MIT */
/* Places at a target that kept HTTP connections take: given up when somebody else wants one, in
 * another worker too. */
#define _GNU_SOURCE
#include "shared_rig.h"

#include "relay/http/inner.h"
#include "relay/shared_places.h"

static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
static const char answer[] = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\nhi";

static void begin_http(uint32_t per_target)
{
    s.kind = TUSK_RELAY_HTTP;
    s.limits.per_target = per_target;
    begin(1);
}

static tusk_relay_http_stats http_stats(int relay)
{
    return s.relay[relay]->http->stats;
}

static void ask(int client)
{
    assert_int_equal(send(client, request, sizeof(request) - 1, MSG_NOSIGNAL),
                     (ssize_t)sizeof(request) - 1);
}

/* The next connection that the backend has, with a request on it. */
static int backend_hears(void)
{
    char byte[4096];
    int fd = -1;
    UNTIL((fd = accept4(s.backend, NULL, NULL, SOCK_NONBLOCK)) >= 0);
    UNTIL(recv(fd, byte, sizeof(byte), 0) > 0);
    return fd;
}

static void backend_answers(int fd)
{
    assert_int_equal(send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL),
                     (ssize_t)sizeof(answer) - 1);
}

static int status_of(int client)
{
    char text[4096] = "";
    ssize_t got = -1;
    UNTIL((got = recv(client, text, sizeof(text) - 1, 0)) > 0);
    return atoi(text + strlen("HTTP/1.1 "));
}

/* A request of this worker's is answered, and its connection kept. */
static int served_by(int relay)
{
    int client = dial(relay);
    ask(client);
    int fd = backend_hears();
    backend_answers(fd);
    assert_int_equal(status_of(client), 200);
    return fd;
}

static void a_connection_that_another_worker_keeps_gives_its_place_up(void **state)
{
    (void)state;
    begin_http(1);
    int kept = served_by(A);
    assert_int_equal(http_stats(A).kept, 1);
    int client = dial(B);
    ask(client);
    int fd = backend_hears();
    assert_true(ended(kept)); /* never two at once */
    backend_answers(fd);
    assert_int_equal(status_of(client), 200);
    assert_int_equal(http_stats(A).pool_given_up, 1);
    assert_int_equal(http_stats(A).kept, 0);
    assert_int_equal(s.relay[B]->stats.queue_timeouts, 0);
    (void)close(kept);
    (void)close(fd);
}

static void places_go_back_and_forth(void **state)
{
    (void)state;
    begin_http(1);
    int last = served_by(A);
    for (int i = 1; i <= 6; i++) {
        int next = served_by(i % 2 == 0 ? A : B);
        assert_true(ended(last));
        (void)close(last);
        last = next;
    }
    assert_int_equal(http_stats(A).pool_given_up, 3);
    assert_int_equal(http_stats(B).pool_given_up, 3);
    (void)close(last);
}

static void a_connection_that_works_gives_nothing_up(void **state)
{
    (void)state;
    begin_http(1);
    int first = dial(A);
    ask(first);
    int fd = backend_hears();
    int second = dial(B);
    ask(second);
    assert_int_equal(status_of(second), 503);
    assert_int_equal(http_stats(A).pool_given_up, 0);
    backend_answers(fd);
    assert_int_equal(status_of(first), 200);
    (void)close(fd);
}

/* The only place is A's, which the backend is to answer yet; B waits for it. */
static int one_works_and_one_is_in_line(int *first, int *second)
{
    begin_http(1);
    *first = dial(A);
    ask(*first);
    int fd = backend_hears();
    *second = dial(B);
    ask(*second);
    UNTIL(s.relay[B]->stats.queue_waits == 1);
    return fd;
}

/* Its relay looks again on behalf of all in line, and finds its time over before its own timer
 * does. */
static void who_waited_in_vain_is_counted_whoever_finds_it(void **state)
{
    (void)state;
    s.limits.queue_ms = 30;
    int first, second;
    int fd = one_works_and_one_is_in_line(&first, &second);
    (void)usleep(60000);
    assert_int_equal(status_of(second), 503);
    assert_int_equal(s.relay[B]->stats.queue_timeouts, 1);
    assert_int_equal(s.relay[B]->stats.refused_target, 1);
    backend_answers(fd);
    assert_int_equal(status_of(first), 200);
    (void)close(fd);
}

/* It is in line while the other one works, and asks when that is kept. */
static void who_is_in_line_gets_what_another_worker_keeps_later(void **state)
{
    (void)state;
    s.limits.queue_ms = 1000000;
    int first, second;
    int fd = one_works_and_one_is_in_line(&first, &second);
    backend_answers(fd);
    assert_int_equal(status_of(first), 200);
    int other = backend_hears();
    assert_true(ended(fd));
    backend_answers(other);
    assert_int_equal(status_of(second), 200);
    (void)close(fd);
    (void)close(other);
}

static void no_more_are_given_up_than_are_wanted(void **state)
{
    int kept[3], clients[3];
    (void)state;
    begin_http(3);
    for (int i = 0; i < 3; i++) {
        clients[i] = dial(A);
        ask(clients[i]);
        kept[i] = backend_hears();
    }
    for (int i = 0; i < 3; i++) {
        backend_answers(kept[i]);
        assert_int_equal(status_of(clients[i]), 200);
    }
    int fd = served_by(B);
    assert_int_equal(http_stats(A).pool_given_up, 1);
    assert_int_equal(http_stats(A).kept, 2);
    assert_true(ended(kept[0])); /* the oldest */
    (void)close(fd);
    for (int i = 0; i < 3; i++) {
        (void)close(kept[i]);
    }
}

static void who_is_gone_is_asked_for_nothing(void **state)
{
    (void)state;
    begin_http(1);
    int kept = served_by(A);
    uint64_t hash = relay_target_hash(s.relay[A], tusk_bytes_str(s.target));
    assert_int_equal(relay_share_kept(s.shared, A, hash), 1);
    assert_true(relay_places_ask(s.relay[B], hash));
    tusk_relay_shared_gone(s.shared, A);
    assert_int_equal(relay_share_kept(s.shared, A, hash), 0);
    assert_int_equal(atomic_load(&s.shared->places[A].asked[0]), 0);
    assert_false(relay_places_ask(s.relay[B], hash));
    atomic_store(net_seats_held(&s.shared->seats, A),
                 1); /* as it was: relay A is no dead process */
    atomic_store(&s.shared->gates.taken[0], 1);
    (void)close(kept);
}

static void requests_of_all_workers_are_one_count(void **state)
{
    tusk_relay_http_stats sums = {.requests = 0};
    begin_http(2);
    int ends[] = {served_by(A), served_by(B)};
    for (int turn = 0; sums.requests != 2; turn++) {
        assert_true(turn < TURNS_MAX);
        assert_err(tusk_loop_turn(s.loop, 5), TUSK_OK);
        tusk_relay_shared_http_stats(s.shared, &sums);
    }
    tusk_relay_shared_gone(s.shared, A);
    tusk_relay_shared_http_stats(s.shared, &sums);
    assert_int_equal(sums.requests, 2);
    for (size_t i = 0; i < 2; i++) {
        (void)close(ends[i]);
    }
}

static void relays_that_keep_nothing_have_no_bells(void **state)
{
    (void)state;
    s.limits.per_target = 1;
    begin(1);
    assert_null(s.shared->places);
    assert_int_equal(s.shared->bell_count, 0);
    assert_false(relay_places_ask(s.relay[A], 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARED_TEST(a_connection_that_another_worker_keeps_gives_its_place_up),
        SHARED_TEST(places_go_back_and_forth),
        SHARED_TEST(a_connection_that_works_gives_nothing_up),
        SHARED_TEST(who_waited_in_vain_is_counted_whoever_finds_it),
        SHARED_TEST(who_is_in_line_gets_what_another_worker_keeps_later),
        SHARED_TEST(no_more_are_given_up_than_are_wanted),
        SHARED_TEST(who_is_gone_is_asked_for_nothing),
        SHARED_TEST(requests_of_all_workers_are_one_count),
        SHARED_TEST(relays_that_keep_nothing_have_no_bells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
