/* SPDX-License-Identifier: MIT */
/* PHP's random numbers in a process that was forked. */
#ifndef TUSK_EXT_RUN_RANDOM_H
#define TUSK_EXT_RUN_RANDOM_H

/* What another process had drawn or seeded is not drawn again by each of its forks. */
void tusk_random_anew(void);

#endif
