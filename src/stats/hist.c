/* SPDX-License-Identifier: MIT */
/* Histogram: log-linear buckets, half of each bucket's sub-buckets overlap the bucket below. */
#include <tusk/stats.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "stats/hist.h"

/* A highest value over this has no room for the arithmetic of slot edges. */
#define HIGHEST_MAX (UINT64_C(1) << 62)

static unsigned bit_length(uint64_t v)
{
#if defined(__GNUC__)
    return v == 0 ? 0 : 64u - (unsigned)__builtin_clzll(v);
#else
    unsigned n = 0;
    for (unsigned step = 32; step > 0; step /= 2) {
        if (v >> step != 0) {
            v >>= step;
            n += step;
        }
    }
    return n + (v != 0);
#endif
}

/* Slots that the range needs, 0 when it is bad; sets the two shifts. */
static size_t measure(tusk_hist_range range, unsigned *unit_bits, unsigned *sub_bits)
{
    if (range.lowest < 1 || range.digits < 1 || range.digits > 5 || range.highest > HIGHEST_MAX ||
        range.lowest > range.highest / 2) {
        return 0;
    }
    uint64_t resolution = 2;
    for (int i = 0; i < range.digits; i++) {
        resolution *= 10;
    }
    *sub_bits = bit_length(resolution - 1);
    *unit_bits = bit_length(range.lowest) - 1;
    if (*sub_bits + *unit_bits > 62) {
        return 0;
    }
    size_t buckets = 1;
    uint64_t top = UINT64_C(1) << (*sub_bits + *unit_bits);
    while (top <= range.highest) {
        top <<= 1; /* at most 2^63, as highest is at most 2^62 */
        buckets++;
    }
    return (buckets + 1) << (*sub_bits - 1);
}

size_t tusk_hist_size(tusk_hist_range range)
{
    unsigned unit_bits;
    unsigned sub_bits;
    size_t slots = measure(range, &unit_bits, &sub_bits);
    return slots == 0 ? 0 : sizeof(tusk_hist) + slots * sizeof(uint64_t);
}

tusk_err tusk_hist_init(tusk_hist **out, void *storage, size_t size, tusk_hist_range range)
{
    *out = NULL;
    size_t need = tusk_hist_size(range);
    if (need == 0 || size < need) {
        return TUSK_EINVAL;
    }
    tusk_hist *self = storage;
    memset(self, 0, need);
    self->range = range;
    self->slots = measure(range, &self->unit_bits, &self->sub_bits);
    self->sub_mask = ((UINT64_C(1) << self->sub_bits) - 1) << self->unit_bits;
    self->min = UINT64_MAX;
    *out = self;
    return TUSK_OK;
}

tusk_err tusk_hist_new(tusk_hist **out, const tusk_mem *mem, tusk_hist_range range)
{
    *out = NULL;
    size_t size = tusk_hist_size(range);
    if (size == 0) {
        return TUSK_EINVAL;
    }
    void *storage = tusk__new(mem, size);
    if (storage == NULL) {
        return TUSK_ENOMEM;
    }
    tusk_err err = tusk_hist_init(out, storage, size, range);
    if (err != TUSK_OK) {
        tusk__free(mem, storage, size);
        return err;
    }
    (*out)->mem = mem;
    return TUSK_OK;
}

void tusk_hist_free(tusk_hist *self)
{
    if (self != NULL) {
        tusk__free(self->mem, self, tusk_hist_size(self->range));
    }
}

size_t tusk_hist_slot(const tusk_hist *self, uint64_t value)
{
    if (value > self->range.highest) {
        value = self->range.highest;
    }
    unsigned bucket = bit_length(value | self->sub_mask) - self->unit_bits - self->sub_bits;
    /* (bucket + 1) * half + (sub - half), half being 2^(sub_bits - 1) */
    return ((size_t)bucket << (self->sub_bits - 1)) + (size_t)(value >> (bucket + self->unit_bits));
}

static uint64_t slot_low(const tusk_hist *self, size_t slot)
{
    size_t half = (size_t)1 << (self->sub_bits - 1);
    size_t row = slot >> (self->sub_bits - 1);
    uint64_t sub = (slot & (half - 1)) + (row == 0 ? 0 : half);
    return sub << ((row == 0 ? 0 : row - 1) + self->unit_bits);
}

static uint64_t slot_width(const tusk_hist *self, size_t slot)
{
    size_t row = slot >> (self->sub_bits - 1);
    return UINT64_C(1) << ((row == 0 ? 0 : row - 1) + self->unit_bits);
}

void tusk__hist_touch(tusk_hist *self, size_t slot, uint64_t n)
{
    uint64_t low = slot_low(self, slot);
    uint64_t high = low + slot_width(self, slot) - 1;
    self->counts[slot] += n;
    self->total += n;
    self->sum += (double)n * ((double)low + (double)high) / 2;
    self->min = low < self->min ? low : self->min;
    self->max = high > self->max ? high : self->max;
}

