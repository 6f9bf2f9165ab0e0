/* SPDX-License-Identifier: MIT */
/* Tusk\Proxy: its classes by number, and what resolvers are given and answer. */
#ifndef TUSK_EXT_PROXY_H
#define TUSK_EXT_PROXY_H

#include "src/proxy/watchdog.h"
#include "src/process/workers.h"

#include <tusk/relay.h>
#include <tusk/tls.h>

typedef enum tusk_proxy_class {
    PROXY_ENGINE,
    PROXY_SOCKMAP,
    PROXY_FIRST,
    PROXY_PROTOCOL,
    PROXY_FORWARD,
    PROXY_TLS_MODE,
    PROXY_TARGET,
    PROXY_UPSTREAM_TLS,
    PROXY_ROUTE,
    PROXY_REFUSED,
    PROXY_LOOKUP,
    PROXY_RESOLVER,
    PROXY_RELOADABLE,
    PROXY_REOPENABLE,
    PROXY_VALIDATION,
    PROXY_LIMITS,
    PROXY_HTTP_LIMITS,
    PROXY_FORWARDING,
    PROXY_ACCESS,
    PROXY_TCP,
    PROXY_HTTP,
    PROXY_SMTP,
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
    ROUTE_DATABASE,
    ROUTE_HOST,
    ROUTE_RESPONSE,
    ROUTE_NAME
};
/* Header lines of a Response; past it there is a ValueError. */
enum { ROUTE_LINES_MAX = 65536 };
enum { UPSTREAM_REQUIRE, UPSTREAM_NAME };
enum { VALIDATION_ANY, VALIDATION_ALLOWED };

/* The number of an enum's case, as the stub orders them. */
unsigned tusk_enum_index(const zend_object *enum_case);
static inline unsigned tusk_case_or(const zend_object *enum_case, unsigned otherwise)
{
    return enum_case == NULL ? otherwise : tusk_enum_index(enum_case);
}
/* Of an UpstreamTls; borrowed. */
tusk_tls *tusk_upstream_tls_peek(zend_object *object);
/* Seconds as milliseconds; false: not a number, negative or too large. */
bool tusk_seconds_ms(double seconds, uint32_t *ms);

void tusk_proxy_values_startup(void);
void tusk_upstream_tls_startup(void);

/* ---- lookup.c ---- */
enum { LOOKUP_FIELDS = TUSK_LOOKUP_FIELDS };

/* A Lookup with a copy of these fields; what has ptr NULL is not known. */
/* `certificate` of the field of that name; NULL: there is none. */
zend_object *tusk_lookup_make(const tusk_bytes fields[LOOKUP_FIELDS],
                              const tusk_certificate *certificate, bool secure);
/* Bits (1 << tusk_lookup_field) of what was read so far. */
uint32_t tusk_lookup_read(zend_object *object);
void tusk_lookup_startup(void);

/* ---- proxies ---- */
struct tusk_proxy_given;

typedef struct tusk_proxy {
    tusk_host *host;
    tusk_relay *relay;
    zend_object *resolver;
    tusk_callback resolve;
    tusk_callback reload; /* of a Reloadable */
    tusk_callback on_access;
    tusk_callback reopen;    /* of the Reopenable that on_access is a method of */
    HashTable *certificates; /* Tls objects of listeners */
    zval upstream;           /* UpstreamTls of routes that have none */
    tusk_relay_listen_options listen;
    char mysql_version[TUSK_MYSQL_VERSION_MAX + 1];
    uint32_t listeners;
    tusk_watchdog watchdog;
    tusk_relay_limits limits;
    tusk_timer tick; /* once a second: certificates and routes may have changed */
    bool reloading;
    bool trusts;               /* there are $trustedProxies */
    tusk_relay_shared *shared; /* of a proxy with workers, from run() on */
    zend_object std;
} tusk_proxy;

static inline tusk_proxy *tusk_proxy_of(zval *object)
{
    return TUSK_FROM(tusk_proxy, Z_OBJ_P(object));
}

