/* SPDX-License-Identifier: MIT */
/* Send queues: inline bytes, blobs and files leave in order, whatever the kernel takes at a time.
 */
#define _GNU_SOURCE
#include "net/conn.h"

#include "owner.h"

static uint8_t model[4 << 20]; /* what must arrive */
static size_t model_len;
static uint8_t heard[4 << 20];
static size_t heard_len;

static int set_up(void **state)
{
    model_len = 0;
    heard_len = 0;
    return pair_set_up(state);
}

static void listen_some(size_t max)
{
    ssize_t len = read(t.peer, heard + heard_len, max);
    heard_len += len > 0 ? (size_t)len : 0;
}

static void tiny_buffers(void)
{
    int bytes = 4608;
    assert_int_equal(setsockopt(t.owner->conn.io.fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)),
                     0);
    assert_int_equal(setsockopt(t.peer, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), 0);
}

static void released(void *count)
{
    ++*(int *)count;
}

static int file_of_pattern(size_t from, size_t len)
{
    char name[] = "/tmp/tusk-sendq-XXXXXX";
    int fd = mkstemp(name);
    uint8_t *bytes = malloc(len);
    assert_true(fd >= 0);
    unlink(name);
    pattern(bytes, from, len);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    free(bytes);
    return fd;
}

static void assert_all_heard(void)
{
    TURN_UNTIL((listen_some(7000), heard_len == model_len));
    assert_memory_equal(heard, model, model_len);
    assert_int_equal(t.owner->conn.send_bytes, 0);
    assert_int_equal(tusk_net_queued(t.net), 0);
}

static void what_is_nearly_sent_still_counts_whole(void **state)
{
    (void)state;
    tusk_blob *blob;
    uint8_t *place;
    enum { LEN = 100000 };
    assert_int_equal(tusk_blob_new(&blob, tusk_mem_default(), LEN, &place), TUSK_OK);
    pattern(place, 0, LEN);
    tiny_buffers();
    assert_int_equal(tusk_conn_append_blob(&t.owner->conn, blob), TUSK_OK);
    tusk_blob_unref(blob);
    TURN_UNTIL((listen_some(1000), t.owner->conn.send_bytes < 20000));
    assert_true(t.owner->conn.send_bytes > 0);
    assert_int_equal(tusk_net_queued(t.net), LEN); /* its memory is there to the last byte */
    assert_int_equal(tusk_conn_held(&t.owner->conn), LEN);
    TURN_UNTIL((listen_some(7000), heard_len == LEN));
    assert_int_equal(tusk_net_queued(t.net), 0);
}

static void any_mix_of_bytes_blobs_and_files_arrives_in_order(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int files = 0;
    int releases = 0;
    int fd = file_of_pattern(0, 300000);
    tiny_buffers();
    while (model_len < 1500000) {
        size_t len = test_random(&seed) % (test_random(&seed) % 4 == 0 ? 60000 : 300) + 1;
        uint8_t *next = model + model_len;
        pattern(next, model_len * 7, len);
        switch (test_random(&seed) % 5) {
        case 0: assert_err(tusk_conn_append(&t.owner->conn, next, len), TUSK_OK); break;
        case 1: {
            len = len > 1024 ? 1024 : len;
            uint8_t *place = tusk_conn_reserve(&t.owner->conn, 1024);
            assert_non_null(place);
            memcpy(place, next, len);
            tusk_conn_commit(&t.owner->conn, len);
            break;
        }
        case 2: {
            tusk_blob *blob;
            assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(next, len)), TUSK_OK);
            assert_err(tusk_conn_append_blob(&t.owner->conn, blob), TUSK_OK);
            tusk_blob_unref(blob);
            break;
        }
        case 3: {
            tusk_blob *blob;
            assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(next, len)), TUSK_OK);
            assert_err(tusk_conn_append_slice(&t.owner->conn, blob, len / 3, len - len / 3),
                       TUSK_OK);
            memmove(next, next + len / 3, len - len / 3);
            len -= len / 3;
            tusk_blob_unref(blob);
            break;
        }
        default: {
            size_t at = test_random(&seed) % 200000;
            pattern(next, at, len);
            assert_err(tusk_conn_append_file(&t.owner->conn, fd, at, len, released, &releases),
                       TUSK_OK);
            files++;
        }
        }
        model_len += len;
        if (test_random(&seed) % 3 == 0) {
            turns(1);
            listen_some(test_random(&seed) % 9000);
        }
    }
    assert_all_heard();
    assert_true(files > 10);
    assert_int_equal(releases, files);
    close(fd);
}

