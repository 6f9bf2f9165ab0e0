/* SPDX-License-Identifier: MIT */
/* Verdicts on targets, of one process or of several. */
#include "relay/route/health.h"

#include "relay/shared.h"

/* A key has this bit; what has not is the seat, plus one, of who is taking the place. */
#define KEY_BIT (UINT64_C(1) << 63)
#define SEEN_MS 1000u

static uint64_t now_of(const tusk_relay *relay)
{
    return tusk_loop_now_ms(relay->loop);
}

static const relay_healths *shared_of(const tusk_relay *relay)
{
    const struct relay_share *share = relay->share;
    return share == NULL || share->all->healths.keys == NULL ? NULL : &share->all->healths;
}

/* ---- the table ---- */
static relay_health *find(const relay_healths *self, uint64_t hash)
{
    size_t set = (size_t)(hash % HEALTH_SETS) * HEALTH_WAYS;
    for (size_t i = set; i < set + HEALTH_WAYS; i++) {
        if (atomic_load_explicit(&self->keys[i], memory_order_acquire) == (hash | KEY_BIT)) {
            return &self->healths[i];
        }
    }
    return NULL;
}

static bool is_stale(const relay_healths *self, size_t i, uint64_t now_ms)
{
    uint64_t seen_ms = atomic_load(&self->healths[i].seen_ms);
    return now_ms > seen_ms && now_ms - seen_ms > self->stale_ms;
}

static void clear(relay_health *self, uint64_t now_ms)
{
    atomic_store(&self->seen_ms, now_ms);
    atomic_store(&self->ejected_until_ms, 0);
    atomic_store(&self->trying_until_ms, 0);
    atomic_store(&self->probe_ms, 0);
    atomic_store(&self->failures, 0);
    atomic_store(&self->rises, 0);
    atomic_store(&self->falls, 0);
    atomic_store(&self->ejected, false);
    atomic_store(&self->down, false);
}

static relay_health *claim(const tusk_relay *relay, uint64_t hash)
{
    const relay_healths *self = shared_of(relay);
    uint64_t now_ms = now_of(relay);
    uint64_t mine = relay->share->seat + 1;
    size_t set = (size_t)(hash % HEALTH_SETS) * HEALTH_WAYS;
    for (size_t i = set; i < set + HEALTH_WAYS; i++) {
        uint64_t key = atomic_load(&self->keys[i]);
        bool room = key == 0 || ((key & KEY_BIT) != 0 && is_stale(self, i, now_ms));
        if (room && atomic_compare_exchange_strong(&self->keys[i], &key, mine)) {
            clear(&self->healths[i], now_ms);
            atomic_store_explicit(&self->keys[i], hash | KEY_BIT, memory_order_release);
            return &self->healths[i];
        }
    }
    return NULL;
}

static void note_seen(relay_health *self, uint64_t now_ms)
{
    if (now_ms - atomic_load_explicit(&self->seen_ms, memory_order_relaxed) >= SEEN_MS) {
        atomic_store(&self->seen_ms, now_ms);
    }
}

/* What holds for it; where nothing is remembered, its own, which says that all is well. */
static relay_health *peek(relay_target *target)
{
    const relay_healths *shared = shared_of(target->relay);
    relay_health *found = shared == NULL ? NULL : find(shared, target->in_table.hash);
    if (found == NULL) {
        return &target->health;
    }
    note_seen(found, now_of(target->relay));
    return found;
}

/* The same, to be written to. */
static relay_health *note(relay_target *target)
{
    relay_health *self = peek(target);
    if (self == &target->health && shared_of(target->relay) != NULL) {
        relay_health *claimed = claim(target->relay, target->in_table.hash);
        return claimed == NULL ? self : claimed;
    }
    return self;
}

/* ---- ejected and back ---- */
bool relay_health_is_ejected(relay_target *target)
{
    return atomic_load(&peek(target)->ejected);
}

bool relay_health_is_out(relay_target *target)
{
    const relay_health *self = peek(target);
    uint64_t now_ms = now_of(target->relay);
    return atomic_load(&self->ejected) &&
           (atomic_load(&self->down) || now_ms < atomic_load(&self->ejected_until_ms) ||
            now_ms < atomic_load(&self->trying_until_ms));
}

/* Whoever tries says how it went; one that dies meanwhile is believed no longer than it could take.
 */
bool relay_health_try(relay_target *target)
{
    relay_health *self = peek(target);
    const tusk_relay_limits *limits = &target->relay->limits;
    uint64_t now_ms = now_of(target->relay);
    uint64_t until_ms = atomic_load(&self->trying_until_ms);
    if (!atomic_load(&self->ejected)) {
        return true;
    }
    return until_ms <= now_ms && atomic_compare_exchange_strong(&self->trying_until_ms, &until_ms,
                                                                now_ms + limits->connect_ms +
                                                                    limits->connect_total_ms + 1);
}

