/* SPDX-License-Identifier: MIT */
/* Questions under way: asked once, answered, refused, or too late. */
#include "relay/route/lookup.h"

#include "base/hash.h"
#include "base/mem.h"
#include "net/tls.h"
#include "proto/authority.h"
#include "relay/route/cache.h"
#include "relay/inner.h"

struct relay_question {
    tusk_link link; /* in its set */
    tusk_link waiters;
    tusk_relay *relay;
    relay_words *words; /* of the first who asked */
    uint64_t hash;      /* over what makes questions the same */
    uint64_t epoch;
    tusk_timer timer;
    uint32_t slot;
};

struct relay_words {
    const tusk_mem *mem;
    size_t size;
    uint32_t refs;
    tusk_relay_lookup lookup;
};

static relay_words *words_dup(const tusk_mem *mem, const tusk_relay_lookup *lookup)
{
    size_t size = sizeof(relay_words);
    for (int i = 0; i < TUSK_LOOKUP_FIELDS; i++) {
        size += lookup->field[i].len;
    }
    relay_words *self = tusk__resize(mem, NULL, 0, size);
    if (self == NULL) {
        return NULL;
    }
    uint8_t *place = (uint8_t *)(self + 1);
    *self = (relay_words){.mem = mem, .size = size, .refs = 1};
    self->lookup.secure = lookup->secure;
    for (int i = 0; i < TUSK_LOOKUP_FIELDS; i++) {
        tusk_bytes field = lookup->field[i];
        if (field.ptr != NULL) {
            self->lookup.field[i] = tusk_bytes_of(place, field.len);
            memcpy(place, field.ptr, field.len);
            place += field.len;
        }
    }
    return self;
}

static void words_unref(relay_words *self)
{
    if (self != NULL && --self->refs == 0) {
        tusk__free(self->mem, self, self->size);
    }
}

/* ---- who is told ---- */
static void tell(relay_waiter *waiter, relay_answer *answer, bool cached)
{
    words_unref(waiter->words);
    waiter->words = NULL;
    waiter->on_route(waiter, answer, cached);
}

static void tell_refusal(tusk_relay *relay, relay_waiter *waiter, uint16_t status,
                         const char *reason)
{
    const tusk_relay_refusal refusal = {.status = status, .reason = tusk_bytes_str(reason)};
    relay_answer *answer;
    if (relay_answer_refusal(&answer, relay, &refusal) != TUSK_OK) {
        answer = relay_answer_ref(&relay->no_memory);
    }
    tell(waiter, answer, false);
    relay_answer_unref(answer);
}

void relay_cancel(tusk_relay *relay, relay_waiter *waiter)
{
    (void)relay;
    tusk__link_remove(&waiter->link);
    words_unref(waiter->words);
    waiter->words = NULL;
}

/* ---- questions ---- */
static uint32_t same_question_fields(const relay_routes *self)
{
    const uint32_t all = (1u << TUSK_LOOKUP_FIELDS) - 1;
    return self->any_learned ? self->learned
                             : all & ~(1u << TUSK_LOOKUP_PEER) & ~(1u << TUSK_LOOKUP_PEER_PORT);
}

static relay_question *find_question(relay_routes *self, const tusk_relay_lookup *lookup,
                                     uint64_t hash)
{
    uint32_t fields = same_question_fields(self);
    tusk_link *set = &self->questions[hash % RELAY_QUESTION_SETS];
    for (tusk_link *link = set->next; link != set; link = link->next) {
        relay_question *question = TUSK_OWNER(link, relay_question, link);
        if (question->hash == hash && question->epoch == self->epoch &&
            relay_same_fields(fields, &question->words->lookup, lookup)) {
            return question;
        }
    }
    return NULL;
}

/* It is asked no more; its waiters are the caller's. */
static void close_question(relay_question *self)
{
    tusk_relay *relay = self->relay;
    relay_routes *routes = &relay->routes;
    relay_slots_give(&routes->slots, self->slot);
    routes->asked--;
    tusk__link_remove(&self->link);
    tusk_timer_stop(relay->loop, &self->timer);
}

static void free_question(relay_question *self)
{
    words_unref(self->words);
    tusk__free(self->relay->mem, self, sizeof(*self));
}

static void wait_for(tusk_relay *relay, relay_waiter *waiter);

