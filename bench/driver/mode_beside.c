/* SPDX-License-Identifier: MIT */
/* ws-beside: how long others wait while somebody attacks. `conns` guests send --rate small messages
 * a second, all together, at fixed times whatever the answers do; latency counts from the time at
 * which a message had to be sent. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { RING = 4096, PAYLOAD = 32, FRAME_OUT = PAYLOAD + 6, FRAME_IN = PAYLOAD + 2 };

typedef struct guest {
    int fd;
    uint64_t sent;
    uint64_t received;
    size_t have;
    uint8_t part[FRAME_IN];
    uint64_t due_ns[RING];
} guest;

typedef struct beside {
    const driver_options *options;
    driver_result *result;
    guest *guests;
    int poller;
    int timer;
    uint64_t begun_ns;
    uint64_t period_ns;
    uint64_t ticks;
    uint64_t answered;
} beside;

/* Every message is another one: who sent it, and its number. */
static void payload_of(uint8_t *out, uint32_t who, uint64_t number)
{
    memset(out, '.', PAYLOAD);
    memcpy(out, &who, sizeof(who));
    memcpy(out + sizeof(who), &number, sizeof(number));
}

static void send_due(beside *self, uint64_t due_ns)
{
    uint8_t payload[PAYLOAD];
    uint8_t frame[FRAME_OUT];
    uint32_t who = (uint32_t)(self->ticks++ % self->options->conns);
    guest *one = &self->guests[who];
    if (one->sent - one->received == RING) {
        result_error(self->result, "a guest waits for %d answers", RING);
        return;
    }
    payload_of(payload, who, one->sent);
    one->due_ns[one->sent++ % RING] = due_ns;
    (void)ws_put_masked(frame, 2, payload, PAYLOAD, (uint32_t)self->ticks * 2654435761U);
    if (!net_send_all(one->fd, frame, FRAME_OUT)) {
        result_error(self->result, "send: %s", strerror(errno));
    }
}

static void on_time(beside *self)
{
    uint64_t times = 0;
    if (read(self->timer, &times, sizeof(times)) != sizeof(times)) {
        return;
    }
    while (times-- > 0 && self->result->errors == 0) {
        send_due(self, self->begun_ns + (self->ticks + 1) * self->period_ns);
    }
}

static void on_frame(beside *self, guest *one, uint32_t who)
{
    uint8_t wanted[FRAME_IN] = {0x82, PAYLOAD};
    payload_of(wanted + 2, who, one->received);
    if (one->received == one->sent || memcmp(wanted, one->part, FRAME_IN) != 0) {
        result_error(self->result, "an answer differs from what was sent");
        return;
    }
    uint64_t now = now_ns();
    uint64_t due = one->due_ns[one->received++ % RING];
    tusk_hist_record(self->result->latency, now > due ? now - due : 1);
    self->answered++;
    one->have = 0;
}

static void on_readable(beside *self, uint32_t who)
{
    guest *one = &self->guests[who];
    for (;;) {
        ssize_t n = recv(one->fd, one->part + one->have, FRAME_IN - one->have, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (n <= 0) {
            result_error(self->result, "connection lost: %s", n == 0 ? "closed" : strerror(errno));
            return;
        }
        one->have += (size_t)n;
        if (one->have == FRAME_IN) {
            on_frame(self, one, who);
        }
        if (self->result->errors > 0) {
            return;
        }
    }
}

static void watch(beside *self, int fd, uint32_t who)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = who};
    (void)epoll_ctl(self->poller, EPOLL_CTL_ADD, fd, &event);
}

static void begin(beside *self)
{
    double rate = self->options->rate > 1 ? self->options->rate : 1;
    self->period_ns = (uint64_t)(1e9 / rate);
    self->poller = epoll_create1(EPOLL_CLOEXEC);
    self->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    self->guests = must_alloc(self->options->conns, sizeof(guest));
    for (uint32_t i = 0; i < self->options->conns; i++) {
        self->guests[i].fd = ws_open(self->options, i);
        watch(self, self->guests[i].fd, i);
    }
    watch(self, self->timer, UINT32_MAX);
    self->begun_ns = now_ns() + 1000000;
    uint64_t first = self->begun_ns + self->period_ns;
    const struct itimerspec spec = {
        .it_interval = {.tv_sec = (time_t)(self->period_ns / 1000000000U),
                        .tv_nsec = (long)(self->period_ns % 1000000000U)},
        .it_value = {.tv_sec = (time_t)(first / 1000000000U),
                     .tv_nsec = (long)(first % 1000000000U)},
    };
    (void)timerfd_settime(self->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

void mode_ws_beside(const driver_options *options, driver_result *result)
{
    beside self = {.options = options, .result = result};
    pid_t attacker = attack_start(options);
    begin(&self);
    driver_window window;
    window_init(&window, options);
    while (window_tick(&window, options, result, now_ns(), self.answered) && result->errors == 0) {
        struct epoll_event events[EVENTS_MAX];
        int n = epoll_wait(self.poller, events, EVENTS_MAX, 50);
        for (int i = 0; i < n; i++) {
            if (events[i].data.u32 == UINT32_MAX) {
                on_time(&self);
            } else {
                on_readable(&self, events[i].data.u32);
            }
        }
    }
    attack_end(attacker);
    for (uint32_t i = 0; i < options->conns; i++) {
        (void)close(self.guests[i].fd);
    }
    (void)close(self.timer);
}
