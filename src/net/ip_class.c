/* SPDX-License-Identifier: MIT */
/* Special-purpose ranges of IPv4 and IPv6 as one table, and policies over it. */
#include "net/ip_class.h"

#include <string.h>

#include "proto/ascii.h"
#include "proto/ip_text.h"

enum { V4_BITS = 32, V6_BITS = 128 };

typedef struct special_range {
    tusk_ip_range range;
    const char *name;
} special_range;

#define V4(a, b, c, d, bits)                                                                       \
    {                                                                                              \
        4, bits,                                                                                   \
        {                                                                                          \
            a, b, c, d                                                                             \
        }                                                                                          \
    }

/* IANA's IPv4 and IPv6 special-purpose address registries, multicast, and what was withdrawn but is
 * still routed somewhere. The more specific ones come first, for the name. */
static const special_range special[] = {
    {V4(255, 255, 255, 255, 32), "limited broadcast (255.255.255.255)"},
    {V4(0, 0, 0, 0, 8), "this network (0.0.0.0/8)"},
    {V4(10, 0, 0, 0, 8), "private use (10.0.0.0/8)"},
    {V4(100, 64, 0, 0, 10), "shared address space (100.64.0.0/10)"},
    {V4(127, 0, 0, 0, 8), "loopback (127.0.0.0/8)"},
    {V4(169, 254, 0, 0, 16), "link-local (169.254.0.0/16)"},
    {V4(172, 16, 0, 0, 12), "private use (172.16.0.0/12)"},
    {V4(192, 0, 0, 0, 24), "protocol assignments (192.0.0.0/24)"},
    {V4(192, 0, 2, 0, 24), "documentation (192.0.2.0/24)"},
    {V4(192, 88, 99, 0, 24), "6to4 relays (192.88.99.0/24)"},
    {V4(192, 168, 0, 0, 16), "private use (192.168.0.0/16)"},
    {V4(198, 18, 0, 0, 15), "benchmarking (198.18.0.0/15)"},
    {V4(198, 51, 100, 0, 24), "documentation (198.51.100.0/24)"},
    {V4(203, 0, 113, 0, 24), "documentation (203.0.113.0/24)"},
    {V4(224, 0, 0, 0, 4), "multicast (224.0.0.0/4)"},
    {V4(240, 0, 0, 0, 4), "reserved (240.0.0.0/4)"},
    {{6, 128, {0}}, "unspecified (::)"},
    {{6, 128, {[15] = 1}}, "loopback (::1)"},
    {{6, 96, {0}}, "IPv4-compatible (::/96)"},
    {{6, 96, {[8] = 0xff, [9] = 0xff}}, "IPv4-translated (::ffff:0:0:0/96)"},
    {{6, 96, {0, 0x64, 0xff, 0x9b}}, "NAT64 (64:ff9b::/96)"},
    {{6, 48, {0, 0x64, 0xff, 0x9b, 0, 1}}, "local NAT64 (64:ff9b:1::/48)"},
    {{6, 64, {1}}, "discard-only (100::/64)"},
    {{6, 64, {1, 0, 0, 0, 0, 0, 0, 1}}, "dummy prefix (100:0:0:1::/64)"},
    {{6, 32, {0x20, 0x01}}, "Teredo (2001::/32)"},
    {{6, 48, {0x20, 0x01, 0, 2}}, "benchmarking (2001:2::/48)"},
    {{6, 28, {0x20, 0x01, 0, 0x10}}, "ORCHID (2001:10::/28)"},
    {{6, 28, {0x20, 0x01, 0, 0x20}}, "ORCHIDv2 (2001:20::/28)"},
    {{6, 23, {0x20, 0x01}}, "protocol assignments (2001::/23)"},
    {{6, 32, {0x20, 0x01, 0x0d, 0xb8}}, "documentation (2001:db8::/32)"},
    {{6, 16, {0x20, 0x02}}, "6to4 (2002::/16)"},
    {{6, 20, {0x3f, 0xff}}, "documentation (3fff::/20)"},
    {{6, 16, {0x5f}}, "segment routing (5f00::/16)"},
    {{6, 7, {0xfc}}, "unique local (fc00::/7)"},
    {{6, 10, {0xfe, 0x80}}, "link-local (fe80::/10)"},
    {{6, 10, {0xfe, 0xc0}}, "site-local (fec0::/10)"},
    {{6, 8, {0xff}}, "multicast (ff00::/8)"},
};
static const tusk_ip_range global_unicast = {6, 3, {0x20}};
static const tusk_ip_range mapped = {6, 96, {[10] = 0xff, [11] = 0xff}};

/* ---- ranges ---- */
static bool read_bits(uint8_t *out, tusk_bytes digits, unsigned max)
{
    unsigned value = 0;
    bool fine = digits.len > 0 && digits.len <= 3 && tusk__all(digits, TUSK__DIGIT) &&
                (digits.len == 1 || digits.ptr[0] != '0');
    for (size_t i = 0; fine && i < digits.len; i++) {
        value = value * 10 + (unsigned)(digits.ptr[i] - '0');
    }
    *out = (uint8_t)value;
    return fine && value <= max;
}

