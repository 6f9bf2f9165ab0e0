/* SPDX-License-Identifier: MIT */
/* Pairs that the kernel relays: handed over, watched to their end, helped where a receiver lags. */
#define _GNU_SOURCE
#include "relay/move/shortcut.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "relay/move/shortcuts.h"
#include "net/tcp_info.h"

enum {
    TICK_MS_MAX = 32,
    TRIES = 10,              /* for what a side said before it reset: some 200 ms */
    WORTH_BYTES = 128 * 1024 /* moved by one wake-up: user space goes on */
};

static relay_sockmap *map_of(const relay_pair *pair)
{
    return relay_of(pair)->shortcuts->map;
}

/* ---- handed over ---- */
static bool cookie_of(int fd, uint64_t *cookie)
{
#if defined(SO_COOKIE)
    socklen_t len = sizeof(*cookie);
    return getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &len) == 0;
#else
    (void)fd;
    (void)cookie;
    return false;
#endif
}

/* Nothing of it is under way here. What was read of a socket must have been read to the end: a
 * segment of which a part was taken would be relayed whole. */
static bool is_still(const relay_end *end)
{
    return end->held == NULL && end->pipe == NULL && (end->bytes == 0 || !end->readable);
}

/* A pair that cannot be handed over stays as it is; the log hears of the first that nothing
 * explains. */
static void keep(relay_pair *pair, int number)
{
    tusk_relay *relay = relay_of(pair);
    char text[128];
    switch (number) {
    case EOPNOTSUPP: relay->stats.sockmap_kept_ended++; return;
    case E2BIG:
    case ENOMEM: relay->stats.sockmap_kept_full++; return;
    case EPROTOTYPE: relay->stats.sockmap_kept_unix++; return;
    default: break;
    }
    relay->stats.sockmap_kept_failed++;
    if (!relay->shortcuts->said) {
        relay->shortcuts->said = true;
        (void)snprintf(text, sizeof(text), "Sockmap: a pair could not be handed over: %s",
                       strerror(number));
        relay_log(relay, text);
    }
}

/* 0 or an errno. */
static int measure(relay_shortcut *self, relay_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        net_tcp_info to;
        if (!tusk__tcp_info_get(&to, pair->end[1 - side].io.fd) ||
            !cookie_of(pair->end[side].io.fd, &self->way[side].cookie)) {
            return EPROTOTYPE;
        }
        self->way[side].read = pair->end[side].bytes;
        self->way[side].written = to.written;
    }
    return 0;
}

static int enter(relay_shortcut *self, relay_pair *pair)
{
    relay_sockmap *map = map_of(pair);
    int number = measure(self, pair);
    for (uint32_t side = 0; side < 2 && number == 0; side++) {
        number = relay_sockmap_begin(map, self->way[side].cookie, self->slot, side);
    }
    if (number == 0) {
        number = relay_sockmap_connect(map, self->way[0].cookie, pair->end[1].io.fd);
    }
    if (number != 0) {
        return number;
    }
    number = relay_sockmap_connect(map, self->way[1].cookie, pair->end[0].io.fd);
    if (number != 0) {
        /* Taking the first one out again would drop what it has received meanwhile: it stays, and
         * is read here. */
        self->half = true;
        keep(pair, number);
    }
    return 0;
}

static void watch(relay_pair *pair)
{
    const relay_shortcut *self = pair->shortcut;
    tusk_relay *relay = relay_of(pair);
    for (int side = 0; side < 2; side++) {
        unsigned want = TUSK_IO_EDGE;
        want |= self->way[side].mode == WAY_USER ? (unsigned)TUSK_IO_READ : 0;
        want |= pair->end[1 - side].held != NULL ? (unsigned)TUSK_IO_WRITE : 0;
        (void)tusk_io_set(relay->loop, &pair->end[side].io, self->half ? relay->armed : want);
    }
}

/* What was queued before is looked at only when more arrives; this makes the kernel look. */
static void kick(int fd)
{
    const int one = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
}

static void begin(relay_shortcut *self, relay_pair *pair)
{
    pair->shortcut = self;
    for (int side = 0; side < 2; side++) {
        self->way[side].mode = self->half ? WAY_USER : WAY_KERNEL;
        pair->end[side].readable = self->half;
        kick(pair->end[side].io.fd);
    }
    if (self->half) {
        (void)relay_shortcut_run(pair);
        return;
    }
    pair->bridged = true;
    relay_of(pair)->stats.switched_to_sockmap++;
    watch(pair);
}

