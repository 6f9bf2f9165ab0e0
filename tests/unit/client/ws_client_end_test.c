/* SPDX-License-Identifier: MIT */
/* How a WebSocket client ends: closes from both sides, faults, deadlines, limits, acting inside
 * callbacks. */
#include "ws_peer.h"

/* ---- closing ---- */
static void our_close_is_answered(void **state)
{
    open_and_wait(plain);
    send_text("last");
    assert_err(tusk_ws_client_close(c.client, 4001, tusk_bytes_str("bye")), TUSK_OK);
    assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_str("")), TUSK_ESTATE);
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_TEXT, tusk_bytes_str("x")), TUSK_ESTATE);
    turn_until(&c.closes, 1);
    assert_int_equal(c.code, 4001);
    assert_err(c.failure.err, TUSK_OK);
    assert_log("text:last;close:4001:bye;");
}

static void the_peers_close_is_echoed_and_told(void **state)
{
    static const struct {
        const char *payload;
        size_t len;
        uint16_t code;
        const char *reason, *log;
    } cases[] = {
        {"\x03\xe9going", 7, 1001, "going", "close:1001:;"},
        {"", 0, 1005, "", "close:0:;"},
        {"\x0f\xa0", 2, 4000, "", "close:4000:;"},
    };
    s.mute = true;
    for (size_t i = 0; i < 3; i++) {
        c.opens = c.closes = s.items = 0;
        s.log_len = 0;
        open_and_wait(plain);
        server_frame(TUSK_WS_FIN | TUSK_WS_CLOSE, tusk_bytes_of(cases[i].payload, cases[i].len));
        turn_until(&c.closes, 1);
        assert_int_equal(c.code, cases[i].code);
        assert_string_equal(c.reason, cases[i].reason);
        assert_err(c.failure.err, TUSK_OK);
        turn_until(&s.items, 1);
        assert_log(cases[i].log);
        turn_until_closed((unsigned)i + 1);
        tusk_ws_decoder_fini(&s.decoder);
        s.decoding = false;
    }
}

static void a_peer_that_breaks_the_rules_is_told_so(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        tusk_err err;
        const char *log;
    } cases[] = {
        {"\x81\x81\1\2\3\4x", 7, TUSK_EPROTO, "close:1002:;"}, /* masked */
        {"\x83\x00", 2, TUSK_EPROTO, "close:1002:;"},          /* unknown opcode */
        {"\xc1\x00", 2, TUSK_EPROTO, "close:1002:;"},          /* RSV1 without an extension */
        {"\x80\x00", 2, TUSK_EPROTO, "close:1002:;"},          /* continuation of nothing */
        {"\x81\x02\xc3(", 4, TUSK_EUTF8, "close:1007:;"},
        {"\x88\x01x", 3, TUSK_EPROTO, "close:1002:;"},        /* Close of one byte */
        {"\x88\x02\x03\xed", 4, TUSK_EPROTO, "close:1002:;"}, /* 1005 on the wire */
        {"\x82\x7f\0\0\0\0\x7f\xff\xff\xff", 10, TUSK_ETOOBIG, "close:1009:;"},
    };
    s.mute = true;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        c.opens = c.closes = s.items = 0;
        s.log_len = 0;
        open_and_wait(plain);
        (void)tusk_conn_append(&s.conn->conn, cases[i].bytes, cases[i].len);
        turn_until(&c.closes, 1);
        if (c.failure.err != cases[i].err || c.code != 1006) {
            fail_msg("case %zu: %s, %u", i, tusk_err_name(c.failure.err), c.code);
        }
        turn_until(&s.items, 1);
        assert_log(cases[i].log);
        tusk_ws_decoder_fini(&s.decoder);
        s.decoding = false;
    }
}

static void bad_closes_are_refused(void **state)
{
    static const unsigned codes[] = {0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000};
    char reason[125];
    open_and_wait(plain);
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_err(tusk_ws_client_close(c.client, (uint16_t)codes[i], tusk_bytes_of(NULL, 0)),
                   TUSK_EINVAL);
    }
    memset(reason, 'a', sizeof(reason));
    assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_of(reason, 124)), TUSK_EINVAL);
    assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_str("\xff")), TUSK_EINVAL);
    assert_true(tusk_ws_client_is_open(c.client));
    assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_of(reason, 123)), TUSK_OK);
    turn_until(&c.closes, 1);
}

