/* SPDX-License-Identifier: MIT */
/* Objects that stand for a session: WebSocket connections and event streams. */
#ifndef TUSK_EXT_SERVE_CONNECTION_H
#define TUSK_EXT_SERVE_CONNECTION_H

#include "src/serve/service.h"
#include "src/serve/request_view.h"

/* Slots of Connection and EventStream in the stub's order. */
enum { PEER_ID, PEER_ADDRESS };
enum { CONNECTION_SUBPROTOCOL = 2, CONNECTION_PARAMS, CONNECTION_IDENTITY, CONNECTION_STATE };
enum { STREAM_PARAMS = 2, STREAM_IDENTITY, STREAM_LAST_EVENT_ID, STREAM_STATE };

/* The core's session_user. The core's pointer is weak: when nobody else holds the object, it goes,
 * unless it carries something that must live as long as the session (state, identity, a weak map's
 * entry). */
typedef struct tusk_peer {
    tusk_service *service;
    tusk_handle session;
    tusk_request_view view;                  /* of an event stream's request */
    struct tusk_messages *reader;            /* foreach over the messages; NULL: none */
    struct tusk_peer *kept_prev, *kept_next; /* in the service's list while kept */
    bool stream;
    bool kept; /* one reference is the session's */
    bool closed;
    zend_object std;
} tusk_peer;

static inline tusk_peer *tusk_peer_of(zend_object *object)
{
    return TUSK_FROM(tusk_peer, object);
}

/* The session's object with a reference for the caller, made when there is none. */
tusk_peer *tusk_peer_get(tusk_service *service, tusk_handle session, bool stream);
/* The caller's reference goes; the object stays if it carries something. */
void tusk_peer_put(tusk_peer *self);
/* The session is over: what only a session can tell is read, the state is freed. The caller still
 * holds a reference. */
void tusk_peer_close(tusk_peer *self);
bool tusk_peer_alive(const tusk_peer *self);
/* For the service's get_gc: the references that are its sessions'. */
void tusk_peers_gc(const tusk_service *service, zend_get_gc_buffer *buffer);
void tusk_peer_startup(void);

/* Methods that both classes have. */
void tusk_peer_tls(INTERNAL_FUNCTION_PARAMETERS);
void tusk_peer_subscribe(INTERNAL_FUNCTION_PARAMETERS);
void tusk_peer_unsubscribe(INTERNAL_FUNCTION_PARAMETERS);
/* A topic's name has 1 to 1024 bytes. False: a ValueError was thrown. */
bool tusk_topic_valid(zend_string *topic, uint32_t number);

/* ---- event_stream.c ---- */
/* Before the open handler: what the request says. */
void tusk_event_stream_begin(tusk_peer *self, const tusk_request *request);
/* The same from a request that authorize saw, which may be gone when the stream opens. */
void tusk_event_stream_take(tusk_peer *self, tusk_request_view *view);

/* ---- messages.c: foreach ($connection as $data) ---- */
typedef struct tusk_messages tusk_messages;
void tusk_messages_startup(void);
void tusk_messages_make(zval *out, tusk_peer *connection);
/* True when the message was taken by a reader. */
void tusk_messages_push(tusk_messages *self, zend_string *text, unsigned opcode);
void tusk_messages_close(tusk_messages *self);
/* From the connection: iterator and connection no longer know each other. */
void tusk_messages_part(tusk_messages *self);
/* Nobody is waited for any more: what iterators hold back goes on. */
void tusk_messages_end_all(tusk_service *service);

#endif
