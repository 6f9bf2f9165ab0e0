/* SPDX-License-Identifier: MIT */
/* What both server classes are made of: a core server, its closures, and the way between them. */
#ifndef TUSK_EXT_SERVE_HOST_H
#define TUSK_EXT_SERVE_HOST_H

#include "src/run/call.h"

enum { ROUTE_WEBSOCKET, ROUTE_EVENTS, ROUTE_HTTP };

/* A route's closures; the core's route_user. */
typedef struct tusk_php_route {
    struct tusk_php_route *next;
    unsigned kind;
    tusk_callback open;
    tusk_callback message; /* ROUTE_HTTP: the handler */
    tusk_callback close;
    tusk_callback authorize;
} tusk_php_route;

/* An array of response headers and the lines that it became. The array is held, so nobody can
 * change it meanwhile: a response that is made once, or of a constant array, is checked and written
 * once. */
typedef struct tusk_header_memo {
    zend_array *headers; /* NULL: none */
    tusk_buf lines;
} tusk_header_memo;
enum { HEADER_MEMOS = 8 };

/* What runs: a server, or a proxy. */
enum { HOST_PORT }; /* its first property */
typedef struct tusk_workers tusk_workers;
typedef struct tusk_host_kind {
    void (*stop)(tusk_host *self); /* drains; the second time at once */
    void (*reload)(tusk_host *self);
    const char *(*address)(const tusk_host *self, size_t listener); /* NULL past the last */
    /* `fd` is the listener's from now on; on failure it stays the caller's. */
    tusk_err (*inherit)(tusk_host *self, size_t listener, int fd);
    /* What GET /metrics of the admin listener tells, but for its end. */
    tusk_err (*metrics)(const tusk_host *self, tusk_buf *out);
} tusk_host_kind;

/* What a host counts beside its core, by its place in tusk_server_stats.own. */
enum { OWN_PARKED_REFUSED, OWN_SLOW_HANDLERS, OWN_FIBER_SWITCHES, OWN_WORKERS_HEAVY };

/* Counted: connections keep it, so that they may outlive their server. */
struct tusk_host {
    uint32_t refs;
    const tusk_host_kind *kind;
    tusk_server *core;   /* NULL: the server object is gone, or the host is a proxy's */
    zend_object *server; /* borrowed; NULL when it is gone */
    tusk_php_route *routes;
    tusk_callback on_error;
    tusk_callback on_start;
    tusk_callback on_listen;
    tusk_workers *workers;         /* NULL: one process */
    tusk_server *admin;            /* for operators; NULL: none */
    struct tusk_peer *kept;        /* connections of which a reference is their session's */
    struct tusk_messages *readers; /* iterators over connections' messages */
    zend_object *recent; /* a connection that is kept for the next message: bursts come from one */
    const zend_string *seen; /* what was sent last: compared, never looked into */
    zend_string *last_text;  /* what was sent twice in this callback, and its encoded form */
    tusk_frame_memo memo;
    tusk_header_memo headers[HEADER_MEMOS]; /* of the last answers, each at its array's place */
    zend_string *spare_text; /* of a short message, for the next of about its length; NULL: none */
    size_t spare_cap;        /* bytes that it surely has room for */
    zend_object *spare_request; /* what stood for the last request and answer, for the next */
    zend_object *spare_response;
    tusk_signal on_term, on_int, on_hup;
    tusk_task start;
    tusk_timer cut; /* past the drain: waiting handlers are told, or a failed server ends */
    uint64_t slow_ms;
    uint64_t slow_handlers; /* that took longer */
    uint64_t limit_ms;      /* when an exception of a limit was logged last; 0: never */
    uint64_t heavy;         /* this process is a worker that held more than it may */
    uint32_t parked_max;
    uint32_t drain_ms;
    uint8_t last_opcode;
    bool compat; /* Tusk\WebSocket\Server: its errors, its handshake */
    bool running;
    bool ran;
    bool stopping;
    bool failed;    /* a fatal error: no PHP any more */
    bool reporting; /* inside onError */
    bool worker;    /* a crew's: what a terminal sends to all is its master's affair */
};

/* NULL: an exception was thrown. `options->loop, handler, user, store` are set here. */
tusk_host *tusk_host_new(zend_object *server, tusk_server_options *options, bool compat);
static inline tusk_host *tusk_host_ref(tusk_host *self)
{
    self->refs++;
    return self;
}
/* One without a server of the core. */
tusk_host *tusk_host_alloc(zend_object *server, const tusk_host_kind *kind);
/* Listeners take the sockets that a supervisor handed over for their addresses. */
void tusk_host_take_sockets(tusk_host *self);
/* Runs the loop until tusk_run_end; false: an exception was thrown. What runs has started. */
bool tusk_host_loop(tusk_host *self);
void tusk_host_unref(tusk_host *self);
/* The closures that every host has are released, and the caller's reference. */
void tusk_host_release(tusk_host *self);
/* The server object goes: sessions are cut, closures released. */
void tusk_host_close(tusk_host *self);
void tusk_host_gc(tusk_host *self, zend_get_gc_buffer *buffer);
tusk_php_route *tusk_host_route(tusk_host *self, unsigned kind);

