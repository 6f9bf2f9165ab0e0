/* SPDX-License-Identifier: MIT */
/* The crew's counters and their names. */
#define _GNU_SOURCE
#include <string.h>

#include "crew/inner.h"
#include "net/usage.h"

void tusk_crew_stats_get(const tusk_crew *self, tusk_crew_stats *out)
{
    *out = self->stats;
    for (uint32_t i = 0; i < 2 * self->options.workers; i++) {
        out->workers += self->seats[i].state == SEAT_SERVING;
        out->silent += crew_roll_silent(&self->seats[i]);
        out->draining += self->seats[i].state == SEAT_DRAINING;
    }
    for (uint32_t i = 0; i < self->options.workers; i++) {
        out->waiting += tusk_timer_running(&self->slots[i].pause);
    }
}

/* Time that a worker took is its master's when it is reaped: with that of children who ended, no
 * sum is ever less than the one before. */
void tusk_crew_usage(const tusk_crew *self, tusk_usage *out)
{
    net_usage_read(&net_usage_system, 0, true, out);
    for (uint32_t i = 0; i < 2 * self->options.workers; i++) {
        const crew_seat *seat = &self->seats[i];
        tusk_usage of;
        if (seat->pid != 0) {
            net_usage_read(&net_usage_system, seat->pid, true, &of);
            net_usage_add(out, &of);
        }
    }
}

static const tusk_metric rows[] = {
    TUSK_METRIC(tusk_crew_stats, workers, GAUGE, "Processes that serve."),
    TUSK_METRIC(tusk_crew_stats, silent, GAUGE,
                "Processes that serve and have not answered their master for ten seconds."),
    TUSK_METRIC(tusk_crew_stats, draining, GAUGE, "Processes that drain."),
    TUSK_METRIC(tusk_crew_stats, waiting, GAUGE,
                "Places whose next worker waits for its pause to end."),
    TUSK_METRIC(tusk_crew_stats, started, COUNTER, "Workers forked."),
    TUSK_METRIC(tusk_crew_stats, crashes, COUNTER, "Workers that ended without being told to."),
    TUSK_METRIC(tusk_crew_stats, killed, COUNTER,
                "Workers that were not ready, or not drained, in time."),
    TUSK_METRIC(tusk_crew_stats, adopted, COUNTER,
                "Times that a worker accepted for an empty place."),
    TUSK_METRIC(tusk_crew_stats, reloads, COUNTER, "Times that all workers were replaced."),
};

TUSK_METRICS_COVER(rows, tusk_crew_stats);
const tusk_metric_table tusk_crew_counters = {rows, sizeof(rows) / sizeof(rows[0])};
