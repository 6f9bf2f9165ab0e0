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

/* As PHP says it, whose own words are in no header, for what can be wrong with a text. */
const char *tusk_json_fault(zend_long code)
{
    switch (code) {
    case PHP_JSON_ERROR_SYNTAX: return "Syntax error";
    case PHP_JSON_ERROR_DEPTH: return "Maximum stack depth exceeded";
    case PHP_JSON_ERROR_STATE_MISMATCH: return "State mismatch (invalid or malformed JSON)";
    case PHP_JSON_ERROR_CTRL_CHAR: return "Control character error, possibly incorrectly encoded";
    case PHP_JSON_ERROR_UTF8: return "Malformed UTF-8 characters, possibly incorrectly encoded";
    case PHP_JSON_ERROR_UTF16: return "Single unpaired UTF-16 surrogate in unicode escape";
    case PHP_JSON_ERROR_INVALID_PROPERTY_NAME:
        return "Too many of an object's keys fall into one place of a hash table";
    default: return NULL;
    }
}

void tusk_json_decode(zval *out, const zend_string *text, zend_class_entry *thrown)
{
    php_json_parser parser;
    php_json_parser_init(&parser, out, ZSTR_VAL(text), ZSTR_LEN(text), PHP_JSON_OBJECT_AS_ARRAY,
                         PHP_JSON_PARSER_DEFAULT_DEPTH);
    parser.methods.object_update = update;
    if (php_json_parse(&parser) != 0) {
        int code = (int)php_json_parser_error_code(&parser);
        const char *fault = tusk_json_fault(code);
        ZVAL_NULL(out);
        zend_throw_exception(thrown, fault == NULL ? "Syntax error" : fault, code);
    }
}
