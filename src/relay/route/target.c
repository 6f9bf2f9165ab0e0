/* SPDX-License-Identifier: MIT */
/* Known targets: found by address, chosen by weight, ejected after failures. */
#include "relay/route/target.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "loop/entropy.h"
#include "relay/route/dial.h"
#include "relay/route/lack.h"
#include "relay/shared_places.h"

enum {
    STALE_AGAIN_MS = 30000 /* a name that no server answers is asked again after: RFC 8767, 5 */
};

tusk_err relay_targets_init(tusk_relay *relay)
{
    relay_targets *self = &relay->targets;
    uint64_t random[2];
    tusk_err err = tusk__entropy(random, sizeof(random));
    if (err != TUSK_OK) {
        return err;
    }
    self->seed = random[0];
    self->random = random[1] | 1;
    tusk__list_init(&self->unused);
    return tusk__table_init(&self->table, relay->mem);
}

static void forget(relay_target *self)
{
    tusk_relay *relay = self->relay;
    relay_targets *all = &relay->targets;
    tusk__table_remove(&all->table, &self->in_table);
    tusk__link_remove(&self->unused);
    all->unused_count--;
    relay_health_forget(self);
    tusk_lookup_cancel(&self->lookup);
    tusk__free(relay->mem, self->addrs, self->addr_count * sizeof(tusk_addr));
    tusk__free(relay->mem, self, sizeof(*self) + self->text_len + 1);
}

void relay_targets_fini(tusk_relay *relay)
{
    relay_targets *self = &relay->targets;
    if (self->table.buckets == NULL) {
        return;
    }
    while (!tusk__list_empty(&self->unused)) {
        forget(TUSK_OWNER(self->unused.next, relay_target, unused));
    }
    tusk__table_fini(&self->table, relay->mem);
    memset(self, 0, sizeof(*self));
}

/* ---- "host:port", "[v6]:port", "unix:/path" ---- */
static bool read_port(tusk_bytes text, uint16_t *port)
{
    unsigned value = 0;
    if (text.len == 0 || text.len > 5) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
    }
    *port = (uint16_t)value;
    return value > 0 && value <= 65535;
}

static bool is_name(tusk_bytes host)
{
    bool letter_seen = false;
    for (size_t i = 0; i < host.len; i++) {
        uint8_t c = host.ptr[i];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        letter_seen = letter_seen || letter;
        if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '.' && c != '_') {
            return false;
        }
    }
    /* "10.1" is what getaddrinfo calls 10.0.0.1, and nobody means it. */
    return letter_seen && host.len <= RESOLVER_HOST_MAX;
}

/* Where the host stands in `self->text`; a numeric one is resolved at once. */
static tusk_err read_address(relay_target *self)
{
    tusk_addr addr;
    bool is_unix = relay_target_is_path(self);
    const char *colon = strrchr(self->text, ':');
    if (!is_unix) {
        tusk_bytes host =
            tusk_bytes_of(self->text, colon == NULL ? 0 : (size_t)(colon - self->text));
        size_t after = host.len + 1;
        if (host.len == 0 ||
            !read_port(tusk_bytes_of(self->text + after, self->text_len - after), &self->port)) {
            return TUSK_EINVAL;
        }
        if (host.ptr[0] == '[') {
            if (host.len < 3 || host.ptr[host.len - 1] != ']') {
                return TUSK_EINVAL;
            }
            self->host_at = 1;
            host.len -= 2;
        }
        self->host_len = (uint16_t)host.len;
    }
    self->numeric = tusk_addr_parse(&addr, self->text) == TUSK_OK && self->text[0] != '*';
    if (!self->numeric) {
        return !is_unix && self->host_at == 0 && is_name(relay_target_host(self)) ? TUSK_OK
                                                                                  : TUSK_EINVAL;
    }
    self->addrs = tusk__new(self->relay->mem, sizeof(addr));
    if (self->addrs == NULL) {
        return TUSK_ENOMEM;
    }
    self->addrs[0] = addr;
    self->addr_count = 1;
    return TUSK_OK;
}

static relay_target *target_of(tusk_entry *entry)
{
    return TUSK_OWNER(entry, relay_target, in_table);
}

static relay_target *find(const tusk_relay *relay, tusk_bytes address, uint64_t hash)
{
    tusk_entry *at = tusk__table_find(&relay->targets.table, hash);
    while (at != NULL && !tusk_bytes_eq(relay_target_text(target_of(at)), address)) {
        at = tusk__table_again(at);
    }
    return at == NULL ? NULL : target_of(at);
}

uint64_t relay_target_hash(const tusk_relay *relay, tusk_bytes address)
{
    return tusk__hash(relay->targets.seed, address);
}

relay_target *relay_target_hashed(const tusk_relay *relay, uint64_t hash)
{
    tusk_entry *at = tusk__table_find(&relay->targets.table, hash);
    return at == NULL ? NULL : target_of(at);
}

relay_target *relay_target_find(const tusk_relay *relay, tusk_bytes address)
{
    return find(relay, address, relay_target_hash(relay, address));
}

