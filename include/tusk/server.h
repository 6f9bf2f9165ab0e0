/* SPDX-License-Identifier: MIT */
/*
 * The server: listeners, routes, and sessions that speak HTTP/1.1, WebSocket or Server-Sent Events
 * on one port.
 *
 * A session is known outside by a handle (slot and generation): a handle that outlives its session
 * is harmless, every call with it answers TUSK_ENOENT. Callbacks come from the loop, one at a time
 * per session. A callback may leave its stack aside (a parked fiber) after tusk_session_park();
 * until tusk_session_unpark() that session gets no further callback but on_close is kept back too,
 * and its reading stops.
 */
#ifndef TUSK_SERVER_H
#define TUSK_SERVER_H

#include <tusk/form.h>
#include <tusk/http.h>
#include <tusk/hub.h>
#include <tusk/loop.h>
#include <tusk/stats.h>
#include <tusk/tls.h>
#include <tusk/ws.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_server tusk_server;
typedef struct tusk_route tusk_route;

typedef struct tusk_handle {
    uint32_t slot;
    uint32_t generation; /* 0: nobody */
} tusk_handle;

/* ---- limits: each with a default (tusk_server_limits_default) and a counter ---- */
typedef struct tusk_server_limits {
    uint32_t connections;    /* open at once; past it accepting pauses. 10000 */
    uint32_t per_address;    /* of one IPv4 address or IPv6 /64; past it 429 and close... 0: off */
    uint32_t handshakes;     /* requests not yet complete + TLS handshakes under way; 0: same as
                                connections */
    size_t message_bytes;    /* a WebSocket message. 16 MiB */
    uint32_t message_frames; /* frames of one message. 1,000,000 */
    size_t unfinished_bytes; /* memory of unfinished messages and bodies over all sessions; past it
                                reading pauses but for one session. 256 MiB */
    uint32_t unfinished_ms;  /* that one's time to come to its end while others wait, a fifth of it
                                without a byte for whoever holds a part; else closed. 0: 5 s */
    size_t queued_bytes;     /* per session; past it reading stops and sends are refused. 16 MiB */
    size_t queued_bytes_total;    /* 256 MiB */
    uint32_t messages_per_second; /* token bucket per session, burst of one second; past it reading
                                     pauses. A ping or pong counts as one. 0: off */
    uint32_t bytes_per_second;
    uint32_t subscriptions;    /* per session. 1000 */
    size_t subscription_bytes; /* memory of subscriptions and their topics over all sessions.
                                  128 MiB */
    tusk_http_limits http;
    size_t body_bytes;      /* a request's body: 413. 8 MiB */
    uint32_t handshake_ms;  /* TLS handshake + whole request head, one deadline: 408. 10 s */
    uint32_t body_ms;       /* whole body: 408. 60 s */
    uint32_t idle_ms;       /* WebSocket: nothing received: Close 1001. 120 s; 0: off */
    uint32_t keep_alive_ms; /* HTTP between requests: closed. 60 s */
    uint32_t ping_ms;       /* from one automatic ping, empty, to the next. 30 s; 0: off */
    uint32_t pong_ms;       /* a ping's answer, as which any byte will do. 10 s */
    uint32_t close_ms;      /* the peer's Close after ours. 5 s */
    uint32_t drain_ms;      /* stop(): closes are spread over this. 5 s */
    uint32_t slice_us;      /* of a turn of the loop for the pipelined requests or messages of one
                               session, or of all that are busy at once; the rest comes in the
                               next turn. 250 us */
    uint32_t heartbeat_ms;  /* SSE comment when nothing was written. 15 s */
    size_t history_bytes;   /* the hub log's ring. 16 MiB */
    /* Of a form: fields (1000), one's head (4 KiB), a file (0: as body_bytes): 413. */
    tusk_multipart_limits form;
} tusk_server_limits;
TUSK_API void tusk_server_limits_default(tusk_server_limits *out);

