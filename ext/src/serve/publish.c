/* SPDX-License-Identifier: MIT */
/* publish() as servers and connections have it. */
#include "src/serve/connection.h"
#include "src/position.h"

#include <tusk/sse.h>

static unsigned published_opcode(zend_object *type, zend_string *data)
{
    unsigned opcode = type == NULL ? TUSK_WS_TEXT : tusk_case_opcode(type);
    if (opcode != TUSK_WS_TEXT && opcode != TUSK_WS_BINARY) {
        zend_argument_value_error(3, "must be MessageType::Text or MessageType::Binary");
        return 0;
    }
    if (opcode == TUSK_WS_TEXT && !tusk_zstr_utf8(data)) {
        zend_argument_value_error(2, "must be valid UTF-8 for a text message");
        return 0;
    }
    return opcode;
}

void tusk_service_publish_method(tusk_service *service, zend_string *topic, zend_string *data,
                                 zend_object *type, zend_string *sse_type, zend_string *sse_id,
                                 const tusk_handle *except, zval *return_value)
{
    unsigned opcode = published_opcode(type, data);
    if (opcode == 0 || !tusk_topic_valid(topic, 1)) {
        return;
    }
    if (sse_type != NULL && !tusk_sse_value_valid(tusk_zstr(sse_type))) {
        zend_argument_value_error(4, "must be valid UTF-8 without CR, LF or NUL");
        return;
    }
    if (sse_id != NULL && !tusk_sse_value_valid(tusk_zstr(sse_id))) {
        zend_argument_value_error(5, "must be valid UTF-8 without CR, LF or NUL");
        return;
    }
    if (service->core == NULL) { /* perhaps since a parameter became a string */
        zend_throw_error(NULL, "The server is gone");
        return;
    }
    if (!tusk_host_may_publish(&service->host)) {
        return;
    }
    tusk_position position;
    tusk_err err =
        tusk_service_publish(service, topic, data, opcode, sse_type, sse_id, except, &position);
    if (err != TUSK_OK) {
        tusk_throw(err, "Cannot publish to \"%s\"", ZSTR_VAL(topic));
        return;
    }
    tusk_position_object(return_value, position);
}

void tusk_service_publish_message(INTERNAL_FUNCTION_PARAMETERS, tusk_service *self,
                                  const tusk_handle *except)
{
    zend_string *topic;
    zend_string *data;
    zend_object *type = NULL;

    ZEND_PARSE_PARAMETERS_START(2, 3)
    Z_PARAM_STR(topic)
    Z_PARAM_STR(data)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS(type, tusk_ce_message_type)
    ZEND_PARSE_PARAMETERS_END();

    tusk_service_publish_method(self, topic, data, type, NULL, NULL, except, return_value);
}
