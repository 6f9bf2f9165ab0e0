/* SPDX-License-Identifier: MIT */
/* Counters and limits of relays that share. */
#define _GNU_SOURCE
#include "shared_rig.h"

#include "relay/move/pair.h"
#include "relay/shared_keys.h"
#include "relay/shared_places.h"

static void counters_are_sums_in_every_worker_and_in_the_master(void **state)
{
    tusk_relay_stats sums;
    begin(1);
    (void)dial(A);
    (void)dial(A);
    (void)dial(B);
    UNTIL(stats(A).active == 3 && stats(A).dials == 3 && stats(B).dials == 3);
    assert_int_equal(stats(A).accepted, 3);
    tusk_relay_shared_stats(s.shared, &sums);
    assert_int_equal(sums.active, 3);
    assert_int_equal(sums.accepted, 3);
    (void)shutdown(s.clients[0], SHUT_RDWR);
    tusk_relay_stop(s.relay[A]);
    tusk_relay_stop(s.relay[A]);
    UNTIL(stats(B).active == 1);
    assert_int_equal(stats(B).done, 2);
}

static void a_target_that_two_workers_know_is_one(void **state)
{
    begin(1);
    (void)dial(A);
    (void)dial(B);
    UNTIL(stats(A).dials == 2);
    assert_int_equal(stats(A).targets, 1);
    assert_int_equal(stats(B).targets, 1);
}

static void what_is_published_is_seen_without_being_asked_for(void **state)
{
    tusk_relay_stats sums = {.accepted = 0};
    begin(1);
    s.relay[B]->count_ms = 3600 * 1000; /* that would tell it, too */
    (void)dial(B);
    for (int turn = 0; sums.accepted == 0; turn++) {
        assert_true(turn < TURNS_MAX);
        assert_err(tusk_loop_turn(s.loop, 5), TUSK_OK);
        tusk_relay_shared_stats(s.shared, &sums);
    }
    assert_int_equal(sums.accepted, 1);
    s.relay[B]->stats.paused = 77; /* what happens while nobody comes or goes */
    for (int turn = 0; sums.paused == 0; turn++) {
        assert_true(turn < TURNS_MAX);
        assert_err(tusk_loop_turn(s.loop, 5), TUSK_OK);
        tusk_relay_shared_stats(s.shared, &sums);
    }
    assert_int_equal(sums.paused, 77);
}

static uint64_t owned_by_all(void)
{
    tusk_relay_stats sums;
    tusk_relay_shared_stats(s.shared, &sums);
    return sums.own_gauge;
}

static void what_owners_have_is_told_until_they_have_nothing_more(void **state)
{
    begin(1);
    s.own[B] = 2;
    tusk_relay_count_soon(s.relay[B]);
    UNTIL(owned_by_all() == 2);
    s.own[A] = 1;
    tusk_relay_count_soon(s.relay[A]);
    UNTIL(owned_by_all() == 3);
    s.own[B] = 0; /* and nobody calls */
    UNTIL(owned_by_all() == 1);
    s.own[A] = 0;
    UNTIL(owned_by_all() == 0);
    assert_false(tusk_timer_running(&s.relay[A]->share->publish));
}

static void the_limit_of_connections_is_one_for_all(void **state)
{
    s.limits.connections = 3;
    begin(1);
    (void)dial(A);
    UNTIL(stats(A).dials == 1);
    (void)dial(A);
    (void)dial(B);
    UNTIL(stats(A).active == 3);
    int fourth = dial(B);
    int fifth = dial(A);
    UNTIL(net_gates_at(&s.relay[A]->gates, 0)->paused &&
          net_gates_at(&s.relay[B]->gates, 0)->paused);
    for (int i = 0; i < 20; i++) {
        assert_err(tusk_loop_turn(s.loop, 1), TUSK_OK);
        assert_int_equal(stats(A).active, 3);
    }
    assert_false(ended(fourth));
    assert_false(ended(fifth));
    assert_true(stats(A).refused_limit > 0);
    int end = accept(s.backend, NULL, NULL); /* of the first session */
    (void)close(end);
    (void)close(s.clients[0]); /* at A; whoever looks first takes the place */
    s.clients[0] = dial_port(tusk_relay_port(s.relay[A], 0));
    s.client_count--;
    UNTIL(s.relay[A]->gates.taken + s.relay[B]->gates.taken == 3 && stats(A).dials == 4);
    assert_int_equal(stats(A).active, 3);
}

