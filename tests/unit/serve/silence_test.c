/* SPDX-License-Identifier: MIT */
/* Control frames and silence: what is owed leaves, what we do not read is not held against anybody,
 * and a flood of control frames is a flood. */
#define _GNU_SOURCE
#include "rig_session.h"

static void sleep_ms(rig *r, uint64_t ms)
{
    uint64_t until = tusk_loop_clock_ns() + ms * 1000000u;
    while (tusk_loop_clock_ns() < until) {
        assert_err(tusk_loop_turn(r->loop, 1), TUSK_OK);
    }
}

static size_t read_all(int fd, char *text, size_t cap)
{
    size_t len = rig_read(fd, text, cap - 1);
    text[len] = '\0';
    return len;
}

/* The process was stopped, or a handler held it up: whoever would have answered still may. */
static void who_would_have_answered_outlives_a_sleep_of_the_server(void **state)
{
    rig r;
    char text[256];
    tusk_server_limits limits;
    (void)state;
    still_begin();
    tusk_server_limits_default(&limits);
    limits.idle_ms = 3000;
    limits.ping_ms = 1000;
    limits.pong_ms = 2000;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    still_pass_ms(10000);
    rig_turn(&r, 1);
    assert_int_equal(read_all(fd, text, sizeof(text)), 0);
    still_pass_ms(1000);
    rig_turn(&r, 1);
    assert_int_equal(read_all(fd, text, sizeof(text)), 2);
    assert_memory_equal(text, "\x89\x00", 2); /* nobody could ask it before */
    still_pass_ms(10000);                     /* and now its pong comes before anybody looks */
    rig_turn(&r, 1);
    rig_send(fd, 0x8a, "", 0);
    still_pass_ms(1000);
    rig_turn(&r, 2);
    assert_int_equal(rig_stat(&r, "pong_timeouts") + rig_stat(&r, "idle_timeouts"), 0);
    still_pass_ms(1000); /* but a second sleep is none of the same deadline */
    rig_turn(&r, 1);
    for (int i = 0; i < 5000; i++) {
        rig_turn(&r, 1);
    }
    assert_int_equal(rig_stat(&r, "pong_timeouts") + rig_stat(&r, "idle_timeouts"), 1);
    close(fd);
    rig_fini(&r);
    still_end();
}

/* RFC 6455, 5.4: its pong has to wait for the end of the frame that it sends, or for what its
 * kernel has already. */
static void who_sends_owes_no_pong_until_it_falls_silent(void **state)
{
    static const char part[100];
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        rig r;
        char text[4096];
        size_t pings = 0;
        tusk_server_limits limits;
        still_begin();
        tusk_server_limits_default(&limits);
        limits.idle_ms = 5000;
        limits.ping_ms = 1000;
        limits.pong_ms = 1000;
        rig_init(&r, &limits);
        r.echo = false;
        int fd = rig_websocket(&r);
        rig_write(fd, "\x82\xfe\xff\xff\0\0\0\0", whole ? 0 : 8);
        for (int i = 0; i < 40; i++) { /* 10 s */
            still_pass_ms(250);
            if (whole) {
                rig_send(fd, 0x82, "more", 4);
            } else {
                rig_write(fd, part, sizeof(part));
            }
            rig_turn(&r, 2);
            pings += read_all(fd, text, sizeof(text)) / 2;
            assert_int_equal(rig_stat(&r, "pong_timeouts") + rig_stat(&r, "idle_timeouts"), 0);
        }
        assert_in_range(pings, 8, 10); /* those go on: proxies in between hear of us, too */
        for (int i = 0; i < 9; i++) {
            still_pass_ms(250);
            rig_turn(&r, 2);
        }
        assert_int_equal(rig_stat(&r, "pong_timeouts"), 1);
        close(fd);
        rig_fini(&r);
        still_end();
    }
}

enum { LONG_BYTES = 900 * 1024 };

