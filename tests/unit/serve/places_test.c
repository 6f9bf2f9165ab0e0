/* SPDX-License-Identifier: MIT */
/* Places that others wait for: who keeps one and asks for nothing, and who does not. */
#define _GNU_SOURCE
#include "rig_session.h"

#include <netinet/tcp.h>
#include <sys/resource.h>

#include "serve/server.h"

enum {
    HANDSHAKE_MS = 1000,
    MOST_MS = HANDSHAKE_MS / 5, /* while somebody waits */
    LOOKS_MS = 25,              /* until it was looked */
    MANY = 100
};

static rig r;

static void begin(uint32_t connections, uint32_t handshakes)
{
    tusk_server_options options = {.handler = &rig_handler, .user = &r};
    const tusk_loop_options loop = {0};
    const tusk_websocket_options ws = {.any_origin = true};
    (void)signal(SIGPIPE, SIG_IGN);
    memset(&r, 0, sizeof(r));
    r.answer = true;
    still_begin();
    assert_err(tusk_loop_new(&r.loop, &loop), TUSK_OK);
    tusk_server_limits_default(&options.limits);
    options.loop = r.loop;
    options.limits.connections = connections;
    options.limits.handshakes = handshakes;
    options.limits.handshake_ms = HANDSHAKE_MS;
    options.limits.keep_alive_ms = 10 * HANDSHAKE_MS;
    assert_err(tusk_server_new(&r.server, &options), TUSK_OK);
    assert_err(tusk_server_route_websocket(r.server, "/ws", &ws, NULL), TUSK_OK);
    assert_err(tusk_server_route_http(r.server, "GET", "/", NULL), TUSK_OK);
    assert_err(tusk_server_route_http(r.server, "POST", "/post", NULL), TUSK_OK);
    assert_err(tusk_server_listen(r.server, "127.0.0.1:0", NULL), TUSK_OK);
    assert_err(tusk_server_start(r.server, NULL, 0), TUSK_OK);
}

static void end(void)
{
    rig_fini(&r);
    still_end();
}

static int come(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(tusk_server_port(r.server, 0)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    static const int on = 1; /* what is written is there at once, for a clock that stands still */
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)(void *)&at, sizeof(at)), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static int come_and_say(const char *text)
{
    int fd = come();
    rig_write(fd, text, strlen(text));
    return fd;
}

static const char get[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

static bool is_answered(int fd, const char *with)
{
    char text[2048];
    rig_read(fd, text, sizeof(text));
    return strstr(text, with) != NULL;
}

static bool is_at_its_end(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 0;
}

static void the_silent_give_way_to_who_waits(void **state)
{
    (void)state;
    begin(2, 0);
    int silent[] = {come(), come_and_say("GET / HTTP/1.1\r\nHo")};
    rig_turn(&r, 3);
    assert_int_equal(rig_stat(&r, "connections_open"), 2);
    int waits = come_and_say(get);
    rig_turn(&r, MOST_MS - LOOKS_MS);
    assert_false(is_answered(waits, "200"));
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 0);
    rig_turn(&r, 2 * LOOKS_MS);
    assert_true(is_answered(waits, "HTTP/1.1 200 "));
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 2);
    assert_true(is_at_its_end(silent[0]));
    assert_true(is_answered(silent[1], "HTTP/1.1 408 ")); /* it is told, but not waited for */
    assert_true(is_at_its_end(silent[1]));
    assert_int_equal(rig_stat(&r, "connections_open"), 1);
    close(silent[0]);
    close(silent[1]);
    close(waits);
    end();
}

static void where_nobody_waits_they_have_all_of_their_time(void **state)
{
    (void)state;
    begin(2, 0);
    int silent[] = {come(), come_and_say("GET / HTTP/1.1\r\nHo")};
    rig_turn(&r, HANDSHAKE_MS - LOOKS_MS);
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 0);
    rig_write(silent[1], "st: x\r\n\r\n", 9);
    rig_turn(&r, 3);
    assert_true(is_answered(silent[1], "HTTP/1.1 200 "));
    rig_turn(&r, 2 * LOOKS_MS);
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 1);
    close(silent[0]);
    close(silent[1]);
    end();
}

