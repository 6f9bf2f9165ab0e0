/* SPDX-License-Identifier: MIT */
/* A seeded 64-bit hash for tables whose keys peers may choose: the seed keeps collisions from being
 * planned. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <tusk/bytes.h>

static inline uint64_t tusk__hash_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b) * UINT64_C(0x9FB21C651E98DF25);
    x ^= x >> 35;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 32);
}

static inline uint64_t tusk__hash(uint64_t seed, tusk_bytes bytes)
{
    uint64_t h = seed ^ ((uint64_t)bytes.len * UINT64_C(0x9E3779B97F4A7C15));
    size_t at = 0;
    for (; at + 8 <= bytes.len; at += 8) {
        uint64_t word;
        memcpy(&word, bytes.ptr + at, 8);
        h = tusk__hash_mix(h, word);
    }
    uint64_t last = 0;
    if (at < bytes.len) {
        memcpy(&last, bytes.ptr + at, bytes.len - at);
    }
    return tusk__hash_mix(h, last ^ seed);
}

#endif
