/* SPDX-License-Identifier: MIT */
/* Randomness from the system. */
#define _GNU_SOURCE
#include "loop/entropy.h"

#include <unistd.h>

#if defined(__APPLE__)
#include <sys/random.h>
#endif

tusk_err tusk__entropy(void *out, size_t len)
{
    return getentropy(out, len) == 0 ? TUSK_OK : TUSK_ESYS;
}
