/* SPDX-License-Identifier: MIT */
/* All send queues together: room in them, and who gives way. */
#ifndef SERVE_PRESSURE_H
#define SERVE_PRESSURE_H

#include "serve/session.h"

/* Do the queues leave room for an answer of so many bytes? Also when they alone are too small for
 * it: then nearly all of them. */
bool tusk__pressure_fits(const tusk_session *self, size_t bytes);
/* More than half of what they may have is used: who can wait before he adds to it does. */
static inline bool tusk__pressure_high(const tusk_server *server)
{
    return tusk_net_queued(server->net) > server->limits.queued_bytes_total / 2;
}
/* May who can wait put as much behind what waits already? A crowd of slow clients, each far from
 * its own limit, must not fill the queues of all, where somebody would be cut. */
static inline bool tusk__pressure_lets(const tusk_session *self, size_t len)
{
    size_t queued = self->conn.send_bytes;
    return queued == 0 || queued + len <= self->conn.low_water ||
           !tusk__pressure_high(self->server);
}
/* There is no such room: whoever has the longest and takes nothing of it for a while is cut. */
void tusk__pressure_wait(tusk_session *self);
/* Room for `need` more bytes in the queues of all sessions: when their total is used up, whoever
 * has the longest queue is cut off, unless that would be this one, of which something waits
 * already. False: refused. */
bool tusk__session_make_room(tusk_session *self, size_t need);
bool tusk__server_make_room(void *user, tusk_conn *conn, size_t need); /* for all that is queued */
/* May this session's large message be read on, or would its answer not fit? */
bool tusk__pressure_admits(tusk_session *self);
/* A queue became shorter: those who wait look again. */
void tusk__pressure_eased(tusk_server *server);
void tusk__pressure_on_due(tusk_timer *timer);

#endif
