/* SPDX-License-Identifier: MIT */
/* The opening handshake, rule by rule from RFC 6455, 4.1 and 4.2. */
#include "test.h"

#include <tusk/ws.h>

#define KEY "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

/* Each line of a good request, so that a case can leave one out or change it. */
enum { LINE_START, LINE_HOST, LINE_UPGRADE, LINE_CONNECTION, LINE_KEY, LINE_VERSION, LINES };
static const char *const good_lines[LINES] = {
    "GET /chat HTTP/1.1",  "Host: example.com",       "Upgrade: websocket",
    "Connection: Upgrade", "Sec-WebSocket-Key: " KEY, "Sec-WebSocket-Version: 13",
};

static void join(char *out, size_t cap, const char *const *lines, size_t count, const char *more)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        if (lines[i] != NULL) {
            len += (size_t)snprintf(out + len, cap - len, "%s\r\n", lines[i]);
        }
    }
    len += (size_t)snprintf(out + len, cap - len, "%s\r\n", more);
    assert_true(len < cap);
}

static int check_text(const char *text, tusk_ws_offer *offer)
{
    tusk_http_head *head = malloc(sizeof(*head));
    const char *why = NULL;
    size_t scanned = 0;
    tusk_bytes in = test_guarded_str(text);
    ptrdiff_t n = tusk_http_request_parse(head, in, tusk_http_limits_default(), &scanned);
    int result = n > 0 ? tusk_ws_handshake_check(head, offer, &why) : -100 + (int)n;
    if (n > 0) {
        assert_non_null(why);
        assert_int_equal(why[0] != '\0', result > 0);
        if (result == 0) {
            assert_bytes_equal(offer->key, TEST_BYTES(KEY));
        }
    }
    free(head);
    return result;
}

/* The good request with line `which` replaced (NULL: left out) and `more` lines behind. */
static int check(int which, const char *line, const char *more)
{
    const char *lines[LINES];
    char text[2048];
    tusk_ws_offer offer;
    memcpy(lines, good_lines, sizeof(lines));
    if (which >= 0) {
        lines[which] = line;
    }
    join(text, sizeof(text), lines, LINES, more);
    return check_text(text, &offer);
}

static void the_rfcs_key_is_answered_as_the_rfc_says(void **state)
{
    char accept[TUSK_WS_ACCEPT_LEN];
    tusk_ws_accept_key(accept, TEST_BYTES(KEY));
    assert_bytes_equal(tusk_bytes_of(accept, sizeof(accept)), TEST_BYTES(ACCEPT));
    char long_key[300];
    memset(long_key, 'k', sizeof(long_key));
    tusk_ws_accept_key(accept, tusk_bytes_of(long_key, sizeof(long_key))); /* no overflow */
    tusk_ws_accept_key(accept, tusk_bytes_of(NULL, 0));
}

static void a_good_request_is_accepted_however_it_is_written(void **state)
{
    assert_int_equal(check(-1, NULL, ""), 0);
    assert_int_equal(check(LINE_UPGRADE, "upgrade:  WebSocket  ", ""), 0);
    assert_int_equal(check(LINE_UPGRADE, "UPGRADE: h2c, WEBSOCKET", ""), 0);
    assert_int_equal(check(LINE_UPGRADE, "Upgrade: h2c", "Upgrade: websocket\r\n"), 0);
    assert_int_equal(check(LINE_CONNECTION, "connection: keep-alive, UPGRADE", ""), 0);
    assert_int_equal(check(LINE_CONNECTION, "Connection: keep-alive", "Connection: upgrade\r\n"),
                     0);
    assert_int_equal(check(LINE_START, "GET http://example.com/chat HTTP/1.1", ""), 0);
    assert_int_equal(check(-1, NULL, "Content-Length: 0\r\n"), 0);
    assert_int_equal(check(-1, NULL, "Origin: https://example.com\r\nCookie: a=b\r\n"), 0);
}

