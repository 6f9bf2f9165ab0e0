/* SPDX-License-Identifier: MIT */
/* Tunnels: two joined connections, from the first handshake to the end of the pair. */
#define _GNU_SOURCE
#include "relay/tcp/tunnel.h"

#include "base/mem.h"
#include "net/socket.h"
#include "net/tls.h"
#include "proto/postgres.h"
#include "relay/move/joined.h"
#include "relay/tcp/login.h"
#include "relay/tcp/setup.h"

enum { NAME_MAX_LEN = 255 };

typedef struct tunnel_end {
    tusk_conn conn;
    relay_tunnel *tunnel;
    bool attached; /* the net layer has it */
    uint8_t side;
} tunnel_end;

struct relay_tunnel {
    relay_pair *pair;
    tunnel_end end[2];
    relay_joined joined;
    bool asks; /* PostgreSQL's answer to an SSLRequest is awaited */
    bool closing;
    bool leaving; /* the backend's connection ends alone */
    bool ready;   /* of the backend: hands are shaken */
    bool reset;
    uint16_t status;
    const char *why; /* it ends */
};

static const tusk_conn_ops conn_ops;

static tunnel_end *end_of(tusk_conn *conn)
{
    return TUSK_OWNER(conn, tunnel_end, conn);
}

static tusk_conn *conn_of(const relay_pair *pair, int side)
{
    return &pair->tunnel->end[side].conn;
}

tusk_bytes relay_tunnel_in(const relay_pair *pair, int side)
{
    return tusk_conn_in(conn_of(pair, side));
}

void relay_tunnel_take(relay_pair *pair, int side, size_t len)
{
    relay_pair_moved(pair, side, len);
    tusk_conn_consume(conn_of(pair, side), len);
}

const tusk_filter *relay_tunnel_filter(const relay_pair *pair)
{
    return pair->tunnel == NULL ? NULL : conn_of(pair, RELAY_CLIENT)->filter;
}

int relay_tunnel_fd(const relay_pair *pair, int side)
{
    return conn_of(pair, side)->io.fd;
}

tusk_err relay_tunnel_say(relay_pair *pair, int side, tusk_bytes bytes)
{
    return bytes.len == 0 ? TUSK_OK : tusk_conn_append(conn_of(pair, side), bytes.ptr, bytes.len);
}

/* ---- the end ---- */
static void end_conn(tunnel_end *self)
{
    tusk_conn *conn = &self->conn;
    if (!self->attached) {
        return;
    }
    if (self->tunnel->reset) {
        tusk_conn_flush(conn); /* as much as it takes at once */
        tusk__socket_will_reset(conn->io.fd);
        tusk_conn_abort(conn, TUSK_ERESET);
    } else if (conn->state == CONN_OPEN) {
        tusk_conn_resume(conn);
        tusk_conn_finish(conn);
    } else {
        tusk_conn_abort(conn, TUSK_OK);
    }
}

void relay_tunnel_pause(relay_pair *pair)
{
    tusk_conn_pause(conn_of(pair, RELAY_CLIENT));
}

void relay_tunnel_resume(relay_pair *pair)
{
    tusk_conn_resume(conn_of(pair, RELAY_CLIENT));
}

bool relay_tunnel_leave_backend(relay_pair *pair)
{
    relay_tunnel *self = pair->tunnel;
    if (!self->end[RELAY_BACKEND].attached) {
        return false;
    }
    self->leaving = true;
    self->asks = false;
    tusk_conn_abort(&self->end[RELAY_BACKEND].conn, TUSK_OK);
    return true;
}

bool relay_tunnel_owes(const relay_tunnel *self)
{
    return relay_joined_owes(&self->joined);
}

uint32_t relay_tunnel_taken_ms(const relay_tunnel *self)
{
    return relay_joined_taken_ms(&self->joined);
}

/* What is queued is lost, and its reader has a part. */
void relay_tunnel_abort(relay_tunnel *self)
{
    bool lacks = self->ready && relay_joined_queues(&self->joined);
    for (int side = 0; side < 2; side++) {
        tusk_conn *conn = &self->end[side].conn;
        if (self->end[side].attached) {
            if (lacks && conn->state != CONN_CLOSED) {
                tusk__socket_will_reset(conn->io.fd);
            }
            tusk_conn_abort(conn, lacks ? TUSK_ERESET : TUSK_OK);
        }
    }
}

