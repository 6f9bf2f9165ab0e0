/* SPDX-License-Identifier: MIT */
/* Shared counters and limits of servers: seats in one anonymous mapping, made before the workers
 * are forked. */
#define _GNU_SOURCE
#include "serve/share.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "stats/shared.h"

#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif

enum {
    SERVER_STATS = sizeof(tusk_server_stats) / sizeof(uint64_t),
    PUBLISH_MS = 100,
    /* So long until a process that waits for a place looks whether one is free elsewhere; spread,
       so that they do not look at once. */
    PLACE_AGAIN_MS = 5,
    PLACE_SPREAD_MS = 8,
    LINE = 64
};

static const size_t gauges[] = {
    offsetof(tusk_server_stats, connections_open), offsetof(tusk_server_stats, handshakes_pending),
    offsetof(tusk_server_stats, websockets_open),  offsetof(tusk_server_stats, streams_open),
    offsetof(tusk_server_stats, unfinished_bytes), offsetof(tusk_server_stats, queued_bytes),
    offsetof(tusk_server_stats, subscriptions),    offsetof(tusk_server_stats, topics),
    offsetof(tusk_server_stats, parked),           offsetof(tusk_server_stats, own_gauge)};

typedef struct server_seat {
    _Alignas(LINE) _Atomic uint64_t sessions;
    _Atomic uint64_t stats[SERVER_STATS];
} server_seat;

struct tusk_server_shared {
    const tusk_mem *mem;
    void *map;
    size_t size;
    uint32_t seats;
    server_seat *seat; /* `seats` of them, then one for all who are gone */
    tally_cell *cells; /* of addresses; NULL: they are not limited */
};

/* ---- the mapping ---- */
tusk_err tusk_server_shared_new(tusk_server_shared **out, const tusk_server *server, uint32_t seats)
{
    *out = NULL;
    if (seats == 0) {
        return TUSK_EINVAL;
    }
    tusk_server_shared *self = tusk__new(server->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    size_t seats_size = (seats + 1) * sizeof(server_seat);
    bool tally = server->limits.per_address > 0;
    self->mem = server->mem;
    self->seats = seats;
    self->size = seats_size + (tally ? net_tally_size(seats) : 0);
    self->map = mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (self->map == MAP_FAILED) {
        tusk__free(self->mem, self, sizeof(*self));
        return TUSK_ENOMEM;
    }
    self->seat = self->map;
    self->cells = tally ? (tally_cell *)(void *)((uint8_t *)self->map + seats_size) : NULL;
    *out = self;
    return TUSK_OK;
}

void tusk_server_shared_free(tusk_server_shared *self)
{
    if (self != NULL) {
        (void)munmap(self->map, self->size);
        tusk__free(self->mem, self, sizeof(*self));
    }
}

/* ---- places ---- */
static uint64_t all_sessions(const tusk_server_shared *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->seats; i++) {
        sum += atomic_load(&self->seat[i].sessions);
    }
    return sum;
}

void tusk__share_add(const tusk_server *server)
{
    if (server->share != NULL) {
        atomic_fetch_add(&server->share->all->seat[server->share->seat].sessions, 1);
        tusk__share_publish_soon(server);
    }
}

void tusk__share_leave(const tusk_server *server)
{
    if (server->share != NULL) {
        atomic_fetch_sub(&server->share->all->seat[server->share->seat].sessions, 1);
        tusk__share_publish_soon(server);
    }
}

/* Taken first and looked at afterwards, in one order for all: two that take the last place at once
 * both see it, and give it back. */
bool tusk__share_enter(tusk_server *server)
{
    if (server->share == NULL) {
        return true;
    }
    tusk__share_add(server);
    if (all_sessions(server->share->all) <= server->limits.connections) {
        return true;
    }
    tusk__share_leave(server);
    return false;
}

bool tusk__share_full(const tusk_server *server)
{
    return server->share == NULL ? server->session_count >= server->limits.connections
                                 : all_sessions(server->share->all) >= server->limits.connections;
}

static void on_again(tusk_timer *timer)
{
    tusk_server *server = TUSK_OWNER(timer, struct server_share, again)->server;
    if (server->state == SERVER_RUNNING) {
        tusk__server_let_in_held(server);
        tusk__server_balance_accept(server);
    }
}

void tusk__share_look_again(const tusk_server *server)
{
    struct server_share *self = server->share;
    if (self != NULL && !tusk_timer_running(&self->again)) {
        tusk_timer_start(server->loop, &self->again, PLACE_AGAIN_MS + self->seat % PLACE_SPREAD_MS);
    }
}

/* ---- counters ---- */
static void publish(const tusk_server *server)
{
    tusk_server_stats stats;
    tusk__server_stats_own(server, &stats);
    tusk__shared_put(server->share->all->seat[server->share->seat].stats, &stats, SERVER_STATS);
}

static void on_publish(tusk_timer *timer)
{
    const tusk_server *server = TUSK_OWNER(timer, struct server_share, publish)->server;
    publish(server);
    if (server->session_count > 0) {
        tusk__share_publish_soon(server);
    }
}

void tusk__share_publish_soon(const tusk_server *server)
{
    struct server_share *self = server->share;
    if (self != NULL && !tusk_timer_running(&self->publish)) {
        tusk_timer_start(server->loop, &self->publish, PUBLISH_MS);
    }
}

void tusk_server_shared_stats(const tusk_server_shared *self, tusk_server_stats *out)
{
    *out = (tusk_server_stats){.requests = 0};
    for (uint32_t i = 0; i <= self->seats; i++) {
        tusk__shared_add(out, self->seat[i].stats, SERVER_STATS);
    }
    out->connections_open = all_sessions(self);
}

void tusk__share_stats(const tusk_server *server, tusk_server_stats *out)
{
    publish(server);
    tusk_server_shared_stats(server->share->all, out);
}

void tusk_server_shared_gone(tusk_server_shared *self, uint32_t seat)
{
    if (seat >= self->seats) {
        return;
    }
    atomic_store(&self->seat[seat].sessions, 0);
    net_tally_gone(self->cells, seat);
    tusk__shared_bury(self->seat[self->seats].stats, self->seat[seat].stats, SERVER_STATS, gauges,
                      sizeof(gauges) / sizeof(gauges[0]));
}

/* ---- a server's part ---- */
tusk_err tusk_server_share(tusk_server *server, tusk_server_shared *shared, uint32_t seat)
{
    if (server->state != SERVER_NEW || server->share != NULL || server->session_count > 0 ||
        seat >= shared->seats) {
        return TUSK_ESTATE;
    }
    struct server_share *self = tusk__new(server->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    *self = (struct server_share){.server = server,
                                  .all = shared,
                                  .seat = seat,
                                  .publish.on_due = on_publish,
                                  .again.on_due = on_again};
    server->share = self;
    server->addresses.tally =
        (net_tally){.cells = shared->cells, .seats = shared->seats, .seat = seat};
    return TUSK_OK;
}

void tusk__share_end(tusk_server *server)
{
    struct server_share *self = server->share;
    if (self == NULL) {
        return;
    }
    publish(server);
    tusk_timer_stop(server->loop, &self->publish);
    tusk_timer_stop(server->loop, &self->again);
    server->share = NULL;
    server->addresses.tally.cells = NULL;
    tusk__free(server->mem, self, sizeof(*self));
}