/* Those who differ in what the answer depends on are asked after all. */
static void settle(relay_question *self, uint32_t fields, relay_answer *answer)
{
    tusk_relay *relay = self->relay;
    tusk_link *link;
    close_question(self);
    while ((link = tusk__list_pop(&self->waiters)) != NULL) {
        relay_waiter *waiter = TUSK_OWNER(link, relay_waiter, link);
        if (relay_same_fields(fields, &self->words->lookup, &waiter->words->lookup)) {
            tell(waiter, answer, false);
        } else {
            wait_for(relay, waiter);
        }
    }
    free_question(self);
}

static void on_due(tusk_timer *timer)
{
    relay_question *self = TUSK_OWNER(timer, relay_question, timer);
    tusk_relay *relay = self->relay;
    const tusk_relay_refusal refusal = {
        .status = 504, .reason = tusk_bytes_str("the resolver did not answer in time")};
    relay_answer *answer;
    relay->stats.lookup_timeouts++;
    if (relay_answer_refusal(&answer, relay, &refusal) != TUSK_OK) {
        answer = relay_answer_ref(&relay->no_memory);
    }
    settle(self, same_question_fields(&relay->routes), answer);
    relay_answer_unref(answer);
}

static relay_question *ask(tusk_relay *relay, relay_waiter *waiter, uint64_t hash)
{
    relay_question *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL || !relay_slots_take(&relay->routes.slots, relay->mem, self, &self->slot)) {
        tusk__free(relay->mem, self, sizeof(*self));
        return NULL;
    }
    self->relay = relay;
    self->words = waiter->words;
    self->words->refs++;
    self->hash = hash;
    self->epoch = relay->routes.epoch;
    self->timer.on_due = on_due;
    self->timer.deadline = true;
    tusk__list_init(&self->waiters);
    tusk__list_push(&relay->routes.questions[hash % RELAY_QUESTION_SETS], &self->link);
    relay->routes.asked++;
    relay->stats.lookups++;
    if (relay->limits.resolve_ms != 0) {
        tusk_timer_start(relay->loop, &self->timer, relay->limits.resolve_ms);
    }
    return self;
}

/* The waiter has words of its own. */
static void wait_for(tusk_relay *relay, relay_waiter *waiter)
{
    relay_routes *routes = &relay->routes;
    const tusk_relay_lookup *lookup = &waiter->words->lookup;
    uint64_t hash = relay_hash_fields(routes->seed, same_question_fields(routes), lookup);
    relay_question *question = find_question(routes, lookup, hash);
    if (question != NULL) {
        relay->stats.lookups_joined++;
        tusk__list_push(&question->waiters, &waiter->link);
        return;
    }
    if (routes->asked >= relay->limits.lookups) {
        relay->stats.refused_lookups++;
        relay_say(relay, NOTICE_LOOKUPS, "%u routes are being looked up (lookups): refused",
                  (unsigned)relay->limits.lookups);
        tell_refusal(relay, waiter, 503, "too many routes are being looked up");
        return;
    }
    question = ask(relay, waiter, hash);
    if (question == NULL) {
        tell_refusal(relay, waiter, 500, "out of memory");
        return;
    }
    tusk__list_push(&question->waiters, &waiter->link);
    relay_words *words = question->words; /* borrowed by the callback, whatever it does */
    tusk_relay_ask asked = {.slot = question->slot,
                            .generation = routes->slots.slots[question->slot].generation};
    words->refs++;
    relay->handler->on_lookup(relay->user, asked, &words->lookup);
    words_unref(words);
}

void relay_ask_route(tusk_relay *relay, relay_waiter *waiter, const tusk_relay_lookup *lookup)
{
    relay_answer *answer = relay_known(relay, lookup);
    if (answer != NULL) {
        (void)relay_answer_ref(answer);
        tell(waiter, answer, true);
        relay_answer_unref(answer);
        return;
    }
    relay->stats.cache_misses++;
    waiter->words = words_dup(relay->mem, lookup);
    if (waiter->words == NULL) {
        tell_refusal(relay, waiter, 500, "out of memory");
        return;
    }
    wait_for(relay, waiter);
}

/* ---- answers ---- */
/* A resolver may have computed all the while: what follows (its record, the dial's times) counts
 * from its answer on. */
static relay_question *find_ask(tusk_relay *relay, tusk_relay_ask ask)
{
    const relay_slots *slots = &relay->routes.slots;
    relay_question *question = relay_slots_at(slots, ask.slot);
    tusk_loop_catch_up(relay->loop);
    return question != NULL && slots->slots[ask.slot].generation == ask.generation ? question
                                                                                   : NULL;
}

