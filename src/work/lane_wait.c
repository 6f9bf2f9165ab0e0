/* SPDX-License-Identifier: MIT */
/* How a lane's owner waits: what tells it that a task has ended, how it looks, spins, sleeps, and
 * what it looks after meanwhile. */
#define _GNU_SOURCE
#include "work/lane.h"

#if defined(__linux__)
#include "work/worker.h"

#define SLICE_NS UINT64_C(100000000)
#define HUNG_NS UINT64_C(5000000000)
#define RESTLESS_SLICE_NS UINT64_C(2000000)
#define MS UINT64_C(1000000)
#define PATIENT_SPINS 6 /* times as long, for one whose core has to be woken */

/* ---- hints ---- */
void tusk__lane_died(tusk_lane *self, uint32_t hand, uint32_t incarnation, int status, int pid)
{
    for (uint32_t i = 0; i < self->used; i++) {
        own_slot *own = &self->own[i];
        uint64_t word = atomic_load(&self->view->slots[i].word);
        if (own->phase == OWN_SUBMITTED &&
            (word == word_of(SLOT_RUNNING, hand, incarnation, own->generation) ||
             word == word_of(SLOT_DONE, hand, incarnation, own->generation))) {
            own->told = true;
            own->status = status;
            own->pid = pid;
        }
    }
    tusk__lane_sweep(self);
}

void tusk__lane_sweep(tusk_lane *self)
{
    self->sweep = 0;
}

static bool swept(tusk_lane *self, uint32_t *slot)
{
    while (self->sweep < self->used) {
        uint32_t i = self->sweep++;
        if (self->own[i].phase == OWN_SUBMITTED) {
            *slot = i;
            return true;
        }
    }
    self->sweep = self->view->count;
    return false;
}

/* Read without a hint; what it says is judged when it is looked at. */
static bool watched_ended(const tusk_lane *self)
{
    if (self->watched == self->view->count || self->own[self->watched].phase != OWN_SUBMITTED) {
        return false;
    }
    uint64_t word =
        atomic_load_explicit(&self->view->slots[self->watched].word, memory_order_relaxed);
    return word_kind(word) == SLOT_DONE || word_kind(word) == SLOT_FREE;
}

bool tusk_lane_ended(tusk_lane *self, uint32_t *slot)
{
    if (watched_ended(self)) {
        *slot = self->watched;
        self->watched = self->view->count;
        return true;
    }
    if (self->sweep < self->view->count && swept(self, slot)) {
        return true;
    }
    uint32_t words = (self->used + 63) / 64;
    for (;;) {
        while (self->look_word != 0) {
            uint32_t i = self->look_index * 64 + (uint32_t)__builtin_ctzll(self->look_word);
            self->look_word &= self->look_word - 1;
            if (i < self->used && self->own[i].phase == OWN_SUBMITTED) {
                *slot = i;
                return true;
            }
        }
        self->look_index = self->look_index >= words ? 0 : self->look_index + 1;
        if (self->look_index >= words) {
            return false;
        }
        _Atomic uint64_t *done = &self->view->done[self->look_index];
        if (atomic_load_explicit(done, memory_order_relaxed) != 0) {
            self->look_word = atomic_exchange(done, 0);
        }
    }
}

static bool any_hint(const tusk_lane *self)
{
    if (watched_ended(self)) {
        return true;
    }
    for (uint32_t i = 0; i < (self->used + 63) / 64; i++) {
        if (atomic_load_explicit(&self->view->done[i], memory_order_relaxed) != 0) {
            return true;
        }
    }
    return false;
}

/* ---- what is due without anybody's asking ---- */
/* Its worker says twice that it runs something else: it is killed, so that nobody writes there any
 * more; where there is no such worker, there is nobody to kill. */
static void give_up(tusk_lane *self, uint32_t slot, uint64_t word)
{
    if (self->work != NULL && tusk__lane_hand_pid(self, word) == 0) {
        uint64_t lost = word_of(SLOT_FREE, 0, 0, self->own[slot].generation);
        atomic_store(&self->view->slots[slot].word, lost); /* the next look finds it so */
        return;
    }
    self->corrupt++;
    (void)tusk__lane_ask_to_end(self, slot, true);
}

/* The ring as it should be; and a slot whose worker says twice, a slice apart, that it runs
 * something else, is given up with that worker. */
static void repair(tusk_lane *self)
{
    const lane_view *view = self->view;
    uint32_t mask = view->ring_max - 1;
    uint32_t first = self->tail;
    for (uint32_t i = 0; i < self->used; i++) {
        own_slot *own = &self->own[i];
        uint64_t word = atomic_load(&view->slots[i].word);
        if (own->phase != OWN_SUBMITTED) {
            continue;
        }
        if (word_kind(word) == SLOT_QUEUED && self->tail - own->place > mask) {
            tusk__lane_push(self, i); /* the ring went round while nobody took anything */
        } else if (word_kind(word) == SLOT_QUEUED && self->tail - own->place > self->tail - first) {
            first = own->place;
        }
        uint32_t hand = word_hand(word);
        uint64_t runs = (uint64_t)self->owner << 32 | (i + 1);
        bool odd = word_kind(word) == SLOT_RUNNING && hand < self->region->workers &&
                   atomic_load(&self->region->head->hands[hand].runs) != runs &&
                   atomic_load(&self->region->head->hands[hand].runs) >> 32 != hand + 1;
        int status;
        odd = odd && !tusk__lane_hand_dead(self, hand, word_incarnation(word), &status);
        if (odd && own->suspect && atomic_load(&view->slots[i].word) == word) {
            give_up(self, i, word);
        }
        own->suspect = odd;
    }
    if (self->tail - first <= mask) {
        for (uint32_t place = first; place != self->tail; place++) {
            atomic_store(&view->ring[place & mask], self->ring[place & mask]);
        }
        atomic_store(&view->lane->tail, self->tail);
        atomic_store(&view->lane->head, first);
    }
    if (first != self->tail) {
        atomic_fetch_add(&self->region->head->work, 1);
        tusk__futex_wake(&self->region->head->work, self->tail - first);
    }
}

