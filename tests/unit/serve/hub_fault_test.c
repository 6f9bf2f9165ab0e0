/* SPDX-License-Identifier: MIT */
/* Topics when something is missing. */
#define _GNU_SOURCE
#include "rig.h"

static char filler[20001];

static void fill(char with, size_t len)
{
    memset(filler, with, len);
    filler[len] = '\0';
}

/* Everything that comes until nothing does. */
static size_t drain(rig *r, int fd, char *out, size_t cap)
{
    size_t len = 0;
    for (int idle = 0; idle < 10; idle++) {
        size_t got = rig_read(fd, out + len, cap - len);
        len += got;
        idle = got > 0 ? 0 : idle;
        rig_turn(r, 1);
    }
    return len;
}

static void send_text(rig *r, tusk_handle session, const char *text, tusk_err wanted)
{
    assert_err(
        tusk_websocket_send(r->server, session, TUSK_WS_TEXT, tusk_bytes_str(text), NULL, NULL),
        wanted);
}

/* What was published in this turn is delivered before a direct send; when that closes the session,
 * nothing follows its Close. */
static void nothing_follows_a_close_that_the_open_batch_caused(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        rig r;
        static char text[65536];
        tusk_server_limits limits;
        tusk_server_limits_default(&limits);
        limits.queued_bytes = 20000;
        rig_init(&r, &limits);
        r.topic = "t";
        fill('f', 19500);
        int fd = way == 2 ? rig_stream(&r) : rig_websocket(&r);
        tusk_bytes none = {NULL, 0};
        if (way == 2) {
            assert_err(
                tusk_stream_send(r.server, r.last, none, none, false, tusk_bytes_str(filler)),
                TUSK_OK);
        } else {
            send_text(&r, r.last, filler, TUSK_OK);
        }
        fill('p', 1000);
        rig_publish(&r, "t", filler, NULL);
        if (way == 0) {
            send_text(&r, r.last, "x", TUSK_ESTATE);
        } else if (way == 1) {
            assert_err(tusk_websocket_close(r.server, r.last, 1000, tusk_bytes_str("")),
                       TUSK_ESTATE);
        } else {
            assert_err(tusk_stream_send(r.server, r.last, none, none, false, tusk_bytes_str("x")),
                       TUSK_ESTATE);
        }
        size_t len = drain(&r, fd, text, sizeof(text));
        const char *tail = way == 2 ? "\r\n0\r\n\r\n" : "\x88\x0c\x03\xf5queue full";
        size_t tail_len = strlen(tail);
        assert_true(len > 19500 + tail_len);
        assert_memory_equal(text + len - tail_len, tail, tail_len);
        close(fd);
        rig_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_follows_a_close_that_the_open_batch_caused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