void relay_tunnel_close(relay_pair *pair, uint16_t status, const char *end, bool reset)
{
    relay_tunnel *self = pair->tunnel;
    if (self->closing) {
        return;
    }
    self->closing = true;
    self->status = status;
    self->why = end;
    self->reset = reset;
    end_conn(&self->end[RELAY_CLIENT]);
    end_conn(&self->end[RELAY_BACKEND]);
}

static void on_released(tusk_conn *conn)
{
    tunnel_end *at = end_of(conn);
    relay_tunnel *self = at->tunnel;
    relay_pair *pair = self->pair;
    bool alone = at->side == RELAY_BACKEND && self->leaving && !self->closing;
    at->attached = false;
    if (alone) {
        self->leaving = false;
        relay_setup_redial(pair);
        return;
    }
    if (self->end[1 - at->side].attached) {
        return;
    }
    uint16_t status = self->status;
    const char *why = self->why;
    pair->tunnel = NULL;
    tusk__free(relay_of(pair)->mem, self, sizeof(*self));
    relay_pair_gone(pair, status, why);
}

/* A side is gone though nobody ended it. */
static void lost(const tunnel_end *at, tusk_err why)
{
    relay_tunnel *self = at->tunnel;
    int side = at->side;
    if (self->closing || (self->leaving && side == RELAY_BACKEND)) {
        return;
    }
    tusk_relay_stats *stats = &relay_of(self->pair)->stats;
    bool reset = why == TUSK_ERESET;
    stats->resets_client += reset && side == RELAY_CLIENT ? 1 : 0;
    if (reset && side == RELAY_BACKEND) {
        stats->resets_backend++;
        relay_target_count(self->pair->target, METER_RESETS);
    }
    if (side == RELAY_BACKEND && self->pair->setup != NULL) {
        relay_setup_lost(self->pair, TUSK_ERESET, reset ? "backend reset" : "the backend hung up",
                         false);
        return;
    }
    relay_pair_close(self->pair,
                     side == RELAY_CLIENT ? (reset ? "client reset" : "client failed")
                                          : (reset ? "backend reset" : "backend failed"),
                     true);
}

/* ---- joined ---- */
static relay_pair *pair_of(relay_joined *joined)
{
    return TUSK_OWNER(joined, relay_tunnel, joined)->pair;
}

static void on_moved(relay_joined *joined, int side, size_t len)
{
    relay_pair_moved(pair_of(joined), side, len);
}

static void shut(relay_pair *pair, int side)
{
    (void)relay_direction_become(&pair->end[side], DIR_DRAINED);
    (void)relay_direction_become(&pair->end[side], DIR_SHUT);
}

static void on_half(relay_joined *joined, int side)
{
    shut(pair_of(joined), side);
    relay_pair_rearm(pair_of(joined));
}

static void on_over(relay_joined *joined, const char *end, bool reset)
{
    relay_pair_close(pair_of(joined), end, reset);
}

static const relay_joined_ops joined_ops = {
    .on_moved = on_moved, .on_half = on_half, .on_over = on_over};

static void backend_answered(relay_tunnel *self, tusk_conn *conn);

static void on_data(tusk_conn *conn)
{
    relay_tunnel *self = end_of(conn)->tunnel;
    int side = end_of(conn)->side;
    if (self->closing) {
        tusk_conn_consume(conn, conn->in_len);
    } else if (self->asks && side == RELAY_BACKEND) {
        backend_answered(self, conn);
    } else if (self->pair->state == PAIR_JOINED) {
        relay_pair_look(self->pair, side, tusk_conn_in(conn));
        relay_joined_data(&self->joined, side);
    } else if (self->pair->state == PAIR_LOGIN) {
        relay_login_go(self->pair);
    } else if (side == RELAY_CLIENT) {
        relay_setup_inner(self->pair);
    }
}

static void on_eof(tusk_conn *conn)
{
    relay_tunnel *self = end_of(conn)->tunnel;
    int side = end_of(conn)->side;
    if (self->closing) {
        return;
    }
    if (self->pair->state == PAIR_LOGIN) {
        relay_login_hung_up(self->pair, side);
        return;
    }
    if (self->pair->state != PAIR_JOINED) {
        lost(end_of(conn), TUSK_EEOF);
        return;
    }
    if (relay_joined_is_deaf(&self->joined, side)) {
        lost(end_of(conn), TUSK_ERESET);
        return;
    }
    relay_joined_eof(&self->joined, side);
}

