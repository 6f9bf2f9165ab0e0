/* SPDX-License-Identifier: MIT */
/* A number as decimal digits, without printf's cost and without its locale. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <tusk/bytes.h>

enum { DECIMAL_MAX = 20 }; /* digits of UINT64_MAX */

/* The digits, which stand at the end of `text`. */
static inline tusk_bytes tusk__decimal(uint8_t text[DECIMAL_MAX], uint64_t value)
{
    size_t first = DECIMAL_MAX;
    do {
        text[--first] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return tusk_bytes_of(text + first, DECIMAL_MAX - first);
}

#endif
