/* SPDX-License-Identifier: MIT */
/* The histogram's inside, for its encoder. */
#ifndef TUSK_STATS_HIST_H
#define TUSK_STATS_HIST_H

#include <tusk/stats.h>

struct tusk_hist {
    const tusk_mem *mem; /* NULL when the storage is the caller's */
    tusk_hist_range range;
    unsigned unit_bits; /* floor(log2(lowest)) */
    unsigned sub_bits;  /* log2 of sub-buckets per bucket */
    uint64_t sub_mask;
    size_t slots;
    uint64_t total;
    uint64_t saturated;
    uint64_t min; /* UINT64_MAX when empty */
    uint64_t max;
    double sum;
    uint64_t counts[];
};

/* Where a value is counted; only for a value that is not over `highest`. */
static inline size_t tusk__hist_slot_of(const tusk_hist *self, uint64_t value)
{
#if defined(__GNUC__)
    unsigned bits = 64u - (unsigned)__builtin_clzll(value | self->sub_mask); /* never of 0 */
    unsigned bucket = bits - self->unit_bits - self->sub_bits;
    return ((size_t)bucket << (self->sub_bits - 1)) + (size_t)(value >> (bucket + self->unit_bits));
#else
    return tusk_hist_slot(self, value);
#endif
}

/* tusk_hist_record where it must cost next to nothing. */
static inline void tusk__hist_add(tusk_hist *self, uint64_t value)
{
    if (TUSK_UNLIKELY(value > self->range.highest)) {
        tusk_hist_record(self, value);
        return;
    }
    self->counts[tusk__hist_slot_of(self, value)]++;
    self->total++;
    self->sum += (double)value;
    self->min = value < self->min ? value : self->min;
    self->max = value > self->max ? value : self->max;
}

/* Adds samples of which only the slot is known. */
void tusk__hist_touch(tusk_hist *self, size_t slot, uint64_t n);

#endif