enum { TUSK_SERVER_OWN_COUNTERS = 4 };
/* Counters and gauges; tusk_server_counters says what each is. */
typedef struct tusk_server_stats {
    uint64_t connections_open, connections_total, connections_refused,
        connections_per_address_refused;
    uint64_t handshakes_pending, handshakes_refused, handshake_timeouts;
    uint64_t requests, responses_4xx, responses_5xx, body_timeouts, keep_alive_timeouts,
        forms_refused;
    uint64_t websockets_open, websockets_total, streams_open, streams_total, heartbeats;
    uint64_t messages_in, messages_out, message_bytes_in, message_bytes_out;
    uint64_t published, delivered, dropped_oldest, dropped_newest, conflated, overflow_closed,
        unfinished_closed, resets_sent;
    uint64_t compressions; /* runs of the compressor for publishing */
    uint64_t protocol_errors, messages_too_big, invalid_utf8;
    uint64_t idle_timeouts, pong_timeouts, close_timeouts, drain_cut;
    uint64_t pongs_replaced, subscriptions_refused;
    uint64_t rate_paused, queue_paused, unfinished_paused, sends_refused;
    uint64_t unfinished_bytes, queued_bytes, subscription_bytes, subscriptions, topics, parked;
    uint64_t accept_exhausted, out_of_memory, heap_trims;
    uint64_t bytes_in, bytes_out, recv_calls, send_calls, batches, batched, turns;
    uint64_t own_gauge; /* what the owner has and counts (on_count); their names are its own */
    uint64_t own[TUSK_SERVER_OWN_COUNTERS];
} tusk_server_stats;
/* Of this process, or with tusk_server_share of all: then what the others count is a tenth of a
 * second old. */
TUSK_API void tusk_server_stats_get(const tusk_server *self, tusk_server_stats *out);
extern TUSK_API const tusk_metric_table tusk_server_counters;

/* ---- requests as callbacks see them ---- */
enum { TUSK_ROUTE_PARAMS_CAP = 16 };
typedef struct tusk_param {
    tusk_bytes name;  /* in the route */
    tusk_bytes value; /* in the path, still percent-encoded */
} tusk_param;

/* Borrowed until the callback returns or parks (dup what you need before). */
typedef struct tusk_request {
    const tusk_http_head *head;
    tusk_bytes body;
    void *body_taken; /* the body's payload in the store (then it is the callback's, see
                         tusk_ws_store); NULL: not */
    tusk_form *form;  /* what `body` holds as a form, read once and admitted; the callback may take
                         it (tusk_form_take), its places are in `body`. NULL: no form */
    const tusk_param *params;
    size_t param_count;
    bool secure;        /* TLS was spoken with us */
    bool client_secure; /* or with a trusted proxy, which says so (X-Forwarded-Proto) */
} tusk_request;

typedef enum tusk_close_kind {
    TUSK_CLOSED_BY_PEER, /* a Close frame, or EOF of a stream */
    TUSK_CLOSED_BY_US,
    TUSK_CLOSED_ABNORMAL /* without a Close frame */
} tusk_close_kind;

/* Any may be NULL and is then not told, but for two: a route of kind HTTP wants on_request, one
 * with `authorize` wants on_authorize (registering it is TUSK_EINVAL without). */
typedef struct tusk_server_handler {
    /* A request with its whole body on a route of kind HTTP. Answer it by tusk_reply*(), inside or
     * later. */
    void (*on_request)(void *user, tusk_handle session, void *route_user,
                       const tusk_request *request);
    /* A valid upgrade (or GET of an event stream) on a route with `authorize` set. Answer by
     * tusk_accept() or tusk_reply(). */
    void (*on_authorize)(void *user, tusk_handle session, void *route_user,
                         const tusk_request *request);
    /* The 101 or the stream's head is queued. `request` NULL when authorize parked meanwhile. */
    void (*on_open)(void *user, tusk_handle session, void *route_user, const tusk_request *request);
    /* TEXT or BINARY. `taken`: the payload is a value of the store, now yours; NULL: borrowed until
     * you return or park. More may be asked for before that: tusk_session_next. */
    void (*on_message)(void *user, tusk_handle session, void *route_user, uint8_t opcode,
                       tusk_bytes payload, void *taken);
    /* Waiting bytes fell below half of the queue limit after a refused or paused write. */
    void (*on_drain)(void *user, tusk_handle session, void *route_user);
    /* A refused tusk_reply_write may be tried again, or the connection is closed and nothing will
     * be taken any more. Comes also while the session is parked: it is there to wake who waits on
     * that stack, and may do no more. */
    void (*on_writable)(void *user, tusk_handle session, void *route_user);
    /* Once for each session that had on_open. `session_user` is what was set; take it out now. */
    void (*on_close)(void *user, tusk_handle session, void *route_user, uint16_t code,
                     tusk_bytes reason, tusk_close_kind kind, void *session_user);
    /* An exchange (request, authorize) ended without on_open, answered or not; for session_user's
     * sake. Also when the client is gone before its answer (a reset, a hang-up of both sides); the
     * end of what it sends alone does not mean that: it still gets its answers. */
    void (*on_gone)(void *user, tusk_handle session, void *session_user);
    /* After tusk_server_stop: the last session is gone. */
    void (*on_stopped)(void *user);
    /* Writes what the owner counts of its own into `own_gauge` and `own`. */
    void (*on_count)(void *user, tusk_server_stats *stats);
    /* Something an operator should read (accept paused, certificate not reloaded, ...). */
    void (*on_log)(void *user, const char *text);
} tusk_server_handler;

