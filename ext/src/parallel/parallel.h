/* SPDX-License-Identifier: MIT */
/* What Pool, Sync and Task share: tasks, how they are run, how they end. */
#ifndef TUSK_EXT_PARALLEL_H
#define TUSK_EXT_PARALLEL_H

#include "src/run/call.h"
#include "src/run/fiber.h"
#include "src/travel/travel.h"

#include <tusk/work.h>

enum { ON_FULL_WAIT, ON_FULL_REFUSE, ON_FULL_RUN };
enum { TASK_QUEUED, TASK_RUNNING, TASK_DONE, TASK_FAILED, TASK_CANCELLED };

typedef struct tusk_php_task tusk_php_task;

/* Someone parked in a server until a task has ended. */
typedef struct pool_waiter {
    tusk_wait wait;
    tusk_timer timer;
    tusk_php_task **tasks; /* count 0: any of the pool */
    uint32_t count;
    struct pool_waiter *next;
} pool_waiter;

typedef struct pool_counters {
    uint64_t submitted, done, failed, cancelled, late, crashed, retried, here;
} pool_counters;

/* The engine of a Pool, of a Sync or of an Async. */
typedef struct tusk_pool {
    tusk_work *core;          /* NULL: Sync, closed, or in a worker */
    tusk_lane *lane;          /* NULL: tasks run here, when they are waited for */
    tusk_worker *worker;      /* in a process that runs tasks */
    struct tusk_async *async; /* tasks are strands of this process */
    tusk_php_task **by_slot;
    tusk_php_task *spare; /* what stood for the last run(), for the next one */
    uint32_t slots;
    uint32_t forks; /* tusk_calls_forks() where the core was made */
    bool closed;
    uint32_t reloads; /* that wait for its tasks to end */
    bool packing; /* a value leaves or arrives: its own code neither submits nor waits nor closes */
    uint8_t on_full;
    zend_string *broken; /* why nothing runs any more */
    bool unready;        /* it broke before it was ready */
    uint64_t again_ns;   /* broken while nobody closed it: when its processes are asked for again */
    HashTable *allowed;
    zend_string *memory;
    zval bootstrap;
    tusk_work_options options;
    bool fresh;          /* the template is PHP begun anew */
    char **argv;         /* by these arguments, ended by NULL */
    tusk_packer payload; /* and is told this */
    tusk_moment made;
    uint64_t settled;           /* tasks that ended */
    struct tusk_php_task *here; /* those that have not ended and run here; borrowed */
    uint32_t here_count;
    pool_counters counters;
    zval *guest_job; /* for a fork of this process, at that moment */
    uint32_t guest_argc;
    zval *guest_argv;
    tusk_loop *loop; /* on which somebody waits */
    tusk_io io;
    tusk_timer tick;
    pool_waiter *waiters;
    zend_object std;
} tusk_pool;

struct tusk_php_task {
    tusk_pool *pool; /* counted by its object; NULL: it has ended */
    uint32_t slot;
    uint8_t state;
    bool in_slot; /* the pool holds a reference */
    bool cancelled;
    bool crashed;  /* the process that ran it ended; its error may be another one's */
    bool unplaced; /* its error was made here, where the loop happened to be called */
    uint32_t retry;
    uint32_t attempts;
    uint32_t worker;
    int pid;
    uint64_t deadline_ns;
    uint64_t submitted_ns; /* 0: nobody can ask how long it waited */
    uint64_t wait_us, run_us, memory;
    tusk_job_name name;      /* for what is told of its end */
    zend_string *request;    /* of one that runs here */
    zval job;                /* of one that runs here or in a fork, and cannot be packed */
    struct async_job *async; /* of a strand that has not ended */
    uint32_t argc;
    zval *argv;
    bool is_here; /* in the pool's list of these */
    tusk_php_task *here_prev, *here_next;
    zval result;
    zend_object *error;
    zend_string *output;
    zend_object std;
};

static inline tusk_pool *tusk_pool_of(zend_object *object)
{
    return TUSK_FROM(tusk_pool, object);
}
static inline tusk_php_task *tusk_task_of(zend_object *object)
{
    return TUSK_FROM(tusk_php_task, object);
}
/* What lies in shared memory is its own process's affair: a fork of that neither takes nor gives
 * there. */
static inline bool tusk_pool_is_ours(const tusk_pool *self)
{
    return EXPECTED(self->lane == NULL || self->forks == tusk_calls_forks());
}
/* Its deadline is over. */
static inline bool tusk_task_is_late(const tusk_php_task *self)
{
    return self->deadline_ns != 0 && tusk_loop_clock_ns() >= self->deadline_ns;
}

/* ---- engine.c ---- */
/* Methods that every engine has. */
void tusk_engine_submit(INTERNAL_FUNCTION_PARAMETERS);
void tusk_engine_wait(INTERNAL_FUNCTION_PARAMETERS);
void tusk_engine_stats(INTERNAL_FUNCTION_PARAMETERS);
void tusk_engine_close(INTERNAL_FUNCTION_PARAMETERS);

/* ---- memory.c ---- */
/* As memory_limit is written: bytes, or with K, M or G; "-1", none, is -1. 0: what PHP would not
 * understand, or is more than its numbers hold, which it takes for 0 or for anything else. */
zend_long tusk_memory_bytes(const zend_string *text);
/* In a worker. False: this process holds more already. */
bool tusk_memory_set_limit(zend_string *memory);

/* ---- open.c ---- */
/* False: an exception was thrown. */
bool tusk_pool_open(tusk_pool *self);
bool tusk_pool_open_again(tusk_pool *self);
/* What has not ended is cancelled. */
void tusk_pool_close(tusk_pool *self);