/* However often a byte comes. */
static void who_drips_gives_way(void **state)
{
    (void)state;
    begin(1, 0);
    int drips = come_and_say("GET / HTTP/1.1\r\nX: ");
    rig_turn(&r, 3);
    int waits = come_and_say(get);
    for (int ms = 0; ms < MOST_MS + LOOKS_MS; ms += 5) {
        (void)send(drips, "x", 1, MSG_NOSIGNAL);
        rig_turn(&r, 5);
    }
    rig_turn(&r, LOOKS_MS);
    assert_true(is_answered(waits, "HTTP/1.1 200 "));
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 1);
    close(drips);
    close(waits);
    end();
}

static void between_requests_one_gives_way(void **state)
{
    (void)state;
    begin(1, 0);
    int idle = come_and_say(get);
    rig_turn(&r, 3);
    assert_true(is_answered(idle, "HTTP/1.1 200 "));
    int waits = come_and_say(get);
    rig_turn(&r, MOST_MS - LOOKS_MS);
    rig_write(idle, get, sizeof(get) - 1); /* its time begins again */
    rig_turn(&r, MOST_MS - LOOKS_MS);
    assert_true(is_answered(idle, "HTTP/1.1 200 "));
    assert_false(is_answered(waits, "200"));
    rig_turn(&r, 2 * LOOKS_MS);
    assert_true(is_answered(waits, "HTTP/1.1 200 "));
    assert_int_equal(rig_stat(&r, "keep_alive_timeouts"), 1);
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 0);
    assert_true(is_at_its_end(idle));
    close(idle);
    close(waits);
    end();
}

/* Since its head began, which is no time at all, however long ago its last answer was. */
static void in_the_midst_of_the_next_head_one_has_as_long(void **state)
{
    (void)state;
    begin(1, 0);
    int asks = come_and_say(get);
    rig_turn(&r, 3);
    assert_true(is_answered(asks, "HTTP/1.1 200 "));
    rig_turn(&r, MOST_MS - LOOKS_MS);
    rig_write(asks, "GET / HTTP/1.1\r\nHo", 18);
    rig_turn(&r, 3);
    int waits = come_and_say(get);
    rig_turn(&r, MOST_MS - LOOKS_MS);
    rig_write(asks, "st: x\r\n\r\n", 9);
    rig_turn(&r, 3);
    assert_true(is_answered(asks, "HTTP/1.1 200 "));
    rig_write(asks, "GET / HTTP/1.1\r\nHo", 18);
    rig_turn(&r, MOST_MS + LOOKS_MS);
    assert_true(is_answered(asks, "HTTP/1.1 408 "));
    assert_true(is_answered(waits, "HTTP/1.1 200 "));
    close(asks);
    close(waits);
    end();
}

/* What it asked for is on its way. */
static void who_takes_its_answer_slowly_stays(void **state)
{
    enum { BODY = 400000, LITTLE = 4096 };
    static const int little = LITTLE;
    (void)state;
    begin(1, 0);
    r.answer = false;
    int takes = come();
    assert_int_equal(setsockopt(takes, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
    rig_write(takes, get, sizeof(get) - 1);
    rig_turn(&r, 3);
    int fd = rig_session(&r, 0)->conn.io.fd;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
    char *body = calloc(1, BODY);
    assert_err(
        tusk_reply(r.server, r.last, 200, tusk_bytes_of(NULL, 0), tusk_bytes_of(body, BODY), NULL),
        TUSK_OK);
    free(body);
    int waits = come_and_say(get);
    rig_turn(&r, 2 * MOST_MS);
    assert_true(rig_stat(&r, "queued_bytes") > 0);
    assert_int_equal(rig_stat(&r, "keep_alive_timeouts"), 0);
    assert_false(is_answered(waits, "HTTP"));
    close(takes);
    close(waits);
    end();
}

/* A WebSocket, a request whose handler waits, a body that comes: they asked for something. */
static void who_is_served_stays(void **state)
{
    (void)state;
    begin(3, 0);
    int websocket = come_and_say(rig_upgrade);
    int body = come_and_say("POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel");
    rig_turn(&r, 3);
    r.answer = false;
    int asks = come_and_say(get);
    rig_turn(&r, 3);
    int waits = come_and_say(get);
    rig_turn(&r, HANDSHAKE_MS + LOOKS_MS);
    assert_true(is_answered(websocket, "HTTP/1.1 101 "));
    assert_false(is_answered(waits, "HTTP"));
    assert_false(is_answered(asks, "HTTP"));
    assert_int_equal(rig_stat(&r, "connections_open"), 3);
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 0);
    close(websocket);
    close(body);
    close(asks);
    close(waits);
    end();
}

static void the_limit_of_handshakes_is_kept_by_nobody(void **state)
{
    (void)state;
    begin(10, 2);
    int silent[] = {come(), come()};
    rig_turn(&r, 3);
    int waits = come_and_say(rig_upgrade);
    rig_turn(&r, MOST_MS - LOOKS_MS);
    assert_false(is_answered(waits, "101"));
    rig_turn(&r, 2 * LOOKS_MS);
    assert_true(is_answered(waits, "HTTP/1.1 101 "));
    close(silent[0]);
    close(silent[1]);
    close(waits);
    end();
}

/* It would make room for nobody: of handshakes there are too many, not of connections. */
static void where_handshakes_are_too_many_who_made_theirs_stays(void **state)
{
    (void)state;
    begin(10, 1);
    int idle = come_and_say(get);
    rig_turn(&r, 3);
    assert_true(is_answered(idle, "HTTP/1.1 200 "));
    int begun = come_and_say(get);
    rig_turn(&r, 3);
    assert_true(is_answered(begun, "HTTP/1.1 200 "));
    rig_write(begun, "GET / HTTP/1.1\r\n", 16); /* a later head is no handshake */
    rig_turn(&r, MOST_MS + 3);
    int silent = come();
    rig_turn(&r, 3);
    int waits = come_and_say(get);
    rig_turn(&r, MOST_MS + 2 * LOOKS_MS);
    assert_true(is_answered(waits, "HTTP/1.1 200 "));
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 1);
    assert_int_equal(rig_stat(&r, "keep_alive_timeouts"), 0);
    assert_false(is_at_its_end(idle));
    assert_false(is_at_its_end(begun));
    close(idle);
    close(begun);
    close(silent);
    close(waits);
    end();
}

