/* SPDX-License-Identifier: MIT */
/* TCP: what a pair does from accept until it is joined: first bytes, route, dial. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "relay/dial.h"
#include "relay/pair.h"

/* Gone when the pair is joined, so that an idle pair does not carry it. */
struct relay_setup {
    relay_waiter waiter;
    relay_dial dial;
    relay_pair *pair;
    uint64_t asked_ns;
    uint64_t dialled_ns;
};

static tusk_relay *relay_of(const relay_pair *pair)
{
    return pair->session.door->relay;
}

static uint32_t us_since(const tusk_relay *relay, uint64_t ns)
{
    return (uint32_t)((tusk_loop_now_ns(relay->loop) - ns) / 1000u);
}

void relay_setup_free(relay_pair *pair)
{
    relay_setup *self = pair->setup;
    if (self == NULL) {
        return;
    }
    tusk_relay *relay = relay_of(pair);
    pair->setup = NULL;
    relay_cancel(relay, &self->waiter);
    relay_dial_cancel(&self->dial);
    tusk__free(relay->mem, self, sizeof(*self));
}

/* ---- dialled ---- */
static void on_dialed(relay_dial *dial, tusk_err err, int fd, relay_target *target)
{
    relay_setup *self = TUSK_OWNER(dial, relay_setup, dial);
    relay_pair *pair = self->pair;
    (void)fd; /* it stands in the pair's end */
    if (err != TUSK_OK) {
        relay_pair_refuse(pair, relay_status_of(err), relay_reason_of(err));
        return;
    }
    relay_end *backend = &pair->end[RELAY_BACKEND];
    pair->target = target;
    pair->connect_us = us_since(relay_of(pair), self->dialled_ns);
    backend->readable = (dial->events & (TUSK_IO_READ | TUSK_IO_EDGE)) != 0;
    backend->ended = (dial->events & TUSK_IO_EDGE) != 0;
    relay_setup_free(pair);
    relay_pair_join(pair);
}

/* ---- routed ---- */
static void on_route(relay_waiter *waiter, relay_answer *answer, bool cached)
{
    relay_setup *self = TUSK_OWNER(waiter, relay_setup, waiter);
    relay_pair *pair = self->pair;
    pair->resolve_us = us_since(relay_of(pair), self->asked_ns);
    pair->cached = cached;
    if (relay_answer_refuses(answer)) {
        relay_of(pair)->stats.refused_resolver++;
        relay_pair_refuse(pair, answer->refusal.status, "refused");
        return;
    }
    pair->answer = relay_answer_ref(answer);
    pair->state = PAIR_DIAL;
    self->dial.io = &pair->end[RELAY_BACKEND].io;
    self->dial.on_dialed = on_dialed;
    self->dialled_ns = tusk_loop_now_ns(relay_of(pair)->loop);
    relay_dial_start(&self->dial, relay_of(pair), answer);
}

typedef struct words {
    char peer[TUSK_ADDR_TEXT_MAX];
    char port[8];
    char destination[TUSK_ADDR_TEXT_MAX];
} words;

static void fill_destination(const relay_pair *pair, tusk_relay_lookup *lookup, words *text)
{
    tusk_addr local = {.len = 0};
    socklen_t len = sizeof(local.u.raw);
    int fd = pair->end[RELAY_CLIENT].io.fd;
    if (getsockname(fd, (struct sockaddr *)(void *)local.u.raw, &len) == 0) {
        local.len = len;
        lookup->field[TUSK_LOOKUP_DESTINATION] =
            tusk_bytes_str(tusk_addr_text(&local, text->destination));
    }
}

/* Only what somebody will read is made into text. */
static void fill_lookup(const relay_pair *pair, tusk_relay_lookup *lookup, uint32_t fields,
                        words *text)
{
    tusk_addr peer = relay_pair_peer(pair);
    lookup->field[TUSK_LOOKUP_LISTENER] = tusk_bytes_str(pair->session.door->text);
    if ((fields & 1u << TUSK_LOOKUP_PEER) != 0) {
        lookup->field[TUSK_LOOKUP_PEER] = tusk_bytes_str(tusk_addr_host_text(&peer, text->peer));
    }
    if ((fields & 1u << TUSK_LOOKUP_PEER_PORT) != 0 && pair->peer_family != 0) {
        (void)snprintf(text->port, sizeof(text->port), "%u", (unsigned)pair->peer_port);
        lookup->field[TUSK_LOOKUP_PEER_PORT] = tusk_bytes_str(text->port);
    }
    if ((fields & 1u << TUSK_LOOKUP_DESTINATION) != 0) {
        fill_destination(pair, lookup, text);
    }
}

static void route(relay_pair *pair)
{
    tusk_relay *relay = relay_of(pair);
    relay_setup *self = pair->setup;
    tusk_relay_lookup lookup = {.secure = false};
    words text;
    pair->state = PAIR_ROUTE;
    self->asked_ns = tusk_loop_now_ns(relay->loop);
    self->waiter.on_route = on_route;
    fill_lookup(pair, &lookup, relay_fields_known(&relay->routes), &text);
    relay_answer *answer = relay_known(relay, &lookup);
    if (answer != NULL) {
        (void)relay_answer_ref(answer);
        on_route(&self->waiter, answer, true);
        relay_answer_unref(answer);
        return;
    }
    fill_lookup(pair, &lookup, UINT32_MAX, &text);
    relay_ask_route(relay, &self->waiter, &lookup);
}

/* ---- events and deadlines before it is joined ---- */
void relay_setup_event(relay_pair *pair, int side, unsigned events)
{
    if (side == RELAY_BACKEND) {
        relay_dial_event(&pair->setup->dial, events);
        return;
    }
    /* A Unix peer that has sent all and is gone is no reset: its bytes are still there. */
    if ((events & TUSK_IO_HUP) != 0 && pair->peer_family != 0) {
        relay_of(pair)->stats.resets_client++;
        relay_pair_close(pair, "client reset", true);
    }
}

void relay_setup_due(relay_pair *pair)
{
    relay_of(pair)->stats.first_timeouts++;
    relay_pair_refuse(pair, 408, "first bytes timed out");
}

static void on_client(tusk_relay *relay, relay_door *door, int fd, const tusk_addr *peer)
{
    relay_pair *pair = relay_pair_new(door, fd, peer);
    if (pair == NULL) {
        relay->stats.out_of_memory++;
        return;
    }
    pair->setup = tusk__new(relay->mem, sizeof(relay_setup));
    if (pair->setup == NULL) {
        relay->stats.out_of_memory++;
        relay_pair_refuse(pair, 500, "out of memory");
        return;
    }
    pair->setup->pair = pair;
    route(pair);
}

const relay_kind_ops relay_tcp_ops = {.on_client = on_client};
