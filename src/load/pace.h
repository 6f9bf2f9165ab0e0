/* SPDX-License-Identifier: MIT */
/* The schedule of an open model: when the i-th operation is to begin. Computed from index and seed;
 * neither the clock nor an answer can move it. */
#ifndef LOAD_PACE_H
#define LOAD_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Several lanes (workers) share one schedule: lane l has the arrivals l, l + lanes, l + 2 lanes, …
 * of a uniform one, and an independent Poisson process of its share of the rate. */
typedef struct load_pace {
    double rate;      /* arrivals a second, of all lanes */
    double ramp_s;    /* the rate rises from 0 to that over this time */
    uint64_t from_ns; /* time of index 0 */
    uint64_t to_ns;   /* nothing is planned from here on */
    uint64_t next_ns; /* of the next arrival; UINT64_MAX: no more */
    uint64_t index;   /* how many this lane had */
    uint64_t seed;
    double passed; /* Poisson: arrivals of all lanes that stand for the time passed */
    uint32_t lane;
    uint32_t lanes;
    bool poisson;
} load_pace;

void tusk__load_pace_init(load_pace *self, double rate, double ramp_s, bool poisson, uint64_t seed,
                          uint32_t lane, uint32_t lanes, uint64_t from_ns, uint64_t to_ns);
/* Takes the next arrival's time. */
uint64_t tusk__load_pace_take(load_pace *self);
/* Seconds from the start until `arrivals` have come, ramp included. */
double tusk__load_pace_time(const load_pace *self, double arrivals);
/* Arrivals of this lane that are due by `now`, at most `most`; a uniform schedule's are computed.
 */
uint64_t tusk__load_pace_due(const load_pace *self, uint64_t now, uint64_t most);

#endif
