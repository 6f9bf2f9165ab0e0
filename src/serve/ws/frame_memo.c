/* SPDX-License-Identifier: MIT */
/*
 * Frames that go to many: each is encoded once, behind the one before. A connection that gets
 * several of them in a turn so has one part of one blob in its queue, which leaves by one send();
 * the blob begins anew as soon as nobody's queue refers to it.
 */
#include "serve/ws/frame_memo.h"

#define RUN_BYTES ((size_t)16 * 1024)
#define RUN_FRAME_MAX (RUN_BYTES / 4) /* a larger one has a blob of its own */

static void drop(tusk_frame_run *self)
{
    tusk_blob_unref(self->blob);
    *self = (tusk_frame_run){0};
}

void tusk_frame_memo_fini(tusk_frame_memo *memo)
{
    drop(&memo->plain);
    drop(&memo->deflated);
}

/* The bytes behind those that were given out are nobody's yet: a blob is immutable where it is
 * known. */
static uint8_t *place_of(const tusk_blob *blob, size_t at)
{
    return (uint8_t *)(uintptr_t)(blob->ptr + at);
}

static uint8_t *reserve(tusk_frame_run *self, const tusk_mem *mem, size_t len)
{
    uint8_t *place;
    size_t cap = len > RUN_FRAME_MAX ? len : RUN_BYTES;
    if (self->blob != NULL && self->blob->len == RUN_BYTES && cap == RUN_BYTES) {
        self->used = self->blob->refs == 1 ? 0 : self->used;
        if (len <= RUN_BYTES - self->used) {
            return place_of(self->blob, self->used);
        }
    }
    drop(self);
    return tusk_blob_new(&self->blob, mem, cap, &place) == TUSK_OK ? place : NULL;
}

tusk_err tusk__frame_run_encode(tusk_frame_run *self, const tusk_mem *mem, uint8_t flags,
                                uint8_t opcode, tusk_bytes payload)
{
    size_t head_len = tusk_ws_head_size(payload.len, false);
    uint8_t *place = reserve(self, mem, head_len + payload.len);
    self->len = 0;
    if (place == NULL) {
        return TUSK_ENOMEM;
    }
    (void)tusk_ws_head_encode(place, flags, opcode, payload.len, NULL);
    if (payload.len > 0) {
        memcpy(place + head_len, payload.ptr, payload.len);
    }
    self->start = self->used;
    self->len = head_len + payload.len;
    self->used += self->len;
    return TUSK_OK;
}
