/* SPDX-License-Identifier: MIT */
/* Pairs: events to moves, the state of each direction, the end. */
#define _GNU_SOURCE
#include "relay/move/pair.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/socket.h"
#include "relay/move/crowd.h"
#include "relay/move/shortcut.h"
#include "relay/used.h"

static bool may_follow(relay_direction from, relay_direction to)
{
    switch (from) {
    case DIR_OPEN: return to == DIR_EOF || to == DIR_DRAINED;
    case DIR_EOF: return to == DIR_DRAINED;
    case DIR_DRAINED: return to == DIR_SHUT;
    case DIR_SHUT: return false;
    }
    return false;
}

bool relay_direction_become(relay_end *end, relay_direction state)
{
    if (!may_follow((relay_direction)end->state, state)) {
        return false;
    }
    end->state = (uint8_t)state;
    return true;
}

/* ---- interest, for pollers without edges: what is wanted is told each time it changes ---- */
static void watch(relay_pair *self)
{
    const tusk_relay *relay = relay_of(self);
    if (relay_has_edges(relay)) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        relay_end *end = &self->end[side];
        bool reads = end->state == DIR_OPEN && !relay_end_waits(end);
        unsigned want = (reads ? (unsigned)TUSK_IO_READ : 0) |
                        (relay_end_waits(&self->end[1 - side]) ? (unsigned)TUSK_IO_WRITE : 0);
        if (!end->hung_up) {
            (void)tusk_io_set(relay->loop, &end->io, want);
        }
    }
}

/* ---- the end ---- */
static void close_end(const relay_pair *self, relay_end *end, bool reset)
{
    tusk_relay *relay = relay_of(self);
    relay_pipe_give(relay, end);
    if (end->io.fd < 0) {
        return;
    }
    if (reset) {
        tusk__socket_will_reset(end->io.fd);
    }
    if (self->ringed) { /* a request that was cancelled may hold the socket for a while */
        tusk_io_remove(relay->loop, &end->io);
    }
    tusk_io_close(relay->loop, &end->io);
    if (end->held != NULL) {
        tusk__free(relay->mem, end->held, sizeof(relay_held) + end->held->cap);
        end->held = NULL;
    }
}

static void finish(relay_pair *self, uint16_t status, const char *end, bool reset)
{
    tusk_relay *relay = relay_of(self);
    bool joined = self->state == PAIR_JOINED;
    self->state = PAIR_OVER;
    tusk_timer_stop(relay->loop, &self->timer);
    tusk__link_remove(&self->busy);
    const relay_pair_ops *ops = relay_pair_ops_of(self);
    if (!self->upgraded && self->setup != NULL) {
        ops->drop_setup(self);
    }
    if (self->tunnel != NULL) {
        close_end(self, &self->end[RELAY_BACKEND], reset); /* dialled, and not the tunnel's yet */
        ops->close_tunnel(self, status, end, reset);       /* and again, when it is gone */
        return;
    }
    if (self->watch != NULL || self->key != NULL) {
        ops->drop_key(self);
    }
    relay_shortcut_free(self);
    if (self->ringed) {
        relay->ring->leave(self);
    }
    if (joined) {
        relay_pair_count(self);
    }
    bool used = relay_used_wants(self);
    close_end(self, &self->end[RELAY_CLIENT], reset);
    if (used) {
        relay_pipe_give(relay, &self->end[RELAY_BACKEND]);
    } else {
        close_end(self, &self->end[RELAY_BACKEND], reset);
    }
    relay_pair_account(self, status);
    relay->stats.done++;
    relay_pair_tell(self, status, end);
    if (used) {
        (void)relay_target_ref(self->target); /* the socket's */
    }
    if (self->target != NULL) {
        relay_target_leave(self->target);
    }
    relay_answer_unref(self->answer);
    bool kept = self->ringed && relay->ring->keeps(self);
    if (self->upgraded) {
        self->origin->on_over(self->origin);
    }
    relay_session_close(&self->session);
    if (used) {
        relay_used_put(self);
    } else if (!kept) {
        tusk__free(relay->mem, self, sizeof(*self));
    }
}

void relay_pair_close(relay_pair *self, const char *end, bool reset)
{
    finish(self, 0, end, reset);
}

void relay_pair_refuse(relay_pair *self, uint16_t status, const char *end)
{
    finish(self, status, end, false);
}

void relay_pair_gone(relay_pair *self, uint16_t status, const char *end)
{
    finish(self, status, end, false);
}

