/* SPDX-License-Identifier: MIT */
/* Claiming: how anybody takes the next task of a lane, from words that anybody may have written. */
#define _GNU_SOURCE
#include "work/lane.h"

#if defined(__linux__)

/* Without a look before, which would fetch the slot's line twice: to read it, then to write it. */
static bool claim_at_once(const lane_view *view, uint64_t entry, uint32_t hand,
                          uint32_t incarnation, lane_claim *out)
{
    uint32_t i = (uint32_t)entry;
    uint32_t generation = (uint32_t)(entry >> 32);
    if (i >= view->count) {
        return false;
    }
    shared_slot *slot = &view->slots[i];
    uint64_t queued = word_of(SLOT_QUEUED, 0, 0, generation);
    __builtin_prefetch(slot->request);
    out->slot = i;
    out->word = word_of(SLOT_RUNNING, hand, incarnation, generation);
    return atomic_compare_exchange_strong(&slot->word, &queued, out->word);
}

/* Where most entries are old ones: only what is queued is written to. */
static bool claim_entry(const lane_view *view, uint64_t entry, uint32_t hand, uint32_t incarnation,
                        lane_claim *out)
{
    uint32_t i = (uint32_t)entry;
    uint64_t queued = word_of(SLOT_QUEUED, 0, 0, (uint32_t)(entry >> 32));
    return i < view->count &&
           atomic_load_explicit(&view->slots[i].word, memory_order_acquire) == queued &&
           claim_at_once(view, entry, hand, incarnation, out);
}

bool tusk__lane_claim(const work_region *region, uint32_t owner, uint32_t hand,
                      uint32_t incarnation, lane_claim *out)
{
    const lane_view *view = &region->lanes[owner];
    uint32_t mask = view->ring_max - 1;
    uint64_t last = atomic_load_explicit(&view->lane->last, memory_order_acquire);
    uint32_t head = atomic_load_explicit(&view->lane->head, memory_order_acquire);
    uint32_t tail = atomic_load_explicit(&view->lane->tail, memory_order_acquire);
    /* An entry that is newer than the tail is a task as good as any; head does not pass the other
     * one. Nor does it pass this one: that is left to the owner, who writes to that line next. */
    out->only = tail - head == 1 && claim_at_once(view, last, hand, incarnation, out);
    if (out->only) {
        return true;
    }
    if (tail - head > view->ring_max) {
        return false; /* rubbish, until the owner repairs it */
    }
    for (uint32_t place = head; place != tail; place++) {
        uint64_t entry = atomic_load_explicit(&view->ring[place & mask], memory_order_relaxed);
        if (claim_entry(view, entry, hand, incarnation, out)) {
            (void)atomic_compare_exchange_strong(&view->lane->head, &head, place + 1);
            return true;
        }
    }
    if (head != tail) {
        (void)atomic_compare_exchange_strong(&view->lane->head, &head, tail);
    }
    return false;
}

bool tusk__lane_claim_newest(const work_region *region, uint32_t owner, uint32_t hand,
                             uint32_t incarnation, lane_claim *out)
{
    const lane_view *view = &region->lanes[owner];
    uint32_t mask = view->ring_max - 1;
    uint32_t head = atomic_load_explicit(&view->lane->head, memory_order_acquire);
    uint32_t tail = atomic_load_explicit(&view->lane->tail, memory_order_acquire);
    out->only = false;
    for (uint32_t place = tail; place != head && tail - place < view->ring_max; place--) {
        uint64_t entry =
            atomic_load_explicit(&view->ring[(place - 1) & mask], memory_order_relaxed);
        if (claim_entry(view, entry, hand, incarnation, out)) {
            return true;
        }
    }
    return false;
}

#else

typedef int tusk__claim_is_not_built; /* an empty file would not be C */

#endif
