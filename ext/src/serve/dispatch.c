/* SPDX-License-Identifier: MIT */
/* What the core tells, told to the user's closures. No longjmp of PHP's leaves these functions. */
#include "src/closures.h"
#include "src/serve/connection.h"
#include "src/run/enter.h"
#include "src/run/fiber.h"
#include "src/serve/http.h"
#include "src/serve/text.h"

typedef struct event {
    tusk_service *service;
    tusk_handle session;
    tusk_php_route *route;
    const tusk_request *request;
    tusk_ws_item message;
    tusk_bytes reason; /* of a close */
    void *session_user;
    uint16_t code;
} event;

static void fail_session(const event *self)
{
    if (self->route->kind == ROUTE_EVENTS) {
        (void)tusk_stream_close(self->service->core, self->session);
    } else {
        (void)tusk_websocket_close(self->service->core, self->session, TUSK_WS_CODE_SERVER_ERROR,
                                   tusk_bytes_of(NULL, 0));
    }
}

static void refuse(const event *self)
{
    if (self->route->kind == ROUTE_EVENTS) {
        (void)tusk_stream_close(self->service->core, self->session);
    } else {
        (void)tusk_websocket_close(self->service->core, self->session, TUSK_WS_CODE_NORMAL,
                                   tusk_bytes_of(NULL, 0));
    }
}

const tusk_arguments tusk_with_connection = {1, "the Connection", {{.ce = &tusk_ce_connection}}};
const tusk_arguments tusk_with_message = {
    3,
    "the Connection, the text, its MessageType",
    {{.ce = &tusk_ce_connection}, {.scalar = MAY_BE_STRING}, {.ce = &tusk_ce_message_type}}};

void tusk_service_message_given(tusk_callback *callback)
{
    const zend_class_entry *const given[] = {tusk_ce_connection, NULL, tusk_ce_message_type};
    tusk_callback_given_always(callback, given, 3);
}

static ZEND_COLD void call_plainly(const tusk_callback *callback, tusk_peer *peer,
                                   zend_string *text, zend_object *type, zval *result)
{
    zval args[3];
    ZVAL_OBJ(&args[0], &peer->std);
    ZVAL_STR(&args[1], text);
    ZVAL_OBJ(&args[2], type);
    tusk_call_plainly(callback, 3, args, result);
}

/* As tusk_call_run, with its arguments written where they go. */
static inline tusk_call_end call_message(tusk_call *call, tusk_peer *peer, zend_string *text,
                                         zend_object *type)
{
    const tusk_callback *callback = call->callback;
    zval result;
    ZVAL_UNDEF(&result);
    zend_execute_data *frame = tusk_enter_frame(&callback->entry, 3);
    if (EXPECTED(frame != NULL)) {
        ZVAL_OBJ_COPY(ZEND_CALL_ARG(frame, 1), &peer->std);
        ZVAL_STR_COPY(ZEND_CALL_ARG(frame, 2), text);
        ZVAL_OBJ_COPY(ZEND_CALL_ARG(frame, 3), type);
        tusk_enter_run(&callback->entry, frame, &result);
    } else {
        call_plainly(callback, peer, text, type, &result);
    }
    tusk_call_end end = tusk_call_finish(call, &result);
    if (UNEXPECTED(Z_REFCOUNTED(result))) {
        zval_ptr_dtor(&result);
    }
    return end;
}

/* False: its session is told nothing more from here. */
static inline bool deliver_one(event *self, tusk_peer *peer, tusk_call *call)
{
    void *taken = self->message.taken;
    uint8_t opcode = self->message.opcode;
    self->message.taken = NULL;
    zend_string *text = tusk_text_take(self->service, self->message.payload, taken);
    bool goes_on = true;
    if (opcode == TUSK_WS_TEXT) {
        tusk_zstr_mark_utf8(text);
    }
    if (UNEXPECTED(peer->reader != NULL)) {
        tusk_messages_push(peer->reader, text, opcode);
    } else if (EXPECTED(tusk_callback_given(&self->route->message))) {
        if (call->callback == NULL) {
            tusk_call_enter(call, &self->service->host, self->session, &self->route->message);
        } else {
            tusk_call_again(call);
        }
        if (UNEXPECTED(call_message(call, peer, text, tusk_opcode_case(opcode)) != CALL_DONE)) {
            fail_session(self);
            goes_on = false;
        }
    }
    tusk_text_give(self->service, text);
    return goes_on && EG(exception) == NULL && !tusk_service_mute(self->service) && !peer->closed;
}

/* The next message of the session, if it is there; written where it is read from. A copy would be
 * one load of what two stores have just written, and such a load waits until all that was stored
 * before, the payload above all, is in the cache. */
static inline bool next_message(event *self)
{
    tusk_service *service = self->service;
    uint8_t *place = tusk_text_place(service);
    return tusk_session_next(service->core, self->session, place,
                             place == NULL ? 0 : service->spare_cap, &self->message);
}

/* What is prepared for one message serves those behind it. */
static void deliver_messages(void *arg)
{
    event *self = arg;
    tusk_call call = {0};
    tusk_peer *peer = tusk_peer_get(self->service, self->session, false);
    while (deliver_one(self, peer, &call) && next_message(self)) {
    }
    tusk_peer_put(peer);
}

static void on_message(void *user, tusk_handle session, void *route_user, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    event self = {.service = user,
                  .session = session,
                  .route = route_user,
                  .message = {.opcode = opcode, .payload = payload, .taken = taken}};
    if (EXPECTED(!tusk_service_mute(self.service) &&
                 (tusk_callback_given(&self.route->message) ||
                  tusk_session_user(self.service->core, session) != NULL))) {
        tusk_guarded(&self.service->host, deliver_messages, &self);
    }
    if (self.message.taken != NULL) {
        tusk_string_store.drop(NULL, self.message.taken);
    }
}

