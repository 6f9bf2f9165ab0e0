/* SPDX-License-Identifier: MIT */
/* What a crowd had and nobody has any more goes back to the system. The C library's heap gives back
 * its end only, and what lies there stays: queues of many small parts left 50 MiB to the process,
 * and the next crowd had its own beside them. */
#include "base/mem.h"
#include "serve/session.h"

#define LOOK_MS 1000u
/* So much is kept: some 5 ms of a turn are paid for 50 MiB. */
#define SPARE_MAX ((size_t)8 << 20)

/* By how much more lies idle than at the last look, as what was given back is counted as well. */
static void look(tusk_server *self)
{
    size_t spare = tusk__mem_spare(self->mem);
    if (spare > self->heap_spare && spare - self->heap_spare >= SPARE_MAX) {
        tusk__mem_trim(self->mem);
        self->stats.heap_trims++;
        spare = tusk__mem_spare(self->mem);
    } else if (spare > self->heap_spare) {
        return;
    }
    self->heap_spare = spare;
}

/* Once more when all have gone, and then no more. */
void tusk__server_on_heap(tusk_timer *timer)
{
    tusk_server *self = TUSK_OWNER(timer, tusk_server, heap_timer);
    look(self);
    if (self->gates.taken > 0) {
        tusk__server_watch_heap(self);
    }
}

void tusk__server_watch_heap(tusk_server *self)
{
    if (!tusk_timer_running(&self->heap_timer)) {
        tusk_timer_start(self->loop, &self->heap_timer, LOOK_MS);
    }
}
