/* SPDX-License-Identifier: MIT */
/* The roll: workers are asked now and then whether they hear. Who does not (it is stopped, or a
 * handler computes without end) still has its share of new connections, which wait with it: that
 * is said. Nobody is ended for it. */
#define _GNU_SOURCE
#include "base/list.h"
#include "crew/inner.h"

/* Rounds are counted, not time: where all of us were stopped, the master as well, none passed. */
enum { ROUNDS = 2 };

static uint64_t seconds_since(uint64_t ms)
{
    return (tusk_loop_clock_ns() / 1000000u - ms) / 1000u;
}

static void ask(crew_seat *seat)
{
    tusk_crew *self = seat->crew;
    if (seat->asked == 0) {
        seat->asked = 1;
        seat->asked_ms = tusk_loop_clock_ns() / 1000000u;
        crew_seat_order(seat, ORDER_ASK);
    } else if (seat->asked <= ROUNDS && ++seat->asked > ROUNDS) {
        crew_log(self,
                 "worker %u (process %d) has not answered for %llu s: it was stopped (SIGSTOP), or "
                 "a handler holds its loop; connections that come to it wait",
                 seat->slot, seat->pid, (unsigned long long)seconds_since(seat->asked_ms));
    }
}

static void on_round(tusk_timer *timer)
{
    tusk_crew *self = TUSK_OWNER(timer, tusk_crew, roll);
    for (uint32_t i = 0; i < 2 * self->options.workers; i++) {
        if (self->seats[i].state == SEAT_SERVING) {
            ask(&self->seats[i]);
        }
    }
    tusk_timer_start(self->options.loop, timer, self->options.ask_ms);
}

void crew_roll_begin(tusk_crew *self)
{
    self->roll.on_due = on_round;
    tusk_timer_start(self->options.loop, &self->roll, self->options.ask_ms);
}

void crew_roll_end(tusk_crew *self)
{
    tusk_timer_stop(self->options.loop, &self->roll);
}

bool crew_roll_silent(const crew_seat *seat)
{
    return seat->state == SEAT_SERVING && seat->asked > ROUNDS;
}

void crew_roll_hear(crew_seat *seat)
{
    if (crew_roll_silent(seat)) {
        crew_log(seat->crew, "worker %u (process %d) answers again, after %llu s", seat->slot,
                 seat->pid, (unsigned long long)seconds_since(seat->asked_ms));
    }
    seat->asked = 0;
}
