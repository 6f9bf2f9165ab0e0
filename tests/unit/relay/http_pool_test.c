/* SPDX-License-Identifier: MIT */
/* Where the connections of the HTTP proxy to a backend are bounded: waiting for room in a pool, and
 * for a place at a target. */
#include "http_rig.h"

/* ---- a pool's room ---- */
static void requests_wait_for_room_in_a_full_pool(void **state)
{
    (void)state;
    h.options.pool_size = 1;
    h.options.pool_waiting = 1;
    rig_start();
    int backend;
    int first = http_asks(&backend);
    int second = rig_client();
    rig_send(second, http_get);
    rig_until(http_stats().pool_waits == 1);
    int third = rig_client();
    rig_send(third, http_get);
    http_expect_refusal(third, "503 Service Unavailable: too many requests wait", false);
    assert_int_equal(http_stats().pool_wait_refused, 1);
    rig_send(backend, http_ok);
    rig_expect(first, http_ok);
    rig_expect(backend, http_get); /* the second one's, on the same connection */
    rig_send(backend,
             "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    rig_expect(second, "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\n\r\n");
    rig_until(http_stats().lines == 0);
    /* Room comes also when a connection goes. */
    rig_send(first, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    int next = rig_accept(h.listener);
    rig_expect(next, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    rig_send(second, http_get);
    rig_until(http_stats().pool_waits == 2);
    (void)close(next);
    http_expect_refusal(first, "502 Bad Gateway: the backend ended", false);
    int last = rig_accept(h.listener);
    rig_expect(last, http_get);
    rig_send(last, http_ok);
    rig_expect(second, http_ok);
    (void)close(first);
    (void)close(second);
    (void)close(third);
    (void)close(backend);
    (void)close(last);
}

static void waiting_for_room_has_an_end(void **state)
{
    (void)state;
    h.options.pool_size = 1;
    h.options.pool_wait_ms = 30;
    rig_start();
    int first = rig_client();
    rig_send(first, http_get);
    int backend = rig_accept(h.listener);
    int second = rig_client();
    rig_send(second, http_get);
    http_expect_refusal(second, "503 Service Unavailable: the backend is busy", false);
    assert_int_equal(http_stats().pool_wait_timeouts, 1);
    (void)close(first);
    (void)close(second);
    (void)close(backend);
}

/* ---- a target's places ---- */
static void a_full_target_is_waited_for_and_its_connection_used_again(void **state)
{
    int backend;
    (void)state;
    r.options.limits.per_target = 1;
    r.options.limits.queue_ms = 1000000;
    rig_start();
    int first = http_asks(&backend);
    int second = rig_client();
    rig_send(second, http_get);
    rig_until(rig_stats().queue_waits == 1);
    http_answers(first, backend);
    rig_expect(backend, http_get);
    http_answers(second, backend);
    assert_int_equal(http_stats().reused, 1);
    assert_int_equal(http_stats().lines, 1);
    (void)close(first);
    (void)close(second);
    (void)close(backend);
}

static void a_full_target_is_unavailable_when_nobody_may_wait(void **state)
{
    int backend;
    (void)state;
    r.options.limits.per_target = 1;
    rig_start();
    int first = http_asks(&backend);
    int second = rig_client();
    rig_send(second, http_get);
    http_expect_refusal(
        second, "503 Service Unavailable: the backend has as many connections as it may", false);
    assert_int_equal(rig_stats().refused_target, 1);
    assert_non_null(strstr(r.log, " has as many connections as may be (perTarget 1): refused"));
    http_answers(first, backend);
    assert_int_equal(http_stats().pool_given_up, 0);
    (void)close(first);
    (void)close(second);
    (void)close(backend);
}

/* The connection that the backend has closed still takes the only place when the request is to go
 * once more. */
static void a_request_sent_once_more_has_the_place_of_its_lost_connection(void **state)
{
    int kept;
    (void)state;
    r.options.limits.per_target = 1;
    rig_start();
    int client = http_begin(&kept);
    rig_send(client, http_get);
    rig_expect(kept, http_get);
    (void)close(kept);
    int again = rig_accept(h.listener);
    rig_expect(again, http_get);
    http_answers(client, again);
    assert_int_equal(http_stats().retried, 1);
    assert_int_equal(rig_stats().refused_target, 0);
    (void)close(client);
    (void)close(again);
}

static void the_same_where_its_pool_is_full_and_nobody_may_wait(void **state)
{
    int kept;
    (void)state;
    h.options.pool_size = 1;
    h.options.pool_waiting = 0;
    rig_start();
    int client = http_begin(&kept);
    rig_send(client, http_get);
    rig_expect(kept, http_get);
    (void)close(kept);
    int again = rig_accept(h.listener);
    rig_expect(again, http_get);
    http_answers(client, again);
    assert_int_equal(http_stats().pool_wait_refused, 0);
    (void)close(client);
    (void)close(again);
}

/* A PROXY head needs a connection of its client's own. */
static void a_kept_connection_gives_way_to_who_cannot_use_it(void **state)
{
    int kept;
    (void)state;
    r.options.limits.per_target = 1;
    rig_start();
    int first = http_begin(&kept);
    r.route.proxy_version = 1;
    int second = rig_client();
    rig_send(second, "GET / HTTP/1.1\r\nHost: b\r\n\r\n");
    int own = rig_accept(h.listener);
    rig_expect(own, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    rig_expect_eof(kept);
    assert_int_equal(http_stats().pool_given_up, 1);
    (void)close(first);
    (void)close(second);
    (void)close(kept);
    (void)close(own);
}

/* Who waits in line for one target is not served by a connection to another one, whoever of those
 * in line has waited longest. */
static void a_free_connection_goes_to_who_waits_for_its_own_target(void **state)
{
    uint16_t port[2];
    int listener[2];
    int busy[2];
    int asks[2];
    int waits[2];
    (void)state;
    r.options.limits.per_target = 1;
    r.options.limits.queue_ms = 60000;
    r.route.ttl_ms = 0;
    rig_start();
    for (int i = 0; i < 2; i++) {
        listener[i] = rig_listen(&port[i]);
        r.target_count = 0;
        rig_target(port[i], 1);
        asks[i] = rig_client();
        rig_send(asks[i], http_get);
        busy[i] = rig_accept(listener[i]);
        rig_expect(busy[i], http_get);
    }
    for (int i = 1; i >= 0; i--) { /* of the second target first */
        r.target_count = 0;
        rig_target(port[i], 1);
        waits[i] = rig_client();
        rig_send(waits[i], i == 0 ? "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
                                  : "GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
        rig_until(rig_stats().queue_waits == (uint64_t)(2 - i));
    }
    http_answers(asks[0], busy[0]);
    rig_expect(busy[0], "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    http_answers(asks[1], busy[1]);
    rig_expect(busy[1], "GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    for (int i = 0; i < 2; i++) {
        (void)close(listener[i]);
        (void)close(busy[i]);
        (void)close(asks[i]);
        (void)close(waits[i]);
    }
}

/* Nor by one that its backend has not been told of, where a PROXY head is to say who it is. */
static void who_waits_with_a_proxy_head_is_not_served_without_it(void **state)
{
    int busy;
    (void)state;
    r.options.limits.per_target = 1;
    r.options.limits.queue_ms = 60000;
    r.route.ttl_ms = 0;
    rig_start();
    int first = http_asks(&busy);
    r.route.proxy_version = 1;
    int second = rig_client();
    rig_send(second, http_get);
    rig_until(rig_stats().queue_waits == 1);
    http_answers(first, busy);
    rig_expect_eof(busy);
    int own = rig_accept(h.listener);
    rig_expect(own, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    (void)close(first);
    (void)close(second);
    (void)close(busy);
    (void)close(own);
}

/* Nor is it kept for anybody: what the head says holds for all that follows it. */
static void a_connection_with_a_proxy_head_serves_one_request(void **state)
{
    (void)state;
    r.route.proxy_version = 1;
    r.fields = 1u << TUSK_LOOKUP_PATH;
    rig_start();
    int first = rig_client();
    rig_send(first, http_get);
    int own = rig_accept(h.listener);
    rig_expect(own, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    rig_send(own, http_ok);
    rig_expect(first, http_ok);
    r.route.proxy_version = 0;
    int second = rig_client();
    rig_send(second, "GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
    int other = rig_accept(h.listener);
    rig_expect(other, "GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
    http_answers(second, other);
    assert_int_equal(http_stats().reused, 0);
    (void)close(first);
    (void)close(second);
    (void)close(own);
    (void)close(other);
}

/* The same where it is the pool that is full: one request after the other. */
static void also_in_a_full_pool_and_no_more_are_opened_than_may_be(void **state)
{
    int kept;
    (void)state;
    h.options.pool_size = 1;
    rig_start();
    int first = http_begin(&kept);
    r.route.proxy_version = 1;
    int own[2];
    for (int i = 0; i < 2; i++) {
        own[i] = rig_client();
        rig_send(own[i], "GET / HTTP/1.1\r\nHost: b\r\n\r\n");
        rig_until(http_stats().pool_waits == (uint64_t)i + 1);
    }
    int backend = rig_accept(h.listener);
    rig_expect(backend, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    rig_expect_eof(kept);
    assert_int_equal(http_stats().pool_given_up, 1);
    assert_int_equal(http_stats().lines, 1);
    rig_send(backend, http_ok);
    rig_expect(own[0], http_ok);
    int next = rig_accept(h.listener);
    rig_send(next, http_ok);
    rig_expect(own[1], http_ok);
    assert_int_equal(http_stats().pool_wait_timeouts, 0);
    (void)close(first);
    (void)close(own[0]);
    (void)close(own[1]);
    (void)close(kept);
    (void)close(backend);
    (void)close(next);
}

/* One that becomes free is no room for those who cannot use it. */
static void a_connection_that_becomes_free_is_no_room_for_who_cannot_use_it(void **state)
{
    int busy[2];
    int client[2];
    int own[3];
    (void)state;
    h.options.pool_size = 2;
    rig_start();
    for (int i = 0; i < 2; i++) {
        client[i] = http_asks(&busy[i]);
    }
    r.route.proxy_version = 1;
    for (int i = 0; i < 3; i++) {
        own[i] = rig_client();
        rig_send(own[i], "GET / HTTP/1.1\r\nHost: b\r\n\r\n");
    }
    rig_until(http_stats().pool_waits == 3);
    http_answers(client[0], busy[0]);
    int backend = rig_accept(h.listener);
    rig_expect(backend, "PROXY TCP4 127.0.0.1 127.0.0.1 ");
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    assert_int_equal(http_stats().lines, 2);
    assert_int_equal(http_stats().pool_given_up, 1);
    (void)close(busy[0]);
    (void)close(busy[1]);
    (void)close(backend);
    for (int i = 0; i < 3; i++) {
        (void)close(own[i]);
    }
    (void)close(client[0]);
    (void)close(client[1]);
}

/* Which nobody knows yet when it becomes free: what is no GET is not risked on it. */
static void nor_is_one_that_its_backend_has_closed_already(void **state)
{
    static const char post[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    int client[3];
    (void)state;
    h.options.pool_size = 1;
    rig_start();
    for (int i = 0; i < 3; i++) {
        client[i] = rig_client();
        rig_send(client[i], post);
        rig_until(http_stats().requests == (uint64_t)i + 1);
    }
    for (int i = 0; i < 3; i++) {
        int backend = rig_accept(h.listener);
        rig_turn();
        rig_turn();
        assert_int_equal(http_stats().lines, 1);
        rig_expect(backend, post);
        rig_send(backend, http_ok);
        (void)close(backend);
        rig_expect(client[i], http_ok);
        (void)close(client[i]);
    }
    assert_int_equal(http_stats().pool_waits, 2);
}

/* How many are there, and who has just come; what they are asked is not answered. */
static int come(int listener, int fds[], int count)
{
    while ((fds[count] = accept(listener, NULL, NULL)) >= 0) {
        count++;
    }
    return count;
}

static void each_of_several_targets_has_no_more_connections_than_may_be(void **state)
{
    enum { CLIENTS = 16, SIZE = 2 };
    uint16_t port;
    int client[CLIENTS];
    int of[2][CLIENTS + 1];
    int count[2] = {0, 0};
    (void)state;
    int listener[2] = {h.listener, rig_listen(&port)};
    rig_target(port, 1);
    h.options.pool_size = SIZE;
    rig_start();
    for (int i = 0; i < CLIENTS; i++) {
        client[i] = rig_client();
        rig_send(client[i], http_get);
    }
    rig_until(http_stats().requests == CLIENTS &&
              http_stats().lines + http_stats().pool_waits >= CLIENTS);
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    for (int i = 0; i < 2; i++) {
        count[i] = come(listener[i], of[i], 0);
        assert_true(count[i] <= SIZE);
    }
    for (int i = 0; i < CLIENTS; i++) {
        (void)close(client[i]);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < count[i]; k++) {
            (void)close(of[i][k]);
        }
    }
    (void)close(listener[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(requests_wait_for_room_in_a_full_pool),
        http_test(waiting_for_room_has_an_end),
        http_test(a_full_target_is_waited_for_and_its_connection_used_again),
        http_test(a_full_target_is_unavailable_when_nobody_may_wait),
        http_test(a_request_sent_once_more_has_the_place_of_its_lost_connection),
        http_test(the_same_where_its_pool_is_full_and_nobody_may_wait),
        http_test(a_kept_connection_gives_way_to_who_cannot_use_it),
        http_test(a_connection_with_a_proxy_head_serves_one_request),
        http_test(who_waits_with_a_proxy_head_is_not_served_without_it),
        http_test(a_free_connection_goes_to_who_waits_for_its_own_target),
        http_test(also_in_a_full_pool_and_no_more_are_opened_than_may_be),
        http_test(a_connection_that_becomes_free_is_no_room_for_who_cannot_use_it),
        http_test(nor_is_one_that_its_backend_has_closed_already),
        http_test(each_of_several_targets_has_no_more_connections_than_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
