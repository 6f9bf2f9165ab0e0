/* SPDX-License-Identifier: MIT */
/* A few bytes that become many: their making is spread over turns, and others are served in each.
 */
#define _GNU_SOURCE
#include "rig.h"

#include "loop/patient.h"
#include "serve/session.h"

#ifdef TUSK_HAVE_ZLIB

enum {
    MIB = 1 << 20,
    SLICE = 8 << 10, /* made in a turn, beside others */
    FIRST = 4 << 10, /* and by each when something came */
    LEAST = 8 * MIB / SLICE - 2,
    CROWD = 5
};

static int deflate_websocket(rig *r)
{
    char text[2048];
    int n = snprintf(text, sizeof(text), "%.*sSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
                     (int)sizeof(rig_upgrade) - 3, rig_upgrade);
    int fd = rig_connect(r);
    rig_write(fd, text, (size_t)n);
    rig_turn(r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "permessage-deflate"));
    return fd;
}

/* A compressed message of `len` zeros. */
static void send_zeros(int fd, size_t len)
{
    tusk_ws_deflater *deflater;
    tusk_buf packed;
    uint8_t *zeros = calloc(1, len);
    assert_non_null(zeros);
    tusk_buf_init(&packed, tusk_mem_default(), MIB);
    assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), 15, 1, 8, false), TUSK_OK);
    assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(zeros, len), &packed), TUSK_OK);
    rig_send(fd, 0xC2, packed.ptr, packed.len);
    tusk_ws_deflater_free(deflater);
    tusk_buf_fini(&packed);
    free(zeros);
}

/* Somebody the server knows: no newcomer any more. */
static int settled_guest(rig *r)
{
    char answer[64];
    int guest = rig_websocket(r);
    for (int i = 0; i < 4; i++) {
        rig_send(guest, 0x81, "here", 4);
        rig_turn(r, 2);
        assert_int_equal(rig_read(guest, answer, sizeof(answer)), 6);
    }
    return guest;
}

/* Turns until the bomb has an end, a guest asking in each; how many there were. */
static size_t served_beside(rig *r, int guest, uint64_t messages, uint64_t refused)
{
    char answer[64];
    tusk_server_stats stats;
    size_t turns = 0;
    do {
        rig_send(guest, 0x81, "here", 4);
        rig_turn(r, 1);
        assert_int_equal(rig_read(guest, answer, sizeof(answer)), 6);
        tusk_server_stats_get(r->server, &stats);
        assert_true(++turns < 2000);
    } while (stats.messages_in < messages + turns && stats.messages_too_big < refused);
    return turns;
}

static void a_guest_is_served_in_every_turn_of_a_bomb(void **state)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.message_bytes = 8 * MIB;
    rig_init(&r, &limits);
    int bomb = deflate_websocket(&r);
    int guest = settled_guest(&r);
    send_zeros(bomb, 8 * MIB);
    size_t turns = served_beside(&r, guest, 4 + 1, 1);
    assert_in_range(turns, LEAST, LEAST + 10); /* whole, and delivered */
    close(bomb); /* with an echo of 8 MiB before it, it would not be read */
    bomb = deflate_websocket(&r);
    send_zeros(bomb, 8 * MIB + 1);
    turns = served_beside(&r, guest, UINT32_MAX, 1);
    assert_in_range(turns, LEAST, LEAST + 10); /* 1009 as soon as it is known */
    close(bomb);
    close(guest);
    rig_fini(&r);
}

/* ---- several at once ---- */
static size_t made_by(const rig *r, uint32_t slot)
{
    const tusk_session *session = r->server->slots[slot].session;
    return session == NULL ? 0 : session->u.ws.decoder.len;
}

