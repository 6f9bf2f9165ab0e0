/* SPDX-License-Identifier: MIT */
/* The room that a memory limit leaves for values, as the unpacker's other files ask for it. */
#include "src/travel/room.h"

/* The limit is one of what PHP has of the system, which comes in whole chunks. */
size_t tusk_memory_left(void)
{
    size_t used = zend_memory_usage(0), had = zend_memory_usage(1);
    size_t max = PG(memory_limit) <= 0 ? SIZE_MAX : (size_t)PG(memory_limit);
    size_t left = max > had ? (max - had) & ~(CHUNK_BYTES - 1) : 0;
    left += had > used ? had - used : 0;
    return max == SIZE_MAX ? max : left - left / 8; /* pages are seldom full */
}

/* What one byte becomes at most: an array without elements is two bytes, and 376 of memory with a
 * table of the least size, 504 in a PHP built for debugging. */
enum { BYTE_BECOMES_MAX = 256 };
/* The tables that rows are copied from. */
enum { SHAPES_TAKE_MAX = PACK_SHAPES * (PACK_SHAPE_KEYS * 64 + 256) };

/* Where there is room for the worst that they can be, nothing is counted piece by piece. */
void tusk_unpacker_limit(tusk_unpacker *self, size_t room)
{
    size_t len = (size_t)(self->end - self->at);
    self->room = room;
    self->prepaid = room > SHAPES_TAKE_MAX && (room - SHAPES_TAKE_MAX) / BYTE_BECOMES_MAX >= len;
    if (self->prepaid) {
        self->room -= len * BYTE_BECOMES_MAX + SHAPES_TAKE_MAX;
    }
}

bool tusk_unpack_spend(tusk_unpacker *self, size_t bytes)
{
    return spend_counted(self, bytes);
}
