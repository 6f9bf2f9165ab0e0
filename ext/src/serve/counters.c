/* SPDX-License-Identifier: MIT */
/* Tables of counters as an array of PHP, and as text. */
#include "src/serve/counters.h"

#include "src/serve/workers.h"

enum { NAME_CAP = 64 }; /* of the longest name with its prefix; the rest would be cut */

#define OWN(name, kind, help, field)                                                               \
    {                                                                                              \
        name, help, TUSK_METRIC_##kind, offsetof(tusk_server_stats, field) / sizeof(uint64_t)      \
    }

static const tusk_metric own[] = {
    OWN("parked_handlers", GAUGE, "Handlers of the process that wait.", own_gauge),
    OWN("parked_refused", COUNTER, "Waits that were refused.", own[OWN_PARKED_REFUSED]),
    OWN("slow_handlers", COUNTER, "Handlers that held the loop for too long.",
        own[OWN_SLOW_HANDLERS]),
    OWN("fiber_switches", COUNTER, "Switches from one stack to another.", own[OWN_FIBER_SWITCHES]),
    OWN("workers_over_bytes", COUNTER, "Workers replaced for the memory that they held.",
        own[OWN_WORKERS_HEAVY]),
};
const tusk_metric_table tusk_host_counters = {own, sizeof(own) / sizeof(own[0])};

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
