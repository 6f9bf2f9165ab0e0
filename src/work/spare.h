/* SPDX-License-Identifier: MIT */
/* A process that was forked before it is needed and has no place yet. */
#ifndef WORK_SPARE_H
#define WORK_SPARE_H

#include "work/worker.h"

/* Of the template. */
typedef struct work_spare {
    int pid; /* 0: there is none */
    int pidfd;
    int to;           /* tells it its place */
    uint64_t fork_ns; /* when one is to be forked; 0: not */
    uint64_t end_ns;  /* when it is to be given up, if nobody died meanwhile */
} work_spare;

void tusk__spare_init(work_spare *self);
/* A worker died in the middle: another may, and shall then be followed sooner. */
void tusk__spare_want(work_spare *self, uint64_t now_ns);
/* When somebody has to look at it again; 0: never. */
uint64_t tusk__spare_due(const work_spare *self);
/* The pipe's end for the spare one, to fork now; -1: not now. */
int tusk__spare_open(work_spare *self, uint64_t now_ns);
/* After that fork; `pid` -1: it failed. Closes the other end. */
void tusk__spare_forked(work_spare *self, int from, int pid, uint64_t now_ns);
/* The process that has this place now; 0: there is none. Its pidfd goes along. */
int tusk__spare_take(work_spare *self, work_place place, int *pidfd);
/* Whether it died or its time is over. */
void tusk__spare_look(work_spare *self, uint64_t now_ns);
void tusk__spare_end(work_spare *self);

#endif
