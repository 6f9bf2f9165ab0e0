/* SPDX-License-Identifier: MIT */
/* The signals that a process which serves obeys: SIGTERM and SIGINT stop it, SIGHUP reloads. */
#ifndef TUSK_EXT_RUN_SIGNALS_H
#define TUSK_EXT_RUN_SIGNALS_H

#include <tusk/loop.h>

typedef struct tusk_signals tusk_signals;
struct tusk_signals {
    void (*stop)(tusk_signals *self);
    void (*reload)(tusk_signals *self); /* a supervisor is told of it */
    tusk_loop *loop;                    /* while they are watched */
    tusk_signal term, interrupt, hang_up;
};

/* `worker`: SIGTERM alone, as what a terminal sends to all is its master's affair. */
void tusk_signals_watch(tusk_signals *self, tusk_loop *loop, bool worker);
void tusk_signals_unwatch(tusk_signals *self);

#endif
