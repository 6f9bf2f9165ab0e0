/* SPDX-License-Identifier: MIT */
/* The server's and the session's insides, for the files of this layer. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <tusk/server.h>

#include "net/address_table.h"
#include "net/conn.h"
#include "net/gate.h"
#include "net/ip_class.h"
#include "proto/ws_pong.h"
#include "serve/file_cache.h"
#include "serve/hub.h"
#include "serve/router.h"

typedef struct tusk_session tusk_session;

enum { SERVER_CONNECTIONS = 10000 }; /* the default of the limit */

typedef enum session_kind { SESSION_HTTP, SESSION_WEBSOCKET, SESSION_STREAM } session_kind;

typedef enum http_state {
    HTTP_IDLE,      /* between requests; nothing of the next one seen */
    HTTP_HEAD,      /* a part of a head is here */
    HTTP_BODY,      /* head known, body arriving */
    HTTP_ANSWER,    /* the owner has it; an answer is owed */
    HTTP_AUTHORIZE, /* the owner decides on an upgrade or a stream */
    HTTP_STREAMING, /* an answer leaves piece by piece */
    HTTP_DONE       /* the last answer is queued; the connection finishes */
} http_state;

typedef enum ws_state {
    WS_OPEN,
    WS_CLOSING, /* our Close is queued, theirs is awaited */
    WS_CLOSED   /* both, or the connection has failed */
} ws_state;

/* What a request keeps while its body is not whole; freed with the answer. */
typedef struct http_exchange {
    tusk_http_head head; /* points into `bytes` */
    tusk_buf bytes;
    tusk_http_body body;
    void *payload; /* body so far, in the server's store */
    uint8_t *place;
    size_t len, cap;
    size_t allowed; /* capacity that was asked for */
    size_t wanted;  /* and that is waited for; 0: none */
    route_match match;
} http_exchange;

/* What the answer to an opening handshake needs, kept while the owner decides. */
typedef struct http_upgrade {
    tusk_ws_deflate deflate;
    char extension[160];
    char accept[TUSK_WS_ACCEPT_LEN];
} http_upgrade;

/* The proxy whose connection this is, once a request named the client behind it. */
typedef struct http_forwarded {
    uint8_t ip[16];
    uint8_t family;
    bool used;
} http_forwarded;

typedef struct session_rate {
    double messages;
    double bytes;
    uint64_t at_ms;
    tusk_timer timer;
    tusk_session *session;
} session_rate;

/* In the order of use: what a message looks at, behind it what a session has for its beginning, its
 * deadlines and its end. */
struct tusk_session {
    tusk_conn conn; /* first */
    tusk_server *server;
    tusk_route *route;
    void *user;
    session_rate *rate; /* NULL: no rate limits */
    uint32_t slot;
    uint32_t generation;
    uint32_t last_in_ms;  /* low bits of the loop's clock */
    uint8_t kind;         /* session_kind */
    uint8_t state;        /* http_state or ws_state */
    uint8_t deflate_bits; /* WebSocket: 0 is no deflate */
    bool secure : 1;
    bool counted_handshake : 1;
    bool opened : 1; /* on_open was told: on_close is owed */
    bool close_told : 1;
    bool keep_alive : 1;
    bool head_only : 1; /* HEAD */
    bool minor1 : 1;    /* HTTP/1.1 */
    bool in_on_data : 1;
    bool proxy_expected : 1;
    bool ping_sent : 1;
    bool paused_queue : 1;
    bool paused_unfinished : 1;
    bool paused_rate : 1;
    bool paused_answer : 1; /* input waits for the answer before it */
    bool chunked_out : 1;   /* a streamed answer in chunks */
    bool json_wanted : 1;   /* what the request that is parked accepts first */
    bool sized_out : 1;     /* of a length that was said */
    bool drain_owed : 1;
    bool room_owed : 1; /* on_writable is */
    bool due : 1;       /* deadline_ms is set */
    uint8_t close_kind; /* tusk_close_kind */
    uint16_t excepted;  /* messages of the batches under way that leave it out */
    size_t unfinished;  /* counted in the server's total */
    union {
        struct {
            http_exchange *exchange; /* NULL: nothing had to be kept */
            http_upgrade *upgrade;
            size_t scanned;
            uint64_t owed; /* of a streamed answer whose length was said: bytes that are to come */
            http_forwarded proxy;
        } http;
        struct {
            tusk_ws_decoder decoder;
            tusk_ws_deflater *deflater; /* with history; NULL: the hub's */
        } ws;
    } u;
    hub_member *member;   /* NULL: subscribed to nothing yet */
    tusk_timer timer;     /* one, armed for the next thing that may be due */
    uint32_t deadline_ms; /* while `due`; the timer may be armed earlier */
    union {
        uint32_t last_out_ms; /* streams */
        uint32_t ping_at_ms;  /* WebSocket */
        uint32_t last_queued; /* HTTP: bytes of the queue when it was looked at last */
    };
    uint32_t parks; /* nested: each tusk_session_park wants its unpark */
    uint16_t close_code;
    int8_t picked;  /* of its route: subprotocol, or the origin that a stream was asked from; -1:
                       none */
    uint8_t family; /* 4, 6, 0: Unix */
    uint8_t ip[16];
    address_count *address;
    char *target;  /* with NUL; routes that keep it */
    ws_pong *pong; /* NULL: none ever had to wait */
};