static relay_target *make(tusk_relay *relay, tusk_bytes address, uint64_t hash)
{
    relay_target *self = tusk__new(relay->mem, sizeof(*self) + address.len + 1);
    if (self == NULL) {
        return NULL;
    }
    self->relay = relay;
    self->in_table.hash = hash;
    self->refs = 1;
    self->text_len = (uint16_t)address.len;
    self->lookup.on_done = relay_dial_on_looked_up;
    tusk__list_init(&self->waiting);
    tusk__list_init(&self->used);
    memcpy(self->text, address.ptr, address.len);
    return self;
}

static void hold_meter(relay_target *self)
{
    tusk_relay *relay = self->relay;
    self->meter = relay_meters_hold(&relay->meters, METER_TARGET, self->in_table.hash,
                                    relay_target_text(self), tusk_loop_now_ms(relay->loop),
                                    &relay->stats.metrics_other);
}

tusk_err relay_target_get(relay_target **out, tusk_relay *relay, tusk_bytes address)
{
    relay_targets *all = &relay->targets;
    *out = NULL;
    if (address.len == 0 || address.len > RESOLVER_HOST_MAX + 8 ||
        memchr(address.ptr, '\0', address.len) != NULL) {
        return TUSK_EINVAL;
    }
    uint64_t hash = tusk__hash(all->seed, address);
    relay_target *self = find(relay, address, hash);
    if (self != NULL) {
        *out = relay_target_ref(self);
        return TUSK_OK;
    }
    self = make(relay, address, hash);
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    tusk_err err = read_address(self);
    if (err != TUSK_OK) {
        tusk__free(relay->mem, self, sizeof(*self) + address.len + 1);
        return err;
    }
    (void)tusk__table_put(&all->table, relay->mem, &self->in_table, hash); /* it has buckets */
    hold_meter(self);
    *out = self;
    return TUSK_OK;
}

tusk_err relay_target_look_up(relay_target *self)
{
    char host[RESOLVER_HOST_MAX + 1];
    if (self->lookup.job != NULL) {
        return TUSK_OK;
    }
    memcpy(host, self->text + self->host_at, self->host_len);
    host[self->host_len] = '\0';
    return tusk_resolver_start(self->relay->resolver, &self->lookup, host, self->port);
}

/* ---- the addresses of its name ---- */
static void tell_stale(relay_target *self, bool stale)
{
    char text[RESOLVER_HOST_MAX + 128];
    if (self->stale != stale) {
        self->stale = stale;
        (void)snprintf(text, sizeof(text), "%s: %s", self->text,
                       stale ? "no name server answers; its last known addresses are used"
                             : "its name is looked up again");
        relay_log(self->relay, text);
    }
}

bool relay_target_has_stale(const relay_target *self)
{
    return self->addr_count > 0 && tusk_loop_now_ms(self->relay->loop) < self->stale_until_ms;
}

static uint32_t again_ms(const relay_target *self)
{
    uint32_t ttl_ms = self->relay->limits.dns_ttl_ms;
    return ttl_ms < STALE_AGAIN_MS ? ttl_ms : STALE_AGAIN_MS;
}

bool relay_target_use_stale(relay_target *self)
{
    if (!relay_target_has_stale(self)) {
        return false;
    }
    uint64_t now_ms = tusk_loop_now_ms(self->relay->loop);
    self->relay->stats.names_stale += now_ms >= self->fresh_until_ms ? 1 : 0;
    self->fresh_until_ms = now_ms + again_ms(self);
    tell_stale(self, true);
    return true;
}

void relay_target_refresh(relay_target *self)
{
    uint64_t now_ms = tusk_loop_now_ms(self->relay->loop);
    if (!self->numeric && now_ms >= self->fresh_until_ms && now_ms >= self->asked_until_ms) {
        self->asked_until_ms = now_ms + again_ms(self);
        (void)relay_target_look_up(self);
    }
}

static bool is_among(const tusk_addr *addr, const tusk_addr *addrs, int count)
{
    for (int i = 0; i < count; i++) {
        if (addr->len == addrs[i].len && memcmp(addr->u.raw, addrs[i].u.raw, addr->len) == 0) {
            return true;
        }
    }
    return false;
}

static bool loses_one(const relay_target *self, const tusk_addr *addrs, int count)
{
    for (uint8_t i = 0; i < self->addr_count; i++) {
        if (!is_among(&self->addrs[i], addrs, count)) {
            return true;
        }
    }
    return false;
}

