/* SPDX-License-Identifier: MIT */
/* http: keep-alive requests for one path, `depth` of them pipelined; each body is compared with the
 * first one. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http.h"

enum { CONN_BUF_LEN = 64 * 1024 };

typedef struct http_conn {
    int fd;
    size_t have;
    uint64_t *sent_ns;
    uint32_t send_seq;
    uint32_t recv_seq;
    char *buf;
} http_conn;

typedef struct http_run {
    const driver_options *options;
    driver_result *result;
    char *requests;
    size_t request_len;
    char *body; /* of the first answer */
    size_t body_len;
    size_t answer_len; /* head and body, as it was last time */
    size_t buf_len;
    uint64_t answers;
    double bytes;
} http_run;

static void build_requests(http_run *self)
{
    const driver_options *o = self->options;
    char request[16 * 1024];
    char length[64] = "";
    if (o->post != NULL) {
        (void)snprintf(length, sizeof(length), "Content-Length: %zu\r\n", strlen(o->post));
    }
    int n = snprintf(request, sizeof(request), "%s %s HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n%s",
                     o->post != NULL ? "POST" : "GET", o->path, o->host,
                     o->header != NULL ? o->header : "", o->header != NULL ? "\r\n" : "", length,
                     o->post != NULL ? o->post : "");
    if (n < 0 || (size_t)n >= sizeof(request)) {
        die("request too long");
    }
    self->request_len = (size_t)n;
    self->requests = must_alloc(o->depth, self->request_len);
    for (uint32_t i = 0; i < o->depth; i++) {
        memcpy(self->requests + i * self->request_len, request, self->request_len);
    }
}

/* The first answer decides what all must be. */
static void learn(http_run *self)
{
    http_head head;
    size_t have = 0;
    char *first = must_alloc(16 * 1024 * 1024, 1);
    int fd = net_connect(self->options, 0);
    if (!net_send_all(fd, self->requests, self->request_len)) {
        die("request: %s", strerror(errno));
    }
    do {
        ssize_t n = recv(fd, first + have, 16 * 1024 * 1024 - have, 0);
        if (n <= 0) {
            die("no answer");
        }
        have += (size_t)n;
        head = http_head_of(first, have);
    } while (head.len == 0 || have < head.len + head.body_len);
    if (head.status != 200 || !head.has_length || have != head.len + head.body_len) {
        die("want a 200 with Content-Length, got %.60s", first);
    }
    self->body = first + head.len;
    self->body_len = head.body_len;
    self->answer_len = have;
    self->buf_len = have * 2 > CONN_BUF_LEN ? have * 2 : CONN_BUF_LEN;
    (void)close(fd);
}

/* Length of the whole answer at `at`, 0 = incomplete, -1 = not what it must be. */
static int64_t answer_at(http_run *self, const char *at, size_t len)
{
    if (self->options->any_body) {
        http_head any = http_head_of(at, len);
        if (any.len == 0 || len < any.len + any.body_len) {
            return 0;
        }
        return any.status == 200 ? (int64_t)(any.len + any.body_len) : -1;
    }
    size_t head_len = self->answer_len - self->body_len;
    if (len < self->answer_len || memcmp(at + head_len - 4, "\r\n\r\n", 4) != 0) {
        http_head head = http_head_of(at, len);
        if (head.len == 0) {
            return 0;
        }
        if (head.body_len != self->body_len) {
            return -1;
        }
        head_len = head.len;
        if (len < head_len + self->body_len) {
            return 0;
        }
        self->answer_len = head_len + self->body_len;
    }
    if (memcmp(at, "HTTP/1.1 200", 12) != 0 ||
        memcmp(at + head_len, self->body, self->body_len) != 0) {
        return -1;
    }
    return (int64_t)(head_len + self->body_len);
}

static void send_requests(http_run *self, http_conn *conn, uint32_t n, uint64_t now)
{
    for (uint32_t i = 0; i < n; i++) {
        conn->sent_ns[conn->send_seq++ % self->options->depth] = now;
    }
    if (!net_send_all(conn->fd, self->requests, n * self->request_len)) {
        result_error(self->result, "send: %s", strerror(errno));
    }
}

static bool on_readable(http_run *self, http_conn *conn)
{
    ssize_t n = recv(conn->fd, conn->buf + conn->have, self->buf_len - conn->have, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (n <= 0) {
        result_error(self->result, "connection lost: %s", n == 0 ? "closed" : strerror(errno));
        return false;
    }
    conn->have += (size_t)n;
    self->bytes += (double)n;
    uint64_t now = now_ns();
    uint32_t whole = 0;
    size_t at = 0;
    int64_t len;
    while ((len = answer_at(self, conn->buf + at, conn->have - at)) > 0) {
        tusk_hist_record(self->result->latency,
                         now - conn->sent_ns[conn->recv_seq++ % self->options->depth]);
        at += (size_t)len;
        whole++;
    }
    if (len < 0) {
        result_error(self->result, "unexpected answer: %.50s", conn->buf + at);
        return false;
    }
    conn->have -= at;
    memmove(conn->buf, conn->buf + at, conn->have);
    self->answers += whole;
    if (whole != 0) {
        send_requests(self, conn, whole, now);
    }
    return true;
}

void mode_http(const driver_options *options, driver_result *result)
{
    http_run self = {.options = options, .result = result};
    int poller = epoll_create1(EPOLL_CLOEXEC);
    http_conn *conns = must_alloc(options->conns, sizeof(http_conn));
    build_requests(&self);
    learn(&self);
    for (uint32_t i = 0; i < options->conns; i++) {
        conns[i].fd = net_connect(options, i);
        net_unblock(conns[i].fd);
        conns[i].buf = must_alloc(self.buf_len, 1);
        conns[i].sent_ns = must_alloc(options->depth, sizeof(uint64_t));
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &conns[i]};
        (void)epoll_ctl(poller, EPOLL_CTL_ADD, conns[i].fd, &event);
        send_requests(&self, &conns[i], options->depth, now_ns());
    }
    driver_window window;
    window_init(&window, options);
    while (window_tick(&window, options, result, now_ns(), self.answers) && result->errors == 0) {
        struct epoll_event events[EVENTS_MAX];
        int n = epoll_wait(poller, events, EVENTS_MAX, 50);
        for (int i = 0; i < n && on_readable(&self, events[i].data.ptr); i++) {
        }
    }
    result_fact(result, "answer_bytes", (double)self.answer_len);
    for (uint32_t i = 0; i < options->conns; i++) {
        (void)close(conns[i].fd);
    }
}
