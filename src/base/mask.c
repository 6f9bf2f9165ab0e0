/* SPDX-License-Identifier: MIT */
/* XOR with a four-byte key; each kernel also says whether the result has a byte beyond ASCII. */
#include "base/mask.h"

#include <string.h>

#include <tusk/version.h>

#include "base/cpu.h"

#ifdef TUSK_CPU_X86
#include <immintrin.h>
#endif

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Bytes below this are cheaper without a second look at the processor. */
enum { AVX2_MIN = 128 };

/* The key as a word in memory order, turned so that its first byte meets the first byte of the
 * data. */
static inline uint32_t turn(const uint8_t key[4], size_t phase)
{
    uint32_t word;
    memcpy(&word, key, 4);
    unsigned by = 8 * (unsigned)(phase & 3);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    by = (32 - by) & 31;
#endif
    return word >> by | word << ((32 - by) & 31);
}

/* All results or-ed together; only the high bits of its bytes mean something. */
static inline uint64_t mask_words(uint8_t *dst, const uint8_t *src, size_t len, uint32_t key)
{
    uint64_t key2 = (uint64_t)key << 32 | key;
    uint64_t seen = 0;
    for (; len >= 8; len -= 8, src += 8, dst += 8) {
        uint64_t word;
        memcpy(&word, src, 8);
        word ^= key2;
        memcpy(dst, &word, 8);
        seen |= word;
    }
    if (len >= 4) {
        uint32_t word;
        memcpy(&word, src, 4);
        word ^= key;
        memcpy(dst, &word, 4);
        seen |= word;
        len -= 4;
        src += 4;
        dst += 4;
    }
    uint8_t rest[4];
    memcpy(rest, &key, 4);
    for (size_t i = 0; i < len; i++) {
        dst[i] = src[i] ^ rest[i];
        seen |= dst[i];
    }
    return seen & HIGH_BITS;
}

#ifdef TUSK_CPU_X86
static inline uint64_t mask_sse2(uint8_t *dst, const uint8_t *src, size_t len, uint32_t key)
{
    const __m128i k = _mm_set1_epi32((int)key);
    __m128i seen = _mm_setzero_si128();
    for (; len >= 64; len -= 64, src += 64, dst += 64) {
        const __m128i *from = (const __m128i *)(const void *)src;
        __m128i *to = (__m128i *)(void *)dst;
        __m128i a = _mm_xor_si128(_mm_loadu_si128(from), k);
        __m128i b = _mm_xor_si128(_mm_loadu_si128(from + 1), k);
        __m128i c = _mm_xor_si128(_mm_loadu_si128(from + 2), k);
        __m128i d = _mm_xor_si128(_mm_loadu_si128(from + 3), k);
        _mm_storeu_si128(to, a);
        _mm_storeu_si128(to + 1, b);
        _mm_storeu_si128(to + 2, c);
        _mm_storeu_si128(to + 3, d);
        seen = _mm_or_si128(seen, _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)));
    }
    for (; len >= 16; len -= 16, src += 16, dst += 16) {
        __m128i v = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)src), k);
        _mm_storeu_si128((__m128i *)(void *)dst, v);
        seen = _mm_or_si128(seen, v);
    }
    uint64_t high = (uint64_t)_mm_movemask_epi8(seen);
    return len == 0 ? high : high | mask_words(dst, src, len, key);
}

TUSK_TARGET_AVX2 static uint64_t mask_avx2(uint8_t *dst, const uint8_t *src, size_t len,
                                           uint32_t key)
{
    const __m256i k = _mm256_set1_epi32((int)key);
    __m256i seen = _mm256_setzero_si256();
    for (; len >= 128; len -= 128, src += 128, dst += 128) {
        const __m256i *from = (const __m256i *)(const void *)src;
        __m256i *to = (__m256i *)(void *)dst;
        __m256i a = _mm256_xor_si256(_mm256_loadu_si256(from), k);
        __m256i b = _mm256_xor_si256(_mm256_loadu_si256(from + 1), k);
        __m256i c = _mm256_xor_si256(_mm256_loadu_si256(from + 2), k);
        __m256i d = _mm256_xor_si256(_mm256_loadu_si256(from + 3), k);
        _mm256_storeu_si256(to, a);
        _mm256_storeu_si256(to + 1, b);
        _mm256_storeu_si256(to + 2, c);
        _mm256_storeu_si256(to + 3, d);
        seen = _mm256_or_si256(seen, _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)));
    }
    for (; len >= 32; len -= 32, src += 32, dst += 32) {
        __m256i a = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)src), k);
        _mm256_storeu_si256((__m256i *)(void *)dst, a);
        seen = _mm256_or_si256(seen, a);
    }
    uint64_t high = (uint32_t)_mm256_movemask_epi8(seen);
    return len == 0 ? high : high | mask_words(dst, src, len, key);
}

static inline uint64_t mask(uint8_t *dst, const uint8_t *src, size_t len, uint32_t key)
{
    if (len >= AVX2_MIN && tusk__cpu_has_avx2()) {
        return mask_avx2(dst, src, len, key);
    }
    return mask_sse2(dst, src, len, key);
}
#else
static inline uint64_t mask(uint8_t *dst, const uint8_t *src, size_t len, uint32_t key)
{
    return mask_words(dst, src, len, key);
}
#endif

void tusk_mask_apply(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4],
                     size_t phase)
{
    (void)mask(dst, src, len, turn(key, phase));
}

bool tusk__mask_apply_utf8(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4],
                           size_t phase, tusk_utf8 *utf8)
{
    uint64_t high = mask(dst, src, len, turn(key, phase));
    if ((high | utf8->state) == 0) {
        return true;
    }
    return tusk_utf8_feed(utf8, dst, len);
}

bool tusk__mask_text(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4])
{
    return TUSK_LIKELY(mask(dst, src, len, turn(key, 0)) == 0) || tusk_utf8_valid(dst, len);
}

void tusk__mask_apply_portable(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4],
                               size_t phase)
{
    (void)mask_words(dst, src, len, turn(key, phase));
}
