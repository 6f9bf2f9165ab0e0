/* SPDX-License-Identifier: MIT */
/* The relay's and the sessions' insides, for the files of this layer. */
#ifndef RELAY_INNER_H
#define RELAY_INNER_H

#include <tusk/relay.h>

#include "net/address_table.h"
#include "net/batch.h"
#include "net/conn.h"
#include "net/gate.h"
#include "net/resolver.h"
#include "relay/route/guard.h"
#include "relay/route/lookup.h"
#include "relay/meters.h"
#include "relay/notice.h"
#include "relay/rate.h"
#include "relay/route/target.h"

typedef struct relay_session relay_session;
typedef struct relay_door relay_door;

/* What TCP, HTTP and SMTP do each in its own way. */
typedef struct relay_kind_ops {
    /* Owns `fd`, which is within the limits; opens a session for it (relay_session_open), or closes
     * it and returns false. */
    bool (*on_client)(tusk_relay *relay, relay_door *door, int fd, const tusk_addr *peer);
    /* One over a limit: says so in the protocol's own words if it has any, and closes it. NULL: it
     * is closed. */
    void (*on_refused)(relay_door *door, int fd, uint16_t status);
    /* What its sessions share: made, ended when the relay stops, given back. May be NULL. */
    tusk_err (*open)(tusk_relay *relay, const tusk_relay_options *options);
    void (*stop)(tusk_relay *relay);
    /* What outlives its session, for the last that is still to leave, is cut with the sessions. May
     * be NULL. */
    void (*cut)(tusk_relay *relay);
    void (*close)(tusk_relay *relay);
    /* The oldest connection that is kept to this target though nobody works on it is closed, so
     * that its place comes free; none may be. NULL: none is ever kept. */
    void (*give_up)(struct relay_target *target);
    /* The addresses of its name were looked up: what is kept to one that it has lost (its
     * `generation` tells) is closed. NULL: the same. */
    void (*moved)(struct relay_target *target);
    /* Whether this route may be an answer without a backend. NULL: none is. */
    bool (*may_answer)(const tusk_relay_route *route);
    /* What is done with a pair that is not joined yet (move/pair.h). NULL: its pairs are joined
     * from their beginning on. */
    const struct relay_pair_ops *pairs;
} relay_kind_ops;

extern const relay_kind_ops relay_tcp_ops;
extern const relay_kind_ops relay_http_ops;
extern const relay_kind_ops relay_smtp_ops;

typedef struct relay_session_ops {
    /* What has flowed since it was told last goes to the meters, as it may last for days. NULL:
     * that is told at its end. */
    void (*count)(relay_session *self);
    /* The relay stops: what has nothing under way may end now. NULL: nothing ends early. */
    void (*drain)(relay_session *self);
    /* Ends, relay_session_close included, at once or by the end of the turn. */
    void (*cut)(relay_session *self, const char *end);
} relay_session_ops;

/* A client's connection from accept to end, embedded in what its kind makes of it. */
struct relay_session {
    tusk_link link; /* in the relay's list */
    relay_door *door;
    const relay_session_ops *ops;
    address_count *source; /* NULL: not counted */
    uint64_t began_ns;
};

/* A listener and how it treats its clients. */
struct relay_door {
    net_gate gate;
    tusk_relay *relay;
    tusk_relay_listen_options options; /* `tls` is referenced */
    char mysql_version[TUSK_MYSQL_VERSION_MAX + 1];
};

typedef enum relay_state { RELAY_NEW, RELAY_RUNNING, RELAY_STOPPING, RELAY_STOPPED } relay_state;

enum { RELAY_ENGINE_TEXT = 256 };

struct tusk_relay {
    tusk_loop *loop;
    const tusk_mem *mem;
    tusk_net *net; /* for sessions that need TLS or parse: HTTP, SMTP, tunnels */
    tusk_resolver *resolver;
    const tusk_relay_handler *handler;
    void *user;
    const relay_kind_ops *ops;
    tusk_relay_limits limits;
    tusk_relay_kind kind;
    tusk_relay_engine engine;
    tusk_relay_engine otherwise; /* TUSK_ENGINE_SOCKMAP: where it cannot */
    relay_state state;
    uint8_t armed;      /* interest of a new socket: all at once and edge triggered, where there are
                           edges; else none, and each change is told (tusk_io_set) */
    bool unrecorded;    /* nobody listens to on_access now */
    bool client_waited; /* the one that is about to be welcomed was held at its door */
    address_count *source;              /* counted for the session that is about to be opened */
    relay_notice notices[NOTICE_KINDS]; /* what the log was told of limits */
    relay_guard guard;
    relay_ranges trusted;
    tusk_tls *upstream_tls;
    net_gates gates;   /* relay_door each; a place is a session */
    uint32_t count_ms; /* between two rounds of counting; tests set it */
    tusk_link sessions;
    tusk_link session_round; /* those that are still to hear that the relay stops */
    address_table sources;
    relay_rate rate;
    relay_routes routes;
    relay_targets targets;
    tusk_table keys;         /* of PostgreSQL sessions, to cancel what they do (keys.c) */
    uint32_t mysql_caps;     /* what greetings offer: all, but what a backend was seen to lack */
    int descriptors_end;     /* from this number on they are not for backends (net/descriptors.h) */
    uint32_t held;           /* connections beside sessions that the net layer has not let go */
    struct relay_http *http; /* TUSK_RELAY_HTTP */
    relay_answer no_memory;  /* the refusal that needs none */
    tusk_link busy;          /* pairs that have had their part of the turn */
    tusk_link busy_round;    /* those whose next part is due now */
    tusk_timer busy_timer;
    tusk_sockmap *sockmap;               /* TUSK_ENGINE_SOCKMAP; NULL: unavailable */
    struct relay_shortcuts *shortcuts;   /* the same, from start on */
    char engine_text[RELAY_ENGINE_TEXT]; /* what tusk_relay_engine_state says of it */
    struct relay_uring *uring;         /* TUSK_ENGINE_URING, when it runs; NULL: bytes are copied */
    const struct relay_ring_ops *ring; /* what pairs ask of it (move/pair.h) */
    unsigned uring_lacks;     /* for tests: what the kernel is not to have (uring/uring.h) */
    struct relay_pipe *pipes; /* empty ones, for the next direction that splices */
    unsigned pipe_count;
    bool plain_io;      /* each receive and send is a system call of its own */
    bool crowds;        /* what many pairs have in one turn is moved together (crowd.h) */
    unsigned crowd_min; /* of so many; tests set it */
    tusk_late_batch batch;
    tusk_link queue;       /* dials that wait for a place at a target, the longest first */
    tusk_link queue_round; /* those that are due to look */
    tusk_task queue_task;
    tusk_timer queue_timer; /* places in other workers, of which nobody tells */
    tusk_link used;         /* sockets to be connected again (used.h), the oldest first */
    uint32_t used_count;
    uint32_t used_max; /* 0: none is */
    tusk_timer used_timer;
    tusk_link probes; /* under way */
    tusk_timer probe_timer;
    tusk_timer drain_timer;
    tusk_link count_round;  /* sessions that are still to tell their bytes */
    tusk_timer count_timer; /* runs while there are sessions */
    tusk_task stopped_task;
    tusk_relay_stats stats;
    relay_meters meters;
    struct relay_share *share; /* NULL: this process serves alone */
};