static inline tusk_proxy *tusk_proxy_of_host(const tusk_host *host)
{
    return TUSK_FROM(tusk_proxy, host->object);
}

extern const tusk_host_kind tusk_proxy_kind;
extern const tusk_relay_handler tusk_proxy_handler;

/* ---- limits.c: of a Limits and an HttpLimits; NULL: the defaults ---- */
void tusk_proxy_read_limits(tusk_relay_limits *out, const zend_object *from);
void tusk_proxy_read_http_limits(tusk_relay_http_options *out, const zend_object *from);
/* forwarding.c: of a Forwarding; the name is borrowed. NULL: as it is. */
void tusk_proxy_read_forwarding(tusk_relay_http_options *out, const zend_object *from);

void tusk_proxy_tend_certificates(const tusk_proxy *self, unsigned what); /* TUSK_TLS_READ, … */
/* What its listeners show, `cap` at most. */
size_t tusk_proxy_contexts(const tusk_proxy *self, tusk_tls **out, size_t cap);

/* ---- workers.c ---- */
/* Of a host that was made: its workers, if there are to be some; false: an exception was thrown. */
bool tusk_proxy_make_crew(tusk_proxy *self, const struct tusk_proxy_given *from);
/* Of each target and route, for /metrics. */
tusk_err tusk_proxy_metrics(const tusk_proxy *self, tusk_buf *out);
/* Of this process alone, or summed over the workers. */
void tusk_proxy_stats(const tusk_proxy *self, tusk_relay_stats *stats, tusk_relay_http_stats *http);

/* What SIGHUP does. */
void tusk_proxy_reload(tusk_proxy *self);
/* In a worker that follows another: its master may have read certificates a moment ago. */
void tusk_proxy_refresh(tusk_proxy *self);
void tusk_proxy_startup(void);

/* ---- given.c: what a constructor was given ---- */
typedef struct tusk_proxy_given {
    tusk_relay_kind kind;
    zend_object *resolver;
    zval *listen; /* NULL: nothing */
    zend_object *sockmap, *engine, *first, *protocol, *downstream;
    zend_object *validation, *tls, *upstream, *limits, *http, *forwarding;
    zend_string *bpf_object;    /* NULL: the one that Tusk brings along */
    zend_string *mysql_version; /* NULL: the core's */
    uint32_t mysql_version_number;
    HashTable *proxies;
    uint32_t proxies_number; /* of the argument */
    bool proxy_protocol;
    zend_long workers;
    uint32_t workers_number;
    zend_string *user, *group; /* whom workers are; NULL: not given */
    uint32_t user_number;      /* the group's is the next */
} tusk_proxy_given;

/* False: an exception was thrown. */
bool tusk_proxy_parse(INTERNAL_FUNCTION_PARAMETERS, tusk_relay_kind kind, tusk_proxy_given *out);

/* ---- listen.c; false: an exception was thrown ---- */
bool tusk_proxy_add_listeners(tusk_proxy *self, zval *listen);
/* Held as long as the proxy; NULL: there is none. */
void tusk_proxy_keep_certificate(tusk_proxy *self, zend_object *tls);
/* What a MySQL listener greets with; NULL: nothing was given. */
bool tusk_proxy_is_version(const zend_string *version, uint32_t number);
/* It does not run yet, else a LogicException. */
bool tusk_proxy_may_change(const tusk_proxy *self);

/* ---- counters.c ---- */
/* stats() of PHP; those of HTTP begin with http_. */
void tusk_proxy_counters_array(const tusk_proxy *self, zval *out);
/* For tusk_admin_listen. */
tusk_err tusk_proxy_tell_metrics(const tusk_host *host, tusk_buf *out);

/* ---- access.c ---- */
/* Tells onAccess, when there is one. */
void tusk_proxy_access(tusk_proxy *self, const tusk_relay_record *record);
/* What onAccess was given is there. */
void tusk_proxy_access_given(tusk_proxy *self);
/* A Reopenable behind onAccess opens its file again; in the loop, or in the master. */
void tusk_proxy_access_reopen(tusk_proxy *self);

#endif
