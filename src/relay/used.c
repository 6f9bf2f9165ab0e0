/* SPDX-License-Identifier: MIT */
/* Used sockets of backends: kept for a second, connected again. */
#define _GNU_SOURCE
#include "relay/used.h"

#include "base/mem.h"
#include "loop/successor.h"
#include "net/socket.h"
#include "relay/move/pair.h"
#include "relay/route/dial.h"

/* More than end in a turn are seldom wanted before the next one's end. Who has moved more than
 * USED_BYTES has had its buffers grown by the kernel. */
enum { USED_MAX = 128, USED_MS = 1000, USED_BYTES = 256 * 1024 };

void relay_used_open(tusk_relay *relay)
{
    relay->used_max = relay_has_edges(relay) && tusk__loop_has_successors(relay->loop) &&
                              relay->engine != TUSK_ENGINE_SOCKMAP
                          ? USED_MAX
                          : 0;
}

bool relay_used_wants(const relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    return pair->backend_last && relay->used_count < relay->used_max && !pair->ringed &&
           !pair->upgraded && !pair->keeps && pair->tunnel == NULL &&
           relay->state == RELAY_RUNNING && pair->end[RELAY_CLIENT].bytes <= USED_BYTES &&
           pair->end[RELAY_BACKEND].bytes <= USED_BYTES &&
           tusk__socket_is_over(pair->end[RELAY_BACKEND].io.fd);
}

/* What its last session's end still causes. */
static void ignore(tusk_io *io, unsigned events)
{
    (void)io;
    (void)events;
}

/* Out of its lists, and free; its descriptor has gone elsewhere. */
static void let_go(relay_pair *pair)
{
    tusk_relay *relay = relay_of(pair);
    tusk__link_remove(&pair->session.link);
    tusk__link_remove(&pair->busy);
    relay->used_count--;
    relay_target_unref(pair->target);
    tusk__free(relay->mem, pair, sizeof(*pair));
}

static void discard(relay_pair *pair)
{
    tusk_io_close(relay_of(pair)->loop, &pair->end[RELAY_BACKEND].io);
    let_go(pair);
}

void relay_used_put(relay_pair *pair)
{
    tusk_relay *relay = relay_of(pair);
    pair->end[RELAY_BACKEND].io.on_event = ignore;
    pair->last_ms = relay_now_low(relay);
    tusk__list_push(&relay->used, &pair->session.link);
    tusk__list_push(&pair->target->used, &pair->busy);
    relay->used_count++;
    if (relay->state != RELAY_RUNNING) { /* since it was asked for */
        discard(pair);
    } else if (!tusk_timer_running(&relay->used_timer)) {
        tusk_timer_start(relay->loop, &relay->used_timer, USED_MS);
    }
}

void relay_used_close(tusk_relay *relay)
{
    tusk_timer_stop(relay->loop, &relay->used_timer);
    while (!tusk__list_empty(&relay->used)) {
        discard(TUSK_OWNER(relay->used.next, relay_pair, session.link));
    }
}

/* The oldest come first. */
void relay_used_due(tusk_timer *timer)
{
    tusk_relay *relay = TUSK_OWNER(timer, tusk_relay, used_timer);
    while (!tusk__list_empty(&relay->used)) {
        relay_pair *pair = TUSK_OWNER(relay->used.next, relay_pair, session.link);
        uint32_t age_ms = relay_now_low(relay) - pair->last_ms;
        if (age_ms < USED_MS) {
            tusk_timer_start(relay->loop, timer, USED_MS - age_ms);
            return;
        }
        discard(pair);
    }
}

bool relay_used_connect(relay_target *target, const tusk_addr *addr, bool words_follow, tusk_io *to)
{
    while (!tusk__list_empty(&target->used)) {
        /* The newest one: what the processor still remembers. */
        relay_pair *pair = TUSK_OWNER(target->used.prev, relay_pair, busy);
        tusk_relay *relay = relay_of(pair);
        tusk_io *from = &pair->end[RELAY_BACKEND].io;
        if (!tusk__socket_disconnect(from->fd)) {
            discard(pair);
            continue;
        }
        relay_dial_hush(from->fd, words_follow);
        if (tusk__socket_connect_again(from->fd, addr) != TUSK_OK) {
            discard(pair);
            return false; /* another family's, or no port, or no way: a new one tells which */
        }
        tusk__io_succeed(relay->loop, to, from);
        let_go(pair);
        relay->stats.sockets_reused++;
        return true;
    }
    return false;
}
