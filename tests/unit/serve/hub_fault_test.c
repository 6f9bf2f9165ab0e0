/* SPDX-License-Identifier: MIT */
/* Topics when something is missing: memory, room in the queues, records in the log. Nobody may lose
 * a message without being told. */
#define _GNU_SOURCE
#include "rig.h"

static char filler[20001];

static void fill(char with, size_t len)
{
    memset(filler, with, len);
    filler[len] = '\0';
}

static tusk_server_stats stats_of(const rig *r)
{
    tusk_server_stats stats;
    tusk_server_stats_get(r->server, &stats);
    return stats;
}

/* Everything that comes until nothing does. */
static size_t drain(rig *r, int fd, char *out, size_t cap)
{
    size_t len = 0;
    for (int idle = 0; idle < 10; idle++) {
        size_t got = rig_read(fd, out + len, cap - len);
        len += got;
        idle = got > 0 ? 0 : idle;
        rig_turn(r, 1);
    }
    return len;
}

static void subscribe(rig *r, const char *topic, const tusk_position *since, tusk_overflow overflow)
{
    assert_err(tusk_session_subscribe(r->server, r->last, tusk_bytes_str(topic), since, overflow),
               TUSK_OK);
}

static void send_text(rig *r, tusk_handle session, const char *text, tusk_err wanted)
{
    assert_err(
        tusk_websocket_send(r->server, session, TUSK_WS_TEXT, tusk_bytes_str(text), NULL, NULL),
        wanted);
}

/* The frame that would serve all cannot be made: who closes hears so, who drops reads the log. */
static void without_memory_for_the_form_each_policy_says_so(void **state)
{
    rig r;
    char text[8192];
    test_mem mem;
    (void)state;
    test_mem_init(&mem, 0);
    assert_err(rig_try_init(&r, &mem.mem, NULL), TUSK_OK);
    fill('m', 2000);
    r.topic = "t";
    r.overflow = TUSK_OVERFLOW_CLOSE;
    int closes = rig_websocket(&r);
    r.overflow = TUSK_OVERFLOW_DROP_NEWEST;
    int drops = rig_websocket(&r);
    r.overflow = TUSK_OVERFLOW_CONFLATE;
    int conflates = rig_stream(&r);
    rig_publish(&r, "t", filler, NULL);
    mem.fail_at = mem.requests + 1; /* the scratch in which the form is made */
    rig_turn(&r, 3);
    assert_true(mem.requests >= mem.fail_at);
    (void)drain(&r, closes, text, sizeof(text));
    assert_memory_equal(text, "\x88\x0c\x03\xf5queue full", 14);
    assert_int_equal(drain(&r, drops, text, sizeof(text)), 2004);
    assert_memory_equal(text + 4, filler, 2000);
    (void)drain(&r, conflates, text, sizeof(text));
    assert_non_null(strstr(text, filler));
    tusk_server_stats stats = stats_of(&r);
    assert_int_equal(stats.out_of_memory, 2); /* both who took that form; the other form was made */
    assert_int_equal(stats.overflow_closed, 1);
    assert_int_equal(stats.delivered, 2);
    close(closes);
    close(drops);
    close(conflates);
    rig_fini(&r);
    test_mem_assert_empty(&mem);
}

static void without_memory_for_long_all_of_them_end(void **state)
{
    rig r;
    char text[8192];
    test_mem mem;
    (void)state;
    test_mem_init(&mem, 0);
    assert_err(rig_try_init(&r, &mem.mem, NULL), TUSK_OK);
    fill('m', 2000);
    r.topic = "t";
    r.overflow = TUSK_OVERFLOW_DROP_OLDEST;
    int ws = rig_websocket(&r);
    int stream = rig_stream(&r);
    rig_publish(&r, "t", filler, NULL);
    mem.fail_all_after = true;
    mem.fail_at = mem.requests + 1;
    rig_turn(&r, 3);
    mem.fail_at = 0;
    (void)drain(&r, ws, text, sizeof(text));
    assert_memory_equal(text, "\x88\x0c\x03\xf5queue full", 14);
    (void)drain(&r, stream, text, sizeof(text)); /* perhaps without memory for its last chunk */
    assert_int_equal(read(stream, text, sizeof(text)), 0);
    assert_int_equal(stats_of(&r).overflow_closed, 2);
    close(ws);
    close(stream);
    rig_fini(&r);
    test_mem_assert_empty(&mem);
}

