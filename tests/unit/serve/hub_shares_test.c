/* SPDX-License-Identifier: MIT */
/* What is published to many is queued in shares: what is collected meanwhile, who has it before his
 * turn, and who goes. Everything at once is hub_model_test.c's. */
#define _GNU_SOURCE
#include "rig.h"

#include "serve/session.h"

enum { MANY = 9 };

static struct {
    rig r;
    int fds[MANY];
    tusk_handle handles[MANY];
} t;

/* A share is one subscriber: nine are more than are served at once. */
static void begin(void)
{
    still_begin(); /* or a busy machine would serve several shares in a turn */
    memset(&t, 0, sizeof(t));
    rig_init(&t.r, NULL);
    t.r.server->hub.share = 1;
    t.r.topic = "t";
    for (int i = 0; i < MANY; i++) {
        t.fds[i] = rig_websocket(&t.r);
        t.handles[i] = t.r.last;
    }
}

static void end(void)
{
    for (int i = 0; i < MANY; i++) {
        close(t.fds[i]);
    }
    rig_turn(&t.r, 3);
    rig_fini(&t.r);
    still_end();
}

/* Frames of one letter each. */
static void assert_heard(int which, const char *letters)
{
    char text[512];
    char expected[512];
    size_t len = 0;
    for (; *letters != '\0'; letters++) {
        len += (size_t)sprintf(expected + len, "\x81\x01%c", *letters);
    }
    expected[len] = '\0';
    rig_read(t.fds[which], text, sizeof(text));
    assert_string_equal(text, expected);
}

static void write_to(int which, const char *letter)
{
    assert_err(tusk_websocket_send(t.r.server, t.handles[which], TUSK_WS_TEXT,
                                   tusk_bytes_str(letter), NULL, NULL),
               TUSK_OK);
}

/* Two small ones would each be sent to everybody. */
static void a_batch_stays_open_while_the_one_before_it_is_under_way(void **state)
{
    tusk_server_stats before;
    tusk_server_stats after;
    (void)state;
    begin();
    tusk_server_stats_get(t.r.server, &before);
    rig_publish(&t.r, "t", "a", NULL);
    rig_turn(&t.r, 2);
    assert_int_equal(t.r.server->hub.under_way, 1);
    rig_publish(&t.r, "t", "b", NULL);
    rig_turn(&t.r, 1);
    rig_publish(&t.r, "t", "c", NULL);
    rig_turn(&t.r, 3 * MANY);
    for (int i = 0; i < MANY; i++) {
        assert_heard(i, "abc");
    }
    tusk_server_stats_get(t.r.server, &after);
    assert_int_equal(after.send_calls - before.send_calls, 2 * MANY);
    end();
}

static void a_subscriber_who_is_written_to_waits_for_nobody(void **state)
{
    (void)state;
    begin();
    rig_publish(&t.r, "t", "a", NULL);
    rig_turn(&t.r, 1);
    rig_publish(&t.r, "t", "b", NULL);
    write_to(MANY - 1, "c");
    assert_int_equal(t.r.server->hub.under_way, 2);
    rig_turn(&t.r, 1);
    assert_heard(MANY - 1, "abc");
    assert_heard(MANY - 2, "");
    rig_turn(&t.r, 3 * MANY);
    assert_int_equal(t.r.server->hub.under_way, 0);
    for (int i = 0; i < MANY; i++) {
        assert_heard(i, i == MANY - 1 ? "" : "ab");
    }
    end();
}

/* Few subscribers of another topic do not wait until many have theirs; one of both does not get
 * them in another order. */
static void a_small_topic_overtakes_a_large_one(void **state)
{
    (void)state;
    begin();
    for (int i = MANY - 2; i < MANY; i++) {
        assert_err(tusk_session_subscribe(t.r.server, t.handles[i], tusk_bytes_str("few"), NULL,
                                          TUSK_OVERFLOW_CLOSE),
                   TUSK_OK);
    }
    rig_publish(&t.r, "t", "a", NULL);
    rig_publish(&t.r, "few", "b", NULL);
    rig_turn(&t.r, 1);
    assert_int_equal(t.r.server->hub.under_way, 1);
    assert_heard(MANY - 1, "ab");
    assert_heard(MANY - 3, "");
    rig_turn(&t.r, 2 * MANY);
    for (int i = 0; i < MANY; i++) {
        assert_heard(i, i < MANY - 2 ? "a" : i == MANY - 2 ? "ab" : "");
    }
    end();
}

static void who_leaves_has_what_was_published_before_and_the_last_one_ends_it(void **state)
{
    (void)state;
    begin();
    rig_publish(&t.r, "t", "a", NULL);
    rig_turn(&t.r, 2);
    rig_publish(&t.r, "t", "b", NULL);
    for (int i = 0; i < MANY; i++) {
        assert_err(tusk_session_unsubscribe(t.r.server, t.handles[i], tusk_bytes_str("t")),
                   TUSK_OK);
    }
    rig_publish(&t.r, "t", "c", NULL);
    rig_turn(&t.r, 3);
    assert_int_equal(t.r.server->hub.under_way, 0);
    for (int i = 0; i < MANY; i++) {
        assert_heard(i, "ab");
    }
    end();
}

