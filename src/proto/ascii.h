/* SPDX-License-Identifier: MIT */
/* Character classes of HTTP and URIs, and the search for the first byte outside one, by vectors
 * where there are any. */
#ifndef PROTO_ASCII_H
#define PROTO_ASCII_H

#include <string.h>

#include <tusk/bytes.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum tusk__class {
    TUSK__TOKEN = 1,  /* RFC 9110, 5.6.2 */
    TUSK__TARGET = 2, /* visible ASCII but "#": what a request target may hold here */
    TUSK__VALUE = 4,  /* RFC 9110, 5.5: visible, SP, HTAB, obs-text */
    TUSK__DIGIT = 8,
    TUSK__HEX = 16,
    TUSK__HOST = 32 /* reg-name of RFC 3986, 3.2.2, with "%" */
};

extern const uint8_t tusk__ascii[256];

static inline bool tusk__is(uint8_t c, enum tusk__class what)
{
    return (tusk__ascii[c] & what) != 0;
}

static inline bool tusk__all(tusk_bytes text, enum tusk__class what)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!tusk__is(text.ptr[i], what)) {
            return false;
        }
    }
    return true;
}

/* Value of a digit that is known to be TUSK__HEX. */
static inline unsigned tusk__hex(uint8_t c)
{
    return c <= '9' ? (unsigned)c - '0' : (unsigned)(c | 0x20) - 'a' + 10;
}

/* RFC 3986, 2.1: each "%" is followed by two digits. */
static inline bool tusk__escapes_whole(tusk_bytes text)
{
    const uint8_t *at = text.len == 0 ? NULL : memchr(text.ptr, '%', text.len);
    while (at != NULL) {
        size_t left = text.len - (size_t)(at - text.ptr);
        if (left < 3 || !tusk__is(at[1], TUSK__HEX) || !tusk__is(at[2], TUSK__HEX)) {
            return false;
        }
        at = left == 3 ? NULL : memchr(at + 3, '%', left - 3);
    }
    return true;
}

static inline uint64_t tusk__differ8(const uint8_t *ptr, const char *lower)
{
    uint64_t a;
    uint64_t b;
    memcpy(&a, ptr, 8);
    memcpy(&b, lower, 8);
    return (a | UINT64_C(0x2020202020202020)) ^ b;
}

static inline uint64_t tusk__differ4(const uint8_t *ptr, const char *lower)
{
    uint32_t a;
    uint32_t b;
    memcpy(&a, ptr, 4);
    memcpy(&b, lower, 4);
    return (a | UINT32_C(0x20202020)) ^ b;
}

/* `lower` is n lower-case letters, digits or "-", four at least. `ptr` holds n bytes of a token, in
 * which 0x0d cannot stand for "-". With a constant n no loop is left; what is left over is compared
 * with bytes before it once more. */
static inline bool tusk__same(const uint8_t *ptr, const char *lower, size_t n)
{
    uint64_t diff = 0;
    if (n < 8) {
        return (tusk__differ4(ptr, lower) | tusk__differ4(ptr + n - 4, lower + n - 4)) == 0;
    }
    for (size_t i = 0; i + 8 < n; i += 8) {
        diff |= tusk__differ8(ptr + i, lower + i);
    }
    return (diff | tusk__differ8(ptr + n - 8, lower + n - 8)) == 0;
}

static inline const uint8_t *tusk__skip(const uint8_t *at, const uint8_t *end,
                                        enum tusk__class what)
{
    while (at < end && tusk__is(*at, what)) {
        at++;
    }
    return at;
}

/* First byte that is no TUSK__TOKEN, or `end`. Vectors know letters, digits and "-", which is all
 * that most names have. */
static inline const uint8_t *tusk__skip_token(const uint8_t *at, const uint8_t *end)
{
#if defined(__SSE2__)
    const __m128i case_bit = _mm_set1_epi8(0x20);
    const __m128i letters = _mm_set1_epi8('z' - 'a');
    const __m128i digits = _mm_set1_epi8('9' - '0');
    while (end - at >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i letter = _mm_sub_epi8(_mm_or_si128(x, case_bit), _mm_set1_epi8('a'));
        __m128i digit = _mm_sub_epi8(x, _mm_set1_epi8('0'));
        __m128i fine = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, letters), letter),
                                    _mm_cmpeq_epi8(_mm_min_epu8(digit, digits), digit));
        fine = _mm_or_si128(fine, _mm_cmpeq_epi8(x, _mm_set1_epi8('-')));
        unsigned other = (unsigned)_mm_movemask_epi8(fine) ^ 0xffffU;
        if (other != 0) {
            at += __builtin_ctz(other);
            break;
        }
        at += 16;
    }
#endif
    return tusk__skip(at, end, TUSK__TOKEN);
}

/* First byte that is no TUSK__VALUE, or `end`. Never reads at or past `end`. */
static inline const uint8_t *tusk__skip_value(const uint8_t *at, const uint8_t *end)
{
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(0x20);
    const __m128i del = _mm_set1_epi8(0x7f);
    const __m128i tab = _mm_set1_epi8(0x09);
    while (end - at >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i fine =
            _mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(x, space), x), _mm_cmpeq_epi8(x, tab));
        unsigned bad =
            (unsigned)_mm_movemask_epi8(_mm_andnot_si128(_mm_cmpeq_epi8(x, del), fine)) ^ 0xffffU;
        if (bad != 0) {
            return at + __builtin_ctz(bad);
        }
        at += 16;
    }
#endif
    return tusk__skip(at, end, TUSK__VALUE);
}

/* First byte that is no TUSK__TARGET, or `end`. */
static inline const uint8_t *tusk__skip_target(const uint8_t *at, const uint8_t *end)
{
#if defined(__SSE2__)
    const __m128i low = _mm_set1_epi8(0x20);
    const __m128i high = _mm_set1_epi8(0x7f);
    const __m128i hash = _mm_set1_epi8('#');
    while (end - at >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        /* Signed: bytes from 0x80 are below 0x20. */
        __m128i fine = _mm_and_si128(_mm_cmpgt_epi8(x, low), _mm_cmplt_epi8(x, high));
        unsigned bad =
            (unsigned)_mm_movemask_epi8(_mm_andnot_si128(_mm_cmpeq_epi8(x, hash), fine)) ^ 0xffffU;
        if (bad != 0) {
            return at + __builtin_ctz(bad);
        }
        at += 16;
    }
#endif
    return tusk__skip(at, end, TUSK__TARGET);
}

#endif
