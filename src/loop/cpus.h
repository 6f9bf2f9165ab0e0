/* SPDX-License-Identifier: MIT */
/* How many processors a process may be on, and how many a quota pays for. */
#ifndef LOOP_CPUS_H
#define LOOP_CPUS_H

#include <stdint.h>

/* Whoever looks for work instead of sleeping asks for these: a quota counts time, and what is found
 * at once costs less of it than two wake-ups. At least 1. */
uint32_t tusk__cpus_of_mask(void);

/* Rounded up; 0: no quota. `groups` is what /proc/self/cgroup says, `mount` where control groups
 * are mounted. */
uint32_t tusk__cpus_of_groups(const char *groups, const char *mount);

#endif
