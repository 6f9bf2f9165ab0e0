/* SPDX-License-Identifier: MIT */
/* TCP: what a pair does from accept until it is joined: first bytes, route, dial, or a refusal. */
#define _GNU_SOURCE
#include <sys/socket.h>

#include "base/mem.h"
#include "relay/tcp/fields.h"
#include "relay/tcp/keys.h"
#include "relay/tcp/login.h"
#include "relay/tcp/setup.h"
#include "relay/tcp/tunnel.h"
#include "relay/account.h"

void relay_setup_free(relay_pair *pair)
{
    relay_setup *self = pair->setup;
    if (self == NULL) {
        return;
    }
    tusk_relay *relay = relay_of(pair);
    relay_cancel(relay, &self->waiter);
    relay_dial_cancel(&self->dial);
    tusk_buf_fini(&self->late);
    tusk__free(relay->mem, self->hello, (size_t)self->name_len + self->alpn_len);
    relay_login_free(pair);
    relay_peeks_stop(pair);
    pair->setup = NULL;
    tusk__free(relay->mem, self, sizeof(*self));
}

/* ---- refused ---- */
/* What it sent is read away: closing with unread bytes is a reset, which may take our words along.
 */
static void read_away(const relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    size_t cap;
    uint8_t *buffer = tusk_loop_landing(relay->loop, &cap);
    (void)recv(pair->end[RELAY_CLIENT].io.fd, buffer, cap, 0);
}

void relay_setup_tell(relay_pair *pair, tusk_bytes words)
{
    if (pair->tunnel != NULL) {
        (void)relay_tunnel_say(pair, RELAY_CLIENT, words);
        return;
    }
    read_away(pair);
    (void)send(pair->end[RELAY_CLIENT].io.fd, words.ptr, words.len, MSG_NOSIGNAL);
}

void relay_setup_refuse_as(relay_pair *pair, uint16_t status, tusk_bytes reason, const char *end)
{
    const relay_setup *self = pair->setup;
    uint8_t sequence = self->login == NULL ? 0 : relay_login_sequence(self->login);
    tusk_buf words;
    tusk_buf_init(&words, relay_of(pair)->mem, 4096);
    if (relay_say_refusal(&words, (relay_tongue)self->tongue, sequence, status, reason) ==
            TUSK_OK &&
        words.len > 0) {
        relay_setup_tell(pair, tusk_buf_view(&words));
    }
    tusk_buf_fini(&words);
    relay_pair_refuse(pair, status, end);
}

void relay_setup_refuse(relay_pair *pair, uint16_t status, const char *end)
{
    relay_setup_refuse_as(pair, status, tusk_bytes_str(end), end);
}

/* ---- dialled ---- */
tusk_err relay_setup_move_client(relay_pair *pair, tusk_tls *tls)
{
    relay_peek_end(pair, RELAY_CLIENT);
    return relay_tunnel_client(pair, tls);
}

static void begin_tunnel(relay_pair *pair)
{
    const relay_setup *self = pair->setup;
    tusk_relay *relay = relay_of(pair);
    bool asks = self->kind == FIRST_PG_STARTUP || self->kind == FIRST_PG_CANCEL;
    bool first = !self->drafted;
    tusk_err err = relay_setup_early_words(pair);
    relay->stats.sockmap_kept_tls += relay->shortcuts != NULL && first ? 1 : 0;
    relay_setup_await_backend(pair);
    if (err == TUSK_OK && pair->tunnel == NULL) {
        err = relay_setup_move_client(pair, NULL);
    }
    if (err == TUSK_OK) {
        err = relay_tunnel_backend(pair, asks);
    }
    if (err == TUSK_ERESET) {
        relay_setup_lost(pair, err, "backend reset", false);
    } else if (err != TUSK_OK && pair->state != PAIR_OVER) {
        relay_setup_refuse(pair, 500,
                           err == TUSK_ENOTSUP ? "no TLS for the backend" : "TLS with the backend");
    }
}

