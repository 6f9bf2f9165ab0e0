/* SPDX-License-Identifier: MIT */
/* One exchange: a request goes to its handler, and what that returns goes back. */
#include "src/json.h"
#include "src/serve/connection.h"
#include "src/serve/http.h"

#include <Zend/zend_interfaces.h>
#include <ext/json/php_json.h>

/* After the handler: nobody may read borrowed bytes any more. */
static void end_view(zend_object *object, tusk_request_view *view)
{
    if (GC_REFCOUNT(object) > 1) {
        tusk_request_view_keep(view);
    } else {
        view->request = NULL;
    }
}

/* An interface of Composer's, which may not be loaded. */
static bool has_interface(const zend_class_entry *ce, const char *name)
{
    for (uint32_t i = 0; i < ce->num_interfaces; i++) {
        if (strcmp(ZSTR_VAL(ce->interfaces[i]->name), name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *hint_of_object(const zend_class_entry *ce)
{
    if (instanceof_function(ce, php_json_serializable_ce)) {
        return " (Response::json() makes one)";
    }
    if (instanceof_function(ce, zend_ce_traversable)) {
        return " (Response::stream() makes one)";
    }
    if (has_interface(ce, "Psr\\Http\\Message\\ResponseInterface")) {
        return " (Tusk\\Bridge\\Psr\\Handler serves applications of PSR-15)";
    }
    return instanceof_function(ce, zend_ce_stringable) ? " (Response::text() or html() makes one)"
                                                       : "";
}

static const char *hint(const zval *result)
{
    switch (Z_TYPE_P(result)) {
    case IS_ARRAY: return " (Response::json() makes one)";
    case IS_STRING: return " (Response::text() or html() makes one)";
    case IS_NULL: return " (is a return missing? what is echoed is no answer)";
    case IS_LONG: return " (new Response($status) makes one)";
    case IS_OBJECT: return hint_of_object(Z_OBJCE_P(result));
    default: return "";
    }
}

static void answer(tusk_service *service, tusk_handle session, const tusk_php_route *route,
                   zval *result)
{
    char text[128];
    if (Z_TYPE_P(result) == IS_OBJECT && Z_OBJCE_P(result) == tusk_ce_http_response) {
        tusk_response_send(service, session, Z_OBJ_P(result));
        return;
    }
    (void)snprintf(text, sizeof(text),
                   "an HTTP handler returned %s in place of Tusk\\Http\\Response%s",
                   zend_zval_type_name(result), hint(result));
    tusk_log_handler(&route->message, text);
    tusk_reply_plain(service, session, 500);
}

/* Of a handler that gave no answer. What it let through is told by its code, in our words: those of
 * an exception that it made itself may be nobody's business. */
static void reply_for(tusk_service *service, tusk_handle session, tusk_call_end end,
                      const zval *code)
{
    if (end != CALL_REFUSED) {
        tusk_reply_plain(service, session, end == CALL_CANCELLED ? 503 : 500);
        return;
    }
    char text[128];
    const char *fault = Z_TYPE_P(code) == IS_LONG ? tusk_json_fault(Z_LVAL_P(code)) : NULL;
    if (fault != NULL) {
        (void)snprintf(text, sizeof(text), "the body cannot be read as JSON: %s", fault);
    }
    (void)tusk_reply_reason(service->core, session, 400, fault == NULL ? NULL : text);
}

void tusk_http_dispatch(tusk_service *service, tusk_handle session, tusk_php_route *route,
                        const tusk_request *request)
{
    tusk_call call = {0};
    zval arg;
    zval result;
    tusk_request_view *view;
    zend_object *object = tusk_http_request_make(service, session, request, &view);
    tusk_request_view_lend(view, &call);
    ZVAL_OBJ(&arg, object);
    call.about = object;
    call.answer = &result;
    tusk_call_end end =
        tusk_call_run(&call, &service->host, session, &route->message, 1, &arg, &result);
    end_view(object, view);
    if (service->core != NULL) {
        if (end == CALL_DONE || Z_TYPE(result) == IS_OBJECT) { /* onError's is as good */
            answer(service, session, route, &result);
        } else {
            reply_for(service, session, end, &result);
        }
    }
    if (EXPECTED(Z_TYPE(result) == IS_OBJECT && Z_OBJCE(result) == tusk_ce_http_response)) {
        tusk_response_give(service, Z_OBJ(result));
    } else {
        zval_ptr_dtor(&result);
    }
    tusk_request_give(service, object);
}

/* null, false: 401; a Response: that; else the identity, which the session's object carries from
 * now on. Who answers by true or false means by false that nobody is let in. */
void tusk_authorize_dispatch(tusk_service *service, tusk_handle session, tusk_php_route *route,
                             const tusk_request *request)
{
    tusk_call call = {0};
    zval arg;
    zval result;
    bool stream = route->kind == ROUTE_EVENTS;
    bool opens = request->head->method != TUSK_HTTP_HEAD;
    tusk_request_view *view;
    zend_object *object = tusk_http_request_make(service, session, request, &view);
    tusk_request_view_lend(view, &call);
    ZVAL_OBJ(&arg, object);
    call.about = object;
    call.answer = &result;
    tusk_call_end end =
        tusk_call_run(&call, &service->host, session, &route->authorize, 1, &arg, &result);
    if (service->core == NULL) {
        zval_ptr_dtor(&result);
    } else if (end != CALL_DONE && Z_TYPE(result) != IS_OBJECT) {
        reply_for(service, session, end, &result);
    } else if (Z_TYPE(result) == IS_NULL || Z_TYPE(result) == IS_FALSE) {
        tusk_reply_plain(service, session, 401);
    } else if (Z_TYPE(result) == IS_OBJECT && Z_OBJCE(result) == tusk_ce_http_response) {
        tusk_response_send(service, session, Z_OBJ(result));
        zval_ptr_dtor(&result);
    } else if (!opens) { /* the head alone: nobody's connection is made */
        (void)tusk_accept(service->core, session, tusk_bytes_of(NULL, 0));
        zval_ptr_dtor(&result);
    } else {
        tusk_peer *peer = tusk_peer_get(service, session, stream);
        if (stream) {
            tusk_event_stream_take(peer, view);
        }
        ZVAL_COPY_VALUE(OBJ_PROP_NUM(&peer->std, stream ? STREAM_IDENTITY : CONNECTION_IDENTITY),
                        &result);
        tusk_peer_put(peer);
        (void)tusk_accept(service->core, session, tusk_bytes_of(NULL, 0));
    }
    end_view(object, view);
    tusk_request_give(service, object);
}
