/* SPDX-License-Identifier: MIT */
/* What a process takes of its machine, by the names that all clients of Prometheus have. */
#ifndef TUSK_USAGE_H
#define TUSK_USAGE_H

#include <stdint.h>
#include <tusk/bytes.h>
#include <tusk/err.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUSK_USAGE_UNTOLD UINT64_MAX /* the system does not tell: no /proc, or not to us */

typedef struct tusk_usage {
    uint64_t resident_bytes;
    uint64_t cpu_ms; /* since the start, of user and system */
    uint64_t open_fds, max_fds;
    uint64_t start_ms; /* since 1970 */
} tusk_usage;

/* This process, now: a few reads of /proc. Kernels before 6.2 list descriptors one by one: there
 * more than 10,000 of them are untold. */
TUSK_API void tusk_usage_get(tusk_usage *out);
/* Appends families as OpenMetrics 1.0 has them, from process_resident_memory_bytes to
 * process_start_time_seconds; what is untold is left out. TUSK_ETOOBIG, TUSK_ENOMEM: some of it may
 * be there. */
TUSK_API tusk_err tusk_usage_text(const tusk_usage *self, tusk_buf *out);

#ifdef __cplusplus
}
#endif
#endif