/* Binds and runs until stopped; false: an exception was thrown. */
bool tusk_host_run(tusk_host *self);
/* What runs is bound: its first property, the port, is known, and onListen is told where it is this
 * process that bound. */
void tusk_host_listens(tusk_host *self, uint16_t port);
/* The start of something failed with this reason (or an empty one): thrown, and false. */
bool tusk_host_started(tusk_err err, const char *reason, const char *what);
/* Between runs nothing is kept for the next message. */
void tusk_host_rest(tusk_host *self);
void tusk_host_stop(tusk_host *self);
/* tusk_server_handler.on_count, and an array of it all. */
void tusk_host_count(void *host, tusk_server_stats *stats);
void tusk_host_stats(const tusk_server_stats *stats, zval *out);

/* To onError, or to the log. */
void tusk_host_report(tusk_host *self, zend_object *exception);
/* With the Request that it is about (NULL: none), whose answer onError may return: `answer` (null
 * before; NULL: nobody wants one) is then that Response. */
void tusk_host_report_about(tusk_host *self, zend_object *exception, zend_object *about,
                            zval *answer);
/* After a fatal error: drains for a second without PHP; run() then ends as PHP ends. */
void tusk_host_fail(tusk_host *self);
static inline bool tusk_host_mute(const tusk_host *self)
{
    return self->failed || self->core == NULL;
}

/* A large string as a blob that holds a reference to it; NULL: it is better copied, which takes
 * nothing of memory_limit, however long it waits to leave. */
tusk_blob *tusk_string_blob(zend_string *text);
void tusk_host_forget_text_now(tusk_host *self);
static inline void tusk_host_forget_text(tusk_host *self)
{
    self->seen = NULL; /* another string may lie there next time */
    if (self->last_text != NULL) {
        tusk_host_forget_text_now(self);
    }
}
enum { HOST_ADOPT_MIN = 4096 }; /* a text as long is queued without a copy */
tusk_err tusk_host_send_any(tusk_host *self, tusk_handle session, unsigned opcode,
                            zend_string *data);
/* Encodes once what is sent again and again in one callback; large texts are queued without a copy.
 */
static inline tusk_err tusk_host_send(tusk_host *self, tusk_handle session, unsigned opcode,
                                      zend_string *data)
{
    if (UNEXPECTED(self->last_text != NULL || self->seen == data ||
                   ZSTR_LEN(data) >= HOST_ADOPT_MIN)) {
        return tusk_host_send_any(self, session, opcode, data);
    }
    self->seen = data;
    return tusk_websocket_send(self->core, session, (uint8_t)opcode, tusk_zstr(data), NULL, NULL);
}
/* Publishes; the position is the result. `except` may be NULL. */
tusk_err tusk_host_publish(tusk_host *self, zend_string *topic, zend_string *data, unsigned opcode,
                           zend_string *type, zend_string *id, const tusk_handle *except,
                           tusk_position *position);

/* publish() of PHP: checks its arguments, makes the Position. */
void tusk_host_publish_method(tusk_host *self, zend_string *topic, zend_string *data,
                              zend_object *type, zend_string *sse_type, zend_string *sse_id,
                              const tusk_handle *except, zval *return_value);
/* publish(string $topic, string $data, ?MessageType $type = null) of WebSocket's classes. */
void tusk_host_publish_message(INTERNAL_FUNCTION_PARAMETERS, tusk_host *self,
                               const tusk_handle *except);
/* Whether run() may begin: not twice, and not without a listener; else an exception is thrown.
 * `what`: server or proxy. */
bool tusk_host_may_run(const tusk_host *self, const char *what, size_t listeners);

/* The payload of a message or body as a string of the caller's. */
zend_string *tusk_payload_take(tusk_bytes payload, void *taken);
extern const tusk_ws_store tusk_string_store;

extern const tusk_server_handler tusk_host_handler;
/* What a message's handler is called with. */
void tusk_host_message_given(tusk_callback *callback);

/* ---- the two server classes ---- */
tusk_host *tusk_ws_server_host(zend_object *object);
/* The one route becomes the core's, once. False: an exception was thrown. */
bool tusk_ws_server_add_route(zend_object *object);
tusk_host *tusk_server_host(zend_object *object);

#endif
