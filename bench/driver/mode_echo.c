/* SPDX-License-Identifier: MIT */
/* ws-echo and tcp-echo: closed loops. The answers of a connection are one known, cyclic stream of
 * bytes, so checking every payload (and every frame head) is one memcmp per read. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CYCLE_BYTES = 4 * 1024 * 1024, CYCLE_MIN = 64 };

typedef struct echo_conn {
    int fd;
    struct ssl_st *tls;
    uint32_t send_slot; /* next message to send, in the cycle */
    uint32_t recv_slot; /* message being received */
    size_t recv_part;   /* its bytes already here */
    uint64_t *sent_ns;  /* per message in flight */
    uint32_t send_seq;
    uint32_t recv_seq;
} echo_conn;

typedef struct echo {
    const driver_options *options;
    driver_result *result;
    uint8_t *request; /* cycle + depth messages, so that a batch never wraps */
    uint8_t *answer;
    size_t request_len; /* of one message */
    size_t answer_len;
    uint32_t cycle;
    echo_conn *conns;
    uint64_t messages;
} echo;

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void build_streams(echo *self, bool framed)
{
    const driver_options *o = self->options;
    uint32_t seed = 0x9e3779b9U;
    self->cycle = (uint32_t)(CYCLE_BYTES / (o->size + WS_HEAD_MAX)) / o->depth * o->depth;
    self->cycle = self->cycle > CYCLE_MIN ? CYCLE_MIN : self->cycle;
    self->cycle = self->cycle < o->depth ? o->depth : self->cycle;
    size_t n = self->cycle + o->depth;
    uint8_t *payload = must_alloc(o->size, 1);
    self->request = must_alloc(n, o->size + WS_HEAD_MAX);
    self->answer = must_alloc(n, o->size + WS_HEAD_MAX);
    for (size_t i = 0; i < n; i++) {
        uint32_t pattern = (uint32_t)(i % self->cycle) * 2654435761U + 1;
        for (size_t k = 0; k < o->size; k++) {
            payload[k] =
                (uint8_t)('!' + next_random(&pattern) % 90); /* printable: also valid text */
        }
        uint8_t opcode = o->binary ? 2 : 1;
        uint8_t *request = self->request + i * self->request_len;
        uint8_t *answer = self->answer + i * self->answer_len;
        if (framed) {
            self->request_len =
                ws_put_masked(request, opcode, payload, o->size, next_random(&seed));
            size_t head = ws_put_head(answer, opcode, o->size, NULL);
            memcpy(answer + head, payload, o->size);
            self->answer_len = head + o->size;
        } else {
            memcpy(request, payload, o->size);
            memcpy(answer, payload, o->size);
            self->request_len = self->answer_len = o->size;
        }
    }
}

static void send_batch(echo *self, echo_conn *conn, uint32_t n, uint64_t now)
{
    const uint8_t *at = self->request + conn->send_slot * self->request_len;
    for (uint32_t i = 0; i < n; i++) {
        conn->sent_ns[conn->send_seq++ % self->options->depth] = now;
    }
    conn->send_slot = (conn->send_slot + n) % self->cycle;
    size_t len = n * self->request_len;
    if (conn->tls != NULL ? !tls_send_all(conn->tls, at, len) : !net_send_all(conn->fd, at, len)) {
        result_error(self->result, "send: %s", strerror(errno));
    }
}

/* Compares what came with what must come; returns whole messages, or -1. */
static int64_t check(echo *self, echo_conn *conn, const uint8_t *at, size_t len)
{
    int64_t whole = 0;
    while (len > 0) {
        size_t from = conn->recv_slot * self->answer_len + conn->recv_part;
        size_t room = self->cycle * self->answer_len - from;
        size_t n = len < room ? len : room;
        if (memcmp(self->answer + from, at, n) != 0) {
            return -1;
        }
        size_t reached = conn->recv_part + n;
        whole += (int64_t)(reached / self->answer_len);
        conn->recv_slot = (uint32_t)((conn->recv_slot + reached / self->answer_len) % self->cycle);
        conn->recv_part = reached % self->answer_len;
        at += n;
        len -= n;
    }
    return whole;
}

static bool on_readable(echo *self, echo_conn *conn, uint8_t *buf)
{
    ssize_t n = conn->tls != NULL ? tls_recv(conn->tls, buf, READ_BUF_LEN)
                                  : recv(conn->fd, buf, READ_BUF_LEN, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (n <= 0) {
        result_error(self->result, "connection lost: %s", n == 0 ? "closed" : strerror(errno));
        return false;
    }
    int64_t whole = check(self, conn, buf, (size_t)n);
    if (whole < 0 || conn->send_seq - conn->recv_seq < (uint32_t)whole) {
        result_error(self->result, "an answer differs from what was sent");
        return false;
    }
    if (whole == 0) {
        return true;
    }
    uint64_t now = now_ns();
    for (int64_t i = 0; i < whole; i++) {
        tusk_hist_record(self->result->latency,
                         now - conn->sent_ns[conn->recv_seq++ % self->options->depth]);
    }
    self->messages += (uint64_t)whole;
    send_batch(self, conn, (uint32_t)whole, now);
    return true;
}

static bool on_event(echo *self, echo_conn *conn, uint8_t *buf)
{
    bool fine = on_readable(self, conn, buf);
    while (fine && conn->tls != NULL && tls_more(conn->tls)) {
        fine = on_readable(self, conn, buf);
    }
    return fine;
}

static void run_echo(const driver_options *options, driver_result *result, bool framed)
{
    echo self = {.options = options, .result = result};
    uint8_t *buf = must_alloc(READ_BUF_LEN, 1);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    build_streams(&self, framed);
    self.conns = must_alloc(options->conns, sizeof(echo_conn));
    for (uint32_t i = 0; i < options->conns; i++) {
        echo_conn *conn = &self.conns[i];
        if (framed && options->tls) {
            conn->tls = ws_open_tls(options, i, &conn->fd);
        } else {
            conn->fd = framed ? ws_open(options, i) : net_connect(options, i);
        }
        net_unblock(conn->fd);
        conn->send_slot = conn->recv_slot = i % self.cycle;
        conn->sent_ns = must_alloc(options->depth, sizeof(uint64_t));
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = conn};
        (void)epoll_ctl(poller, EPOLL_CTL_ADD, conn->fd, &event);
    }
    for (uint32_t i = 0; i < options->idle; i++) {
        ws_hold(options, options->conns + i);
    }
    for (uint32_t i = 0; i < options->conns; i++) {
        send_batch(&self, &self.conns[i], options->depth, now_ns());
    }
    driver_window window;
    window_init(&window, options);
    while (window_tick(&window, options, result, now_ns(), self.messages) && result->errors == 0) {
        struct epoll_event events[EVENTS_MAX];
        int n = epoll_wait(poller, events, EVENTS_MAX, 50);
        for (int i = 0; i < n && on_event(&self, events[i].data.ptr, buf); i++) {
        }
    }
    for (uint32_t i = 0; i < options->conns; i++) {
        (void)close(self.conns[i].fd);
    }
}

void mode_ws_echo(const driver_options *options, driver_result *result)
{
    run_echo(options, result, true);
}

void mode_tcp_echo(const driver_options *options, driver_result *result)
{
    run_echo(options, result, false);
}