void relay_health_leave(relay_target *target)
{
    relay_health *self = peek(target);
    if (atomic_load(&self->trying_until_ms) != 0) {
        atomic_store(&self->trying_until_ms, 0);
    }
}

/* The gauge of a relay counts what its own process judges; the others are counted in the table. */
static void count_ejected(relay_target *target, const relay_health *self, bool ejected)
{
    if (self == &target->health) {
        target->relay->stats.ejected += ejected ? 1u : UINT64_MAX;
    }
}

void relay_health_succeeded(relay_target *target)
{
    relay_health *self = peek(target);
    if (atomic_load(&self->failures) != 0) {
        atomic_store(&self->failures, 0);
    }
    if (atomic_load(&self->ejected) && atomic_exchange(&self->ejected, false)) {
        atomic_store(&self->down, false);
        atomic_store(&self->trying_until_ms, 0);
        count_ejected(target, self, false);
        relay_say(target->relay, NOTICE_HEALTH, "%s is up again", target->text);
    }
}

/* False: it was already. */
static bool eject(relay_target *target, relay_health *self)
{
    tusk_relay *relay = target->relay;
    atomic_store(&self->ejected_until_ms, now_of(relay) + relay->limits.eject_ms);
    if (atomic_exchange(&self->ejected, true)) {
        return false;
    }
    relay->stats.ejections++;
    relay_target_count(target, METER_EJECTIONS);
    count_ejected(target, self, true);
    relay_share_publish_soon(relay);
    return true;
}

void relay_health_failed(relay_target *target)
{
    const tusk_relay_limits *limits = &target->relay->limits;
    relay_health *self = note(target);
    atomic_store(&self->trying_until_ms, 0);
    uint32_t failures = atomic_load(&self->failures);
    if (failures < UINT32_MAX / 2) {
        failures = atomic_fetch_add(&self->failures, 1) + 1;
    }
    if (limits->eject_failures != 0 && failures >= limits->eject_failures && eject(target, self)) {
        relay_say(target->relay, NOTICE_HEALTH, "%s is down: %u failures in a row", target->text,
                  (unsigned)failures);
    }
}

void relay_health_forget(relay_target *target)
{
    if (atomic_load(&target->health.ejected)) {
        count_ejected(target, &target->health, false);
    }
}

/* ---- probes ---- */
/* Somewhat less than the time between two, so that the next one of the same process is not late. */
bool relay_health_probes(relay_target *target)
{
    relay_health *self = note(target);
    uint64_t now_ms = now_of(target->relay);
    uint64_t between_ms = target->relay->limits.check_ms;
    uint64_t due_ms = atomic_load(&self->probe_ms);
    return self == &target->health ||
           (due_ms <= now_ms &&
            atomic_compare_exchange_strong(&self->probe_ms, &due_ms,
                                           now_ms + between_ms - between_ms / 4));
}

static uint8_t one_more(_Atomic uint8_t *count)
{
    uint8_t was = atomic_load(count);
    if (was < UINT8_MAX) {
        atomic_store(count, ++was);
    }
    return was;
}

void relay_health_probed(relay_target *target, bool up)
{
    const tusk_relay_limits *limits = &target->relay->limits;
    relay_health *self = note(target);
    atomic_store(up ? &self->falls : &self->rises, 0);
    uint8_t count = one_more(up ? &self->rises : &self->falls);
    if (up && count >= limits->check_rise) {
        relay_health_succeeded(target);
    } else if (!up && count >= limits->check_fall) {
        atomic_store(&self->down, true);
        if (eject(target, self)) {
            relay_say(target->relay, NOTICE_HEALTH, "%s is down: probes fail", target->text);
        }
    }
}

/* ---- of all workers ---- */
int relay_healths_known(const relay_healths *self, uint64_t hash)
{
    const relay_health *found = self->keys == NULL ? NULL : find(self, hash);
    return found == NULL ? -1 : atomic_load(&found->ejected) ? 0 : 1;
}

int relay_health_known(const tusk_relay *relay, uint64_t hash)
{
    const relay_healths *shared = shared_of(relay);
    return shared == NULL ? -1 : relay_healths_known(shared, hash);
}

/* Places that it was taking when it died. */
void relay_healths_gone(const relay_healths *self, uint32_t seat)
{
    for (size_t i = 0; self->keys != NULL && i < HEALTH_SETS * HEALTH_WAYS; i++) {
        uint64_t half = seat + UINT64_C(1);
        if (atomic_load_explicit(&self->keys[i], memory_order_relaxed) == half) {
            (void)atomic_compare_exchange_strong(&self->keys[i], &half, 0);
        }
    }
}

uint64_t relay_healths_ejected(const relay_healths *self, uint64_t now_ms)
{
    uint64_t count = 0;
    for (size_t i = 0; self->keys != NULL && i < HEALTH_SETS * HEALTH_WAYS; i++) {
        count += (atomic_load(&self->keys[i]) & KEY_BIT) != 0 &&
                 atomic_load(&self->healths[i].ejected) && !is_stale(self, i, now_ms);
    }
    return count;
}
