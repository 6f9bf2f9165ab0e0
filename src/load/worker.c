/* SPDX-License-Identifier: MIT */
/* A worker process: from its first descriptor to its last word. */
#define _GNU_SOURCE
#include "load/worker.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "load/system.h"
#include "loop/alarm.h"
#include "loop/process.h"

#define TICK_NS (20 * UINT64_C(1000000))
#define READY_TICK_NS (2 * UINT64_C(1000000))
#define STREAM_TICK_NS UINT64_C(500000)
#define SPIN_NS UINT64_C(100000)

/* ---- the turn ---- */
static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_look(const load_worker *self)
{
    uint64_t until =
        self->now + (self->phase == LOAD_PHASE_CONNECT || self->phase >= LOAD_PHASE_DRAIN
                         ? READY_TICK_NS
                         : TICK_NS);
    if (self->mode->on_turn != NULL && !self->paced && self->link_count > self->carriers) {
        until = self->now + STREAM_TICK_NS; /* what others deliver makes room for more */
    }
    until = earliest(until, self->slice_to);
    if (self->phase < LOAD_PHASE_MEASURE) {
        until = earliest(until, self->measure_from);
    } else if (self->phase == LOAD_PHASE_MEASURE) {
        until = earliest(until, self->measure_to);
    }
    if (self->wait_head != 0) {
        const load_link *first =
            (const load_link *)(const void *)(self->links +
                                              (size_t)(self->wait_head - 1) * self->link_bytes);
        until = earliest(until, first->due_ns);
    }
    if (self->paced && (self->mode->unpaced ? !self->starving : self->line_count > 0)) {
        uint64_t due = self->pace.next_ns;
        until = earliest(until, self->plan->spin && due > SPIN_NS ? due - SPIN_NS : due);
    }
    return until;
}

/* The plain closed model between two alarms: its links answer and go on by themselves, and most
 * turns have nothing else to do. */
static bool is_idle(const load_worker *self)
{
    return self->headlong && self->alarm.fd >= 0 && self->now < self->alarm_ns &&
           self->now < self->tick_ns && self->now < self->sweep_ns && self->line_count == 0 &&
           atomic_load_explicit(&self->board->stop, memory_order_relaxed) == 0;
}

/* In the closed model answers come all the time, and a wait with a limit costs a timer set and
 * taken back by the kernel, and two readings of the clock: one timer serves many waits instead. */
static tusk_err await(load_worker *self)
{
    uint64_t until = next_look(self);
    if (!self->headlong || self->alarm.fd < 0) {
        return tusk_loop_turn_until(self->loop, until);
    }
    if (self->alarm_ns <= self->now || self->alarm_ns > until) {
        self->alarm_ns = until;
        tusk__alarm_set(self->alarm.fd, until);
    }
    return tusk_loop_turn(self->loop, -1);
}

static void serve(load_worker *self)
{
    pid_t parent = getppid();
    for (uint32_t i = 0; self->mode->each && i < self->carriers; i++) {
        tusk__load_room(tusk__load_link_at(self, i));
    }
    tusk__load_open_more(self);
    bool idle = false; /* the alarm is set already, and nothing can be due before it */
    while (self->phase != LOAD_PHASE_DONE) {
        if ((idle ? tusk_loop_turn(self->loop, -1) : await(self)) != TUSK_OK) {
            tusk__load_cell_error(self->cell, "the poller failed");
            return;
        }
        /* A schedule asks for the time now; without one nothing is due but by an answer. */
        uint64_t turn = self->headlong ? tusk_loop_now_ns(self->loop) : tusk_loop_clock_ns();
        self->now = turn > self->now ? turn : self->now;
        idle = is_idle(self);
        if (idle) {
            continue;
        }
        tusk__load_windows_advance(self);
        tusk__load_wait_over(self, self->now);
        if (!self->mode->unpaced && self->phase < LOAD_PHASE_CLOSE) {
            tusk__load_dispatch(self);
        } else if (self->mode->on_turn != NULL && self->phase < LOAD_PHASE_CLOSE) {
            self->mode->on_turn(self);
        }
        if (self->now >= self->tick_ns) {
            self->tick_ns = self->now + TICK_NS / 2;
            if (getppid() != parent) {
                return; /* nobody reads what is counted here */
            }
            tusk__load_open_more(self);
            if (self->mode->on_tick != NULL) {
                self->mode->on_tick(self, self->now);
            }
        }
        if (self->now >= self->sweep_ns && self->phase < LOAD_PHASE_CLOSE) {
            tusk__load_sweep(self, self->now);
        }
    }
}

/* ---- beginning and end ---- */
static uint32_t power_of_two(uint64_t at_least)
{
    uint32_t value = 1;
    while (value < at_least) {
        value *= 2;
    }
    return value;
}

