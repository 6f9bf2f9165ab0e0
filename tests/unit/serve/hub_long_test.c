/* SPDX-License-Identifier: MIT */
/* Long publications: what they take beside the queues, which docs/guide/limits.md adds up, and that
 * nothing of it stays. */
#define _GNU_SOURCE
#include "rig.h"

#include "serve/server.h"

enum { LONG = 4 << 20, ROUNDS = 3, FEW = 64 << 10 /* bytes */ };

static struct {
    rig r;
    test_mem mem;
    uint8_t *data;
    size_t before;
} t;

/* Subscribers of "t" in each form, and a buffer of LONG bytes that are the publisher's own. */
static void begin(size_t queued_bytes_total, int fds[3])
{
    tusk_server_limits limits;
    char text[2048];
    static const char asks_deflate[] =
        "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
    tusk_server_limits_default(&limits);
    limits.queued_bytes = (size_t)8 * LONG;
    limits.queued_bytes_total = queued_bytes_total;
    test_mem_init(&t.mem, 0);
    assert_err(rig_try_init(&t.r, &t.mem.mem, &limits), TUSK_OK);
    t.r.topic = "t";
    t.r.overflow = TUSK_OVERFLOW_DROP_NEWEST;
    fds[0] = rig_websocket(&t.r);
    fds[1] = rig_stream(&t.r);
    fds[2] = rig_connect(&t.r);
    rig_write(fds[2], asks_deflate, sizeof(asks_deflate) - 1);
    rig_turn(&t.r, 3);
    rig_read(fds[2], text, sizeof(text));
    assert_non_null(strstr(text, "permessage-deflate"));
    t.data = malloc(LONG);
    memset(t.data, 'x', LONG);
    t.before = t.mem.live_bytes;
    t.mem.peak_bytes = t.before;
}

static void end(const int fds[3])
{
    for (int i = 0; i < 3; i++) {
        close(fds[i]);
    }
    rig_turn(&t.r, 3);
    rig_fini(&t.r);
    test_mem_assert_empty(&t.mem);
    free(t.data);
}

static void publish(uint8_t opcode, tusk_position *position)
{
    const tusk_publication publication = {
        .topic = tusk_bytes_str("t"), .data = tusk_bytes_of(t.data, LONG), .opcode = opcode};
    assert_err(tusk_server_publish(t.r.server, &publication, position), TUSK_OK);
}

static void what_no_queue_may_hold_is_not_made(void **state)
{
    int fds[3];
    (void)state;
    for (int many = 0; many < 2; many++) {
        begin(LONG / 2, fds);
        t.r.server->hub.share = many == 1 ? 0 : t.r.server->hub.share; /* three are many */
        publish(TUSK_WS_BINARY, NULL);
        rig_turn(&t.r, 3);
        assert_in_range(t.mem.peak_bytes - t.before, 0, FEW);
        assert_int_equal(rig_stat(&t.r, "dropped_newest"), 3);
        assert_int_equal(rig_stat(&t.r, "out_of_memory"), 0);
        assert_int_equal(rig_stat(&t.r, "websockets_open"), 2);
        end(fds);
    }
}

/* A place is a power of two until what is encoded there is whole. Each line break of a text is six
 * bytes more of an event. */
static void an_event_that_grows_past_all_queues_is_its_streams_affair(void **state)
{
    int fds[3];
    (void)state;
    begin((size_t)5 * LONG, fds);
    memset(t.data, '\n', LONG);
    publish(TUSK_WS_TEXT, NULL);
    rig_turn(&t.r, 3);
    assert_in_range(t.mem.peak_bytes - t.before, LONG, 2 * LONG + FEW);
    assert_int_equal(rig_stat(&t.r, "delivered"), 2);
    assert_int_equal(rig_stat(&t.r, "dropped_newest"), 1);
    end(fds);
}

static void each_form_is_made_once_and_in_its_place(void **state)
{
    enum { EVENT = LONG / 3 * 4 };
    int fds[3];
    (void)state;
    begin((size_t)16 * LONG, fds);
    publish(TUSK_WS_BINARY, NULL);
    rig_turn(&t.r, 1);
    assert_int_equal(rig_stat(&t.r, "delivered"), 3);
    assert_in_range(t.mem.peak_bytes - t.before, LONG + EVENT, LONG + 2 * LONG + FEW);
    assert_in_range(t.mem.live_bytes - t.before, LONG + EVENT, LONG + EVENT + FEW);
    end(fds);
}

/* Each of them has a copy of its message, and its forms. */
static void long_ones_are_under_way_one_after_the_other(void **state)
{
    int fds[3];
    (void)state;
    begin((size_t)64 * LONG, fds);
    t.r.server->hub.share = 0;
    for (int i = 0; i < ROUNDS; i++) {
        publish(TUSK_WS_BINARY, NULL);
        assert_in_range(t.r.server->hub.under_way, 0, 1);
    }
    t.r.server->hub.share = 1;
    rig_turn(&t.r, 3 * ROUNDS);
    assert_int_equal(t.r.server->hub.under_way, 0);
    assert_int_equal(rig_stat(&t.r, "delivered"), 3 * ROUNDS);
    end(fds);
}

static void what_is_read_from_the_log_leaves_no_place_behind(void **state)
{
    int fds[3];
    tusk_position position;
    (void)state;
    begin((size_t)64 * LONG, fds);
    rig_publish(&t.r, "t", "first", &position);
    publish(TUSK_WS_BINARY, NULL);
    rig_turn(&t.r, 1);
    t.r.since = &position;
    int fd = rig_websocket(&t.r); /* it takes nothing */
    rig_turn(&t.r, 3);
    assert_int_equal(rig_stat(&t.r, "delivered"), 7);
    assert_in_range(t.r.server->hub.scratch.cap, 0, 1 << 20);
    close(fd);
    end(fds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_queue_may_hold_is_not_made),
        cmocka_unit_test(an_event_that_grows_past_all_queues_is_its_streams_affair),
        cmocka_unit_test(each_form_is_made_once_and_in_its_place),
        cmocka_unit_test(long_ones_are_under_way_one_after_the_other),
        cmocka_unit_test(what_is_read_from_the_log_leaves_no_place_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
