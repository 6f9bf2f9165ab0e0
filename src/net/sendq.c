/* SPDX-License-Identifier: MIT */
/* Send queues: segments from pools, small appends together in one, blobs and files by reference. */
#include "net/inner.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

#define SMALL_BYTES                                                                                \
    (2048 - sizeof(tusk_seg)) /* sixteen answers to short pipelined messages fit in one */
#define LARGE_BYTES ((size_t)24 * 1024)
#define SMALL_KEPT 256
#define LARGE_KEPT 64
#define REFS_KEPT 4096
#define BLOB_COPIED_MAX 256 /* a copy of this is cheaper than one more iovec */
#define UNSHARED_MAX ((size_t)64 * 1024)

static uint8_t *inline_bytes(tusk_seg *seg)
{
    return (uint8_t *)(seg + 1);
}

static size_t room(tusk_seg *seg)
{
    if (seg == NULL || seg->kind > SEG_EXACT) {
        return 0;
    }
    return seg->cap - (size_t)(seg->ptr - inline_bytes(seg)) - (size_t)seg->len;
}

/* Memory that goes only when the whole segment does, however little of it is left to send: a peer
 * that takes all but the last byte must not hold more than is counted. */
static inline size_t held_by(const tusk_seg *seg)
{
    switch (seg->kind) {
    case SEG_SMALL:
    case SEG_LARGE:
    case SEG_EXACT: return seg->cap;
    case SEG_BLOB: return seg->u.slice.whole;
    case SEG_FILE: return 0;
    }
    return 0;
}

static struct net_pool *pool_of(tusk_net *net, seg_kind kind, unsigned *kept)
{
    switch (kind) {
    case SEG_SMALL: *kept = SMALL_KEPT; return &net->small;
    case SEG_LARGE: *kept = LARGE_KEPT; return &net->large;
    case SEG_EXACT: return NULL;
    case SEG_BLOB:
    case SEG_FILE: *kept = REFS_KEPT; return &net->refs;
    }
    return NULL;
}

static tusk_seg *seg_new(tusk_net *net, seg_kind kind, size_t cap)
{
    unsigned kept;
    struct net_pool *pool = pool_of(net, kind, &kept);
    tusk_seg *seg;
    if (kind != SEG_EXACT && pool->free != NULL) {
        seg = pool->free;
        pool->free = seg->next;
        pool->count--;
    } else {
        seg = tusk__resize(net->mem, NULL, 0, sizeof(*seg) + cap);
        if (seg == NULL) {
            return NULL;
        }
        net->counters.segs_allocated++;
    }
    memset(seg, 0, sizeof(*seg));
    seg->kind = kind;
    seg->cap = (uint32_t)cap;
    seg->ptr = inline_bytes(seg);
    return seg;
}

static void seg_free(tusk_net *net, tusk_seg *seg)
{
    assert(net != NULL);
    if (TUSK_LIKELY(seg->kind == SEG_SMALL && net->small.count < SMALL_KEPT)) {
        seg->next = net->small.free;
        net->small.free = seg;
        net->small.count++;
        return;
    }
    if (seg->kind == SEG_BLOB) {
        tusk_blob_unref(seg->u.slice.blob);
    } else if (seg->kind == SEG_FILE && seg->u.file.release != NULL) {
        seg->u.file.release(seg->u.file.owner);
    }
    unsigned kept;
    struct net_pool *pool = pool_of(net, seg->kind, &kept);
    if (seg->kind == SEG_EXACT || pool->count >= kept) {
        tusk__free(net->mem, seg, sizeof(*seg) + seg->cap);
        return;
    }
    seg->next = pool->free;
    pool->free = seg;
    pool->count++;
}

void tusk__seg_pools_fini(tusk_net *net)
{
    struct net_pool *pools[] = {&net->small, &net->large, &net->refs};
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        while (pools[i]->free != NULL) {
            tusk_seg *seg = pools[i]->free;
            pools[i]->free = seg->next;
            tusk__free(net->mem, seg, sizeof(*seg) + seg->cap);
        }
        pools[i]->count = 0;
    }
}

/* The sum is kept in the first segment, so that a connection without a queue does not pay for it.
 */
static inline void hold(tusk_conn *conn, size_t bytes)
{
    conn->send_head->queue_held += bytes;
    conn->net->queued += bytes;
}

static inline void let_go(tusk_conn *conn, size_t bytes)
{
    conn->send_head->queue_held -= bytes;
    conn->net->queued -= bytes;
}

static void link_seg(tusk_conn *conn, tusk_seg *seg)
{
    if (conn->send_tail == NULL) {
        conn->send_head = seg;
    } else {
        conn->send_tail->next = seg;
    }
    conn->send_tail = seg;
    hold(conn, held_by(seg));
}

