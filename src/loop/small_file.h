/* SPDX-License-Identifier: MIT */
/* What the system tells in files of a few lines: /proc, control groups. */
#ifndef LOOP_SMALL_FILE_H
#define LOOP_SMALL_FILE_H

#include <stddef.h>

/* The first `cap` - 1 bytes at most, as a C string; how many. 0: there is no such file, or nothing
 * in it. */
size_t tusk__small_file_read(const char *path, char *out, size_t cap);

#endif