/* All of them make of a turn what one would, and none stays behind. */
static void bombs_take_turns(void **state)
{
    rig r;
    char answer[64];
    int bombs[CROWD];
    rig_init(&r, NULL);
    r.echo = true;
    for (int i = 0; i < CROWD; i++) {
        bombs[i] = deflate_websocket(&r);
    }
    int guest = settled_guest(&r);
    for (int i = 0; i < CROWD; i++) {
        send_zeros(bombs[i], MIB);
    }
    size_t before = 0;
    for (int turn = 0; turn < 40 * CROWD; turn++) {
        size_t least = SIZE_MAX, most = 0, all = 0;
        rig_send(guest, 0x81, "here", 4);
        rig_turn(&r, 1);
        assert_int_equal(rig_read(guest, answer, sizeof(answer)), 6);
        for (uint32_t slot = 0; slot < CROWD; slot++) {
            size_t made = made_by(&r, slot);
            least = made < least ? made : least;
            most = made > most ? made : most;
            all += made;
        }
        assert_in_range(all - before, turn < 2 ? 0 : SLICE,
                        turn < 2 ? CROWD * FIRST + SLICE : SLICE);
        assert_in_range(most - least, 0, SLICE + FIRST);
        before = all;
    }
    for (int i = 0; i < CROWD; i++) {
        close(bombs[i]);
    }
    close(guest);
    rig_fini(&r);
}

/* What is little is inflated when it comes, whatever the bombs have left to do. */
static void a_small_compressed_message_waits_for_no_bomb(void **state)
{
    rig r;
    char answer[FIRST];
    int bombs[CROWD];
    tusk_server_stats stats;
    rig_init(&r, NULL);
    tusk__loop_patient_ns(r.loop, UINT64_MAX); /* no clock decides */
    for (int i = 0; i < CROWD; i++) {
        bombs[i] = deflate_websocket(&r);
        send_zeros(bombs[i], 4 * MIB);
    }
    int guest = deflate_websocket(&r);
    for (uint64_t i = 1; i <= 20; i++) {
        send_zeros(guest, FIRST - 1);
        rig_turn(&r, 1);
        tusk_server_stats_get(r.server, &stats);
        assert_int_equal(stats.messages_in, i);
        assert_true(rig_read(guest, answer, sizeof(answer)) > 0);
    }
    for (int i = 0; i < CROWD; i++) {
        close(bombs[i]);
    }
    close(guest);
    rig_fini(&r);
}

/* Each is below what one may make at once, and they came in one read. */
static void many_small_bombs_in_one_piece_share_turns_like_a_large_one(void **state)
{
    enum { COUNT = 64, LEN = 6 << 10 };
    rig r;
    char answer[64];
    tusk_server_stats stats;
    rig_init(&r, NULL);
    r.echo = false;
    int bomb = deflate_websocket(&r);
    r.echo = true;
    int guest = settled_guest(&r);
    for (int i = 0; i < COUNT; i++) {
        send_zeros(bomb, LEN);
    }
    uint64_t bytes = 4 * 4, turns = 0;
    do {
        rig_send(guest, 0x81, "here", 4);
        rig_turn(&r, 1);
        assert_int_equal(rig_read(guest, answer, sizeof(answer)), 6);
        tusk_server_stats_get(r.server, &stats);
        assert_in_range(stats.message_bytes_in - bytes, 4, 4 + FIRST + SLICE + LEN);
        bytes = stats.message_bytes_in;
        assert_true(++turns < 1000);
    } while (stats.messages_in < 4 + turns + COUNT);
    assert_in_range(turns, COUNT * LEN / SLICE - 2, COUNT * LEN / SLICE + 2);
    close(bomb);
    close(guest);
    rig_fini(&r);
}

/* Nobody is there to hear of it: the memory does not wait for its place in the line. */
static void a_bomb_whose_peer_is_gone_ends_at_once(void **state)
{
    rig r;
    tusk_server_stats stats;
    int bombs[CROWD];
    rig_init(&r, NULL);
    for (int i = 0; i < CROWD; i++) {
        bombs[i] = deflate_websocket(&r);
        rig_send(bombs[i], 0x81, "here", 4);
        rig_turn(&r, 2);
        send_zeros(bombs[i], 4 * MIB);
    }
    rig_turn(&r, 2);
    for (int i = 0; i < CROWD; i++) {
        close(bombs[i]); /* with an answer unread: a reset */
    }
    rig_turn(&r, 2);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.connections_open + stats.unfinished_bytes, 0);
    rig_fini(&r);
}

