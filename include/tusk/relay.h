/* SPDX-License-Identifier: MIT */
/*
 * The relay: clients on one side, backends on the other, and a resolver that says which belong
 * together.
 *
 * A client is looked at first (protocol and first bytes, as its listener says), and what was found
 * is a lookup: some fields, each there or not. A cached route answers it at once. What no cache
 * knows goes to on_lookup, once for equal lookups under way; whoever answers says which fields the
 * answer depends on, and the cache remembers it under just those. Then a target is dialled, and
 * from there on bytes flow without anybody being called.
 */
#ifndef TUSK_RELAY_H
#define TUSK_RELAY_H

#include <tusk/bytes.h>
#include <tusk/loop.h>
#include <tusk/relay_http.h>
#include <tusk/sockmap.h>
#include <tusk/stats.h>
#include <tusk/tls.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_relay tusk_relay;

typedef enum tusk_relay_kind { TUSK_RELAY_TCP, TUSK_RELAY_HTTP, TUSK_RELAY_SMTP } tusk_relay_kind;

typedef enum tusk_relay_engine {
    TUSK_ENGINE_COPY,
    TUSK_ENGINE_SPLICE, /* a direction switches after two full reads in a row */
    TUSK_ENGINE_URING,
    TUSK_ENGINE_SOCKMAP /* the kernel relays plain TCP; what it cannot is spliced or copied */
} tusk_relay_engine;

/* Who speaks first on a TCP listener. */
typedef enum tusk_relay_first {
    TUSK_FIRST_SERVER, /* routed at accept; nothing of the client's is awaited */
    TUSK_FIRST_CLIENT, /* routed when its first bytes tell enough */
    TUSK_FIRST_WAIT    /* the same, but after wait_ms without a byte routed as it is */
} tusk_relay_first;

/* What the first bytes are read as. */
typedef enum tusk_relay_protocol {
    TUSK_PROTOCOL_AUTO, /* TLS, Postgres or neither, as the bytes say */
    TUSK_PROTOCOL_RAW,
    TUSK_PROTOCOL_TLS, /* a ClientHello is demanded; not terminated here unless the listener has a
                          certificate */
    TUSK_PROTOCOL_POSTGRES,
    TUSK_PROTOCOL_MYSQL /* greeted here and routed by its user; with TUSK_FIRST_SERVER, and no
                           certificate, greeted by the backend and routed at accept */
} tusk_relay_protocol;

/* disable, allow/prefer, require: downstream for clients, upstream for backends. */
typedef enum tusk_relay_tls { TUSK_TLS_DISABLE, TUSK_TLS_ALLOW, TUSK_TLS_REQUIRE } tusk_relay_tls;

/* ---- what a resolver may read; a cached route is kept under the fields that were read ---- */
typedef enum tusk_lookup_field {
    TUSK_LOOKUP_LISTENER, /* as it was given to tusk_relay_listen */
    TUSK_LOOKUP_PEER,     /* the client's address without its port */
    TUSK_LOOKUP_PEER_PORT,
    TUSK_LOOKUP_DESTINATION, /* address:port the client connected to (PROXY head or the socket) */
    TUSK_LOOKUP_SERVER_NAME, /* TLS: SNI, lower case */
    TUSK_LOOKUP_ALPN,        /* TLS: the client's list, joined by commas */
    TUSK_LOOKUP_HOST,        /* HTTP: the authority, lower case, without a port */
    TUSK_LOOKUP_METHOD,      /* HTTP */
    TUSK_LOOKUP_PATH,        /* HTTP: without the query */
    TUSK_LOOKUP_USER,        /* Postgres, MySQL */
    TUSK_LOOKUP_DATABASE,    /* Postgres, MySQL */
    TUSK_LOOKUP_APPLICATION, /* Postgres application_name, MySQL program_name */
    TUSK_LOOKUP_DOMAIN,      /* SMTP: of EHLO or HELO, lower case */
    TUSK_LOOKUP_AUTHORITY,   /* of the PROXY v2 head: PP2_TYPE_AUTHORITY */
    TUSK_LOOKUP_FIRST,       /* the first bytes as they came */
    TUSK_LOOKUP_CERTIFICATE, /* TLS: SHA-256 of the client's certificate in lower-case hexadecimal;
                                tusk_relay_certificate has the rest of it */
    TUSK_LOOKUP_FIELDS
} tusk_lookup_field;

