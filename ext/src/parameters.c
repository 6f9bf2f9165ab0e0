/* SPDX-License-Identifier: MIT */
/* Parameters that several methods take: parsed alike, refused in the same words. */
#include "src/parameters.h"

#include <math.h>
#include <tusk/http.h>
#include <tusk/loop.h>

/* ---- seconds ---- */
/* The number as PHP itself writes it, whatever the locale. */
static void refuse_seconds(uint32_t number, const char *bounds, double given)
{
    enum { DIGITS = 6 };
    char text[32];
    php_gcvt(given, DIGITS, '.', 'e', text);
    zend_argument_value_error(number, "must be between %s seconds, %s given", bounds, text);
}

bool tusk_seconds_valid(double seconds, uint32_t number)
{
    bool valid = seconds >= 0 && seconds <= 1e9; /* NAN is not */
    if (!valid) {
        refuse_seconds(number, "0 and 1e9", seconds);
    }
    return valid;
}

bool tusk_timeout_valid(double seconds, uint32_t number)
{
    bool valid = seconds >= 0.001 && seconds <= 1e6;
    if (!valid) {
        refuse_seconds(number, "0.001 and 1e6", seconds);
    }
    return valid;
}

uint64_t tusk_seconds_in_ms(double seconds)
{
    return (uint64_t)ceil(seconds * 1000);
}

uint64_t tusk_ms_until(uint64_t until_ns)
{
    uint64_t now_ns = tusk_loop_clock_ns();
    return until_ns > now_ns ? (until_ns - now_ns + 999999) / 1000000 : 0;
}

bool tusk_wait_valid(double seconds, bool none, uint32_t number, int64_t *ms)
{
    *ms = -1;
    if (none) {
        return true;
    }
    if (!tusk_seconds_valid(seconds, number)) {
        return false;
    }
    *ms = (int64_t)tusk_seconds_in_ms(seconds);
    return true;
}

bool tusk_receive_parameters(INTERNAL_FUNCTION_PARAMETERS, int64_t *ms)
{
    double timeout = 0;
    bool none = true;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(timeout, none)
    ZEND_PARSE_PARAMETERS_END_EX(return false);

    return tusk_wait_valid(timeout, none, 1, ms);
}

/* ---- numbers ---- */
bool tusk_positive_valid(zend_long value, uint32_t number)
{
    if (value < 1) {
        zend_argument_value_error(number, "must be greater than 0, " ZEND_LONG_FMT " given", value);
    }
    return value >= 1;
}

/* ---- messages ---- */
zend_string *tusk_ping_parameter(INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *payload = ZSTR_EMPTY_ALLOC();

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR(payload)
    ZEND_PARSE_PARAMETERS_END_EX(return NULL);

    return payload;
}

/* ---- closing ---- */
bool tusk_close_valid(uint32_t code_number, zend_long code, zend_string *reason)
{
    if (code < 0 || code > 4999 || !tusk_ws_code_valid((unsigned)code)) {
        zend_argument_value_error(
            code_number,
            "must be a valid close code (1000-1003, 1007-1014 or 3000-4999), " ZEND_LONG_FMT
            " given",
            code);
        return false;
    }
    if (ZSTR_LEN(reason) > TUSK_WS_REASON_MAX) {
        zend_argument_value_error(code_number + 1, "must be at most 123 bytes, %zu given",
                                  ZSTR_LEN(reason));
        return false;
    }
    if (!tusk_zstr_utf8(reason)) {
        zend_argument_value_error(code_number + 1, "must be valid UTF-8");
        return false;
    }
    return true;
}

bool tusk_close_parameters(INTERNAL_FUNCTION_PARAMETERS, uint16_t *code, zend_string **reason)
{
    zend_long number = TUSK_WS_CODE_NORMAL;
    *reason = ZSTR_EMPTY_ALLOC();

    ZEND_PARSE_PARAMETERS_START(0, 2)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(number)
    Z_PARAM_STR(*reason)
    ZEND_PARSE_PARAMETERS_END_EX(return false);

    if (!tusk_close_valid(1, number, *reason)) {
        return false;
    }
    *code = (uint16_t)number;
    return true;
}

