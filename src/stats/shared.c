/* SPDX-License-Identifier: MIT */
/* Counters in shared memory. */
#include "stats/shared.h"

#include <string.h>

void tusk__shared_put(_Atomic uint64_t *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)from + i * sizeof(value), sizeof(value));
        atomic_store_explicit(&to[i], value, memory_order_relaxed);
    }
}

bool tusk__shared_holds(const void *stats, const tusk_metric_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const tusk_metric *row = &table->rows[i];
        if (row->kind == TUSK_METRIC_GAUGE && tusk_metric_value(row, stats) != 0) {
            return true;
        }
    }
    return false;
}

static void merge(tusk_metric_kind kind, uint64_t *into, uint64_t from)
{
    switch (kind) {
    case TUSK_METRIC_COUNTER:
    case TUSK_METRIC_GAUGE: *into += from; break;
    case TUSK_METRIC_GAUGE_MAX: *into = from > *into ? from : *into; break;
    }
}

void tusk__shared_merge(void *to, const _Atomic uint64_t *from, const tusk_metric_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const tusk_metric *row = &table->rows[i];
        uint64_t value = tusk_metric_value(row, to);
        merge(row->kind, &value, atomic_load_explicit(&from[row->place], memory_order_relaxed));
        memcpy((char *)to + row->place * sizeof(value), &value, sizeof(value));
    }
}

void tusk__shared_bury(_Atomic uint64_t *gone, _Atomic uint64_t *dead,
                       const tusk_metric_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const tusk_metric *row = &table->rows[i];
        uint64_t value = atomic_exchange(&dead[row->place], 0);
        if (row->kind == TUSK_METRIC_COUNTER) {
            atomic_fetch_add(&gone[row->place], value);
        }
    }
}