/* Borrowed until the callback returns. A field that is not there has ptr NULL. */
typedef struct tusk_relay_lookup {
    tusk_bytes field[TUSK_LOOKUP_FIELDS];
    bool secure; /* TLS ends at this relay */
} tusk_relay_lookup;

/* ---- answers ---- */
typedef struct tusk_relay_target {
    tusk_bytes address; /* "10.0.0.7:5432", "[fd00::7]:5432", "db7.internal:5432", "unix:/path" */
    uint32_t weight;    /* 0: only when no other is healthy */
} tusk_relay_target;

enum { TUSK_RELAY_TARGETS_MAX = 64 }; /* of one route; with more it is TUSK_EINVAL */

/* All is dup'ed. */
typedef struct tusk_relay_route {
    const tusk_relay_target *targets;
    size_t target_count;
    uint32_t ttl_ms;       /* 0: for this lookup alone (and those that wait for the same answer) */
    uint32_t connect_ms;   /* 0: the relay's */
    uint32_t idle_ms;      /* 0: the relay's; UINT32_MAX: none */
    uint8_t proxy_version; /* 1 or 2: a PROXY head is sent first; 0: none */
    tusk_relay_tls upstream_tls;
    tusk_tls *tls;       /* for upstream_tls; referenced; NULL: the relay's */
    tusk_bytes tls_name; /* server name for it; empty: the target's host */
    tusk_bytes first;    /* sent instead of the client's first bytes; ptr NULL: as they came */
    tusk_bytes user;     /* Postgres, MySQL: sent instead of the client's; ptr NULL: as it came */
    tusk_bytes database;
    tusk_bytes metadata; /* for the access log, as given */
    tusk_bytes name;     /* under which it is counted (tusk_relay_metrics); empty: it is not */
    tusk_bytes host;     /* HTTP: sent as Host; ptr NULL: the client's */
    /* HTTP: not 0: this is the answer itself, and there are no targets. `fields`: whole lines with
     * CR LF, none that frames a message (Content-Length, Transfer-Encoding, Connection). */
    uint16_t status;
    tusk_bytes fields;
    tusk_bytes body;
} tusk_relay_route;

enum { TUSK_RELAY_REASON_MAX = 512 };

enum { TUSK_RELAY_NAME_MAX = 263 };
/* UTF-8 without a NUL, and not longer; empty is no name, and fine. */
TUSK_API bool tusk_relay_name_valid(tusk_bytes name);

typedef struct tusk_relay_refusal {
    uint16_t status;   /* 400-599 as HTTP means them; each protocol says it in its own words */
    tusk_bytes reason; /* told to the client: no CR, LF or NUL, TUSK_RELAY_REASON_MAX bytes at most;
                          may be empty */
    uint32_t ttl_ms;   /* 0: not remembered */
} tusk_relay_refusal;

typedef struct tusk_relay_ask {
    uint32_t slot;
    uint32_t generation;
} tusk_relay_ask; /* who asked; harmless when nobody waits any more */

/* ---- limits and times: each with a default and a counter ---- */
typedef struct tusk_relay_limits {
    uint32_t connections;      /* clients at once; past it accepting pauses. 100000 */
    uint32_t per_listener;     /* 0: off */
    uint32_t per_source;       /* of one IPv4 address or IPv6 /64. 0: off */
    uint32_t per_target;       /* connections to one target; past it the next one. 0: off */
    uint32_t rate_per_source;  /* new connections a second, burst of one second. 0: off */
    uint32_t lookups;          /* asked of on_lookup at once; past it 503. 1024 */
    uint32_t routes;           /* remembered; past it the least lately used goes. 65536 */
    uint32_t first_bytes;      /* of a client before it has a route. 16 KiB */
    uint32_t pending_bytes;    /* held per direction while the other side does not take. 64 KiB */
    uint32_t wait_ms;          /* TUSK_FIRST_WAIT. 200 */
    uint32_t first_ms;         /* for the first bytes that tell enough, TLS included. 10 s */
    uint32_t resolve_ms;       /* for an answer of on_lookup: 504. 5 s */
    uint32_t connect_ms;       /* one target. 5 s */
    uint32_t connect_total_ms; /* all targets tried. 15 s */
    uint32_t backend_first_ms; /* the backend's first byte, or its greeting. 0: off */
    uint32_t idle_ms;          /* nothing either way. 0: off */
    uint32_t half_closed_ms;   /* one side has ended and the other says nothing. 60 s; 0: off */
    uint32_t age_ms;           /* of a session, however busy. 0: off */
    uint32_t drain_ms;         /* tusk_relay_stop: sessions may end by themselves. 30 s */
    uint32_t keep_idle_s, keep_interval_s, keep_count; /* TCP keep-alive, both sides. 30, 10, 3 */
    uint32_t user_timeout_ms;                          /* TCP_USER_TIMEOUT. 0: the system's */
    uint32_t not_sent_bytes; /* TCP_NOTSENT_LOWAT, both sides: no more is handed to the kernel while
                                it has so much that was not sent. 0: the system's */
    uint32_t attempts;       /* targets tried before the client's first byte went to one. 3 */
    uint32_t eject_failures; /* so many failures in a row eject a target. 3; 0: never */
    uint32_t eject_ms;       /* for so long; then one connection tries. 10 s */
    uint32_t check_ms;       /* active probe (connect) of each known target. 0: off */
    uint32_t check_rise, check_fall; /* 2, 3 */
    uint32_t dns_ttl_ms;             /* a target's name is looked up again after. 30 s */
    uint32_t dns_stale_ms; /* so long after that its last addresses are used when no name server
                              answers (RFC 8767); not when one says that there are none. A day; 0:
                              never */
    uint32_t queue_ms;     /* when all targets are full, wait so long for a place. 0: 503 */
    uint32_t metrics;      /* targets, and names of routes, that tusk_relay_metrics tells apart; the
                              others are one, "other". 256 */
} tusk_relay_limits;
TUSK_API const tusk_relay_limits *tusk_relay_limits_default(void);

