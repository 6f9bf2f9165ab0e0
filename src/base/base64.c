/* SPDX-License-Identifier: MIT */
/* Base64, strict in what it takes for it. */
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

/* Unused bits that are not zero would be two texts for the same bytes. */
static bool ends_well(const uint8_t *end, size_t pad)
{
    return pad == 0 || (values[end[-1 - (ptrdiff_t)pad]] & (pad == 2 ? 0xfu : 0x3u)) == 0;
}

ptrdiff_t tusk_base64_len(tusk_bytes in)
{
    size_t pad = 0;
    while (pad < 2 && pad < in.len && in.ptr[in.len - 1 - pad] == '=') {
        pad++;
    }
    uint32_t all = 0;
    size_t i = 0;
    for (; i + 4 <= in.len - pad; i += 4) {
        all |= (uint32_t)values[in.ptr[i]] | values[in.ptr[i + 1]] | values[in.ptr[i + 2]] |
               values[in.ptr[i + 3]];
    }
    for (; i < in.len - pad; i++) {
        all |= values[in.ptr[i]];
    }
    if (in.len % 4 != 0 || (all & NO_VALUE) != 0 || !ends_well(in.ptr + in.len, pad)) {
        return TUSK_EPROTO;
    }
    return (ptrdiff_t)(in.len / 4 * 3 - pad);
}
