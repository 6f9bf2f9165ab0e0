/* SPDX-License-Identifier: MIT */
/* The cycle of messages: payloads that differ, frames with keys that differ. */
#include "load/messages.h"

#include "base/mem.h"
#include "load/payload.h"

#define SLOTS_MIN 64
#define CYCLE_BYTES ((size_t)16 << 20) /* long messages are fewer */

static uint32_t slots_for(size_t size, uint32_t depth)
{
    uint32_t slots = SLOTS_MIN;
    while (slots < depth) {
        slots *= 2;
    }
    while (slots > 2 && slots * (size + TUSK_WS_HEAD_MAX) > CYCLE_BYTES) {
        slots /= 2;
    }
    return slots;
}

/* The frames of one message: one, or several of `fragment` bytes. */
static tusk_err put_frames(tusk_buf *out, const load_plan *plan, tusk_bytes payload, bool deflated,
                           uint64_t seed)
{
    size_t part = plan->fragment > 0 ? (size_t)plan->fragment : payload.len;
    size_t at = 0;
    do {
        size_t len = payload.len - at < part ? payload.len - at : part;
        uint8_t flags = at + len == payload.len ? TUSK_WS_FIN : 0;
        flags |= deflated && at == 0 ? TUSK_WS_RSV1 : 0;
        uint8_t opcode = at > 0         ? TUSK_WS_CONTINUATION
                         : plan->binary ? TUSK_WS_BINARY
                                        : TUSK_WS_TEXT;
        uint64_t random = tusk__load_random(seed + at);
        uint8_t key[4];
        memcpy(key, &random, sizeof(key));
        uint8_t *place;
        tusk_err err = tusk_buf_reserve(out, TUSK_WS_HEAD_MAX + len, &place);
        if (err != TUSK_OK) {
            return err;
        }
        size_t head = tusk_ws_head_encode(place, flags, opcode, len, key);
        if (len > 0) {
            tusk_mask_apply(place + head, payload.ptr + at, len, key, 0);
        }
        tusk_buf_commit(out, head + len);
        at += len;
    } while (at < payload.len);
    return TUSK_OK;
}

static tusk_err put_message(load_messages *self, const load_plan *plan, tusk_ws_deflater *compress,
                            uint32_t slot, uint64_t seed)
{
    tusk_bytes payload = tusk_bytes_of(tusk__load_messages_payload(self, slot), self->size);
    if (compress == NULL) {
        return put_frames(&self->wire, plan, payload, false, seed);
    }
    tusk_buf packed;
    tusk_buf_init(&packed, self->mem, SIZE_MAX);
    tusk_err err = tusk_ws_deflater_run(compress, payload, &packed);
    if (err == TUSK_OK) {
        err = put_frames(&self->wire, plan, tusk_buf_view(&packed), true, seed);
    }
    tusk_buf_fini(&packed);
    return err;
}

static tusk_err make_payloads(load_messages *self, const load_plan *plan, uint32_t depth)
{
    memset(self, 0, sizeof(*self));
    self->mem = plan->mem;
    self->size = (size_t)plan->size;
    self->slots = slots_for(self->size, depth);
    tusk_buf_init(&self->wire, self->mem, SIZE_MAX);
    self->payloads = tusk__new(self->mem, self->slots * self->size + 1);
    self->at = tusk__new(self->mem, (2 * (size_t)self->slots + 1) * sizeof(self->at[0]));
    if (self->payloads == NULL || self->at == NULL) {
        return TUSK_ENOMEM;
    }
    for (uint32_t slot = 0; slot < self->slots; slot++) {
        tusk__load_pattern(self->payloads + (size_t)slot * self->size, self->size,
                           tusk__load_random(plan->seed + slot));
    }
    return TUSK_OK;
}

tusk_err tusk__load_messages_init(load_messages *self, const load_plan *plan, uint32_t depth,
                                  tusk_ws_deflater *compress)
{
    tusk_err err = make_payloads(self, plan, depth);
    for (uint32_t i = 0; err == TUSK_OK && i < 2 * self->slots; i++) {
        err = put_message(self, plan, compress, i % self->slots, plan->seed + ((uint64_t)i << 32));
        self->at[i + 1] = self->wire.len;
    }
    self->answer_head_len =
        tusk_ws_head_encode(self->answer_head, TUSK_WS_FIN,
                            plan->binary ? TUSK_WS_BINARY : TUSK_WS_TEXT, self->size, NULL);
    return err;
}

tusk_err tusk__load_messages_raw(load_messages *self, const load_plan *plan, uint32_t depth)
{
    tusk_err err = make_payloads(self, plan, depth);
    for (uint32_t i = 0; err == TUSK_OK && i < 2 * self->slots; i++) {
        err = tusk_buf_append(&self->wire, tusk__load_messages_payload(self, i % self->slots),
                              self->size);
        self->at[i + 1] = self->wire.len;
    }
    return err;
}

void tusk__load_messages_fini(load_messages *self)
{
    if (self->mem != NULL) {
        tusk_buf_fini(&self->wire);
        tusk__free(self->mem, self->payloads, self->slots * self->size + 1);
        tusk__free(self->mem, self->at, (2 * (size_t)self->slots + 1) * sizeof(self->at[0]));
    }
    memset(self, 0, sizeof(*self));
}

tusk_bytes tusk__load_messages_wire(const load_messages *self, uint32_t slot, uint32_t *count)
{
    uint32_t together = 2 * self->slots - slot;
    *count = *count < together ? *count : together;
    tusk_bytes wire = tusk_buf_view(&self->wire);
    return tusk_bytes_of(wire.ptr + self->at[slot], self->at[slot + *count] - self->at[slot]);
}

uint32_t tusk__load_messages_find(const load_messages *self, tusk_bytes payload)
{
    for (uint32_t slot = 0; slot < self->slots && payload.len == self->size; slot++) {
        if (memcmp(tusk__load_messages_payload(self, slot), payload.ptr, payload.len) == 0) {
            return slot;
        }
    }
    return self->slots;
}
