/* SPDX-License-Identifier: MIT */
/*
 * Worker processes: pieces of work travel to warm processes through shared memory and come back.
 * What a piece of work is, only the callbacks know. docs/internals/work.md draws processes, memory
 * and the states of a slot. Linux only: elsewhere opening is TUSK_ENOTSUP.
 *
 * Everything is called from one thread of one process: the application's, or a worker's for its own
 * lane.
 */
#ifndef TUSK_WORK_H
#define TUSK_WORK_H

#include <tusk/bytes.h>
#include <tusk/loop.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_work tusk_work;     /* the application's side */
typedef struct tusk_worker tusk_worker; /* the side of the process that runs a task */
typedef struct tusk_lane tusk_lane;     /* where one process submits */

enum { TUSK_WORK_WORKERS_MAX = 56, TUSK_WORK_GUESTS_MAX = 6, TUSK_WORK_REASON_MAX = 1024 };

/* A task in the hands of the process that runs it. */
typedef struct tusk_work_task {
    tusk_bytes request;   /* in shared memory, until the answer; may change under a hostile sibling:
                             read every length once */
    uint64_t deadline_ns; /* tusk_loop_clock_ns(); 0: none */
    bool watched;         /* tusk_lane_watch() was called for it */
} tusk_work_task;

typedef struct tusk_work_calls {
    /* In a fresh template, before it prepares: what the application gave as payload, until the call
     * returns. NULL: nothing. */
    void (*receive)(tusk_bytes payload, void *user);
    /* In the template, once, before any worker. False: `reason` tells why, nothing will run. */
    bool (*prepare)(char *reason, size_t cap, void *user);
    /* In each process that runs tasks, first. */
    void (*begin)(tusk_worker *self, void *user);
    /* One task; answers by tusk_worker_answer. False: this process is used up. */
    bool (*run)(tusk_worker *self, const tusk_work_task *task, void *user);
    /* In a signal handler: the running task shall end (tusk_worker_why). */
    void (*interrupt)(void *user);
    /* Descriptors that stay open in template and workers, up to `cap`; how many. NULL: none but
     * our own and those up to 2. */
    size_t (*keep)(int *out, size_t cap, void *user);
} tusk_work_calls;

typedef struct tusk_work_options {
    const tusk_mem *mem;  /* NULL: the default */
    uint32_t workers;     /* forked at once, kept when idle */
    uint32_t workers_max; /* at most TUSK_WORK_WORKERS_MAX */
    uint32_t queue;       /* slots of the application's lane, 1 to 65536 */
    size_t arena_bytes;   /* addresses per process; 0: 256 MiB */
    uint32_t tasks_max;   /* a worker is replaced after so many; 0: never */
    uint64_t age_ms_max;  /* and after so long; 0: never */
    uint32_t grace_ms;    /* between the interrupt and SIGKILL; 0: 50 */
    uint32_t spin_us;     /* how long who waits looks before it sleeps, where a core is free */
    /* NULL: the template is a fork of this process. Else a program and its arguments, to which one
     * more is added that it gives to tusk_work_become: a fresh template that carries nothing of
     * this process. They and the payload stay where they are until the pool is closed. */
    const char *const *argv;
    tusk_bytes payload; /* what a fresh template receives */
    const tusk_work_calls *calls;
    void *user;
} tusk_work_options;

/* Forks the template, which goes on by itself. TUSK_ESYS: no memory or process (errno). */
TUSK_API tusk_err tusk_work_open(tusk_work **out, const tusk_work_options *options);
/* In the program that was begun as a fresh template: goes on as that and does not come back. Both
 * must be of one build of this library. TUSK_EINVAL: `where` is not what such a program was given.
 */
TUSK_API tusk_err tusk_work_become(const char *where, const tusk_work_calls *calls, void *user);
/* Ends template and workers; tasks that run are killed. In a process that was forked from the
 * owner only this process's memory goes. */
TUSK_API void tusk_work_close(tusk_work *self);
/* In a template or a fork of another pool of the same owner, where all descriptors but that one's
 * are closed: gives back the shared region, whose memory would stay as long as this process, and
 * forgets numbers that are somebody else's by now. Only tusk_work_close may follow. */
TUSK_API void tusk_work_detach(tusk_work *self);
TUSK_API tusk_lane *tusk_work_lane(tusk_work *self);
/* Readable when something may have ended, while tusk_work_listen is on. */
TUSK_API int tusk_work_fd(const tusk_work *self);
TUSK_API void tusk_work_listen(tusk_work *self, bool on);

/* Takes in what the template reported. False: nothing will run any more; `reason` tells why. */
TUSK_API bool tusk_work_look(tusk_work *self, const char **reason);
/* Whether the last look said so; costs nothing. */
TUSK_API bool tusk_work_ended(const tusk_work *self);
TUSK_API bool tusk_work_ready(const tusk_work *self); /* the template has prepared */

