/* SPDX-License-Identifier: MIT */
/* A client's first bytes: which protocol they are, what they tell a resolver, and how that protocol
 * says a refusal. No I/O. */
#ifndef RELAY_TCP_FIRST_H
#define RELAY_TCP_FIRST_H

#include <tusk/relay.h>

#include "proto/postgres.h"
#include "proto/tls_hello.h"

typedef enum relay_first_kind {
    FIRST_RAW,
    FIRST_TLS,       /* a ClientHello */
    FIRST_PG_TLS,    /* may TLS begin? An answer of one byte, then it begins anew */
    FIRST_PG_GSS,    /* the same for GSSAPI */
    FIRST_PG_CANCEL, /* the session with this key is to be disturbed */
    FIRST_PG_STARTUP
} relay_first_kind;

typedef struct relay_first {
    relay_first_kind kind;
    size_t len;            /* of the packet that was read; raw: of all there is */
    tusk__pg_start pg;     /* views into what was read */
    tusk__tls_hello hello; /* copied */
    char alpn[TLS_HELLO_ALPN_MAX];
    size_t alpn_len;
} relay_first;

/* > 0: it is known what they are; 0: more is needed; TUSK_EPROTO and others: not what `protocol`
 * demands, or broken. */
ptrdiff_t relay_first_read(relay_first *self, tusk_relay_protocol protocol, tusk_bytes in);
/* The fields that they tell; `in` is what was read. */
void relay_first_fill(const relay_first *self, tusk_bytes in, tusk_relay_lookup *lookup);

/* What a refusal is in the words of who the client believes to speak to; nothing for those who have
 * none. */
typedef enum relay_tongue { TONGUE_NONE, TONGUE_POSTGRES, TONGUE_MYSQL } relay_tongue;
/* `sequence`: of MySQL's packet; 0 is one in place of a greeting. */
tusk_err relay_say_refusal(tusk_buf *out, relay_tongue tongue, uint8_t sequence, uint16_t status,
                           tusk_bytes reason);

#endif