static void call_open(void *arg)
{
    event *self = arg;
    bool stream = self->route->kind == ROUTE_EVENTS;
    tusk_peer *peer = tusk_peer_get(self->service, self->session, stream);
    tusk_call call = {.opens = true};
    zval object;
    zval result;
    if (stream && self->request != NULL) {
        tusk_event_stream_begin(peer, self->request);
        tusk_request_view_lend(&peer->view, &call);
    }
    ZVAL_OBJ(&object, &peer->std);
    tusk_call_end end = tusk_call_run(&call, &self->service->host, self->session,
                                      &self->route->open, 1, &object, &result);
    if (stream) {
        tusk_request_view_keep(&peer->view);
    }
    if (self->service->core != NULL && end != CALL_DONE) {
        fail_session(self);
    } else if (self->service->core != NULL && Z_TYPE(result) == IS_FALSE) {
        refuse(self);
    }
    zval_ptr_dtor(&result);
    tusk_peer_put(peer);
}

static void on_open(void *user, tusk_handle session, void *route_user, const tusk_request *request)
{
    event self = {.service = user, .session = session, .route = route_user, .request = request};
    if (!tusk_service_mute(self.service) && tusk_callback_given(&self.route->open)) {
        tusk_guarded(&self.service->host, call_open, &self);
    }
}

static void deliver_close(void *arg)
{
    event *self = arg;
    bool stream = self->route->kind == ROUTE_EVENTS;
    bool told = tusk_callback_given(&self->route->close);
    tusk_peer *peer;
    if (self->session_user != NULL) {
        peer = self->session_user;
        GC_ADDREF(&peer->std);
    } else {
        peer = tusk_peer_get(self->service, self->session, stream);
    }
    if (told) {
        tusk_call call = {0};
        zval args[3];
        zval result;
        ZVAL_OBJ(&args[0], &peer->std);
        ZVAL_LONG(&args[1], self->code);
        ZVAL_STR(&args[2], tusk_zstr_of(self->reason));
        (void)tusk_call_run(&call, &self->service->host, self->session, &self->route->close,
                            self->service->host.compat ? 1
                            : stream                   ? 1
                                                       : 3,
                            args, &result);
        zval_ptr_dtor(&args[2]);
        zval_ptr_dtor(&result);
    }
    tusk_peer_close(peer);
    OBJ_RELEASE(&peer->std);
}

/* Without a handler: the references go, and what they held with them. */
static void let_go(tusk_service *service, tusk_peer *peer)
{
    if (peer != NULL && !service->host.failed) {
        GC_ADDREF(&peer->std);
        tusk_peer_close(peer);
        OBJ_RELEASE(&peer->std);
    }
}

static void on_close(void *user, tusk_handle session, void *route_user, uint16_t code,
                     tusk_bytes reason, tusk_close_kind kind, void *session_user)
{
    event self = {.service = user,
                  .session = session,
                  .route = route_user,
                  .code = code,
                  .reason = reason,
                  .session_user = session_user};
    if (tusk_service_mute(self.service)) {
        let_go(self.service, session_user);
    } else if (session_user != NULL || tusk_callback_given(&self.route->close)) {
        tusk_guarded(&self.service->host, deliver_close, &self);
    }
}

static void deliver_gone(void *arg)
{
    const event *self = arg;
    let_go(self->service, self->session_user);
}

static void on_gone(void *user, tusk_handle session, void *session_user)
{
    event self = {.service = user, .session_user = session_user};
    if (session_user != NULL && !tusk_service_mute(self.service)) {
        tusk_guarded(&self.service->host, deliver_gone, &self);
    } else {
        let_go(self.service, session_user);
    }
}

/* Whoever produces that answer waits, and left its wait as the session's user. */
static void on_writable(void *user, tusk_handle session, void *route_user)
{
    tusk_wait *wait = tusk_session_user(((tusk_service *)user)->core, session);
    if (wait != NULL) {
        tusk_wait_wake(wait);
    }
}

static void answer(event *self, void (*body)(void *arg))
{
    if (self->service->core == NULL) {
        return;
    }
    if (self->service->host.failed || !tusk_guarded(&self->service->host, body, self)) {
        tusk_reply_plain(self->service, self->session, 503);
    }
}

static void deliver_request(void *arg)
{
    event *self = arg;
    tusk_http_dispatch(self->service, self->session, self->route, self->request);
}

static void on_request(void *user, tusk_handle session, void *route_user,
                       const tusk_request *request)
{
    event self = {.service = user, .session = session, .route = route_user, .request = request};
    answer(&self, deliver_request);
}

static void deliver_authorize(void *arg)
{
    event *self = arg;
    if (self->service->host.compat) {
        tusk_handshake_dispatch(self->service, self->session, self->route, self->request);
    } else {
        tusk_authorize_dispatch(self->service, self->session, self->route, self->request);
    }
}

static void on_authorize(void *user, tusk_handle session, void *route_user,
                         const tusk_request *request)
{
    event self = {.service = user, .session = session, .route = route_user, .request = request};
    answer(&self, deliver_authorize);
}

static void on_stopped(void *user)
{
    const tusk_host *host = &((tusk_service *)user)->host;
    tusk_run_end(host, !host->failed);
}

static void on_log(void *user, const char *text)
{
    tusk_log("%s", text);
}

const tusk_server_handler tusk_service_handler = {
    .on_request = on_request,
    .on_authorize = on_authorize,
    .on_open = on_open,
    .on_message = on_message,
    .on_close = on_close,
    .on_gone = on_gone,
    .on_writable = on_writable,
    .on_stopped = on_stopped,
    .on_count = tusk_service_count,
    .on_log = on_log,
};