static void of_a_crowd_some_go_in_each_look(void **state)
{
    enum { IN_ONE = 64 };
    int crowd[MANY];
    (void)state;
    begin(MANY, 0);
    for (int i = 0; i < MANY; i++) {
        crowd[i] = come();
        rig_turn(&r, 1);
    }
    rig_turn(&r, MOST_MS); /* all have been silent for long enough */
    int waits = come_and_say(get);
    uint64_t most = 0;
    for (uint64_t before = 0; !is_answered(waits, "HTTP/1.1 200 ");) {
        rig_turn(&r, 1);
        uint64_t now = rig_stat(&r, "handshake_timeouts");
        most = now - before > most ? now - before : most;
        before = now;
        assert_true(before < MANY);
    }
    assert_int_equal(most, IN_ONE);
    for (int i = 0; i < MANY; i++) {
        close(crowd[i]);
    }
    close(waits);
    end();
}

/* Where descriptors are fewer than places. */
static void descriptors_are_kept_by_nobody(void **state)
{
    enum { ENOUGH = 40, LEFT = 40 };
    struct rlimit before;
    int crowd[ENOUGH];
    (void)state;
    begin(1000, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (int i = 0; i < ENOUGH; i++) {
        crowd[i] = come(); /* each is two descriptors of this process */
    }
    int waits = come_and_say(get);
    const struct rlimit low = {.rlim_cur = (rlim_t)waits + LEFT, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    rig_turn(&r, MOST_MS / 2);
    assert_true(rig_stat(&r, "connections_open") < ENOUGH);
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 0);
    for (int ms = 0; ms < 3 * MOST_MS && rig_stat(&r, "requests") == 0; ms += LOOKS_MS) {
        rig_turn(&r, LOOKS_MS);
    }
    assert_true(is_answered(waits, "HTTP/1.1 200 "));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (int i = 0; i < ENOUGH; i++) {
        close(crowd[i]);
    }
    close(waits);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_silent_give_way_to_who_waits),
        cmocka_unit_test(where_nobody_waits_they_have_all_of_their_time),
        cmocka_unit_test(who_drips_gives_way),
        cmocka_unit_test(between_requests_one_gives_way),
        cmocka_unit_test(in_the_midst_of_the_next_head_one_has_as_long),
        cmocka_unit_test(who_takes_its_answer_slowly_stays),
        cmocka_unit_test(who_is_served_stays),
        cmocka_unit_test(the_limit_of_handshakes_is_kept_by_nobody),
        cmocka_unit_test(where_handshakes_are_too_many_who_made_theirs_stays),
        cmocka_unit_test(of_a_crowd_some_go_in_each_look),
        cmocka_unit_test(descriptors_are_kept_by_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
