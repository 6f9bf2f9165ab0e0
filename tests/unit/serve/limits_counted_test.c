/* SPDX-License-Identifier: MIT */
/* Each limit of a server: what its guide says is its default, what goes past it is answered in the
 * protocol's words and counted, and the same bytes within it are not. */
#define _GNU_SOURCE
#include <sys/un.h>

#include "../full_poller.h"

#include "rig.h"

/* Turns until the counter is there; the deadline is for a test that would hang. */
static void await_stat(rig *r, const char *name, uint64_t wanted)
{
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (rig_stat(r, name) < wanted) {
        assert_true(tusk_loop_clock_ns() < until);
        assert_int_equal(tusk_loop_turn(r->loop, 1), TUSK_OK);
    }
}

static void defaults_are_those_of_the_guide(void **state)
{
    tusk_server_limits l;
    tusk_server_limits_default(&l);
    assert_int_equal(l.connections, 10000);
    assert_int_equal(l.per_address, 0);
    assert_int_equal(l.handshakes, 0);
    assert_int_equal(l.message_bytes, 16 << 20);
    assert_int_equal(l.message_frames, 1000000);
    assert_int_equal(l.unfinished_bytes, 256 << 20);
    assert_int_equal(l.unfinished_ms, 5000);
    assert_int_equal(l.queued_bytes, 16 << 20);
    assert_int_equal(l.queued_bytes_total, 256 << 20);
    assert_int_equal(l.messages_per_second, 0);
    assert_int_equal(l.bytes_per_second, 0);
    assert_int_equal(l.subscriptions, 1000);
    assert_int_equal(l.subscription_bytes, 128 * 1024 * 1024);
    assert_int_equal(l.http.line_max, 8192);
    assert_int_equal(l.http.head_max, 16384);
    assert_int_equal(l.http.fields_max, 100);
    assert_int_equal(l.http.chunk_line_max, 256);
    assert_int_equal(l.http.trailers_max, 4096);
    assert_int_equal(l.body_bytes, 8 << 20);
    assert_int_equal(l.form.parts_max, 1000);
    assert_int_equal(l.form.head_max, 4096);
    assert_int_equal(l.form.file_max, 0);
    assert_int_equal(l.handshake_ms, 10000);
    assert_int_equal(l.body_ms, 60000);
    assert_int_equal(l.idle_ms, 120000);
    assert_int_equal(l.keep_alive_ms, 60000);
    assert_int_equal(l.ping_ms, 30000);
    assert_int_equal(l.pong_ms, 10000);
    assert_int_equal(l.close_ms, 5000);
    assert_int_equal(l.drain_ms, 5000);
    assert_int_equal(l.slice_us, 250);
    assert_int_equal(l.heartbeat_ms, 15000);
    assert_int_equal(l.history_bytes, 16 << 20);
}

/* ---- what a request may be ---- */
#define CHUNKED "POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
#define LENGTH_5 "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
#define FORM(length, type)                                                                         \
    "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: " length "\r\n"                             \
    "Content-Type: " type "\r\n\r\n"
#define PARTS "multipart/form-data; boundary=X"
#define PART "--X\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
#define A_FILE "--X\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\nhello\r\n--X--"
#define FORTY "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"

typedef struct request_limit {
    size_t place; /* of a uint32_t, or of a size_t */
    bool wide;
    uint32_t least; /* set to this, the bytes go past it; one more, and they do not */
    const char *sent;
    const char *status;
    const char *counter;
} request_limit;
#define NARROW(field) offsetof(tusk_server_limits, field), false
#define WIDE(field) offsetof(tusk_server_limits, field), true

