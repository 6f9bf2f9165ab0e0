/* SPDX-License-Identifier: MIT */
/* Active probes: each known target is connected to every check_ms; check_fall failures in a row
 * take it out, check_rise successes in a row bring it back. */
#ifndef RELAY_ROUTE_PROBE_H
#define RELAY_ROUTE_PROBE_H

#include "relay/inner.h"

void relay_probes_start(tusk_relay *relay);
void relay_probes_stop(tusk_relay *relay);
void relay_probes_due(tusk_timer *timer);

#endif