static void what_follows_a_bomb_waits_for_its_end_and_so_does_the_end_of_the_stream(void **state)
{
    rig r;
    rig_init(&r, NULL);
    r.echo = false;
    int bomb = deflate_websocket(&r);
    send_zeros(bomb, 4 * MIB);
    rig_send(bomb, 0x81, "after", 5);
    assert_int_equal(shutdown(bomb, SHUT_WR), 0);
    rig_turn(&r, 4 * MIB / SLICE + 8);
    const char *message = strstr(r.log, "binary:");
    assert_non_null(message);
    assert_null(strstr(r.log, "close:1006;binary:"));
    assert_string_equal(strstr(message, "text:"), "text:after;close:1006;");
    close(bomb);
    rig_fini(&r);
}

static void a_bomb_may_be_left_in_any_turn(void **state)
{
    for (int turns = 0; turns < 12; turns++) {
        rig r;
        tusk_server_stats stats;
        rig_init(&r, NULL);
        int bomb = deflate_websocket(&r);
        send_zeros(bomb, 2 * MIB);
        rig_turn(&r, turns);
        tusk_session_terminate(r.server, r.last);
        rig_turn(&r, 3);
        tusk_server_stats_get(r.server, &stats);
        assert_int_equal(stats.connections_open + stats.unfinished_bytes, 0);
        close(bomb);
        rig_fini(&r);
    }
}

/* What a refused bomb had grown to goes back to the system in parts, a guest being served between
 * them, and keeps its room in the send queues until then. */
static void what_a_bomb_grew_to_is_given_back_in_parts_and_is_counted_until_it_is_gone(void **state)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.message_bytes = 8 * MIB;
    rig_init(&r, &limits);
    size_t room = tusk_net_room(r.server->net);
    int bomb = deflate_websocket(&r);
    int guest = settled_guest(&r);
    send_zeros(bomb, 8 * MIB + 1);
    (void)served_beside(&r, guest, UINT32_MAX, 1);
    size_t left = 8 * MIB + 1, parts = 0;
    for (; r.server->retired.payload != NULL; parts++) {
        char answer[64];
        assert_true(r.server->retired.left > 0 && r.server->retired.left < left);
        left = r.server->retired.left;
        assert_int_equal(tusk_net_room(r.server->net), room - left);
        rig_send(guest, 0x81, "here", 4);
        rig_turn(&r, 1);
        assert_int_equal(rig_read(guest, answer, sizeof(answer)), 6);
    }
    assert_in_range(parts, 62, 65);
    assert_int_equal(tusk_net_room(r.server->net), room);
    close(bomb);
    close(guest);
    rig_fini(&r);
}

/* Its place and what is left of it are the same bytes: counted twice they would leave no room for
 * the Close beside what others have in their queues. */
