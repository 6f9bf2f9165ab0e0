/* SPDX-License-Identifier: MIT */
/* What many connections do in one turn, in one system call. */
#include "net/inner.h"

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

void tusk_net_on_lack(tusk_net *self, void (*tell)(void *user, const char *reason), void *user)
{
    self->tell_lack = tell;
    self->tell_user = user;
}
