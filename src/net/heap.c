/* SPDX-License-Identifier: MIT */
/* A look each second at what lies idle in the heap. */
#include "net/heap.h"

#include "base/list.h"
#include "base/mem.h"

/* So much is kept: some 5 ms of a turn are paid for 50 MiB. */
#define SPARE_MAX ((size_t)8 << 20)

/* By how much more lies idle than at the last look, as what was given back is counted as well. */
static void look(net_heap *self)
{
    const tusk_mem *mem = tusk_loop_mem(self->loop);
    size_t spare = tusk__mem_spare(mem);
    if (spare > self->spare && spare - self->spare >= SPARE_MAX) {
        tusk__mem_trim(mem);
        self->trims++;
        spare = tusk__mem_spare(mem);
    } else if (spare > self->spare) {
        return;
    }
    self->spare = spare;
}

static void on_look(tusk_timer *timer)
{
    net_heap *self = TUSK_OWNER(timer, net_heap, timer);
    look(self);
    if (*self->crowd > 0) {
        net_heap_watch(self);
    }
}

void net_heap_init(net_heap *self, tusk_loop *loop, const uint32_t *crowd)
{
    *self = (net_heap){.loop = loop, .crowd = crowd, .timer.on_due = on_look};
}

void net_heap_fini(net_heap *self)
{
    tusk_timer_stop(self->loop, &self->timer);
}
