/* SPDX-License-Identifier: MIT */
/* The application's side: opens the region, forks the template, reads its reports, closes. */
#define _GNU_SOURCE
#include <tusk/work.h>

#include "base/mem.h"
#include "work/template.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)
#define QUIT_MS 2000

#if defined(__linux__)
#include <sys/eventfd.h>

typedef struct known_hand {
    int pid, dead_pid;
    uint32_t incarnation; /* the last that was born */
    uint32_t dead;        /* the last that died */
    int status;
    bool any_dead;
    bool killed; /* by us */
} known_hand;

typedef struct guest {
    int pid; /* 0: the seat is empty */
    int last_pid;
    int pidfd;
    uint32_t incarnation;
    uint32_t slot;
    uint32_t generation;
    int status;
} guest;

struct tusk_work {
    const tusk_mem *mem;
    work_shape shape;
    tusk_lane lane;
    work_arena arena;
    int commands, reports;
    int commands_end; /* the template's end, kept so that writing never raises SIGPIPE */
    int template_pid, template_fd;
    int owner_pid;
    bool ready, ended;
    uint32_t news; /* reports read so far, as the region counts them */
    uint8_t partial[sizeof(work_report) + TUSK_WORK_REASON_MAX];
    size_t partial_len;
    char reason[TUSK_WORK_REASON_MAX];
    known_hand hands[TUSK_WORK_WORKERS_MAX];
    guest guests[TUSK_WORK_GUESTS_MAX];
    tusk_work_counters counters;
};

/* ---- opening ---- */
static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

static bool fit(const tusk_work_options *options)
{
    return options->workers_max >= 1 && options->workers_max <= TUSK_WORK_WORKERS_MAX &&
           options->workers >= 1 && options->workers <= options->workers_max &&
           options->queue >= 1 && options->queue <= 65536 && options->calls != NULL;
}

static tusk_err fork_template(tusk_work *self)
{
    int down[2];
    int up[2];
    if (pipe2(down, O_CLOEXEC) != 0) {
        return TUSK_ESYS;
    }
    if (pipe2(up, O_CLOEXEC | O_NONBLOCK) != 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return TUSK_ESYS;
    }
    int parent = (int)getpid();
    (void)fflush(NULL);
    int pid = (int)fork();
    if (pid == 0) {
        if (!tusk__die_with(parent)) {
            _exit(1);
        }
        (void)fcntl(up[1], F_SETFL, 0);
        tusk__template_main(&self->shape, down[0], up[1]);
    }
    (void)close(up[1]);
    self->commands_end = down[0];
    self->commands = down[1];
    self->reports = up[0];
    if (pid < 0) {
        return TUSK_ESYS;
    }
    (void)fcntl(self->commands, F_SETFL, O_NONBLOCK);
    self->template_pid = pid;
    self->template_fd = tusk__pidfd_open(pid);
    return TUSK_OK;
}

static tusk_err set_up(tusk_work *self, const tusk_work_options *options)
{
    tusk_work_options *own = &self->shape.options;
    *own = *options;
    own->grace_ms = options->grace_ms == 0 ? 50 : options->grace_ms;
    self->shape.mem = self->mem;
    tusk_err err =
        tusk__region_open(&self->shape.region, options->workers_max, options->queue,
                          options->arena_bytes == 0 ? ARENA_BYTES : options->arena_bytes);
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
    self->lane.spin_us = options->spin_us;
    self->shape.bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    self->shape.wish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->shape.bell_fd < 0 || self->shape.wish_fd < 0) {
        return TUSK_ESYS;
    }
    self->lane.fd = self->shape.bell_fd;
    return fork_template(self);
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
    self->commands = self->commands_end = self->reports = self->template_fd = -1;
    self->shape.bell_fd = self->shape.wish_fd = -1;
    for (int i = 0; i < TUSK_WORK_GUESTS_MAX; i++) {
        self->guests[i].pidfd = -1;
    }
    tusk_err err = set_up(self, options);
    if (err != TUSK_OK) {
        tusk_work_close(self);
        return err;
    }
    *out = self;
    return TUSK_OK;
}

/* ---- closing ---- */
static void command(tusk_work *self, work_command what)
{
    (void)!write(self->commands, &what, sizeof(what));
}

/* The template has to end, by itself or by force; nobody else's child is waited for. */
static void end_template(tusk_work *self)
{
    int status;
    command(self, (work_command){.verb = COMMAND_QUIT});
    uint64_t until_ns = tusk_loop_clock_ns() + (uint64_t)QUIT_MS * 1000000;
    struct pollfd end = {.fd = self->template_fd, .events = POLLIN};
    while (tusk__reap(self->template_pid, self->template_fd, &status) == 0) {
        if (tusk_loop_clock_ns() >= until_ns) {
            (void)kill(self->template_pid, SIGKILL);
        }
        (void)poll(&end, self->template_fd >= 0 ? 1 : 0, self->template_fd >= 0 ? 100 : 5);
    }
}

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
    close_fd(&self->pidfd);
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
    if (ours && self->template_pid != 0) {
        end_template(self);
    }
    close_fd(&self->commands);
    close_fd(&self->commands_end);
    close_fd(&self->reports);
    close_fd(&self->template_fd);
    close_fd(&self->shape.bell_fd);
    close_fd(&self->shape.wish_fd);
    tusk__lane_fini(&self->lane);
    tusk__arena_fini(&self->arena);
    tusk__region_close(&self->shape.region);
    tusk__free(self->mem, self, sizeof(*self));
}

