/* SPDX-License-Identifier: MIT */
/* XOR with a four-byte key (RFC 6455, 5.3), by vectors where the machine has them. */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"

/* dst[i] = src[i] ^ key[(phase + i) & 3]; dst == src is allowed, other overlap is not. */
void tusk_mask_apply(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4],
                     size_t phase);
/* The same, and the result is fed to `utf8`: ASCII costs one pass, other text a second one. False
 * as tusk_utf8_feed says it; everything is unmasked in either case. */
bool tusk__mask_apply_utf8(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4],
                           size_t phase, tusk_utf8 *utf8);

/* A text that is whole: unmasked, and whether it is UTF-8. */
bool tusk__mask_text(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4]);

/* What every machine can do: not called where there are vectors, but compared with them by tests.
 */
void tusk__mask_apply_portable(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4],
                               size_t phase);

#endif
