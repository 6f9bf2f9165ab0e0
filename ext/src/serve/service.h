/* SPDX-License-Identifier: MIT */
/* What both server classes are made of: a server of the core, routes with their closures, and what
 * is kept from one message to the next. A host runs it. */
#ifndef TUSK_EXT_SERVE_SERVICE_H
#define TUSK_EXT_SERVE_SERVICE_H

#include "src/run/host.h"

#include <tusk/stats.h>

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

typedef struct tusk_service {
    tusk_host host;    /* first: it is what is counted, and freed */
    tusk_server *core; /* NULL: the server object is gone */
    tusk_php_route *routes;
    tusk_timer last;               /* given up: it looks whether all of it has ended */
    struct tusk_peer *kept;        /* connections of which a reference is their session's */
    struct tusk_messages *readers; /* iterators over connections' messages */
    zend_object *recent; /* a connection that is kept for the next message: bursts come from one */
    zend_string *last_text; /* what was sent twice in this callback, and its encoded form */
    tusk_frame_memo memo;
    tusk_header_memo headers[HEADER_MEMOS]; /* of the last answers, each at its array's place */
    zend_string *spare_text; /* of a short message, for the next of about its length; NULL: none */
    size_t spare_cap;        /* bytes that it surely has room for */
    zend_object *spare_request; /* what stood for the last request and answer, for the next */
    zend_object *spare_response;
    uint8_t last_opcode;
} tusk_service;

extern const tusk_host_kind tusk_service_kind;
extern const tusk_server_handler tusk_service_handler;

/* NULL: an exception was thrown. `options->loop, handler, user, store` are set here. */
tusk_service *tusk_service_new(zend_object *server, tusk_server_options *options, bool compat);
static inline tusk_service *tusk_service_ref(tusk_service *self)
{
    tusk_host_ref(&self->host);
    return self;
}
static inline void tusk_service_unref(tusk_service *self)
{
    tusk_host_unref(&self->host);
}
/* The server object goes: sessions are cut, closures released. */
void tusk_service_close(tusk_service *self);
/* A reference to the server object, inside another server's run: released when none of its handlers
 * waits any more, whose stacks lie on its sessions, and none of its connections is left, for which
 * the core would turn the loop. Those who wait hear that the server stops. */
void tusk_service_give_up(tusk_service *self);
/* Before the server object is freed, also by the collector of cycles: what is left of a Loopback's
 * connections inside a run is given up first. */
void tusk_service_let_go(tusk_service *self);
void tusk_service_gc(tusk_service *self, zend_get_gc_buffer *buffer);
tusk_php_route *tusk_service_route(tusk_service *self, unsigned kind);
static inline bool tusk_service_mute(const tusk_service *self)
{
    return self->host.failed || self->core == NULL;
}
/* What runs here, if it is a service; else NULL. */
static inline tusk_service *tusk_service_running(void)
{
    tusk_host *host = TUSK_G(running_host);
    return host == NULL || host->kind != &tusk_service_kind ? NULL : (tusk_service *)(void *)host;
}

/* What is counted beside the core, in tusk_server_stats. */
extern const tusk_metric_table tusk_service_counters;
/* tusk_server_handler.on_count, and an array of it all. */
void tusk_service_count(void *service, tusk_server_stats *stats);
void tusk_service_stats(const tusk_server_stats *stats, zval *out);

/* ---- send.c ---- */
/* A large string as a blob that holds a reference to it; NULL: it is better copied, which takes
 * nothing of memory_limit, however long it waits to leave. */
tusk_blob *tusk_string_blob(zend_string *text);
/* What was sent twice is held no longer. */
void tusk_service_forget_text(tusk_service *self);
enum { SERVICE_ADOPT_MIN = 4096 }; /* a text as long is queued without a copy */
tusk_err tusk_service_send_any(tusk_service *self, tusk_handle session, unsigned opcode,
                               zend_string *data);
/* Encodes once what is sent again and again in one callback; large texts are queued without a copy.
 */
static inline tusk_err tusk_service_send(tusk_service *self, tusk_handle session, unsigned opcode,
                                         zend_string *data)
{
    if (UNEXPECTED(self->last_text != NULL || self->host.seen == data ||
                   ZSTR_LEN(data) >= SERVICE_ADOPT_MIN)) {
        return tusk_service_send_any(self, session, opcode, data);
    }
    self->host.seen = data;
    return tusk_websocket_send(self->core, session, (uint8_t)opcode, tusk_zstr(data), NULL, NULL);
}
/* Publishes; the position is the result. `except` may be NULL. */
tusk_err tusk_service_publish(tusk_service *self, zend_string *topic, zend_string *data,
                              unsigned opcode, zend_string *type, zend_string *id,
                              const tusk_handle *except, tusk_position *position);

/* ---- publish.c ---- */
/* publish() of PHP: checks its arguments, makes the Position. */
void tusk_service_publish_method(tusk_service *self, zend_string *topic, zend_string *data,
                                 zend_object *type, zend_string *sse_type, zend_string *sse_id,
                                 const tusk_handle *except, zval *return_value);
/* publish(string $topic, string $data, ?MessageType $type = null) of WebSocket's classes. */
void tusk_service_publish_message(INTERNAL_FUNCTION_PARAMETERS, tusk_service *self,
                                  const tusk_handle *except);

/* ---- store.c ---- */
/* The payload of a message or body as a string of the caller's. */
zend_string *tusk_payload_take(tusk_bytes payload, void *taken);
extern const tusk_ws_store tusk_string_store;

/* ---- dispatch.c ---- */
/* What open and message handlers are called with. */
extern const tusk_arguments tusk_with_connection;
extern const tusk_arguments tusk_with_message;
/* A message's handler was given. */
void tusk_service_message_given(tusk_callback *callback);

/* ---- the two server classes ---- */
tusk_service *tusk_ws_server_service(zend_object *object);
/* The one route becomes the core's, once. False: an exception was thrown. */
bool tusk_ws_server_add_route(zend_object *object);
tusk_service *tusk_server_service(zend_object *object);

#endif
