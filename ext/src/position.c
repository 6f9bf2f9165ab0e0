/* SPDX-License-Identifier: MIT */
/* Position: a place in a server's sequence of published messages, "epoch:offset". */
#include "src/position.h"

typedef struct position {
    tusk_position at;
    zend_object std;
} position;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(position, ce, &handlers)->std;
}

static int compare(zval *a, zval *b)
{
    ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
    if (Z_OBJCE_P(a) != tusk_ce_position || Z_OBJCE_P(b) != tusk_ce_position) {
        return ZEND_UNCOMPARABLE;
    }
    tusk_position left = TUSK_FROM(position, Z_OBJ_P(a))->at;
    tusk_position right = TUSK_FROM(position, Z_OBJ_P(b))->at;
    if (left.epoch != right.epoch) {
        return ZEND_UNCOMPARABLE;
    }
    return left.offset < right.offset ? -1 : left.offset > right.offset;
}

void tusk_position_object(zval *out, tusk_position at)
{
    zend_object *object = create(tusk_ce_position);
    TUSK_FROM(position, object)->at = at;
    ZVAL_OBJ(out, object);
}

bool tusk_position_arg(zend_object *object, zend_string *text, uint32_t number, tusk_position *out)
{
    if (object != NULL) {
        *out = TUSK_FROM(position, object)->at;
        return true;
    }
    if (tusk_position_parse(out, tusk_zstr(text)) == TUSK_OK) {
        return true;
    }
    zend_argument_value_error(number, "must be a position (\"epoch:offset\"), \"%s\" given",
                              ZSTR_VAL(text));
    return false;
}

TUSK_METHOD(Tusk_Position, __construct)
{
    zend_string *text;

    TUSK_PARSE_CONSTRUCTOR_START(1, 1)
    Z_PARAM_STR(text)
    TUSK_PARSE_CONSTRUCTOR_END();

    tusk_position_arg(NULL, text, 1, &TUSK_FROM(position, Z_OBJ_P(ZEND_THIS))->at);
}

static void as_text(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();

    char text[TUSK_POSITION_TEXT_MAX];
    size_t len = tusk_position_text(text, TUSK_FROM(position, Z_OBJ_P(ZEND_THIS))->at);
    RETURN_STRINGL(text, len);
}

TUSK_METHOD(Tusk_Position, __toString)
{
    as_text(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Position, jsonSerialize)
{
    as_text(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void tusk_position_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(position, std), zend_object_std_dtor);
    handlers.compare = compare;
    tusk_ce_position->create_object = create;
}
