/* SPDX-License-Identifier: MIT */
/* ws-fanout: connection 0 publishes, the server sends every message to all (or all others). A
 * message is done when the last receiver has it; `depth` messages are in flight. Every receiver
 * must see the same cyclic stream. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct receiver {
    int fd;
    uint64_t seq; /* message being received */
    size_t part;
} receiver;

typedef struct fanout {
    const driver_options *options;
    driver_result *result;
    receiver *receivers;
    uint8_t *request;
    uint8_t *answer;
    size_t request_len;
    size_t answer_len;
    uint32_t cycle;
    uint64_t published;
    uint64_t finished; /* all before this one have reached everybody */
    uint64_t *published_ns;
    uint32_t *reached;
    uint64_t deliveries;
    uint32_t audience;
} fanout;

static void build_streams(fanout *self)
{
    const driver_options *o = self->options;
    self->cycle = o->depth * 4 < 32 ? 32 : o->depth * 4;
    size_t n = self->cycle + o->depth;
    uint8_t *payload = must_alloc(o->size + 17, 1);
    self->request = must_alloc(n, o->size + WS_HEAD_MAX);
    self->answer = must_alloc(n, o->size + WS_HEAD_MAX);
    self->published_ns = must_alloc(self->cycle, sizeof(uint64_t));
    self->reached = must_alloc(self->cycle, sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        memset(payload, 'a' + (int)(i % self->cycle % 26), o->size);
        char mark[17];
        (void)snprintf(mark, sizeof(mark), "%016zx", i % self->cycle);
        memcpy(payload, mark, o->size < 16 ? o->size : 16);
        uint8_t opcode = o->binary ? 2 : 1;
        self->request_len = ws_put_masked(self->request + i * self->request_len, opcode, payload,
                                          o->size, (uint32_t)i * 2654435761U + 99);
        uint8_t *answer = self->answer + i * self->answer_len;
        size_t head = ws_put_head(answer, opcode, o->size, NULL);
        memcpy(answer + head, payload, o->size);
        self->answer_len = head + o->size;
    }
}

static void publish(fanout *self)
{
    uint64_t room = self->options->depth - (self->published - self->finished);
    if (room == 0) {
        return;
    }
    const uint8_t *at = self->request + self->published % self->cycle * self->request_len;
    uint64_t now = now_ns();
    for (uint64_t i = 0; i < room; i++) {
        self->published_ns[self->published++ % self->cycle] = now;
    }
    if (!net_send_all(self->receivers[0].fd, at, room * self->request_len)) {
        result_error(self->result, "publish: %s", strerror(errno));
    }
}

static void message_done(fanout *self, uint64_t seq, uint64_t now)
{
    uint32_t slot = (uint32_t)(seq % self->cycle);
    tusk_hist_record(self->result->latency, now - self->published_ns[slot]);
    self->deliveries++;
    if (++self->reached[slot] == self->audience) {
        self->reached[slot] = 0;
        self->finished++;
    }
}

static bool accept_bytes(fanout *self, receiver *to, const uint8_t *at, size_t len)
{
    uint64_t now = now_ns();
    while (len > 0) {
        size_t from = to->seq % self->cycle * self->answer_len + to->part;
        size_t room = self->cycle * self->answer_len - from;
        size_t n = len < room ? len : room;
        if (memcmp(self->answer + from, at, n) != 0) {
            return false;
        }
        size_t reached = to->part + n;
        for (size_t whole = reached / self->answer_len; whole > 0; whole--) {
            if (to->seq == self->published) {
                return false; /* more than was published */
            }
            message_done(self, to->seq++, now);
        }
        to->part = reached % self->answer_len;
        at += n;
        len -= n;
    }
    return true;
}

static bool on_readable(fanout *self, receiver *to, uint8_t *buf)
{
    ssize_t n = recv(to->fd, buf, READ_BUF_LEN, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (n <= 0) {
        result_error(self->result, "connection lost: %s", n == 0 ? "closed" : strerror(errno));
        return false;
    }
    if (!accept_bytes(self, to, buf, (size_t)n)) {
        result_error(self->result, "lost, doubled, out of order or changed at message %llu",
                     (unsigned long long)to->seq);
        return false;
    }
    return true;
}

void mode_ws_fanout(const driver_options *options, driver_result *result)
{
    fanout self = {.options = options, .result = result, .audience = options->conns};
    uint8_t *buf = must_alloc(READ_BUF_LEN, 1);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    build_streams(&self);
    self.audience -= options->publisher_receives ? 0 : 1;
    self.receivers = must_alloc(options->conns, sizeof(receiver));
    for (uint32_t i = 0; i < options->conns; i++) {
        self.receivers[i].fd = ws_open(options, i);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &self.receivers[i]};
        (void)epoll_ctl(poller, EPOLL_CTL_ADD, self.receivers[i].fd, &event);
    }
    driver_window window;
    window_init(&window, options);
    while (window_tick(&window, options, result, now_ns(), self.deliveries) &&
           result->errors == 0) {
        struct epoll_event events[EVENTS_MAX];
        publish(&self);
        int n = epoll_wait(poller, events, EVENTS_MAX, 50);
        for (int i = 0; i < n && on_readable(&self, events[i].data.ptr, buf); i++) {
        }
    }
    for (uint32_t i = 0; i < options->conns; i++) {
        (void)close(self.receivers[i].fd);
    }
}
