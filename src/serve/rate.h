/* SPDX-License-Identifier: MIT */
/* Limits of messages and of bytes per second, of one session. */
#ifndef SERVE_RATE_H
#define SERVE_RATE_H

#include "serve/session.h"

typedef struct session_rate {
    double messages;
    double bytes;
    uint64_t at_ms;
    tusk_timer timer;
    tusk_session *session;
} session_rate;

/* session->rate, where the server has such limits. */
tusk_err tusk__rate_new(tusk_session *self);
/* One message of `bytes` against them (session->rate is not NULL); reading pauses when they are
 * used up. */
void tusk__rate_spend(tusk_session *self, size_t bytes);
/* Reading goes on where it had paused for them. */
void tusk__rate_over(tusk_session *self);

#endif