static const request_limit request_limits[] = {
    {NARROW(http.line_max), 54, "GET /?" FORTY " HTTP/1.1\r\nHost: x\r\n\r\n", " 414 ",
     "responses_4xx"},
    {NARROW(http.head_max), 71, "GET / HTTP/1.1\r\nHost: x\r\nX: " FORTY "\r\n\r\n", " 431 ",
     "responses_4xx"},
    {NARROW(http.fields_max), 3, "GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n",
     " 431 ", "protocol_errors"},
    {NARROW(http.chunk_line_max), 45, CHUNKED "5;" FORTY "=1\r\nhello\r\n0\r\n\r\n", " 400 ",
     "protocol_errors"},
    {NARROW(http.trailers_max), 46, CHUNKED "5\r\nhello\r\n0\r\nX: " FORTY "\r\n\r\n", " 431 ",
     "responses_4xx"},
    {WIDE(body_bytes), 4, LENGTH_5 "hello", " 413 ", "responses_4xx"},
    {WIDE(body_bytes), 4, CHUNKED "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", " 413 ", "responses_4xx"},
    {NARROW(form.parts_max), 1, FORM("105", PARTS) PART PART "--X--", " 413 ", "forms_refused"},
    {NARROW(form.parts_max), 2, FORM("5", "application/x-www-form-urlencoded") "a&b&c", " 413 ",
     "forms_refused"},
    {NARROW(form.head_max), 41, FORM("105", PARTS) PART PART "--X--", " 413 ", "forms_refused"},
    {WIDE(form.file_max), 4, FORM("71", PARTS) A_FILE, " 413 ", "forms_refused"},
};

static void set_limit(tusk_server_limits *limits, const request_limit *one, uint32_t value)
{
    char *place = (char *)limits + one->place;
    if (one->wide) {
        memcpy(place, &(size_t){value}, sizeof(size_t));
    } else {
        memcpy(place, &value, sizeof(value));
    }
}

static void send_at(const request_limit *one, uint32_t value, const char *status, uint64_t counted)
{
    rig r;
    char text[1024];
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    set_limit(&limits, one, value);
    rig_init(&r, &limits);
    int fd = rig_connect(&r);
    rig_write(fd, one->sent, strlen(one->sent));
    rig_turn(&r, 6);
    rig_read(fd, text, sizeof(text));
    if (strstr(text, status) == NULL) {
        fail_msg("limit %u: %s\nanswered by: %s", value, one->sent, text);
    }
    assert_int_equal(rig_stat(&r, one->counter), counted);
    if (strcmp(one->status, " 413 ") == 0) { /* what is too long breaks no rule */
        assert_int_equal(rig_stat(&r, "protocol_errors"), 0);
    }
    close(fd);
    rig_fini(&r);
}

static void what_is_past_a_limit_of_requests_is_answered_and_counted(void **state)
{
    for (size_t i = 0; i < sizeof(request_limits) / sizeof(request_limits[0]); i++) {
        const request_limit *one = &request_limits[i];
        send_at(one, one->least, one->status, 1);
        send_at(one, one->least + 1, " 200 ", 0);
    }
}

/* ---- what a WebSocket may send ---- */
static void expect_close(int fd, unsigned code)
{
    char text[256];
    size_t len = rig_read(fd, text, sizeof(text));
    const uint8_t *bytes = (const uint8_t *)text;
    assert_true(len >= 4);
    assert_int_equal(bytes[0], 0x88);
    assert_int_equal((unsigned)bytes[2] << 8 | bytes[3], code);
}

static void frames_bytes_and_utf8_of_messages_are_counted(void **state)
{
    static const struct {
        const char *counter;
        unsigned code;
    } ends[] = {{"protocol_errors", 1008}, {"messages_too_big", 1009}, {"invalid_utf8", 1007}};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        rig r;
        tusk_server_limits limits;
        tusk_server_limits_default(&limits);
        limits.message_frames = 2;
        limits.message_bytes = 4;
        rig_init(&r, &limits);
        int fd = rig_websocket(&r);
        rig_send(fd, 0x01, "a", 1);
        rig_send(fd, 0x80, "bcd", 3);
        rig_turn(&r, 3);
        assert_non_null(strstr(r.log, "text:abcd;"));
        assert_int_equal(rig_stat(&r, ends[i].counter), 0);
        char echo[64];
        rig_read(fd, echo, sizeof(echo));
        if (ends[i].code == 1008) {
            rig_send(fd, 0x01, "a", 1);
            rig_send(fd, 0x00, "b", 1);
            rig_send(fd, 0x80, "c", 1);
        } else {
            rig_send(fd, 0x81, "\xff and more", ends[i].code == 1009 ? 5 : 2);
        }
        rig_turn(&r, 3);
        expect_close(fd, ends[i].code);
        assert_int_equal(rig_stat(&r, ends[i].counter), 1);
        close(fd);
        rig_fini(&r);
    }
}

