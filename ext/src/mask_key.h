/* SPDX-License-Identifier: MIT */
/* The keys that clients mask their frames with. */
#ifndef TUSK_EXT_MASK_KEY_H
#define TUSK_EXT_MASK_KEY_H

#include <stdint.h>

/* A key to mask a client's frame with, from the system's random numbers (RFC 6455, 5.3). */
void tusk_mask_key(uint8_t key[4]);

#endif
