/* SPDX-License-Identifier: MIT */
/* Metrics: merging of workers' counters, and their text exposition. */
#include <tusk/stats.h>

#include <inttypes.h>
#include <stdio.h>

void tusk_metrics_merge(const tusk_metric *table, size_t n, uint64_t *into, const uint64_t *from)
{
    for (size_t i = 0; i < n; i++) {
        switch (table[i].kind) {
        case TUSK_METRIC_COUNTER:
        case TUSK_METRIC_GAUGE: into[i] += from[i]; break;
        case TUSK_METRIC_PEAK: tusk_metric_peak(&into[i], from[i]); break;
        }
    }
}

static const char *kind_text(tusk_metric_kind kind)
{
    switch (kind) {
    case TUSK_METRIC_COUNTER: return "counter";
    case TUSK_METRIC_GAUGE:
    case TUSK_METRIC_PEAK: break;
    }
    return "gauge";
}

tusk_err tusk_metrics_text(const tusk_metric *table, size_t n, const uint64_t *values,
                           tusk_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = table[i].name;
        const char *parts[] = {"# HELP ",   name, " ", table[i].help,
                               "\n# TYPE ", name, " ", kind_text(table[i].kind),
                               "\n",        name};
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
            tusk_err err = tusk_buf_append_str(out, parts[k]);
            if (err != TUSK_OK) {
                return err;
            }
        }
        char number[32];
        (void)snprintf(number, sizeof(number), " %" PRIu64 "\n", values[i]);
        tusk_err err = tusk_buf_append_str(out, number);
        if (err != TUSK_OK) {
            return err;
        }
    }
    return TUSK_OK;
}
