/* SPDX-License-Identifier: MIT */
/* Peeked bytes that are too few: low-water marks, and timers where there are none. */
#define _GNU_SOURCE
#include "relay/tcp/peek.h"

#include <string.h>
#include <sys/socket.h>

#include "net/socket.h"
#include "relay/tcp/login.h"
#include "relay/tcp/setup.h"

enum { AGAIN_MS = 1, AGAIN_MS_MAX = 32 };

/* Linux reports a Unix socket as readable whatever its low-water mark says. */
static bool is_unix(const relay_pair *pair, int side)
{
    return side == RELAY_CLIENT ? tusk_addr_family(&pair->session.door->gate.addr) == AF_UNIX
                                : pair->target != NULL && relay_target_is_path(pair->target);
}

static void on_again(tusk_timer *timer)
{
    relay_pair *pair = TUSK_OWNER(timer, relay_peek, again)->pair;
    if (pair->state == PAIR_LOGIN) {
        relay_login_go(pair);
    } else if (pair->state == PAIR_FIRST && pair->tunnel == NULL) {
        relay_setup_look(pair);
    }
}

static void look_again(relay_pair *pair, relay_peek *self, size_t len)
{
    bool same = self->len == len && self->again_ms != 0;
    self->again_ms = (uint8_t)(!same                               ? AGAIN_MS
                               : self->again_ms < AGAIN_MS_MAX / 2 ? self->again_ms * 2
                                                                   : AGAIN_MS_MAX);
    self->pair = pair;
    self->again.on_due = on_again;
    tusk_timer_start(relay_of(pair)->loop, &self->again, self->again_ms);
}

static void set_low_water(const relay_pair *pair, int side, size_t len)
{
    int bytes = (int)len;
    (void)setsockopt(pair->end[side].io.fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
    pair->setup->peek[side].low_water = len != 1;
}

void relay_peek_wait_for(relay_pair *pair, int side, size_t len, bool wanted)
{
    relay_end *end = &pair->end[side];
    bool by_time = wanted && len > 1 && is_unix(pair, side);
    if (relay_has_edges(relay_of(pair)) || end->hung_up) {
        return;
    }
    if (by_time) {
        look_again(pair, &pair->setup->peek[side], len);
    } else {
        set_low_water(pair, side, len);
    }
    pair->setup->peek[side].len = (uint32_t)len;
    (void)tusk_io_set(relay_of(pair)->loop, &end->io, wanted && !by_time ? TUSK_IO_READ : 0u);
}

void relay_peek_end(relay_pair *pair, int side)
{
    relay_peek *self = &pair->setup->peek[side];
    tusk_timer_stop(relay_of(pair)->loop, &self->again);
    if (self->low_water) {
        set_low_water(pair, side, 1);
    }
}

void relay_peek_renew(relay_pair *pair, int side)
{
    relay_peek *self = &pair->setup->peek[side];
    tusk_timer_stop(relay_of(pair)->loop, &self->again);
    memset(self, 0, sizeof(*self));
}

void relay_peeks_stop(relay_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        tusk_timer_stop(relay_of(pair)->loop, &pair->setup->peek[side].again);
    }
}

bool relay_peek_is_all(const relay_pair *pair, int side, size_t len)
{
    const relay_end *end = &pair->end[side];
    if (relay_has_edges(relay_of(pair))) {
        return false;
    }
    return is_unix(pair, side) ? tusk__socket_ended(end->io.fd)
                               : end->readable && len < pair->setup->peek[side].len;
}
