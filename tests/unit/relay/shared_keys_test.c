/* SPDX-License-Identifier: MIT */
/* Cancel keys of PostgreSQL that workers share. */
#define _GNU_SOURCE
#include "sessions_of.h"
#include "shared_rig.h"

#include "relay/shared_keys.h"

#define STARTUP TEST_BYTES("\0\0\0\x12\0\x03\0\0user\0bob\0\0")
#define GREETING TEST_BYTES("R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\x12\x34KEY!Z\0\0\0\x05I")
#define CANCEL TEST_BYTES("\0\0\0\x10\x04\xd2\x16\x2e\0\0\x12\x34KEY!")

static int set_up_postgres(void **state)
{
    int failed = set_up(state);
    s.listen.first = TUSK_FIRST_CLIENT;
    s.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    return failed;
}

static void say(int fd, tusk_bytes bytes)
{
    assert_int_equal(send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL), bytes.len);
}

/* Non-blocking: turns until all of it came. */
static void expect(int fd, tusk_bytes bytes)
{
    char got[128];
    UNTIL(recv(fd, got, sizeof(got), MSG_PEEK | MSG_DONTWAIT) >= (ssize_t)bytes.len);
    ssize_t len = recv(fd, got, sizeof(got), MSG_DONTWAIT);
    assert_bytes_equal(tusk_bytes_of(got, (size_t)len), bytes);
}

static int backend_accept(void)
{
    int fd = -1;
    UNTIL((fd = accept(s.backend, NULL, NULL)) >= 0);
    return fd;
}

/* A session at that relay whose backend has told its key; the backend's end. */
static int session_at(int relay)
{
    int client = dial(relay);
    say(client, STARTUP);
    int server = backend_accept();
    expect(server, STARTUP);
    say(server, GREETING);
    expect(client, GREETING);
    return server;
}

/* The hash under which that session's key is known. */
static uint64_t known_hash(void)
{
    for (uint32_t i = 0; i < KEY_ENTRIES; i++) {
        if (atomic_load(&s.shared->key_words[i]) != 0) {
            return atomic_load(&s.shared->keys[i].data[0]);
        }
    }
    return 0;
}

static bool is_known(int relay, uint64_t hash)
{
    relay_answer *answer = relay_shared_key_find(s.relay[relay], hash);
    relay_answer_unref(answer);
    return answer != NULL;
}

static void a_cancel_request_finds_the_session_through_another_worker(void **state)
{
    begin(1);
    int server = session_at(A);
    int canceller = dial(B);
    say(canceller, CANCEL);
    int second = backend_accept();
    expect(second, CANCEL);
    assert_int_equal(stats(B).cancels, 1);
    assert_int_equal(s.asked, 1); /* the session's: nobody was asked about this one */
    (void)close(second);
    (void)close(server);
}

static void no_session_is_found_after_its_end(void **state)
{
    begin(1);
    int server = session_at(A);
    uint64_t hash = known_hash();
    assert_true(is_known(B, hash));
    (void)close(server);
    (void)close(s.clients[0]);
    s.clients[0] = dup(s.backend);
    UNTIL(s.relay[A]->gates.taken == 0);
    assert_false(is_known(B, hash));
    int canceller = dial(B);
    say(canceller, CANCEL);
    UNTIL(ended(canceller));
    assert_int_equal(stats(B).cancels, 0);
}

static void the_keys_of_a_worker_that_is_gone_are_forgotten(void **state)
{
    begin(1);
    int server = session_at(A);
    uint64_t hash = known_hash();
    tusk_relay_shared_gone(s.shared, B);
    assert_true(is_known(B, hash));
    tusk_relay_shared_gone(s.shared, A);
    assert_false(is_known(B, hash));
    atomic_store(net_seats_held(&s.shared->seats, A),
                 1); /* as it was: relay A is no dead process */
    atomic_store(&s.shared->gates.taken[0], 1);
    (void)close(server);
}

/* Killed in mid-write: what it wrote is neither read nor written over until the master frees it. */
static void half_an_entry_of_a_dead_worker_is_nobodys_answer(void **state)
{
    begin(1);
    int server = session_at(A);
    uint64_t hash = known_hash();
    uint32_t at = 0;
    while (atomic_load(&s.shared->key_words[at]) == 0) {
        at++;
    }
    atomic_fetch_or(&s.shared->key_words[at], UINT64_C(1) << 31);
    assert_false(is_known(B, hash));
    shared_key_place place = relay_shared_key_put(s.relay[B], hash, first_pair(s.relay[A]));
    assert_int_not_equal(place.index, at);
    assert_true(is_known(A, hash));
    relay_shared_key_remove(s.relay[B], place);
    assert_false(is_known(A, hash));
    tusk_relay_shared_gone(s.shared, A);
    place = relay_shared_key_put(s.relay[B], hash, first_pair(s.relay[A]));
    assert_int_equal(place.index, at);
    atomic_store(net_seats_held(&s.shared->seats, A), 1);
    atomic_store(&s.shared->gates.taken[0], 1);
    (void)close(server);
}