static void what_one_turn_appends_leaves_in_one_call(void **state)
{
    (void)state;
    tusk_blob *blob;
    memset(model, 'b', 6000);
    assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(model, 5000)), TUSK_OK);
    for (int i = 0; i < 6; i++) {
        assert_err(tusk_conn_append(&t.owner->conn, model, 1000), TUSK_OK);
        assert_err(tusk_conn_append_blob(&t.owner->conn, blob), TUSK_OK);
    }
    assert_int_equal(blob->refs, 7);
    turns(1);
    assert_int_equal(tusk_net_count(t.net)->send_calls, 1);
    assert_int_equal(blob->refs, 1);
    tusk_blob_unref(blob);
}

static void flush_writes_at_once_and_the_turn_not_again(void **state)
{
    (void)state;
    assert_err(tusk_conn_append(&t.owner->conn, "now", 3), TUSK_OK);
    tusk_conn_flush(&t.owner->conn);
    hear("now");
    turns(2);
    assert_int_equal(tusk_net_count(t.net)->send_calls, 1);
}

static void a_segment_serves_again_however_often_and_for_one_byte(void **state)
{
    (void)state;
    for (int i = 0; i < 600; i++) { /* more than a pool keeps */
        assert_err(tusk_conn_append(&t.owner->conn, "", 0), TUSK_OK);
        assert_null(t.owner->conn.send_head);
        assert_err(tusk_conn_append(&t.owner->conn, "1", 1), TUSK_OK);
        turns(1);
        hear("1");
        memcpy(tusk_conn_reserve(&t.owner->conn, 9), "23", 2);
        tusk_conn_commit(&t.owner->conn, 2);
        turns(1);
        hear("23");
    }
    assert_int_equal(tusk_net_count(t.net)->segs_allocated, 1);
}

static void a_reservation_that_is_not_used_leaves_no_trace(void **state)
{
    (void)state;
    assert_non_null(tusk_conn_reserve(&t.owner->conn, 100));
    turns(1);
    assert_non_null(tusk_conn_reserve(&t.owner->conn, 1024));
    tusk_conn_commit(&t.owner->conn, 0);
    assert_err(tusk_conn_append(&t.owner->conn, "ok", 2), TUSK_OK);
    turns(1);
    hear("ok");
    assert_null(t.owner->conn.send_head);
}

static void on_drain_comes_once_when_the_queue_falls_to_low_water(void **state)
{
    (void)state;
    tiny_buffers();
    t.owner->conn.low_water = 10000;
    assert_err(tusk_conn_append(&t.owner->conn, model, 9000), TUSK_OK);
    TURN_UNTIL((listen_some(9000), t.owner->conn.send_bytes == 0));
    assert_int_equal(t.owner->drains, 0);
    assert_err(tusk_conn_append(&t.owner->conn, model, 200000), TUSK_OK);
    turns(2);
    assert_int_equal(t.owner->drains, 0);
    TURN_UNTIL((listen_some(3000), t.owner->drains > 0));
    assert_in_range(t.owner->conn.send_bytes, 1, 10000);
    TURN_UNTIL((listen_some(9000), t.owner->conn.send_bytes == 0));
    turns(3);
    assert_int_equal(t.owner->drains, 1);
}

static void on_drain_comes_also_when_the_kernel_took_it_all_at_once(void **state)
{
    (void)state;
    assert_err(tusk_conn_append(&t.owner->conn, model, 40000), TUSK_OK);
    turns(2);
    assert_int_equal(t.owner->drains, 1);
}