static void subscribe_all(const char *topic)
{
    for (int i = 0; i < MANY; i++) {
        assert_err(tusk_session_subscribe(t.r.server, t.handles[i], tusk_bytes_str(topic), NULL,
                                          TUSK_OVERFLOW_CLOSE),
                   TUSK_OK);
    }
}

static void what_was_on_its_way_to_a_topic_that_is_gone_makes_room(void **state)
{
    (void)state;
    begin();
    subscribe_all("u");
    rig_publish(&t.r, "t", "a", NULL);
    write_to(0, "-");
    for (int i = 0; i < MANY; i++) {
        (void)tusk_session_unsubscribe(t.r.server, t.handles[i], tusk_bytes_str("t"));
    }
    assert_null(t.r.server->hub.batches[t.r.server->hub.first].topic); /* another may lie there */
    for (int i = 0; i < 4; i++) {
        rig_publish(&t.r, "u", "b", NULL);
        write_to(0, "-");
    }
    assert_int_equal(t.r.server->hub.under_way, 3);
    rig_turn(&t.r, 4 * MANY);
    assert_int_equal(t.r.server->hub.under_way, 0);
    for (int i = 0; i < MANY; i++) {
        assert_heard(i, i == 0 ? "a-b-b-b-b-" : "abbbb");
    }
    end();
}

/* They had it all, or are not there to have it. */
static void all_go_at_once(void **state)
{
    (void)state;
    begin();
    rig_publish(&t.r, "t", "a", NULL);
    rig_turn(&t.r, 2);
    rig_publish(&t.r, "t", "b", NULL);
    for (int i = 0; i < MANY; i++) {
        tusk_session_terminate(t.r.server, t.handles[i]);
    }
    rig_turn(&t.r, 3);
    assert_int_equal(t.r.server->hub.under_way, 0);
    assert_int_equal(t.r.server->hub.topics.count, 0);
    end();
}

static void a_gap_is_said_before_all_that_is_under_way(void **state)
{
    char text[512];
    tusk_position lost;
    (void)state;
    begin();
    rig_publish(&t.r, "other", "x", &lost);
    lost.epoch ^= 1;
    assert_err(tusk_session_subscribe(t.r.server, t.handles[MANY - 1], tusk_bytes_str("t"), &lost,
                                      TUSK_OVERFLOW_CLOSE),
               TUSK_OK);
    rig_publish(&t.r, "t", "a", NULL);
    write_to(0, "-");
    rig_publish(&t.r, "t", "b", NULL);
    write_to(0, "-");
    assert_int_equal(t.r.server->hub.under_way, 2);
    write_to(MANY - 1, "c");
    rig_turn(&t.r, 2);
    rig_read(t.fds[MANY - 1], text, sizeof(text));
    const char *reset = strstr(text, "{\"type\":\"reset\"");
    assert_non_null(reset);
    assert_string_equal(strchr(reset, '}') + 1, "\x81\x01"
                                                "a"
                                                "\x81\x01"
                                                "b"
                                                "\x81\x01"
                                                "c");
    end();
}

/* What is longer than half of the log lies nowhere but with the caller. */
static void what_the_log_does_not_hold_reaches_all(void **state)
{
    enum { LONG = 40000 };
    tusk_server_limits limits;
    static char data[LONG + 1];
    static char text[2 * LONG];
    int fds[MANY];
    rig r;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.history_bytes = 64 * 1024;
    rig_init(&r, &limits);
    r.server->hub.share = 1;
    r.topic = "t";
    for (int i = 0; i < MANY; i++) {
        fds[i] = i == 0 ? rig_websocket(&r) : rig_stream(&r); /* another form, later */
    }
    memset(data, 'x', LONG);
    rig_publish(&r, "t", data, NULL);
    memset(data, 'y', LONG);
    rig_turn(&r, 2 * MANY);
    for (int i = 0; i < MANY; i++) {
        size_t len = rig_read(fds[i], text, sizeof(text));
        assert_true(len > LONG);
        assert_null(memchr(text, 'y', len));
        close(fds[i]);
    }
    rig_turn(&r, 3);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_stays_open_while_the_one_before_it_is_under_way),
        cmocka_unit_test(a_subscriber_who_is_written_to_waits_for_nobody),
        cmocka_unit_test(a_small_topic_overtakes_a_large_one),
        cmocka_unit_test(who_leaves_has_what_was_published_before_and_the_last_one_ends_it),
        cmocka_unit_test(what_was_on_its_way_to_a_topic_that_is_gone_makes_room),
        cmocka_unit_test(all_go_at_once),
        cmocka_unit_test(a_gap_is_said_before_all_that_is_under_way),
        cmocka_unit_test(what_the_log_does_not_hold_reaches_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
