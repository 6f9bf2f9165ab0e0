/* SPDX-License-Identifier: MIT */
/* Bytes are one of three: borrowed (tusk_bytes), owned and growing (tusk_buf), counted and
 * immutable (tusk_blob). */
#ifndef TUSK_BYTES_H
#define TUSK_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tusk/err.h>
#include <tusk/mem.h>
#include <tusk/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed: whoever hands it out says how long it lives. */
typedef struct tusk_bytes {
    const uint8_t *ptr;
    size_t len;
} tusk_bytes;

static inline tusk_bytes tusk_bytes_of(const void *ptr, size_t len)
{
    tusk_bytes bytes;
    bytes.ptr = (const uint8_t *)ptr;
    bytes.len = len;
    return bytes;
}

static inline tusk_bytes tusk_bytes_str(const char *text)
{
    return tusk_bytes_of(text, strlen(text));
}

static inline bool tusk_bytes_eq(tusk_bytes a, tusk_bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* `len` bytes of each; ASCII letters compared without case. */
TUSK_API bool tusk__bytes_same_nocase(const uint8_t *a, const uint8_t *b, size_t len);

/* ASCII letters compared without case, as HTTP tokens are. */
static inline bool tusk_bytes_eq_nocase(tusk_bytes a, tusk_bytes b)
{
    return a.len == b.len && tusk__bytes_same_nocase(a.ptr, b.ptr, a.len);
}

/* Without the spaces and tabs that it begins or ends with, as HTTP's optional white space is left
 * out (RFC 9110, 5.6.3). */
static inline tusk_bytes tusk_bytes_trim_start(tusk_bytes text)
{
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t')) {
        text.ptr++;
        text.len--;
    }
    return text;
}

static inline tusk_bytes tusk_bytes_trim_end(tusk_bytes text)
{
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t')) {
        text.len--;
    }
    return text;
}

static inline tusk_bytes tusk_bytes_trim(tusk_bytes text)
{
    return tusk_bytes_trim_end(tusk_bytes_trim_start(text));
}

/* Whether these bytes are UTF-8 (RFC 3629). */
TUSK_API bool tusk_utf8_valid(const uint8_t *ptr, size_t len);

/* Owned: grows by doubling, never over `limit` (TUSK_ETOOBIG). All zero is an empty buffer without
 * a limit check until init. `start` bytes at the front were consumed and are reclaimed when it
 * grows. */
typedef struct tusk_buf {
    const tusk_mem *mem;
    uint8_t *ptr;
    size_t len; /* bytes held, from ptr + start */
    size_t start;
    size_t cap;
    size_t limit;
} tusk_buf;

/* Empty; memory is taken with the first byte. */
TUSK_API void tusk_buf_init(tusk_buf *self, const tusk_mem *mem, size_t limit);
TUSK_API void tusk_buf_fini(tusk_buf *self);
/* tusk_buf_append and _reserve where the buffer has to grow. */
TUSK_API tusk_err tusk__buf_append_grown(tusk_buf *self, const void *ptr, size_t len);
TUSK_API tusk_err tusk__buf_reserve_grown(tusk_buf *self, size_t len, uint8_t **place);

/* Whether `len` bytes, at least one, fit behind the others without moving them (`cap` is never over
 * `limit`). */
static inline bool tusk__buf_fits(const tusk_buf *self, size_t len)
{
    return len > 0 && len <= self->cap - self->start - self->len;
}

static inline tusk_err tusk_buf_append(tusk_buf *self, const void *ptr, size_t len)
{
    if (TUSK_UNLIKELY(!tusk__buf_fits(self, len))) {
        return tusk__buf_append_grown(self, ptr, len);
    }
    memcpy(self->ptr + self->start + self->len, ptr, len);
    self->len += len;
    return TUSK_OK;
}

static inline tusk_err tusk_buf_append_str(tusk_buf *self, const char *text)
{
    return tusk_buf_append(self, text, strlen(text));
}

/* Room for `len` more bytes at the returned place; tusk_buf_commit says how many were written. */
static inline tusk_err tusk_buf_reserve(tusk_buf *self, size_t len, uint8_t **place)
{
    if (TUSK_UNLIKELY(!tusk__buf_fits(self, len))) {
        return tusk__buf_reserve_grown(self, len, place);
    }
    *place = self->ptr + self->start + self->len;
    return TUSK_OK;
}

static inline void tusk_buf_commit(tusk_buf *self, size_t len)
{
    self->len += len;
}

TUSK_API void tusk_buf_consume(tusk_buf *self, size_t len);
/* Forgets the contents and keeps the memory. */
static inline void tusk_buf_clear(tusk_buf *self)
{
    self->len = 0;
    self->start = 0;
}

static inline tusk_bytes tusk_buf_view(const tusk_buf *self)
{
    return tusk_bytes_of(self->ptr == NULL ? NULL : self->ptr + self->start, self->len);
}

/* Counted, immutable. The bytes may stand behind the header or be owned elsewhere (a PHP string),
 * then `release` is called once, with `owner`, when the last reference goes. Counts are not atomic:
 * one loop owns its blobs. */
typedef struct tusk_blob {
    const uint8_t *ptr;
    size_t len;
    uint32_t refs;
    uint32_t tag; /* for its maker */
    const tusk_mem *mem;
    void (*release)(void *owner);
    void *owner;
    int file; /* a descriptor with the same bytes from its start on, which is its maker's; or -1 */
} tusk_blob;

/* Uninitialised bytes behind the header; write them through `*place` before anybody else sees the
 * blob. */
TUSK_API tusk_err tusk_blob_new(tusk_blob **out, const tusk_mem *mem, size_t len, uint8_t **place);
TUSK_API tusk_err tusk_blob_dup(tusk_blob **out, const tusk_mem *mem, tusk_bytes bytes);
/* When it fails, `release` was not called: the caller still owns. */
TUSK_API tusk_err tusk_blob_adopt(tusk_blob **out, const tusk_mem *mem, tusk_bytes bytes,
                                  void (*release)(void *owner), void *owner);
TUSK_API void tusk__blob_destroy(tusk_blob *self);

static inline tusk_blob *tusk_blob_ref(tusk_blob *self)
{
    self->refs++;
    return self;
}

static inline void tusk_blob_unref(tusk_blob *self)
{
    if (self != NULL && --self->refs == 0) {
        tusk__blob_destroy(self);
    }
}

#ifdef __cplusplus
}
#endif
#endif