static tusk_err make_links(load_worker *self)
{
    const load_plan *plan = self->plan;
    uint64_t extra = tusk__load_publishers(plan) + plan->idle;
    self->carriers = (uint32_t)tusk__load_share(plan->connections, plan->workers, self->index);
    self->link_count =
        self->carriers + (uint32_t)tusk__load_share(extra, plan->workers, self->index);
    self->link_bytes = (self->mode->link_bytes + 15) / 16 * 16;
    self->depth = self->mode->each ? 1 : (uint32_t)plan->pipeline;
    self->op_mask = power_of_two(self->depth) - 1;
    self->links = tusk__new(self->mem, self->link_count * self->link_bytes);
    self->line = tusk__new(self->mem, self->link_count * sizeof(self->line[0]));
    self->next_up = tusk__new(self->mem, self->link_count * sizeof(self->next_up[0]));
    self->ops =
        tusk__new(self->mem, (size_t)self->link_count * (self->op_mask + 1) * sizeof(self->ops[0]));
    if (self->links == NULL || self->line == NULL || self->next_up == NULL || self->ops == NULL) {
        return TUSK_ENOMEM;
    }
    for (uint32_t i = 0; i < self->link_count; i++) {
        load_link *link = tusk__load_link_at(self, i);
        link->worker = self;
        link->index = i;
        link->io.fd = -1;
        link->extra = i >= self->carriers;
    }
    uint64_t share = tusk__load_share(plan->opening, plan->workers, self->index);
    self->opening_max = share == 0 ? 1 : (uint32_t)share;
    self->unopened = self->mode->each ? 0 : self->link_count;
    return TUSK_OK;
}

static void on_alarm(tusk_io *io, unsigned events)
{
    (void)io; /* that the wait has ended is all it is for */
    (void)events;
}

static tusk_err set_alarm(load_worker *self)
{
    self->alarm.fd = tusk__alarm_open();
    self->alarm.on_event = on_alarm;
    return self->alarm.fd < 0 ? TUSK_OK
                              : tusk_io_add(self->loop, &self->alarm, TUSK_IO_READ | TUSK_IO_EDGE);
}

static tusk_err set_up(load_worker *self, const load_start *start)
{
    memset(self, 0, sizeof(*self));
    self->plan = start->plan;
    self->board = start->board;
    self->cell = &start->board->cells[start->index];
    self->mode = tusk__load_mode_of(start->plan);
    self->mem = tusk_mem_default();
    self->tls = start->tls;
    self->index = start->index;
    self->now = tusk_loop_clock_ns();
    self->quota = UINT64_MAX;
    self->alarm.fd = -1;
    tusk_err err = tusk_loop_new(&self->loop, NULL);
    if (err == TUSK_OK) {
        err = tusk_hist_new(&self->slice, self->mem, tusk__load_range);
    }
    if (err == TUSK_OK) {
        err = tusk_hist_new(&self->fresh, self->mem, tusk__load_range);
    }
    if (err == TUSK_OK) {
        tusk__load_windows_begin(self);
        err = set_alarm(self);
    }
    if (err == TUSK_OK) {
        err = make_links(self);
    }
    if (err == TUSK_OK) {
        self->state = tusk__new(self->mem, self->mode->state_bytes);
        err = self->state == NULL ? TUSK_ENOMEM : self->mode->begin(self);
    }
    return err;
}

static void tear_down(load_worker *self)
{
    for (uint32_t i = 0; self->links != NULL && i < self->link_count; i++) {
        tusk__load_link_close(tusk__load_link_at(self, i));
    }
    if (self->state != NULL && self->mode->end != NULL) {
        self->mode->end(self);
    }
    tusk__load_round_free(self);
    tusk__free(self->mem, self->state, self->mode->state_bytes);
    tusk__free(self->mem, self->links, self->link_count * self->link_bytes);
    tusk__free(self->mem, self->line, self->link_count * sizeof(self->line[0]));
    tusk__free(self->mem, self->next_up, self->link_count * sizeof(self->next_up[0]));
    tusk__free(self->mem, self->ops,
               (size_t)self->link_count * (self->op_mask + 1) * sizeof(self->ops[0]));
    tusk_hist_free(self->slice);
    tusk_hist_free(self->fresh);
    if (self->alarm.fd >= 0) {
        tusk_io_close(self->loop, &self->alarm);
    }
    tusk_loop_free(self->loop);
}

void tusk__load_worker_run(void *user)
{
    const load_start *start = user;
    load_worker self;
    tusk__process_name("tusk-load");
    tusk__system_punctual();
    if (start->plan->pin) {
        tusk__system_pin(start->index);
    }
    tusk_err err = set_up(&self, start);
    if (err == TUSK_OK) {
        serve(&self);
        tusk__load_settle(&self);
    } else {
        tusk__load_cell_error(self.cell, "the worker could not start: %s", tusk_err_text(err));
    }
    tusk__load_board_ready(start->board, self.cell);
    tear_down(&self);
    tusk__load_windows_done(&self);
}
