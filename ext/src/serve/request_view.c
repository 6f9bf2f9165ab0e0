/* SPDX-License-Identifier: MIT */
/* A request's borrowed bytes as PHP values. */
#include "src/serve/request_view.h"

#include "src/tls.h"

void tusk_request_view_init(tusk_request_view *self, const tusk_request *request)
{
    self->request = request;
    self->headers = NULL;
    self->address = NULL;
    self->service = NULL;
    self->tls = NULL;
    self->holds_service = false;
    self->target =
        zend_string_init_fast((const char *)request->head->target.ptr, request->head->target.len);
}

void tusk_request_view_fini(tusk_request_view *self)
{
    if (self->headers != NULL) {
        zend_array_release(self->headers);
    }
    if (self->target != NULL) {
        zend_string_release(self->target);
    }
    if (self->address != NULL) {
        zend_string_release(self->address);
    }
    if (UNEXPECTED(self->tls != NULL)) {
        OBJ_RELEASE(self->tls);
    }
    if (UNEXPECTED(self->holds_service)) {
        tusk_service_unref(self->service);
    }
    memset(self, 0, sizeof(*self));
}

void tusk_request_view_keep(tusk_request_view *self)
{
    if (self->request != NULL) {
        (void)tusk_request_view_headers(self);
        (void)tusk_request_view_address(self);
        self->holds_service = self->request->secure && self->service != NULL;
        self->service = self->holds_service ? tusk_service_ref(self->service) : NULL;
        self->request = NULL;
    }
}

void tusk_request_view_keep_lent(void *view)
{
    tusk_request_view_keep(view);
}

zend_string *tusk_request_view_address(tusk_request_view *self)
{
    char text[64];
    if (self->address == NULL) {
        bool known = self->service != NULL && self->service->core != NULL;
        size_t len = known ? tusk_session_address(self->service->core, self->session, text) : 0;
        self->address = tusk_zstr_of(tusk_bytes_of(text, len));
    }
    return self->address;
}

zend_object *tusk_request_view_tls(tusk_request_view *self)
{
    if (self->tls == NULL && self->service != NULL && self->service->core != NULL) {
        self->tls = tusk_tls_info_make(self->service->core, self->session);
    }
    return self->tls;
}

/* Several fields of one name are one list; cookies have their own separator (RFC 6265bis, 5.8.1).
 */
