/* SPDX-License-Identifier: MIT */
/* EventStream: commands to one open event stream. */
#include "src/serve/connection.h"
#include "src/position.h"

#include <tusk/sse.h>

static inline tusk_peer *this_stream(zval *object)
{
    return tusk_peer_of(Z_OBJ_P(object));
}

static zend_string *view_header(tusk_request_view *view, const char *name, size_t len)
{
    zend_string *key = zend_string_init(name, len, 0);
    zend_string *value = tusk_request_view_header(view, key);
    zend_string_release(key);
    return value;
}

/* The header first; browsers can put a cursor only into the URL at their first request. */
static void read_last_event_id(tusk_peer *self)
{
    zval *slot = OBJ_PROP_NUM(&self->std, STREAM_LAST_EVENT_ID);
    zend_string *id = view_header(&self->view, "last-event-id", 13);
    if (id == NULL) {
        zend_string *name = zend_string_init("lastEventId", 11, 0);
        id = tusk_query_find(tusk_target_query(self->view.target), name);
        zend_string_release(name);
    }
    zval_ptr_dtor(slot);
    if (id == NULL) {
        ZVAL_NULL(slot);
    } else {
        ZVAL_STR(slot, id);
    }
}

void tusk_event_stream_begin(tusk_peer *self, const tusk_request *request)
{
    if (self->view.target == NULL) {
        tusk_request_view_init(&self->view, request);
        read_last_event_id(self);
    }
}

void tusk_event_stream_take(tusk_peer *self, tusk_request_view *view)
{
    tusk_request_view_fini(&self->view);
    tusk_request_view_keep(view);
    self->view.headers = view->headers;
    GC_ADDREF(self->view.headers);
    self->view.target = zend_string_copy(view->target);
    read_last_event_id(self);
}

static bool is_value(zend_string *text, uint32_t number)
{
    bool valid = text == NULL || tusk_sse_value_valid(tusk_zstr(text));
    if (!valid) {
        zend_argument_value_error(number, "must be valid UTF-8 without CR, LF or NUL");
    }
    return valid;
}

/* A client that does not read is closed by the core's policy, one that left is not the handler's
 * fault. */
static void check(tusk_err err, const char *what)
{
    if (err != TUSK_OK && err != TUSK_ELIMIT && err != TUSK_ESTATE && err != TUSK_ENOENT) {
        tusk_throw(err, "Cannot %s", what);
    }
}

TUSK_METHOD(Tusk_Sse_EventStream, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

static void found(zval *return_value, zend_string *value)
{
    if (value == NULL) {
        RETURN_NULL();
    }
    RETURN_STR(value);
}

TUSK_METHOD(Tusk_Sse_EventStream, header)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    found(return_value, tusk_request_view_header(&this_stream(ZEND_THIS)->view, name));
}

TUSK_METHOD(Tusk_Sse_EventStream, query)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    found(return_value,
          tusk_query_find(tusk_target_query(this_stream(ZEND_THIS)->view.target), name));
}

TUSK_METHOD(Tusk_Sse_EventStream, queryValues)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    RETURN_ARR(tusk_query_values(tusk_target_query(this_stream(ZEND_THIS)->view.target), name));
}

TUSK_METHOD(Tusk_Sse_EventStream, cookie)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    found(return_value, tusk_request_view_cookie(&this_stream(ZEND_THIS)->view, name));
}

TUSK_METHOD(Tusk_Sse_EventStream, send)
{
    zend_string *data;
    zend_string *event = NULL;
    zend_string *id = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(data)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(event)
    Z_PARAM_STR_OR_NULL(id)
    ZEND_PARSE_PARAMETERS_END();

    tusk_peer *self = this_stream(ZEND_THIS);
    if (!tusk_zstr_utf8(data)) {
        zend_argument_value_error(1, "must be valid UTF-8");
        RETURN_THROWS();
    }
    if (!is_value(event, 2) || !is_value(id, 3)) {
        RETURN_THROWS();
    }
    if (tusk_peer_alive(self)) {
        tusk_bytes none = tusk_bytes_of(NULL, 0);
        check(tusk_stream_send(self->service->core, self->session,
                               event == NULL ? none : tusk_zstr(event),
                               id == NULL ? none : tusk_zstr(id), id != NULL, tusk_zstr(data)),
              "send");
    }
}

TUSK_METHOD(Tusk_Sse_EventStream, comment)
{
    zend_string *text = ZSTR_EMPTY_ALLOC();

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR(text)
    ZEND_PARSE_PARAMETERS_END();

    tusk_peer *self = this_stream(ZEND_THIS);
    if (!is_value(text, 1)) {
        RETURN_THROWS();
    }
    if (tusk_peer_alive(self)) {
        check(tusk_stream_comment(self->service->core, self->session, tusk_zstr(text)),
              "send a comment");
    }
}

TUSK_METHOD(Tusk_Sse_EventStream, retry)
{
    zend_long milliseconds;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_LONG(milliseconds)
    ZEND_PARSE_PARAMETERS_END();

    tusk_peer *self = this_stream(ZEND_THIS);
    if (milliseconds < 0 || milliseconds > 2000000000) {
        zend_argument_value_error(1, "must be between 0 and 2000000000, " ZEND_LONG_FMT " given",
                                  milliseconds);
        RETURN_THROWS();
    }
    if (tusk_peer_alive(self)) {
        check(tusk_stream_retry(self->service->core, self->session, (uint32_t)milliseconds),
              "send");
    }
}

TUSK_METHOD(Tusk_Sse_EventStream, subscribe)
{
    tusk_peer_subscribe(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Sse_EventStream, unsubscribe)
{
    tusk_peer_unsubscribe(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Sse_EventStream, tls)
{
    tusk_peer_tls(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Sse_EventStream, close)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_peer *self = this_stream(ZEND_THIS);
    if (tusk_peer_alive(self)) {
        (void)tusk_stream_close(self->service->core, self->session);
    }
}

TUSK_METHOD(Tusk_Sse_EventStream, isOpen)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_peer *self = this_stream(ZEND_THIS);
    RETURN_BOOL(!self->closed && self->service->core != NULL &&
                tusk_session_open(self->service->core, self->session));
}

TUSK_METHOD(Tusk_Sse_EventStream, bufferedBytes)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_peer *self = this_stream(ZEND_THIS);
    RETURN_LONG(tusk_peer_alive(self)
                    ? (zend_long)tusk_session_buffered(self->service->core, self->session)
                    : 0);
}
