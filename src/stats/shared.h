/* SPDX-License-Identifier: MIT */
/* Counters of several processes: each writes copies of its own into shared memory, and anybody adds
 * them up. A structure of uint64_t is an array of them here. */
#ifndef STATS_SHARED_H
#define STATS_SHARED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* `from` is this process's structure of `count` counters. */
void tusk__shared_put(_Atomic uint64_t *to, const void *from, size_t count);
/* Adds to the structure `to`. */
void tusk__shared_add(void *to, const _Atomic uint64_t *from, size_t count);
/* What a process counted that is gone is added to `gone`, but for its gauges: `none` are their
 * places in the structure, in bytes. */
void tusk__shared_bury(_Atomic uint64_t *gone, _Atomic uint64_t *dead, size_t count,
                       const size_t *none, size_t none_count);

#endif
