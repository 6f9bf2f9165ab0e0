/* SPDX-License-Identifier: MIT */
/* Where a URL leads: host, port, TLS or not, and the head of a request for it. */
#ifndef CLIENT_TARGET_H
#define CLIENT_TARGET_H

#include "client/inner.h"

enum { TARGET_HOST_MAX = 255 };

typedef struct tusk__target {
    const tusk_mem *mem;
    tusk_buf text; /* the URL, then the fields */
    size_t url_len;
    tusk_url url;      /* in `text` */
    tusk_bytes fields; /* in `text` */
    tusk_tls *tls;     /* referenced when secure and given */
    uint16_t port;
    bool secure;
    char host[TARGET_HOST_MAX + 1];
} tusk__target;

/* TUSK_EINVAL: the URL, its scheme (ws and wss only when `websocket`), or a field. */
tusk_err tusk__target_init(tusk__target *self, const tusk_mem *mem,
                           const tusk_client_target *source, bool websocket);
void tusk__target_fini(tusk__target *self);
/* A redirect's Location, absolute or relative, replaces the URL. To another origin no credentials
 * go along. TUSK_EPROTO: not a place to go, or from TLS to plain. */
tusk_err tusk__target_redirect(tusk__target *self, tusk_bytes location);
/* Appends the request line, Host, the caller's fields and User-Agent; not the empty line. */
tusk_err tusk__target_head(const tusk__target *self, tusk_buf *out, tusk_bytes method);
/* Same host, port and TLS context. */
bool tusk__target_same_origin(const tusk__target *a, const tusk__target *b);

#endif
