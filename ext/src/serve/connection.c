/* SPDX-License-Identifier: MIT */
/* Connection: commands to one WebSocket session. */
#include "src/serve/connection.h"

#include "src/parameters.h"
#include "src/position.h"
#include "src/tls.h"

#include <ext/spl/spl_exceptions.h>

static inline tusk_peer *this_peer(zval *object)
{
    return tusk_peer_of(Z_OBJ_P(object));
}

/* A peer's faults never throw into user code; the compatible class says them to the caller, as its
 * users know it. */
static ZEND_COLD void told_closed(const tusk_peer *self)
{
    if (self->service->host.compat) {
        zend_throw_error(NULL, "Cannot send on a closed connection");
    }
}

static ZEND_COLD bool check_other_message(unsigned opcode, zend_string *data)
{
    switch (opcode) {
    case TUSK_WS_TEXT:
        zend_argument_value_error(1, "must be valid UTF-8 for a text message");
        return false;
    case TUSK_WS_BINARY: return true;
    case TUSK_WS_PING:
    case TUSK_WS_PONG:
        if (ZSTR_LEN(data) > TUSK_WS_CONTROL_MAX) {
            zend_argument_value_error(1, "must be at most 125 bytes for a control frame, %zu given",
                                      ZSTR_LEN(data));
            return false;
        }
        return true;
    case TUSK_WS_CLOSE: {
        uint16_t code;
        tusk_bytes reason;
        if (ZSTR_LEN(data) > TUSK_WS_CONTROL_MAX) {
            zend_argument_value_error(1, "must be at most 125 bytes for a control frame, %zu given",
                                      ZSTR_LEN(data));
            return false;
        }
        if (tusk_ws_close_parse(tusk_zstr(data), &code, &reason) != TUSK_OK) {
            zend_argument_value_error(
                1, "must be empty or a close code and a UTF-8 reason for a close frame");
            return false;
        }
        return true;
    }
    default:
        zend_argument_value_error(2,
                                  "must not be MessageType::Continuation: whole messages are sent");
        return false;
    }
}

static inline bool check_message(unsigned opcode, zend_string *data)
{
    return EXPECTED(opcode == TUSK_WS_TEXT && tusk_zstr_utf8(data)) ||
           EXPECTED(opcode == TUSK_WS_BINARY) || check_other_message(opcode, data);
}

static void send_close_payload(tusk_peer *self, zend_string *data)
{
    uint16_t code;
    tusk_bytes reason;
    (void)tusk_ws_close_parse(tusk_zstr(data), &code, &reason);
    (void)tusk_websocket_close(self->service->core, self->session,
                               code == 0 ? TUSK_WS_CODE_NORMAL : code, reason);
}

static ZEND_COLD void send_failed(tusk_peer *self, tusk_err err, zend_string *data)
{
    if (err == TUSK_ELIMIT) {
        if (self->service->host.compat) {
            zend_throw_error(NULL,
                             "Cannot send %zu bytes: the connection's queue would exceed "
                             "maxQueuedBytes (%zu bytes wait)",
                             ZSTR_LEN(data),
                             tusk_session_buffered(self->service->core, self->session));
        } else {
            (void)tusk_websocket_overflow(self->service->core, self->session);
        }
    } else if (err == TUSK_ESTATE || err == TUSK_ENOENT) {
        told_closed(self);
    } else {
        tusk_throw(err, "Cannot send");
    }
}

static ZEND_COLD void send_close_message(tusk_peer *self, zend_string *data)
{
    if (tusk_session_open(self->service->core, self->session)) {
        send_close_payload(self, data);
    } else {
        told_closed(self);
    }
}

static inline void send_message(tusk_peer *self, zend_string *data, unsigned opcode)
{
    if (UNEXPECTED(!check_message(opcode, data))) {
        return;
    }
    if (UNEXPECTED(self->closed || self->service->core == NULL)) {
        told_closed(self);
        return;
    }
    if (UNEXPECTED(opcode == TUSK_WS_CLOSE)) {
        send_close_message(self, data);
        return;
    }
    tusk_err err = tusk_service_send(self->service, self->session, opcode, data);
    if (UNEXPECTED(err != TUSK_OK)) {
        send_failed(self, err, data);
    }
}

TUSK_METHOD(Tusk_WebSocket_Connection, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_WebSocket_Connection, send)
{
    zend_string *data;
    unsigned opcode;

    if (!tusk_send_parameters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &data, &opcode)) {
        RETURN_THROWS();
    }
    send_message(this_peer(ZEND_THIS), data, opcode);
}

TUSK_METHOD(Tusk_WebSocket_Connection, ping)
{
    zend_string *payload = tusk_ping_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (payload == NULL) {
        RETURN_THROWS();
    }
    send_message(this_peer(ZEND_THIS), payload, TUSK_WS_PING);
}

TUSK_METHOD(Tusk_WebSocket_Connection, close)
{
    uint16_t code;
    zend_string *reason;

    if (!tusk_close_parameters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &code, &reason)) {
        RETURN_THROWS();
    }
    tusk_peer *self = this_peer(ZEND_THIS);
    if (tusk_peer_alive(self)) {
        (void)tusk_websocket_close(self->service->core, self->session, code, tusk_zstr(reason));
    }
}