static void a_full_listener_keeps_no_other_one_waiting(void **state)
{
    s.limits.per_listener = 1;
    begin(2);
    (void)dial_port(tusk_relay_port(s.relay[A], 0));
    UNTIL(stats(A).active == 1);
    int second = dial_port(tusk_relay_port(s.relay[B], 0));
    UNTIL(net_gates_at(&s.relay[B]->gates, 0)->held.fd >= 0 ||
          net_gates_at(&s.relay[B]->gates, 0)->paused);
    (void)dial_port(tusk_relay_port(s.relay[B], 1));
    UNTIL(stats(A).active == 2);
    assert_false(ended(second));
    (void)shutdown(s.clients[0], SHUT_RDWR);
    tusk_relay_stop(s.relay[A]);
    tusk_relay_stop(s.relay[A]);
    UNTIL(s.relay[B]->gates.taken == 2);
}

static void who_waits_for_a_place_goes_with_the_relay(void **state)
{
    s.limits.connections = 1;
    begin(1);
    (void)dial(A);
    UNTIL(stats(A).active == 1);
    int held = dial(B);
    UNTIL(net_gates_at(&s.relay[B]->gates, 0)->held.fd >= 0);
    tusk_relay_stop(s.relay[B]);
    UNTIL(ended(held));
    assert_int_equal(stats(A).active, 1);
}

/* As of any client of its address, which another worker would count with those it has. */
static void who_waits_for_a_place_and_goes_is_no_client_of_its_address(void **state)
{
    tusk_addr client;
    assert_err(tusk_addr_parse(&client, "127.0.0.1:1"), TUSK_OK);
    const tusk_addr_key key = tusk_addr_key_of(&client);
    s.limits.connections = 1;
    s.limits.per_source = 5;
    begin(1);
    (void)dial(A);
    UNTIL(stats(A).active == 1);
    (void)dial(B);
    UNTIL(net_gates_at(&s.relay[B]->gates, 0)->held.fd >= 0);
    assert_int_equal(tusk__addresses_elsewhere(&s.relay[A]->sources, &key), 1);
    tusk_relay_stop(s.relay[B]);
    assert_int_equal(tusk__addresses_elsewhere(&s.relay[A]->sources, &key), 0);
}

static void the_limit_of_a_source_is_one_for_all(void **state)
{
    s.limits.per_source = 2;
    begin(1);
    int first = dial(A);
    (void)dial(B);
    UNTIL(stats(A).active == 2);
    int third = dial(B);
    UNTIL(stats(A).refused_source == 1);
    UNTIL(ended(third));
    int fourth = dial(A);
    UNTIL(stats(A).refused_source == 2);
    UNTIL(ended(fourth));
    (void)shutdown(first, SHUT_RDWR);
    tusk_relay_stop(s.relay[A]);
    tusk_relay_stop(s.relay[A]);
    UNTIL(stats(B).active == 1);
    (void)dial(B);
    UNTIL(stats(B).active == 2);
    assert_int_equal(stats(B).refused_source, 2);
}

static void the_rate_of_a_source_is_one_for_all(void **state)
{
    s.limits.rate_per_source = 1; /* a burst of one; the next is paid for in a second */
    begin(1);
    (void)dial(A);
    UNTIL(stats(A).active == 1);
    s.relay[B]->rate.per_second = 1;
    int second = dial(B);
    UNTIL(stats(B).accepted == 2);
    assert_int_equal(stats(B).refused_rate, 1);
    UNTIL(ended(second));
}

static void the_limit_of_a_target_is_one_for_all(void **state)
{
    s.limits.per_target = 1;
    begin(1);
    (void)dial(A);
    UNTIL(stats(A).dials == 1);
    int second = dial(B);
    UNTIL(ended(second));
    assert_int_equal(stats(B).dials, 1);
}

