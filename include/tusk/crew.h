/* SPDX-License-Identifier: MIT */
/*
 * The crew: a master and the workers that serve one set of addresses.
 *
 * The master opens the listening sockets (per worker one, sharing the port), keeps them open, forks
 * the workers and looks after them; it serves nobody. A worker has a slot: the slot's sockets pass
 * to whoever takes its place, so that a connection that waits in one of them is never reset.
 * Meanwhile another worker accepts for the empty slot.
 *
 * Everything but what `run` calls is the master's and happens in one loop of its own, in which
 * nothing else may wait.
 */
#ifndef TUSK_CREW_H
#define TUSK_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tusk/err.h>
#include <tusk/loop.h>
#include <tusk/mem.h>
#include <tusk/stats.h>
#include <tusk/usage.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUSK_CREW_WORKERS_MAX 64u
/* A slot has two seats: who serves, and who drains or gets ready. A process has one seat for life;
 * what it writes into shared memory it writes under this number. */
#define TUSK_CREW_SEATS_MAX (2 * TUSK_CREW_WORKERS_MAX)

typedef struct tusk_crew tusk_crew;
typedef struct tusk_crew_worker tusk_crew_worker;

/* Whom the workers are. */
typedef struct tusk_identity {
    bool given; /* false: whoever the master is */
    uint32_t uid;
    uint32_t gid;
    char user[64]; /* its further groups are taken as well; empty: none */
} tusk_identity;

/* Names, or numbers; NULL or empty: not given (group alone: the user stays; user alone: its own
 * group). TUSK_ENOENT: nobody is called so; TUSK_EINVAL: a text too long. */
TUSK_API tusk_err tusk_identity_find(tusk_identity *out, const char *user, const char *group);

typedef struct tusk_crew_calls {
    /* In the worker, from its first to its last moment: the process ends with the number returned.
     * The worker's loop is options.worker_loop, or one that it makes. */
    int (*run)(void *user, tusk_crew_worker *worker);
    /* In the master. The process that had this seat is gone: what it wrote is final. */
    void (*on_gone)(void *user, uint32_t seat);
    /* A process ended by itself (`status` as waitpid has it) in `run`, before it was ready. `ever`:
     * others of this crew were. It may stop the crew, where trying again is of no use. May be NULL.
     */
    void (*on_unready)(void *user, int status, bool ever);
    void (*on_log)(void *user, const char *text); /* may be NULL */
    void (*on_stopped)(void *user);               /* no worker is left after tusk_crew_stop */
} tusk_crew_calls;

typedef struct tusk_crew_options {
    tusk_loop *loop;
    tusk_loop *worker_loop; /* goes on in every worker (tusk_loop_forked); the master never runs it.
                               NULL: workers make their own */
    uint32_t workers;       /* 1 to TUSK_CREW_WORKERS_MAX */
    uint32_t drain_ms;      /* who drains longer is killed a second later. 0: 30 s */
    uint32_t ready_ms;      /* who is not ready by then is killed. 0: 60 s */
    uint32_t yield_ms;   /* who is not ready by then, and a reload that came meanwhile waits for it,
                            is ended; twice the time for each that follows, until one is
                            ready. 0: 5 s */
    uint32_t settled_ms; /* who lived so long is restarted at once. 0: 1 s */
    uint32_t grace_ms;   /* who leaves by itself is replaced after it: the same signal may be on
                            its way to the master. 0: 50 ms */
    uint32_t ask_ms; /* workers are asked so often whether they hear; on_log is told of who has not
                        answered for two rounds, and when it does again. 0: 5 s */
    uint32_t pause_ms_min; /* else after a pause that doubles from here. 0: 100 ms */
    uint32_t pause_ms_max; /* to here. 0: 10 s */
    tusk_identity identity;
    const tusk_crew_calls *calls;
    void *user;
} tusk_crew_options;

typedef struct tusk_crew_stats {
    uint64_t workers;  /* now: that serve */
    uint64_t silent;   /* now: of these, that have not answered for two rounds (ask_ms) */
    uint64_t draining; /* now */
    uint64_t waiting;  /* now: slots whose next worker waits for its pause to end */
    uint64_t started;
    uint64_t crashes; /* ended without being told to */
    uint64_t killed;  /* past a deadline */
    uint64_t adopted; /* times that a worker accepted for another's slot */
    uint64_t reloads;
} tusk_crew_stats;

