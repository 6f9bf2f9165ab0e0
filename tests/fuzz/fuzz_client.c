/* SPDX-License-Identifier: MIT */
/* A server that says anything to our clients: each ends, once, with its memory given back. The
 * first byte chooses the client and how the rest is cut. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tusk/client.h>

#include "client/inner.h"
#include "still.h"

enum { KIND_HTTP, KIND_STREAM, KIND_WEBSOCKET, KIND_WEBSOCKET_OPEN, TURNS_MAX = 400 };

static struct {
    tusk_loop *loop;
    tusk_client *client;
    int server; /* our end of the pair */
    int dials;
    bool ended;
    bool chatty; /* acts inside callbacks */
    void *handle;
} f;

static int dial(void *user)
{
    int pair[2];
    (void)user;
    if (f.dials++ > 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) {
        return -1;
    }
    f.server = pair[0];
    return pair[1];
}

/* ---- HTTP ---- */
static void on_data(void *user, tusk_http_call *self, tusk_bytes data)
{
    FUZZ_CHECK(data.len > 0);
    if (f.chatty) {
        tusk_http_call_pause(self);
    }
    (void)user;
}

static void on_done(void *user, tusk_http_call *self, const tusk_failure *failure)
{
    (void)user;
    (void)self;
    FUZZ_CHECK(!f.ended && failure->text != NULL && failure->stage != NULL);
    f.ended = true;
}

static const tusk_http_call_handler call_handler = {.on_data = on_data, .on_done = on_done};

/* ---- event streams ---- */
static void on_event(void *user, tusk_sse_client *self, const tusk_sse_event *event)
{
    (void)user;
    FUZZ_CHECK(event->has_data && tusk_bytes_eq(event->id, tusk_sse_client_last_id(self)));
    if (f.chatty) {
        tusk_sse_client_pause(self);
    }
}

static void on_retry(void *user, tusk_sse_client *self, const tusk_failure *failure,
                     uint32_t delay_ms)
{
    (void)user;
    FUZZ_CHECK(failure->err != TUSK_OK && delay_ms >= 10);
    tusk_sse_client_close(self);
}

static void on_stream_close(void *user, tusk_sse_client *self, const tusk_failure *failure)
{
    (void)user;
    (void)self;
    (void)failure;
    FUZZ_CHECK(!f.ended);
    f.ended = true;
}

static const tusk_sse_client_handler stream_handler = {
    .on_event = on_event, .on_retry = on_retry, .on_close = on_stream_close};

/* ---- WebSocket ---- */
static void on_open(void *user, tusk_ws_client *self, tusk_bytes subprotocol,
                    const tusk_http_head *answer)
{
    (void)user;
    (void)subprotocol;
    FUZZ_CHECK(answer->status == 101);
    FUZZ_CHECK(tusk_ws_client_send(self, TUSK_WS_TEXT, tusk_bytes_str("hello")) == TUSK_OK);
}

static void on_message(void *user, tusk_ws_client *self, uint8_t opcode, tusk_bytes payload,
                       void *taken)
{
    (void)user;
    FUZZ_CHECK(taken == NULL && (opcode == TUSK_WS_TEXT || opcode == TUSK_WS_BINARY));
    if (f.chatty && payload.len % 3 == 0) {
        tusk_ws_client_pause(self);
    } else if (f.chatty && payload.len % 7 == 0) {
        (void)tusk_ws_client_close(self, 1000, tusk_bytes_str("bye"));
    } else if (f.chatty) {
        (void)tusk_ws_client_send(self, opcode, payload);
    }
}

static void on_close(void *user, tusk_ws_client *self, uint16_t code, tusk_bytes reason,
                     const tusk_failure *failure)
{
    (void)user;
    (void)self;
    FUZZ_CHECK(!f.ended && reason.len <= TUSK_WS_REASON_MAX);
    FUZZ_CHECK(code == 0 || code == 1005 || code == 1006 || tusk_ws_code_valid(code));
    FUZZ_CHECK(failure->err != TUSK_OK || code != 1006);
    f.ended = true;
}

static const tusk_ws_client_handler ws_handler = {
    .on_open = on_open, .on_message = on_message, .on_close = on_close};

