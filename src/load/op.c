/* SPDX-License-Identifier: MIT */
/* Operations: begun, ended, failed, overdue; every count and time of them is taken here. */
#include "load/worker.h"

#include "stats/hist.h"

#define DROPS_WALKED 20000000 /* beyond this many the rest is counted at once */

/* Most changes come at an instant at which there was one already: then there is nothing to sum. */
static inline void fly(load_worker *self, int64_t change)
{
    uint64_t *totals = self->cell->totals;
    if (self->now != self->flight_from) {
        if (self->phase == LOAD_PHASE_MEASURE && self->now > self->flight_from) {
            uint64_t sum = totals[LOAD_IN_FLIGHT] * (self->now - self->flight_from);
            tusk__load_count(self, LOAD_IN_FLIGHT_SUM_NS, sum);
        }
        self->flight_from = self->now;
    }
    totals[LOAD_IN_FLIGHT] = (uint64_t)((int64_t)totals[LOAD_IN_FLIGHT] + change);
}

void tusk__load_flight(load_worker *self, int64_t change)
{
    fly(self, change);
}

bool tusk__load_op_due(load_worker *self)
{
    if (self->stopping || self->quota == 0) {
        return false;
    }
    if (self->paced) {
        return self->pace.next_ns <= self->now;
    }
    return self->now >= self->go_ns && self->now < self->measure_to;
}

/* The share of the lag that is the server's (no connection was free) or the generator's own. */
static void record_lag(load_worker *self, const load_op *op, bool measured)
{
    bool blocked = self->starved_ns >= op->intended;
    if (blocked) {
        tusk__load_count_op(self, LOAD_BLOCKED, measured, 1);
    }
    if (measured) {
        tusk_hist_record(self->cell->hists[blocked ? LOAD_HIST_BLOCKED : LOAD_HIST_LATE],
                         tusk__load_since(op->intended, op->actual));
    }
}

const load_op *tusk__load_op_begin(load_link *link)
{
    load_worker *self = link->worker;
    load_op *op = &self->ops[(size_t)link->index * (self->op_mask + 1) +
                             ((link->op_head + link->op_count) & self->op_mask)];
    op->intended = self->paced ? tusk__load_pace_take(&self->pace) : self->now;
    op->actual = self->now;
    link->op_count++;
    bool measured = tusk__load_in_window(self, op->intended);
    link->measured = measured;
    tusk__load_count_op(self, LOAD_PLANNED, measured, 1);
    tusk__load_count_op(self, LOAD_STARTED, measured, 1);
    if (self->paced) {
        record_lag(self, op, measured);
    }
    fly(self, 1);
    if (self->quota != UINT64_MAX && measured) {
        self->quota--;
    }
    return op;
}

static inline load_op take(load_link *link)
{
    load_op op = *tusk__load_op_oldest(link);
    link->op_head++;
    link->op_count--;
    fly(link->worker, -1);
    return op;
}

/* Recorded once: see tusk__load_settle. */
static inline void record_response(load_worker *self, uint64_t response, bool measured)
{
    if (TUSK_UNLIKELY(self->mode->own_slices)) {
        if (measured) {
            tusk__hist_add(self->cell->hists[LOAD_HIST_RESPONSE], response);
        }
        return;
    }
    tusk__hist_add(measured ? self->fresh : self->slice, response);
}

void tusk__load_settle(load_worker *self)
{
    if (self->fresh->total == 0) {
        return;
    }
    (void)tusk_hist_merge(self->cell->hists[LOAD_HIST_RESPONSE], self->fresh);
    (void)tusk_hist_merge(self->slice, self->fresh);
    tusk_hist_reset(self->fresh);
}

bool tusk__load_op_end(load_link *link)
{
    load_worker *self = link->worker;
    if (link->op_count == 0) {
        return false;
    }
    load_op op = take(link);
    bool measured = tusk__load_in_window(self, op.intended);
    record_response(self, tusk__load_since(op.intended, self->now), measured);
    tusk__load_count_op(self, LOAD_COMPLETED, measured, 1);
    if (self->paced && measured) {
        tusk__hist_add(self->cell->hists[LOAD_HIST_SERVICE],
                       tusk__load_since(op.actual, self->now));
    }
    return true;
}

void tusk__load_op_renew(load_link *link)
{
    load_worker *self = link->worker;
    load_op *ring = &self->ops[(size_t)link->index * (self->op_mask + 1)];
    const load_op *old = &ring[link->op_head & self->op_mask];
    bool measured = tusk__load_in_window(self, old->intended);
    record_response(self, tusk__load_since(old->intended, self->now), measured);
    tusk__load_count_op(self, LOAD_COMPLETED, measured, 1);
    load_op *next = &ring[(link->op_head++ + link->op_count) & self->op_mask];
    next->intended = next->actual = self->now;
    measured = tusk__load_in_window(self, self->now);
    link->measured = measured;
    tusk__load_count_op(self, LOAD_PLANNED, measured, 1);
    tusk__load_count_op(self, LOAD_STARTED, measured, 1);
}

void tusk__load_op_done(load_link *link)
{
    load_op op = take(link);
    tusk__load_count_op(link->worker, LOAD_COMPLETED,
                        tusk__load_in_window(link->worker, op.intended), 1);
}

bool tusk__load_op_fail(load_link *link, load_counter why)
{
    if (link->op_count == 0) {
        return false;
    }
    load_op op = take(link);
    tusk__load_count_op(link->worker, why, tusk__load_in_window(link->worker, op.intended), 1);
    return true;
}

/* What its response is at least: a sample, for leaving it out would flatter. */
static void record_age(load_worker *self, uint64_t intended, load_counter why)
{
    bool measured = tusk__load_in_window(self, intended);
    uint64_t age = tusk__load_since(intended, self->now);
    tusk__load_count_op(self, why, measured, 1);
    tusk_hist_record(self->slice, age);
    if (measured) {
        tusk_hist_record(self->cell->hists[LOAD_HIST_RESPONSE], age);
    }
}

void tusk__load_op_overdue(load_link *link, load_counter why)
{
    while (link->op_count > 0) {
        record_age(link->worker, take(link).intended, why);
    }
}

void tusk__load_op_drop_rest(load_worker *self)
{
    uint64_t walked = 0;
    while (self->paced && self->pace.next_ns != UINT64_MAX && self->pace.next_ns <= self->now &&
           self->quota != 0 && walked < DROPS_WALKED) {
        uint64_t intended = tusk__load_pace_take(&self->pace);
        tusk__load_count_op(self, LOAD_PLANNED, tusk__load_in_window(self, intended), 1);
        record_age(self, intended, LOAD_DROPPED);
        walked++;
    }
    if (walked == DROPS_WALKED) {
        double left_s = (double)tusk__load_since(self->pace.next_ns, self->measure_to) / 1e9;
        uint64_t left = (uint64_t)(left_s * self->plan->rate / (double)self->plan->workers);
        tusk__load_count_op(self, LOAD_PLANNED, true, left);
        tusk__load_count_op(self, LOAD_DROPPED, true, left);
    }
}
