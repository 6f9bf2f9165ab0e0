/* SPDX-License-Identifier: MIT */
/* What the servers of several processes know of each other: counters, and how much of the limits of
 * connections is taken (net/gate.h). Each process writes its own seat and reads all. */
#ifndef SERVE_SHARE_H
#define SERVE_SHARE_H

#include "serve/server.h"

/* A server's part of it. */
struct server_share {
    tusk_server *server;
    tusk_server_shared *all;
    uint32_t seat;
    tusk_timer publish;
};

/* Others see what this one counts a tenth of a second later. */
void tusk__share_publish_soon(const tusk_server *server);
/* The sums over all, with what this one counts now. */
void tusk__share_stats(const tusk_server *server, tusk_server_stats *out);
void tusk__share_end(tusk_server *server); /* before the server is freed */

#endif