static void bytes_per_second_pause_reading(void **state)
{
    rig r;
    char payload[600] = {0};
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.bytes_per_second = 10000;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    for (int i = 0; i < 20; i++) {
        rig_send(fd, 0x82, payload, sizeof(payload));
    }
    rig_turn(&r, 5);
    assert_true(rig_stat(&r, "rate_paused") >= 1);
    await_stat(&r, "messages_in", 20); /* none is lost */
    close(fd);
    rig_fini(&r);
}

/* ---- times ---- */
static void expect_end(rig *r, int fd)
{
    char byte;
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (read(fd, &byte, 1) != 0) {
        assert_true(tusk_loop_clock_ns() < until);
        assert_int_equal(tusk_loop_turn(r->loop, 1), TUSK_OK);
    }
}

static void a_body_that_does_not_end_and_a_kept_connection_are_given_up(void **state)
{
    rig r;
    char text[1024];
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.body_ms = 30;
    limits.keep_alive_ms = 30;
    rig_init(&r, &limits);
    int fd = rig_connect(&r);
    rig_write(fd, LENGTH_5 "hell", sizeof(LENGTH_5 "hell") - 1);
    await_stat(&r, "body_timeouts", 1);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, " 408 "));
    close(fd);
    fd = rig_connect(&r);
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    rig_write(fd, request, sizeof(request) - 1);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, " 200 "));
    expect_end(&r, fd);
    assert_int_equal(rig_stat(&r, "keep_alive_timeouts"), 1);
    assert_int_equal(rig_stat(&r, "handshake_timeouts"), 0);
    close(fd);
    rig_fini(&r);
}

