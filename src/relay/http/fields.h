/* SPDX-License-Identifier: MIT */
/*
 * Heads as they leave a proxy: what was meant for this hop alone is taken out, framing is said
 * anew, who the client is is added (RFC 9110, 7.6; RFC 9112, 6; RFC 7239). No I/O.
 *
 * Whatever goes on as it came is copied as whole lines, which the strict parser has read: so that
 * nothing leaves that could be read in another way.
 */
#ifndef RELAY_HTTP_FIELDS_H
#define RELAY_HTTP_FIELDS_H

#include <tusk/relay_http.h>

/* More options than this in Connection fields are no honest message: TUSK_EHEADERS. */
enum { HTTP_CONNECTION_OPTIONS_MAX = 16 };

typedef struct http_via {
    tusk_bytes name; /* ours; empty: none is added */
    bool alone;      /* those before us are left out */
} http_via;

/* What is said of the client. */
typedef struct http_forward {
    tusk_relay_forward x_forwarded; /* X-Forwarded-For, -Proto, -Host */
    tusk_relay_forward standard;    /* Forwarded */
    bool trusted;                   /* the peer is a proxy that is believed */
    bool secure;                    /* the client came by TLS */
    bool ipv6;
    tusk_bytes peer; /* the numeric address; empty: it has none (a Unix socket) */
    http_via via;
} http_forward;

/* A request's head for the backend. `raw`: all of its bytes. `host`: said instead of the client's
 * Host where ptr is not NULL; `fallback_host`: for a request without one (HTTP/1.0). `upgrade`: an
 * Upgrade is passed on. TUSK_EHEADERS: see above; TUSK_ENOMEM, TUSK_ETOOBIG: `out` says so. */
typedef struct http_request_how {
    tusk_bytes raw;
    tusk_bytes host;
    tusk_bytes fallback_host;
    bool upgrade;
    int max_forwards; /* said instead of the client's; -1: there is none */
    const http_forward *forward;
} http_request_how;
tusk_err http_request_write(tusk_buf *out, const tusk_http_head *head, const http_request_how *how);

/* How a body is framed towards its receiver. */
typedef enum http_framing {
    HTTP_BODY_NONE,   /* no body, and no field about one but a length that is only told (HEAD) */
    HTTP_BODY_LENGTH, /* Content-Length as it came */
    HTTP_BODY_CHUNKED,
    HTTP_BODY_CLOSE /* its end is the connection's end */
} http_framing;

typedef struct http_response_how {
    tusk_bytes raw;
    http_framing framing;
    bool keep_alive; /* said as the client's version wants it */
    uint8_t minor;   /* of the client */
    int64_t now_s;   /* said where a final answer has no Date (RFC 9110, 6.6.1) */
    http_via via;
} http_response_how;
/* A response's head for the client, interim ones and 101 too. Errors as above. */
tusk_err http_response_write(tusk_buf *out, const tusk_http_head *head,
                             const http_response_how *how);

/* The lines of a trailer section that may be passed on (RFC 9110, 6.5.1); `section` is whole lines,
 * perhaps with the empty one. */
tusk_err http_trailers_write(tusk_buf *out, tusk_bytes section);

/* Whether Connection names fields of its sender's own hop, which trailers may be as well. */
bool http_names_own_fields(const tusk_http_head *head);

/* Max-Forwards of a request, at most what is counted here; -1: none or not a number. */
int http_max_forwards(const tusk_http_head *head);

#endif
