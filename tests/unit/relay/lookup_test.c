/* SPDX-License-Identifier: MIT */
/* Routes: asked once, remembered under what they depend on, refused, too late. */
#include "rig.h"

#include "relay/route/lookup.h"

static int backend;

static void start_with_backend(void)
{
    uint16_t port;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
}

/* Connects, and is closed again when it has reached the backend. */
static void visit(void)
{
    int client = rig_client();
    int server = rig_accept(backend);
    rig_send(client, "ping");
    rig_expect(server, "ping");
    rig_send(server, "pong");
    rig_expect(client, "pong");
    (void)close(client);
    (void)close(server);
}

static void a_route_that_depends_on_nothing_is_asked_for_once(void **state)
{
    (void)state;
    r.fields = 0;
    start_with_backend();
    visit();
    visit();
    visit();
    rig_until(r.record_count == 3);
    assert_int_equal(r.ask_count, 1);
    assert_false(r.records[0].cached);
    assert_true(r.records[1].cached && r.records[2].cached);
    assert_int_equal(rig_stats().cache_hits, 2);
    (void)close(backend);
}

static void a_route_that_depends_on_the_port_of_the_client_is_asked_for_each_time(void **state)
{
    (void)state;
    r.fields = 1 << TUSK_LOOKUP_PEER_PORT;
    start_with_backend();
    visit();
    visit();
    assert_int_equal(r.ask_count, 2);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "127.0.0.1");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_LISTENER], "127.0.0.1:0");
    assert_string_not_equal(r.asked[0][TUSK_LOOKUP_PEER_PORT], r.asked[1][TUSK_LOOKUP_PEER_PORT]);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_SERVER_NAME], "-");
    char destination[32];
    (void)snprintf(destination, sizeof(destination), "127.0.0.1:%u",
                   (unsigned)tusk_relay_port(r.relay, 0));
    assert_string_equal(r.asked[0][TUSK_LOOKUP_DESTINATION], destination);
    (void)close(backend);
}

static void a_remembered_route_has_its_metadata_and_its_name(void **state)
{
    (void)state;
    r.route.metadata = tusk_bytes_str("{\"tenant\":7}");
    r.route.name = tusk_bytes_str("shop");
    start_with_backend();
    for (int i = 0; i < 2; i++) {
        visit();
        rig_until(r.record_count == i + 1);
        assert_int_equal(r.records[i].cached, i == 1);
        assert_string_equal(r.records[i].metadata, "{\"tenant\":7}");
        assert_string_equal(r.records[i].route, "shop");
    }
    (void)close(backend);
}

static void a_route_without_ttl_is_not_remembered(void **state)
{
    (void)state;
    r.route.ttl_ms = 0;
    start_with_backend();
    visit();
    visit();
    assert_int_equal(r.ask_count, 2);
    assert_int_equal(rig_stats().routes, 0);
    (void)close(backend);
}

static void forgetting_asks_again_and_keeps_sessions(void **state)
{
    (void)state;
    start_with_backend();
    int client = rig_client();
    int server = rig_accept(backend);
    assert_int_equal(rig_stats().routes, 1);
    tusk_relay_forget(r.relay);
    assert_int_equal(rig_stats().routes, 0);
    visit();
    assert_int_equal(r.ask_count, 2);
    rig_send(client, "still here");
    rig_expect(server, "still here");
    (void)close(client);
    (void)close(server);
    (void)close(backend);
}

static void an_answer_to_a_forgotten_resolvers_question_is_not_remembered(void **state)
{
    (void)state;
    r.later = true;
    start_with_backend();
    int client = rig_client();
    rig_until(r.ask_count == 1);
    tusk_relay_forget(r.relay);
    assert_err(rig_answer(0), TUSK_OK);
    (void)close(rig_accept(backend));
    assert_int_equal(rig_stats().routes, 0);
    (void)close(client);
    (void)close(backend);
}

/* The resolver is another one now: whoever comes is not given what the one before will say. */
static void who_comes_after_forgetting_joins_no_question_of_before(void **state)
{
    (void)state;
    r.later = true;
    start_with_backend();
    int before = rig_client();
    rig_until(r.ask_count == 1);
    tusk_relay_forget(r.relay);
    int after = rig_client();
    rig_until(r.ask_count == 2 || rig_stats().lookups_joined > 0);
    assert_int_equal(r.ask_count, 2);
    assert_err(rig_answer(0), TUSK_OK);
    (void)close(rig_accept(backend));
    (void)close(before);
    assert_err(rig_answer(1), TUSK_OK);
    assert_int_equal(rig_stats().routes, 1);
    (void)close(rig_accept(backend));
    (void)close(after);
    (void)close(backend);
}

