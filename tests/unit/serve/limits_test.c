/* SPDX-License-Identifier: MIT */
/* Limits of sessions, parked handlers, and memory that is not there. */
#define _GNU_SOURCE
#include <poll.h>

#include "rig.h"

static void wait_ms(rig *r, int ms)
{
    uint64_t until = tusk_loop_clock_ns() + (uint64_t)ms * 1000000u;
    while (tusk_loop_clock_ns() < until) {
        assert_int_equal(tusk_loop_turn(r->loop, 1), TUSK_OK);
    }
}

/* Turns until the counter is there, at most two seconds. */
static void await_stat(rig *r, const char *name, uint64_t wanted)
{
    for (int i = 0; i < 2000; i++) {
        if (rig_stat(r, name) >= wanted) {
            return;
        }
        assert_int_equal(tusk_loop_turn(r->loop, 1), TUSK_OK);
    }
    fail_msg("%s stayed at %llu", name, (unsigned long long)rig_stat(r, name));
}

static void a_slow_head_has_one_deadline(void **state)
{
    rig r;
    char text[1024];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.handshake_ms = 60;
    rig_init(&r, &limits);
    int fd = rig_connect(&r);
    static const char head[] =
        "GET / HTTP/1.1\r\nHost: x\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy";
    for (size_t i = 0; i < sizeof(head) - 1 && r.log_len == 0; i++) {
        if (write(fd, head + i, 1) != 1) {
            break; /* a byte now and then does not prolong it */
        }
        wait_ms(&r, 5);
    }
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, " 408 "));
    await_stat(&r, "handshake_timeouts", 1);
    close(fd);
    rig_fini(&r);
}

static void an_idle_websocket_is_closed_and_a_busy_one_stays(void **state)
{
    rig r;
    char text[1024];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.idle_ms = 80;
    rig_init(&r, &limits);
    int idle = rig_connect(&r);
    int busy = rig_connect(&r);
    rig_write(idle, rig_upgrade, sizeof(rig_upgrade) - 1);
    rig_write(busy, rig_upgrade, sizeof(rig_upgrade) - 1);
    size_t len = 0;
    for (int i = 0; i < 5000 && memmem(text, len, "\x88\x06\x03\xe9idle", 8) == NULL; i++) {
        struct pollfd closed = {.fd = idle, .events = POLLIN};
        (void)poll(&closed, 1, 1);
        rig_send(busy, 0x8a, "", 0); /* any frame counts; events come before timers in a turn, so */
        rig_turn(&r, 1);             /* however late this turn is, it is read before it is missed */
        len += rig_read(idle, text + len, sizeof(text) - len);
    }
    assert_non_null(memmem(text, len, "\x88\x06\x03\xe9idle", 8));
    len = rig_read(busy, text, sizeof(text));
    assert_non_null(strstr(text, "HTTP/1.1 101 "));
    assert_null(memchr(text, 0x88, len));
    close(idle);
    close(busy);
    rig_fini(&r);
}

/* Turns until a ping is there; what is written next is looked at before any deadline. */
static void await_ping(rig *r, int fd)
{
    char text[64];
    size_t len = 0;
    for (int i = 0; i < 20000 && len == 0; i++) {
        assert_int_equal(tusk_loop_turn(r->loop, 1), TUSK_OK);
        len = rig_read(fd, text, sizeof(text));
    }
    assert_int_equal(len, 2);
    assert_memory_equal(text, "\x89\x00", 2);
}

static void a_missing_pong_closes(void **state)
{
    rig r;
    char text[64];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.ping_ms = 30;
    limits.pong_ms = 40;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    await_ping(&r, fd);
    rig_send(fd, 0x8a, "", 0);
    await_ping(&r, fd); /* answered: the next one */
    await_stat(&r, "pong_timeouts", 1);
    rig_turn(&r, 2);
    assert_true(rig_read(fd, text, sizeof(text)) > 4);
    assert_memory_equal(text + 2, "\x03\xf3", 2);
    assert_string_equal(r.log, "open;close:1011;");
    close(fd);
    rig_fini(&r);
}

