/* SPDX-License-Identifier: MIT */
/* What a worker weighs: memory that is resident and its own, looked at now and then. */
#define _GNU_SOURCE
#include "crew/inner.h"
#include "loop/small_file.h"

#include <stdlib.h>
#include <unistd.h>

#define LOOK_MS 250

/* Pages that belong to a file or are shared (the log, the seats) are in memory once, however many
 * workers there are. */
static bool weigh(uint64_t *bytes)
{
    char text[128];
    if (tusk__small_file_read("/proc/self/statm", text, sizeof(text)) == 0) {
        return false;
    }
    char *at = text;
    (void)strtoull(at, &at, 10); /* the size of what is mapped */
    uint64_t resident = strtoull(at, &at, 10);
    uint64_t shared = strtoull(at, &at, 10);
    if (resident == 0 || shared > resident) {
        return false;
    }
    *bytes = (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
    return true;
}

static void on_look(tusk_timer *timer)
{
    tusk_crew_worker *self =
        (tusk_crew_worker *)(void *)((char *)timer - offsetof(tusk_crew_worker, look));
    uint64_t now;
    if (weigh(&now) && now > self->bytes_max) {
        self->on_heavy(self->user, now);
        return;
    }
    tusk_timer_start(self->loop, timer, LOOK_MS);
}

tusk_err tusk_crew_worker_bound(tusk_crew_worker *self, uint64_t bytes_max, uint64_t *now,
                                void (*on_heavy)(void *user, uint64_t now))
{
    if (!weigh(now)) {
        return TUSK_ENOTSUP;
    }
    if (*now > bytes_max) {
        return TUSK_ELIMIT;
    }
    self->bytes_max = bytes_max;
    self->on_heavy = on_heavy;
    self->look.on_due = on_look;
    tusk_timer_start(self->loop, &self->look, LOOK_MS);
    return TUSK_OK;
}
