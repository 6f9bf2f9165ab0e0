/* SPDX-License-Identifier: MIT */
/* The text of serialize(), looked over before it comes to life: PHP makes room for as many elements
 * as each array says it has, so arrays within arrays that lie take memory without end, it goes as
 * deep as they are, and it makes another object of one whose class is not allowed or not there. */
#include "src/travel/serial.h"

#include <ext/standard/php_incomplete_class.h>
#include <main/php_globals.h>

enum { ELEMENT_BYTES_MIN = 6 /* "i:0;N;" */ };
/* Beside what it holds: its place among what may be meant again, its turn to wake up. */
enum { VALUE_TAKES = 8, STRING_TAKES = 32, OBJECT_TAKES = 64, OWN_FORM_TAKES = 512 };

typedef struct scan {
    tusk_serial *out;
    const char *at, *end;
    size_t elements, elements_max;
    uint32_t depth, object_depth;
    bool too_deep;
    bool is_object[TUSK_SERIAL_DEPTH]; /* what each level is */
} scan;

/* ---- classes ---- */
static bool is_allowed(const tusk_serial *self, zend_string *name)
{
    zend_string *lower = zend_string_tolower(name);
    bool allowed = self->allowed == NULL || zend_hash_exists(self->allowed, lower);
    zend_string_release(lower);
    return allowed;
}

/* The function of php.ini that PHP calls for a class that is not there. */
static bool has_callback(void)
{
    return tusk_unserialize_callback() != NULL && tusk_unserialize_callback()[0] != '\0';
}

/* False: it is not allowed, or not there, or looking for it threw. */
static bool look_up(tusk_serial *self, zend_string *name, zend_class_entry **out)
{
    *out = NULL;
    if (!is_allowed(self, name)) {
        return false;
    }
    *out = zend_lookup_class(name);
    if (*out == NULL && EG(exception) == NULL && has_callback()) {
        self->unsure = true;
        return true;
    }
    return *out != NULL && *out != php_ce_incomplete_class && EG(exception) == NULL;
}

static bool class_of(tusk_serial *self, tusk_bytes text, zend_class_entry **out)
{
    const zval *known =
        self->has_seen ? zend_hash_str_find(&self->seen, (const char *)text.ptr, text.len) : NULL;
    if (known != NULL) {
        *out = Z_PTR_P(known);
        return true;
    }
    zend_string *name = tusk_zstr_of(text);
    if (!look_up(self, name, out)) {
        self->missing = name;
        return false;
    }
    if (!self->has_seen) {
        zend_hash_init(&self->seen, 8, NULL, NULL, 0);
        self->has_seen = true;
    }
    zend_hash_add_ptr(&self->seen, name, *out);
    zend_string_release(name);
    return true;
}

void tusk_serial_fini(tusk_serial *self)
{
    if (self->has_seen) {
        zend_hash_destroy(&self->seen);
    }
    if (self->missing != NULL) {
        zend_string_release(self->missing);
    }
}

/* ---- what they take ---- */
static size_t table_bytes(size_t count)
{
    size_t cells = HT_MIN_SIZE;
    while (cells < count) {
        cells *= 2;
    }
    return sizeof(zend_array) + cells * (sizeof(Bucket) + 2 * sizeof(uint32_t));
}

static size_t object_bytes(const zend_class_entry *ce, size_t count)
{
    if (ce == NULL) {
        return OBJECT_TAKES + table_bytes(count + 1);
    }
    size_t declared = ce->__unserialize != NULL ? 0 : (size_t)ce->default_properties_count;
    return OBJECT_TAKES + sizeof(zend_object) + zend_object_properties_size((void *)(uintptr_t)ce) +
           (ce->create_object == NULL ? 0 : OWN_FORM_TAKES) + table_bytes(declared + count);
}

/* ---- the text ---- */

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
static bool text(scan *self, tusk_bytes *out)
{
    size_t len;
    if (!count_of(self, &len) || !is(self, '"')) {
        return false;
    }
    *out = tusk_bytes_of(self->at, len);
    return skip(self, len) && is(self, '"');
}

