/* SPDX-License-Identifier: MIT */
/* The pong that is owed behind a long queue. To a peer that pings and does not read, pongs do not
 * pile up: a later ping takes the place of the one before it (RFC 6455, 5.5.3). */
#ifndef PROTO_WS_PONG_H
#define PROTO_WS_PONG_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <tusk/bytes.h>
#include <tusk/ws.h>

/* With more than this queued a pong waits. */
#define WS_PONG_QUEUE_MAX ((size_t)16 * 1024)

/* All zero at first. */
typedef struct ws_pong {
    uint8_t owed; /* 0: none; else 1 more than the payload's length */
    uint8_t payload[TUSK_WS_CONTROL_MAX];
} ws_pong;

/* True: it took the place of one that waited. */
static inline bool ws_pong_owe(ws_pong *self, tusk_bytes ping)
{
    assert(ping.len <= TUSK_WS_CONTROL_MAX);
    bool replaced = self->owed > 0;
    self->owed = (uint8_t)(ping.len + 1);
    if (ping.len > 0) {
        memcpy(self->payload, ping.ptr, ping.len);
    }
    return replaced;
}

/* False: none was owed; else it is no more, and `payload` may be read until the next one is. */
static inline bool ws_pong_settle(ws_pong *self, tusk_bytes *payload)
{
    if (self->owed == 0) {
        return false;
    }
    *payload = tusk_bytes_of(self->payload, self->owed - 1u);
    self->owed = 0;
    return true;
}

#endif
