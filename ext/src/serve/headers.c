/* SPDX-License-Identifier: MIT */
/* Response headers given as an array: checked, and written as lines. */
#include "src/serve/http.h"

/* The core writes these itself, or they say something of the connection, which is the core's, and
 * would have to be named in its Connection (RFC 9110, 7.6.1 and 10.1.4). */
static bool ours(zend_string *name)
{
    return zend_string_equals_literal_ci(name, "content-length") ||
           zend_string_equals_literal_ci(name, "connection") ||
           zend_string_equals_literal_ci(name, "transfer-encoding") ||
           zend_string_equals_literal_ci(name, "keep-alive") ||
           zend_string_equals_literal_ci(name, "proxy-connection") ||
           zend_string_equals_literal_ci(name, "te") || zend_string_equals_literal_ci(name, "date");
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

static bool name_fault(uint32_t number, const zend_string *name)
{
    return fault(number, "must be of the form name => value, \"%.64s\" is no header name",
                 name == NULL ? "(a number)" : ZSTR_VAL(name));
}

/* Appending checks both, so they are checked here only when nothing is appended. */
static tusk_err add_checked(tusk_buf *out, zend_string *name, tusk_bytes value)
{
    if (out != NULL && !ours(name)) {
        return tusk_http_field_append(out, tusk_zstr(name), value);
    }
    return tusk_http_name_valid(tusk_zstr(name)) && tusk_http_value_valid(value) ? TUSK_OK
                                                                                 : TUSK_EINVAL;
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
    tusk_err err = add_checked(out, name, tusk_zstr(text));
    zend_tmp_string_release(temporary);
    if (EXPECTED(err == TUSK_OK)) {
        return true;
    }
    if (err != TUSK_EINVAL) {
        return fault(number, "must have at most 64 KiB of headers, \"%.64s\" is too much",
                     ZSTR_VAL(name));
    }
    return tusk_http_name_valid(tusk_zstr(name))
               ? fault(number, "must have no CR, LF, NUL or other control byte in header \"%.64s\"",
                       ZSTR_VAL(name))
               : name_fault(number, name);
}

static bool add_list(tusk_buf *out, zend_string *name, HashTable *list, uint32_t number)
{
    zval *item;
    if (!tusk_http_name_valid(tusk_zstr(name))) {
        return name_fault(number, name); /* also of an empty list */
    }
    ZEND_HASH_FOREACH_VAL(list, item)
    {
        if (!add_line(out, name, item, number)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

bool tusk_header_lines(tusk_buf *out, HashTable *headers, uint32_t number)
{
    zend_string *name;
    zval *value;
    ZEND_HASH_FOREACH_STR_KEY_VAL(headers, name, value)
    {
        if (name == NULL) {
            return name_fault(number, NULL);
        }
        ZVAL_DEREF(value);
        bool fine = Z_TYPE_P(value) == IS_ARRAY ? add_list(out, name, Z_ARRVAL_P(value), number)
                                                : add_line(out, name, value, number);
        if (!fine) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* Connection is the core's, so what an answer says of Upgrade gets its option here (RFC 9110, 7.8):
 * a line of its own beside what the core says. */
static bool names_upgrade(HashTable *headers)
{
    zend_string *name;
    zval *value;
    ZEND_HASH_FOREACH_STR_KEY_VAL(headers, name, value)
    {
        ZVAL_DEREF(value);
        if (name != NULL && zend_string_equals_literal_ci(name, "upgrade") &&
            (Z_TYPE_P(value) != IS_ARRAY || zend_hash_num_elements(Z_ARRVAL_P(value)) > 0)) {
            return true;
        }
    }
    ZEND_HASH_FOREACH_END();
    return false;
}

bool tusk_answer_lines(tusk_buf *out, HashTable *headers, uint32_t number)
{
    if (!tusk_header_lines(out, headers, number)) {
        return false;
    }
    if (names_upgrade(headers) && tusk_buf_append_str(out, "Connection: upgrade\r\n") != TUSK_OK) {
        return fault(number, "must have at most 64 KiB of headers, \"%.64s\" is too much",
                     "Upgrade");
    }
    return true;
}

/* ---- what was sent lately ---- */
/* Neither references, which may change behind the array's back, nor lists, which may hold some. */
static bool is_fixed(HashTable *headers)
{
    zval *value;
    ZEND_HASH_FOREACH_VAL(headers, value)
    {
        if (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_LONG) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static size_t place_of(const zend_array *headers)
{
    return (uintptr_t)headers / sizeof(zend_array) % HEADER_MEMOS;
}

static void forget(tusk_header_memo *self)
{
    zend_array *headers = self->headers;
    self->headers = NULL;
    if (headers != NULL) {
        zend_array_release(headers);
    }
}

bool tusk_header_memo_has(const tusk_header_memo memos[HEADER_MEMOS], const zend_array *headers)
{
    return memos[place_of(headers)].headers == headers;
}

bool tusk_header_memo_lines(tusk_header_memo memos[HEADER_MEMOS], zend_array *headers,
                            tusk_bytes *lines)
{
    tusk_header_memo *self = &memos[place_of(headers)];
    if (self->headers != headers) {
        forget(self);
        if (self->lines.mem == NULL) {
            tusk_buf_init(&self->lines, tusk_mem_default(), HEADERS_MAX);
        }
        tusk_buf_clear(&self->lines);
        if (!tusk_answer_lines(&self->lines, headers, 0)) {
            return false;
        }
        if (is_fixed(headers)) {
            self->headers = headers;
            GC_TRY_ADDREF(headers);
        }
    }
    *lines = tusk_buf_view(&self->lines);
    return true;
}

void tusk_header_memo_clear(tusk_header_memo memos[HEADER_MEMOS])
{
    for (size_t i = 0; i < HEADER_MEMOS; i++) {
        forget(&memos[i]);
        tusk_buf_fini(&memos[i].lines);
    }
}

void tusk_reply_plain(tusk_service *service, tusk_handle session, int status)
{
    (void)tusk_reply_reason(service->core, session, status, NULL);
}
