/* SPDX-License-Identifier: MIT */
/* Peers that hold a part of something, and those that wait for the memory of it. */
#ifndef TEST_SERVE_HOLDERS_H
#define TEST_SERVE_HOLDERS_H

#include "rig_session.h"

#include "serve/unfinished.h"

enum { MIB = 1 << 20, TURN_MS = 5000, SILENT_MS = TURN_MS / 5, WHOLE = 300 * 1024 };

static uint8_t zeros[8 * MIB];
static uint8_t frame[MIB];
static char answer[WHOLE + 64];

static inline void on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                              tusk_bytes payload, void *taken)
{
    rig *r = user;
    (void)route;
    (void)tusk_websocket_send(r->server, session, opcode, payload, NULL, NULL);
    tusk_payload_drop(r->server, taken);
}

static inline void begin_with(rig *r, const tusk_server_handler *handler)
{
    const tusk_websocket_options open = {.any_origin = true};
    (void)signal(SIGPIPE, SIG_IGN);
    memset(r, 0, sizeof(*r));
    assert_int_equal(rig_frame(frame, 0x82, zeros, WHOLE), WHOLE + 14);
    still_begin();
    assert_err(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r->loop, .handler = handler, .user = r};
    tusk_server_limits_default(&options.limits);
    options.limits.unfinished_bytes = 1 * MIB;
    options.limits.unfinished_ms = TURN_MS;
    assert_err(tusk_server_new(&r->server, &options), TUSK_OK);
    assert_err(tusk_server_route_websocket(r->server, "/ws", &open, NULL), TUSK_OK);
    assert_err(tusk_server_route_http(r->server, "POST", "/post", NULL), TUSK_OK);
    assert_err(tusk_server_start(r->server, NULL, 0), TUSK_OK);
}

static inline void begin(rig *r)
{
    static const tusk_server_handler handler = {.on_message = on_message,
                                                .on_request = rig_on_request};
    begin_with(r, &handler);
}

static inline void end(rig *r)
{
    rig_fini(r);
    still_end();
}

/* Masked by 0 0 0 0, as rig_frame; of its payload only a part leaves. */
static inline void send_part(rig *r, int fd, size_t len, size_t part)
{
    static const uint8_t key[4] = {0, 0, 0, 0};
    uint8_t head[TUSK_WS_HEAD_MAX];
    rig_write(fd, head, tusk_ws_head_encode(head, 0x80, TUSK_WS_BINARY, len, key));
    rig_write(fd, zeros, part);
    for (int i = 0; i < 4; i++) { /* in no time */
        assert_err(tusk_loop_turn(r->loop, 0), TUSK_OK);
    }
}

typedef struct guest {
    int fd;
    size_t sent;
    size_t got;
} guest;

/* A message of WHOLE bytes, of which the socket takes what it can. True: it is back. */
static inline bool served(rig *r, guest *self)
{
    const size_t len = WHOLE + 14; /* a head with its mask */
    ssize_t n = self->sent == len ? 0 : write(self->fd, frame + self->sent, len - self->sent);
    self->sent += n > 0 ? (size_t)n : 0;
    rig_turn(r, 1);
    n = read(self->fd, answer, sizeof(answer));
    if (n > 0 && self->got == 0) {
        assert_int_equal((uint8_t)answer[0] & 0x0f, TUSK_WS_BINARY);
    }
    self->got += n > 0 ? (size_t)n : 0;
    return self->got == WHOLE + 10;
}

/* Milliseconds until it is. */
static inline int wait_of(rig *r, guest *self, int most)
{
    for (int ms = 0; ms < most; ms++) {
        if (served(r, self)) {
            return ms;
        }
    }
    fail_msg("not served after %d ms: %zu sent, %zu back", most, self->sent, self->got);
    return most;
}

static inline void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++) {
        close(fds[i]);
    }
}

#endif