static void past_the_total_appends_are_refused_and_counted(void **state)
{
    (void)state;
    tusk_blob *blob;
    tusk_net_counters before = *tusk_net_count(t.net);
    assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(model, 4 << 20)), TUSK_OK);
    assert_err(tusk_conn_append_blob(&t.owner->conn, blob), TUSK_OK);
    assert_err(tusk_conn_append_blob(&t.owner->conn, blob), TUSK_OK);
    assert_err(tusk_conn_append_blob(&t.owner->conn, blob), TUSK_ELIMIT);
    assert_err(tusk_conn_append(&t.owner->conn, "x", 1), TUSK_ELIMIT);
    assert_null(tusk_conn_reserve(&t.owner->conn, 1));
    assert_int_equal(tusk_net_count(t.net)->queue_refusals - before.queue_refusals, 3);
    assert_int_equal(blob->refs, 3);
    assert_int_equal(t.owner->conn.send_bytes, 8 << 20);
    tusk_conn_abort(&t.owner->conn, TUSK_OK);
    assert_int_equal(blob->refs, 1);
    assert_int_equal(tusk_net_queued(t.net), 0);
    tusk_blob_unref(blob);
}

static void a_slice_outside_its_blob_is_refused(void **state)
{
    (void)state;
    tusk_blob *blob;
    assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(model, 1000)), TUSK_OK);
    assert_err(tusk_conn_append_slice(&t.owner->conn, blob, 1001, 0), TUSK_EINVAL);
    assert_err(tusk_conn_append_slice(&t.owner->conn, blob, 500, 501), TUSK_EINVAL);
    assert_err(tusk_conn_append_slice(&t.owner->conn, blob, 1, SIZE_MAX), TUSK_EINVAL);
    assert_err(tusk_conn_append_slice(&t.owner->conn, blob, 1000, 0), TUSK_OK);
    assert_null(t.owner->conn.send_head);
    tusk_blob_unref(blob);
}

static tusk_blob *blob_of_pattern(size_t len)
{
    tusk_blob *blob;
    uint8_t *place;
    assert_err(tusk_blob_new(&blob, tusk_mem_default(), len, &place), TUSK_OK);
    pattern(place, 0, len);
    return blob;
}

static void parts_of_a_blob_that_follow_each_other_are_one_part(void **state)
{
    (void)state;
    tusk_blob *blob = blob_of_pattern(1000);
    for (size_t at = 0; at < 1000; at += 10) {
        assert_err(tusk_conn_append_slice(&t.owner->conn, blob, at, 10), TUSK_OK);
        assert_int_equal(tusk_net_queued(t.net), at + 10);
    }
    assert_int_equal(blob->refs, 2);
    uint64_t calls = tusk_net_count(t.net)->send_calls;
    turns(1);
    assert_int_equal(tusk_net_count(t.net)->send_calls, calls + 1);
    pattern(model, 0, model_len = 1000);
    assert_all_heard();
    assert_int_equal(blob->refs, 1);
    tusk_blob_unref(blob);
}

static void parts_of_a_blob_that_do_not_follow_arrive_as_they_are(void **state)
{
    (void)state;
    static const size_t from[] = {500, 0, 300, 300, 600};
    tusk_blob *blob = blob_of_pattern(1000);
    for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
        assert_err(tusk_conn_append_slice(&t.owner->conn, blob, from[i], 300), TUSK_OK);
        pattern(model + model_len, from[i], 300);
        model_len += 300;
    }
    turns(1);
    assert_all_heard();
    tusk_blob_unref(blob);
}

static void a_peer_that_takes_nothing_holds_no_more_of_a_blob_than_is_counted(void **state)
{
    (void)state;
    enum { LEN = 60000, FIRST = 25000, REST = 1000 };
    tusk_blob *blob = blob_of_pattern(LEN);
    tiny_buffers();
    pattern(model, 0, model_len = FIRST + 2 * REST);
    assert_err(tusk_conn_append_slice(&t.owner->conn, blob, 0, FIRST), TUSK_OK);
    assert_int_equal(blob->refs, 2);
    turns(1);
    assert_true(t.owner->conn.blocked);
    assert_int_equal(blob->refs, 1);
    assert_int_equal(tusk_net_queued(t.net), t.owner->conn.send_bytes);
    assert_err(tusk_conn_append_slice(&t.owner->conn, blob, FIRST, REST), TUSK_OK);
    assert_err(tusk_conn_append_slice(&t.owner->conn, blob, FIRST + REST, REST), TUSK_OK);
    assert_int_equal(blob->refs, 1);
    tusk_blob_unref(blob);
    assert_all_heard();
}

