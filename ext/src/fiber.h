/* SPDX-License-Identifier: MIT */
/*
 * Pooled fibers: the loop runs in one of them and calls handlers directly. A handler that waits
 * leaves its fiber aside; the loop goes on in another one. A woken handler finishes on its own
 * fiber, which then returns to the pool.
 */
#ifndef TUSK_EXT_FIBER_H
#define TUSK_EXT_FIBER_H

#include "php_tusk.h"

#include <Zend/zend_fibers.h>

/* One run of the loop from PHP: of a server, or of a test's loopback. */
typedef struct tusk_run {
    struct tusk_host *host;
    zend_fiber_context *caller; /* the stack that called run() */
    zend_fiber *active_fiber;   /* the user's fiber in which that was, or NULL */
    zend_execute_data *frame;   /* run()'s, at the foot of every handler's backtrace */
    uint32_t parked_max;
    tusk_err result;
    bool finished;
    bool cancelled; /* nobody may wait any more */
    bool ending;    /* the loop stops with the last waiting handler */
} tusk_run;

/* Runs the loop until it is stopped. */
tusk_err tusk_run_loop(tusk_run *run);

/* Runs `job` on a fiber of its own and returns when it ended or waits for the first time: then the
 * core's frames below the caller end, and the session's further events come while the job waits.
 * `arg` is the caller's until that moment. */
void tusk_fiber_detach(void (*job)(void *arg), void *arg);

typedef enum tusk_wait_end {
    WAIT_WOKEN,
    WAIT_CANCELLED, /* the server stops; an exception was thrown */
    WAIT_REFUSED,   /* too many handlers wait; an exception was thrown */
    WAIT_BLOCK      /* no fiber can be left aside here: wait by blocking */
} tusk_wait_end;

/* A handler's wait for one thing. Lives where its waker can find it, at least until the park
 * returned. */
typedef struct tusk_wait {
    tusk_task task;              /* switches to the handler, from the loop */
    zend_fiber_context *context; /* NULL: nobody waits here */
    tusk_fiber *fiber;
    struct tusk_wait *prev, *next;
    bool cancelled;
} tusk_wait;

tusk_wait_end tusk_wait_park(tusk_wait *self);
/* Harmless when nobody waits. The handler goes on at the end of this turn. */
void tusk_wait_wake(tusk_wait *self);
/* Every waiting handler gets an exception; those that come later too. */
void tusk_waits_cancel(void);
/* The run is over as soon as no handler waits (tusk_waits_cancel hastens that); without `wait` at
 * once. */
void tusk_run_end(bool wait);
void tusk_fibers_shutdown(void);

/* The handler waits that long (blocking where no fiber can be left aside). False: an exception was
 * thrown. */
bool tusk_sleep_ms(uint64_t ms);

/* The process's loop, made when first wanted; NULL: an exception was thrown. */
tusk_loop *tusk_loop_get(void);

#endif
