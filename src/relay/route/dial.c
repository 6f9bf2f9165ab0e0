/* SPDX-License-Identifier: MIT */
/* Dialling: target after target, address after address, until one serves. */
#define _GNU_SOURCE
#include "relay/route/dial.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/descriptors.h"
#include "net/socket.h"
#include "relay/route/lack.h"
#include "relay/route/queue.h"
#include "relay/used.h"

/* So long a name is waited for whose last addresses are known: RFC 8767, 5. */
enum { STALE_WAIT_MS = 1800 };

static void on_due(tusk_timer *timer);

static void leave_target(relay_dial *self)
{
    tusk__link_remove(&self->waiting);
    if (self->target != NULL) {
        relay_target_leave(self->target);
        self->target = NULL;
    }
}

static tusk_io *io_of(relay_dial *self)
{
    return self->io != NULL ? self->io : &self->own;
}

/* Also where the owner's event took it out of the poller before it came here. */
static void close_socket(relay_dial *self)
{
    if (self->state == DIAL_CONNECT) {
        tusk_io_close(self->relay->loop, io_of(self));
    }
}

/* Nothing is under way any more; the answer is not held. */
static void settle(relay_dial *self)
{
    tusk_timer_stop(self->relay->loop, &self->timer);
    relay_answer_unref(self->answer);
    self->answer = NULL;
    self->target = NULL;
    self->state = DIAL_IDLE;
}

void relay_dial_cancel(relay_dial *self)
{
    if (self->state == DIAL_IDLE) {
        return;
    }
    relay_queue_leave(self);
    close_socket(self);
    if (self->state == DIAL_OFFERED) {
        relay_health_leave(self->target); /* somebody else may try one that is ejected */
    } else {
        leave_target(self);
    }
    settle(self);
}

static void fail(relay_dial *self)
{
    tusk_err why = (tusk_err)self->why;
    settle(self);
    self->on_dialed(self, why, -1, NULL);
}

/* ---- one address ---- */
void relay_dial_hush(int fd, bool words_follow)
{
#if defined(TCP_QUICKACK)
    if (words_follow) {
        int off = 0;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &off, sizeof(off));
    }
#else
    (void)fd;
    (void)words_follow;
#endif
}