typedef struct tusk_server_options {
    tusk_loop *loop;
    tusk_server_limits limits;
    const tusk_server_handler *handler;
    void *user;
    const tusk_ws_store *store; /* payloads of messages and bodies; may be NULL */
    const char *server_name;    /* value of the Server field, else TUSK_EINVAL; NULL: no such
                                   field */
    const char *const *trusted_proxies; /* numeric addresses or ranges, "10.0.0.0/8" */
    size_t trusted_proxy_count;
    bool proxy_protocol; /* trusted peers must send a PROXY head first */
    /* Certificates are not read again when their files change: whoever serves may not be allowed to
     * read keys. tusk_server_reload_tls reads them all the same. */
    bool keep_certificates;
    bool for_operators; /* who watches: answered also where clients wait for descriptors, as some
                           are kept back from them */
    bool plain_io; /* each send is a system call of its own, also where io_uring would do many of a
                      turn in one */
} tusk_server_options;

/* Whether `trusted_proxies` may have it. */
TUSK_API bool tusk_trusted_proxy_valid(const char *text);
/* TUSK_EINVAL: no loop, no handler, a trusted proxy that is neither a numeric address nor a range.
 */
TUSK_API tusk_err tusk_server_new(tusk_server **out, const tusk_server_options *options);
TUSK_API void
tusk_server_free(tusk_server *self); /* not while a callback runs or its stack is set aside;
                                        sessions are aborted, parked ones as well */

/* Gives back a payload that a callback was handed as `taken`; NULL is fine. */
TUSK_API void tusk_payload_drop(tusk_server *self, void *taken);

/* Binds in tusk_server_start. `tls` is referenced. TUSK_EINVAL: not an address. A
 * name such as "localhost:8080" is looked up, which blocks; TUSK_ENOENT: there is no such host. */
TUSK_API tusk_err tusk_server_listen(tusk_server *self, const char *address, tusk_tls *tls);
/* For processes that share one socket: bound and listening before they are forked (`*port`: the one
 * it has), and a listener of the server in each of them, which then owns it there. */
TUSK_API tusk_err tusk_server_socket(int *fd, uint16_t *port, const char *address);
TUSK_API tusk_err tusk_server_listen_on(tusk_server *self, int fd, tusk_tls *tls);
/* Binds and starts to accept. On failure nothing is bound and `reason` says which address and why.
 * The process's soft limit of descriptors (RLIMIT_NOFILE) is raised to what limits.connections
 * need, as far as the hard one allows; on_log is told where that is too few. */
TUSK_API tusk_err tusk_server_start(tusk_server *self, char *reason, size_t reason_cap);
TUSK_API uint16_t tusk_server_port(const tusk_server *self, size_t listener);
/* Its topics are from now on those of all servers that share `log`: each has a number of its own
 * there (`member`, from 0), and is in this process or in one that was forked from the one that made
 * it. What any of them publishes reaches the subscribers of all, in one order and under one
 * position. TUSK_ESTATE: something was published or subscribed already. TUSK_EINVAL: no such
 * member.
 */
TUSK_API tusk_err tusk_server_share_log(tusk_server *self, tusk_shared_log *log, unsigned member);
/* What the servers of several processes know of each other, in shared memory: counters, and how
 * much of the limits of connections and addresses is taken. Made before the processes are forked;
 * a server has a seat there from before its start to its end, and outlives it never. TUSK_EINVAL:
 * no seat; TUSK_ESTATE: no such one, or too late. */
