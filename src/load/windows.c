/* SPDX-License-Identifier: MIT */
/* The windows of a worker's run: from one phase to the next, and the intervals within them. */
#include "load/worker.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define CLOSE_NS (2 * SECOND)
#define STOP_DRAIN_NS SECOND
#define COUNT_LIMIT_S 3600.0 /* of a run that ends by count, unless duration says otherwise */
#define HOPELESS 64          /* failures without one success, in modes of whole connections */
#define BELL 3               /* the descriptor that wakes the run's process */

static uint64_t ns_of(double seconds)
{
    return (uint64_t)(seconds * 1e9);
}

static void ring_bell(void)
{
    (void)!write(BELL, "", 1); /* full is as good: it is awake then */
}

/* ---- intervals ---- */
static void start_slice(load_worker *self, uint32_t index)
{
    self->slice_from = self->now;
    self->slice_to = self->now + SECOND;
    self->slice_index = index;
    memcpy(self->slice_base, self->cell->totals, sizeof(self->slice_base));
    tusk_hist_reset(self->slice);
}

/* False: the reader is behind, and the interval goes on. */
static bool end_slice(load_worker *self)
{
    load_cell *cell = self->cell;
    uint64_t done = atomic_load(&cell->slices_done);
    tusk__load_settle(self);
    if (done - atomic_load(&cell->slices_read) >= LOAD_RING) {
        return false;
    }
    load_slice *slice = &cell->ring[done % LOAD_RING];
    slice->phase = self->phase;
    slice->index = self->slice_index;
    slice->start_ns = self->slice_from;
    slice->end_ns = self->now;
    for (size_t i = 0; i < LOAD_COUNTER_COUNT; i++) {
        slice->counters[i] = cell->totals[i] - (tusk__load_is_gauge(i) ? 0 : self->slice_base[i]);
    }
    tusk_hist_reset(slice->response);
    (void)tusk_hist_merge(slice->response, self->slice);
    atomic_store(&cell->slices_done, done + 1);
    ring_bell();
    return true;
}

/* ---- windows ---- */
static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_usec * 1000;
}

/* Used so far; at the window's edges the cell gets the difference. */
static void read_usage(uint64_t *user, uint64_t *system, uint64_t *switches)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        *user = timeval_ns(usage.ru_utime);
        *system = timeval_ns(usage.ru_stime);
        *switches = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
    }
}

static void enter_measure(load_worker *self)
{
    load_usage *base = &self->usage_base;
    read_usage(&base->user, &base->system, &base->switches);
    memcpy(self->window_base, self->cell->totals, sizeof(self->window_base));
    self->cell->measure_from_ns = self->measure_from;
    self->flight_from = self->now;
    if (self->plan->count > 0) {
        self->quota = self->index < self->lanes
                          ? tusk__load_share(self->plan->count, self->lanes, self->index)
                          : 0;
    }
}

static void update_usage(load_worker *self)
{
    const load_usage *base = &self->usage_base;
    uint64_t user = base->user;
    uint64_t system = base->system;
    uint64_t switches = base->switches;
    read_usage(&user, &system, &switches);
    self->cell->user_ns = user - base->user;
    self->cell->system_ns = system - base->system;
    self->cell->switches = switches - base->switches;
    for (size_t i = 0; i < LOAD_COUNTER_COUNT; i++) {
        self->cell->window[i] = self->cell->totals[i] - self->window_base[i];
    }
    self->cell->measure_to_ns = self->now < self->measure_to ? self->now : self->measure_to;
}

static void unfinished(load_worker *self)
{
    for (uint32_t i = 0; i < self->link_count; i++) {
        tusk__load_op_overdue(tusk__load_link_at(self, i), LOAD_UNFINISHED);
    }
    tusk__load_op_drop_rest(self);
}

static void say_goodbye(load_worker *self)
{
    for (uint32_t i = 0; i < self->link_count; i++) {
        load_link *link = tusk__load_link_at(self, i);
        if (link->state == LINK_OPEN && !link->handshake && self->mode->goodbye != NULL) {
            self->mode->goodbye(link);
        } else {
            tusk__load_link_close(link);
        }
    }
}

static void enter(load_worker *self, load_phase phase)
{
    tusk__load_flight(self, 0);
    (void)end_slice(self);
    if (self->phase == LOAD_PHASE_MEASURE) {
        update_usage(self);
    }
    if (phase > LOAD_PHASE_MEASURE && self->phase < LOAD_PHASE_MEASURE) {
        self->cell->measure_from_ns = self->cell->measure_to_ns = self->now;
    }
    if (phase == LOAD_PHASE_CLOSE) {
        unfinished(self);
    }
    self->phase = phase;
    start_slice(self, 0);
    atomic_store(&self->cell->phase, phase);
    ring_bell();
    if (phase == LOAD_PHASE_MEASURE) {
        enter_measure(self);
    } else if (phase == LOAD_PHASE_CLOSE) {
        self->close_to = self->now + CLOSE_NS;
        say_goodbye(self);
    }
    if (self->mode->on_tick != NULL) {
        self->mode->on_tick(self, self->now);
    }
}

