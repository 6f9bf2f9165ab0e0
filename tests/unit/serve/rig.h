/* SPDX-License-Identifier: MIT */
/* A server with clients on socket pairs, turned by hand: what the tests of this layer share. */
#ifndef TEST_SERVE_RIG_H
#define TEST_SERVE_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tusk/server.h>

#include "../test.h"
#include "still_clock.h"

enum { RIG_LOG_MAX = 1 << 16 };

/* Records what the owner was told, as text: "open;text:hello;close:1000;". */
typedef struct rig {
    tusk_loop *loop;
    tusk_server *server;
    tusk_handle last;
    char log[RIG_LOG_MAX];
    size_t log_len;
    bool echo;
    bool asks;         /* for what follows a message, from inside on_message */
    unsigned asked;    /* messages that came so */
    bool parks;        /* each message's session */
    bool answer;       /* HTTP requests are answered at once */
    const char *topic; /* subscribed on open */
    const tusk_position *since;
    tusk_overflow overflow;
    bool publish_on_open; /* "live", on that topic */
    int stopped;
} rig;

static inline void rig_log(rig *self, const char *name, const void *bytes, size_t len)
{
    int n = snprintf(self->log + self->log_len, RIG_LOG_MAX - self->log_len, "%s%.*s;", name,
                     (int)(len > 200 ? 200 : len), (const char *)bytes);
    self->log_len += (size_t)n;
    assert_true(self->log_len < RIG_LOG_MAX);
}

static inline void rig_on_request(void *user, tusk_handle session, void *route,
                                  const tusk_request *request)
{
    rig *self = user;
    (void)route;
    self->last = session;
    rig_log(self, "request:", request->head->target.ptr, request->head->target.len);
    if (request->body.len > 0) {
        rig_log(self, "body:", request->body.ptr, request->body.len);
    }
    tusk_payload_drop(self->server, request->body_taken);
    if (self->answer) {
        assert_int_equal(tusk_reply(self->server, session, 200, tusk_bytes_str("X-Test: 1\r\n"),
                                    tusk_bytes_str("hello"), NULL),
                         TUSK_OK);
    }
}

static inline void rig_on_authorize(void *user, tusk_handle session, void *route,
                                    const tusk_request *request)
{
    rig *self = user;
    (void)route;
    self->last = session;
    rig_log(self, "authorize:", request->head->target.ptr, request->head->target.len);
}

static inline void rig_on_open(void *user, tusk_handle session, void *route,
                               const tusk_request *request)
{
    rig *self = user;
    (void)route;
    (void)request;
    self->last = session;
    rig_log(self, "open", "", 0);
    if (self->topic != NULL) {
        assert_int_equal(tusk_session_subscribe(self->server, session, tusk_bytes_str(self->topic),
                                                self->since, self->overflow),
                         TUSK_OK);
    }
    if (self->publish_on_open) {
        const tusk_publication publication = {.topic = tusk_bytes_str(self->topic),
                                              .data = tusk_bytes_str("live"),
                                              .opcode = TUSK_WS_TEXT};
        assert_int_equal(tusk_server_publish(self->server, &publication, NULL), TUSK_OK);
    }
}

static inline void rig_take_message(rig *self, tusk_handle session, uint8_t opcode,
                                    tusk_bytes payload, void *taken)
{
    self->last = session;
    rig_log(self, opcode == TUSK_WS_TEXT ? "text:" : "binary:", payload.ptr, payload.len);
    if (self->echo) {
        (void)tusk_websocket_send(self->server, session, opcode, payload, NULL, NULL);
    }
    tusk_payload_drop(self->server, taken);
    if (self->parks) {
        tusk_session_park(self->server, session);
    }
}

static inline void rig_on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                                  tusk_bytes payload, void *taken)
{
    rig *self = user;
    enum { PLACE = 4 };
    uint8_t place[PLACE + 1] = {[PLACE] = 0xA5};
    tusk_ws_item next;
    (void)route;
    rig_take_message(self, session, opcode, payload, taken);
    while (self->asks && tusk_session_next(self->server, session, place, PLACE, &next)) {
        assert_int_equal(next.payload.ptr == place, next.payload.len <= PLACE);
        assert_int_equal(place[PLACE], 0xA5);
        self->asked++;
        rig_take_message(self, session, next.opcode, next.payload, next.taken);
    }
}

