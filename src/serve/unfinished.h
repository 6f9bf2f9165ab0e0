/* SPDX-License-Identifier: MIT */
/* All that is on its way in: messages and bodies of which the end is missing. */
#ifndef SERVE_UNFINISHED_H
#define SERVE_UNFINISHED_H

#include "serve/session.h"

enum { TUSK__UNFINISHED_UNASKED = 64 * 1024 /* capacity that a payload takes without asking */ };
void tusk__unfinished_on_task(tusk_task *task); /* those who wait look again */
void tusk__session_count_unfinished(tusk_session *self, size_t now);
/* May this session read on, and what it has grow to what it needs? */
bool tusk__unfinished_admits(tusk_session *self);
/* More is unfinished than the limit says: who holds something waits for its turn. */
bool tusk__unfinished_is_much(const tusk_server *server);
/* Also without what the one has whose turn it is. */
bool tusk__unfinished_is_past_limit(const tusk_server *server);
/* A quarter of the limit is free, without what that one has. */
bool tusk__unfinished_leaves_room(const tusk_server *server);
/* And more than the quarter on top of it. */
bool tusk__unfinished_is_past_slack(const tusk_server *server);
/* So much is unfinished everywhere that this one, which just added to it, has to go. */
bool tusk__session_is_shed(tusk_session *self);

/* What the owner's place takes of the room of the send queues, and what is left of one before. */
void tusk__unfinished_reserve(tusk_server *server);
/* Others may have the place, also while what this one holds is still there. */
void tusk__unfinished_leave(tusk_session *self);
void tusk__unfinished_wake(tusk_server *server); /* those who wait may look again */

/* ---- silence.c: who holds memory that others wait for, and sends nothing ---- */
void tusk__silence_init(tusk_server *server);
void tusk__silence_fini(tusk_server *server);
void tusk__silence_watch(tusk_server *server);       /* somebody waits */
void tusk__silence_watch_owner(tusk_server *server); /* from here on it is its turn */
/* Past the quarter: those who have been silent for a while go. True: now it is not past it. */
bool tusk__silence_makes_room(tusk_server *server);
void tusk__silence_ask_young(tusk_server *server); /* for some turns, before the others */
/* Of those who wait, the one that began what it sends last; NULL: nobody waits. */
tusk_session *tusk__silence_youngest(const tusk_server *server);

/* ---- retired.c: a large payload that nobody wants any more ---- */
/* tusk_ws_config.retire; `user` is the server. */
bool tusk__retire(void *user, void *payload, uint8_t *place, size_t cap);
void tusk__retired_go_on(tusk_task *task);
void tusk__retired_drop(tusk_server *server);

#endif
