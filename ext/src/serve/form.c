/* SPDX-License-Identifier: MIT */
/* A request's body as a form: fields and files, made of what the server has read when somebody asks
 * for one. */
#include "src/serve/http.h"

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

static tusk_bytes text_at(zend_string *body, tusk_span span)
{
    return tusk_bytes_of(ZSTR_VAL(body) + span.at, span.len);
}

static void add_pair(tusk_form_values *self, const tusk_form_part *part, zend_string *body)
{
    zend_string *name = tusk_percent_decode(text_at(body, part->name), true);
    add_field(self->fields, name, tusk_percent_decode(text_at(body, part->value), true));
    zend_string_release(name);
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

static void add_file(tusk_form_values *self, const tusk_form_part *part, zend_string *field,
                     zend_string *body)
{
    zval file;
    const tusk_uploaded from = {.field = field,
                                .name = file_name(text_at(body, part->filename)),
                                .type = part->type.len == 0 ? tusk_bytes_str("text/plain")
                                                            : text_at(body, part->type),
                                .body = body,
                                .at = part->value.at,
                                .len = part->value.len};
    tusk_uploaded_file_make(&file, &from);
    zend_hash_next_index_insert(self->files, &file);
}

static void add_part(tusk_form_values *self, const tusk_form_part *part, zend_string *body)
{
    zend_string *name = unescaped(text_at(body, part->name));
    if (part->filename.at == 0) {
        add_field(self->fields, name, tusk_zstr_of(text_at(body, part->value)));
    } else if (part->filename.len > 0 || part->value.len > 0) { /* else nobody chose a file */
        add_file(self, part, name, body);
    }
    zend_string_release(name);
}

void tusk_form_values_make(tusk_form_values *self, zend_string *body)
{
    if (self->fields != NULL) {
        return;
    }
    size_t count = tusk_form_count(&self->places);
    self->fields = zend_new_array((uint32_t)count);
    self->files = zend_new_array(0);
    for (size_t i = 0; i < count; i++) {
        if (self->places.pairs) {
            add_pair(self, tusk_form_at(&self->places, i), body);
        } else {
            add_part(self, tusk_form_at(&self->places, i), body);
        }
    }
    tusk_form_fini(&self->places);
}

void tusk_form_values_fini(tusk_form_values *self)
{
    tusk_form_fini(&self->places);
    if (self->fields != NULL) {
        zend_array_release(self->fields);
        zend_array_release(self->files);
    }
    memset(self, 0, sizeof(*self));
}
