/* SPDX-License-Identifier: MIT */
/* The wire forms of a published message: WebSocket frame, compressed frame, SSE event in a chunk or
 * bare. */
#include "serve/server.h"

#include <tusk/sse.h>

#include "base/base64.h"
#include "base/mem.h"
#include "proto/deflate.h"
#include "serve/session.h"

tusk_ws_deflater *tusk__hub_deflater(tusk_hub *self, uint8_t bits)
{
    if (bits < TUSK__DEFLATE_BITS_MIN || bits > 15) {
        return NULL;
    }
    if (self->deflaters[bits] == NULL) {
        (void)tusk_ws_deflater_new(&self->deflaters[bits], self->mem, bits, self->level,
                                   self->mem_level, false);
    }
    return self->deflaters[bits];
}

/* By a third at least. */
bool tusk__hub_beginning_packs(tusk_hub *self, uint8_t bits, tusk_bytes payload)
{
    enum { TRIED = 8192 };
    tusk_ws_deflater *deflater = tusk__hub_deflater(self, bits);
    tusk_buf packed;
    tusk_buf_init(&packed, self->mem, SIZE_MAX / 2);
    bool packs =
        deflater != NULL &&
        tusk_ws_deflater_run(deflater, tusk_bytes_of(payload.ptr, TRIED), &packed) == TUSK_OK &&
        packed.len < TRIED - TRIED / 3;
    tusk_buf_fini(&packed);
    return packs;
}

/* ---- the scratch ---- */

#define SCRATCH_BYTES ((size_t)1024 * 1024) /* what is not given back */

void tusk__hub_scratch_init(tusk_hub *self)
{
    tusk_buf_init(&self->scratch, self->mem,
                  self->server->limits.queued_bytes_total + QUEUE_FRAMING_MAX);
}

void tusk__hub_spare_scratch(tusk_hub *self)
{
    if (self->scratch.cap > SCRATCH_BYTES) {
        tusk_buf_fini(&self->scratch);
        tusk__hub_scratch_init(self);
    }
}

static void on_blob_released(void *owner)
{
    tusk_buf *buf = owner;
    const tusk_mem *mem = buf->mem;
    tusk_buf_fini(buf);
    tusk__free(mem, buf, sizeof(*buf));
}

tusk_err tusk__hub_scratch_blob(tusk_hub *self, tusk_blob **out)
{
    *out = NULL;
    if (self->scratch.len <= SCRATCH_BYTES) {
        return tusk_blob_dup(out, self->mem, tusk_buf_view(&self->scratch));
    }
    tusk_buf *owner = tusk__new(self->mem, sizeof(*owner));
    if (owner == NULL) {
        return TUSK_ENOMEM;
    }
    *owner = self->scratch;
    uint8_t *fitted = tusk__resize(self->mem, owner->ptr, owner->cap, owner->len);
    if (fitted != NULL) { /* what is queued counts as long as it is */
        owner->ptr = fitted;
        owner->cap = owner->len;
    }
    tusk_err err = tusk_blob_adopt(out, self->mem, tusk_buf_view(owner), on_blob_released, owner);
    tusk__hub_scratch_init(self);
    if (err != TUSK_OK) {
        on_blob_released(owner);
    }
    return err;
}

/* ---- the forms ---- */

static tusk_err append_head(tusk_buf *out, uint8_t flags, uint8_t opcode, size_t len)
{
    uint8_t head[TUSK_WS_HEAD_MAX];
    return tusk_buf_append(out, head, tusk_ws_head_encode(head, flags, opcode, len, NULL));
}

static tusk_err encode_plain(const hub_message *message, tusk_buf *out)
{
    tusk_err err = append_head(out, TUSK_WS_FIN, message->opcode, message->data.len);
    return err != TUSK_OK ? err : tusk_buf_append(out, message->data.ptr, message->data.len);
}

