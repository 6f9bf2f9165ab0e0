/* SPDX-License-Identifier: MIT */
/* Targets and dials: weights, retries, ejection, names, the guard, limits at the door. */
#define _GNU_SOURCE
#include <sys/un.h>

#include "rig.h"

#include "relay/inner.h"

static int backend;

static uint16_t open_backend(void)
{
    uint16_t port;
    backend = rig_listen(&port);
    return port;
}

static void expect_status(uint16_t status)
{
    int client = rig_client();
    int before = r.record_count;
    rig_until(r.record_count == before + 1);
    assert_int_equal(r.records[before].status, status);
    (void)close(client);
}

#if defined(__linux__)
/* What the kernel tells behind what every libc knows of it. */
typedef struct segments {
    char known[offsetof(struct tcp_info, tcpi_total_retrans) + sizeof(uint32_t)];
    uint64_t rates_and_bytes[4];
    uint32_t out, in;
    uint32_t not_sent, min_rtt;
    uint32_t with_data_in;
} segments;

/* Segments that the backend's socket has had when it has heard the client: its connection's, then
 * data. */
static unsigned segments_until_heard(int client, int server)
{
    segments info = {.in = 0};
    socklen_t len = sizeof(info);
    rig_expect(server, "question");
    assert_int_equal(getsockopt(server, IPPROTO_TCP, TCP_INFO, &info, &len), 0);
    assert_int_equal(info.with_data_in, 1);
    (void)close(client);
    (void)close(server);
    return info.in;
}

static void what_the_client_said_already_comes_with_the_end_of_the_handshake(void **state)
{
    (void)state;
    rig_target(open_backend(), 1);
    r.listen.first = TUSK_FIRST_SERVER;
    rig_start();
    int client = rig_client();
    rig_send(client, "question");
    unsigned known = segments_until_heard(client, rig_accept(backend));
    client = rig_client();
    int server = rig_accept(backend); /* nothing was said, and the backend is there all the same */
    rig_send(client, "question");
    unsigned later = segments_until_heard(client, server);
    assert_int_equal(known + 1, later);
    (void)close(backend);
    rig_until(rig_stats().active == 0);
}
#endif

static void what_refuses_is_tried_elsewhere(void **state)
{
    (void)state;
    rig_target(rig_dead_port(), 1000000);
    rig_target(open_backend(), 1);
    rig_start();
    rig_expect_joined(backend);
    assert_int_equal(rig_stats().retries, 1);
    assert_int_equal(rig_stats().dial_failures, 1);
    (void)close(backend);
}

static void when_all_refuse_it_is_502(void **state)
{
    (void)state;
    rig_target(rig_dead_port(), 1);
    rig_target(rig_dead_port(), 1);
    rig_start();
    expect_status(502);
    assert_string_equal(r.records[0].end, "the backend refuses connections");
    assert_int_equal(rig_stats().dials, 2);
}

static void no_more_targets_are_tried_than_attempts(void **state)
{
    (void)state;
    r.options.limits.attempts = 2;
    for (int i = 0; i < 4; i++) {
        rig_target(rig_dead_port(), 1);
    }
    rig_start();
    expect_status(502);
    assert_int_equal(rig_stats().dials, 2);
}

static void failures_in_a_row_eject_and_one_connection_tries_again(void **state)
{
    uint16_t dead = rig_dead_port();
    (void)state;
    r.options.limits.eject_failures = 2;
    r.options.limits.eject_ms = 60000;
    uint64_t began_ms = tusk_loop_clock_ns() / 1000000;
    rig_target(dead, 1000000);
    rig_target(open_backend(), 1);
    rig_start();
    tusk_bytes address = r.targets[0].address;
    assert_int_equal(tusk_relay_health(r.relay, address), -1);
    rig_expect_joined(backend);
    assert_int_equal(tusk_relay_health(r.relay, address), 1);
    rig_expect_joined(backend);
    assert_int_equal(tusk_relay_health(r.relay, address), 0);
    assert_int_equal(rig_stats().ejections, 1);
    assert_int_equal(rig_stats().ejected, 1);
    assert_memory_equal(r.log, r.address[0], strlen(r.address[0]));
    assert_string_equal(r.log + strlen(r.address[0]), " is down: 2 failures in a row");
    rig_expect_joined(backend);
    assert_int_equal(rig_stats().dial_failures, 2);
    /* Its time is over when the test says so, not when the machine does. */
    _Atomic uint64_t *until_ms = &relay_target_find(r.relay, address)->health.ejected_until_ms;
    assert_in_range(atomic_load(until_ms), began_ms + 60000,
                    tusk_loop_clock_ns() / 1000000 + 60000);
    atomic_store(until_ms, 0);
    rig_expect_joined(backend);
    assert_int_equal(rig_stats().dial_failures, 3);
    (void)close(backend);
}

