/* SPDX-License-Identifier: MIT */
/* The application's side: opens the region, forks the template, reads its reports, closes. */
#define _GNU_SOURCE
#include <tusk/work.h>

#include "base/mem.h"
#include "work/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)

#if defined(__linux__)
#include <sys/eventfd.h>

/* ---- opening ---- */
static bool fit(const tusk_work_options *options)
{
    return options->workers_max >= 1 && options->workers_max <= TUSK_WORK_WORKERS_MAX &&
           options->workers >= 1 && options->workers <= options->workers_max &&
           options->queue >= 1 && options->queue <= 65536 && options->calls != NULL;
}

static tusk_err set_up(tusk_work *self, const tusk_work_options *options)
{
    tusk_work_options *own = &self->shape.options;
    *own = *options;
    own->grace_ms = options->grace_ms == 0 ? 50 : options->grace_ms;
    self->shape.mem = self->mem;
    own->arena_bytes = options->arena_bytes == 0 ? ARENA_BYTES : options->arena_bytes;
    tusk_err err = tusk__region_open(&self->shape.region, options->workers_max, options->queue,
                                     own->arena_bytes, options->argv != NULL);
    if (err != TUSK_OK) {
        return err;
    }
    tusk__arena_init(&self->arena, self->mem, region_arena(&self->shape.region, APPLICATION),
                     self->shape.region.arena_size);
    err = tusk__lane_init(&self->lane, self->mem, &self->shape.region, APPLICATION, &self->arena);
    if (err != TUSK_OK) {
        return err;
    }
    self->lane.work = self;
    self->lane.spin_us = self->lane.apart.soon_us = options->spin_us;
    self->shape.bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    self->shape.wish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->shape.bell_fd < 0 || self->shape.wish_fd < 0) {
        return TUSK_ESYS;
    }
    self->lane.fd = self->shape.bell_fd;
    return tusk__heir_fork(self);
}

tusk_err tusk_work_open(tusk_work **out, const tusk_work_options *options)
{
    *out = NULL;
    if (!fit(options)) {
        return TUSK_EINVAL;
    }
    const tusk_mem *mem = options->mem == NULL ? tusk_mem_default() : options->mem;
    tusk_work *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->mem = mem;
    self->owner_pid = (int)getpid();
    tusk__heir_init(&self->heir);
    self->shape.bell_fd = self->shape.wish_fd = self->shape.life_fd = -1;
    for (int i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        self->guests[i].pidfd = -1;
    }
    tusk_err err = set_up(self, options);
    if (err != TUSK_OK) {
        int why = errno;
        tusk_work_close(self);
        errno = why;
        return err;
    }
    *out = self;
    return TUSK_OK;
}

/* ---- closing ---- */
static void end_guest(guest *self, bool ours)
{
    int status;
    struct pollfd end = {.fd = self->pidfd, .events = POLLIN};
    if (self->pid != 0 && ours) {
        (void)kill(self->pid, SIGKILL);
        while (tusk__reap(self->pid, self->pidfd, &status) == 0) {
            (void)poll(&end, self->pidfd >= 0 ? 1 : 0, 5);
        }
    }
    owner_close_fd(&self->pidfd);
    self->pid = 0;
}

void tusk_work_close(tusk_work *self)
{
    if (self == NULL) {
        return;
    }
    bool ours = (int)getpid() == self->owner_pid;
    for (int i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        end_guest(&self->guests[i], ours);
    }
    tusk__heir_end(self, ours);
    owner_close_fd(&self->shape.bell_fd);
    owner_close_fd(&self->shape.wish_fd);
    tusk__lane_fini(&self->lane);
    tusk__arena_fini(&self->arena);
    tusk__region_close(&self->shape.region);
    tusk__free(self->mem, self, sizeof(*self));
}

void tusk_work_detach(tusk_work *self)
{
    for (int i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        self->guests[i] = (guest){.pidfd = -1};
    }
    tusk__heir_init(&self->heir);
    tusk__lane_fini(&self->lane); /* by what the region says of it */
    self->shape.bell_fd = self->shape.wish_fd = self->shape.region.fd = -1;
    tusk__region_close(&self->shape.region);
}

