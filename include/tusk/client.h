/* SPDX-License-Identifier: MIT */
/*
 * Clients: HTTP requests, WebSocket connections, event streams; non-blocking, on a caller's loop.
 *
 * One tusk_client per loop holds what they share: pools of the network layer, and connections that
 * may serve another request. Whoever has no loop of its own makes one and runs tusk_loop_turn()
 * until the callback came.
 *
 * Common to all three: a handle from start/open lives until its last callback (on_done, on_close)
 * has returned, or until cancel/abort. A callback not marked "may be NULL" has to be there: else
 * start or open is TUSK_EINVAL. The last callback comes exactly once, and never from inside
 * start or open. Handles may be closed, cancelled or aborted from any callback, their own too.
 * Host names are looked up by getaddrinfo when a connection is made, in threads of the client's own
 * (at most four, there only meanwhile, without signals), so that the loop goes on; literal
 * addresses need none. All addresses of a name are tried in order. Bytes given in options are
 * copied.
 */
#ifndef TUSK_CLIENT_H
#define TUSK_CLIENT_H

#include <tusk/http.h>
#include <tusk/loop.h>
#include <tusk/sse.h>
#include <tusk/tls.h>
#include <tusk/ws.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_client tusk_client;

typedef struct tusk_client_options {
    tusk_loop *loop;
    uint32_t idle_max; /* connections kept for another request; 0: 16 */
    uint32_t idle_ms;  /* and for how long; 0: 15 s */
    /* Look-up, connect and TLS handshake over all addresses of a name; 0: 10 s. An address that
     * does not answer has its share of what is left, of this or of a shorter time of its user. */
    uint32_t connect_ms;
} tusk_client_options;

/* Copies `options`. TUSK_ENOMEM, or TUSK_ESYS where the system has no random bytes. */
TUSK_API tusk_err tusk_client_new(tusk_client **out, const tusk_client_options *options);
/* Aborts what is left, without callbacks; may be called from inside one. Sockets close at once, the
 * memory comes back at the end of the loop's turn: turn it once before tusk_loop_free. */
TUSK_API void tusk_client_free(tusk_client *self);
/* Closes the connections that wait for another request (they keep tusk_loop_run going). */
TUSK_API void tusk_client_close_idle(tusk_client *self);

/* How something failed; borrowed until the callback has returned. */
typedef struct tusk_failure {
    tusk_err err;      /* TUSK_OK: it did not */
    uint16_t status;   /* of an answer that refused (a handshake with 403), else 0 */
    const char *stage; /* "resolve", "connect", "tls", "send", "handshake", "answer", "stream" */
    const char *text;  /* "connection refused", "Sec-WebSocket-Accept does not match", ... */
} tusk_failure;

/* What a URL leads to is the same for all. */
typedef struct tusk_client_target {
    tusk_bytes url;    /* http, https; for WebSocket also ws, wss */
    tusk_bytes fields; /* lines "Name: value\r\n", without those that the client writes itself
                          (Host, Connection, Upgrade, Content-Length, Transfer-Encoding,
                          Sec-WebSocket-*, Last-Event-ID): TUSK_EINVAL */
    tusk_tls *tls; /* a client context, referenced; NULL: one of the client's own, which verifies */
} tusk_client_target;

/* ---- HTTP ---- */
typedef struct tusk_http_call tusk_http_call;

typedef struct tusk_http_call_options {
    tusk_client_target target;
    tusk_bytes method; /* a token, not CONNECT; empty: GET */
    tusk_bytes body;   /* with its length; empty: none, but for POST, PUT and PATCH. Not of TRACE */
    uint64_t body_max; /* of the answer: TUSK_ETOOBIG; 0: 16 MiB */
    uint32_t timeout_ms; /* of the whole exchange; 0: 30 s */
    bool no_reuse;       /* a connection of its own */
} tusk_http_call_options;

typedef struct tusk_http_call_handler {
    /* The answer's head (never an interim 1xx); borrowed until the return. May be NULL. */
    void (*on_head)(void *user, tusk_http_call *self, const tusk_http_head *head);
    /* Pieces of its body, decoded of chunks only; borrowed until the return. May be NULL. */
    void (*on_data)(void *user, tusk_http_call *self, tusk_bytes data);
    void (*on_done)(void *user, tusk_http_call *self, const tusk_failure *failure);
} tusk_http_call_handler;

