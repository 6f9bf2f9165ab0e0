/* SPDX-License-Identifier: MIT */
/* The compatible server's onHandshake: HandshakeResponse, HandshakeException, and who answers what.
 */
#include "src/serve/http.h"

/* Slots of HandshakeResponse in the stub's order. */
enum { RESPONSE_STATUS, RESPONSE_HEADERS, RESPONSE_BODY };

TUSK_METHOD(Tusk_WebSocket_HandshakeResponse, __construct)
{
    zend_long status = 403;
    HashTable *headers = NULL;
    zend_string *body = ZSTR_EMPTY_ALLOC();

    TUSK_PARSE_CONSTRUCTOR_START(0, 3)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(status)
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_STR(body)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *object = Z_OBJ_P(ZEND_THIS);
    if (Z_TYPE_P(OBJ_PROP_NUM(object, RESPONSE_STATUS)) != IS_UNDEF) {
        zend_throw_error(NULL, "%s is readonly once it is made", ZSTR_VAL(object->ce->name));
        RETURN_THROWS();
    }
    if (status < 300 || status > 599) {
        zend_argument_value_error(1, "must be between 300 and 599, " ZEND_LONG_FMT " given",
                                  status);
        RETURN_THROWS();
    }
    if (headers != NULL && !tusk_header_lines(NULL, headers, 2)) {
        RETURN_THROWS();
    }
    ZVAL_LONG(OBJ_PROP_NUM(object, RESPONSE_STATUS), status);
    if (headers == NULL) {
        ZVAL_EMPTY_ARRAY(OBJ_PROP_NUM(object, RESPONSE_HEADERS));
    } else {
        ZVAL_COPY(OBJ_PROP_NUM(object, RESPONSE_HEADERS), ZEND_CALL_ARG(execute_data, 2));
    }
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, RESPONSE_BODY), body);
}

TUSK_METHOD(Tusk_WebSocket_HandshakeException, __construct)
{
    zend_object *response = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(response, tusk_ce_handshake_response)
    TUSK_PARSE_CONSTRUCTOR_END();

    zval value;
    if (response != NULL) {
        ZVAL_OBJ_COPY(&value, response);
    } else {
        zend_object *made = zend_objects_new(tusk_ce_handshake_response);
        ZVAL_LONG(OBJ_PROP_NUM(made, RESPONSE_STATUS), 403);
        ZVAL_EMPTY_ARRAY(OBJ_PROP_NUM(made, RESPONSE_HEADERS));
        ZVAL_EMPTY_STRING(OBJ_PROP_NUM(made, RESPONSE_BODY));
        ZVAL_OBJ(&value, made);
    }
    zend_object *self = Z_OBJ_P(ZEND_THIS);
    zend_long status = Z_LVAL_P(OBJ_PROP_NUM(Z_OBJ(value), RESPONSE_STATUS));
    zend_update_property(tusk_ce_handshake_exception, self, "response", sizeof("response") - 1,
                         &value);
    zval_ptr_dtor(&value);
    if (EG(exception) == NULL) {
        zend_string *message =
            zend_strpprintf(0, "The handshake is refused with status " ZEND_LONG_FMT, status);
        zend_update_property_str(zend_ce_exception, self, "message", sizeof("message") - 1,
                                 message);
        zend_update_property_long(zend_ce_exception, self, "code", sizeof("code") - 1, status);
        zend_string_release(message);
    }
}

static void answer_refusal(tusk_service *service, tusk_handle session, zend_object *response)
{
    tusk_buf lines;
    zend_string *body = Z_STR_P(OBJ_PROP_NUM(response, RESPONSE_BODY));
    tusk_buf_init(&lines, tusk_mem_default(), 65536);
    if (tusk_answer_lines(&lines, Z_ARRVAL_P(OBJ_PROP_NUM(response, RESPONSE_HEADERS)), 0)) {
        (void)tusk_reply(service->core, session,
                         (int)Z_LVAL_P(OBJ_PROP_NUM(response, RESPONSE_STATUS)),
                         tusk_buf_view(&lines), tusk_zstr(body), NULL);
    } else {
        tusk_clear_exception();
        tusk_reply_plain(service, session, 500);
    }
    tusk_buf_fini(&lines);
}

void tusk_handshake_dispatch(tusk_service *service, tusk_handle session, tusk_php_route *route,
                             const tusk_request *request)
{
    tusk_call call = {0};
    zval arg;
    zval result;
    zend_object *refusal = NULL;
    tusk_request_view *view;
    zend_object *object = tusk_upgrade_request_make(service, session, request, &view);
    tusk_request_view_lend(view, &call);
    ZVAL_OBJ(&arg, object);
    call.refusal = &refusal;
    call.refusal_class = tusk_ce_handshake_exception;
    tusk_call_end end =
        tusk_call_run(&call, &service->host, session, &route->authorize, 1, &arg, &result);
    if (GC_REFCOUNT(object) > 1) {
        tusk_request_view_keep(view);
    } else {
        view->request = NULL;
    }
    if (refusal != NULL) {
        zval rv;
        zval *response = zend_read_property(tusk_ce_handshake_exception, refusal, "response",
                                            sizeof("response") - 1, 1, &rv);
        if (Z_TYPE_P(response) == IS_OBJECT) {
            answer_refusal(service, session, Z_OBJ_P(response));
        } else {
            tusk_reply_plain(service, session,
                             403); /* a subclass that did not call our constructor */
        }
        OBJ_RELEASE(refusal);
    } else if (end == CALL_DONE) {
        (void)tusk_accept(service->core, session, tusk_bytes_of(NULL, 0));
    } else {
        tusk_reply_plain(service, session, end == CALL_CANCELLED ? 503 : 500);
    }
    zval_ptr_dtor(&result);
    tusk_request_give(service, object);
}