static void an_end_without_a_close_is_1006(void **state)
{
    open_and_wait(plain);
    tusk_conn_finish(&s.conn->conn);
    turn_until(&c.closes, 1);
    assert_int_equal(c.code, 1006);
    assert_err(c.failure.err, TUSK_EEOF);
    c.opens = c.closes = 0;
    tusk_ws_decoder_fini(&s.decoder);
    s.decoding = false;
    open_and_wait(plain);
    tusk_conn_abort(&s.conn->conn, TUSK_OK);
    turn_until(&c.closes, 1);
    assert_int_equal(c.code, 1006);
    assert_int_not_equal(c.failure.err, TUSK_OK);
}

static void closing_before_it_is_open_gives_up(void **state)
{
    open_with(plain);
    assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_int_equal(c.closes, 0);
    turn_until(&c.closes, 1);
    assert_int_equal(c.code, 0);
    assert_int_equal(c.opens, 0);
}

/* ---- from inside callbacks ---- */
static void acting_inside_any_callback(void **state)
{
    for (const char *where = "ompc"; *where != '\0'; where++) {
        for (const char *what = "ac"; *what != '\0'; what++) {
            unsigned closed = t.closed;
            memset(&c, 0, sizeof(c));
            c.act_in = *where;
            c.act = *what;
            s.log_len = 0;
            s.after = "\x81\x02hi\x8a\x01x\x88\x02\x03\xe8";
            s.after_len = 11;
            open_with(plain);
            turn_until_closed(closed + 1);
            assert_int_equal(c.closes, *what == 'a' && *where != 'c' ? 0 : 1);
            tusk_ws_decoder_fini(&s.decoder);
            s.decoding = false;
        }
    }
}

static void a_paused_client_delivers_nothing_more(void **state)
{
    c.act_in = 'm';
    c.act = 'p';
    open_and_wait(plain);
    for (int i = 0; i < 10; i++) {
        server_text(TUSK_WS_FIN | TUSK_WS_TEXT, "x");
    }
    turn_until(&c.messages, 1);
    for (int i = 0; i < 5; i++) {
        assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
    }
    assert_int_equal(c.messages, 1);
    for (int i = 2; i <= 10; i++) {
        assert_int_equal(c.closes, 0); /* without memory it may be no more */
        tusk_ws_client_resume(c.client);
        turn_until(&c.messages, i);
        assert_int_equal(c.messages, i);
    }
}

/* ---- deadlines ---- */
static void no_answer_to_the_upgrade(void **state)
{
    s.answer = "HTTP/1.1 101 ";
    open_with((tusk_ws_client_options){.handshake_ms = 20});
    turn_until(&c.closes, 1);
    assert_err(c.failure.err, TUSK_ETIMEOUT);
    assert_string_equal(c.failure.stage, "handshake");
}

static void no_answer_to_a_ping(void **state)
{
    open_and_wait((tusk_ws_client_options){.ping_ms = 15, .pong_ms = 15});
    turn_until(&c.closes, 1);
    assert_err(c.failure.err, TUSK_ETIMEOUT);
    assert_int_equal(c.code, 1006);
    assert_log("ping:;");
}

static void answered_pings_keep_it_open(void **state)
{
    open_and_wait((tusk_ws_client_options){.ping_ms = 5, .pong_ms = 2000});
    for (int i = 1; i <= 5; i++) {
        turn_until(&s.items, i);
        server_text(TUSK_WS_FIN | TUSK_WS_PONG, "");
        turn_until(&c.pongs, i);
    }
    assert_int_equal(c.closes, 0);
    assert_log("ping:;ping:;ping:;ping:;ping:;");
}

static void no_answer_to_a_close(void **state)
{
    s.mute = true;
    open_and_wait((tusk_ws_client_options){.close_ms = 20});
    assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_of(NULL, 0)), TUSK_OK);
    turn_until(&c.closes, 1);
    assert_err(c.failure.err, TUSK_ETIMEOUT);
    assert_int_equal(c.code, 1006);
}

