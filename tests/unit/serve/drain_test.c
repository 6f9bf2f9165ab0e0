/* SPDX-License-Identifier: MIT */
/* The end of a server with many clients: their closes are spread, so that they do not all come back
 * in one moment, and nobody is forgotten. */
#define _GNU_SOURCE
#include "rig.h"

#include "serve/session.h"

enum { CLIENTS = 400, PAYLOAD = 14 /* 1001 and "server stops" */ };

static size_t told(int *clients)
{
    size_t count = 0;
    for (int i = 0; i < CLIENTS; i++) {
        char text[64];
        size_t len = clients[i] < 0 ? 0 : rig_read(clients[i], text, sizeof(text));
        if (len > 0) {
            assert_int_equal(len, 2 + PAYLOAD);
            assert_memory_equal(text, "\x88\x0e\x03\xe9server stops", len);
            rig_send(clients[i], 0x88, "\x03\xe9", 2);
            close(clients[i]);
            clients[i] = -1;
            count++;
        }
    }
    return count;
}

static void closes_are_spread_over_the_window(void **state)
{
    rig r;
    tusk_server_limits limits;
    static int clients[CLIENTS];
    tusk_server_limits_default(&limits);
    limits.drain_ms = 60000;
    still_begin();
    rig_init(&r, &limits);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = rig_websocket(&r);
    }
    tusk_server_stop(r.server);
    rig_turn(&r, 1);
    size_t first = told(clients), sum = first, moments = 0;
    assert_true(first < CLIENTS / 2);
    while (r.stopped == 0) {
        rig_turn(&r, 1);
        size_t now = told(clients);
        moments += now > 0;
        sum += now;
    }
    assert_int_equal(sum, CLIENTS);
    assert_true(moments >= 3);
    rig_fini(&r);
    still_end();
}

/* The process gets no processor for so long after it began to stop. */
static void stop_and_cut(uint64_t held_up_ms)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    int clients[8];
    tusk_server_limits_default(&limits);
    limits.drain_ms = 50;
    still_begin();
    rig_init(&r, &limits);
    for (int i = 0; i < 8; i++) {
        clients[i] = rig_websocket(&r);
    }
    tusk_server_stop(r.server);
    still_pass_ms(held_up_ms);
    while (r.stopped == 0) {
        rig_turn(&r, 1);
    }
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.connections_open, 0);
    assert_int_equal(stats.drain_cut, 8);
    for (int i = 0; i < 8; i++) {
        char text[64];
        assert_int_equal(rig_read(clients[i], text, sizeof(text)), 2 + PAYLOAD);
        assert_int_equal(read(clients[i], text, 1), 0);
        close(clients[i]);
    }
    rig_fini(&r);
    still_end();
}

static void whoever_does_not_answer_is_cut_at_the_end_of_the_window(void **state)
{
    (void)state;
    stop_and_cut(0);
}

static void a_close_leaves_before_the_cut_however_late_it_is(void **state)
{
    (void)state;
    stop_and_cut(49);
    stop_and_cut(1000);
}

typedef struct last_words {
    tusk_timer timer;
    tusk_task task;
    rig *rig;
} last_words;

static void say(tusk_task *task)
{
    last_words *self = TUSK_OWNER(task, last_words, task);
    assert_int_equal(tusk_reply(self->rig->server, self->rig->last, 503, tusk_bytes_str(""),
                                tusk_bytes_str("stops"), NULL),
                     TUSK_OK);
}

static void on_last_words(tusk_timer *timer)
{
    last_words *self = TUSK_OWNER(timer, last_words, timer);
    self->task.run = say;
    tusk_task_defer(self->rig->loop, &self->task);
}

/* A handler that is told to end a moment before the cut, in a process that gets no processor: both
 * are due in one turn. */
