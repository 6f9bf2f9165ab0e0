/* SPDX-License-Identifier: MIT */
/*
 * TCP: what a pair does from accept until it is joined: PROXY head, first bytes, route, dial.
 *
 * First bytes are only peeked at. What is not ours to answer (a PROXY head, an SSLRequest) stays
 * in the socket, and the pump finds it there; so a client that is passed on as it is costs no
 * buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <tusk/http.h>

#include "base/mem.h"
#include "net/socket.h"
#include "relay/fields.h"
#include "relay/keys.h"
#include "relay/login.h"
#include "relay/setup.h"
#include "relay/tunnel.h"

static tusk_relay *relay_of(const relay_pair *pair)
{
    return pair->session.door->relay;
}

static uint32_t us_since(const tusk_relay *relay, uint64_t ns)
{
    return (uint32_t)((tusk_loop_now_ns(relay->loop) - ns) / 1000u);
}

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

static void refuse(relay_pair *pair, uint16_t status, tusk_bytes reason, const char *end)
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

static void refuse_protocol(relay_pair *pair)
{
    relay_of(pair)->stats.protocol_errors++;
    refuse(pair, 400, tusk_bytes_str("this is not the protocol that is spoken here"),
           "protocol error");
}

void relay_setup_refuse(relay_pair *pair, uint16_t status, const char *end)
{
    refuse(pair, status, tusk_bytes_str(end), end);
}

/* ---- dialled ---- */
static tusk_err move_client(relay_pair *pair, tusk_tls *tls)
{
    relay_peek_end(pair, RELAY_CLIENT);
    return relay_tunnel_client(pair, tls);
}

static void begin_tunnel(relay_pair *pair)
{
    const relay_setup *self = pair->setup;
    bool asks = self->kind == FIRST_PG_STARTUP || self->kind == FIRST_PG_CANCEL;
    tusk_err err = relay_setup_early_words(pair);
    relay_of(pair)->stats.sockmap_kept_tls += relay_of(pair)->shortcuts != NULL ? 1 : 0;
    if (err == TUSK_OK && pair->tunnel == NULL) {
        err = move_client(pair, NULL);
    }
    if (err == TUSK_OK) {
        err = relay_tunnel_backend(pair, asks);
    }
    if (err != TUSK_OK && pair->state != PAIR_OVER) {
        const char *end = err == TUSK_ENOTSUP ? "no TLS for the backend" : "TLS with the backend";
        refuse(pair, err == TUSK_ERESET ? 502 : 500, tusk_bytes_str(end), end);
    }
}

