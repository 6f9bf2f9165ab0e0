/* SPDX-License-Identifier: MIT */
/* One client asks for much in one piece, of handlers that take their time: others come between. */
#define _GNU_SOURCE
#include "rig.h"

#include "loop/patient.h"
#include "net/inner.h"
#include "serve/session.h"

enum { MANY = 300 };

static struct {
    int slow;  /* handled of the one who asks for much */
    int quick; /* of the other */
    int slow_before_quick;
    int end_at; /* the handler of this one ends its own connection */
} seen;

static uint64_t handler_ns = 1000000;

/* What a handler with a blocking query does. */
static void take_its_time(void)
{
    uint64_t until = tusk_loop_clock_ns() + handler_ns;
    while (tusk_loop_clock_ns() < until) {
    }
}

static void note(bool slow)
{
    if (slow) {
        take_its_time();
        seen.slow++;
    } else {
        seen.quick++;
        seen.slow_before_quick = seen.slow;
    }
}

static void on_request(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    rig *r = user;
    (void)route;
    note(tusk_bytes_eq(request->head->path, tusk_bytes_str("/slow")));
    if (seen.slow == seen.end_at) {
        tusk_session_terminate(r->server, session);
        return;
    }
    assert_err(
        tusk_reply(r->server, session, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("x"), NULL),
        TUSK_OK);
}

static void on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    rig *r = user;
    (void)route;
    (void)opcode;
    note(tusk_bytes_eq(payload, tusk_bytes_str("slow")));
    (void)tusk_websocket_send(r->server, session, TUSK_WS_TEXT, payload, NULL, NULL);
    tusk_payload_drop(r->server, taken);
}

static void begin(rig *r)
{
    static const tusk_server_handler handler = {.on_request = on_request, .on_message = on_message};
    const tusk_websocket_options open = {.any_origin = true};
    (void)signal(SIGPIPE, SIG_IGN);
    memset(r, 0, sizeof(*r));
    memset(&seen, 0, sizeof(seen));
    assert_err(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r->loop, .handler = &handler, .user = r};
    tusk_server_limits_default(&options.limits);
    assert_err(tusk_server_new(&r->server, &options), TUSK_OK);
    assert_err(tusk_server_route_http(r->server, "GET", "/{name}", NULL), TUSK_OK);
    assert_err(tusk_server_route_websocket(r->server, "/ws", &open, NULL), TUSK_OK);
    assert_err(tusk_server_start(r->server, NULL, 0), TUSK_OK);
    tusk__loop_patient_ns(r->loop, UINT64_MAX); /* or it would be the machine's who waits */
}

/* Both have asked before the turn; whoever is looked at first, the other has not to wait for all of
 * it. */
static void check(rig *r, int slow, int quick)
{
    char text[65536];
    size_t len = 0;
    for (int turn = 0; turn < MANY && seen.quick == 0; turn++) {
        rig_turn(r, 1);
    }
    assert_int_equal(seen.quick, 1);
    assert_true(seen.slow_before_quick < MANY);
    assert_true(seen.slow < MANY);
    for (int turn = 0; turn < 2 * MANY && seen.slow < MANY; turn++) {
        rig_turn(r, 1);
        len += rig_read(slow, text + len, sizeof(text) - len);
    }
    assert_int_equal(seen.slow, MANY); /* and all of it is done */
    rig_turn(r, 2);
    len += rig_read(slow, text + len, sizeof(text) - len);
    assert_true(len >= (size_t)MANY * 6);
    close(slow);
    close(quick);
    rig_fini(r);
}

static void pipelined_requests_share_the_turn(void **state)
{
    static const char one[] = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
    static const char other[] = "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n";
    static char all[MANY * sizeof(one)];
    size_t len = 0;
    rig r;
    (void)state;
    begin(&r);
    for (int i = 0; i < MANY; i++) {
        memcpy(all + len, one, sizeof(one) - 1);
        len += sizeof(one) - 1;
    }
    int slow = rig_connect(&r);
    int quick = rig_connect(&r);
    rig_write(slow, all, len);
    rig_write(quick, other, sizeof(other) - 1);
    check(&r, slow, quick);
}

static void pipelined_messages_share_the_turn(void **state)
{
    static uint8_t all[MANY * 16];
    size_t len = 0;
    rig r;
    (void)state;
    begin(&r);
    for (int i = 0; i < MANY; i++) {
        len += rig_frame(all + len, 0x81, "slow", 4);
    }
    int slow = rig_websocket(&r);
    int quick = rig_websocket(&r);
    rig_write(slow, all, len);
    rig_send(quick, 0x81, "quick", 5);
    check(&r, slow, quick);
}

/* In its second slice or a later one, which the task that tells begins. */
static void a_handler_that_ends_its_connection_ends_its_slices(void **state)
{
    static const char one[] = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
    static char all[MANY * sizeof(one)];
    size_t len = 0;
    char text[16384];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        memcpy(all + len, one, sizeof(one) - 1);
        len += sizeof(one) - 1;
    }
    for (int end_at = 1; end_at < 12; end_at++) {
        rig r;
        tusk_server_stats stats;
        begin(&r);
        seen.end_at = end_at;
        int fd = rig_connect(&r);
        rig_write(fd, all, len);
        rig_turn(&r, 40);
        assert_int_equal(seen.slow, end_at);
        tusk_server_stats_get(r.server, &stats);
        assert_int_equal(stats.connections_open, 0);
        (void)rig_read(fd, text, sizeof(text));
        close(fd);
        rig_fini(&r);
    }
}