/* What each kind of session does in its own way (kinds.c). */
typedef struct session_ops {
    void (*on_due)(tusk_session *self, uint64_t now_ms); /* its deadline */
    void (*fini)(tusk_session *self);     /* frees what it alone kept; its connection is gone */
    void (*drain)(tusk_session *self);    /* the server stops */
    void (*overflow)(tusk_session *self); /* it ends, as its queue is full */
    void (*shed)(tusk_session *self);     /* it ends, as too much is unfinished everywhere */
    /* The capacity that something unfinished waits for, at most `*most` in the end; 0: nothing
     * waits. And what it may have. */
    size_t (*wants)(const tusk_session *self, size_t *most);
    void (*allow)(tusk_session *self, size_t cap);
} session_ops;

typedef struct session_slot {
    tusk_session *session;
    uint32_t generation;
    uint32_t next_free;
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
    const session_ops *const *kinds; /* by session_kind */
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
    http_upgrade *spare_upgrade; /* likewise, as most are decided on at once; NULL: none */
    uint32_t handshakes;
    uint32_t upgrades; /* of the turn that began at upgrades_ns */
    uint64_t upgrades_ns;
    size_t target_extra;            /* kept bytes of long targets */
    size_t unfinished;              /* bytes of unfinished messages and bodies */
    tusk_session *unfinished_owner; /* the one that may go on over the limit */
    size_t unfinished_granted;      /* and what it may take */
    uint32_t unfinished_next;       /* the slot that is asked first when the place is free */
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
    bool proxy_protocol;
    bool keep_certificates;
    uint64_t said_ms; /* when an operator was last told that accepting waits */
    char *server_name;
    tusk_ip_range *trusted;
    size_t trusted_count;
    tusk_buf scratch;   /* heads of answers */
    tusk_buf fields;    /* of every answer: Date and Server, behind the status line of a 200 */
    int64_t fields_s;   /* when they were written */
    uint64_t fields_ms; /* the loop's time when the clock was last asked */
    tusk_timer drain_timer;
    tusk_timer unfinished_timer; /* runs while one session goes on over the limit */
    uint64_t drain_started_ms;
    uint32_t drain_next; /* slot */
    tusk_timer certificate_timer;
    tusk_timer pressure_timer; /* runs while large messages wait for room in the send queues */
    tusk_handle pressure_by;   /* whose queue was the longest then */
    size_t pressure_bytes;     /* and how long */
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

/* ---- kinds.c ---- */
extern const session_ops *const tusk__session_kinds[];
static inline const session_ops *tusk__session_ops(const tusk_session *self)
{
    return self->server->kinds[self->kind];
}

/* ---- session.c: slots, lifetime, deadlines ---- */
/* `is_new`: accepted just now. */
tusk_err tusk__session_new(tusk_session **out, tusk_server *server, int fd, bool is_new,
                           const tusk_addr *peer, tusk_tls *tls);
static inline tusk_session *tusk__session_find(const tusk_server *server, tusk_handle handle)
{
    if (TUSK_UNLIKELY(handle.generation == 0 || handle.slot >= server->slot_count)) {
        return NULL;
    }
    const session_slot *slot = &server->slots[handle.slot];
    return TUSK_LIKELY(slot->generation == handle.generation) ? slot->session : NULL;
}
static inline tusk_handle tusk__session_handle(const tusk_session *self)
{
    return (tusk_handle){self->slot, self->generation};
}
static inline tusk_session *tusk__session_of(tusk_conn *conn)
{
    return (tusk_session *)(void *)conn;
}
static inline hub_form tusk__session_form(const tusk_session *self)
{
    if (self->kind == SESSION_STREAM) {
        return self->minor1 ? FORM_STREAM : FORM_STREAM_BARE;
    }
    /* one with a compressor of its own has a history that foreign compressed messages would break:
     * plain for it */
    return self->deflate_bits > 0 && self->u.ws.deflater == NULL ? FORM_DEFLATE : FORM_PLAIN;
}
/* Due at that time of the loop's clock, at most 24 days ahead; UINT64_MAX: never. */
void tusk__session_deadline(tusk_session *self, uint64_t at_ms);
/* Ends the connection now; the owner is told later. */
void tusk__session_abort(tusk_session *self, tusk_err why);
/* The same for one that takes what others need: 1013 (try again later), unless it was closing
 * already. */
void tusk__session_cut(tusk_session *self);
/* on_close (or on_gone), once; the handle is dead afterwards. */
void tusk__session_tell_close(tusk_session *self, tusk_bytes reason);
void tusk__session_on_close(tusk_conn *conn, tusk_err why);
void tusk__session_on_released(tusk_conn *conn);
void tusk__sessions_drop_spare(tusk_server *server);
/* Nobody will unpark it any more. */
void tusk__session_drop_parks(tusk_session *self);
/* Something was refused for want of room in its queue: on_drain is owed. */
void tusk__session_owe_room(tusk_session *self);
void tusk__session_on_ready(tusk_conn *conn, tusk_err err);
void tusk__session_handshake_done(tusk_session *self);
/* After something was queued or read: reading stops or goes on as the limits say. */
void tusk__session_balance(tusk_session *self);
/* Nothing unfinished, a short queue, reading: no limit has anything to say, as nearly always. */
static inline bool tusk__session_at_ease(const tusk_session *self)
{
    enum { SHORT_QUEUE = 16 * 1024 };
    return self->unfinished == 0 && self->conn.in_len == 0 && !self->conn.paused &&
           self->conn.send_bytes <= SHORT_QUEUE;
}
/* May `framed` bytes be queued, of which `payload` are a message's own? The longest message that a
 * limit lets in has to have room beside nothing: in an empty queue what frames it, up to
 * QUEUE_FRAMING_MAX bytes, does not count. */
enum { QUEUE_FRAMING_MAX = 512 };
static inline bool tusk__session_takes(const tusk_session *self, size_t framed, size_t payload)
{
    size_t limit = self->server->limits.queued_bytes;
    size_t queued = self->conn.send_bytes;
    /* a compressed one is shorter than its payload: the difference wraps, and all of it counts */
    size_t len = queued == 0 && framed - payload <= QUEUE_FRAMING_MAX ? payload : framed;
    return len <= limit && queued <= limit - len;
}
/* One message of `bytes` against the rate limits (session->rate is not NULL); reading pauses when
 * they are used up. */
void tusk__session_spend(tusk_session *self, size_t bytes);
uint32_t tusk__server_ms(const tusk_server *server);

/* ---- unfinished.c: all that is on its way in ---- */
enum { TUSK__UNFINISHED_UNASKED = 64 * 1024 /* capacity that a payload takes without asking */ };
void tusk__session_on_unfinished(tusk_timer *timer);
void tusk__unfinished_on_task(tusk_task *task); /* those who wait look again */
void tusk__session_count_unfinished(tusk_session *self, size_t now);
/* May this session read on, and what it has grow to what it needs? */
bool tusk__unfinished_admits(tusk_session *self);
/* So much is unfinished everywhere that this one, which just added to it, has to go. */
bool tusk__session_is_shed(tusk_session *self);

/* What the owner's place takes of the room of the send queues, and what is left of one before. */
void tusk__unfinished_reserve(tusk_server *server);
void tusk__unfinished_wake(tusk_server *server); /* those who wait may look again */

/* ---- retired.c: a large payload that nobody wants any more ---- */
/* tusk_ws_config.retire; `user` is the server. */
bool tusk__retire(void *user, void *payload, uint8_t *place, size_t cap);
void tusk__retired_go_on(tusk_task *task);
void tusk__retired_drop(tusk_server *server);

/* ---- pressure.c: all send queues together ---- */
/* Do the queues leave room for an answer of so many bytes? Also when they alone are too small for
 * it: then nearly all of them. */
bool tusk__pressure_fits(const tusk_session *self, size_t bytes);
/* They do not: whoever has the longest and takes nothing of it for a while is cut. */
void tusk__pressure_wait(tusk_session *self);
/* Room for `need` more bytes in the queues of all sessions: when their total is used up, whoever
 * has the longest queue is cut off, unless that would be this one, of which something waits
 * already. False: refused. */
bool tusk__session_make_room(tusk_session *self, size_t need);
bool tusk__server_make_room(void *user, tusk_conn *conn, size_t need); /* for all that is queued */
/* May this session's large message be read on, or would its answer not fit? */
bool tusk__pressure_admits(tusk_session *self);
/* A queue became shorter: those who wait look again. */
void tusk__pressure_eased(tusk_server *server);
void tusk__pressure_on_due(tusk_timer *timer);

/* ---- http_session.c: requests ---- */
extern const tusk_conn_ops tusk__http_ops;
void tusk__http_on_due(tusk_session *self, uint64_t now_ms);
/* A request is whole: it is the owner's to answer. */
void tusk__http_call_owner(tusk_session *self, const tusk_request *request, tusk_route *route);
/* The answer is queued whole: next request, or the end. */
void tusk__http_answered(tusk_session *self);
/* 503, for too much that is unfinished; cut where an earlier answer is still owed. */
void tusk__http_shed(tusk_session *self);
/* What came breaks a rule or a limit of the parsers. */
void tusk__http_refuse_error(tusk_session *self, tusk_err err);

/* ---- http_body.c: a request whose body is under way ---- */
/* `head_bytes`: what `head` was parsed from. */
void tusk__http_body_begin(tusk_session *self, const tusk_http_head *head, tusk_bytes head_bytes);
/* More of it is here. True: go on with the input. */
bool tusk__http_body_take(tusk_session *self);
/* The capacity that a body waits for, at most `*most` in the end; 0: it does not wait. */
size_t tusk__http_body_wants(const tusk_session *self, size_t *most);
/* Frees what the exchange kept. */
void tusk__http_exchange_free(tusk_session *self);

/* ---- form.c ---- */
/* Sets `request->form` to `form` when the body is one; then somebody has to finish it. False: the
 * body says that it is a form and is none, or is over a limit; refused. */
bool tusk__form_admits(tusk_session *self, tusk_request *request, tusk_form *form);

/* ---- http_reply.c: answers ---- */
/* An answer of ours with a short reason, then the connection ends. `head`: of the request, which
 * says in what form its client reads the reason; NULL: it is not there. */
void tusk__http_refuse(tusk_session *self, const tusk_http_head *head, int status,
                       const char *fields, const char *why);
/* A well-formed request that nothing serves: costs the connection only when more of it is under way
 * (a body, the frames of an upgrade). */
void tusk__http_decline(tusk_session *self, const tusk_http_head *head, int status,
                        const char *fields, const char *why);
/* Status line, Date, Server into the server's scratch. */
tusk_err tusk__reply_start(tusk_server *server, int status);
/* "Connection: ..." as the session needs it, and the empty line. */
tusk_err tusk__reply_finish_head(tusk_session *self);
/* Content-Length. */
tusk_err tusk__reply_length(tusk_server *server, uint64_t value);
/* Queues the scratch. */
tusk_err tusk__reply_queue(tusk_session *self);

/* ---- upgrade.c: from HTTP to WebSocket or an event stream ---- */
void tusk__upgrade_begin(tusk_session *self, const tusk_request *request, tusk_route *route);
void tusk__stream_begin(tusk_session *self, const tusk_request *request, tusk_route *route);

/* ---- forwarded.c: the client behind trusted proxies ---- */
/* X-Forwarded-For of a trusted peer: the session is counted under the client's address. False: that
 * one has too many. */
bool tusk__forwarded_apply(tusk_session *self, const tusk_http_head *head);
/* A PROXY head in front: > 0 consumed, 0 need more, < 0 refused. */
ptrdiff_t tusk__forwarded_proxy_head(tusk_session *self, tusk_bytes in);
bool tusk__forwarded_trusts(const tusk_server *server, const tusk_addr *peer);

/* ---- ws_session.c ---- */
void tusk__ws_on_due(tusk_session *self, uint64_t now_ms);
/* Silence and a missing pong count from now on. */
void tusk__ws_alive(tusk_session *self);
void tusk__ws_open(tusk_session *self, const tusk_ws_deflate *deflate);
void tusk__ws_fini(tusk_session *self);
tusk_err tusk__ws_send_close(tusk_session *self, uint16_t code, tusk_bytes reason);
/* Close 1013, for too much that is unfinished. */
void tusk__ws_shed(tusk_session *self);

/* ---- stream_session.c ---- */
void tusk__stream_on_due(tusk_session *self, uint64_t now_ms);
void tusk__stream_open(tusk_session *self);
void tusk__stream_end(tusk_session *self);

/* ---- files.c ---- */
void tusk__files_serve(tusk_session *self, tusk_route *route, const tusk_http_head *head);

/* ---- accept.c ---- */
enum { TUSK_CERTIFICATE_CHECK_MS = 5000 };
void tusk__server_make_gates(tusk_server *self);

/* ---- stats.c ---- */
/* What this process counts, its owner's counters included. */
void tusk__server_stats_own(const tusk_server *self, tusk_server_stats *out);

/* ---- certificates.c, drain.c ---- */
void tusk__server_on_certificates(tusk_timer *timer);
void tusk__server_on_drain(tusk_timer *timer);
/* A session ended: the stop may be complete. */
void tusk__server_session_gone(tusk_server *self);

#endif
