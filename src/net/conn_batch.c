/* SPDX-License-Identifier: MIT */
/* What many connections do in one turn, in one system call. */
#define _GNU_SOURCE
#include "net/inner.h"

#include <limits.h>

#include "base/mem.h"
#include "loop/coming.h"
#include "net/send_file.h"

/* Less than this is cheaper copied than hushed. */
#define PAGES_TURN_MIN ((size_t)24 * 1024)

static bool has_batch(tusk_net *net)
{
    const char *reason;
    bool works = tusk_late_batch_works(&net->batch, net->mem, &reason);
    if (reason != NULL && net->tell_lack != NULL) {
        net->tell_lack(net->tell_user, reason);
    }
    return works;
}

/* ---- sends ---- */
/* What waits is one part of memory, and leaves by one send() to the socket itself. */
static inline bool is_one_send(const tusk_conn *conn)
{
    const tusk_seg *seg = conn->send_head;
    return seg != NULL && seg->next == NULL && seg->kind != SEG_FILE && seg->len > 0 &&
           conn->filter == NULL && !conn->blocked &&
           (conn->state == CONN_OPEN || conn->state == CONN_FINISHING);
}

static inline void collect(tusk_batch_item *item, tusk_conn *conn)
{
    item->owner = conn;
    item->bytes.from = conn->send_head->ptr;
    item->len = tusk__share_of_send(conn->send_head->len);
    item->fd = conn->io.fd;
}

/* Nothing happens between collecting and applying but the sends themselves, so what was collected
 * lies where it lay. */
static void send_all(tusk_net *net, tusk_batch_item *items, unsigned count)
{
    if (count < net->limits.batch_min || !has_batch(net)) {
        for (unsigned i = 0; i < count; i++) {
            tusk__conn_write(items[i].owner);
        }
        return;
    }
    tusk_batch_send(net->batch.ring, items, count);
    net->counters.batches++;
    net->counters.batched += count;
    for (unsigned i = 0; i < count; i++) {
        tusk__conn_sent(items[i].owner, items[i].result);
    }
}

/* Pages of files instead of copies. Their call cannot be told to send no signal, so that is seen to
 * once for all of them. */
static void send_pages(tusk_net *net, tusk_batch_item *items, unsigned count)
{
    net_hush hush;
    tusk__hush_begin(&hush);
    for (unsigned i = count; i-- > 0;) {
        tusk_conn *conn = items[i].owner;
        const tusk_blob *blob = conn->send_head->u.slice.blob;
        uint64_t offset = (uint64_t)(conn->send_head->ptr - blob->ptr);
        items[i].result = (int)tusk__hush_send(&hush, items[i].fd, blob->file, offset,
                                               items[i].len < INT_MAX ? items[i].len : INT_MAX);
    }
    tusk__hush_end(&hush);
    net->counters.from_files += count;
    for (unsigned i = count; i-- > 0;) {
        tusk__conn_sent(items[i].owner, items[i].result);
    }
}

/* Copies are collected from the front of `items` on, pages from its end on backwards. */
void tusk__conns_flush_some(tusk_net *net, tusk_link *list, unsigned most)
{
    tusk_batch_item items[NET_BATCH_MAX];
    unsigned count = 0;
    unsigned pages = NET_BATCH_MAX;
    size_t bytes = 0;
    tusk_link *link;
    while (count < pages && most-- > 0 && (link = tusk__list_pop(list)) != NULL) {
        tusk_conn *conn = TUSK_OWNER(link, tusk_conn, flush);
        if (!is_one_send(conn)) {
            tusk__conn_write(conn);
        } else if (TUSK_UNLIKELY(tusk__conn_sends_pages(conn))) {
            collect(&items[--pages], conn);
            bytes += conn->send_bytes;
        } else {
            collect(&items[count++], conn);
        }
    }
    if (TUSK_UNLIKELY(bytes >= PAGES_TURN_MIN)) {
        send_pages(net, items + pages, NET_BATCH_MAX - pages);
        pages = NET_BATCH_MAX;
    }
    while (TUSK_UNLIKELY(pages < NET_BATCH_MAX)) {
        items[count++] = items[pages++];
    }
    send_all(net, items, count);
}

/* ---- receives ---- */
typedef struct places {
    size_t bytes; /* what each takes */
    unsigned max;
} places;

static const places kinds[] = {[PLACE_SMALL] = {.bytes = NET_EARLY_BYTES, .max = NET_EARLY_MAX},
                               [PLACE_WIDE] = {.bytes = NET_WIDE_BYTES, .max = NET_WIDE_MAX}};

