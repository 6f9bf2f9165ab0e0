/* SPDX-License-Identifier: MIT */
/* Shared counters and limits, made before the workers are forked. */
#include "relay/shared.h"

#include "base/mem.h"
#include "relay/http/inner.h"
#include "relay/shared_keys.h"
#include "relay/shared_places.h"
#include "stats/shared.h"

enum { PUBLISH_MS = 100, PUBLISH_IDLE_MS = 1000, HEALTH_STALE_MS = 60000 };

/* ---- the mapping ---- */
static size_t aligned(size_t size)
{
    return (size + SEATS_LINE - 1) / SEATS_LINE * SEATS_LINE;
}

/* What a relay's limits and kind need. */
typedef struct parts {
    size_t gates; /* bytes of their counts */
    bool tally, rates, health, keys, places;
} parts;

/* Behind the seats, at `map`; NULL: only measures. */
static size_t lay_out(tusk_relay_shared *self, uint32_t seats, uint8_t *map, const parts *wanted)
{
    size_t at = aligned(wanted->gates);
    size_t cells_at = at;
    at += wanted->tally ? net_tally_size(seats) : 0;
    size_t rates_at = at;
    at += wanted->rates ? (size_t)RELAY_RATE_SETS * RELAY_RATE_WAYS * sizeof(relay_rate_cell) : 0;
    size_t set_at = at = aligned(at);
    at += wanted->health ? HEALTH_SETS * HEALTH_WAYS * sizeof(uint64_t) : 0;
    size_t health_at = at;
    at += wanted->health ? HEALTH_SETS * HEALTH_WAYS * sizeof(relay_health) : 0;
    size_t stamps_at = at = aligned(at);
    at += SEATS_LINE;
    size_t keys_at = at;
    at += wanted->keys ? KEY_ENTRIES * sizeof(shared_key) : 0;
    size_t words_at = at;
    at += wanted->keys ? KEY_ENTRIES * sizeof(uint64_t) : 0;
    size_t places_at = at = aligned(at);
    at += wanted->places ? seats * sizeof(shared_places) : 0;
    if (map != NULL) {
        self->gates.taken = (_Atomic uint64_t *)(void *)map;
        self->cells = wanted->tally ? (tally_cell *)(void *)(map + cells_at) : NULL;
        self->rates = wanted->rates ? (relay_rate_cell *)(void *)(map + rates_at) : NULL;
        self->healths.keys = wanted->health ? (_Atomic uint64_t *)(void *)(map + set_at) : NULL;
        self->healths.healths = (relay_health *)(void *)(map + health_at);
        self->stamps = (_Atomic uint64_t *)(void *)(map + stamps_at);
        self->keys = wanted->keys ? (shared_key *)(void *)(map + keys_at) : NULL;
        self->key_words = (_Atomic uint64_t *)(void *)(map + words_at);
        self->places = wanted->places ? (shared_places *)(void *)(map + places_at) : NULL;
    }
    return at;
}

tusk_err tusk_relay_shared_new(tusk_relay_shared **out, const tusk_relay *relay, uint32_t seats)
{
    *out = NULL;
    const tusk_relay_limits *limits = &relay->limits;
    const parts wanted = {.gates = net_gates_shared_size(&relay->gates, seats),
                          .tally = limits->per_source > 0 || limits->per_target > 0,
                          .rates = limits->rate_per_source > 0,
                          .health = limits->eject_failures > 0 || limits->check_ms > 0,
                          .keys = relay->kind == TUSK_RELAY_TCP,
                          .places = relay_places_matter(relay)};
    tusk_relay_shared *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->mem = relay->mem;
    self->kind = relay->kind;
    self->healths.stale_ms = HEALTH_STALE_MS + 4 * ((uint64_t)limits->eject_ms + limits->check_ms);
    self->gates = (net_gates_shared){.seats = &self->seats, .number = relay->gates.number};
    tusk_err err = net_seats_open(&self->seats, seats, SHARED_STATS + SHARED_HTTP_STATS,
                                  lay_out(self, seats, NULL, &wanted));
    if (err == TUSK_OK) {
        (void)lay_out(self, seats, net_seats_beside(&self->seats), &wanted);
        err = wanted.places ? relay_places_open(self) : TUSK_OK;
    }
    err = err == TUSK_OK ? relay_meters_open(&self->meters, limits->metrics, seats) : err;
    if (err != TUSK_OK) {
        tusk_relay_shared_free(self);
        return err;
    }
    *out = self;
    return TUSK_OK;
}

void tusk_relay_shared_free(tusk_relay_shared *self)
{
    if (self != NULL) {
        relay_places_close(self);
        relay_meters_close(&self->meters);
        net_seats_close(&self->seats);
        tusk__free(self->mem, self, sizeof(*self));
    }
}

/* ---- sources and targets ---- */
void relay_share_tell(const tusk_relay *relay, uint64_t hash, uint32_t count, uint32_t kept)
{
    net_tally_tell(&relay->sources.tally, hash, count, kept);
}

uint64_t relay_share_others(const tusk_relay *relay, uint64_t hash)
{
    return net_tally_others(&relay->sources.tally, hash);
}