/* ---- and of no use ---- */
void relay_setup_redial(relay_pair *pair)
{
    relay_setup *self = pair->setup;
    pair->target = NULL; /* the dial's again */
    relay_dial_reject(&self->dial, self->fault, self->fault_end, self->blameless);
}

void relay_setup_lost(relay_pair *pair, tusk_err why, const char *end, bool blameless)
{
    tusk_relay *relay = relay_of(pair);
    relay_setup *self = pair->setup;
    relay_end *backend = &pair->end[RELAY_BACKEND];
    if (why == TUSK_ETIMEOUT) {
        relay->stats.backend_first_timeouts++;
        relay_target_count(pair->target, METER_ANSWER_TIMEOUTS);
    }
    if (!relay_dial_offers(&self->dial)) {
        relay_setup_refuse(pair, relay_status_of(why), end);
        return;
    }
    pair->state = PAIR_DIAL;
    tusk_timer_stop(relay->loop, &pair->timer);
    relay_peek_renew(pair, RELAY_BACKEND);
    self->fault = why;
    self->fault_end = end;
    self->blameless = blameless;
    backend->bytes = 0;
    if (pair->tunnel != NULL && relay_tunnel_leave_backend(pair)) {
        return; /* relay_setup_redial follows */
    }
    tusk_io_close(relay->loop, &backend->io);
    relay_setup_redial(pair);
}

void relay_setup_await_backend(relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    const tusk_relay_limits *limits = &relay->limits;
    uint32_t ms = limits->backend_first_ms != 0 ? limits->backend_first_ms : limits->first_ms;
    if (ms != 0) {
        tusk_timer_start(relay->loop, &pair->timer, ms);
    } else {
        tusk_timer_stop(relay->loop, &pair->timer);
    }
}

/* Nobody serves. */
static void tell_failure(relay_pair *pair)
{
    const relay_dial *dial = &pair->setup->dial;
    pair->choice = dial->last;
    if (pair->setup->login == NULL || !relay_login_tell_failure(pair)) {
        relay_setup_refuse(pair, relay_dial_status(dial), relay_dial_reason(dial));
    }
}

static void on_dialed(relay_dial *dial, tusk_err err, int fd, relay_target *target)
{
    relay_setup *self = TUSK_OWNER(dial, relay_setup, dial);
    relay_pair *pair = self->pair;
    (void)fd; /* it stands in the pair's end */
    if (err != TUSK_OK) {
        tell_failure(pair);
        return;
    }
    relay_end *backend = &pair->end[RELAY_BACKEND];
    pair->target = target;
    pair->connect_us = relay_us_since(relay_of(pair), self->dialled_ns);
    pair->first_us = relay_us_since(relay_of(pair), pair->session.began_ns);
    backend->readable = (dial->events & (TUSK_IO_READ | TUSK_IO_EDGE)) != 0;
    backend->ended = (dial->events & TUSK_IO_EDGE) != 0;
    backend->hung_up = false; /* an earlier one may have */
    if (self->login != NULL) {
        relay_login_dialed(pair);
        return;
    }
    if (pair->tunnel != NULL || pair->answer->route.upstream_tls != TUSK_TLS_DISABLE) {
        begin_tunnel(pair);
        return;
    }
    relay_dial_accept(dial);
    err = relay_setup_words(pair);
    if (err != TUSK_OK) {
        relay_setup_refuse_as(pair, 500, tusk_bytes_str("the first bytes cannot be written anew"),
                              "first bytes");
        return;
    }
    relay_setup_free(pair);
    relay_pair_join(pair);
}

/* ---- routed ---- */
/* What is peeked at stays readable, and pollers without edges would tell of it all the while: until
 * it is joined only the client's reset is news. */
static void rest(relay_pair *pair)
{
    relay_end *end = &pair->end[RELAY_CLIENT];
    if (pair->tunnel == NULL && !relay_has_edges(relay_of(pair)) && !end->hung_up) {
        (void)tusk_io_set(relay_of(pair)->loop, &end->io, 0);
    }
}

/* The backend hears something as soon as it is there, whoever is to speak first. */
static bool words_follow(const relay_pair *pair)
{
    const relay_setup *self = pair->setup;
    return pair->tunnel == NULL && self->login == NULL &&
           (self->speaks || self->first_len > 0 || pair->answer->route.proxy_version != 0);
}