static void pings_keep_their_interval_when_pongs_may_take_longer(void **state)
{
    rig r;
    char text[64];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.ping_ms = 5;
    limits.pong_ms = 3600000;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    for (int pings = 0; pings < 3; pings++) {
        size_t len = 0;
        for (int i = 0; i < 10000 && len == 0; i++) {
            assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK);
            len = rig_read(fd, text, sizeof(text));
        }
        assert_int_equal(len, 2);
        assert_memory_equal(text, "\x89\x00", 2);
        rig_send(fd, 0x8a, "", 0);
    }
    close(fd);
    rig_fini(&r);
}

static void a_peer_that_does_not_answer_close_is_cut(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.close_ms = 30;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    assert_int_equal(tusk_websocket_close(r.server, r.last, 1000, tusk_bytes_of(NULL, 0)), TUSK_OK);
    await_stat(&r, "close_timeouts", 1);
    rig_turn(&r, 2);
    assert_string_equal(r.log, "open;close:1000;");
    close(fd);
    rig_fini(&r);
}

static void who_broke_a_rule_and_stays_is_cut(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.close_ms = 30;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    rig_send(fd, 0x83, "x", 1); /* an opcode that nothing has defined */
    await_stat(&r, "close_timeouts", 1);
    rig_turn(&r, 2);
    assert_string_equal(r.log, "open;close:1002;");
    close(fd);
    rig_fini(&r);
}

static void messages_per_second_pause_reading(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.messages_per_second = 20;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    for (int i = 0; i < 30; i++) {
        rig_send(fd, 0x81, "x", 1);
    }
    rig_turn(&r, 5);
    tusk_server_stats stats;
    tusk_server_stats_get(r.server, &stats);
    /* The burst and the one that used it up; one more for each 50 ms that this machine stalls. */
    assert_in_range(stats.messages_in, 21, 29);
    assert_true(stats.rate_paused >= 1);
    await_stat(&r, "messages_in", 30); /* none is lost */
    close(fd);
    rig_fini(&r);
}

static void an_unfinished_message_that_stands_still_gives_way_to_others(void **state)
{
    enum { SIZE = 256 * 1024 };
    rig r;
    int fds[3];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = SIZE;
    limits.unfinished_bytes = SIZE;
    limits.unfinished_ms = 100;
    rig_init(&r, &limits);
    r.echo = false;
    uint8_t *frame = malloc(SIZE + 16);
    uint8_t *payload = calloc(1, SIZE);
    size_t len = rig_frame(frame, 0x82, payload, SIZE);
    for (int i = 0; i < 3; i++) {
        fds[i] = rig_websocket(&r);
        rig_write(fds[i], frame, i < 2 ? len * 3 / 4 : len / 2); /* two of them say no more */
        rig_turn(&r, 10);
    }
    for (size_t at = len / 2; at < len;) { /* little is read of it while much is held elsewhere */
        ssize_t n = write(fds[2], frame + at, len - at);
        assert_true(n > 0 || errno == EAGAIN);
        at += n > 0 ? (size_t)n : 0;
        assert_int_equal(tusk_loop_turn(r.loop, 10), TUSK_OK);
    }
    await_stat(&r, "messages_in", 1);
    await_stat(&r, "unfinished_closed", 1);
    rig_turn(&r, 2);
    int told = 0;
    for (int i = 0; i < 3; i++) {
        static const char try_again[] = "\x88\x18\x03\xf5too much is unfinished";
        char text[64];
        size_t got = rig_read(fds[i], text, sizeof(text));
        told += got == sizeof(try_again) - 1 && memcmp(text, try_again, got) == 0;
        close(fds[i]);
    }
    tusk_server_stats stats;
    tusk_server_stats_get(r.server, &stats);
    assert_true(told > 0);
    assert_int_equal(told, stats.unfinished_closed);
    free(frame);
    free(payload);
    rig_fini(&r);
}