/* A site whose backends all go is told which; a map whose thousands go does not fill the log. */
static void of_targets_that_go_some_are_named_and_the_rest_counted(void **state)
{
    enum { NAMED = 16, MORE = 5 };
    (void)state;
    rig_target(open_backend(), 1);
    rig_start();
    for (int i = 0; i < NAMED; i++) {
        relay_say(r.relay, NOTICE_HEALTH, "target %d", i);
    }
    assert_string_equal(r.log, "target 15");
    for (int i = 0; i < MORE; i++) {
        relay_say(r.relay, NOTICE_HEALTH, "target %d", NAMED + i);
    }
    assert_string_equal(r.log, "target 15");
    (void)close(backend);
}

static void when_all_are_ejected_ejection_is_ignored(void **state)
{
    (void)state;
    r.options.limits.eject_failures = 1;
    rig_target(rig_dead_port(), 1);
    rig_start();
    expect_status(502);
    assert_int_equal(rig_stats().ejected, 1);
    expect_status(502);
    assert_int_equal(rig_stats().dial_failures, 2);
}

static void weights_are_kept_and_a_spare_is_for_need(void **state)
{
    uint16_t port[3];
    int listener[3];
    int count[3] = {0, 0, 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        listener[i] = rig_listen(&port[i]);
        rig_target(port[i], i == 0 ? 3 : i == 1 ? 1 : 0);
    }
    rig_start();
    for (int i = 0; i < 60; i++) {
        int client = rig_client();
        int server = -1;
        for (int k = 0; server < 0; k = (k + 1) % 3) {
            rig_turn();
            server = accept(listener[k], NULL, NULL);
            count[k] += server >= 0 ? 1 : 0;
        }
        (void)close(client);
        (void)close(server);
        r.record_count = 0;
    }
    assert_true(count[0] > count[1]);
    assert_true(count[1] > 0);
    assert_int_equal(count[2], 0);
    for (int i = 0; i < 3; i++) {
        (void)close(listener[i]);
    }
}

static void a_full_target_is_passed_over_and_then_503(void **state)
{
    (void)state;
    r.options.limits.per_target = 1;
    rig_target(open_backend(), 1);
    rig_start();
    int client = rig_client();
    int server = rig_accept(backend);
    expect_status(503);
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 2);
    rig_expect_joined(backend);
    (void)close(backend);
}

static int accept_saying(const char *word)
{
    int server = rig_accept(backend);
    rig_expect(server, word);
    return server;
}

static int client_saying(const char *word)
{
    int client = rig_client();
    rig_send(client, word);
    return client;
}

static void at_a_full_target_connections_wait_in_line(void **state)
{
    (void)state;
    r.options.limits.per_target = 1;
    r.options.limits.queue_ms = 1000000;
    rig_target(open_backend(), 1);
    rig_start();
    int first = client_saying("1");
    int server = accept_saying("1");
    int second = client_saying("2");
    rig_until(rig_stats().queue_waits == 1);
    int third = client_saying("3");
    rig_until(rig_stats().queue_waits == 2);
    int fourth = client_saying("4");
    rig_until(rig_stats().queue_waits == 3);
    assert_int_equal(rig_stats().dials, 1);
    rig_reset(third); /* who leaves the line holds up nobody */
    rig_until(r.record_count == 1);
    (void)close(first);
    (void)close(server);
    server = accept_saying("2");
    assert_int_equal(rig_stats().dials, 2);
    (void)close(second);
    (void)close(server);
    server = accept_saying("4");
    (void)close(fourth);
    (void)close(server);
    rig_until(r.record_count == 4);
    rig_expect_joined(backend); /* nobody is counted as waiting any more */
    assert_int_equal(rig_stats().queue_timeouts, 0);
    (void)close(backend);
}