static inline void rig_on_close(void *user, tusk_handle session, void *route, uint16_t code,
                                tusk_bytes reason, tusk_close_kind kind, void *session_user)
{
    rig *self = user;
    char text[32];
    (void)session;
    (void)route;
    (void)reason;
    (void)kind;
    (void)session_user;
    int n = snprintf(text, sizeof(text), "%u", code);
    rig_log(self, "close:", text, (size_t)n);
}

static inline void rig_on_stopped(void *user)
{
    ((rig *)user)->stopped++;
}

static const tusk_server_handler rig_handler = {.on_request = rig_on_request,
                                                .on_authorize = rig_on_authorize,
                                                .on_open = rig_on_open,
                                                .on_message = rig_on_message,
                                                .on_close = rig_on_close,
                                                .on_stopped = rig_on_stopped};

/* The same as rig_init, with an allocator that may say no. */
static inline tusk_err rig_try_init(rig *self, const tusk_mem *mem,
                                    const tusk_server_limits *limits)
{
    (void)signal(SIGPIPE, SIG_IGN); /* the tests write where the server may have gone */
    memset(self, 0, sizeof(*self));
    self->answer = true;
    self->echo = true;
    const tusk_loop_options loop_options = {.mem = mem};
    tusk_err err = tusk_loop_new(&self->loop, &loop_options);
    if (err != TUSK_OK) {
        return err;
    }
    tusk_server_options options = {.loop = self->loop, .handler = &rig_handler, .user = self};
    if (limits != NULL) {
        options.limits = *limits;
    } else {
        tusk_server_limits_default(&options.limits);
    }
    options.limits.slice_us =
        UINT32_MAX; /* or tests that count turns would depend on the machine */
    err = tusk_server_new(&self->server, &options);
    if (err != TUSK_OK) {
        return err;
    }
    const tusk_websocket_options ws = {.any_origin = true,
                                       .keep_target = true,
                                       .deflate = {.on = true,
                                                   .server_max_window_bits = 15,
                                                   .client_max_window_bits = 15,
                                                   .level = 1,
                                                   .mem_level = 8,
                                                   .threshold = 64}};
    const tusk_websocket_options asked = {.any_origin = true, .authorize = true};
    err = tusk_server_route_websocket(self->server, "/ws", &ws, NULL);
    err = err != TUSK_OK ? err
                         : tusk_server_route_websocket(self->server, "/asked/{name}", &asked, NULL);
    err = err != TUSK_OK
              ? err
              : tusk_server_route_events(
                    self->server, "/events",
                    &(tusk_events_options){.any_origin = true, .keep_target = true}, NULL);
    err = err != TUSK_OK ? err : tusk_server_route_http(self->server, "GET", "/", NULL);
    err = err != TUSK_OK ? err : tusk_server_route_http(self->server, "POST", "/post", NULL);
    return err != TUSK_OK ? err : tusk_server_start(self->server, NULL, 0);
}

static inline void rig_init(rig *self, const tusk_server_limits *limits)
{
    assert_int_equal(rig_try_init(self, NULL, limits), TUSK_OK);
}

static inline void rig_fini(rig *self)
{
    tusk_server_free(self->server);
    if (self->loop != NULL) {
        tusk_loop_free(self->loop);
    }
}

