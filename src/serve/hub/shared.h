/* SPDX-License-Identifier: MIT */
/* One log and one bus for the processes of one server. */
#ifndef SERVE_HUB_SHARED_H
#define SERVE_HUB_SHARED_H

#include "serve/hub/store.h"

/* Both are closed by their user, the bus first. TUSK_EINVAL: there is no such member. */
tusk_err tusk__shared_log_join(hub_store **store, hub_bus **bus, tusk_shared_log *log,
                               unsigned member);

#endif
