/* SPDX-License-Identifier: MIT */
/* A WebSocket client against a scripted server: the upgrade, and frames both ways. */
#include "ws_peer.h"

/* ---- messages ---- */
static void messages_of_every_length_go_round(void **state)
{
    static const size_t lens[] = {0, 1, 125, 126, 127, 995, 1000, 1001, 65535, 65536, 200000};
    static uint8_t payload[200000];
    uint64_t seed = 5;
    open_and_wait(plain);
    for (size_t i = 0; i < sizeof(payload); i++) {
        payload[i] = (uint8_t)test_random(&seed);
    }
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        assert_err(tusk_ws_client_send(c.client, TUSK_WS_BINARY, tusk_bytes_of(payload, lens[i])),
                   TUSK_OK);
        turn_until(&c.messages, (int)i + 1);
        assert_int_equal(c.last_opcode, TUSK_WS_BINARY);
        assert_bytes_equal(tusk_bytes_of(c.last, c.last_len), tusk_bytes_of(payload, lens[i]));
    }
    assert_int_equal(s.errors, 0); /* every frame was masked as a server demands */
}

static void each_frame_has_a_key_of_its_own(void **state)
{
    uint8_t first[4] = {0};
    open_and_wait(plain);
    s.stop = true; /* the frames stay in the server's hands as they came */
    for (int i = 0; i < 300; i++) {
        send_text("aaaa");
    }
    uint64_t deadline = tusk_loop_clock_ns() + UINT64_C(10000000000);
    while (t.closed == 0 && tusk_conn_in(&s.conn->conn).len < 300 * 10 &&
           tusk_loop_clock_ns() < deadline) {
        assert_err(tusk_loop_turn(t.loop, 100), TUSK_OK);
    }
    assert_int_equal(t.closed, 0); /* a closed one is freed */
    tusk_bytes in = tusk_conn_in(&s.conn->conn);
    assert_int_equal(in.len, 300 * 10);
    size_t repeats = 0;
    for (size_t i = 0; i < 300; i++) {
        const uint8_t *frame = in.ptr + i * 10;
        assert_int_equal(frame[0], TUSK_WS_FIN | TUSK_WS_TEXT);
        assert_int_equal(frame[1], 0x84);
        repeats += memcmp(first, frame + 2, 4) == 0;
        memcpy(first, frame + 2, 4);
    }
    assert_int_equal(repeats, 0);
    s.stop = false;
}

static void frames_in_the_answers_segment_are_read(void **state)
{
    s.after = "\x81\x02hi\x89\x01x\x81\x03you";
    s.after_len = 12;
    open_and_wait(plain);
    turn_until(&c.messages, 2);
    assert_bytes_equal(tusk_bytes_of(c.last, c.last_len), TEST_BYTES("you"));
    turn_until(&s.items, 1);
    assert_log("pong:x;");
}

static void fragments_and_controls_between_them(void **state)
{
    open_and_wait(plain);
    server_text(TUSK_WS_TEXT, "caf\xc3");
    server_text(TUSK_WS_FIN | TUSK_WS_PING, "p");
    server_text(TUSK_WS_CONTINUATION, "");
    server_text(TUSK_WS_FIN | TUSK_WS_CONTINUATION, "\xa9!");
    turn_until(&c.messages, 1);
    assert_bytes_equal(tusk_bytes_of(c.last, c.last_len), TEST_BYTES("caf\xc3\xa9!"));
    turn_until(&s.items, 1);
    assert_log("pong:p;");
}

static void *store_grow(void *user, void *payload, size_t cap, uint8_t **place)
{
    (void)user;
    void *grown = realloc(payload, cap);
    *place = grown;
    c.granted += payload == NULL;
    return grown;
}

static void store_drop(void *user, void *payload)
{
    (void)user;
    c.dropped++;
    free(payload);
}

static void large_payloads_grow_in_the_callers_store(void **state)
{
    static const tusk_ws_store store = {.grow = store_grow, .drop = store_drop};
    static uint8_t payload[200000];
    open_and_wait((tusk_ws_client_options){.store = &store});
    memset(payload, 'x', sizeof(payload));
    server_frame(TUSK_WS_FIN | TUSK_WS_BINARY, tusk_bytes_of(payload, sizeof(payload)));
    turn_until(&c.messages, 1);
    assert_true(c.took);
    assert_int_equal(c.last_len, sizeof(payload));
    assert_int_equal(c.granted, 1);
    assert_int_equal(c.dropped, 0);
    server_frame(TUSK_WS_BINARY, tusk_bytes_of(payload, 5)); /* left unfinished */
    turn_until(&c.granted, 2);
    tusk_ws_client_abort(c.client);
    assert_int_equal(c.dropped, 1);
}

/* ---- the upgrade ---- */
static void subprotocols_are_offered_and_one_is_taken(void **state)
{
    const tusk_bytes offers[] = {tusk_bytes_str("chat.v2"), tusk_bytes_str("chat.v1")};
    s.fields = "Sec-WebSocket-Protocol: chat.v1\r\n";
    open_and_wait((tusk_ws_client_options){.subprotocols = offers, .subprotocol_count = 2});
    assert_string_equal(c.subprotocol, "chat.v1");
}