/* An answer that nobody takes, which keeps its connection from being idle. */
static void an_answer_of_which_nothing_is_taken_is_given_up(void **state)
{
    static char requests[27 * 400];
    rig r;
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.keep_alive_ms = 30;
    rig_init(&r, &limits);
    int fd = rig_connect(&r);
    for (size_t i = 0; i < sizeof(requests); i += 27) {
        memcpy(requests + i, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27);
    }
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (rig_stat(&r, "keep_alive_timeouts") == 0) {
        assert_true(tusk_loop_clock_ns() < until);
        (void)!write(fd, requests, sizeof(requests));
        assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    close(fd);
    rig_fini(&r);
}

static void silent_streams_are_sent_heartbeats_which_are_counted(void **state)
{
    rig r;
    char text[1024];
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.heartbeat_ms = 20;
    rig_init(&r, &limits);
    int fd = rig_stream(&r);
    await_stat(&r, "heartbeats", 2);
    rig_turn(&r, 1);
    rig_read(fd, text, sizeof(text));
    assert_memory_equal(text, "3\r\n:\n\n\r\n3\r\n:\n\n\r\n", 16);
    close(fd);
    rig_fini(&r);
}

static void a_pong_that_gives_way_to_a_later_one_is_counted(void **state)
{
    static char data[60000];
    rig r;
    rig_init(&r, NULL);
    int fd = rig_websocket(&r);
    assert_int_equal(tusk_websocket_send(r.server, r.last, TUSK_WS_BINARY,
                                         tusk_bytes_of(data, sizeof(data)), NULL, NULL),
                     TUSK_OK);
    rig_send(fd, 0x89, "one", 3);
    rig_send(fd, 0x89, "two", 3);
    rig_send(fd, 0x89, "three", 5);
    rig_turn(&r, 2);
    assert_int_equal(rig_stat(&r, "pongs_replaced"), 2);
    close(fd);
    rig_fini(&r);
}

static tusk_err send_of(const rig *r, size_t len)
{
    static uint8_t data[2000];
    return tusk_websocket_send(r->server, r->last, TUSK_WS_BINARY, tusk_bytes_of(data, len), NULL,
                               NULL);
}

/* Whoever sends decides whether the one that is too slow goes: one and the same counter then, for
 * both transports. */
static void who_is_closed_for_a_send_that_does_not_fit_is_counted(void **state)
{
    static const uint8_t data[1001];
    rig r;
    tusk_server_limits limits;
    char text[64];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 1000;
    rig_init(&r, &limits);
    int ws = rig_websocket(&r);
    tusk_handle socket = r.last;
    assert_err(send_of(&r, 1001), TUSK_ELIMIT);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    assert_err(tusk_websocket_overflow(r.server, socket), TUSK_OK);
    assert_err(tusk_websocket_overflow(r.server, socket), TUSK_ESTATE);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    rig_turn(&r, 2);
    rig_read(ws, text, sizeof(text));
    assert_string_equal(text, "\x88\x0c\x03\xf5queue full");
    close(ws);
    rig_turn(&r, 3);
    assert_err(tusk_websocket_overflow(r.server, socket), TUSK_ENOENT);

    int sse = rig_stream(&r);
    assert_err(tusk_websocket_overflow(r.server, r.last), TUSK_ESTATE);
    assert_err(tusk_stream_send(r.server, r.last, tusk_bytes_of(NULL, 0), tusk_bytes_of(NULL, 0),
                                false, tusk_bytes_of(data, sizeof(data))),
               TUSK_ELIMIT);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 2);
    assert_int_equal(rig_stat(&r, "sends_refused"), 2);
    close(sse);
    rig_fini(&r);
}

static void a_message_as_long_as_the_queue_fits_where_it_is_empty(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 1000;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    assert_err(send_of(&r, 1001), TUSK_ELIMIT);
    assert_err(send_of(&r, 1000), TUSK_OK);
    assert_err(send_of(&r, 1), TUSK_ELIMIT);
    assert_int_equal(rig_stat(&r, "sends_refused"), 2);
    rig_turn(&r, 2);
    assert_err(send_of(&r, 500), TUSK_OK);
    assert_err(send_of(&r, 493), TUSK_ELIMIT); /* with two heads of 4 bytes it is one too many */
    assert_err(send_of(&r, 492), TUSK_OK);
    close(fd);
    rig_fini(&r);
}

static void a_subscription_too_many_is_counted(void **state)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.subscriptions = 1;
    rig_init(&r, &limits);
    int fd = rig_websocket(&r);
    const char *const topics[] = {"a", "a", "b"};
    const tusk_err wanted[] = {TUSK_OK, TUSK_OK, TUSK_ELIMIT};
    for (size_t i = 0; i < 3; i++) {
        assert_err(tusk_session_subscribe(r.server, r.last, tusk_bytes_str(topics[i]), NULL,
                                          TUSK_OVERFLOW_CLOSE),
                   wanted[i]);
    }
    assert_int_equal(rig_stat(&r, "subscriptions_refused"), 1);
    assert_int_equal(rig_stat(&r, "subscriptions"), 1);
    close(fd);
    rig_fini(&r);
}

