/* SPDX-License-Identifier: MIT */
/* SHA-1 of a short text, for the opening handshake only (RFC 6455, 4.2.2). */
#ifndef BASE_SHA1_H
#define BASE_SHA1_H

#include <tusk/bytes.h>

void tusk_sha1(uint8_t digest[20], tusk_bytes in);
/* The same without the processor's own instructions for it; tests compare the two. */
void tusk__sha1_portable(uint8_t digest[20], tusk_bytes in);

#endif
