/* SPDX-License-Identifier: MIT */
/* What many pairs receive and send in one turn, in one system call each. */
#define _GNU_SOURCE
#include "relay/move/crowd.h"

#include <errno.h>
#include <stdio.h>

#include "loop/coming.h"
#include "net/batch.h"

/* Fewer ends than CROWD_MIN are no gain. Who fills its part of the loop's buffer has more than a
 * message, and is moved alone, with all of it. */
enum { CROWD_MIN = 4, CROWD_MAX = 32, CROWD_BYTES = RELAY_CROWD_BYTES };

void relay_crowd_open(tusk_relay *relay)
{
    size_t cap;
    (void)tusk_loop_landing(relay->loop, &cap);
    relay->crowds =
        relay_has_edges(relay) && !relay->plain_io && relay->engine != TUSK_ENGINE_SOCKMAP &&
        cap >= (size_t)CROWD_MIN * CROWD_BYTES && relay->limits.pending_bytes >= CROWD_BYTES;
    if (relay->crowd_min == 0) {
        relay->crowd_min = CROWD_MIN;
    }
}

void relay_crowd_close(tusk_relay *relay)
{
    tusk_late_batch_fini(&relay->batch);
    relay->crowds = false;
}

/* Without a ring there are no crowds. */
static bool has_ring(tusk_relay *relay)
{
    const char *reason;
    relay->crowds = tusk_late_batch_works(&relay->batch, relay->mem, &reason);
    if (reason != NULL) {
        char text[192];
        (void)snprintf(text, sizeof(text),
                       "io_uring: unavailable (%s): each receive and send is a system call",
                       reason);
        relay_log(relay, text);
    }
    return relay->crowds;
}

static bool may_join(const tusk_relay *relay, const relay_end *end)
{
    const relay_pair *pair = relay_pair_of(end);
    return relay_of(pair) == relay && pair->state == PAIR_JOINED && end->state == DIR_OPEN &&
           !end->wide && end->held == NULL && end->pipe == NULL && pair->watch == NULL &&
           !pair->ringed;
}

static unsigned gather(tusk_relay *relay, const relay_end *first, tusk_batch_item *items)
{
    const unsigned ends = TUSK_IO_EDGE | TUSK_IO_HUP;
    tusk_io *coming[CROWD_MAX];
    size_t cap;
    uint8_t *buffer = tusk_loop_landing(relay->loop, &cap);
    unsigned max = cap / CROWD_BYTES < CROWD_MAX ? (unsigned)(cap / CROWD_BYTES) : CROWD_MAX;
    unsigned readable = tusk__loop_coming(relay->loop, &first->io, ends, coming, max);
    unsigned count = 0;
    for (unsigned i = 0; i < readable && readable >= relay->crowd_min; i++) {
        relay_end *end = (relay_end *)(void *)coming[i];
        if (may_join(relay, end)) {
            items[count] = (tusk_batch_item){.owner = end,
                                             .bytes.to = buffer + (size_t)count * CROWD_BYTES,
                                             .len = CROWD_BYTES,
                                             .fd = end->io.fd};
            count++;
        }
    }
    return count;
}

/* True: it is to be sent on. An end of what it says is left to its event, which reads that again.
 */
static bool received(tusk_batch_item *item)
{
    relay_end *end = item->owner;
    relay_pair *pair = relay_pair_of(end);
    int got = item->result;
    if (got <= 0) {
        end->served = got == -EAGAIN;
        end->failed = got < 0 && got != -EAGAIN;
        return false;
    }
    relay_pair_moved(pair, end->is_backend, (size_t)got);
    end->full_reads = 0;
    end->wide = got == CROWD_BYTES;
    end->served = !end->wide;
    item->bytes.from = item->bytes.to;
    item->len = (size_t)got;
    item->fd = pair->end[1 - end->is_backend].io.fd;
    return true;
}

/* What was not taken is held, as the copying pump holds it. An error is met again by the event's
 * own send. */
static void sent(const tusk_batch_item *item)
{
    relay_end *end = item->owner;
    relay_pair *pair = relay_pair_of(end);
    size_t taken = item->result > 0 ? (size_t)item->result : 0;
    if (TUSK_LIKELY(taken == item->len)) {
        return;
    }
    const uint8_t *ptr = item->bytes.from;
    if (relay_pair_hold(pair, end->is_backend, tusk_bytes_of(ptr + taken, item->len - taken)) !=
        TUSK_OK) {
        end->served = end->failed = true;
    } else if (item->result >= 0 || item->result == -EAGAIN) {
        relay_pair_stopped_reading(pair, end->is_backend);
    } else {
        end->served = false;
    }
}

static void move(tusk_relay *relay, const relay_end *first)
{
    tusk_batch_item items[CROWD_MAX];
    unsigned count = gather(relay, first, items);
    unsigned rest = 0;
    if (count < relay->crowd_min || !has_ring(relay)) {
        return;
    }
    tusk_batch_receive(relay->batch.ring, items, count);
    for (unsigned i = 0; i < count; i++) {
        if (received(&items[i])) {
            items[rest++] = items[i];
        }
    }
    tusk_batch_send(relay->batch.ring, items, rest);
    for (unsigned i = 0; i < rest; i++) {
        sent(&items[i]);
    }
    relay->stats.batches += rest > 0 ? 2 : 1;
    relay->stats.batched += count + rest;
}

bool relay_crowd_serves(relay_end *end, unsigned events)
{
    tusk_relay *relay = relay_of(relay_pair_of(end));
    if (relay->crowds && !end->served && !end->failed && (events & TUSK_IO_READ) != 0) {
        move(relay, end);
    }
    bool served = end->served;
    end->served = served && end->failed; /* relay_crowd_failed asks next */
    return served;
}

relay_crowd_failure relay_crowd_failed(const relay_end *end)
{
    return !end->failed ? CROWD_WELL : end->served ? CROWD_NO_MEMORY : CROWD_RESET;
}