static void begin(unsigned kind)
{
    const tusk_client_target target = {.url = tusk_bytes_str("http://a/b?c")};
    tusk_err err = TUSK_OK;
    switch (kind) {
    case KIND_HTTP:
        err = tusk_http_call_start((tusk_http_call **)&f.handle, f.client,
                                   &(tusk_http_call_options){.target = target, .body_max = 10000},
                                   &call_handler, NULL);
        break;
    case KIND_STREAM:
        err = tusk_sse_client_open(
            (tusk_sse_client **)&f.handle, f.client,
            &(tusk_sse_client_options){.target = target, .line_max = 1000, .data_max = 2000},
            &stream_handler, NULL);
        break;
    default:
        err =
            tusk_ws_client_open((tusk_ws_client **)&f.handle, f.client,
                                &(tusk_ws_client_options){.target = target,
                                                          .message_max = 5000,
                                                          .close_ms = 1,
                                                          .deflate = {.on = true, .threshold = 10}},
                                &ws_handler, NULL);
        break;
    }
    FUZZ_CHECK(err == TUSK_OK && !f.ended);
}

/* Whoever paused goes on in the next turn. */
static void resume(unsigned kind)
{
    if (f.ended) {
        return;
    }
    switch (kind) {
    case KIND_HTTP: tusk_http_call_resume(f.handle); break;
    case KIND_STREAM: tusk_sse_client_resume(f.handle); break;
    default: tusk_ws_client_resume(f.handle); break;
    }
}

static size_t read_away(char *text, size_t cap)
{
    size_t len = 0;
    ssize_t got;
    do {
        got = read(f.server, text + (len < cap ? len : 0), len < cap ? cap - len : cap);
        len += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    return len < cap ? len : cap;
}

/* A right 101 to the request that came, with compression granted when it was offered. */
static void upgrade(void)
{
    static char request[8192];
    char answer[512];
    char accept[TUSK_WS_ACCEPT_LEN + 1] = {0};
    size_t len = read_away(request, sizeof(request) - 1);
    request[len] = '\0';
    const char *key = strstr(request, "Sec-WebSocket-Key: ");
    FUZZ_CHECK(key != NULL);
    tusk_ws_accept_key(accept, tusk_bytes_of(key + 19, 24));
    const char *extension =
        strstr(request, "permessage-deflate") == NULL
            ? ""
            : "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
              "client_no_context_takeover\r\n";
    int n = snprintf(answer, sizeof(answer),
                     "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: "
                     "upgrade\r\nSec-WebSocket-Accept: %s\r\n%s\r\n",
                     accept, extension);
    FUZZ_CHECK(write(f.server, answer, (size_t)n) == n);
}

static void turn(unsigned kind)
{
    char text[4096];
    FUZZ_CHECK(tusk_loop_turn(f.loop, 0) == TUSK_OK);
    if (f.server >= 0) {
        (void)read_away(text, sizeof(text));
    }
    resume(kind);
}

static void serve(unsigned kind, const uint8_t *data, size_t size, size_t step)
{
    FUZZ_CHECK(tusk_loop_turn(f.loop, 0) == TUSK_OK && tusk_loop_turn(f.loop, 0) == TUSK_OK);
    FUZZ_CHECK(f.server >= 0);
    if (kind == KIND_WEBSOCKET_OPEN) {
        upgrade();
    }
    for (size_t at = 0; at < size && !f.ended; at += step) {
        size_t len = size - at < step ? size - at : step;
        if (write(f.server, data + at, len) != (ssize_t)len) {
            break;
        }
        turn(kind);
    }
    (void)shutdown(f.server, SHUT_WR);
    for (int i = 0; i < TURNS_MAX && !f.ended; i++) {
        turn(kind);
        if (i > TURNS_MAX / 2) {
            still_pass_ms(1); /* a deadline is to come */
        }
    }
    FUZZ_CHECK(f.ended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 16384) {
        return 0;
    }
    unsigned kind = data[0] & 3;
    size_t step = (data[0] & 4) != 0 ? 1 + (data[0] >> 4) : 16384;
    if (step < 16384 && size / step > 300) {
        step = size / 300 + 1;
    }
    still_begin();
    memset(&f, 0, sizeof(f));
    f.server = -1;
    f.chatty = (data[0] & 8) != 0;
    FUZZ_CHECK(tusk_loop_new(&f.loop, &(tusk_loop_options){.mem = NULL}) == TUSK_OK);
    FUZZ_CHECK(tusk_client_new(&f.client, &(tusk_client_options){.loop = f.loop}) == TUSK_OK);
    f.client->dial = dial;
    begin(kind);
    serve(kind, data + 1, size - 1, step);
    tusk_client_free(f.client);
    (void)close(f.server);
    for (int i = 0; i < 3; i++) {
        (void)tusk_loop_turn(f.loop, 0);
    }
    tusk_loop_free(f.loop);
    return 0;
}
