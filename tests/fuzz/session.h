/* SPDX-License-Identifier: MIT */
/*
 * A whole server for session fuzz targets: peers on socket pairs, an owner that counts what it is
 * told, a clock that moves only when the script says so, an allocator that may fail and that knows
 * what is out. session_script.h turns the fuzzer's bytes into what happens.
 */
#ifndef TUSK_FUZZ_SESSION_H
#define TUSK_FUZZ_SESSION_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tusk/server.h>

#include "serve/session.h"
#include "still.h"

enum {
    WORLD_PEERS = 4,
    WORLD_SESSIONS = 64, /* told of over one input */
    WORLD_QUEUE = 24 * 1024,
    WORLD_MESSAGE = 8 * 1024,
    WORLD_UNFINISHED = 12 * 1024,
    WORLD_DEPTH = 3 /* callbacks that park inside callbacks */
};

typedef enum peer_phase { PEER_HEAD, PEER_FRAMES, PEER_OPAQUE } peer_phase;

typedef struct world_peer {
    int fd; /* -1: none */
    bool half_closed;
    uint8_t phase; /* peer_phase */
    size_t head_len;
    char head[2048];
    tusk_ws_decoder decoder;
} world_peer;

typedef struct world_session {
    tusk_handle handle;
    bool open, closed, gone;
    bool in_call;
    bool parked_outside;
} world_session;

typedef struct world {
    tusk_loop *loop;
    tusk_server *server;
    tusk_mem mem;
    size_t out_bytes, out_blocks;
    long fail_at; /* that many requests from now on fails; < 0: none */
    bool failed;
    world_peer peers[WORLD_PEERS];
    world_session sessions[WORLD_SESSIONS];
    size_t session_count;
    tusk_handle last;
    tusk_position position;
    tusk_ws_inflaters *inflaters; /* of the peers */
    tusk_ws_config peer_config;
    const uint8_t *script;
    size_t script_len;
    unsigned depth;
    bool park_next, answer_late, echo, stopped;
    bool long_answers; /* of HTTP, which may still be leaving when a session is upgraded */
} world;

/* ---- memory ---- */
static void *world_resize(void *user, void *old, size_t old_size, size_t size)
{
    world *self = user;
    FUZZ_CHECK((old == NULL) == (old_size == 0));
    if (size > 0 && self->fail_at >= 0 && self->fail_at-- == 0) {
        self->failed = true;
        return NULL;
    }
    void *ptr = NULL;
    if (size > 0) {
        ptr = realloc(old, size);
        FUZZ_CHECK(ptr != NULL);
    } else {
        free(old);
    }
    FUZZ_CHECK(self->out_bytes >= old_size);
    self->out_bytes = self->out_bytes - old_size + size;
    self->out_blocks += (size_t)(size > 0) - (size_t)(old != NULL);
    return ptr;
}

/* ---- the owner ---- */
static void world_script(world *self); /* session_script.h */

static world_session *world_find(world *self, tusk_handle handle)
{
    for (size_t i = self->session_count; i-- > 0;) {
        world_session *one = &self->sessions[i];
        if (one->handle.slot == handle.slot && one->handle.generation == handle.generation) {
            return one;
        }
    }
    return NULL;
}

static world_session *world_meet(world *self, tusk_handle handle)
{
    world_session *one = world_find(self, handle);
    FUZZ_CHECK(tusk_session_exists(self->server, handle));
    if (one == NULL && self->session_count < WORLD_SESSIONS) {
        one = &self->sessions[self->session_count++];
        one->handle = handle;
    }
    self->last = handle;
    return one;
}

/* Every callback comes for a session that is not closed, not inside a callback and not parked. A
 * callback that parks turns the loop itself, as a parked fiber lets another one do. */
static void world_enter(world *self, tusk_handle handle)
{
    world_session *one = world_meet(self, handle);
    if (one != NULL) {
        FUZZ_CHECK(!one->closed && !one->gone && !one->in_call && !one->parked_outside);
        one->in_call = true;
    }
    if (self->park_next && self->depth < WORLD_DEPTH) {
        self->park_next = false;
        self->depth++;
        tusk_session_park(self->server, handle);
        world_script(self);
        FUZZ_CHECK(tusk_session_exists(self->server, handle)); /* its end is kept back */
        tusk_session_unpark(self->server, handle);
        self->depth--;
    }
}

