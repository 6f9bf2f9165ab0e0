/* SPDX-License-Identifier: MIT */
/* Dials in line for a place, while all their targets are full. */
#ifndef RELAY_ROUTE_QUEUE_H
#define RELAY_ROUTE_QUEUE_H

#include "relay/route/dial.h"

/* False: it has waited as long as it may, and the log is told. */
bool relay_queue_wait(relay_dial *self);
/* Harmless where it is not in line. */
void relay_queue_leave(relay_dial *self);
void relay_queue_say_full(const relay_dial *self);
/* Places may be free: whoever is in line looks, in order. */
void relay_queue_due(tusk_timer *timer);
void relay_queue_run(tusk_task *task);

#endif