typedef struct tusk_work_counters {
    uint64_t workers, idle;   /* now */
    uint64_t forked, died;    /* died: not by retiring; killed ones are among them */
    uint64_t retired, killed; /* killed: by a deadline or a cancellation that was not heeded */
    uint64_t guests;          /* forks of the application */
    uint64_t corrupt;         /* shared words that could not be */
    uint64_t templates;       /* forked: one, and one for each that died */
} tusk_work_counters;
TUSK_API void tusk_work_count(const tusk_work *self, tusk_work_counters *out);
TUSK_API int tusk_work_template_pid(const tusk_work *self);

/* ---- submitting ---- */
typedef enum tusk_work_state {
    TUSK_WORK_QUEUED,
    TUSK_WORK_RUNNING,
    TUSK_WORK_DONE,
    TUSK_WORK_LOST /* the process that ran it died, or wrote rubbish */
} tusk_work_state;

typedef struct tusk_work_result {
    tusk_bytes bytes; /* in shared memory until released; read every length once */
    uint32_t worker;
    int status; /* LOST: as waitpid tells it; -1: not known */
    int pid;    /* of that worker; 0: not known */
} tusk_work_result;

/* A free slot and room for its request. TUSK_ELIMIT: every slot is taken; TUSK_ENOMEM: the arena is
 * full. One at a time: submit or drop it before the next. */
TUSK_API tusk_err tusk_lane_take(tusk_lane *self, uint32_t *slot, uint8_t **room, size_t *cap);
TUSK_API void tusk_lane_drop(tusk_lane *self, uint32_t slot);
/* Between take and submit: its owner will wait for this one before all others, so whoever runs it
 * leaves no hint, which saves both sides a cache line. One at a time: of others it is ignored. */
TUSK_API void tusk_lane_watch(tusk_lane *self, uint32_t slot);
/* Queued behind the others; nobody is woken before the flush. */
TUSK_API void tusk_lane_submit(tusk_lane *self, uint32_t slot, size_t len, uint64_t deadline_ns);
/* A lost task once more, with the same request. */
TUSK_API void tusk_lane_again(tusk_lane *self, uint32_t slot, uint64_t deadline_ns);
TUSK_API void tusk_lane_flush(tusk_lane *self);
/* So many will be submitted soon: wakes as many workers as there are cores for, which look out for
 * them a while, so that waking up goes on while the tasks are made. A hint; nothing depends on it.
 */
TUSK_API void tusk_lane_expect(tusk_lane *self, uint32_t count);
/* In a fork of this process, at once: the task sees what this process has. Not in workers
 * (TUSK_ENOTSUP). TUSK_ELIMIT: TUSK_WORK_GUESTS_MAX run already. */
TUSK_API tusk_err tusk_lane_fork(tusk_lane *self, uint32_t slot, size_t len, uint64_t deadline_ns);

/* How the task of this slot stands; `out` has its answer when it is DONE. */
TUSK_API tusk_work_state tusk_lane_look(tusk_lane *self, uint32_t slot, tusk_work_result *out);
/* True: it had not begun, and never will; the slot is free. */
TUSK_API bool tusk_lane_withdraw(tusk_lane *self, uint32_t slot);
/* Asks whoever runs it to end; SIGKILL a grace later. */
TUSK_API void tusk_lane_cancel(tusk_lane *self, uint32_t slot);
TUSK_API void tusk_lane_release(tusk_lane *self, uint32_t slot); /* after DONE or LOST */
/* Slots that may have ended since the last call, each once; false: none. */
TUSK_API bool tusk_lane_ended(tusk_lane *self, uint32_t *slot);
/* Until something may have ended, or the clock says `until_ns` (0: for ever; then at most 100 ms).
 * A signal ends it, too. */
TUSK_API void tusk_lane_wait(tusk_lane *self, uint64_t until_ns);
/* A worker runs one of the tasks that it submitted itself; false: none waits. */
TUSK_API bool tusk_lane_help(tusk_lane *self);

/* ---- running ---- */
/* Room for the answer; NULL: the arena is full of answers that nobody took. */
TUSK_API uint8_t *tusk_worker_room(tusk_worker *self, size_t *cap);
TUSK_API void tusk_worker_answer(tusk_worker *self, size_t len);
typedef enum tusk_work_why { TUSK_WORK_GO_ON, TUSK_WORK_LATE, TUSK_WORK_CANCELLED } tusk_work_why;
TUSK_API tusk_work_why tusk_worker_why(const tusk_worker *self);
/* Something of the running task's own that has a deadline of its own: it is interrupted and killed
 * by that as a task is by its (with the tasks around it). What `run` says; 0: none. */
TUSK_API bool tusk_worker_within(tusk_worker *self, uint64_t deadline_ns, bool (*run)(void *user),
                                 void *user);
TUSK_API bool tusk_worker_guest(const tusk_worker *self); /* a fork of the application */
TUSK_API tusk_lane *tusk_worker_lane(tusk_worker *self);  /* NULL: a guest has none */
/* In a process that the task forked, before it ends: it gives back what it had of the shared
 * region, and calls nothing of this any more. */
TUSK_API void tusk_worker_detach(tusk_worker *self);

#ifdef __cplusplus
}
#endif
#endif
