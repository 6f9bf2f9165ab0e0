/* SPDX-License-Identifier: MIT */
/* Bodies: of a length, in chunks (RFC 9112, 7.1), or until the connection ends. */
#include "proto/ascii.h"

#include <tusk/http.h>

enum body_kind { KIND_NONE, KIND_LENGTH, KIND_CHUNKED, KIND_UNTIL_CLOSE };

enum body_state {
    BODY_DATA, /* of a length, of a chunk, or whatever comes */
    BODY_SIZE_FIRST,
    BODY_SIZE,
    BODY_EXT_BEFORE,     /* white space after the size or a value: only ";" goes on */
    BODY_EXT_NAME_FIRST, /* after ";" */
    BODY_EXT_NAME,
    BODY_EXT_NAME_AFTER, /* white space after a name */
    BODY_EXT_VALUE_FIRST,
    BODY_EXT_VALUE,
    BODY_EXT_QUOTED,
    BODY_EXT_ESCAPED,
    BODY_EXT_VALUE_AFTER,
    BODY_SIZE_LF,
    BODY_DATA_CR,
    BODY_DATA_LF,
    BODY_TRAILER_FIRST,
    BODY_TRAILER_NAME,
    BODY_TRAILER_COLON, /* white space after a name, where it is passed over */
    BODY_TRAILER_VALUE,
    BODY_TRAILER_LF,
    BODY_LAST_LF,
    BODY_DONE
};

/* Framing beyond 16 bytes and as many as there is data per chunk, summed up: who sends megabytes of
 * extensions around single bytes wants work from us, not an answer. */
enum { EXCESS_MAX = 16384, EXCESS_FREE = 16 };

void tusk_http_body_init(tusk_http_body *self, const tusk_http_head *head, uint64_t max,
                         const tusk_http_limits *limits)
{
    *self = (tusk_http_body){.max = max, .state = BODY_DATA, .limits = limits};
    self->spaced_names = limits->spaced_names && head->status != 0;
    if (head->no_body) {
        self->kind = KIND_NONE;
    } else if (head->chunked) {
        self->kind = KIND_CHUNKED;
        self->state = BODY_SIZE_FIRST;
    } else if (head->content_length > 0) {
        self->kind = KIND_LENGTH;
        self->left = (uint64_t)head->content_length;
    } else if (head->until_close) {
        self->kind = KIND_UNTIL_CLOSE;
    }
    if (self->kind == KIND_NONE) {
        self->state = BODY_DONE;
    }
}

bool tusk_http_body_done(const tusk_http_body *self)
{
    return self->state == BODY_DONE;
}

bool tusk_http_body_end(const tusk_http_body *self)
{
    return self->state == BODY_DONE || self->kind == KIND_UNTIL_CLOSE;
}

