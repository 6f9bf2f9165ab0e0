/* SPDX-License-Identifier: MIT */
/* Places that others wait for. */
#ifndef SERVE_PLACES_H
#define SERVE_PLACES_H

#include "serve/server.h"

void tusk__places_init(tusk_server *server);
void tusk__places_fini(tusk_server *server);
/* A limit of connections or handshakes is reached. */
void tusk__places_watch(tusk_server *server);
/* There is no descriptor for another one: watched for the next moment, and told again then. */
void tusk__places_lack(tusk_server *server);

#endif
