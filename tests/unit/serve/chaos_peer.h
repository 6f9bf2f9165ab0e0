/* SPDX-License-Identifier: MIT */
/* Clients that do anything at any time, and look at what they are told: whole frames, and nothing
 * behind a Close. */
#ifndef TEST_CHAOS_PEER_H
#define TEST_CHAOS_PEER_H

#include "rig.h"

enum { WIRE_MAX = 1 << 16 };

typedef enum peer_kind { PEER_HTTP, PEER_WEBSOCKET, PEER_STREAM } peer_kind;

typedef struct peer {
    int fd;
    peer_kind kind;
    bool asked;      /* for its upgrade */
    bool upgraded;   /* the 101 has come */
    bool close_seen; /* their Close: nothing may follow */
    bool reads;
    bool in_message; /* of theirs: the first frame of several has left */
    uint8_t unsent[WIRE_MAX * 2];
    size_t unsent_len;
    uint8_t wire[WIRE_MAX];
    size_t wire_len;
} peer;

static uint64_t chaos_seed;

static inline unsigned dice(unsigned sides)
{
    return (unsigned)(test_random(&chaos_seed) % sides);
}

static char data[70000];

static inline tusk_bytes some_data(void)
{
    static const unsigned sizes[] = {0, 1, 100, 1000, 1000, 5000, 60000};
    return tusk_bytes_of(data, dice(sizes[dice(7)] + 1));
}

static inline void hang_up(peer *self)
{
    close(self->fd);
    self->fd = -1;
}

static inline void call(peer *self, tusk_server *server)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    if (tusk_server_adopt(server, ends[1]) != TUSK_OK) {
        close(ends[0]);
        close(ends[1]);
        return;
    }
    memset(self, 0, sizeof(*self));
    self->fd = ends[0];
    self->kind = (peer_kind)dice(3);
    self->reads = dice(3) != 0;
}

static inline void push(peer *self)
{
    ssize_t sent = send(self->fd, self->unsent, self->unsent_len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
        memmove(self->unsent, self->unsent + sent, self->unsent_len - (size_t)sent);
        self->unsent_len -= (size_t)sent;
    }
}

static inline void write_all(peer *self, const void *ptr, size_t len)
{
    assert_true(self->unsent_len + len <= sizeof(self->unsent));
    memcpy(self->unsent + self->unsent_len, ptr, len);
    self->unsent_len += len;
    push(self);
}

static inline void say(peer *self, const char *text)
{
    write_all(self, text, strlen(text));
}

static inline void ask_http(peer *self)
{
    static const char *const requests[] = {
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /file HTTP/1.1\r\nHost: x\r\nRange: bytes=5-\r\n\r\n",
        "POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
        "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhe",
        "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n",
        "rubbish\r\n\r\n",
        "GE"};
    say(self, requests[dice(10)]);
}

static inline void send_frame(peer *self)
{
    static uint8_t frame[70100];
    uint8_t first = self->in_message ? (dice(2) == 0 ? 0x80 : 0x00) : dice(3) == 0 ? 0x01 : 0x81;
    size_t len = some_data().len;
    switch (dice(30)) {
    case 0: first = 0x88; break;
    case 1: first = 0xf1; break; /* reserved bits */
    case 2:
    case 3:
    case 4: first = 0x89; break;
    case 5: first = 0x8a; break;
    default: self->in_message = (first & 0x80) == 0; break;
    }
    len = first == 0x88 ? 2 : (first & 0x08) != 0 ? dice(100) : len;
    size_t n = rig_frame(frame, first, first == 0x88 ? "\x03\xe8" : data, len);
    write_all(self, frame, dice(100) == 0 ? n / 2 : n);
}

static inline void client_speaks(peer *self)
{
    if (self->unsent_len > 0) {
        push(self);
    } else if (self->kind == PEER_HTTP) {
        ask_http(self);
    } else if (!self->asked) {
        self->asked = true;
        if (self->kind == PEER_WEBSOCKET) {
            write_all(self, rig_upgrade, sizeof(rig_upgrade) - 3); /* without its empty line */
            say(self,
                dice(2) == 0 ? "\r\n" : "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
        } else {
            say(self, dice(2) == 0 ? "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"
                                   : "GET /asked HTTP/1.0\r\n\r\n");
        }
    } else if (self->kind == PEER_WEBSOCKET) {
        send_frame(self);
    }
}

/* Whole frames are looked at and taken: what came first stays a frame, and nothing follows a Close.
 */
static inline void check_frames(peer *self)
{
    size_t at = 0;
    while (self->wire_len - at >= 2) {
        const uint8_t *head = self->wire + at;
        size_t len = head[1] & 0x7f;
        size_t head_len = len == 126 ? 4 : len == 127 ? 10 : 2;
        if (self->wire_len - at < head_len) {
            break;
        }
        if (len >= 126) {
            size_t digits = head_len - 2;
            len = 0;
            for (size_t i = 0; i < digits; i++) {
                len = len << 8 | head[2 + i];
            }
        }
        assert_false(self->close_seen);
        assert_true((head[1] & 0x80) == 0 && (head[0] & 0xb0) == 0x80);
        assert_true(len <= sizeof(data));
        if (self->wire_len - at - head_len < len) {
            break;
        }
        self->close_seen = (head[0] & 0x0f) == 8;
        at += head_len + len;
    }
    memmove(self->wire, self->wire + at, self->wire_len - at);
    self->wire_len -= at;
}

static inline void client_reads(peer *self)
{
    static uint8_t sink[WIRE_MAX];
    if (self->kind != PEER_WEBSOCKET) {
        (void)!read(self->fd, sink, sizeof(sink));
        return;
    }
    ssize_t len = read(self->fd, self->wire + self->wire_len, WIRE_MAX - self->wire_len);
    self->wire_len += len > 0 ? (size_t)len : 0;
    if (!self->upgraded && self->wire_len > 0) {
        const uint8_t *end = memmem(self->wire, self->wire_len, "\r\n\r\n", 4);
        if (end == NULL || memmem(self->wire, self->wire_len, " 101 ", 5) == NULL) {
            self->wire_len = end == NULL ? self->wire_len : 0; /* refused */
            return;
        }
        size_t head = (size_t)(end - self->wire) + 4;
        memmove(self->wire, self->wire + head, self->wire_len - head);
        self->wire_len -= head;
        self->upgraded = true;
    }
    if (self->upgraded) {
        check_frames(self);
        if (self->wire_len == WIRE_MAX) {
            hang_up(self);
        }
    }
}

static inline void peer_acts(peer *self, tusk_server *server)
{
    if (self->fd < 0) {
        call(self, server);
        return;
    }
    switch (dice(200)) {
    case 0: hang_up(self); break;
    case 1: (void)shutdown(self->fd, SHUT_WR); break;
    case 2:
    case 3:
    case 4: self->reads = !self->reads; break;
    default:
        if (dice(2) == 0) {
            client_speaks(self);
        } else if (self->reads) {
            client_reads(self);
        }
    }
}

#endif