/* The queue is full when the gap is to be said: it is said once there is room, before what follows.
 */
static void a_gap_waits_for_room(void **state)
{
    rig r;
    static char text[65536];
    tusk_server_limits limits;
    const tusk_position gone = {1, 1};
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 20000;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    fill('f', 19980);
    send_text(&r, r.last, filler, TUSK_OK);
    subscribe(&r, "t", &gone, TUSK_OVERFLOW_DROP_OLDEST);
    rig_publish(&r, "t", "live", NULL);
    size_t len = drain(&r, fd, text, sizeof(text));
    const char *gap = memmem(text, len, "{\"type\":\"reset\",\"position\":\"", 28);
    const char *live = memmem(text, len, "\x81\x04live", 6);
    assert_non_null(gap);
    assert_non_null(live);
    assert_true(gap < live);
    assert_int_equal(stats_of(&r).resets_sent, 1);
    assert_int_equal(stats_of(&r).sends_refused, 0);
    close(fd);
    rig_fini(&r);
}

/* All queues together are full: the longest one gives way to whoever reads the log, too. */
static void reading_the_log_makes_room(void **state)
{
    rig r;
    static char text[65536];
    tusk_server_limits limits;
    tusk_position start;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes_total = 100000;
    limits.queued_bytes = 100000;
    rig_init(&r, &limits);
    fill('o', 15000);
    int stuck = rig_websocket(&r);
    tusk_handle hog = r.last;
    rig_publish(&r, "t", "first", &start);
    rig_publish(&r, "t", filler, NULL);
    int fd = rig_websocket(&r);
    tusk_handle reader = r.last;
    while (stats_of(&r).queued_bytes + 15004 <= limits.queued_bytes_total) {
        send_text(&r, hog, filler, TUSK_OK);
        rig_turn(&r, 1); /* its peer takes nothing, and the kernel soon nothing more */
    }
    r.last = reader;
    subscribe(&r, "t", &start, TUSK_OVERFLOW_CLOSE);
    rig_turn(&r, 2);
    assert_int_equal(drain(&r, fd, text, sizeof(text)), 15004);
    assert_int_equal(stats_of(&r).delivered, 1);
    assert_true(tusk_session_open(r.server, r.last));
    assert_false(tusk_session_open(r.server, hog));
    assert_int_equal(stats_of(&r).overflow_closed, 1);
    close(stuck);
    close(fd);
    rig_fini(&r);
}

/* One cursor resumes all topics of a session: a live message that overtook a replay would make the
 * rest of the replay unreachable. */
static void a_live_topic_does_not_overtake_one_that_is_replayed(void **state)
{
    rig r;
    static char text[1 << 20];
    tusk_server_limits limits;
    tusk_position start;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 20000;
    rig_init(&r, &limits);
    fill('a', 5000);
    rig_publish(&r, "a", "start", &start);
    for (int i = 0; i < 20; i++) {
        rig_publish(&r, "a", filler, NULL);
    }
    int fd = rig_stream(&r);
    subscribe(&r, "b", NULL, TUSK_OVERFLOW_CLOSE);
    subscribe(&r, "a", &start, TUSK_OVERFLOW_CLOSE);
    rig_publish(&r, "b", "live", NULL);
    rig_turn(&r, 1);
    rig_publish(&r, "b", "later", NULL);
    size_t len = drain(&r, fd, text, sizeof(text));
    const char *live = memmem(text, len, "data: live", 10);
    const char *later = memmem(text, len, "data: later", 11);
    assert_non_null(live);
    assert_non_null(later);
    assert_true(live < later);
    assert_null(memmem(live, (size_t)(text + len - live), filler, 5000));
    assert_int_equal(stats_of(&r).delivered, 22);
    close(fd);
    rig_fini(&r);
}