/* ---- reports ---- */
static void take_in(tusk_work *self, const work_report *what, const uint8_t *text)
{
    if (what->kind == REPORT_READY) {
        self->ready = true;
        if (self->lane.outstanding > self->shape.options.workers) {
            command(self,
                    (work_command){.verb = COMMAND_GROW,
                                   .count = self->lane.outstanding - self->shape.options.workers});
        }
    } else if (what->kind == REPORT_FAILED) {
        (void)snprintf(self->reason, sizeof(self->reason), "%.*s", (int)what->text,
                       (const char *)text);
        self->ended = true;
        tusk__lane_sweep(&self->lane);
    } else if (what->hand < TUSK_WORK_WORKERS_MAX) {
        known_hand *hand = &self->hands[what->hand];
        if (what->kind == REPORT_BORN) {
            hand->pid = what->pid;
            hand->incarnation = what->incarnation;
            self->counters.forked++;
            self->counters.workers++;
            return;
        }
        hand->dead_pid = what->pid;
        hand->incarnation = hand->pid == what->pid ? 0 : hand->incarnation;
        hand->pid = hand->pid == what->pid ? 0 : hand->pid;
        hand->dead = what->incarnation;
        hand->any_dead = true;
        hand->status = what->status;
        self->counters.workers--;
        bool retired = what->status == WORKER_RETIRED << 8 || what->status == WORKER_IDLE << 8;
        self->counters.retired += retired;
        self->counters.died += !retired;
        self->counters.killed += what->status == SIGKILL;
        tusk__lane_sweep(&self->lane);
    }
}

static void read_reports(tusk_work *self)
{
    for (;;) {
        ssize_t got = read(self->reports, self->partial + self->partial_len,
                           sizeof(self->partial) - self->partial_len);
        if (got <= 0) {
            return;
        }
        self->partial_len += (size_t)got;
        size_t at = 0;
        work_report what;
        while (self->partial_len - at >= sizeof(what)) {
            memcpy(&what, self->partial + at, sizeof(what));
            if (what.text > TUSK_WORK_REASON_MAX ||
                self->partial_len - at - sizeof(what) < what.text) {
                break;
            }
            take_in(self, &what, self->partial + at + sizeof(what));
            at += sizeof(what) + what.text;
        }
        memmove(self->partial, self->partial + at, self->partial_len - at);
        self->partial_len -= at;
    }
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
            close_fd(&seat->pidfd);
            tusk__lane_sweep(&self->lane);
        }
    }
}

static void look_at_template(tusk_work *self)
{
    int status = 0;
    int ended = self->ended ? 0 : tusk__reap(self->template_pid, self->template_fd, &status);
    if (ended == 0) {
        return;
    }
    read_reports(self); /* its last words */
    self->template_pid = 0;
    if (!self->ended) {
        self->ended = true;
        (void)snprintf(self->reason, sizeof(self->reason), "the template process ended (%s %d)",
                       (status & 0x7f) != 0 ? "signal" : "exit",
                       (status & 0x7f) != 0 ? status & 0x7f : status >> 8);
    }
    tusk__lane_sweep(&self->lane);
}

void tusk__work_check(tusk_work *self)
{
    read_reports(self);
    look_at_template(self);
}

void tusk__work_news(tusk_work *self)
{
    uint32_t news = atomic_load_explicit(&self->shape.region.head->news, memory_order_acquire);
    if (news != self->news) {
        self->news = news;
        read_reports(self);
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
    return self->ready;
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
    return self->template_pid == 0 ||
           (known->any_dead && (int16_t)(uint16_t)(known->dead - incarnation) >= 0);
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

void tusk__work_submitted(tusk_work *self, uint32_t count)
{
    if (self->counters.workers >= self->shape.region.workers || !self->ready) {
        return;
    }
    uint32_t idle = tusk__region_idle(&self->shape.region);
    if (idle < count) {
        command(self, (work_command){.verb = COMMAND_GROW, .count = count - idle});
    }
}

void tusk__work_signal(tusk_work *self, uint32_t hand, uint32_t incarnation, bool kill_it)
{
    uint32_t workers = self->shape.region.workers;
    if (hand < workers) {
        command(self, (work_command){.verb = kill_it ? COMMAND_KILL : COMMAND_INTERRUPT,
                                     .hand = hand,
                                     .incarnation = incarnation});
    } else if (self->guests[hand - workers].pid != 0) {
        (void)kill(self->guests[hand - workers].pid, kill_it ? SIGKILL : SIGVTALRM);
    }
}

bool tusk__work_has_guests(const tusk_work *self)
{
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

tusk_err tusk__work_guest_fork(tusk_work *self, uint32_t hand, uint32_t slot, uint64_t word)
{
    guest *seat = &self->guests[hand - self->shape.region.workers];
    int parent = (int)getpid();
    seat->slot = slot;
    seat->generation = word_generation(word);
    (void)fflush(NULL);
    int pid = (int)fork();
    if (pid == 0) {
        if (!tusk__die_with(parent)) {
            _exit(1);
        }
        tusk__calm_signals();
        tusk__process_name("tusk-guest");
        tusk__close_all_but(&self->shape.bell_fd, 1);
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

int tusk_work_pid(const tusk_work *self, uint32_t worker)
{
    uint32_t workers = self->shape.region.workers;
    if (worker < workers) {
        return self->hands[worker].pid;
    }
    return worker < self->shape.region.hands ? self->guests[worker - workers].pid : 0;
}

int tusk_work_template_pid(const tusk_work *self)
{
    return self->template_pid;
}

#else

typedef int tusk__work_is_not_built; /* an empty file would not be C */

#endif