/* Each of many has its part of one slice, not a slice: on a slower machine they do less, not more.
 */
static void a_crowd_shares_one_slice(void **state)
{
    enum { CROWD = 20 };
    static const char one[] = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
    static const char other[] = "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n";
    static char all[MANY * sizeof(one)];
    size_t len = 0;
    int fds[CROWD];
    rig r;
    (void)state;
    begin(&r);
    handler_ns = 100000; /* more than its part */
    for (int i = 0; i < MANY; i++, len += sizeof(one) - 1) {
        memcpy(all + len, one, sizeof(one) - 1);
    }
    for (int i = 0; i < CROWD; i++) {
        fds[i] = rig_connect(&r);
        rig_write(fds[i], all, len);
    }
    int quick = rig_connect(&r);
    rig_turn(&r, 3); /* now they know of each other */
    int before = seen.slow;
    rig_write(quick, other, sizeof(other) - 1);
    rig_turn(&r, 1);
    assert_int_equal(seen.quick, 1);
    /* one each of those whose turn it is, and the rest of a turn */
    assert_in_range(seen.slow - before, NET_CROWD_TURN, 2 * NET_CROWD_TURN);
    for (int i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
    close(quick);
    handler_ns = 1000000;
    rig_fini(&r);
}

/* Counted in bytes: fifty that send without a pause cost a turn little more than a few of them. */
static void a_crowd_shares_what_is_read_in_a_turn(void **state)
{
    enum { CROWD = 50, LANDING = 65536, SHARE = 8192 };
    rig r;
    int fds[CROWD];
    static uint8_t pings[LANDING];
    static const char payload[125];
    size_t at[CROWD] = {0};
    uint64_t sent[CROWD] = {0};
    size_t len = 0;
    (void)state;
    rig_init(&r, NULL);
    while (len + 131 <= sizeof(pings)) {
        len += rig_frame(pings + len, 0x89, payload, sizeof(payload));
    }
    for (int i = 0; i < CROWD; i++) {
        fds[i] = rig_websocket(&r);
    }
    uint64_t sum = 0;
    for (int turn = 0; turn < 40; turn++) {
        for (int i = 0; i < CROWD; i++) {
            for (ssize_t n = 0; (n = write(fds[i], pings + at[i], len - at[i])) > 0;) {
                at[i] = (at[i] + (size_t)n) % len;
                sent[i] += (uint64_t)n;
            }
        }
        uint64_t before = tusk_net_count(r.server->net)->bytes_in;
        rig_turn(&r, 1);
        uint64_t more = tusk_net_count(r.server->net)->bytes_in - before;
        assert_true(more <= (turn == 0 ? 16 * LANDING : CROWD * SHARE + 4 * LANDING));
        assert_true(turn < 2 || more <= NET_CROWD_TURN * SHARE + LANDING);
        sum += more;
    }
    assert_true(sum > 10 * CROWD * SHARE);
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (int i = 0; i < CROWD; i++) {
        least = sent[i] < least ? sent[i] : least;
        most = sent[i] > most ? sent[i] : most;
    }
    assert_true(most - least <= 2 * LANDING); /* and all of them are read */
    for (int i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
    rig_fini(&r);
}

/* However many come at once: in each turn who was served before is, and then some of them. */
static void newcomers_wait_for_those_who_are_served(void **state)
{
    enum { CROWD = 100 };
    static const char one[] = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
    int fds[CROWD];
    rig r;
    (void)state;
    begin(&r);
    handler_ns = 0;
    int guest = rig_websocket(&r);
    for (int i = 0; i < 4; i++) {
        rig_send(guest, 0x81, "quick", 5);
        rig_turn(&r, 1);
    }
    for (int i = 0; i < CROWD; i++) {
        fds[i] = rig_connect(&r);
        rig_write(fds[i], one, sizeof(one) - 1);
    }
    tusk__loop_patient_ns(r.loop, 0);
    int turns = 0;
    for (; seen.slow < CROWD && turns < CROWD; turns++) {
        int before = seen.slow;
        rig_send(guest, 0x81, "quick", 5);
        rig_turn(&r, 1);
        assert_int_equal(seen.quick, 5 + turns);
        assert_int_equal(seen.slow_before_quick, before);
        assert_in_range(seen.slow - before, 1, 16);
    }
    assert_int_equal(seen.slow, CROWD);
    assert_true(turns >= CROWD / 16);
    for (int i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
    close(guest);
    handler_ns = 1000000;
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelined_requests_share_the_turn),
        cmocka_unit_test(pipelined_messages_share_the_turn),
        cmocka_unit_test(a_crowd_shares_one_slice),
        cmocka_unit_test(newcomers_wait_for_those_who_are_served),
        cmocka_unit_test(a_crowd_shares_what_is_read_in_a_turn),
        cmocka_unit_test(a_handler_that_ends_its_connection_ends_its_slices),
    };
    return cmocka_run_group_tests_name("serve/fairness", tests, NULL, NULL);
}
