/* SPDX-License-Identifier: MIT */
/* ws-handshake: connect, upgrade, close frame, its echo, end of TCP by the server; `conns` of them
 * at any time. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 200 };

typedef enum shake_state {
    SHAKE_CONNECTING,
    SHAKE_UPGRADING,
    SHAKE_CLOSING,
    SHAKE_ENDING /* the server's close frame is here, the end of TCP is not */
} shake_state;

typedef struct shake {
    int fd;
    shake_state state;
    uint64_t start_ns;
    uint64_t state_ns;
    uint32_t index;
    size_t have;
    char head[2048];
} shake;

typedef struct shakes {
    const driver_options *options;
    driver_result *result;
    int poller;
    char request[1024];
    size_t request_len;
    uint64_t done;
    uint64_t late_close;
    tusk_hist *upgrade;
    tusk_hist *closing;
    shake *all;
} shakes;

static void send_request(shakes *self, shake *one)
{
    ssize_t n = send(one->fd, self->request, self->request_len, MSG_NOSIGNAL);
    if (n == (ssize_t)self->request_len) {
        one->state = SHAKE_UPGRADING;
    } else if (n >= 0 || (errno != EAGAIN && errno != ENOTCONN)) {
        result_error(self->result, "request: %s", n >= 0 ? "short write" : strerror(errno));
    }
    one->state_ns = now_ns();
}

static void start(shakes *self, shake *one)
{
    one->start_ns = now_ns();
    one->have = 0;
    one->state = SHAKE_CONNECTING;
    one->index += self->options->conns;
    one->fd = net_connect_start(self->options, one->index);
    if (one->fd < 0) {
        die("connect: %s", strerror(errno));
    }
    send_request(self, one); /* loopback: most often connected already */
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
    if (one->state == SHAKE_CONNECTING) {
        event.events |= EPOLLOUT;
    }
    (void)epoll_ctl(self->poller, EPOLL_CTL_ADD, one->fd, &event);
}

static void on_writable(shakes *self, shake *one)
{
    send_request(self, one);
    if (one->state == SHAKE_UPGRADING) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
        (void)epoll_ctl(self->poller, EPOLL_CTL_MOD, one->fd, &event);
    }
}

static void on_head(shakes *self, shake *one, size_t head_len)
{
    static const uint8_t code[2] = {0x03, 0xe8};
    uint8_t frame[16];
    if (!ws_response_ok(one->head, head_len, self->options)) {
        result_error(self->result, "upgrade refused: %.60s", one->head);
        return;
    }
    uint64_t now = now_ns();
    tusk_hist_record(self->upgrade, now - one->start_ns);
    size_t n = ws_put_masked(frame, 8, code, sizeof(code), (uint32_t)now | 1);
    (void)send(one->fd, frame, n, MSG_NOSIGNAL);
    one->have -= head_len;
    memmove(one->head, one->head + head_len, one->have);
    one->state = SHAKE_CLOSING;
    one->state_ns = now;
}

/* `error` 0: the server's FIN. A reset is no end, however far it came. */
static void on_end(shakes *self, shake *one, int error)
{
    static const char *const doing[] = {[SHAKE_CONNECTING] = "connecting",
                                        [SHAKE_UPGRADING] = "waiting for the answer",
                                        [SHAKE_CLOSING] = "waiting for the close frame",
                                        [SHAKE_ENDING] = "waiting for the end of TCP"};
    if (error == 0 && one->state == SHAKE_ENDING) {
        uint64_t now = now_ns();
        tusk_hist_record(self->result->latency, now - one->start_ns);
        tusk_hist_record(self->closing, now - one->state_ns);
        self->done++;
    } else {
        result_error(self->result, "handshake %llu: %s (errno %d) %s, %.1f ms after it began",
                     (unsigned long long)self->done + 1,
                     error == 0 ? "end of TCP" : strerror(error), error, doing[one->state],
                     (double)(now_ns() - one->start_ns) / 1e6);
    }
    (void)close(one->fd);
    start(self, one);
}

