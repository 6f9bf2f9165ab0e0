/* SPDX-License-Identifier: MIT */
/* Where a process's waits hang, set aside while a task runs in the midst of one. */
#ifndef TUSK_EXT_RUN_INNER_H
#define TUSK_EXT_RUN_INNER_H

#include "src/run/fiber.h"

/* A depth of nesting keeps its loop, and who still waits there, for the next task that runs at it:
 * a worker's, which leaves by _exit. */
typedef struct tusk_inner {
    tusk_loop *loop;
    HashTable *timers;
    HashTable *watches;
    struct tusk_wait *waits;
    struct tusk_strand *strands;
    uint32_t parked_fibers;
    tusk_fiber *fiber;
    struct tusk_call *call;
    struct tusk_run *run;
    struct tusk_host *running_host;
    struct tusk_client *client;
    zend_fiber *active_fiber;
    struct tusk_inner *next; /* one deeper; of what is around: the one that was entered */
} tusk_inner;

/* False: nobody waits here in a fiber, or this is no worker; there is nothing to leave. */
bool tusk_inner_enter(tusk_inner *around);
void tusk_inner_leave(const tusk_inner *around);

#endif