static void a_wrong_answer_is_no_upgrade(void **state)
{
    static const struct {
        const char *answer, *fields, *key;
        unsigned status;
        tusk_err err;
    } cases[] = {
        {"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", NULL, NULL, 403, TUSK_EPROTO},
        {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NULL, NULL, 200, TUSK_EPROTO},
        {"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n", NULL, NULL, 101,
         TUSK_EPROTO},
        {"SSH-2.0\r\n\r\n", NULL, NULL, 0, TUSK_EPROTO},
        {"!HTTP/1.1 101 X\r\n", NULL, NULL, 0, TUSK_EEOF},
        {NULL, NULL, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 101, TUSK_EPROTO},
        {NULL, "Sec-WebSocket-Protocol: other\r\n", NULL, 101, TUSK_EPROTO},
        {NULL, "Sec-WebSocket-Extensions: permessage-deflate\r\n", NULL, 101, TUSK_EPROTO},
        {NULL, "Sec-WebSocket-Extensions: x-other\r\n", NULL, 101, TUSK_EPROTO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        s.answer = cases[i].answer;
        s.fields = cases[i].fields;
        s.wrong_key = cases[i].key;
        c.closes = 0;
        open_with(plain);
        turn_until(&c.closes, 1);
        if (c.failure.err != cases[i].err || c.failure.status != cases[i].status || c.code != 0 ||
            strcmp(c.failure.stage, "handshake") != 0 || strlen(c.failure.text) == 0) {
            fail_msg("case %zu: %s, status %u, at %s: %s", i, tusk_err_name(c.failure.err),
                     c.failure.status, c.failure.stage, c.failure.text);
        }
        assert_int_equal(c.opens, 0);
        if (s.decoding) {
            tusk_ws_decoder_fini(&s.decoder);
            s.decoding = false;
        }
    }
}

static void offers_that_cannot_be_made_are_refused_at_once(void **state)
{
    const tusk_bytes twice[] = {tusk_bytes_str("a"), tusk_bytes_str("b"), tusk_bytes_str("a")};
    const tusk_bytes no_token[] = {tusk_bytes_str("a b")};
    tusk_ws_client_options options = {.target.url = tusk_bytes_str(t.url)};
    tusk_ws_client *client;
    options.subprotocols = twice;
    options.subprotocol_count = 3;
    assert_err(tusk_ws_client_open(&client, t.client, &options, &handler, NULL), TUSK_EINVAL);
    options.subprotocols = no_token;
    options.subprotocol_count = 1;
    assert_err(tusk_ws_client_open(&client, t.client, &options, &handler, NULL), TUSK_EINVAL);
    options.subprotocol_count = 0;
    options.target.url = tusk_bytes_str("ftp://127.0.0.1/");
    assert_err(tusk_ws_client_open(&client, t.client, &options, &handler, NULL), TUSK_EINVAL);
    options.target.fields = tusk_bytes_str("Sec-WebSocket-Version: 8\r\n");
    options.target.url = tusk_bytes_str(t.url);
    assert_err(tusk_ws_client_open(&client, t.client, &options, &handler, NULL), TUSK_EINVAL);
}

static void compression_both_ways(void **state)
{
    static char text[5000];
    static const struct {
        bool server_keeps, client_keeps;
    } cases[] = {{false, false}, {true, true}, {true, false}};
    memset(text, 'a', sizeof(text) - 1);
    if (tusk_ws_deflate_library() == NULL) {
        skip();
    }
    for (size_t i = 0; i < 3; i++) {
        tusk_ws_deflate_options options = {.on = true,
                                           .server_context_takeover = cases[i].server_keeps,
                                           .client_context_takeover = cases[i].client_keeps,
                                           .threshold = 100};
        c.opens = c.messages = c.closes = 0;
        s.deflate_options = options;
        open_and_wait((tusk_ws_client_options){.deflate = options});
        assert_true(s.deflate.on);
        for (int n = 1; n <= 3; n++) {
            size_t before = tusk_net_count(t.net)->bytes_in;
            text[0] = (char)('a' + n);
            send_text(text);
            turn_until(&c.messages, n);
            assert_string_equal(c.last, text);
            assert_true(tusk_net_count(t.net)->bytes_in - before < 200);
        }
        assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_of(NULL, 0)), TUSK_OK);
        turn_until(&c.closes, 1);
        tusk_ws_decoder_fini(&s.decoder);
        tusk_ws_deflater_free(s.deflater);
        tusk_ws_inflaters_free(s.inflaters);
        s.deflater = NULL;
        s.inflaters = NULL;
        s.decoding = false;
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(messages_of_every_length_go_round),
        TEST(each_frame_has_a_key_of_its_own),
        TEST(frames_in_the_answers_segment_are_read),
        TEST(fragments_and_controls_between_them),
        TEST(large_payloads_grow_in_the_callers_store),
        TEST(subprotocols_are_offered_and_one_is_taken),
        TEST(a_wrong_answer_is_no_upgrade),
        TEST(offers_that_cannot_be_made_are_refused_at_once),
        TEST(compression_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
