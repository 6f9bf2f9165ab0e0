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
#include "relay/keys.h"
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
    pair->setup = NULL;
    relay_cancel(relay, &self->waiter);
    relay_dial_cancel(&self->dial);
    tusk_buf_fini(&self->late);
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

static void refuse(relay_pair *pair, uint16_t status, tusk_bytes reason, const char *end)
{
    tusk_buf words;
    tusk_buf_init(&words, relay_of(pair)->mem, 4096);
    relay_tongue tongue = (relay_tongue)pair->setup->tongue;
    if (tongue != TONGUE_NONE && relay_say_refusal(&words, tongue, status, reason) == TUSK_OK &&
        words.len > 0) {
        tusk_bytes view = tusk_buf_view(&words);
        if (pair->tunnel != NULL) {
            (void)relay_tunnel_say(pair, RELAY_CLIENT, view);
        } else {
            read_away(pair);
            (void)send(pair->end[RELAY_CLIENT].io.fd, view.ptr, view.len, MSG_NOSIGNAL);
        }
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
    if (pair->setup->low_water) {
        relay_setup_wait_for(pair, 1);
    }
    return relay_tunnel_client(pair, tls);
}

static void begin_tunnel(relay_pair *pair)
{
    const relay_setup *self = pair->setup;
    bool asks = self->kind == FIRST_PG_STARTUP || self->kind == FIRST_PG_CANCEL;
    tusk_err err = relay_setup_early_words(pair);
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
static void dial(relay_pair *pair, relay_answer *answer)
{
    relay_setup *self = pair->setup;
    tusk_timer_stop(relay_of(pair)->loop, &pair->timer);
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

typedef struct words {
    char peer[TUSK_ADDR_TEXT_MAX];
    char port[8];
    char destination[TUSK_ADDR_TEXT_MAX];
} words;

static void fill_destination(const relay_pair *pair, tusk_relay_lookup *lookup, words *text)
{
    tusk_addr local = pair->setup->destination;
    if (local.len == 0) {
        socklen_t len = sizeof(local.u.raw);
        int fd = pair->tunnel != NULL ? relay_tunnel_fd(pair, RELAY_CLIENT)
                                      : pair->end[RELAY_CLIENT].io.fd;
        if (getsockname(fd, (struct sockaddr *)(void *)local.u.raw, &len) != 0) {
            return;
        }
        local.len = len;
    }
    lookup->field[TUSK_LOOKUP_DESTINATION] =
        tusk_bytes_str(tusk_addr_text(&local, text->destination));
}

static void fill_secure(const relay_setup *self, tusk_relay_lookup *lookup)
{
    lookup->secure = true;
    if (self->name_len > 0) {
        lookup->field[TUSK_LOOKUP_SERVER_NAME] = tusk_bytes_of(self->name, self->name_len);
    }
    if (self->alpn_len > 0) {
        lookup->field[TUSK_LOOKUP_ALPN] = tusk_bytes_of(self->alpn, self->alpn_len);
    }
}

/* Only what somebody will read is made into text. */
static void fill_lookup(const relay_pair *pair, tusk_relay_lookup *lookup, uint32_t fields,
                        words *text)
{
    tusk_addr peer = relay_pair_peer(pair);
    lookup->field[TUSK_LOOKUP_LISTENER] = tusk_bytes_str(pair->session.door->text);
    if (pair->setup->authority_len > 0) {
        lookup->field[TUSK_LOOKUP_AUTHORITY] =
            tusk_bytes_of(pair->setup->authority, pair->setup->authority_len);
    }
    if (pair->setup->secure) {
        fill_secure(pair->setup, lookup);
    }
    if ((fields & 1u << TUSK_LOOKUP_PEER) != 0) {
        lookup->field[TUSK_LOOKUP_PEER] = tusk_bytes_str(tusk_addr_host_text(&peer, text->peer));
    }
    if ((fields & 1u << TUSK_LOOKUP_PEER_PORT) != 0 && pair->peer_family != 0) {
        (void)snprintf(text->port, sizeof(text->port), "%u", (unsigned)pair->peer_port);
        lookup->field[TUSK_LOOKUP_PEER_PORT] = tusk_bytes_str(text->port);
    }
    if ((fields & 1u << TUSK_LOOKUP_DESTINATION) != 0) {
        fill_destination(pair, lookup, text);
    }
}

/* `first` NULL: routed without a byte. */
static void route(relay_pair *pair, const relay_first *first, tusk_bytes in)
{
    tusk_relay *relay = relay_of(pair);
    relay_setup *self = pair->setup;
    tusk_relay_lookup lookup = {.secure = false};
    words text;
    pair->state = PAIR_ROUTE;
    tusk_timer_stop(relay->loop, &pair->timer);
    self->asked_ns = tusk_loop_now_ns(relay->loop);
    self->waiter.on_route = on_route;
    if (pair->tunnel != NULL) {
        relay_tunnel_pause(pair);
    }
    if (first != NULL) {
        relay_first_fill(first, in, &lookup);
        self->first_len = (uint32_t)first->len;
        self->kind = (uint8_t)first->kind;
    }
    fill_lookup(pair, &lookup, relay_fields_known(&relay->routes), &text);
    relay_answer *answer = relay_known(relay, &lookup);
    if (answer != NULL) {
        (void)relay_answer_ref(answer);
        on_route(&self->waiter, answer, true);
        relay_answer_unref(answer);
        return;
    }
    fill_lookup(pair, &lookup, UINT32_MAX, &text);
    relay_ask_route(relay, &self->waiter, &lookup);
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

typedef enum looked {
    LOOK_AGAIN, /* at what is left */
    LOOK_WAIT,  /* for more */
    LOOK_DONE   /* the pair has gone on, or is gone */
} looked;

static looked answer_byte(relay_pair *pair, size_t len, const char *byte)
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

static looked take_first(relay_pair *pair, const relay_first *first, tusk_bytes in)
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
    if (pair->tunnel == NULL) {
        return asked == TUSK_PROTOCOL_RAW && offers_tls(pair) ? TUSK_PROTOCOL_AUTO : asked;
    }
    return pair->setup->tongue == TONGUE_POSTGRES ? TUSK_PROTOCOL_POSTGRES : TUSK_PROTOCOL_RAW;
}

static looked look_at_first(relay_pair *pair, tusk_bytes in)
{
    relay_first first;
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

static looked look_at_head(relay_pair *pair, tusk_bytes in)
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
    if (pair->session.door->options.first == TUSK_FIRST_SERVER && !offers_tls(pair)) {
        route(pair, NULL, tusk_bytes_of(NULL, 0));
        return LOOK_DONE;
    }
    return LOOK_AGAIN;
}

static void wait_for_more(relay_pair *pair, size_t got, bool full)
{
    if (full) {
        refuse_protocol(pair);
    } else if (pair->end[RELAY_CLIENT].ended || got == 0) {
        relay_pair_refuse(pair, 400, "client left");
    } else {
        relay_setup_wait_for(pair, got + 1);
    }
}

static void look(relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    relay_end *end = &pair->end[RELAY_CLIENT];
    size_t cap;
    uint8_t *buffer = tusk_loop_landing(relay->loop, &cap);
    looked what = LOOK_AGAIN;
    cap = cap < relay->limits.first_bytes ? cap : relay->limits.first_bytes;
    while (what == LOOK_AGAIN) {
        ssize_t got = recv(end->io.fd, buffer, cap, MSG_PEEK);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
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
    if (self->tongue != TONGUE_POSTGRES && (named || door->options.first == TUSK_FIRST_SERVER)) {
        route(pair, NULL, tusk_bytes_of(NULL, 0));
    } else if (door->options.first == TUSK_FIRST_WAIT && self->tongue != TONGUE_POSTGRES) {
        self->waited = false;
        tusk_timer_start(relay_of(pair)->loop, &pair->timer, relay_of(pair)->limits.wait_ms);
    }
}

void relay_setup_inner(relay_pair *pair)
{
    looked what = LOOK_AGAIN;
    while (what == LOOK_AGAIN && pair->state == PAIR_FIRST) {
        tusk_bytes in = relay_tunnel_in(pair);
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
    if (side == RELAY_BACKEND) {
        relay_dial_event(&pair->setup->dial, events);
        return;
    }
    /* A Unix peer that has sent all and is gone is no reset: its bytes are still there. */
    if ((events & TUSK_IO_HUP) != 0 && pair->peer_family != 0) {
        relay_of(pair)->stats.resets_client++;
        relay_pair_close(pair, "client reset", true);
        return;
    }
    if (pair->state == PAIR_FIRST && pair->end[RELAY_CLIENT].readable) {
        look(pair);
    }
}

void relay_setup_due(relay_pair *pair)
{
    const tusk_relay_limits *limits = &relay_of(pair)->limits;
    relay_setup *self = pair->setup;
    if (pair->session.door->options.first == TUSK_FIRST_WAIT && !self->waited &&
        !self->head_expected && !demands_tls(pair)) {
        char byte;
        self->waited = true;
        if (pair->tunnel != NULL ? pair->setup->secure
                                 : recv(pair->end[RELAY_CLIENT].io.fd, &byte, 1, MSG_PEEK) <= 0) {
            route(pair, NULL, tusk_bytes_of(NULL, 0));
            return;
        }
        if (limits->first_ms > limits->wait_ms) {
            tusk_timer_start(relay_of(pair)->loop, &pair->timer,
                             limits->first_ms - limits->wait_ms);
            return;
        }
    }
    relay_of(pair)->stats.first_timeouts++;
    refuse(pair, 408, tusk_bytes_str("nothing was said in time"), "first bytes timed out");
}

static void await_first(relay_pair *pair)
{
    const tusk_relay *relay = relay_of(pair);
    const relay_door *door = pair->session.door;
    bool waits =
        door->options.first == TUSK_FIRST_WAIT && !pair->setup->head_expected && !demands_tls(pair);
    uint32_t time_ms = waits ? relay->limits.wait_ms : relay->limits.first_ms;
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
    if (door->options.first == TUSK_FIRST_SERVER && !pair->setup->head_expected &&
        !offers_tls(pair)) {
        route(pair, NULL, tusk_bytes_of(NULL, 0));
    } else {
        await_first(pair);
    }
}

const relay_kind_ops relay_tcp_ops = {.on_client = on_client};
