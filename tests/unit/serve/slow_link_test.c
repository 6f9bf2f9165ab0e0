/* SPDX-License-Identifier: MIT */
/* Clients that read slowly, over sockets whose kernel has all that they were sent: what they take
 * is told by it alone. The server's time is the test's; how long ago somebody took something is the
 * machine's. */
#define _GNU_SOURCE
#include "rig.h"

enum { SENT = 300 * 1024, STEP = 16 * 1024, STEPS = 60, STEP_MS = 700 };
enum { LAST = 96 * 1024 }; /* of SENT: when the client's kernel has what is left of it */

/* Its client has room for little, and the kernel of the server for all of SENT. */
static int connect_slowly(rig *r)
{
    return rig_connect_tcp(r, 4 << 20, 16 * 1024);
}

static void begin(rig *r, const tusk_server_limits *limits)
{
    rig_init(r, limits);
    still_stop();
}

static void end(rig *r, int client)
{
    (void)close(client);
    still_end();
    rig_fini(r);
}

/* Until `wanted` bytes are there, or the connection has ended: so many are. */
static size_t read_some(rig *r, int client, char *out, size_t wanted)
{
    size_t len = 0;
    for (int turns = 0; len < wanted && turns < 20000; turns++) {
        ssize_t n = recv(client, out + len, wanted - len, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN)) {
            break;
        }
        len += n > 0 ? (size_t)n : 0;
        assert_int_equal(tusk_loop_turn(r->loop, n > 0 ? 0 : 1), TUSK_OK);
    }
    return len;
}

static int upgrade(rig *r)
{
    char text[2048];
    int client = connect_slowly(r);
    rig_write(client, rig_upgrade, sizeof(rig_upgrade) - 1);
    size_t len = 0;
    while (len < 4 || memcmp(text + len - 4, "\r\n\r\n", 4) != 0) {
        assert_int_equal(read_some(r, client, text + len, 1), 1);
        len++;
    }
    return client;
}

/* All of it is the kernel's when this returns. */
static void send_much(rig *r)
{
    static uint8_t much[SENT];
    assert_err(tusk_websocket_send(r->server, r->last, TUSK_WS_BINARY,
                                   tusk_bytes_of(much, sizeof(much)), NULL, NULL),
               TUSK_OK);
    rig_turn(r, 3);
    assert_int_equal(rig_stat(r, "queued_bytes"), 0);
}

/* Reads what is left of `bytes` in small steps, each of STEP_MS of the server's time. */
static void take_slowly(rig *r, int client, size_t bytes)
{
    static char place[STEP];
    while (bytes > 0) {
        size_t step = bytes < STEP ? bytes : STEP;
        assert_int_equal(read_some(r, client, place, step), step);
        bytes -= step;
        still_pass_ms(STEP_MS);
        rig_turn(r, 1);
    }
}

static size_t frame_bytes(size_t payload)
{
    return payload + tusk_ws_head_size(payload, false);
}

/* ---- WebSocket ---- */
static void who_takes_a_message_owes_no_pong_that_came_behind_it(void **state)
{
    rig r;
    char text[8];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.ping_ms = 1000;
    limits.pong_ms = 1000;
    limits.idle_ms = 3000;
    begin(&r, &limits);
    int client = upgrade(&r);
    send_much(&r);
    take_slowly(&r, client, frame_bytes(SENT));
    assert_int_equal(rig_stat(&r, "pong_timeouts") + rig_stat(&r, "idle_timeouts"), 0);
    still_pass_ms(1000); /* now it is asked, and does not answer */
    assert_int_equal(read_some(&r, client, text, 2), 2);
    assert_memory_equal(text, "\x89\x00", 2);
    still_pass_ms(1000);
    assert_int_equal(read_some(&r, client, text, 4), 4);
    assert_memory_equal(text, "\x88\x09\x03\xf3", 4); /* 1011 */
    assert_int_equal(rig_stat(&r, "pong_timeouts"), 1);
    end(&r, client);
}

static void who_takes_nothing_is_asked_all_the_same(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.ping_ms = 20;
    limits.pong_ms = 20;
    limits.idle_ms = 0;
    begin(&r, &limits);
    int client = upgrade(&r);
    send_much(&r);
    for (int turns = 0; rig_stat(&r, "pong_timeouts") == 0; turns++) {
        assert_true(turns < 20000);
        still_pass_ms(20);
        assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK); /* the machine's time passes, too */
    }
    end(&r, client);
}

