/* SPDX-License-Identifier: MIT */
/* A form's fields and files as places in its body. */
#include <tusk/form.h>

#include <tusk/http.h>

#include "proto/multipart.h"

/* What does not lie in the body (a default type) has no place there. */
static tusk_span span_of(tusk_bytes body, tusk_bytes text)
{
    uintptr_t at = (uintptr_t)text.ptr - (uintptr_t)body.ptr;
    if (text.ptr == NULL || at > body.len || text.len > body.len - at) {
        return (tusk_span){0, 0};
    }
    return (tusk_span){(uint32_t)at, (uint32_t)text.len};
}

static tusk_err read_pairs(tusk_form *self, tusk_bytes body, uint32_t parts_max)
{
    tusk_bytes rest = body;
    tusk_bytes name;
    tusk_bytes value;
    self->pairs = true;
    while (tusk_url_next_pair(&rest, &name, &value)) {
        if (tusk_form_count(self) >= parts_max) {
            return TUSK_ELIMIT;
        }
        const tusk_form_part part = {.name = span_of(body, name), .value = span_of(body, value)};
        tusk_err err = tusk_buf_append(&self->list, &part, sizeof(part));
        if (err != TUSK_OK) {
            return err;
        }
    }
    return TUSK_OK;
}

/* `behind`: where what has been consumed ends. */
static tusk_err on_event(tusk_form *self, tusk_form_part *part, tusk_multipart_event event,
                         const tusk_multipart_part *said, tusk_bytes body, size_t behind)
{
    switch (event) {
    case TUSK_MULTIPART_PART:
        *part = (tusk_form_part){.name = span_of(body, said->name),
                                 .value = {(uint32_t)behind, 0},
                                 .filename = span_of(body, said->filename),
                                 .type = span_of(body, said->type)};
        return TUSK_OK;
    case TUSK_MULTIPART_DATA: part->value.len = (uint32_t)behind - part->value.at; return TUSK_OK;
    case TUSK_MULTIPART_PART_END: return tusk_buf_append(&self->list, part, sizeof(*part));
    case TUSK_MULTIPART_NOTHING:
    case TUSK_MULTIPART_END: return TUSK_OK;
    }
    return TUSK_ESTATE;
}

static tusk_err read_parts(tusk_form *self, tusk_multipart *parser, tusk_bytes body)
{
    tusk_form_part part = {0};
    size_t at = 0;
    while (at < body.len) {
        tusk_multipart_event event;
        ptrdiff_t used =
            tusk_multipart_parse(parser, tusk_bytes_of(body.ptr + at, body.len - at), &event);
        if (used <= 0) {
            return used < 0 ? (tusk_err)used : TUSK_EPROTO;
        }
        at += (size_t)used;
        tusk_err err = on_event(self, &part, event, &parser->part, body, at);
        if (err != TUSK_OK) {
            return err;
        }
    }
    return tusk_multipart_done(parser) ? TUSK_OK : TUSK_EPROTO;
}

tusk_err tusk_form_read(tusk_form *self, tusk_bytes content_type, tusk_bytes body,
                        const tusk_multipart_limits *limits, const tusk_mem *mem)
{
    tusk_multipart parser;
    tusk_bytes pairs = tusk_bytes_str("application/x-www-form-urlencoded");
    limits = limits == NULL ? tusk_multipart_limits_default() : limits;
    memset(self, 0, sizeof(*self));
    tusk_buf_init(&self->list, mem == NULL ? tusk_mem_default() : mem, SIZE_MAX);
    bool is_pairs = tusk__multipart_is_type(content_type, pairs);
    tusk_err err = is_pairs ? TUSK_OK : tusk_multipart_init(&parser, content_type, limits);
    if (err == TUSK_OK && body.len > UINT32_MAX) {
        err = TUSK_ETOOBIG;
    }
    if (err == TUSK_OK) {
        err =
            is_pairs ? read_pairs(self, body, limits->parts_max) : read_parts(self, &parser, body);
    }
    if (err != TUSK_OK) {
        tusk_form_fini(self);
    }
    return err;
}

void tusk_form_fini(tusk_form *self)
{
    tusk_buf_fini(&self->list);
    self->pairs = false;
}