static void unfinished_messages_pause_reading_but_one_goes_on(void **state)
{
    enum { PEERS = 4, SIZE = 256 * 1024 };
    rig r;
    int fds[PEERS];
    size_t at[PEERS] = {0};
    tusk_server_limits limits;
    tusk_server_stats stats;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = SIZE;
    limits.unfinished_bytes = SIZE;
    rig_init(&r, &limits);
    r.echo = false;
    uint8_t *frame = malloc(SIZE + 16);
    uint8_t *payload = calloc(1, SIZE);
    size_t len = rig_frame(frame, 0x82, payload, SIZE);
    for (int i = 0; i < PEERS; i++) {
        fds[i] = rig_websocket(&r);
    }
    size_t most = 0;
    for (int round = 0; round < 5000; round++) {
        for (int i = 0; i < PEERS; i++) {
            size_t left = len - at[i] < 4096 ? len - at[i] : 4096;
            ssize_t n = left == 0 ? 0 : write(fds[i], frame + at[i], left);
            at[i] += n > 0 ? (size_t)n : 0;
        }
        rig_turn(&r, 1);
        tusk_server_stats_get(r.server, &stats);
        most = stats.unfinished_bytes > most ? stats.unfinished_bytes : most;
        if (stats.messages_in == PEERS) {
            break;
        }
    }
    assert_int_equal(stats.messages_in, PEERS); /* all came to an end */
    assert_true(stats.unfinished_paused > 0);
    assert_true(most <= 2u * SIZE + PEERS * 64u * 1024u);
    assert_int_equal(stats.unfinished_bytes, 0);
    for (int i = 0; i < PEERS; i++) {
        close(fds[i]);
    }
    free(frame);
    free(payload);
    rig_fini(&r);
}

static void connections_past_the_limit_wait(void **state)
{
    rig r;
    tusk_server_limits limits;
    char text[64];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.connections = 2;
    limits.per_address = 1; /* a Unix peer has none */
    memset(&r, 0, sizeof(r));
    const tusk_loop_options loop_options = {0};
    assert_int_equal(tusk_loop_new(&r.loop, &loop_options), TUSK_OK);
    tusk_server_options options = {
        .loop = r.loop, .handler = &rig_handler, .user = &r, .limits = limits};
    assert_int_equal(tusk_server_new(&r.server, &options), TUSK_OK);
    char path[64];
    snprintf(path, sizeof(path), "unix:/tmp/tusk-limit-%d.sock", (int)getpid());
    assert_int_equal(tusk_server_listen(r.server, path, NULL), TUSK_OK);
    assert_int_equal(tusk_server_start(r.server, text, sizeof(text)), TUSK_OK);
    int fds[3];
    for (int i = 0; i < 3; i++) {
        struct sockaddr_un {
            unsigned short family;
            char path[108];
        } un = {.family = AF_UNIX};
        strcpy(un.path, path + 5);
        fds[i] = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(connect(fds[i], (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    }
    rig_turn(&r, 5);
    tusk_server_stats stats;
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.connections_open, 2);
    close(fds[0]);
    await_stat(&r, "connections_total", 3); /* the third had only to wait */
    close(fds[1]);
    close(fds[2]);
    rig_fini(&r);
}

static void too_many_subscriptions_are_refused(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.subscriptions = 2;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    static const char *const topics[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tusk_session_subscribe(r.server, r.last, tusk_bytes_str(topics[i]), NULL,
                                                TUSK_OVERFLOW_CLOSE),
                         i < 2 ? TUSK_OK : TUSK_ELIMIT);
    }
    assert_int_equal(
        tusk_session_subscribe(r.server, r.last, tusk_bytes_str("a"), NULL, TUSK_OVERFLOW_CLOSE),
        TUSK_OK);
    close(fd);
    rig_fini(&r);
}

static void a_parked_session_gets_nothing_until_it_is_unparked(void **state)
{
    rig r;
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    tusk_session_park(r.server, r.last);
    rig_send(fd, 0x81, "one", 3);
    rig_send(fd, 0x81, "two", 3);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "open;");
    tusk_session_unpark(r.server, r.last);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "open;text:one;text:two;");
    tusk_session_park(r.server, r.last);
    close(fd);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "open;text:one;text:two;"); /* not even its end */
    tusk_session_unpark(r.server, r.last);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "open;text:one;text:two;close:1006;");
    rig_fini(&r);
}

/* As many wait for one session as there are handlers, not as a byte can count. */
static void three_hundred_parks_want_three_hundred_unparks(void **state)
{
    rig r;
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    for (int i = 0; i < 300; i++) {
        tusk_session_park(r.server, r.last);
    }
    rig_send(fd, 0x81, "hello", 5);
    for (int i = 0; i < 299; i++) {
        tusk_session_unpark(r.server, r.last);
        rig_turn(&r, 1);
        assert_string_equal(r.log, "open;");
    }
    tusk_session_unpark(r.server, r.last);
    rig_turn(&r, 2);
    assert_string_equal(r.log, "open;text:hello;");
    close(fd);
    rig_fini(&r);
}

