/* SPDX-License-Identifier: MIT */
/* What a load process asks of its system, where each platform has its own way or none. */
#ifndef LOAD_SYSTEM_H
#define LOAD_SYSTEM_H

#include <stdint.h>

/* The kernel ends this process when `parent` ends; where it cannot, the worker looks. */
void tusk__system_die_with_parent(void);
/* Shown by ps and top. */
void tusk__system_name(const char *name);
/* Waits end when they are due, not when it suits the kernel. */
void tusk__system_punctual(void);
void tusk__system_pin(uint32_t index);
/* As many descriptors as this user may have. */
void tusk__system_raise_descriptors(void);
void tusk__system_close_from(int first);
/* Non-blocking and close-on-exec on both ends; -1: errno tells. */
int tusk__system_pipe(int ends[2]);

#endif
