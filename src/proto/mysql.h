/* SPDX-License-Identifier: MIT */
/*
 * The handshake of MySQL and MariaDB ("Client/Server Protocol", connection phase): packets, the
 * server's greeting, the client's answer, what follows until OK, refusals. A proxy that routes by
 * user greets first, learns the user, and lets the client sign the backend's salt.
 */
#ifndef PROTO_MYSQL_H
#define PROTO_MYSQL_H

#include <tusk/bytes.h>

enum {
    MYSQL_HEAD = 4,                 /* three bytes of length, one of sequence */
    MYSQL_GREETING_MAX = 1024,      /* payload */
    MYSQL_RESPONSE_MAX = 16 * 1024, /* payload: the client's answer, attributes included */
    MYSQL_AUTH_MAX = 64 * 1024,     /* payload of any later packet until OK or ERR */
    MYSQL_SALT_LEN = 20,
    MYSQL_TEXT_MAX = 512 /* of a refusal, longer ones are cut */
};

/* Capabilities that change how the connection phase is read. */
#define MYSQL_CLIENT_LONG_PASSWORD 0x00000001u
#define MYSQL_CLIENT_CONNECT_WITH_DB 0x00000008u
#define MYSQL_CLIENT_COMPRESS 0x00000020u
#define MYSQL_CLIENT_PROTOCOL_41 0x00000200u
#define MYSQL_CLIENT_SSL 0x00000800u
#define MYSQL_CLIENT_SECURE_CONNECTION 0x00008000u
#define MYSQL_CLIENT_PLUGIN_AUTH 0x00080000u
#define MYSQL_CLIENT_CONNECT_ATTRS 0x00100000u
#define MYSQL_CLIENT_LENENC_AUTH 0x00200000u
#define MYSQL_CLIENT_ZSTD 0x04000000u
/* Of these a client may have what its backend has not: they ask for something, and change no
 * packet (attributes are left out, the form of auth is ours to choose). Without the first one
 * MariaDB looks for more capabilities, which are not offered here. */
#define MYSQL_CAPS_HARMLESS                                                                        \
    (MYSQL_CLIENT_LONG_PASSWORD | 0x00000040u /* ODBC */ |                                         \
     0x00000080u /* the client's files: its own decision */ | 0x00000400u /* interactive */ |      \
     0x00001000u /* no SIGPIPE */ | MYSQL_CLIENT_CONNECT_ATTRS | MYSQL_CLIENT_LENENC_AUTH |        \
     0x00400000u /* expired passwords */)
/* What a greeting of ours offers: what every MySQL since 5.7 and MariaDB since 10.2 has, because
 * the backend is not known yet and what a client then uses cannot be taken back. No compression,
 * nothing that only one of the two has. MYSQL_CLIENT_SSL is added where there is a certificate. */
#define MYSQL_CAPS_OFFERED                                                                         \
    (MYSQL_CAPS_HARMLESS | 0x00000002u /* found rows */ | 0x00000004u /* long column flags */ |    \
     MYSQL_CLIENT_CONNECT_WITH_DB | 0x00000010u /* no schema before a table */ |                   \
     0x00000100u /* spaces before a parenthesis */ | MYSQL_CLIENT_PROTOCOL_41 |                    \
     0x00002000u /* transactions */ | MYSQL_CLIENT_SECURE_CONNECTION |                             \
     0x00010000u /* several statements */ | 0x00020000u /* several results */ |                    \
     0x00040000u /* several results of prepared ones */ | MYSQL_CLIENT_PLUGIN_AUTH |               \
     0x00800000u /* session state in OK */ | 0x01000000u /* no EOF packets */)

/* ---- packets ---- */
typedef struct tusk__mysql_packet {
    uint8_t sequence;
    tusk_bytes payload; /* a view */
} tusk__mysql_packet;

/* > 0: bytes of a whole packet, its head included; 0: need more; TUSK_ETOOBIG: its payload is over
 * `max`; TUSK_EPROTO: an empty one. */
