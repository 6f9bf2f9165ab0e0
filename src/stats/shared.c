/* SPDX-License-Identifier: MIT */
/* Counters in shared memory. */
#include "stats/shared.h"

#include <string.h>

void tusk__shared_put(_Atomic uint64_t *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)from + i * sizeof(value), sizeof(value));
        atomic_store_explicit(&to[i], value, memory_order_relaxed);
    }
}

void tusk__shared_add(void *to, const _Atomic uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)to + i * sizeof(value), sizeof(value));
        value += atomic_load_explicit(&from[i], memory_order_relaxed);
        memcpy((char *)to + i * sizeof(value), &value, sizeof(value));
    }
}

void tusk__shared_bury(_Atomic uint64_t *gone, _Atomic uint64_t *dead, size_t count,
                       const size_t *none, size_t none_count)
{
    for (size_t i = 0; i < none_count; i++) {
        atomic_store(&dead[none[i] / sizeof(uint64_t)], 0);
    }
    for (size_t i = 0; i < count; i++) {
        atomic_fetch_add(&gone[i], atomic_exchange(&dead[i], 0));
    }
}
