/* SPDX-License-Identifier: MIT */
/* Comparisons of borrowed bytes. */
#include <tusk/bytes.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define EACH_BYTE UINT64_C(0x0101010101010101)

static uint8_t lower(uint8_t c)
{
    return (uint8_t)(c - 'A') < 26 ? (uint8_t)(c | 0x20) : c;
}

/* Eight bytes at once: what lies between 'A' and 'Z' gets its bit 0x20. Sums stay below 0x100 in
 * each byte, as only the low seven bits are added to. */
static inline uint64_t lower8(uint64_t word)
{
    uint64_t low = word & EACH_BYTE * 0x7f;
    uint64_t from_a = low + EACH_BYTE * (0x80 - 'A');
    uint64_t past_z = low + EACH_BYTE * (0x7f - 'Z');
    uint64_t letters = (from_a ^ past_z) & ~word & EACH_BYTE * 0x80;
    return word | letters >> 2;
}

static inline bool same8(const uint8_t *a, const uint8_t *b)
{
    uint64_t left;
    uint64_t right;
    memcpy(&left, a, 8);
    memcpy(&right, b, 8);
    return left == right || lower8(left) == lower8(right);
}

static inline bool same4(const uint8_t *a, const uint8_t *b)
{
    uint32_t left;
    uint32_t right;
    memcpy(&left, a, 4);
    memcpy(&right, b, 4);
    return left == right || lower8(left) == lower8(right);
}

#if defined(__SSE2__)
enum { WIDE = 16 };

/* Signed: what is not ASCII lies below 'A'. */
static inline __m128i lower16(__m128i x)
{
    __m128i letters = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('A' - 1)),
                                    _mm_cmplt_epi8(x, _mm_set1_epi8('Z' + 1)));
    return _mm_or_si128(x, _mm_and_si128(letters, _mm_set1_epi8(0x20)));
}

static inline bool same_wide(const uint8_t *a, const uint8_t *b)
{
    __m128i left = lower16(_mm_loadu_si128((const __m128i *)(const void *)a));
    __m128i right = lower16(_mm_loadu_si128((const __m128i *)(const void *)b));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(left, right)) == 0xffff;
}
#else
enum { WIDE = 8 };

static inline bool same_wide(const uint8_t *a, const uint8_t *b)
{
    return same8(a, b);
}
#endif

/* What is left over is compared with bytes before it once more. */
bool tusk__bytes_same_nocase(const uint8_t *a, const uint8_t *b, size_t len)
{
    if (len >= WIDE) {
        for (size_t i = 0; i + WIDE < len; i += WIDE) {
            if (!same_wide(a + i, b + i)) {
                return false;
            }
        }
        return same_wide(a + len - WIDE, b + len - WIDE);
    }
    if (len >= 8) {
        return same8(a, b) && same8(a + len - 8, b + len - 8);
    }
    if (len >= 4) {
        return same4(a, b) && same4(a + len - 4, b + len - 4);
    }
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i] && lower(a[i]) != lower(b[i])) {
            return false;
        }
    }
    return true;
}