/* ---- a chunk's head, byte by byte ---- */
static int on_digit(tusk_http_body *self, uint8_t c)
{
    if (self->left > UINT64_MAX >> 4) {
        return TUSK_EPROTO;
    }
    self->left = self->left << 4 | tusk__hex(c);
    if (self->left > self->max - self->total) {
        return TUSK_ETOOBIG;
    }
    return BODY_SIZE;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* What may follow a complete size, name or value: the line's end, or one more extension. */
static int after_part(uint8_t c, enum body_state after_space)
{
    if (c == '\r') {
        return BODY_SIZE_LF;
    }
    if (c == ';') {
        return BODY_EXT_NAME_FIRST;
    }
    return is_space(c) ? (int)after_space : TUSK_EPROTO;
}

static int on_size_lf(tusk_http_body *self, uint8_t c)
{
    if (c != '\n') {
        return TUSK_EPROTO;
    }
    self->excess += (int64_t)self->line_len - EXCESS_FREE;
    self->excess -= self->left > EXCESS_MAX ? EXCESS_MAX : (int64_t)self->left;
    if (self->excess < 0) {
        self->excess = 0;
    }
    if (self->excess > EXCESS_MAX) {
        return TUSK_EPROTO;
    }
    self->line_len = 0;
    return self->left > 0 ? BODY_DATA : BODY_TRAILER_FIRST;
}

/* RFC 9112, 5.1, as in heads. */
static int before_colon(const tusk_http_body *self, uint8_t c)
{
    return self->spaced_names && is_space(c) ? (int)BODY_TRAILER_COLON : (int)TUSK_EPROTO;
}

/* The state after `c`, or an error. The grammar is RFC 9112, 7.1 and 7.1.1, with its bad white
 * space, which a recipient must take; never before the line's end, where it may not stand. */
static int step(tusk_http_body *self, uint8_t c)
{
    enum body_state state = (enum body_state)self->state;
    switch (state) {
    case BODY_SIZE_FIRST:
        self->left = 0;
        return tusk__is(c, TUSK__HEX) ? on_digit(self, c) : TUSK_EPROTO;
    case BODY_SIZE:
        return tusk__is(c, TUSK__HEX) ? on_digit(self, c) : after_part(c, BODY_EXT_BEFORE);
    case BODY_EXT_BEFORE:
        return c == ';' ? BODY_EXT_NAME_FIRST : is_space(c) ? (int)state : TUSK_EPROTO;
    case BODY_EXT_NAME_FIRST:
        return tusk__is(c, TUSK__TOKEN) ? BODY_EXT_NAME : is_space(c) ? (int)state : TUSK_EPROTO;
    case BODY_EXT_NAME:
        if (tusk__is(c, TUSK__TOKEN)) {
            return (int)state;
        }
        return c == '=' ? BODY_EXT_VALUE_FIRST : after_part(c, BODY_EXT_NAME_AFTER);
    case BODY_EXT_NAME_AFTER:
        return c == '='      ? BODY_EXT_VALUE_FIRST
               : c == ';'    ? BODY_EXT_NAME_FIRST
               : is_space(c) ? (int)state
                             : TUSK_EPROTO;
    case BODY_EXT_VALUE_FIRST:
        if (c == '"') {
            return BODY_EXT_QUOTED;
        }
        return tusk__is(c, TUSK__TOKEN) ? BODY_EXT_VALUE : is_space(c) ? (int)state : TUSK_EPROTO;
    case BODY_EXT_VALUE:
        return tusk__is(c, TUSK__TOKEN) ? (int)state : after_part(c, BODY_EXT_BEFORE);
    case BODY_EXT_QUOTED:
        if (c == '"') {
            return BODY_EXT_VALUE_AFTER;
        }
        return c == '\\' ? BODY_EXT_ESCAPED : tusk__is(c, TUSK__VALUE) ? (int)state : TUSK_EPROTO;
    case BODY_EXT_ESCAPED: return tusk__is(c, TUSK__VALUE) ? BODY_EXT_QUOTED : TUSK_EPROTO;
    case BODY_EXT_VALUE_AFTER: return after_part(c, BODY_EXT_BEFORE);
    case BODY_SIZE_LF: return on_size_lf(self, c);
    case BODY_DATA_CR: return c == '\r' ? BODY_DATA_LF : TUSK_EPROTO;
    case BODY_DATA_LF: return c == '\n' ? BODY_SIZE_FIRST : TUSK_EPROTO;
    case BODY_TRAILER_FIRST:
        return c == '\r'                  ? BODY_LAST_LF
               : tusk__is(c, TUSK__TOKEN) ? BODY_TRAILER_NAME
                                          : TUSK_EPROTO;
    case BODY_TRAILER_NAME:
        if (tusk__is(c, TUSK__TOKEN)) {
            return (int)state;
        }
        return c == ':' ? BODY_TRAILER_VALUE : before_colon(self, c);
    case BODY_TRAILER_COLON: return c == ':' ? BODY_TRAILER_VALUE : before_colon(self, c);
    case BODY_TRAILER_VALUE:
        return c == '\r' ? BODY_TRAILER_LF : tusk__is(c, TUSK__VALUE) ? (int)state : TUSK_EPROTO;
    case BODY_TRAILER_LF: return c == '\n' ? BODY_TRAILER_FIRST : TUSK_EPROTO;
    case BODY_LAST_LF: return c == '\n' ? BODY_DONE : TUSK_EPROTO;
    case BODY_DATA:
    case BODY_DONE: break;
    }
    return TUSK_EPROTO;
}

/* A byte of framing counts against the line it stands in, or against all trailers together. */
static tusk_err count(tusk_http_body *self)
{
    if (self->state == BODY_DATA_CR || self->state == BODY_DATA_LF) {
        return TUSK_OK;
    }
    self->line_len++;
    if (self->state >= BODY_TRAILER_FIRST) {
        return self->line_len > self->limits->trailers_max ? TUSK_EHEADERS : TUSK_OK;
    }
    return self->line_len > self->limits->chunk_line_max ? TUSK_EPROTO : TUSK_OK;
}

static ptrdiff_t take_framing(tusk_http_body *self, tusk_bytes in, tusk_bytes *trailers)
{
    size_t i = 0;
    while (i < in.len && self->state != BODY_DATA && self->state != BODY_DONE) {
        if (self->state >= BODY_TRAILER_FIRST && trailers->ptr == NULL) {
            trailers->ptr = in.ptr + i;
        }
        int next = count(self);
        if (next == TUSK_OK) {
            next = step(self, in.ptr[i++]);
        }
        if (next < 0) {
            return next;
        }
        self->state = (uint8_t)next;
    }
    trailers->len = trailers->ptr == NULL ? 0 : (size_t)(in.ptr + i - trailers->ptr);
    return (ptrdiff_t)i;
}

/* ---- payload ---- */
static tusk_err take_data(tusk_http_body *self, tusk_bytes in, tusk_bytes *data)
{
    size_t len = in.len;
    if (self->kind == KIND_UNTIL_CLOSE) {
        if (len > self->max - self->total) {
            return TUSK_ETOOBIG;
        }
    } else {
        len = len < self->left ? len : (size_t)self->left;
        self->left -= len;
        if (self->left == 0) {
            self->state = self->kind == KIND_CHUNKED ? BODY_DATA_CR : BODY_DONE;
        }
    }
    self->total += len;
    *data = tusk_bytes_of(in.ptr, len);
    return TUSK_OK;
}

ptrdiff_t tusk_http_body_decode(tusk_http_body *self, tusk_bytes in, tusk_bytes *data)
{
    tusk_bytes trailers;
    return tusk_http_body_decode_all(self, in, data, &trailers);
}

ptrdiff_t tusk_http_body_decode_all(tusk_http_body *self, tusk_bytes in, tusk_bytes *data,
                                    tusk_bytes *trailers)
{
    *data = tusk_bytes_of(NULL, 0);
    *trailers = tusk_bytes_of(NULL, 0);
    if (self->kind == KIND_LENGTH && self->left > self->max - self->total) {
        return TUSK_ETOOBIG; /* known from the head alone */
    }
    if (in.len == 0) {
        return 0;
    }
    ptrdiff_t used = take_framing(self, in, trailers);
    if (used < 0 || self->state != BODY_DATA || (size_t)used == in.len) {
        return used;
    }
    tusk_err err = take_data(self, tusk_bytes_of(in.ptr + used, in.len - (size_t)used), data);
    return err == TUSK_OK ? used + (ptrdiff_t)data->len : (ptrdiff_t)err;
}
