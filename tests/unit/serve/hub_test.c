/* SPDX-License-Identifier: MIT */
/* Topics, cursors and slow subscribers, over both transports. */
#define _GNU_SOURCE
#include "rig.h"
#include "slow_reader.h"

#include "net/inner.h"
#include "serve/session.h"

static void one_publication_reaches_both_transports(void **state)
{
    rig r;
    char text[512];
    char expected[512];
    char position_text[TUSK_POSITION_TEXT_MAX + 1] = {0};
    tusk_position position;
    (void)state;
    rig_init(&r, NULL);
    r.topic = "news";
    int ws = rig_websocket(&r);
    int sse = rig_stream(&r);
    assert_int_equal(tusk_server_subscribers(r.server, tusk_bytes_str("news")), 2);
    rig_publish(&r, "news", "hello", &position);
    rig_publish(&r, "other", "not for them", NULL);
    rig_turn(&r, 2);
    rig_read(ws, text, sizeof(text));
    assert_string_equal(text, "\x81\x05hello");
    rig_read(sse, text, sizeof(text));
    position_text[tusk_position_text(position_text, position)] = '\0';
    snprintf(expected, sizeof(expected), "id: %s\ndata: hello\n\n", position_text);
    assert_non_null(strstr(text, expected));
    assert_int_equal(strtoul(text, NULL, 16), strlen(expected)); /* the chunk's length */
    close(ws);
    close(sse);
    rig_turn(&r, 3);
    assert_int_equal(tusk_server_subscribers(r.server, tusk_bytes_str("news")), 0);
    rig_fini(&r);
}

static void messages_of_a_turn_leave_in_one_write_and_in_order(void **state)
{
    rig r;
    char text[512];
    tusk_server_stats before;
    tusk_server_stats after;
    (void)state;
    rig_init(&r, NULL);
    r.topic = "t";
    int ws = rig_websocket(&r);
    tusk_server_stats_get(r.server, &before);
    rig_publish(&r, "t", "a", NULL);
    assert_int_equal(
        tusk_websocket_send(r.server, r.last, TUSK_WS_TEXT, tusk_bytes_str("b"), NULL, NULL),
        TUSK_OK);
    rig_publish(&r, "t", "c", NULL);
    rig_publish(&r, "u", "x", NULL);
    rig_publish(&r, "t", "d", NULL);
    rig_turn(&r, 2);
    rig_read(ws, text, sizeof(text));
    assert_string_equal(text, "\x81\x01"
                              "a"
                              "\x81\x01"
                              "b"
                              "\x81\x01"
                              "c"
                              "\x81\x01"
                              "d");
    tusk_server_stats_get(r.server, &after);
    assert_int_equal(after.send_calls - before.send_calls, 1);
    close(ws);
    rig_fini(&r);
}

static void a_publisher_can_leave_itself_out(void **state)
{
    rig r;
    char text[512];
    (void)state;
    rig_init(&r, NULL);
    r.topic = "t";
    int other = rig_websocket(&r);
    int self = rig_websocket(&r);
    tusk_publication publication = {.topic = tusk_bytes_str("t"),
                                    .data = tusk_bytes_str("mine"),
                                    .opcode = TUSK_WS_TEXT,
                                    .except = r.last};
    assert_int_equal(tusk_server_publish(r.server, &publication, NULL), TUSK_OK);
    rig_publish(&r, "t", "all", NULL);
    rig_turn(&r, 2);
    rig_read(self, text, sizeof(text));
    assert_string_equal(text, "\x81\x03"
                              "all");
    rig_read(other, text, sizeof(text));
    assert_string_equal(text, "\x81\x04mine\x81\x03"
                              "all");
    close(self);
    close(other);
    rig_fini(&r);
}

static void one_left_out_stays_left_out_while_it_is_behind(void **state)
{
    rig r;
    char text[512];
    tusk_position start;
    (void)state;
    rig_init(&r, NULL);
    r.topic = "t";
    int fd = rig_websocket(&r);
    rig_publish(&r, "t", "old", &start);
    tusk_publication publication = {.topic = tusk_bytes_str("t"),
                                    .data = tusk_bytes_str("mine"),
                                    .opcode = TUSK_WS_TEXT,
                                    .except = r.last};
    assert_int_equal(tusk_server_publish(r.server, &publication, NULL), TUSK_OK);
    rig_publish(&r, "t", "new", NULL);
    rig_turn(&r, 2);
    rig_read(fd, text, sizeof(text));
    assert_int_equal(
        tusk_session_subscribe(r.server, r.last, tusk_bytes_str("t"), &start, TUSK_OVERFLOW_CLOSE),
        TUSK_OK); /* the log is read again from there */
    rig_turn(&r, 2);
    rig_read(fd, text, sizeof(text));
    assert_string_equal(text, "\x81\x03new");
    close(fd);
    rig_fini(&r);
}

