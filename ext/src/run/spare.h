/* SPDX-License-Identifier: MIT */
/* What of PHP's memory_limit is no peer's: a handler that meets the limit ends the server, so those
 * who send, do not read or ask and wait are stopped before it. */
#ifndef TUSK_EXT_RUN_SPARE_H
#define TUSK_EXT_RUN_SPARE_H

#include "php_tusk.h"

/* A handler keeps an eighth of the limit for itself where others wait, and a quarter where messages
 * grow and answers wait to leave. */
enum { SPARE_OF_WAITS = 8, SPARE_OF_BYTES = 4 };

/* Whether `more` bytes leave that part of memory_limit. */
static inline bool tusk_memory_spares(size_t more, size_t part)
{
    if (PG(memory_limit) <= 0) {
        return true;
    }
    size_t limit = (size_t)PG(memory_limit);
    size_t most = limit - limit / part;
    return more <= most && zend_memory_usage(true) <= most - more;
}

#endif
