/* SPDX-License-Identifier: MIT */
/*
 * What a relay of kind TUSK_RELAY_HTTP has beyond the others: limits, pools of backend connections,
 * what it tells backends of the client, counters.
 */
#ifndef TUSK_RELAY_HTTP_H
#define TUSK_RELAY_HTTP_H

#include <tusk/http.h>
#include <tusk/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is said of the client, and of what came before us. A stranger's X-Forwarded-* and Forwarded
 * never reach a backend; what a trusted proxy (tusk_relay_options.trusted_proxies) says may. */
typedef enum tusk_relay_forward {
    TUSK_FORWARD_OFF,    /* nothing of ours; what is there stays */
    TUSK_FORWARD_APPEND, /* it stays, and ours is added behind it */
    TUSK_FORWARD_SET     /* ours alone */
} tusk_relay_forward;

typedef struct tusk_relay_http_options {
    tusk_http_limits heads; /* of requests and responses: 431, 414; a backend's: 502 */
    uint64_t body_bytes;    /* of a request: 413. 0: off */
    uint32_t requests;  /* of one client connection, whose last answer closes it. 10000; 0: off */
    uint32_t interim;   /* 1xx answers before the final one: 502. 16 */
    uint32_t head_ms;   /* a request's head, from its first byte: 408. 10 s */
    uint32_t body_ms;   /* a request's body without a byte of progress: 408. 60 s */
    uint32_t answer_ms; /* the backend's head, once it has the whole request: 504. 60 s */
    uint32_t idle_ms;   /* an answer's body without a byte of progress: cut. 60 s; 0: off */
    uint32_t tunnel_ms; /* nothing either way after an upgrade. 1 h; 0: off */
    uint32_t keep_alive_ms; /* a client between two requests. 75 s */
    uint32_t pool_size;     /* connections to one target at once; past it requests wait. 0: off */
    uint32_t pool_idle;     /* of them kept without a request. 64; 0: none is */
    uint32_t pool_idle_ms;  /* kept so long. 15 s */
    uint32_t pool_waiting;  /* requests that wait for one target; past it 503. 1024 */
    uint32_t pool_wait_ms;  /* they wait so long: 503. 5 s */
    uint32_t client_fin_ms; /* a backend that says nothing, for a client that has ended its side:
                               504, or cut. 10 s; 0: off, tusk_relay_limits.half_closed_ms alone */
    tusk_relay_forward x_forwarded; /* X-Forwarded-For, -Proto, -Host. TUSK_FORWARD_APPEND */
    tusk_relay_forward forwarded;   /* Forwarded (RFC 7239). TUSK_FORWARD_APPEND */
    tusk_relay_forward via;         /* Via, both ways, whoever sent one. TUSK_FORWARD_APPEND */
    const char *via_name;           /* ours in it, a token; NULL: none is added. "tusk" */
} tusk_relay_http_options;
TUSK_API const tusk_relay_http_options *tusk_relay_http_options_default(void);

typedef struct tusk_relay_http_stats {
    uint64_t requests;
    uint64_t answers_1xx, answers_2xx, answers_3xx, answers_4xx, answers_5xx; /* backends' */
    uint64_t refused_4xx, refused_5xx;                                        /* our own */
    uint64_t direct;       /* answered by their route */
    uint64_t bad_requests; /* no HTTP, or over a limit of heads */
    uint64_t bad_answers;  /* backends that do not speak HTTP, or over such a limit */
    uint64_t bodies_too_big, interim_too_many, requests_used_up;
    uint64_t head_timeouts, body_timeouts, answer_timeouts, idle_timeouts, tunnel_timeouts;
    uint64_t keep_alive_timeouts, client_fin_timeouts;
    uint64_t reused;        /* requests that went to a kept connection */
    uint64_t retried;       /* sent once more: no byte of an answer had come (RFC 9110, 9.2.2) */
    uint64_t pool_full;     /* not kept, as there are enough */
    uint64_t pool_expired;  /* kept long enough */
    uint64_t pool_outdated; /* not kept, as the target's name has lost an address since */
    uint64_t pool_given_up; /* kept, when its place was wanted: per_target, or pool_size */
    uint64_t pool_waits, pool_wait_timeouts, pool_wait_refused;
    uint64_t early_answers; /* while the request's body was still coming */
    uint64_t truncated;     /* answers that ended before they were whole */
    uint64_t upgrades;
    uint64_t paused_client, paused_backend; /* back-pressure: reading stopped */
    uint64_t kept, lines, tunnels;          /* now */
} tusk_relay_http_stats;
/* Whether a route may answer with these lines ("Name: value" CR LF each; none of them frames the
 * message or is of one hop, but Upgrade with a 426 and Proxy-Authenticate with a 407, which the
 * answer is about), or have this said as Host. */
TUSK_API bool tusk_relay_fields_valid(uint16_t status, tusk_bytes fields);
TUSK_API bool tusk_relay_host_valid(tusk_bytes host);
extern TUSK_API const tusk_metric_table tusk_relay_http_counters;

#ifdef __cplusplus
}
#endif
#endif
