/* SPDX-License-Identifier: MIT */
/* permessage-deflate's work on bytes (RFC 7692, 7.2): zlib's raw streams, message by message. */
#include "proto/deflate.h"

#include "base/mem.h"

#ifdef TUSK_HAVE_ZLIB
#define ZLIB_CONST
#include <limits.h>
#include <zlib.h>

enum {
    IDLE_MAX = 8, /* inflaters that the pool keeps; an evening's peak is given back */
    BITS_MIN = 8,
    BITS_MAX = 15,
    STEP_MAX = 65536,
    FLUSH_ROOM = 6 /* zlib wants more than this, or it repeats its flush marker */
};

static const uint8_t flush_tail[4] = {0x00, 0x00, 0xFF, 0xFF};

/* ---- zlib's heap is ours: each block remembers its size, as tusk_mem wants it back ---- */
typedef union block {
    size_t size;
    max_align_t align;
} block;

static void *allocate(void *opaque, unsigned items, unsigned size)
{
    const tusk_mem *mem = opaque;
    size_t total = (size_t)items * size;
    if (total / size != items || total > SIZE_MAX - sizeof(block)) {
        return NULL;
    }
    block *head = tusk__resize(mem, NULL, 0, sizeof(*head) + total);
    if (head == NULL) {
        return NULL;
    }
    head->size = sizeof(*head) + total;
    return head + 1;
}

static void release(void *opaque, void *ptr)
{
    block *head = (block *)ptr - 1;
    tusk__free(opaque, head, head->size);
}

static void set_heap(z_stream *z, const tusk_mem *mem)
{
    z->zalloc = allocate;
    z->zfree = release;
    z->opaque = (void *)(uintptr_t)mem;
}

static unsigned step_of(size_t len)
{
    return len > UINT_MAX / 2 ? UINT_MAX / 2 : (unsigned)len;
}

/* ---- inflaters ---- */
struct tusk__inflater {
    z_stream z;
    tusk__inflater *next_idle;
    const tusk_mem *mem;
    uint64_t wire; /* compressed bytes of the message */
    bool at_start; /* of a deflate stream: nothing of it was read */
};

struct tusk_ws_inflaters {
    const tusk_mem *mem;
    tusk__inflater *idle;
    size_t idle_count;
};

static void inflater_free(tusk__inflater *self)
{
    (void)inflateEnd(&self->z);
    tusk__free(self->mem, self, sizeof(*self));
}

tusk_err tusk_ws_inflaters_new(tusk_ws_inflaters **out, const tusk_mem *mem)
{
    *out = tusk__new(mem, sizeof(**out));
    if (*out == NULL) {
        return TUSK_ENOMEM;
    }
    (*out)->mem = mem;
    return TUSK_OK;
}

void tusk_ws_inflaters_free(tusk_ws_inflaters *self)
{
    if (self == NULL) {
        return;
    }
    while (self->idle != NULL) {
        tusk__inflater *inflater = self->idle;
        self->idle = inflater->next_idle;
        inflater_free(inflater);
    }
    tusk__free(self->mem, self, sizeof(*self));
}

/* The window is the largest that deflate has, whatever was agreed: zlib looks back beyond a smaller
 * one as far as its caller's buffer happens to reach, so that the cuts of the input would decide
 * about a distance that is too large. What a peer may refer back to is the length of `history`. */
static tusk__inflater *inflater_new(const tusk_mem *mem)
{
    tusk__inflater *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return NULL;
    }
    self->mem = mem;
    self->at_start = true;
    set_heap(&self->z, mem);
    if (inflateInit2(&self->z, -BITS_MAX) != Z_OK) {
        tusk__free(mem, self, sizeof(*self));
        return NULL;
    }
    return self;
}

tusk_err tusk__inflater_take(tusk__inflater **out, tusk_ws_inflaters *pool,
                             const tusk__history *history)
{
    tusk__inflater *self = pool->idle;
    *out = NULL;
    if (self != NULL) {
        pool->idle = self->next_idle;
        pool->idle_count--;
    } else {
        self = inflater_new(pool->mem);
    }
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    if (history != NULL) {
        tusk_bytes pieces[2];
        tusk__history_view(history, pieces);
        for (size_t i = 0; i < 2; i++) {
            if (pieces[i].len > 0 &&
                inflateSetDictionary(&self->z, pieces[i].ptr, (unsigned)pieces[i].len) != Z_OK) {
                inflater_free(self);
                return TUSK_ENOMEM;
            }
        }
    }
    *out = self;
    return TUSK_OK;
}