static void a_close_waits_for_what_stands_before_it(void **state)
{
    static char last[LAST + 4];
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.close_ms = 1000;
    begin(&r, &limits);
    int client = upgrade(&r);
    send_much(&r);
    assert_err(tusk_websocket_close(r.server, r.last, 1000, tusk_bytes_of(NULL, 0)), TUSK_OK);
    take_slowly(&r, client, frame_bytes(SENT) - LAST);
    assert_int_equal(rig_stat(&r, "close_timeouts"), 0);
    assert_int_equal(read_some(&r, client, last, sizeof(last)), sizeof(last));
    assert_memory_equal(last + LAST, "\x88\x02\x03\xe8", 4);
    for (int i = 0; rig_stat(&r, "close_timeouts") == 0; i++) { /* it has all of it */
        assert_true(i < 20000);
        still_pass_ms(100);
        assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    end(&r, client);
}

/* ---- event streams ---- */
static void the_end_of_a_stream_waits_for_what_stands_before_it(void **state)
{
    enum { MUCH = 6 << 20 }; /* more than the kernel takes */
    static char much[MUCH];
    static char rest[MUCH];
    rig r;
    char text[512];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.close_ms = 1000;
    begin(&r, &limits);
    int client = connect_slowly(&r);
    static const char request[] = "GET /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    rig_write(client, request, sizeof(request) - 1);
    size_t len = 0;
    while (len < 4 || memcmp(text + len - 4, ":\n\n\r", 4) != 0) {
        assert_int_equal(read_some(&r, client, text + len, 1), 1);
        len++;
    }
    memset(much, 'x', sizeof(much));
    const tusk_bytes none = {0};
    assert_err(
        tusk_stream_send(r.server, r.last, none, none, false, tusk_bytes_of(much, sizeof(much))),
        TUSK_OK);
    rig_turn(&r, 3);
    assert_true(rig_stat(&r, "queued_bytes") > 0);
    assert_err(tusk_stream_close(r.server, r.last), TUSK_OK);
    take_slowly(&r, client, (size_t)STEPS * STEP);
    len = read_some(&r, client, rest, sizeof(rest));
    assert_true(len > MUCH - STEPS * STEP);
    assert_memory_equal(rest + len - 5, "0\r\n\r\n", 5);
    end(&r, client);
}

/* ---- HTTP ---- */
static void an_answer_leaves_as_slowly_as_its_client_takes_it(void **state)
{
    static char much[24 << 20];
    rig r;
    char place[STEP];
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.keep_alive_ms = 1000;
    limits.queued_bytes = sizeof(much) + 1024;
    begin(&r, &limits);
    r.answer = false;
    int client = connect_slowly(&r);
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    rig_write(client, request, sizeof(request) - 1);
    rig_turn(&r, 2);
    assert_err(tusk_reply(r.server, r.last, 200, tusk_bytes_of(NULL, 0),
                          tusk_bytes_of(much, sizeof(much)), NULL),
               TUSK_OK);
    rig_turn(&r, 3);
    assert_true(rig_stat(&r, "queued_bytes") > 0);
    for (int i = 0; i < STEPS; i++) { /* the kernel asks for more after a third of its own */
        assert_int_equal(read_some(&r, client, place, 256), 256);
        still_pass_ms(STEP_MS);
        rig_turn(&r, 1);
    }
    assert_int_equal(rig_stat(&r, "keep_alive_timeouts"), 0);
    for (int i = 0; rig_stat(&r, "keep_alive_timeouts") == 0; i++) {
        assert_true(i < 20000);
        still_pass_ms(20);
        assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    end(&r, client);
}

int main(void)
{
#if !defined(__linux__)
    print_message("1..0 # SKIP only Linux tells what a peer takes\n");
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_takes_a_message_owes_no_pong_that_came_behind_it),
        cmocka_unit_test(who_takes_nothing_is_asked_all_the_same),
        cmocka_unit_test(a_close_waits_for_what_stands_before_it),
        cmocka_unit_test(the_end_of_a_stream_waits_for_what_stands_before_it),
        cmocka_unit_test(an_answer_leaves_as_slowly_as_its_client_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
