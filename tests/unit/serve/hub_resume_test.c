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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topics_come_in_the_logs_order_though_the_first_had_missed_nothing),
        cmocka_unit_test(what_is_published_and_then_sent_directly_arrives_in_that_order),
        cmocka_unit_test(a_close_comes_behind_what_was_missed),
        cmocka_unit_test(a_streams_end_comes_behind_what_was_missed),
        cmocka_unit_test(who_unsubscribes_has_what_was_missed_and_nothing_after_it),
        cmocka_unit_test(a_close_gives_of_a_long_history_what_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