/* ---- what happened, told once per session (HTTP: request) at its end ---- */
typedef struct tusk_relay_record {
    tusk_relay_kind kind;
    tusk_bytes listener, peer, target, metadata, route; /* empty where there is none */
    tusk_bytes method, host, path;                      /* HTTP, of a request that was passed on */
    tusk_relay_engine engine;
    uint64_t began_wall_ms;
    uint64_t resolve_us, connect_us, first_byte_us, duration_us;
    uint64_t bytes_up, bytes_down; /* client to backend, backend to client */
    uint16_t status;               /* a refusal's, or an HTTP answer's; 0: relayed to its end */
    const char *end; /* static text: "done", "client reset", "backend reset", "idle", ... */
    bool cached;
    tusk_bytes reason; /* of a refusal, as its client was told, where `end` does not say; or none */
} tusk_relay_record;

typedef struct tusk_relay_stats tusk_relay_stats;
typedef struct tusk_relay_handler {
    /* Nobody remembers an answer. tusk_relay_answer or tusk_relay_refuse, now or later. */
    void (*on_lookup)(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup);
    void (*on_access)(void *user, const tusk_relay_record *record); /* may be NULL */
    /* Writes what the owner has of its own into `own_gauge`; may be NULL. */
    void (*on_count)(void *user, tusk_relay_stats *stats);
    void (*on_log)(void *user, const char *text); /* may be NULL */
    void (*on_stopped)(void *user);               /* may be NULL */
} tusk_relay_handler;

typedef struct tusk_relay_options {
    tusk_loop *loop;
    tusk_relay_limits limits;
    tusk_relay_engine engine;
    tusk_relay_kind kind;
    const tusk_relay_handler *handler;
    void *user;
    /* The guard against server-side request forgery judges the address connected to. Allowed
     * ranges come first ("10.0.0.0/8"); then, unless `any_address`, only public ones pass. */
    const char *const *allowed;
    size_t allowed_count;
    bool any_address;
    bool plain_io; /* each receive and send is a system call of its own, also where io_uring would
                      do those of a turn in one */
    const char *const *trusted_proxies; /* whose PROXY heads are believed: numeric, or ranges */
    size_t trusted_proxy_count;
    tusk_tls *upstream_tls; /* client role, for targets; may be NULL */
    /* TUSK_ENGINE_SOCKMAP: loaded already, and referenced (a worker that may not load: its parent
     * did); NULL: the relay loads `sockmap_object`, or what is built in. */
    tusk_sockmap *sockmap;
    const char *sockmap_object;          /* a file; read by tusk_relay_new */
    tusk_relay_engine otherwise;         /* copy or splice, where the kernel cannot */
    const tusk_relay_http_options *http; /* TUSK_RELAY_HTTP; copied; NULL: the defaults */
} tusk_relay_options;

enum { TUSK_MYSQL_VERSION_MAX = 63 };
#define TUSK_MYSQL_VERSION "8.0.11-tusk"