static void queued(tusk_conn *conn, uint64_t len)
{
    conn->send_bytes += (size_t)len;
    if (conn->send_bytes > conn->low_water) {
        conn->above_low = true;
    }
    if (!conn->blocked) {
        tusk__net_schedule_flush(conn);
    }
}

static void unlink_head(tusk_conn *conn)
{
    tusk_seg *seg = conn->send_head;
    let_go(conn, held_by(seg));
    conn->send_head = seg->next;
    if (conn->send_head == NULL) {
        conn->send_tail = NULL;
    } else {
        conn->send_head->queue_held = seg->queue_held;
    }
    seg_free(conn->net, seg);
}

size_t tusk_conn_held(const tusk_conn *self)
{
    return self->send_head == NULL ? 0 : self->send_head->queue_held;
}

void tusk__sendq_sent(tusk_conn *conn, size_t len)
{
    conn->send_bytes -= len;
    while (conn->send_head != NULL) {
        tusk_seg *seg = conn->send_head;
        size_t part = seg->len < len ? (size_t)seg->len : len;
        if (seg->kind == SEG_FILE) {
            seg->u.file.offset += part;
        } else {
            seg->ptr += part;
        }
        seg->len -= part;
        len -= part;
        if (seg->len > 0) {
            return;
        }
        unlink_head(conn);
    }
}

void tusk__sendq_sent_all(tusk_conn *conn)
{
    conn->send_bytes = 0;
    unlink_head(conn);
}

void tusk__sendq_drop(tusk_conn *conn)
{
    while (conn->send_head != NULL) {
        unlink_head(conn);
    }
    conn->send_bytes = 0;
}

/* Memory beside the slice that stays as long as the slice does, and is counted nowhere. */
static bool holds_much_more(const tusk_blob *blob, size_t whole)
{
    return blob->len <= UNSHARED_MAX && blob->len - whole > whole;
}

/* A slice's bytes in memory of their own; without memory it stays as it is. */
static tusk_seg *own_copy(tusk_net *net, const tusk_seg *seg)
{
    tusk_seg *copy = seg_new(net, SEG_EXACT, (size_t)seg->len);
    if (copy != NULL) {
        memcpy(inline_bytes(copy), seg->ptr, (size_t)seg->len);
        copy->len = seg->len;
        copy->next = seg->next;
        copy->queue_held = seg->queue_held;
    }
    return copy;
}

void tusk__sendq_unshare(tusk_conn *conn)
{
    tusk_net *net = conn->net;
    tusk_seg *before = NULL;
    for (tusk_seg *seg = conn->send_head; seg != NULL; before = seg, seg = seg->next) {
        if (seg->kind != SEG_BLOB || !holds_much_more(seg->u.slice.blob, seg->u.slice.whole)) {
            continue;
        }
        tusk_seg *copy = own_copy(net, seg);
        if (copy == NULL) {
            continue;
        }
        *(before == NULL ? &conn->send_head : &before->next) = copy;
        conn->send_tail = conn->send_tail == seg ? copy : conn->send_tail;
        hold(conn, held_by(copy));
        let_go(conn, held_by(seg));
        seg_free(net, seg);
        seg = copy;
    }
}

static inline bool is_writable(const tusk_conn *conn)
{
    return (conn->state == CONN_OPEN || conn->state == CONN_OPENING) && !conn->half;
}

static inline bool fits(const tusk_net *net, size_t len)
{
    return len <= net->queued_max && net->queued <= net->queued_max - len;
}

/* It may have found its own peer gone. */
static tusk_err make_room(tusk_conn *conn, size_t len)
{
    tusk_net *net = conn->net;
    if (net->make_room != NULL && net->make_room(net->room_user, conn, len)) {
        return is_writable(conn) ? TUSK_OK : TUSK_ESTATE;
    }
    net->counters.queue_refusals++;
    return TUSK_ELIMIT;
}

static inline tusk_err admit(tusk_conn *conn, size_t len)
{
    if (!is_writable(conn)) {
        return TUSK_ESTATE;
    }
    return TUSK_LIKELY(fits(conn->net, len)) ? TUSK_OK : make_room(conn, len);
}

/* For an answer to a short message, as nearly all are: a pool's segment has but a few words that
 * change. */
static tusk_seg *small_seg(tusk_net *net)
{
    tusk_seg *seg = net->small.free;
    if (TUSK_UNLIKELY(seg == NULL)) {
        return seg_new(net, SEG_SMALL, SMALL_BYTES);
    }
    net->small.free = seg->next;
    net->small.count--;
    seg->next = NULL;
    seg->ptr = inline_bytes(seg);
    seg->len = 0;
    seg->queue_held = 0;
    return seg;
}

