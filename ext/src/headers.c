/* SPDX-License-Identifier: MIT */
/* Response headers given as an array: checked, and written as lines. */
#include "src/http.h"

/* The core writes these itself. */
static bool ours(zend_string *name)
{
    return zend_string_equals_literal_ci(name, "content-length") ||
           zend_string_equals_literal_ci(name, "connection") ||
           zend_string_equals_literal_ci(name, "transfer-encoding") ||
           zend_string_equals_literal_ci(name, "date");
}

static bool fault(uint32_t number, const char *format, const char *name)
{
    char text[160];
    snprintf(text, sizeof(text), format, name);
    if (number == 0) {
        zend_value_error("%s", text);
    } else {
        zend_argument_value_error(number, "%s", text);
    }
    return false;
}

static bool add_line(tusk_buf *out, zend_string *name, zval *value, uint32_t number)
{
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_LONG) {
        return fault(number, "must have strings as values, header \"%.64s\" has another type",
                     ZSTR_VAL(name));
    }
    zend_string *temporary;
    zend_string *text = zval_get_tmp_string(value, &temporary);
    bool valid = tusk_http_value_valid(tusk_zstr(text));
    if (!valid) {
        fault(number, "must have no CR, LF, NUL or other control byte in header \"%.64s\"",
              ZSTR_VAL(name));
    } else if (out != NULL && !ours(name)) {
        valid = tusk_http_field_append(out, tusk_zstr(name), tusk_zstr(text)) == TUSK_OK;
        if (!valid) {
            fault(number, "must have at most 64 KiB of headers, \"%.64s\" is too much",
                  ZSTR_VAL(name));
        }
    }
    zend_tmp_string_release(temporary);
    return valid;
}

bool tusk_header_lines(tusk_buf *out, HashTable *headers, uint32_t number)
{
    zend_string *name;
    zval *value;
    ZEND_HASH_FOREACH_STR_KEY_VAL(headers, name, value)
    {
        if (name == NULL || !tusk_http_name_valid(tusk_zstr(name))) {
            return fault(number, "must be of the form name => value, \"%.64s\" is no header name",
                         name == NULL ? "(a number)" : ZSTR_VAL(name));
        }
        ZVAL_DEREF(value);
        if (Z_TYPE_P(value) != IS_ARRAY) {
            if (!add_line(out, name, value, number)) {
                return false;
            }
            continue;
        }
        zval *item;
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), item)
        {
            if (!add_line(out, name, item, number)) {
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

void tusk_reply_plain(tusk_host *host, tusk_handle session, int status)
{
    static const char type[] = "Content-Type: text/plain\r\n";
    char body[64];
    int len = snprintf(body, sizeof(body), "%d %s\n", status, tusk_http_reason(status));
    (void)tusk_reply(host->core, session, status, tusk_bytes_of(type, sizeof(type) - 1),
                     tusk_bytes_of(body, (size_t)len), NULL);
}
