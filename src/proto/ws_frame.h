/* SPDX-License-Identifier: MIT */
/* The frame head's parser, inlined where frames are decoded. */
#ifndef PROTO_WS_FRAME_H
#define PROTO_WS_FRAME_H

#include <tusk/ws.h>

enum { TUSK__WS_OPCODE_BITS = 0x0F, TUSK__WS_RSV_BITS = 0x70, TUSK__WS_CONTROL_BIT = 0x08 };

static inline bool tusk__ws_opcode_known(unsigned opcode)
{
    return (0x707u >> opcode & 1) != 0; /* 0, 1, 2, 8, 9, 10 */
}

/* What the first byte of a frame shows by itself: a control frame is not fragmented (RFC 6455,
 * 5.5). */
static inline bool tusk__ws_may_begin(uint8_t first)
{
    return tusk__ws_opcode_known(first & TUSK__WS_OPCODE_BITS) &&
           ((first & TUSK__WS_CONTROL_BIT) == 0 || (first & TUSK_WS_FIN) != 0);
}

static inline uint64_t tusk__ws_big_endian(const uint8_t *ptr, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value = value << 8 | ptr[i];
    }
    return value;
}

/* As tusk_ws_head_encode without a mask, most heads being of two bytes. */
static inline size_t tusk__ws_head_put(uint8_t *out, uint8_t flags, uint8_t opcode, size_t len)
{
    if (TUSK_UNLIKELY(len > 125)) {
        return tusk_ws_head_encode(out, flags, opcode, len, NULL);
    }
    out[0] = (uint8_t)(flags | opcode);
    out[1] = (uint8_t)len;
    return 2;
}

/* Where a payload may be put. */
typedef struct tusk__ws_place {
    uint8_t *ptr;
    size_t cap; /* 0: nowhere */
} tusk__ws_place;

/* The next message, if it lies whole in the input in one plain frame, as nearly every one does. Its
 * payload is put into `place`, if it fits there: payload.ptr says so. False: it is not exactly
 * that, and nothing of the input was touched; tusk_ws_decode says what it is. */
bool tusk__ws_decode_whole(tusk_ws_decoder *self, uint8_t *in, size_t len, tusk__ws_place place,
                           size_t *consumed, tusk_ws_item *item);

/* As tusk_ws_head_parse. Faults are seen at the byte that shows them. */
static inline ptrdiff_t tusk__ws_head_parse(tusk_ws_head *head, const uint8_t *in, size_t in_len)
{
    if (in_len > 0 && !tusk__ws_may_begin(in[0])) {
        return TUSK_EPROTO;
    }
    if (in_len < 2) {
        return 0;
    }
    unsigned opcode = in[0] & TUSK__WS_OPCODE_BITS;
    uint64_t len = in[1] & 0x7F;
    if ((opcode & TUSK__WS_CONTROL_BIT) != 0 && len > TUSK_WS_CONTROL_MAX) {
        return TUSK_EPROTO; /* RFC 6455, 5.5 */
    }
    size_t size = 2;
    if (len >= 126) {
        bool wide = len == 127;
        size = wide ? 10 : 4;
        if (in_len < size) {
            return wide && in_len > 2 && in[2] >= 0x80 ? TUSK_EPROTO : 0;
        }
        len = tusk__ws_big_endian(in + 2, size - 2);
        if (wide ? len < 65536 || len >> 63 != 0 : len < 126) {
            return TUSK_EPROTO; /* not the shortest form, or the high bit: RFC 6455, 5.2 */
        }
    }
    bool masked = (in[1] & 0x80) != 0;
    if (masked) {
        if (in_len < size + 4) {
            return 0;
        }
        memcpy(head->key, in + size, 4);
        size += 4;
    } else {
        memset(head->key, 0, 4);
    }
    head->len = len;
    head->flags = (uint8_t)(in[0] & ~(unsigned)TUSK__WS_OPCODE_BITS);
    head->opcode = (uint8_t)opcode;
    head->masked = masked;
    head->size = (uint8_t)size;
    return (ptrdiff_t)size;
}

#endif
