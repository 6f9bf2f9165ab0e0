/* SPDX-License-Identifier: MIT */
/* A lane: where one process submits, and its own record of what it submitted. */
#ifndef WORK_LANE_H
#define WORK_LANE_H

#include <signal.h>

#include "work/arena.h"

enum { OWN_FREE, OWN_TAKEN, OWN_SUBMITTED, OWN_LOST };

/* What the owner knows of a slot, whatever stands in the region. */
typedef struct own_slot {
    uint8_t phase;
    bool suspect;   /* looked wrong a while ago */
    bool cancelled; /* tusk_lane_cancel was called */
    bool told;      /* its worker's death, with status and pid */
    bool watched;   /* no hint tells of its end */
    uint32_t generation;
    uint32_t block; /* of the request, in the arena; where `at` is INSIDE: none */
    uint32_t place; /* in the ring, as last pushed */
    uint64_t at, len;
    uint64_t deadline_ns;
    uint64_t kill_ns;  /* when whoever runs it is killed; 0: not asked for */
    uint64_t asked_ns; /* since when the template is asked for that, in vain; 0: it is not */
    uint32_t next;     /* in the list of free slots */
    int status;        /* of a lost one */
    int pid;           /* of whoever ran it */
    uint32_t hand;
} own_slot;

/* Moving workers to or from the owner's core, as they are woken. */
typedef struct work_move {
    uint32_t row;      /* so many answers in a row that were slept for, on the wrong core */
    uint32_t pause_ms; /* until the next try; longer after each that was of no use */
    uint64_t next_ns;
    bool met; /* the last try was of use */
} work_move;
typedef struct work_apart {
    work_move away; /* where tasks follow each other at once */
    work_move near; /* where they are rare */
    uint64_t rung_ns;
    uint32_t soon_us; /* what comes after an answer within this time, comes at once */
    bool quick;       /* the task that somebody was woken for came at once after the last answer */
    bool patient;     /* the next look is a long one: a core that is halted takes long to wake */
    bool beside;      /* who last rang was on the owner's core, where looking only holds it up */
} work_apart;
enum { APART_MAX = 8 }; /* workers that are put elsewhere at once */

struct tusk_lane {
    const tusk_mem *mem;
    const work_region *region;
    const lane_view *view;
    tusk_work *work;     /* of the application, else NULL */
    tusk_worker *worker; /* of a worker, else NULL */
    uint32_t owner;
    work_arena *arena;
    own_slot *own;
    uint64_t *ring; /* as it should be in the region */
    uint32_t tail;
    uint32_t free_slot;   /* count: none */
    uint32_t used;        /* slots that were ever taken: hints beyond are rubbish */
    uint32_t outstanding; /* submitted and neither done nor lost, as far as known */
    uint32_t unflushed;
    uint64_t look_word; /* hints taken from the region and not yet handed out */
    uint32_t look_index;
    uint64_t swept_ns;
    uint32_t sweep;   /* next slot that a sweep hands out; count: no sweep */
    uint32_t watched; /* the slot that is looked at without a hint; count: none */
    uint64_t corrupt;
    int fd;                        /* the application's eventfd */
    volatile sig_atomic_t stirred; /* a worker's: a signal came that the next wait is not to miss */
    uint32_t spin_us;
    work_luck luck;
    work_apart apart;
};

tusk_err tusk__lane_init(tusk_lane *self, const tusk_mem *mem, const work_region *region,
                         uint32_t owner, work_arena *arena);
void tusk__lane_fini(tusk_lane *self);
/* Of a new lane of INNER_SLOTS: those with these bits are taken after all others. */
void tusk__lane_use_last(tusk_lane *self, uint64_t slots);
/* All slots are looked at again: something died, or time passed. */
void tusk__lane_sweep(tusk_lane *self);
/* That worker died: what it ran knows how, whoever comes to its place and dies in turn. */
void tusk__lane_died(tusk_lane *self, uint32_t hand, uint32_t incarnation, int status, int pid);
/* What is due without anybody's asking: kills, repairs, sweeps. */
void tusk__lane_look_after(tusk_lane *self);

typedef struct lane_claim {
    uint64_t word; /* how the slot is marked now */
    uint32_t slot;
    bool only; /* there was no other up to the tail */
} lane_claim;

/* Takes the next queued slot of a lane for a hand; false: none up to the tail.
 * Newest: the one submitted last, which whoever helps itself takes, so that it goes in depth first.
 */
bool tusk__lane_claim_newest(const work_region *region, uint32_t owner, uint32_t hand,
                             uint32_t incarnation, lane_claim *out);
bool tusk__lane_claim(const work_region *region, uint32_t owner, uint32_t hand,
                      uint32_t incarnation, lane_claim *out);

/* ---- unserved.c ---- */
/* How many more workers are wanted by the last so many tasks that were queued in a lane: of all
 * that stand queued, more than there are workers to take them; `count` at most. Never fewer than
 * are. */
uint32_t tusk__unserved(const work_region *region, uint32_t count);

/* ---- lane.c, for lane_wait.c ---- */
/* Behind the last in the ring. */
void tusk__lane_push(tusk_lane *self, uint32_t slot);
bool tusk__lane_hand_dead(tusk_lane *self, uint32_t hand, uint32_t incarnation, int *status);
/* Of whoever has that word's task; 0: not known. */
int tusk__lane_hand_pid(const tusk_lane *self, uint64_t word);
/* Has whoever runs it interrupted, or killed. */
/* False: nobody runs it. */
bool tusk__lane_ask_to_end(tusk_lane *self, uint32_t slot, bool kill);

/* ---- apart.c ---- */
/* Somebody woke the owner. */
void tusk__apart_note(tusk_lane *self);
/* Wakes so many idle workers, on the core that suits; they may be moved at any time. */
void tusk__apart_wake(tusk_lane *self, uint32_t count);

/* ---- asked of the application's side (work.c) ---- */
bool tusk__work_hand_dead(tusk_work *self, uint32_t hand, uint32_t incarnation, int *status);
/* Of the worker that has that place now; 0: nobody, or none of ours. */
int tusk__work_worker_pid(const tusk_work *self, uint32_t hand);
int tusk__work_hand_pid(const tusk_work *self, uint32_t hand, uint32_t incarnation);
/* Reads what the template wrote of births and deaths; the lane is told of these (tusk__lane_died).
 */
void tusk__work_hear(tusk_work *self);
void tusk__work_submitted(tusk_work *self, uint32_t count);
/* Whoever that word of a slot names, as long as it stands there. */
void tusk__work_signal(tusk_work *self, uint32_t slot, uint64_t word, bool kill);
void tusk__work_signal_template(tusk_work *self, int number);
void tusk__work_news(tusk_work *self);  /* costs nothing when there are none */
void tusk__work_check(tusk_work *self); /* whether the template lives; a system call */
/* Guests run, whose death nobody reports, or a template is to be forked: look often. */
bool tusk__work_restless(const tusk_work *self);
uint32_t tusk__work_grace_ms(const tusk_work *self);

#endif