static void on_dialed(relay_dial *dial, tusk_err err, int fd, relay_target *target)
{
    relay_setup *self = TUSK_OWNER(dial, relay_setup, dial);
    relay_pair *pair = self->pair;
    (void)fd; /* it stands in the pair's end */
    if (err != TUSK_OK) {
        const char *reason = relay_reason_of(err);
        refuse(pair, relay_status_of(err), tusk_bytes_str(reason), reason);
        return;
    }
    relay_end *backend = &pair->end[RELAY_BACKEND];
    pair->target = target;
    pair->connect_us = us_since(relay_of(pair), self->dialled_ns);
    backend->readable = (dial->events & (TUSK_IO_READ | TUSK_IO_EDGE)) != 0;
    backend->ended = (dial->events & TUSK_IO_EDGE) != 0;
    if (self->login != NULL) {
        relay_login_dialed(pair);
        return;
    }
    if (pair->tunnel != NULL || pair->answer->route.upstream_tls != TUSK_TLS_DISABLE) {
        begin_tunnel(pair);
        return;
    }
    err = relay_setup_words(pair);
    if (err != TUSK_OK) {
        refuse(pair, 500, tusk_bytes_str("the first bytes cannot be written anew"), "first bytes");
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

static void dial(relay_pair *pair, relay_answer *answer)
{
    relay_setup *self = pair->setup;
    tusk_timer_stop(relay_of(pair)->loop, &pair->timer);
    rest(pair);
    pair->answer = relay_answer_ref(answer);
    pair->state = PAIR_DIAL;
    self->dial.io = &pair->end[RELAY_BACKEND].io;
    self->dial.on_dialed = on_dialed;
    self->dialled_ns = tusk_loop_now_ns(relay_of(pair)->loop);
    relay_dial_start(&self->dial, relay_of(pair), answer);
}

static void on_route(relay_waiter *waiter, relay_answer *answer, bool cached)
{
    relay_setup *self = TUSK_OWNER(waiter, relay_setup, waiter);
    relay_pair *pair = self->pair;
    pair->resolve_us = us_since(relay_of(pair), self->asked_ns);
    pair->cached = cached;
    if (relay_answer_refuses(answer)) {
        relay_of(pair)->stats.refused_resolver++;
        refuse(pair, answer->refusal.status, answer->refusal.reason, "refused");
        return;
    }
    dial(pair, answer);
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
    relay_ask_route(relay, &self->waiter, lookup);
}

/* `first` NULL: routed without a byte. */
static void route(relay_pair *pair, const relay_first *first, tusk_bytes in)
{
    tusk_relay_lookup lookup = {.secure = false};
    if (first != NULL) {
        relay_first_fill(first, in, &lookup);
        pair->setup->first_len = (uint32_t)first->len;
        pair->setup->kind = (uint8_t)first->kind;
    }
    relay_setup_route(pair, &lookup);
}

/* ---- first bytes ---- */
static void cancel(relay_pair *pair, const relay_first *first)
{
    tusk_relay *relay = relay_of(pair);
    relay_answer *answer = relay_key_find(relay, first->pg.process, first->pg.key);
    if (answer == NULL) {
        relay_pair_refuse(pair, 404, "no session to cancel"); /* as a server does: without a word */
        return;
    }
    relay->stats.cancels++;
    pair->setup->kind = FIRST_PG_CANCEL;
    dial(pair, answer); /* the request itself stays in the socket and follows */
    relay_answer_unref(answer);
}

static relay_looked answer_byte(relay_pair *pair, size_t len, const char *byte)
{
    int fd = pair->end[RELAY_CLIENT].io.fd;
    relay_setup_take(pair, len);
    if (pair->tunnel != NULL) {
        return relay_tunnel_say(pair, RELAY_CLIENT, tusk_bytes_of(byte, 1)) == TUSK_OK ? LOOK_AGAIN
                                                                                       : LOOK_DONE;
    }
    if (send(fd, byte, 1, MSG_NOSIGNAL) != 1) {
        relay_pair_close(pair, "client reset", true);
        return LOOK_DONE;
    }
    return LOOK_AGAIN;
}

static bool offers_tls(const relay_pair *pair)
{
    return pair->session.door->options.tls != NULL && pair->tunnel == NULL;
}

/* A certificate without another word is one that must be used. */
static bool demands_tls(const relay_pair *pair)
{
    return offers_tls(pair) && pair->session.door->options.downstream_tls != TUSK_TLS_ALLOW;
}

/* The hello stays in the socket for OpenSSL; what it told is kept for the lookup. */
static void end_tls_here(relay_pair *pair, const relay_first *first)
{
    relay_setup *self = pair->setup;
    tusk_bytes name = tusk__tls_hello_name(&first->hello);
    self->name_len = (uint16_t)name.len;
    memcpy(self->name, name.ptr, name.len);
    self->alpn_len = (uint16_t)first->alpn_len;
    memcpy(self->alpn, first->alpn, first->alpn_len);
    if (tusk__tls_hello_has_alpn(&first->hello, tusk_bytes_str("postgresql"))) {
        self->tongue = TONGUE_POSTGRES;
    }
    tusk_err err = move_client(pair, pair->session.door->options.tls);
    if (err != TUSK_OK) {
        relay_of(pair)->stats.out_of_memory++;
        relay_pair_refuse(pair, 500, "no TLS for the client");
    }
}

static relay_looked take_first(relay_pair *pair, const relay_first *first, tusk_bytes in)
{
    if (first->kind >= FIRST_PG_TLS) {
        pair->setup->tongue = TONGUE_POSTGRES;
    }
    switch (first->kind) {
    case FIRST_PG_TLS: return answer_byte(pair, first->len, offers_tls(pair) ? "S" : "N");
    case FIRST_PG_GSS: return answer_byte(pair, first->len, "N");
    case FIRST_PG_CANCEL: cancel(pair, first); return LOOK_DONE;
    case FIRST_TLS:
        if (offers_tls(pair)) {
            end_tls_here(pair, first);
            return LOOK_DONE;
        }
        break;
    case FIRST_RAW:
    case FIRST_PG_STARTUP:
        if (demands_tls(pair)) {
            refuse(pair, 403, tusk_bytes_str("TLS is demanded here"), "no TLS");
            return LOOK_DONE;
        }
        break;
    }
    route(pair, first, in);
    return LOOK_DONE;
}

/* What is read inside of TLS is not TLS again. */
static tusk_relay_protocol protocol_of(const relay_pair *pair)
{
    tusk_relay_protocol asked = pair->session.door->options.protocol;
    if (pair->setup->login != NULL) {
        return TUSK_PROTOCOL_TLS; /* the client has asked for it */
    }
    if (pair->tunnel == NULL) {
        return asked == TUSK_PROTOCOL_RAW && offers_tls(pair) ? TUSK_PROTOCOL_AUTO : asked;
    }
    return pair->setup->tongue == TONGUE_POSTGRES ? TUSK_PROTOCOL_POSTGRES : TUSK_PROTOCOL_RAW;
}

static relay_looked look_at_first(relay_pair *pair, tusk_bytes in)
{
    relay_first first;
    if (pair->setup->login != NULL && !relay_login_awaits_hello(pair->setup->login)) {
        return relay_login_look(pair, in);
    }
    ptrdiff_t got = relay_first_read(&first, protocol_of(pair), in);
    if (got == 0) {
        return LOOK_WAIT;
    }
    if (got < 0) {
        refuse_protocol(pair);
        return LOOK_DONE;
    }
    return take_first(pair, &first, in);
}

static bool believe(relay_pair *pair, const tusk_proxy_head *head, tusk_bytes in)
{
    relay_setup *self = pair->setup;
    tusk_bytes authority;
    tusk_addr source;
    self->head_expected = false;
    if (head->local) {
        return true;
    }
    pair->peer_family = head->family;
    pair->peer_port = head->source_port;
    memcpy(pair->peer_ip, head->source, sizeof(pair->peer_ip));
    (void)tusk_addr_from_ip(&self->destination, head->family, head->target, head->target_port);
    if (tusk_proxy_head_find(in, TUSK_PROXY_AUTHORITY, &authority) &&
        authority.len <= sizeof(self->authority)) {
        memcpy(self->authority, authority.ptr, authority.len);
        self->authority_len = (uint16_t)authority.len;
    }
    source = relay_pair_peer(pair);
    return relay_door_admits(&pair->session, &source);
}

static relay_looked look_at_head(relay_pair *pair, tusk_bytes in)
{
    tusk_proxy_head head;
    ptrdiff_t got = tusk_proxy_head_parse(&head, in);
    if (got == 0) {
        return LOOK_WAIT;
    }
    if (got < 0) {
        refuse_protocol(pair);
        return LOOK_DONE;
    }
    relay_setup_take(pair, (size_t)got);
    if (!believe(pair, &head, in)) {
        refuse(pair, 429, tusk_bytes_str("too many connections"), "limit of its source");
        return LOOK_DONE;
    }
    if (relay_login_wanted(pair->session.door)) {
        return relay_login_begin(pair) ? LOOK_AGAIN : LOOK_DONE;
    }
    if (pair->session.door->options.first == TUSK_FIRST_SERVER && !offers_tls(pair)) {
        route(pair, NULL, tusk_bytes_of(NULL, 0));
        return LOOK_DONE;
    }
    return LOOK_AGAIN;
}

/* Pollers without edges tell of an end as of bytes to read, and go on telling. */
static bool has_ended(const relay_pair *pair)
{
    const relay_end *end = &pair->end[RELAY_CLIENT];
    return end->ended || (!relay_has_edges(relay_of(pair)) && tusk__socket_ended(end->io.fd));
}

static void wait_for_more(relay_pair *pair, size_t got, bool full)
{
    if (full) {
        refuse_protocol(pair);
    } else if (got == 0 || has_ended(pair)) {
        relay_pair_refuse(pair, 400, "client left");
    } else {
        relay_peek_wait_for(pair, RELAY_CLIENT, got + 1, true);
    }
}

void relay_setup_look(relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    relay_end *end = &pair->end[RELAY_CLIENT];
    size_t cap;
    uint8_t *buffer = tusk_loop_landing(relay->loop, &cap);
    relay_looked what = LOOK_AGAIN;
    cap = cap < relay->limits.first_bytes ? cap : relay->limits.first_bytes;
    while (what == LOOK_AGAIN) {
        ssize_t got = recv(end->io.fd, buffer, cap, MSG_PEEK);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            relay_peek_wait_for(pair, RELAY_CLIENT, 1, true);
            break;
        }
        if (got < 0) {
            relay_of(pair)->stats.resets_client++;
            relay_pair_close(pair, "client reset", true);
            return;
        }
        tusk_bytes in = tusk_bytes_of(buffer, (size_t)got);
        what = pair->setup->head_expected ? look_at_head(pair, in) : look_at_first(pair, in);
        if (what == LOOK_WAIT) {
            wait_for_more(pair, (size_t)got, (size_t)got == cap);
        }
    }
}

/* ---- inside of TLS ---- */
void relay_setup_secured(relay_pair *pair)
{
    const relay_door *door = pair->session.door;
    relay_setup *self = pair->setup;
    bool named =
        door->options.protocol == TUSK_PROTOCOL_TLS || door->options.protocol == TUSK_PROTOCOL_AUTO;
    self->secure = true;
    if (self->login != NULL) {
        relay_login_client_secured(pair);
        return;
    }
    if (self->tongue != TONGUE_POSTGRES && (named || door->options.first == TUSK_FIRST_SERVER)) {
        route(pair, NULL, tusk_bytes_of(NULL, 0));
    } else if (door->options.first == TUSK_FIRST_WAIT && self->tongue != TONGUE_POSTGRES) {
        self->waited = false;
        tusk_timer_start(relay_of(pair)->loop, &pair->timer, relay_door_wait_ms(door));
    }
}

void relay_setup_inner(relay_pair *pair)
{
    relay_looked what = LOOK_AGAIN;
    while (what == LOOK_AGAIN && pair->state == PAIR_FIRST) {
        tusk_bytes in = relay_tunnel_in(pair, RELAY_CLIENT);
        if (in.len == 0) {
            return;
        }
        if (in.len >= relay_of(pair)->limits.first_bytes) {
            in.len = relay_of(pair)->limits.first_bytes;
        }
        what = look_at_first(pair, in);
        if (what == LOOK_WAIT && in.len == relay_of(pair)->limits.first_bytes) {
            refuse_protocol(pair);
        }
    }
}

/* ---- events and deadlines before it is joined ---- */
void relay_setup_event(relay_pair *pair, int side, unsigned events)
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
    if (pair->state == PAIR_FIRST && pair->end[RELAY_CLIENT].readable) {
        relay_setup_look(pair);
    }
}