/* Of the fields that a handshake need not have, by their names and not by the length of these. */
static void what_is_offered_is_told(void **state)
{
    static const struct {
        const char *field;
        bool origin, subprotocols, extensions;
    } cases[] = {
        {"", false, false, false},
        {"ORIGIN: null\r\n", true, false, false},
        {"Cookie: x\r\nX-WebSocket-Extensions--: x\r\nX-WebSocket-Protocol--: x\r\n", false, false,
         false},
        {"SEC-websocket-PROTOCOL: a\r\n", false, true, false},
        {"sec-WebSocket-extensions: a\r\n", false, false, true},
        {"Origin: a\r\nSec-WebSocket-Extensions: a\r\nSec-WebSocket-Protocol: a\r\nRanges: x\r\n",
         true, true, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[2048];
        tusk_ws_offer offer;
        join(text, sizeof(text), good_lines, LINES, cases[i].field);
        assert_int_equal(check_text(text, &offer), 0);
        assert_int_equal(offer.has_origin, cases[i].origin);
        assert_int_equal(offer.has_subprotocols, cases[i].subprotocols);
        assert_int_equal(offer.has_extensions, cases[i].extensions);
    }
}

static void a_request_for_something_else_is_not_ours(void **state)
{
    tusk_ws_offer offer;
    assert_int_equal(check_text("GET / HTTP/1.1\r\nHost: a\r\n\r\n", &offer), -1);
    assert_int_equal(
        check_text("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
                   &offer),
        -1);
    assert_int_equal(check_text("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websockets\r\n\r\n", &offer),
                     -1);
}

static void each_fault_has_its_status(void **state)
{
    static const char *methods[] = {"POST", "HEAD", "OPTIONS", "get", "BREW"};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        char line[40];
        (void)snprintf(line, sizeof(line), "%s /chat HTTP/1.1", methods[i]);
        assert_int_equal(check(LINE_START, line, ""), 405);
    }
    assert_int_equal(check(LINE_START, "GET /chat HTTP/1.0", ""), 505);
    assert_int_equal(check(LINE_UPGRADE, NULL, ""), 400);
    assert_int_equal(check(LINE_UPGRADE, "Upgrade: websocketx", ""), 400);
    assert_int_equal(check(LINE_CONNECTION, NULL, ""), 400);
    assert_int_equal(check(LINE_CONNECTION, "Connection: keep-alive", ""), 400);
    assert_int_equal(check(LINE_CONNECTION, "Connection: upgrades", ""), 400);
    assert_int_equal(check(-1, NULL, "Content-Length: 5\r\n"), 400);
    assert_int_equal(check(-1, NULL, "Transfer-Encoding: chunked\r\n"), 400);
}

static void the_version_is_13_and_said_once(void **state)
{
    static const char *wrong[] = {"12", "14", "8", "0", "-1", "013", "13.0", "13, 8", "13 13", "x"};
    assert_int_equal(check(LINE_VERSION, NULL, ""), 426);
    assert_int_equal(check(LINE_VERSION, "Sec-WebSocket-Version:", ""), 426);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char line[60];
        (void)snprintf(line, sizeof(line), "Sec-WebSocket-Version: %s", wrong[i]);
        assert_int_equal(check(LINE_VERSION, line, ""), 426);
    }
    assert_int_equal(check(-1, NULL, "Sec-WebSocket-Version: 13\r\n"), 400);
    assert_int_equal(
        check(LINE_VERSION, "Sec-WebSocket-Version: 8", "sec-websocket-version: 13\r\n"), 400);
}

static void the_key_is_16_bytes_of_base64_and_said_once(void **state)
{
    static const char *wrong[] = {"",
                                  "dGhlIHNhbXBsZSBub25jZQ=",
                                  "dGhlIHNhbXBsZSBub25jZQ",
                                  "dGhlIHNhbXBsZSBub25j",     /* 15 bytes */
                                  "dGhlIHNhbXBsZSBub25jZWQ=", /* 17 bytes */
                                  "dGhlIHNhbXBsZSBub25jZWRk", /* 18 bytes in 24 characters */
                                  "dGhlIHNhbXBsZSBub25jZR==", /* unused bits that are set */
                                  "dGhlIHNhbXBsZSBub25jZ===",
                                  "dGhlIHNhb-BsZSBub25jZQ==",
                                  "dGhlIHNh bBsZSBub25jZQ==",
                                  "\"GhlIHNhbXBsZSBub25jZQ=\""};
    assert_int_equal(check(LINE_KEY, NULL, ""), 400);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char line[80];
        (void)snprintf(line, sizeof(line), "Sec-WebSocket-Key: %s", wrong[i]);
        assert_int_equal(check(LINE_KEY, line, ""), 400);
    }
    assert_int_equal(check(-1, NULL, "Sec-WebSocket-Key: " KEY "\r\n"), 400);
}