static void a_place_at_a_target_that_another_worker_gave_back_is_found(void **state)
{
    s.limits.per_target = 1;
    s.limits.queue_ms = 1000000;
    begin(1);
    (void)dial(A);
    UNTIL(stats(A).dials == 1);
    (void)dial(B);
    UNTIL(stats(B).queue_waits == 1);
    assert_int_equal(stats(A).dials, 1);
    (void)shutdown(s.clients[0], SHUT_RDWR);
    tusk_relay_stop(s.relay[A]);
    tusk_relay_stop(s.relay[A]);
    UNTIL(stats(B).dials == 2);
}

static void who_is_gone_leaves_its_counts_and_none_of_its_places(void **state)
{
    tusk_relay_stats sums;
    s.limits.per_source = 1;
    begin(1);
    (void)dial(A);
    UNTIL(stats(A).active == 1);
    tusk_relay_shared_gone(s.shared, A);
    tusk_relay_shared_stats(s.shared, &sums);
    assert_int_equal(sums.active, 0);
    assert_int_equal(sums.accepted, 1);
    assert_int_equal(sums.targets, 0);
    (void)dial(B); /* the source has no connection any more */
    UNTIL(s.relay[B]->gates.taken == 1);
    atomic_store(net_seats_held(&s.shared->seats, A),
                 1); /* as it was: relay A is no dead process */
    atomic_store(&s.shared->gates.taken[0], 1);
}

static void a_set_that_is_full_forgets_nobody(void **state)
{
    s.limits.per_source = 1;
    begin(1);
    for (uint64_t i = 1; i <= TALLY_WAYS + 1; i++) {
        relay_share_tell(s.relay[A], i * TALLY_SETS, (uint32_t)i, 0);
    }
    for (uint64_t i = 1; i <= TALLY_WAYS; i++) {
        assert_int_equal(relay_share_others(s.relay[B], i * TALLY_SETS), i);
    }
    assert_int_equal(relay_share_others(s.relay[B], (TALLY_WAYS + 1) * TALLY_SETS), 0);
    relay_share_tell(s.relay[A], TALLY_SETS, 0, 0);
    relay_share_tell(s.relay[A], (TALLY_WAYS + 1) * TALLY_SETS, 7, 2);
    assert_int_equal(relay_share_others(s.relay[B], (TALLY_WAYS + 1) * TALLY_SETS), 7);
    assert_int_equal(relay_share_others(s.relay[B], TALLY_SETS), 0);
    assert_int_equal(relay_share_others(s.relay[A], 2 * TALLY_SETS), 0); /* its own are no others */
}

static void another_workers_socket_is_accepted_from_until_it_is_given_back(void **state)
{
    uint16_t port;
    begin(1);
    int other = listen_at(&port);
    assert_err(tusk_relay_adopt(s.relay[A], 0, 3, dup(other)), TUSK_OK);
    (void)dial_port(port);
    UNTIL(s.relay[A]->gates.taken == 1);
    tusk_relay_give_back(s.relay[A], 2);
    (void)dial_port(port);
    UNTIL(s.relay[A]->gates.taken == 2);
    tusk_relay_give_back(s.relay[A], 3);
    (void)dial_port(port); /* waits in the queue of who has the socket */
    (void)dial(A);
    UNTIL(s.relay[A]->gates.taken == 3);
    int fd = accept(other, NULL, NULL);
    assert_true(fd >= 0);
    (void)close(fd);
    (void)close(other);
    assert_err(tusk_relay_adopt(s.relay[A], 7, 3, other), TUSK_ESTATE);
}

static const uint8_t *end_of_last;

static void lies_behind(const void *at, size_t size, size_t step)
{
    const uint8_t *begin = at;
    const net_seats *seats = &s.shared->seats;
    assert_true(begin >= end_of_last);
    assert_int_equal((size_t)(begin - seats->map) % step, 0);
    end_of_last = begin + size;
    assert_true(end_of_last <= seats->map + seats->size);
}

