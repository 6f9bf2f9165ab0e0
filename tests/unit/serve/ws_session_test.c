/* SPDX-License-Identifier: MIT */
/* WebSocket sessions through a whole server. */
#define _GNU_SOURCE
#include "rig.h"

static void a_text_message_is_echoed(void **state)
{
    rig r;
    char text[256];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    rig_send(fd, 0x81, "hello", 5);
    rig_turn(&r, 3);
    assert_int_equal(rig_read(fd, text, sizeof(text)), 7);
    assert_memory_equal(text, "\x81\x05hello", 7);
    assert_string_equal(r.log, "open;text:hello;");
    close(fd);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "open;text:hello;close:1006;");
    rig_fini(&r);
}

static void frames_in_the_segment_of_the_handshake_are_taken(void **state)
{
    rig r;
    char text[2048];
    uint8_t all[512];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    memcpy(all, rig_upgrade, sizeof(rig_upgrade) - 1);
    size_t len = sizeof(rig_upgrade) - 1;
    len += rig_frame(all + len, 0x81, "one", 3);
    len += rig_frame(all + len, 0x81, "two", 3);
    rig_write(fd, all, len);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\x81\x03one\x81\x03two"));
    close(fd);
    rig_fini(&r);
}

static void everything_byte_by_byte_gives_the_same(void **state)
{
    rig r;
    char text[2048];
    uint8_t all[512];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    memcpy(all, rig_upgrade, sizeof(rig_upgrade) - 1);
    size_t len = sizeof(rig_upgrade) - 1;
    len += rig_frame(all + len, 0x01, "on", 2);
    len += rig_frame(all + len, 0x89, "p", 1);
    len += rig_frame(all + len, 0x80, "e", 1);
    for (size_t i = 0; i < len; i++) {
        rig_write(fd, all + i, 1);
        rig_turn(&r, 1);
    }
    rig_turn(&r, 2);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\x8a\x01p\x81\x03one"));
    assert_string_equal(r.log, "open;text:one;");
    close(fd);
    rig_fini(&r);
}

static void a_refused_method_is_told_which_there_are(void **state)
{
    static const char fields[] = " /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                                 "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    static const struct {
        const char *method, *status, *field;
    } refusals[] = {{"POST", " 405 ", "\r\nAllow: GET, HEAD, OPTIONS\r\n"},
                    {"HEAD", " 426 ", "\r\nUpgrade: websocket\r\n"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        rig r;
        char text[1024];
        rig_init(&r, NULL);
        int fd = rig_connect(&r);
        rig_write(fd, refusals[i].method, 4);
        rig_write(fd, fields, sizeof(fields) - 1);
        rig_turn(&r, 3);
        rig_read(fd, text, sizeof(text));
        assert_non_null(strstr(text, refusals[i].status));
        assert_non_null(strstr(text, refusals[i].field));
        assert_string_equal(r.log, "");
        close(fd);
        rig_fini(&r);
    }
}

static void a_close_is_echoed_and_told_once(void **state)
{
    rig r;
    char text[256];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    rig_send(fd, 0x88,
             "\x03\xe8"
             "bye",
             5);
    rig_turn(&r, 3);
    assert_int_equal(rig_read(fd, text, sizeof(text)), 4);
    assert_memory_equal(text, "\x88\x02\x03\xe8", 4);
    assert_string_equal(r.log, "open;close:1000;");
    assert_int_equal(read(fd, text, 1), 0); /* the server ends the connection */
    close(fd);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "open;close:1000;");
    rig_fini(&r);
}

struct fault {
    const char *name;
    const char *bytes;
    size_t len;
    uint16_t code;
};