static void since_replays_what_came_after_and_then_goes_live(void **state)
{
    rig r;
    char text[1024];
    tusk_position position;
    (void)state;
    rig_init(&r, NULL);
    rig_publish(&r, "t", "old", &position);
    rig_publish(&r, "t", "one", NULL);
    rig_publish(&r, "other", "no", NULL);
    rig_publish(&r, "t", "two", NULL);
    r.topic = "t";
    r.since = &position;
    int fd = rig_connect(&r);
    rig_write(fd, rig_upgrade, sizeof(rig_upgrade) - 1);
    rig_turn(&r, 1);
    rig_publish(&r, "t", "live", NULL);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\r\n\r\n\x81\x03one\x81\x03two\x81\x04live"));
    close(fd);
    rig_fini(&r);
}

static void a_gap_is_said(void **state)
{
    rig r;
    char text[1024];
    tusk_position position;
    (void)state;
    rig_init(&r, NULL);
    rig_lose_place(&r, &position);
    int fd = rig_connect(&r);
    static const char request[] = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
    rig_write(fd, request, sizeof(request) - 1);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "event: reset\n"));
    /* With an id: from there its client goes on, where it is lost once more. */
    char told[TUSK_POSITION_TEXT_MAX + 16];
    char at[TUSK_POSITION_TEXT_MAX];
    tusk_position now = tusk_server_position(r.server);
    size_t at_len = tusk_position_text(at, now);
    (void)snprintf(told, sizeof(told), "\nid: %.*s\n", (int)at_len, at);
    assert_non_null(strstr(text, told));
    close(fd);
    rig_fini(&r);
}

static void history_that_gave_way_is_a_gap(void **state)
{
    rig r;
    char text[1024];
    char data[1000];
    tusk_position position;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.history_bytes = 64 * 1024;
    rig_init(&r, &limits);
    rig_publish(&r, "t", "first", &position);
    memset(data, 'x', sizeof(data) - 1);
    data[sizeof(data) - 1] = '\0';
    for (int i = 0; i < 200; i++) {
        rig_publish(&r, "t", data, NULL);
    }
    r.topic = "t";
    r.since = &position;
    int fd = rig_connect(&r);
    rig_write(fd, rig_upgrade, sizeof(rig_upgrade) - 1);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "{\"type\":\"reset\",\"position\":\""));
    close(fd);
    rig_fini(&r);
}

/* Publishes 200 messages "0000".."0199" of 1000 bytes to one who does not read, then reads all.
 * Returns the text. */
static char *stall(rig *r, tusk_overflow overflow, size_t *len, tusk_server_stats *stats)
{
    tusk_server_limits limits;
    char data[1001];
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 20000;
    rig_init(r, &limits);
    r->topic = "t";
    r->overflow = overflow;
    int fd = rig_websocket(r);
    read_slowly(fd);
    for (int i = 0; i < 2000; i++) {
        memset(data, 'x', 1000);
        data[snprintf(data, sizeof(data), "%04d", i)] = 'x';
        data[1000] = '\0';
        rig_publish(r, "t", data, NULL);
        rig_turn(r, 1);
        assert_true(tusk_session_buffered(r->server, r->last) <= 20000 + 1004);
    }
    char *all = read_all(r, fd, len);
    close(fd);
    tusk_server_stats_get(r->server, stats);
    return all;
}

/* How often `byte` comes, however it is framed. */
static size_t count_byte(rig *r, int fd, char byte)
{
    char text[4096];
    size_t found = 0;
    for (int i = 0; i < 50; i++) {
        rig_turn(r, 1);
        found += count_in(text, rig_read(fd, text, sizeof(text)), byte);
    }
    return found;
}

