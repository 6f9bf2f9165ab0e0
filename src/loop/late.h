/* SPDX-License-Identifier: MIT */
/* Deadlines of peers that are looked at late: the process slept, or was busy for long. What a peer
 * said meanwhile may not have been read yet, and to what it asked nobody could answer. */
#ifndef LOOP_LATE_H
#define LOOP_LATE_H

#include <tusk/loop.h>

#define TUSK__LATE_MS_MIN 100u
#define TUSK__LATE_MS_MAX 1000u

/* From inside on_due: so much more time its peer should have, once for each deadline. 0: the timer
 * is not late. */
static inline uint32_t tusk__timer_late_ms(const tusk_loop *loop, const tusk_timer *timer)
{
    uint64_t late = tusk_loop_now_ms(loop) - timer->due_ms;
    if (late < TUSK__LATE_MS_MIN) {
        return 0;
    }
    return late < TUSK__LATE_MS_MAX ? (uint32_t)late : TUSK__LATE_MS_MAX;
}

#endif