static void an_answer_in_the_last_moment_leaves_before_the_cut_however_late_it_is(void **state)
{
    rig r;
    tusk_server_limits limits;
    char text[512];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.drain_ms = 50;
    still_begin();
    rig_init(&r, &limits);
    r.answer = false;
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    last_words words = {.timer = {.on_due = on_last_words}, .rig = &r};
    tusk_server_stop(r.server);
    rig_turn(&r, 1);
    tusk_timer_start(r.loop, &words.timer, 45);
    still_pass_ms(1000);
    rig_turn(&r, 2);
    size_t len = rig_read(fd, text, sizeof(text) - 1);
    text[len] = '\0';
    assert_non_null(strstr(text, "HTTP/1.1 503 "));
    while (r.stopped == 0) {
        rig_turn(&r, 1);
    }
    close(fd);
    rig_fini(&r);
    still_end();
}

/* It broke the protocol, was told its Close and has not ended its side: its handle is gone. */
static int lingering_client(rig *r, const tusk_server_limits *limits)
{
    char text[256];
    rig_init(r, limits);
    int fd = rig_websocket(r);
    rig_send(fd, 0x83, "?", 1);
    rig_turn(r, 4);
    assert_true(rig_read(fd, text, sizeof(text)) > 2);
    assert_false(tusk_session_exists(r->server, r->last));
    assert_int_equal(rig_stat(r, "connections_open"), 1);
    return fd;
}

static void who_lingers_at_its_end_is_cut_with_the_others(void **state)
{
    rig r;
    tusk_server_limits limits;
    int turns = 0;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.drain_ms = 50;
    still_begin();
    int fd = lingering_client(&r, &limits);
    tusk_server_stop(r.server);
    while (r.stopped == 0) {
        rig_turn(&r, 1);
        assert_true(++turns < 100);
    }
    close(fd);
    rig_fini(&r);
    still_end();
}

static void who_lingers_is_cut_at_once_by_a_second_word(void **state)
{
    rig r;
    (void)state;
    int fd = lingering_client(&r, NULL);
    tusk_server_stop(r.server);
    tusk_server_stop(r.server);
    rig_turn(&r, 2);
    assert_int_equal(r.stopped, 1);
    close(fd);
    rig_fini(&r);
}

static void a_server_is_freed_beside_who_lingers(void **state)
{
    rig r;
    (void)state;
    int fd = lingering_client(&r, NULL);
    rig_fini(&r);
    close(fd);
}

