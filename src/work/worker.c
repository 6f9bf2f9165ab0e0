/* SPDX-License-Identifier: MIT */
/* A worker's life, from its fork to its end. */
#define _GNU_SOURCE
#include "work/worker.h"

#if defined(__linux__)

#include "base/mem.h"
#include "work/worker_inner.h"

#include <errno.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define IDLE_END_NS (15000 * MS)

/* It runs none more. */
static bool is_spent(const tusk_worker *self)
{
    uint32_t most = self->shape->options.tasks_max;
    return self->used_up || (most != 0 && self->tasks >= most);
}

static int over(const tusk_worker *self, uint64_t now_ns)
{
    const tusk_work_options *options = &self->shape->options;
    if (self->used_up) {
        return WORKER_USED_UP;
    }
    if (is_spent(self) ||
        (options->age_ms_max != 0 && now_ns - self->born_ns >= options->age_ms_max * MS)) {
        return WORKER_RETIRED;
    }
    return self->hand >= options->workers && now_ns - self->answered_ns >= IDLE_END_NS ? WORKER_IDLE
                                                                                       : -1;
}

/* Answers of whoever had this place before, which nobody took yet, are not to be written over. */
static void adopt_answers(tusk_worker *self)
{
    const work_region *region = &self->shape->region;
    for (uint32_t owner = 0; owner <= region->workers; owner++) {
        for (uint32_t i = 0; i < region->lanes[owner].count; i++) {
            shared_slot *slot = &region->lanes[owner].slots[i];
            uint64_t word = atomic_load(&slot->word);
            tusk_bytes bytes;
            if (word_kind(word) == SLOT_DONE && word_hand(word) == self->hand &&
                region_view(region, self->hand + 1, atomic_load(&slot->result_at),
                            atomic_load(&slot->result_len), &bytes) &&
                bytes.len != 0) {
                (void)tusk__arena_adopt(&self->arena, atomic_load(&slot->result_at), bytes.len,
                                        &slot->word, word);
            }
        }
    }
}

/* Slots of the one who had this place before: nobody waits for them. Returns, one bit each, those
 * whose tasks others still run. */
static uint64_t clear_lane(const lane_view *view)
{
    uint64_t run = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        uint64_t word = atomic_load(&view->slots[i].word);
        run |= (uint64_t)(word_kind(word) == SLOT_RUNNING) << i;
        atomic_store(&view->slots[i].word, word_of(SLOT_FREE, 0, 0, word_generation(word) + 1));
    }
    atomic_thread_fence(memory_order_release); /* before anything in the arena is written over */
    atomic_store(&view->lane->head, 0);
    atomic_store(&view->lane->tail, 0);
    atomic_store(&view->lane->waits, 0);
    return run;
}

/* What needs no place. */
static void prepare(tusk_worker *self, work_shape *shape, bool guest)
{
    *self = (tusk_worker){.shape = shape, .guest = guest};
    tusk__worker_make_timers(self);
    shape->options.calls->begin(self, shape->options.user);
}

static bool take_place(tusk_worker *self, uint32_t hand, uint32_t incarnation)
{
    work_shape *shape = self->shape;
    const work_region *region = &shape->region;
    self->hand = hand;
    self->incarnation = incarnation;
    self->born_ns = self->answered_ns = tusk_loop_clock_ns();
    tusk__arena_init(&self->arena, shape->mem, region_arena(region, hand + 1), region->arena_size);
    if (self->guest) {
        return true;
    }
    atomic_store(&region->head->hands[hand].who, (uint64_t)incarnation << 32 | (uint32_t)getpid());
    uint64_t run = clear_lane(&region->lanes[hand + 1]);
    adopt_answers(self);
    if (tusk__lane_init(&self->lane, shape->mem, region, hand + 1, &self->arena) != TUSK_OK) {
        return false;
    }
    tusk__lane_use_last(&self->lane, run);
    self->lane.worker = self;
    self->lane.spin_us = shape->options.spin_us;
    return true;
}

/* Who submits wakes nobody for a task that this one seemed to look for. */
static void leave_tasks(tusk_worker *self)
{
    shared_head *head = self->shape->region.head;
    atomic_fetch_and(&head->awake, ~(UINT64_C(1) << self->hand));
    atomic_fetch_add(&head->work, 1);
    if (atomic_load(&head->sleeping) != 0) {
        tusk__futex_wake(&head->work, 1);
    }
}

static int work(tusk_worker *self)
{
    int status = -1;
    atomic_fetch_or(&self->shape->region.head->awake, UINT64_C(1) << self->hand);
    while (status < 0) {
        while (!is_spent(self) && tusk__worker_next(self)) { /* asked first: sleeping may run one */
            self->answered_ns = 0;
        }
        uint64_t now_ns = tusk_loop_clock_ns();
        self->answered_ns = self->answered_ns == 0 ? now_ns : self->answered_ns;
        status = over(self, now_ns);
        if (status < 0 && !tusk__worker_spin(self, now_ns)) {
            tusk__worker_sleep(self);
        }
    }
    leave_tasks(self);
    return status;
}

_Noreturn void tusk__worker_main(work_shape *shape, uint32_t hand, uint32_t incarnation)
{
    tusk_worker self;
    prepare(&self, shape, false);
    bool set = take_place(&self, hand, incarnation);
    tusk__region_leave(&shape->region, set ? work(&self) : WORKER_UNFIT);
}

_Noreturn void tusk__spare_main(work_shape *shape, int from)
{
    tusk_worker self;
    work_place place;
    ssize_t got;
    prepare(&self, shape, false);
    do {
        got = read(from, &place, sizeof(place));
    } while (got < 0 && errno == EINTR);
    (void)close(from);
    bool set = got == (ssize_t)sizeof(place) && take_place(&self, place.hand, place.incarnation);
    tusk__region_leave(&shape->region, set ? work(&self) : WORKER_UNFIT);
}

_Noreturn void tusk__guest_main(work_shape *shape, uint32_t hand, uint32_t slot, uint64_t word)
{
    tusk_worker self;
    prepare(&self, shape, true);
    (void)take_place(&self, hand, word_incarnation(word));
    tusk__worker_run(&self, APPLICATION, slot, word);
    tusk__region_leave(&shape->region, WORKER_RETIRED);
}

/* ---- small answers ---- */
bool tusk_worker_guest(const tusk_worker *self)
{
    return self->guest;
}

tusk_lane *tusk_worker_lane(tusk_worker *self)
{
    return self->guest ? NULL : &self->lane;
}

void tusk_worker_detach(tusk_worker *self)
{
    tusk__worker_forget_signal();
    tusk__region_close(&self->shape->region);
}

void tusk__worker_wish(tusk_worker *self, uint32_t count)
{
    const uint64_t wish = count;
    if (count != 0) {
        (void)!write(self->shape->wish_fd, &wish, sizeof(wish));
    }
}

void tusk__worker_interrupt(tusk_worker *self, uint32_t hand)
{
    const uint64_t look = WISH_LOOK;
    atomic_fetch_or(&self->shape->region.head->interrupts, UINT64_C(1) << hand);
    (void)!write(self->shape->wish_fd, &look, sizeof(look));
}

#else

typedef int tusk__worker_is_not_built; /* an empty file would not be C */

#endif