/* One read may hold the head, the close frame, or both. */
static void advance(shakes *self, shake *one)
{
    if (one->state == SHAKE_UPGRADING) {
        one->head[one->have] = '\0';
        const char *end = strstr(one->head, "\r\n\r\n");
        if (end != NULL) {
            on_head(self, one, (size_t)(end + 4 - one->head));
        }
    }
    while (one->state == SHAKE_CLOSING) {
        ws_frame_view view = ws_view((const uint8_t *)one->head, one->have);
        if (view.total == 0) {
            return;
        }
        if (view.opcode == 8) {
            one->state = SHAKE_ENDING;
        }
        one->have -= view.total;
        memmove(one->head, one->head + view.total, one->have);
    }
}

static void on_event(shakes *self, shake *one, uint32_t events)
{
    if (one->state == SHAKE_CONNECTING && (events & EPOLLOUT) != 0) {
        on_writable(self, one);
        return;
    }
    ssize_t n = recv(one->fd, one->head + one->have, sizeof(one->head) - 1 - one->have, 0);
    if (n < 0 && errno == EAGAIN) {
        return;
    }
    if (n > 0) {
        one->have += (size_t)n;
        advance(self, one);
        return;
    }
    on_end(self, one, n < 0 ? errno : 0);
}

/* A server that leaves the end of TCP to the client gets its FIN, and is counted. */
static void sweep(shakes *self, uint64_t now)
{
    for (uint32_t i = 0; i < self->options->conns; i++) {
        shake *one = &self->all[i];
        if (one->state == SHAKE_ENDING && now - one->state_ns > PATIENCE_MS * UINT64_C(1000000)) {
            (void)shutdown(one->fd, SHUT_WR);
            one->state_ns = now;
            self->late_close++;
        }
    }
}

static void report(shakes *self)
{
    driver_result *result = self->result;
    result_fact(result, "upgrade_p50_us", (double)tusk_hist_percentile(self->upgrade, 50) / 1e3);
    result_fact(result, "upgrade_p99_us", (double)tusk_hist_percentile(self->upgrade, 99) / 1e3);
    result_fact(result, "close_p50_us", (double)tusk_hist_percentile(self->closing, 50) / 1e3);
    result_fact(result, "late_close", (double)self->late_close);
    tusk_hist_free(self->upgrade);
    tusk_hist_free(self->closing);
}

void mode_ws_handshake(const driver_options *options, driver_result *result)
{
    const tusk_hist_range minute = {.lowest = 1, .highest = UINT64_C(60000000000), .digits = 3};
    shakes self = {.options = options, .result = result};
    self.poller = epoll_create1(EPOLL_CLOEXEC);
    self.request_len = ws_request(self.request, sizeof(self.request), options);
    self.all = must_alloc(options->conns, sizeof(shake));
    if (tusk_hist_new(&self.upgrade, tusk_mem_default(), minute) != TUSK_OK ||
        tusk_hist_new(&self.closing, tusk_mem_default(), minute) != TUSK_OK) {
        die("out of memory");
    }
    for (uint32_t i = 0; i < options->conns; i++) {
        self.all[i].index = i;
        start(&self, &self.all[i]);
    }
    driver_window window;
    window_init(&window, options);
    uint64_t swept = 0;
    for (uint64_t now = now_ns();
         window_tick(&window, options, result, now, self.done) && result->errors < 10;
         now = now_ns()) {
        struct epoll_event events[EVENTS_MAX];
        int n = epoll_wait(self.poller, events, EVENTS_MAX, 50);
        for (int i = 0; i < n; i++) {
            on_event(&self, events[i].data.ptr, events[i].events);
        }
        if (now - swept > 50000000U) {
            swept = now;
            sweep(&self, now);
        }
    }
    report(&self);
}