static void world_leave(world *self, tusk_handle handle)
{
    world_session *one = world_find(self, handle);
    if (one != NULL) {
        one->in_call = false;
    }
}

static void world_on_request(void *user, tusk_handle session, void *route,
                             const tusk_request *request)
{
    world *self = user;
    (void)route;
    FUZZ_CHECK(request->body.len <= self->server->limits.body_bytes);
    FUZZ_CHECK(request->head->field_count <= TUSK_HTTP_FIELDS_CAP);
    tusk_payload_drop(self->server, request->body_taken);
    world_enter(self, session);
    if (!self->answer_late) {
        (void)tusk_reply(self->server, session, 200, tusk_bytes_str("X-Test: 1\r\n"),
                         tusk_bytes_str("hello"), NULL);
    }
    world_leave(self, session);
}

static void world_on_authorize(void *user, tusk_handle session, void *route,
                               const tusk_request *request)
{
    world *self = user;
    (void)route;
    (void)request;
    world_enter(self, session);
    if (!self->answer_late) {
        (void)tusk_accept(self->server, session, tusk_bytes_of(NULL, 0));
    }
    world_leave(self, session);
}

static void world_on_open(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    world *self = user;
    (void)route;
    (void)request;
    world_session *one = world_meet(self, session); /* comes inside tusk_accept */
    if (one != NULL) {
        FUZZ_CHECK(!one->open && !one->closed);
        one->open = true;
    }
}

static void world_take(world *self, tusk_handle session, uint8_t opcode, tusk_bytes payload,
                       void *taken)
{
    FUZZ_CHECK(opcode == TUSK_WS_TEXT || opcode == TUSK_WS_BINARY);
    FUZZ_CHECK(payload.len <= WORLD_MESSAGE);
    const world_session *one = world_find(self, session);
    FUZZ_CHECK(one == NULL || one->open);
    if (self->echo) {
        (void)tusk_websocket_send(self->server, session, opcode, payload, NULL, NULL);
    }
    tusk_payload_drop(self->server, taken);
    world_enter(self, session);
    world_leave(self, session);
}

static void world_on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                             tusk_bytes payload, void *taken)
{
    world *self = user;
    bool asks = payload.len % 2 == 0;
    uint8_t place[64];
    size_t cap = payload.len % 3 == 0 ? 0 : sizeof(place);
    tusk_ws_item next;
    (void)route;
    world_take(self, session, opcode, payload, taken);
    while (asks && tusk_session_next(self->server, session, place, cap, &next)) {
        world_take(self, session, next.opcode, next.payload, next.taken);
    }
}

static void world_on_drain(void *user, tusk_handle session, void *route)
{
    world *self = user;
    (void)route;
    world_enter(self, session);
    world_leave(self, session);
}

static void world_on_close(void *user, tusk_handle session, void *route, uint16_t code,
                           tusk_bytes reason, tusk_close_kind kind, void *session_user)
{
    world *self = user;
    (void)route;
    (void)kind;
    (void)session_user;
    FUZZ_CHECK(reason.len <= TUSK_WS_REASON_MAX);
    FUZZ_CHECK(code >= 1000 && code < 5000);
    world_session *one = world_find(self, session);
    if (one == NULL) {
        return;
    }
    /* A close that the owner asks for inside a callback is told after it, as others are. */
    FUZZ_CHECK(one->open && !one->closed && !one->parked_outside);
    one->closed = true;
}

static void world_on_gone(void *user, tusk_handle session, void *session_user)
{
    world *self = user;
    (void)session_user;
    world_session *one = world_find(self, session);
    if (one != NULL) {
        FUZZ_CHECK(!one->open && !one->gone);
        one->gone = true;
    }
}

static void world_on_stopped(void *user)
{
    world *self = user;
    FUZZ_CHECK(!self->stopped && self->server->gates.taken == 0);
    self->stopped = true;
}

