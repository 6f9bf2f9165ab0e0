/* SPDX-License-Identifier: MIT */
/* A worker: takes the next task, runs it, answers; and the little that lanes ask of it. */
#ifndef WORK_WORKER_H
#define WORK_WORKER_H

#include "work/lane.h"

/* What all processes of one pool know, each in its own memory. */
typedef struct work_shape {
    work_region region;
    tusk_work_options options;
    const tusk_mem *mem;
    int bell_fd; /* eventfd of the application's loop */
    int wish_fd; /* eventfd: so many more workers are wanted, and WISH_LOOK for each interrupt */
    int life_fd; /* held by the template and its workers, for whoever waits until all are gone */
    uint32_t incarnations[TUSK_WORK_WORKERS_MAX]; /* that earlier templates gave out */
} work_shape;

/* What a process that was forked without one is told later. */
typedef struct work_place {
    uint32_t hand, incarnation;
} work_place;

#define WISH_LOOK (UINT64_C(1) << 32)
enum { WORKER_RETIRED = 0, WORKER_IDLE = 3, WORKER_USED_UP = 4, WORKER_UNFIT = 5 };

/* In the forked process; comes to no end but _exit. */
_Noreturn void tusk__worker_main(work_shape *shape, uint32_t hand, uint32_t incarnation);
/* Set up, but for its place, which it reads from there; leaves when nobody will tell it one. */
_Noreturn void tusk__spare_main(work_shape *shape, int from);
_Noreturn void tusk__guest_main(work_shape *shape, uint32_t hand, uint32_t slot, uint64_t word);
void tusk__worker_wish(tusk_worker *self, uint32_t count);
/* What that worker runs shall end; a signal too many is harmless, so this may be asked by anybody.
 */
void tusk__worker_interrupt(tusk_worker *self, uint32_t hand);
bool tusk__worker_help(tusk_worker *self);

/* ---- the application's side, asked by its lane (work.c) ---- */
tusk_err tusk__work_guest_seat(tusk_work *self, uint32_t *hand, uint32_t *incarnation);
tusk_err tusk__work_guest_fork(tusk_work *self, uint32_t hand, uint32_t slot, uint64_t word);

#endif
