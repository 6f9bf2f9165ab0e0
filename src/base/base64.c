/* SPDX-License-Identifier: MIT */
/* Base64, strict in what it decodes. */
#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tusk_base64_encode(char *out, tusk_bytes in)
{
    char *start = out;
    size_t at = 0;
    for (; in.len - at >= 3; at += 3) {
        uint32_t v = (uint32_t)in.ptr[at] << 16 | (uint32_t)in.ptr[at + 1] << 8 | in.ptr[at + 2];
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        *out++ = alphabet[v >> 6 & 63];
        *out++ = alphabet[v & 63];
    }
    if (at < in.len) {
        bool two = in.len - at == 2;
        uint32_t v = (uint32_t)in.ptr[at] << 16 | (two ? (uint32_t)in.ptr[at + 1] << 8 : 0);
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        *out++ = two ? alphabet[v >> 6 & 63] : '=';
        *out++ = '=';
    }
    return (size_t)(out - start);
}

/* 0–63, or 64 for a byte that does not belong. */
static uint32_t value(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') {
        return (uint32_t)(c - 'A');
    }
    if (c >= 'a' && c <= 'z') {
        return (uint32_t)(c - 'a') + 26;
    }
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0') + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

ptrdiff_t tusk_base64_decode(uint8_t *out, size_t cap, tusk_bytes in)
{
    if (in.len % 4 != 0) {
        return TUSK_EPROTO;
    }
    size_t pad = 0;
    while (pad < 2 && pad < in.len && in.ptr[in.len - 1 - pad] == '=') {
        pad++;
    }
    size_t len = in.len / 4 * 3 - pad;
    if (len > cap) {
        return TUSK_ETOOBIG;
    }
    uint32_t bits = 0;
    size_t made = 0;
    for (size_t i = 0; i < in.len; i++) {
        uint32_t v = i < in.len - pad ? value(in.ptr[i]) : 0;
        if (v == 64) {
            return TUSK_EPROTO;
        }
        bits = bits << 6 | v;
        if (i % 4 != 3) {
            continue;
        }
        for (unsigned shift = 16;; shift -= 8) {
            uint8_t byte = (uint8_t)(bits >> shift);
            if (made < len) {
                out[made++] = byte;
            } else if (byte != 0) {
                return TUSK_EPROTO; /* unused bits that are not zero: two texts for the same bytes
                                     */
            }
            if (shift == 0) {
                break;
            }
        }
    }
    return (ptrdiff_t)len;
}