static void expect_last_answer(rig *r, int fd, const char *rest)
{
    char text[1024];
    rig_ask(r, fd, rest, text, sizeof(text));
    assert_non_null(strstr(text, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(text, "\r\nConnection: close\r\n"));
    close(fd);
}

/* A reload stops a worker whose clients know nothing of it: who has connected and not asked yet,
 * who has said half of it, who asked in this moment, and who was answered a moment ago. */
static void what_is_on_its_way_is_answered_by_who_stops(void **state)
{
    static const char get[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    tusk_server_stats stats;
    char text[1024];
    (void)state;
    still_begin();
    rig_init(&r, NULL);
    int kept = rig_connect(&r);
    rig_ask(&r, kept, get, text, sizeof(text));
    rig_turn(&r, 1500);
    int asks = rig_connect(&r);
    rig_ask(&r, asks, get, text, sizeof(text));
    int next = rig_connect(&r);
    rig_ask(&r, next, get, text, sizeof(text));
    int half = rig_connect(&r);
    rig_write(half, get, 5);
    int fresh = rig_connect(&r);
    int silent = rig_connect(&r);
    rig_turn(&r, 1);
    tusk_server_stop(r.server);
    rig_write(asks, get, sizeof(get) - 1);
    rig_turn(&r, 30);
    assert_int_equal(read(kept, text, sizeof(text)), 0); /* nothing is owed to that one */
    close(kept);
    expect_last_answer(&r, asks, "");
    rig_turn(&r, 200);
    expect_last_answer(&r, fresh, get);
    expect_last_answer(&r, next, get);
    rig_turn(&r, 600);
    assert_int_equal(read(silent, text, sizeof(text)), -1);
    rig_turn(&r, 200);
    assert_int_equal(read(silent, text, sizeof(text)), 0); /* it has had its second */
    close(silent);
    assert_int_equal(r.stopped, 0);
    rig_turn(&r, 2000);
    expect_last_answer(&r, half, get + 5);
    rig_turn(&r, 4);
    assert_int_equal(r.stopped, 1);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.handshake_timeouts + stats.keep_alive_timeouts + stats.drain_cut, 0);
    rig_fini(&r);
    still_end();
}

/* A second at most, and never so long that an answer would have no time left before the cut. */
static void who_may_be_asking_has_half_of_a_short_window(void **state)
{
    rig r;
    tusk_server_limits limits;
    char text[64];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.drain_ms = 600;
    still_begin();
    rig_init(&r, &limits);
    int silent = rig_connect(&r);
    rig_turn(&r, 2);
    tusk_server_stop(r.server);
    rig_turn(&r, 280);
    assert_int_equal(read(silent, text, sizeof(text)), -1);
    rig_turn(&r, 40);
    assert_int_equal(read(silent, text, sizeof(text)), 0);
    close(silent);
    rig_turn(&r, 2);
    assert_int_equal(r.stopped, 1);
    assert_int_equal(rig_stat(&r, "drain_cut"), 0);
    rig_fini(&r);
    still_end();
}

/* It would have been closed in less than a second anyway. */
static void a_server_that_stops_waits_for_no_request_longer_than_it_would_have(void **state)
{
    rig r;
    tusk_server_limits limits;
    char text[1024];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.keep_alive_ms = 500;
    still_begin();
    rig_init(&r, &limits);
    int kept = rig_connect(&r);
    rig_ask(&r, kept, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    rig_turn(&r, 100);
    tusk_server_stop(r.server);
    rig_turn(&r, 380);
    assert_int_equal(read(kept, text, sizeof(text)), -1);
    rig_turn(&r, 40);
    assert_int_equal(read(kept, text, sizeof(text)), 0);
    close(kept);
    rig_fini(&r);
    still_end();
}

/* As those that were there: a browser's EventSource comes back from an end, and not from a 503. */
static void streams_that_begin_while_a_server_stops_end_as_the_others(void **state)
{
    rig r;
    char text[2048];
    (void)state;
    still_begin();
    rig_init(&r, NULL);
    int stream = rig_connect(&r);
    int websocket = rig_connect(&r);
    rig_turn(&r, 1);
    tusk_server_stop(r.server);
    rig_turn(&r, 30);
    rig_ask(&r, stream, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
    assert_non_null(strstr(text, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(text, "\r\n0\r\n\r\n"));
    rig_write(websocket, rig_upgrade, sizeof(rig_upgrade) - 1);
    rig_turn(&r, 4);
    size_t len = rig_read(websocket, text, sizeof(text));
    assert_non_null(strstr(text, "HTTP/1.1 101 "));
    assert_memory_equal(text + len - 2 - PAYLOAD, "\x88\x0e\x03\xe9server stops", 2 + PAYLOAD);
    close(stream);
    close(websocket);
    rig_turn(&r, 4);
    assert_int_equal(r.stopped, 1);
    rig_fini(&r);
    still_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closes_are_spread_over_the_window),
        cmocka_unit_test(whoever_does_not_answer_is_cut_at_the_end_of_the_window),
        cmocka_unit_test(a_close_leaves_before_the_cut_however_late_it_is),
        cmocka_unit_test(an_answer_in_the_last_moment_leaves_before_the_cut_however_late_it_is),
        cmocka_unit_test(who_lingers_at_its_end_is_cut_with_the_others),
        cmocka_unit_test(who_lingers_is_cut_at_once_by_a_second_word),
        cmocka_unit_test(a_server_is_freed_beside_who_lingers),
        cmocka_unit_test(what_is_on_its_way_is_answered_by_who_stops),
        cmocka_unit_test(who_may_be_asking_has_half_of_a_short_window),
        cmocka_unit_test(a_server_that_stops_waits_for_no_request_longer_than_it_would_have),
        cmocka_unit_test(streams_that_begin_while_a_server_stops_end_as_the_others),
    };
    return cmocka_run_group_tests_name("serve/drain", tests, NULL, NULL);
}
