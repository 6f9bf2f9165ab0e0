/* SPDX-License-Identifier: MIT */
/* Texts that are not long, and come one after the other: the string of a message serves the next
 * one of about its length. */
#ifndef TUSK_EXT_SERVE_TEXT_H
#define TUSK_EXT_SERVE_TEXT_H

#include "src/serve/service.h"

enum { SERVICE_SPARE_MAX = 4096 }; /* from here on a string goes when its message was told */

/* What its allocation has room for, its length rounded as the memory manager rounds it. */
static inline size_t tusk_text_room(const zend_string *text)
{
    return ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(ZSTR_LEN(text))) - _ZSTR_STRUCT_SIZE(0);
}

/* The string of the message before, as good as new but for its bytes; NULL: it was kept, or is of
 * another length. */
static inline zend_string *tusk_text_spare(tusk_service *self, size_t len)
{
    zend_string *text = self->spare_text;
    if (UNEXPECTED(text == NULL || len > self->spare_cap ||
                   len < self->spare_cap / 2)) { /* whoever keeps it keeps its slack */
        return NULL;
    }
    self->spare_text = NULL;
    GC_TYPE_INFO(text) = GC_STRING;
    ZSTR_H(text) = 0;
    ZSTR_LEN(text) = len;
    return text;
}

zend_string *tusk_text_take_any(tusk_service *self, tusk_bytes payload, void *taken);

/* The payload of a message that is told by this service, as a string of the caller's; it is given
 * back afterwards, by who had the only reference. */
static inline zend_string *tusk_text_take(tusk_service *self, tusk_bytes payload, void *taken)
{
    zend_string *text = self->spare_text;
    if (UNEXPECTED(text == NULL || (const char *)payload.ptr != ZSTR_VAL(text)) ||
        UNEXPECTED((text = tusk_text_spare(self, payload.len)) == NULL)) {
        return tusk_text_take_any(self, payload, taken);
    }
    ZSTR_VAL(text)[payload.len] = '\0'; /* it lies there already */
    return text;
}

static inline void tusk_text_give(tusk_service *self, zend_string *text)
{
    zend_string *former = self->spare_text;
    if (UNEXPECTED(ZSTR_IS_INTERNED(text) || GC_REFCOUNT(text) > 1 ||
                   ZSTR_LEN(text) >= SERVICE_SPARE_MAX || self->core == NULL)) {
        zend_string_release_ex(text, 0);
        return;
    }
    self->spare_text = text;
    self->spare_cap = tusk_text_room(text);
    if (UNEXPECTED(former != NULL)) { /* too short for it, or too long */
        zend_string_release_ex(former, 0);
    }
}

/* Where the next one's payload may be put, up to `spare_cap` bytes; NULL: nowhere. */
static inline uint8_t *tusk_text_place(const tusk_service *self)
{
    return self->spare_text == NULL ? NULL : (uint8_t *)ZSTR_VAL(self->spare_text);
}

#endif
