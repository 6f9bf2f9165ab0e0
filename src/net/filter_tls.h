/* SPDX-License-Identifier: MIT */
/* TLS of one connection, as the file that moves its bytes and the one that moves its sealed bytes
 * see it. */
#ifndef NET_FILTER_TLS_H
#define NET_FILTER_TLS_H

#include "net/tls_inner.h"

/* Where the bytes of a client stand in its records and messages, as long as they are in the clear.
 */
typedef struct hello_guard {
    uint32_t message_left; /* or its head, as far as it has come */
    uint16_t record_left;
    uint8_t record_type;
    uint8_t record_head; /* bytes of it that have come */
    uint8_t message_head;
    bool over;
} hello_guard;

struct tusk_filter {
    struct ssl_st *ssl;
    tusk_tls *context;
    char *reason; /* of REASON_BYTES, once something failed */
    char *alpn;   /* of `alpn_len`, once the client has offered any */
    uint16_t alpn_len;
    const char *protocol; /* the one that is spoken; static; NULL: HTTP/1.1 */
    int fd;
    unsigned records; /* of the peer, since its last data and after the handshake */
    bool keeps_alpn;
    bool dry;        /* the socket gave nothing during the last call */
    bool came;       /* the socket gave something during the last read */
    bool behind;     /* bytes that came with a change of keys may lie where OpenSSL does not tell */
    bool turned;     /* a client asked for new keys, or to renegotiate, in the last read */
    bool starved;    /* the last read wanted more than that: what is inside is part of a record */
    uint8_t head[5]; /* the last record's, or what came in its place */
    tusk_err broken; /* a fatal error, told to whoever asks again: OpenSSL wants no further calls */
    bool deaf;       /* its peer hears no more: writing met a reset. What it had said is read on */
    bool cut;        /* its socket has ended, and no reset: without close_notify */
    hello_guard hello; /* server role */
    bool over;         /* a read has found the end, or an error: the next one tells it again */
};

/* Key updates, asking to renegotiate, records without content: each costs its receiver a decryption
 * or more, some an answer, and OpenSSL reads on over most of them without coming back to us. The
 * record that is being read is none of them yet. */
bool tusk__tls_is_idle(const tusk_filter *self);
/* Tells it, and the last record's head, what comes; before the handshake. */
void tusk__tls_watch_records(tusk_filter *self);

#endif
