/* SPDX-License-Identifier: MIT */
/* The last step before a pair is joined: what the backend hears before the client's own bytes. */
#define _GNU_SOURCE
#include "relay/setup.h"

#include <sys/socket.h>
#include <tusk/http.h>

#include "relay/keys.h"

enum { WORDS_MAX = 128 * 1024 };

static tusk_relay *relay_of(const relay_pair *pair)
{
    return pair->session.door->relay;
}

void relay_setup_take(relay_pair *pair, size_t len)
{
    size_t cap;
    uint8_t *buffer = tusk_loop_landing(relay_of(pair)->loop, &cap);
    /* They were seen, so they are there, and the bytes are the same. */
    ssize_t got = recv(pair->end[RELAY_CLIENT].io.fd, buffer, len < cap ? len : cap, 0);
    pair->end[RELAY_CLIENT].bytes += got > 0 ? (uint64_t)got : 0;
}

void relay_setup_wait_for(relay_pair *pair, size_t len)
{
    int bytes = (int)len;
    if (!relay_has_edges(relay_of(pair))) {
        (void)setsockopt(pair->end[RELAY_CLIENT].io.fd, SOL_SOCKET, SO_RCVLOWAT, &bytes,
                         sizeof(bytes));
        pair->setup->low_water = len != 1;
    }
}

static tusk_err add_head(const relay_pair *pair, tusk_buf *out)
{
    const relay_setup *self = pair->setup;
    tusk_addr local = self->destination;
    tusk_proxy_head head = {.family = pair->peer_family, .source_port = pair->peer_port};
    tusk_proxy_extra extra = {.authority = tusk_bytes_of(self->authority, self->authority_len)};
    if (pair->answer->route.proxy_version == 0) {
        return TUSK_OK;
    }
    if (local.len == 0) {
        socklen_t len = sizeof(local.u.raw);
        (void)getsockname(pair->end[RELAY_CLIENT].io.fd, (struct sockaddr *)(void *)local.u.raw,
                          &len);
        local.len = len;
    }
    memcpy(head.source, pair->peer_ip, sizeof(head.source));
    head.local = tusk_addr_ip(&local, head.target) != head.family || head.family == 0;
    head.target_port = tusk_addr_port(&local);
    return tusk_proxy_head_write(out, &head, pair->answer->route.proxy_version, &extra);
}

/* The client's startup packet with the route's user or database. */
static tusk_err add_startup(relay_pair *pair, tusk_buf *out)
{
    const tusk_relay_route *route = &pair->answer->route;
    tusk__pg_start start;
    size_t cap;
    relay_setup_take(pair, pair->setup->first_len);
    uint8_t *buffer = tusk_loop_landing(relay_of(pair)->loop, &cap);
    if (tusk__pg_start_parse(&start, tusk_bytes_of(buffer, pair->setup->first_len)) <= 0) {
        return TUSK_EPROTO;
    }
    return tusk__pg_startup_write(out, &start, route->user, route->database);
}

static tusk_err add_words(relay_pair *pair, tusk_buf *out)
{
    const tusk_relay_route *route = &pair->answer->route;
    const relay_setup *self = pair->setup;
    tusk_err err = add_head(pair, out);
    if (err != TUSK_OK) {
        return err;
    }
    if (route->first.ptr != NULL) {
        relay_setup_take(pair, self->first_len);
        return tusk_buf_append(out, route->first.ptr, route->first.len);
    }
    bool startup = self->first_len > 0 && self->kind == FIRST_PG_STARTUP;
    bool rewritten = route->user.ptr != NULL || route->database.ptr != NULL;
    return startup && rewritten ? add_startup(pair, out) : TUSK_OK;
}

tusk_err relay_setup_words(relay_pair *pair)
{
    tusk_buf out;
    tusk_buf_init(&out, relay_of(pair)->mem, WORDS_MAX);
    if (pair->setup->low_water) {
        relay_setup_wait_for(pair, 1);
    }
    tusk_err err = add_words(pair, &out);
    if (err == TUSK_OK) {
        err = relay_pair_hold(pair, RELAY_CLIENT, tusk_buf_view(&out));
    }
    tusk_buf_fini(&out);
    if (err == TUSK_OK && pair->setup->first_len > 0 && pair->setup->kind == FIRST_PG_STARTUP) {
        err = relay_key_watch(pair);
    }
    return err;
}
