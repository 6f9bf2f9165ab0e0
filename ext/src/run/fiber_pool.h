/* SPDX-License-Identifier: MIT */
/* A pooled fiber's insides, for who runs on it (fiber.c), who leaves it aside (park.c) and who has
 * one for a job (strand.c). */
#ifndef TUSK_EXT_RUN_FIBER_POOL_H
#define TUSK_EXT_RUN_FIBER_POOL_H

#include "src/run/fiber.h"

struct tusk_fiber {
    zend_fiber_context context;
    tusk_fiber *next; /* in the pool of idle ones */
    zend_fiber_context
        *resumer; /* the stack that woke this one's handler; NULL: it runs the loop */
    zend_vm_stack vm_stack;
    zend_execute_data *foot; /* its first frame, below which stands whoever runs the loop */
    void (*job)(void *arg);  /* what to run in place of the loop */
    void *job_arg;
    tusk_strand *strand; /* whose job that is; NULL: a handler's */
};

enum { IDLE_FIBERS_MAX = 32 };

/* To another stack; comes back when somebody switches to this one. What is a stack's own stands in
 * globals, and comes back with it. */
void tusk_fiber_switch(zend_fiber_context *target);
/* An idle fiber or a new one; NULL: the system has no stack for it. */
tusk_fiber *tusk_fiber_take(void);
/* The same as tusk_fiber_switch, to a fiber that runs the loop or its job. */
void tusk_fiber_enter(tusk_fiber *fiber);
/* Frees idle ones over that number. */
void tusk_fibers_trim(uint32_t keep);
/* To the stack that waits; comes back when it waits again or has ended. */
void tusk_wait_go_on(tusk_wait *self);

#endif