static void set_windows(load_worker *self, uint64_t go)
{
    const load_plan *plan = self->plan;
    bool by_count = plan->count > 0 && !tusk__load_plan_given(plan, "duration");
    self->go_ns = go;
    self->measure_from = go + ns_of(plan->ramp + plan->warmup);
    self->measure_to = self->measure_from + ns_of(by_count ? COUNT_LIMIT_S : plan->duration);
    self->drain_to = self->measure_to + ns_of(plan->drain);
    /* Publishers may be fewer than workers: who has none has no share of the load. */
    uint64_t publishers = tusk__load_publishers(plan);
    bool fewer = tusk__load_streams(plan) && publishers < plan->workers;
    self->lanes = (uint32_t)(fewer ? publishers : plan->workers);
    self->headlong = plan->rate <= 0 && plan->think <= 0 && plan->ramp <= 0 && plan->count == 0 &&
                     !self->mode->each && !self->mode->unpaced && self->mode->may_start == NULL;
    if (plan->rate > 0 && self->index < self->lanes) {
        self->paced = true;
        tusk__load_pace_init(&self->pace, plan->rate, plan->ramp, plan->arrivals == LOAD_POISSON,
                             plan->seed, self->index, self->lanes, go, self->measure_to);
    }
}

/* Nothing got through, and nothing will: the run ends at once. */
static bool is_hopeless(const load_worker *self)
{
    if (self->cell->totals[LOAD_OPENED] > 0) {
        return false;
    }
    return self->mode->each ? self->tried >= HOPELESS + 2 * self->carriers
                            : self->tried >= self->link_count;
}

static void stop_soon(load_worker *self)
{
    if (self->stopping) {
        return;
    }
    self->stopping = true;
    if (self->measure_to > self->now) {
        self->measure_to = self->now;
    }
    uint64_t patience = self->now + STOP_DRAIN_NS;
    self->drain_to = self->drain_to < patience ? self->drain_to : patience;
}

static void get_ready(load_worker *self)
{
    bool all_tried = self->mode->each || self->tried >= self->link_count;
    if (!self->is_ready && (all_tried || self->stopping)) {
        self->is_ready = true;
        if (!self->mode->each && is_hopeless(self)) {
            stop_soon(self);
        }
        tusk__load_board_ready(self->board, self->cell);
    }
    uint64_t go = atomic_load(&self->board->go_ns);
    if (go != 0 && self->go_ns == UINT64_MAX && !self->stopping) {
        set_windows(self, go);
    }
}

static bool all_closed(const load_worker *self)
{
    for (uint32_t i = 0; i < self->link_count; i++) {
        if (((const load_link *)(const void *)(self->links + i * self->link_bytes))->state !=
            LINK_FREE) {
            return false;
        }
    }
    return true;
}

static bool is_drained(const load_worker *self)
{
    bool backlog = self->paced && !self->stopping && self->quota != 0 &&
                   self->pace.next_ns <= self->measure_to;
    bool held = self->mode->each && !self->stopping && !all_closed(self);
    held = held || (self->mode->is_drained != NULL && !self->mode->is_drained(self));
    return self->cell->totals[LOAD_IN_FLIGHT] == 0 && !backlog && !held;
}

/* Subscribers' workers wait for the publishers of others. */
static bool count_reached(const load_worker *self)
{
    if (tusk__load_streams(self->plan) && self->plan->count > 0 &&
        atomic_load(&self->board->published) < self->plan->count) {
        return false;
    }
    return self->quota == 0 && self->cell->totals[LOAD_IN_FLIGHT] == 0;
}

/* The edge that has been reached, or the present phase. */
static load_phase phase_now(load_worker *self)
{
    switch (self->phase) {
    case LOAD_PHASE_CONNECT:
        if (self->stopping) {
            return LOAD_PHASE_CLOSE;
        }
        return self->now >= self->go_ns ? LOAD_PHASE_RAMP : self->phase;
    case LOAD_PHASE_RAMP:
        return self->now >= self->go_ns + ns_of(self->plan->ramp) ? LOAD_PHASE_WARMUP : self->phase;
    case LOAD_PHASE_WARMUP:
        return self->stopping || self->now >= self->measure_from ? LOAD_PHASE_MEASURE : self->phase;
    case LOAD_PHASE_MEASURE:
        if (count_reached(self) && self->now < self->measure_to) {
            self->measure_to = self->now;
            self->drain_to = self->now + ns_of(self->plan->drain);
        }
        return self->now >= self->measure_to ? LOAD_PHASE_DRAIN : self->phase;
    case LOAD_PHASE_DRAIN:
        return is_drained(self) || self->now >= self->drain_to ? LOAD_PHASE_CLOSE : self->phase;
    case LOAD_PHASE_CLOSE:
        return all_closed(self) || self->now >= self->close_to ? LOAD_PHASE_DONE : self->phase;
    case LOAD_PHASE_DONE: break;
    }
    return self->phase;
}

void tusk__load_windows_advance(load_worker *self)
{
    bool told = atomic_load_explicit(&self->board->stop, memory_order_relaxed) != 0;
    if (told || (self->mode->each && is_hopeless(self))) {
        stop_soon(self);
    }
    if (self->phase == LOAD_PHASE_CONNECT) {
        get_ready(self);
    }
    for (load_phase next = phase_now(self); next != self->phase; next = phase_now(self)) {
        enter(self, next);
    }
    if (self->now >= self->slice_to) {
        if (self->phase == LOAD_PHASE_MEASURE) {
            update_usage(self);
        }
        uint32_t passed = (uint32_t)((self->now - self->slice_from) / SECOND);
        if (end_slice(self)) {
            uint64_t grid = self->slice_from + passed * SECOND;
            start_slice(self, self->slice_index + passed);
            self->slice_to = grid + SECOND;
        } else {
            self->slice_to += SECOND;
        }
    }
}

void tusk__load_windows_begin(load_worker *self)
{
    self->go_ns = self->measure_from = self->measure_to = UINT64_MAX;
    self->drain_to = self->close_to = UINT64_MAX;
    start_slice(self, 0);
}

void tusk__load_windows_done(load_worker *self)
{
    atomic_store(&self->cell->phase, LOAD_PHASE_DONE);
    ring_bell();
}
