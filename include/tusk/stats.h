/* SPDX-License-Identifier: MIT */
/* Statistics: a mergeable histogram of fixed relative error, counters and their text. */
#ifndef TUSK_STATS_H
#define TUSK_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

/* Metrics are the fields of a structure of uint64_t; a table says of each what it is. */
typedef enum tusk_metric_kind {
    TUSK_METRIC_COUNTER,  /* only rises; of several processes the sum, of those gone as well */
    TUSK_METRIC_GAUGE,    /* what is now; the sum over those that are there */
    TUSK_METRIC_GAUGE_MAX /* what is now, where each process may know the same: the most of one */
} tusk_metric_kind;

typedef struct tusk_metric {
    const char *name; /* [a-z0-9_]+; NULL: it is only merged, and somebody else has its name */
    const char *help; /* one line: what is counted, in which unit */
    tusk_metric_kind kind;
    uint16_t place; /* which uint64_t of the structure it is */
} tusk_metric;

typedef struct tusk_metric_table {
    const tusk_metric *rows; /* in the order in which they are told */
    size_t count;
} tusk_metric_table;

#define TUSK_METRIC(type, field, kind, help)                                                       \
    {                                                                                              \
#field, help, TUSK_METRIC_##kind, offsetof(type, field) / sizeof(uint64_t)                 \
    }
/* A field without a row does not compile. */
#define TUSK_METRICS_COVER(rows, type)                                                             \
    _Static_assert(sizeof(rows) / sizeof((rows)[0]) * sizeof(uint64_t) == sizeof(type),            \
                   "each field of " #type " has a row")

static inline uint64_t tusk_metric_value(const tusk_metric *self, const void *stats)
{
    uint64_t value;
    memcpy(&value, (const char *)stats + self->place * sizeof(value), sizeof(value));
    return value;
}

/* Appends what a label's value is between its quotation marks: three escapes, and what is no UTF-8
 * (a path may be none) is a question mark each. */
TUSK_API tusk_err tusk_metric_label(tusk_bytes text, tusk_buf *out);
/* Appends the family as OpenMetrics 1.0 has it: HELP and TYPE of `prefix` and its name, and its
 * value, a counter's with "_total". TUSK_ETOOBIG, TUSK_ENOMEM: some of it may be there. */
TUSK_API tusk_err tusk_metric_text(const tusk_metric *self, const char *prefix, uint64_t value,
                                   tusk_buf *out);
/* All that have a name, out of the structure `stats`. */
TUSK_API tusk_err tusk_metrics_text(const tusk_metric_table *self, const char *prefix,
                                    const void *stats, tusk_buf *out);

#ifdef __cplusplus
}
#endif
#endif