void tusk__inflater_give(tusk_ws_inflaters *pool, tusk__inflater *self)
{
    if (self == NULL) {
        return;
    }
    if (pool->idle_count >= IDLE_MAX || inflateReset(&self->z) != Z_OK) {
        inflater_free(self);
        return;
    }
    self->at_start = true;
    self->wire = 0;
    self->next_idle = pool->idle;
    pool->idle = self;
    pool->idle_count++;
}

uint64_t tusk__inflater_wire(const tusk__inflater *self)
{
    return self->wire;
}

tusk_err tusk__inflater_run(tusk__inflater *self, tusk_bytes *in, uint8_t *out, size_t cap,
                            size_t *made)
{
    z_stream *z = &self->z;
    *made = 0;
    do {
        unsigned given = step_of(in->len);
        unsigned room = step_of(cap - *made);
        z->next_in = in->ptr;
        z->avail_in = given;
        z->next_out = out + *made;
        z->avail_out = room;
        int result = inflate(z, Z_SYNC_FLUSH);
        size_t read = given - z->avail_in;
        size_t wrote = room - z->avail_out;
        in->ptr += read;
        in->len -= read;
        self->wire += read;
        *made += wrote;
        self->at_start = self->at_start && read == 0;
        switch (result) {
        case Z_OK: break;
        case Z_BUF_ERROR:
            if (in->len > 0 && *made < cap) {
                return TUSK_EDEFLATE;
            }
            return TUSK_OK;
        case Z_STREAM_END:
            /* A final block ends neither the message nor the history (RFC 7692, 7.2.3.4
             * and 7.2.3.5). */
            if (inflateResetKeep(z) != Z_OK) {
                return TUSK_EDEFLATE;
            }
            self->at_start = true;
            break;
        case Z_MEM_ERROR: return TUSK_ENOMEM;
        default: return TUSK_EDEFLATE;
        }
    } while (in->len > 0 && *made < cap);
    return TUSK_OK;
}

tusk_bytes tusk__inflater_tail(const tusk__inflater *self)
{
    /* Behind a final block the tail would open a block that nobody closes. */
    return tusk_bytes_of(flush_tail, self->at_start ? 0 : sizeof(flush_tail));
}

tusk_err tusk__inflater_end(tusk__inflater *self)
{
    enum { BETWEEN_BLOCKS = 128, UNUSED_BITS = 63 };
    if (self->at_start) {
        return TUSK_OK;
    }
    if ((self->z.data_type & BETWEEN_BLOCKS) == 0 || (self->z.data_type & UNUSED_BITS) != 0) {
        return TUSK_EDEFLATE;
    }
    return TUSK_OK;
}

/* ---- deflaters ---- */
struct tusk_ws_deflater {
    z_stream z;
    const tusk_mem *mem;
    bool keeps_context;
};