/* TUSK_EINVAL: URL, method or fields that cannot be sent. Redirects are answers like others. A
 * request of an idempotent method that met a kept connection which the server had just closed is
 * sent once more on a new one; others fail with TUSK_ERESET. */
TUSK_API tusk_err tusk_http_call_start(tusk_http_call **out, tusk_client *client,
                                       const tusk_http_call_options *options,
                                       const tusk_http_call_handler *handler, void *user);
/* No callback comes any more. */
TUSK_API void tusk_http_call_cancel(tusk_http_call *self);
/* Stops and goes on reading; the deadline runs on. */
TUSK_API void tusk_http_call_pause(tusk_http_call *self);
TUSK_API void tusk_http_call_resume(tusk_http_call *self);

/* ---- WebSocket ---- */
typedef struct tusk_ws_client tusk_ws_client;

typedef struct tusk_ws_client_options {
    tusk_client_target target;
    const tusk_bytes
        *subprotocols; /* offered, in order; tokens without repeats: else TUSK_EINVAL */
    size_t subprotocol_count;
    tusk_ws_deflate_options deflate; /* offered when `on` */
    const tusk_ws_store *store; /* payloads of cut messages; may be NULL; outlives the handle */
    size_t message_max;         /* 0: 16 MiB; past it Close 1009 */
    size_t queued_max;          /* 0: 16 MiB; past it sends are refused */
    uint32_t handshake_ms;      /* connect, TLS and 101 together; 0: 10 s */
    uint32_t ping_ms;           /* automatic pings after so long without a byte; 0: off */
    uint32_t pong_ms;           /* their answer; 0: 10 s */
    uint32_t close_ms;          /* the peer's Close after ours; 0: 5 s */
} tusk_ws_client_options;

typedef struct tusk_ws_client_handler {
    /* The upgrade was granted. `subprotocol` ptr NULL: none. Borrowed until the return. */
    void (*on_open)(void *user, tusk_ws_client *self, tusk_bytes subprotocol,
                    const tusk_http_head *answer);
    /* TEXT or BINARY. `taken`: the payload is a value of the store, now yours; NULL: borrowed until
     * the return. */
    void (*on_message)(void *user, tusk_ws_client *self, uint8_t opcode, tusk_bytes payload,
                       void *taken);
    void (*on_pong)(void *user, tusk_ws_client *self, tusk_bytes payload); /* may be NULL */
    void (*on_drain)(void *user, tusk_ws_client *self); /* after a refused send; may be NULL */
    /* The last one. `code` as the peer's Close says (1005: none in it; 1006: no Close came), 0 when
     * it was never open. */
    void (*on_close)(void *user, tusk_ws_client *self, uint16_t code, tusk_bytes reason,
                     const tusk_failure *failure);
} tusk_ws_client_handler;

/* Begins; on_open or on_close tells how it went, never from inside this. What `options` borrow is
 * copied, `handler` has to stay. TUSK_EINVAL: the URL, a field, a subprotocol (no token, twice, or
 * more than 32), or a callback is missing; TUSK_ETOOBIG: the request is over 80 KiB;
 * TUSK_ENOMEM, TUSK_ESYS. */
TUSK_API tusk_err tusk_ws_client_open(tusk_ws_client **out, tusk_client *client,
                                      const tusk_ws_client_options *options,
                                      const tusk_ws_client_handler *handler, void *user);
/* TEXT (UTF-8, the caller has checked), BINARY, PING or PONG (at most 125 bytes: TUSK_EINVAL).
 * TUSK_ELIMIT: over queued_max, nothing queued, on_drain will come. TUSK_ETOOBIG: larger than
 * queued_max by itself. TUSK_ESTATE: not open. */
TUSK_API tusk_err tusk_ws_client_send(tusk_ws_client *self, uint8_t opcode, tusk_bytes payload);
/* Writes what is queued now, as far as the kernel takes it, rather than at the end of the turn.
 * on_drain and on_close may come before it returns. */