/* ---- limits ---- */
static void a_full_queue_refuses_and_tells_when_it_drained(void **state)
{
    static uint8_t payload[100000];
    open_and_wait((tusk_ws_client_options){.queued_max = 1000000});
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_BINARY, tusk_bytes_of(payload, 1)), TUSK_OK);
    turn_until(&c.messages, 1);
    s.echo = false;
    tusk_conn_pause(&s.conn->conn);
    tusk_err err = TUSK_OK;
    int sent = 0;
    while (err == TUSK_OK) {
        err =
            tusk_ws_client_send(c.client, TUSK_WS_BINARY, tusk_bytes_of(payload, sizeof(payload)));
        sent += err == TUSK_OK;
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
        assert_true(sent < 1000);
    }
    assert_err(err, TUSK_ELIMIT);
    assert_true(tusk_ws_client_buffered(c.client) > 0 &&
                tusk_ws_client_buffered(c.client) <= 1000000);
    assert_int_equal(c.drains, 0);
    tusk_conn_resume(&s.conn->conn);
    turn_until(&c.drains, 1);
    turn_until(&s.items, 1 + sent); /* whole and in order */
    static uint8_t large[1000001];
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_BINARY, tusk_bytes_of(large, sizeof(large))),
               TUSK_ETOOBIG);
}

/* As PHP's client waits for: no bound over all refuses it before, whose end nobody would tell. */
static void a_queue_of_hundreds_of_megabytes_ends_by_its_own_limit(void **state)
{
    static uint8_t payload[1 << 20];
    open_and_wait((tusk_ws_client_options){.queued_max = (size_t)260 << 20});
    s.echo = false;
    tusk_conn_pause(&s.conn->conn);
    int sent = 0;
    while (tusk_ws_client_send(c.client, TUSK_WS_BINARY, tusk_bytes_of(payload, sizeof(payload))) ==
           TUSK_OK) {
        sent++;
        assert_true(sent < 300);
    }
    assert_int_equal(sent, 259); /* and their heads */
    tusk_conn_resume(&s.conn->conn);
    turn_until(&c.drains, 1);
}

static void what_is_flushed_has_left_before_the_next_turn(void **state)
{
    open_and_wait(plain);
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_TEXT, tusk_bytes_str("one")), TUSK_OK);
    assert_true(tusk_ws_client_buffered(c.client) > 0);
    tusk_ws_client_flush(c.client);
    assert_int_equal(tusk_ws_client_buffered(c.client), 0);
    tusk_ws_client_flush(c.client);
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_TEXT, tusk_bytes_str("two")), TUSK_OK);
    tusk_ws_client_flush(c.client);
    tusk_ws_client_abort(c.client);
    turn_until(&s.items, 2);
    assert_log("text:one;text:two;");
}

/* RFC 6455, 5.5.3: the last of several may stand for all, but none is left without an answer. */
static void the_last_ping_is_answered_behind_a_long_queue(void **state)
{
    static uint8_t payload[100000];
    for (int closing = 0; closing < 2; closing++) {
        int sent = 0;
        c.closes = c.messages = 0;
        open_and_wait((tusk_ws_client_options){.queued_max = 100000000});
        s.echo = false;
        s.items = 0;
        s.log_len = 0;
        tusk_conn_pause(&s.conn->conn);
        while (tusk_ws_client_buffered(c.client) < 1000000) {
            assert_err(tusk_ws_client_send(c.client, TUSK_WS_BINARY,
                                           tusk_bytes_of(payload, sizeof(payload))),
                       TUSK_OK);
            assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
            assert_true(++sent < 1000);
        }
        server_text(TUSK_WS_FIN | TUSK_WS_PING, "one");
        server_text(TUSK_WS_FIN | TUSK_WS_PING, "two");
        server_text(TUSK_WS_FIN | TUSK_WS_TEXT, "read");
        turn_until(&c.messages, 1);
        if (closing) {
            assert_err(tusk_ws_client_close(c.client, 1000, tusk_bytes_of(NULL, 0)), TUSK_OK);
        }
        tusk_conn_resume(&s.conn->conn);
        turn_until(&s.items, sent + 1 + closing); /* whole and in order */
        static const char *const ends[] = {"pong:two;", "pong:two;close:1000:;"};
        size_t len = strlen(ends[closing]);
        assert_true(s.log_len > len);
        assert_memory_equal(s.log + s.log_len - len, ends[closing], len);
        assert_null(strstr(s.log, "pong:one;"));
        if (closing) {
            turn_until(&c.closes, 1);
        } else {
            tusk_ws_client_abort(c.client);
        }
        turn_until_closed((unsigned)closing + 1);
        tusk_ws_decoder_fini(&s.decoder);
        s.decoding = false;
        c.opens = 0;
    }
}