typedef struct tusk_relay_listen_options {
    tusk_relay_first first;
    tusk_relay_protocol protocol;
    tusk_tls *tls; /* server role: TLS ends here; NULL: it passes through */
    tusk_relay_tls
        downstream_tls;   /* with `tls`: TUSK_TLS_ALLOW lets plain clients in, the others do not */
    bool proxy_protocol;  /* trusted peers send a PROXY head first */
    uint32_t wait_ms;     /* of this listener's TUSK_FIRST_WAIT; 0: as the relay's limits say */
    uint32_t connections; /* its clients at once; 0: the limits' per_listener */
    int backlog;          /* 0: 4096 */
    bool reuse_port;
    /* What TUSK_PROTOCOL_MYSQL greets with, which clients take for the server's version: at most
     * TUSK_MYSQL_VERSION_MAX bytes; copied; NULL: TUSK_MYSQL_VERSION. */
    const char *mysql_version;
} tusk_relay_listen_options;

/* `reason` says more of an error. TUSK_EINVAL: no loop, no on_lookup, or an address or range that
 * is none; TUSK_ENOTSUP: that kind is not built in; TUSK_ENOMEM, TUSK_ESYS. */
TUSK_API tusk_err tusk_relay_new(tusk_relay **out, const tusk_relay_options *options, char *reason,
                                 size_t reason_cap);
TUSK_API void tusk_relay_free(tusk_relay *self);
/* A name such as "localhost:5432" is looked up, which blocks. TUSK_EINVAL: an address that is none,
 * a version that is too long; TUSK_ENOENT: there is no such host. */
TUSK_API tusk_err tusk_relay_listen(tusk_relay *self, const char *address,
                                    const tusk_relay_listen_options *options);
TUSK_API tusk_err tusk_relay_listen_on(tusk_relay *self, int fd,
                                       const tusk_relay_listen_options *options);
/* `reason` says which address and why. The process's soft limit of descriptors (RLIMIT_NOFILE) is
 * raised to two for each of limits.connections, as far as the hard one allows; on_log is told where
 * that is too few. */
TUSK_API tusk_err tusk_relay_start(tusk_relay *self, char *reason, size_t reason_cap);
/* Whether on_access is told from now on; it is unless this says otherwise. Records nobody wants are
 * not made. */
TUSK_API void tusk_relay_records(tusk_relay *self, bool wanted);
TUSK_API uint16_t tusk_relay_port(const tusk_relay *self, size_t listener);
TUSK_API void tusk_relay_stop(tusk_relay *self); /* drains; twice: at once; then on_stopped */

/* ---- workers (crew.h): each has a relay of its own, made before the fork, started after it ----
 */
/* As it was given to tusk_relay_listen; NULL: there are not so many. */
TUSK_API const char *tusk_relay_address(const tusk_relay *self, size_t listener);
/* Before start: the listener's socket, which somebody else bound; it is the relay's now, a Unix
 * path stays his. */
TUSK_API tusk_err tusk_relay_inherit(tusk_relay *self, size_t listener, int fd);
/* While it runs: the same listener accepts from `fd` as well (the relay's when TUSK_OK), until
 * given back; `key` is any number. */
TUSK_API tusk_err tusk_relay_adopt(tusk_relay *self, size_t listener, uint32_t key, int fd);
TUSK_API void tusk_relay_give_back(tusk_relay *self, uint32_t key);
/* What the relays of all workers know of each other, in shared memory: counters, and how much of
 * the limits of connections, listeners, sources, targets and rates is taken. Made before the fork
 * of a relay that has its listeners; `seats`: numbers that processes write under, one at a time. */
typedef struct tusk_relay_shared tusk_relay_shared;
TUSK_API tusk_err tusk_relay_shared_new(tusk_relay_shared **out, const tusk_relay *relay,
                                        uint32_t seats);
TUSK_API void tusk_relay_shared_free(tusk_relay_shared *self);
/* In a worker, before start. */
TUSK_API tusk_err tusk_relay_share(tusk_relay *self, tusk_relay_shared *shared, uint32_t seat);
/* In the master: the process that wrote under this number is gone. Its counts stay in the sums. */
TUSK_API void tusk_relay_shared_gone(tusk_relay_shared *self, uint32_t seat);

/* The certificate of the client who is asked about, from inside on_lookup only; to be freed.
 * TUSK_ENOENT: none was shown, or nobody asked for one. */
TUSK_API tusk_err tusk_relay_certificate(tusk_relay *self, tusk_relay_ask ask,
                                         tusk_certificate **out);
