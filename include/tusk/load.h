/* SPDX-License-Identifier: MIT */
/*
 * The load engine: worker processes put load on one target and count in memory that they share with
 * the process that started them.
 *
 * An operation has an intended start (what the schedule says), an actual start (before its first
 * byte is handed to the kernel) and an end; response = end - intended, service = end - actual. It
 * belongs to the phase of its intended start. docs/internals/load.md tells how it is measured.
 */
#ifndef TUSK_LOAD_H
#define TUSK_LOAD_H

#include <tusk/bytes.h>
#include <tusk/loop.h>
#include <tusk/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_load tusk_load;

enum { TUSK_LOAD_REASON_MAX = 256 };

/* ---- options: one table for everybody ---- */
typedef struct tusk_load_option {
    const char *name;
    const char *type; /* count, size, seconds, rate, switch, text, or "a|b|c" */
    const char *unit; /* "" where there is none */
    const char *fallback;
    const char *help;
} tusk_load_option;

/* Whether there is a mode of that name, and the i-th of them (NULL past the last). */
TUSK_API bool tusk_load_mode_exists(const char *mode);
TUSK_API const char *tusk_load_mode_name(size_t i);
/* Walks the options of a mode; `*cursor` starts at 0; NULL at the end. */
TUSK_API const tusk_load_option *tusk_load_next_option(const char *mode, size_t *cursor);

/* ---- a run ---- */
/* TUSK_ENOENT: no such mode; TUSK_EINVAL: `reason` (TUSK_LOAD_REASON_MAX bytes) says what is wrong
 * with the URL. */
TUSK_API tusk_err tusk_load_new(tusk_load **out, const tusk_mem *mem, const char *mode,
                                tusk_bytes url, char *reason);
/* One option as text. TUSK_EINVAL: `reason` names option, value and remedy. */
TUSK_API tusk_err tusk_load_set(tusk_load *self, tusk_bytes name, tusk_bytes value, char *reason);
/* Whether the options fit together; start asks this too. */
TUSK_API tusk_err tusk_load_check(tusk_load *self, char *reason);
/* Looks whether this machine can do it, then forks the workers. On failure nothing runs, and
 * `reason` is one sentence: what is impossible and what to change. TUSK_ESTATE: started already. */
TUSK_API tusk_err tusk_load_start(tusk_load *self, char *reason);
/* Waits up to `timeout_ms` for a change (a signal ends it, too); false once all workers have ended.
 */
TUSK_API bool tusk_load_poll(tusk_load *self, uint32_t timeout_ms);
TUSK_API void tusk_load_stop(tusk_load *self);
TUSK_API bool tusk_load_partial(const tusk_load *self);
/* connect, ramp, warmup, measure, drain, close or done: the least advanced worker's. */
TUSK_API const char *tusk_load_phase(const tusk_load *self);
/* Workers that still run are killed. */
TUSK_API void tusk_load_free(tusk_load *self);

/* ---- results: merged over the workers, also while they run ---- */
/* The i-th counter's name, NULL past the last. `measured`: only what belongs to the window. */
TUSK_API const char *tusk_load_counter(const tusk_load *self, size_t i, bool measured,
                                       uint64_t *value);
/* A copy, yours to free: response, service, blocked, late, tcp, tls, upgrade, first, close_frame,
 * close_end, delivery, spread, hiccup, reconnect. TUSK_ENOENT: none of these. */
TUSK_API tusk_err tusk_load_histogram(const tusk_load *self, const char *name, tusk_hist **out);

typedef struct tusk_load_interval {
    double start;  /* seconds since the run's start */
    double length; /* seconds */
    const char *phase;
    const tusk_hist *response; /* of what ended in it; borrowed until the next call */
    const uint64_t *counters;  /* in the order of tusk_load_counter; likewise */
} tusk_load_interval;
/* The oldest interval that has ended and was not taken yet; false when there is none. */
TUSK_API bool tusk_load_next_interval(tusk_load *self, tusk_load_interval *out);

/* One connection of ws-handshake, ns; 0: did not happen. */
typedef struct tusk_load_sample {
    uint64_t start;   /* since the run's start */
    uint64_t tcp;     /* from there until TCP is up */
    uint64_t tls;     /* then until TLS is up */
    uint64_t upgrade; /* then until the upgrade is complete */
    uint64_t close;   /* then until the connection has ended */
    bool failed;
} tusk_load_sample;
/* False past the last that has been taken so far; worker after worker, each in order of ending. */
TUSK_API bool tusk_load_sample_at(const tusk_load *self, size_t i, tusk_load_sample *out);
/* The exchanges of that sample: pairs of when a message was sent and when its answer came (0: it
 * did not), ns since the run's start. Returns how many were begun. */
TUSK_API size_t tusk_load_exchanges_at(const tusk_load *self, size_t i, const uint64_t **times);

typedef struct tusk_load_worker {
    int pid;
    const char *phase;
    double user; /* CPU seconds in the measuring window, so far */
    double system;
    uint64_t switches; /* of context, voluntary or not, likewise */
    const char *error; /* the first thing that went wrong; NULL: nothing */
} tusk_load_worker;
/* False past the last. */
TUSK_API bool tusk_load_worker_at(const tusk_load *self, size_t i, tusk_load_worker *out);

typedef struct tusk_load_fact {
    const char *name;
    const char *text; /* NULL: it is a number */
    double number;
    bool whole; /* the number counts something */
} tusk_load_fact;
/* False past the last. */
TUSK_API bool tusk_load_fact_at(const tusk_load *self, size_t i, tusk_load_fact *out);

/* ---- a TCP server to measure against ---- */
typedef enum tusk_tcp_serve {
    TUSK_TCP_ECHO,  /* bytes back */
    TUSK_TCP_SINK,  /* bytes away */
    TUSK_TCP_SOURCE /* bytes without end */
} tusk_tcp_serve;
/* Whose first words a client waits for, or a server says. */
typedef enum tusk_tcp_greeting {
    TUSK_GREETING_NONE,
    TUSK_GREETING_POSTGRES, /* after the client's StartupMessage: AuthenticationOk */
    TUSK_GREETING_MYSQL,
    TUSK_GREETING_SMTP
} tusk_tcp_greeting;
/* Serves on a listening socket until the process is ended; after the greeting what `serve` says. */
TUSK_API tusk_err tusk_tcp_serve_on(tusk_loop *loop, int fd, tusk_tcp_serve serve,
                                    tusk_tcp_greeting greeting);

/* ---- processes ---- */
/* Runs `body(user)` in a child process, which ends with it, or when this process does. It keeps
 * descriptor 2 and `keep` (-1: none), which is its 3; 0 and 1 lead to /dev/null; signals are as by
 * default, but SIGINT and SIGPIPE are ignored. TUSK_ESYS: no process could be made. */
TUSK_API tusk_err tusk_child_start(int *pid, int keep, void (*body)(void *user), void *user);
/* Ends it and waits for it; harmless when it is gone. */
TUSK_API void tusk_child_kill(int pid);

#ifdef __cplusplus
}
#endif
#endif
