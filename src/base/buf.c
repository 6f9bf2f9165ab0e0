/* SPDX-License-Identifier: MIT */
/* An owned byte buffer that grows by doubling and is born with a limit. */
#include <tusk/bytes.h>

#include "base/mem.h"

#define BUF_CAP_MIN 64

void tusk_buf_init(tusk_buf *self, const tusk_mem *mem, size_t limit)
{
    memset(self, 0, sizeof(*self));
    self->mem = mem;
    self->limit = limit;
}

void tusk_buf_fini(tusk_buf *self)
{
    if (self->mem != NULL) {
        tusk__free(self->mem, self->ptr, self->cap);
    }
    memset(self, 0, sizeof(*self));
}

tusk_err tusk__buf_reserve_grown(tusk_buf *self, size_t len, uint8_t **place)
{
    *place = NULL;
    if (len > self->limit || self->len > self->limit - len) {
        return TUSK_ETOOBIG;
    }
    size_t need = self->len + len;
    if (self->start > 0 && self->start + need > self->cap) {
        memmove(self->ptr, self->ptr + self->start, self->len);
        self->start = 0;
    }
    if (need > self->cap) {
        size_t cap = self->cap < BUF_CAP_MIN ? BUF_CAP_MIN : self->cap;
        while (cap < need) {
            cap = cap > SIZE_MAX / 2 ? need : cap * 2;
        }
        if (cap > self->limit && self->limit >= need) {
            cap = self->limit;
        }
        uint8_t *grown = tusk__resize(self->mem, self->ptr, self->cap, cap);
        if (grown == NULL) {
            return TUSK_ENOMEM;
        }
        self->ptr = grown;
        self->cap = cap;
    }
    *place = self->ptr == NULL ? NULL : self->ptr + self->start + self->len;
    return TUSK_OK;
}

tusk_err tusk__buf_append_grown(tusk_buf *self, const void *ptr, size_t len)
{
    uint8_t *place;
    if (len == 0) {
        return TUSK_OK;
    }
    tusk_err err = tusk__buf_reserve_grown(self, len, &place);
    if (err != TUSK_OK) {
        return err;
    }
    memcpy(place, ptr, len);
    self->len += len;
    return TUSK_OK;
}

void tusk_buf_consume(tusk_buf *self, size_t len)
{
    if (len >= self->len) {
        self->len = 0;
        self->start = 0;
        return;
    }
    self->start += len;
    self->len -= len;
}