static tusk_err replace(relay_target *self, const tusk_addr *addrs, int count)
{
    tusk_relay *relay = self->relay;
    tusk_addr *copy = tusk__resize(relay->mem, NULL, 0, (size_t)count * sizeof(*addrs));
    if (copy == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(copy, addrs, (size_t)count * sizeof(*addrs));
    if (loses_one(self, addrs, count)) {
        self->generation++;
    }
    tusk__free(relay->mem, self->addrs, self->addr_count * sizeof(*addrs));
    self->addrs = copy;
    self->addr_count = (uint8_t)count;
    self->fresh_until_ms = tusk_loop_now_ms(relay->loop) + relay->limits.dns_ttl_ms;
    self->stale_until_ms = self->fresh_until_ms + relay->limits.dns_stale_ms;
    tell_stale(self, false);
    return TUSK_OK;
}

tusk_err relay_target_learn(relay_target *self, const tusk_addr *addrs, int count)
{
    tusk_err err = count > 0 ? replace(self, addrs, count) : (tusk_err)count;
    if (count == 0 || err == TUSK_ENOENT) { /* an answer: it has none any more */
        self->stale_until_ms = 0;
        return TUSK_ENOENT;
    }
    if (err == TUSK_EEXHAUSTED) { /* in the thread, which has no other need */
        relay_lack_tell(self, LACK_DESCRIPTOR);
    }
    if (err == TUSK_OK || relay_target_use_stale(self)) {
        return TUSK_OK;
    }
    return tusk_addr_unfound(err);
}

relay_target *relay_target_ref(relay_target *self)
{
    if (self->refs++ == 0) {
        tusk__link_remove(&self->unused);
        self->relay->targets.unused_count--;
        hold_meter(self);
    }
    return self;
}

void relay_target_unref(relay_target *self)
{
    relay_targets *all = &self->relay->targets;
    if (--self->refs > 0) {
        return;
    }
    relay_meter_release(self->meter, tusk_loop_now_ms(self->relay->loop));
    self->meter = NULL;
    tusk__list_push(&all->unused, &self->unused);
    all->unused_count++;
    if (all->unused_count > self->relay->limits.routes) {
        forget(TUSK_OWNER(all->unused.next, relay_target, unused));
    }
}

/* ---- choosing ---- */
/* Who comes does not overtake those `in_line`. */
static bool is_full(const relay_target *self, bool in_line)
{
    uint32_t limit = self->relay->limits.per_target;
    uint64_t taken = (uint64_t)self->active + (in_line ? 0 : self->waiters);
    return limit > 0 && taken + relay_share_others(self->relay, self->in_table.hash) >= limit;
}

typedef enum choice_set { HEALTHY, SPARE, ANY, SETS } choice_set;

static bool belongs(const relay_choice *choice, choice_set set)
{
    switch (set) {
    case HEALTHY: return choice->weight > 0 && !relay_health_is_out(choice->target);
    case SPARE: return !relay_health_is_out(choice->target);
    case ANY: return true;
    case SETS: break;
    }
    return false;
}

static uint64_t draw(relay_targets *self)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return self->random;
}

static int pick_from(const relay_answer *answer, uint64_t tried, bool in_line, choice_set set)
{
    uint64_t total = 0;
    int chosen = -1;
    for (uint32_t i = 0; i < answer->choice_count; i++) {
        const relay_choice *choice = &answer->choices[i];
        if ((tried >> i & 1) != 0 || is_full(choice->target, in_line) || !belongs(choice, set)) {
            continue;
        }
        uint64_t weight = choice->weight == 0 ? 1 : choice->weight;
        total += weight;
        if (total == weight || draw(&answer->relay->targets) % total < weight) {
            chosen = (int)i;
        }
    }
    return chosen;
}

int relay_pick(const relay_answer *answer, uint64_t tried, bool in_line, tusk_err *why)
{
    int chosen = -1;
    for (int set = HEALTHY; set < SETS && chosen < 0; set++) {
        do {
            chosen = pick_from(answer, tried, in_line, (choice_set)set);
        } while (chosen >= 0 && !relay_health_try(answer->choices[chosen].target) && set != ANY);
    }
    for (uint32_t i = 0; i < answer->choice_count && chosen < 0; i++) {
        if ((tried >> i & 1) == 0 && is_full(answer->choices[i].target, in_line)) {
            *why = TUSK_ELIMIT;
        }
    }
    return chosen;
}

/* ---- connections ---- */
static void tell(const relay_target *self)
{
    relay_share_tell(self->relay, self->in_table.hash, self->active, self->kept);
}

void relay_target_enter(relay_target *self)
{
    (void)relay_target_ref(self);
    self->active++;
    relay_meter_add(self->meter, METER_ACTIVE, 1);
    tell(self);
}

void relay_target_keep(relay_target *self)
{
    self->kept++;
    tell(self);
}

void relay_target_unkeep(relay_target *self)
{
    self->kept--;
    tell(self);
}

bool relay_target_make_room(relay_target *self)
{
    if (self->kept > 0) {
        self->relay->ops->give_up(self);
        return true; /* or the last one is closing already */
    }
    return relay_places_ask(self->relay, self->in_table.hash);
}

void relay_target_leave(relay_target *self)
{
    self->active--;
    relay_meter_add(self->meter, METER_ACTIVE, UINT64_MAX); /* one less */
    tell(self);
    if (self->waiters > 0) {
        tusk_task_defer(self->relay->loop, &self->relay->queue_task);
    }
    relay_target_unref(self);
}
