/* SPDX-License-Identifier: MIT */
/* The history of a peer's messages: a ring that begins small and ends as large as the window. */
#include "proto/ws_history.h"

#include "base/mem.h"

enum { HISTORY_MIN = 256 };

struct tusk__history {
    size_t cap;
    size_t len;
    size_t at; /* where the next byte goes; `len` until the ring is full */
    uint8_t bytes[];
};

static tusk_err make_room(tusk__history **self, const tusk_mem *mem, size_t window, size_t more)
{
    tusk__history *old = *self;
    size_t cap = old == NULL ? 0 : old->cap;
    size_t len = old == NULL ? 0 : old->len;
    size_t need = more < window - len ? len + more : window;
    if (old != NULL && need <= cap) {
        return TUSK_OK;
    }
    size_t wanted = cap == 0 ? HISTORY_MIN : cap * 2;
    wanted = wanted < need ? need : wanted;
    wanted = wanted < window ? wanted : window;
    tusk__history *grown =
        tusk__resize(mem, old, old == NULL ? 0 : sizeof(*old) + cap, sizeof(*old) + wanted);
    if (grown == NULL) {
        return TUSK_ENOMEM;
    }
    if (old == NULL) {
        *grown = (tusk__history){0};
    }
    grown->cap = wanted;
    *self = grown;
    return TUSK_OK;
}

tusk_err tusk__history_add(tusk__history **self, const tusk_mem *mem, uint8_t window_bits,
                           tusk_bytes message)
{
    size_t window = (size_t)1 << window_bits;
    if (message.len == 0) {
        return TUSK_OK;
    }
    tusk_err err = make_room(self, mem, window, message.len);
    if (err != TUSK_OK) {
        return err;
    }
    tusk__history *ring = *self;
    if (message.len >= window) {
        message.ptr += message.len - window;
        message.len = window;
        ring->at = 0;
    }
    size_t first = ring->cap - ring->at < message.len ? ring->cap - ring->at : message.len;
    memcpy(ring->bytes + ring->at, message.ptr, first);
    memcpy(ring->bytes, message.ptr + first, message.len - first);
    ring->at = (ring->at + message.len) % window;
    ring->len = message.len < window - ring->len ? ring->len + message.len : window;
    return TUSK_OK;
}

void tusk__history_free(tusk__history *self, const tusk_mem *mem)
{
    if (self != NULL) {
        tusk__free(mem, self, sizeof(*self) + self->cap);
    }
}

void tusk__history_view(const tusk__history *self, tusk_bytes pieces[2])
{
    size_t older = self->len < self->cap ? 0 : self->len - self->at;
    pieces[0] = tusk_bytes_of(self->bytes + self->at, older);
    pieces[1] = tusk_bytes_of(self->bytes, self->len - older);
}
