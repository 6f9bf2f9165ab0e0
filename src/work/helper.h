/* SPDX-License-Identifier: MIT */
/* The template's helper: a worker that first forks others of them, so that two cores fork. */
#ifndef WORK_HELPER_H
#define WORK_HELPER_H

#include "work/region.h"

/* Of two processes, the template and its helper; no worker has it when it runs a task. */
typedef struct helper_list {
    _Atomic uint32_t next;    /* the first place that neither of them took */
    _Atomic uint32_t settled; /* futex: how many the helper is done with */
    uint32_t count;
    uint8_t hands[TUSK_WORK_WORKERS_MAX];
    bool own[TUSK_WORK_WORKERS_MAX];         /* the template took it */
    _Atomic int pids[TUSK_WORK_WORKERS_MAX]; /* of those that the helper took; -1: could not */
} helper_list;

/* NULL: nobody helps; too few, one core, no memory. The first of the list is the helper itself. */
helper_list *tusk__helper_open(uint32_t cpus, const uint8_t *hands, uint32_t count);
void tusk__helper_close(helper_list *self);
/* False: all are taken. */
bool tusk__helper_take(helper_list *self, uint32_t *at);
/* In the template, once it has its helper: whom it forks itself does not see the list. */
void tusk__helper_keep(helper_list *self);
/* In the helper, and in those that it forks: which place this process has. The list is gone. */
uint32_t tusk__helper_fork(helper_list *self);
/* In the template: the process of a place that it did not take; 0: there is none, as the helper
 * could not fork it or died before. Waits while the helper may be at it. */
int tusk__helper_pid(helper_list *self, uint32_t at, int helper);

#endif
