/* SPDX-License-Identifier: MIT */
/* The application's side of the template: forks it, hears its reports, and when it dies forks
 * another one, once nobody of the old ones is left who could still write. */
#define _GNU_SOURCE
#include "work/owner.h"
#include "work/fresh.h"

#if defined(__linux__)

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define QUIT_MS 2000
#define GONE_MS 1000      /* for all workers to be gone after their template; SIGKILL was sent */
#define STABLE_MS 1000    /* who lived longer begins the count of failures anew */
#define PAUSE_MS_FIRST 10 /* doubled with each failure */
#define PAUSE_MS_MAX 1000 /* who lives for STABLE_MS is followed at once, which is as often */
#define UNREADY_MAX 5     /* so many in a row that never got ready are the end */

void tusk__heir_init(work_heir *self)
{
    *self = (work_heir){.commands = -1, .reports = -1, .commands_end = -1, .life = -1, .pidfd = -1};
}

static void close_ends(work_heir *self)
{
    owner_close_fd(&self->commands);
    owner_close_fd(&self->commands_end);
    owner_close_fd(&self->reports);
    owner_close_fd(&self->life);
    owner_close_fd(&self->pidfd);
    self->partial_len = 0;
}

/* ---- birth ---- */
static bool open_pipes(int *down, int *up, int *life)
{
    if (pipe2(down, O_CLOEXEC) == 0) {
        if (pipe2(up, O_CLOEXEC | O_NONBLOCK) == 0) {
            if (pipe2(life, O_CLOEXEC) == 0) {
                return true;
            }
            (void)close(up[0]);
            (void)close(up[1]);
        }
        (void)close(down[0]);
        (void)close(down[1]);
    }
    return false;
}

tusk_err tusk__heir_fork(tusk_work *self)
{
    work_heir *heir = &self->heir;
    int down[2];
    int up[2];
    int life[2];
    if (!open_pipes(down, up, life)) {
        return TUSK_ESYS;
    }
    int parent = (int)getpid();
    self->shape.life_fd = life[1];
    int pid = -1;
    if (self->shape.options.argv != NULL) {
        pid = tusk__fresh_spawn(&self->shape, down[0], up[1], &pid) == TUSK_OK ? pid : -1;
    } else {
        (void)fflush(NULL);
        pid = (int)fork();
    }
    if (pid == 0) {
        if (!tusk__die_with(parent)) {
            _exit(1);
        }
        (void)fcntl(up[1], F_SETFL, 0);
        tusk__template_main(&self->shape, down[0], up[1]);
    }
    (void)close(up[1]);
    (void)close(life[1]);
    self->shape.life_fd = -1;
    heir->commands_end = down[0];
    heir->commands = down[1];
    heir->reports = up[0];
    heir->life = life[0];
    if (pid < 0) {
        close_ends(heir);
        return TUSK_ESYS;
    }
    (void)fcntl(heir->commands, F_SETFL, O_NONBLOCK);
    heir->pid = pid;
    heir->pidfd = tusk__pidfd_open(pid);
    heir->born_ns = tusk_loop_clock_ns();
    heir->ready = false;
    self->counters.templates++;
    return TUSK_OK;
}

/* ---- words ---- */
bool tusk__heir_command(tusk_work *self, work_command what)
{
    return write(self->heir.commands, &what, sizeof(what)) == (ssize_t)sizeof(what);
}

void tusk__heir_grow(tusk_work *self, uint32_t count)
{
    uint64_t taken = self->counters.workers + self->heir.coming;
    uint32_t places = self->shape.region.workers;
    uint32_t more = taken >= places ? 0 : places - (uint32_t)taken;
    more = more < count ? more : count;
    if (more != 0 &&
        tusk__heir_command(self, (work_command){.verb = COMMAND_GROW, .number = more})) {
        self->heir.coming += more;
    }
}

static void on_ready(tusk_work *self)
{
    uint32_t workers = self->shape.options.workers;
    self->heir.ready = true;
    self->heir.coming = workers;                /* these it forks unasked */
    (void)tusk__reap_orphans(TUSK_NAME_WORKER); /* of the one before */
    uint32_t open = self->lane.outstanding;
    uint32_t more = open > workers ? open - workers : 0;
    if (atomic_load(&self->shape.region.head->inner) != 0) { /* some have tasks' tasks already */
        uint32_t unserved = tusk__unserved(&self->shape.region, open);
        more = more > unserved ? more : unserved;
    }
    tusk__heir_grow(self, more);
}

