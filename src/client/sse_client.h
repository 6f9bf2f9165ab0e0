/* SPDX-License-Identifier: MIT */
/* An event stream's inside: sse_client.c opens it, sse_client_retry.c connects and comes back,
 * sse_client_io.c reads. */
#ifndef CLIENT_SSE_CLIENT_H
#define CLIENT_SSE_CLIENT_H

#include "client/line.h"

typedef enum stream_state {
    STREAM_WAITING,
    STREAM_CONNECTING,
    STREAM_HEAD,
    STREAM_BODY,
    STREAM_CLOSED
} stream_state;

struct tusk_sse_client {
    tusk__line_user base;
    const tusk_sse_client_handler *handler;
    void *user;
    tusk_sse_client_options options; /* numbers, without zeros */
    tusk__target first;              /* where each connect begins; redirects lead to base.target */
    tusk_sse_parser parser;
    tusk_http_body body;
    tusk_buf pending; /* decoded, and not read because of a pause */
    size_t scanned;
    tusk_task close_task;
    uint64_t heard_ms;
    stream_state state;
    unsigned failures; /* connects without an open stream since the last one */
    unsigned redirects;
    unsigned interim;
    bool closing;
};

/* From the first target on. */
tusk_err tusk__sse_client_connect(tusk_sse_client *self);
/* The same; an error is one more loss. */
void tusk__sse_client_try_again(tusk_sse_client *self);
/* For good; the caller holds. `status` of the answer that is the reason, or 0. */
void tusk__sse_client_stop(tusk_sse_client *self, tusk_err err, uint16_t status, const char *text);
/* The connection is of no more use; another is made after the server's time, or `delay_ms_min`. */
void tusk__sse_client_come_back(tusk_sse_client *self, const tusk_failure *failure,
                                uint32_t delay_ms_min);
void tusk__sse_client_lose(tusk_sse_client *self, tusk_err err, const char *stage,
                           const char *text);
/* To where the head says, or for good. */
void tusk__sse_client_redirect(tusk_sse_client *self, const tusk_http_head *head);
/* All that has come, up to a pause; the caller holds. */
void tusk__sse_client_read(tusk_sse_client *self);

#endif
