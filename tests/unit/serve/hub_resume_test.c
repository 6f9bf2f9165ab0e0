/* SPDX-License-Identifier: MIT */
/* One who resumes, and what else its handler does before the turn ends. */
#define _GNU_SOURCE
#include "rig.h"

/* In nothing yet; `since` lies before "one" and "two" of "t". */
static int init_resume(rig *self, tusk_position *since)
{
    rig_init(self, NULL);
    rig_publish(self, "t", "seen", since);
    rig_publish(self, "t", "one", NULL);
    rig_publish(self, "t", "two", NULL);
    return rig_websocket(self);
}

static void resume(rig *self, const char *topic, const tusk_position *since)
{
    assert_err(tusk_session_subscribe(self->server, self->last, tusk_bytes_str(topic), since,
                                      TUSK_OVERFLOW_CLOSE),
               TUSK_OK);
}

static void check_read(rig *self, int fd, const char *expected)
{
    char text[1024];
    rig_turn(self, 3);
    rig_read(fd, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void topics_come_in_the_logs_order_though_the_first_had_missed_nothing(void **state)
{
    rig r;
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    const tusk_position now = tusk_server_position(r.server);
    resume(&r, "t", &now);
    rig_publish(&r, "u", "1", NULL);
    rig_publish(&r, "t", "2", NULL);
    resume(&r, "u", &now);
    check_read(&r, fd,
               "\x81\x01"
               "1\x81\x01"
               "2");
    close(fd);
    rig_fini(&r);
}

static void what_is_published_and_then_sent_directly_arrives_in_that_order(void **state)
{
    rig r;
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    const tusk_position now = tusk_server_position(r.server);
    resume(&r, "t", &now);
    rig_publish(&r, "t", "1", NULL);
    assert_err(tusk_websocket_send(r.server, r.last, TUSK_WS_TEXT, tusk_bytes_str("2"), NULL, NULL),
               TUSK_OK);
    rig_publish(&r, "t", "3", NULL);
    check_read(&r, fd,
               "\x81\x01"
               "1\x81\x01"
               "2\x81\x01"
               "3");
    close(fd);
    rig_fini(&r);
}

static void a_close_comes_behind_what_was_missed(void **state)
{
    rig r;
    tusk_position since;
    (void)state;
    int fd = init_resume(&r, &since);
    resume(&r, "t", &since);
    assert_err(tusk_websocket_close(r.server, r.last, 4000, tusk_bytes_str("")), TUSK_OK);
    check_read(&r, fd, "\x81\x03one\x81\x03two\x88\x02\x0f\xa0");
    close(fd);
    rig_fini(&r);
}

static void a_streams_end_comes_behind_what_was_missed(void **state)
{
    rig r;
    char text[1024];
    tusk_position since;
    (void)state;
    int ws = init_resume(&r, &since);
    int fd = rig_stream(&r);
    resume(&r, "t", &since);
    assert_err(tusk_stream_close(r.server, r.last), TUSK_OK);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    const char *two = strstr(text, "data: two\n");
    assert_non_null(strstr(text, "data: one\n"));
    assert_non_null(two);
    assert_non_null(strstr(two, "\r\n0\r\n\r\n"));
    close(ws);
    close(fd);
    rig_fini(&r);
}

static void who_unsubscribes_has_what_was_missed_and_nothing_after_it(void **state)
{
    rig r;
    tusk_position since;
    (void)state;
    int fd = init_resume(&r, &since);
    resume(&r, "t", &since);
    assert_err(tusk_session_unsubscribe(r.server, r.last, tusk_bytes_str("t")), TUSK_OK);
    assert_err(
        tusk_websocket_send(r.server, r.last, TUSK_WS_TEXT, tusk_bytes_str("left"), NULL, NULL),
        TUSK_OK);
    rig_publish(&r, "t", "three", NULL);
    check_read(&r, fd, "\x81\x03one\x81\x03two\x81\x04left");
    close(fd);
    rig_fini(&r);
}

/* More than the queue takes at once: what is left is for when it comes back. */
static void a_close_gives_of_a_long_history_what_has_room(void **state)
{
    rig r;
    tusk_position since;
    char data[4096];
    (void)state;
    memset(data, 'x', sizeof(data));
    data[sizeof(data) - 1] = '\0';
    int fd = init_resume(&r, &since);
    for (int i = 0; i < 100; i++) {
        rig_publish(&r, "t", data, NULL);
    }
    resume(&r, "t", &since);
    assert_err(tusk_websocket_close(r.server, r.last, 4000, tusk_bytes_str("")), TUSK_OK);
    size_t queued = tusk_session_buffered(r.server, r.last);
    assert_in_range(queued, 64 * 1024, 64 * 1024 + 2 * sizeof(data));
    rig_turn(&r, 3);
    assert_err(
        tusk_session_subscribe(r.server, r.last, tusk_bytes_str("t"), &since, TUSK_OVERFLOW_CLOSE),
        TUSK_ESTATE);
    close(fd);
    rig_fini(&r);
}

/* Each far from its own limit, together more than the queues of all may have: the log keeps what
 * waits, so nobody is cut for it, and whoever reads goes on. */
static void a_crowd_that_resumes_and_does_not_read_cuts_nobody(void **state)
{
    enum { CROWD = 16, RECORDS = 100, RECORD = 60000, FRAME = RECORD + 4 };
    static char data[RECORD + 1];
    static char text[1 << 20];
    rig r;
    int fds[CROWD];
    tusk_handle handles[CROWD];
    tusk_position since;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes_total = 3u << 19;
    rig_init(&r, &limits);
    memset(data, 'x', RECORD);
    rig_publish(&r, "t", "seen", &since);
    for (int i = 0; i < RECORDS; i++) {
        rig_publish(&r, "t", data, NULL);
    }
    for (int i = 0; i < CROWD; i++) {
        fds[i] = rig_websocket(&r);
        handles[i] = r.last;
        resume(&r, "t", &since);
    }
    rig_turn(&r, 400);
    tusk_server_stats stats;
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.overflow_closed, 0);
    assert_in_range(stats.queued_bytes, limits.queued_bytes_total / 4, limits.queued_bytes_total);
    size_t got = 0;
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (got < (size_t)RECORDS * FRAME && tusk_loop_clock_ns() < until) {
        got += rig_read(fds[0], text, sizeof(text));
        rig_turn(&r, 1);
    }
    assert_int_equal(got, (size_t)RECORDS * FRAME);
    for (int i = 0; i < CROWD; i++) {
        assert_true(tusk_session_open(r.server, handles[i]));
        close(fds[i]);
    }
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topics_come_in_the_logs_order_though_the_first_had_missed_nothing),
        cmocka_unit_test(what_is_published_and_then_sent_directly_arrives_in_that_order),
        cmocka_unit_test(a_close_comes_behind_what_was_missed),
        cmocka_unit_test(a_streams_end_comes_behind_what_was_missed),
        cmocka_unit_test(who_unsubscribes_has_what_was_missed_and_nothing_after_it),
        cmocka_unit_test(a_crowd_that_resumes_and_does_not_read_cuts_nobody),
        cmocka_unit_test(a_close_gives_of_a_long_history_what_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