static void equal_lookups_under_way_are_asked_once(void **state)
{
    int clients[8];
    (void)state;
    r.later = true;
    r.fields = 1 << TUSK_LOOKUP_LISTENER;
    start_with_backend();
    for (int i = 0; i < 8; i++) {
        clients[i] = rig_client();
    }
    rig_until(rig_stats().lookups_joined == 7);
    assert_int_equal(r.ask_count, 1);
    assert_err(rig_answer(0), TUSK_OK);
    for (int i = 0; i < 8; i++) {
        (void)close(rig_accept(backend));
        (void)close(clients[i]);
    }
    assert_int_equal(r.ask_count, 1);
    (void)close(backend);
}

/* Joining is a guess: an answer that depends on the client's port holds for nobody else. */
static void who_differs_in_what_the_answer_depends_on_is_asked_after_all(void **state)
{
    int clients[3];
    (void)state;
    r.later = true;
    r.fields = 1 << TUSK_LOOKUP_PEER_PORT;
    start_with_backend();
    for (int i = 0; i < 3; i++) {
        clients[i] = rig_client();
    }
    rig_until(rig_stats().lookups_joined == 2);
    assert_int_equal(r.ask_count, 1);
    assert_err(rig_answer(0), TUSK_OK);
    assert_int_equal(r.ask_count, 3);
    assert_err(rig_answer(1), TUSK_OK);
    assert_err(rig_answer(2), TUSK_OK);
    for (int i = 0; i < 3; i++) {
        (void)close(rig_accept(backend));
        (void)close(clients[i]);
    }
    (void)close(backend);
}

static void an_answer_twice_or_too_late_is_harmless(void **state)
{
    (void)state;
    r.later = true;
    start_with_backend();
    int client = rig_client();
    rig_until(r.ask_count == 1);
    assert_err(rig_answer(0), TUSK_OK);
    assert_err(rig_answer(0), TUSK_ENOENT);
    (void)close(rig_accept(backend));
    (void)close(client);
    (void)close(backend);
}

/* Nor is it taken for the answer to the question that stands in its place meanwhile. */
static void an_answer_that_is_too_late_is_nobody_elses(void **state)
{
    (void)state;
    r.later = true;
    r.route.ttl_ms = 0;
    start_with_backend();
    int first = rig_client();
    rig_until(r.ask_count == 1);
    assert_err(rig_answer(0), TUSK_OK);
    (void)close(rig_accept(backend));
    int second = rig_client();
    rig_until(r.ask_count == 2);
    assert_err(rig_answer(0), TUSK_ENOENT);
    r.refusal = (tusk_relay_refusal){.status = 403, .reason = tusk_bytes_str("not you")};
    assert_err(rig_answer(0), TUSK_ENOENT);
    r.refusal.status = 0;
    assert_err(rig_answer(1), TUSK_OK);
    (void)close(rig_accept(backend));
    (void)close(first);
    (void)close(second);
    (void)close(backend);
}

static void a_client_that_resets_while_its_route_is_looked_up_leaves_nothing_behind(void **state)
{
    (void)state;
    r.later = true;
    start_with_backend();
    int client = rig_client();
    rig_until(r.ask_count == 1);
    rig_reset(client);
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, "client reset");
    assert_err(rig_answer(0), TUSK_OK); /* and is remembered */
    assert_int_equal(rig_stats().routes, 1);
    (void)close(backend);
}

static void no_answer_in_time_is_504(void **state)
{
    (void)state;
    r.later = true;
    r.options.limits.resolve_ms = 20;
    start_with_backend();
    int client = rig_client();
    rig_expect_eof(client);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 504);
    assert_int_equal(rig_stats().lookup_timeouts, 1);
    assert_err(rig_answer(0), TUSK_ENOENT);
    (void)close(client);
    (void)close(backend);
}

static void a_refusal_is_told_and_remembered(void **state)
{
    (void)state;
    r.refusal = (tusk_relay_refusal){
        .status = 404, .reason = tusk_bytes_str("no such database"), .ttl_ms = 60000};
    start_with_backend();
    for (int i = 0; i < 2; i++) {
        int client = rig_client();
        rig_expect_eof(client);
        (void)close(client);
    }
    rig_until(r.record_count == 2);
    assert_int_equal(r.ask_count, 1);
    assert_int_equal(r.records[1].status, 404);
    assert_true(r.records[1].cached);
    assert_int_equal(rig_stats().refused_resolver, 2);
    (void)close(backend);
}

