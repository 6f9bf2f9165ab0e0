/* SPDX-License-Identifier: MIT */
/* How many workers are missing for the tasks that stand queued. */
#define _GNU_SOURCE
#include "work/lane.h"

#if defined(__linux__)

/* From its head on, where the first one that nobody has taken is near. */
static uint32_t queued_in(const work_region *region, uint32_t owner, uint32_t most)
{
    enum { LOOKS_MAX = 4 * TUSK_WORK_WORKERS_MAX };
    const lane_view *view = &region->lanes[owner];
    uint32_t mask = view->ring_max - 1;
    uint32_t head = atomic_load(&view->lane->head);
    uint32_t tail = atomic_load(&view->lane->tail);
    uint32_t queued = 0;
    for (uint32_t place = head; place != tail && place - head < LOOKS_MAX && queued < most;
         place++) {
        uint64_t entry = atomic_load_explicit(&view->ring[place & mask], memory_order_relaxed);
        uint32_t slot = (uint32_t)entry;
        queued += slot < view->count &&
                  atomic_load_explicit(&view->slots[slot].word, memory_order_acquire) ==
                      word_of(SLOT_QUEUED, 0, 0, (uint32_t)(entry >> 32));
    }
    return queued;
}

uint32_t tusk__unserved(const work_region *region, uint32_t count)
{
    uint32_t last = count < region->workers ? count : region->workers;
    uint32_t most = region->workers + last;
    uint32_t queued = queued_in(region, APPLICATION, most);
    uint64_t inner = atomic_load(&region->head->inner);
    for (; inner != 0 && queued < most; inner &= inner - 1) {
        uint32_t owner = (uint32_t)__builtin_ctzll(inner) + 1;
        queued += owner <= region->workers ? queued_in(region, owner, most - queued) : 0;
    }
    /* Who waits is asked after what is queued. The other way round a worker would be idle and its
     * task no longer queued, where it takes one in between; the next one would have nobody, perhaps
     * for as long as that runs. Like this it may get a worker too many. */
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t waiting = tusk__region_waiting(region, queued);
    uint32_t more = queued > waiting ? queued - waiting : 0;
    return more < last ? more : last;
}

#else

typedef int tusk__unserved_is_not_built; /* an empty file would not be C */

#endif
