/* SPDX-License-Identifier: MIT */
/* A resolver that computes without end would hold the whole proxy: it gets an exception. */
#ifndef TUSK_EXT_PROXY_WATCHDOG_H
#define TUSK_EXT_PROXY_WATCHDOG_H

#include "php_tusk.h"

#include <pthread.h>

/* A thread that makes PHP look at the clock, twice in `limit_ms`. All zero: none runs. */
typedef struct tusk_watchdog {
    pthread_t thread;
    int pipe[2]; /* closed at one end: it is over */
    int period_ms;
    tusk_interrupt_flag *flag;
    bool running;
} tusk_watchdog;

/* Where it cannot be had, resolvers are not watched. */
void tusk_watchdog_start(tusk_watchdog *self, uint32_t limit_ms);
void tusk_watchdog_stop(tusk_watchdog *self);
void tusk_watchdog_startup(void);

#endif
