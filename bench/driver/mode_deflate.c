/* SPDX-License-Identifier: MIT */
/* ws-deflate: fan-out to receivers whose permessage-deflate parameters are all different: windows
 * of 2^8 to 2^15 bytes, history or none, on either side. Every message is inflated as its receiver
 * would, but bytes that another receiver got and that were checked are compared only. With
 * --counter the server's own count of something (GET --counter-path, JSON) is read before the first
 * and after the last message. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef TUSK_HAVE_ZLIB
#include <zlib.h>

enum { CYCLE = 64, HEAD_ROOM = WS_HEAD_MAX, BITS_MIN = 8, BITS_MAX = 15, STEP = 64 };

typedef struct receiver {
    int fd;
    uint8_t bits;     /* agreed for the server's window; 0: messages come as they are */
    z_stream *stream; /* the server may refer to earlier messages */
    uint64_t seq;     /* message being received */
    size_t have;
    uint8_t *part; /* an unfinished frame */
} receiver;

/* A frame that was inflated and found right, for the receivers with this window. */
typedef struct checked {
    uint64_t seq;
    size_t len;
    uint8_t *frame;
} checked;

typedef struct deflating {
    const driver_options *options;
    driver_result *result;
    receiver *receivers;
    uint8_t *payloads; /* CYCLE texts of `size` bytes */
    uint8_t *requests;
    size_t request_len;
    checked known[BITS_MAX + 1];
    uint8_t *inflated;
    uint64_t published;
    uint64_t finished;
    uint64_t deliveries;
    uint64_t published_ns[CYCLE];
    uint32_t reached[CYCLE];
    uint64_t compressed; /* messages that came compressed */
    uint32_t agreed;
} deflating;

/* Text as it is sent about: JSON with names that come again, some farther back than 512 bytes. */
static void build_payloads(deflating *self)
{
    static const char *const words[] = {"\"user\":\"ada\",",   "\"room\":\"lobby\",",
                                        "\"kind\":\"chat\",",  "\"body\":\"hello\",",
                                        "\"tags\":[\"a\",4],", "\"reply\":false,"};
    size_t size = self->options->size;
    self->payloads = must_alloc(CYCLE, size);
    self->requests = must_alloc(CYCLE, size + HEAD_ROOM);
    for (size_t i = 0; i < CYCLE; i++) {
        uint8_t *text = self->payloads + i * size;
        uint32_t pattern = (uint32_t)i * 2654435761U + 1;
        for (size_t at = 0; at < size;) {
            char piece[64];
            pattern = pattern * 1664525U + 1013904223U;
            int n = snprintf(piece, sizeof(piece), "%s\"id\":%u,", words[pattern >> 16 & 3],
                             pattern >> 20);
            size_t fits = size - at < (size_t)n ? size - at : (size_t)n;
            memcpy(text + at, piece, fits);
            at += fits;
        }
        self->request_len = ws_put_masked(self->requests + i * self->request_len, 1, text, size,
                                          (uint32_t)i * 40503U + 7);
    }
}

/* ---- connections ---- */
/* What receiver i offers: each window and each kind of history, with a fallback where a server may
 * refuse the first (a window of 256 bytes). */
static void offer(char *line, size_t cap, uint32_t i)
{
    unsigned bits = BITS_MIN + i % 8;
    (void)snprintf(line, cap,
                   "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=%u"
                   "; client_max_window_bits%s%s%s",
                   bits, i / 8 % 2 == 0 ? "; server_no_context_takeover" : "",
                   i / 16 % 2 == 0 ? "; client_no_context_takeover" : "",
                   bits == BITS_MIN ? ", permessage-deflate" : "");
}

static void agree(deflating *self, receiver *to, const char *head, size_t len)
{
    const char *line = memmem(head, len, "permessage-deflate", 18);
    if (line == NULL) {
        return;
    }
    size_t rest = len - (size_t)(line - head);
    const char *end = memchr(line, '\r', rest);
    rest = end == NULL ? rest : (size_t)(end - line);
    const char *bits = memmem(line, rest, "server_max_window_bits=", 23);
    to->bits = bits == NULL ? BITS_MAX : (uint8_t)strtoul(bits + 23, NULL, 10);
    if (to->bits < BITS_MIN || to->bits > BITS_MAX) {
        die("the server agreed on a window of 2^%u", to->bits);
    }
    self->agreed++;
    if (memmem(line, rest, "server_no_context_takeover", 26) == NULL) {
        to->stream = must_alloc(1, sizeof(z_stream));
        if (inflateInit2(to->stream, -to->bits) != Z_OK) {
            die("out of memory");
        }
    }
}