/* ---- moving ---- */
tusk_err relay_pair_hold(relay_pair *self, int side, tusk_bytes bytes)
{
    const tusk_relay *relay = relay_of(self);
    relay_end *from = &self->end[side];
    if (bytes.len == 0) {
        return TUSK_OK;
    }
    if (bytes.len > UINT32_MAX / 2) {
        return TUSK_ETOOBIG;
    }
    relay_held *held = tusk__resize(relay->mem, NULL, 0, sizeof(*held) + bytes.len);
    if (held == NULL) {
        return TUSK_ENOMEM;
    }
    *held = (relay_held){.len = (uint32_t)bytes.len, .cap = (uint32_t)bytes.len};
    memcpy(held->bytes, bytes.ptr, bytes.len);
    from->held = held;
    return TUSK_OK;
}

void relay_pair_lose(relay_pair *self, int side)
{
    tusk_relay *relay = relay_of(self);
    self->end[side].lost = true;
    if (side == RELAY_CLIENT) {
        relay->stats.resets_client++;
    } else {
        relay->stats.resets_backend++;
        relay_target_count(self->target, METER_RESETS);
    }
    relay_pair_close(self, side == RELAY_CLIENT ? "client reset" : "backend reset", true);
}

void relay_pair_stopped_reading(relay_pair *self, int side)
{
    if (self->upgraded) {
        (*self->origin->paused[side])++;
    } else {
        relay_of(self)->stats.paused++;
    }
}

/* All of `side` was taken: the other one hears it. True: the pair is over. */
bool relay_pair_shut(relay_pair *self, int side)
{
    relay_end *other = &self->end[1 - side];
    (void)relay_direction_become(&self->end[side], DIR_SHUT);
    if (other->state == DIR_SHUT) {
        self->backend_last = side == RELAY_BACKEND;
        relay_pair_close(self, "done", false);
        return true;
    }
    if (shutdown(other->io.fd, SHUT_WR) != 0 && errno != ENOTCONN) {
        relay_pair_lose(self, 1 - side);
        return true;
    }
    relay_pair_rearm(self);
    return false;
}

static void stay_busy(relay_pair *self)
{
    tusk_relay *relay = relay_of(self);
    if (!tusk__link_linked(&self->busy)) {
        if (tusk__list_empty(&relay->busy)) {
            tusk_timer_start(relay->loop, &relay->busy_timer, 0);
        }
        tusk__list_push(&relay->busy, &self->busy);
    }
}

/* One direction, by the pump that is worth it now. */
static relay_moved pump(relay_pair *self, int side)
{
    relay_end *from = &self->end[side];
    if (from->pipe == NULL) {
        bool splices = relay_splices(relay_of(self)) && from->held == NULL && self->watch == NULL &&
                       self->shortcut == NULL;
        if (!splices || from->full_reads < RELAY_FULL_READS || !relay_splice_begin(self, side)) {
            return relay_copy_move(self, side);
        }
    }
    from->pipe->moved = from->pipe->len;
    return relay_splice_move(self, side);
}

void relay_pair_empty(relay_pair *self, int side)
{
    relay_end *end = &self->end[side];
    end->ended = end->readable = true;
    while (end->state == DIR_OPEN && pump(self, side) == MOVED_PART) {
    }
}

/* What the lost side had still said goes on, as far as the other one takes it at once. True: the
 * pair is over. */
static bool lose_after_rest(relay_pair *self, int lost)
{
    if (self->shortcut != NULL) {
        self->shortcut->lost = (uint8_t)lost; /* where this came from, it is seen to */
        return false;
    }
    relay_pair_empty(self, lost);
    relay_pair_lose(self, lost);
    return true;
}

static void note(relay_pair *self, int side, uint64_t before)
{
    self->last_ms = relay_now_low(relay_of(self));
    if (before == 0 && side == RELAY_BACKEND && !self->upgraded) {
        self->first_us = relay_us_since(relay_of(self), self->session.began_ns) - self->first_us;
        self->answered = true;
    }
}

void relay_pair_moved(relay_pair *self, int side, size_t len)
{
    uint64_t before = self->end[side].bytes;
    self->end[side].bytes += len;
    note(self, side, before);
}