static const tusk_server_handler world_handler = {.on_request = world_on_request,
                                                  .on_authorize = world_on_authorize,
                                                  .on_open = world_on_open,
                                                  .on_message = world_on_message,
                                                  .on_drain = world_on_drain,
                                                  .on_close = world_on_close,
                                                  .on_gone = world_on_gone,
                                                  .on_stopped = world_on_stopped};

/* ---- what always holds ---- */
static void world_check(const world *self)
{
    const tusk_server *server = self->server;
    size_t unfinished = 0, queued = 0, handshakes = 0, websockets = 0, streams = 0;
    uint64_t subscriptions = 0;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        const tusk_session *session = server->slots[i].session;
        if (session == NULL) {
            continue;
        }
        unfinished += session->unfinished;
        queued += session->conn.send_bytes;
        handshakes += session->counted_handshake;
        /* who was told his end has his slot until he is gone, and is none of those that are open */
        bool counts = session->opened && !session->close_told;
        websockets += counts && session->kind == SESSION_WEBSOCKET;
        streams += counts && session->kind == SESSION_STREAM;
        subscriptions += session->member == NULL ? 0 : session->member->sub_count;
        if (session->kind != SESSION_HTTP && !self->long_answers) {
            /* what the limit lets in, a Close, a pong, the ends of chunks; an empty queue takes a
             * whole batch where the policy is to drop */
            FUZZ_CHECK(session->conn.send_bytes <= WORLD_QUEUE + 2u * HUB_BATCH_BYTES);
        }
        FUZZ_CHECK(session->conn.in_len <= 2u * 65536u);
    }
    FUZZ_CHECK(server->unfinished >= unfinished);
    FUZZ_CHECK(tusk_net_queued(server->net) >= queued);
    FUZZ_CHECK(server->handshakes >= handshakes);
    FUZZ_CHECK(server->stats.websockets_open == websockets);
    FUZZ_CHECK(server->stats.streams_open == streams);
    FUZZ_CHECK(server->stats.subscriptions == subscriptions);
}

/* ---- life ---- */
static bool world_routes(world *self)
{
    static const tusk_bytes protocols[] = {{(const uint8_t *)"chat", 4}};
    const tusk_ws_deflate_options deflate = {.on = true,
                                             .server_context_takeover = true,
                                             .client_context_takeover = true,
                                             .server_max_window_bits = 15,
                                             .client_max_window_bits = 15,
                                             .level = 1,
                                             .mem_level = 1,
                                             .threshold = 32};
    const tusk_websocket_options plain = {.any_origin = true,
                                          .keep_target = true,
                                          .deflate = deflate,
                                          .subprotocols = protocols,
                                          .subprotocol_count = 1};
    const tusk_websocket_options asked = {.any_origin = true, .authorize = true};
    tusk_server *server = self->server;
    return tusk_server_route_websocket(server, "/ws", &plain, NULL) == TUSK_OK &&
           tusk_server_route_websocket(server, "/asked/{name}", &asked, NULL) == TUSK_OK &&
           tusk_server_route_events(server, "/events",
                                    &(tusk_events_options){.any_origin = true, .keep_target = true},
                                    NULL) == TUSK_OK &&
           tusk_server_route_events(
               server, "/asked-events",
               &(tusk_events_options){.any_origin = true, .authorize = true, .keep_target = true},
               NULL) == TUSK_OK &&
           tusk_server_route_http(server, "GET", "/", NULL) == TUSK_OK &&
           tusk_server_route_http(server, "POST", "/post", NULL) == TUSK_OK &&
           tusk_server_start(server, NULL, 0) == TUSK_OK;
}

