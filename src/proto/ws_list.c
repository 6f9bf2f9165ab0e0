/* SPDX-License-Identifier: MIT */
/* Lists of tokens, with parameters or without (RFC 6455, 9.1; RFC 9110, 5.6). */
#include "proto/ws_list.h"

#include "proto/ascii.h"

static void skip(tusk__ws_list *self, size_t n)
{
    self->rest.ptr += n;
    self->rest.len -= n;
}

static void skip_space(tusk__ws_list *self)
{
    self->rest = tusk_bytes_trim_start(self->rest);
}

static bool at(const tusk__ws_list *self, char c)
{
    return self->rest.len > 0 && *self->rest.ptr == (uint8_t)c;
}

static tusk_bytes read_token(tusk__ws_list *self)
{
    size_t n = 0;
    while (n < self->rest.len && tusk__is(self->rest.ptr[n], TUSK__TOKEN)) {
        n++;
    }
    tusk_bytes token = tusk_bytes_of(self->rest.ptr, n);
    skip(self, n);
    return token;
}

/* A quoted value, which must be a token once it is unquoted (RFC 6455, 9.1). */
static bool read_quoted(tusk__ws_list *self, tusk_bytes *value)
{
    size_t len = 0;
    for (skip(self, 1); !at(self, '"'); skip(self, 1)) {
        if (at(self, '\\')) {
            skip(self, 1);
        }
        if (self->rest.len == 0 || !tusk__is(*self->rest.ptr, TUSK__TOKEN)) {
            return false;
        }
        if (len < sizeof(self->value)) {
            self->value[len++] = (char)*self->rest.ptr;
        }
    }
    skip(self, 1);
    *value = tusk_bytes_of(self->value, len);
    return len > 0;
}

static bool fail(tusk__ws_list *self)
{
    self->err = TUSK_EPROTO;
    return false;
}

static bool next_field(tusk__ws_list *self)
{
    tusk_bytes name = tusk_bytes_str(self->name);
    while (++self->field <= self->head->field_count) {
        const tusk_http_field *field = &self->head->fields[self->field - 1];
        if (tusk_bytes_eq_nocase(field->name, name)) {
            self->rest = field->value;
            return true;
        }
    }
    self->field = self->head->field_count;
    return false;
}

void tusk__ws_list_init(tusk__ws_list *self, const tusk_http_head *head, const char *name)
{
    memset(self, 0, offsetof(tusk__ws_list, value)); /* that is written before it is read */
    self->head = head;
    self->name = name;
}

bool tusk__ws_list_next(tusk__ws_list *self, tusk_bytes *token)
{
    if (self->err != TUSK_OK) {
        return false;
    }
    bool found = self->in_element; /* in this field */
    for (;;) {
        skip_space(self);
        if (self->rest.len == 0) {
            if (self->field > 0 && !found) {
                return fail(self);
            }
            if (!next_field(self)) {
                return false;
            }
            self->in_element = false;
            found = false;
            if (self->rest.len == 0) {
                return fail(self);
            }
            continue;
        }
        if (at(self, ',')) {
            skip(self, 1);
            self->in_element = false;
            continue;
        }
        if (self->in_element) {
            return fail(self); /* "a b": neither "," nor ";" between */
        }
        *token = read_token(self);
        self->in_element = true;
        return token->len > 0 || fail(self);
    }
}

bool tusk__ws_list_param(tusk__ws_list *self, tusk_bytes *name, tusk_bytes *value, bool *has_value)
{
    *has_value = false;
    *value = tusk_bytes_of(NULL, 0);
    skip_space(self);
    if (self->err != TUSK_OK || !at(self, ';')) {
        return false;
    }
    skip(self, 1);
    skip_space(self);
    *name = read_token(self);
    if (name->len == 0) {
        return fail(self);
    }
    skip_space(self);
    if (!at(self, '=')) {
        return true;
    }
    skip(self, 1);
    skip_space(self);
    *has_value = true;
    if (at(self, '"')) {
        return read_quoted(self, value) || fail(self);
    }
    *value = read_token(self);
    return value->len > 0 || fail(self);
}