static void a_file_that_became_shorter_ends_the_connection(void **state)
{
    (void)state;
    int releases = 0;
    int fd = file_of_pattern(0, 1000);
    assert_err(tusk_conn_append(&t.owner->conn, "head", 4), TUSK_OK);
    assert_err(tusk_conn_append_file(&t.owner->conn, fd, 0, 2000, released, &releases), TUSK_OK);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ESYS);
    assert_int_equal(releases, 1);
    close(fd);
}

static void an_empty_file_is_released_and_holds_nothing_up(void **state)
{
    (void)state;
    int releases = 0;
    int fd = file_of_pattern(0, 1);
    assert_err(tusk_conn_append_file(&t.owner->conn, fd, 0, 0, released, &releases), TUSK_OK);
    assert_err(tusk_conn_append(&t.owner->conn, "x", 1), TUSK_OK);
    turns(1);
    hear("x");
    assert_int_equal(releases, 1);
    close(fd);
}

static void a_large_file_leaves_in_shares_so_that_others_have_their_turn(void **state)
{
    (void)state;
    int releases = 0;
    int bytes = 4 << 20;
    int fd = file_of_pattern(0, 3 << 20);
    (void)setsockopt(t.owner->conn.io.fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
    assert_err(tusk_conn_append_file(&t.owner->conn, fd, 0, 3 << 20, released, &releases), TUSK_OK);
    size_t before = t.owner->conn.send_bytes;
    turns(1);
    assert_true(before - t.owner->conn.send_bytes <= 1 << 20);
    assert_int_equal(tusk_net_queued(t.net), 0); /* a file is no memory */
    TURN_UNTIL((listen_some(1 << 20), heard_len == 3 << 20));
    assert_pattern(heard, 0, heard_len);
    assert_int_equal(releases, 1);
    close(fd);
}

/* Where queues are full, who has the longest is asked of thousands, for each one without room. */
static void what_a_long_queue_holds_is_told_without_looking_at_each_part(void **state)
{
    (void)state;
    enum { LEN = 300, PARTS = 20000, TIMES = 100000 };
    tusk_blob *blobs[2];
    uint8_t *place;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tusk_blob_new(&blobs[i], tusk_mem_default(), LEN, &place), TUSK_OK);
        memset(place, 'a' + i, LEN);
    }
    tiny_buffers();
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(tusk_conn_append_blob(&t.owner->conn, blobs[i % 2]), TUSK_OK);
    }
    assert_int_equal(tusk_loop_turn(t.loop, 0), TUSK_OK);
    uint64_t began = tusk_loop_clock_ns();
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(tusk_conn_held(&t.owner->conn), tusk_net_queued(t.net));
    }
    assert_in_range(tusk_loop_clock_ns() - began, 0, UINT64_C(2000000000));
    tusk_blob_unref(blobs[0]);
    tusk_blob_unref(blobs[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, net_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_nearly_sent_still_counts_whole),
        TEST(what_a_long_queue_holds_is_told_without_looking_at_each_part),
        TEST(any_mix_of_bytes_blobs_and_files_arrives_in_order),
        TEST(what_one_turn_appends_leaves_in_one_call),
        TEST(flush_writes_at_once_and_the_turn_not_again),
        TEST(a_segment_serves_again_however_often_and_for_one_byte),
        TEST(a_reservation_that_is_not_used_leaves_no_trace),
        TEST(on_drain_comes_once_when_the_queue_falls_to_low_water),
        TEST(on_drain_comes_also_when_the_kernel_took_it_all_at_once),
        TEST(past_the_total_appends_are_refused_and_counted),
        TEST(a_slice_outside_its_blob_is_refused),
        TEST(parts_of_a_blob_that_follow_each_other_are_one_part),
        TEST(parts_of_a_blob_that_do_not_follow_arrive_as_they_are),
        TEST(a_peer_that_takes_nothing_holds_no_more_of_a_blob_than_is_counted),
        TEST(a_file_that_became_shorter_ends_the_connection),
        TEST(an_empty_file_is_released_and_holds_nothing_up),
        TEST(a_large_file_leaves_in_shares_so_that_others_have_their_turn),
    };
    return TEST_RUN_ALSO_IN_BATCHES("net/sendq", tests);
}
