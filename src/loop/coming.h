/* SPDX-License-Identifier: MIT */
/* What a turn has still to tell, for an owner of many descriptors that does for all of them at once
 * what it would do for one after the other. */
#ifndef LOOP_COMING_H
#define LOOP_COMING_H

#include <tusk/loop.h>

/* From inside the event of `first`: it, and those that this turn tells after it, as far as they are
 * readable, told by the same function, and nothing of `without` happened to them; at most `max`.
 * Each is named once in a turn: 0 says that `first` was. What is told until then may still take
 * others out. */
unsigned tusk__loop_coming(tusk_loop *self, const tusk_io *first, unsigned without, tusk_io **out,
                           unsigned max);

/* What this turn has still to tell of `io` is told already, where it is no more than that it is
 * readable. */
void tusk__loop_told(tusk_loop *self, tusk_io *io);

#endif
