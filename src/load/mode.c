/* SPDX-License-Identifier: MIT */
/* Which table of functions a mode is. */
#include "load/worker.h"

const load_mode *tusk__load_mode_of(const load_plan *plan)
{
    switch (plan->mode) {
    case LOAD_WS_HANDSHAKE: return plan->storm ? &tusk__load_ws_storm : &tusk__load_ws_handshake;
    case LOAD_WS_ECHO: return &tusk__load_ws_echo;
    case LOAD_HTTP: return plan->keep_alive ? &tusk__load_http : &tusk__load_http_each;
    case LOAD_TCP_RR: return &tusk__load_tcp_rr;
    case LOAD_TCP_RATE: return &tusk__load_tcp_rate;
    case LOAD_TCP_BULK: return &tusk__load_tcp_bulk;
    case LOAD_TCP_HOLD: return &tusk__load_tcp_hold;
    case LOAD_FANOUT:
    case LOAD_SSE: return &tusk__load_stream;
    case LOAD_MODE_COUNT: break;
    }
    return NULL;
}
