/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a PostgreSQL connection, both ways (protocol 3.0 to 3.2; PostgreSQL's manual,
 * "Frontend/Backend Protocol", message formats): what a frontend asks for, what is told to it
 * instead of a backend, and the key that a backend hands out for cancelling.
 */
#ifndef PROTO_POSTGRES_H
#define PROTO_POSTGRES_H

#include <tusk/bytes.h>

enum {
    PG_START_MAX = 10000, /* bytes of a frontend's first packet, as the server has it */
    PG_KEY_MIN = 4,       /* of protocol 3.0; from 3.2 on longer ones */
    PG_KEY_MAX = 256,
    PG_MESSAGE_MAX = 64 * 1024 /* of a backend before its first ReadyForQuery */
};

/* ---- the frontend's first packet ---- */
typedef enum tusk__pg_kind {
    PG_DIRECT_TLS, /* a ClientHello without asking: ALPN "postgresql" */
    PG_SSL_REQUEST,
    PG_GSSENC_REQUEST,
    PG_CANCEL_REQUEST,
    PG_STARTUP
} tusk__pg_kind;

/* Views into what was parsed. */
typedef struct tusk__pg_start {
    tusk__pg_kind kind;
    uint16_t minor;      /* PG_STARTUP: of version 3 */
    tusk_bytes user;     /* never empty */
    tusk_bytes database; /* empty: the same as the user */
    tusk_bytes application;
    tusk_bytes options;
    tusk_bytes replication;
    tusk_bytes pairs; /* all names and values, each with its NUL, without the last NUL */
    uint32_t process; /* PG_CANCEL_REQUEST */
    tusk_bytes key;
} tusk__pg_start;

/* `in` is what came since the connection, or since TLS or a refusal of it. > 0: bytes of the packet
 * (PG_DIRECT_TLS: 1, and nothing is taken: the hello is in front); 0: need more. TUSK_ENOENT: this
 * is no PostgreSQL (seen at its first wrong byte); TUSK_EVERSION: not of version 3; TUSK_EPROTO: a
 * broken packet, without a user, or with a name for it twice; TUSK_ETOOBIG: over PG_START_MAX. */
ptrdiff_t tusk__pg_start_parse(tusk__pg_start *out, tusk_bytes in);

/* Walks the startup packet's parameters; `*rest` begins as self->pairs. */
bool tusk__pg_next_pair(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *value);

/* ---- what leaves ---- */
extern const uint8_t tusk__pg_ssl_request[8];

/* The startup packet again with another user or database; ptr NULL: as it came. A frontend that
 * named no database wanted that of its own name, so that one is named when its user changes.
 * TUSK_EINVAL: a value is empty or has a NUL; TUSK_ETOOBIG: over PG_START_MAX. */
tusk_err tusk__pg_startup_write(tusk_buf *out, const tusk__pg_start *start, tusk_bytes user,
                                tusk_bytes database);
/* severity "FATAL"; sqlstate five characters, "08004". The message ends at a NUL. */
tusk_err tusk__pg_error_write(tusk_buf *out, const char *severity, const char *sqlstate,
                              tusk_bytes message);

/* ---- the backend's start, looked at while it passes ---- */
typedef struct tusk__pg_watch {
    uint8_t head[5];
    uint8_t head_len;
    bool authenticated;
    bool ready;       /* ReadyForQuery passed: nothing more is looked at */
    bool failed;      /* an ErrorResponse passed, which ends a start */
    uint16_t key_len; /* 0: the backend gave none, or has not yet */
    uint32_t left;    /* of the message under way */
    uint32_t kept;    /* bytes in `body` */
    uint32_t process;
    uint8_t body[4 + PG_KEY_MAX]; /* process number and key, once key_len is set */
} tusk__pg_watch;

/* `self` begins all zero. Returns how many bytes were looked at, all of them unless ready or failed
 * was reached within (0: it was before, or there are none). TUSK_EPROTO: no message that a start
 * has; TUSK_ETOOBIG: over PG_MESSAGE_MAX. */
ptrdiff_t tusk__pg_watch_bytes(tusk__pg_watch *self, tusk_bytes in);

static inline tusk_bytes tusk__pg_watch_key(const tusk__pg_watch *self)
{
    return tusk_bytes_of(self->body + 4, self->key_len);
}

#endif
