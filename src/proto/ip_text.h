/* SPDX-License-Identifier: MIT */
/* IP addresses as text (RFC 3986, 3.2.2; RFC 4291, 2.2), read without the resolver. */
#ifndef PROTO_IP_TEXT_H
#define PROTO_IP_TEXT_H

#include <tusk/bytes.h>

/* Four decimal octets without leading zeros. */
bool tusk__ipv4_parse(uint8_t out[4], tusk_bytes text);
/* Groups of hex digits with one "::" at most, the last two maybe as IPv4; no zone. */
bool tusk__ipv6_parse(uint8_t out[16], tusk_bytes text);

#endif
