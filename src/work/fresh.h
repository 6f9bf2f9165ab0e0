/* SPDX-License-Identifier: MIT */
/* A fresh template: another program, or this one begun anew, over the same region. */
#ifndef WORK_FRESH_H
#define WORK_FRESH_H

#include "work/worker.h"

/* Begins the program of the options; `commands` and `reports` are the template's ends. */
tusk_err tusk__fresh_spawn(const work_shape *shape, int commands, int reports, int *pid);

#endif
