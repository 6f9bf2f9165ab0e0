/* SPDX-License-Identifier: MIT */
/* Event streams. */
#ifndef SERVE_STREAM_STREAM_H
#define SERVE_STREAM_STREAM_H

#include "serve/session.h"

void tusk__stream_on_due(tusk_session *self, uint64_t now_ms);
void tusk__stream_open(tusk_session *self);
void tusk__stream_end(tusk_session *self);

#endif