/* `fields`: bits (1 << tusk_lookup_field) that the answer depends on. */
TUSK_API tusk_err tusk_relay_answer(tusk_relay *self, tusk_relay_ask ask, uint32_t fields,
                                    const tusk_relay_route *route);
TUSK_API tusk_err tusk_relay_refuse(tusk_relay *self, tusk_relay_ask ask, uint32_t fields,
                                    const tusk_relay_refusal *refusal);
/* Every remembered answer is forgotten (the resolver is another one now); sessions go on. */
TUSK_API void tusk_relay_forget(tusk_relay *self);
/* The health of a target as it is known: a resolver may ask. 1 up, 0 ejected, -1 unknown. */
TUSK_API int tusk_relay_health(const tusk_relay *self, tusk_bytes address);

struct tusk_relay_stats {
    uint64_t accepted, active, done;
    uint64_t refused_limit; /* times that accepting had to wait */
    uint64_t refused_source, refused_rate, refused_lookups, refused_resolver, refused_guard;
    uint64_t refused_target; /* dials that found all targets full, at once or in the end */
    uint64_t cache_hits, cache_misses, lookups, lookup_timeouts, lookups_joined;
    uint64_t routes_dropped; /* remembered answers that went for others, as there are `routes` */
    uint64_t paused;         /* times that reading stopped, as the other side did not take */
    uint64_t dials, dial_failures, dial_timeouts, retries, ejections, probes, probe_failures;
    uint64_t dials_exhausted; /* not made: no descriptor, local port or thread was left */
    uint64_t sockets_reused;  /* dials by a socket that had carried a session before */
    uint64_t queue_waits, queue_timeouts;
    uint64_t names_stale; /* times that a name's last known addresses were used for half a minute */
    uint64_t bytes_up, bytes_down;
    uint64_t idle_timeouts, first_timeouts, backend_first_timeouts, half_closed_timeouts, aged;
    uint64_t resets_client, resets_backend, cancels, cancel_keys_dropped;
    uint64_t metrics_other; /* times that a target or a route's name was counted as "other" */
    uint64_t protocol_errors, out_of_memory, heap_trims;
    uint64_t switched_to_splice, switched_to_sockmap, switched_to_uring;
    uint64_t uring_starved;    /* receives that found no buffer free, and were made again */
    uint64_t batches, batched; /* system calls that did several receives or sends; so many */
    /* Times that a direction came back to user space, its receiver being too far behind. */
    uint64_t sockmap_paused;
    /* Pairs that were handed over later than joined (first bytes to be sent, a session's start that
     * is looked at), or never: one end was over already, TLS ends here, a Unix path, no room in the
     * map, anything else (the log says what). */
    uint64_t sockmap_waited, sockmap_kept_ended, sockmap_kept_tls, sockmap_kept_unix;
    uint64_t sockmap_kept_full, sockmap_kept_failed;
    uint64_t routes, targets, ejected; /* now */
    uint64_t own_gauge;                /* what the owner has (on_count); its name is its own */
};
/* Of a relay that shares: sums over all workers, what others counted a tenth of a second ago. */
TUSK_API void tusk_relay_stats_get(tusk_relay *self, tusk_relay_stats *out);
/* In a worker: `own_gauge` has left 0, which the others are told as long as it is not. */
TUSK_API void tusk_relay_count_soon(tusk_relay *self);
TUSK_API void tusk_relay_shared_stats(const tusk_relay_shared *self, tusk_relay_stats *out);
TUSK_API void tusk_relay_shared_http_stats(const tusk_relay_shared *self,
                                           tusk_relay_http_stats *out);
/* Appends what is counted for each target and each name of a route, of all workers, as OpenMetrics
 * 1.0 has it but for the "# EOF". A name that nobody refers to for an hour is told no more. */
TUSK_API tusk_err tusk_relay_metrics(tusk_relay *self, tusk_buf *out);
TUSK_API tusk_err tusk_relay_shared_metrics(const tusk_relay_shared *self, tusk_buf *out);
extern TUSK_API const tusk_metric_table tusk_relay_counters;
/* All zero when the relay is of another kind. */
TUSK_API void tusk_relay_http_stats_get(tusk_relay *self, tusk_relay_http_stats *out);
/* "enabled (...)" or "unavailable (reason)". */
TUSK_API const char *tusk_relay_engine_state(const tusk_relay *self);
/* The io_uring library that is built in, "liburing 2.3"; NULL: none. */
TUSK_API const char *tusk_relay_uring_library(void);

#ifdef __cplusplus
}
#endif
#endif
