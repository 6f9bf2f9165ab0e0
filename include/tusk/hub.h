/* SPDX-License-Identifier: MIT */
/* Positions in the one sequence of published messages, and what happens to a subscriber that cannot
 * keep up. */
#ifndef TUSK_HUB_H
#define TUSK_HUB_H

#include <tusk/bytes.h>
#include <tusk/mem.h>

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

/* ---- one log for the servers of several processes ---- */
typedef struct tusk_shared_log tusk_shared_log;
enum { TUSK_SHARED_LOG_MEMBERS_MAX = 128 };
/* Made before the processes are forked that will share it; each of them has a reference, and gives
 * it to its server with tusk_server_share_log. TUSK_EINVAL: no member, or too many. */
TUSK_API tusk_err tusk_shared_log_new(tusk_shared_log **out, const tusk_mem *mem,
                                      size_t history_bytes, unsigned members);
/* In the process that looks after the others, when one of them is gone: what it had published and
 * not announced is heard by the rest, who would hear it with the next publication only. */
TUSK_API void tusk_shared_log_gone(tusk_shared_log *self, unsigned member);
/* Of this process. */
TUSK_API void tusk_shared_log_unref(tusk_shared_log *self);

#ifdef __cplusplus
}
#endif
#endif