static void the_oldest_gives_way_and_is_counted(void **state)
{
    shared_key_place places[KEY_WAYS + 1];
    begin(1);
    int server = session_at(A);
    for (uint64_t i = 0; i <= KEY_WAYS; i++) {
        places[i] =
            relay_shared_key_put(s.relay[A], 1 + (i + 1) * KEY_SETS, first_pair(s.relay[A]));
    }
    assert_int_equal(s.relay[A]->stats.cancel_keys_dropped, 1);
    assert_false(is_known(B, 1 + KEY_SETS));
    assert_true(is_known(B, 1 + (KEY_WAYS + 1) * (uint64_t)KEY_SETS));
    relay_shared_key_remove(s.relay[A], places[0]); /* another's place by now */
    assert_true(is_known(B, 1 + (KEY_WAYS + 1) * (uint64_t)KEY_SETS));
    for (uint64_t i = 1; i <= KEY_WAYS; i++) {
        assert_true(is_known(B, 1 + (i + 1) * KEY_SETS));
        relay_shared_key_remove(s.relay[A], places[i]);
        assert_false(is_known(B, 1 + (i + 1) * KEY_SETS));
    }
    (void)close(server);
}

/* Nobody else has its context, and without it the key would go in the clear. */
static void a_session_with_a_tls_context_of_its_route_is_known_in_its_worker_alone(void **state)
{
    begin(1);
    int server = session_at(A);
    tusk_relay_route *route = &((relay_answer *)(uintptr_t)first_pair(s.relay[A])->answer)->route;
    const tusk_relay_route as_it_was = *route;
    route->upstream_tls = TUSK_TLS_REQUIRE;
    route->tls = (tusk_tls *)(void *)&s;
    assert_int_equal(relay_shared_key_put(s.relay[A], 5, first_pair(s.relay[A])).word, 0);
    assert_int_equal(s.relay[A]->stats.cancel_keys_dropped, 1);
    *route = as_it_was;
    (void)close(server);
}

static void what_the_route_says_of_its_target_comes_along(void **state)
{
    begin(1);
    int server = session_at(A);
    const relay_pair *pair = first_pair(s.relay[A]);
    tusk_relay_route *route = &((relay_answer *)(uintptr_t)pair->answer)->route;
    const tusk_relay_route as_it_was = *route;
    route->tls_name = TEST_BYTES("db.example");
    route->connect_ms = 1234;
    route->idle_ms = 5678;
    route->proxy_version = 2;
    assert_int_not_equal(relay_shared_key_put(s.relay[A], 5, pair).word, 0);
    *route = as_it_was;
    relay_answer *answer = relay_shared_key_find(s.relay[B], 5);
    assert_non_null(answer);
    assert_bytes_equal(answer->route.tls_name, TEST_BYTES("db.example"));
    assert_int_equal(answer->route.connect_ms, 1234);
    assert_int_equal(answer->route.idle_ms, 5678);
    assert_int_equal(answer->route.proxy_version, 2);
    assert_int_equal(answer->route.upstream_tls, TUSK_TLS_DISABLE);
    relay_answer_unref(answer);
    (void)close(server);
}

/* A corrupted entry of a worker that was taken over: lengths are looked at before they are used. */
static void lengths_that_lie_are_no_entry(void **state)
{
    begin(1);
    int server = session_at(A);
    uint64_t hash = known_hash();
    for (uint32_t i = 0; i < KEY_ENTRIES; i++) {
        if (atomic_load(&s.shared->key_words[i]) != 0) {
            for (uint32_t k = 1; k < 4; k++) {
                atomic_store(&s.shared->keys[i].data[k], UINT64_MAX);
            }
        }
    }
    assert_false(is_known(B, hash));
    (void)close(server);
}

int main(void)
{
#define KEYS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_postgres, tear_down)
    const struct CMUnitTest tests[] = {
        KEYS_TEST(a_cancel_request_finds_the_session_through_another_worker),
        KEYS_TEST(no_session_is_found_after_its_end),
        KEYS_TEST(the_keys_of_a_worker_that_is_gone_are_forgotten),
        KEYS_TEST(half_an_entry_of_a_dead_worker_is_nobodys_answer),
        KEYS_TEST(the_oldest_gives_way_and_is_counted),
        KEYS_TEST(a_session_with_a_tls_context_of_its_route_is_known_in_its_worker_alone),
        KEYS_TEST(what_the_route_says_of_its_target_comes_along),
        KEYS_TEST(lengths_that_lie_are_no_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