static void on_drain(tusk_conn *conn)
{
    relay_tunnel *self = end_of(conn)->tunnel;
    if (!self->closing && self->pair->state == PAIR_JOINED) {
        relay_joined_drain(&self->joined, end_of(conn)->side);
    }
}

static void on_close(tusk_conn *conn, tusk_err why)
{
    lost(end_of(conn), why);
}

/* ---- the client ---- */
static void client_ready(relay_tunnel *self, tusk_err err)
{
    if (self->closing) {
        return;
    }
    if (err != TUSK_OK) {
        relay_of(self->pair)->stats.protocol_errors++;
        relay_pair_refuse(self->pair, 400, "TLS failed");
        return;
    }
    relay_setup_secured(self->pair);
}

/* The descriptor of this end, which is watched no more. */
static int take_fd(relay_pair *pair, int side)
{
    tusk_io *io = &pair->end[side].io;
    int fd = io->fd;
    tusk_io_remove(relay_of(pair)->loop, io);
    io->fd = -1;
    return fd;
}

static tusk_err attach(relay_pair *pair, int side, tusk_filter *filter)
{
    tusk_relay *relay = relay_of(pair);
    relay_tunnel *self = pair->tunnel;
    int fd = take_fd(pair, side);
    tunnel_end *end = &self->end[side];
    end->tunnel = self;
    end->side = (uint8_t)side;
    tusk_err err = relay_conn_init(relay, &end->conn, fd, filter, &conn_ops);
    if (err != TUSK_OK) {
        pair->end[side].io.fd = fd;
        return err;
    }
    end->attached = true;
    if (side == RELAY_BACKEND && !relay_target_is_path(pair->target)) {
        relay_keep_alive(relay, fd);
    }
    return TUSK_OK;
}

/* What is spoken inside. libpq offers this from 17 on and PostgreSQL refuses anything else; of
 * other protocols nothing is known here, and nothing is said. */
static const char *spoken(const relay_pair *pair)
{
    return pair->setup->tongue == TONGUE_POSTGRES ? "postgresql" : "";
}

tusk_err relay_tunnel_client(relay_pair *pair, tusk_tls *tls)
{
    tusk_relay *relay = relay_of(pair);
    tusk_filter *filter = NULL;
    tusk_err err =
        tls == NULL ? TUSK_OK : tusk_tls_filter_new_speaking(&filter, tls, NULL, spoken(pair));
    if (err != TUSK_OK) {
        return err;
    }
    pair->tunnel = tusk__new(relay->mem, sizeof(*pair->tunnel));
    if (pair->tunnel == NULL) {
        tusk_tls_filter_free(filter);
        return TUSK_ENOMEM;
    }
    pair->tunnel->pair = pair;
    relay_joined_init(&pair->tunnel->joined, conn_of(pair, RELAY_CLIENT),
                      conn_of(pair, RELAY_BACKEND), relay->limits.pending_bytes, &joined_ops);
    err = attach(pair, RELAY_CLIENT, filter);
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
        tusk__free(relay->mem, pair->tunnel, sizeof(*pair->tunnel));
        pair->tunnel = NULL;
        return err;
    }
    if (tls == NULL) {
        tusk_conn_pause(conn_of(pair, RELAY_CLIENT));
    }
    return TUSK_OK;
}

/* ---- the backend ---- */
static void flow(relay_tunnel *self)
{
    relay_pair *pair = self->pair;
    self->ready = true;
    relay_dial_accept(&pair->setup->dial);
    relay_setup_free(pair);
    relay_pair_joined(pair);
    self->end[RELAY_CLIENT].conn.read_on = self->end[RELAY_BACKEND].conn.read_on = true;
    tusk_conn_resume(&self->end[RELAY_CLIENT].conn);
    tusk_conn_again(&self->end[RELAY_CLIENT].conn);
}

static tusk_err make_filter(const relay_pair *pair, tusk_filter **filter)
{
    const tusk_relay_route *route = &pair->answer->route;
    tusk_tls *tls = route->tls != NULL ? route->tls : relay_of(pair)->upstream_tls;
    tusk_bytes name = route->tls_name.len > 0 ? route->tls_name : relay_target_host(pair->target);
    char text[NAME_MAX_LEN + 1];
    *filter = NULL;
    if (tls == NULL || name.len > NAME_MAX_LEN) {
        return TUSK_ENOTSUP;
    }
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    return tusk_tls_filter_new_speaking(filter, tls, text, spoken(pair));
}

