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

/* ---- control.c, for session.c ---- */
/* Its next deadline: silence, a ping, a missing pong. */
void tusk__ws_arm(tusk_session *self, uint64_t now_ms);
/* Something came, which is as good as the pong that is due: within a frame nobody can send one (RFC
 * 6455, 5.4), and behind what its sender's kernel has it may come much later. */
void tusk__ws_heard(tusk_session *self);
void tusk__ws_answer_ping(tusk_session *self, tusk_bytes payload);
/* The pong that waited for room, if one does. */
void tusk__ws_settle_pong(tusk_session *self);
void tusk__ws_take_close(tusk_session *self, tusk_bytes payload);
/* What came breaks a rule or a limit of the decoder. */
void tusk__ws_fail_decode(tusk_session *self, tusk_err err);
/* Nothing more is read; what is queued leaves, then the connection ends. `complete`: the peer has
 * said its last. */
void tusk__ws_end(tusk_session *self, tusk_bytes reason, bool complete);

#endif
