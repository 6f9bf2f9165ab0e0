/* SPDX-License-Identifier: MIT */
/* A request's body as a form: fields and files, made when somebody asks for one. */
#include "src/http.h"

#include <tusk/multipart.h>

static void add_field(zend_array *fields, zend_string *name, zend_string *value)
{
    zval item;
    zval *list = zend_symtable_find(fields, name);
    if (list == NULL) {
        array_init(&item);
        list = zend_symtable_update(fields, name, &item);
    }
    ZVAL_STR(&item, value);
    zend_hash_next_index_insert(Z_ARRVAL_P(list), &item);
}

static void read_pairs(tusk_form *self, tusk_bytes rest)
{
    tusk_bytes key;
    tusk_bytes value;
    while (tusk_url_next_pair(&rest, &key, &value)) {
        zend_string *name = tusk_percent_decode(key, true);
        add_field(self->fields, name, tusk_percent_decode(value, true));
        zend_string_release(name);
    }
}

/* ---- multipart/form-data ---- */
static zend_string *unescaped(tusk_bytes text)
{
    zend_string *out = zend_string_alloc(text.len, 0);
    size_t len = tusk_multipart_text(ZSTR_VAL(out), text);
    ZSTR_VAL(out)[len] = '\0';
    ZSTR_LEN(out) = len;
    return out;
}

static zend_string *file_name(tusk_bytes raw)
{
    zend_string *whole = unescaped(raw);
    tusk_bytes base = tusk_multipart_base_name(tusk_zstr(whole));
    zend_string *name = base.len == ZSTR_LEN(whole) ? zend_string_copy(whole) : tusk_zstr_of(base);
    zend_string_release(whole);
    return name;
}

/* A part whose bytes are body[at..end). */
static void add_part(tusk_form *self, const tusk_multipart_part *part, zend_string *body, size_t at,
                     size_t end)
{
    zend_string *name = unescaped(part->name);
    if (part->filename.ptr == NULL) {
        add_field(self->fields, name, tusk_zstr_of(tusk_bytes_of(ZSTR_VAL(body) + at, end - at)));
    } else if (part->filename.len > 0 || end > at) { /* else nobody chose a file */
        zval file;
        const tusk_uploaded from = {.field = name,
                                    .name = file_name(part->filename),
                                    .type = part->type,
                                    .body = body,
                                    .at = at,
                                    .len = end - at};
        tusk_uploaded_file_make(&file, &from);
        zend_hash_next_index_insert(self->files, &file);
    }
    zend_string_release(name);
}

/* The server has looked at the limits; here are none. */
static void read_parts(tusk_form *self, tusk_multipart *parser, zend_string *body)
{
    tusk_bytes rest = tusk_zstr(body);
    size_t at = 0;
    size_t end = 0;
    while (rest.len > 0) {
        tusk_multipart_event event;
        ptrdiff_t used = tusk_multipart_parse(parser, rest, &event);
        if (used <= 0) {
            return;
        }
        size_t behind = (size_t)(rest.ptr - (const uint8_t *)ZSTR_VAL(body)) + (size_t)used;
        switch (event) {
        case TUSK_MULTIPART_PART: at = end = behind; break;
        case TUSK_MULTIPART_DATA: end = behind; break;
        case TUSK_MULTIPART_PART_END: add_part(self, &parser->part, body, at, end); break;
        case TUSK_MULTIPART_NOTHING:
        case TUSK_MULTIPART_END: break;
        }
        rest = tusk_bytes_of(rest.ptr + used, rest.len - (size_t)used);
    }
}

void tusk_form_read(tusk_form *self, zend_string *type, zend_string *body)
{
    static const tusk_multipart_limits none = {.parts_max = UINT32_MAX, .head_max = UINT32_MAX};
    tusk_multipart parser;
    if (self->fields != NULL) {
        return;
    }
    self->fields = zend_new_array(8);
    self->files = zend_new_array(0);
    if (type == NULL) {
        return;
    }
    if (tusk_form_is_pairs(tusk_zstr(type))) {
        read_pairs(self, tusk_zstr(body));
    } else if (tusk_multipart_init(&parser, tusk_zstr(type), &none) == TUSK_OK) {
        read_parts(self, &parser, body);
    }
}

void tusk_form_fini(tusk_form *self)
{
    if (self->fields != NULL) {
        zend_array_release(self->fields);
        zend_array_release(self->files);
    }
    memset(self, 0, sizeof(*self));
}
