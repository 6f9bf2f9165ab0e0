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

uint64_t tusk__hist_slot_low(const tusk_hist *self, size_t slot);
uint64_t tusk__hist_slot_width(const tusk_hist *self, size_t slot);
/* Adds samples of which only the slot is known. */
void tusk__hist_touch(tusk_hist *self, size_t slot, uint64_t n);

#endif
