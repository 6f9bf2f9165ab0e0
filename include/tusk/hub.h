/* SPDX-License-Identifier: MIT */
/* Positions in the one sequence of published messages, and what happens to a subscriber that cannot
 * keep up. */
#ifndef TUSK_HUB_H
#define TUSK_HUB_H

#include <tusk/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `epoch` names one life of the log, `offset` counts messages in it from 1; offset 0 is "before the
 * first". */
typedef struct tusk_position {
    uint64_t epoch;
    uint64_t offset;
} tusk_position;

enum { TUSK_POSITION_TEXT_MAX = 40 };
/* "epoch:offset", hexadecimal epoch; returns the length, writes no NUL. */
TUSK_API size_t tusk_position_text(char out[TUSK_POSITION_TEXT_MAX], tusk_position position);
/* TUSK_EINVAL when it is not one. */
TUSK_API tusk_err tusk_position_parse(tusk_position *out, tusk_bytes text);

typedef enum tusk_overflow {
    TUSK_OVERFLOW_CLOSE,       /* WebSocket 1013, SSE: the stream ends */
    TUSK_OVERFLOW_DROP_OLDEST, /* of what waits for this subscription */
    TUSK_OVERFLOW_DROP_NEWEST,
    TUSK_OVERFLOW_CONFLATE /* only the newest of the topic waits */
} tusk_overflow;

#ifdef __cplusplus
}
#endif
#endif
