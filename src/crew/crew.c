/* SPDX-License-Identifier: MIT */
/* The master: which slot needs whom, and what happens when somebody comes, leaves or dies. */
#define _GNU_SOURCE
#include <tusk/crew.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/mem.h"
#include "crew/inner.h"
#include "loop/process.h"

enum { PAUSE_DOUBLINGS_MAX = 16, FAILS_AGAIN = 5, ORPHANS_MS = 1000 };

uint32_t crew_pause_ms(const tusk_crew_options *options, uint32_t failures)
{
    if (failures == 0) {
        return 0;
    }
    uint32_t doublings = failures - 1 < PAUSE_DOUBLINGS_MAX ? failures - 1 : PAUSE_DOUBLINGS_MAX;
    uint64_t pause = (uint64_t)options->pause_ms_min << doublings;
    return pause > options->pause_ms_max ? options->pause_ms_max : (uint32_t)pause;
}

/* ---- who is there ---- */
static crew_seat *seat_in(tusk_crew *self, uint32_t slot, seat_state state)
{
    for (uint32_t i = 2 * slot; i < 2 * slot + 2; i++) {
        if (self->seats[i].state == state) {
            return &self->seats[i];
        }
    }
    return NULL;
}

static crew_seat *anybody(tusk_crew *self, seat_state state)
{
    for (uint32_t slot = 0; slot < self->options.workers; slot++) {
        crew_seat *seat = seat_in(self, slot, state);
        if (seat != NULL) {
            return seat;
        }
    }
    return NULL;
}

/* ---- empty slots are accepted for by somebody else ---- */
static void give_back(tusk_crew *self, crew_slot *slot)
{
    if (slot->adopter != NONE) {
        crew_seat_order(&self->seats[slot->adopter], ORDER_GIVE_BACK | slot->index);
        slot->adopter = NONE;
    }
}

static void adopt_all(tusk_crew *self)
{
    for (uint32_t i = 0; i < self->options.workers; i++) {
        crew_slot *slot = &self->slots[i];
        crew_seat *adopter = anybody(self, SEAT_SERVING);
        if (slot->adopter != NONE || adopter == NULL || seat_in(self, i, SEAT_SERVING) != NULL) {
            continue;
        }
        slot->adopter = adopter->index;
        self->stats.adopted++;
        crew_seat_order(adopter, ORDER_ADOPT | i);
    }
}

static void forget_adopter(tusk_crew *self, const crew_seat *seat)
{
    for (uint32_t i = 0; i < self->options.workers; i++) {
        if (self->slots[i].adopter == seat->index) {
            self->slots[i].adopter = NONE;
        }
    }
}

/* ---- filling a slot ---- */
static void wait_before(crew_slot *slot, uint32_t pause_ms)
{
    tusk_timer_start(slot->crew->options.loop, &slot->pause, pause_ms);
}

static void begin(crew_slot *slot)
{
    tusk_crew *self = slot->crew;
    crew_seat *seat = seat_in(self, slot->index, SEAT_EMPTY);
    if (self->state != CREW_RUNNING || seat == NULL ||
        seat_in(self, slot->index, SEAT_STARTING) != NULL) {
        return; /* a seat that empties asks again */
    }
    tusk_err err = crew_seat_fork(seat);
    if (err != TUSK_OK) {
        slot->failures++;
        crew_log(self, "worker %u cannot be forked: %s", slot->index,
                 err == TUSK_ESYS ? strerror(errno) : tusk_err_text(err));
        wait_before(slot, crew_pause_ms(&self->options, slot->failures));
    }
}

static void fill(crew_slot *slot)
{
    if (seat_in(slot->crew, slot->index, SEAT_SERVING) == NULL &&
        !tusk_timer_running(&slot->pause)) {
        begin(slot);
    }
}

/* ---- reload: the next slot's successor, as soon as there is a seat for it ---- */
static void begin_pass(tusk_crew *self)
{
    self->pass++;
    self->reload_slot = 0;
    self->reload_again = false;
}

/* Forked before this pass was asked for, it has what was there then. */
static bool is_of_before(const crew_seat *seat)
{
    return seat != NULL && seat->pass != seat->crew->pass;
}

