/* SPDX-License-Identifier: MIT */
/*
 * A TLS ClientHello, read without ending TLS: which server name, protocols and versions a client
 * asks for (RFC 8446, 4.1.2; RFC 6066, 3; RFC 7301, 3.1), however its records and segments are cut.
 */
#ifndef PROTO_TLS_HELLO_H
#define PROTO_TLS_HELLO_H

#include <tusk/bytes.h>

enum {
    TLS_HELLO_MAX = 16 * 1024, /* of the stream, record heads included */
    TLS_HELLO_NAME_MAX = 253,  /* a DNS name without its root */
    TLS_HELLO_ALPN_MAX = 512   /* the whole list, a length byte for each */
};

/* Versions offered, as bits. */
enum { TLS_HELLO_1_0 = 1, TLS_HELLO_1_1 = 2, TLS_HELLO_1_2 = 4, TLS_HELLO_1_3 = 8 };

/* All copied: it borrows nothing. */
typedef struct tusk__tls_hello {
    uint8_t versions;  /* those not known here are left out; SSL 3.0 alone is 0 */
    uint8_t name_len;  /* 0: no server name was sent, or an address */
    uint16_t alpn_len; /* 0: none was sent */
    char name[TLS_HELLO_NAME_MAX];
    uint8_t alpn[TLS_HELLO_ALPN_MAX];
} tusk__tls_hello;

/* `in` is the stream from its beginning. > 0: so many bytes are the records of the hello; 0: need
 * more. TUSK_ENOENT: this is no TLS (seen at its first wrong byte); TUSK_EPROTO: it is, and broken,
 * or its server name is no DNS name; TUSK_ETOOBIG: over TLS_HELLO_MAX or TLS_HELLO_ALPN_MAX.
 * `out` has meaning only with > 0. */
ptrdiff_t tusk__tls_hello_parse(tusk__tls_hello *out, tusk_bytes in);

static inline tusk_bytes tusk__tls_hello_name(const tusk__tls_hello *self)
{
    return tusk_bytes_of(self->name, self->name_len);
}

/* Walks the protocols in the client's order; `*at` begins as 0. The view lives as long as `self`.
 */
bool tusk__tls_hello_next_alpn(const tusk__tls_hello *self, size_t *at, tusk_bytes *protocol);
bool tusk__tls_hello_has_alpn(const tusk__tls_hello *self, tusk_bytes protocol);

#endif
