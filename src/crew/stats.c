/* SPDX-License-Identifier: MIT */
/* The crew's counters and their names. */
#define _GNU_SOURCE
#include <string.h>

#include "crew/inner.h"

void tusk_crew_stats_get(const tusk_crew *self, tusk_crew_stats *out)
{
    *out = self->stats;
    for (uint32_t i = 0; i < 2 * self->options.workers; i++) {
        out->workers += self->seats[i].state == SEAT_SERVING;
        out->draining += self->seats[i].state == SEAT_DRAINING;
    }
    for (uint32_t i = 0; i < self->options.workers; i++) {
        out->waiting += tusk_timer_running(&self->slots[i].pause);
    }
}

#define STAT(name, is_gauge)                                                                       \
    {                                                                                              \
#name, offsetof(tusk_crew_stats, name), is_gauge                                           \
    }

static const struct {
    const char *name;
    size_t place;
    bool gauge;
} names[] = {
    STAT(workers, true),  STAT(draining, true), STAT(waiting, true),  STAT(started, false),
    STAT(crashes, false), STAT(killed, false),  STAT(adopted, false), STAT(reloads, false),
};

const char *tusk_crew_stat(const tusk_crew_stats *stats, size_t i, uint64_t *value, bool *gauge)
{
    if (i >= sizeof(names) / sizeof(names[0])) {
        return NULL;
    }
    memcpy(value, (const char *)stats + names[i].place, sizeof(*value));
    *gauge = names[i].gauge;
    return names[i].name;
}