static void faults_are_answered_by_their_code(void **state)
{
    static const struct fault faults[] = {
        {"unmasked",
         "\x81\x01"
         "a",
         3, 1002},
        {"rsv1 without deflate", "\xc1\x81\0\0\0\0a", 7, 1002},
        {"opcode 3", "\x83\x80\0\0\0\0", 6, 1002},
        {"continuation of nothing", "\x80\x80\0\0\0\0", 6, 1002},
        {"fragmented ping", "\x09\x80\0\0\0\0", 6, 1002},
        {"not UTF-8", "\x81\x81\0\0\0\0\xff", 7, 1007},
        {"length 2^63", "\x82\xff\x80\0\0\0\0\0\0\0\0\0\0\0", 14, 1002},
        {"length over the limit", "\x82\xff\0\0\0\0\x7f\xff\xff\xff\0\0\0\0", 14, 1009},
        {"close payload of one byte", "\x88\x81\0\0\0\0\x03", 7, 1002},
        {"close code 1005", "\x88\x82\0\0\0\0\x03\xed", 8, 1002},
        {"close reason not UTF-8", "\x88\x83\0\0\0\0\x03\xe8\xff", 9, 1007},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        rig r;
        char text[256];
        rig_init(&r, NULL);
        int fd = rig_websocket(&r);
        rig_write(fd, faults[i].bytes, faults[i].len);
        rig_turn(&r, 3);
        size_t n = rig_read(fd, text, sizeof(text));
        if (n < 4 || (uint8_t)text[0] != 0x88 ||
            ((uint8_t)text[2] << 8 | (uint8_t)text[3]) != faults[i].code) {
            fail_msg("%s: got %zu bytes, %02x %02x %02x %02x", faults[i].name, n, (uint8_t)text[0],
                     (uint8_t)text[1], (uint8_t)text[2], (uint8_t)text[3]);
        }
        assert_true(n == 2u + (uint8_t)text[1]);
        close(fd);
        rig_fini(&r);
    }
}

static void a_closing_server_waits_for_the_peer_then_ends(void **state)
{
    rig r;
    char text[256];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    assert_int_equal(tusk_websocket_close(r.server, r.last, 4000, tusk_bytes_str("x")), TUSK_OK);
    assert_int_equal(tusk_websocket_close(r.server, r.last, 4000, tusk_bytes_str("x")),
                     TUSK_ESTATE);
    assert_int_equal(
        tusk_websocket_send(r.server, r.last, TUSK_WS_TEXT, tusk_bytes_str("late"), NULL, NULL),
        TUSK_ESTATE);
    rig_send(fd, 0x81, "crossing", 8);
    rig_turn(&r, 2);
    assert_string_equal(r.log, "open;");
    rig_send(fd, 0x88, "\x0f\xa0", 2);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "open;close:4000;");
    assert_int_equal(rig_read(fd, text, sizeof(text)), 5);
    assert_memory_equal(text, "\x88\x03\x0f\xa0x", 5);
    close(fd);
    rig_fini(&r);
}

static void a_pinging_client_that_never_reads_stays_bounded(void **state)
{
    rig r;
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    uint8_t frame[160];
    char payload[125];
    memset(payload, 'p', sizeof(payload));
    size_t len = rig_frame(frame, 0x89, payload, sizeof(payload));
    for (int i = 0; i < 20000; i++) {
        if (write(fd, frame, len) < (ssize_t)len) {
            rig_turn(&r, 1);
        }
        assert_true(tusk_session_buffered(r.server, r.last) < 64u * 1024u);
        if (i % 64 == 0) {
            rig_turn(&r, 1);
        }
        if (!tusk_session_open(r.server, r.last)) {
            break; /* a cut frame is a fault of ours here, not of the server */
        }
    }
    close(fd);
    rig_fini(&r);
}