/* A client that was asked whether it lives, and whose answer is not read: its queue is too long. */
static int unread_client(rig *r)
{
    static char data[LONG_BYTES];
    char text[4096];
    tusk_server_limits limits;
    still_begin();
    tusk_server_limits_default(&limits);
    limits.idle_ms = 3000;
    limits.ping_ms = 1000;
    limits.pong_ms = 2000;
    limits.queued_bytes = 1 << 20;
    rig_init(r, &limits);
    int fd = rig_websocket(r);
    still_pass_ms(1000);
    rig_turn(r, 2);
    assert_int_equal(read_all(fd, text, sizeof(text)), 2);
    assert_memory_equal(text, "\x89\x00", 2);
    assert_err(tusk_websocket_send(r->server, r->last, TUSK_WS_BINARY,
                                   tusk_bytes_of(data, LONG_BYTES), NULL, NULL),
               TUSK_OK);
    rig_send(fd, 0x81, "?", 1);
    rig_turn(r, 2);
    assert_int_equal(rig_stat(r, "queue_paused"), 1);
    rig_send(fd, 0x8a, "", 0);
    return fd;
}

static void whose_pong_is_not_read_lives_as_long_as_it_takes_its_queue(void **state)
{
    static char text[8192];
    rig r;
    size_t seen = 0;
    (void)state;
    int fd = unread_client(&r);
    while (seen < LONG_BYTES + 10) { /* 5 s, and 400 ms for what a quarter of the buffer holds */
        still_pass_ms(40);
        rig_turn(&r, 2);
        ssize_t got = read(fd, text, sizeof(text));
        assert_true(got > 0);
        seen += (size_t)got;
        assert_int_equal(rig_stat(&r, "pong_timeouts") + rig_stat(&r, "idle_timeouts"), 0);
    }
    close(fd);
    rig_fini(&r);
    still_end();
}

static void who_takes_nothing_of_its_queue_does_not(void **state)
{
    rig r;
    (void)state;
    int fd = unread_client(&r);
    for (int i = 0; i < 100; i++) {
        still_pass_ms(100);
        rig_turn(&r, 2);
    }
    assert_int_equal(rig_stat(&r, "pong_timeouts") + rig_stat(&r, "idle_timeouts"), 1);
    close(fd);
    rig_fini(&r);
    still_end();
}

static void a_head_under_way_outlives_a_sleep_of_the_server_and_no_second_one(void **state)
{
    rig r;
    char text[1024];
    tusk_server_limits limits;
    (void)state;
    still_begin();
    tusk_server_limits_default(&limits);
    limits.handshake_ms = 3000;
    rig_init(&r, &limits);
    for (int sleeps = 1; sleeps < 3; sleeps++) {
        int fd = rig_connect(&r);
        rig_write(fd, "GET / HTTP/1.1\r\n", 16);
        rig_turn(&r, 2);
        for (int i = 0; i < sleeps; i++) {
            still_pass_ms(10000);
            rig_turn(&r, 1);
        }
        rig_write(fd, "Host: x\r\n\r\n", 11);
        rig_turn(&r, 3);
        (void)read_all(fd, text, sizeof(text));
        assert_true((strstr(text, " 408 ") == NULL) == (sleeps == 1));
        assert_int_equal(rig_stat(&r, "handshake_timeouts"), sleeps - 1);
        close(fd);
    }
    rig_fini(&r);
    still_end();
}