static void give(relay_question *question, uint32_t fields, relay_answer *answer, uint32_t ttl_ms)
{
    tusk_relay *relay = question->relay;
    fields &= (1u << TUSK_LOOKUP_FIELDS) - 1;
    if (question->epoch == relay->routes.epoch) {
        relay_remember(relay, fields, &question->words->lookup, answer, ttl_ms);
    }
    settle(question, fields, answer);
    relay_answer_unref(answer);
}

/* Inside of on_lookup nobody waits yet but who is asked about. */
tusk_err tusk_relay_certificate(tusk_relay *self, tusk_relay_ask ask, tusk_certificate **out)
{
    relay_question *question = find_ask(self, ask);
    *out = NULL;
    if (question == NULL || tusk__list_empty(&question->waiters)) {
        return TUSK_ENOENT;
    }
    const relay_waiter *waiter = TUSK_OWNER(question->waiters.next, relay_waiter, link);
    return waiter->filter == NULL ? TUSK_ENOENT : tusk_filter_certificate(waiter->filter, out);
}

tusk_err tusk_relay_answer(tusk_relay *self, tusk_relay_ask ask, uint32_t fields,
                           const tusk_relay_route *route)
{
    relay_answer *answer;
    relay_question *question = find_ask(self, ask);
    if (question == NULL) {
        return TUSK_ENOENT;
    }
    tusk_err err = relay_answer_route(&answer, self, route);
    if (err == TUSK_OK) {
        give(question, fields, answer, route->ttl_ms);
    }
    return err;
}

tusk_err tusk_relay_refuse(tusk_relay *self, tusk_relay_ask ask, uint32_t fields,
                           const tusk_relay_refusal *refusal)
{
    relay_answer *answer;
    relay_question *question = find_ask(self, ask);
    if (question == NULL) {
        return TUSK_ENOENT;
    }
    tusk_err err = relay_answer_refusal(&answer, self, refusal);
    if (err == TUSK_OK) {
        give(question, fields, answer, refusal->ttl_ms);
    }
    return err;
}

/* ---- all of it ---- */
tusk_err relay_routes_init(tusk_relay *relay, uint64_t seed)
{
    relay_routes *self = &relay->routes;
    self->seed = seed;
    relay_slots_init(&self->slots);
    for (int i = 0; i < RELAY_QUESTION_SETS; i++) {
        tusk__list_init(&self->questions[i]);
    }
    return relay_cache_init(relay);
}

static void drop_questions(tusk_relay *relay)
{
    relay_routes *self = &relay->routes;
    for (uint32_t i = 0; i < self->slots.count; i++) {
        relay_question *question = relay_slots_at(&self->slots, i);
        if (question != NULL) {
            close_question(question);
            free_question(question);
        }
    }
}

void relay_routes_fini(tusk_relay *relay)
{
    drop_questions(relay);
    relay_cache_fini(relay);
    relay_slots_fini(&relay->routes.slots, relay->mem);
}

tusk_bytes relay_host_of(uint8_t *room, tusk_bytes authority)
{
    tusk__authority parts;
    if (authority.len == 0 || !tusk__authority_parse(&parts, authority)) {
        return tusk_bytes_of(NULL, 0);
    }
    for (size_t i = 0; i < parts.host.len; i++) {
        uint8_t c = parts.host.ptr[i];
        room[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
    }
    return tusk_bytes_of(room, parts.host.len);
}

tusk_bytes relay_server_name(const tusk_conn *conn, uint8_t room[RELAY_SERVER_NAME_MAX])
{
    const char *name = conn->filter == NULL ? NULL : tusk_filter_server_name(conn->filter);
    size_t len = name == NULL ? 0 : strlen(name);
    if (len == 0 || len > RELAY_SERVER_NAME_MAX) {
        return tusk_bytes_of(NULL, 0);
    }
    return relay_host_of(room, tusk_bytes_of(name, len));
}

tusk_bytes relay_fingerprint(const tusk_filter *filter, uint8_t room[RELAY_FINGERPRINT_LEN])
{
    static const uint8_t digits[] = "0123456789abcdef";
    uint8_t sum[RELAY_FINGERPRINT_LEN / 2];
    tusk_err err = filter == NULL ? TUSK_ENOENT : tusk_filter_fingerprint(filter, sum);
    if (err == TUSK_ENOENT) {
        return tusk_bytes_of(NULL, 0);
    }
    for (size_t i = 0; i < sizeof(sum) && err == TUSK_OK; i++) {
        room[2 * i] = digits[sum[i] >> 4];
        room[2 * i + 1] = digits[sum[i] & 15];
    }
    return tusk_bytes_of(room, err == TUSK_OK ? RELAY_FINGERPRINT_LEN : 0);
}
