/* SPDX-License-Identifier: MIT */
/* A lane: slots are taken, queued, looked at, given back; the region is believed where it fits. */
#define _GNU_SOURCE
#include "work/lane.h"

#if defined(__linux__)
#include "base/mem.h"
#include "work/worker.h"

#include <string.h>

#define MS UINT64_C(1000000)

tusk_err tusk__lane_init(tusk_lane *self, const tusk_mem *mem, const work_region *region,
                         uint32_t owner, work_arena *arena)
{
    const lane_view *view = &region->lanes[owner];
    *self = (tusk_lane){.mem = mem,
                        .region = region,
                        .view = view,
                        .owner = owner,
                        .arena = arena,
                        .fd = -1,
                        .look_index = view->count,
                        .sweep = view->count,
                        .watched = view->count};
    self->own = tusk__new(mem, view->count * sizeof(own_slot));
    self->ring = tusk__new(mem, view->ring_max * sizeof(uint64_t));
    if (self->own == NULL || self->ring == NULL) {
        tusk__lane_fini(self);
        return TUSK_ENOMEM;
    }
    for (uint32_t i = 0; i < view->count; i++) {
        self->own[i].next = i + 1;
        self->own[i].generation = word_generation(atomic_load(&view->slots[i].word));
    }
    self->tail = atomic_load(&view->lane->tail);
    return TUSK_OK;
}

void tusk__lane_fini(tusk_lane *self)
{
    if (self->view != NULL) {
        tusk__free(self->mem, self->own, self->view->count * sizeof(own_slot));
        tusk__free(self->mem, self->ring, self->view->ring_max * sizeof(uint64_t));
    }
    *self = (tusk_lane){0};
}

/* Twice through them: first those without a bit, then those with one. */
void tusk__lane_use_last(tusk_lane *self, uint64_t slots)
{
    uint32_t *next = &self->free_slot;
    for (int with = 0; with < 2; with++) {
        for (uint32_t i = 0; i < self->view->count; i++) {
            if ((slots >> i & 1) == (uint64_t)with) {
                *next = i;
                next = &self->own[i].next;
            }
        }
    }
    *next = self->view->count;
}

/* One less that somebody might run; a worker's lane without any is not looked at. */
static void settled(tusk_lane *self)
{
    if (--self->outstanding == 0 && self->owner != APPLICATION) {
        atomic_fetch_and(&self->region->head->inner, ~(UINT64_C(1) << (self->owner - 1)));
    }
}

/* ---- the owner's way in ---- */
tusk_err tusk_lane_take(tusk_lane *self, uint32_t *slot, uint8_t **room, size_t *cap)
{
    uint32_t i = self->free_slot;
    if (i >= self->view->count) {
        return TUSK_ELIMIT;
    }
    *room = tusk__arena_open(self->arena, cap);
    if (*room == NULL) {
        return TUSK_ENOMEM;
    }
    own_slot *own = &self->own[i];
    self->free_slot = own->next;
    uint32_t generation = own->generation + 1;
    *own = (own_slot){.phase = OWN_TAKEN, .generation = generation};
    if (i >= self->used) {
        self->used = i + 1;
    }
    *slot = i;
    return TUSK_OK;
}

static void unwatch(tusk_lane *self, uint32_t slot)
{
    if (self->watched == slot) {
        self->watched = self->view->count;
    }
}

static void free_request(tusk_lane *self, const own_slot *own)
{
    if (own->at != INSIDE) {
        tusk__arena_free(self->arena, own->block);
    }
}

static void give_back(tusk_lane *self, uint32_t slot)
{
    self->own[slot].phase = OWN_FREE;
    self->own[slot].next = self->free_slot;
    self->free_slot = slot;
}

void tusk_lane_drop(tusk_lane *self, uint32_t slot)
{
    unwatch(self, slot);
    give_back(self, slot);
}