static tusk_err encode_deflate(tusk_hub *self, uint8_t bits, const hub_message *message,
                               tusk_buf *out)
{
    tusk_ws_deflater *deflater = tusk__hub_packs(self, bits, self->deflate_threshold, message->data)
                                     ? tusk__hub_deflater(self, bits)
                                     : NULL;
    if (deflater == NULL) {
        return encode_plain(message, out);
    }
    tusk_buf packed;
    tusk_buf_init(&packed, self->mem, SIZE_MAX / 2);
    tusk_err err = tusk_ws_deflater_run(deflater, message->data, &packed);
    self->server->stats.compressions++;
    if (err == TUSK_OK && packed.len < message->data.len) {
        err = append_head(out, TUSK_WS_FIN | TUSK_WS_RSV1, message->opcode, packed.len);
        err = err != TUSK_OK ? err : tusk_buf_append(out, tusk_buf_view(&packed).ptr, packed.len);
    } else if (err == TUSK_OK) {
        err = encode_plain(message, out); /* compression that gains nothing only costs the reader */
    }
    tusk_buf_fini(&packed);
    return err;
}

/* An event stream is UTF-8: binary travels as base64, which is written where it stays. */
static tusk_err encode_binary(const tusk_sse_event *event, tusk_buf *out)
{
    static const char name[] = "data: ";
    size_t len = sizeof(name) - 1 + (event->data.len + 2) / 3 * 4 + 2;
    uint8_t *place;
    tusk_err err = tusk_buf_reserve(out, tusk_sse_encode_max(event) + len, &place);
    err = err != TUSK_OK ? err : tusk_sse_encode(out, event);
    if (err != TUSK_OK) {
        return err;
    }
    out->len--;                                         /* the empty line comes behind the data */
    (void)tusk_buf_append(out, name, sizeof(name) - 1); /* there is room */
    (void)tusk_buf_reserve(out, len, &place);
    tusk_buf_commit(out, tusk_base64_encode((char *)place, event->data));
    return tusk_buf_append(out, "\n\n", 2);
}

static tusk_err encode_event(tusk_hub *self, const hub_message *message, tusk_buf *out)
{
    char position[TUSK_POSITION_TEXT_MAX];
    size_t len = tusk_position_text(position, (tusk_position){self->store->epoch, message->offset});
    tusk_sse_event event = {.type = message->type,
                            .id = message->has_id ? message->id : tusk_bytes_of(position, len),
                            .data = message->data,
                            .has_id = true,
                            .has_data = message->opcode == TUSK_WS_TEXT,
                            .retry_ms = -1};
    return event.has_data ? tusk_sse_encode(out, &event) : encode_binary(&event, out);
}

/* "   1f\r\n" event "\r\n": the length is not known before, so its place is kept at full width,
 * with leading zeros. */
static tusk_err encode_chunk(tusk_hub *self, const hub_message *message, tusk_buf *out)
{
    enum { WIDTH = 8, HEAD = WIDTH + 2 };
    static const char digits[] = "0123456789abcdef";
    size_t start = out->len;
    tusk_err err = tusk_buf_append(out, "00000000\r\n", HEAD);
    err = err != TUSK_OK ? err : encode_event(self, message, out);
    if (err != TUSK_OK) {
        return err;
    }
    size_t len = out->len - start - HEAD;
    uint8_t *head = out->ptr + out->start + start;
    for (int i = 0; i < WIDTH; i++) {
        head[i] = (uint8_t)digits[(len >> (4 * (WIDTH - 1 - i))) & 15];
    }
    return tusk_buf_append(out, "\r\n", 2);
}

tusk_err tusk__hub_encode(tusk_hub *self, hub_form form, uint8_t window_bits,
                          const hub_message *message, tusk_buf *out)
{
    switch (form) {
    case FORM_PLAIN: return encode_plain(message, out);
    case FORM_DEFLATE: return encode_deflate(self, window_bits, message, out);
    case FORM_STREAM: return encode_chunk(self, message, out);
    case FORM_STREAM_BARE: return encode_event(self, message, out);
    }
    return TUSK_EINVAL;
}