/* Each one has twice the time of the one before it: who only takes long is ready at last, however
 * often reloads come. */
static uint64_t yield_ms(const crew_slot *slot)
{
    const tusk_crew_options *options = &slot->crew->options;
    uint64_t time_ms = options->yield_ms;
    for (uint32_t i = 0; i < slot->yields && time_ms < options->ready_ms; i++) {
        time_ms *= 2;
    }
    return time_ms;
}

/* It may be what the reload shall mend: a bootstrap that waits for what is not there. */
static void end_who_is_waited_for(tusk_crew *self)
{
    crew_seat *seat =
        self->reload_slot == NONE ? NULL : seat_in(self, self->reload_slot, SEAT_STARTING);
    if (seat == NULL || seat->unwanted || !(is_of_before(seat) || self->reload_again)) {
        return;
    }
    crew_slot *slot = &self->slots[seat->slot];
    uint64_t lived_ms = tusk_loop_clock_ns() / 1000000u - seat->born_ms;
    if (lived_ms < yield_ms(slot)) {
        tusk_timer_start(self->options.loop, &self->yield, yield_ms(slot) - lived_ms);
        return;
    }
    slot->yields++;
    crew_log(self, "worker %u (process %d) is not ready yet, and a reload waits for it: ended",
             seat->slot, seat->pid);
    crew_seat_end(seat);
}

static void on_yield(tusk_timer *timer)
{
    end_who_is_waited_for(TUSK_OWNER(timer, tusk_crew, yield));
}

/* A slot whose worker waits for its pause has none yet: whoever comes there is new. */
static void tell_reloaded(tusk_crew *self)
{
    uint32_t fresh = 0;
    for (uint32_t slot = 0; slot < self->options.workers; slot++) {
        const crew_seat *seat = seat_in(self, slot, SEAT_SERVING);
        fresh += seat != NULL && !is_of_before(seat) ? 1 : 0;
    }
    crew_log(self, "reloaded: %u of %u workers are new", fresh, self->options.workers);
}

static void walk_slots(tusk_crew *self)
{
    while (self->state == CREW_RUNNING && self->reload_slot != NONE) {
        if (self->reload_slot == self->options.workers) {
            self->reload_slot = NONE;
            if (self->reload_again) {
                begin_pass(self);
            } else {
                tell_reloaded(self);
            }
            continue;
        }
        crew_slot *slot = &self->slots[self->reload_slot];
        if (seat_in(self, slot->index, SEAT_SERVING) != NULL) {
            begin(slot);
            return; /* on_ready goes on */
        }
        if (is_of_before(seat_in(self, slot->index, SEAT_STARTING))) {
            return; /* it is followed when it is ready */
        }
        self->reload_slot++; /* whoever comes there is new */
    }
}

static void go_on_reloading(tusk_crew *self)
{
    walk_slots(self);
    end_who_is_waited_for(self);
}

static void on_pause_over(tusk_timer *timer)
{
    crew_slot *slot = (crew_slot *)(void *)((char *)timer - offsetof(crew_slot, pause));
    fill(slot);
    go_on_reloading(slot->crew);
}

void tusk_crew_reload(tusk_crew *self)
{
    if (self->state != CREW_RUNNING) {
        return;
    }
    self->stats.reloads++;
    if (self->reload_slot != NONE) {
        self->reload_again = true;
        end_who_is_waited_for(self);
        return;
    }
    begin_pass(self);
    go_on_reloading(self);
}

/* Who failed had loaded what was there before another one was asked for: that one is not over. */
static void reload_failed(tusk_crew *self, const crew_seat *seat)
{
    if (self->reload_slot == NONE || seat->slot != self->reload_slot || is_of_before(seat)) {
        return;
    }
    if (self->reload_again) {
        begin_pass(self);
        return;
    }
    crew_log(self, "the reload ends at worker %u: its successor failed, the others stay",
             seat->slot);
    self->reload_slot = NONE;
}

/* ---- what seats tell ---- */
static void settle_if_empty(tusk_crew *self)
{
    if (self->state == CREW_STOPPING && anybody(self, SEAT_STARTING) == NULL &&
        anybody(self, SEAT_SERVING) == NULL && anybody(self, SEAT_DRAINING) == NULL) {
        self->state = CREW_STOPPED;
        tusk_task_defer(self->options.loop, &self->stopped_task);
    }
}