static void an_echo_to_one_that_never_reads_stops_reading(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = 64 * 1024;
    limits.queued_bytes = 1024 * 1024;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    size_t size = 32 * 1024;
    uint8_t *frame = malloc(size + 16);
    char *payload = calloc(1, size);
    size_t len = rig_frame(frame, 0x82, payload, size);
    size_t at = 0;
    int stuck = 0;
    for (int i = 0; i < 4000 && stuck < 50; i++) {
        ssize_t n = write(fd, frame + at, len - at);
        if (n > 0) {
            at = (at + (size_t)n) % len;
            stuck = 0;
        } else {
            stuck++;
        }
        rig_turn(&r, 1);
        assert_true(tusk_session_buffered(r.server, r.last) <= limits.queued_bytes);
    }
    assert_true(stuck >= 50); /* the server took no more: the client is stopped, not buffered */
    assert_true(tusk_session_open(r.server, r.last));
    tusk_server_stats stats;
    tusk_server_stats_get(r.server, &stats);
    assert_true(stats.queue_paused >= 1);
    assert_int_equal(stats.sends_refused, 0);
    free(frame);
    free(payload);
    close(fd);
    rig_fini(&r);
}

/* The queue takes nothing more, and the peer reads late: all of it comes, and the Close behind it.
 */
static void a_close_goes_out_behind_a_queue_that_is_full(void **state)
{
    enum { QUEUED = 1 << 20, PIECE = 1 << 16 };
    static char payload[PIECE];
    static char heard[4 * QUEUED];
    rig r;
    tusk_server_limits limits;
    size_t sent = 0;
    size_t len = 0;
    tusk_err err = TUSK_OK;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = QUEUED;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    while (err == TUSK_OK) {
        err = tusk_websocket_send(r.server, r.last, TUSK_WS_BINARY,
                                  tusk_bytes_of(payload, sizeof(payload)), NULL, NULL);
        sent += err == TUSK_OK ? 1 : 0;
        rig_turn(&r, 1);
        assert_true(sent < 40);
    }
    assert_err(err, TUSK_ELIMIT);
    assert_err(tusk_websocket_close(r.server, r.last, 1000, tusk_bytes_str("enough")), TUSK_OK);
    for (int turn = 0; turn < 200; turn++) {
        rig_turn(&r, 1);
        len += rig_read(fd, heard + len, sizeof(heard) - len);
    }
    assert_int_equal(len, sent * (PIECE + 10) + 10);
    assert_memory_equal(heard + len - 10,
                        "\x88\x08\x03\xe8"
                        "enough",
                        10);
    close(fd);
    rig_fini(&r);
}

static void stop_says_going_away_and_tells_when_all_are_gone(void **state)
{
    rig r;
    char text[64];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    tusk_server_stop(r.server);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(tusk_loop_turn(r.loop, 2), TUSK_OK);
    }
    assert_true(rig_read(fd, text, sizeof(text)) > 4);
    assert_memory_equal(text + 2, "\x03\xe9", 2);
    assert_int_equal(r.stopped, 0);
    rig_send(fd, 0x88, "\x03\xe9", 2);
    close(fd);
    rig_turn(&r, 5);
    assert_int_equal(r.stopped, 1);
    rig_fini(&r);
}

/* ---- messages that are asked for ---- */
struct script {
    uint8_t bytes[1024];
    size_t len;
};

static void add_frame(struct script *self, uint8_t first, const char *payload)
{
    static const uint8_t key[4] = {0x11, 0x82, 0x33, 0xc4};
    size_t len = strlen(payload);
    uint8_t *at = self->bytes + self->len;
    assert_true(self->len + len + TUSK_WS_HEAD_MAX <= sizeof(self->bytes));
    size_t head = tusk_ws_head_encode(at, first & 0xf0, first & 0x0f, len, key);
    tusk_mask_apply(at + head, (const uint8_t *)payload, len, key, 0);
    self->len += head + len;
}

/* What was told and answered when it came in two pieces; how many of it were asked for. */
static unsigned play(const struct script *script, size_t cut, bool asks, char *out, size_t cap)
{
    rig r;
    rig_init(&r, NULL);
    r.asks = asks;
    int fd = rig_websocket(&r);
    rig_write(fd, script->bytes, cut);
    rig_turn(&r, 3);
    if (cut < script->len) {
        (void)send(fd, script->bytes + cut, script->len - cut, MSG_NOSIGNAL);
    }
    rig_turn(&r, 3);
    int n = snprintf(out, cap, "%s ", r.log);
    for (size_t i = 0, got = rig_read(fd, r.log, sizeof(r.log)); i < got; i++) {
        n += snprintf(out + n, cap - (size_t)n, "%02x", (uint8_t)r.log[i]);
    }
    unsigned asked = r.asked;
    close(fd);
    rig_fini(&r);
    return asked;
}

