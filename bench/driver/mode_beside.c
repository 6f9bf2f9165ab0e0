/* SPDX-License-Identifier: MIT */
/* ws-beside: how long others wait while somebody attacks. `conns` guests send --rate small messages
 * a second, all together, at fixed times whatever the answers do. The run is cut in slices, quiet
 * and attacked ones in turns (q a, a q, q a …) over the same connections, so that both see the same
 * machine. The attackers are stopped in a quiet slice, with their connections open; what guests saw
 * before they came at all is told beside it.
 *
 * What is timed is the server: from handing a message to the kernel until the kernel has the answer
 * for us (its own stamp, SO_TIMESTAMPNS). How late this process was to send, as it shares a core
 * with the attackers, is in neither (late_p99_us). A host that takes processors away (steal_*) is:
 * where it does, the lower quartile of the slices' p99s (*_low_us) is nearer to the server's. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    UNSEEN_NS = 100000,
    RING = 4096,
    SEALED = 4096,
    PAYLOAD = 32,
    FRAME_OUT = PAYLOAD + 6,
    FRAME_IN = PAYLOAD + 2
};
enum { UNTOLD = UINT32_MAX, BEFORE = 0, QUIET = 1, ATTACKED = 2, PHASES = 3 };

/* Between two slices attackers begin or end, and answers of the one before may still come. */
static const uint64_t settle_ns = 100000000;

typedef struct sent {
    uint64_t ns;
    uint32_t slice; /* in which it was sent, UNTOLD for none */
} sent;

typedef struct guest {
    int fd;
    struct ssl_st *ssl; /* NULL: without TLS */
    uint64_t sent;
    uint64_t received;
    size_t have;
    uint8_t part[FRAME_IN];
    sent ring[RING];
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
    uint32_t slice;         /* whose answers are counted */
    bool open;              /* what is sent now belongs to it */
    int phase;              /* of the slice */
    tusk_hist *one;         /* of the slice */
    tusk_hist *all[PHASES]; /* of a phase */
    tusk_hist *late;        /* of sending, attacked */
    double cpu[PHASES];
    double stolen[PHASES];
    double seconds[PHASES];
    uint64_t made; /* attacked, by a flood that counts */
} beside;

/* The clock of the kernel's stamps. */
static uint64_t stamp_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

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
    (void)ws_put_masked(frame, 2, payload, PAYLOAD, (uint32_t)self->ticks * 2654435761U);
    uint64_t now = now_ns();
    if (self->open && self->phase == ATTACKED) {
        tusk_hist_record(self->late, now > due_ns ? now - due_ns : 1);
    }
    one->ring[one->sent++ % RING] =
        (sent){.ns = stamp_ns(), .slice = self->open ? self->slice : UNTOLD};
    if (one->ssl != NULL ? !tls_send_all(one->ssl, frame, FRAME_OUT)
                         : !net_send_all(one->fd, frame, FRAME_OUT)) {
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

static void record(beside *self, sent *what, uint64_t stamp)
{
    if (what->slice == self->slice) {
        tusk_hist_record(self->one, stamp > what->ns ? stamp - what->ns : 1);
    }
    what->slice = UNTOLD;
}

static void on_frame(beside *self, guest *one, uint32_t who, uint64_t stamp)
{
    uint8_t wanted[FRAME_IN] = {0x82, PAYLOAD};
    payload_of(wanted + 2, who, one->received);
    if (one->received == one->sent || memcmp(wanted, one->part, FRAME_IN) != 0) {
        result_error(self->result, "an answer differs from what was sent");
        return;
    }
    record(self, &one->ring[one->received++ % RING], stamp);
    self->result->messages++;
    one->have = 0;
}

/* As recv(), and when the last of it came. */
static ssize_t receive(int fd, void *ptr, size_t size, uint64_t *stamp)
{
    union {
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = ptr, .iov_len = size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t n = recvmsg(fd, &message, 0);
    struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *stamp = 0;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_TIMESTAMPNS) {
        struct timespec time;
        memcpy(&time, CMSG_DATA(head), sizeof(time));
        *stamp = (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
    }
    return n;
}

static void on_bytes(beside *self, guest *one, uint32_t who, size_t len, uint64_t stamp)
{
    one->have += len;
    if (one->have == FRAME_IN) {
        if (stamp == 0) {
            result_error(self->result, "the kernel gives no time stamps");
        }
        on_frame(self, one, who, stamp);
    }
}

/* A record is here when its last byte is: the kernel stamps sealed bytes, and opening them is ours.
 */
static ssize_t receive_sealed(beside *self, guest *one, uint32_t who)
{
    uint8_t sealed[SEALED];
    uint64_t stamp;
    ssize_t n = receive(one->fd, sealed, sizeof(sealed), &stamp);
    if (n <= 0) {
        return n;
    }
    tls_feed(one->ssl, sealed, (size_t)n);
    for (ssize_t k; (k = tls_recv(one->ssl, one->part + one->have, FRAME_IN - one->have)) > 0;) {
        on_bytes(self, one, who, (size_t)k, stamp);
        if (self->result->errors > 0) {
            break;
        }
    }
    return n;
}

static void on_readable(beside *self, uint32_t who)
{
    guest *one = &self->guests[who];
    while (self->result->errors == 0) {
        uint64_t stamp;
        ssize_t n = one->ssl != NULL
                        ? receive_sealed(self, one, who)
                        : receive(one->fd, one->part + one->have, FRAME_IN - one->have, &stamp);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (n <= 0) {
            result_error(self->result, "connection lost: %s", n == 0 ? "closed" : strerror(errno));
        } else if (one->ssl == NULL) {
            on_bytes(self, one, who, (size_t)n, stamp);
        }
    }
}

static void watch(beside *self, int fd, uint32_t who)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = who};
    (void)epoll_ctl(self->poller, EPOLL_CTL_ADD, fd, &event);
}