static void on_ready(crew_seat *seat)
{
    tusk_crew *self = seat->crew;
    crew_slot *slot = &self->slots[seat->slot];
    crew_seat *former = seat_in(self, seat->slot, SEAT_SERVING);
    tusk_timer_stop(self->options.loop, &seat->late);
    if (self->state != CREW_RUNNING) {
        crew_seat_drain(seat, false);
        return;
    }
    seat->state = SEAT_SERVING;
    self->ever_ready = true;
    slot->first = false;
    slot->yields = 0;
    give_back(self, slot);
    if (former != NULL) {
        forget_adopter(self, former);
        crew_seat_drain(former, false);
    }
    adopt_all(self);
    if (self->reload_slot == seat->slot) {
        self->reload_slot += is_of_before(seat) ? 0 : 1;
        go_on_reloading(self);
    }
}

/* One that leaves or dies unasked: its slot's next one waits, unless it had lived for a while. A
 * successor that fails beside who serves waits for another reload, and whoever follows that one
 * later does not wait for it. */
static void note_failure(const crew_seat *seat)
{
    tusk_crew *self = seat->crew;
    crew_slot *slot = &self->slots[seat->slot];
    if (seat->state == SEAT_STARTING && seat_in(self, seat->slot, SEAT_SERVING) != NULL) {
        return;
    }
    uint64_t lived_ms = tusk_loop_clock_ns() / 1000000u - seat->born_ms;
    bool settled = seat->state == SEAT_SERVING && lived_ms >= self->options.settled_ms;
    slot->failures = settled ? 0 : slot->failures + 1;
    uint32_t pause_ms = crew_pause_ms(&self->options, slot->failures);
    if (pause_ms > 0) {
        wait_before(slot, pause_ms);
    }
}

/* A SIGTERM to the whole process group may reach a worker before its master: a successor that was
 * forked at once would have to go at once. Meanwhile others accept for the slot. */
static void wait_for_word(crew_slot *slot)
{
    if (!tusk_timer_running(&slot->pause)) {
        wait_before(slot, slot->crew->options.grace_ms);
    }
}

static void on_leaving(crew_seat *seat)
{
    tusk_crew *self = seat->crew;
    tusk_timer_start(self->options.loop, &seat->late, self->options.drain_ms + KILL_MARGIN_MS);
    if (self->state == CREW_RUNNING) {
        note_failure(seat);
    }
    seat->state = SEAT_DRAINING;
    forget_adopter(self, seat);
    if (self->state == CREW_RUNNING) {
        wait_for_word(&self->slots[seat->slot]);
        adopt_all(self);
    }
}

enum { NEXT_MAX = 64 };

/* What clients and operators have to expect; of a first start nobody knows, its owner decides. */
static const char *what_follows(const crew_seat *seat, char text[NEXT_MAX])
{
    tusk_crew *self = seat->crew;
    uint32_t pause_ms = crew_pause_ms(&self->options, self->slots[seat->slot].failures);
    bool starting = seat->state == SEAT_STARTING;
    if (self->state != CREW_RUNNING || (starting && !self->ever_ready)) {
        return "";
    }
    if (starting && seat_in(self, seat->slot, SEAT_SERVING) != NULL) {
        return "; the one before it goes on";
    }
    if (seat->state == SEAT_DRAINING || pause_ms == 0) {
        return "; another takes its place";
    }
    (void)snprintf(text, NEXT_MAX, "; another takes its place in %u.%u s", pause_ms / 1000,
                   pause_ms % 1000 / 100);
    return text;
}

static const char *name_of_signal(int number)
{
    return number == SIGKILL ? "as the kernel does where memory lacks" : strsignal(number);
}

