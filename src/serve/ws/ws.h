/* SPDX-License-Identifier: MIT */
/* WebSocket sessions. */
#ifndef SERVE_WS_WS_H
#define SERVE_WS_WS_H

#include "serve/session.h"

void tusk__ws_on_due(tusk_session *self, uint64_t now_ms);
/* Silence and a missing pong count from now on. */
void tusk__ws_alive(tusk_session *self);
void tusk__ws_open(tusk_session *self, const tusk_ws_deflate *deflate);
void tusk__ws_fini(tusk_session *self);
tusk_err tusk__ws_send_close(tusk_session *self, uint16_t code, tusk_bytes reason);
/* Close 1013, for too much that is unfinished. */
void tusk__ws_shed(tusk_session *self);

#endif
