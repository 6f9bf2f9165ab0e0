/* SPDX-License-Identifier: MIT */
/* Inner tasks: one that a worker runs in the midst of another one's wait has stacks and a loop of
 * its own, so that it ends before what stands around it goes on. */
#include "src/run/inner.h"

static void take(tusk_inner *out)
{
    out->loop = TUSK_G(loop);
    out->timers = TUSK_G(timers);
    out->watches = TUSK_G(watches);
    out->waits = TUSK_G(waits);
    out->strands = TUSK_G(strands);
    out->parked_fibers = TUSK_G(parked_fibers);
    out->fiber = TUSK_G(fiber);
    out->call = TUSK_G(call);
    out->run = TUSK_G(run);
    out->running_host = TUSK_G(running_host);
    out->client = TUSK_G(client);
    out->active_fiber = EG(active_fiber);
}

static void put(const tusk_inner *in)
{
    TUSK_G(loop) = in->loop;
    TUSK_G(timers) = in->timers;
    TUSK_G(watches) = in->watches;
    TUSK_G(waits) = in->waits;
    TUSK_G(strands) = in->strands;
    TUSK_G(parked_fibers) = in->parked_fibers;
    TUSK_G(fiber) = in->fiber;
    TUSK_G(call) = in->call;
    TUSK_G(run) = in->run;
    TUSK_G(running_host) = in->running_host;
    TUSK_G(client) = in->client;
    EG(active_fiber) = in->active_fiber;
}

bool tusk_inner_enter(tusk_inner *around)
{
    if (TUSK_G(worker) == NULL || TUSK_G(run) == NULL) {
        return false;
    }
    take(around);
    around->next = TUSK_G(inner);
    if (around->next == NULL) {
        around->next = ecalloc(1, sizeof(*around->next));
    }
    put(around->next);
    TUSK_G(inner) = around->next->next;
    return true;
}

void tusk_inner_leave(const tusk_inner *around)
{
    tusk_inner *own = around->next;
    take(own);
    own->next = TUSK_G(inner);
    TUSK_G(inner) = own;
    put(around);
}
