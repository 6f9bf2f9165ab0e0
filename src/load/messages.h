/* SPDX-License-Identifier: MIT */
/* Messages made beforehand: a cycle of payloads, framed and masked, so that sending one is handing
 * over bytes that lie ready. */
#ifndef LOAD_MESSAGES_H
#define LOAD_MESSAGES_H

#include <tusk/ws.h>

#include "load/plan.h"

typedef struct load_messages {
    const tusk_mem *mem;
    uint32_t slots;
    size_t size;       /* of a payload */
    uint8_t *payloads; /* slots * size */
    tusk_buf wire;     /* the frames of slot 0, 1, …, and all of them once more */
    size_t *at;        /* 2 * slots + 1 places in it */
    uint8_t answer_head[TUSK_WS_HEAD_MAX]; /* of an echo in one frame */
    size_t answer_head_len;
} load_messages;

/* With `compress` not NULL the payloads go compressed. */
tusk_err tusk__load_messages_init(load_messages *self, const load_plan *plan, uint32_t depth,
                                  tusk_ws_deflater *compress);
/* The payloads alone, without frames. */
tusk_err tusk__load_messages_raw(load_messages *self, const load_plan *plan, uint32_t depth);
void tusk__load_messages_fini(load_messages *self);
/* The bytes of `*count` messages from `slot` on; fewer when they do not lie together. */
tusk_bytes tusk__load_messages_wire(const load_messages *self, uint32_t slot, uint32_t *count);
static inline const uint8_t *tusk__load_messages_payload(const load_messages *self, uint32_t slot)
{
    return self->payloads + (size_t)slot * self->size;
}
/* The slot with that payload; `slots` when there is none. */
uint32_t tusk__load_messages_find(const load_messages *self, tusk_bytes payload);

#endif
