/* SPDX-License-Identifier: MIT */
/* The watchdog of resolvers. */
#include "src/proxy/watchdog.h"

#include "src/run/call.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* Whoever was asked before us; set once, as the module starts. */
static void (*previous)(zend_execute_data *execute_data);

/* Signals belong to the thread of PHP. */
static void *watch(void *arg)
{
    tusk_watchdog *self = arg;
    struct pollfd end = {.fd = self->pipe[0], .events = POLLIN};
    while (poll(&end, 1, self->period_ms) == 0) {
        tusk_interrupt_set(self->flag);
    }
    return NULL;
}

void tusk_watchdog_start(tusk_watchdog *self, uint32_t limit_ms)
{
    sigset_t all;
    sigset_t old;
    if (pipe(self->pipe) != 0) {
        return;
    }
    self->period_ms = limit_ms < 2 ? 1 : (int)(limit_ms / 2);
    self->flag = &EG(vm_interrupt);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    self->running = pthread_create(&self->thread, NULL, watch, self) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!self->running) {
        close(self->pipe[0]);
        close(self->pipe[1]);
        return;
    }
    TUSK_G(watch_ms) = limit_ms;
}

void tusk_watchdog_stop(tusk_watchdog *self)
{
    if (!self->running) {
        return;
    }
    TUSK_G(watch_ms) = 0;
    self->running = false;
    close(self->pipe[1]);
    (void)pthread_join(self->thread, NULL);
    close(self->pipe[0]);
}

static void on_interrupt(zend_execute_data *execute_data)
{
    if (previous != NULL) {
        previous(execute_data);
    }
    if (TUSK_G(watch_ms) != 0 && EG(exception) == NULL && tusk_call_overdue(TUSK_G(watch_ms))) {
        zend_throw_exception(tusk_ce_exception,
                             "A resolver computed for longer than Limits::$resolveMs", 0);
    }
}

void tusk_watchdog_startup(void)
{
    previous = zend_interrupt_function;
    zend_interrupt_function = on_interrupt;
}
