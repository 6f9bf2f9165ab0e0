/* SPDX-License-Identifier: MIT */
/* The first words of protocols over TCP: what a client says, and whether the answer is one. */
#ifndef LOAD_GREETING_H
#define LOAD_GREETING_H

#include "load/plan.h"

/* What the client says first; empty: the server speaks first. */
tusk_bytes tusk__load_greeting_words(tusk_tcp_greeting kind);
/* What a server answers to these words, or says at once; and how long the words are that stand at
 * the beginning of `in`: 0 more is needed, TUSK_EPROTO: they are none. */
tusk_bytes tusk__load_greeting_answer(tusk_tcp_greeting kind);
ptrdiff_t tusk__load_greeting_asked(tusk_tcp_greeting kind, tusk_bytes in);
/* > 0 bytes of the server's greeting, 0 more is needed, TUSK_EPROTO: that is another protocol,
 * TUSK_EPOLICY: the server refuses. `reason` (LOAD_GREETING_REASON bytes) says how. */
enum { LOAD_GREETING_REASON = 120 };
ptrdiff_t tusk__load_greeting_read(tusk_tcp_greeting kind, tusk_bytes in, char *reason);

#endif