/* ---- addresses ---- */
bool tusk_addresses_valid(const zval *given, uint32_t number)
{
    bool valid = Z_TYPE_P(given) == IS_STRING || Z_TYPE_P(given) == IS_ARRAY;
    if (!valid) {
        zend_argument_type_error(
            number, "must be of type array|string, %s given: an address is \"127.0.0.1:8080\"",
            zend_zval_type_name(given));
    }
    return valid;
}

bool tusk_may_demand_header(bool demanded, bool trusts, uint32_t number)
{
    if (demanded && !trusts) {
        zend_argument_value_error(number, "wants $trustedProxies to name the balancers: the header "
                                          "of nobody else is asked for, or believed");
        return false;
    }
    return true;
}

static bool looks_like_a_port(const zval *given)
{
    return Z_TYPE_P(given) == IS_LONG ||
           (Z_TYPE_P(given) == IS_STRING &&
            is_numeric_string(Z_STRVAL_P(given), Z_STRLEN_P(given), NULL, NULL, false) != 0);
}

bool tusk_after_address(zval *given, zend_object **object, const zend_class_entry *ce, bool or_null,
                        uint32_t number)
{
    *object = NULL;
    if (Z_TYPE_P(given) == IS_OBJECT && instanceof_function(Z_OBJCE_P(given), ce)) {
        *object = Z_OBJ_P(given);
    } else if (Z_TYPE_P(given) != IS_NULL || !or_null) {
        zend_argument_type_error(number, "must be of type %s%s, %s given%s", or_null ? "?" : "",
                                 ZSTR_VAL(ce->name), zend_zval_type_name(given),
                                 looks_like_a_port(given)
                                     ? ": the port is part of the address, \"127.0.0.1:8080\""
                                     : "");
        return false;
    }
    return true;
}

/* ---- numbers of processes ---- */
bool tusk_automatic_count(const zend_string *text, uint32_t number, zend_long max, zend_long *out)
{
    if (!zend_string_equals_literal_ci(text, "auto")) {
        zend_argument_value_error(number, "must be \"auto\" or a number");
        return false;
    }
    zend_long cpus = (zend_long)tusk_loop_cpus();
    *out = cpus > max ? max : cpus;
    return true;
}

/* ---- lists ---- */
tusk_bytes *tusk_string_list(HashTable *list, uint32_t number, size_t *count)
{
    tusk_bytes *texts =
        safe_emalloc(list == NULL ? 0 : zend_hash_num_elements(list), sizeof(texts[0]), 1);
    *count = 0;
    if (list == NULL) {
        return texts;
    }
    zval *item;
    ZEND_HASH_FOREACH_VAL(list, item)
    {
        ZVAL_DEREF(item);
        if (Z_TYPE_P(item) != IS_STRING || tusk_zstr_has_nul(Z_STR_P(item))) {
            zend_argument_type_error(number, "must be a list of strings, %s found",
                                     zend_zval_type_name(item));
            efree(texts);
            return NULL;
        }
        texts[(*count)++] = tusk_zstr(Z_STR_P(item));
    }
    ZEND_HASH_FOREACH_END();
    return texts;
}

const char **tusk_c_string_list(HashTable *list, uint32_t number, size_t *count)
{
    tusk_bytes *texts = tusk_string_list(list, number, count);
    if (texts == NULL) {
        return NULL;
    }
    const char **strings = safe_emalloc(*count, sizeof(strings[0]), 1);
    for (size_t i = 0; i < *count; i++) {
        strings[i] = (const char *)texts[i].ptr; /* of a zend_string: ends with NUL */
    }
    efree(texts);
    return strings;
}

static bool is_repeated(const tusk_bytes *texts, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (tusk_bytes_eq(texts[i], texts[j])) {
            return true;
        }
    }
    return false;
}

tusk_bytes *tusk_token_list(HashTable *list, uint32_t number, size_t *count)
{
    tusk_bytes *texts = tusk_string_list(list, number, count);
    for (size_t i = 0; texts != NULL && i < *count; i++) {
        const char *text = (const char *)texts[i].ptr;
        if (!tusk_http_name_valid(texts[i])) {
            zend_argument_value_error(
                number, "must be a list of tokens (RFC 6455, 4.1), \"%s\" found", text);
        } else if (is_repeated(texts, i)) {
            zend_argument_value_error(number, "must not repeat \"%s\"", text);
        } else {
            continue;
        }
        efree(texts);
        texts = NULL;
    }
    return texts;
}
