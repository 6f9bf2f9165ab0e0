/* SPDX-License-Identifier: MIT */
/* A worker's insides, for its own files. */
#ifndef WORK_WORKER_INNER_H
#define WORK_WORKER_INNER_H

#include "work/worker.h"

#include <signal.h>
#include <time.h>

/* What runs now; nested submissions stack them. */
typedef struct work_run {
    struct work_run *outer;
    uint32_t owner, slot;
    uint64_t word;
    uint64_t deadline_ns;
    uint8_t *room;
    bool answered, watched;
} work_run;

struct tusk_worker {
    work_shape *shape;
    uint32_t hand, incarnation;
    work_arena arena;
    tusk_lane lane;
    work_run *volatile runs;
    timer_t soft, hard;
    bool timers, armed, used_up, guest;
    bool roused; /* woken for tasks that are to come */
    bool seen;   /* all of the application's tasks up to `seen_tail` are taken */
    uint32_t seen_tail;
    uint32_t tasks;
    uint32_t stay; /* of the application's lane, as last seen */
    work_luck luck;
    uint64_t born_ns;
    uint64_t answered_ns;
};

/* ---- worker_task.c ---- */
/* Once in this process, before its first task. */
void tusk__worker_make_timers(tusk_worker *self);
/* From now on this process is no worker: a signal finds nobody. */
void tusk__worker_forget_signal(void);
void tusk__worker_run(tusk_worker *self, uint32_t owner, uint32_t slot, uint64_t word);

/* ---- worker_next.c ---- */
/* Claims one and runs it; false: there is none. */
bool tusk__worker_next(tusk_worker *self);
/* Looks for a moment, where that is worth it; true: something may be there. */
bool tusk__worker_spin(tusk_worker *self, uint64_t now_ns);
/* Sleeps until somebody wakes it, or something of its own may be due. */
void tusk__worker_sleep(tusk_worker *self);

#endif
