/* SPDX-License-Identifier: MIT */
/* Which table of functions a mode is. */
#include "load/worker.h"

const load_mode *tusk__load_mode_of(load_mode_id id)
{
    return id == LOAD_WS_ECHO ? &tusk__load_ws_echo : NULL;
}
