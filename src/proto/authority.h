/* SPDX-License-Identifier: MIT */
/* host[:port] as Host, an absolute-form target or a URL carries it (RFC 3986, 3.2.2; no user part).
 */
#ifndef PROTO_AUTHORITY_H
#define PROTO_AUTHORITY_H

#include <tusk/bytes.h>

typedef struct tusk__authority {
    tusk_bytes host; /* without brackets */
    uint16_t port;
    bool has_port;
} tusk__authority;

/* False: empty, or not of that form. "host:" is a host without a port, as RFC 3986 has it. */
bool tusk__authority_parse(tusk__authority *out, tusk_bytes text);

#endif