void relay_setup_dial(relay_pair *pair, relay_answer *answer)
{
    relay_setup *self = pair->setup;
    tusk_timer_stop(relay_of(pair)->loop, &pair->timer);
    rest(pair);
    pair->answer = relay_answer_ref(answer);
    relay_account_open(answer);
    pair->state = PAIR_DIAL;
    self->dial.io = &pair->end[RELAY_BACKEND].io;
    self->dial.on_dialed = on_dialed;
    self->dial.words_follow = words_follow(pair);
    self->dialled_ns = tusk_loop_now_ns(relay_of(pair)->loop);
    relay_dial_start(&self->dial, relay_of(pair), answer);
}

static void on_route(relay_waiter *waiter, relay_answer *answer, bool cached)
{
    relay_setup *self = TUSK_OWNER(waiter, relay_setup, waiter);
    relay_pair *pair = self->pair;
    pair->resolve_us = relay_us_since(relay_of(pair), self->asked_ns);
    pair->cached = cached;
    if (relay_answer_refuses(answer)) {
        relay_of(pair)->stats.refused_resolver++;
        pair->answer = relay_answer_ref(answer); /* for the record */
        relay_setup_refuse_as(pair, answer->refusal.status, answer->refusal.reason, "refused");
        return;
    }
    relay_setup_dial(pair, answer);
}

void relay_setup_route(relay_pair *pair, tusk_relay_lookup *lookup)
{
    tusk_relay *relay = relay_of(pair);
    relay_setup *self = pair->setup;
    relay_field_text text;
    pair->state = PAIR_ROUTE;
    rest(pair);
    tusk_timer_stop(relay->loop, &pair->timer);
    self->asked_ns = tusk_loop_now_ns(relay->loop);
    self->waiter.on_route = on_route;
    if (pair->tunnel != NULL) {
        relay_tunnel_pause(pair);
    }
    relay_fields_fill(pair, lookup, relay_fields_known(&relay->routes), &text);
    relay_answer *answer = relay_known(relay, lookup);
    if (answer != NULL) {
        (void)relay_answer_ref(answer);
        on_route(&self->waiter, answer, true);
        relay_answer_unref(answer);
        return;
    }
    relay_fields_fill(pair, lookup, UINT32_MAX, &text);
    self->waiter.filter = relay_tunnel_filter(pair);
    relay_ask_route(relay, &self->waiter, lookup);
}

void relay_setup_route_unheard(relay_pair *pair)
{
    tusk_relay_lookup lookup = {.secure = false};
    relay_setup_route(pair, &lookup);
}

/* ---- events and deadlines before it is joined ---- */
static void on_event(relay_pair *pair, int side, unsigned events)
{
    if (side == RELAY_BACKEND && pair->state != PAIR_LOGIN) {
        relay_dial_event(&pair->setup->dial, events);
        return;
    }
    /* A Unix peer that has sent all and is gone is no reset: its bytes are still there. */
    if (side == RELAY_CLIENT && (events & TUSK_IO_HUP) != 0 && pair->peer_family != 0) {
        relay_of(pair)->stats.resets_client++;
        relay_pair_close(pair, "client reset", true);
        return;
    }
    if (pair->state == PAIR_LOGIN) {
        relay_login_go(pair);
        return;
    }
    if (pair->state == PAIR_FIRST && pair->setup->unheard) {
        pair->setup->unheard = false;
        pair->setup->speaks = (events & TUSK_IO_READ) != 0;
        relay_setup_route_unheard(pair);
        return;
    }
    if (pair->state == PAIR_FIRST && pair->end[RELAY_CLIENT].readable) {
        relay_setup_look(pair);
    }
}

/* For a first byte, and routed without one after wait_ms. */
static bool waits(const relay_pair *pair)
{
    const relay_setup *self = pair->setup;
    return pair->session.door->options.first == TUSK_FIRST_WAIT && !self->head_expected &&
           !relay_setup_demands_tls(pair) && self->login == NULL;
}

