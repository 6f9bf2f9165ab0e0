/* SPDX-License-Identifier: MIT */
/* UTF-8 validation: a byte automaton for short and cut text, 32 bytes a step for the rest. */
#include "base/utf8.h"

#include <string.h>

#include "base/cpu.h"

#ifdef TUSK_CPU_X86
#include <immintrin.h>
#endif

#define HIGH_BITS UINT64_C(0x8080808080808080)

/*
 * The state inside a sequence: how many bytes must follow, and between which two values the next
 * one must lie (only the second byte of a sequence has a range of its own: RFC 3629, 4).
 */
#define EXPECT(left, low, high) ((uint32_t)(left) | (uint32_t)(low) << 8 | (uint32_t)(high) << 16)
#define NO_LEAD UINT32_MAX

static inline uint32_t expect_after(uint8_t lead)
{
    if (lead < 0xC2) {
        return NO_LEAD; /* a continuation, or an overlong form of ASCII */
    }
    if (lead < 0xE0) {
        return EXPECT(1, 0x80, 0xBF);
    }
    if (lead < 0xF0) {
        return EXPECT(2, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);
    }
    if (lead < 0xF5) {
        return EXPECT(3, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
    }
    return NO_LEAD;
}

static inline bool fits(uint32_t state, uint8_t byte)
{
    return byte >= (uint8_t)(state >> 8) && byte <= (uint8_t)(state >> 16);
}

static inline bool is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

static inline uint32_t next(uint32_t state)
{
    uint32_t left = (state & 0xFF) - 1;
    return left == 0 ? 0 : EXPECT(left, 0x80, 0xBF);
}

/* Bytes of ASCII at the front, in steps of eight. */
static inline size_t skip_ascii(const uint8_t *ptr, size_t len)
{
    size_t at = 0;
    while (len - at >= 8) {
        uint64_t word;
        memcpy(&word, ptr + at, 8);
        if ((word & HIGH_BITS) != 0) {
            break;
        }
        at += 8;
    }
    return at;
}

bool tusk__utf8_feed_portable(tusk_utf8 *self, const uint8_t *ptr, size_t len)
{
    uint32_t state = self->state;
    size_t at = 0;
    while (at < len) {
        if (state != 0) {
            if (!fits(state, ptr[at])) {
                return false;
            }
            state = next(state);
            at++;
            continue;
        }
        if (ptr[at] < 0x80) {
            size_t skipped = skip_ascii(ptr + at, len - at);
            at += skipped == 0 ? 1 : skipped;
            continue;
        }
        state = expect_after(ptr[at]);
        if (state == NO_LEAD) {
            return false;
        }
        size_t left = state & 0xFF;
        at++;
        if (len - at >= left) { /* the sequence is whole: no state between its bytes */
            if (!fits(state, ptr[at]) || (left > 1 && !is_continuation(ptr[at + 1])) ||
                (left > 2 && !is_continuation(ptr[at + 2]))) {
                return false;
            }
            at += left;
            state = 0;
        }
    }
    self->state = state;
    return true;
}

#ifdef TUSK_CPU_X86
/*
 * Each pair of neighbouring bytes is looked up three times by half a byte (high half of the first,
 * low half of the first, high half of the second); a fault is a bit set in all three answers. Third
 * and fourth bytes of a sequence are then compared with where the leads say that they must be.
 */
enum {
    LEAD_CUT = 1,     /* a lead, and no continuation after it */
    CONT_ALONE = 2,   /* ASCII, and a continuation after it */
    LONG_3 = 4,       /* E0 80..9F */
    ABOVE = 8,        /* F4 90.., F5.. 90.. */
    SURROGATE = 16,   /* ED A0..BF */
    LONG_2 = 32,      /* C0, C1 */
    LONG_4 = 64,      /* F0 80..8F */
    ABOVE_LOW = 64,   /* F5.. 80..8F; the same bit as LONG_4, they need the same second byte */
    CONT_TWICE = 128, /* right or wrong by what stands before: compared with the leads */
    ANY_LOW = LEAD_CUT | CONT_ALONE | CONT_TWICE
};
#define TABLE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)
#define B(x) ((char)(x))
enum { STEP = 32, SEQUENCE_MAX = 4 };

TUSK_TARGET_AVX2 static inline __m256i high_halves(__m256i v)
{
    return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F));
}