typedef struct tusk_server_shared tusk_server_shared;
TUSK_API tusk_err tusk_server_shared_new(tusk_server_shared **out, const tusk_server *server,
                                         uint32_t seats);
TUSK_API void tusk_server_shared_free(tusk_server_shared *self);
TUSK_API tusk_err tusk_server_share(tusk_server *self, tusk_server_shared *shared, uint32_t seat);
/* The process that had that seat is gone: what it counted stays, what it had open does not. */
TUSK_API void tusk_server_shared_gone(tusk_server_shared *self, uint32_t seat);
/* In a worker: `own_gauge` has left 0, which the others are told as long as it is not. */
TUSK_API void tusk_server_count_soon(const tusk_server *self);
TUSK_API void tusk_server_shared_stats(const tusk_server_shared *self, tusk_server_stats *out);
/* For a worker whose sockets are its master's: the address of a listener as text (NULL past the
 * last; lives as long as the server); before start, a socket that listens there already and is the
 * server's from now on, while its Unix path is not. TUSK_ESTATE: no such listener, or too late. */
TUSK_API const char *tusk_server_address(const tusk_server *self, size_t listener);
TUSK_API tusk_err tusk_server_inherit(tusk_server *self, size_t listener, int fd);
/* While it runs: accepts from this socket as well, until it is given back by its key. On failure
 * `fd` stays the caller's. */
TUSK_API tusk_err tusk_server_accept_for(tusk_server *self, size_t listener, uint32_t key, int fd);
TUSK_API void tusk_server_give_back(tusk_server *self, uint32_t key);
/* An open stream socket as if it had been accepted (socketpair of a test). TUSK_ESTATE: the server
 * stops. */
TUSK_API tusk_err tusk_server_adopt(tusk_server *self, int fd);
/* A connection in memory: the server has one end, `*fd` (non-blocking, yours) is the other. */
TUSK_API tusk_err tusk_server_pair(tusk_server *self, int *fd);
/* Drains: listeners close, HTTP ends after the running exchange, WebSocket Close 1001 and stream
 * ends spread over drain_ms, stragglers are cut after it; then on_stopped. Twice: at once. */
TUSK_API void tusk_server_stop(tusk_server *self);
TUSK_API bool tusk_server_stopping(const tusk_server *self);
/* Every connection ends at once, and the owner is told at the end of the turn; false: there is
 * none. Who frees a server from inside a turn cuts first and frees in a later one: tusk_server_free
 * turns the loop itself while connections are left, and a run that goes on meanwhile ends by that.
 */
TUSK_API bool tusk_server_cut(tusk_server *self);
/* Of a listener, in the order in which they were added; NULL: it has none, or is none. While they
 * are served on_log hears, once each, that certificates expire soon and have expired
 * (tusk_tls_warns). */
TUSK_API tusk_tls *tusk_server_tls(const tusk_server *self, size_t listener);
/* Reads all certificates again; problems go to on_log and keep the old ones. */
TUSK_API void tusk_server_reload_tls(tusk_server *self);
/* Those of which a file has changed since: of a worker that follows another, whose master may have
 * read them a moment ago, and said so. */
TUSK_API void tusk_server_refresh_tls(tusk_server *self);

/* ---- routes: literal segments, {name} for one segment, {name*} as last for the rest; literals win
 * over names. A name has letters, digits, "_", "-" and UTF-8, and stands once ------------ */
enum { TUSK_ROUTE_LIST_CAP = INT8_MAX }; /* subprotocols, origins; more are TUSK_EINVAL */

typedef struct tusk_websocket_options {
    bool authorize;   /* ask on_authorize */
    bool keep_target; /* tusk_session_target is wanted after on_open */
    /* Tokens (RFC 9110, 5.6.2), or TUSK_EINVAL; dup'ed. The client's first offer among them wins.
     */
    const tusk_bytes *subprotocols;
    size_t subprotocol_count;
    const tusk_bytes *origins; /* allowed Origin values; count 0 with any_origin: all */
    size_t origin_count;
    bool any_origin;
    tusk_ws_deflate_options deflate;
    bool direct; /* accept on any path (compatible server) */
} tusk_websocket_options;