void tusk_hist_record_n(tusk_hist *self, uint64_t value, uint64_t n)
{
    if (n == 0) {
        return;
    }
    if (value > self->range.highest) {
        value = self->range.highest;
        self->saturated += n;
    }
    self->counts[tusk_hist_slot(self, value)] += n;
    self->total += n;
    self->sum += (double)value * (double)n;
    self->min = value < self->min ? value : self->min;
    self->max = value > self->max ? value : self->max;
}

void tusk_hist_record(tusk_hist *self, uint64_t value)
{
    tusk_hist_record_n(self, value, 1);
}

void tusk_hist_record_corrected(tusk_hist *self, uint64_t value, uint64_t interval)
{
    tusk_hist_record_n(self, value, 1);
    if (interval == 0) {
        return;
    }
    while (value >= interval && value - interval >= interval) {
        value -= interval;
        tusk_hist_record_n(self, value, 1);
    }
}

void tusk_hist_reset(tusk_hist *self)
{
    memset(self->counts, 0, self->slots * sizeof(self->counts[0]));
    self->total = 0;
    self->saturated = 0;
    self->sum = 0;
    self->min = UINT64_MAX;
    self->max = 0;
}

tusk_err tusk_hist_merge(tusk_hist *self, const tusk_hist *from)
{
    if (self->range.lowest != from->range.lowest || self->range.highest != from->range.highest ||
        self->range.digits != from->range.digits) {
        return TUSK_EINVAL;
    }
    for (size_t i = 0; i < self->slots; i++) {
        self->counts[i] += from->counts[i];
    }
    self->total += from->total;
    self->saturated += from->saturated;
    self->sum += from->sum;
    self->min = from->min < self->min ? from->min : self->min;
    self->max = from->max > self->max ? from->max : self->max;
    return TUSK_OK;
}

uint64_t tusk_hist_count(const tusk_hist *self)
{
    return self->total;
}

uint64_t tusk_hist_saturated(const tusk_hist *self)
{
    return self->saturated;
}

uint64_t tusk_hist_min(const tusk_hist *self)
{
    return self->total == 0 ? 0 : self->min;
}

uint64_t tusk_hist_max(const tusk_hist *self)
{
    return self->max;
}

double tusk_hist_mean(const tusk_hist *self)
{
    return self->total == 0 ? 0 : self->sum / (double)self->total;
}

double tusk_hist_stddev(const tusk_hist *self)
{
    if (self->total == 0) {
        return 0;
    }
    double mean = tusk_hist_mean(self);
    double squares = 0;
    for (size_t i = 0; i < self->slots; i++) {
        if (self->counts[i] != 0) {
            double middle = (double)slot_low(self, i) + ((double)slot_width(self, i) - 1) / 2;
            squares += (middle - mean) * (middle - mean) * (double)self->counts[i];
        }
    }
    return sqrt(squares / (double)self->total);
}

/* Nearest rank, ceil(p / 100 * n) and at least 1; what decimal fractions miss in binary does not
 * raise it. */
static uint64_t rank(double p, uint64_t n)
{
    double exact = p * (double)n / 100;
    exact -= exact * 1e-12;
    uint64_t whole = (uint64_t)exact;
    return (double)whole < exact ? whole + 1 : whole == 0 ? 1 : whole;
}

uint64_t tusk_hist_percentile(const tusk_hist *self, double percentile)
{
    if (self->total == 0) {
        return 0;
    }
    if (!(percentile > 0)) {
        return slot_low(self, tusk_hist_slot(self, self->min));
    }
    double p = percentile > 100 ? 100 : percentile;
    uint64_t target = rank(p, self->total);
    uint64_t seen = 0;
    for (size_t i = 0; i < self->slots; i++) {
        seen += self->counts[i];
        if (seen >= target) {
            uint64_t high = slot_low(self, i) + slot_width(self, i) - 1;
            return high < self->max ? high : self->max;
        }
    }
    return self->max;
}

int tusk_hist_supports(const tusk_hist *self, double percentile)
{
    return (double)self->total * (1 - percentile / 100) >= 10 - 1e-6;
}

bool tusk_hist_next(const tusk_hist *self, size_t *cursor, uint64_t *highest, uint64_t *count)
{
    while (*cursor < self->slots && self->counts[*cursor] == 0) {
        ++*cursor;
    }
    if (*cursor == self->slots) {
        return false;
    }
    *highest = slot_low(self, *cursor) + slot_width(self, *cursor) - 1;
    *count = self->counts[*cursor];
    ++*cursor;
    return true;
}

tusk_hist_range tusk_hist_range_of(const tusk_hist *self)
{
    return self->range;
}
