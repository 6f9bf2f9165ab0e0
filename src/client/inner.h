/* SPDX-License-Identifier: MIT */
/* What the clients of one loop share: pools, lines that are under way or kept, a head to parse
 * into, randomness. */
#ifndef CLIENT_INNER_H
#define CLIENT_INNER_H

#include <tusk/client.h>

#include "base/list.h"
#include "net/conn.h"
#include "net/resolver.h"

enum { CLIENT_RANDOM_BYTES = 256 };

/* Embedded first in each kind of handle, so that freeing the client finds them. */
typedef struct tusk__client_handle {
    tusk_link link;
    void (*abort)(struct tusk__client_handle *self);
} tusk__client_handle;

struct tusk_client {
    tusk_loop *loop;
    const tusk_mem *mem;
    tusk_net *net;
    tusk_client_options options; /* without zeros */
    tusk_link handles;
    tusk_link idle;   /* lines that wait for another request, the oldest first */
    tusk_link ending; /* lines that are finished and not yet let go by the network layer */
    size_t lines;     /* of any kind, until their memory is back */
    size_t idle_len;
    tusk_tls *tls;           /* made on first use, */
    tusk_resolver *resolver; /* as this is */
    tusk_ws_inflaters *inflaters;
    tusk_http_head head; /* a head is parsed and done with inside one callback */
    tusk_buf scratch;
    tusk_task free_task;
    uint64_t jitter;
    size_t random_left;
    uint8_t random[CLIENT_RANDOM_BYTES];
    bool freeing;
    /* Instead of lookup and connect, where set: a connected socket, or -1. For tests and fuzzing,
     * which play the server on the other end of a pair. */
    int (*dial)(void *user);
    void *dial_user;
    tusk_look_up look_up; /* instead of the system's, where set; called in a thread */
    void *look_up_user;
};

/* Bytes that nobody can guess; TUSK_ESYS when the system has none. */
tusk_err tusk__client_random(tusk_client *self, uint8_t *out, size_t len);
/* 0 to `below` - 1, for spreading in time only. */
uint32_t tusk__client_jitter(tusk_client *self, uint32_t below);
/* The context of targets that bring none; NULL and a failure's text when there can be none. */
tusk_tls *tusk__client_tls(tusk_client *self);
tusk_err tusk__client_look_up(tusk_client *self, tusk_lookup *lookup, const char *host,
                              uint16_t port);
/* What an answer's head may be. */
const tusk_http_limits *tusk__client_limits(void);
/* A line's memory is back. */
void tusk__client_line_gone(tusk_client *self);

#endif
