/* SPDX-License-Identifier: MIT */
/* Statistics: a mergeable histogram of fixed relative error, counters and their text. */
#ifndef TUSK_STATS_H
#define TUSK_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <tusk/bytes.h>
#include <tusk/err.h>
#include <tusk/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Log-linear buckets over [1, highest]: any value is known to `digits` decimal digits. It holds no
 * pointer into itself, so it may live in memory that processes share; one process writes, nothing
 * is atomic. */
typedef struct tusk_hist tusk_hist;

/* lowest >= 1 is the unit of precision, highest >= 2 * lowest, digits 1 to 5. TUSK_EINVAL for
 * anything else. */
typedef struct tusk_hist_range {
    uint64_t lowest;
    uint64_t highest;
    int digits;
} tusk_hist_range;

/* Bytes that `init` needs, 0 when the range is bad. */
TUSK_API size_t tusk_hist_size(tusk_hist_range range);
/* Makes an empty histogram in `storage` (8-byte aligned, tusk_hist_size bytes); there is nothing to
 * fini. */
TUSK_API tusk_err tusk_hist_init(tusk_hist **out, void *storage, size_t size,
                                 tusk_hist_range range);
TUSK_API tusk_err tusk_hist_new(tusk_hist **out, const tusk_mem *mem, tusk_hist_range range);
TUSK_API void tusk_hist_free(tusk_hist *self);

/* A value over `highest` is recorded as `highest` and counted as saturated; none is lost. */
TUSK_API void tusk_hist_record(tusk_hist *self, uint64_t value);
TUSK_API void tusk_hist_record_n(tusk_hist *self, uint64_t value, uint64_t n);
/* For a closed loop that should have sampled every `interval`: also records value - interval, value
 * - 2 * interval and so on down to interval. An estimate; call the result "corrected". */
TUSK_API void tusk_hist_record_corrected(tusk_hist *self, uint64_t value, uint64_t interval);
TUSK_API void tusk_hist_reset(tusk_hist *self);
/* TUSK_EINVAL when the ranges differ. */
TUSK_API tusk_err tusk_hist_merge(tusk_hist *self, const tusk_hist *from);

/* Recorded so far, and how many of them were over `highest`. */
TUSK_API uint64_t tusk_hist_count(const tusk_hist *self);
TUSK_API uint64_t tusk_hist_saturated(const tusk_hist *self);
/* Exact as recorded; 0 when empty. After a decode they are the edges of the outermost slots. */
TUSK_API uint64_t tusk_hist_min(const tusk_hist *self);
TUSK_API uint64_t tusk_hist_max(const tusk_hist *self);
TUSK_API double tusk_hist_mean(const tusk_hist *self);
/* From the middles of the slots. */
TUSK_API double tusk_hist_stddev(const tusk_hist *self);
/* Highest value of the slot in which the sample of rank ceil(percentile / 100 * n) lies, never over
 * max; for percentile 0 the lowest value of the first slot in use. 0 when empty. */
TUSK_API uint64_t tusk_hist_percentile(const tusk_hist *self, double percentile);
/* Whether n >= 10 / (1 - q): below that the quantile is not worth printing. */
TUSK_API int tusk_hist_supports(const tusk_hist *self, double percentile);
TUSK_API size_t tusk_hist_slot(const tusk_hist *self, uint64_t value);
/* Walks the slots in use, in order: the highest value of each and its count. `*cursor` starts at 0;
 * false at the end. */
TUSK_API bool tusk_hist_next(const tusk_hist *self, size_t *cursor, uint64_t *highest,
                             uint64_t *count);
TUSK_API tusk_hist_range tusk_hist_range_of(const tusk_hist *self);

/* Appends version 2 of the field's binary form, uncompressed. */
TUSK_API tusk_err tusk_hist_encode(const tusk_hist *self, tusk_buf *out);
/* Makes a histogram from that form. Anybody's bytes: TUSK_EPROTO when they are not one, TUSK_ELIMIT
 * when it would have over `slots_max` slots. */
TUSK_API tusk_err tusk_hist_decode(tusk_hist **out, const tusk_mem *mem, tusk_bytes in,
                                   size_t slots_max);

/* Counters are plain uint64_t in an array that their owner indexes with an enum; this table names
 * them. A counter only rises, a gauge also falls, a peak keeps the highest and is merged by
 * maximum. */
typedef enum tusk_metric_kind {
    TUSK_METRIC_COUNTER,
    TUSK_METRIC_GAUGE,
    TUSK_METRIC_PEAK
} tusk_metric_kind;

typedef struct tusk_metric {
    const char *name; /* as monitoring wants it: [a-z_]+, counters end in _total */
    const char *help; /* one line */
    tusk_metric_kind kind;
} tusk_metric;

static inline void tusk_metric_peak(uint64_t *peak, uint64_t value)
{
    if (value > *peak) {
        *peak = value;
    }
}

/* Adds one worker's values to another's. */
TUSK_API void tusk_metrics_merge(const tusk_metric *table, size_t n, uint64_t *into,
                                 const uint64_t *from);
/* Appends the text exposition that scrapers read (HELP, TYPE and value lines). */
TUSK_API tusk_err tusk_metrics_text(const tusk_metric *table, size_t n, const uint64_t *values,
                                    tusk_buf *out);

#ifdef __cplusplus
}
#endif
#endif