void tusk_lane_watch(tusk_lane *self, uint32_t slot)
{
    if (self->watched == self->view->count) {
        self->watched = slot;
        self->own[slot].watched = true;
    }
}

static void publish(tusk_lane *self, uint32_t slot, uint64_t word)
{
    own_slot *own = &self->own[slot];
    shared_slot *shared = &self->view->slots[slot];
    atomic_store_explicit(&shared->request_at, own->at, memory_order_relaxed);
    atomic_store_explicit(&shared->request_len, own->len, memory_order_relaxed);
    atomic_store_explicit(&shared->deadline_ns, own->deadline_ns, memory_order_relaxed);
    atomic_store_explicit(&shared->cancelled, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->watched, own->watched, memory_order_relaxed);
    atomic_store_explicit(&shared->word, word, memory_order_release);
    own->phase = OWN_SUBMITTED;
    own->suspect = false;
    self->outstanding++;
}

/* Behind the last; the ring is twice as long as there are slots, and only queued ones count. True:
 * it has gone round, and the oldest place is out of reach from now on. */
static bool push(tusk_lane *self, uint32_t slot)
{
    uint32_t mask = self->view->ring_max - 1;
    shared_lane *lane = self->view->lane;
    self->own[slot].place = self->tail;
    uint64_t entry = (uint64_t)self->own[slot].generation << 32 | slot;
    self->ring[self->tail & mask] = entry;
    atomic_store_explicit(&self->view->ring[self->tail & mask], entry, memory_order_relaxed);
    if (self->outstanding == 1) { /* what stands before it is done, whoever passed it */
        atomic_store_explicit(&lane->head, self->tail, memory_order_relaxed);
    }
    self->tail++;
    atomic_store_explicit(&lane->last, entry, memory_order_relaxed);
    atomic_store_explicit(&lane->tail, self->tail, memory_order_release);
    self->unflushed++;
    uint32_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);
    if (self->tail - head <= mask) {
        return false;
    }
    atomic_store(&lane->head, self->tail - mask);
    return true;
}

/* The one of that oldest place has not been taken. */
static bool is_passed(const tusk_lane *self, uint32_t *slot)
{
    uint32_t place = self->tail - self->view->ring_max;
    *slot = (uint32_t)self->ring[place & (self->view->ring_max - 1)];
    const own_slot *own = &self->own[*slot];
    return own->phase == OWN_SUBMITTED && own->place == place &&
           atomic_load_explicit(&self->view->slots[*slot].word, memory_order_relaxed) ==
               word_of(SLOT_QUEUED, 0, 0, own->generation);
}

/* What has stood queued while the ring went round, as others were withdrawn or taken newest first,
 * goes behind the last once more: it would not be found where it stood. */
void tusk__lane_push(tusk_lane *self, uint32_t slot)
{
    while (push(self, slot) && is_passed(self, &slot)) {
    }
}

void tusk_lane_submit(tusk_lane *self, uint32_t slot, size_t len, uint64_t deadline_ns)
{
    own_slot *own = &self->own[slot];
    own->len = len;
    own->deadline_ns = deadline_ns;
    if (len <= REQUEST_INSIDE) { /* all of it: the room is longer, and a known length is a move */
        memcpy(self->view->slots[slot].request, tusk__arena_room(self->arena), REQUEST_INSIDE);
        own->at = INSIDE;
    } else {
        own->at = self->arena->open_at;
        own->block = tusk__arena_commit(self->arena, len, NULL, 0);
    }
    publish(self, slot, word_of(SLOT_QUEUED, 0, 0, own->generation));
    tusk__lane_push(self, slot);
}