static void who_waits_in_line_too_long_is_503(void **state)
{
    (void)state;
    r.options.limits.per_target = 1;
    r.options.limits.queue_ms = 20;
    rig_target(open_backend(), 1);
    rig_start();
    int client = rig_client();
    int server = rig_accept(backend);
    expect_status(503);
    assert_int_equal(rig_stats().queue_waits, 1);
    assert_int_equal(rig_stats().queue_timeouts, 1);
    assert_int_equal(rig_stats().refused_target, 1);
    assert_non_null(strstr(r.log, "(perTarget 1): refused"));
    (void)close(client);
    (void)close(server);
    (void)close(backend);
}

static void a_stop_cuts_who_waits_in_line(void **state)
{
    (void)state;
    r.options.limits.per_target = 1;
    r.options.limits.queue_ms = 1000000;
    rig_target(open_backend(), 1);
    rig_start();
    int client = rig_client();
    int server = rig_accept(backend);
    int waiting = rig_client();
    rig_until(rig_stats().queue_waits == 1);
    tusk_relay_stop(r.relay);
    tusk_relay_stop(r.relay);
    rig_until(r.stopped == 1);
    assert_int_equal(r.record_count, 2);
    (void)close(client);
    (void)close(server);
    (void)close(waiting);
    (void)close(backend);
}

static void an_unanswered_connect_is_504_in_time(void **state)
{
    uint16_t port;
    int fill[RIG_FILL];
    (void)state;
    backend = rig_listen(&port);
    rig_fill(backend, port, fill);
    r.options.limits.connect_ms = 30;
    rig_target(port, 1);
    rig_start();
    expect_status(504);
    assert_int_equal(rig_stats().dial_timeouts, 1);
    for (int i = 0; i < RIG_FILL; i++) {
        (void)close(fill[i]);
    }
    (void)close(backend);
}

static void a_name_is_looked_up_and_pinned(void **state)
{
    (void)state;
    (void)snprintf(r.address[0], sizeof(r.address[0]), "localhost:%u", (unsigned)open_backend());
    r.targets[0] = (tusk_relay_target){.address = tusk_bytes_str(r.address[0]), .weight = 1};
    r.target_count = 1;
    rig_start();
    rig_expect_joined(backend);
    rig_expect_joined(backend);
    assert_int_equal(rig_stats().targets, 1);
    (void)close(backend);
}

static void a_name_without_address_is_502(void **state)
{
    (void)state;
    r.targets[0] =
        (tusk_relay_target){.address = tusk_bytes_str("no-such-host.invalid:80"), .weight = 1};
    r.target_count = 1;
    rig_start();
    expect_status(502);
}

static void a_unix_path_is_a_target(void **state)
{
    (void)state;
    char path[TEST_TEMP_MAX];
    test_temp_dir(path, "relay");
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)snprintf(un.sun_path, sizeof(un.sun_path), "%s/s", path);
    backend = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(backend, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    assert_int_equal(listen(backend, 8), 0);
    rig_unblock(backend);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "unix:%s/s", path);
    r.targets[0] = (tusk_relay_target){.address = tusk_bytes_str(r.address[0]), .weight = 1};
    r.target_count = 1;
    rig_start();
    rig_expect_joined(backend);
    (void)close(backend);
    rig_until(r.record_count == 1);
    expect_status(502);
    assert_string_equal(r.records[1].end, "the backend refuses connections");
    (void)unlink(un.sun_path);
    expect_status(502); /* the file of one that ended is another fault than a path mistyped */
    assert_string_equal(r.records[2].end, "the backend's socket does not exist");
    (void)rmdir(path);
}