static bool world_init(world *self, uint8_t options)
{
    (void)signal(SIGPIPE, SIG_IGN);
    memset(self, 0, sizeof(*self));
    still_begin();
    self->mem = (tusk_mem){.resize = world_resize, .user = self};
    self->fail_at = -1;
    self->echo = (options & 1) != 0;
    for (size_t i = 0; i < WORLD_PEERS; i++) {
        self->peers[i].fd = -1;
    }
    const tusk_loop_options loop_options = {.mem = &self->mem,
                                            .poller = (options & 2) != 0 ? "poll" : "epoll"};
    if (tusk_loop_new(&self->loop, &loop_options) != TUSK_OK) {
        return false;
    }
    tusk_server_options server_options = {
        .loop = self->loop, .handler = &world_handler, .user = self};
    tusk_server_limits_default(&server_options.limits);
    tusk_server_limits *limits = &server_options.limits;
    limits->message_bytes = WORLD_MESSAGE;
    limits->message_frames = 64;
    limits->unfinished_bytes = WORLD_UNFINISHED;
    limits->queued_bytes = WORLD_QUEUE;
    limits->queued_bytes_total = 2u * WORLD_QUEUE;
    limits->subscriptions = 3;
    limits->body_bytes = 4096;
    limits->history_bytes = 4096;
    limits->ping_ms = (options & 4) != 0 ? 7000 : 0;
    limits->messages_per_second = (options & 8) != 0 ? 20 : 0;
    limits->http.head_max = 2048;
    FUZZ_CHECK(tusk_server_new(&self->server, &server_options) == TUSK_OK);
    FUZZ_CHECK(world_routes(self));
    (void)tusk_ws_inflaters_new(&self->inflaters, tusk_mem_default());
    self->peer_config = (tusk_ws_config){.mem = tusk_mem_default(),
                                         .role = TUSK_WS_CLIENT,
                                         .message_max = 1u << 20,
                                         .inflaters = self->inflaters};
    return true;
}

static void world_turn(world *self, int turns)
{
    while (turns-- > 0) {
        (void)tusk_loop_turn(self->loop, 0); /* TUSK_ESTATE after a callback that turned itself */
        if (self->depth == 0) {
            world_check(self);
        }
    }
}

static void world_hang_up(world *self, world_peer *peer)
{
    if (peer->fd >= 0) {
        (void)close(peer->fd);
        if (peer->phase == PEER_FRAMES) {
            tusk_ws_decoder_fini(&peer->decoder);
        }
    }
    memset(peer, 0, sizeof(*peer));
    peer->fd = -1;
    (void)self;
}

/* All peers leave, all that is parked goes on, time passes: nothing may be left. */
static void world_fini(world *self)
{
    self->script_len = 0;
    self->fail_at = -1;
    self->answer_late = false; /* an owner that never answers keeps its session */
    for (size_t i = 0; i < self->session_count; i++) {
        if (self->sessions[i].parked_outside) {
            self->sessions[i].parked_outside = false;
            tusk_session_unpark(self->server, self->sessions[i].handle);
        }
    }
    for (size_t i = 0; i < WORLD_PEERS; i++) {
        world_hang_up(self, &self->peers[i]);
    }
    world_turn(self, 4);
    for (int i = 0; i < 12; i++) {
        for (uint32_t slot = 0; slot < self->server->slot_count; slot++) {
            if (self->server->slots[slot].session != NULL) {
                tusk_handle handle = tusk__session_handle(self->server->slots[slot].session);
                (void)tusk_reply(self->server, handle, 204, tusk_bytes_of(NULL, 0),
                                 tusk_bytes_of(NULL, 0), NULL);
                (void)tusk_reply_end(self->server, handle);
            }
        }
        still_pass_ms(61000);
        world_turn(self, 3);
    }
    const tusk_server *server = self->server;
    FUZZ_CHECK(server->gates.taken == 0 && server->handshakes == 0 && server->unfinished == 0);
    FUZZ_CHECK(tusk_net_queued(server->net) == 0 && server->stats.parked == 0);
    FUZZ_CHECK(server->unfinished_owner == NULL && server->hub.topics.count == 0);
    for (size_t i = 0; i < self->session_count; i++) {
        FUZZ_CHECK(self->sessions[i].open == self->sessions[i].closed);
        FUZZ_CHECK(!tusk_session_exists(server, self->sessions[i].handle));
    }
    tusk_server_free(self->server);
    tusk_loop_free(self->loop);
    tusk_ws_inflaters_free(self->inflaters);
    FUZZ_CHECK(self->out_bytes == 0 && self->out_blocks == 0);
}

#endif