bool relay_pair_move(relay_pair *self, int side)
{
    relay_end *from = &self->end[side];
    uint64_t before = from->bytes;
    if (from->state == DIR_SHUT) {
        return false;
    }
    bool waited = relay_end_waits(from);
    relay_moved moved = pump(self, side);
    if (TUSK_UNLIKELY(moved == MOVED_BLOCKED) && !waited) {
        relay_pair_stopped_reading(self, side);
    }
    if (from->bytes != before) {
        note(self, side, before);
    }
    switch (moved) {
    case MOVED_ALL: from->readable = false; return false;
    case MOVED_PART: stay_busy(self); return false;
    case MOVED_BLOCKED: return false;
    case MOVED_EOF: return relay_pair_shut(self, side);
    case MOVED_FROM_LOST: relay_pair_lose(self, side); return true;
    case MOVED_TO_LOST: return lose_after_rest(self, 1 - side);
    case MOVED_NO_MEMORY: relay_pair_close(self, "out of memory", true); return true;
    }
    return false;
}

/* Nothing of it is on the stack: a callback may take up a newer turn, which goes on with the rest.
 */
void relay_busy_due(tusk_timer *timer)
{
    tusk_relay *relay = TUSK_OWNER(timer, tusk_relay, busy_timer);
    tusk_link *link;
    tusk__list_splice(&relay->busy_round, &relay->busy);
    while ((link = tusk__list_pop(&relay->busy_round)) != NULL) {
        relay_pair *self = TUSK_OWNER(link, relay_pair, busy);
        if (!tusk__list_empty(&relay->busy_round)) {
            tusk_timer_start(relay->loop, timer, 0);
        }
        if (self->shortcut != NULL) {
            (void)relay_shortcut_run(self);
            continue;
        }
        bool up = self->end[RELAY_CLIENT].readable;
        bool down = self->end[RELAY_BACKEND].readable;
        if ((!up || !relay_pair_move(self, RELAY_CLIENT)) &&
            (!down || !relay_pair_move(self, RELAY_BACKEND))) {
            relay_shortcut_offer(self);
            watch(self);
        }
    }
    if (tusk__list_empty(&relay->busy)) {
        tusk_timer_stop(relay->loop, timer);
    }
}

/* An error on an end whose bytes are all read: nobody would see it by reading. */
bool relay_pair_is_reset(relay_pair *self, int side)
{
    int number = tusk__socket_error(self->end[side].io.fd);
    relay_pair_failed(self, side, number);
    return number != 0;
}

/* What a crowd met. True: the pair is over. */
static bool fail_as_crowd(relay_pair *self, relay_end *end)
{
    switch (relay_crowd_failed(end)) {
    case CROWD_WELL: return false;
    case CROWD_RESET: relay_pair_lose(self, end->is_backend); return true;
    case CROWD_NO_MEMORY: relay_pair_close(self, "out of memory", true); return true;
    }
    return false;
}

static void on_event(tusk_io *io, unsigned events)
{
    relay_end *end = (relay_end *)(void *)io;
    relay_pair *self = relay_pair_of(end);
    int side = end->is_backend ? RELAY_BACKEND : RELAY_CLIENT;
    if (self->ringed) {
        relay_of(self)->ring->hang_up(self, side);
        return;
    }
    if ((events & TUSK_IO_HUP) != 0 && !relay_has_edges(relay_of(self)) && !end->hung_up) {
        end->hung_up = true;
        tusk_io_remove(relay_of(self)->loop, &end->io);
    }
    bool served = self->state == PAIR_JOINED && relay_crowd_serves(end, events);
    if (fail_as_crowd(self, end)) {
        return;
    }
    if (served) {
        end->readable = false;
    } else if ((events & (TUSK_IO_READ | TUSK_IO_EDGE | TUSK_IO_HUP)) != 0) {
        end->readable = true;
        end->ended = end->ended || (events & (TUSK_IO_EDGE | TUSK_IO_HUP)) != 0;
    }
    if (self->state != PAIR_JOINED) {
        relay_pair_ops_of(self)->on_event(self, side, events);
        return;
    }
    if (self->shortcut != NULL) {
        (void)relay_shortcut_event(self, side, events);
        return;
    }
    if ((events & TUSK_IO_HUP) != 0 && end->state != DIR_OPEN && relay_pair_is_reset(self, side)) {
        relay_pair_lose(self, side);
        return;
    }
    /* Room at this end: what the other one had to say goes on first. */
    if ((events & TUSK_IO_WRITE) != 0 && relay_end_waits(&self->end[1 - side]) &&
        relay_pair_move(self, 1 - side)) {
        return;
    }
    if (end->readable && relay_pair_move(self, side)) {
        return;
    }
    relay_shortcut_offer(self);
    watch(self);
}