tusk_err tusk_ws_deflater_new(tusk_ws_deflater **out, const tusk_mem *mem, uint8_t window_bits,
                              uint8_t level, uint8_t mem_level, bool keeps_context)
{
    *out = NULL;
    if (window_bits < BITS_MIN || window_bits > BITS_MAX || level < 1 || level > 9 ||
        mem_level < 1 || mem_level > 9) {
        return TUSK_EINVAL;
    }
    tusk_ws_deflater *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->mem = mem;
    self->keeps_context = keeps_context;
    set_heap(&self->z, mem);
    window_bits = window_bits < TUSK__DEFLATE_BITS_MIN ? TUSK__DEFLATE_BITS_MIN : window_bits;
    if (deflateInit2(&self->z, level, Z_DEFLATED, -window_bits, mem_level, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        tusk__free(mem, self, sizeof(*self));
        return TUSK_ENOMEM;
    }
    *out = self;
    return TUSK_OK;
}

void tusk_ws_deflater_free(tusk_ws_deflater *self)
{
    if (self == NULL) {
        return;
    }
    (void)deflateEnd(&self->z);
    tusk__free(self->mem, self, sizeof(*self));
}

/* Some room at the end of `out`: what `want` says, or what the buffer's limit leaves. */
static tusk_err make_room(tusk_buf *out, size_t want, uint8_t **place, size_t *room)
{
    size_t left = out->limit - out->len;
    *room = want < left ? want : left;
    return *room <= FLUSH_ROOM ? TUSK_ETOOBIG : tusk_buf_reserve(out, *room, place);
}

static tusk_err deflate_all(tusk_ws_deflater *self, tusk_bytes payload, tusk_buf *out)
{
    z_stream *z = &self->z;
    z->avail_in = 0;
    do {
        if (z->avail_in == 0) {
            z->next_in = payload.ptr;
            z->avail_in = step_of(payload.len);
            payload.ptr += z->avail_in;
            payload.len -= z->avail_in;
        }
        uint8_t *place;
        size_t room;
        size_t want = deflateBound(z, z->avail_in) + 16;
        tusk_err err = make_room(out, want < STEP_MAX ? want : STEP_MAX, &place, &room);
        if (err != TUSK_OK) {
            return err;
        }
        z->next_out = place;
        z->avail_out = (unsigned)room;
        int result = deflate(z, payload.len > 0 ? Z_NO_FLUSH : Z_SYNC_FLUSH);
        if (result != Z_OK && result != Z_BUF_ERROR) {
            return TUSK_ENOMEM;
        }
        tusk_buf_commit(out, room - z->avail_out);
    } while (payload.len > 0 || z->avail_in > 0 || z->avail_out == 0);
    return TUSK_OK;
}

tusk_err tusk_ws_deflater_run(tusk_ws_deflater *self, tusk_bytes payload, tusk_buf *out)
{
    static const uint8_t empty_block[1] = {0};
    size_t before = out->len;
    if (payload.len == 0) {
        return tusk_buf_append(out, empty_block,
                               1); /* RFC 7692, 7.2.3.6; a second flush would add nothing */
    }
    tusk_err err = deflate_all(self, payload, out);
    if (err == TUSK_OK) {
        out->len -= sizeof(flush_tail);
    } else {
        out->len = before;
    }
    if (err != TUSK_OK || !self->keeps_context) {
        (void)deflateReset(&self->z); /* a compressor may forget at any time; it may not refer to
                                         what was not sent */
    }
    return err;
}

const char *tusk_ws_deflate_library(void)
{
    return zlibVersion();
}

#else /* without zlib nothing is ever agreed, so none of these is reached in order */

tusk_err tusk_ws_inflaters_new(tusk_ws_inflaters **out, const tusk_mem *mem)
{
    (void)mem;
    *out = NULL;
    return TUSK_ENOTSUP;
}

void tusk_ws_inflaters_free(tusk_ws_inflaters *self)
{
    (void)self;
}

tusk_err tusk__inflater_take(tusk__inflater **out, tusk_ws_inflaters *pool,
                             const tusk__history *history)
{
    (void)pool;
    (void)history;
    *out = NULL;
    return TUSK_ENOTSUP;
}

void tusk__inflater_give(tusk_ws_inflaters *pool, tusk__inflater *self)
{
    (void)pool;
    (void)self;
}

uint64_t tusk__inflater_wire(const tusk__inflater *self)
{
    (void)self;
    return 0;
}

tusk_err tusk__inflater_run(tusk__inflater *self, tusk_bytes *in, uint8_t *out, size_t cap,
                            size_t *made)
{
    (void)self;
    (void)in;
    (void)out;
    (void)cap;
    *made = 0;
    return TUSK_ENOTSUP;
}

tusk_bytes tusk__inflater_tail(const tusk__inflater *self)
{
    (void)self;
    return tusk_bytes_of(NULL, 0);
}

tusk_err tusk__inflater_end(tusk__inflater *self)
{
    (void)self;
    return TUSK_ENOTSUP;
}

tusk_err tusk_ws_deflater_new(tusk_ws_deflater **out, const tusk_mem *mem, uint8_t window_bits,
                              uint8_t level, uint8_t mem_level, bool keeps_context)
{
    (void)mem;
    (void)window_bits;
    (void)level;
    (void)mem_level;
    (void)keeps_context;
    *out = NULL;
    return TUSK_ENOTSUP;
}

void tusk_ws_deflater_free(tusk_ws_deflater *self)
{
    (void)self;
}

tusk_err tusk_ws_deflater_run(tusk_ws_deflater *self, tusk_bytes payload, tusk_buf *out)
{
    (void)self;
    (void)payload;
    (void)out;
    return TUSK_ENOTSUP;
}

const char *tusk_ws_deflate_library(void)
{
    return NULL;
}

#endif