void relay_shortcut_try(relay_pair *pair)
{
    tusk_relay *relay = relay_of(pair);
    const relay_end *end = pair->end;
    if (pair->state != PAIR_JOINED || pair->tunnel != NULL) {
        return;
    }
    if (end[0].state != DIR_OPEN || end[1].state != DIR_OPEN || end[0].ended || end[1].ended) {
        pair->offered = true;
        keep(pair, EOPNOTSUPP);
        return;
    }
    if (pair->watch != NULL || !is_still(&end[0]) || !is_still(&end[1])) {
        relay->stats.sockmap_waited += pair->deferred ? 0 : 1;
        pair->deferred = true;
        return;
    }
    pair->offered = true;
    relay_shortcut *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL ||
        !relay_slots_take(&relay->shortcuts->slots, relay->mem, self, &self->slot)) {
        tusk__free(relay->mem, self, sizeof(*self));
        keep(pair, ENOMEM);
        return;
    }
    self->pair = pair;
    self->lost = SHORTCUT_WHOLE;
    int number = enter(self, pair);
    if (number == 0) {
        begin(self, pair);
        return;
    }
    pair->shortcut = self;
    relay_shortcut_free(pair);
    keep(pair, number);
}

void relay_shortcut_free(relay_pair *pair)
{
    relay_shortcut *self = pair->shortcut;
    struct sockmap_flow flow;
    if (self == NULL) {
        return;
    }
    tusk_relay *relay = relay_of(pair);
    pair->shortcut = NULL;
    for (int side = 0; side < 2; side++) {
        if (relay_sockmap_end(map_of(pair), self->way[side].cookie, &flow) &&
            side == RELAY_BACKEND && !pair->answered && flow.first_ns > pair->session.began_ns) {
            pair->first_us =
                (uint32_t)((flow.first_ns - pair->session.began_ns) / 1000u) - pair->first_us;
            pair->answered = true;
        }
    }
    relay_slots_give(&relay->shortcuts->slots, self->slot);
    tusk__free(relay->mem, self, sizeof(*self));
}

/* ---- what has gone where ---- */
/* All that came from this end stands in the other one's queue. Numbers that cannot be had: there is
 * nothing to wait for. */
bool relay_shortcut_has_arrived(relay_pair *pair, int side)
{
    const relay_way *way = &pair->shortcut->way[side];
    net_tcp_info from;
    net_tcp_info to;
    if (!tusk__tcp_info_get(&from, pair->end[side].io.fd) ||
        !tusk__tcp_info_get(&to, pair->end[1 - side].io.fd)) {
        return true;
    }
    if (from.peer_ended) {
        relay_pair_saw_end(pair, side);
    }
    bool seen = (pair->fins & (1u << side)) != 0;
    bool fin = seen || (from.closed && !relay_shortcut_lost(pair, side));
    return to.written - way->written >= from.received - (fin ? 1 : 0) - way->read;
}

/* Bytes were passed to user space that it has not read; and, for those to follow them, whether all
 * redirected ones stand in the other end's queue. */
static bool has_passed(const relay_pair *pair, int side, bool *settled)
{
    const relay_way *way = &pair->shortcut->way[side];
    struct sockmap_flow flow;
    struct sockmap_flow again;
    net_tcp_info to;
    *settled = false;
    if (!relay_sockmap_look(map_of(pair), way->cookie, &flow) || flow.passed == way->taken ||
        !tusk__tcp_info_get(&to, pair->end[1 - side].io.fd)) {
        return false;
    }
    /* The program counts bytes at hand as passed for the moment in which it looks whether all
     * others were taken. */
    if (!relay_sockmap_look(map_of(pair), way->cookie, &again) || again.passed == way->taken) {
        return false;
    }
    *settled = again.redirected == flow.redirected &&
               to.written - way->written >= flow.redirected + way->taken;
    return true;
}

/* ---- one direction ---- */
/* User space has sent all that was passed to it: the program may redirect again. It does so from
 * the moment on that it is told; what it passed in between, a second look finds. */
static void resume(relay_pair *pair, int side)
{
    relay_way *way = &pair->shortcut->way[side];
    struct sockmap_flow flow;
    if (!relay_sockmap_look(map_of(pair), way->cookie, &flow) || flow.passed != way->taken ||
        relay_sockmap_take(map_of(pair), way->cookie, way->taken) != 0) {
        return;
    }
    atomic_thread_fence(memory_order_seq_cst);
    bool more = !relay_sockmap_look(map_of(pair), way->cookie, &flow) || flow.passed != way->taken;
    way->mode = more ? WAY_SETTLING : WAY_KERNEL;
}

/* True: the pair is over. */
static bool copy(relay_pair *pair, int side, bool *waits)
{
    relay_end *end = &pair->end[side];
    relay_way *way = &pair->shortcut->way[side];
    uint64_t before = end->bytes;
    if (!end->readable && end->held == NULL) {
        return false;
    }
    if (relay_pair_move(pair, side)) {
        return true;
    }
    uint64_t moved = end->bytes - before;
    way->taken += moved;
    if (end->state != DIR_OPEN || end->readable || end->held != NULL) {
        return false;
    }
    if (end->ended) {
        end->readable = *waits = true; /* its end was not believed: the next tick reads again */
    } else if (!pair->shortcut->half && moved < WORTH_BYTES) {
        resume(pair, side);
        *waits = *waits || way->mode == WAY_SETTLING; /* no bell rings for what it found */
    }
    return false;
}