/* ---- made and joined ---- */
static void cut(relay_session *session, const char *end)
{
    relay_pair *self = (relay_pair *)(void *)session;
    relay_tunnel *tunnel = self->tunnel;
    const relay_pair_ops *ops = relay_pair_ops_of(self);
    if (self->state != PAIR_OVER) { /* else its end is being told, or its tunnel closes already */
        relay_pair_cut_short(self, end);
    }
    if (tunnel != NULL) {
        ops->abort_tunnel(tunnel); /* without it, the pair is gone already */
    }
}

static void count(relay_session *session)
{
    relay_pair_account_so_far((relay_pair *)(void *)session);
}

static const relay_session_ops session_ops = {.cut = cut, .count = count};

static void set_up_ends(relay_pair *self, int client, int backend)
{
    self->end[RELAY_CLIENT].io = (tusk_io){.fd = client, .on_event = on_event};
    self->end[RELAY_BACKEND].io = (tusk_io){.fd = backend, .on_event = on_event};
    self->end[RELAY_BACKEND].is_backend = true;
}

relay_pair *relay_pair_new(relay_door *door, int fd, const tusk_addr *peer)
{
    tusk_relay *relay = door->relay;
    relay_pair *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        relay_lost(relay, TUSK_ENOMEM);
        (void)close(fd);
        return NULL;
    }
    set_up_ends(self, fd, -1);
    self->timer.on_due = relay_pair_due;
    self->timer.deadline = true;
    self->peer_family = tusk_addr_ip(peer, self->peer_ip);
    self->peer_port = tusk_addr_port(peer);
    unsigned age = relay->client_waited ? 0 : (unsigned)TUSK_IO_NEW;
    tusk_err err = tusk_io_add(relay->loop, &self->end[RELAY_CLIENT].io, relay->armed | age);
    if (err != TUSK_OK) {
        relay_lost(relay, err);
        (void)close(fd);
        tusk__free(relay->mem, self, sizeof(*self));
        return NULL;
    }
    relay_session_open(&self->session, door, &session_ops);
    return self;
}

relay_pair *relay_pair_adopt(relay_session *session, const int fd[2], relay_origin *origin,
                             const size_t unread[2])
{
    tusk_relay *relay = session->door->relay;
    relay_pair *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        return NULL;
    }
    set_up_ends(self, fd[RELAY_CLIENT], fd[RELAY_BACKEND]);
    self->timer.on_due = relay_pair_due;
    self->timer.deadline = true;
    self->origin = origin;
    self->upgraded = true;
    self->keeps = true; /* as a connection of the protocol before */
    self->state = PAIR_JOINED;
    for (int side = 0; side < 2; side++) {
        relay_end *end = &self->end[side];
        end->readable = true; /* nobody knows: the first move looks */
        end->bytes = unread[side];
        if (tusk_io_add(relay->loop, &end->io, relay->armed) != TUSK_OK) {
            tusk_io_remove(relay->loop, &self->end[RELAY_CLIENT].io); /* harmless where it is not */
            tusk__free(relay->mem, self, sizeof(*self));
            return NULL;
        }
    }
    relay_session_move(&self->session, session, &session_ops);
    relay_pair_count_from_the_start(self);
    return self;
}

tusk_addr relay_pair_peer(const relay_pair *self)
{
    tusk_addr peer;
    if (tusk_addr_from_ip(&peer, self->peer_family, self->peer_ip, self->peer_port) != TUSK_OK) {
        tusk_addr_unnamed(&peer);
    }
    return peer;
}

void relay_pair_joined(relay_pair *self)
{
    self->state = PAIR_JOINED;
    self->keeps = self->tunnel != NULL || relay_target_is_path(self->target);
    self->joined_ms = self->last_ms = relay_now_low(relay_of(self));
    relay_pair_rearm(self);
}

void relay_pair_join(relay_pair *self)
{
    relay_pair_joined(self);
    if (relay_of(self)->uring != NULL) {
        relay_of(self)->ring->take(self);
        return;
    }
    relay_shortcut_offer(self);
    for (int side = 0; side < 2 && self->shortcut == NULL; side++) {
        const relay_end *end = &self->end[side];
        if ((end->readable || end->held != NULL) && relay_pair_move(self, side)) {
            return;
        }
    }
    relay_shortcut_offer(self);
    watch(self);
}