static void messages_that_are_asked_for_are_those_that_would_be_told(void **state)
{
    struct script scripts[3] = {0};
    char long_text[131];
    (void)state;
    memset(long_text, 'l', 130);
    long_text[130] = '\0';
    add_frame(&scripts[0], 0x81, "one");
    add_frame(&scripts[0], 0x82, "\xff\xfe");
    add_frame(&scripts[0], 0x89, "ping");
    add_frame(&scripts[0], 0x81, "");
    add_frame(&scripts[0], 0x01, "in ");
    add_frame(&scripts[0], 0x80, "parts");
    add_frame(&scripts[0], 0x81, long_text);
    for (int i = 0; i < 10; i++) {
        add_frame(&scripts[0], 0x81, "more of them than a look at the clock");
    }
    add_frame(&scripts[0], 0x88, "\x03\xe8");
    add_frame(&scripts[1], 0x81, "fine");
    add_frame(&scripts[1], 0x81, "gr\xc3\xbc\xc3\x9f");
    add_frame(&scripts[1], 0x81, "broken \xc3( text of some length, behind which nothing is told");
    add_frame(&scripts[1], 0x81, "never");
    add_frame(&scripts[2], 0x82, "fine");
    add_frame(&scripts[2], 0xc2, "reserved bit of an extension that nobody offered");
    add_frame(&scripts[2], 0x81, "never");
    for (size_t i = 0; i < 3; i++) {
        char plain[4096];
        char asked[4096];
        unsigned most = 0;
        for (size_t cut = 1; cut <= scripts[i].len; cut++) {
            assert_int_equal(play(&scripts[i], cut, false, plain, sizeof(plain)), 0);
            unsigned count = play(&scripts[i], cut, true, asked, sizeof(asked));
            assert_string_equal(asked, plain);
            most = count > most ? count : most;
        }
        assert_true(i == 2 ? most == 0 : most > 0);
    }
}

static void nothing_is_asked_for_while_its_session_is_parked(void **state)
{
    rig r;
    struct script script = {0};
    (void)state;
    rig_init(&r, NULL);
    r.asks = true;
    r.parks = true;
    add_frame(&script, 0x81, "one");
    add_frame(&script, 0x81, "two");
    int fd = rig_websocket(&r);
    rig_write(fd, script.bytes, script.len);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "open;text:one;");
    tusk_session_unpark(r.server, r.last);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "open;text:one;text:two;");
    tusk_ws_item item;
    assert_false(tusk_session_next(r.server, r.last, NULL, 0, &item)); /* outside of on_message */
    tusk_session_unpark(r.server, r.last);
    assert_int_equal(r.asked, 0);
    close(fd);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_message_is_echoed),
        cmocka_unit_test(frames_in_the_segment_of_the_handshake_are_taken),
        cmocka_unit_test(everything_byte_by_byte_gives_the_same),
        cmocka_unit_test(a_refused_method_is_told_which_there_are),
        cmocka_unit_test(a_close_is_echoed_and_told_once),
        cmocka_unit_test(faults_are_answered_by_their_code),
        cmocka_unit_test(a_closing_server_waits_for_the_peer_then_ends),
        cmocka_unit_test(a_pinging_client_that_never_reads_stays_bounded),
        cmocka_unit_test(an_echo_to_one_that_never_reads_stops_reading),
        cmocka_unit_test(a_close_goes_out_behind_a_queue_that_is_full),
        cmocka_unit_test(stop_says_going_away_and_tells_when_all_are_gone),
        cmocka_unit_test(messages_that_are_asked_for_are_those_that_would_be_told),
        cmocka_unit_test(nothing_is_asked_for_while_its_session_is_parked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
