/* SPDX-License-Identifier: MIT */
/*
 * Pooled fibers: the loop runs in one of them and calls handlers directly. A handler that waits
 * leaves its fiber aside; the loop goes on in another one. A woken handler finishes on its own
 * fiber, which then returns to the pool.
 */
#ifndef TUSK_EXT_RUN_FIBER_H
#define TUSK_EXT_RUN_FIBER_H

#include "php_tusk.h"

#include <Zend/zend_fibers.h>

/* One run of the loop from PHP: of a server, of a test's loopback, or of somebody who waits outside
 * of both. */
typedef struct tusk_run {
    struct tusk_host *host;     /* NULL: somebody waits, and turns the loop until `over` */
    zend_fiber_context *caller; /* the stack that called run() */
    zend_execute_data *frame;   /* run()'s, at the foot of every handler's backtrace */
    uint32_t parked_max;
    tusk_err result;
    bool finished;
    bool cancelled; /* nobody may wait any more */
    bool ending;    /* the loop stops with the last waiting handler */
    bool last;      /* of what is let go of: its handlers end, and no one of them waits once more */
    bool over;      /* without a host: what was waited for has come */
    bool exits;     /* without a host: a callback called exit(), which ends the script */
    bool failed;    /* tusk_run_fail; without a host the caller goes on with that */
} tusk_run;

/* Runs the loop until it is stopped. */
tusk_err tusk_run_loop(tusk_run *run);

/* Runs `job` on a fiber of its own and returns when it ended or waits for the first time: then the
 * core's frames below the caller end, for a core that cannot leave them aside. Costs two switches.
 * `arg` is the caller's until that moment. */
void tusk_fiber_detach(void (*job)(void *arg), void *arg);

/* A job on a fiber of its own that can be ended where it waits. */
typedef struct tusk_strand {
    void (*run)(struct tusk_strand *self); /* lets no exception out */
    void (*on_wait)(void);                 /* it begins to wait, and others go on */
    tusk_fiber *fiber;                     /* NULL: it has not begun, or it has ended */
    struct tusk_wait *wait;                /* NULL: it does not wait */
    zend_class_entry *end_class;           /* what each of its waits throws; NULL: it may wait */
    const char *end_text;
    struct tusk_strand *prev, *next; /* all that have begun and not ended */
} tusk_strand;

/* From the loop: runs it up to its first wait. False: there is no stack for it. */
bool tusk_strand_begin(tusk_strand *self);
/* The last thing that `run` does with it. */
void tusk_strand_ended(tusk_strand *self);
/* Its wait, and every later one, throws that; the text is static. Harmless when it has ended. */
void tusk_strand_end(tusk_strand *self, zend_class_entry *ce, const char *text);
/* Whose code runs here; NULL: no strand's. */
tusk_strand *tusk_strand_current(void);

typedef enum tusk_wait_end {
    WAIT_WOKEN,
    WAIT_CANCELLED, /* the server stops, the strand was ended, or outside of both nothing is left
                       that could come; an exception was thrown */
    WAIT_REFUSED,   /* too many handlers wait; an exception was thrown */
    WAIT_BLOCK      /* no fiber can be left aside here: wait by blocking */
} tusk_wait_end;

/* A handler's wait for one thing. Lives where its waker can find it, at least until the park
 * returned. */
typedef struct tusk_wait {
    tusk_task task;              /* switches to the handler, from the loop */
    zend_fiber_context *context; /* NULL: nobody waits here */
    tusk_loop *loop;             /* from which it goes on */
    tusk_fiber *fiber;
    struct tusk_call *call; /* which is left aside; NULL: none */
    struct tusk_wait *prev, *next;
    uint64_t until_ms; /* before that it ends only by what a peer or another handler does */
    bool cancelled;
    bool woken;
} tusk_wait;

/* For tusk_wait.until_ms: it may end at any time, and never by itself. */
#define TUSK_WAIT_ANY_TIME UINT64_C(0)
#define TUSK_WAIT_FOR_OTHERS UINT64_MAX

/* A server that is let go of turns its loop for its last connections, and a loopback for its last
 * handlers, in the midst of whatever code did that: false then. Timers, watches and tasks are for
 * who runs the loop, or waits in it. */
bool tusk_loop_is_run(const tusk_loop *loop);

tusk_wait_end tusk_wait_park(tusk_wait *self, uint64_t until_ms);
/* The same, and where no run goes on the loop is turned meanwhile, so that strands go on: never
 * WAIT_BLOCK but in a forked child of a run, or where fibers cannot be switched. */
tusk_wait_end tusk_wait_drive(tusk_wait *self, uint64_t until_ms);
/* Harmless when nobody waits. The handler goes on at the end of this turn. */
void tusk_wait_wake(tusk_wait *self);
/* One of those that wait may go on by that time though no peer and no handler does anything. */
bool tusk_waits_end_by(uint64_t ms);
/* Every waiting handler gets an exception; those that come later too. */
void tusk_waits_cancel(void);
/* The same for those of one host's calls that wait now; false: none does. */
bool tusk_waits_cancel_of(const struct tusk_host *host);
/* That host's run is over as soon as no handler waits (tusk_waits_cancel hastens that); without
 * `wait` at once. Nothing where another one runs: who was stopped in a test, or as its own run had
 * ended, says so in whichever run comes next. */
void tusk_run_end(const struct tusk_host *host, bool wait);
/* A fatal error: the engine's state is what it was amid it, so no PHP of this run goes on. Who
 * waits is forgotten: woken by whatever, its stack lies still until the process ends. */
void tusk_run_fail(void);
bool tusk_run_failed(void);
/* Strands that wait are unwound: their `finally` blocks run, and nothing else. */
void tusk_strands_shutdown(void);
void tusk_fibers_shutdown(void);

/* Signal handlers of the application, time limits and a task's own end are looked at by the VM,
 * which who waits here does not go back to meanwhile. False: an exception was thrown. */
bool tusk_serve_interrupts(void);

/* The process's loop, made when first wanted; NULL: an exception was thrown. */
tusk_loop *tusk_loop_get(void);

#endif
