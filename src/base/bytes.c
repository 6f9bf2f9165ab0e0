/* SPDX-License-Identifier: MIT */
/* Comparisons of borrowed bytes. */
#include <tusk/bytes.h>

#define EACH_BYTE UINT64_C(0x0101010101010101)

static uint8_t lower(uint8_t c)
{
    return (uint8_t)(c - 'A') < 26 ? (uint8_t)(c | 0x20) : c;
}

/* Eight bytes at once: what lies between 'A' and 'Z' gets its bit 0x20. Sums stay below 0x100 in
 * each byte, as only the low seven bits are added to. */
static uint64_t lower8(uint64_t word)
{
    uint64_t low = word & EACH_BYTE * 0x7f;
    uint64_t from_a = low + EACH_BYTE * (0x80 - 'A');
    uint64_t past_z = low + EACH_BYTE * (0x7f - 'Z');
    uint64_t letters = (from_a ^ past_z) & ~word & EACH_BYTE * 0x80;
    return word | letters >> 2;
}

bool tusk__bytes_same_nocase(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (; len >= 8; len -= 8, a += 8, b += 8) {
        uint64_t left;
        uint64_t right;
        memcpy(&left, a, 8);
        memcpy(&right, b, 8);
        if (left != right && lower8(left) != lower8(right)) {
            return false;
        }
    }
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i] && lower(a[i]) != lower(b[i])) {
            return false;
        }
    }
    return true;
}
