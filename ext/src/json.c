/* SPDX-License-Identifier: MIT */
/* JSON of strangers: PHP's decoder, with an eye on its keys. */
#include "src/json.h"

#include <Zend/zend_exceptions.h>
#include <ext/json/php_json.h>
#include <ext/json/php_json_parser.h>

/* Keys of one place of a table. A million that nobody chose have some ten. */
enum { CHAIN_MAX = 200 };

/* PHP's hash is known to everybody, the same in each process, and compares one after another what
 * falls into one place. */
static bool is_chosen(HashTable *table, zend_string *key)
{
    zend_ulong hash;
    if (!ZEND_HANDLE_NUMERIC(key, hash)) {
        hash = ZSTR_HASH(key);
    } else if (HT_FLAGS(table) & HASH_FLAG_PACKED) {
        return false;
    }
    uint32_t at = HT_HASH(table, (uint32_t)hash | table->nTableMask);
    int length = 0;
    for (; at != HT_INVALID_IDX && length <= CHAIN_MAX; length++) {
        at = Z_NEXT(HT_HASH_TO_BUCKET(table, at)->val);
    }
    return length > CHAIN_MAX;
}

static int update(php_json_parser *parser, zval *object, zend_string *key, zval *value)
{
    zend_symtable_update(Z_ARRVAL_P(object), key, value);
    bool chosen = is_chosen(Z_ARRVAL_P(object), key);
    zend_string_release(key);
    if (!chosen) {
        return SUCCESS;
    }
    zval_ptr_dtor(object);
    parser->scanner.errcode = PHP_JSON_ERROR_INVALID_PROPERTY_NAME; /* no other names a key */
    return FAILURE;
}

/* PHP's decoder throws, because it knows the words; they are taken over. */
static ZEND_COLD void throw_as(zend_class_entry *thrown)
{
    zval rv[2];
    zend_object *exception = EG(exception);
    if (exception == NULL || exception->ce != php_json_exception_ce || thrown == exception->ce) {
        return;
    }
    GC_ADDREF(exception);
    zend_clear_exception();
    zval *message = zend_read_property_ex(zend_ce_exception, exception,
                                          ZSTR_KNOWN(ZEND_STR_MESSAGE), 1, &rv[0]);
    zval *code =
        zend_read_property_ex(zend_ce_exception, exception, ZSTR_KNOWN(ZEND_STR_CODE), 1, &rv[1]);
    zend_throw_exception(thrown, Z_STRVAL_P(message), Z_LVAL_P(code));
    OBJ_RELEASE(exception);
}

void tusk_json_decode(zval *out, const zend_string *text, zend_class_entry *thrown)
{
    static const int options = PHP_JSON_OBJECT_AS_ARRAY | PHP_JSON_THROW_ON_ERROR;
    php_json_parser parser;
    php_json_parser_init(&parser, out, ZSTR_VAL(text), ZSTR_LEN(text), options,
                         PHP_JSON_PARSER_DEFAULT_DEPTH);
    parser.methods.object_update = update;
    if (php_json_parse(&parser) == 0) {
        return;
    }
    ZVAL_NULL(out);
    if (php_json_parser_error_code(&parser) == PHP_JSON_ERROR_INVALID_PROPERTY_NAME) {
        zend_throw_exception(thrown,
                             "Too many of an object's keys fall into one place of a hash table",
                             PHP_JSON_ERROR_INVALID_PROPERTY_NAME);
        return;
    }
    (void)php_json_decode_ex(out, ZSTR_VAL(text), ZSTR_LEN(text), options,
                             PHP_JSON_PARSER_DEFAULT_DEPTH);
    throw_as(thrown);
}