/* Who ended for want of work, which nobody comes after, may have been counted on since. */
static void look_again(tusk_work *self)
{
    if (self->heir.idled) {
        self->heir.idled = false;
        tusk__work_submitted(self, self->shape.region.workers);
    }
}

static void on_died(tusk_work *self, known_hand *hand, const work_report *what)
{
    hand->dead_pid = what->pid;
    hand->incarnation = hand->pid == what->pid ? 0 : hand->incarnation;
    hand->pid = hand->pid == what->pid ? 0 : hand->pid;
    hand->dead = what->incarnation;
    hand->any_dead = true;
    hand->status = what->status;
    self->counters.workers--;
    bool retired = what->status == WORKER_RETIRED << 8 || what->status == WORKER_IDLE << 8;
    self->heir.idled |= what->status == WORKER_IDLE << 8;
    self->counters.retired += retired;
    self->counters.died += !retired;
    self->counters.killed += what->status == SIGKILL;
    tusk__lane_died(&self->lane, what->hand, what->incarnation, what->status, what->pid);
}

static void take_in(tusk_work *self, const work_report *what, const uint8_t *text)
{
    if (what->kind == REPORT_READY) {
        on_ready(self);
    } else if (what->kind == REPORT_FAILED) {
        (void)snprintf(self->reason, sizeof(self->reason), "%.*s", (int)what->text,
                       (const char *)text);
        self->ended = true;
        tusk__lane_sweep(&self->lane);
    } else if (what->hand < TUSK_WORK_WORKERS_MAX && what->kind == REPORT_BORN) {
        self->hands[what->hand].pid = what->pid;
        self->hands[what->hand].incarnation = what->incarnation;
        self->counters.forked++;
        self->counters.workers++;
        self->heir.coming -= self->heir.coming != 0;
    } else if (what->hand < TUSK_WORK_WORKERS_MAX) {
        on_died(self, &self->hands[what->hand], what);
    }
}

void tusk__heir_read(tusk_work *self)
{
    work_heir *heir = &self->heir;
    if ((int)getpid() != self->owner_pid) {
        return; /* a fork of the application takes nothing away from it */
    }
    for (;;) {
        ssize_t got = read(heir->reports, heir->partial + heir->partial_len,
                           sizeof(heir->partial) - heir->partial_len);
        if (got <= 0) {
            break;
        }
        heir->partial_len += (size_t)got;
        size_t at = 0;
        work_report what;
        while (heir->partial_len - at >= sizeof(what)) {
            memcpy(&what, heir->partial + at, sizeof(what));
            if (what.text > TUSK_WORK_REASON_MAX ||
                heir->partial_len - at - sizeof(what) < what.text) {
                break;
            }
            take_in(self, &what, heir->partial + at + sizeof(what));
            at += sizeof(what) + what.text;
        }
        memmove(heir->partial, heir->partial + at, heir->partial_len - at);
        heir->partial_len -= at;
    }
    look_again(self);
}

/* ---- death, and who comes after ---- */
/* The kernel kills workers with their template; until the last is gone, one might still write. */
static void wait_for_the_last(const work_heir *self)
{
    uint64_t until_ns = tusk_loop_clock_ns() + GONE_MS * MS;
    struct pollfd end = {.fd = self->life};
    while (poll(&end, 1, 10) == 0 && tusk_loop_clock_ns() < until_ns) {
    }
}

/* A worker may have been forked whose birth nobody told: the next one of its place is two further.
 */
static void forget_workers(tusk_work *self, int status)
{
    shared_head *head = self->shape.region.head;
    for (uint32_t i = 0; i < self->shape.region.workers; i++) {
        known_hand *hand = &self->hands[i];
        uint32_t last = hand->incarnation != 0 ? hand->incarnation : hand->dead;
        hand->dead_pid = hand->pid != 0 ? hand->pid : hand->dead_pid;
        hand->dead = (last + 1) & 0xffff;
        hand->any_dead = true;
        hand->status = status;
        hand->incarnation = 0;
        hand->pid = 0;
        self->shape.incarnations[i] = hand->dead;
        atomic_store(&head->hands[i].incarnation, 0);
        hand_runs_nothing(&head->hands[i]);
    }
    uint64_t workers = (UINT64_C(1) << self->shape.region.workers) - 1;
    atomic_fetch_and(&head->sleeping, ~workers);
    atomic_fetch_and(&head->awake, ~workers);
    atomic_store(&head->inner, 0);
    self->counters.died += self->counters.workers;
    self->counters.workers = 0;
    tusk__lane_sweep(&self->lane);
}

