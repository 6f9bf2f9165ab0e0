/* SPDX-License-Identifier: MIT */
/* sse-fanout: `conns` streams on --path, one keep-alive connection that posts, `depth` messages in
 * flight. Each stream must bring every message, unchanged, once and in order. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http.h"

enum { MARK_LEN = 16 };

struct sse_run;

typedef struct subscriber {
    int fd;
    bool headed;
    uint64_t seq;
    sse_stream stream;
    struct sse_run *run;
} subscriber;

typedef struct sse_run {
    const driver_options *options;
    driver_result *result;
    subscriber *subscribers;
    int publisher;
    char *post; /* one request whose body's mark is rewritten */
    size_t post_head;
    size_t post_len;
    char *batch;
    uint64_t published;
    uint64_t finished;
    uint64_t now;
    uint32_t cycle;
    uint64_t *published_ns;
    char (*marks)[MARK_LEN + 1]; /* of what was published: written once, compared by each stream */
    uint32_t *reached;
    uint64_t deliveries;
    char answers[8192];
    size_t answers_len;
} sse_run;

static bool on_data(void *user, const char *data, size_t len)
{
    subscriber *to = user;
    sse_run *run = to->run;
    uint32_t slot = (uint32_t)(to->seq % run->cycle);
    if (to->seq >= run->published || len != run->options->size ||
        memcmp(data, run->marks[slot], MARK_LEN) != 0 ||
        memcmp(data + MARK_LEN, run->post + run->post_head + MARK_LEN, len - MARK_LEN) != 0) {
        result_error(run->result, "lost, doubled, out of order or changed at %016llx: %.*s",
                     (unsigned long long)to->seq, len > 40 ? 40 : (int)len, data);
        return false;
    }
    to->seq++;
    tusk_hist_record(run->result->latency, run->now - run->published_ns[slot]);
    run->deliveries++;
    if (++run->reached[slot] == run->options->conns) {
        run->reached[slot] = 0;
        run->finished++;
    }
    return true;
}

static void build_post(sse_run *self)
{
    const driver_options *o = self->options;
    const char *path = strchr(o->publish, ' ');
    if (o->size < MARK_LEN || path == NULL) {
        die("sse-fanout needs --size of 16 or more and --publish 'POST /path'");
    }
    self->post = must_alloc(1024 + o->size, 1);
    int n = snprintf(self->post, 1024,
                     "%.*s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: text/plain\r\n%s%s"
                     "Content-Length: %u\r\n\r\n",
                     (int)(path - o->publish), o->publish, path + 1, o->host,
                     o->header != NULL ? o->header : "", o->header != NULL ? "\r\n" : "", o->size);
    if (n < 0 || n >= 1024) {
        die("request too long");
    }
    self->post_head = (size_t)n;
    self->post_len = self->post_head + o->size;
    memset(self->post + self->post_head, 'x', o->size);
    self->batch = must_alloc(o->depth, self->post_len);
    self->cycle = o->depth * 2;
    self->published_ns = must_alloc(self->cycle, sizeof(uint64_t));
    self->marks = must_alloc(self->cycle, sizeof(*self->marks));
    self->reached = must_alloc(self->cycle, sizeof(uint32_t));
}

static void publish(sse_run *self)
{
    uint64_t room = self->options->depth - (self->published - self->finished);
    uint64_t now = now_ns();
    char *at = self->batch;
    for (uint64_t i = 0; i < room; i++, at += self->post_len) {
        uint32_t slot = (uint32_t)(self->published % self->cycle);
        (void)snprintf(self->marks[slot], sizeof(*self->marks), "%016llx",
                       (unsigned long long)self->published);
        memcpy(at, self->post, self->post_len);
        memcpy(at + self->post_head, self->marks[slot], MARK_LEN);
        self->published_ns[slot] = now;
        self->published++;
    }
    if (room > 0 && !net_send_all(self->publisher, self->batch, room * self->post_len)) {
        result_error(self->result, "publish: %s", strerror(errno));
    }
}

static void on_publish_answers(sse_run *self)
{
    size_t room = sizeof(self->answers) - self->answers_len;
    ssize_t n = recv(self->publisher, self->answers + self->answers_len, room, 0);
    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            result_error(self->result, "publisher's connection lost");
        }
        return;
    }
    self->answers_len += (size_t)n;
    for (;;) {
        http_head head = http_head_of(self->answers, self->answers_len);
        size_t whole = head.len + head.body_len;
        if (head.len == 0 || self->answers_len < whole) {
            break;
        }
        if (head.status < 200 || head.status > 299 || head.chunked) {
            result_error(self->result, "publish answered: %.40s", self->answers);
        }
        self->answers_len -= whole;
        memmove(self->answers, self->answers + whole, self->answers_len);
    }
}

static void on_events(sse_run *self, subscriber *from, char *buf)
{
    ssize_t n = recv(from->fd, buf, READ_BUF_LEN, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        result_error(self->result, "stream lost: %s", n == 0 ? "closed" : strerror(errno));
        return;
    }
    self->now = now_ns();
    if (!sse_feed(&from->stream, buf, (size_t)n, on_data, from)) {
        result_error(self->result, "stream broken");
    }
}

static void subscribe(sse_run *self, subscriber *one, uint32_t index)
{
    char text[1024];
    const driver_options *o = self->options;
    int n = snprintf(
        text, sizeof(text), "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n%s%s\r\n",
        o->path, o->host, o->header != NULL ? o->header : "", o->header != NULL ? "\r\n" : "");
    one->fd = net_connect(o, index);
    one->run = self;
    if (n < 0 || (size_t)n >= sizeof(text) || !net_send_all(one->fd, text, (size_t)n)) {
        die("subscribe %u failed", index);
    }
    char head_text[4096];
    http_head head = http_head_of(head_text, net_read_head(one->fd, head_text, sizeof(head_text)));
    if (head.status != 200) {
        die("subscribe %u: status %d", index, head.status);
    }
    sse_init(&one->stream, head.chunked);
    net_unblock(one->fd);
}

void mode_sse_fanout(const driver_options *options, driver_result *result)
{
    sse_run self = {.options = options, .result = result};
    char *buf = must_alloc(READ_BUF_LEN, 1);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    build_post(&self);
    self.subscribers = must_alloc(options->conns, sizeof(subscriber));
    for (uint32_t i = 0; i < options->conns; i++) {
        subscribe(&self, &self.subscribers[i], i);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &self.subscribers[i]};
        (void)epoll_ctl(poller, EPOLL_CTL_ADD, self.subscribers[i].fd, &event);
    }
    self.publisher = net_connect(options, options->conns);
    net_unblock(self.publisher);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    (void)epoll_ctl(poller, EPOLL_CTL_ADD, self.publisher, &event);
    driver_window window;
    window_init(&window, options);
    while (window_tick(&window, options, result, now_ns(), self.deliveries) &&
           result->errors == 0) {
        struct epoll_event events[EVENTS_MAX];
        publish(&self);
        int n = epoll_wait(poller, events, EVENTS_MAX, 50);
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr == NULL) {
                on_publish_answers(&self);
            } else {
                on_events(&self, events[i].data.ptr, buf);
            }
        }
    }
    for (uint32_t i = 0; i < options->conns; i++) {
        sse_fini(&self.subscribers[i].stream);
        (void)close(self.subscribers[i].fd);
    }
}