/* More is queued than a pong may stand behind, and less than drains are told of. */
static void a_pong_leaves_behind_a_queue_of_any_length(void **state)
{
    static const size_t lens[] = {1000, 17000, 20000, 32000, 40000, 60000};
    static char data[60000];
    static char text[70000];
    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        rig r;
        rig_init(&r, NULL);
        int fd = rig_websocket(&r);
        memset(data, 'd', lens[i]);
        assert_err(tusk_websocket_send(r.server, r.last, TUSK_WS_BINARY,
                                       tusk_bytes_of(data, lens[i]), NULL, NULL),
                   TUSK_OK);
        rig_send(fd, 0x89, "owed", 4);
        size_t len = 0;
        for (int turn = 0; turn < 20; turn++) {
            rig_turn(&r, 1);
            len += rig_read(fd, text + len, sizeof(text) - len);
        }
        assert_int_equal(len, 4 + lens[i] + 6);
        assert_memory_equal(text + 4 + lens[i], "\x8a\x04owed", 6);
        close(fd);
        rig_fini(&r);
    }
}

/* RFC 6455, 5.5.2: it came before the Close, and nothing may follow ours. */
static void a_pong_that_waits_leaves_before_close(void **state)
{
    enum { LEN = 60000 };
    static char data[LEN];
    static char text[LEN + 64];
    (void)state;
    for (int theirs = 0; theirs < 2; theirs++) {
        rig r;
        rig_init(&r, NULL);
        int fd = rig_websocket(&r);
        memset(data, 'd', LEN);
        assert_err(tusk_websocket_send(r.server, r.last, TUSK_WS_BINARY, tusk_bytes_of(data, LEN),
                                       NULL, NULL),
                   TUSK_OK);
        uint8_t both[32];
        size_t both_len = rig_frame(both, 0x89, "owed", 4);
        both_len += rig_frame(both + both_len, theirs ? 0x88 : 0x83, "\x03\xe8", 2);
        assert_int_equal(send(fd, both, both_len, MSG_NOSIGNAL), (ssize_t)both_len);
        size_t len = 0;
        for (int turn = 0; turn < 20; turn++) {
            rig_turn(&r, 1);
            len += rig_read(fd, text + len, sizeof(text) - len);
        }
        assert_true(len >= 4 + LEN + 10);
        assert_memory_equal(text + 4 + LEN, "\x8a\x04owed\x88", 7);
        close(fd);
        rig_fini(&r);
    }
}

/* It waits for memory that another one has: that it says nothing meanwhile is our doing. */
static void who_waits_for_others_is_not_idle(void **state)
{
    enum { PART = 200000 };
    static uint8_t frame[PART + 16];
    static char part[PART];
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.unfinished_bytes = 100000;
    limits.unfinished_ms = 1000000;
    limits.idle_ms = 30;
    rig_init(&r, &limits);
    size_t len = rig_frame(frame, 0x02, part, PART);
    int fds[2];
    for (int i = 0; i < 2; i++) {
        fds[i] = rig_websocket(&r);
        for (size_t at = 0, turn = 0; at < len && turn < 200; turn++) {
            ssize_t n = write(fds[i], frame + at, len - at);
            at += n > 0 ? (size_t)n : 0;
            rig_turn(&r, 1);
        }
        if (i == 0) {
            rig_turn(&r, 40);
            tusk_session_park(r.server, r.last); /* it goes on over the limit, and takes its time */
        }
    }
    tusk_server_stats_get(r.server, &stats);
    for (int turn = 0; turn < 200 && stats.unfinished_paused == 0; turn++) {
        rig_turn(&r, 1);
        tusk_server_stats_get(r.server, &stats);
    }
    assert_true(stats.unfinished_paused > 0);
    sleep_ms(&r, 200);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.idle_timeouts, 0);
    assert_int_equal(stats.websockets_open, 2);
    close(fds[0]);
    close(fds[1]);
    rig_fini(&r); /* with one of them parked: nobody could unpark it afterwards */
}

