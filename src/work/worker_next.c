/* SPDX-License-Identifier: MIT */
/* What a worker does next: claims a task, looks for one for a moment, then sleeps. */
#define _GNU_SOURCE
#include "work/worker.h"

#if defined(__linux__)

#include "work/worker_inner.h"

#define MS UINT64_C(1000000)
#define IDLE_LOOK_NS (1000 * MS)
#define ROUSED_SPINS 6 /* times as long as unasked: who roused it has to make the task first */

/* Whether the application has pushed something since this worker last found nothing. */
static bool news(const tusk_worker *self, uint32_t *tail)
{
    const shared_lane *lane = self->shape->region.lanes[APPLICATION].lane;
    *tail = atomic_load_explicit(&lane->tail, memory_order_acquire);
    return !self->seen || *tail != self->seen_tail;
}

static bool next_of_application(tusk_worker *self)
{
    lane_claim claim;
    uint32_t tail;
    if (!news(self, &tail)) {
        return false;
    }
    bool any =
        tusk__lane_claim(&self->shape->region, APPLICATION, self->hand, self->incarnation, &claim);
    self->seen = !any || claim.only;
    self->seen_tail = tail;
    if (any) {
        tusk__worker_run(self, APPLICATION, claim.slot, claim.word);
    }
    return any;
}

bool tusk__worker_next(tusk_worker *self)
{
    const work_region *region = &self->shape->region;
    lane_claim claim;
    uint64_t inner = atomic_load_explicit(&region->head->inner, memory_order_acquire);
    for (; inner != 0; inner &= inner - 1) {
        uint32_t owner = (uint32_t)__builtin_ctzll(inner) + 1;
        if (owner <= region->workers &&
            tusk__lane_claim(region, owner, self->hand, self->incarnation, &claim)) {
            tusk__worker_run(self, owner, claim.slot, claim.word);
            return true;
        }
    }
    return next_of_application(self);
}

bool tusk__worker_help(tusk_worker *self)
{
    lane_claim claim;
    uint32_t owner = self->lane.owner;
    if (!tusk__lane_claim_newest(&self->shape->region, owner, self->hand, self->incarnation,
                                 &claim)) {
        return false;
    }
    tusk__worker_run(self, owner, claim.slot, claim.word);
    return true;
}

static bool holds_entries(const work_region *region, uint32_t owner)
{
    const shared_lane *lane = region->lanes[owner].lane;
    uint32_t count = atomic_load_explicit(&lane->tail, memory_order_relaxed) -
                     atomic_load_explicit(&lane->head, memory_order_relaxed);
    return count != 0 && count <= region->lanes[owner].ring_max; /* else it is rubbish */
}

static bool any_task(const tusk_worker *self)
{
    const work_region *region = &self->shape->region;
    uint32_t tail;
    bool any = news(self, &tail) && holds_entries(region, APPLICATION);
    uint64_t inner = atomic_load_explicit(&region->head->inner, memory_order_relaxed);
    for (; inner != 0 && !any; inner &= inner - 1) {
        uint32_t owner = (uint32_t)__builtin_ctzll(inner) + 1;
        any = owner <= region->workers && holds_entries(region, owner);
    }
    return any;
}

/* Looks at the application's tail, which comes with all that a claim reads, and at the word that a
 * worker's flush changes. */
static bool look_a_while(const tusk_worker *self, uint64_t now_ns, uint32_t spin_us)
{
    shared_head *head = self->shape->region.head;
    uint64_t end_ns = now_ns + (uint64_t)spin_us * 1000;
    uint32_t work = atomic_load(&head->work);
    _Atomic uint8_t *looks = &head->hands[self->hand].looks;
    uint32_t tail;
    bool found = false;
    if (any_task(self)) {
        return true;
    }
    atomic_store_explicit(looks, 1, memory_order_relaxed);
    do {
        for (int i = 0; i < 64 && !found; i++) {
            tusk__pause();
            found = news(self, &tail) ||
                    atomic_load_explicit(&head->work, memory_order_relaxed) != work;
        }
    } while (!found && tusk_loop_clock_ns() < end_ns);
    atomic_store_explicit(looks, 0, memory_order_relaxed); /* before it takes one: tusk__unserved */
    return found;
}

/* On the core of whoever last woke a worker, where looking only keeps the next task from being
 * made.
 */
static bool beside_rouser(const tusk_worker *self)
{
    uint32_t core = atomic_load_explicit(&self->shape->region.head->rouser, memory_order_relaxed);
    return core != 0 && core == tusk__core();
}

bool tusk__worker_spin(tusk_worker *self, uint64_t now_ns)
{
    uint32_t spin_us = self->shape->options.spin_us;
    uint32_t stay = atomic_load_explicit(&self->shape->region.lanes[APPLICATION].lane->stay,
                                         memory_order_relaxed);
    bool roused = self->roused;
    self->roused = false;
    if (stay != self->stay) { /* put on a core of its own: looking is worth it again */
        self->stay = stay;
        self->luck.left = LUCK_MAX;
    }
    if (spin_us == 0 || !tusk__region_core_free(&self->shape->region, 0) || beside_rouser(self)) {
        return false;
    }
    return roused ? look_a_while(self, now_ns, spin_us * ROUSED_SPINS)
                  : luck_try(&self->luck) &&
                        luck_note(&self->luck, look_a_while(self, now_ns, spin_us));
}

/* Until something may be due that nobody wakes it for: its age, exactly; the rest in a second. */
static uint64_t sleep_until(const tusk_worker *self, uint64_t now_ns)
{
    const tusk_work_options *options = &self->shape->options;
    uint64_t look_ns = now_ns + IDLE_LOOK_NS;
    uint64_t old_ns = self->born_ns + options->age_ms_max * MS;
    return options->age_ms_max != 0 && old_ns < look_ns ? old_ns : look_ns;
}

void tusk__worker_sleep(tusk_worker *self)
{
    shared_head *head = self->shape->region.head;
    uint64_t bit = UINT64_C(1) << self->hand;
    uint64_t now_ns = tusk_loop_clock_ns();
    self->seen = false; /* what it believed it knew: a ring may have been repaired meanwhile */
    if (tusk__worker_next(self)) {
        self->answered_ns = 0; /* it has not been without work */
        return;
    }
    self->seen = false;
    atomic_fetch_and(&head->awake, ~bit);
    atomic_fetch_or(&head->sleeping, bit);
    uint32_t seen = atomic_load(&head->work);
    if (!any_task(self)) {
        self->roused = tusk__futex_wait(&head->work, seen, sleep_until(self, now_ns)) &&
                       atomic_load(&head->work) == seen;
    }
    atomic_fetch_and(&head->sleeping, ~bit);
    atomic_fetch_or(&head->awake, bit);
}

#else

typedef int tusk__worker_next_is_not_built; /* an empty file would not be C */

#endif
