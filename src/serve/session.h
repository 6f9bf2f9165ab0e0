/* SPDX-License-Identifier: MIT */
/* A connection's session: what all kinds have in common, and what each does in its own way. */
#ifndef SERVE_SESSION_H
#define SERVE_SESSION_H

#include "proto/ws_pong.h"
#include "serve/server.h"

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

/* The proxy whose connection this is, once a request named the client behind it. */
typedef struct http_forwarded {
    uint8_t ip[16];
    uint8_t family;
    bool used;
    bool secure; /* the last request came to it over TLS */
} http_forwarded;

/* In the order of use: what a message looks at, behind it what a session has for its beginning, its
 * deadlines and its end. */
struct tusk_session {
    tusk_conn conn; /* first */
    tusk_server *server;
    tusk_route *route;
    void *user;
    struct session_rate *rate; /* NULL: no rate limits */
    uint32_t slot;
    uint32_t generation;
    uint32_t last_in_ms;  /* low bits of the loop's clock */
    uint8_t kind;         /* session_kind */
    uint8_t state;        /* http_state or ws_state */
    uint8_t deflate_bits; /* WebSocket: 0 is no deflate */
    bool secure : 1;
    bool shaken : 1; /* its TLS handshake is over */
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
    uint16_t queued_as; /* WebSocket: what its queue was like at the last look at its deadline */
    size_t unfinished;  /* counted in the server's total */
    union {
        struct {
            struct http_exchange *exchange; /* NULL: nothing had to be kept */
            struct http_upgrade *upgrade;
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
    /* Bytes of what is unfinished when it is whole, as far as its peer has said; 0: it has not. */
    size_t (*said)(const tusk_session *self);
    /* Says that some of what it subscribed to is missing, up to that position. NULL: it has no
     * topics. */
    void (*reset)(tusk_session *self, tusk_bytes position);
} session_ops;

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
/* Counted, unless a limit has counted it, and cut. */
void tusk__session_fail_handshake(tusk_session *self, tusk_err err);
void tusk__session_on_ready(tusk_conn *conn, tusk_err err);
void tusk__session_on_part(tusk_conn *conn);
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
/* Reading stops, or goes on, as its reasons to pause stand now. */
void tusk__session_apply_pause(tusk_session *self);
/* Bytes that TLS has given out and nobody has read. */
bool tusk__session_has_decrypted(const tusk_session *self);
/* Nothing of it is here that we have not looked at. */
bool tusk__session_has_sent_all(const tusk_session *self);

#endif
