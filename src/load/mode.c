/* SPDX-License-Identifier: MIT */
/* Modes: their names, and which table of functions each is. */
#include "load/worker.h"

#include <string.h>

static const char *const mode_names[LOAD_MODE_COUNT] = {"ws-handshake", "ws-echo",  "fanout",
                                                        "sse",          "http",     "tcp-rr",
                                                        "tcp-rate",     "tcp-bulk", "tcp-hold"};

const char *tusk__load_mode_name(size_t i)
{
    return i < LOAD_MODE_COUNT ? mode_names[i] : NULL;
}

bool tusk__load_mode_find(load_mode_id *out, const char *name)
{
    for (size_t i = 0; i < LOAD_MODE_COUNT; i++) {
        if (strcmp(mode_names[i], name) == 0) {
            *out = (load_mode_id)i;
            return true;
        }
    }
    return false;
}

const char *tusk_load_mode_name(size_t i)
{
    return tusk__load_mode_name(i);
}

bool tusk_load_mode_exists(const char *mode)
{
    load_mode_id id;
    return tusk__load_mode_find(&id, mode);
}

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