TUSK_API void tusk_ws_client_flush(tusk_ws_client *self);
/* Close frame after what is queued; then the peer has close_ms. Before on_open: gives up.
 * TUSK_EINVAL: a code that may not be sent (RFC 6455, 7.4), a reason over 123 bytes or not UTF-8.
 * TUSK_ESTATE: closing already. */
TUSK_API tusk_err tusk_ws_client_close(tusk_ws_client *self, uint16_t code, tusk_bytes reason);
/* At once, no Close frame, no callback any more. */
TUSK_API void tusk_ws_client_abort(tusk_ws_client *self);
TUSK_API bool tusk_ws_client_is_open(const tusk_ws_client *self);
TUSK_API size_t tusk_ws_client_buffered(const tusk_ws_client *self);
/* Stops and goes on reading (and so the pongs that automatic pings wait for). At most the item in
 * hand is delivered after a pause. */
TUSK_API void tusk_ws_client_pause(tusk_ws_client *self);
TUSK_API void tusk_ws_client_resume(tusk_ws_client *self);

/* ---- event streams ---- */
typedef struct tusk_sse_client tusk_sse_client;

typedef enum tusk_sse_state { TUSK_SSE_CONNECTING, TUSK_SSE_OPEN, TUSK_SSE_CLOSED } tusk_sse_state;

typedef struct tusk_sse_client_options {
    tusk_client_target target;
    tusk_bytes last_event_id;   /* of an earlier stream; empty: none */
    uint32_t retry_ms;          /* until the server says another; 0: 3 s */
    uint32_t retry_ms_min;      /* the least that the server's own counts as; 0: 500, as Firefox */
    uint32_t retry_ms_max;      /* what failing connects grow it to; 0: 60 s */
    uint32_t answer_ms;         /* connect, TLS and the answer's head; 0: 15 s */
    uint32_t idle_ms;           /* without a byte so long: reconnect; 0: off */
    size_t line_max;            /* 0: 1 MiB */
    size_t data_max;            /* 0: 16 MiB */
    bool retry_on_error_status; /* 429, 502, 503 and 504 come back (after Retry-After when it is
                                   longer), as servers among themselves want it; browsers stop */
} tusk_sse_client_options;

typedef struct tusk_sse_client_handler {
    void (*on_open)(void *user, tusk_sse_client *self); /* each time; may be NULL */
    /* Borrowed until the return. */
    void (*on_event)(void *user, tusk_sse_client *self, const tusk_sse_event *event);
    /* Lost, or not reached; connects again after so long. May be NULL. */
    void (*on_retry)(void *user, tusk_sse_client *self, const tusk_failure *failure,
                     uint32_t delay_ms);
    /* The last one: 204, another status or type, too many redirects, an event over the limits, or
     * close(). */
    void (*on_close)(void *user, tusk_sse_client *self, const tusk_failure *failure);
} tusk_sse_client_handler;

/* Begins, and comes back by itself until on_close, never from inside this. What `options` borrow is
 * copied, `handler` has to stay. TUSK_EINVAL: the URL, a field or the last id, or a callback is
 * missing; TUSK_ENOMEM. */
TUSK_API tusk_err tusk_sse_client_open(tusk_sse_client **out, tusk_client *client,
                                       const tusk_sse_client_options *options,
                                       const tusk_sse_client_handler *handler, void *user);
/* on_close follows, with TUSK_OK. */
TUSK_API void tusk_sse_client_close(tusk_sse_client *self);
/* At once, no callback any more. */
TUSK_API void tusk_sse_client_abort(tusk_sse_client *self);
TUSK_API tusk_sse_state tusk_sse_client_state(const tusk_sse_client *self);
/* Borrowed until the next event. */
TUSK_API tusk_bytes tusk_sse_client_last_id(const tusk_sse_client *self);
/* Stops and goes on reading; at most the event in hand is delivered after a pause. */
TUSK_API void tusk_sse_client_pause(tusk_sse_client *self);
TUSK_API void tusk_sse_client_resume(tusk_sse_client *self);

#ifdef __cplusplus
}
#endif
#endif