static void backend_failed(relay_tunnel *self, const char *end)
{
    relay_setup_lost(self->pair, TUSK_ETLS, end, false);
}

static void out_of_memory(relay_tunnel *self)
{
    relay_of(self->pair)->stats.out_of_memory++;
    relay_setup_refuse(self->pair, 500, "out of memory");
}

static void backend_ready(relay_tunnel *self, tusk_err err)
{
    if (self->closing || self->leaving) {
        return;
    }
    if (err != TUSK_OK) {
        backend_failed(self, "TLS with the backend failed");
    } else if (self->pair->state == PAIR_LOGIN) {
        relay_login_backend_secured(self->pair);
    } else {
        flow(self);
    }
}

/* PostgreSQL's answer is one byte, in the clear; a second one would be somebody's who wants it to
 * be taken for the backend's (CVE-2021-23222), and tusk_conn_secure refuses that. */
static void backend_answered(relay_tunnel *self, tusk_conn *conn)
{
    uint8_t answer = tusk_conn_in(conn).ptr[0];
    tusk_filter *filter;
    tusk_conn_consume(conn, 1);
    self->asks = false;
    if (answer == 'N' && self->pair->answer->route.upstream_tls == TUSK_TLS_ALLOW) {
        if (relay_setup_late_words(self->pair) != TUSK_OK) {
            out_of_memory(self);
            return;
        }
        flow(self);
        return;
    }
    if (answer != 'S' || make_filter(self->pair, &filter) != TUSK_OK) {
        backend_failed(self, "the backend has no TLS");
        return;
    }
    if (tusk_conn_secure(conn, filter) != TUSK_OK) {
        tusk_tls_filter_free(filter);
        backend_failed(self, "TLS with the backend failed");
        return;
    }
    if (relay_setup_late_words(self->pair) != TUSK_OK) {
        out_of_memory(self);
    }
}

static void on_ready(tusk_conn *conn, tusk_err err)
{
    const tunnel_end *at = end_of(conn);
    if (at->side == RELAY_CLIENT) {
        client_ready(at->tunnel, err);
    } else {
        backend_ready(at->tunnel, err);
    }
}

static const tusk_conn_ops conn_ops = {.on_data = on_data,
                                       .on_eof = on_eof,
                                       .on_drain = on_drain,
                                       .on_ready = on_ready,
                                       .on_close = on_close,
                                       .on_released = on_released};

tusk_err relay_tunnel_backend(relay_pair *pair, bool asks)
{
    relay_tunnel *self = pair->tunnel;
    bool secure = pair->answer->route.upstream_tls != TUSK_TLS_DISABLE;
    tusk_filter *filter = NULL;
    tusk_err err = secure && !asks ? make_filter(pair, &filter) : TUSK_OK;
    if (err == TUSK_OK) {
        err = attach(pair, RELAY_BACKEND, filter);
    }
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
        return err;
    }
    self->asks = secure && asks;
    if (self->asks) {
        return tusk_conn_append(&self->end[RELAY_BACKEND].conn, tusk__pg_ssl_request,
                                sizeof(tusk__pg_ssl_request));
    }
    err = relay_setup_late_words(pair);
    if (err == TUSK_OK && !secure) {
        flow(self);
    }
    return err;
}

/* ---- MySQL's login ---- */
tusk_err relay_tunnel_begin(relay_pair *pair)
{
    tusk_err err = pair->tunnel == NULL ? relay_tunnel_client(pair, NULL) : TUSK_OK;
    return err == TUSK_OK ? attach(pair, RELAY_BACKEND, NULL) : err;
}

tusk_err relay_tunnel_secure(relay_pair *pair)
{
    tusk_filter *filter;
    tusk_err err = make_filter(pair, &filter);
    if (err == TUSK_OK) {
        err = tusk_conn_secure(conn_of(pair, RELAY_BACKEND), filter);
    }
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
    }
    return err;
}

void relay_tunnel_flow(relay_pair *pair)
{
    relay_tunnel *self = pair->tunnel;
    flow(self);
    tusk_conn_again(&self->end[RELAY_BACKEND].conn);
}