/* Topics are clients' words in many applications: as many and as long as they like. */
static void memory_of_subscriptions_is_bounded_for_all_together(void **state)
{
    enum { SUB = 88, TOPIC = 88 };
    rig r;
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.subscription_bytes = 3 * SUB + 2 * TOPIC + 1 + 4;
    rig_init(&r, &limits);
    int first = rig_websocket(&r);
    tusk_handle one = r.last;
    int second = rig_websocket(&r);
    tusk_handle two = r.last;
    const struct {
        tusk_handle session;
        const char *topic;
        tusk_err wanted;
    } steps[] = {{one, "a", TUSK_OK},        {one, "long", TUSK_OK},  {two, "a", TUSK_OK},
                 {two, "long", TUSK_ELIMIT}, {two, "b", TUSK_ELIMIT}, {two, "a", TUSK_OK}};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        assert_err(tusk_session_subscribe(r.server, steps[i].session,
                                          tusk_bytes_str(steps[i].topic), NULL,
                                          TUSK_OVERFLOW_CLOSE),
                   steps[i].wanted);
    }
    assert_int_equal(rig_stat(&r, "subscription_bytes"), limits.subscription_bytes);
    assert_int_equal(rig_stat(&r, "subscriptions_refused"), 2);
    assert_err(tusk_session_unsubscribe(r.server, one, tusk_bytes_str("long")), TUSK_OK);
    assert_int_equal(rig_stat(&r, "subscription_bytes"), 2 * SUB + TOPIC + 1);
    assert_err(
        tusk_session_subscribe(r.server, two, tusk_bytes_str("b"), NULL, TUSK_OVERFLOW_CLOSE),
        TUSK_OK);
    close(first);
    close(second);
    while (rig_stat(&r, "websockets_open") > 0) {
        assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    assert_int_equal(rig_stat(&r, "subscription_bytes"), 0);
    rig_fini(&r);
}

/* ---- who may come in ---- */
static int connect_to(const char *path)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
    assert_int_equal(connect(fd, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static void past_the_limit_of_handshakes_the_next_one_waits(void **state)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r = {.answer = true};
    char reason[64];
    char text[1024];
    char address[64];
    tusk_server_options options = {.handler = &rig_handler, .user = &r};
    tusk_server_limits_default(&options.limits);
    options.limits.handshakes = 1;
    assert_int_equal(tusk_loop_new(&r.loop, &(tusk_loop_options){0}), TUSK_OK);
    options.loop = r.loop;
    assert_int_equal(tusk_server_new(&r.server, &options), TUSK_OK);
    assert_int_equal(tusk_server_route_http(r.server, "GET", "/", NULL), TUSK_OK);
    (void)snprintf(address, sizeof(address), "unix:/tmp/tusk-handshakes-%d.sock", (int)getpid());
    assert_int_equal(tusk_server_listen(r.server, address, NULL), TUSK_OK);
    assert_int_equal(tusk_server_start(r.server, reason, sizeof(reason)), TUSK_OK);
    int first = connect_to(address + 5);
    int second = connect_to(address + 5);
    rig_write(second, request, sizeof(request) - 1);
    rig_turn(&r, 5);
    assert_int_equal(rig_stat(&r, "handshakes_pending"), 1);
    assert_int_equal(rig_stat(&r, "requests"), 0);
    rig_write(first, request, sizeof(request) - 1); /* its head is whole: the next may come in */
    await_stat(&r, "requests", 2);
    rig_turn(&r, 2);
    rig_read(second, text, sizeof(text));
    assert_non_null(strstr(text, " 200 "));
    assert_int_equal(rig_stat(&r, "handshakes_pending"), 0);
    close(first);
    close(second);
    rig_fini(&r);
}

static void log_line(void *user, const char *text)
{
    rig_log(user, "log:", text, strlen(text));
}

static void a_client_that_cannot_be_watched_is_said_and_is_no_lack_of_memory(void **state)
{
    (void)state;
    rig r = {.answer = true};
    char text[64];
    char address[64];
    tusk_server_handler handler = rig_handler;
    handler.on_log = log_line;
    tusk_server_options options = {.handler = &handler, .user = &r};
    tusk_server_limits_default(&options.limits);
    assert_int_equal(tusk_loop_new(&r.loop, &(tusk_loop_options){0}), TUSK_OK);
    options.loop = r.loop;
    assert_int_equal(tusk_server_new(&r.server, &options), TUSK_OK);
    (void)snprintf(address, sizeof(address), "unix:/tmp/tusk-watches-%d.sock", (int)getpid());
    assert_int_equal(tusk_server_listen(r.server, address, NULL), TUSK_OK);
    assert_int_equal(tusk_server_start(r.server, text, sizeof(text)), TUSK_OK);
    full_poller full;
    full_begin(&full, r.loop);
    int fds[] = {connect_to(address + 5), connect_to(address + 5)};
    await_stat(&r, "connections_refused", 2);
    full_end(&full, r.loop);
    assert_int_equal(rig_stat(&r, "out_of_memory"), 0);
    assert_int_equal(rig_stat(&r, "connections_open"), 0);
    const char *said = strstr(r.log, "raise sysctl fs.epoll.max_user_watches");
    assert_non_null(said);
    assert_null(strstr(said + 1, "log:")); /* once for both */
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(read(fds[i], text, 1), 0);
        close(fds[i]);
    }
    rig_fini(&r);
}

