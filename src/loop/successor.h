/* SPDX-License-Identifier: MIT */
/* One tusk_io in the place of another one, for a descriptor that goes from owner to owner. */
#ifndef LOOP_SUCCESSOR_H
#define LOOP_SUCCESSOR_H

#include <tusk/loop.h>

/* Whether this loop's poller knows a descriptor by its number, whoever owns it (only epoll does).
 */
bool tusk__loop_has_successors(const tusk_loop *self);

/* Where it does: `to`, which has an `on_event` and is not added, gets the descriptor of `from` with
 * its interest, without a system call where taking it out and adding it would be two. What a turn
 * has still to tell is told to nobody, nor an edge again that `from` was told of; what the
 * descriptor has not reported yet is told to `to`. `from` is not added any more and has no
 * descriptor. */
void tusk__io_succeed(tusk_loop *self, tusk_io *to, tusk_io *from);

#endif
