/* SPDX-License-Identifier: MIT */
/* The board: one anonymous mapping, laid out before anybody is forked. */
#define _GNU_SOURCE
#include "load/board.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <tusk/loop.h>

#define GO_AFTER_NS (20 * UINT64_C(1000000)) /* so that everybody has heard of it */

const tusk_hist_range tusk__load_range = {
    .lowest = 1, .highest = UINT64_C(3600000000000), .digits = 3};

static const char *const counter_names[LOAD_COUNTER_COUNT] = {
    "planned",        "started",         "connected",      "opened",       "closed",
    "failed_resolve", "failed_refused",  "failed_timeout", "failed_reset", "failed_tls",
    "failed_status",  "failed_protocol", "failed_closed",  "failed_other", "sent",
    "received",       "bytes_sent",      "bytes_received", "completed",    "dropped",
    "blocked",        "unfinished",      "timed_out",      "wrong",        "lost",
    "duplicated",     "reordered",       "expected",       "resets",       "reconnects",
    "throttled",      "resumed_tls",     "open",           "in_flight",    "in_flight_sum_ns"};

static const char *const hist_names[LOAD_HIST_COUNT] = {
    "response", "service",     "blocked",   "late",     "tcp",    "tls",    "upgrade",
    "first",    "close_frame", "close_end", "delivery", "spread", "hiccup", "reconnect"};

static const char *const phase_names[] = {"connect", "ramp",  "warmup", "measure",
                                          "drain",   "close", "done"};

const char *tusk__load_counter_name(size_t i)
{
    return i < LOAD_COUNTER_COUNT ? counter_names[i] : NULL;
}

const char *tusk__load_hist_name(size_t i)
{
    return i < LOAD_HIST_COUNT ? hist_names[i] : NULL;
}

const char *tusk__load_phase_name(uint32_t phase)
{
    return phase_names[phase <= LOAD_PHASE_DONE ? phase : LOAD_PHASE_DONE];
}

static void *carve(uint8_t **at, size_t size)
{
    void *place = *at;
    *at += (size + 63) / 64 * 64; /* a cache line has one writer */
    return place;
}

static tusk_hist *carve_hist(uint8_t **at)
{
    size_t size = tusk_hist_size(tusk__load_range);
    tusk_hist *hist = NULL;
    (void)tusk_hist_init(&hist, carve(at, size), size, tusk__load_range);
    return hist;
}

tusk_err tusk__load_board_new(load_board **out, const load_plan *plan)
{
    *out = NULL;
    size_t cells = (size_t)plan->workers + 1;
    bool streams = tusk__load_streams(plan);
    uint64_t samples_each = plan->samples / plan->workers + (plan->samples % plan->workers != 0);
    size_t hist = (tusk_hist_size(tusk__load_range) + 63) / 64 * 64;
    size_t size =
        sizeof(load_board) + 64 + cells * (sizeof(load_cell) + 64) +
        cells * hist * (LOAD_HIST_COUNT + LOAD_RING) +
        (streams ? plan->rooms * sizeof(uint64_t) + LOAD_SPREADS * sizeof(load_spread) : 0) +
        (size_t)samples_each * plan->workers *
            (sizeof(tusk_load_sample) + (size_t)plan->exchanges * 2 * sizeof(uint64_t)) +
        256;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        return TUSK_ENOMEM;
    }
    uint8_t *at = map;
    load_board *self = carve(&at, sizeof(*self));
    self->size = size;
    self->workers = (uint32_t)plan->workers;
    self->cells = carve(&at, cells * sizeof(load_cell));
    for (size_t i = 0; i < cells; i++) {
        for (size_t k = 0; k < LOAD_HIST_COUNT; k++) {
            self->cells[i].hists[k] = carve_hist(&at);
        }
        for (size_t k = 0; k < LOAD_RING; k++) {
            self->cells[i].ring[k].response = carve_hist(&at);
        }
    }
    if (streams) {
        self->subscribers = carve(&at, plan->rooms * sizeof(uint64_t));
        self->spreads = carve(&at, LOAD_SPREADS * sizeof(load_spread));
    }
    self->samples_each = samples_each;
    self->samples = carve(&at, (size_t)samples_each * plan->workers * sizeof(tusk_load_sample));
    self->exchanges_each = plan->exchanges;
    self->exchanges =
        carve(&at, (size_t)(samples_each * plan->workers * plan->exchanges) * 2 * sizeof(uint64_t));
    *out = self;
    return TUSK_OK;
}

void tusk__load_board_free(load_board *self)
{
    if (self != NULL) {
        (void)munmap(self, self->size);
    }
}

void tusk__load_board_ready(load_board *self, load_cell *cell)
{
    if (atomic_exchange(&cell->is_ready, 1) != 0) {
        return;
    }
    if (atomic_fetch_add(&self->ready, 1) + 1 == self->workers) {
        atomic_store(&self->go_ns, tusk_loop_clock_ns() + GO_AFTER_NS);
    }
}

void tusk__load_cell_error(load_cell *self, const char *format, ...)
{
    if (atomic_load(&self->has_error) != 0) {
        return;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(self->error, sizeof(self->error), format, args);
    va_end(args);
    atomic_store(&self->has_error, 1);
}
