/* SPDX-License-Identifier: MIT */
/* The script of a session fuzz target: what peers write and read, what the owner asks for, what
 * time does. */
#ifndef TUSK_FUZZ_SESSION_SCRIPT_H
#define TUSK_FUZZ_SESSION_SCRIPT_H

#include "session.h"

static const char *const world_heads[] = {
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
    "GET /asked/me HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    "GET /events HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /events HTTP/1.0\r\nHost: x\r\n\r\n",
    "GET /asked-events HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 1:2\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n",
    "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 400\r\nExpect: 100-continue\r\n\r\n",
    "4\r\nabcd\r\n",
    "0\r\n\r\n",
    "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
    "client_no_context_takeover; server_max_window_bits=10\r\n\r\n",
};
enum { WORLD_HEADS = sizeof(world_heads) / sizeof(world_heads[0]) };

static uint8_t world_byte(world *self)
{
    if (self->script_len == 0) {
        return 0;
    }
    self->script_len--;
    return *self->script++;
}

static tusk_bytes world_bytes(world *self, size_t len)
{
    len = len < self->script_len ? len : self->script_len;
    tusk_bytes bytes = tusk_bytes_of(self->script, len);
    self->script += len;
    self->script_len -= len;
    return bytes;
}

/* Sizes around the edges of formats and limits. */
static size_t world_size(world *self)
{
    static const uint16_t edges[] = {125,  126,  127,  1000,  1024,  4096,  4097,  8191,
                                     8192, 8193, 9300, 16384, 20000, 23000, 24576, 65535};
    uint8_t byte = world_byte(self);
    return byte < 240 ? byte : edges[byte & 15];
}

/* ---- peers ---- */
static void peer_connect(world *self, world_peer *peer)
{
    int pair[2];
    int room = 4096;
    int peer_room = 80000; /* below what systems allow: the same everywhere */
    world_hang_up(self, peer);
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    (void)setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    (void)setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &peer_room, sizeof(peer_room));
    if (self->server->state != SERVER_RUNNING || tusk_server_adopt(self->server, pair[1]) != 0) {
        (void)close(pair[0]);
        (void)close(pair[1]);
        return;
    }
    peer->fd = pair[0];
}

static void peer_write(const world_peer *peer, const void *ptr, size_t len)
{
    if (peer->fd >= 0 && !peer->half_closed && len > 0) {
        (void)!write(peer->fd, ptr, len);
    }
}

/* A masked frame; kinds: what a client sends, and what it must not. */
static void peer_frame(world *self, const world_peer *peer)
{
    static const uint8_t firsts[] = {0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x89, 0x8a,
                                     0x88, 0xc1, 0x41, 0xc2, 0x09, 0x83, 0xa1, 0x91};
    static const uint8_t key[4] = {0x11, 0x80, 0, 0x7f};
    uint8_t how = world_byte(self);
    size_t declared = world_size(self);
    uint8_t first = firsts[how & 15];
    uint8_t *frame = malloc(declared + TUSK_WS_HEAD_MAX);
    FUZZ_CHECK(frame != NULL);
    size_t head = tusk_ws_head_encode(frame, first & 0xf0, first & 0x0f, declared,
                                      (how & 16) != 0 && (how & 32) != 0 ? NULL : key);
    tusk_bytes own = world_bytes(self, declared < 16 ? declared : 16);
    for (size_t i = 0; i < declared; i++) { /* the script's bytes, over and over */
        frame[head + i] = own.len == 0 ? 'a' : own.ptr[i % own.len];
    }
    if (declared >= 2 && (first & 15) == TUSK_WS_CLOSE && (how & 64) == 0) {
        frame[head] = 0x03;
        frame[head + 1] = (uint8_t)(0xe8 + (frame[head + 1] & 3));
    }
    tusk_mask_apply(frame + head, frame + head, declared, key, 0);
    size_t sent = (how & 128) != 0 ? head + declared / 2 : head + declared;
    peer_write(peer, frame, sent);
    free(frame);
}

/* What a WebSocket peer gets must be frames without a fault, however it was cut. */
static void peer_decode(world_peer *peer, uint8_t *ptr, size_t len)
{
    while (len > 0) {
        size_t consumed = 0;
        tusk_ws_item item;
        tusk_err err = tusk_ws_decode(&peer->decoder, ptr, len, &consumed, &item);
        FUZZ_CHECK(err == TUSK_OK || err == TUSK_ENOMEM);
        tusk_ws_taken_drop(peer->decoder.config, item.taken, item.taken_cap);
        if (item.kind == TUSK_WS_ITEM_CLOSE) {
            FUZZ_CHECK(consumed == len); /* nothing follows a Close */
            return;
        }
        if (consumed == 0) {
            break;
        }
        ptr += consumed;
        len -= consumed;
    }
    memmove(peer->head, ptr, len); /* an unfinished head of a frame */
    peer->head_len = len;
}

