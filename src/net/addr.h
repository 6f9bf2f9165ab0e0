/* SPDX-License-Identifier: MIT */
/* Addresses: IPv4, IPv6 and Unix paths, their text, and the key that limits count by. */
#ifndef NET_ADDR_H
#define NET_ADDR_H

#include <stdbool.h>
#include <stdint.h>
#include <tusk/bytes.h>
#include <tusk/err.h>

#define TUSK_ADDR_TEXT_MAX 128

typedef struct tusk_addr {
    uint32_t len; /* of the sockaddr in `raw` */
    union {
        uint8_t raw[112]; /* holds sockaddr_in, _in6 and _un */
        uint64_t align;
    } u;
} tusk_addr;

/* AF_INET, AF_INET6 or AF_UNIX. */
int tusk_addr_family(const tusk_addr *self);

/* What limits per address count by: IPv4 whole, IPv6 its /64, Unix all zero. 20 bytes of meaning at
 * most. */
typedef struct tusk_addr_key {
    uint8_t bytes[17]; /* family and prefix */
} tusk_addr_key;

/* "127.0.0.1:80", "[::1]:80", "*:80" (both families), "unix:/path", and host + port apart. No name
 * lookup here. */
tusk_err tusk_addr_parse(tusk_addr *out, const char *text);
tusk_err tusk_addr_from_host(tusk_addr *out, const char *host, uint16_t port); /* numeric host */
/* An IP address, IPv6 with or without brackets, with or without a port: what a peer may be called,
 * and nothing that only a listener is. */
tusk_err tusk_addr_parse_ip(tusk_addr *out, tusk_bytes text);
void tusk_addr_unnamed(tusk_addr *out); /* a Unix peer without a path, as socketpair makes it */
/* Name lookup by getaddrinfo; blocks. Up to `cap` answers; returns how many, or < 0 a tusk_err. */
int tusk_addr_resolve(tusk_addr *out, int cap, const char *host, uint16_t port);
/* The same, but TUSK_ETIMEOUT where no name server could answer; TUSK_ENOENT is an answer.
 * TUSK_EEXHAUSTED of either: no descriptor was left to look. */
int tusk_addr_look_up(tusk_addr *out, int cap, const char *host, uint16_t port);
/* What that is to whoever has no older answer: a name that is not found. */
static inline tusk_err tusk_addr_unfound(tusk_err err)
{
    return err == TUSK_ETIMEOUT ? TUSK_ENOENT : err;
}
/* Without the port: "127.0.0.1", "::1", "unix". */
const char *tusk_addr_host_text(const tusk_addr *self, char text[TUSK_ADDR_TEXT_MAX]);
const char *tusk_addr_text(const tusk_addr *self, char text[TUSK_ADDR_TEXT_MAX]);
/* 4 or 6 with the address in `ip` (4 or 16 bytes, the rest zero); 0 for a Unix path. */
uint8_t tusk_addr_ip(const tusk_addr *self, uint8_t ip[16]);
/* family 4 or 6 and the address in network order. */
tusk_err tusk_addr_from_ip(tusk_addr *out, uint8_t family, const uint8_t ip[16], uint16_t port);
uint16_t tusk_addr_port(const tusk_addr *self);
bool tusk_addr_is_loopback(const tusk_addr *self);
tusk_addr_key tusk_addr_key_of(const tusk_addr *self);

#endif