typedef struct tusk_events_options {
    bool authorize;            /* ask on_authorize */
    bool keep_target;          /* tusk_session_target is wanted after on_open */
    const tusk_bytes *origins; /* pages of these may read it, with credentials; others get 403 */
    size_t origin_count;
    bool any_origin; /* Origin is not looked at, and no page of another origin may read it */
} tusk_events_options;

typedef struct tusk_files_options {
    const char *directory;
    const char *index;         /* "index.html"; NULL: none */
    const char *cache_control; /* NULL: no such field */
    bool follow_symlinks;      /* also out of the directory; else what they lead to is not there */
    /* Whole lines of the owner's, checked, in each answer that a file is the reason of (200, 206,
     * 304, 412, 416) and in redirects to a folder; none that tusk_files_field_own() tells. */
    tusk_bytes fields;
} tusk_files_options;
/* Whether the answer with a file has a field of that name from the server, or may have. */
TUSK_API bool tusk_files_field_own(tusk_bytes name);

/* TUSK_EINVAL: malformed pattern, or the handler lacks what this kind asks; TUSK_ESTATE: that
 * method and pattern exist already. */
TUSK_API tusk_err tusk_server_route_http(tusk_server *self, const char *method, const char *pattern,
                                         void *route_user);
/* A request whose path no route knows, of any method, and one for which a folder of
 * tusk_server_route_files() has no file. TUSK_EINVAL: the handler lacks on_request; TUSK_ESTATE:
 * there is one already. */
TUSK_API tusk_err tusk_server_route_fallback(tusk_server *self, void *route_user);
/* The fallback is asked, too, in place of 405 and 501: for a path that a route knows, with a method
 * that it has not. OPTIONS is answered as without it. */
TUSK_API void tusk_server_fallback_methods(tusk_server *self);
/* Appends the methods of a path, as it was sent and without its query: "GET, HEAD, POST". Nothing:
 * no route knows it. OPTIONS is not among them. TUSK_ENOMEM, or the buffer's TUSK_ELIMIT. */
TUSK_API tusk_err tusk_server_methods(const tusk_server *self, tusk_bytes path, tusk_buf *out);
TUSK_API tusk_err tusk_server_route_websocket(tusk_server *self, const char *pattern,
                                              const tusk_websocket_options *options,
                                              void *route_user);
TUSK_API tusk_err tusk_server_route_events(tusk_server *self, const char *pattern,
                                           const tusk_events_options *options, void *route_user);
/* TUSK_ENOENT: no such directory. */
TUSK_API tusk_err tusk_server_route_files(tusk_server *self, const char *prefix,
                                          const tusk_files_options *options);

/* ---- answers ---- */
/* `fields`: validated lines "Name: value\r\n" without Content-Length, Transfer-Encoding,
 * Connection, Date (ours). What RFC 9110 has with a 401, 405, 407 and 426 and is not among them is
 * added, here and in the others below, as far as the server knows it. The body is copied when
 * small, else `blob` (may be NULL) is queued by reference and `body` lies in it. */
TUSK_API tusk_err tusk_reply(tusk_server *self, tusk_handle session, int status, tusk_bytes fields,
                             tusk_bytes body, tusk_blob *blob);
/* * `why` (UTF-8, up to 100 bytes; NULL: its status and reason phrase), in the form of other
 * refusals: problem details (RFC 9457) for who accepts JSON before text. */
TUSK_API tusk_err tusk_reply_reason(tusk_server *self, tusk_handle session, int status,
                                    const char *why);
/* A file with ETag, ranges and conditions of the request in hand (only inside on_request and
 * on_authorize). Its media type is the one given, by its name where that is NULL, and stands in
 * `fields` where it is empty. */
TUSK_API tusk_err tusk_reply_file(tusk_server *self, tusk_handle session, int status,
                                  tusk_bytes fields, const char *path, const char *media_type);
/* Chunked (HTTP/1.1) or until close (1.0). write: TUSK_ELIMIT over a quarter of the queue limit,
 * or over 32 KiB where the queues of all are half full (nothing queued; on_writable will come, and
 * on_drain when the session is not parked). TUSK_ESTATE: there is nobody to write to, or the queues
 * of all are full and this connection was aborted. */