/* A template that was stopped (SIGSTOP) buries nobody: it is told to go on, which costs nothing
 * where it was not. One that tells of no end for so long all the same ends, and its workers with
 * it; another one is forked. */
static void note_asked(tusk_lane *self, own_slot *own, uint64_t now_ns)
{
    own->asked_ns = own->asked_ns == 0 ? now_ns : own->asked_ns;
    if (self->work == NULL) {
        return;
    }
    if (now_ns - own->asked_ns >= HUNG_NS) {
        own->asked_ns = 0;
        tusk__work_signal_template(self->work, SIGKILL);
    } else {
        tusk__work_signal_template(self->work, SIGCONT);
    }
}

/* What a deadline's own timers did not end. */
static void enforce(tusk_lane *self, uint64_t now_ns)
{
    uint64_t late = (self->work == NULL ? 50 : tusk__work_grace_ms(self->work)) * MS + SLICE_NS;
    for (uint32_t i = 0; i < self->used; i++) {
        own_slot *own = &self->own[i];
        if (own->phase != OWN_SUBMITTED) {
            continue;
        }
        if ((own->kill_ns != 0 && now_ns >= own->kill_ns) ||
            (own->deadline_ns != 0 && now_ns >= own->deadline_ns + late)) {
            own->kill_ns = now_ns + SLICE_NS;
            if (tusk__lane_ask_to_end(self, i, true)) {
                note_asked(self, own, now_ns);
            }
        }
    }
}

static uint64_t next_kill(const tusk_lane *self, uint64_t until_ns)
{
    for (uint32_t i = 0; i < self->used; i++) {
        const own_slot *own = &self->own[i];
        if (own->phase == OWN_SUBMITTED && own->kill_ns != 0 && own->kill_ns < until_ns) {
            until_ns = own->kill_ns;
        }
    }
    return until_ns;
}

void tusk__lane_look_after(tusk_lane *self)
{
    uint64_t now_ns = tusk_loop_clock_ns();
    enforce(self, now_ns);
    if (now_ns - self->swept_ns >= SLICE_NS) {
        self->swept_ns = now_ns;
        repair(self);
        tusk__lane_sweep(self);
        if (self->work != NULL) {
            tusk__work_check(self->work);
        }
    }
}

/* ---- waiting ---- */
static bool look_a_while(const tusk_lane *self, uint32_t spin_us)
{
    uint64_t end_ns = 0; /* the clock is not read before the first few looks */
    do {
        for (int i = 0; i < 64; i++) {
            if (any_hint(self)) {
                return true;
            }
            tusk__pause();
        }
        uint64_t now_ns = tusk_loop_clock_ns();
        end_ns = end_ns == 0 ? now_ns + (uint64_t)spin_us * 1000 : end_ns;
        if (now_ns >= end_ns) {
            return false;
        }
    } while (tusk__region_core_free(self->region, 0));
    return false;
}

/* Workers that were woken and have not begun need the cores as much as those that run. */
static bool may_spin(const tusk_lane *self)
{
    uint32_t most = self->region->workers;
    uint32_t busy = self->outstanding < most ? self->outstanding : most;
    return self->spin_us != 0 && busy < self->region->cpus &&
           tusk__region_core_free(self->region, 0);
}

static bool spin(tusk_lane *self)
{
    bool patient = self->apart.patient;
    bool found = false;
    self->apart.patient = false;
    if (may_spin(self) && patient) {
        found = look_a_while(self, self->spin_us * PATIENT_SPINS);
    } else if (may_spin(self) && !self->apart.beside && luck_try(&self->luck)) {
        found = luck_note(&self->luck, look_a_while(self, self->spin_us));
    }
    self->apart.away.met |= found;
    return found;
}

void tusk_lane_wait(tusk_lane *self, uint64_t until_ns)
{
    shared_lane *lane = self->view->lane;
    uint32_t bell = atomic_load(&lane->bell); /* a signal that comes from now on changes it */
    if (any_hint(self) || self->look_word != 0 || self->stirred != 0 || spin(self)) {
        self->stirred = 0;
        return;
    }
    tusk__lane_look_after(self);
    bool restless = self->work != NULL && tusk__work_restless(self->work);
    uint64_t slice_ns = tusk_loop_clock_ns() + (restless ? RESTLESS_SLICE_NS : SLICE_NS);
    uint64_t end_ns = next_kill(self, until_ns == 0 || until_ns > slice_ns ? slice_ns : until_ns);
    atomic_fetch_or(&lane->waits, WAITS_FUTEX);
    if (self->work != NULL) {
        tusk__work_news(self->work);
    }
    if (!any_hint(self) && self->sweep >= self->view->count &&
        tusk__futex_wait(&lane->bell, bell, end_ns)) {
        tusk__apart_note(self);
    }
    atomic_fetch_and(&lane->waits, ~(uint32_t)WAITS_FUTEX);
    if (self->work != NULL) {
        tusk__work_news(self->work);
    }
}

bool tusk_lane_help(tusk_lane *self)
{
    return self->worker != NULL && tusk__worker_help(self->worker);
}

#else

typedef int tusk__lane_wait_is_not_built; /* an empty file would not be C */

#endif