/* For a first byte, and routed without one after wait_ms. */
static bool waits(const relay_pair *pair)
{
    const relay_setup *self = pair->setup;
    return pair->session.door->options.first == TUSK_FIRST_WAIT && !self->head_expected &&
           !demands_tls(pair) && self->login == NULL;
}

void relay_setup_due(relay_pair *pair)
{
    const tusk_relay_limits *limits = &relay_of(pair)->limits;
    relay_setup *self = pair->setup;
    if (pair->state == PAIR_LOGIN) {
        relay_login_due(pair);
        return;
    }
    if (waits(pair) && !self->waited) {
        char byte;
        self->waited = true;
        if (pair->tunnel != NULL ? pair->setup->secure
                                 : recv(pair->end[RELAY_CLIENT].io.fd, &byte, 1, MSG_PEEK) <= 0) {
            route(pair, NULL, tusk_bytes_of(NULL, 0));
            return;
        }
        uint32_t waited_ms = relay_door_wait_ms(pair->session.door);
        if (limits->first_ms > waited_ms) {
            tusk_timer_start(relay_of(pair)->loop, &pair->timer, limits->first_ms - waited_ms);
            return;
        }
    }
    relay_of(pair)->stats.first_timeouts++;
    refuse(pair, 408, tusk_bytes_str("nothing was said in time"), "first bytes timed out");
}