/* Workers have the descriptors that are open now; what the master opens from here on is its own. */
TUSK_API tusk_err tusk_crew_new(tusk_crew **out, const tusk_crew_options *options);
/* Workers that are left are killed. */
TUSK_API void tusk_crew_free(tusk_crew *self);
/* Before start: "127.0.0.1:80", "*:80", "unix:/path" (one socket for all). `backlog` 0: 4096. */
TUSK_API tusk_err tusk_crew_listen(tusk_crew *self, const char *address, int backlog);
/* The same with one listening socket for all, that somebody else has bound and keeps: `fd` is the
 * crew's (on failure it stays the caller's), a Unix path stays at its end. */
TUSK_API tusk_err tusk_crew_listen_on(tusk_crew *self, const char *address, int fd);
/* Opens the sockets and forks. `reason` tells what was wrong. TUSK_EADDRINUSE: also of an address
 * that was given twice. TUSK_ESTATE: the worker's loop has descriptors already
 * (tusk_loop_may_fork). */
TUSK_API tusk_err tusk_crew_start(tusk_crew *self, char *reason, size_t reason_cap);
TUSK_API uint16_t tusk_crew_port(const tusk_crew *self, size_t listener);
/* Workers drain; past the deadline they are killed; then on_stopped. Twice: they cut. */
TUSK_API void tusk_crew_stop(tusk_crew *self);
/* New processes take over, slot by slot: the next begins when one is ready; the old ones drain.
 * During a reload: once more, after it. on_log hears when it is done, or where it ends. */
TUSK_API void tusk_crew_reload(tusk_crew *self);
/* In the master: what `body` opens is the application's, and later workers have it as well; what
 * else the master opens is its own. TUSK_ENOMEM: `body` was called, and they do not. */
TUSK_API tusk_err tusk_crew_open(tusk_crew *self, void (*body)(void *user), void *user);
TUSK_API void tusk_crew_stats_get(const tusk_crew *self, tusk_crew_stats *out);
extern TUSK_API const tusk_metric_table tusk_crew_counters;
/* In the master: memory and time of it and all workers together, time of those gone as well;
 * descriptors of the process that is nearest to its limit; the start is the master's. What one of
 * them does not tell is untold of all. */
TUSK_API void tusk_crew_usage(const tusk_crew *self, tusk_usage *out);

/* ---- in the worker ---- */
typedef struct tusk_crew_orders {
    /* Accepts no more, lets sessions end, then returns from run; `cut`: at once. */
    void (*on_drain)(void *user, bool cut);
    /* Accepts for another slot as well (its sockets: tusk_crew_worker_socket), or no longer. */
    void (*on_adopt)(void *user, uint32_t slot, bool adopt);
} tusk_crew_orders;

/* Hears the master from now on. The master's end is this process's end, with or without a loop. */
TUSK_API tusk_err tusk_crew_worker_obey(tusk_crew_worker *self, tusk_loop *loop,
                                        const tusk_crew_orders *orders, void *user);
/* After that: looks every 250 ms how much memory is resident and this process's own (what it has of
 * its master counts, what all share by a mapping does not), and calls once when that is more than
 * `bytes_max`. `now` is how much it is. TUSK_ELIMIT: more than that already; TUSK_ENOTSUP: the
 * system does not tell. */
TUSK_API tusk_err tusk_crew_worker_bound(tusk_crew_worker *self, uint64_t bytes_max, uint64_t *now,
                                         void (*on_heavy)(void *user, uint64_t now));
/* It accepts: whom it replaces may drain. */
TUSK_API void tusk_crew_worker_ready(tusk_crew_worker *self);
/* It accepts no more, though nobody asked for it: another process takes the slot. */
TUSK_API void tusk_crew_worker_leave(tusk_crew_worker *self);
/* What tusk_crew_stop is in the master. */
TUSK_API void tusk_crew_worker_stop(tusk_crew_worker *self);
TUSK_API uint32_t tusk_crew_worker_slot(const tusk_crew_worker *self);
TUSK_API uint32_t tusk_crew_worker_seat(const tusk_crew_worker *self);
TUSK_API bool tusk_crew_worker_first(const tusk_crew_worker *self); /* nobody had the slot before */
/* A copy that the caller owns, -1 on failure: closing it closes nothing of the master's. */
TUSK_API int tusk_crew_worker_socket(const tusk_crew_worker *self, uint32_t slot, size_t listener);

#ifdef __cplusplus
}
#endif
#endif
