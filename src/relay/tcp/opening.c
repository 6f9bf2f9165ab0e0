/* SPDX-License-Identifier: MIT */
/*
 * What a TCP client says first: peeked at, told apart, and what follows from it.
 *
 * What is not ours to answer (a PROXY head, an SSLRequest) stays in the socket, and the pump finds
 * it there; so a client that is passed on as it is costs no buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/socket.h"
#include "relay/tcp/keys.h"
#include "relay/tcp/login.h"
#include "relay/tcp/setup.h"
#include "relay/tcp/tunnel.h"

/* Who owes a PROXY head is the balancer, not its client: the record tells the two apart. */
static void refuse_protocol(relay_pair *pair)
{
    relay_of(pair)->stats.protocol_errors++;
    relay_setup_refuse_as(pair, 400, tusk_bytes_str("this is not the protocol that is spoken here"),
                          pair->setup->head_expected ? "no PROXY head" : "protocol error");
}

static void route(relay_pair *pair, const relay_first *first, tusk_bytes in)
{
    tusk_relay_lookup lookup = {.secure = false};
    relay_first_fill(first, in, &lookup);
    pair->setup->first_len = (uint32_t)first->len;
    pair->setup->kind = (uint8_t)first->kind;
    relay_setup_route(pair, &lookup);
}

static void cancel(relay_pair *pair, const relay_first *first)
{
    tusk_relay *relay = relay_of(pair);
    relay_answer *answer = relay_key_find(relay, first->pg.process, first->pg.key);
    if (answer == NULL) {
        relay_setup_take(pair, first->len); /* what stayed unread would make the end a reset */
        relay_pair_refuse(pair, 404, "no session to cancel"); /* as a server does: without a word */
        return;
    }
    relay->stats.cancels++;
    pair->setup->kind = FIRST_PG_CANCEL;
    if (pair->tunnel != NULL) {
        relay_tunnel_pause(pair); /* who asks may be gone before the backend is there */
    }
    relay_setup_dial(pair, answer); /* the request itself stays in the socket and follows */
    relay_answer_unref(answer);
}

/* A client asks for TLS once, and once for GSSAPI. Who was told to begin with TLS has to: what came
 * in the clear behind its request may be somebody else's. */
static relay_looked answer_byte(relay_pair *pair, const relay_first *first, const char *byte)
{
    int fd = pair->end[RELAY_CLIENT].io.fd;
    uint8_t bit = (uint8_t)(1u << first->kind);
    if ((pair->setup->asks & bit) != 0) {
        refuse_protocol(pair);
        return LOOK_DONE;
    }
    pair->setup->asks |= bit;
    pair->setup->spoke = true;
    pair->setup->agreed = byte[0] == 'S';
    relay_setup_take(pair, first->len);
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

bool relay_setup_offers_tls(const relay_pair *pair)
{
    return pair->session.door->options.tls != NULL && pair->tunnel == NULL;
}

/* A certificate without another word is one that must be used. */
bool relay_setup_demands_tls(const relay_pair *pair)
{
    return relay_setup_offers_tls(pair) &&
           pair->session.door->options.downstream_tls != TUSK_TLS_ALLOW;
}

/* The hello stays in the socket for OpenSSL; what it told is kept for the lookup. */
static tusk_err keep_hello(relay_pair *pair, const relay_first *first)
{
    relay_setup *self = pair->setup;
    tusk_bytes name = tusk__tls_hello_name(&first->hello);
    size_t len = name.len + first->alpn_len;
    if (len == 0) {
        return TUSK_OK;
    }
    self->hello = tusk__resize(relay_of(pair)->mem, NULL, 0, len);
    if (self->hello == NULL) {
        return TUSK_ENOMEM;
    }
    self->name_len = (uint16_t)name.len;
    self->alpn_len = (uint16_t)first->alpn_len;
    if (name.len > 0) {
        memcpy(self->hello, name.ptr, name.len);
    }
    memcpy(self->hello + name.len, first->alpn, first->alpn_len);
    return TUSK_OK;
}

static void end_tls_here(relay_pair *pair, const relay_first *first)
{
    relay_setup *self = pair->setup;
    if (tusk__tls_hello_has_alpn(&first->hello, tusk_bytes_str("postgresql"))) {
        self->tongue = TONGUE_POSTGRES;
        self->spoke = true;
    }
    tusk_err err = keep_hello(pair, first);
    if (err == TUSK_OK) {
        err = relay_setup_move_client(pair, pair->session.door->options.tls);
    }
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
    case FIRST_PG_TLS: return answer_byte(pair, first, relay_setup_offers_tls(pair) ? "S" : "N");
    case FIRST_PG_GSS: return answer_byte(pair, first, "N");
    case FIRST_PG_CANCEL: cancel(pair, first); return LOOK_DONE;
    case FIRST_TLS:
        if (relay_setup_offers_tls(pair)) {
            end_tls_here(pair, first);
            return LOOK_DONE;
        }
        break;
    case FIRST_RAW:
    case FIRST_PG_STARTUP:
        if (relay_setup_demands_tls(pair)) {
            relay_setup_refuse_as(pair, 403, tusk_bytes_str("TLS is demanded here"), "no TLS");
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
    if (pair->tunnel == NULL && pair->setup->agreed) {
        return TUSK_PROTOCOL_TLS;
    }
    if (pair->tunnel == NULL) {
        return asked == TUSK_PROTOCOL_RAW && relay_setup_offers_tls(pair) ? TUSK_PROTOCOL_AUTO
                                                                          : asked;
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
    pair->head_len = (uint16_t)got; /* TUSK_PROXY_HEAD_MAX */
    if (!believe(pair, &head, in)) {
        relay_setup_refuse_as(pair, 429, tusk_bytes_str("too many connections"),
                              "limit of its source");
        return LOOK_DONE;
    }
    if (relay_login_wanted(pair->session.door)) {
        return relay_login_begin(pair) ? LOOK_AGAIN : LOOK_DONE;
    }
    if (pair->session.door->options.first == TUSK_FIRST_SERVER && !relay_setup_offers_tls(pair)) {
        relay_setup_route_unheard(pair);
        return LOOK_DONE;
    }
    relay_setup_await_first(pair);
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
        relay_setup_route_unheard(pair);
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