TUSK_API tusk_err tusk_reply_begin(tusk_server *self, tusk_handle session, int status,
                                   tusk_bytes fields);
/* The same with Content-Length. Of HEAD it is that of GET's answer, and nothing has to be written.
 * write: TUSK_EINVAL past it, with nothing queued. end: TUSK_EINVAL short of it; then the
 * connection is cut, so that its peer sees that something is missing. */
TUSK_API tusk_err tusk_reply_begin_sized(tusk_server *self, tusk_handle session, int status,
                                         tusk_bytes fields, uint64_t length);
/* After begin: what is written goes nowhere, as there is no body (HEAD, 204, 304). Whoever makes
 * one may leave it out. */
TUSK_API bool tusk_reply_bodiless(const tusk_server *self, tusk_handle session);
TUSK_API tusk_err tusk_reply_write(tusk_server *self, tusk_handle session, tusk_bytes data);
TUSK_API tusk_err tusk_reply_end(tusk_server *self, tusk_handle session);
/* Answers on_authorize: 101 or the event stream. `fields`: further lines of the head. on_open
 * follows at once, from inside, also when the session is parked. */
TUSK_API tusk_err tusk_accept(tusk_server *self, tusk_handle session, tusk_bytes fields);

/* ---- sessions ---- */
TUSK_API bool tusk_session_exists(const tusk_server *self, tusk_handle session);
TUSK_API bool tusk_session_open(const tusk_server *self,
                                tusk_handle session); /* WebSocket or stream, not closing */
/* The owner's one pointer; NULL at first. */
TUSK_API void *tusk_session_user(const tusk_server *self, tusk_handle session);
TUSK_API void tusk_session_set_user(tusk_server *self, tusk_handle session, void *session_user);
/* Peer's address (that of the client behind trusted proxies); text of at most 64 bytes with NUL. */
TUSK_API size_t tusk_session_address(const tusk_server *self, tusk_handle session, char text[64]);
/* False: no TLS, its handshake is not done, or there is no such session. */
TUSK_API bool tusk_session_tls(const tusk_server *self, tusk_handle session, tusk_tls_info *out);
/* The client's, which the handshake has checked; read anew each time, and the caller's to free.
 * TUSK_ENOENT: it showed none, or nobody asked for it. */
TUSK_API tusk_err tusk_session_certificate(const tusk_server *self, tusk_handle session,
                                           tusk_certificate **out);
/* Chosen subprotocol, ptr NULL when none. */
TUSK_API tusk_bytes tusk_session_subprotocol(const tusk_server *self, tusk_handle session);
/* Request target of a route with keep_target; lives as long as the session. */
TUSK_API tusk_bytes tusk_session_target(const tusk_server *self, tusk_handle session);
/* Placeholders of that target; returns how many. */
TUSK_API size_t tusk_session_params(const tusk_server *self, tusk_handle session,
                                    tusk_param params[TUSK_ROUTE_PARAMS_CAP]);
TUSK_API size_t tusk_session_buffered(const tusk_server *self, tusk_handle session);
/* Nested, four billion deep: as many unparks as parks. What is parked in its last callback
 * (on_close, on_gone) and not unparked there is so when that returns. */
TUSK_API void tusk_session_park(tusk_server *self, tusk_handle session);
TUSK_API void tusk_session_unpark(tusk_server *self, tusk_handle session);
/* Inside on_message, before it returns: the session's next message, where that may be told at once
 * and lies whole in what has come. So who prepares for a call of its own does it for several.
 * A payload of at most `cap` bytes may be put into `place` (payload.ptr is `place` then); cap 0:
 * none is. False: return; what follows is told as ever (or nothing does, as this session is parked
 * or closing), and `place` may have been written to. */
TUSK_API bool tusk_session_next(tusk_server *self, tusk_handle session, uint8_t *place, size_t cap,
                                tusk_ws_item *message);
/* Inside on_open, before its stack is left aside for as long as the session may live: the session's
 * further callbacks come meanwhile, as if on_open had returned. Harmless twice. */
TUSK_API void tusk_session_detach(tusk_server *self, tusk_handle session);
/* At once, no Close frame; on_close (1006) is deferred. Of an HTTP exchange what was said so far
 * leaves before, and an answer that only the end would end (HTTP/1.0) is reset. */
