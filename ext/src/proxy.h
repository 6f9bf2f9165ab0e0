/* SPDX-License-Identifier: MIT */
/* Tusk\Proxy: its classes by number, and what resolvers are given and answer. */
#ifndef TUSK_EXT_PROXY_H
#define TUSK_EXT_PROXY_H

#include "php_tusk.h"

#include <tusk/tls.h>

typedef enum tusk_proxy_class {
    PROXY_ENGINE,
    PROXY_SOCKMAP,
    PROXY_FIRST,
    PROXY_PROTOCOL,
    PROXY_TLS_MODE,
    PROXY_TARGET,
    PROXY_UPSTREAM_TLS,
    PROXY_ROUTE,
    PROXY_REFUSED,
    PROXY_LOOKUP,
    PROXY_RESOLVER,
    PROXY_RELOADABLE,
    PROXY_VALIDATION,
    PROXY_LIMITS,
    PROXY_CLASSES
} tusk_proxy_class;

extern zend_class_entry *tusk_proxy_ce[PROXY_CLASSES];

/* Slots, in the stub's order. */
enum { TARGET_ADDRESS, TARGET_WEIGHT };
enum {
    ROUTE_TARGETS,
    ROUTE_METADATA,
    ROUTE_TTL,
    ROUTE_CONNECT_TIMEOUT,
    ROUTE_IDLE_TIMEOUT,
    ROUTE_PROXY_PROTOCOL,
    ROUTE_TLS,
    ROUTE_FIRST,
    ROUTE_USER,
    ROUTE_DATABASE
};
enum { UPSTREAM_REQUIRE, UPSTREAM_NAME };
enum { VALIDATION_ANY, VALIDATION_ALLOWED };

/* The number of an enum's case, as the stub orders them. */
unsigned tusk_enum_index(const zend_object *enum_case);
/* Of an UpstreamTls; borrowed. */
tusk_tls *tusk_upstream_tls_peek(zend_object *object);
/* Seconds as milliseconds; false: not a number, negative or too large. */
bool tusk_seconds_ms(double seconds, uint32_t *ms);

void tusk_proxy_values_startup(void);
void tusk_upstream_tls_startup(void);

/* ---- lookup.c ---- */
enum {
    LOOKUP_LISTENER,
    LOOKUP_PEER,
    LOOKUP_PEER_PORT,
    LOOKUP_DESTINATION,
    LOOKUP_SERVER_NAME,
    LOOKUP_ALPN,
    LOOKUP_HOST,
    LOOKUP_METHOD,
    LOOKUP_PATH,
    LOOKUP_USER,
    LOOKUP_DATABASE,
    LOOKUP_APPLICATION,
    LOOKUP_DOMAIN,
    LOOKUP_AUTHORITY,
    LOOKUP_FIRST,
    LOOKUP_FIELDS
};

/* A Lookup with a copy of these fields; what has ptr NULL is not known. */
zend_object *tusk_lookup_make(const tusk_bytes fields[LOOKUP_FIELDS]);
/* Bits (1 << LOOKUP_…) of what was read so far. */
uint32_t tusk_lookup_read(zend_object *object);
void tusk_lookup_startup(void);

#endif