static void more_lookups_than_the_limit_are_503(void **state)
{
    (void)state;
    r.later = true;
    r.options.limits.lookups = 1;
    r.fields = 1 << TUSK_LOOKUP_PEER_PORT;
    start_with_backend();
    int first = rig_client();
    rig_until(r.ask_count == 1);
    assert_err(rig_answer(0), TUSK_OK); /* from now on the port tells questions apart */
    int second = rig_client();
    rig_until(r.ask_count == 2);
    int third = rig_client();
    rig_expect_eof(third);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 503);
    assert_int_equal(rig_stats().refused_lookups, 1);
    (void)close(first);
    (void)close(second);
    (void)close(third);
    (void)close(backend);
}

static void the_longest_unused_route_goes_first(void **state)
{
    (void)state;
    r.options.limits.routes = 2;
    r.fields = 1 << TUSK_LOOKUP_PEER_PORT;
    start_with_backend();
    for (int i = 0; i < 5; i++) {
        visit();
    }
    assert_int_equal(rig_stats().routes, 2);
    (void)close(backend);
}

static void a_bad_answer_is_refused_and_may_be_given_again(void **state)
{
    static const char *const bad[] = {"",        "host",     ":80",       "host:",  "host:0",
                                      "h:65536", "[::1:80",  "::1:80",    "a b:80", "*:80",
                                      "10.1:80", "unix:",    "[host]:80", "h:8x",   "10.0.0.0.1:1",
                                      "-\r\n:1", "[::1]80:1"};
    (void)state;
    r.later = true;
    start_with_backend();
    tusk_relay_target good = r.targets[0];
    int client = rig_client();
    rig_until(r.ask_count == 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        r.targets[0].address = tusk_bytes_str(bad[i]);
        assert_err(rig_answer(0), TUSK_EINVAL);
    }
    r.target_count = 0;
    assert_err(rig_answer(0), TUSK_EINVAL);
    static const char line_ends[] = {'\r', '\n', '\0'}; /* alone: some end a line by it */
    for (size_t i = 0; i < sizeof(line_ends); i++) {
        const char reason[] = {'a', line_ends[i], 'b'};
        r.refusal =
            (tusk_relay_refusal){.status = 404, .reason = tusk_bytes_of(reason, sizeof(reason))};
        assert_err(rig_answer(0), TUSK_EINVAL);
    }
    r.refusal = (tusk_relay_refusal){.status = 200};
    assert_err(rig_answer(0), TUSK_EINVAL);
    r.refusal.status = 0;
    r.targets[0] = good;
    r.target_count = 1;
    assert_err(rig_answer(0), TUSK_OK);
    (void)close(rig_accept(backend));
    (void)close(client);
    (void)close(backend);
}

static void a_host_is_looked_up_in_lower_case_without_its_port(void **state)
{
    uint8_t room[64];
    (void)state;
    assert_bytes_equal(relay_host_of(room, tusk_bytes_str("Shop.Example:8080")),
                       TEST_BYTES("shop.example"));
    assert_bytes_equal(relay_host_of(room, tusk_bytes_str("[2001:DB8::1]:80")),
                       TEST_BYTES("2001:db8::1"));
    assert_null(relay_host_of(room, tusk_bytes_of(NULL, 0)).ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rig_test(a_route_that_depends_on_nothing_is_asked_for_once),
        rig_test(a_route_that_depends_on_the_port_of_the_client_is_asked_for_each_time),
        rig_test(a_remembered_route_has_its_metadata_and_its_name),
        rig_test(a_route_without_ttl_is_not_remembered),
        rig_test(forgetting_asks_again_and_keeps_sessions),
        rig_test(an_answer_to_a_forgotten_resolvers_question_is_not_remembered),
        rig_test(who_comes_after_forgetting_joins_no_question_of_before),
        rig_test(equal_lookups_under_way_are_asked_once),
        rig_test(who_differs_in_what_the_answer_depends_on_is_asked_after_all),
        rig_test(an_answer_twice_or_too_late_is_harmless),
        rig_test(an_answer_that_is_too_late_is_nobody_elses),
        rig_test(a_client_that_resets_while_its_route_is_looked_up_leaves_nothing_behind),
        rig_test(no_answer_in_time_is_504),
        rig_test(a_refusal_is_told_and_remembered),
        rig_test(more_lookups_than_the_limit_are_503),
        rig_test(the_longest_unused_route_goes_first),
        rig_test(a_bad_answer_is_refused_and_may_be_given_again),
        cmocka_unit_test(a_host_is_looked_up_in_lower_case_without_its_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
