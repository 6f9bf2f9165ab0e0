/* SPDX-License-Identifier: MIT */
/* Whether an IP address is public, and ranges that allow or deny: the judge of which addresses a
 * relay may connect to. Addresses are family (4 or 6) and bytes in network order, as tusk_addr_ip
 * gives them. */
#ifndef NET_IP_CLASS_H
#define NET_IP_CLASS_H

#include <stddef.h>
#include <tusk/bytes.h>

typedef struct tusk_ip_range {
    uint8_t family;
    uint8_t bits;   /* of `ip` that count */
    uint8_t ip[16]; /* IPv4 in the first four; zero behind `bits` */
} tusk_ip_range;

/* "10.0.0.0/8", "fd00::/8", or one address. TUSK_EINVAL: none of these, or bits behind the length
 * are set (a mistyped range would be silently another one). "::ffff:10.0.0.0/104" is
 * "10.0.0.0/8". */
tusk_err tusk_ip_range_parse(tusk_ip_range *out, tusk_bytes text);
bool tusk_ip_range_has(const tusk_ip_range *self, uint8_t family, const uint8_t ip[16]);

/* NULL: public. Else static text that names the range, "private use (10.0.0.0/8)". Public is what
 * IANA's registries of special-purpose addresses (RFC 6890) leave, IPv6 within 2000::/3 only. The
 * few globally reachable services inside 192.0.0.0/24 and 2001::/23 are not public here, nor are
 * addresses that carry an IPv4 address inside (6to4, NAT64, Teredo). An IPv4-mapped address is the
 * IPv4 address it maps. */
const char *tusk_ip_special(uint8_t family, const uint8_t ip[16]);

typedef struct tusk_ip_policy {
    const tusk_ip_range *allowed; /* these come first */
    size_t allowed_count;
    const tusk_ip_range *denied;
    size_t denied_count;
    bool any_address; /* what is not public passes, too */
} tusk_ip_policy;

/* NULL: may be connected to. Else static text that names why not. An IPv4-mapped address is judged
 * as the IPv4 address it maps, because that is where the kernel goes; the addresses inside 6to4,
 * NAT64 and Teredo must pass as well as the address itself. */
const char *tusk_ip_refusal(const tusk_ip_policy *policy, uint8_t family, const uint8_t ip[16]);

#endif