/* True: the pair is over. `*waits`: something is awaited that no event tells. */
static bool step(relay_pair *pair, int side, bool *waits)
{
    relay_way *way = &pair->shortcut->way[side];
    relay_end *end = &pair->end[side];
    bool settled;
    if (end->state == DIR_SHUT) {
        return false;
    }
    if (way->mode == WAY_KERNEL && end->ended) {
        if (!relay_shortcut_lost(pair, side) && relay_shortcut_has_arrived(pair, side)) {
            (void)relay_direction_become(end, DIR_DRAINED);
            return relay_pair_shut(pair, side);
        }
        way->mode = WAY_SETTLING;
    }
    if (way->mode == WAY_SETTLING) {
        if (!has_passed(pair, side, &settled)) {
            way->mode = WAY_KERNEL;
            *waits = *waits || end->ended;
            return false;
        }
        if (!settled) {
            *waits = true;
            return false;
        }
        way->mode = WAY_USER;
        end->readable = true;
    }
    return way->mode == WAY_USER && copy(pair, side, waits);
}

/* A side has reset: what it said before goes on first, as far as it is taken in good time. */
static bool lose(relay_pair *pair, bool *waits)
{
    relay_shortcut *self = pair->shortcut;
    int side = self->lost;
    if (pair->end[side].state == DIR_OPEN && self->tries < TRIES) {
        const relay_way *way = &self->way[side];
        if (!relay_shortcut_has_arrived(pair, side) && way->mode != WAY_USER) {
            if (step(pair, side, waits)) {
                return true;
            }
            if (pair->shortcut->way[side].mode != WAY_USER) {
                *waits = true;
                return false;
            }
        }
        if (way->mode == WAY_USER) {
            relay_pair_empty(pair, side);
        }
    }
    relay_pair_lose(pair, side);
    return true;
}

bool relay_shortcut_run(relay_pair *pair)
{
    relay_shortcut *self = pair->shortcut;
    uint8_t tick_ms = self->tick_ms;
    bool waits = false;
    for (int side = 0; side < 2 && self->lost == SHORTCUT_WHOLE; side++) {
        if (step(pair, side, &waits)) {
            return true;
        }
    }
    if (self->lost != SHORTCUT_WHOLE && lose(pair, &waits)) {
        return true;
    }
    self->tick_ms = !waits ? 0 : tick_ms == 0 ? 1 : tick_ms;
    watch(pair);
    if (self->tick_ms != tick_ms) {
        relay_pair_rearm(pair);
    }
    return false;
}

/* ---- events ---- */
bool relay_shortcut_event(relay_pair *pair, int side, unsigned events)
{
    if ((events & TUSK_IO_HUP) != 0 && pair->shortcut->lost == SHORTCUT_WHOLE &&
        relay_pair_is_reset(pair, side)) {
        pair->shortcut->lost = (uint8_t)side;
        pair->shortcut->tries = 0;
    }
    return relay_shortcut_run(pair);
}

bool relay_shortcut_called(relay_pair *pair, int side)
{
    relay_shortcut *self = pair->shortcut;
    bool settled;
    if (self->half || self->way[side].mode != WAY_KERNEL || !has_passed(pair, side, &settled)) {
        return false;
    }
    relay_of(pair)->stats.sockmap_paused++;
    self->way[side].mode = WAY_SETTLING;
    return relay_shortcut_run(pair);
}

bool relay_shortcut_due(relay_pair *pair)
{
    relay_shortcut *self = pair->shortcut;
    uint32_t now = (uint32_t)tusk_loop_now_ms(relay_of(pair)->loop);
    for (int side = 0; side < 2; side++) {
        net_tcp_info info;
        relay_end *end = &pair->end[side];
        if (end->state == DIR_OPEN && tusk__tcp_info_get(&info, end->io.fd)) {
            uint32_t last_ms = now - info.quiet_ms;
            end->bytes = info.received - (info.peer_ended ? 1 : 0);
            pair->last_ms = (int32_t)(last_ms - pair->last_ms) > 0 ? last_ms : pair->last_ms;
        }
    }
    if (self->tick_ms == 0) {
        return false;
    }
    self->tries++;
    self->tick_ms = self->tick_ms >= TICK_MS_MAX / 2 ? TICK_MS_MAX : (uint8_t)(2 * self->tick_ms);
    return relay_shortcut_run(pair);
}
