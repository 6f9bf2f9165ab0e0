/* SPDX-License-Identifier: MIT */
/* Bytes that nobody can guess. */
#ifndef LOOP_ENTROPY_H
#define LOOP_ENTROPY_H

#include <stddef.h>

#include <tusk/err.h>

enum { TUSK_ENTROPY_MAX = 256 };

/* At most TUSK_ENTROPY_MAX at a time; TUSK_ESYS when the system has none. */
tusk_err tusk__entropy(void *out, size_t len);

#endif
