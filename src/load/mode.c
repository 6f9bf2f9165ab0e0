/* SPDX-License-Identifier: MIT */
/* Which table of functions a mode is. */
#include "load/worker.h"

const load_mode *tusk__load_mode_of(const load_plan *plan)
{
    switch (plan->mode) {
    case LOAD_WS_HANDSHAKE: return plan->storm ? &tusk__load_ws_storm : &tusk__load_ws_handshake;
    case LOAD_WS_ECHO: return &tusk__load_ws_echo;
    case LOAD_HTTP: return plan->keep_alive ? &tusk__load_http : &tusk__load_http_each;
    case LOAD_FANOUT:
    case LOAD_SSE:
    case LOAD_TCP_RR:
    case LOAD_TCP_RATE:
    case LOAD_TCP_BULK:
    case LOAD_TCP_HOLD:
    case LOAD_MODE_COUNT: break;
    }
    return NULL;
}