TUSK_TARGET_AVX2 static inline __m256i faults(__m256i v, __m256i before)
{
    const __m256i first_high = TABLE(
        CONT_ALONE, CONT_ALONE, CONT_ALONE, CONT_ALONE, CONT_ALONE, CONT_ALONE, CONT_ALONE,
        CONT_ALONE, B(CONT_TWICE), B(CONT_TWICE), B(CONT_TWICE), B(CONT_TWICE), LEAD_CUT | LONG_2,
        LEAD_CUT, LEAD_CUT | LONG_3 | SURROGATE, LEAD_CUT | ABOVE | ABOVE_LOW | LONG_4);
    const __m256i first_low =
        TABLE(B(ANY_LOW | LONG_2 | LONG_3 | LONG_4), B(ANY_LOW | LONG_2), B(ANY_LOW), B(ANY_LOW),
              B(ANY_LOW | ABOVE), B(ANY_LOW | ABOVE | ABOVE_LOW), B(ANY_LOW | ABOVE | ABOVE_LOW),
              B(ANY_LOW | ABOVE | ABOVE_LOW), B(ANY_LOW | ABOVE | ABOVE_LOW),
              B(ANY_LOW | ABOVE | ABOVE_LOW), B(ANY_LOW | ABOVE | ABOVE_LOW),
              B(ANY_LOW | ABOVE | ABOVE_LOW), B(ANY_LOW | ABOVE | ABOVE_LOW),
              B(ANY_LOW | ABOVE | ABOVE_LOW | SURROGATE), B(ANY_LOW | ABOVE | ABOVE_LOW),
              B(ANY_LOW | ABOVE | ABOVE_LOW));
    const __m256i second_high =
        TABLE(LEAD_CUT, LEAD_CUT, LEAD_CUT, LEAD_CUT, LEAD_CUT, LEAD_CUT, LEAD_CUT, LEAD_CUT,
              B(CONT_ALONE | LONG_2 | CONT_TWICE | LONG_3 | ABOVE_LOW | LONG_4),
              B(CONT_ALONE | LONG_2 | CONT_TWICE | LONG_3 | ABOVE),
              B(CONT_ALONE | LONG_2 | CONT_TWICE | SURROGATE | ABOVE),
              B(CONT_ALONE | LONG_2 | CONT_TWICE | SURROGATE | ABOVE), LEAD_CUT, LEAD_CUT, LEAD_CUT,
              LEAD_CUT);
    __m256i joint = _mm256_permute2x128_si256(before, v, 0x21);
    __m256i back1 = _mm256_alignr_epi8(v, joint, 15);
    __m256i back2 = _mm256_alignr_epi8(v, joint, 14);
    __m256i back3 = _mm256_alignr_epi8(v, joint, 13);
    __m256i pair = _mm256_and_si256(
        _mm256_and_si256(
            _mm256_shuffle_epi8(first_high, high_halves(back1)),
            _mm256_shuffle_epi8(first_low, _mm256_and_si256(back1, _mm256_set1_epi8(0x0F)))),
        _mm256_shuffle_epi8(second_high, high_halves(v)));
    __m256i third = _mm256_subs_epu8(back2, _mm256_set1_epi8(0xE0 - 0x80));
    __m256i fourth = _mm256_subs_epu8(back3, _mm256_set1_epi8(0xF0 - 0x80));
    __m256i due = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(B(0x80)));
    return _mm256_xor_si256(pair, due);
}

/* Not zero when the block ends inside a sequence. */
TUSK_TARGET_AVX2 static inline __m256i unfinished(__m256i v)
{
    const __m256i most = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, B(0xF0 - 1), B(0xE0 - 1), B(0xC0 - 1));
    return _mm256_subs_epu8(v, most);
}

/* Whole blocks from the start of a sequence on. Blocks done, or SIZE_MAX when something is wrong in
 * them. */
TUSK_TARGET_AVX2 static size_t feed_blocks(const uint8_t *ptr, size_t len)
{
    __m256i before = _mm256_setzero_si256();
    __m256i open = _mm256_setzero_si256();
    __m256i wrong = _mm256_setzero_si256();
    size_t at = 0;
    while (len - at >= STEP) {
        if (len - at >= 4 * STEP) {
            const __m256i *from = (const __m256i *)(const void *)(ptr + at);
            __m256i a = _mm256_or_si256(_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1));
            __m256i b = _mm256_or_si256(_mm256_loadu_si256(from + 2), _mm256_loadu_si256(from + 3));
            if (_mm256_movemask_epi8(_mm256_or_si256(a, b)) == 0) {
                wrong = _mm256_or_si256(wrong, open);
                open = _mm256_setzero_si256();
                before = _mm256_setzero_si256();
                at += 4 * (size_t)STEP;
                continue;
            }
        }
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(ptr + at));
        if (_mm256_movemask_epi8(v) == 0) {
            wrong = _mm256_or_si256(wrong, open);
            open = _mm256_setzero_si256();
        } else {
            wrong = _mm256_or_si256(wrong, faults(v, before));
            open = unfinished(v);
        }
        before = v;
        at += STEP;
    }
    return _mm256_testz_si256(wrong, wrong) != 0 ? at : SIZE_MAX;
}

/* How many bytes before `end` belong to a sequence that is not finished there. */
static size_t open_tail(const uint8_t *end)
{
    for (size_t back = 1; back <= 3; back++) {
        uint8_t byte = end[-(ptrdiff_t)back];
        if (byte >= 0xC0) {
            size_t whole = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
            return whole > back ? back : 0;
        }
        if (byte < 0x80) {
            return 0;
        }
    }
    return 0;
}
#endif

bool tusk_utf8_feed(tusk_utf8 *self, const uint8_t *ptr, size_t len)
{
#ifdef TUSK_CPU_X86
    if (len >= (size_t)STEP + SEQUENCE_MAX && tusk__cpu_has_avx2()) {
        size_t at = 0;
        for (; self->state != 0; at++) {
            if (!fits(self->state, ptr[at])) {
                return false;
            }
            self->state = next(self->state);
        }
        size_t done = feed_blocks(ptr + at, len - at);
        if (done == SIZE_MAX) {
            return false;
        }
        at += done;
        at -= open_tail(ptr +
                        at); /* at least one block was done, and it began with no open sequence */
        return tusk__utf8_feed_portable(self, ptr + at, len - at);
    }
#endif
    return tusk__utf8_feed_portable(self, ptr, len);
}

bool tusk_utf8_valid(const uint8_t *ptr, size_t len)
{
    tusk_utf8 utf8 = {0};
    return tusk_utf8_feed(&utf8, ptr, len) && tusk_utf8_complete(&utf8);
}
