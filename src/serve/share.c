/* SPDX-License-Identifier: MIT */
/* Shared counters and limits of servers, made before the workers are forked. */
#include "serve/share.h"

#include "base/mem.h"
#include "serve/places.h"
#include "stats/shared.h"

enum {
    SERVER_STATS = sizeof(tusk_server_stats) / sizeof(uint64_t),
    PUBLISH_MS = 100,
    PUBLISH_IDLE_MS = 1000
};

struct tusk_server_shared {
    const tusk_mem *mem;
    net_seats seats;
    net_gates_shared places;
    tally_cell *cells; /* of addresses; NULL: they are not limited */
};

/* ---- the mapping ---- */
tusk_err tusk_server_shared_new(tusk_server_shared **out, const tusk_server *server, uint32_t seats)
{
    *out = NULL;
    tusk_server_shared *self = tusk__new(server->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    bool tally = server->limits.per_address > 0;
    self->mem = server->mem;
    size_t tally_size = tally ? net_tally_size(seats) : 0;
    tusk_err err = net_seats_open(&self->seats, seats, SERVER_STATS,
                                  tally_size + seats * sizeof(*self->places.asked));
    if (err != TUSK_OK) {
        tusk__free(self->mem, self, sizeof(*self));
        return err;
    }
    self->cells = tally ? (tally_cell *)(void *)net_seats_beside(&self->seats) : NULL;
    uint8_t *asked = net_seats_beside(&self->seats) + tally_size;
    self->places =
        (net_gates_shared){.seats = &self->seats, .asked = (_Atomic uint64_t *)(void *)asked};
    *out = self;
    return TUSK_OK;
}

void tusk_server_shared_free(tusk_server_shared *self)
{
    if (self != NULL) {
        net_seats_close(&self->seats);
        tusk__free(self->mem, self, sizeof(*self));
    }
}

/* ---- counters ---- */
/* Whether it has something whose end is to be told, too. */
static bool publish(const tusk_server *server)
{
    tusk_server_stats stats;
    tusk__server_stats_own(server, &stats);
    tusk__shared_put(net_seats_counters(&server->share->all->seats, server->share->seat), &stats,
                     SERVER_STATS);
    return tusk__shared_holds(&stats, &tusk_server_counters);
}

static void on_publish(tusk_timer *timer)
{
    tusk_server *server = TUSK_OWNER(timer, struct server_share, publish)->server;
    bool holds = publish(server);
    if (server->gates.taken > 0) {
        if (net_gates_asked(&server->gates)) {
            tusk__places_watch(server);
        }
        tusk__share_publish_soon(server);
    } else if (holds) { /* handlers that wait, of no session */
        tusk_timer_start(server->loop, timer, PUBLISH_IDLE_MS);
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
    net_seats_merge(&self->seats, 0, &tusk_server_counters, out);
    out->connections_open = net_seats_held_by_all(&self->seats);
}

void tusk_server_count_soon(const tusk_server *self)
{
    tusk__share_publish_soon(self);
}

void tusk__share_stats(const tusk_server *server, tusk_server_stats *out)
{
    (void)publish(server);
    tusk_server_shared_stats(server->share->all, out);
}

void tusk_server_shared_gone(tusk_server_shared *self, uint32_t seat)
{
    if (seat >= self->seats.count) {
        return;
    }
    net_gates_gone(&self->places, seat);
    net_tally_gone(self->cells, seat);
    net_seats_bury(&self->seats, seat, 0, &tusk_server_counters);
}

/* ---- a server's part ---- */
tusk_err tusk_server_share(tusk_server *server, tusk_server_shared *shared, uint32_t seat)
{
    if (server->state != SERVER_NEW || server->share != NULL || server->gates.taken > 0 ||
        seat >= shared->seats.count) {
        return TUSK_ESTATE;
    }
    struct server_share *self = tusk__new(server->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    *self = (struct server_share){
        .server = server, .all = shared, .seat = seat, .publish.on_due = on_publish};
    server->share = self;
    net_gates_share(&server->gates, &shared->places, seat);
    server->addresses.tally =
        (net_tally){.cells = shared->cells, .seats = shared->seats.count, .seat = seat};
    return TUSK_OK;
}

void tusk__share_end(tusk_server *server)
{
    struct server_share *self = server->share;
    if (self == NULL) {
        return;
    }
    (void)publish(server);
    tusk_timer_stop(server->loop, &self->publish);
    net_gates_share(&server->gates, NULL, 0);
    server->share = NULL;
    server->addresses.tally.cells = NULL;
    tusk__free(server->mem, self, sizeof(*self));
}
