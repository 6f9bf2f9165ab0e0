/* SPDX-License-Identifier: MIT */
/* Too much is unfinished everywhere, and a guest comes whose messages are whole. */
#define _GNU_SOURCE
#include "rig.h"

#include "serve/session.h"

enum { MIB = 1 << 20 };

static void on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    rig *r = user;
    (void)route;
    (void)tusk_websocket_send(r->server, session, opcode, payload, NULL, NULL);
    tusk_payload_drop(r->server, taken);
}

static void begin(rig *r, const tusk_server_limits *limits)
{
    static const tusk_server_handler handler = {.on_message = on_message};
    const tusk_websocket_options open = {.any_origin = true};
    (void)signal(SIGPIPE, SIG_IGN);
    memset(r, 0, sizeof(*r));
    assert_err(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {
        .loop = r->loop, .handler = &handler, .user = r, .limits = *limits};
    assert_err(tusk_server_new(&r->server, &options), TUSK_OK);
    assert_err(tusk_server_route_websocket(r->server, "/ws", &open, NULL), TUSK_OK);
    assert_err(tusk_server_start(r->server, NULL, 0), TUSK_OK);
}

/* Past the limit and the quarter reads are short. A message of up to 64 KiB that has come whole is
 * read to its end all the same, whatever others keep back; one of which a byte is missing is not.
 */
static void who_sent_a_short_message_whole_is_served_beside_them(void **state)
{
    enum { MANY = 300, PART = 60000, TIMES = 20 };
    rig r;
    tusk_server_limits limits;
    static uint8_t bytes[PART + 16];
    static uint8_t part[PART];
    static char answer[PART + 16];
    int fds[MANY];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.unfinished_bytes = 1 * MIB; /* and 1 MiB of slack */
    limits.unfinished_ms = 1000000;
    begin(&r, &limits);
    int guest = rig_websocket(&r);
    size_t len = rig_frame(bytes, 0x02, part, PART);
    for (int i = 0; i < MANY; i++) {
        fds[i] = rig_websocket(&r);
        rig_write(fds[i], bytes, len);
        rig_turn(&r, 4);
    }
    size_t before = r.server->unfinished;
    uint64_t shed = rig_stat(&r, "unfinished_closed");
    assert_true(shed > 0);
    len = rig_frame(bytes, 0x82, part, PART);
    for (int i = 0; i < TIMES; i++) {
        size_t got = 0;
        rig_write(guest, bytes, len);
        for (int turn = 0; turn < 10 && got < PART + 4; turn++) {
            rig_turn(&r, 1);
            ssize_t n = read(guest, answer + got, sizeof(answer) - got);
            got += n > 0 ? (size_t)n : 0;
        }
        assert_int_equal(got, PART + 4);
        assert_int_equal((uint8_t)answer[0], 0x82);
        assert_int_equal(r.server->unfinished, before);
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), shed);
    rig_write(guest, bytes, len - 1);
    rig_turn(&r, 4);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), shed + 1);
    for (int i = 0; i < MANY; i++) {
        close(fds[i]);
    }
    close(guest);
    rig_fini(&r);
}

/* Nor does one of them have the loop for itself, who sends such messages one behind the other. */
static void who_sends_many_of_them_gives_way_each_turn(void **state)
{
    enum { PART = 60000, MANY = 24, TURN = 64 * 1024 };
    rig r;
    tusk_server_limits limits;
    static uint8_t bytes[MANY * (PART + 16)];
    static uint8_t part[PART];
    static char answer[PART];
    const int room = 4 * MIB;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.unfinished_bytes = 1; /* and 1 MiB of slack */
    limits.unfinished_ms = 1000000;
    begin(&r, &limits);
    int holder = rig_websocket(&r);
    rig_write(holder, bytes, rig_frame(bytes, 0x02, part, PART));
    rig_turn(&r, 4);
    int guest = rig_websocket(&r);
    assert_int_equal(setsockopt(guest, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
    size_t len = 0;
    for (int i = 0; i < MANY; i++) {
        len += rig_frame(bytes + len, 0x82, part, PART);
    }
    size_t sent = 0;
    size_t got = 0;
    uint64_t most = 0;
    for (int turn = 0; turn < 200 && got < (size_t)MANY * (PART + 4); turn++) {
        ssize_t n = write(guest, bytes + sent, len - sent);
        sent += n > 0 ? (size_t)n : 0;
        uint64_t before = rig_stat(&r, "bytes_in");
        rig_turn(&r, 1);
        uint64_t in = rig_stat(&r, "bytes_in") - before;
        most = in > most ? in : most;
        while ((n = read(guest, answer, sizeof(answer))) > 0) {
            got += (size_t)n;
        }
    }
    assert_int_equal(got, (size_t)MANY * (PART + 4));
    assert_in_range(most, PART, 2 * TURN); /* its last receive may begin just before that */
    close(holder);
    close(guest);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sends_many_of_them_gives_way_each_turn),
        cmocka_unit_test(who_sent_a_short_message_whole_is_served_beside_them),
    };
    return cmocka_run_group_tests_name("serve/guest", tests, NULL, NULL);
}
