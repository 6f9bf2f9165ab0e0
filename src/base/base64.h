/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648, 4), strict: padding required, no other byte allowed, unused bits zero. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <tusk/bytes.h>

/* 4 * ceil(len / 3) characters, no NUL; returns how many. */
size_t tusk_base64_encode(char *out, tusk_bytes in);
/* How many bytes it stands for, or TUSK_EPROTO: it is no base64. */
ptrdiff_t tusk_base64_len(tusk_bytes in);

#endif
