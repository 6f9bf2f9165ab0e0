/* SPDX-License-Identifier: MIT */
/* What a server or a proxy counts, for stats() and for /metrics. */
#ifndef TUSK_EXT_PROCESS_COUNTERS_H
#define TUSK_EXT_PROCESS_COUNTERS_H

#include "src/run/host.h"

#include <tusk/crew.h>
#include <tusk/stats.h>

/* Of one structure, whose names begin with `prefix`. */
typedef struct tusk_counted {
    const char *prefix;
    const tusk_metric_table *table;
    const void *stats; /* borrowed */
} tusk_counted;

/* All of them, in the order of docs/reference/counters.md. */
typedef struct tusk_counters {
    tusk_counted parts[4];
    size_t count;
    tusk_crew_stats crew;
} tusk_counters;

void tusk_counters_add(tusk_counters *self, const char *prefix, const tusk_metric_table *table,
                       const void *stats);
/* crew_..., in the master; else nothing. */
void tusk_counters_add_crew(tusk_counters *self, const tusk_host *host);
/* Name by name, as an array of PHP. */
void tusk_counters_array(const tusk_counters *self, zval *out);
/* As OpenMetrics has them: tusk_<what>_<name>, and "draining" behind all. */
tusk_err tusk_counters_text(const tusk_counters *self, const char *what, const tusk_host *host,
                            tusk_buf *out);

#endif
