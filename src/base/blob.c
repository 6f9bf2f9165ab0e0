/* SPDX-License-Identifier: MIT */
/* Counted immutable bytes: encoded once, queued by reference to as many connections as want them.
 */
#include <tusk/bytes.h>

#include "base/mem.h"

tusk_err tusk_blob_new(tusk_blob **out, const tusk_mem *mem, size_t len, uint8_t **place)
{
    *out = NULL;
    *place = NULL;
    if (len > SIZE_MAX - sizeof(tusk_blob)) {
        return TUSK_ETOOBIG;
    }
    tusk_blob *self = tusk__resize(mem, NULL, 0, sizeof(*self) + len);
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    uint8_t *bytes = (uint8_t *)(self + 1);
    *self = (tusk_blob){.ptr = bytes, .len = len, .refs = 1, .mem = mem, .file = -1};
    *place = bytes;
    *out = self;
    return TUSK_OK;
}

tusk_err tusk_blob_dup(tusk_blob **out, const tusk_mem *mem, tusk_bytes bytes)
{
    uint8_t *place;
    tusk_err err = tusk_blob_new(out, mem, bytes.len, &place);
    if (err == TUSK_OK && bytes.len > 0) {
        memcpy(place, bytes.ptr, bytes.len);
    }
    return err;
}

tusk_err tusk_blob_adopt(tusk_blob **out, const tusk_mem *mem, tusk_bytes bytes,
                         void (*release)(void *owner), void *owner)
{
    *out = NULL;
    tusk_blob *self = tusk__resize(mem, NULL, 0, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    *self = (tusk_blob){.ptr = bytes.ptr,
                        .len = bytes.len,
                        .refs = 1,
                        .mem = mem,
                        .release = release,
                        .owner = owner,
                        .file = -1};
    *out = self;
    return TUSK_OK;
}

void tusk__blob_destroy(tusk_blob *self)
{
    if (self->release != NULL) {
        self->release(self->owner);
        tusk__free(self->mem, self, sizeof(*self));
        return;
    }
    tusk__free(self->mem, self, sizeof(*self) + self->len);
}