/* A tail with room for all of `len`, or a new one; a queue that needs a second segment, or will,
 * gets large ones, so that pipelined answers leave from one place by send(). */
static tusk_seg *tail_for(tusk_conn *conn, size_t len)
{
    if (conn->send_tail != NULL && room(conn->send_tail) >= len) {
        return conn->send_tail;
    }
    bool more = conn->in_len > SMALL_BYTES; /* of what arrived is still to be answered */
    bool small = len <= SMALL_BYTES && !more &&
                 (conn->send_tail == NULL || conn->send_tail->kind == SEG_BLOB);
    tusk_seg *seg = small                ? small_seg(conn->net)
                    : len <= LARGE_BYTES ? seg_new(conn->net, SEG_LARGE, LARGE_BYTES)
                    : len <= UINT32_MAX  ? seg_new(conn->net, SEG_EXACT, len)
                                         : NULL;
    if (seg != NULL) {
        link_seg(conn, seg);
    }
    return seg;
}

uint8_t *tusk_conn_reserve(tusk_conn *self, size_t len)
{
    if (TUSK_UNLIKELY(admit(self, len) != TUSK_OK)) {
        return NULL;
    }
    if (TUSK_LIKELY(self->send_tail == NULL && len <= SMALL_BYTES && self->in_len <= SMALL_BYTES)) {
        tusk_seg *first = small_seg(self->net);
        if (TUSK_UNLIKELY(first == NULL)) {
            return NULL;
        }
        self->send_head = self->send_tail = first;
        hold(self, first->cap);
        return inline_bytes(first);
    }
    tusk_seg *seg = tail_for(self, len);
    return seg == NULL ? NULL : inline_bytes(seg) + (seg->cap - room(seg));
}

void tusk_conn_commit(tusk_conn *self, size_t len)
{
    self->send_tail->len += len;
    queued(self, len);
}

tusk_err tusk_conn_append(tusk_conn *self, const void *ptr, size_t len)
{
    tusk_err err = admit(self, len);
    if (err != TUSK_OK || len == 0) {
        return err;
    }
    tusk_seg *seg = tail_for(self, len);
    if (seg == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(inline_bytes(seg) + (seg->cap - room(seg)), ptr, len);
    seg->len += len;
    queued(self, len);
    return TUSK_OK;
}

static bool continues(const tusk_seg *tail, const tusk_blob *blob, const uint8_t *from)
{
    return tail != NULL && tail->kind == SEG_BLOB && tail->u.slice.blob == blob &&
           tail->ptr + tail->len == from;
}

tusk_err tusk_conn_append_slice(tusk_conn *self, tusk_blob *blob, size_t start, size_t len)
{
    if (start > blob->len || len > blob->len - start) {
        return TUSK_EINVAL;
    }
    tusk_seg *tail = self->send_tail;
    bool waits = self->blocked && holds_much_more(blob, len);
    if (waits || (len <= BLOB_COPIED_MAX && (self->blocked || room(tail) >= len))) {
        return tusk_conn_append(self, blob->ptr + start, len);
    }
    tusk_err err = admit(self, len);
    if (err != TUSK_OK || len == 0) {
        return err;
    }
    tail = self->send_tail; /* to make room it may have left */
    if (continues(tail, blob, blob->ptr + start)) {
        tail->len += len;
        tail->u.slice.whole += len;
        hold(self, len);
        queued(self, len);
        return TUSK_OK;
    }
    tusk_seg *seg = seg_new(self->net, SEG_BLOB, 0);
    if (seg == NULL) {
        return TUSK_ENOMEM;
    }
    seg->u.slice.blob = tusk_blob_ref(blob);
    seg->u.slice.whole = len;
    seg->ptr = blob->ptr + start;
    seg->len = len;
    link_seg(self, seg);
    queued(self, len);
    return TUSK_OK;
}

tusk_err tusk_conn_append_blob(tusk_conn *self, tusk_blob *blob)
{
    return tusk_conn_append_slice(self, blob, 0, blob->len);
}

tusk_err tusk_conn_append_file(tusk_conn *self, int fd, uint64_t offset, uint64_t len,
                               void (*release)(void *owner), void *owner)
{
    tusk_err err = admit(self, 0);
    if (err != TUSK_OK) {
        return err;
    }
    tusk_seg *seg = seg_new(self->net, SEG_FILE, 0);
    if (seg == NULL) {
        return TUSK_ENOMEM;
    }
    seg->u.file.fd = fd;
    seg->u.file.offset = offset;
    seg->u.file.release = release;
    seg->u.file.owner = owner;
    seg->len = len;
    link_seg(self, seg);
    queued(self, len);
    return TUSK_OK;
}
