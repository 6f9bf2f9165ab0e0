/* SPDX-License-Identifier: MIT */
/* UTF-8 (RFC 3629) checked at memory speed, whole or in pieces; a wrong byte is seen the moment it
 * arrives. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State between pieces; all zero is the start, and all zero again means "complete so far". */
typedef struct tusk_utf8 {
    uint32_t state;
} tusk_utf8;

/* False at the first byte that no valid text can have here (fail-fast: also inside an unfinished
 * sequence). */
bool tusk_utf8_feed(tusk_utf8 *self, const uint8_t *ptr, size_t len);
static inline bool tusk_utf8_complete(const tusk_utf8 *self)
{
    return self->state == 0;
}
bool tusk_utf8_valid(const uint8_t *ptr, size_t len);

/* What every machine can do; vectors take over for long pieces, and tests compare the two. */
bool tusk__utf8_feed_portable(tusk_utf8 *self, const uint8_t *ptr, size_t len);

#endif