static inline bool relay_has_edges(const tusk_relay *self)
{
    return self->armed != 0;
}

/* For records. */
static inline uint32_t relay_us_since(const tusk_relay *self, uint64_t ns)
{
    return (uint32_t)((tusk_loop_now_ns(self->loop) - ns) / 1000u);
}

/* What sockmap cannot take is relayed as it would be without. */
static inline bool relay_splices(const tusk_relay *self)
{
    return (self->engine == TUSK_ENGINE_SOCKMAP ? self->otherwise : self->engine) ==
           TUSK_ENGINE_SPLICE;
}

/* Its own, or the relay's. */
static inline uint32_t relay_door_wait_ms(const relay_door *self)
{
    return self->options.wait_ms != 0 ? self->options.wait_ms : self->relay->limits.wait_ms;
}

/* door.c */
void relay_gates_init(tusk_relay *relay);                               /* its limits are known */
tusk_err relay_doors_open(tusk_relay *relay, char *reason, size_t cap); /* net_gates_open */
void relay_doors_free(tusk_relay *relay);
/* The client that a PROXY head tells is counted instead of the peer; false: it is over a limit. */
bool relay_door_admits(relay_session *session, const tusk_addr *client);
/* What was counted for a client's address is given back; NULL: nothing was. */
void relay_source_give(tusk_relay *relay, address_count **source);

/* session.c */
/* Counts the session in; it ends by relay_session_close. */
void relay_session_open(relay_session *self, relay_door *door, const relay_session_ops *ops);
void relay_session_close(relay_session *self);
/* The same session in another object: `to` is it from now on, `from` nothing. */
void relay_session_move(relay_session *to, relay_session *from, const relay_session_ops *ops);
/* A connection of a session's: its owner, which stops reading one side past `pending_bytes` for
 * the other, is told (on_drain) when half of that has left. */
tusk_err relay_conn_init(tusk_relay *relay, tusk_conn *conn, int fd, tusk_filter *filter,
                         const tusk_conn_ops *ops);
/* A client's handshake failed with `err`. False: that broke no rule, as when it left before its
 * first byte (a balancer's health check), or met a limit. */
bool relay_conn_broke_tls(const tusk_conn *conn, tusk_err err);
/* A connection that is no session: the relay is not over before it is released. */
void relay_hold(tusk_relay *self);
void relay_release(tusk_relay *self);
void relay_stop_init(tusk_relay *self);
/* Before it is freed: all of them, now. */
void relay_sessions_cut(tusk_relay *self);

/* relay.c */
void relay_log(tusk_relay *self, const char *text);

/* engine.c */
/* What tusk_relay_engine_state says of io_uring and of the sockmap; and the log hears it. */
void relay_engine_set(tusk_relay *self, bool enabled, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void relay_engine_tell(tusk_relay *self);

/* socket_options.c */
/* The user time-out and the not-sent mark; on a listening socket its clients inherit them. */
void relay_set_options(const tusk_relay *self, int fd);
/* Likewise, four system calls; before keep_idle_s of silence nothing comes of them. */
void relay_keep_alive(const tusk_relay *self, int fd);
/* What is past what the kernel takes is as much as it takes: else nothing of it would hold. */
void relay_keep_bounds(tusk_relay_limits *limits);

/* stats.c: what this process counted. */
void relay_stats_own(const tusk_relay *self, tusk_relay_stats *out);

/* pair.c */
void relay_busy_due(tusk_timer *timer);

/* pump_splice.c */
void relay_pipes_fini(tusk_relay *relay);

static inline bool relay_record_wanted(const tusk_relay *self)
{
    return self->handler->on_access != NULL && !self->unrecorded;
}
/* record.c: fills in what every session has (kind, listener, engine, times) and tells it. */
void relay_record_tell(const relay_session *session, tusk_relay_record *record);

#endif
