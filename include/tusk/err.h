/* SPDX-License-Identifier: MIT */
/* Errors: one list of values for the whole core, each with a static text. */
#ifndef TUSK_ERR_H
#define TUSK_ERR_H

#include <tusk/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parsers return these as negative `ptrdiff_t`; everything else returns them as they are. */
typedef enum tusk_err {
    TUSK_OK = 0,
    /* our caller's or the machine's */
    TUSK_ENOMEM = -1,  /* the allocator said no */
    TUSK_EINVAL = -2,  /* an argument out of range */
    TUSK_ESTATE = -3,  /* not in this state (closed, already running, ...) */
    TUSK_ELIMIT = -4,  /* a named limit is reached */
    TUSK_EAGAIN = -5,  /* nothing to do now; not a fault */
    TUSK_ESYS = -6,    /* the system said no; errno tells */
    TUSK_ENOTSUP = -7, /* not built in, or not on this platform */
    TUSK_ENOENT = -8,  /* no such thing */
    TUSK_EADDRINUSE = -9,
    TUSK_EACCES = -10,
    TUSK_EADDRNOTAVAIL = -11, /* not an address of this machine */
    TUSK_EEXHAUSTED = -12,    /* no descriptor, local port or thread is left to this process */
    /* the peer's */
    TUSK_EPROTO = -20,   /* a protocol rule is broken (WebSocket 1002, HTTP 400) */
    TUSK_EUTF8 = -21,    /* text that is not UTF-8 (WebSocket 1007) */
    TUSK_ETOOBIG = -22,  /* a message or body over its limit (1009, 413) */
    TUSK_EHEADERS = -23, /* a header section over its limit (431) */
    TUSK_EURI = -24,     /* a request target over its limit (414) */
    TUSK_EVERSION = -25, /* a protocol version we do not speak (505, 426) */
    TUSK_EMETHOD = -26,  /* a method we do not implement (501) */
    TUSK_ECODING = -27,  /* a transfer coding we do not implement (501) */
    TUSK_EDEFLATE = -28, /* compressed data that does not inflate (1007) */
    TUSK_EPOLICY = -29,  /* a policy of ours is broken (1008) */
    TUSK_EEXPECT = -30,  /* an expectation we cannot meet (417) */
    /* the connection's end */
    TUSK_EEOF = -40,     /* the peer closed its side in order */
    TUSK_ERESET = -41,   /* the peer reset, or vanished in mid-write */
    TUSK_ETIMEOUT = -42, /* a deadline passed */
    TUSK_ETLS = -43,     /* the TLS layer failed */
    TUSK_EREFUSED = -44  /* nobody listens there */
} tusk_err;

/* A short static English text, never NULL, also for a number that is not in the list. */
TUSK_API const char *tusk_err_text(tusk_err err);

/* The same as an upper-case name, "EPROTO". */
TUSK_API const char *tusk_err_name(tusk_err err);

#ifdef __cplusplus
}
#endif
#endif
