/* SPDX-License-Identifier: MIT */
/* An alarm: a descriptor that becomes readable at an instant, for who waits in a poller for many
 * turns and wants no limit on each. */
#ifndef LOOP_ALARM_H
#define LOOP_ALARM_H

#include <stdint.h>

/* Close-on-exec, the caller's to close; -1: there is none on this system, or no more. */
int tusk__alarm_open(void);
/* Readable from tusk_loop_clock_ns() `at_ns` on; until then it is not, whatever it was. */
void tusk__alarm_set(int fd, uint64_t at_ns);

#endif
