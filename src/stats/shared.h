/* SPDX-License-Identifier: MIT */
/* Counters of several processes: each writes copies of its own into shared memory, and anybody
 * merges them. A structure of uint64_t is an array of them here. */
#ifndef STATS_SHARED_H
#define STATS_SHARED_H

#include <tusk/stats.h>

#include <stdatomic.h>
#include <stdbool.h>

/* `from` is this process's structure of `count` counters. */
void tusk__shared_put(_Atomic uint64_t *to, const void *from, size_t count);
/* Whether one of its gauges is not 0, but for those of which the sum has the largest. */
bool tusk__shared_holds(const void *stats, const tusk_metric_table *table);
/* What one process counted, to what the structure `to` has of others, each by its kind. */
void tusk__shared_merge(void *to, const _Atomic uint64_t *from, const tusk_metric_table *table);
/* What a process counted that is gone is added to `gone`; its gauges are no more. */
void tusk__shared_bury(_Atomic uint64_t *gone, _Atomic uint64_t *dead,
                       const tusk_metric_table *table);

#endif
