/* SPDX-License-Identifier: MIT */
/* A TCP server for calibration: bytes back, bytes away, or bytes without end. */
#include <tusk/load.h>

#include <tusk/loop.h>
#include <unistd.h>

#include "base/mem.h"
#include "load/greeting.h"
#include "net/conn.h"
#include "net/listener.h"

#define SOURCE_AHEAD ((size_t)256 * 1024) /* queued for a peer that reads */
#define SOURCE_BYTES ((size_t)64 * 1024)

typedef struct tcp_echo {
    tusk_net *net;
    tusk_tcp_serve serve;
    tusk_tcp_greeting greeting;
    tusk_blob *source;
} tcp_echo;

typedef struct peer {
    tusk_conn conn; /* first */
    tcp_echo *server;
    bool greeted;
} peer;

static void fill(peer *self)
{
    while (tusk_conn_open(&self->conn) && self->conn.send_bytes < SOURCE_AHEAD) {
        if (tusk_conn_append_blob(&self->conn, self->server->source) != TUSK_OK) {
            return;
        }
    }
}

static void greet(peer *self)
{
    tusk_bytes words = tusk__load_greeting_answer(self->server->greeting);
    self->greeted = true;
    if (words.len > 0 && tusk_conn_append(&self->conn, words.ptr, words.len) != TUSK_OK) {
        tusk_conn_abort(&self->conn, TUSK_ELIMIT);
        return;
    }
    if (self->server->serve == TUSK_TCP_SOURCE) {
        fill(self);
    }
}

/* False: the client has not said all yet, or something else. */
static bool take_words(peer *self)
{
    tusk_conn *conn = &self->conn;
    ptrdiff_t len = tusk__load_greeting_asked(self->server->greeting, tusk_conn_in(conn));
    if (len < 0) {
        tusk_conn_abort(conn, TUSK_EPROTO);
    }
    if (len <= 0) {
        return false;
    }
    tusk_conn_consume(conn, (size_t)len);
    greet(self);
    return tusk_conn_open(conn) && conn->in_len > 0;
}

static void on_data(tusk_conn *conn)
{
    peer *self = (peer *)(void *)conn;
    if (!self->greeted && !take_words(self)) {
        return;
    }
    tusk_bytes in = tusk_conn_in(conn);
    if (self->server->serve == TUSK_TCP_ECHO && tusk_conn_append(conn, in.ptr, in.len) != TUSK_OK) {
        tusk_conn_abort(conn, TUSK_ELIMIT);
        return;
    }
    tusk_conn_consume(conn, in.len);
    if (conn->send_bytes > SOURCE_AHEAD) {
        tusk_conn_pause(conn); /* it sends and does not read */
    }
}

static void on_drain(tusk_conn *conn)
{
    peer *self = (peer *)(void *)conn;
    if (self->server->serve == TUSK_TCP_SOURCE) {
        fill(self);
    }
    tusk_conn_resume(conn);
}

static void on_eof(tusk_conn *conn)
{
    tusk_conn_end(conn);
}

static void on_close(tusk_conn *conn, tusk_err why)
{
    (void)conn;
    (void)why;
}

static void on_released(tusk_conn *conn)
{
    tusk__free(tusk_mem_default(), conn, sizeof(peer));
}

static const tusk_conn_ops ops = {.on_data = on_data,
                                  .on_eof = on_eof,
                                  .on_drain = on_drain,
                                  .on_close = on_close,
                                  .on_released = on_released};

static void on_accept(void *user, int fd, const tusk_addr *from)
{
    tcp_echo *server = user;
    (void)from;
    peer *self = tusk__new(tusk_mem_default(), sizeof(*self));
    if (self == NULL || tusk_conn_init(&self->conn, server->net, fd, NULL, &ops) != TUSK_OK) {
        tusk__free(tusk_mem_default(), self, sizeof(*self));
        (void)close(fd);
        return;
    }
    self->server = server;
    self->conn.low_water = SOURCE_AHEAD / 2;
    if (server->greeting != TUSK_GREETING_POSTGRES) {
        greet(self);
    }
}

tusk_err tusk_tcp_serve_on(tusk_loop *loop, int fd, tusk_tcp_serve serve,
                           tusk_tcp_greeting greeting)
{
    tcp_echo server = {.serve = serve, .greeting = greeting};
    tusk_listener *listener = NULL;
    uint8_t *place;
    const tusk_net_limits limits = {
        .queued_bytes_total = SIZE_MAX / 2, .linger_ms = 1000, .linger_bytes = SOURCE_BYTES};
    tusk_err err = tusk_net_new(&server.net, loop, &limits);
    if (err == TUSK_OK) {
        err = tusk_blob_new(&server.source, tusk_mem_default(), SOURCE_BYTES, &place);
    }
    if (err == TUSK_OK) {
        memset(place, 'x', SOURCE_BYTES);
        err = tusk_listener_adopt(&listener, loop, fd, NULL, NULL, on_accept, &server);
    }
    if (err == TUSK_OK) {
        tusk_listener_resume(listener);
        err = tusk_loop_run(loop); /* the process is ended from outside */
    }
    tusk_listener_close(listener);
    tusk_blob_unref(server.source);
    tusk_net_free(server.net);
    return err;
}