/* It has the place that others wait for, and could not go on while nobody was here. */
static void who_goes_on_over_the_limit_outlives_a_sleep_of_the_server(void **state)
{
    enum { PART = 200000 };
    static uint8_t frame[PART + 16];
    static char part[PART];
    rig r;
    tusk_server_limits limits;
    (void)state;
    still_begin();
    tusk_server_limits_default(&limits);
    limits.unfinished_bytes = 100000;
    limits.unfinished_ms = 3000;
    rig_init(&r, &limits);
    size_t len = rig_frame(frame, 0x02, part, PART);
    int fds[2];
    for (int i = 0; i < 2; i++) {
        fds[i] = rig_websocket(&r);
        for (size_t at = 0, turn = 0; at < len && turn < 200; turn++) {
            ssize_t n = write(fds[i], frame + at, len - at);
            at += n > 0 ? (size_t)n : 0;
            rig_turn(&r, 1);
        }
    }
    for (int turn = 0; turn < 200 && rig_stat(&r, "unfinished_paused") == 0; turn++) {
        rig_turn(&r, 1);
    }
    assert_true(rig_stat(&r, "unfinished_paused") > 0);
    for (int sleeps = 1; sleeps < 3; sleeps++) {
        assert_int_equal(rig_stat(&r, "unfinished_closed"), 0);
        still_pass_ms(10000);
        rig_turn(&r, 1);
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1); /* but no second one */
    close(fds[0]);
    close(fds[1]);
    rig_fini(&r);
    still_end();
}

static void pings_count_against_the_rate(void **state)
{
    rig r;
    char text[256];
    size_t len = 0;
    tusk_server_limits limits;
    tusk_server_stats stats;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.messages_per_second = 20;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    for (int i = 0; i < 30; i++) {
        rig_send(fd, i % 3 == 0 ? 0x8a : 0x89, "p", 1);
    }
    rig_turn(&r, 3);
    tusk_server_stats_get(r.server, &stats);
    assert_true(stats.rate_paused > 0);
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (len < 20 * 3) { /* every ping is answered in the end */
        assert_true(tusk_loop_clock_ns() < until);
        assert_err(tusk_loop_turn(r.loop, 5), TUSK_OK);
        len += rig_read(fd, text + len, sizeof(text) - len);
    }
    close(fd);
    rig_fini(&r);
}

