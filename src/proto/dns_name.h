/* SPDX-License-Identifier: MIT */
/* Host names as DNS carries them (RFC 1123, 2.1; RFC 5890, 2.3.1): labels of letters, digits and
 * hyphens. */
#ifndef PROTO_DNS_NAME_H
#define PROTO_DNS_NAME_H

#include <tusk/bytes.h>

enum { DNS_NAME_MAX = 253, DNS_LABEL_MAX = 63 };

/* Copies `name` in lower case to `out`, which has room for DNS_NAME_MAX. False, and `out` has no
 * meaning: empty, too long, an empty or too long label (no dot at the end), a byte that is no
 * letter, digit, hyphen or underscore (which names of services have), or an IPv4 address: its last
 * label is a number, and no host's is. */
bool tusk__dns_name_lower(char out[DNS_NAME_MAX], tusk_bytes name);

#endif
