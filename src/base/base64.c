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

enum { NO_VALUE = 64 };

/* 0–63, or NO_VALUE for a byte that does not belong. */
/* clang-format off */
static const uint8_t values[256] = {
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 62,
    64, 64, 64, 63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 64, 64, 64, 64, 64, 64, 64, 0,
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    23, 24, 25, 64, 64, 64, 64, 64, 64, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
    39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
};
/* clang-format on */

/* Four characters as three bytes in `bits`. */
static inline bool read_four(uint32_t *bits, const uint8_t at[4])
{
    uint32_t a = values[at[0]];
    uint32_t b = values[at[1]];
    uint32_t c = values[at[2]];
    uint32_t d = values[at[3]];
    *bits = a << 18 | b << 12 | c << 6 | d;
    return ((a | b | c | d) & NO_VALUE) == 0;
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
    size_t whole = pad > 0 ? in.len - 4 : in.len;
    for (size_t i = 0; i < whole; i += 4) {
        if (!read_four(&bits, in.ptr + i)) {
            return TUSK_EPROTO;
        }
        *out++ = (uint8_t)(bits >> 16);
        *out++ = (uint8_t)(bits >> 8);
        *out++ = (uint8_t)bits;
    }
    if (pad > 0) {
        const uint8_t *at = in.ptr + whole;
        const uint8_t last[4] = {at[0], at[1], pad == 2 ? 'A' : at[2], 'A'};
        /* Unused bits that are not zero: two texts for the same bytes. */
        if (!read_four(&bits, last) || (bits & (pad == 2 ? 0xffffu : 0xffu)) != 0) {
            return TUSK_EPROTO;
        }
        *out++ = (uint8_t)(bits >> 16);
        if (pad == 1) {
            *out = (uint8_t)(bits >> 8);
        }
    }
    return (ptrdiff_t)len;
}