/* ---- the guard ---- */
/* Where a path begins decides nothing where it climbs out again: what a client said may be in it.
 */
static void a_path_is_allowed_by_its_beginning_unless_it_climbs(void **state)
{
    char allowed[TEST_TEMP_MAX + 16];
    const char *ranges[] = {"10.0.0.0/8", allowed};
    char path[TEST_TEMP_MAX];
    static const char *const bad[] = {"unix:/run/other/s", "unix:%s/../x/s", "unix:%s/in/..",
                                      "unix:%s-beside/s"};
    (void)state;
    test_temp_dir(path, "guard");
    (void)snprintf(allowed, sizeof(allowed), "unix:%s/", path);
    r.options.any_address = false;
    r.options.allowed = ranges;
    r.options.allowed_count = 2;
    r.route.ttl_ms = 0;
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)snprintf(un.sun_path, sizeof(un.sun_path), "%s/..s", path); /* a name, no way up */
    backend = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(backend, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    assert_int_equal(listen(backend, 8), 0);
    rig_unblock(backend);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "unix:%s/..s", path);
    r.targets[0] = (tusk_relay_target){.address = tusk_bytes_str(r.address[0]), .weight = 1};
    r.target_count = 1;
    rig_start();
    rig_expect_joined(backend);
    rig_until(r.record_count == 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)snprintf(r.address[1], sizeof(r.address[1]), bad[i], path);
        r.targets[0].address = tusk_bytes_str(r.address[1]);
        expect_status(403);
    }
    assert_int_equal(rig_stats().refused_guard, sizeof(bad) / sizeof(bad[0]));
    (void)close(backend);
    (void)unlink(un.sun_path);
    (void)rmdir(path);
}

static void an_address_that_is_not_public_is_403(void **state)
{
    static const char *const bad[] = {
        "127.0.0.1:80",         "10.0.0.1:80",        "[::1]:80",   "[::ffff:127.0.0.1]:80",
        "unix:/run/x",          "169.254.169.254:80", "0.0.0.0:80", "[fd00::1]:80",
        "[64:ff9b::7f00:1]:80", "100.64.0.1:80"};
    (void)state;
    r.options.any_address = false;
    rig_target(1, 1);
    r.route.ttl_ms = 0;
    rig_start();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        r.targets[0].address = tusk_bytes_str(bad[i]);
        expect_status(403);
    }
    assert_int_equal(rig_stats().refused_guard, sizeof(bad) / sizeof(bad[0]));
    assert_int_equal(rig_stats().ejections, 0);
}

static void a_name_is_judged_by_its_address(void **state)
{
    (void)state;
    r.options.any_address = false;
    r.targets[0] = (tusk_relay_target){.address = tusk_bytes_str("localhost:80"), .weight = 1};
    r.target_count = 1;
    rig_start();
    expect_status(403);
}

static void an_allowed_range_passes(void **state)
{
    static const char *const ranges[] = {"10.0.0.0/8", "127.0.0.0/30"};
    (void)state;
    r.options.any_address = false;
    r.options.allowed = ranges;
    r.options.allowed_count = 2;
    rig_target(open_backend(), 1);
    rig_start();
    rig_expect_joined(backend);
    (void)close(backend);
}

static void a_range_that_is_none_is_named(void **state)
{
    static const char *const bad[] = {"",       "10.0.0.0/33", "10.0.0/8", "::/129",
                                      "host/8", "10.0.0.1/8",  "1.2.3.4/", "*"};
    char reason[128];
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        r.options.allowed = &bad[i];
        r.options.allowed_count = 1;
        assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_EINVAL);
        assert_non_null(strstr(reason, "no address or range: "));
    }
}