/* The parser refuses most of these; whatever gets through is refused here. */
static void the_host_is_said_once(void **state)
{
    assert_true(check(LINE_HOST, NULL, "") != 0);
    assert_true(check(-1, NULL, "Host: other\r\n") != 0);
    tusk_http_head *head = calloc(1, sizeof(*head));
    const char *names[] = {"Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"};
    const char *values[] = {"websocket", "upgrade", KEY, "13"};
    tusk_ws_offer offer;
    const char *why;
    head->minor = 1;
    head->content_length = -1;
    head->upgrade = true;
    head->websocket = true;
    for (uint32_t i = 0; i < 4; i++) {
        head->fields[head->field_count++] =
            (tusk_http_field){tusk_bytes_str(names[i]), tusk_bytes_str(values[i])};
    }
    assert_int_equal(tusk_ws_handshake_check(head, &offer, &why), 400);
    tusk_http_field host = {tusk_bytes_str("host"), tusk_bytes_str("a")};
    head->fields[head->field_count++] = host;
    assert_int_equal(tusk_ws_handshake_check(head, &offer, &why), 0);
    head->fields[head->field_count++] = host;
    assert_int_equal(tusk_ws_handshake_check(head, &offer, &why), 400);
    free(head);
}

/* ---- subprotocols ---- */
static tusk_err pick(const char *more, const char *const *supported, size_t count,
                     tusk_bytes *picked)
{
    static char text[8192]; /* what is picked points into it */
    tusk_http_head *head = malloc(sizeof(*head));
    tusk_bytes list[8];
    size_t scanned = 0;
    join(text, sizeof(text), good_lines, LINES, more);
    assert_true(tusk_http_request_parse(head, tusk_bytes_str(text), tusk_http_limits_default(),
                                        &scanned) > 0);
    for (size_t i = 0; i < count; i++) {
        list[i] = tusk_bytes_str(supported[i]);
    }
    tusk_err err = tusk_ws_subprotocol_pick(head, list, count, picked);
    free(head);
    return err;
}

static void the_first_offer_that_is_supported_is_picked(void **state)
{
    static const struct {
        const char *more, *picked;
    } cases[] = {
        {"", ""},
        {"Sec-WebSocket-Protocol: chat.v1\r\n", "chat.v1"},
        {"Sec-WebSocket-Protocol: other, chat.v2 ,chat.v1\r\n", "chat.v2"},
        {"Sec-WebSocket-Protocol: other\r\nSec-WebSocket-Protocol: chat.v1\r\n", "chat.v1"},
        {"sec-websocket-protocol: ,, chat.v1,,\r\n", "chat.v1"},
        {"Sec-WebSocket-Protocol: CHAT.V1\r\n", ""}, /* case counts */
        {"Sec-WebSocket-Protocol: nothing, known\r\n", ""},
    };
    static const char *supported[] = {"chat.v1", "chat.v2"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_bytes picked;
        assert_err(pick(cases[i].more, supported, 2, &picked), TUSK_OK);
        assert_bytes_equal(picked, tusk_bytes_str(cases[i].picked));
        assert_err(pick(cases[i].more, supported, 0, &picked), TUSK_OK);
        assert_int_equal(picked.len, 0);
    }
}

static void malformed_or_repeated_offers_are_refused(void **state)
{
    static const char *bad[] = {
        "chat.v1, chat.v1", "a b",    "chat.v1; q=1", "\"chat.v1\"", "", ", ,",
        "chat/v1",          "a, (b)", "chat.v1 x, y", "\xC3\xA4"};
    static const char *supported[] = {"chat.v1"};
    tusk_bytes picked;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char more[80];
        (void)snprintf(more, sizeof(more), "Sec-WebSocket-Protocol: %s\r\n", bad[i]);
        assert_err(pick(more, supported, 1, &picked), TUSK_EPROTO);
        assert_int_equal(picked.len, 0);
    }
    assert_err(pick("Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: chat.v1, a\r\n",
                    supported, 1, &picked),
               TUSK_EPROTO);
}

static void more_than_128_offers_are_refused(void **state)
{
    static const char *supported[] = {"chat.v1"};
    for (size_t count = 128; count <= 129; count++) {
        char more[4000] = "Sec-WebSocket-Protocol: ";
        tusk_bytes picked;
        size_t len = strlen(more);
        for (size_t i = 1; i < count; i++) {
            len += (size_t)snprintf(more + len, sizeof(more) - len, "p%zu, ", i);
        }
        (void)snprintf(more + len, sizeof(more) - len, "chat.v1\r\n");
        assert_err(pick(more, supported, 1, &picked), count > 128 ? TUSK_EPROTO : TUSK_OK);
        assert_int_equal(picked.len, count > 128 ? 0 : strlen("chat.v1"));
    }
}