static inline uint8_t *place_at(const tusk_net *net, unsigned slot)
{
    return net->early + slot * (net->early_bytes + NET_PLACE_SKEW);
}

/* Without memory for the places everybody receives alone, as without a ring; and where the loop's
 * buffer would not take a full one with what is behind it. They are zeroed, as valgrind does not
 * see what a ring writes. */
static bool has_places(tusk_net *net)
{
    size_t cap;
    (void)tusk_loop_landing(net->loop, &cap);
    if (net->early == NULL && has_batch(net) && cap >= 2 * NET_EARLY_BYTES) {
        net->early = tusk__new(net->mem, NET_PLACES_BYTES);
    }
    return net->early != NULL && has_batch(net);
}

/* What the last batch brought for somebody whose event never came (who was paused by another's
 * handler, say) makes room. */
static void clear_places(tusk_net *net)
{
    for (unsigned i = 0; i < net->early_count; i++) {
        tusk_conn *conn = net->early_of[i];
        if (TUSK_UNLIKELY(conn != NULL) && !tusk__conn_keep_input(conn)) {
            tusk__conn_close(conn, TUSK_ENOMEM);
        }
    }
}

static inline bool may_be_early(tusk_conn *conn, uint8_t place)
{
    const unsigned data = CONN_TELL_DATA | CONN_TELL_AGAIN;
    size_t cap;
    return conn->filter == NULL && conn->in_len == 0 && conn->place <= place && !conn->filled &&
           !conn->works && (conn->tell & data) == 0 && tusk__conn_may_read(conn) &&
           (conn->ops->landing == NULL || conn->ops->landing(conn, &cap) == NULL);
}

/* A batch received this for it ahead of its event. From here on it is unread input like any other,
 * for whoever parks, pauses, closes or takes it before that. */
static inline void received(tusk_conn *conn, unsigned slot, int result)
{
    tusk_net *net = conn->net;
    net->counters.recv_calls++;
    if (TUSK_UNLIKELY(result <= 0)) {
        tusk__conn_not_received(conn, result);
        return;
    }
    net->counters.bytes_in += (uint64_t)result;
    net->early_of[slot] = conn;
    conn->early = (uint8_t)(slot + 1);
    conn->in_ptr = place_at(net, slot);
    conn->in_len = (size_t)result;
    conn->in_shared = true;
}

/* The event of each is next, and by then the kernel has filled the nearest cache with its own. */
#define NET_OWNER_BYTES 512 /* a session is about that */

static void receive_all(tusk_net *net, tusk_batch_item *items, unsigned count)
{
    net->early_count = count;
    tusk_batch_receive(net->batch.ring, items, count);
    net->counters.batches++;
    net->counters.batched += count;
    for (unsigned i = 0; i < count; i++) {
        tusk_conn_expect(items[i].owner, NET_OWNER_BYTES);
    }
    for (unsigned i = 0; i < count; i++) {
        received(items[i].owner, i, items[i].result);
    }
}

/* Who sends much reads alone where a turn's reads are shared. */
static bool may_begin(const tusk_conn *first)
{
    return first->place <= PLACE_WIDE &&
           tusk__turn_read_cap(first->net, kinds[first->place].bytes) == kinds[first->place].bytes;
}

void tusk__conns_receive(tusk_conn *first)
{
    tusk_net *net = first->net;
    tusk_io *coming[NET_EARLY_MAX];
    tusk_batch_item items[NET_EARLY_MAX];
    unsigned count = 0;
    if (!may_begin(first)) {
        return;
    }
    const places *kind = &kinds[first->place];
    unsigned readable = tusk__loop_coming(net->loop, &first->io, 0, coming, kind->max);
    if (readable < net->limits.batch_min || readable == 0 || !has_places(net)) {
        return;
    }
    clear_places(net);
    net->early_count = 0;
    net->early_bytes = kind->bytes;
    for (unsigned i = 0; i < readable; i++) {
        tusk_conn *conn = TUSK_OWNER(coming[i], tusk_conn, io);
        if (conn->net == net && may_be_early(conn, first->place)) {
            tusk_batch_item *item = &items[count];
            item->owner = conn;
            item->bytes.to = place_at(net, count);
            item->len = kind->bytes;
            item->fd = conn->io.fd;
            count++;
        }
    }
    if (count >= net->limits.batch_min) {
        receive_all(net, items, count);
    }
}

void tusk_net_on_lack(tusk_net *self, void (*tell)(void *user, const char *reason), void *user)
{
    self->tell_lack = tell;
    self->tell_user = user;
}
