/* SPDX-License-Identifier: MIT */
/*
 * permessage-deflate: what is compressed comes back, by every window and with or without history;
 * and what is not compressed data at all inflates to no more than the limit. First bytes:
 * parameters; the rest: two messages.
 */
#include "fuzz.h"

#include <tusk/ws.h>

/* One compressed message as one frame to a client; in two pieces. */
static tusk_err inflate(tusk_ws_decoder *decoder, tusk_bytes compressed, size_t cut,
                        tusk_ws_item *item)
{
    size_t consumed;
    uint8_t *in = malloc(TUSK_WS_HEAD_MAX + compressed.len);
    FUZZ_CHECK(in != NULL);
    size_t head = tusk_ws_head_encode(in, 0xC0, TUSK_WS_BINARY, compressed.len, NULL);
    memcpy(in + head, compressed.ptr, compressed.len);
    size_t len = head + compressed.len;
    cut = head + (compressed.len == 0 ? 0 : cut % compressed.len);
    tusk_err err = tusk_ws_decode(decoder, in, cut, &consumed, item);
    if (err == TUSK_OK && item->kind == TUSK_WS_ITEM_NONE) {
        FUZZ_CHECK(consumed == cut);
        err = tusk_ws_decode(decoder, in + cut, len - cut, &consumed, item);
    }
    FUZZ_CHECK(err != TUSK_OK || item->kind == TUSK_WS_ITEM_MESSAGE);
    free(in);
    return err;
}

static void round_trip(const tusk_ws_config *config, const uint8_t *data, tusk_bytes first,
                       tusk_bytes second)
{
    bool keeps = (data[0] & 1) != 0;
    const uint8_t bits = (uint8_t)(9 + data[0] / 2 % 7);
    const tusk_ws_deflate deflate = {
        .on = true, .server_no_context_takeover = !keeps, .server_max_window_bits = bits};
    tusk_ws_deflater *deflater;
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    tusk_buf out;
    tusk_ws_decoder_init(&decoder, config, &deflate);
    tusk_buf_init(&out, tusk_mem_default(), 1u << 24);
    FUZZ_CHECK(tusk_ws_deflater_new(&deflater, tusk_mem_default(), bits, (uint8_t)(1 + data[1] % 9),
                                    (uint8_t)(1 + data[1] / 9 % 9), keeps) == TUSK_OK);
    const tusk_bytes texts[] = {first, second, first};
    for (size_t i = 0; i < 3; i++) {
        tusk_buf_clear(&out);
        FUZZ_CHECK(tusk_ws_deflater_run(deflater, texts[i], &out) == TUSK_OK);
        FUZZ_CHECK(inflate(&decoder, tusk_buf_view(&out), data[2], &item) == TUSK_OK);
        FUZZ_CHECK(tusk_bytes_eq(item.payload, texts[i]));
        tusk_ws_taken_drop(config, item.taken, item.taken_cap);
    }
    tusk_ws_deflater_free(deflater);
    tusk_buf_fini(&out);
    tusk_ws_decoder_fini(&decoder);
}

static void raw(const tusk_ws_config *config, const uint8_t *data, tusk_bytes first,
                tusk_bytes second)
{
    const tusk_ws_deflate deflate = {
        .on = true, .server_no_context_takeover = (data[0] & 1) == 0, .server_max_window_bits = 15};
    tusk_ws_config limited = *config;
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    limited.message_max = 1 + (size_t)data[1] * 64;
    tusk_ws_decoder_init(&decoder, &limited, &deflate);
    tusk_err err = inflate(&decoder, first, data[2], &item);
    if (err == TUSK_OK) {
        FUZZ_CHECK(item.payload.len <= limited.message_max);
        tusk_ws_taken_drop(&limited, item.taken, item.taken_cap);
        err = inflate(&decoder, second, data[2], &item);
        if (err == TUSK_OK) {
            tusk_ws_taken_drop(&limited, item.taken, item.taken_cap);
        }
    }
    tusk_ws_decoder_fini(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_ws_inflaters *pool;
    if (size < 4 || tusk_ws_inflaters_new(&pool, tusk_mem_default()) != TUSK_OK) {
        return 0;
    }
    const tusk_ws_config config = {.mem = tusk_mem_default(),
                                   .role = TUSK_WS_CLIENT,
                                   .message_max = 1u << 24,
                                   .inflaters = pool};
    size_t cut = (size - 3) * data[2] / 256;
    tusk_bytes first = tusk_bytes_of(data + 3, cut);
    tusk_bytes second = tusk_bytes_of(data + 3 + cut, size - 3 - cut);
    round_trip(&config, data, first, second);
    raw(&config, data, first, second);
    tusk_ws_inflaters_free(pool);
    return 0;
}
