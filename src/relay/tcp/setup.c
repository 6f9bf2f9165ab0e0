/* SPDX-License-Identifier: MIT */
/* The last step before a pair is joined: what the backend hears before the client's own bytes. */
#define _GNU_SOURCE
#include "relay/tcp/setup.h"

#include <sys/socket.h>
#include <tusk/http.h>

#include "net/socket.h"
#include "relay/tcp/keys.h"
#include "relay/tcp/tunnel.h"

enum { WORDS_MAX = 128 * 1024 };

/* Who listens at one address accepts at that one: only an open one has to be asked for. */
static bool is_open(const tusk_addr *listener)
{
    static const uint8_t zero[16];
    uint8_t ip[16];
    return tusk_addr_ip(listener, ip) == 0 || memcmp(ip, zero, sizeof(ip)) == 0;
}

tusk_addr relay_setup_destination(const relay_pair *pair)
{
    const tusk_addr *listener = &pair->session.door->gate.addr;
    if (pair->setup->destination.len > 0) {
        return pair->setup->destination;
    }
    if (!is_open(listener)) {
        return *listener;
    }
    return tusk__socket_addr(pair->tunnel != NULL ? relay_tunnel_fd(pair, RELAY_CLIENT)
                                                  : pair->end[RELAY_CLIENT].io.fd);
}

void relay_setup_take(relay_pair *pair, size_t len)
{
    size_t cap;
    if (pair->tunnel != NULL) {
        relay_tunnel_take(pair, RELAY_CLIENT, len);
        return;
    }
    uint8_t *buffer = tusk_loop_landing(relay_of(pair)->loop, &cap);
    /* They were seen, so they are there, and the bytes are the same. */
    ssize_t got = recv(pair->end[RELAY_CLIENT].io.fd, buffer, len < cap ? len : cap, 0);
    pair->end[RELAY_CLIENT].bytes += got > 0 ? (uint64_t)got : 0;
}

static tusk_err add_head(const relay_pair *pair, tusk_buf *out)
{
    const relay_setup *self = pair->setup;
    tusk_proxy_head head = {.family = pair->peer_family, .source_port = pair->peer_port};
    tusk_proxy_extra extra = {.authority = tusk_bytes_of(self->authority, self->authority_len)};
    if (pair->answer->route.proxy_version == 0) {
        return TUSK_OK;
    }
    tusk_addr local = relay_setup_destination(pair);
    memcpy(head.source, pair->peer_ip, sizeof(head.source));
    head.local = tusk_addr_ip(&local, head.target) != head.family || head.family == 0;
    head.target_port = tusk_addr_port(&local);
    return tusk_proxy_head_write(out, &head, pair->answer->route.proxy_version, &extra);
}

/* The client's startup packet with the route's user or database. */
static tusk_err add_startup(relay_pair *pair, tusk_buf *out)
{
    const tusk_relay_route *route = &pair->answer->route;
    size_t len = pair->setup->first_len;
    tusk__pg_start start;
    size_t cap;
    tusk_bytes in;
    if (pair->tunnel != NULL) {
        in = relay_tunnel_in(pair, RELAY_CLIENT);
    } else {
        relay_setup_take(pair, len);
        in = tusk_bytes_of(tusk_loop_landing(relay_of(pair)->loop, &cap), len);
    }
    if (tusk__pg_start_parse(&start, in) <= 0) {
        return TUSK_EPROTO;
    }
    tusk_err err = tusk__pg_startup_write(out, &start, route->user, route->database);
    if (pair->tunnel != NULL) {
        relay_setup_take(pair, len);
    }
    return err;
}

static tusk_err add_first(relay_pair *pair, tusk_buf *out)
{
    const tusk_relay_route *route = &pair->answer->route;
    const relay_setup *self = pair->setup;
    if (route->first.ptr != NULL) {
        relay_setup_take(pair, self->first_len);
        return tusk_buf_append(out, route->first.ptr, route->first.len);
    }
    bool startup = self->first_len > 0 && self->kind == FIRST_PG_STARTUP;
    bool rewritten = route->user.ptr != NULL || route->database.ptr != NULL;
    return startup && rewritten ? add_startup(pair, out) : TUSK_OK;
}

static tusk_err watch_key(relay_pair *pair)
{
    return pair->setup->first_len > 0 && pair->setup->kind == FIRST_PG_STARTUP
               ? relay_key_watch(pair)
               : TUSK_OK;
}

tusk_err relay_setup_head(relay_pair *pair)
{
    tusk_buf out;
    tusk_buf_init(&out, relay_of(pair)->mem, WORDS_MAX);
    tusk_err err = add_head(pair, &out);
    tusk_bytes head = tusk_buf_view(&out);
    /* A new connection takes a few hundred bytes at once, or it is broken. */
    if (err == TUSK_OK && head.len > 0 &&
        send(pair->end[RELAY_BACKEND].io.fd, head.ptr, head.len, MSG_NOSIGNAL) !=
            (ssize_t)head.len) {
        err = TUSK_ERESET;
    }
    tusk_buf_fini(&out);
    return err;
}

tusk_err relay_setup_early_words(relay_pair *pair)
{
    relay_setup *self = pair->setup;
    tusk_err err = relay_setup_head(pair);
    if (err != TUSK_OK || self->drafted) {
        return err;
    }
    self->drafted = true;
    tusk_buf_init(&self->late, relay_of(pair)->mem, WORDS_MAX);
    return add_first(pair, &self->late);
}

tusk_err relay_setup_late_words(relay_pair *pair)
{
    tusk_err err = relay_tunnel_say(pair, RELAY_BACKEND, tusk_buf_view(&pair->setup->late));
    return err == TUSK_OK ? watch_key(pair) : err;
}

tusk_err relay_setup_words(relay_pair *pair)
{
    tusk_buf out;
    tusk_buf_init(&out, relay_of(pair)->mem, WORDS_MAX);
    relay_peek_end(pair, RELAY_CLIENT);
    tusk_err err = add_head(pair, &out);
    err = err == TUSK_OK ? add_first(pair, &out) : err;
    if (err == TUSK_OK) {
        err = relay_pair_hold(pair, RELAY_CLIENT, tusk_buf_view(&out));
    }
    tusk_buf_fini(&out);
    return err == TUSK_OK ? watch_key(pair) : err;
}