void tusk_lane_again(tusk_lane *self, uint32_t slot, uint64_t deadline_ns)
{
    own_slot *own = &self->own[slot];
    own->generation++;
    own->deadline_ns = deadline_ns;
    own->cancelled = false;
    own->told = false;
    own->pid = 0;
    own->kill_ns = own->asked_ns = 0;
    if (own->watched) {
        own->watched = false;
        tusk_lane_watch(self, slot);
    }
    publish(self, slot, word_of(SLOT_QUEUED, 0, 0, own->generation));
    tusk__lane_push(self, slot);
}

tusk_err tusk_lane_fork(tusk_lane *self, uint32_t slot, size_t len, uint64_t deadline_ns)
{
    if (self->work == NULL) {
        return TUSK_ENOTSUP;
    }
    uint32_t hand;
    uint32_t incarnation;
    tusk_err err = tusk__work_guest_seat(self->work, &hand, &incarnation);
    if (err != TUSK_OK) {
        return err;
    }
    own_slot *own = &self->own[slot];
    own->at = self->arena->open_at;
    own->len = len;
    own->deadline_ns = deadline_ns;
    own->block = tusk__arena_commit(self->arena, len, NULL, 0);
    uint64_t word = word_of(SLOT_RUNNING, hand, incarnation, own->generation);
    publish(self, slot, word);
    err = tusk__work_guest_fork(self->work, hand, slot, word);
    if (err != TUSK_OK) {
        atomic_store(&self->view->slots[slot].word, word_of(SLOT_FREE, 0, 0, own->generation));
        tusk__arena_free(self->arena, own->block);
        settled(self);
        own->phase = OWN_TAKEN;
    }
    return err;
}

/* Whether there is a worker that looks for each task of the application that has not ended, and
 * nothing else that it could take: none sleeps without a last look at the ring. */
static bool looked_for(const tusk_lane *self)
{
    const shared_head *head = self->region->head;
    return self->work != NULL &&
           (uint32_t)__builtin_popcountll(atomic_load(&head->awake)) >= self->outstanding &&
           atomic_load(&head->inner) == 0 &&
           tusk__region_looking(self->region) >= self->outstanding;
}

void tusk_lane_flush(tusk_lane *self)
{
    uint32_t count = self->unflushed;
    if (count == 0) {
        return;
    }
    self->unflushed = 0;
    shared_head *head = self->region->head;
    if (self->work == NULL) {
        atomic_fetch_or(&head->inner, UINT64_C(1) << (self->owner - 1));
    }
    /* What was pushed first: who lies down looks at it, and of two that count idle workers for
     * their tasks at once, one counts the other's task as well. */
    atomic_thread_fence(memory_order_seq_cst);
    if (self->work != NULL) {
        tusk__work_submitted(self->work, count); /* before anybody takes one of them */
    } else {
        uint64_t there = atomic_load(&head->awake) | atomic_load(&head->sleeping);
        if ((uint32_t)__builtin_popcountll(there) < self->region->workers) {
            tusk__worker_wish(self->worker, tusk__unserved(self->region, count));
        }
        atomic_fetch_add(&head->work,
                         1); /* those awake look at this and at the application's tail */
    }
    if (atomic_load(&head->sleeping) != 0 && !looked_for(self)) {
        atomic_fetch_add(&head->work, 1);
        tusk__apart_wake(self, count);
    }
}

void tusk_lane_expect(tusk_lane *self, uint32_t count)
{
    shared_head *head = self->region->head;
    uint32_t busy = (uint32_t)__builtin_popcountll(atomic_load(&head->awake)) +
                    (self->work != NULL); /* a worker that asks is awake itself */
    if (self->spin_us == 0 || busy >= self->region->cpus || atomic_load(&head->sleeping) == 0) {
        return;
    }
    uint32_t free = self->region->cpus - busy;
    atomic_store_explicit(&head->rouser, tusk__core(), memory_order_relaxed);
    tusk__futex_wake(&head->work, count < free ? count : free);
}