/* What comes behind our Close goes nowhere, and the peer's is what is waited for. */
static void a_rate_does_not_hold_up_the_answer_to_our_close(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.messages_per_second = 1;
    limits.close_ms = 600000;
    limits.drain_ms = 600000;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    uint8_t all[900 * 8];
    size_t len = 0;
    for (int i = 0; i < 900; i++) { /* a quarter of an hour */
        len += rig_frame(all + len, 0x81, "x", 1);
    }
    rig_write(fd, all, len);
    for (int left = 5000; rig_stat(&r, "rate_paused") == 0; left--) {
        assert_true(left > 0);
        assert_err(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    tusk_server_stop(r.server);
    rig_send(fd, 0x88, "\x03\xe9", 2);
    for (int left = 5000; rig_stat(&r, "websockets_open") > 0; left--) {
        assert_true(left > 0);
        assert_err(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    assert_int_equal(rig_stat(&r, "messages_in"), 900);
    assert_int_equal(rig_stat(&r, "close_timeouts") + rig_stat(&r, "drain_cut"), 0);
    close(fd);
    rig_fini(&r);
}

/* What proxies between see is a stream on which something comes in time, and no more than that. */
static void a_stream_has_its_heartbeat_a_while_behind_what_it_was_sent(void **state)
{
    enum { BEAT_MS = 1000 };
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.heartbeat_ms = BEAT_MS;
    still_begin();
    rig_init(&r, &limits);
    int client = rig_stream(&r);
    rig_turn(&r, 600);
    assert_err(tusk_stream_comment(r.server, r.last, tusk_bytes_str("here")), TUSK_OK);
    rig_turn(&r, BEAT_MS - 10);
    assert_int_equal(rig_stat(&r, "heartbeats"), 0);
    rig_turn(&r, 20);
    assert_int_equal(rig_stat(&r, "heartbeats"), 1);
    rig_turn(&r, BEAT_MS - 30);
    assert_int_equal(rig_stat(&r, "heartbeats"), 1);
    rig_turn(&r, 40);
    assert_int_equal(rig_stat(&r, "heartbeats"), 2);
    close(client);
    rig_fini(&r);
    still_end();
}

static void kernel_takes_little(const rig *r)
{
    static const int little = 32 * 1024;
    int fd = rig_session(r, 0)->conn.io.fd;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
}

static void heartbeats_do_not_pile_up_where_nobody_reads(void **state)
{
    enum { BEAT_MS = 1000, MUCH = 400000 };
    static char much[MUCH];
    static char text[2 * MUCH];
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.heartbeat_ms = BEAT_MS;
    still_begin();
    rig_init(&r, &limits);
    int client = rig_stream(&r);
    kernel_takes_little(&r);
    memset(much, 'x', MUCH);
    assert_err(tusk_stream_comment(r.server, r.last, tusk_bytes_of(much, MUCH)), TUSK_OK);
    rig_turn(&r, 5 * BEAT_MS);
    assert_int_equal(rig_stat(&r, "heartbeats"), 0);
    for (size_t got = 0; got < MUCH;) {
        size_t more = rig_read(client, text, sizeof(text));
        got += more;
        rig_turn(&r, 1);
    }
    rig_turn(&r, BEAT_MS);
    assert_int_equal(rig_stat(&r, "heartbeats"), 1);
    close(client);
    rig_fini(&r);
    still_end();
}

/* Its end waits behind a queue of which its client takes nothing. */
static void a_stream_that_has_ended_is_cut_when_its_client_takes_nothing(void **state)
{
    enum { CLOSE_MS = 300, MUCH = 400000 };
    static char much[MUCH];
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.close_ms = CLOSE_MS;
    still_begin();
    rig_init(&r, &limits);
    int client = rig_stream(&r);
    kernel_takes_little(&r);
    memset(much, 'x', MUCH);
    assert_err(tusk_stream_comment(r.server, r.last, tusk_bytes_of(much, MUCH)), TUSK_OK);
    rig_turn(&r, 10);
    assert_err(tusk_stream_close(r.server, r.last), TUSK_OK);
    rig_turn(&r, CLOSE_MS - 20);
    assert_int_equal(rig_stat(&r, "connections_open"), 1);
    rig_turn(&r, CLOSE_MS + 40); /* it may have taken something as the end was written */
    assert_int_equal(rig_stat(&r, "connections_open"), 0);
    close(client);
    rig_fini(&r);
    still_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pong_leaves_behind_a_queue_of_any_length),
        cmocka_unit_test(a_pong_that_waits_leaves_before_close),
        cmocka_unit_test(who_waits_for_others_is_not_idle),
        cmocka_unit_test(who_goes_on_over_the_limit_outlives_a_sleep_of_the_server),
        cmocka_unit_test(pings_count_against_the_rate),
        cmocka_unit_test(who_would_have_answered_outlives_a_sleep_of_the_server),
        cmocka_unit_test(who_sends_owes_no_pong_until_it_falls_silent),
        cmocka_unit_test(whose_pong_is_not_read_lives_as_long_as_it_takes_its_queue),
        cmocka_unit_test(who_takes_nothing_of_its_queue_does_not),
        cmocka_unit_test(a_head_under_way_outlives_a_sleep_of_the_server_and_no_second_one),
        cmocka_unit_test(a_rate_does_not_hold_up_the_answer_to_our_close),
        cmocka_unit_test(a_stream_has_its_heartbeat_a_while_behind_what_it_was_sent),
        cmocka_unit_test(heartbeats_do_not_pile_up_where_nobody_reads),
        cmocka_unit_test(a_stream_that_has_ended_is_cut_when_its_client_takes_nothing),
    };
    return cmocka_run_group_tests_name("serve/silence", tests, NULL, NULL);
}
