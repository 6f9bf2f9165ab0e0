/* SPDX-License-Identifier: MIT */
/* Signals of a host and of a master of workers. */
#include "src/run/signals.h"

#include "php_tusk.h"
#include "src/supervisor.h"

#include <signal.h>

static void on_term(tusk_signal *signal)
{
    tusk_signals *self = TUSK_OWNER(signal, tusk_signals, term);
    self->stop(self);
}

static void on_interrupt(tusk_signal *signal)
{
    tusk_signals *self = TUSK_OWNER(signal, tusk_signals, interrupt);
    self->stop(self);
}

static void on_hang_up(tusk_signal *signal)
{
    tusk_signals *self = TUSK_OWNER(signal, tusk_signals, hang_up);
    tusk_supervised_tell(TUSK_SUPERVISED_RELOADING);
    self->reload(self);
    tusk_supervised_tell(TUSK_SUPERVISED_READY);
}

void tusk_signals_watch(tusk_signals *self, tusk_loop *loop, bool worker)
{
    self->loop = loop;
    self->term.on_signal = on_term;
    self->interrupt.on_signal = on_interrupt;
    self->hang_up.on_signal = on_hang_up;
    (void)tusk_signal_start(loop, &self->term, SIGTERM);
    if (!worker) {
        (void)tusk_signal_start(loop, &self->interrupt, SIGINT);
        (void)tusk_signal_start(loop, &self->hang_up, SIGHUP);
    }
}

void tusk_signals_unwatch(tusk_signals *self)
{
    if (self->loop == NULL) {
        return;
    }
    tusk_signal_stop(self->loop, &self->term);
    tusk_signal_stop(self->loop, &self->interrupt);
    tusk_signal_stop(self->loop, &self->hang_up);
    self->loop = NULL;
}
