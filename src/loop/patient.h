/* SPDX-License-Identifier: MIT */
/* Descriptors that may wait: told after all others of their turn, as far as a part of its time
 * goes. Those for which it does not wait in a line, in the order in which they became ready, and
 * the poller does not watch them meanwhile: what it reports is news, however many wait. */
#ifndef LOOP_PATIENT_H
#define LOOP_PATIENT_H

#include <tusk/loop.h>

#define TUSK__IO_PATIENT 0x40u /* in tusk_io.polled */
#define TUSK__IO_ASIDE 0x20u   /* the same */

/* From now on `io` may wait, or may not. It was added before; removing it ends that. */
static inline void tusk__io_may_wait(tusk_io *io, bool may)
{
    io->polled = (uint8_t)((io->polled & ~TUSK__IO_PATIENT) | (may ? TUSK__IO_PATIENT : 0u));
}

static inline bool tusk__io_is_patient(const tusk_io *io)
{
    return (io->polled & TUSK__IO_PATIENT) != 0;
}

/* What `io` reports says nothing of somebody who is served: a listener's. It was added before. */
static inline void tusk__io_set_aside(tusk_io *io)
{
    io->polled |= TUSK__IO_ASIDE;
}

/* Work that goes on over many turns: `task` runs in the next one, behind the answers to all who may
 * not wait. Once for each time it is deferred, however often before it ran. */
void tusk__task_defer_behind(tusk_loop *self, tusk_task *task);

/* Somebody who may not wait was told in the last 50 ms, as far as others stood in the line or there
 * was work behind them. */
bool tusk__loop_serves(const tusk_loop *self);

/* What those that may wait have of a turn, and a sixteenth of it while others are served; at least
 * one of them is told in each (of those that were named ahead together, coming.h, all). 2 ms unless
 * set. */
void tusk__loop_patient_ns(tusk_loop *self, uint64_t ns);

#endif