static void expect_places_of_their_own(bool keys)
{
    const tusk_relay_shared *all = s.shared;
    end_of_last = net_seats_beside(&all->seats);
    lies_behind(all->gates.taken, net_gates_shared_size(&s.relay[A]->gates, RELAYS), SEATS_LINE);
    lies_behind(all->cells, net_tally_size(RELAYS), SEATS_LINE);
    lies_behind(all->rates, (size_t)RELAY_RATE_SETS * RELAY_RATE_WAYS * sizeof(relay_rate_cell), 8);
    lies_behind(all->healths.keys, HEALTH_SETS * HEALTH_WAYS * sizeof(uint64_t), SEATS_LINE);
    lies_behind(all->healths.healths, HEALTH_SETS * HEALTH_WAYS * sizeof(relay_health), 8);
    lies_behind(all->stamps, SEATS_LINE, SEATS_LINE);
    if (keys) {
        lies_behind(all->keys, KEY_ENTRIES * sizeof(shared_key), SEATS_LINE);
        lies_behind(all->key_words, KEY_ENTRIES * sizeof(uint64_t), 8);
    } else {
        lies_behind(all->places, RELAYS * sizeof(shared_places), SEATS_LINE);
    }
}

static void limit_all(void)
{
    s.limits.per_source = s.limits.per_target = s.limits.rate_per_source = 9;
}

static void everything_shared_has_a_place_of_its_own(void **state)
{
    limit_all();
    begin(3);
    expect_places_of_their_own(true);
    assert_null(s.shared->places);
}

static void what_requests_share_has_one_too(void **state)
{
    limit_all();
    s.kind = TUSK_RELAY_HTTP;
    begin(3);
    expect_places_of_their_own(false);
    assert_null(s.shared->keys);
}

static void one_of_them_speaks_for_all(void **state)
{
    begin(1);
    assert_true(relay_share_first(s.relay[A]));
    assert_false(relay_share_first(s.relay[B]));
    relay_share_end(s.relay[B]); /* alone again */
    assert_true(relay_share_first(s.relay[B]));
}

static void the_masters_metrics_are_those_of_its_kind(void **state)
{
    tusk_buf out;
    s.kind = TUSK_RELAY_HTTP;
    begin(1);
    tusk_buf_init(&out, tusk_mem_default(), 1 << 20);
    assert_err(tusk_relay_shared_metrics(s.shared, &out), TUSK_OK);
    assert_err(tusk_buf_append(&out, "", 1), TUSK_OK);
    assert_non_null(strstr((const char *)tusk_buf_view(&out).ptr, "_responses counter\n"));
    tusk_buf_fini(&out);
}

static void none_is_freed_as_nothing(void **state)
{
    tusk_relay_shared_free(NULL);
    tusk_relay_free(NULL);
}

static void bad_seats_are_refused(void **state)
{
    begin(1);
    assert_err(tusk_relay_share(s.relay[A], s.shared, 0), TUSK_ESTATE);
    tusk_relay_shared *none;
    assert_err(tusk_relay_shared_new(&none, s.relay[A], 0), TUSK_EINVAL);
    assert_null(none);
    tusk_relay_shared_gone(s.shared, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARED_TEST(counters_are_sums_in_every_worker_and_in_the_master),
        SHARED_TEST(a_target_that_two_workers_know_is_one),
        SHARED_TEST(what_is_published_is_seen_without_being_asked_for),
        SHARED_TEST(what_owners_have_is_told_until_they_have_nothing_more),
        SHARED_TEST(the_limit_of_connections_is_one_for_all),
        SHARED_TEST(a_full_listener_keeps_no_other_one_waiting),
        SHARED_TEST(who_waits_for_a_place_goes_with_the_relay),
        SHARED_TEST(who_waits_for_a_place_and_goes_is_no_client_of_its_address),
        SHARED_TEST(the_limit_of_a_source_is_one_for_all),
        SHARED_TEST(the_rate_of_a_source_is_one_for_all),
        SHARED_TEST(the_limit_of_a_target_is_one_for_all),
        SHARED_TEST(a_place_at_a_target_that_another_worker_gave_back_is_found),
        SHARED_TEST(who_is_gone_leaves_its_counts_and_none_of_its_places),
        SHARED_TEST(a_set_that_is_full_forgets_nobody),
        SHARED_TEST(another_workers_socket_is_accepted_from_until_it_is_given_back),
        SHARED_TEST(everything_shared_has_a_place_of_its_own),
        SHARED_TEST(what_requests_share_has_one_too),
        SHARED_TEST(one_of_them_speaks_for_all),
        SHARED_TEST(the_masters_metrics_are_those_of_its_kind),
        SHARED_TEST(none_is_freed_as_nothing),
        SHARED_TEST(bad_seats_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
