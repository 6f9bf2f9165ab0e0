/* SPDX-License-Identifier: MIT */
/* What went through a server is counted: bytes as its clients see them, messages and requests each
 * once. (Limits: limits_counted_test.) */
#define _GNU_SOURCE
#include "rig.h"

typedef struct traffic {
    uint64_t bytes_in, bytes_out;
    uint64_t messages_in, messages_out;
    uint64_t message_bytes_in, message_bytes_out;
} traffic;

static traffic traffic_of(const rig *r)
{
    return (traffic){.bytes_in = rig_stat(r, "bytes_in"),
                     .bytes_out = rig_stat(r, "bytes_out"),
                     .messages_in = rig_stat(r, "messages_in"),
                     .messages_out = rig_stat(r, "messages_out"),
                     .message_bytes_in = rig_stat(r, "message_bytes_in"),
                     .message_bytes_out = rig_stat(r, "message_bytes_out")};
}

static traffic since(const rig *r, const traffic *before)
{
    traffic now = traffic_of(r);
    return (traffic){.bytes_in = now.bytes_in - before->bytes_in,
                     .bytes_out = now.bytes_out - before->bytes_out,
                     .messages_in = now.messages_in - before->messages_in,
                     .messages_out = now.messages_out - before->messages_out,
                     .message_bytes_in = now.message_bytes_in - before->message_bytes_in,
                     .message_bytes_out = now.message_bytes_out - before->message_bytes_out};
}

static void assert_messages(const traffic *t, uint64_t in, uint64_t in_bytes, uint64_t out,
                            uint64_t out_bytes)
{
    assert_int_equal(t->messages_in, in);
    assert_int_equal(t->message_bytes_in, in_bytes);
    assert_int_equal(t->messages_out, out);
    assert_int_equal(t->message_bytes_out, out_bytes);
}

static void messages_both_ways_and_their_bytes_are_counted(void **state)
{
    rig r;
    char text[8192];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    traffic before = traffic_of(&r);
    rig_send(fd, 0x81, "hello", 5); /* six bytes of head, two of the answer's */
    rig_send(fd, 0x01, "in ", 3);
    rig_send(fd, 0x89, "?", 1); /* a ping is none, nor is the pong */
    rig_send(fd, 0x80, "pieces", 6);
    rig_turn(&r, 5);
    assert_int_equal(rig_read(fd, text, sizeof(text)), 2 + 5 + 2 + 1 + 2 + 9);
    traffic t = since(&r, &before);
    assert_messages(&t, 2, 5 + 9, 2, 5 + 9);
    assert_int_equal(t.bytes_in, 11 + 9 + 7 + 12);
    assert_int_equal(t.bytes_out, 21);

    before = traffic_of(&r);
    const tusk_bytes ping = tusk_bytes_str("are you there");
    assert_err(tusk_websocket_send(r.server, r.last, TUSK_WS_PING, ping, NULL, NULL), TUSK_OK);
    rig_turn(&r, 2);
    t = since(&r, &before);
    assert_messages(&t, 0, 0, 1, ping.len);
    assert_int_equal(t.bytes_out, 2 + ping.len);
    close(fd);
    rig_fini(&r);
}

static void compressed_ones_count_as_long_as_they_are(void **state)
{
    enum { LEN = 4000 };
    rig r;
    char text[2 * LEN];
    uint8_t payload[LEN];
    (void)state;
    memset(payload, 'x', sizeof(payload));
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    int n = snprintf(text, sizeof(text), "%.*sSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
                     (int)sizeof(rig_upgrade) - 3, rig_upgrade);
    rig_write(fd, text, (size_t)n);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    if (strstr(text, "permessage-deflate") == NULL) {
        close(fd);
        rig_fini(&r);
        skip(); /* built without zlib */
    }
    traffic before = traffic_of(&r);
    rig_send(fd, 0x82, payload, LEN); /* plain, which is allowed (RFC 7692, 6) */
    rig_turn(&r, 5);
    size_t came = rig_read(fd, text, sizeof(text));
    traffic t = since(&r, &before);
    assert_messages(&t, 1, LEN, 1, LEN);
    assert_true(came > 2 && came < 100);
    assert_int_equal(t.bytes_out, came);
    close(fd);
    rig_fini(&r);
}

static void what_topics_deliver_is_counted_by_them(void **state)
{
    rig r;
    char text[256];
    (void)state;
    rig_init(&r, NULL);
    r.topic = "t";
    assert_int_equal(rig_stat(&r, "topics"), 0);
    int one = rig_websocket(&r);
    int other = rig_stream(&r);
    assert_int_equal(rig_stat(&r, "topics"), 1);
    assert_int_equal(rig_stat(&r, "subscriptions"), 2);
    traffic before = traffic_of(&r);
    rig_publish(&r, "t", "news", NULL);
    rig_publish(&r, "nobody's", "news", NULL);
    rig_turn(&r, 3);
    size_t came = rig_read(one, text, sizeof(text));
    came += rig_read(other, text, sizeof(text));
    traffic t = since(&r, &before);
    assert_messages(&t, 0, 0, 0, 0);
    assert_int_equal(t.bytes_out, came);
    assert_int_equal(rig_stat(&r, "published"), 2);
    assert_int_equal(rig_stat(&r, "delivered"), 2);
    close(one);
    close(other);
    rig_turn(&r, 3);
    assert_int_equal(rig_stat(&r, "topics"), 0);
    rig_fini(&r);
}

static void requests_and_refusals_are_counted(void **state)
{
    static const struct {
        const char *request, *counter;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", NULL},
        {"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", "responses_4xx"},
        {"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", "responses_4xx"},
    };
    rig r;
    char text[2048];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        traffic before = traffic_of(&r);
        uint64_t refused = rig_stat(&r, "responses_4xx");
        rig_write(fd, cases[i].request, strlen(cases[i].request));
        rig_turn(&r, 4);
        size_t came = rig_read(fd, text, sizeof(text));
        traffic t = since(&r, &before);
        assert_int_equal(rig_stat(&r, "requests"), i + 1);
        assert_int_equal(rig_stat(&r, "responses_4xx") - refused, cases[i].counter == NULL ? 0 : 1);
        assert_int_equal(t.bytes_in, strlen(cases[i].request));
        assert_int_equal(t.bytes_out, came);
    }
    assert_int_equal(rig_stat(&r, "responses_5xx"), 0);
    assert_true(rig_stat(&r, "recv_calls") >= 3);
    assert_true(rig_stat(&r, "send_calls") >= 3);
    close(fd);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_both_ways_and_their_bytes_are_counted),
        cmocka_unit_test(compressed_ones_count_as_long_as_they_are),
        cmocka_unit_test(what_topics_deliver_is_counted_by_them),
        cmocka_unit_test(requests_and_refusals_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