static void a_refused_bomb_hears_why_beside_queues_that_are_half_full(void **state)
{
    rig r;
    char text[64];
    tusk_server_limits limits;
    tusk_server_stats stats;
    tusk_server_limits_default(&limits);
    limits.message_bytes = 8 * MIB;
    limits.unfinished_bytes = MIB;
    limits.queued_bytes = 8 * MIB;
    limits.queued_bytes_total = 16 * MIB;
    rig_init(&r, &limits);
    int stalled = rig_websocket(&r);
    size_t len = 4 * MIB + TUSK_WS_HEAD_MAX, at = 0;
    uint8_t *frame = calloc(1, len);
    uint8_t *payload = calloc(1, 4 * MIB);
    assert_true(frame != NULL && payload != NULL);
    len = rig_frame(frame, 0x82, payload, 4 * MIB);
    while (at < len) {
        ssize_t n = write(stalled, frame + at, len - at);
        at += n > 0 ? (size_t)n : 0;
        rig_turn(&r, 1);
    }
    rig_turn(&r, 3);
    tusk_server_stats_get(r.server, &stats);
    assert_true(stats.queued_bytes > 3 * MIB);
    int bomb = deflate_websocket(&r);
    send_zeros(bomb, 8 * MIB + 1);
    for (int turns = 0; stats.messages_too_big == 0; turns++) {
        rig_turn(&r, 1);
        tusk_server_stats_get(r.server, &stats);
        assert_true(turns < 1000);
    }
    rig_turn(&r, 2);
    assert_true(rig_read(bomb, text, sizeof(text)) >= 4);
    assert_memory_equal(text, "\x88\x11\x03\xf1", 4); /* 1009 */
    free(frame);
    free(payload);
    close(bomb);
    close(stalled);
    rig_fini(&r);
}

static void the_next_large_one_waits_until_the_one_before_is_gone(void **state)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.message_bytes = 8 * MIB;
    limits.unfinished_bytes = MIB; /* so that each is the one that may go on */
    rig_init(&r, &limits);
    int bombs[2];
    tusk_server_stats stats = {0};
    for (int i = 0; i < 2; i++) {
        bombs[i] = deflate_websocket(&r);
        send_zeros(bombs[i], 8 * MIB + 1);
    }
    for (int turns = 0; stats.messages_too_big < 2; turns++) {
        const tusk_session *owner = r.server->unfinished_owner;
        assert_true(owner == NULL || r.server->retired.payload == NULL);
        rig_turn(&r, 1);
        tusk_server_stats_get(r.server, &stats);
        assert_true(turns < 1000);
    }
    assert_non_null(r.server->retired.payload); /* and goes with the server */
    close(bombs[0]);
    close(bombs[1]);
    rig_fini(&r);
}

/* Its echo would be compressed in one go: up to a megabyte that is a turn's work, above it is not.
 */
static void a_large_answer_leaves_as_it_is(void **state)
{
    static const struct {
        size_t len;
        uint8_t first;
    } cases[] = {{MIB, 0xC2}, {MIB + 1, 0x82}};
    for (size_t i = 0; i < 2; i++) {
        rig r;
        char answer[64];
        rig_init(&r, NULL);
        int fd = deflate_websocket(&r);
        send_zeros(fd, cases[i].len);
        rig_turn(&r, MIB / SLICE + 20);
        assert_true(rig_read(fd, answer, sizeof(answer)) > 10);
        assert_int_equal((uint8_t)answer[0], cases[i].first);
        close(fd);
        rig_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_is_served_in_every_turn_of_a_bomb),
        cmocka_unit_test(bombs_take_turns),
        cmocka_unit_test(a_small_compressed_message_waits_for_no_bomb),
        cmocka_unit_test(many_small_bombs_in_one_piece_share_turns_like_a_large_one),
        cmocka_unit_test(a_bomb_whose_peer_is_gone_ends_at_once),
        cmocka_unit_test(what_follows_a_bomb_waits_for_its_end_and_so_does_the_end_of_the_stream),
        cmocka_unit_test(a_large_answer_leaves_as_it_is),
        cmocka_unit_test(a_bomb_may_be_left_in_any_turn),
        cmocka_unit_test(
            what_a_bomb_grew_to_is_given_back_in_parts_and_is_counted_until_it_is_gone),
        cmocka_unit_test(a_refused_bomb_hears_why_beside_queues_that_are_half_full),
        cmocka_unit_test(the_next_large_one_waits_until_the_one_before_is_gone),
    };
    return cmocka_run_group_tests_name("serve/bomb", tests, NULL, NULL);
}

#else

int main(void)
{
    return 0; /* nothing inflates */
}

#endif