static void look_at_guests(tusk_work *self)
{
    for (int i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        guest *seat = &self->guests[i];
        int status = 0;
        int ended = seat->pid == 0 ? 0 : tusk__reap(seat->pid, seat->pidfd, &status);
        if (ended != 0) {
            seat->pid = 0;
            seat->status = ended < 0 ? -1 : status;
            owner_close_fd(&seat->pidfd);
            tusk__lane_sweep(&self->lane);
        }
    }
}

void tusk__work_check(tusk_work *self)
{
    tusk__heir_read(self);
    tusk__heir_look(self);
}

void tusk__work_news(tusk_work *self)
{
    uint32_t news = atomic_load_explicit(&self->shape.region.head->news, memory_order_acquire);
    if (news != self->news) {
        self->news = news;
        tusk__heir_read(self);
    }
    if (self->heir.pid == 0) {
        tusk__heir_look(self);
    }
    look_at_guests(self);
}

bool tusk_work_ended(const tusk_work *self)
{
    return self->ended;
}

bool tusk_work_look(tusk_work *self, const char **reason)
{
    uint64_t count;
    (void)!read(self->shape.bell_fd, &count, sizeof(count));
    tusk__work_news(self);
    tusk__lane_look_after(&self->lane);
    *reason = self->ended ? self->reason : NULL;
    return !self->ended;
}

bool tusk_work_ready(const tusk_work *self)
{
    return self->heir.ready;
}

/* ---- what the lane asks ---- */
bool tusk__work_hand_dead(tusk_work *self, uint32_t hand, uint32_t incarnation, int *status)
{
    uint32_t workers = self->shape.region.workers;
    if (hand >= workers) {
        const guest *seat = &self->guests[hand - workers];
        *status = seat->status;
        return seat->incarnation != incarnation || seat->pid == 0;
    }
    const known_hand *known = &self->hands[hand];
    *status = known->status;
    return known->any_dead && (int16_t)(uint16_t)(known->dead - incarnation) >= 0;
}

int tusk__work_hand_pid(const tusk_work *self, uint32_t hand, uint32_t incarnation)
{
    uint32_t workers = self->shape.region.workers;
    if (hand >= workers) {
        return hand < self->shape.region.hands ? self->guests[hand - workers].last_pid : 0;
    }
    const known_hand *known = &self->hands[hand];
    return known->incarnation == incarnation ? known->pid
           : known->dead == incarnation      ? known->dead_pid
                                             : 0;
}

void tusk__work_hear(tusk_work *self)
{
    tusk__heir_read(self);
}

int tusk__work_worker_pid(const tusk_work *self, uint32_t hand)
{
    return hand < self->shape.region.workers ? self->hands[hand].pid : 0;
}

void tusk__work_submitted(tusk_work *self, uint32_t count)
{
    if (self->counters.workers >= self->shape.region.workers || !self->heir.ready) {
        return;
    }
    /* As many workers as tasks, and none is kept busy by a task's own: no need to ask each of them,
     * which would fetch a line that it writes to. */
    uint32_t there = (uint32_t)self->counters.workers + self->heir.coming;
    uint32_t tasks = self->lane.outstanding;
    bool alone = atomic_load_explicit(&self->shape.region.head->inner, memory_order_relaxed) == 0;
    if (alone && tasks <= there) {
        return;
    }
    uint32_t most = alone && tasks - there < count ? tasks - there : count;
    tusk__heir_grow(self, tusk__unserved(&self->shape.region, most));
}

void tusk__work_signal(tusk_work *self, uint32_t slot, uint64_t word, bool kill_it)
{
    uint32_t workers = self->shape.region.workers;
    uint32_t hand = word_hand(word);
    if (hand < workers) {
        (void)tusk__heir_command(self,
                                 (work_command){.verb = kill_it ? COMMAND_KILL : COMMAND_INTERRUPT,
                                                .number = slot,
                                                .word = word});
    } else if (self->guests[hand - workers].pid != 0) {
        (void)kill(self->guests[hand - workers].pid, kill_it ? SIGKILL : SIGVTALRM);
    }
}