TUSK_METHOD(Tusk_WebSocket_Connection, isOpen)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_peer *self = this_peer(ZEND_THIS);
    RETURN_BOOL(!self->closed && self->service->core != NULL &&
                tusk_session_open(self->service->core, self->session));
}

TUSK_METHOD(Tusk_WebSocket_Connection, terminate)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_peer *self = this_peer(ZEND_THIS);
    if (tusk_peer_alive(self)) {
        tusk_session_terminate(self->service->core, self->session);
    }
}

TUSK_METHOD(Tusk_WebSocket_Connection, subscribe)
{
    tusk_peer_subscribe(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_WebSocket_Connection, unsubscribe)
{
    tusk_peer_unsubscribe(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_WebSocket_Connection, publish)
{
    tusk_peer *self = this_peer(ZEND_THIS);
    tusk_service_publish_message(INTERNAL_FUNCTION_PARAM_PASSTHRU, self->service, &self->session);
}

TUSK_METHOD(Tusk_WebSocket_Connection, bufferedBytes)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_peer *self = this_peer(ZEND_THIS);
    RETURN_LONG(tusk_peer_alive(self)
                    ? (zend_long)tusk_session_buffered(self->service->core, self->session)
                    : 0);
}

TUSK_METHOD(Tusk_WebSocket_Connection, tls)
{
    tusk_peer_tls(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* Of the request; borrowed. */
static tusk_bytes query_of(const tusk_peer *self)
{
    tusk_bytes target = tusk_peer_alive(self)
                            ? tusk_session_target(self->service->core, self->session)
                            : tusk_bytes_of(NULL, 0);
    const uint8_t *mark = target.len == 0 ? NULL : memchr(target.ptr, '?', target.len);
    if (mark == NULL) {
        return tusk_bytes_of(NULL, 0);
    }
    size_t at = (size_t)(mark + 1 - target.ptr);
    return tusk_bytes_of(mark + 1, target.len - at);
}

TUSK_METHOD(Tusk_WebSocket_Connection, query)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    zend_string *found = tusk_query_find(query_of(this_peer(ZEND_THIS)), name);
    if (found == NULL) {
        RETURN_NULL();
    }
    RETURN_STR(found);
}

TUSK_METHOD(Tusk_WebSocket_Connection, queryValues)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    RETURN_ARR(tusk_query_values(query_of(this_peer(ZEND_THIS)), name));
}

TUSK_METHOD(Tusk_WebSocket_Connection, getIterator)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_messages_make(return_value, this_peer(ZEND_THIS));
}

/* ---- what event streams share ---- */
void tusk_peer_tls(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_peer *self = this_peer(ZEND_THIS);
    zend_object *info =
        tusk_peer_alive(self) ? tusk_tls_info_make(self->service->core, self->session) : NULL;
    if (info == NULL) { /* perhaps thrown */
        RETURN_NULL();
    }
    RETURN_OBJ(info);
}

void tusk_peer_subscribe(INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *topic;
    zend_object *since = NULL;
    zend_string *since_text = NULL;
    zend_object *overflow = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(topic)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS_OR_STR_OR_NULL(since, tusk_ce_position, since_text)
    Z_PARAM_OBJ_OF_CLASS(overflow, tusk_ce_overflow)
    ZEND_PARSE_PARAMETERS_END();

    tusk_peer *self = this_peer(ZEND_THIS);
    tusk_position position;
    const tusk_position *from = NULL;
    if (!tusk_topic_valid(topic, 1)) {
        RETURN_THROWS();
    }
    /* What a client sent as its cursor may be anything: a wrong one is a gap, which is said by a
     * reset. */
    if (since != NULL) {
        (void)tusk_position_arg(since, NULL, 2, &position);
        from = &position;
    } else if (since_text != NULL) {
        if (tusk_position_parse(&position, tusk_zstr(since_text)) != TUSK_OK) {
            position = (tusk_position){0};
        }
        from = &position;
    }
    if (!tusk_peer_alive(self)) {
        return;
    }
    tusk_err err = tusk_session_subscribe(
        self->service->core, self->session, tusk_zstr(topic), from,
        (tusk_overflow)(overflow == NULL ? 0 : tusk_overflow_index(overflow)));
    if (err == TUSK_ELIMIT) {
        tusk_throw(
            err,
            "Cannot subscribe to \"%s\": Limits::$subscriptions or $subscriptionBytes is reached",
            ZSTR_VAL(topic));
    } else if (err != TUSK_OK && err != TUSK_ESTATE && err != TUSK_ENOENT) {
        tusk_throw(err, "Cannot subscribe to \"%s\"", ZSTR_VAL(topic));
    }
}

void tusk_peer_unsubscribe(INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *topic;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(topic)
    ZEND_PARSE_PARAMETERS_END();

    tusk_peer *self = this_peer(ZEND_THIS);
    if (tusk_topic_valid(topic, 1) && tusk_peer_alive(self)) {
        (void)tusk_session_unsubscribe(self->service->core, self->session, tusk_zstr(topic));
    }
}