uint32_t relay_share_kept(const tusk_relay_shared *self, uint32_t seat, uint64_t hash)
{
    return net_tally_spare(self->cells, seat, hash);
}

/* ---- counters ---- */
bool relay_share_publish(tusk_relay *relay)
{
    const struct relay_share *self = relay->share;
    _Atomic uint64_t *counters = net_seats_counters(&self->all->seats, self->seat);
    tusk_relay_stats stats;
    relay_stats_own(relay, &stats);
    tusk__shared_put(counters, &stats, SHARED_STATS);
    bool holds = tusk__shared_holds(&stats, &tusk_relay_counters);
    if (relay->http != NULL) {
        tusk__shared_put(counters + SHARED_STATS, &relay->http->stats, SHARED_HTTP_STATS);
        holds |= tusk__shared_holds(&relay->http->stats, &tusk_relay_http_counters);
    }
    return holds;
}

static void on_publish(tusk_timer *timer)
{
    const struct relay_share *self = TUSK_OWNER(timer, struct relay_share, publish);
    bool holds = relay_share_publish(self->relay);
    if (self->relay->gates.taken > 0) {
        relay_share_publish_soon(self->relay);
    } else if (holds) { /* backends' connections, handlers that wait */
        tusk_timer_start(self->relay->loop, timer, PUBLISH_IDLE_MS);
    }
}

void relay_share_publish_soon(tusk_relay *relay)
{
    struct relay_share *self = relay->share;
    if (self != NULL && !tusk_timer_running(&self->publish)) {
        tusk_timer_start(relay->loop, &self->publish, PUBLISH_MS);
    }
}

bool relay_share_first(const tusk_relay *relay)
{
    return relay->share == NULL || relay->share->seat == 0;
}

void tusk_relay_count_soon(tusk_relay *self)
{
    relay_share_publish_soon(self);
}

void tusk_relay_shared_stats(const tusk_relay_shared *self, tusk_relay_stats *out)
{
    *out = (tusk_relay_stats){.accepted = 0};
    net_seats_merge(&self->seats, 0, &tusk_relay_counters, out);
    out->active = net_seats_held_by_all(&self->seats);
    out->ejected += relay_healths_ejected(&self->healths, tusk_loop_clock_ns() / 1000000u);
}

void tusk_relay_shared_http_stats(const tusk_relay_shared *self, tusk_relay_http_stats *out)
{
    *out = (tusk_relay_http_stats){.requests = 0};
    net_seats_merge(&self->seats, SHARED_STATS, &tusk_relay_http_counters, out);
}

static int health_of(const void *user, const relay_meter_sum *target)
{
    return relay_healths_known(&((const tusk_relay_shared *)user)->healths, target->key);
}

tusk_err tusk_relay_shared_metrics(const tusk_relay_shared *self, tusk_buf *out)
{
    return relay_meters_text(&self->meters, self->mem, self->kind, health_of, self, out);
}

void tusk_relay_shared_gone(tusk_relay_shared *self, uint32_t seat)
{
    if (seat >= self->seats.count) {
        return;
    }
    net_gates_gone(&self->gates, seat);
    net_tally_gone(self->cells, seat);
    relay_shared_keys_gone(self, seat);
    relay_places_gone(self, seat);
    relay_healths_gone(&self->healths, seat);
    relay_meters_gone(&self->meters, seat, tusk_loop_clock_ns() / 1000000u);
    net_seats_bury(&self->seats, seat, 0, &tusk_relay_counters);
    net_seats_bury(&self->seats, seat, SHARED_STATS, &tusk_relay_http_counters);
}

/* ---- a relay's part ---- */
tusk_err tusk_relay_share(tusk_relay *relay, tusk_relay_shared *shared, uint32_t seat)
{
    if (relay->state != RELAY_NEW || relay->share != NULL || seat >= shared->seats.count) {
        return TUSK_ESTATE;
    }
    struct relay_share *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    *self = (struct relay_share){
        .relay = relay, .all = shared, .seat = seat, .publish.on_due = on_publish};
    tusk_err err = relay_places_listen(self);
    if (err != TUSK_OK) {
        tusk__free(relay->mem, self, sizeof(*self));
        return err;
    }
    relay->share = self;
    net_gates_share(&relay->gates, &shared->gates, seat);
    relay->sources.tally =
        (net_tally){.cells = shared->cells, .seats = shared->seats.count, .seat = seat};
    relay->targets.random ^= (seat + 1) * UINT64_C(0x9e3779b97f4a7c15);
    relay_rate_share(&relay->rate, shared->rates);
    relay_meters_borrow(&relay->meters, &shared->meters, seat);
    return TUSK_OK;
}

void relay_share_end(tusk_relay *relay)
{
    struct relay_share *self = relay->share;
    if (self == NULL) {
        return;
    }
    (void)relay_share_publish(relay);
    tusk_timer_stop(relay->loop, &self->publish);
    relay_places_end(self);
    net_gates_share(&relay->gates, NULL, 0);
    relay->share = NULL;
    relay->sources.tally.cells = NULL;
    tusk__free(relay->mem, self, sizeof(*self));
}