static tusk_hist *hist_new(void)
{
    static const tusk_hist_range minute = {
        .lowest = 1, .highest = UINT64_C(60000000000), .digits = 3};
    tusk_hist *hist;
    if (tusk_hist_new(&hist, tusk_mem_default(), minute) != TUSK_OK) {
        die("out of memory");
    }
    return hist;
}

static void welcome(guest *one, const driver_options *options, uint32_t index)
{
    if (options->tls) {
        one->ssl = ws_open_tls(options, index, &one->fd);
        tls_take_reads(one->ssl);
    } else {
        one->fd = ws_open(options, index);
    }
}

static void begin(beside *self)
{
    double rate = self->options->rate > 1 ? self->options->rate : 1;
    self->period_ns = (uint64_t)(1e9 / rate);
    self->poller = epoll_create1(EPOLL_CLOEXEC);
    self->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    self->guests = must_alloc(self->options->conns, sizeof(guest));
    for (uint32_t i = 0; i < self->options->conns; i++) {
        int on = 1;
        welcome(&self->guests[i], self->options, i);
        (void)setsockopt(self->guests[i].fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
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

static void run_until(beside *self, uint64_t end_ns)
{
    while (now_ns() < end_ns && self->result->errors == 0) {
        struct epoll_event events[EVENTS_MAX];
        int n = epoll_wait(self->poller, events, EVENTS_MAX, 10);
        for (int i = 0; i < n; i++) {
            if (events[i].data.u32 == UINT32_MAX) {
                on_time(self);
            } else {
                on_readable(self, events[i].data.u32);
            }
        }
    }
}

/* Who has no answer yet has waited so long at least. */
static void count_unanswered(beside *self)
{
    uint64_t now = stamp_ns();
    for (uint32_t i = 0; i < self->options->conns; i++) {
        guest *one = &self->guests[i];
        for (uint64_t at = one->received; at < one->sent; at++) {
            record(self, &one->ring[at % RING], now);
        }
    }
}

/* What the host took away, of all processors. */
static double stolen_seconds(void)
{
    unsigned long long ticks = 0;
    FILE *stat = fopen("/proc/stat", "re");
    if (stat == NULL || fscanf(stat, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1) {
        ticks = 0;
    }
    if (stat != NULL) {
        (void)fclose(stat);
    }
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* The p99 of what was sent in it, in ns. */
static double slice(beside *self, int phase)
{
    uint64_t length_ns = (uint64_t)(self->options->slice * 1e9);
    run_until(self, now_ns() + settle_ns);
    double cpu = proc_cpu_seconds(self->options->pid);
    double stolen = stolen_seconds();
    uint64_t from_ns = now_ns();
    uint64_t made = attack_made();
    tusk_hist_reset(self->one);
    self->slice++;
    self->phase = phase;
    self->open = true;
    run_until(self, from_ns + length_ns);
    self->open = false;
    self->made += phase == ATTACKED ? attack_made() - made : 0;
    self->cpu[phase] += proc_cpu_seconds(self->options->pid) - cpu;
    self->stolen[phase] += stolen_seconds() - stolen;
    self->seconds[phase] += (double)(now_ns() - from_ns) / 1e9;
    run_until(self, now_ns() + settle_ns);
    count_unanswered(self);
    (void)tusk_hist_merge(self->all[phase], self->one);
    (void)tusk_hist_merge(self->result->latency, self->one);
    return (double)tusk_hist_percentile(self->one, 99);
}

static void tell(beside *self)
{
    static const char *const names[PHASES][5] = {
        {"before_p50_us", "before_p99_us", "before_p999_us", "before_util", "before_stolen"},
        {"quiet_p50_us", "quiet_p99_us", "quiet_p999_us", "quiet_util", "quiet_stolen"},
        {"attacked_p50_us", "attacked_p99_us", "attacked_p999_us", "attacked_util",
         "attacked_stolen"},
    };
    static const double points[] = {50, 99, 99.9};
    for (int phase = 0; phase < PHASES; phase++) {
        double seconds = self->seconds[phase] > 0 ? self->seconds[phase] : 1;
        for (int i = 0; i < 3; i++) {
            result_fact(self->result, names[phase][i],
                        (double)tusk_hist_percentile(self->all[phase], points[i]) / 1e3);
        }
        result_fact(self->result, names[phase][3], self->cpu[phase] / seconds);
        result_fact(self->result, names[phase][4], self->stolen[phase] / seconds);
    }
    if (self->seconds[ATTACKED] > 0) {
        result_fact(self->result, "made_per_second", (double)self->made / self->seconds[ATTACKED]);
    }
    result_fact(self->result, "late_p99_us", (double)tusk_hist_percentile(self->late, 99) / 1e3);
}

static int by_size(const void *one, const void *other)
{
    double a = *(const double *)one;
    double z = *(const double *)other;
    return a < z ? -1 : a > z;
}

static void tell_low(driver_result *result)
{
    double p99[2][PAIRS_MAX];
    for (size_t i = 0; i < result->n_pairs; i++) {
        p99[0][i] = result->pairs[i].quiet_us;
        p99[1][i] = result->pairs[i].attacked_us;
    }
    for (int side = 0; side < 2 && result->n_pairs > 0; side++) {
        qsort(p99[side], result->n_pairs, sizeof(double), by_size);
        result_fact(result, side == 0 ? "quiet_low_us" : "attacked_low_us",
                    p99[side][result->n_pairs / 4]);
    }
}

static void end(beside *self)
{
    for (uint32_t i = 0; i < self->options->conns; i++) {
        (void)close(self->guests[i].fd);
    }
    for (int phase = 0; phase < PHASES; phase++) {
        tusk_hist_free(self->all[phase]);
    }
    tusk_hist_free(self->one);
    tusk_hist_free(self->late);
    (void)close(self->timer);
    (void)close(self->poller);
    free(self->guests);
}

/* What else the machine does makes neither the server nor this process wait, where that is allowed:
 * p99 of a machine that others use as well is theirs otherwise. Niceness does not do it, as it
 * counts only within a session (autogroup). */
static bool go_first(pid_t pid)
{
    const struct sched_param least = {.sched_priority = 1};
    return sched_setscheduler(pid, SCHED_FIFO | SCHED_RESET_ON_FORK, &least) == 0;
}

static void compare(beside *self, pid_t attacker)
{
    for (uint32_t i = 0; i < self->options->pairs && self->result->errors == 0; i++) {
        double p99[PHASES];
        for (int half = 0; half < 2; half++) {
            int phase = (half == 0) == (i % 2 == 0) ? QUIET : ATTACKED;
            attack_pause(attacker, phase == QUIET);
            p99[phase] = slice(self, phase);
        }
        result_pair(self->result, p99[QUIET] / 1e3, p99[ATTACKED] / 1e3);
    }
}

void mode_ws_beside(const driver_options *options, driver_result *result)
{
    beside self = {.options = options, .result = result, .one = hist_new()};
    self.late = hist_new();
    for (int phase = 0; phase < PHASES; phase++) {
        self.all[phase] = hist_new();
    }
    bool first = go_first(0) && (options->pid <= 0 || go_first(options->pid));
    result_fact(result, "first", first ? 1 : 0);
    begin(&self);
    uint64_t start_ns = now_ns();
    run_until(&self, start_ns + (uint64_t)(options->warmup * 1e9));
    for (uint32_t i = 0; i < options->pairs / 4 + 1; i++) {
        (void)slice(&self, BEFORE);
    }
    pid_t attacker = attack_start(options);
    run_until(&self, now_ns() + 10 * settle_ns); /* until all of them have come */
    compare(&self, attacker);
    attack_end(attacker);
    result->seconds = (double)(now_ns() - start_ns) / 1e9;
    tell(&self);
    tell_low(result);
    end(&self);
}