static void open_receiver(deflating *self, uint32_t i, bool deflate)
{
    driver_options options = *self->options;
    receiver *to = &self->receivers[i];
    char line[256];
    char request[1024];
    char head[4096];
    if (deflate) {
        offer(line, sizeof(line), i);
        options.header = line;
    }
    to->fd = net_connect(&options, i);
    if (!net_send_all(to->fd, request, ws_request(request, sizeof(request), &options))) {
        die("upgrade %u: connection lost", i);
    }
    size_t len = net_read_head(to->fd, head, sizeof(head));
    if (!ws_response_ok(head, len, &options)) {
        die("upgrade %u refused: %.*s", i, (int)(len > 80 ? 80 : len), head);
    }
    agree(self, to, head, len);
    to->part = must_alloc(1, self->options->size + HEAD_ROOM + 256);
    net_unblock(to->fd);
}

/* ---- what arrives ---- */
/* In small steps, so that zlib sees no more of what it made than the window holds. */
static bool inflate_to(z_stream *z, const uint8_t *in, size_t len, uint8_t *out, size_t cap)
{
    static const uint8_t tail[4] = {0, 0, 0xff, 0xff};
    size_t made = 0;
    for (int round = 0; round < 2; round++) {
        z->next_in = round == 0 ? (uint8_t *)(uintptr_t)in : (uint8_t *)(uintptr_t)tail;
        z->avail_in = round == 0 ? (unsigned)len : (unsigned)sizeof(tail);
        do {
            size_t room = cap - made < STEP ? cap - made : STEP;
            z->next_out = out + made;
            z->avail_out = (unsigned)room;
            int result = inflate(z, Z_SYNC_FLUSH);
            if (result != Z_OK && result != Z_BUF_ERROR) {
                return false;
            }
            made += room - z->avail_out;
        } while (z->avail_out == 0 && made < cap);
    }
    return made == cap && z->avail_in == 0;
}

static bool inflates(deflating *self, receiver *to, const ws_frame_view *view, const uint8_t *text)
{
    size_t size = self->options->size;
    z_stream fresh = {0};
    if (to->stream == NULL && inflateInit2(&fresh, -to->bits) != Z_OK) {
        die("out of memory");
    }
    bool ok = inflate_to(to->stream != NULL ? to->stream : &fresh, view->payload, view->len,
                         self->inflated, size) &&
              memcmp(self->inflated, text, size) == 0;
    if (to->stream == NULL) {
        (void)inflateEnd(&fresh);
    }
    return ok;
}

/* The very bytes were inflated already within this window or a smaller one, without a history. */
static bool is_known(const deflating *self, const receiver *to, const uint8_t *frame, size_t len)
{
    for (unsigned bits = BITS_MIN; to->stream == NULL && bits <= to->bits; bits++) {
        const checked *known = &self->known[bits];
        if (known->seq == to->seq + 1 && known->len == len &&
            memcmp(known->frame, frame, len) == 0) {
            return true;
        }
    }
    return false;
}

static bool right(deflating *self, receiver *to, const uint8_t *frame, const ws_frame_view *view)
{
    const uint8_t *text = self->payloads + to->seq % CYCLE * self->options->size;
    if ((frame[0] & 0x40) == 0) {
        return frame[0] == 0x81 && view->len == self->options->size &&
               memcmp(view->payload, text, view->len) == 0;
    }
    self->compressed++;
    if (to->bits == 0 || frame[0] != 0xc1) {
        return false;
    }
    if (is_known(self, to, frame, view->total)) {
        return true;
    }
    if (!inflates(self, to, view, text)) {
        return false;
    }
    if (to->stream != NULL) {
        return true;
    }
    checked *known = &self->known[to->bits];
    known->seq = to->seq + 1;
    known->len = view->total;
    memcpy(known->frame, frame, view->total);
    return true;
}

static void message_done(deflating *self, receiver *to, uint64_t now)
{
    uint32_t slot = (uint32_t)(to->seq++ % CYCLE);
    tusk_hist_record(self->result->latency, now - self->published_ns[slot]);
    self->deliveries++;
    if (++self->reached[slot] == self->options->conns) {
        self->reached[slot] = 0;
        self->finished++;
    }
}

static bool take(deflating *self, receiver *to, const uint8_t *at, size_t len, size_t *used)
{
    uint64_t now = now_ns();
    size_t most = self->options->size + HEAD_ROOM + 256;
    *used = 0;
    for (;;) {
        ws_frame_view view = ws_view(at + *used, len - *used);
        if (view.total == 0) {
            return len - *used < most;
        }
        if (view.total > most || to->seq == self->published ||
            !right(self, to, at + *used, &view)) {
            return false;
        }
        message_done(self, to, now);
        *used += view.total;
    }
}