static void peer_head(const world *self, world_peer *peer)
{
    peer->head[peer->head_len] = '\0';
    char *end = strstr(peer->head, "\r\n\r\n");
    if (strncmp(peer->head, "HTTP/1.1 101 ", peer->head_len < 13 ? peer->head_len : 13) != 0) {
        peer->phase = PEER_OPAQUE;
        return;
    }
    if (end == NULL) {
        return;
    }
    *end = '\0';
    const tusk_ws_deflate deflate = {
        .on = strstr(peer->head, "permessage-deflate") != NULL,
        .server_no_context_takeover = strstr(peer->head, "server_no_context_takeover") != NULL,
        .client_no_context_takeover = strstr(peer->head, "client_no_context_takeover") != NULL,
        .server_max_window_bits = 15,
        .client_max_window_bits = 15};
    tusk_ws_decoder_init(&peer->decoder, &self->peer_config, &deflate);
    peer->phase = PEER_FRAMES;
    size_t used = (size_t)(end + 4 - peer->head);
    uint8_t rest[sizeof(peer->head)];
    size_t len = peer->head_len - used;
    memcpy(rest, peer->head + used, len);
    peer->head_len = 0;
    peer_decode(peer, rest, len);
}

static void peer_read(const world *self, world_peer *peer, size_t most)
{
    static uint8_t place[2048 + 32768];
    while (peer->fd >= 0 && most > 0) {
        size_t cap = peer->phase == PEER_HEAD ? sizeof(peer->head) - 1 - peer->head_len : 32768;
        size_t kept = peer->phase == PEER_FRAMES ? peer->head_len : 0;
        cap = cap < most ? cap : most;
        ssize_t n = cap == 0 ? 0 : read(peer->fd, place + kept, cap);
        if (n <= 0) {
            return;
        }
        most -= (size_t)n;
        if (peer->phase == PEER_HEAD) {
            memcpy(peer->head + peer->head_len, place, (size_t)n);
            peer->head_len += (size_t)n;
            peer_head(self, peer);
        } else if (peer->phase == PEER_FRAMES) {
            memcpy(place, peer->head, kept);
            peer->head_len = 0;
            peer_decode(peer, place, kept + (size_t)n);
        }
    }
}

/* ---- the owner ---- */
static tusk_handle world_pick(world *self)
{
    uint8_t which = world_byte(self);
    return which == 0 || self->session_count == 0
               ? self->last
               : self->sessions[which % self->session_count].handle;
}

static tusk_bytes world_topic(world *self)
{
    static const char *const topics[] = {"a", "b", "c", "d"};
    return tusk_bytes_str(topics[world_byte(self) & 3]);
}

static const uint8_t *world_filler(void)
{
    static uint8_t filler[65536];
    for (size_t i = 0; filler[0] == 0 && i < sizeof(filler); i++) {
        filler[i] = (uint8_t)('a' + i % 23);
    }
    return filler;
}

static void owner_sends(world *self)
{
    tusk_handle session = world_pick(self);
    uint8_t opcode = (world_byte(self) & 1) != 0 ? TUSK_WS_TEXT : TUSK_WS_BINARY;
    tusk_bytes payload = tusk_bytes_of(world_filler(), world_size(self));
    (void)tusk_websocket_send(self->server, session, opcode, payload, NULL, NULL);
}

static void owner_publishes(world *self)
{
    uint8_t how = world_byte(self);
    size_t len = world_size(self);
    tusk_publication publication = {
        .topic = world_topic(self),
        .data = tusk_bytes_of(world_filler(), len > WORLD_QUEUE / 2 ? WORLD_QUEUE / 2 : len),
        .opcode = (how & 1) != 0 ? TUSK_WS_BINARY : TUSK_WS_TEXT};
    if ((how & 2) != 0) {
        publication.except = self->last;
    }
    if ((how & 4) != 0) {
        publication.sse_type = tusk_bytes_str("kind");
        publication.sse_id = tusk_bytes_str("7");
    }
    (void)tusk_server_publish(self->server, &publication, (how & 8) != 0 ? &self->position : NULL);
}

static void owner_subscribes(world *self)
{
    tusk_handle session = world_pick(self);
    uint8_t how = world_byte(self);
    tusk_bytes topic = world_topic(self);
    if ((how & 8) != 0) {
        (void)tusk_session_unsubscribe(self->server, session, topic);
        return;
    }
    tusk_position other = {.epoch = self->position.epoch, .offset = how >> 4};
    const tusk_position *since = (how & 4) == 0 ? NULL : (how >> 4) == 0 ? &self->position : &other;
    (void)tusk_session_subscribe(self->server, session, topic, since, (tusk_overflow)(how & 3));
}

static void owner_ends(world *self)
{
    tusk_handle session = world_pick(self);
    switch (world_byte(self) & 3) {
    case 0: (void)tusk_websocket_close(self->server, session, 1000, tusk_bytes_str("bye")); break;
    case 1: (void)tusk_stream_close(self->server, session); break;
    default: tusk_session_terminate(self->server, session); break;
    }
}