static void a_publication_as_long_as_a_queue_may_be_reaches_who_has_an_empty_one(void **state)
{
    static const tusk_overflow policies[] = {TUSK_OVERFLOW_CLOSE, TUSK_OVERFLOW_DROP_NEWEST};
    enum { LONGEST = 20000 };
    tusk_server_limits limits;
    char data[LONGEST + 2];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = LONGEST;
    memset(data, '|', sizeof(data));
    for (size_t i = 0; i < 2; i++) {
        rig r;
        tusk_server_stats stats;
        rig_init(&r, &limits);
        r.topic = "t";
        r.overflow = policies[i];
        int ws = rig_websocket(&r);
        int sse = rig_stream(&r);
        data[LONGEST] = '\0';
        rig_publish(&r, "t", data, NULL);
        assert_int_equal(count_byte(&r, ws, '|'), LONGEST);
        assert_int_equal(count_byte(&r, sse, '|'), LONGEST);
        assert_int_equal(tusk_server_subscribers(r.server, tusk_bytes_str("t")), 2);
        data[LONGEST] = '|';
        data[LONGEST + 1] = '\0';
        rig_publish(&r, "t", data, NULL);
        assert_int_equal(count_byte(&r, ws, '|'), 0);
        assert_int_equal(count_byte(&r, sse, '|'), 0);
        tusk_server_stats_get(r.server, &stats);
        assert_int_equal(stats.overflow_closed, i == 0 ? 2 : 0);
        assert_int_equal(stats.dropped_newest, i == 0 ? 0 : 2);
        close(ws);
        close(sse);
        rig_fini(&r);
    }
}

static void drop_oldest_keeps_the_newest(void **state)
{
    rig r;
    size_t len;
    tusk_server_stats stats;
    (void)state;
    char *all = stall(&r, TUSK_OVERFLOW_DROP_OLDEST, &len, &stats);
    assert_true(stats.dropped_oldest > 0);
    assert_int_equal(len / 1004 + stats.dropped_oldest,
                     2000); /* each message arrived, or is counted */
    assert_non_null(memmem(all, len, "1999xxx", 7));
    assert_non_null(memmem(all, len, "1990xxx", 7));
    free(all);
    rig_fini(&r);
}

/* What waits for it is overtaken by messages of another topic; what comes then is within its limit.
 */
static void what_the_ring_let_go_counts_as_dropped(void **state)
{
    rig r;
    tusk_server_stats stats;
    (void)state;
    init_small_ring(&r);
    r.topic = "t";
    r.overflow = TUSK_OVERFLOW_DROP_OLDEST;
    int fd = rig_websocket(&r);
    read_slowly(fd);
    int sent = 0;
    while (tusk_session_buffered(r.server, r.last) < 19000) {
        publish_kilobytes(&r, "t", '-', 1);
        sent++;
    }
    publish_kilobytes(&r, "t", '-', 10);
    publish_kilobytes(&r, "other", '-', 100);
    publish_kilobytes(&r, "t", '|', 15);
    size_t len;
    char *all = read_all(&r, fd, &len);
    assert_int_equal(count_in(all, len, '|'), 15000);
    assert_int_equal(count_in(all, len, '-'), sent * 1000);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.dropped_oldest, 10);
    assert_int_equal(stats.resets_sent, 0);
    publish_kilobytes(&r, "t", '-', 1);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.dropped_oldest, 10);
    free(all);
    close(fd);
    rig_fini(&r);
}

static void who_resumes_so_slowly_that_the_ring_overtakes_it_hears_of_the_gap(void **state)
{
    rig r;
    tusk_server_stats stats;
    tusk_position position;
    (void)state;
    init_small_ring(&r);
    rig_publish(&r, "t", "first", &position);
    publish_kilobytes(&r, "t", '-', 50);
    int fd = rig_websocket(&r);
    read_slowly(fd);
    while (tusk_session_buffered(r.server, r.last) < 19000) {
        assert_err(tusk_websocket_send(r.server, r.last, TUSK_WS_TEXT, tusk_bytes_str("filler"),
                                       NULL, NULL),
                   TUSK_OK);
        rig_turn(&r, 1);
    }
    assert_err(tusk_session_subscribe(r.server, r.last, tusk_bytes_str("t"), &position,
                                      TUSK_OVERFLOW_CLOSE),
               TUSK_OK);
    rig_turn(&r, 3);
    publish_kilobytes(&r, "other", '-', 100);
    publish_kilobytes(&r, "t", '|', 2);
    size_t len;
    char *all = read_all(&r, fd, &len);
    const char *gap = memmem(all, len, "{\"type\":\"reset\",\"position\":\"", 28);
    assert_non_null(gap);
    assert_int_equal(count_in(gap, len - (size_t)(gap - all), '-'), 0); /* nothing of before it */
    assert_int_equal(count_in(gap, len - (size_t)(gap - all), '|'), 2000);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.resets_sent, 1);
    assert_int_equal(stats.dropped_oldest, 0);
    free(all);
    close(fd);
    rig_fini(&r);
}

static void drop_newest_keeps_the_oldest(void **state)
{
    rig r;
    size_t len;
    tusk_server_stats stats;
    (void)state;
    char *all = stall(&r, TUSK_OVERFLOW_DROP_NEWEST, &len, &stats);
    assert_int_equal(len / 1004 + stats.dropped_newest, 2000);
    assert_non_null(memmem(all, len, "0000xxx", 7));
    assert_null(memmem(all, len, "1999xxx", 7));
    free(all);
    rig_fini(&r);
}