/* How many of the first bits count in this byte, as a mask. */
static uint8_t mask_of(unsigned bits, unsigned byte)
{
    unsigned left = bits > byte * 8 ? bits - byte * 8 : 0;
    return (uint8_t)(left >= 8 ? 0xffu : 0xff00u >> left);
}

/* The address that the kernel would connect to. */
static uint8_t unmap(uint8_t family, uint8_t ip[16])
{
    if (!tusk_ip_range_has(&mapped, family, ip)) {
        return family;
    }
    memmove(ip, ip + 12, 4);
    memset(ip + 4, 0, 12);
    return 4;
}

tusk_err tusk_ip_range_parse(tusk_ip_range *out, tusk_bytes text)
{
    const uint8_t *slash = text.len == 0 ? NULL : (const uint8_t *)memchr(text.ptr, '/', text.len);
    tusk_bytes address =
        tusk_bytes_of(text.ptr, slash == NULL ? text.len : (size_t)(slash - text.ptr));
    memset(out, 0, sizeof(*out));
    if (tusk__ipv4_parse(out->ip, address)) {
        out->family = 4;
        out->bits = V4_BITS;
    } else if (tusk__ipv6_parse(out->ip, address)) {
        out->family = 6;
        out->bits = V6_BITS;
    } else {
        return TUSK_EINVAL;
    }
    if (slash != NULL &&
        !read_bits(&out->bits, tusk_bytes_of(slash + 1, text.len - address.len - 1), out->bits)) {
        return TUSK_EINVAL;
    }
    for (unsigned i = 0; i < sizeof(out->ip); i++) {
        if ((out->ip[i] & ~mask_of(out->bits, i) & 0xff) != 0) {
            return TUSK_EINVAL;
        }
    }
    /* Nobody's address is a mapped one: tusk_addr_ip has told what it maps. */
    if (out->bits >= mapped.bits && tusk_ip_range_has(&mapped, out->family, out->ip)) {
        out->family = unmap(out->family, out->ip);
        out->bits = (uint8_t)(out->bits - mapped.bits);
    }
    return TUSK_OK;
}

bool tusk_ip_range_has(const tusk_ip_range *self, uint8_t family, const uint8_t ip[16])
{
    if (self->family != family) {
        return false;
    }
    for (unsigned i = 0; i * 8 < self->bits; i++) {
        if (((ip[i] ^ self->ip[i]) & mask_of(self->bits, i)) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- classes ---- */
const char *tusk_ip_special(uint8_t family, const uint8_t ip[16])
{
    uint8_t at[16] = {0};
    memcpy(at, ip, family == 4 ? 4 : 16);
    family = unmap(family, at);
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
        if (tusk_ip_range_has(&special[i].range, family, at)) {
            return special[i].name;
        }
    }
    return family == 4 || tusk_ip_range_has(&global_unicast, family, at)
               ? NULL
               : "reserved (outside 2000::/3)";
}

static bool any_has(const tusk_ip_range *ranges, size_t count, uint8_t family, const uint8_t ip[16])
{
    for (size_t i = 0; i < count; i++) {
        if (tusk_ip_range_has(&ranges[i], family, ip)) {
            return true;
        }
    }
    return false;
}

static const char *judge(const tusk_ip_policy *policy, uint8_t family, const uint8_t ip[16])
{
    if (any_has(policy->allowed, policy->allowed_count, family, ip)) {
        return NULL;
    }
    if (any_has(policy->denied, policy->denied_count, family, ip)) {
        return "a denied range";
    }
    return policy->any_address ? NULL : tusk_ip_special(family, ip);
}

/* IPv4 addresses that stand inside an IPv6 address, as a bit pattern under a prefix. */
static const struct inner_place {
    tusk_ip_range range;
    uint8_t at;
    uint8_t flip; /* Teredo writes the client's complement: RFC 4380, 4 */
} inner_places[] = {
    {{6, 16, {0x20, 0x02}}, 2, 0},              /* RFC 3056, 2 */
    {{6, 96, {0, 0x64, 0xff, 0x9b}}, 12, 0},    /* RFC 6052, 2.1 */
    {{6, 32, {0x20, 0x01}}, 4, 0},              /* the Teredo server */
    {{6, 32, {0x20, 0x01}}, 12, 0xff},          /* the Teredo client */
    {{6, 96, {[8] = 0xff, [9] = 0xff}}, 12, 0}, /* RFC 2765, 2.1 */
};

const char *tusk_ip_refusal(const tusk_ip_policy *policy, uint8_t family, const uint8_t ip[16])
{
    uint8_t outer[16] = {0};
    if (family != 4 && family != 6) {
        return "no IP address";
    }
    memcpy(outer, ip, family == 4 ? 4 : 16);
    family = unmap(family, outer);
    const char *why = judge(policy, family, outer);
    for (size_t i = 0; i < sizeof(inner_places) / sizeof(inner_places[0]); i++) {
        const struct inner_place *place = &inner_places[i];
        if (why == NULL && tusk_ip_range_has(&place->range, family, outer)) {
            uint8_t inner[16] = {0};
            for (size_t k = 0; k < 4; k++) {
                inner[k] = outer[place->at + k] ^ place->flip;
            }
            why = judge(policy, 4, inner);
        }
    }
    return why;
}
