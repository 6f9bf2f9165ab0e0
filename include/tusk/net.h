/* SPDX-License-Identifier: MIT */
/* Addresses as people write them, judged without asking anybody. */
#ifndef TUSK_NET_H
#define TUSK_NET_H

#include <stdbool.h>
#include <tusk/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where somebody may be connected to: "10.0.0.7:5432", "[fd00::7]:5432", "db7.internal:5432",
 * "unix:/path". A port is 1 to 65535, IPv6 stands in brackets. */
TUSK_API bool tusk_net_target_valid(tusk_bytes text);
/* "10.0.0.0/8", "fd00::/8", or one address; no bit is set behind the length. */
TUSK_API bool tusk_net_range_valid(tusk_bytes text);

#ifdef __cplusplus
}
#endif
#endif