/* What was published in this turn is delivered before a direct send; when that closes the session,
 * nothing follows its Close. */
static void nothing_follows_a_close_that_the_open_batch_caused(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        rig r;
        static char text[65536];
        tusk_server_limits limits;
        tusk_server_limits_default(&limits);
        limits.queued_bytes = 20000;
        rig_init(&r, &limits);
        r.topic = "t";
        fill('f', 19500);
        int fd = way == 2 ? rig_stream(&r) : rig_websocket(&r);
        tusk_bytes none = {NULL, 0};
        if (way == 2) {
            assert_err(
                tusk_stream_send(r.server, r.last, none, none, false, tusk_bytes_str(filler)),
                TUSK_OK);
        } else {
            send_text(&r, r.last, filler, TUSK_OK);
        }
        fill('p', 1000);
        rig_publish(&r, "t", filler, NULL);
        if (way == 0) {
            send_text(&r, r.last, "x", TUSK_ESTATE);
        } else if (way == 1) {
            assert_err(tusk_websocket_close(r.server, r.last, 1000, tusk_bytes_str("")),
                       TUSK_ESTATE);
        } else {
            assert_err(tusk_stream_send(r.server, r.last, none, none, false, tusk_bytes_str("x")),
                       TUSK_ESTATE);
        }
        size_t len = drain(&r, fd, text, sizeof(text));
        const char *tail = way == 2 ? "\r\n0\r\n\r\n" : "\x88\x0c\x03\xf5queue full";
        size_t tail_len = strlen(tail);
        assert_true(len > 19500 + tail_len);
        assert_memory_equal(text + len - tail_len, tail, tail_len);
        close(fd);
        rig_fini(&r);
    }
}

/* Resuming from the oldest record of a long log is work for many turns, and others are served
 * between. */
static void a_long_replay_leaves_others_their_turn(void **state)
{
    rig r;
    char text[512];
    tusk_position start;
    tusk_loop_counters before;
    tusk_loop_counters after;
    (void)state;
    rig_init(&r, NULL);
    rig_publish(&r, "t", "start", &start);
    for (int i = 0; i < 120000; i++) {
        rig_publish(&r, "other", "", NULL);
    }
    rig_publish(&r, "t", "found", NULL);
    int quick = rig_websocket(&r);
    int fd = rig_websocket(&r);
    subscribe(&r, "t", &start, TUSK_OVERFLOW_CLOSE);
    rig_send(quick, 0x81, "ping", 4);
    tusk_loop_count(r.loop, &before);
    rig_turn(&r, 1);
    assert_int_equal(rig_read(quick, text, sizeof(text)), 6); /* its echo */
    assert_int_equal(rig_read(fd, text, sizeof(text)), 0);
    while (rig_read(fd, text, sizeof(text)) == 0) {
        rig_turn(&r, 1);
    }
    tusk_loop_count(r.loop, &after);
    assert_memory_equal(text,
                        "\x81\x05"
                        "found",
                        7);
    assert_true(after.turns - before.turns > 2);
    close(quick);
    close(fd);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_for_the_form_each_policy_says_so),
        cmocka_unit_test(without_memory_for_long_all_of_them_end),
        cmocka_unit_test(a_gap_waits_for_room),
        cmocka_unit_test(reading_the_log_makes_room),
        cmocka_unit_test(a_live_topic_does_not_overtake_one_that_is_replayed),
        cmocka_unit_test(nothing_follows_a_close_that_the_open_batch_caused),
        cmocka_unit_test(a_long_replay_leaves_others_their_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
