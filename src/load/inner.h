/* SPDX-License-Identifier: MIT */
/* A run: what its two files share. */
#ifndef LOAD_INNER_H
#define LOAD_INNER_H

#include <tusk/tls.h>

#include "load/board.h"

typedef struct load_end {
    bool seen;                  /* it has ended, and was waited for */
    char error[LOAD_ERROR_MAX]; /* how a worker ended, when not by itself */
} load_end;

/* An interval of all workers, kept encoded until it is asked for. */
typedef struct load_kept {
    struct load_kept *next;
    uint32_t phase;
    uint32_t index;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t parts; /* workers that it has */
    uint64_t counters[LOAD_COUNTER_COUNT];
    tusk_buf response; /* encoded */
} load_kept;

struct tusk_load {
    const tusk_mem *mem;
    load_plan plan;
    load_board *board;
    tusk_tls *tls;
    int bell[2];
    int *pids; /* of the workers and of the one that measures stalls; 0: not started */
    load_end *ends;
    uint32_t alive;
    bool partial;
    bool finished;
    load_kept *first; /* in order of time */
    load_kept *shown; /* the one handed out last */
    tusk_hist *shown_response;
};

/* collect.c */
void tusk__load_collect(tusk_load *self);
void tusk__load_collect_fini(tusk_load *self);

#endif