/* ":12;", but not 1: that is the array that all lie in. */
static bool back(scan *self)
{
    enum { DIGITS_MAX = 10 };
    size_t number = 0;
    const char *first = self->at + 1;
    if (!is(self, ':')) {
        return false;
    }
    while (self->at < self->end && *self->at >= '0' && *self->at <= '9' &&
           self->at < first + DIGITS_MAX) {
        number = number * 10 + (size_t)(*self->at++ - '0');
    }
    return number > 1 && is(self, ';');
}

static bool until_end(scan *self)
{
    const char *end = memchr(self->at, ';', (size_t)(self->end - self->at));
    self->at = end == NULL ? self->end : end + 1;
    return end != NULL;
}

/* How many lie in what begins here. */
static bool body(scan *self, size_t *count, bool is_object)
{
    if (!count_of(self, count) || !is(self, '{') || *count > self->elements_max - self->elements) {
        return false;
    }
    self->object_depth += is_object;
    self->too_deep =
        self->depth == TUSK_SERIAL_DEPTH || self->object_depth > TUSK_SERIAL_OBJECT_DEPTH;
    if (self->too_deep) {
        return false;
    }
    self->is_object[self->depth++] = is_object;
    self->elements += *count;
    self->out->bytes += *count * VALUE_TAKES;
    return true;
}

static bool body_ends(scan *self)
{
    if (self->depth == 0) {
        return false;
    }
    self->object_depth -= self->is_object[--self->depth];
    return true;
}

static bool string(scan *self)
{
    tusk_bytes what;
    self->out->bytes += STRING_TAKES;
    return text(self, &what) && is(self, ';');
}

static bool array(scan *self)
{
    size_t count;
    if (!body(self, &count, false)) {
        return false;
    }
    self->out->bytes += count == 0 ? 0 : table_bytes(count);
    return true;
}

static bool object(scan *self)
{
    tusk_bytes name;
    zend_class_entry *ce;
    size_t count;
    if (!text(self, &name) || !class_of(self->out, name, &ce) || !body(self, &count, true)) {
        return false;
    }
    self->out->bytes += object_bytes(ce, count);
    return true;
}

/* Serializable's own text is its class's affair, and so is which objects it makes of it. */
static bool own_text(scan *self)
{
    tusk_bytes name;
    zend_class_entry *ce;
    size_t len;
    if (!text(self, &name) || !class_of(self->out, name, &ce) || !count_of(self, &len) ||
        !is(self, '{') || !skip(self, len) || !is(self, '}') ||
        (ce != NULL && ce->unserialize == NULL)) {
        return false;
    }
    self->out->bytes += object_bytes(ce, 0);
    self->out->unsure = true;
    return true;
}

static bool one(scan *self)
{
    switch (*self->at++) {
    case '}': return body_ends(self);
    case 'N': return is(self, ';');
    case 'b':
    case 'i':
    case 'd': return until_end(self);
    case 'r':
    case 'R': return back(self);
    case 's':
    case 'E': return string(self);
    case 'a': return array(self);
    case 'O': return object(self);
    case 'C': return own_text(self);
    default: return false; /* "S" is never written */
    }
}

bool tusk_serial_look(tusk_serial *self, tusk_bytes bytes)
{
    scan at;
    at.out = self;
    at.at = (const char *)bytes.ptr;
    at.end = at.at + bytes.len;
    at.elements = 0;
    at.elements_max = bytes.len / ELEMENT_BYTES_MIN;
    at.depth = at.object_depth = 0;
    at.too_deep = false; /* the levels are set when they are gone into: 2,500 need not be cleared */
    self->bytes = bytes.len;
    while (at.at < at.end) {
        if (!one(&at)) {
            self->fault = at.too_deep ? TUSK_SERIAL_DEEP : TUSK_SERIAL_BROKEN;
            return false;
        }
    }
    return true;
}