/* ---- client ---- */
static tusk_err confirm(const char *status, const char *const *lines, size_t count,
                        const char *more)
{
    char text[2048];
    const char *all[8] = {status};
    const tusk_bytes offered[] = {TEST_BYTES("chat.v1"), TEST_BYTES("chat.v2")};
    tusk_bytes subprotocol;
    const char *why = NULL;
    tusk_http_head *head = malloc(sizeof(*head));
    size_t scanned = 0;
    memcpy(all + 1, lines, count * sizeof(*lines));
    join(text, sizeof(text), all, count + 1, more);
    assert_true(tusk_http_response_parse(head, test_guarded_str(text), tusk_http_limits_default(),
                                         TUSK_HTTP_GET, &scanned) > 0);
    tusk_err err = tusk_ws_handshake_confirm(head, TEST_BYTES(KEY), offered, 2, &subprotocol, &why);
    assert_int_equal(why[0] != '\0', err != TUSK_OK);
    if (err == TUSK_OK) {
        assert_int_equal(subprotocol.len > 0, strstr(more, "Protocol") != NULL);
    }
    free(head);
    return err;
}

static void an_answer_is_checked_in_every_part(void **state)
{
    static const char *const good[] = {"Upgrade: websocket", "Connection: Upgrade",
                                       "Sec-WebSocket-Accept: " ACCEPT};
    static const char *const bad_lines[3][4] = {
        {NULL, "Upgrade: h2c", "Upgrade:", "Upgrade: websocket2"},
        {NULL, "Connection: close", "Connection: keep-alive", "Connection:"},
        {NULL, "Sec-WebSocket-Accept:", "Sec-WebSocket-Accept: s3pplMBiTxaQ9kYGzzhZRbK+xOo=",
         "Sec-WebSocket-Accept: " ACCEPT ", " ACCEPT},
    };
    const char *ok = "HTTP/1.1 101 Switching Protocols";
    assert_err(confirm(ok, good, 3, ""), TUSK_OK);
    assert_err(confirm("HTTP/1.1 101", good, 3, ""), TUSK_OK);
    assert_err(confirm(ok, good, 3, "Sec-WebSocket-Protocol: chat.v2\r\n"), TUSK_OK);
    assert_err(confirm(ok, good, 3, "Sec-WebSocket-Extensions: permessage-deflate; a=\"b\"\r\n"),
               TUSK_OK); /* its parameters are tusk_ws_deflate_confirm's */
    assert_err(confirm("HTTP/1.1 200 OK", good, 3, ""), TUSK_EPROTO);
    assert_err(confirm("HTTP/1.1 403 Forbidden", good, 3, ""), TUSK_EPROTO);
    for (size_t line = 0; line < 3; line++) {
        for (size_t i = 0; i < 4; i++) {
            const char *lines[3] = {good[0], good[1], good[2]};
            lines[line] = bad_lines[line][i];
            assert_err(confirm(ok, lines, 3, ""), TUSK_EPROTO);
        }
    }
    static const char *const more[] = {
        "Sec-WebSocket-Protocol: chat.v3\r\n",
        "Sec-WebSocket-Protocol: chat.v1, chat.v2\r\n",
        "Sec-WebSocket-Protocol: chat.v1\r\nSec-WebSocket-Protocol: chat.v1\r\n",
        "Sec-WebSocket-Protocol:\r\n",
        "Sec-WebSocket-Accept: " ACCEPT "\r\n",
        "Sec-WebSocket-Extensions: permessage-bzip2\r\n",
        "Sec-WebSocket-Extensions: permessage-deflate, x-mux\r\n",
        "Sec-WebSocket-Extensions: permessage-deflate; =\r\n",
    };
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        assert_err(confirm(ok, good, 3, more[i]), TUSK_EPROTO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rfcs_key_is_answered_as_the_rfc_says),
        cmocka_unit_test(a_good_request_is_accepted_however_it_is_written),
        cmocka_unit_test(what_is_offered_is_told),
        cmocka_unit_test(a_request_for_something_else_is_not_ours),
        cmocka_unit_test(each_fault_has_its_status),
        cmocka_unit_test(the_version_is_13_and_said_once),
        cmocka_unit_test(the_key_is_16_bytes_of_base64_and_said_once),
        cmocka_unit_test(the_host_is_said_once),
        cmocka_unit_test(the_first_offer_that_is_supported_is_picked),
        cmocka_unit_test(malformed_or_repeated_offers_are_refused),
        cmocka_unit_test(more_than_128_offers_are_refused),
        cmocka_unit_test(an_answer_is_checked_in_every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
