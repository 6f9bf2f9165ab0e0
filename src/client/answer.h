/* SPDX-License-Identifier: MIT */
/* What an answer's head says to a client, beyond framing. */
#ifndef CLIENT_ANSWER_H
#define CLIENT_ANSWER_H

#include <tusk/http.h>

#include "net/conn.h"

/* tusk_http_response_parse over what `conn` has read, folded lines unfolded. */
ptrdiff_t tusk__answer_parse(tusk_http_head *head, tusk_conn *conn, tusk_http_method to,
                             size_t *scanned);

/* Why one was refused, in words: `otherwise` where no rule beyond the grammar was broken. */
const char *tusk__answer_fault(tusk_err err, const char *otherwise);

/* text/event-stream whatever its parameters, and not compressed. */
bool tusk__answer_is_event_stream(const tusk_http_head *head);
/* Retry-After in milliseconds, at most a day: seconds, or a date as it stands to the answer's own
 * Date. 0: none. */
uint32_t tusk__answer_retry_after_ms(const tusk_http_head *head);
/* 301, 302, 303, 307, 308 */
bool tusk__answer_is_redirect(const tusk_http_head *head);

#endif
