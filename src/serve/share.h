/* SPDX-License-Identifier: MIT */
/* What the servers of several processes know of each other: counters, and how much of the limits of
 * connections is taken. Each process writes its own seat and reads all. */
#ifndef SERVE_SHARE_H
#define SERVE_SHARE_H

#include "serve/server.h"

/* A server's part of it. */
struct server_share {
    tusk_server *server;
    tusk_server_shared *all;
    uint32_t seat;
    tusk_timer publish;
    tusk_timer again; /* a place may have become free elsewhere */
};

/* One more connection, within the limit of all; false: there is no place. */
bool tusk__share_enter(tusk_server *server);
/* One more in any case. */
void tusk__share_add(const tusk_server *server);
void tusk__share_leave(const tusk_server *server);
/* Whether all places are taken, here or anywhere, of one that shares them. */
bool tusk__share_full(const tusk_server *server);
/* Places become free in other processes, which nobody tells: looks a little later. */
void tusk__share_look_again(const tusk_server *server);
/* Others see what this one counts a tenth of a second later. */
void tusk__share_publish_soon(const tusk_server *server);
/* The sums over all, with what this one counts now. */
void tusk__share_stats(const tusk_server *server, tusk_server_stats *out);
void tusk__share_end(tusk_server *server); /* before the server is freed */

#endif
