/* SPDX-License-Identifier: MIT */
/* What a compressed message may refer back to when its sender keeps its context (RFC 7692, 7.1.1):
 * the end of the messages before it, as long as the agreed window. */
#ifndef PROTO_WS_HISTORY_H
#define PROTO_WS_HISTORY_H

#include <tusk/bytes.h>
#include <tusk/mem.h>

typedef struct tusk__history tusk__history;

/* `message` was inflated. `*self` is NULL before the first one; it grows up to 2^window_bits and
 * owns nothing else. TUSK_ENOMEM: as it was. */
tusk_err tusk__history_add(tusk__history **self, const tusk_mem *mem, uint8_t window_bits,
                           tusk_bytes message);
/* NULL is fine. */
void tusk__history_free(tusk__history *self, const tusk_mem *mem);
/* In two pieces, the older bytes first; until the next call. */
void tusk__history_view(const tusk__history *self, tusk_bytes pieces[2]);

#endif
