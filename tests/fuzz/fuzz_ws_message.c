/* SPDX-License-Identifier: MIT */
/*
 * The message decoder: in one piece, in small pieces, through landing and by its short way for
 * whole messages the same items and the same error come out, and never more memory is held than
 * what arrived justifies. First bytes: role, extension and limits; step of the pieces.
 */
#include "fuzz.h"

#include <tusk/ws.h>

#include "proto/ws_frame.h"

typedef struct outcome {
    uint64_t hash;
    size_t items;
    tusk_err err;
} outcome;

static void stir(outcome *self, const uint8_t *ptr, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        self->hash = (self->hash ^ ptr[i]) * UINT64_C(0x100000001B3);
    }
}

static void take(outcome *out, const tusk_ws_config *config, const tusk_ws_item *item)
{
    uint8_t about[2] = {(uint8_t)item->kind, item->opcode};
    FUZZ_CHECK(item->payload.len <= config->message_max || item->kind != TUSK_WS_ITEM_MESSAGE);
    FUZZ_CHECK(item->kind == TUSK_WS_ITEM_MESSAGE || item->payload.len <= TUSK_WS_CONTROL_MAX);
    FUZZ_CHECK(item->taken == NULL || item->taken_cap >= item->payload.len);
    stir(out, about, 2);
    stir(out, item->payload.ptr, item->payload.len);
    out->items++;
    tusk_ws_taken_drop(config, item->taken, item->taken_cap);
}

static outcome run(const tusk_ws_config *config, const tusk_ws_deflate *deflate,
                   const uint8_t *data, size_t size, size_t step, bool land, size_t slice)
{
    outcome out = {.err = TUSK_OK};
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    size_t at = 0;
    size_t end = step < size ? step : size;
    tusk_ws_decoder_init(&decoder, config, deflate);
    for (;;) {
        size_t cap = 0;
        uint8_t *place = land ? tusk_ws_decoder_landing(&decoder, &cap) : NULL;
        if (place != NULL && at < size) {
            size_t n = size - at < cap ? size - at : cap;
            n = n < step ? n : step;
            memcpy(place, data + at, n);
            at += n;
            end = end < at ? at : end;
            out.err = tusk_ws_decoder_landed(&decoder, n, &item);
        } else {
            size_t consumed = 0;
            uint8_t *in = malloc(end - at + 1); /* exactly sized, so that ASan sees its end */
            FUZZ_CHECK(in != NULL);
            memcpy(in + 1, data + at, end - at);
            if (config->inflate_left != NULL) {
                *config->inflate_left = slice;
            }
            tusk__ws_place into = {.ptr = malloc(step % 64), .cap = step % 64};
            bool whole =
                land && tusk__ws_decode_whole(&decoder, in + 1, end - at, into, &consumed, &item);
            out.err =
                whole ? TUSK_OK : tusk_ws_decode(&decoder, in + 1, end - at, &consumed, &item);
            FUZZ_CHECK(consumed <= end - at);
            at += consumed;
            if (out.err == TUSK_OK && item.kind != TUSK_WS_ITEM_NONE) {
                take(&out, config, &item);
                free(into.ptr);
                free(in);
                continue;
            }
            free(into.ptr);
            free(in);
            size_t most;
            size_t wanted = tusk_ws_decoder_wants(&decoder, &most);
            if (out.err == TUSK_OK && wanted > 0) {
                FUZZ_CHECK(wanted > decoder.cap && wanted <= most);
                tusk_ws_decoder_allow(&decoder, wanted);
                continue;
            }
            if (out.err == TUSK_OK && tusk_ws_decoder_stopped(&decoder)) {
                continue;
            }
            FUZZ_CHECK(out.err != TUSK_OK || end - at < TUSK_WS_HEAD_MAX);
            if (out.err == TUSK_OK && end == size) {
                break;
            }
            end = size - end < step ? size : end + step;
        }
        if (out.err != TUSK_OK) {
            FUZZ_CHECK(tusk_ws_decoder_held(&decoder) == 0);
            break;
        }
        if (item.kind != TUSK_WS_ITEM_NONE) {
            take(&out, config, &item);
        }
        FUZZ_CHECK(decoder.compressed || decoder.cap <= 4096 + 2 * size + 2 * 16384);
    }
    tusk_ws_decoder_fini(&decoder);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) {
        return 0;
    }
    tusk_ws_inflaters *pool = NULL;
    (void)tusk_ws_inflaters_new(&pool, tusk_mem_default());
    tusk_ws_config config = {
        .mem = tusk_mem_default(),
        .role = (data[0] & 1) != 0 ? TUSK_WS_CLIENT : TUSK_WS_SERVER,
        .message_max = (data[0] & 8) != 0 ? data[2] : 1u << (data[2] % 20),
        .message_frames_max = (data[0] & 16) != 0 ? 3 : 0,
        .inflaters = pool,
    };
    const tusk_ws_deflate deflate = {
        .on = (data[0] & 2) != 0,
        .server_no_context_takeover = (data[0] & 4) != 0,
        .client_no_context_takeover = (data[0] & 4) != 0,
        .server_max_window_bits = (uint8_t)(8 + data[2] % 8),
        .client_max_window_bits = (uint8_t)(8 + data[2] % 8),
    };
    outcome whole = run(&config, &deflate, data + 3, size - 3, size, false, 0);
    size_t slice = 1 + (size_t)data[1] * 8;
    size_t left = 0;
    config.inflate_left = &left;
    config.ask_from = 1 + (size_t)data[1];
    outcome parts =
        run(&config, &deflate, data + 3, size - 3, 1 + (size_t)data[1] % 64, false, slice);
    outcome landed =
        run(&config, &deflate, data + 3, size - 3, 1 + (size_t)data[1] * 16, true, slice);
    FUZZ_CHECK(whole.err == parts.err && whole.items == parts.items && whole.hash == parts.hash);
    FUZZ_CHECK(whole.err == landed.err && whole.items == landed.items && whole.hash == landed.hash);
    tusk_ws_inflaters_free(pool);
    return 0;
}
