/* SPDX-License-Identifier: MIT */
/* What many connections do in one turn, in one system call. */
#include "net/inner.h"

#include "base/mem.h"
#include "loop/coming.h"

/* A ring is made when it is first of use: most servers never have so much to say at once. */
static bool has_batch(tusk_net *net)
{
    if (!net->batch_tried) {
        const char *reason;
        net->batch_tried = true;
        if (tusk_batch_new(&net->batch, net->mem, net->batch_lacks, &reason) != TUSK_OK &&
            net->tell_lack != NULL) {
            net->tell_lack(net->tell_user, reason);
        }
    }
    return tusk_batch_works(net->batch);
}

/* ---- sends ---- */
static void collect(tusk_batch_item *item, tusk_conn *conn)
{
    *item = (tusk_batch_item){.owner = conn,
                              .bytes.from = conn->send_head->ptr,
                              .len = (size_t)conn->send_head->len,
                              .fd = conn->io.fd};
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
    tusk_batch_send(net->batch, items, count);
    net->counters.batches++;
    net->counters.batched += count;
    for (unsigned i = 0; i < count; i++) {
        tusk__conn_sent(items[i].owner, items[i].result);
    }
}

void tusk__conns_flush(tusk_net *net)
{
    tusk_batch_item items[NET_BATCH_MAX];
    tusk_link *link;
    do {
        unsigned count = 0;
        while (count < NET_BATCH_MAX && (link = tusk__list_pop(&net->flush)) != NULL) {
            tusk_conn *conn = TUSK_OWNER(link, tusk_conn, flush);
            if (tusk__conn_is_one_send(conn)) {
                collect(&items[count++], conn);
            } else {
                tusk__conn_write(conn);
            }
        }
        send_all(net, items, count);
    } while (!tusk__list_empty(&net->flush));
}

/* ---- receives ---- */
/* Without memory for the places everybody receives alone, as without a ring; and where the loop's
 * buffer would not take a full one with what is behind it. They are zeroed, as valgrind does not
 * see what a ring writes. */
static bool has_places(tusk_net *net)
{
    size_t cap;
    (void)tusk_loop_landing(net->loop, &cap);
    if (net->early == NULL && has_batch(net) && cap >= 2 * NET_EARLY_BYTES) {
        net->early = tusk__new(net->mem, NET_EARLY_MAX * NET_EARLY_PLACE);
    }
    return net->early != NULL && has_batch(net);
}

/* What the last batch brought for somebody whose event never came (who was paused by another's
 * handler, say) makes room. */
static void clear_places(tusk_net *net)
{
    for (unsigned i = 0; i < NET_EARLY_MAX; i++) {
        tusk_conn *conn = net->early_of[i];
        if (TUSK_UNLIKELY(conn != NULL) && !tusk__conn_keep_input(conn)) {
            tusk__conn_close(conn, TUSK_ENOMEM);
        }
    }
}

/* The event of each is next, and by then the kernel has filled the nearest cache with its own: what
 * a connection and its owner consist of is asked for, for all of them at once. */
static void expect(const tusk_conn *conn)
{
    enum { LINE = 64, OWNER_BYTES = 512 }; /* a session is about that */
    for (size_t at = 0; at < OWNER_BYTES; at += LINE) {
        __builtin_prefetch((const char *)conn + at);
    }
}

void tusk__conns_receive(tusk_conn *first)
{
    tusk_net *net = first->net;
    tusk_io *coming[NET_EARLY_MAX];
    tusk_batch_item items[NET_EARLY_MAX];
    unsigned count = 0;
    unsigned readable = tusk__loop_coming(net->loop, &first->io, coming, NET_EARLY_MAX);
    if (readable < net->limits.batch_min || readable == 0 || !has_places(net)) {
        return;
    }
    clear_places(net);
    for (unsigned i = 0; i < readable; i++) {
        tusk_conn *conn = TUSK_OWNER(coming[i], tusk_conn, io);
        if (conn->net == net && tusk__conn_may_be_early(conn)) {
            items[count] = (tusk_batch_item){.owner = conn,
                                             .bytes.to = net->early + count * NET_EARLY_PLACE,
                                             .len = NET_EARLY_BYTES,
                                             .fd = conn->io.fd};
            count++;
        }
    }
    if (count < net->limits.batch_min) {
        return;
    }
    tusk_batch_receive(net->batch, items, count);
    net->counters.batches++;
    net->counters.batched += count;
    for (unsigned i = 0; i < count; i++) {
        expect(items[i].owner);
    }
    for (unsigned i = 0; i < count; i++) {
        tusk__conn_received(items[i].owner, i, items[i].result);
    }
}

void tusk_net_on_lack(tusk_net *self, void (*tell)(void *user, const char *reason), void *user)
{
    self->tell_lack = tell;
    self->tell_user = user;
}