static void an_upgrade_can_be_decided_later(void **state)
{
    rig r;
    char text[2048];
    char request[1024];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    int n = snprintf(request, sizeof(request), "GET /asked/me%s",
                     strchr(strchr(rig_upgrade, ' ') + 1, ' '));
    rig_write(fd, request, (size_t)n);
    rig_send(fd, 0x81, "early", 5);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "authorize:/asked/me;");
    assert_int_equal(tusk_accept(r.server, r.last, tusk_bytes_str("Set-Cookie: a=b\r\n")), TUSK_OK);
    assert_int_equal(tusk_accept(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_ESTATE);
    rig_turn(&r, 4);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, " 101 "));
    assert_non_null(strstr(text, "Set-Cookie: a=b\r\n"));
    assert_string_equal(r.log, "authorize:/asked/me;open;text:early;");
    close(fd);
    rig_fini(&r);
}

/* ---- out of memory ---- */

/* What a client may do in a life; whatever is refused, nothing may crash or leak. */
static tusk_err live(const tusk_mem *mem, void *user)
{
    rig r;
    char text[4096];
    (void)user;
    tusk_err err = rig_try_init(&r, mem, NULL);
    if (err == TUSK_OK) {
        int pair[3][2];
        static const char stream[] = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
        static const char post[] =
            "POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        static const char rest[] = "0\r\n\r\n";
        for (int i = 0; i < 3; i++) {
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair[i]), 0);
            if (tusk_server_adopt(r.server, pair[i][1]) != TUSK_OK) {
                close(pair[i][1]);
                err = TUSK_ENOMEM;
            }
        }
        (void)!write(pair[0][0], rig_upgrade, sizeof(rig_upgrade) - 1);
        (void)!write(pair[1][0], stream, sizeof(stream) - 1);
        (void)!write(pair[2][0], post, sizeof(post) - 1);
        rig_turn(&r, 3);
        (void)tusk_session_subscribe(r.server, r.last, tusk_bytes_str("t"), NULL,
                                     TUSK_OVERFLOW_CLOSE);
        uint8_t frame[512];
        char data[300];
        memset(data, 'd', sizeof(data));
        size_t len = rig_frame(frame, 0x01, data, sizeof(data));
        (void)!write(pair[0][0], frame, len);
        (void)!write(pair[2][0], rest, sizeof(rest) - 1);
        rig_turn(&r, 2);
        len = rig_frame(frame, 0x80, data, sizeof(data));
        (void)!write(pair[0][0], frame, len);
        const tusk_publication publication = {.topic = tusk_bytes_str("t"),
                                              .data = tusk_bytes_of(data, sizeof(data)),
                                              .opcode = TUSK_WS_TEXT};
        (void)tusk_server_publish(r.server, &publication, NULL);
        rig_turn(&r, 3);
        for (int i = 0; i < 3; i++) {
            rig_read(pair[i][0], text, sizeof(text));
            close(pair[i][0]);
        }
        rig_turn(&r, 3);
        assert_true(strncmp(r.log, "", 1) == 0 || r.log_len > 0);
    }
    rig_fini(&r);
    return err;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    size_t requests = test_fail_each_alloc(live, true, NULL);
    assert_true(requests > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_head_has_one_deadline),
        cmocka_unit_test(an_idle_websocket_is_closed_and_a_busy_one_stays),
        cmocka_unit_test(a_missing_pong_closes),
        cmocka_unit_test(pings_keep_their_interval_when_pongs_may_take_longer),
        cmocka_unit_test(a_peer_that_does_not_answer_close_is_cut),
        cmocka_unit_test(who_broke_a_rule_and_stays_is_cut),
        cmocka_unit_test(messages_per_second_pause_reading),
        cmocka_unit_test(unfinished_messages_pause_reading_but_one_goes_on),
        cmocka_unit_test(an_unfinished_message_that_stands_still_gives_way_to_others),
        cmocka_unit_test(connections_past_the_limit_wait),
        cmocka_unit_test(too_many_subscriptions_are_refused),
        cmocka_unit_test(a_parked_session_gets_nothing_until_it_is_unparked),
        cmocka_unit_test(three_hundred_parks_want_three_hundred_unparks),
        cmocka_unit_test(an_upgrade_can_be_decided_later),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
