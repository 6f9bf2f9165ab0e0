/* SPDX-License-Identifier: MIT */
/* The plan of a run: what the options say, read once and then only looked at. */
#ifndef LOAD_PLAN_H
#define LOAD_PLAN_H

#include <tusk/http.h>
#include <tusk/load.h>

#include "net/addr.h"

typedef enum load_mode_id {
    LOAD_WS_HANDSHAKE,
    LOAD_WS_ECHO,
    LOAD_FANOUT,
    LOAD_SSE,
    LOAD_HTTP,
    LOAD_TCP_RR,
    LOAD_TCP_RATE,
    LOAD_TCP_BULK,
    LOAD_TCP_HOLD,
    LOAD_MODE_COUNT
} load_mode_id;

enum load_arrivals { LOAD_UNIFORM, LOAD_POISSON };
enum load_transport { LOAD_OVER_WS, LOAD_OVER_SSE };
enum load_publish { LOAD_PUBLISH_WS, LOAD_PUBLISH_HTTP };
enum load_direction { LOAD_UP, LOAD_DOWN, LOAD_BOTH };

/* A text that the plan owns; never NULL once the plan is made. */
typedef struct load_text {
    char *ptr;
    size_t len;
} load_text;

enum { LOAD_ADDRS_MAX = 8 }; /* of a name; further ones are not tried */

/* Where a URL leads. */
typedef struct load_target {
    load_text url;
    tusk_url parts; /* of `url` */
    tusk_addr addrs[LOAD_ADDRS_MAX];
    uint8_t addr_count; /* 0 before it is resolved */
    bool secure;
    char host[256];
} load_target;

typedef struct load_plan {
    const tusk_mem *mem;
    load_mode_id mode;
    load_target target;
    load_target publish_target; /* of publish-url, else the same as target */
    uint64_t run_id;            /* 24 bits, in every payload that is measured one way */
    /* As tusk_addr_resolve, which it is unless a test puts another in its place. */
    int (*look_up)(tusk_addr *out, int cap, const char *host, uint16_t port);

    uint64_t connections, workers, sources, count, seed, opening, samples, exchanges;
    uint64_t pipeline, idle, size, reply, fragment, chop;
    uint64_t low, high, close_code;
    uint64_t publishers, rooms, slow, slow_rate, reconnect_every;
    double duration, warmup, drain, ramp, timeout, think, rate, hold;
    bool allow_remote, spin, pin, hiccup, tls_insecure, tls_resume;
    bool binary, verify, deflate, drop, storm, first, keep_alive;
    uint64_t arrivals, transport, publish, greeting, direction; /* the enums above */
    load_text header, tls_ca, tls_server_name, subprotocol, method, body, urls;
    load_text subscribe, message, publish_url, publish_body;
    uint64_t given; /* a bit for each row of the table whose option was set */
} load_plan;

/* NULL past the last. */
const char *tusk__load_mode_name(size_t i);
bool tusk__load_mode_find(load_mode_id *out, const char *name);

/* Everything at its default. TUSK_EINVAL: the URL is not one for the mode, `reason` says why. */
tusk_err tusk__load_plan_init(load_plan *self, const tusk_mem *mem, load_mode_id mode,
                              tusk_bytes url, char *reason);
void tusk__load_plan_fini(load_plan *self);
tusk_err tusk__load_plan_set(load_plan *self, tusk_bytes name, tusk_bytes value, char *reason);
/* Whether the options fit together. */
tusk_err tusk__load_plan_check(const load_plan *plan, char *reason);
/* Whether that option was set. */
bool tusk__load_plan_given(const load_plan *self, const char *name);

/* Connections that a worker has at most, the last one's share included. */
static inline uint64_t tusk__load_share(uint64_t total, uint64_t workers, uint64_t index)
{
    return total / workers + (index < total % workers ? 1 : 0);
}

/* Subscribers that listen, and perhaps publishers. */
static inline bool tusk__load_streams(const load_plan *plan)
{
    return plan->mode == LOAD_FANOUT || plan->mode == LOAD_SSE;
}

static inline uint64_t tusk__load_publishers(const load_plan *plan)
{
    bool none = !tusk__load_streams(plan) || (plan->mode == LOAD_SSE && plan->publish_url.len == 0);
    return none ? 0 : plan->publishers;
}

/* ---- target.c ---- */
tusk_err tusk__load_target_init(load_target *self, const tusk_mem *mem, load_mode_id mode,
                                tusk_bytes url, char *reason);
void tusk__load_target_fini(load_target *self, const tusk_mem *mem);
/* Looks the host's name up; blocks. */
tusk_err tusk__load_target_resolve(load_target *self, const load_plan *plan, char *reason);

/* ---- preflight.c ---- */
/* Resolves, settles workers and sources, and says what this machine cannot do. */
tusk_err tusk__load_preflight(load_plan *plan, char *reason);

#endif