static inline int rig_connect(rig *self)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(fcntl(pair[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(tusk_server_adopt(self->server, pair[1]), TUSK_OK);
    return pair[0];
}

/* The same over TCP, with room for so much on its way (SO_SNDBUF of the server, SO_RCVBUF of the
 * client); 0: as the system has it. */
static inline int rig_connect_tcp(rig *self, int sent, int unread)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)(void *)&at, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)(void *)&at, &len), 0);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (unread > 0) {
        assert_int_equal(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &unread, sizeof(unread)), 0);
    }
    assert_int_equal(connect(client, (struct sockaddr *)(void *)&at, len), 0);
    int served = accept(listener, NULL, NULL);
    if (sent > 0) {
        assert_int_equal(setsockopt(served, SOL_SOCKET, SO_SNDBUF, &sent, sizeof(sent)), 0);
    }
    assert_int_equal(fcntl(served, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(client, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(tusk_server_adopt(self->server, served), TUSK_OK);
    (void)close(listener);
    return client;
}

static inline void rig_turn(rig *self, int turns)
{
    for (int i = 0; i < turns; i++) {
        still_pass_ms(1);
        assert_int_equal(tusk_loop_turn(self->loop, 0), TUSK_OK);
    }
}

static inline uint64_t rig_stat(const rig *self, const char *name)
{
    tusk_server_stats stats;
    tusk_server_stats_get(self->server, &stats);
    for (size_t i = 0; i < tusk_server_counters.count; i++) {
        const tusk_metric *row = &tusk_server_counters.rows[i];
        if (row->name != NULL && strcmp(row->name, name) == 0) {
            return tusk_metric_value(row, &stats);
        }
    }
    fail_msg("no counter is called %s", name);
    return 0;
}

static inline void rig_write(int fd, const void *ptr, size_t len)
{
    assert_int_equal(write(fd, ptr, len), (ssize_t)len);
}

/* All that is there now; `out` gets a NUL behind it. */
static inline size_t rig_read(int fd, char *out, size_t cap)
{
    size_t len = 0;
    ssize_t n;
    while (len + 1 < cap && (n = read(fd, out + len, cap - len - 1)) > 0) {
        len += (size_t)n;
    }
    out[len] = '\0';
    return len;
}

/* Writes a request and reads what is answered within a few turns. */
static inline void rig_ask(rig *r, int fd, const char *request, char *text, size_t cap)
{
    rig_write(fd, request, strlen(request));
    rig_turn(r, 4);
    rig_read(fd, text, cap);
}

/* A frame with mask 0 0 0 0: its payload is what it looks like. */
static inline size_t rig_frame(uint8_t *out, uint8_t first, const void *payload, size_t len)
{
    static const uint8_t key[4] = {0, 0, 0, 0};
    size_t head = tusk_ws_head_encode(out, first & 0xf0, first & 0x0f, len, key);
    memcpy(out + head, payload, len);
    return head + len;
}

static inline void rig_send(int fd, uint8_t first, const void *payload, size_t len)
{
    uint8_t *frame = malloc(len + TUSK_WS_HEAD_MAX);
    size_t n = rig_frame(frame, first, payload, len);
    rig_write(fd, frame, n);
    free(frame);
}

static const char rig_upgrade[] =
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

static inline int rig_websocket(rig *self)
{
    char text[2048];
    int fd = rig_connect(self);
    rig_write(fd, rig_upgrade, sizeof(rig_upgrade) - 1);
    rig_turn(self, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "HTTP/1.1 101 "));
    assert_non_null(strstr(text, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    return fd;
}

static inline int rig_stream(rig *self)
{
    char text[2048];
    int fd = rig_connect(self);
    static const char request[] = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
    rig_write(fd, request, sizeof(request) - 1);
    rig_turn(self, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "text/event-stream"));
    assert_non_null(strstr(text, "3\r\n:\n\n\r\n"));
    return fd;
}

static inline void rig_publish(rig *self, const char *topic, const char *data,
                               tusk_position *position)
{
    const tusk_publication publication = {
        .topic = tusk_bytes_str(topic), .data = tusk_bytes_str(data), .opcode = TUSK_WS_TEXT};
    assert_int_equal(tusk_server_publish(self->server, &publication, position), TUSK_OK);
}

/* Publishes, and lets whoever comes next want what followed a place in another life of the log. */
static inline void rig_lose_place(rig *self, tusk_position *position)
{
    rig_publish(self, "t", "old", position);
    position->epoch ^= 1;
    self->topic = "t";
    self->since = position;
}

#endif
