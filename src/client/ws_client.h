/* SPDX-License-Identifier: MIT */
/* A WebSocket client's inside: ws_client.c opens and ends it, ws_client_io.c moves frames. */
#ifndef CLIENT_WS_CLIENT_H
#define CLIENT_WS_CLIENT_H

#include "client/line.h"
#include "proto/ws_pong.h"

enum { WS_KEY_LEN = 24, WS_OFFERS_MAX = 32 };

typedef enum ws_client_state {
    WS_CLIENT_CONNECTING,
    WS_CLIENT_HANDSHAKE,
    WS_CLIENT_OPEN,
    WS_CLIENT_CLOSING, /* our Close is queued, the peer's is awaited */
    WS_CLIENT_CLOSED
} ws_client_state;

struct tusk_ws_client {
    tusk__line_user base;
    const tusk_ws_client_handler *handler;
    void *user;
    tusk_buf request; /* the whole upgrade request; then the offered subprotocols alone are needed
                         of it */
    tusk_bytes offers[WS_OFFERS_MAX]; /* in `request` */
    size_t offer_count;
    char key[WS_KEY_LEN];
    size_t scanned;
    tusk_ws_client_options options; /* numbers, without zeros */
    tusk_ws_config config;
    tusk_ws_decoder decoder;
    tusk_ws_deflate deflate;
    tusk_ws_deflater *deflater; /* made for the first message that is worth it */
    tusk_task give_up_task;
    uint64_t heard_ms; /* when the last byte came */
    ws_client_state state;
    bool pinged;
    bool refused; /* a send was; on_drain is owed */
    ws_pong pong;
};

/* The last callback; the caller holds. The line has been dealt with. */
void tusk__ws_client_end(tusk_ws_client *self, uint16_t code, tusk_bytes reason, tusk_err err,
                         uint16_t status, const char *stage, const char *text);
/* Frames that came; the caller holds. */
void tusk__ws_client_read(tusk_ws_client *self);
uint8_t *tusk__ws_client_landing(tusk_ws_client *self, size_t *cap);
void tusk__ws_client_landed(tusk_ws_client *self, size_t len);
/* Queued whatever the limit: control frames. */
tusk_err tusk__ws_client_frame(tusk_ws_client *self, uint8_t opcode, tusk_bytes payload);
/* The pong that waited leaves. */
void tusk__ws_client_settle_pong(tusk_ws_client *self);

#endif
