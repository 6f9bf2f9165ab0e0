/* SPDX-License-Identifier: MIT */
/* What a load process asks of its system, where each platform has its own way or none. */
#ifndef LOAD_SYSTEM_H
#define LOAD_SYSTEM_H

#include <stdint.h>

/* Waits end when they are due, not when it suits the kernel. */
void tusk__system_punctual(void);
void tusk__system_pin(uint32_t index);
/* Non-blocking and close-on-exec on both ends; -1: errno tells. */
int tusk__system_pipe(int ends[2]);

#endif