void tusk__work_signal_template(tusk_work *self, int number)
{
    if (self->heir.pid != 0 && (int)getpid() == self->owner_pid) {
        (void)kill(self->heir.pid, number);
    }
}

bool tusk__work_restless(const tusk_work *self)
{
    if (self->heir.pid == 0 && !self->ended) {
        return true;
    }
    for (int i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        if (self->guests[i].pid != 0) {
            return true;
        }
    }
    return false;
}

uint32_t tusk__work_grace_ms(const tusk_work *self)
{
    return self->shape.options.grace_ms;
}

/* ---- guests: forks of the application ---- */
/* A seat is free when its process is gone and its answer was taken. */
static bool seat_free(const tusk_work *self, const guest *seat)
{
    const own_slot *own = &self->lane.own[seat->slot];
    return seat->pid == 0 && (seat->incarnation == 0 || own->phase != OWN_SUBMITTED ||
                              own->generation != seat->generation);
}

tusk_err tusk__work_guest_seat(tusk_work *self, uint32_t *hand, uint32_t *incarnation)
{
    look_at_guests(self);
    for (uint32_t i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        guest *seat = &self->guests[i];
        if (seat_free(self, seat)) {
            seat->incarnation = (seat->incarnation & 0xffff) % 0xffff + 1;
            *hand = self->shape.region.workers + i;
            *incarnation = seat->incarnation;
            return TUSK_OK;
        }
    }
    return TUSK_ELIMIT;
}

/* Who cancels it at once interrupts it before it can heed that: it is told when it begins. */
static int fork_uninterrupted(void)
{
    sigset_t interrupt;
    sigset_t before;
    (void)sigemptyset(&interrupt);
    (void)sigaddset(&interrupt, SIGVTALRM);
    (void)sigprocmask(SIG_BLOCK, &interrupt, &before);
    int pid = (int)fork();
    if (pid != 0) {
        int why = errno;
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        errno = why;
    }
    return pid;
}

tusk_err tusk__work_guest_fork(tusk_work *self, uint32_t hand, uint32_t slot, uint64_t word)
{
    guest *seat = &self->guests[hand - self->shape.region.workers];
    int parent = (int)getpid();
    seat->slot = slot;
    seat->generation = word_generation(word);
    (void)fflush(NULL);
    int pid = fork_uninterrupted();
    if (pid == 0) {
        if (!tusk__die_with(parent)) {
            _exit(1);
        }
        tusk__calm_signals();
        tusk__process_name("tusk-guest");
        tusk__work_end_all_but(&self->shape, &self->shape.bell_fd, 1);
        (void)dup2(2, 1);
        tusk__guest_main(&self->shape, hand, slot, word);
    }
    if (pid < 0) {
        return TUSK_ESYS;
    }
    seat->pid = seat->last_pid = pid;
    seat->status = -1;
    seat->pidfd = tusk__pidfd_open(pid);
    self->counters.guests++;
    return TUSK_OK;
}

/* ---- small answers ---- */
tusk_lane *tusk_work_lane(tusk_work *self)
{
    return &self->lane;
}

int tusk_work_fd(const tusk_work *self)
{
    return self->shape.bell_fd;
}

void tusk_work_listen(tusk_work *self, bool on)
{
    shared_lane *lane = self->lane.view->lane;
    if (on) {
        atomic_fetch_or(&lane->waits, WAITS_FD);
    } else {
        atomic_fetch_and(&lane->waits, ~(uint32_t)WAITS_FD);
    }
}

void tusk_work_count(const tusk_work *self, tusk_work_counters *out)
{
    *out = self->counters;
    out->corrupt = self->lane.corrupt;
    out->idle = tusk__region_idle(&self->shape.region);
}

int tusk_work_template_pid(const tusk_work *self)
{
    return self->heir.pid;
}

#else

typedef int tusk__work_is_not_built; /* an empty file would not be C */

#endif
