/* SPDX-License-Identifier: MIT */
/* Metrics as text. */
#include <tusk/stats.h>

#include <inttypes.h>
#include <stdio.h>

tusk_err tusk_metric_text(const tusk_metric *self, const char *prefix, uint64_t value,
                          tusk_buf *out)
{
    bool counts = self->kind == TUSK_METRIC_COUNTER;
    char number[32];
    (void)snprintf(number, sizeof(number), " %" PRIu64 "\n", value);
    const char *parts[] = {"# TYPE ",
                           prefix,
                           self->name,
                           counts ? " counter\n" : " gauge\n",
                           "# HELP ",
                           prefix,
                           self->name,
                           " ",
                           self->help,
                           "\n",
                           prefix,
                           self->name,
                           counts ? "_total" : "",
                           number};
    tusk_err err = TUSK_OK;
    for (size_t i = 0; err == TUSK_OK && i < sizeof(parts) / sizeof(parts[0]); i++) {
        err = tusk_buf_append_str(out, parts[i]);
    }
    return err;
}

tusk_err tusk_metrics_text(const tusk_metric_table *self, const char *prefix, const void *stats,
                           tusk_buf *out)
{
    tusk_err err = TUSK_OK;
    for (size_t i = 0; err == TUSK_OK && i < self->count; i++) {
        const tusk_metric *row = &self->rows[i];
        if (row->name != NULL) {
            err = tusk_metric_text(row, prefix, tusk_metric_value(row, stats), out);
        }
    }
    return err;
}