static void only_data_and_pings_can_be_sent(void **state)
{
    uint8_t payload[126] = {0};
    open_and_wait(plain);
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_CLOSE, tusk_bytes_of(NULL, 0)), TUSK_EINVAL);
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_CONTINUATION, tusk_bytes_of(NULL, 0)),
               TUSK_EINVAL);
    assert_err(tusk_ws_client_send(c.client, 3, tusk_bytes_of(NULL, 0)), TUSK_EINVAL);
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_PING, tusk_bytes_of(payload, 126)),
               TUSK_EINVAL);
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_PING, TEST_BYTES("hey")), TUSK_OK);
    turn_until(&s.items, 1);
    assert_log("ping:hey;");
}

static void without_memory_it_closes_and_nothing_leaks(void **state)
{
    size_t failures = 0;
    for (size_t n = 1; n < 80; n++) {
        size_t before = t.mem.requests;
        memset(&c, 0, sizeof(c));
        s.log_len = 0;
        t.mem.fail_at = before + n;
        tusk_ws_client_options options = {
            .target.url = tusk_bytes_str(t.url), .handshake_ms = 300, .close_ms = 300};
        tusk_err err = tusk_ws_client_open(&c.client, t.client, &options, &handler, NULL);
        if (err == TUSK_OK) {
            uint64_t deadline = tusk_loop_clock_ns() + UINT64_C(10000000000);
            while (c.opens + c.closes == 0 && tusk_loop_clock_ns() < deadline) {
                assert_err(tusk_loop_turn(t.loop, 100), TUSK_OK);
            }
            if (c.closes == 0) {
                (void)tusk_ws_client_send(c.client, TUSK_WS_TEXT, TEST_BYTES("hello"));
                (void)tusk_ws_client_close(c.client, 1000, tusk_bytes_of(NULL, 0));
                if (c.closes == 0 && tusk_ws_client_is_open(c.client)) {
                    tusk_ws_client_abort(c.client);
                    c.closes++;
                }
                turn_until(&c.closes, 1);
            }
        }
        t.mem.fail_at = 0;
        failures += err != TUSK_OK || c.opens == 0;
        turn_until_closed(t.conns);
        if (s.decoding) {
            tusk_ws_decoder_fini(&s.decoder);
            s.decoding = false;
        }
        if (t.mem.requests - before < n) {
            break;
        }
    }
    assert_true(failures >= 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(our_close_is_answered),
        TEST(the_peers_close_is_echoed_and_told),
        TEST(a_peer_that_breaks_the_rules_is_told_so),
        TEST(bad_closes_are_refused),
        TEST(an_end_without_a_close_is_1006),
        TEST(closing_before_it_is_open_gives_up),
        TEST(acting_inside_any_callback),
        TEST(a_paused_client_delivers_nothing_more),
        TEST(no_answer_to_the_upgrade),
        TEST(no_answer_to_a_ping),
        TEST(answered_pings_keep_it_open),
        TEST(no_answer_to_a_close),
        TEST(the_last_ping_is_answered_behind_a_long_queue),
        TEST(a_full_queue_refuses_and_tells_when_it_drained),
        TEST(a_queue_of_hundreds_of_megabytes_ends_by_its_own_limit),
        TEST(what_is_flushed_has_left_before_the_next_turn),
        TEST(only_data_and_pings_can_be_sent),
        TEST(without_memory_it_closes_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