/* ---- the door ---- */
static void one_source_has_its_limit(void **state)
{
    (void)state;
    r.options.limits.per_source = 1;
    rig_target(open_backend(), 1);
    rig_start();
    int first = rig_client();
    int server = rig_accept(backend);
    int second = rig_client();
    rig_expect_eof(second);
    assert_int_equal(rig_stats().refused_source, 1);
    assert_string_equal(r.log,
                        "127.0.0.1 is over its limit at 127.0.0.1:0 (perSource 1) and is closed");
    r.log[0] = '\0';
    (void)close(second);
    second = rig_client();
    rig_expect_eof(second);
    assert_int_equal(rig_stats().refused_source, 2);
    assert_string_equal(r.log, ""); /* the next one in ten seconds, however many there are */
    (void)close(first);
    (void)close(server);
    rig_until(r.record_count == 1);
    rig_expect_joined(backend);
    (void)close(second);
    (void)close(backend);
}

static void one_source_has_its_rate(void **state)
{
    (void)state;
    r.options.limits.rate_per_source = 2;
    rig_target(open_backend(), 1);
    rig_start();
    int clients[3];
    for (int i = 0; i < 3; i++) {
        clients[i] = rig_client();
    }
    rig_until(rig_stats().accepted == 3);
    assert_int_equal(rig_stats().refused_rate, 1);
    assert_non_null(strstr(r.log, "(ratePerSource 2)"));
    assert_int_equal(rig_stats().active, 2);
    for (int i = 0; i < 3; i++) {
        (void)close(clients[i]);
    }
    (void)close(backend);
}

static void past_the_limit_connections_wait(uint32_t *limit)
{
    *limit = 1;
    rig_target(open_backend(), 1);
    rig_start();
    int first = rig_client();
    int server = rig_accept(backend);
    int second = rig_client();
    for (int i = 0; i < 5; i++) {
        rig_turn();
    }
    assert_int_equal(rig_stats().accepted, 1);
    assert_int_equal(rig_stats().refused_limit, 1);
    (void)close(first);
    (void)close(server);
    server = rig_accept(backend);
    assert_int_equal(rig_stats().accepted, 2);
    (void)close(second);
    (void)close(server);
    (void)close(backend);
}

static void past_the_limit_of_the_relay_connections_wait(void **state)
{
    (void)state;
    past_the_limit_connections_wait(&r.options.limits.connections);
    assert_non_null(strstr(r.log, "limit of connections"));
}

static void past_the_limit_of_a_listener_connections_wait(void **state)
{
    (void)state;
    past_the_limit_connections_wait(&r.options.limits.per_listener);
    assert_non_null(strstr(r.log, "has as many clients as it may"));
}

static void past_a_listeners_own_limit_connections_wait(void **state)
{
    (void)state;
    r.options.limits.per_listener = 1000;
    past_the_limit_connections_wait(&r.listen.connections);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(__linux__)
        rig_test(what_the_client_said_already_comes_with_the_end_of_the_handshake),
#endif
        rig_test(what_refuses_is_tried_elsewhere),
        rig_test(when_all_refuse_it_is_502),
        rig_test(no_more_targets_are_tried_than_attempts),
        rig_test(failures_in_a_row_eject_and_one_connection_tries_again),
        rig_test(of_targets_that_go_some_are_named_and_the_rest_counted),
        rig_test(when_all_are_ejected_ejection_is_ignored),
        rig_test(weights_are_kept_and_a_spare_is_for_need),
        rig_test(a_full_target_is_passed_over_and_then_503),
        rig_test(at_a_full_target_connections_wait_in_line),
        rig_test(who_waits_in_line_too_long_is_503),
        rig_test(a_stop_cuts_who_waits_in_line),
        rig_test(an_unanswered_connect_is_504_in_time),
        rig_test(a_name_is_looked_up_and_pinned),
        rig_test(a_name_without_address_is_502),
        rig_test(a_unix_path_is_a_target),
        rig_test(a_path_is_allowed_by_its_beginning_unless_it_climbs),
        rig_test(an_address_that_is_not_public_is_403),
        rig_test(a_name_is_judged_by_its_address),
        rig_test(an_allowed_range_passes),
        rig_test(a_range_that_is_none_is_named),
        rig_test(one_source_has_its_limit),
        rig_test(one_source_has_its_rate),
        rig_test(past_the_limit_of_the_relay_connections_wait),
        rig_test(past_the_limit_of_a_listener_connections_wait),
        rig_test(past_a_listeners_own_limit_connections_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
