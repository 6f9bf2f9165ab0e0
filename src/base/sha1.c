/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4, 6.1). It proves nothing here: the handshake only shows that both sides speak
 * WebSocket. */
#include "base/sha1.h"

#include "base/cpu.h"

#ifdef TUSK_CPU_SHA
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BLOCK = 64, LENGTH_AT = 56 };

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static uint32_t choose(uint32_t b, uint32_t c, uint32_t d)
{
    return d ^ (b & (c ^ d));
}

static uint32_t parity(uint32_t b, uint32_t c, uint32_t d)
{
    return b ^ c ^ d;
}

static uint32_t majority(uint32_t b, uint32_t c, uint32_t d)
{
    return (b & c) | (d & (b | c));
}

/* One round; the names move on by one place from round to round, so nothing is copied. */
#define ROUND(a, b, c, d, e, f, k, i)                                                              \
    do {                                                                                           \
        (e) += rotate(a, 5) + f(b, c, d) + UINT32_C(k) + w[i];                                     \
        (b) = rotate(b, 30);                                                                       \
    } while (0)
#define ROUNDS(from, to, f, k)                                                                     \
    for (size_t i = (from); i < (to); i += 5) {                                                    \
        ROUND(a, b, c, d, e, f, k, i);                                                             \
        ROUND(e, a, b, c, d, f, k, i + 1);                                                         \
        ROUND(d, e, a, b, c, f, k, i + 2);                                                         \
        ROUND(c, d, e, a, b, f, k, i + 3);                                                         \
        ROUND(b, c, d, e, a, f, k, i + 4);                                                         \
    }

/* The words from the sixteenth on, each of four before it. */
#ifdef __SSE2__
static inline __m128i rotate_each(__m128i x)
{
    return _mm_or_si128(_mm_slli_epi32(x, 1), _mm_srli_epi32(x, 31));
}

/* Four at once: the last of them wants the first one, which is put in afterwards. */
static inline void expand(uint32_t w[80])
{
    for (size_t i = 16; i < 80; i += 4) {
        __m128i *to = (__m128i *)(void *)(w + i);
        __m128i three_before = _mm_srli_si128(_mm_loadu_si128(to - 1), 4);
        __m128i fourteen_before = _mm_loadu_si128((const __m128i *)(const void *)(w + i - 14));
        __m128i others = _mm_xor_si128(_mm_loadu_si128(to - 2), _mm_loadu_si128(to - 4));
        __m128i four =
            rotate_each(_mm_xor_si128(_mm_xor_si128(three_before, fourteen_before), others));
        four = _mm_xor_si128(four, rotate_each(_mm_slli_si128(four, 12)));
        _mm_storeu_si128(to, four);
    }
}
#else
static inline void expand(uint32_t w[80])
{
    for (size_t i = 16; i < 80; i++) {
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
}
#endif

static void mix(uint32_t h[5], const uint8_t block[BLOCK])
{
    uint32_t w[80];
    for (size_t i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    expand(w);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    ROUNDS(0, 20, choose, 0x5A827999)
    ROUNDS(20, 40, parity, 0x6ED9EBA1)
    ROUNDS(40, 60, majority, 0x8F1BBCDC)
    ROUNDS(60, 80, parity, 0xCA62C1D6)
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

#ifdef TUSK_CPU_SHA
/* Four rounds a step; the constant of the instruction says which of the four functions. */
#define FOUR_ROUNDS(from, function)                                                                \
    for (size_t i = (from); i < (from) + 5; i++) {                                                 \
        __m128i before = abcd;                                                                     \
        __m128i e_and_w = i == 0 ? _mm_add_epi32(e, w[0]) : _mm_sha1nexte_epu32(e, w[i]);          \
        abcd = _mm_sha1rnds4_epu32(abcd, e_and_w, function);                                       \
        e = before;                                                                                \
    }

TUSK_TARGET_SHA static void mix_by_instructions(uint32_t h[5], const uint8_t block[BLOCK])
{
    const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090A0B0C0D0E0F);
    __m128i w[20];
    for (size_t i = 0; i < 4; i++) {
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i)),
                                reverse);
    }
    for (size_t i = 4; i < 20; i++) {
        __m128i half = _mm_xor_si128(_mm_sha1msg1_epu32(w[i - 4], w[i - 3]), w[i - 2]);
        w[i] = _mm_sha1msg2_epu32(half, w[i - 1]);
    }
    __m128i start = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)h), 0x1B);
    __m128i abcd = start;
    __m128i e = _mm_set_epi32((int)h[4], 0, 0, 0);
    FOUR_ROUNDS(0, 0)
    FOUR_ROUNDS(5, 1)
    FOUR_ROUNDS(10, 2)
    FOUR_ROUNDS(15, 3)
    e = _mm_sha1nexte_epu32(e, _mm_set_epi32((int)h[4], 0, 0, 0));
    abcd = _mm_add_epi32(abcd, start);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_shuffle_epi32(abcd, 0x1B));
    h[4] = (uint32_t)_mm_extract_epi32(e, 3);
}
#endif

static void put_big_endian(uint8_t out[4], uint32_t value)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

typedef void mixer(uint32_t h[5], const uint8_t block[BLOCK]);

static void digest_by(mixer *mix_block, uint8_t digest[20], tusk_bytes in)
{
    uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    size_t at = 0;
    for (; in.len - at >= BLOCK; at += BLOCK) {
        mix_block(h, in.ptr + at);
    }
    uint8_t last[BLOCK] = {0};
    size_t rest = in.len - at;
    if (rest > 0) {
        memcpy(last, in.ptr + at, rest);
    }
    last[rest] = 0x80;
    if (rest >= LENGTH_AT) {
        mix_block(h, last);
        memset(last, 0, sizeof(last));
    }
    uint64_t bits = (uint64_t)in.len * 8;
    put_big_endian(last + LENGTH_AT, (uint32_t)(bits >> 32));
    put_big_endian(last + LENGTH_AT + 4, (uint32_t)bits);
    mix_block(h, last);
    for (size_t i = 0; i < 5; i++) {
        put_big_endian(digest + 4 * i, h[i]);
    }
}

void tusk__sha1_portable(uint8_t digest[20], tusk_bytes in)
{
    digest_by(mix, digest, in);
}

void tusk_sha1(uint8_t digest[20], tusk_bytes in)
{
#ifdef TUSK_CPU_SHA
    if (tusk__cpu_has_sha()) {
        digest_by(mix_by_instructions, digest, in);
        return;
    }
#endif
    digest_by(mix, digest, in);
}