static void set_options(const relay_dial *self, int fd, const tusk_addr *addr)
{
    int on = 1;
    if (tusk_addr_family(addr) == AF_UNIX) {
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    relay_dial_hush(fd, self->words_follow);
    relay_set_options(self->relay, fd);
    if (self->io == NULL) { /* else a pair's, which sees to that when it has lived a while */
        relay_keep_alive(self->relay, fd);
    }
}

/* `errno` is that of `err`. */
static tusk_err err_of(const relay_dial *self, tusk_err err)
{
    if (err == TUSK_EEXHAUSTED) {
        relay_lack_tell(self->target, relay_lack_of(errno));
    }
    return err;
}

/* -1: `errno` tells. */
static int open_socket(tusk_relay *relay, int family)
{
    int fd = tusk__socket_open(family);
    if (fd >= 0 && !net_descriptors_has(fd, FOR_BACKENDS, &relay->descriptors_end)) {
        (void)close(fd);
        errno = EMFILE;
        return -1;
    }
    return fd;
}

static tusk_err begin(relay_dial *self, const tusk_addr *addr, bool *no_path)
{
    tusk_relay *relay = self->relay;
    if (!relay_guard_allows(&relay->guard, addr)) {
        relay->stats.refused_guard++;
        return TUSK_EPOLICY;
    }
    self->connect_ns = tusk_loop_now_ns(relay->loop);
    if (self->io != NULL && relay_used_connect(self->target, addr, self->words_follow, self->io)) {
        return TUSK_OK;
    }
    int fd = open_socket(relay, tusk_addr_family(addr));
    if (fd < 0 && relay->used_count > 0) { /* those of other targets may have the descriptors */
        relay_used_close(relay);
        fd = open_socket(relay, tusk_addr_family(addr));
    }
    if (fd < 0) {
        return err_of(self, tusk__socket_err_of(errno));
    }
    set_options(self, fd, addr);
    tusk_err err = tusk__socket_connect(fd, addr);
    if (err != TUSK_OK) {
        *no_path = errno == ENOENT;
        err = err_of(self, err);
        (void)close(fd);
        return err;
    }
    tusk_io *io = io_of(self);
    io->fd = fd;
    err = tusk_io_add(relay->loop, io,
                      TUSK_IO_NEW | TUSK_IO_WRITE | (self->io != NULL ? relay->armed : 0u));
    if (err != TUSK_OK) {
        (void)close(fd);
        io->fd = -1;
    }
    if (err != TUSK_OK && err != TUSK_ENOMEM) { /* there is nothing of the target in it */
        relay_lack_tell(self->target, LACK_WATCH);
        err = TUSK_EEXHAUSTED;
    }
    return err;
}

static uint64_t left_ms(const relay_dial *self)
{
    const tusk_relay_limits *limits = &self->relay->limits;
    uint64_t passed = tusk_loop_now_ms(self->relay->loop) - self->started_ms;
    uint32_t total = limits->connect_total_ms;
    return total == 0 ? UINT32_MAX : passed >= total ? 0 : total - passed;
}

/* An address is of no use. What another one of the same target has shown of it holds where this one
 * could not be tried (as one of a family that the machine has not). */
static void note_failure(relay_dial *self, tusk_err why, const char *end, bool blameless)
{
    self->failed = (uint8_t)(self->failed + (self->failed < UINT8_MAX ? 1 : 0));
    if (why == TUSK_EEXHAUSTED && self->addr_next > 1 && !self->blameless) {
        return;
    }
    self->why = (int16_t)why;
    self->end = end;
    self->no_path = false;
    /* Those of the guard or of what we lack say nothing of the target. */
    self->blameless =
        blameless || why == TUSK_EPOLICY || why == TUSK_ENOMEM || why == TUSK_EEXHAUSTED;
}

/* A target is, with all its addresses; the last one is what is judged by. */
static void count_failure(relay_dial *self)
{
    if (self->why != TUSK_EEXHAUSTED) { /* which is counted where it is told */
        self->relay->stats.dial_failures++;
        relay_target_count(self->target, METER_DIAL_FAILURES);
    }
    if (!self->blameless) {
        relay_health_failed(self->target);
    } else {
        relay_health_leave(self->target);
    }
}

/* So long one target may take. */
static uint64_t target_ms(const relay_dial *self)
{
    uint32_t own = self->answer->route.connect_ms;
    uint64_t wait = own != 0 ? own : self->relay->limits.connect_ms;
    uint64_t left = left_ms(self);
    return wait != 0 && wait < left ? wait : left;
}

static void try_addresses(relay_dial *self)
{
    tusk_relay *relay = self->relay;
    relay_target *target = self->target;
    while (self->addr_next < target->addr_count) {
        bool no_path = false;
        self->generation = target->generation;
        tusk_err err = begin(self, &target->addrs[self->addr_next++], &no_path);
        if (err == TUSK_OK) {
            self->state = DIAL_CONNECT;
            tusk_timer_start(relay->loop, &self->timer, target_ms(self));
            return;
        }
        note_failure(self, err, NULL, false);
        self->no_path = no_path;
    }
    count_failure(self);
    leave_target(self);
    relay_dial_next(self);
}

static void lost(relay_dial *self, tusk_err why)
{
    note_failure(self, why, NULL, false);
    close_socket(self);
    tusk_timer_stop(self->relay->loop, &self->timer);
    try_addresses(self);
}

void relay_dial_event(relay_dial *self, unsigned events)
{
    tusk_io *io = io_of(self);
    /* Writable and nothing else: it is connected, without a call to ask; but "select" sees no error
     * beside it. */
    bool doubtful = (events & TUSK_IO_HUP) != 0 || !relay_has_edges(self->relay);
    int number = doubtful ? tusk__socket_error(io->fd) : 0;
    if (number != 0 || (events & TUSK_IO_HUP) != 0) {
        lost(self, number == 0 ? TUSK_ERESET : tusk__socket_err_of(number));
        return;
    }
    if ((events & TUSK_IO_WRITE) == 0) {
        return;
    }
    int fd = io->fd;
    if (self->io == NULL) {
        tusk_io_remove(self->relay->loop, io);
        io->fd = -1;
    }
    self->events = (uint8_t)events;
    self->state = DIAL_OFFERED;
    self->offered_ms = tusk_loop_now_ms(self->relay->loop);
    relay_meter_observe(self->target->meter, METER_CONNECT,
                        relay_us_since(self->relay, self->connect_ns));
    tusk_timer_stop(self->relay->loop, &self->timer);
    self->on_dialed(self, TUSK_OK, fd, self->target);
}

/* ---- what the owner says of it ---- */
void relay_dial_accept(relay_dial *self)
{
    if (self->state == DIAL_OFFERED) {
        relay_health_succeeded(self->target);
        settle(self);
    }
}

void relay_dial_reject(relay_dial *self, tusk_err why, const char *end, bool blameless)
{
    assert(self->state == DIAL_OFFERED);
    self->started_ms += tusk_loop_now_ms(self->relay->loop) - self->offered_ms;
    note_failure(self, why, end, blameless);
    try_addresses(self);
}

void relay_dial_blame(relay_dial *self)
{
    if (self->state == DIAL_OFFERED) {
        self->blameless = false;
        count_failure(self);
        settle(self);
    }
}

uint16_t relay_dial_status(const relay_dial *self)
{
    return relay_status_of((tusk_err)self->why);
}

const char *relay_dial_reason(const relay_dial *self)
{
    /* Where nobody listens at the path the backend refuses, as at a port. */
    bool no_path = self->no_path && self->why == TUSK_EREFUSED;
    return self->end != NULL ? self->end
           : no_path         ? "the backend's socket does not exist"
                             : relay_reason_of((tusk_err)self->why);
}

static void on_own_event(tusk_io *io, unsigned events)
{
    relay_dial_event(TUSK_OWNER(io, relay_dial, own), events);
}

/* ---- names ---- */
void relay_dial_on_looked_up(tusk_lookup *lookup, const tusk_addr *addrs, int count)
{
    relay_target *target = TUSK_OWNER(lookup, relay_target, lookup);
    tusk_link ready;
    tusk_err err = relay_target_learn(target, addrs, count);
    (void)relay_target_ref(target); /* it outlives the dials that leave it here */
    tusk__list_init(&ready);
    tusk__list_splice(&ready, &target->waiting);
    tusk_link *link;
    while ((link = tusk__list_pop(&ready)) != NULL) {
        relay_dial *self = TUSK_OWNER(link, relay_dial, waiting);
        if (err != TUSK_OK) {
            note_failure(self, err, NULL, false);
            self->addr_next = UINT8_MAX;
        }
        try_addresses(self);
    }
    if (target->relay->ops->moved != NULL) {
        target->relay->ops->moved(target);
    }
    relay_target_unref(target);
}

static bool has_others(const relay_dial *self)
{
    uint64_t all = UINT64_MAX >> (64 - self->answer->choice_count);
    return self->attempts < self->relay->limits.attempts && (all & ~self->tried) != 0;
}

/* A name server that is silent holds up nobody who may go elsewhere, or to the last known
 * addresses; else it may take all the time there is, as the system's resolver asks the next server
 * only after some seconds. */
static uint64_t name_ms(const relay_dial *self)
{
    uint64_t wait = has_others(self) ? target_ms(self) : left_ms(self);
    return relay_target_has_stale(self->target) && wait > STALE_WAIT_MS ? STALE_WAIT_MS : wait;
}

static void look_up(relay_dial *self)
{
    tusk_relay *relay = self->relay;
    relay_target *target = self->target;
    tusk_err err = relay_target_look_up(target);
    if (err == TUSK_OK) {
        tusk__list_push(&target->waiting, &self->waiting);
        self->state = DIAL_NAME;
        tusk_timer_start(relay->loop, &self->timer, name_ms(self));
        return;
    }
    if (err == TUSK_EEXHAUSTED) {
        relay_lack_tell(target, LACK_THREAD);
    }
    if (!relay_target_use_stale(target)) {
        note_failure(self, err, NULL, false);
        self->addr_next = UINT8_MAX;
    }
    try_addresses(self);
}

/* ---- one target ---- */
/* Told from the timer. */
static void fail_soon(relay_dial *self, tusk_err why)
{
    self->end = why == (tusk_err)self->why ? self->end : NULL;
    self->why = (int16_t)why;
    self->state = DIAL_FAILED;
    tusk_timer_start(self->relay->loop, &self->timer, 0);
}

/* Whom the owner has chosen, unless that one is out or full meanwhile. */
static int pick(const relay_dial *self, tusk_err *why)
{
    bool in_line = self->queued_ms != 0;
    int chosen = -1;
    if (self->first != 0 && self->attempts == 0 &&
        !relay_health_is_out(self->answer->choices[self->first - 1].target)) {
        uint64_t others = ~(UINT64_C(1) << (self->first - 1));
        chosen = relay_pick(self->answer, self->tried | others, in_line, why);
    }
    return chosen >= 0 ? chosen : relay_pick(self->answer, self->tried, in_line, why);
}

void relay_dial_next(relay_dial *self)
{
    tusk_relay *relay = self->relay;
    tusk_err why = (tusk_err)self->why;
    int chosen = -1;
    if (self->attempts < relay->limits.attempts && left_ms(self) > 0) {
        chosen = pick(self, &why);
    }
    if (chosen < 0 && why == TUSK_ELIMIT && relay_queue_wait(self)) {
        return;
    }
    if (chosen < 0) {
        fail_soon(self, why);
        return;
    }
    relay->stats.dials++;
    relay->stats.retries += self->attempts > 0 ? 1 : 0;
    self->attempts++;
    self->tried |= UINT64_C(1) << chosen;
    self->last = (uint8_t)(chosen + 1);
    self->target = self->answer->choices[chosen].target;
    self->addr_next = 0;
    relay_target_enter(self->target);
    relay_target_count(self->target, METER_DIALS);
    relay_meter_add(self->target->meter, METER_RETRIES, self->attempts > 1 ? 1 : 0);
    if (self->target->numeric || tusk_loop_now_ms(relay->loop) < self->target->fresh_until_ms) {
        try_addresses(self);
    } else {
        look_up(self);
    }
}

void relay_dial_count_timeout(const relay_target *target)
{
    target->relay->stats.dial_timeouts++;
    relay_target_count(target, METER_DIAL_TIMEOUTS);
}

static void on_due(tusk_timer *timer)
{
    relay_dial *self = TUSK_OWNER(timer, relay_dial, timer);
    if (self->state == DIAL_LINE) {
        self->relay->stats.queue_timeouts++;
        relay_queue_say_full(self);
        self->why = TUSK_ELIMIT;
        self->end = NULL;
        relay_queue_leave(self);
        fail(self);
        return;
    }
    if (self->state == DIAL_FAILED) {
        fail(self);
        return;
    }
    tusk__link_remove(&self->waiting);
    if (self->state == DIAL_NAME && left_ms(self) > 0 && relay_target_use_stale(self->target)) {
        try_addresses(self);
        return;
    }
    relay_dial_count_timeout(self->target);
    if (left_ms(self) == 0 || self->state == DIAL_NAME) {
        self->addr_next = UINT8_MAX; /* those that are known are too old */
    }
    lost(self, TUSK_ETIMEOUT);
}

void relay_dial_start(relay_dial *self, tusk_relay *relay, relay_answer *answer)
{
    self->relay = relay;
    self->answer = relay_answer_ref(answer);
    self->target = NULL;
    self->tried = self->avoid;
    self->attempts = 0;
    self->failed = 0;
    self->last = 0;
    self->queued_ms = 0;
    self->waited_ms = 0;
    self->end = NULL;
    self->no_path = false;
    self->why = TUSK_ESYS;
    self->started_ms = tusk_loop_now_ms(relay->loop);
    self->timer.on_due = on_due;
    self->timer.deadline = true;
    self->own.on_event = on_own_event;
    relay_dial_next(self);
}
