/* SPDX-License-Identifier: MIT */
/* A body on its way from one connection to another, framed anew; never held whole. */
#ifndef RELAY_HTTP_FLOW_H
#define RELAY_HTTP_FLOW_H

#include "net/conn.h"
#include "relay/http/fields.h"

typedef struct http_flow {
    tusk_http_body body;  /* as it comes */
    tusk_buf trailers;    /* until the last chunk leaves */
    http_framing framing; /* as it leaves */
    bool trailers_end;    /* here: some may be for this hop alone (RFC 9110, 7.6.1) */
    bool done;            /* all of it is queued */
} http_flow;

/* `max`: payload bytes, UINT64_MAX without a limit. All zero is a flow that was never begun. */
void http_flow_init(http_flow *self, const tusk_mem *mem, const tusk_http_head *head,
                    http_framing framing, uint64_t max, const tusk_http_limits *limits);
void http_flow_fini(http_flow *self);

/* Takes what `from` shows and queues it at `to`; what follows the body stays. TUSK_OK: more may
 * come, unless `done`. Errors of the body are its sender's (TUSK_EPROTO, TUSK_ETOOBIG,
 * TUSK_EHEADERS), all others (TUSK_ENOMEM, TUSK_ELIMIT, TUSK_ESTATE) of the queue. */
tusk_err http_flow_move(http_flow *self, tusk_conn *from, tusk_conn *to);
/* `from` has ended: TUSK_EEOF unless that is this body's legal end. */
tusk_err http_flow_end(http_flow *self, tusk_conn *to);

static inline bool http_flow_is_senders(tusk_err err)
{
    return err == TUSK_EPROTO || err == TUSK_ETOOBIG || err == TUSK_EHEADERS;
}

#endif
