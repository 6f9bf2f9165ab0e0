/* SPDX-License-Identifier: MIT */
/* Tables of counters as an array of PHP, and as text. */
#include "src/process/counters.h"

#include "src/process/workers.h"

enum { NAME_CAP = 64 }; /* of the longest name with its prefix; the rest would be cut */

void tusk_counters_add(tusk_counters *self, const char *prefix, const tusk_metric_table *table,
                       const void *stats)
{
    ZEND_ASSERT(self->count < sizeof(self->parts) / sizeof(self->parts[0]));
    self->parts[self->count++] = (tusk_counted){.prefix = prefix, .table = table, .stats = stats};
}

void tusk_counters_add_crew(tusk_counters *self, const tusk_host *host)
{
    if (tusk_workers_crew(host) != NULL) {
        tusk_crew_stats_get(host->workers->crew, &self->crew);
        tusk_counters_add(self, "crew_", &tusk_crew_counters, &self->crew);
    }
}

static void put_all(const tusk_counted *part, zval *out)
{
    char full[NAME_CAP];
    for (size_t i = 0; i < part->table->count; i++) {
        const tusk_metric *row = &part->table->rows[i];
        if (row->name != NULL) {
            (void)snprintf(full, sizeof(full), "%s%s", part->prefix, row->name);
            add_assoc_long(out, full, (zend_long)tusk_metric_value(row, part->stats));
        }
    }
}

void tusk_counters_array(const tusk_counters *self, zval *out)
{
    array_init(out);
    for (size_t i = 0; i < self->count; i++) {
        put_all(&self->parts[i], out);
    }
}

tusk_err tusk_counters_text(const tusk_counters *self, const char *what, const tusk_host *host,
                            tusk_buf *out)
{
    static const tusk_metric draining = {
        .name = "draining", .help = "1 from stop() on, before that 0.", .kind = TUSK_METRIC_GAUGE};
    char prefix[NAME_CAP];
    tusk_err err = TUSK_OK;
    for (size_t i = 0; err == TUSK_OK && i < self->count; i++) {
        const tusk_counted *part = &self->parts[i];
        (void)snprintf(prefix, sizeof(prefix), "tusk_%s_%s", what, part->prefix);
        err = tusk_metrics_text(part->table, prefix, part->stats, out);
    }
    (void)snprintf(prefix, sizeof(prefix), "tusk_%s_", what);
    return err == TUSK_OK ? tusk_metric_text(&draining, prefix, host->stopping ? 1 : 0, out) : err;
}
