/* SPDX-License-Identifier: MIT */
/* The workers of whatever a host runs: a master that serves nobody, and what a worker does from the
 * fork on. */
#ifndef TUSK_EXT_PROCESS_WORKERS_H
#define TUSK_EXT_PROCESS_WORKERS_H

#include "src/run/host.h"

#include <tusk/crew.h>
#include <tusk/tls.h>

enum { TUSK_CONTEXTS_MAX = 256 }; /* of listeners, that are told of and followed */

/* What a server and a proxy do differently, beside what they do alone as well. */
typedef struct tusk_workers_kind {
    /* ---- in the master ---- */
    /* What all share is made, before anything is forked. */
    tusk_err (*prepare)(tusk_host *host, uint32_t seats);
    void (*gone)(tusk_host *host, uint32_t seat); /* that process is, and counts no more */
    void (*hang_up)(tusk_host *host); /* SIGHUP: what workers to come inherit is read again */
    /* Contexts of its listeners, `cap` at most: workers to come inherit them. */
    size_t (*contexts)(const tusk_host *host, tusk_tls **out, size_t cap);
    /* ---- in a worker, in this order ---- */
    tusk_err (*share)(tusk_host *host, uint32_t seat); /* it has its listeners, and starts next */
    /* Where it boots: loads what it is to run. False: it cannot, as bootstrap.h says. */
    bool (*boot)(tusk_host *host);
    void (*refresh)(tusk_host *host); /* of one that takes a place later than the first */
    void (*last)(tusk_host *host);    /* what was counted since the last time is told */
    /* ---- in a worker, when another's place is empty, and filled again ---- */
    tusk_err (*adopt)(tusk_host *host, size_t listener, uint32_t slot, int fd);
    void (*give_back)(tusk_host *host, uint32_t slot);
} tusk_workers_kind;

struct tusk_workers {
    const tusk_workers_kind *kind;
    tusk_host *host; /* from run() on */
    uint32_t count;
    int backlog; /* 0: the crew's own */
    bool boots;  /* a worker loads what it is to run: `kind->boot` is called */
    tusk_identity identity;
    uint64_t bytes_max; /* of one worker's own memory; 0: no bound */
    tusk_loop *master_loop;
    tusk_crew *crew;          /* while it runs */
    tusk_crew_worker *worker; /* NULL: this process is none */
    char *unready;            /* shared: why the last one's boot failed; NULL: untold */
    bool failed;              /* the first ones' did, and nobody has served */
    tusk_signals signals;     /* the master's */
    tusk_timer certificates;  /* the master's */
    tusk_task refresh;
};

/* How many an argument asks for: a number, or "auto", one for each processor that this process has.
 * False: an exception that names it was thrown. */
bool tusk_workers_parse(zend_long *out, zval *given, uint32_t number);
#define Z_PARAM_WORKERS(count)                                                                     \
    Z_PARAM_PROLOGUE(0, 0);                                                                        \
    if (UNEXPECTED(!tusk_workers_parse(&count, _arg, (uint32_t)_i))) {                             \
        _error_code = ZPP_ERROR_FAILURE;                                                           \
        break;                                                                                     \
    }
/* Whether there may be so many; else a ValueError of that argument. */
bool tusk_workers_valid(zend_long count, uint32_t number);
/* Whom they are to be (either may be NULL); false: a ValueError of that argument, or of the next,
 * which is the group's. */
bool tusk_workers_identity(tusk_identity *out, const zend_string *user, const zend_string *group,
                           uint32_t number);
/* The host's, if it is to have any: one process alone needs no master, unless it is to be somebody
 * else than who binds, or `boots`. `backlog` 0: the crew's own. False: an exception was thrown. */
bool tusk_workers_make(tusk_host *host, const tusk_workers_kind *kind, uint32_t count,
                       const tusk_identity *identity, int backlog, bool boots);
/* stop() of PHP: of all, from wherever it is called. */
void tusk_workers_stop(tusk_host *host);
/* What runs in this process, which is its master; NULL: nothing, or it is none. */
static inline tusk_crew *tusk_workers_crew(const tusk_host *host)
{
    return host->workers == NULL || host->worker ? NULL : host->workers->crew;
}
/* worker() of PHP. */
void tusk_workers_number(const tusk_host *host, zval *out);

#endif