static void owner_answers(world *self)
{
    tusk_handle session = world_pick(self);
    uint8_t how = world_byte(self);
    tusk_bytes body = tusk_bytes_of(world_filler(), world_size(self));
    self->long_answers = self->long_answers || ((how & 7) < 3 && body.len > 240);
    switch (how & 7) {
    case 0: (void)tusk_reply(self->server, session, 200, tusk_bytes_of(NULL, 0), body, NULL); break;
    case 1:
        (void)((how & 8) != 0
                   ? tusk_reply_begin_sized(self->server, session, 200, tusk_bytes_of(NULL, 0),
                                            body.len)
                   : tusk_reply_begin(self->server, session, 200, tusk_bytes_of(NULL, 0)));
        break;
    case 2: (void)tusk_reply_write(self->server, session, body); break;
    case 3: (void)tusk_reply_end(self->server, session); break;
    case 4: (void)tusk_accept(self->server, session, tusk_bytes_str("Set-Cookie: a=b\r\n")); break;
    case 5:
        (void)tusk_stream_send(self->server, session, tusk_bytes_str("kind"), tusk_bytes_str("1"),
                               true, body);
        break;
    case 6: (void)tusk_stream_comment(self->server, session, tusk_bytes_str("c")); break;
    default: (void)tusk_stream_retry(self->server, session, 3000); break;
    }
}

/* Outside callbacks: who is not parked becomes so, and back. */
static void owner_parks(world *self)
{
    world_session *one = world_find(self, world_pick(self));
    if (one == NULL || one->in_call || !tusk_session_exists(self->server, one->handle)) {
        return;
    }
    one->parked_outside = !one->parked_outside;
    if (one->parked_outside) {
        tusk_session_park(self->server, one->handle);
    } else {
        tusk_session_unpark(self->server, one->handle);
    }
}

static void world_step(world *self)
{
    uint8_t op = world_byte(self);
    world_peer *peer = &self->peers[op >> 6];
    tusk_bytes bytes;
    switch (op & 31) {
    case 0: peer_connect(self, peer); break;
    case 1:
        peer_write(peer, world_heads[0], 0);
        bytes = tusk_bytes_str(world_heads[world_byte(self) % WORLD_HEADS]);
        peer_write(peer, bytes.ptr, bytes.len);
        break;
    case 2: /* a part of it, and the rest after a turn */
        bytes = tusk_bytes_str(world_heads[world_byte(self) % WORLD_HEADS]);
        peer_write(peer, bytes.ptr, bytes.len / 2);
        world_turn(self, 1);
        peer_write(peer, bytes.ptr + bytes.len / 2, bytes.len - bytes.len / 2);
        break;
    case 3:
        bytes = world_bytes(self, world_byte(self));
        peer_write(peer, bytes.ptr, bytes.len);
        break;
    case 4:
    case 5:
    case 6: peer_frame(self, peer); break;
    case 7: peer_read(self, peer, SIZE_MAX); break;
    case 8: peer_read(self, peer, world_size(self)); break;
    case 9:
        if (peer->fd >= 0) {
            (void)shutdown(peer->fd, SHUT_WR);
            peer->half_closed = true;
        }
        break;
    case 10: world_hang_up(self, peer); break;
    case 11: world_turn(self, 1 + (op >> 6)); break;
    case 12:
        still_pass_ms(UINT64_C(1) << (world_byte(self) & 15));
        world_turn(self, 1);
        break;
    case 13: owner_sends(self); break;
    case 14:
    case 15: owner_publishes(self); break;
    case 16:
    case 17: owner_subscribes(self); break;
    case 18: owner_ends(self); break;
    case 19:
    case 20: owner_answers(self); break;
    case 21: owner_parks(self); break;
    case 22: self->park_next = true; break;
    case 23: self->answer_late = !self->answer_late; break;
    case 24: self->fail_at = world_byte(self); break;
    case 25: self->fail_at = -1; break;
    case 26:
        if (world_byte(self) == 26) { /* rarely, or nothing else is seen */
            tusk_server_stop(self->server);
        }
        break;
    case 27: self->echo = !self->echo; break;
    default: world_turn(self, 1); break;
    }
}

/* The whole script; inside a callback a part of it. */
static void world_script(world *self)
{
    size_t steps = self->depth == 0 ? SIZE_MAX : 1 + (size_t)world_byte(self) % 16;
    while (steps-- > 0 && self->script_len > 0) {
        world_step(self);
    }
}

/* One input: options, then the first peer's head, then the script. */
static void world_run(uint8_t options, const char *head, const uint8_t *data, size_t size)
{
    static world self;
    if (!world_init(&self, options)) {
        return;
    }
    peer_connect(&self, &self.peers[0]);
    peer_write(&self.peers[0], head, strlen(head));
    world_turn(&self, 2);
    self.script = data;
    self.script_len = size;
    world_script(&self);
    world_fini(&self);
}

#endif
