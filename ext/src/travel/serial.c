/* SPDX-License-Identifier: MIT */
/* The text of serialize(), looked over before it comes to life: PHP makes room for as many elements
 * as each array says it has, so arrays within arrays that lie take memory without end, and it goes
 * as deep as they are. */
#include "src/travel/travel.h"

enum { SERIAL_DEPTH = 1000, ELEMENT_BYTES_MIN = 6 /* "i:0;N;" */ };

typedef struct scan {
    const char *at, *end;
    size_t elements;
    uint32_t depth;
    bool too_deep;
} scan;

static bool is(scan *self, char wanted)
{
    if (self->at >= self->end || *self->at != wanted) {
        return false;
    }
    self->at++;
    return true;
}

/* ":12:" */
static bool count_of(scan *self, size_t *out)
{
    size_t number = 0;
    const char *first = self->at + 1;
    if (!is(self, ':')) {
        return false;
    }
    while (self->at < self->end && *self->at >= '0' && *self->at <= '9' && number < SIZE_MAX / 16) {
        number = number * 10 + (size_t)(*self->at++ - '0');
    }
    *out = number;
    return self->at > first && is(self, ':');
}

static bool skip(scan *self, size_t len)
{
    if (len > (size_t)(self->end - self->at)) {
        return false;
    }
    self->at += len;
    return true;
}

/* ":5:"abcde"" */
static bool text(scan *self)
{
    size_t len;
    return count_of(self, &len) && is(self, '"') && skip(self, len) && is(self, '"');
}

static bool until_end(scan *self)
{
    const char *end = memchr(self->at, ';', (size_t)(self->end - self->at));
    self->at = end == NULL ? self->end : end + 1;
    return end != NULL;
}

static bool body(scan *self)
{
    size_t count;
    if (!count_of(self, &count) || !is(self, '{') || count > (size_t)(self->end - self->at)) {
        return false;
    }
    self->too_deep = ++self->depth > SERIAL_DEPTH;
    if (self->too_deep) {
        return false;
    }
    self->elements += count;
    return true;
}

/* Serializable's own text: its class's affair. */
static bool own_text(scan *self)
{
    size_t len;
    return text(self) && count_of(self, &len) && is(self, '{') && skip(self, len) && is(self, '}');
}

static bool one(scan *self)
{
    switch (*self->at++) {
    case '}': return self->depth-- > 0;
    case 'N': return is(self, ';');
    case 'b':
    case 'i':
    case 'd':
    case 'r':
    case 'R': return until_end(self);
    case 's':
    case 'E': return text(self) && is(self, ';');
    case 'a': return body(self);
    case 'O': return text(self) && body(self);
    case 'C': return own_text(self);
    default: return false; /* "S" is never written */
    }
}

const char *tusk_serial_elements(tusk_bytes bytes, size_t *out)
{
    scan self = {.at = (const char *)bytes.ptr, .end = (const char *)bytes.ptr + bytes.len};
    while (self.at < self.end) {
        if (!one(&self)) {
            return self.too_deep ? "objects that lie in each other more than 1,000 deep"
                                 : TUSK_SERIAL_BROKEN;
        }
    }
    *out = self.elements;
    return self.elements <= bytes.len / ELEMENT_BYTES_MIN ? NULL : TUSK_SERIAL_BROKEN;
}