/* ---- looking ---- */
static tusk_work_state lose(tusk_lane *self, uint32_t slot, int status)
{
    own_slot *own = &self->own[slot];
    own->phase = OWN_LOST;
    own->status = status;
    own->generation++;
    atomic_store(&self->view->slots[slot].word, word_of(SLOT_FREE, 0, 0, own->generation));
    settled(self);
    return TUSK_WORK_LOST;
}

static tusk_work_state lose_corrupt(tusk_lane *self, uint32_t slot)
{
    self->corrupt++;
    return lose(self, slot, -1);
}

bool tusk__lane_hand_dead(tusk_lane *self, uint32_t hand, uint32_t incarnation, int *status)
{
    if (self->work != NULL) {
        return tusk__work_hand_dead(self->work, hand, incarnation, status);
    }
    *status = -1;
    if (hand >= self->region->hands) {
        return true;
    }
    shared_hand *shared = &self->region->head->hands[hand];
    if (atomic_load(&shared->incarnation) == incarnation) {
        return false;
    }
    *status = atomic_load(&shared->dead) == incarnation ? atomic_load(&shared->status) : -1;
    return true;
}

int tusk__lane_hand_pid(const tusk_lane *self, uint64_t word)
{
    return self->work == NULL
               ? 0
               : tusk__work_hand_pid(self->work, word_hand(word), word_incarnation(word));
}

/* To be told: before the template's word of a birth, and in a worker, which hears none, what shared
 * memory says. */
static int told_pid(const tusk_lane *self, uint64_t word)
{
    int pid = tusk__lane_hand_pid(self, word);
    if (pid != 0 || word_hand(word) >= self->region->workers) {
        return pid;
    }
    shared_hand *shared = &self->region->head->hands[word_hand(word)];
    uint64_t who = atomic_load(&shared->who);
    if (who >> 32 == word_incarnation(word)) {
        return (int)(uint32_t)who;
    }
    return atomic_load(&shared->dead) == word_incarnation(word) ? atomic_load(&shared->dead_pid)
                                                                : 0;
}

static tusk_work_state look_running(tusk_lane *self, uint32_t slot, uint64_t word)
{
    own_slot *own = &self->own[slot];
    shared_slot *shared = &self->view->slots[slot];
    int status;
    own->hand = word_hand(word);
    if (word_hand(word) >= self->region->hands) {
        own->pid = 0;
        return lose_corrupt(self, slot);
    }
    bool dead =
        own->told || tusk__lane_hand_dead(self, word_hand(word), word_incarnation(word), &status);
    if (own->told) {
        status = own->status;
    } else {
        own->pid = told_pid(self, word);
    }
    if (!dead) {
        return TUSK_WORK_RUNNING;
    }
    if (atomic_load_explicit(&shared->word, memory_order_acquire) != word) {
        return TUSK_WORK_RUNNING; /* its last act: the next look sees it */
    }
    return lose(self, slot, status);
}

/* Who answered may be gone, and who came after as well: then the template's words tell it, once
 * they have been read. */
static void note_pid(tusk_lane *self, uint32_t slot, uint64_t word)
{
    own_slot *own = &self->own[slot];
    int pid = own->told ? own->pid : told_pid(self, word);
    if (pid == 0 && self->work != NULL) {
        tusk__work_hear(self->work);
        pid = own->told ? own->pid : told_pid(self, word);
    }
    own->pid = pid;
}

static tusk_work_state look_done(tusk_lane *self, uint32_t slot, uint64_t word,
                                 tusk_work_result *out)
{
    shared_slot *shared = &self->view->slots[slot];
    uint32_t hand = word_hand(word);
    uint64_t at = atomic_load_explicit(&shared->result_at, memory_order_relaxed);
    uint64_t len = atomic_load_explicit(&shared->result_len, memory_order_relaxed);
    bool fits;
    if (at == INSIDE) {
        fits = len <= RESULT_INSIDE;
        out->bytes = tusk_bytes_of(shared->result, fits ? (size_t)len : 0);
    } else {
        fits =
            hand < self->region->hands && region_view(self->region, hand + 1, at, len, &out->bytes);
    }
    if (hand >= self->region->hands || !fits) {
        return lose_corrupt(self, slot);
    }
    out->worker = hand;
    note_pid(self, slot, word);
    return TUSK_WORK_DONE;
}

