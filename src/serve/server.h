/* SPDX-License-Identifier: MIT */
/* The server's insides, for the files of this layer. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <tusk/server.h>

#include "net/address_table.h"
#include "net/conn.h"
#include "net/gate.h"
#include "net/ip_class.h"
#include "serve/http/file_cache.h"
#include "serve/hub/hub.h"
#include "serve/router.h"

typedef struct tusk_session tusk_session;

enum { SERVER_CONNECTIONS = 10000 }; /* the default of the limit */

typedef struct session_slot {
    tusk_session *session;
    uint32_t generation;
    union {
        uint32_t next_free; /* without a session */
        uint32_t began_ms;  /* low bits of the loop's clock: something of its session's is
                               unfinished, since then */
    };
} session_slot;

typedef struct server_listener {
    net_gate gate;
    tusk_tls *tls;
} server_listener;

typedef enum server_state {
    SERVER_NEW,
    SERVER_RUNNING,
    SERVER_STOPPING,
    SERVER_STOPPED
} server_state;

struct tusk_server {
    tusk_loop *loop;
    const struct session_ops *const *kinds; /* by session_kind */
    const tusk_mem *mem;
    tusk_net *net;
    const tusk_server_handler *handler;
    void *user;
    tusk_server_limits limits;
    tusk_server_stats stats;
    tusk_router router;
    tusk_hub hub;
    address_table addresses;
    struct server_share *share; /* NULL: this process alone */
    file_cache files;
    tusk_ws_store store;
    tusk_ws_config ws_config;
    tusk_ws_inflaters *inflaters;
    net_gates gates; /* server_listener each; a place is a session */
    session_slot *slots;
    uint32_t slot_count;
    uint32_t slot_free;   /* UINT32_MAX: none */
    uint32_t spare_count; /* ended sessions whose memory serves the next, by `user` */
    tusk_session *spare_sessions;
    struct http_upgrade *spare_upgrade; /* likewise, as most are decided on at once; NULL: none */
    uint32_t handshakes;
    uint32_t upgrades; /* of the turn that began at upgrades_ns */
    uint64_t upgrades_ns;
    size_t target_extra;            /* kept bytes of long targets */
    size_t unfinished;              /* bytes of unfinished messages and bodies */
    tusk_session *unfinished_owner; /* the one that may go on over the limit */
    size_t unfinished_granted;      /* and what it may take */
    uint32_t unfinished_next;       /* the slot that is asked first when the place is free */
    uint32_t unfinished_since;      /* low bits of the loop's clock: from then on it was its turn */
    uint32_t wasted_ms;             /* likewise: somebody's turn was in vain; 0: nobody's yet */
    uint32_t in_vain_ms;            /* likewise: nobody was found who has been silent for long */
    struct {
        void *payload; /* NULL: none */
        uint8_t *place;
        size_t left; /* bytes that it still holds */
    } retired;       /* large, unwanted, given back in parts (retired.c) */
    tusk_task retired_task;
    size_t pause_at;       /* queue length at which reading stops */
    uint8_t state;         /* server_state */
    bool unfinished_waits; /* somebody does, for memory */
    bool unfinished_asks;  /* those who wait are asked, one after the other */
    uint8_t young_turns;   /* so many of the next go to who began last */
    bool unfinished_young; /* the one that may go on has its turn of those */
    bool proxy_protocol;
    bool keep_certificates;
    uint64_t said_ms;         /* when an operator was last told that accepting waits */
    uint64_t said_unnamed_ms; /* and that a proxy does not say whose its connection is */
    char *server_name;
    tusk_ip_range *trusted;
    size_t trusted_count;
    tusk_buf scratch;   /* heads of answers */
    tusk_buf fields;    /* of every answer: Date and Server, behind the status line of a 200 */
    int64_t fields_s;   /* when they were written */
    uint64_t fields_ms; /* the loop's time when the clock was last asked */
    tusk_timer drain_timer;
    tusk_timer unfinished_timer; /* runs while one session goes on over the limit */
    tusk_timer silence_timer;    /* runs while somebody waits for what others hold */
    tusk_timer places_timer;     /* runs while somebody may wait for a place */
    uint32_t places_at;          /* the slot that was looked at last */
    uint32_t places_in_vain;     /* so many were, since somebody gave way */
    uint32_t places_lack_ms;     /* clock of 32 bits: descriptors lacked; 0: not lately */
    uint64_t drain_started_ms;
    uint32_t drain_next; /* slot */
    bool drain_waited;   /* the end came late, and what else was due then has had its turn */
    tusk_timer certificate_timer;
    tusk_timer pressure_timer; /* runs while large messages wait for room in the send queues */
    tusk_handle pressure_by;   /* whose queue was the longest then */
    size_t pressure_bytes;     /* and how much was to be sent of it */
    uint64_t full_ns;          /* the turn in which nobody gave way to another queue, */
    size_t full_bytes;         /* as none was longer */
    tusk_task unfinished_task; /* wakes sessions that wait for room */
    tusk_task stopped_task;
    /* whose on_message runs with the rest of its input in reach, and how many messages of that are
     * taken before the clock is looked at */
    tusk_session *telling;
    unsigned telling_left;
    /* the request whose bytes are still in the input, and its session: for on_open and
     * tusk_reply_file */
    tusk_session *current;
    const tusk_request *current_request;
};

/* Targets are kept while their sessions are open: each has 256 bytes, and the longer ones share as
 * much for each connection that there may be. */
enum { TARGET_SHARE = 256 };
static inline size_t tusk__target_extra(size_t len)
{
    return len > TARGET_SHARE ? len - TARGET_SHARE : 0;
}

/* The low bits of its loop's clock. */
uint32_t tusk__server_ms(const tusk_server *server);

/* ---- accept.c ---- */
enum { TUSK_CERTIFICATE_CHECK_MS = 5000 };
void tusk__server_make_gates(tusk_server *self);
/* To the log, seldom: a trusted proxy sent no PROXY header that can be read, so whose its
 * connection is nobody knows. */
void tusk__server_say_unnamed(tusk_server *self, const struct tusk_session *session);

/* ---- stats.c ---- */
/* What this process counts, its owner's counters included. */
void tusk__server_stats_own(const tusk_server *self, tusk_server_stats *out);

/* ---- certificates.c, drain.c ---- */
void tusk__server_on_certificates(tusk_timer *timer);
void tusk__server_on_drain(tusk_timer *timer);
/* It has just become what it is, and the drain has passed it: it ends as those that were there,
 * which clients come back from. A refusal would be the last that a browser's EventSource hears. */
void tusk__server_drain_late(struct tusk_session *session);
/* A session ended: the stop may be complete. */
void tusk__server_session_gone(tusk_server *self);

#endif