static void plan_next(work_heir *self, uint64_t now_ns)
{
    uint32_t shift = self->failures > 10 ? 10 : self->failures;
    uint64_t pause_ms = (uint64_t)PAUSE_MS_FIRST << shift;
    self->again_ns =
        self->failures == 0
            ? now_ns
            : now_ns + (pause_ms > PAUSE_MS_MAX ? (uint64_t)PAUSE_MS_MAX : pause_ms) * MS;
}

static void bury(tusk_work *self, int status)
{
    work_heir *heir = &self->heir;
    uint64_t now_ns = tusk_loop_clock_ns();
    tusk__heir_read(self); /* its last words */
    wait_for_the_last(heir);
    close_ends(heir);
    heir->pid = 0;
    forget_workers(self, SIGKILL);
    heir->failures =
        heir->ready && now_ns - heir->born_ns >= STABLE_MS * MS ? 0 : heir->failures + 1;
    heir->unready = heir->ready ? 0 : heir->unready + 1;
    if (!self->ended && heir->unready >= UNREADY_MAX) {
        self->ended = true;
        (void)snprintf(self->reason, sizeof(self->reason),
                       "the template process ended before it was ready, %u times (%s %d)",
                       heir->unready, (status & 0x7f) != 0 ? "signal" : "exit",
                       (status & 0x7f) != 0 ? status & 0x7f : status >> 8);
    }
    plan_next(heir, now_ns);
}

static void succeed(tusk_work *self)
{
    work_heir *heir = &self->heir;
    uint64_t now_ns = tusk_loop_clock_ns();
    if (now_ns < heir->again_ns) {
        return;
    }
    if (tusk__heir_fork(self) == TUSK_OK) {
        return;
    }
    heir->failures++;
    if (++heir->unready >= UNREADY_MAX) {
        self->ended = true;
        (void)snprintf(self->reason, sizeof(self->reason), "the template cannot be forked again");
        tusk__lane_sweep(&self->lane);
    }
    plan_next(heir, now_ns);
}

void tusk__heir_look(tusk_work *self)
{
    int status = 0;
    if (self->heir.pid != 0 && tusk__reap(self->heir.pid, self->heir.pidfd, &status) != 0) {
        if ((int)getpid() != self->owner_pid) {
            self->ended = true;
            (void)snprintf(self->reason, sizeof(self->reason),
                           "it belongs to process %d, which this one was forked from",
                           self->owner_pid);
            return;
        }
        bury(self, status);
    }
    if (self->heir.pid == 0 && !self->ended) {
        succeed(self);
    }
}

/* One that still prepares has had its time since its birth. */
static uint64_t patience_ends(const work_heir *self)
{
    return (self->ready ? tusk_loop_clock_ns() : self->born_ns) + QUIT_MS * MS;
}

/* Nobody else's child is waited for. */
void tusk__heir_end(tusk_work *self, bool ours)
{
    work_heir *heir = &self->heir;
    int status;
    if (ours && heir->pid != 0) {
        tusk__heir_read(self); /* it may have got ready meanwhile */
        (void)tusk__heir_command(self, (work_command){.verb = COMMAND_QUIT});
        (void)kill(heir->pid, SIGCONT); /* where somebody stopped it */
        uint64_t until_ns = patience_ends(heir);
        struct pollfd end = {.fd = heir->pidfd, .events = POLLIN};
        while (tusk__reap(heir->pid, heir->pidfd, &status) == 0) {
            if (tusk_loop_clock_ns() >= until_ns) {
                (void)kill(heir->pid, SIGKILL);
            }
            (void)poll(&end, heir->pidfd >= 0 ? 1 : 0, heir->pidfd >= 0 ? 100 : 5);
        }
    }
    if (ours) {
        (void)tusk__reap_orphans(TUSK_NAME_WORKER);
    }
    heir->pid = 0;
    close_ends(heir);
}

#else

typedef int tusk__owner_is_not_built; /* an empty file would not be C */

#endif
