/* SPDX-License-Identifier: MIT */
/* A listener for operators, of a server or a proxy: GET /metrics and GET /health. */
#ifndef TUSK_EXT_PROCESS_ADMIN_H
#define TUSK_EXT_PROCESS_ADMIN_H

#include "src/run/host.h"

#define ADMIN_NOT_ONE UINT64_MAX /* used: of many things, each of which says it by itself */

/* How much of a limit is used, of all workers together; a bound of 0 is none. */
typedef struct tusk_admin_limit {
    const char *name; /* as Limits has it */
    uint64_t used, bound;
} tusk_admin_limit;

/* admin() of PHP; `metrics` is the host's. False: an exception was thrown. */
bool tusk_admin_listen(tusk_host *host, zend_string *address,
                       tusk_err (*metrics)(const tusk_host *self, tusk_buf *out));

/* For `metrics`: tusk_<what>_limit_used and _bound. */
tusk_err tusk_admin_put_limits(tusk_buf *out, const char *what, const tusk_admin_limit *limits,
                               size_t count);

/* The same: tusk_<what>_certificate_expires_seconds, of each file once. */
tusk_err tusk_admin_put_certificates(tusk_buf *out, const char *what, tusk_tls *const *contexts,
                                     size_t count);

#endif
