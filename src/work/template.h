/* SPDX-License-Identifier: MIT */
/* The template: forks workers, signals them, reaps them, reports. */
#ifndef WORK_TEMPLATE_H
#define WORK_TEMPLATE_H

#include "work/worker.h"

/* From the application; smaller than PIPE_BUF, so each arrives whole. */
enum { COMMAND_GROW, COMMAND_INTERRUPT, COMMAND_KILL, COMMAND_QUIT };
typedef struct work_command {
    uint32_t verb;
    uint32_t number; /* GROW: so many; INTERRUPT, KILL: the application's slot, ... */
    uint64_t word;   /* ... and whoever this names, while it stands there: else it runs another */
} work_command;

/* To the application; workers have no such pipe, so this is believed. */
enum { REPORT_READY, REPORT_FAILED, REPORT_BORN, REPORT_DIED };
typedef struct work_report {
    uint32_t kind;
    uint32_t hand;
    uint32_t incarnation;
    int32_t pid;
    int32_t status; /* as waitpid tells it */
    uint32_t text;  /* REPORT_FAILED: so many bytes follow */
} work_report;

/* Ends what the application had open, but these, what its callbacks keep, and those up to 2. */
void tusk__work_end_all_but(const work_shape *shape, const int *own, size_t count);
/* In the forked process. */
_Noreturn void tusk__template_main(work_shape *shape, int commands, int reports);

#endif
