/* SPDX-License-Identifier: MIT */
/* Deliveries: lost, doubled and late ones by their numbers, spread over subscribers. */
#include "load/stream.h"

#include "base/mem.h"
#include "test.h"

enum { SUBSCRIBERS = 2, PUBLISHERS = 3 };

static struct {
    load_plan plan;
    load_worker worker;
    stream state;
    stream_link links[SUBSCRIBERS];
    uint32_t here[1];
    stream_seen seen[SUBSCRIBERS * PUBLISHERS];
    stream_local local[LOAD_SPREADS];
    uint8_t payload[LOAD_STAMP_BYTES + 7];
} t;

static int set_up(void **state)
{
    (void)state;
    char reason[TUSK_LOAD_REASON_MAX];
    memset(&t, 0, sizeof(t));
    assert_int_equal(tusk__load_plan_init(&t.plan, tusk_mem_default(), LOAD_FANOUT,
                                          tusk_bytes_str("ws://127.0.0.1:1/"), reason),
                     TUSK_OK);
    t.plan.workers = 1;
    t.plan.run_id = 77;
    assert_int_equal(tusk__load_board_new(&t.worker.board, &t.plan), TUSK_OK);
    t.worker.plan = &t.plan;
    t.worker.cell = &t.worker.board->cells[0];
    t.worker.mode = &tusk__load_stream;
    t.worker.state = &t.state;
    t.worker.phase = LOAD_PHASE_MEASURE;
    t.worker.measure_from = 1000;
    t.worker.measure_to = 9000;
    assert_int_equal(tusk_hist_new(&t.worker.slice, tusk_mem_default(), tusk__load_range), TUSK_OK);
    t.plan.size = sizeof(t.payload);
    memcpy(t.payload, "0123456789ABCDEFGHIJKLMNpattern", sizeof(t.payload));
    t.state.payload = t.payload;
    t.state.publishers = PUBLISHERS;
    t.state.here = t.here;
    t.state.seen = t.seen;
    t.state.local = t.local;
    for (uint32_t i = 0; i < SUBSCRIBERS; i++) {
        t.links[i].ws.link.worker = &t.worker;
        t.links[i].ws.link.index = i;
        tusk__stream_subscribe(&t.links[i].ws.link, true);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_hist_free(t.worker.slice);
    tusk__load_board_free(t.worker.board);
    tusk__load_plan_fini(&t.plan);
    return 0;
}

static bool deliver_at(uint32_t subscriber, uint32_t publisher, uint64_t number, uint64_t intended,
                       uint64_t now)
{
    const load_stamp stamp = {
        .run = 77, .publisher = publisher, .sequence = number, .intended = intended};
    uint8_t bytes[sizeof(t.payload)];
    memcpy(bytes, t.payload, sizeof(bytes));
    tusk__load_stamp_put(bytes, &stamp);
    t.worker.now = now;
    return tusk__stream_delivered(&t.links[subscriber].ws.link,
                                  tusk_bytes_of(bytes, sizeof(bytes)));
}

static void deliver(uint64_t number)
{
    assert_true(deliver_at(0, 0, number, 2000, 3000));
}

static uint64_t total(load_counter which)
{
    assert_int_equal(t.worker.cell->totals[which], t.worker.cell->measured[which]);
    return t.worker.cell->totals[which];
}

static void expect(uint64_t received, uint64_t lost, uint64_t doubled, uint64_t late)
{
    assert_int_equal(total(LOAD_RECEIVED), received);
    assert_int_equal(total(LOAD_LOST), lost);
    assert_int_equal(total(LOAD_DUPLICATED), doubled);
    assert_int_equal(total(LOAD_REORDERED), late);
}

static void numbers_tell_what_is_lost_doubled_and_late(void **state)
{
    (void)state;
    deliver(5); /* the first one seen: what was before it was before the subscription */
    deliver(6);
    expect(2, 0, 0, 0);
    deliver(9);
    expect(3, 2, 0, 0);
    deliver(8);
    expect(4, 1, 0, 1);
    deliver(8);
    deliver(9);
    deliver(5);
    expect(4, 1, 3, 1);
    deliver(10);
    expect(5, 1, 3, 1);
    deliver(200); /* far ahead: the memory of what was missing has an end */
    expect(6, 190, 3, 1);
    deliver(100);
    expect(6, 190, 4, 1);
    assert_true(deliver_at(0, 2, 0, 2000, 3000)); /* another publisher has its own numbers */
    expect(7, 190, 4, 1);
    assert_false(deliver_at(0, PUBLISHERS, 0, 2000, 3000));
}

static void a_changed_or_missing_byte_is_a_wrong_delivery(void **state)
{
    (void)state;
    const load_stamp stamp = {.run = 77, .sequence = 1, .intended = 2000};
    uint8_t bytes[sizeof(t.payload) + 1];
    memcpy(bytes, t.payload, sizeof(t.payload));
    bytes[sizeof(t.payload)] = '}'; /* what stands around is the server's */
    t.worker.now = 3000;
    uint64_t wrong = 0;
    load_stamp next = stamp;
    for (size_t i = LOAD_STAMP_BYTES; i < sizeof(t.payload); i++, next.sequence++) {
        tusk__load_stamp_put(bytes, &next);
        bytes[i] ^= 1;
        assert_true(
            tusk__stream_delivered(&t.links[0].ws.link, tusk_bytes_of(bytes, sizeof(bytes))));
        bytes[i] ^= 1;
        assert_int_equal(total(LOAD_WRONG), ++wrong);
        next.sequence++;
        tusk__load_stamp_put(bytes, &next);
        assert_true(tusk__stream_delivered(&t.links[0].ws.link, test_guarded_bytes(bytes, i)));
        assert_int_equal(total(LOAD_WRONG), ++wrong);
    }
    expect(0, 0, 0, 0);
    tusk__load_stamp_put(bytes, &next);
    assert_true(tusk__stream_delivered(&t.links[0].ws.link, tusk_bytes_of(bytes, sizeof(bytes))));
    expect(1, 0, 0, 0);
    assert_int_equal(total(LOAD_WRONG), wrong);
}

static void times_belong_to_the_intended_instant(void **state)
{
    (void)state;
    assert_true(deliver_at(0, 0, 0, 500, 2000)); /* of the warm-up */
    assert_true(deliver_at(0, 0, 1, 1500, 2000));
    assert_true(deliver_at(0, 0, 2, 8999, 12000)); /* came in the drain */
    assert_true(deliver_at(0, 0, 3, 9000, 12000));
    assert_int_equal(t.worker.cell->totals[LOAD_RECEIVED], 4);
    assert_int_equal(t.worker.cell->measured[LOAD_RECEIVED], 2);
    const tusk_hist *delivery = t.worker.cell->hists[LOAD_HIST_DELIVERY];
    assert_int_equal(tusk_hist_count(delivery), 2);
    assert_int_equal(tusk_hist_min(delivery), 500);
    assert_int_equal(tusk_hist_max(delivery), 3001);
}

static void spread_lies_between_the_first_and_the_last(void **state)
{
    (void)state;
    const tusk_hist *spread = t.worker.cell->hists[LOAD_HIST_SPREAD];
    assert_true(deliver_at(0, 0, 0, 2000, 3000));
    assert_true(deliver_at(0, 1, 0, 2000, 3000)); /* another message is under way meanwhile */
    assert_int_equal(tusk_hist_count(spread), 0);
    assert_true(deliver_at(1, 0, 0, 2000, 3700));
    assert_int_equal(tusk_hist_count(spread), 1);
    assert_int_equal(tusk_hist_max(spread), 700);
    assert_true(deliver_at(1, 1, 0, 2000, 3100));
    assert_int_equal(tusk_hist_count(spread), 2);
    tusk__stream_flush(&t.worker);
    assert_int_equal(atomic_load(&t.worker.board->delivered), 4);
}

static void the_slow_and_the_strange_are_not_counted(void **state)
{
    (void)state;
    tusk__stream_subscribe(&t.links[1].ws.link, false);
    t.links[1].slow = true;
    tusk__stream_subscribe(&t.links[1].ws.link, true);
    assert_int_equal(atomic_load(&t.worker.board->subscribers[0]), 1);
    assert_true(deliver_at(1, 0, 0, 2000, 3000));
    expect(0, 0, 0, 0);
    t.worker.now = 3000;
    assert_false(tusk__stream_delivered(&t.links[0].ws.link, tusk_bytes_str("no stamp at all")));
    expect(0, 0, 0, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_tell_what_is_lost_doubled_and_late),
        TEST(a_changed_or_missing_byte_is_a_wrong_delivery),
        TEST(times_belong_to_the_intended_instant),
        TEST(spread_lies_between_the_first_and_the_last),
        TEST(the_slow_and_the_strange_are_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
