/* SPDX-License-Identifier: MIT */
/* Frames to feed a decoder with, and what it made of them as one line of text. */
#ifndef TESTS_WS_SCRIPT_H
#define TESTS_WS_SCRIPT_H

#include "test.h"

#include <tusk/ws.h>

enum { SCRIPT_CAP = 1 << 16 };

typedef struct script {
    tusk_ws_config config;
    tusk_ws_deflate deflate;
    uint8_t bytes[SCRIPT_CAP];
    size_t len;
    bool masked;
    const char *expected;
    size_t inflate_slice; /* of one call; 0: all */
    /* while it runs */
    tusk_ws_decoder decoder;
    test_mem mem;
    size_t inflate_left;
    char seen[1024];
    size_t seen_len;
    bool closed;
} script;

static void script_init(script *self, tusk_ws_role role)
{
    memset(self, 0, sizeof(*self));
    self->config = (tusk_ws_config){.role = role, .message_max = 1 << 20};
    self->masked = role == TUSK_WS_SERVER;
}

static void script_raw(script *self, const void *bytes, size_t len)
{
    assert_true(self->len + len <= SCRIPT_CAP);
    memcpy(self->bytes + self->len, bytes, len);
    self->len += len;
}

static void script_frame(script *self, uint8_t first, const void *payload, size_t len)
{
    uint8_t head[TUSK_WS_HEAD_MAX];
    const uint8_t key[4] = {0x37, 0xFA, 0x21, 0x3D};
    script_raw(
        self, head,
        tusk_ws_head_encode(head, first & 0xF0, first & 0x0F, len, self->masked ? key : NULL));
    script_raw(self, payload, len);
    for (size_t i = 0; self->masked && i < len; i++) {
        self->bytes[self->len - len + i] ^= key[i & 3];
    }
}

static inline void script_text(script *self, uint8_t first, const char *payload)
{
    script_frame(self, first, payload, strlen(payload));
}

static void script_say(script *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n =
        vsnprintf(self->seen + self->seen_len, sizeof(self->seen) - self->seen_len, format, args);
    va_end(args);
    assert_true(n >= 0 && self->seen_len + (size_t)n < sizeof(self->seen));
    self->seen_len += (size_t)n;
}

/* "text(hello) ": short payloads as they are, long ones by length and first and last byte. */
static void script_item(script *self, const tusk_ws_item *item)
{
    static const char *names[] = {"none", "message", "ping", "pong", "close"};
    const char *name = item->kind != TUSK_WS_ITEM_MESSAGE ? names[item->kind]
                       : item->opcode == TUSK_WS_TEXT     ? "text"
                                                          : "binary";
    if (item->payload.len > 40) {
        script_say(self, "%s(%zu %02x-%02x) ", name, item->payload.len, item->payload.ptr[0],
                   item->payload.ptr[item->payload.len - 1]);
    } else {
        script_say(self, "%s(%.*s) ", name, (int)item->payload.len,
                   (const char *)item->payload.ptr);
    }
    assert_true(item->taken == NULL || item->taken_cap >= item->payload.len);
    tusk_ws_taken_drop(&self->config, item->taken, item->taken_cap);
}

static void script_begin(void *user)
{
    script *self = user;
    test_mem_init(&self->mem, 0);
    self->config.mem = &self->mem.mem;
    self->seen_len = 0;
    self->seen[0] = '\0';
    self->closed = false;
    self->config.inflate_left = self->inflate_slice == 0 ? NULL : &self->inflate_left;
    tusk_ws_decoder_init(&self->decoder, &self->config, &self->deflate);
}

static ptrdiff_t script_feed(tusk_bytes in, void *user)
{
    script *self = user;
    tusk_ws_item item;
    uint8_t *ptr = (uint8_t *)(uintptr_t)in.ptr;
    size_t consumed = 0;
    size_t part, most;
    tusk_err err;
    do {
        if (tusk_ws_decoder_wants(&self->decoder, &most) > 0) {
            size_t cap = tusk_ws_decoder_wants(&self->decoder, &most);
            assert_in_range(cap, self->decoder.cap + 1, most);
            tusk_ws_decoder_allow(&self->decoder, cap);
        }
        self->inflate_left = self->inflate_slice;
        err = tusk_ws_decode(&self->decoder, ptr + consumed, in.len - consumed, &part, &item);
        consumed += part;
    } while (err == TUSK_OK && item.kind == TUSK_WS_ITEM_NONE &&
             (tusk_ws_decoder_stopped(&self->decoder) ||
              tusk_ws_decoder_wants(&self->decoder, &most) > 0));
    if (err != TUSK_OK) {
        assert_int_equal(tusk_ws_decoder_held(&self->decoder), 0);
        return err;
    }
    assert_true(consumed <= in.len);
    if (item.kind != TUSK_WS_ITEM_NONE) {
        script_item(self, &item);
        self->closed = item.kind == TUSK_WS_ITEM_CLOSE;
    } else {
        assert_true(in.len - consumed < TUSK_WS_HEAD_MAX);
    }
    return (ptrdiff_t)consumed;
}

static void script_end(tusk_err err, size_t left, const char *how, void *user)
{
    script *self = user;
    if (err != TUSK_OK) {
        script_say(self, "%s", tusk_err_name(err));
    } else if (self->closed) {
        assert_int_equal(left + tusk_ws_decoder_held(&self->decoder), 0);
    } else if (left > 0 || !tusk_ws_decoder_idle(&self->decoder)) {
        script_say(self, "...");
    }
    tusk_ws_decoder_fini(&self->decoder);
    if (strcmp(self->seen, self->expected) != 0) {
        fail_msg("%s: '%s' instead of '%s'", how, self->seen, self->expected);
    }
    test_mem_assert_empty(&self->mem);
}

/* Cut in every way, at the end of a page, the decoder says `expected`; also when it has to ask for
 * memory. */
static void script_gives(script *self, const char *expected)
{
    const test_cut cut = {script_begin, script_feed, script_end, self};
    self->expected = expected;
    for (self->config.ask_from = 0; self->config.ask_from < 10; self->config.ask_from += 5) {
        test_each_cut(&cut, tusk_bytes_of(self->bytes, self->len));
    }
}

#endif
