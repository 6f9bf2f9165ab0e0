/* SPDX-License-Identifier: MIT */
/* The room that a memory limit leaves for values, as the unpacker's other files ask for it. */
#include "src/travel/room.h"

size_t tusk_memory_left(void)
{
    size_t used = zend_memory_usage(0);
    size_t max = PG(memory_limit) <= 0 ? SIZE_MAX : (size_t)PG(memory_limit);
    size_t left = max > used ? max - used : 0;
    return max == SIZE_MAX ? max : left - left / 8; /* pages are seldom full */
}

bool tusk_unpack_spend(tusk_unpacker *self, size_t bytes, size_t elements)
{
    return spend(self, bytes + elements * HASH_ELEMENT_BYTES);
}
