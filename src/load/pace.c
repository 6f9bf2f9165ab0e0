/* SPDX-License-Identifier: MIT */
/* Pace: the inverse of the arrivals that are expected by a time. */
#include "load/pace.h"

#include <math.h>

#include "load/payload.h"

double tusk__load_pace_time(const load_pace *self, double arrivals)
{
    /* r0 t + (r1 - r0) t^2 / (2 D) = i with r0 = 0, then constant */
    double in_ramp = self->rate * self->ramp_s / 2;
    if (arrivals < in_ramp) {
        return sqrt(2 * arrivals * self->ramp_s / self->rate);
    }
    return self->ramp_s + (arrivals - in_ramp) / self->rate;
}

/* -ln(u) with u uniform in (0, 1], from the index alone. */
static double gap(const load_pace *self, uint64_t index)
{
    uint64_t bits =
        tusk__load_random(self->seed + (uint64_t)self->lane * UINT64_C(0x2545F4914F6CDD1D) +
                          index * UINT64_C(0xD1342543DE82EF95));
    double u = ((double)(bits >> 11) + 1) / 9007199254740992.0;
    return -log(u);
}

static void plan_next(load_pace *self)
{
    double arrivals = self->poisson
                          ? self->passed
                          : (double)self->lane + (double)self->index * (double)self->lanes;
    double at = tusk__load_pace_time(self, arrivals) * 1e9;
    self->next_ns = self->from_ns + (uint64_t)at;
    if (self->next_ns >= self->to_ns) {
        self->next_ns = UINT64_MAX;
    }
}

void tusk__load_pace_init(load_pace *self, double rate, double ramp_s, bool poisson, uint64_t seed,
                          uint32_t lane, uint32_t lanes, uint64_t from_ns, uint64_t to_ns)
{
    *self = (load_pace){.rate = rate,
                        .ramp_s = ramp_s,
                        .from_ns = from_ns,
                        .to_ns = to_ns,
                        .seed = seed,
                        .lane = lane,
                        .lanes = lanes,
                        .poisson = poisson};
    if (poisson) {
        self->passed = gap(self, 0) * lanes;
    }
    plan_next(self);
}

uint64_t tusk__load_pace_take(load_pace *self)
{
    uint64_t taken = self->next_ns;
    if (taken != UINT64_MAX) {
        self->index++;
        if (self->poisson) {
            self->passed += gap(self, self->index) * self->lanes;
        }
        plan_next(self);
    }
    return taken;
}

uint64_t tusk__load_pace_due(const load_pace *self, uint64_t now, uint64_t most)
{
    load_pace ahead = *self;
    uint64_t due = 0;
    while (due < most && ahead.next_ns <= now) {
        (void)tusk__load_pace_take(&ahead);
        due++;
    }
    return due;
}
