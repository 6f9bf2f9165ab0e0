/* SPDX-License-Identifier: MIT */
/* What a loopback and its clients share: the client's end of a connection in memory, and turns of
 * the server's loop. */
#ifndef TUSK_EXT_TESTING_LOOPBACK_H
#define TUSK_EXT_TESTING_LOOPBACK_H

#include "src/serve/service.h"

enum { LOOPBACK_MS_MAX = 5000, LOOPBACK_BYTES_MAX = 1 << 30 };

typedef struct tusk_loopback {
    zend_object *server; /* a reference */
    zend_object std;
} tusk_loopback;

typedef struct tusk_endpoint {
    int fd; /* -1: closed */
    tusk_buf in;
    tusk_buf out;
    bool ended;
} tusk_endpoint;

/* False: an exception was thrown. */
bool tusk_endpoint_open(tusk_endpoint *self, tusk_loopback *parent);
void tusk_endpoint_close(tusk_endpoint *self);
/* Runs the server's handlers until `done` says so (NULL: until nothing moves any more), at most so
 * long, and moves the endpoint's bytes meanwhile (NULL: there is none). False: an exception was
 * thrown. */
bool tusk_loopback_run(tusk_loopback *self, tusk_endpoint *end, bool (*done)(void *arg), void *arg,
                       uint64_t ms);
/* The same until nothing moves any more. */
static inline bool tusk_loopback_settle(tusk_loopback *self, tusk_endpoint *end)
{
    return tusk_loopback_run(self, end, NULL, NULL, LOOPBACK_MS_MAX);
}
/* Request line and headers, with a Host when there is none; without the empty line. False: an
 * exception was thrown. */
bool tusk_loopback_head(tusk_buf *out, zend_string *line, HashTable *headers, uint32_t number);
bool tusk_loopback_is_stream(const tusk_http_head *head);
void tusk_loopback_startup(void);
void tusk_loopback_client_startup(void);
void tusk_loopback_stream_startup(void);

#endif