static bool is_silent(const relay_pair *pair)
{
    char byte;
    if (pair->setup->spoke) {
        return false;
    }
    return pair->tunnel != NULL ? pair->setup->secure
                                : recv(pair->end[RELAY_CLIENT].io.fd, &byte, 1, MSG_PEEK) <= 0;
}

static void on_due(relay_pair *pair)
{
    const tusk_relay_limits *limits = &relay_of(pair)->limits;
    relay_setup *self = pair->setup;
    if (pair->state == PAIR_LOGIN) {
        relay_login_due(pair);
        return;
    }
    if (pair->state == PAIR_DIAL) {
        relay_setup_lost(pair, TUSK_ETIMEOUT, "the backend did not answer in time", false);
        return;
    }
    if (waits(pair) && !self->waited) {
        self->waited = true;
        if (is_silent(pair)) {
            relay_setup_route_unheard(pair);
            return;
        }
        uint32_t waited_ms = relay_door_wait_ms(pair->session.door);
        if (limits->first_ms > waited_ms) {
            tusk_timer_start(relay_of(pair)->loop, &pair->timer, limits->first_ms - waited_ms);
            return;
        }
    }
    relay_of(pair)->stats.first_timeouts++;
    relay_setup_refuse_as(pair, 408, tusk_bytes_str("nothing was said in time"),
                          "first bytes timed out");
}

void relay_setup_await_first(relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    uint32_t time_ms =
        waits(pair) ? relay_door_wait_ms(pair->session.door) : relay->limits.first_ms;
    pair->state = PAIR_FIRST;
    if (time_ms != 0) {
        tusk_timer_start(relay->loop, &pair->timer, time_ms);
    }
    if (!relay_has_edges(relay)) {
        (void)tusk_io_set(relay->loop, &pair->end[RELAY_CLIENT].io, TUSK_IO_READ);
    }
}

static bool on_client(tusk_relay *relay, relay_door *door, int fd, const tusk_addr *peer)
{
    relay_pair *pair = relay_pair_new(door, fd, peer);
    if (pair == NULL) {
        return false;
    }
    pair->setup = tusk__new(relay->mem, sizeof(relay_setup));
    if (pair->setup == NULL) {
        relay->stats.out_of_memory++;
        relay_pair_refuse(pair, 500, "out of memory");
        return true;
    }
    pair->setup->pair = pair;
    pair->setup->tongue = door->options.protocol == TUSK_PROTOCOL_POSTGRES ? TONGUE_POSTGRES
                          : door->options.protocol == TUSK_PROTOCOL_MYSQL  ? TONGUE_MYSQL
                                                                           : TONGUE_NONE;
    pair->setup->head_expected =
        door->options.proxy_protocol && relay_ranges_trust(&relay->trusted, peer);
    bool greets = relay_login_wanted(door) && !pair->setup->head_expected;
    if (greets && !relay_login_begin(pair)) {
        return true;
    }
    if (!greets && door->options.first == TUSK_FIRST_SERVER && !pair->setup->head_expected &&
        !relay_setup_offers_tls(pair)) {
        /* With edges a new socket is told of in the next turn, as it takes bytes; and then it is
         * known whether it has some already, which a call would have to ask for now. */
        pair->setup->unheard = relay_has_edges(relay);
        if (!pair->setup->unheard) {
            relay_setup_route_unheard(pair);
        }
    } else {
        relay_setup_await_first(pair);
    }
    return true;
}

static const relay_pair_ops pair_ops = {.on_event = on_event,
                                        .on_due = on_due,
                                        .on_watched = relay_key_look,
                                        .drop_setup = relay_setup_free,
                                        .drop_key = relay_key_forget,
                                        .close_tunnel = relay_tunnel_close,
                                        .tunnel_owes = relay_tunnel_owes,
                                        .tunnel_taken_ms = relay_tunnel_taken_ms,
                                        .abort_tunnel = relay_tunnel_abort};

const relay_kind_ops relay_tcp_ops = {
    .on_client = on_client, .close = relay_keys_fini, .pairs = &pair_ops};