static void await_first(relay_pair *pair)
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

static void on_client(tusk_relay *relay, relay_door *door, int fd, const tusk_addr *peer)
{
    relay_pair *pair = relay_pair_new(door, fd, peer);
    if (pair == NULL) {
        relay->stats.out_of_memory++;
        return;
    }
    pair->setup = tusk__new(relay->mem, sizeof(relay_setup));
    if (pair->setup == NULL) {
        relay->stats.out_of_memory++;
        relay_pair_refuse(pair, 500, "out of memory");
        return;
    }
    pair->setup->pair = pair;
    pair->setup->tongue = door->options.protocol == TUSK_PROTOCOL_POSTGRES ? TONGUE_POSTGRES
                          : door->options.protocol == TUSK_PROTOCOL_MYSQL  ? TONGUE_MYSQL
                                                                           : TONGUE_NONE;
    pair->setup->head_expected =
        door->options.proxy_protocol && relay_ranges_have(&relay->trusted, peer);
    bool greets = relay_login_wanted(door) && !pair->setup->head_expected;
    if (greets && !relay_login_begin(pair)) {
        return;
    }
    if (!greets && door->options.first == TUSK_FIRST_SERVER && !pair->setup->head_expected &&
        !offers_tls(pair)) {
        route(pair, NULL, tusk_bytes_of(NULL, 0));
    } else {
        await_first(pair);
    }
}

const relay_kind_ops relay_tcp_ops = {.on_client = on_client};