tusk_work_state tusk_lane_look(tusk_lane *self, uint32_t slot, tusk_work_result *out)
{
    own_slot *own = &self->own[slot];
    *out = (tusk_work_result){.status = own->status, .worker = own->hand};
    if (own->phase != OWN_SUBMITTED) {
        return TUSK_WORK_LOST;
    }
    uint64_t word = atomic_load_explicit(&self->view->slots[slot].word, memory_order_acquire);
    tusk_work_state state = TUSK_WORK_LOST;
    if (word_generation(word) != own->generation) {
        state = lose_corrupt(self, slot);
    } else if (word == word_of(SLOT_QUEUED, 0, 0, own->generation)) {
        return TUSK_WORK_QUEUED; /* any other that says so would never be claimed */
    } else if (word_kind(word) == SLOT_RUNNING) {
        state = look_running(self, slot, word);
    } else if (word_kind(word) == SLOT_DONE) {
        state = look_done(self, slot, word, out);
    } else {
        state = lose_corrupt(self, slot);
    }
    if (state == TUSK_WORK_LOST) {
        out->status = own->status;
    }
    out->worker = state == TUSK_WORK_DONE ? out->worker : own->hand;
    out->pid = own->pid;
    return state;
}

void tusk_lane_release(tusk_lane *self, uint32_t slot)
{
    own_slot *own = &self->own[slot];
    if (own->phase == OWN_SUBMITTED) {
        own->generation++;
        atomic_store_explicit(&self->view->slots[slot].word,
                              word_of(SLOT_FREE, 0, 0, own->generation), memory_order_release);
        settled(self);
    }
    unwatch(self, slot);
    free_request(self, own);
    give_back(self, slot);
}

bool tusk_lane_withdraw(tusk_lane *self, uint32_t slot)
{
    own_slot *own = &self->own[slot];
    uint64_t queued = word_of(SLOT_QUEUED, 0, 0, own->generation);
    uint64_t gone = word_of(SLOT_FREE, 0, 0, own->generation + 1);
    if (own->phase != OWN_SUBMITTED ||
        !atomic_compare_exchange_strong(&self->view->slots[slot].word, &queued, gone)) {
        return false;
    }
    own->generation++;
    settled(self);
    unwatch(self, slot);
    free_request(self, own);
    give_back(self, slot);
    return true;
}

bool tusk__lane_ask_to_end(tusk_lane *self, uint32_t slot, bool kill)
{
    uint64_t word = atomic_load(&self->view->slots[slot].word);
    uint32_t hand = word_hand(word);
    if (word_kind(word) != SLOT_RUNNING || hand >= self->region->hands) {
        return false;
    }
    if (self->work != NULL) {
        tusk__work_signal(self->work, slot, word, kill);
    } else if (hand < self->region->workers && !kill) { /* its own timer kills it a grace later */
        tusk__worker_interrupt(self->worker, hand);
    }
    return true;
}

void tusk_lane_cancel(tusk_lane *self, uint32_t slot)
{
    own_slot *own = &self->own[slot];
    if (own->phase != OWN_SUBMITTED || own->cancelled) {
        return;
    }
    own->cancelled = true;
    atomic_store(&self->view->slots[slot].cancelled, 1);
    uint64_t grace_ms = self->work == NULL ? 50 : tusk__work_grace_ms(self->work);
    own->kill_ns = tusk_loop_clock_ns() + grace_ms * MS;
    (void)tusk__lane_ask_to_end(self, slot, false);
}

#else

typedef int tusk__lane_is_not_built; /* an empty file would not be C */

#endif
