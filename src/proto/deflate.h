/* SPDX-License-Identifier: MIT */
/* Inflaters, as the message decoder uses them, and what deflaters make. Without zlib every call is
 * TUSK_ENOTSUP. */
#ifndef PROTO_DEFLATE_H
#define PROTO_DEFLATE_H

#include <tusk/ws.h>

#include "proto/ws_history.h"

/* The least window that zlib's raw deflate makes. From one of 2^9 it refers back 2^9 - 262 = 250
 * bytes at most (its MAX_DIST: the window without the longest match ahead and what finds it), so
 * what is made for 2^9 fits one of 2^8. */
enum { TUSK__DEFLATE_BITS_MIN = 9 };

typedef struct tusk__inflater tusk__inflater;

/* For one message, which may refer back to `history` (NULL: to nothing). */
tusk_err tusk__inflater_take(tusk__inflater **out, tusk_ws_inflaters *pool,
                             const tusk__history *history);
/* NULL is fine. */
void tusk__inflater_give(tusk_ws_inflaters *pool, tusk__inflater *self);
/* Compressed bytes that were run. */
uint64_t tusk__inflater_wire(const tusk__inflater *self);
/* Inflates from the front of `in`, which is advanced, until it is empty or `cap` bytes are made. */
tusk_err tusk__inflater_run(tusk__inflater *self, tusk_bytes *in, uint8_t *out, size_t cap,
                            size_t *made);
/* What is to be run at the end of a message (RFC 7692, 7.2.2); empty where nothing is. */
tusk_bytes tusk__inflater_tail(const tusk__inflater *self);
/* After the tail: TUSK_EDEFLATE when the message ended inside a block. */
tusk_err tusk__inflater_end(tusk__inflater *self);

#endif