static bool on_readable(deflating *self, receiver *to, uint8_t *buf)
{
    memcpy(buf, to->part, to->have);
    ssize_t n = recv(to->fd, buf + to->have, READ_BUF_LEN, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (n <= 0) {
        result_error(self->result, "connection lost: %s", n == 0 ? "closed" : strerror(errno));
        return false;
    }
    size_t len = to->have + (size_t)n;
    size_t used;
    if (!take(self, to, buf, len, &used)) {
        result_error(self->result,
                     "message %llu is lost, doubled, out of order, changed, or no valid "
                     "compression for a window of 2^%u",
                     (unsigned long long)to->seq, to->bits);
        return false;
    }
    to->have = len - used;
    memcpy(to->part, buf + used, to->have);
    return true;
}

static void publish(deflating *self)
{
    uint64_t now = now_ns();
    while (self->published - self->finished < self->options->depth) {
        uint32_t slot = (uint32_t)(self->published++ % CYCLE);
        self->published_ns[slot] = now;
        if (!net_send_all(self->receivers[0].fd, self->requests + slot * self->request_len,
                          self->request_len)) {
            result_error(self->result, "publish: %s", strerror(errno));
            return;
        }
    }
}

/* ---- the server's count ---- */
static double read_counter(const driver_options *options)
{
    char text[16384];
    char key[128];
    int fd = net_connect(options, 0);
    int n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                     options->counter_path, options->host);
    size_t have = 0;
    bool sent = net_send_all(fd, text, (size_t)n);
    for (ssize_t got = 1; sent && got > 0 && have < sizeof(text) - 1; have += (size_t)got) {
        got = recv(fd, text + have, sizeof(text) - 1 - have, 0);
        got = got < 0 ? 0 : got;
    }
    (void)close(fd);
    text[have] = '\0';
    (void)snprintf(key, sizeof(key), "\"%s\":", options->counter);
    const char *found = strstr(text, key);
    if (found == NULL) {
        die("no \"%s\" at %s", options->counter, options->counter_path);
    }
    return strtod(found + strlen(key), NULL);
}

static void turn(deflating *self, int poller, uint8_t *buf)
{
    struct epoll_event events[EVENTS_MAX];
    int n = epoll_wait(poller, events, EVENTS_MAX, 50);
    for (int i = 0; i < n && on_readable(self, events[i].data.ptr, buf); i++) {
    }
}

static void finish(deflating *self, int poller, uint8_t *buf, double counted)
{
    driver_result *result = self->result;
    uint64_t until = now_ns() + UINT64_C(20000000000);
    while (self->finished < self->published && result->errors == 0 && now_ns() < until) {
        turn(self, poller, buf);
    }
    if (self->finished < self->published) {
        result_error(result, "not everything that was published arrived");
    }
    if (self->options->counter != NULL && result->errors == 0) {
        result_fact(result, "counted_per_message",
                    (read_counter(self->options) - counted) / (double)self->published);
    }
    result_fact(result, "agreed", self->agreed);
    result_fact(result, "compressed_part",
                (double)self->compressed / (double)(self->deliveries + (self->deliveries == 0)));
}

void mode_ws_deflate(const driver_options *options, driver_result *result)
{
    deflating self = {.options = options, .result = result};
    uint8_t *buf = must_alloc(READ_BUF_LEN + options->size + HEAD_ROOM + 256, 1);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    if (options->depth > CYCLE) {
        die("ws-deflate: a depth of %d at most", CYCLE);
    }
    build_payloads(&self);
    self.inflated = must_alloc(1, options->size);
    for (int i = 0; i <= BITS_MAX; i++) {
        self.known[i].frame = must_alloc(1, options->size + HEAD_ROOM + 256);
    }
    self.receivers = must_alloc(options->conns, sizeof(receiver));
    for (uint32_t i = 0; i < options->conns; i++) {
        open_receiver(&self, i, !options->plain);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &self.receivers[i]};
        (void)epoll_ctl(poller, EPOLL_CTL_ADD, self.receivers[i].fd, &event);
    }
    double counted = options->counter == NULL ? 0 : read_counter(options);
    driver_window window;
    window_init(&window, options);
    while (window_tick(&window, options, result, now_ns(), self.deliveries) &&
           result->errors == 0) {
        publish(&self);
        turn(&self, poller, buf);
    }
    finish(&self, poller, buf, counted);
    for (uint32_t i = 0; i < options->conns; i++) {
        (void)close(self.receivers[i].fd);
    }
}

#else

void mode_ws_deflate(const driver_options *options, driver_result *result)
{
    (void)options;
    (void)result;
    die("ws-deflate: built without zlib");
}

#endif