static void log_end(const crew_seat *seat, int status)
{
    const tusk_crew *self = seat->crew;
    int number = status & 0x7f;
    char next[NEXT_MAX];
    crew_log(self, "worker %u (process %d) ended by %s %d%s%s%s%s%s%s%s", seat->slot, seat->pid,
             number != 0 ? "signal" : "exit", number != 0 ? number : status >> 8,
             number != 0 ? " (" : "", number != 0 ? name_of_signal(number) : "",
             number != 0 ? ")" : "", seat->state == SEAT_STARTING ? " before it was ready" : "",
             status == CREW_UNFIT << 8 ? " (it could not become who it should be)" : "",
             self->slots[seat->slot].failures >= FAILS_AGAIN ? ", as those before it" : "",
             what_follows(seat, next));
}

/* An end that was asked for is well, and so is one by itself without a word of failure. */
static void judge(crew_seat *seat, int status)
{
    tusk_crew *self = seat->crew;
    bool left = seat->state == SEAT_DRAINING;
    if (self->state == CREW_RUNNING && !left && !seat->unwanted) {
        note_failure(seat);
    }
    if (seat->killed || seat->unwanted || (left && status == 0)) {
        return;
    }
    self->stats.crashes++;
    log_end(seat, status);
}

/* A pool of a worker's ends with the worker: its template, then its workers, a moment later. */
static void on_orphans(tusk_timer *timer)
{
    (void)timer;
    (void)tusk__reap_orphans(TUSK_NAME_TEMPLATE);
    (void)tusk__reap_orphans(TUSK_NAME_WORKER);
}

static void on_end(crew_seat *seat, int status)
{
    tusk_crew *self = seat->crew;
    crew_slot *slot = &self->slots[seat->slot];
    const tusk_crew_calls *calls = self->options.calls;
    bool was_starting = seat->state == SEAT_STARTING;
    bool unready = was_starting && !seat->killed && !seat->unwanted && status != CREW_UNFIT << 8 &&
                   calls->on_unready != NULL;
    judge(seat, status);
    crew_seat_clear(seat);
    forget_adopter(self, seat);
    calls->on_gone(self->options.user, seat->index);
    if (!tusk_timer_running(&self->orphans)) {
        tusk_timer_start(self->options.loop, &self->orphans, ORPHANS_MS);
    }
    if (unready && self->state == CREW_RUNNING) {
        calls->on_unready(self->options.user, status, self->ever_ready);
    }
    if (self->state == CREW_RUNNING) {
        if (was_starting) {
            reload_failed(self, seat);
        }
        adopt_all(self);
        fill(slot);
        go_on_reloading(self);
    }
    settle_if_empty(self);
}

/* ---- made, started, stopped, unmade ---- */
static void on_stopped(tusk_task *task)
{
    tusk_crew *self = TUSK_OWNER(task, tusk_crew, stopped_task);
    self->options.calls->on_stopped(self->options.user);
}

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
    return value == 0 ? otherwise : value;
}

static const crew_told told = {.on_ready = on_ready,
                               .on_leaving = on_leaving,
                               .on_here = crew_roll_hear,
                               .on_end = on_end,
                               .on_stop = tusk_crew_stop};

static void prepare(tusk_crew *self, const tusk_crew_options *options)
{
    self->options = *options;
    self->told = &told;
    self->options.drain_ms = or_default(options->drain_ms, 30000);
    self->options.ready_ms = or_default(options->ready_ms, 60000);
    self->options.yield_ms = or_default(options->yield_ms, 5000);
    self->options.settled_ms = or_default(options->settled_ms, 1000);
    self->options.grace_ms = or_default(options->grace_ms, 50);
    self->options.ask_ms = or_default(options->ask_ms, 5000);
    self->options.pause_ms_min = or_default(options->pause_ms_min, 100);
    self->options.pause_ms_max = or_default(options->pause_ms_max, 10000);
    self->reload_slot = NONE;
    self->stopped_task.run = on_stopped;
    self->orphans.on_due = on_orphans;
    self->yield.on_due = on_yield;
    self->yield.deadline = true;
    for (uint32_t i = 0; i < TUSK_CREW_WORKERS_MAX; i++) {
        self->slots[i] = (crew_slot){.crew = self,
                                     .index = i,
                                     .adopter = NONE,
                                     .first = true,
                                     .pause.on_due = on_pause_over};
    }
    for (uint32_t i = 0; i < TUSK_CREW_SEATS_MAX; i++) {
        self->seats[i] = (crew_seat){.crew = self, .index = i, .slot = i / 2};
        self->seats[i].end.fd = self->seats[i].control.fd = -1;
    }
}