TUSK_API void tusk_session_terminate(tusk_server *self, tusk_handle session);

/* One message that goes to many, encoded by the first send that is given the memo and queued by
 * reference by all. Short ones lie one behind the other, so that those of a turn leave a connection
 * in one piece. All zero at first. */
typedef struct tusk_frame_run {
    tusk_blob *blob;
    size_t used;
    size_t start, len; /* the message's frame; len 0: not encoded yet */
} tusk_frame_run;
typedef struct tusk_frame_memo {
    tusk_frame_run plain;
    tusk_frame_run deflated;
} tusk_frame_memo;
/* The next send is of another message. */
static inline void tusk_frame_memo_clear(tusk_frame_memo *memo)
{
    memo->plain.len = 0;
    memo->deflated.len = 0;
}
TUSK_API void tusk_frame_memo_fini(tusk_frame_memo *memo);

/* WebSocket: TEXT (must be UTF-8: the caller has checked), BINARY, PING, PONG. `blob` as in
 * tusk_reply. `memo`: NULL, or of this very message. TUSK_ELIMIT: over queued_bytes, nothing
 * queued; it stays open (tusk_websocket_overflow). TUSK_ESTATE: closing. */
TUSK_API tusk_err tusk_websocket_send(tusk_server *self, tusk_handle session, uint8_t opcode,
                                      tusk_bytes payload, tusk_blob *blob, tusk_frame_memo *memo);
/* Close frame after what is queued (goes out also over the limit), then the peer has close_ms.
 * TUSK_ESTATE: closing already. */
TUSK_API tusk_err tusk_websocket_close(tusk_server *self, tusk_handle session, uint16_t code,
                                       tusk_bytes reason);
/* It does not keep up with what is sent to it: closed with 1013, as by TUSK_OVERFLOW_CLOSE, and
 * counted (overflow_closed). TUSK_ESTATE: it is closing already. */
TUSK_API tusk_err tusk_websocket_overflow(tusk_server *self, tusk_handle session);

/* Event streams. TUSK_ELIMIT: over the queue limit, the stream is closed by its policy. */
TUSK_API tusk_err tusk_stream_send(tusk_server *self, tusk_handle session, tusk_bytes type,
                                   tusk_bytes id, bool has_id, tusk_bytes data);
TUSK_API tusk_err tusk_stream_comment(tusk_server *self, tusk_handle session, tusk_bytes text);
TUSK_API tusk_err tusk_stream_retry(tusk_server *self, tusk_handle session, uint32_t milliseconds);
TUSK_API tusk_err tusk_stream_close(tusk_server *self, tusk_handle session);

/* ---- topics ---- */
typedef struct tusk_publication {
    tusk_bytes topic;
    tusk_bytes data;
    uint8_t opcode;      /* TEXT or BINARY; binary reaches SSE subscribers as base64 */
    tusk_bytes sse_type; /* empty: message */
    tusk_bytes sse_id;   /* ptr NULL: the position */
    tusk_handle except;  /* generation 0: nobody is left out */
} tusk_publication;
/* TUSK_EINVAL: a type or id that is no tusk_sse_value_valid, an empty or over-long topic (> 1024
 * bytes). */
TUSK_API tusk_err tusk_server_publish(tusk_server *self, const tusk_publication *publication,
                                      tusk_position *position);
TUSK_API tusk_position tusk_server_position(const tusk_server *self);
/* `since` NULL: from now on. A position that cannot be served any more: the session gets a reset
 * (SSE: event "reset" with the present position as id and data; WebSocket: on subscribe a text
 * message {"type":"reset","position":"…"}), then live ones. Several subscribes in one turn are
 * replayed together, in the log's order, as it ends; unsubscribe and close give what has room at
 * once (64 KiB). Subscribing again changes the policy. TUSK_ELIMIT: too many. */
TUSK_API tusk_err tusk_session_subscribe(tusk_server *self, tusk_handle session, tusk_bytes topic,
                                         const tusk_position *since, tusk_overflow overflow);
TUSK_API tusk_err tusk_session_unsubscribe(tusk_server *self, tusk_handle session,
                                           tusk_bytes topic);
TUSK_API size_t tusk_server_subscribers(const tusk_server *self, tusk_bytes topic);

#ifdef __cplusplus
}
#endif
#endif