void tusk_header_add(zend_array *headers, tusk_bytes field_name, tusk_bytes field_value)
{
    char stack[64] = "";
    size_t len = field_name.len;
    char *name = len <= sizeof(stack) ? stack : emalloc(len);
    for (size_t i = 0; i < len; i++) {
        uint8_t c = field_name.ptr[i];
        name[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    zval value;
    zval *there = zend_hash_str_find(headers, name, len);
    if (there == NULL) {
        ZVAL_STR(&value, tusk_zstr_of(field_value));
        zend_hash_str_add_new(headers, name, len, &value);
    } else {
        bool cookie = len == 6 && memcmp(name, "cookie", 6) == 0;
        zend_string *joined =
            zend_string_concat3(Z_STRVAL_P(there), Z_STRLEN_P(there), cookie ? "; " : ", ", 2,
                                (const char *)field_value.ptr, field_value.len);
        zval_ptr_dtor_str(there);
        ZVAL_STR(there, joined);
    }
    if (name != stack) {
        efree(name);
    }
}

zend_array *tusk_request_view_headers(tusk_request_view *self)
{
    if (self->headers != NULL) {
        return self->headers;
    }
    uint32_t count = self->request == NULL ? 0 : self->request->head->field_count;
    self->headers = zend_new_array(count);
    for (uint32_t i = 0; i < count; i++) {
        const tusk_http_field *field = &self->request->head->fields[i];
        tusk_header_add(self->headers, field->name, field->value);
    }
    return self->headers;
}

zend_string *tusk_request_view_header(tusk_request_view *self, zend_string *name)
{
    if (self->headers == NULL && self->request != NULL) {
        const tusk_http_head *head = self->request->head;
        const tusk_http_field *first = NULL;
        for (uint32_t i = 0; i < head->field_count; i++) {
            if (!tusk_bytes_eq_nocase(head->fields[i].name, tusk_zstr(name))) {
                continue;
            }
            if (first != NULL) {
                first = NULL; /* several: joined below */
                (void)tusk_request_view_headers(self);
                break;
            }
            first = &head->fields[i];
        }
        if (first != NULL) {
            return tusk_zstr_of(first->value);
        }
    }
    if (self->headers == NULL) {
        return NULL;
    }
    zend_string *lower = zend_string_tolower(name);
    zval *found = zend_hash_find(self->headers, lower);
    zend_string_release(lower);
    return found == NULL ? NULL : zend_string_copy(Z_STR_P(found));
}

/* The first cookie of that name; its value percent-decoded, without quotes around it. */
static zend_string *find_cookie(tusk_bytes rest, zend_string *name)
{
    while (rest.len > 0) {
        const uint8_t *end = memchr(rest.ptr, ';', rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        tusk_bytes pair = tusk_bytes_trim(tusk_bytes_of(rest.ptr, len));
        rest = tusk_bytes_of(rest.ptr + len, rest.len - len);
        if (rest.len > 0) {
            rest = tusk_bytes_of(rest.ptr + 1, rest.len - 1);
        }
        const uint8_t *equals = pair.len == 0 ? NULL : memchr(pair.ptr, '=', pair.len);
        if (equals == NULL) {
            continue;
        }
        size_t at = (size_t)(equals - pair.ptr);
        tusk_bytes value = tusk_bytes_trim(tusk_bytes_of(pair.ptr + at + 1, pair.len - at - 1));
        if (!tusk_bytes_eq(tusk_bytes_trim(tusk_bytes_of(pair.ptr, at)), tusk_zstr(name))) {
            continue;
        }
        if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"') {
            value = tusk_bytes_of(value.ptr + 1, value.len - 2);
        }
        return tusk_percent_decode(value, false);
    }
    return NULL;
}

zend_string *tusk_request_view_cookie(tusk_request_view *self, zend_string *name)
{
    zend_string *header = zend_string_init("cookie", 6, 0);
    zend_string *line = tusk_request_view_header(self, header);
    zend_string_release(header);
    if (line == NULL) {
        return NULL;
    }
    zend_string *found = find_cookie(tusk_zstr(line), name);
    zend_string_release(line);
    return found;
}

zend_string *tusk_percent_decode(tusk_bytes text, bool plus_is_space)
{
    zend_string *out = zend_string_alloc(text.len, 0);
    ptrdiff_t len = text.len == 0 ? 0 : tusk_url_decode(ZSTR_VAL(out), text, plus_is_space);
    if (len < 0) {
        memcpy(ZSTR_VAL(out), text.ptr, text.len); /* broken escapes stay as they came */
        len = (ptrdiff_t)text.len;
    }
    ZSTR_LEN(out) = (size_t)len;
    ZSTR_VAL(out)[len] = '\0';
    return out;
}

static bool is_encoded(tusk_bytes key)
{
    return key.len > 0 &&
           (memchr(key.ptr, '%', key.len) != NULL || memchr(key.ptr, '+', key.len) != NULL);
}

static bool is_named(tusk_bytes key, zend_string *name)
{
    if (!is_encoded(key)) {
        return tusk_bytes_eq(key, tusk_zstr(name));
    }
    zend_string *plain = tusk_percent_decode(key, true);
    bool same = zend_string_equals(plain, name);
    zend_string_release(plain);
    return same;
}

zend_string *tusk_query_find(tusk_bytes query, zend_string *name)
{
    tusk_bytes key;
    tusk_bytes value;
    while (tusk_url_next_pair(&query, &key, &value)) {
        if (is_named(key, name)) {
            return tusk_percent_decode(value, true);
        }
    }
    return NULL;
}

zend_array *tusk_query_values(tusk_bytes query, zend_string *name)
{
    zend_array *values = zend_new_array(0);
    tusk_bytes key;
    tusk_bytes value;
    while (tusk_url_next_pair(&query, &key, &value)) {
        if (is_named(key, name)) {
            zval decoded;
            ZVAL_STR(&decoded, tusk_percent_decode(value, true));
            zend_hash_next_index_insert_new(values, &decoded);
        }
    }
    return values;
}

zend_array *tusk_query_all(tusk_bytes query)
{
    zend_array *all = zend_new_array(8);
    tusk_bytes key;
    tusk_bytes value;
    while (tusk_url_next_pair(&query, &key, &value)) {
        zend_string *name = tusk_percent_decode(key, true);
        if (!zend_symtable_exists(all, name)) {
            zval decoded;
            ZVAL_STR(&decoded, tusk_percent_decode(value, true));
            zend_symtable_update(all, name, &decoded);
        }
        zend_string_release(name);
    }
    return all;
}

tusk_bytes tusk_target_query(zend_string *target)
{
    const char *mark = target == NULL ? NULL : memchr(ZSTR_VAL(target), '?', ZSTR_LEN(target));
    if (mark == NULL) {
        return tusk_bytes_of(NULL, 0);
    }
    return tusk_bytes_of(mark + 1, ZSTR_LEN(target) - (size_t)(mark + 1 - ZSTR_VAL(target)));
}

zend_array *tusk_params_array(const tusk_param *params, size_t count)
{
    zend_array *array = zend_new_array((uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        zval value;
        ZVAL_STR(&value, tusk_percent_decode(params[i].value, false));
        zend_hash_str_update(array, (const char *)params[i].name.ptr, params[i].name.len, &value);
    }
    return array;
}