/* ---- pool.c ---- */
/* `classes` (argument `number`, may be NULL) may come back. False: an exception was thrown. */
bool tusk_pool_allow(tusk_pool *self, HashTable *classes, uint32_t number);

/* ---- task.c ---- */
tusk_php_task *tusk_task_make(tusk_pool *pool, uint64_t now_ns);
/* In place of its release, of one that PHP code never saw; the pool is held by the caller. */
void tusk_task_give(tusk_php_task *self);
/* `bytes` is what tusk_answer_write wrote. */
void tusk_task_answer(tusk_php_task *self, tusk_bytes bytes);
void tusk_task_fail(tusk_php_task *self, zend_class_entry *ce, const char *format, ...)
    ZEND_ATTRIBUTE_FORMAT(printf, 3, 4);
/* An exception of what it is called with that was thrown here says which task it is. */
void tusk_task_name(const tusk_php_task *self, zend_object *error);
/* Counts how it ended: each task once. */
void tusk_task_count(const tusk_php_task *self, pool_counters *counters);
/* Its deadline passed before it began; counted. */
void tusk_task_late(tusk_php_task *self);
void tusk_task_exited(tusk_php_task *self, zend_long status);
/* It has its result or its error; the job is let go. */
void tusk_task_end(tusk_php_task *self, uint8_t state);
/* It runs in this process when somebody waits for it: where nobody does, its pool's end cancels it.
 */
void tusk_task_enter_here(tusk_php_task *self);
/* Harmless where it did not. */
void tusk_task_leave_here(tusk_php_task *self);
void tusk_task_keep_job(tusk_php_task *self, zval *job, uint32_t argc, zval *argv);
static inline bool tusk_task_ended(const tusk_php_task *self)
{
    return self->state >= TASK_DONE;
}

/* ---- await.c ---- */
/* Runs the first of them that this process has to run itself; false: there is none. */
bool tusk_pool_run_here(tusk_php_task **tasks, uint32_t count);

/* ---- take.c ---- */
/* Whether it takes tasks now; false: an exception was thrown. */
bool tusk_pool_open_for(tusk_pool *self);
/* The caller's reference; nobody is woken before the flush. NULL: an exception was thrown.
 * `now_ns` 0: nobody will ask for its times; `deadline_ns` 0: none, UINT64_MAX: it has passed; `of`
 * is its place among several jobs, NULL: it is alone. */
tusk_php_task *tusk_pool_take(tusk_pool *self, zval *job, uint32_t argc, zval *argv,
                              uint64_t now_ns, uint64_t deadline_ns, uint32_t retry,
                              const pack_path *of);

/* ---- run.c ---- */
/* What is to be run, and how that is told. */
typedef struct tusk_errand {
    tusk_bytes request; /* where there is no job: what tusk_pack_job() wrote */
    zval *job;
    uint32_t argc;
    zval *argv;
    tusk_worker *to; /* the answer goes into its arena; NULL: into memory of its own */
    bool timed;      /* with how long it took */
    bool *unwound;   /* becomes true: the fiber that it ran in is let go; NULL: that is as exit() */
} tusk_errand;
/* Runs it and writes what came of it, output included. False: a fatal error, after which this
 * process should not go on. */
bool tusk_answer_write(tusk_packer *out, tusk_pool *pool, const tusk_errand *errand);

/* ---- worker.c ---- */
extern const tusk_work_calls tusk_pool_calls;

/* ---- interrupt.c ---- */
void tusk_parallel_interrupt_startup(void);
void tusk_interrupt_begin(void); /* in a process that runs tasks, before its first */
/* The running task shall end; in a signal handler. */
void tusk_interrupt_ask(void *user);
/* A task within the one that goes on here has ended: where an interrupt of this process came amid
 * it and was meant for both, it comes again. False: an exception was thrown. */
bool tusk_interrupt_again(void);
/* The same where a strand has ended, whoever waits for it, or waits: others of its task, and the
 * task itself, may wait for something else, and are told by whoever runs next. */
void tusk_interrupt_pass_on(void);
void tusk_interrupt_forget(void); /* somebody else looks after that */

/* ---- fresh.c ---- */
/* Fills in the options for a fresh template. False: an exception was thrown. */
bool tusk_fresh_prepare(tusk_pool *self);
void tusk_fresh_forget(tusk_pool *self);
void tusk_fresh_receive(tusk_bytes payload, void *user);

/* ---- wait.c ---- */
/* Takes in what has ended. */
void tusk_pool_collect(tusk_pool *self);
/* Before another task: where more are open than there are workers, what has ended is taken in, or
 * results that nobody waits for would fill their workers' room. */
void tusk_pool_make_room(tusk_pool *self);
/* Until one of the tasks has ended, or (count 0) any of the pool. `*late`: timeout_ns passed; 0:
 * none. False: an exception was thrown. */
bool tusk_pool_wait(tusk_pool *self, tusk_php_task **tasks, uint32_t count, uint64_t timeout_ns,
                    bool *late);
/* Whether it is this process's own; false: an exception was thrown. */
bool tusk_pool_own(const tusk_pool *self);
/* False: a value on its way does that in its own code, and an exception was thrown. */
bool tusk_pool_at_rest(const tusk_pool *self, const char *what);
void tusk_pool_leave_loop(tusk_pool *self);
void tusk_pool_settle(tusk_pool *self, tusk_php_task *task);
/* Withdrawn or interrupted; true: it had not ended. */
bool tusk_pool_cancel(tusk_pool *self, tusk_php_task *task);

void tusk_parallel_startup(void);
void tusk_parallel_task_startup(void);

#endif
