/* SPDX-License-Identifier: MIT */
/* How long a pair may be silent, half-closed and old: numbers, compared when its one timer fires.
 */
#include "relay/move/pair.h"

#include "net/socket.h"
#include "relay/move/shortcut.h"
#include "net/tcp_info.h"

/* NULL: it is a session of TCP's. */
static relay_origin *origin_of(const relay_pair *self)
{
    return self->upgraded ? self->origin : NULL;
}

/* Keep-alive is asked for when half of its idle time is over: the kernel counts from the last byte
 * all the same, and most sessions are gone by then. */
enum { KEEP_AFTER_MS = 500 /* for each second of it */ };

typedef struct deadline {
    uint32_t left_ms; /* UINT32_MAX: none */
    const char *end;
    uint64_t *counter;
} deadline;

static void consider(deadline *self, uint32_t passed_ms, uint32_t limit_ms, const char *end,
                     uint64_t *counter)
{
    uint32_t left = passed_ms >= limit_ms ? 0 : limit_ms - passed_ms;
    if (limit_ms != 0 && limit_ms != UINT32_MAX && left < self->left_ms) {
        *self = (deadline){.left_ms = left, .end = end, .counter = counter};
    }
}

/* Since a byte came. Who is held up by a slow reader waits for the kernel, which has megabytes for
 * that one: it takes them, or nothing moves. */
static uint32_t quiet_ms(const relay_pair *self)
{
    uint32_t quiet = relay_now_low(relay_of(self)) - self->last_ms;
    uint32_t least =
        self->tunnel == NULL ? UINT32_MAX : relay_pair_ops_of(self)->tunnel_taken_ms(self->tunnel);
    for (int side = 0; side < 2; side++) {
        net_tcp_info info;
        if (relay_end_waits(&self->end[side]) &&
            tusk__tcp_info_get(&info, self->end[1 - side].io.fd)) {
            least = info.taken_ms < least ? info.taken_ms : least;
        }
    }
    return quiet < least ? quiet : least;
}

static deadline next_deadline(const relay_pair *self)
{
    tusk_relay *relay = relay_of(self);
    const tusk_relay_limits *limits = &relay->limits;
    deadline next = {.left_ms = UINT32_MAX};
    uint32_t now = relay_now_low(relay);
    uint32_t quiet = quiet_ms(self);
    const relay_origin *origin = origin_of(self);
    uint32_t idle = origin != NULL ? origin->idle_ms
                    : self->answer != NULL && self->answer->route.idle_ms != 0
                        ? self->answer->route.idle_ms
                        : limits->idle_ms;
    uint64_t age = (tusk_loop_now_ns(relay->loop) - self->session.began_ns) / 1000000u;
    consider(&next, quiet, idle, "idle",
             origin != NULL ? origin->idle_timeouts : &relay->stats.idle_timeouts);
    consider(&next, age > UINT32_MAX ? UINT32_MAX : (uint32_t)age, limits->age_ms, "age",
             &relay->stats.aged);
    if (self->end[0].state != DIR_OPEN || self->end[1].state != DIR_OPEN) {
        consider(&next, quiet, limits->half_closed_ms, "half-closed",
                 &relay->stats.half_closed_timeouts);
    }
    if (self->end[RELAY_BACKEND].bytes == 0 && origin == NULL) {
        consider(&next, now - self->joined_ms, limits->backend_first_ms, "backend silent",
                 &relay->stats.backend_first_timeouts);
    }
    if (!self->keeps) {
        consider(&next, now - self->joined_ms, limits->keep_idle_s * KEEP_AFTER_MS, NULL, NULL);
    }
    return next;
}

void relay_pair_rearm(relay_pair *self)
{
    deadline next = next_deadline(self);
    if (self->shortcut != NULL && self->shortcut->tick_ms != 0) {
        consider(&next, 0, self->shortcut->tick_ms, NULL, NULL);
    }
    if (next.left_ms == UINT32_MAX) {
        tusk_timer_stop(relay_of(self)->loop, &self->timer);
    } else {
        tusk_timer_start(relay_of(self)->loop, &self->timer, next.left_ms);
    }
}

/* Something that an end has said has not gone on to the other one. */
static bool owes(const relay_pair *self)
{
    for (int side = 0; side < 2; side++) {
        const relay_end *end = &self->end[side];
        if (relay_end_waits(end) || tusk__socket_has_bytes(end->io.fd)) {
            return true;
        }
    }
    return self->ringed && relay_of(self)->ring->owes(self);
}

void relay_pair_cut_short(relay_pair *self, const char *end)
{
    bool lacks =
        self->state == PAIR_JOINED &&
        (self->tunnel == NULL ? owes(self) : relay_pair_ops_of(self)->tunnel_owes(self->tunnel));
    relay_pair_close(self, end, lacks);
}

void relay_pair_due(tusk_timer *timer)
{
    relay_pair *self = TUSK_OWNER(timer, relay_pair, timer);
    if (self->state != PAIR_JOINED) {
        relay_pair_ops_of(self)->on_due(self);
        return;
    }
    if (self->shortcut != NULL && relay_shortcut_due(self)) {
        return;
    }
    deadline next = next_deadline(self);
    if (next.left_ms > 0) {
        relay_pair_rearm(self);
        return;
    }
    if (next.end == NULL) {
        self->keeps = true;
        relay_keep_alive(relay_of(self), self->end[RELAY_BACKEND].io.fd);
        relay_pair_rearm(self);
        return;
    }
    (*next.counter)++;
    if (next.counter == &relay_of(self)->stats.backend_first_timeouts) {
        relay_target_count(self->target, METER_ANSWER_TIMEOUTS);
    }
    relay_pair_cut_short(self, next.end);
}