static void a_refused_handshake_is_counted(void **state)
{
    static const char request[] =
        "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    rig r;
    char text[1024];
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    rig_write(fd, request, sizeof(request) - 1);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, " 426 "));
    assert_int_equal(rig_stat(&r, "handshakes_refused"), 1);
    assert_int_equal(rig_stat(&r, "responses_4xx"), 1);
    close(fd);
    rig_fini(&r);
}

static void what_a_stream_is_sent_is_bounded_and_counted(void **state)
{
    enum { HEAD = 16 << 10 };
    static char text[HEAD];
    rig r;
    rig_init(&r, NULL);
    int fd = rig_stream(&r);
    memset(text, 'x', sizeof(text));
    rig_write(fd, text, HEAD); /* one more request, whatever it may be */
    rig_turn(&r, 3);
    assert_int_equal(rig_stat(&r, "streams_open"), 1);
    assert_int_equal(rig_stat(&r, "protocol_errors"), 0);
    rig_publish(&r, "t", "nobody's", NULL);
    rig_write(fd, "x", 1);
    rig_turn(&r, 3);
    assert_int_equal(rig_read(fd, text, sizeof(text)), 5);
    assert_string_equal(text, "0\r\n\r\n");
    assert_int_equal(rig_stat(&r, "protocol_errors"), 1);
    rig_write(fd, "x", 1); /* on its way meanwhile: told once */
    rig_turn(&r, 3);
    assert_int_equal(rig_stat(&r, "protocol_errors"), 1);
    close(fd);
    rig_turn(&r, 3);
    assert_int_equal(rig_stat(&r, "streams_open"), 0);
    assert_non_null(strstr(r.log, "close:1008;"));
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_guide),
        cmocka_unit_test(what_is_past_a_limit_of_requests_is_answered_and_counted),
        cmocka_unit_test(frames_bytes_and_utf8_of_messages_are_counted),
        cmocka_unit_test(bytes_per_second_pause_reading),
        cmocka_unit_test(a_body_that_does_not_end_and_a_kept_connection_are_given_up),
        cmocka_unit_test(an_answer_of_which_nothing_is_taken_is_given_up),
        cmocka_unit_test(silent_streams_are_sent_heartbeats_which_are_counted),
        cmocka_unit_test(a_pong_that_gives_way_to_a_later_one_is_counted),
        cmocka_unit_test(who_is_closed_for_a_send_that_does_not_fit_is_counted),
        cmocka_unit_test(a_message_as_long_as_the_queue_fits_where_it_is_empty),
        cmocka_unit_test(a_subscription_too_many_is_counted),
        cmocka_unit_test(memory_of_subscriptions_is_bounded_for_all_together),
        cmocka_unit_test(past_the_limit_of_handshakes_the_next_one_waits),
        cmocka_unit_test(a_client_that_cannot_be_watched_is_said_and_is_no_lack_of_memory),
        cmocka_unit_test(a_refused_handshake_is_counted),
        cmocka_unit_test(what_a_stream_is_sent_is_bounded_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