static void conflate_leaves_only_the_newest_waiting(void **state)
{
    rig r;
    size_t len;
    tusk_server_stats stats;
    (void)state;
    char *all = stall(&r, TUSK_OVERFLOW_CONFLATE, &len, &stats);
    assert_true(stats.conflated > 1000);
    assert_int_equal(len / 1004 + stats.conflated, 2000);
    assert_memory_equal(all + len - 1000, "1999", 4);
    free(all);
    rig_fini(&r);
}

static void close_policy_ends_the_slow_one(void **state)
{
    rig r;
    size_t len;
    tusk_server_stats stats;
    (void)state;
    char *all = stall(&r, TUSK_OVERFLOW_CLOSE, &len, &stats);
    assert_int_equal(stats.overflow_closed, 1);
    assert_non_null(memmem(all, len, "\x03\xf5queue full", 12)); /* 1013 */
    free(all);
    rig_fini(&r);
}

static void one_compression_serves_all(void **state)
{
    static const char *const offers[] = {
        "permessage-deflate", "permessage-deflate; server_max_window_bits=10",
        "permessage-deflate; server_no_context_takeover; client_max_window_bits"};
    rig r;
    char text[2048];
    char data[2001];
    int fds[3];
    (void)state;
    rig_init(&r, NULL);
    r.topic = "t";
    for (size_t i = 0; i < 3; i++) {
        int n = snprintf(text, sizeof(text), "%.*sSec-WebSocket-Extensions: %s\r\n\r\n",
                         (int)sizeof(rig_upgrade) - 3, rig_upgrade, offers[i]);
        fds[i] = rig_connect(&r);
        rig_write(fds[i], text, (size_t)n);
        rig_turn(&r, 3);
        rig_read(fds[i], text, sizeof(text));
        assert_non_null(strstr(text, "Sec-WebSocket-Extensions: permessage-deflate"));
    }
    memset(data, 'y', 2000);
    data[2000] = '\0';
    rig_publish(&r, "t", data, NULL);
    rig_turn(&r, 2);
    for (size_t i = 0; i < 3; i++) {
        size_t n = rig_read(fds[i], text, sizeof(text));
        assert_true(n > 2 && n < 200);
        assert_int_equal((uint8_t)text[0], 0xc1);
        close(fds[i]);
    }
    tusk_server_stats stats;
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.compressions, 1);
    rig_fini(&r);
}

static void positions_are_read_back(void **state)
{
    char text[TUSK_POSITION_TEXT_MAX];
    tusk_position position = {UINT64_C(0xfedcba9876543210), UINT64_C(12345678901234)};
    tusk_position back;
    (void)state;
    size_t len = tusk_position_text(text, position);
    assert_int_equal(tusk_position_parse(&back, tusk_bytes_of(text, len)), TUSK_OK);
    assert_true(back.epoch == position.epoch && back.offset == position.offset);
    static const char *const bad[] = {"",
                                      "0",
                                      "fedcba9876543210:",
                                      "fedcba9876543210:x",
                                      "Fedcba9876543210:1",
                                      "fedcba9876543210;1",
                                      "fedcba9876543210:12345678901234567890"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(tusk_position_parse(&back, tusk_bytes_str(bad[i])), TUSK_EINVAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_publication_reaches_both_transports),
        cmocka_unit_test(messages_of_a_turn_leave_in_one_write_and_in_order),
        cmocka_unit_test(a_publisher_can_leave_itself_out),
        cmocka_unit_test(one_left_out_stays_left_out_while_it_is_behind),
        cmocka_unit_test(since_replays_what_came_after_and_then_goes_live),
        cmocka_unit_test(a_gap_is_said),
        cmocka_unit_test(history_that_gave_way_is_a_gap),
        cmocka_unit_test(a_publication_as_long_as_a_queue_may_be_reaches_who_has_an_empty_one),
        cmocka_unit_test(drop_oldest_keeps_the_newest),
        cmocka_unit_test(what_the_ring_let_go_counts_as_dropped),
        cmocka_unit_test(who_resumes_so_slowly_that_the_ring_overtakes_it_hears_of_the_gap),
        cmocka_unit_test(drop_newest_keeps_the_oldest),
        cmocka_unit_test(conflate_leaves_only_the_newest_waiting),
        cmocka_unit_test(close_policy_ends_the_slow_one),
        cmocka_unit_test(one_compression_serves_all),
        cmocka_unit_test(positions_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
