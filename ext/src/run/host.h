/* SPDX-License-Identifier: MIT */
/* What the loop runs for, a server or a proxy: the closures that both have, its start and its end.
 */
#ifndef TUSK_EXT_RUN_HOST_H
#define TUSK_EXT_RUN_HOST_H

#include "src/run/call.h"
#include "src/run/fiber.h"
#include "src/run/signals.h"

enum { HOST_PORT }; /* the first property of its object */

/* What a server and a proxy do each in its own way. */
typedef struct tusk_host_kind {
    const char *what;        /* as messages have it: "server" */
    const char *waits_limit; /* what bounds who waits, as messages have it; NULL: parkedHandlers */
    /* Binds what no supervisor and no master did. A reason may be given with the error. */
    tusk_err (*start)(tusk_host *self, char *reason, size_t reason_cap);
    bool (*serve)(
        tusk_host *self);          /* once started, until stopped; false: an exception was thrown */
    void (*stop)(tusk_host *self); /* drains; the second time at once */
    void (*reload)(tusk_host *self);
    const char *(*address)(const tusk_host *self, size_t listener); /* NULL past the last */
    /* `fd` is the listener's from now on; on failure it stays the caller's. */
    tusk_err (*inherit)(tusk_host *self, size_t listener, int fd);
    /* ---- NULL: its calls are of no session, and nothing is kept between them ---- */
    void (*call_over)(tusk_host *self); /* or left aside: what is held for it is let go */
    void (*cut)(tusk_host *self);       /* who waits for its sessions waits no more */
    void (*rest)(tusk_host *self);      /* between runs nothing is kept for the next call */
    /* ---- in a worker ---- */
    void (*count_soon)(tusk_host *self); /* somebody waits: the others' sums are told of it */
} tusk_host_kind;

/* Its master, where it is to have workers (process/workers.c). */
typedef struct tusk_workers tusk_workers;
typedef struct tusk_master {
    bool (*run)(tusk_host *host); /* in place of its own run */
    /* Before what this process runs is stopped. True: this is the master, whose workers were told.
     */
    bool (*leave)(const tusk_host *host);
    void (*free)(tusk_workers *workers);
} tusk_master;

/* By whom it was made, for forgotten.c. */
typedef struct tusk_forgotten {
    uint32_t line; /* of the main script; 0: it is nobody's oversight that it does not run */
    int process;
} tusk_forgotten;

/* Counted: connections keep it, so that they may outlive their server. */
struct tusk_host {
    uint32_t refs;
    const tusk_host_kind *kind;
    tusk_loop *loop;               /* the core's, also where it is another process's */
    zend_object *object;           /* the server's or the proxy's; borrowed, NULL when it is gone */
    tusk_server *sessions;         /* of which its calls are; NULL: of none, or they are gone */
    void (*fail)(tusk_host *self); /* tusk_host_fail: what a fatal error in a call leads to */
    tusk_callback on_error;
    tusk_callback on_start;
    tusk_callback on_stop;
    tusk_callback on_listen;
    tusk_workers *workers; /* NULL: one process */
    const tusk_master *master;
    tusk_server *admin; /* for operators; NULL: none */
    /* What GET /metrics tells there, but for its end. */
    tusk_err (*metrics)(const tusk_host *self, tusk_buf *out);
    tusk_signals signals;
    tusk_task start;
    tusk_task leave;  /* onStop is called, then the drain begins */
    const void *seen; /* by the call that runs, which forgets it: compared, never looked into */
    tusk_timer cut;   /* past the drain: waiting handlers are told, or one that failed ends */
    uint64_t slow_ms;
    uint64_t slow_handlers; /* that took longer */
    uint64_t limit_ms;      /* when an exception of a limit was logged last; 0: never */
    uint64_t heavy;         /* this process is a worker that held more than it may */
    uint32_t parked_max;
    uint32_t drain_ms;
    tusk_forgotten forgotten;
    bool compat;      /* Tusk\WebSocket\Server: its errors, its handshake */
    bool holds;       /* something for the call that runs: `call_over` is due */
    bool serving;     /* from the moment that it is told to listen */
    bool stops_first; /* stop() came before its loop ran */
    bool running;
    bool ran;
    bool stopping;
    bool failed; /* a fatal error: no PHP any more */
    bool worker; /* a crew's: what a terminal sends to all is its master's affair */
};

/* It begins an allocation by emalloc() that was all zero. */
void tusk_host_init(tusk_host *self, zend_object *object, const tusk_host_kind *kind);
static inline void tusk_host_ref(tusk_host *self)
{
    self->refs++;
}
void tusk_host_unref(tusk_host *self);
/* The object goes: nothing of it is run any more, and its closures and the caller's reference are
 * released. */
void tusk_host_release(tusk_host *self);
void tusk_host_gc(const tusk_host *self, zend_get_gc_buffer *buffer);

/* ---- run and stop ---- */
/* Whether this process turns its loop: a pool's worker, or a fork with timers of its own, has
 * another one. */
bool tusk_host_is_here(const tusk_host *self);
/* Whether run() may begin: not twice, not in a process that has another loop, and not without a
 * listener; else an exception is thrown. */
bool tusk_host_may_run(const tusk_host *self, size_t listeners);
/* Not inside a web request, where nobody is there to be told; else an exception is thrown. */
bool tusk_host_may_publish(const tusk_host *self);
/* Starts and serves until stopped, alone or with workers; false: an exception was thrown. */
bool tusk_host_run(tusk_host *self);
/* The listener for operators, before what the host runs; TUSK_OK when there is none. */
tusk_err tusk_host_start_admin(const tusk_host *self, char *reason, size_t reason_cap);
/* The start of something failed with this reason (or an empty one): thrown, and false. */
bool tusk_host_started(tusk_err err, const char *reason, const char *what);
/* The same of what the process that called run() starts: where nobody would catch that, the log has
 * it, and the script ends. */
bool tusk_host_begun(tusk_err err, const char *reason, const char *what);
/* What runs is bound: its first property, the port, is known, and onListen is told where it is this
 * process that bound. */
void tusk_host_listens(tusk_host *self, uint16_t port);
/* Serves what was started, until SIGTERM or SIGINT; false: an exception was thrown. */
bool tusk_host_serve(tusk_host *self);
/* Runs the loop until tusk_run_end, and calls onStart in it; false: an exception was thrown. */
bool tusk_host_loop(tusk_host *self);
/* The same without onStart, in two parts: the loop runs until it is stopped, then what
 * came of it is told, after what the caller had to undo: run() may end as PHP ends. */
tusk_err tusk_host_turn(tusk_host *self, tusk_run *run);
bool tusk_host_turned(const tusk_host *self, tusk_err err);
void tusk_host_stop(tusk_host *self);
/* After a fatal error: drains for a second without PHP; run() then ends as PHP ends. */
void tusk_host_fail(tusk_host *self);

/* ---- forgotten.c: made and never run ---- */
/* When it is made. */
void tusk_forgotten_init(tusk_forgotten *self);
/* When it goes: at the end of a script that ran no server and no proxy the log says so, once. */
void tusk_forgotten_tell(const tusk_host *self, size_t listeners);
/* The same of a timer, at the end of a script in which none was ever due. */
void tusk_forgotten_tell_timer(const tusk_forgotten *made);

/* ---- timer.c ---- */
/* One of Timer::delay() is due when the loop's time is `ms`, or before. */
bool tusk_timers_due_by(uint64_t ms);

#endif