ptrdiff_t tusk__mysql_packet_parse(tusk__mysql_packet *out, tusk_bytes in, uint32_t max);
/* Appends a head for `len` bytes that the caller appends next. */
tusk_err tusk__mysql_packet_head(tusk_buf *out, uint32_t len, uint8_t sequence);

/* ---- the greeting (HandshakeV10) ---- */
typedef struct tusk__mysql_greeting {
    bool is_error; /* an ERR packet stands in its place: only `error` means something */
    uint8_t charset;
    uint16_t status;
    uint32_t connection;
    uint32_t caps;
    tusk_bytes version; /* views: of the packet that was parsed, or of the writer's caller */
    tusk_bytes plugin;  /* empty: none named */
    uint16_t error;
    tusk_bytes text;
    uint8_t salt_len; /* 8 or 20 */
    uint8_t salt[MYSQL_SALT_LEN];
} tusk__mysql_greeting;

/* As tusk__mysql_packet_parse; TUSK_EVERSION: not protocol 10; TUSK_EPROTO: broken. */
ptrdiff_t tusk__mysql_greeting_parse(tusk__mysql_greeting *out, tusk_bytes in);
/* With all 20 bytes of salt, none of which may be 0. TUSK_EINVAL: one is, or a text has a NUL. */
tusk_err tusk__mysql_greeting_write(tusk_buf *out, const tusk__mysql_greeting *self);

/* ---- the client's answer (SSLRequest, HandshakeResponse41) ---- */
typedef struct tusk__mysql_response {
    bool wants_tls; /* an SSLRequest: the answer itself comes again inside TLS */
    uint8_t sequence;
    uint32_t caps;
    uint32_t packet_max;
    uint8_t charset;
    uint8_t reserved[23];
    tusk_bytes user; /* views, NULs left out; may be empty */
    tusk_bytes auth;
    tusk_bytes database;
    tusk_bytes plugin;
    tusk_bytes program;    /* of the attributes: program_name */
    tusk_bytes attributes; /* all of them, without their length */
    uint8_t zstd_level;
} tusk__mysql_response;

/* As tusk__mysql_packet_parse; TUSK_EVERSION: a client from before 4.1; TUSK_EPROTO: broken. */
ptrdiff_t tusk__mysql_response_parse(tusk__mysql_response *out, tusk_bytes in);
/* Written with `self->caps` as they are, but for the bits that say what follows: database, plugin,
 * attributes and the form of auth. TUSK_EINVAL: a text has a NUL; TUSK_ETOOBIG: over
 * MYSQL_RESPONSE_MAX. With wants_tls an SSLRequest. */
tusk_err tusk__mysql_response_write(tusk_buf *out, const tusk__mysql_response *self);

/* ---- what passes between an answer and OK or ERR ---- */
/* As tusk__mysql_packet_parse with MYSQL_AUTH_MAX, but a packet may be empty: no password. */
ptrdiff_t tusk__mysql_auth_parse(tusk__mysql_packet *out, tusk_bytes in);

/* What a backend says to an answer; whatever is none of the others is its plugin's own. */
typedef enum tusk__mysql_verdict {
    MYSQL_MORE,
    MYSQL_SWITCH,     /* AuthSwitchRequest: another plugin, another salt */
    MYSQL_SWITCH_OLD, /* the same from before 4.1 */
    MYSQL_OK,
    MYSQL_ERR
} tusk__mysql_verdict;
tusk__mysql_verdict tusk__mysql_verdict_of(tusk_bytes payload);
/* The plugin that an AuthSwitchRequest names; a view. */
tusk_bytes tusk__mysql_switch_plugin(tusk_bytes payload);

/* ERR: code 1045, sqlstate five characters "28000"; NULL in place of a greeting, where clients do
 * not look for one yet. The text ends at a NUL or MYSQL_TEXT_MAX. */
tusk_err tusk__mysql_error_write(tusk_buf *out, uint8_t sequence, uint16_t code,
                                 const char *sqlstate, tusk_bytes text);

#endif
