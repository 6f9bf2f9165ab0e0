/* SPDX-License-Identifier: MIT */
/* The shared region: what lies in it, and where. Pointers and sizes stand in each process's own
 * memory; only words that are checked when read stand in the region. */
#ifndef WORK_REGION_H
#define WORK_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <tusk/work.h>

#include "loop/process.h"

/* Workers, then guests; a lane and an arena for the application (number 0) and for each. */
#define HANDS_MAX (TUSK_WORK_WORKERS_MAX + TUSK_WORK_GUESTS_MAX)
#define INNER_SLOTS 64u /* of a worker's own lane */
#define APPLICATION 0u  /* owner number; worker i is owner i + 1 */

enum { SLOT_FREE, SLOT_QUEUED, SLOT_RUNNING, SLOT_DONE };

/* kind 8 | hand 8 | incarnation 16 | generation 32 */
static inline uint64_t word_of(unsigned kind, uint32_t hand, uint32_t incarnation,
                               uint32_t generation)
{
    return (uint64_t)kind | (uint64_t)hand << 8 | (uint64_t)(incarnation & 0xffff) << 16 |
           (uint64_t)generation << 32;
}
static inline unsigned word_kind(uint64_t word)
{
    return (unsigned)(word & 0xff);
}
static inline uint32_t word_hand(uint64_t word)
{
    return (uint32_t)(word >> 8 & 0xff);
}
static inline uint32_t word_incarnation(uint64_t word)
{
    return (uint32_t)(word >> 16 & 0xffff);
}
static inline uint32_t word_generation(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/* What is small stands in the slot itself: a line that moves between two cores costs as much as a
 * hundred instructions, and who has the slot has these lines anyway. */
enum { REQUEST_INSIDE = 64, RESULT_INSIDE = 14 };
#define INSIDE UINT64_MAX /* as an offset: it lies in no arena */

typedef struct shared_slot {
    _Alignas(128) _Atomic uint64_t word;
    _Atomic uint64_t request_at; /* in the lane owner's arena, or INSIDE */
    _Atomic uint64_t request_len;
    _Atomic uint64_t deadline_ns;
    _Atomic uint64_t result_at; /* in the arena of the hand that ran it, or INSIDE */
    _Atomic uint64_t result_len;
    _Atomic uint8_t cancelled;
    _Atomic uint8_t watched; /* the owner looks at the word: no `done` bit is wanted */
    uint8_t result[RESULT_INSIDE];
    uint8_t request[REQUEST_INSIDE]; /* a line of its own, beside the first */
} shared_slot;
_Static_assert(sizeof(shared_slot) == 128, "two lines, the first with all but the request");

enum { WAITS_FUTEX = 1, WAITS_FD = 2 };

typedef struct shared_lane {
    _Alignas(64) _Atomic uint32_t head; /* a hint: no slot before it is queued */
    _Atomic uint32_t tail;              /* in one line with head: who takes one reads both */
    _Atomic uint64_t last;              /* the ring's newest entry: an only one needs no ring */
    _Atomic uint32_t stay;              /* counts how often the owner has put workers elsewhere */
    _Alignas(64) _Atomic uint32_t bell; /* futex of whoever waits for the lane's tasks */
    _Atomic uint32_t waits;
    _Atomic uint32_t ringer; /* tusk__core() of who rang last; 0: nobody, or not known */
} shared_lane;

typedef struct shared_hand {
    _Alignas(64) _Atomic uint32_t incarnation; /* 0: nobody */
    _Atomic uint32_t dead;                     /* the last that died here */
    _Atomic int32_t status;                    /* and how, as waitpid tells it */
    _Atomic uint64_t runs; /* owner << 32 | slot + 1 of what it runs innermost; 0: nothing */
    _Atomic uint64_t
        who; /* incarnation << 32 | pid, as it says itself: told, and never killed by */
    _Atomic int32_t dead_pid; /* of the last that died here */
    _Atomic uint8_t looks;    /* it looks for a task, and has none: told before it takes one */
} shared_hand;

/* Whoever comes to that place, or was there, has no task. */
static inline void hand_runs_nothing(shared_hand *self)
{
    atomic_store(&self->runs, 0);
    atomic_store(&self->looks, 0);
}

typedef struct shared_head {
    _Alignas(64) _Atomic uint32_t work; /* futex of idle workers; counts what they are woken for */
    _Alignas(64) _Atomic uint64_t sleeping; /* one bit per hand */
    _Alignas(64) _Atomic uint64_t awake;    /* running or spinning */
    _Alignas(64) _Atomic uint64_t inner;    /* workers whose lanes may hold tasks */
    _Alignas(64) _Atomic uint32_t news;     /* counts the template's reports */
    _Atomic uint64_t interrupts;            /* hands that a worker asks the template to signal */
    _Atomic uint32_t rouser; /* tusk__core() of who woke a worker last; 0: not known */
    shared_hand hands[HANDS_MAX];
} shared_head;

/* One lane as every process computes it. */
typedef struct lane_view {
    shared_lane *lane;
    _Atomic uint64_t *ring; /* generation << 32 | slot: an entry stands for one submission */
    _Atomic uint64_t *done; /* one bit per slot */
    shared_slot *slots;
    uint32_t count;    /* slots */
    uint32_t ring_max; /* a power of two, at least twice the slots */
} lane_view;

typedef struct work_region {
    uint8_t *map;
    size_t size;
    int fd; /* where a fresh template maps it from; -1: forks only */
    shared_head *head;
    lane_view lanes[TUSK_WORK_WORKERS_MAX + 1];
    uint32_t workers; /* at most so many */
    uint32_t hands;   /* workers and guests */
    uint8_t *arenas;
    size_t arena_size;
    uint32_t cpus;
} work_region;

/* `named`: another program shall map it, too; nobody can change its size. */
tusk_err tusk__region_open(work_region *self, uint32_t workers, uint32_t queue, size_t arena,
                           bool named);
/* In that program, from its descriptor, which stays the caller's. */
tusk_err tusk__region_adopt(work_region *self, uint32_t workers, uint32_t queue, size_t arena,
                            int fd, size_t size);
void tusk__region_close(work_region *self);
/* Ends a process that takes part: without the mapping, which whoever looks for leaks at the end of
 * a process (valgrind, LeakSanitizer) would read through, a gigabyte of addresses without a
 * pointer. */
_Noreturn void tusk__region_leave(work_region *self, int status);

static inline uint8_t *region_arena(const work_region *self, uint32_t owner)
{
    return self->arenas + (size_t)owner * self->arena_size;
}
/* A piece of an arena, where both numbers are somebody else's; false: it is not inside. */
static inline bool region_view(const work_region *self, uint32_t owner, uint64_t at, uint64_t len,
                               tusk_bytes *out)
{
    if (at > self->arena_size || len > self->arena_size - at) {
        return false;
    }
    *out = tusk_bytes_of(region_arena(self, owner) + at, (size_t)len);
    return true;
}
/* Whether looking was worth it lately: where it is not (somebody else has the core), one sleeps at
 * once and tries again now and then. */
typedef struct work_luck {
    uint32_t left; /* 0: none */
    uint32_t skipped;
} work_luck;
enum { LUCK_MAX = 8, LUCK_AGAIN = 64 };
static inline bool luck_try(work_luck *self)
{
    if (self->left == 0 && ++self->skipped < LUCK_AGAIN) {
        return false;
    }
    self->skipped = 0;
    return true;
}
static inline bool luck_note(work_luck *self, bool found)
{
    if (found) {
        self->left += self->left < LUCK_MAX;
    } else {
        self->left = self->left < 2 ? 0 : self->left - 2;
    }
    return found;
}

/* Whether one more process may look instead of sleeping; `besides` are awake and not counted. */
bool tusk__region_core_free(const work_region *self, uint32_t besides);
/* Workers that are awake and run nothing. */
uint32_t tusk__region_looking(const work_region *self);
/* Workers that wait for work: those that sleep, and those that are awake and run nothing. */
uint32_t tusk__region_idle(const work_region *self);
/* Of these, the ones that are sure to look at what was queued before the call: who has taken a task
 * and does not say yet that it runs it is idle, and not one of them. Not counted further than up to
 * `enough`: each that is awake is a line that it writes to. */
uint32_t tusk__region_waiting(const work_region *self, uint32_t enough);
/* Wakes whoever waits for the lane. `fd`: the application's eventfd. */
void tusk__region_ring(const work_region *self, uint32_t owner, int fd);
/* Everybody, whether they say that they wait or not: whoever died may have been about to ring. */
void tusk__region_rouse(const work_region *self, int fd);

/* ---- system.c ---- */
/* True: somebody woke it. */
bool tusk__futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t until_ns);
void tusk__futex_wake(_Atomic uint32_t *word, uint32_t count);
/* ---- apart.c ---- */
/* The core that this process runs on, from 1; 0: not known. */
uint32_t tusk__core(void);

static inline void tusk__pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