tusk_err tusk_crew_new(tusk_crew **out, const tusk_crew_options *options)
{
    *out = NULL;
    if (options->loop == NULL || options->loop == options->worker_loop || options->calls == NULL ||
        options->workers < 1 || options->workers > TUSK_CREW_WORKERS_MAX) {
        return TUSK_EINVAL;
    }
    const tusk_mem *mem = tusk_loop_mem(options->loop);
    tusk_crew *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    tusk_err err = tusk__open_descriptors(&self->kept, &self->kept_count, mem);
    if (err != TUSK_OK) {
        tusk__free(mem, self, sizeof(*self));
        return err;
    }
    self->mem = mem;
    self->pid = (int)getpid();
    prepare(self, options);
    *out = self;
    return TUSK_OK;
}

tusk_err tusk_crew_start(tusk_crew *self, char *reason, size_t reason_cap)
{
    if (reason_cap > 0) {
        reason[0] = '\0';
    }
    if (self->state != CREW_NEW) {
        return TUSK_ESTATE;
    }
    tusk__outlive_full_files();
    if (self->options.worker_loop != NULL && !tusk_loop_may_fork(self->options.worker_loop)) {
        (void)snprintf(
            reason, reason_cap,
            "connections are open in this process's loop, and workers cannot share them");
        return TUSK_ESTATE;
    }
    if (self->options.identity.given && geteuid() != 0 &&
        (self->options.identity.uid != (uint32_t)geteuid() ||
         self->options.identity.gid != (uint32_t)getegid())) {
        (void)snprintf(reason, reason_cap, "only root may run workers as another user or group");
        return TUSK_EACCES;
    }
    tusk_err err = crew_sockets_open(self, reason, reason_cap);
    if (err != TUSK_OK) {
        return err;
    }
    self->state = CREW_RUNNING;
    for (uint32_t i = 0; i < self->options.workers; i++) {
        fill(&self->slots[i]);
    }
    crew_roll_begin(self);
    return TUSK_OK;
}

void tusk_crew_stop(tusk_crew *self)
{
    bool cut = self->state == CREW_STOPPING;
    if (self->state != CREW_RUNNING && !cut) {
        return;
    }
    self->state = CREW_STOPPING;
    self->reload_slot = NONE;
    tusk_timer_stop(self->options.loop, &self->yield);
    crew_roll_end(self);
    crew_sockets_close(self, true);
    for (uint32_t i = 0; i < self->options.workers; i++) {
        tusk_timer_stop(self->options.loop, &self->slots[i].pause);
    }
    for (uint32_t i = 0; i < 2 * self->options.workers; i++) {
        crew_seat *seat = &self->seats[i];
        if (seat->state != SEAT_EMPTY && (cut || seat->state != SEAT_DRAINING)) {
            crew_seat_drain(seat, cut);
        }
    }
    settle_if_empty(self);
}

static void end_all(tusk_crew *self)
{
    for (uint32_t i = 0; i < TUSK_CREW_SEATS_MAX; i++) {
        crew_seat *seat = &self->seats[i];
        int status;
        if (seat->pid != 0) {
            (void)kill(seat->pid, SIGKILL);
        }
        while (seat->pid != 0 && crew_seat_reap(seat, &status) == 0) {
            (void)usleep(1000);
        }
        crew_seat_clear(seat);
    }
}

void tusk_crew_free(tusk_crew *self)
{
    if (self == NULL) {
        return;
    }
    if (self->pid == (int)getpid()) {
        end_all(self);
        crew_sockets_close(self, true);
    }
    for (uint32_t i = 0; i < TUSK_CREW_WORKERS_MAX; i++) {
        tusk_timer_stop(self->options.loop, &self->slots[i].pause);
    }
    tusk_timer_stop(self->options.loop, &self->orphans);
    crew_roll_end(self);
    tusk_timer_stop(self->options.loop, &self->yield);
    tusk_task_cancel(&self->stopped_task);
    tusk__free(self->mem, self->kept, self->kept_count * sizeof(int));
    tusk__free(self->mem, self, sizeof(*self));
}
