/* SPDX-License-Identifier: MIT */
/* Greetings of PostgreSQL, MySQL and SMTP servers. */
#include "load/greeting.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX 65536u
#define LINE_MAX_BYTES 2048u

static ptrdiff_t refuse(char *reason, tusk_err err, const char *text)
{
    (void)snprintf(reason, LOAD_GREETING_REASON, "%s", text);
    return err;
}

tusk_bytes tusk__load_greeting_words(tusk_tcp_greeting kind)
{
    /* StartupMessage: length, protocol 3.0, user and database */
    static const char startup[] = "\0\0\0\x29\0\3\0\0user\0postgres\0database\0postgres\0\0";
    switch (kind) {
    case TUSK_GREETING_POSTGRES: break;
    case TUSK_GREETING_NONE:
    case TUSK_GREETING_MYSQL:
    case TUSK_GREETING_SMTP: return tusk_bytes_of("", 0);
    }
    return tusk_bytes_of(startup, sizeof(startup) - 1);
}

#define WORDS(text) tusk_bytes_of(text, sizeof(text) - 1)

tusk_bytes tusk__load_greeting_answer(tusk_tcp_greeting kind)
{
    switch (kind) {
    case TUSK_GREETING_NONE: break;
    case TUSK_GREETING_POSTGRES: return WORDS("R\0\0\0\x08\0\0\0\0");
    case TUSK_GREETING_MYSQL: /* up to the version: more than that no bench client reads */
        return WORDS("\x06\0\0\0\x0a"
                     "tusk\0");
    case TUSK_GREETING_SMTP: return WORDS("220 tusk\r\n");
    }
    return tusk_bytes_of("", 0);
}

/* A StartupMessage has its length in front, itself included. */
ptrdiff_t tusk__load_greeting_asked(tusk_tcp_greeting kind, tusk_bytes in)
{
    if (kind != TUSK_GREETING_POSTGRES || in.len < 4) {
        return 0;
    }
    uint32_t len = (uint32_t)in.ptr[0] << 24 | (uint32_t)in.ptr[1] << 16 |
                   (uint32_t)in.ptr[2] << 8 | in.ptr[3];
    if (len < 8 || len > MESSAGE_MAX) {
        return TUSK_EPROTO;
    }
    return in.len < len ? 0 : (ptrdiff_t)len;
}

/* A message: type, length (itself included). 'R' asks for a password or for nothing; 'E' is an
 * error in the protocol's words, and so a greeting as well. */
static ptrdiff_t read_postgres(tusk_bytes in, char *reason)
{
    if (in.ptr[0] != 'R' && in.ptr[0] != 'E') {
        return refuse(reason, TUSK_EPROTO, "this is no PostgreSQL server");
    }
    if (in.len < 5) {
        return 0;
    }
    uint32_t len = (uint32_t)in.ptr[1] << 24 | (uint32_t)in.ptr[2] << 16 |
                   (uint32_t)in.ptr[3] << 8 | in.ptr[4];
    if (len < 4 || len > MESSAGE_MAX) {
        return refuse(reason, TUSK_EPROTO, "this is no PostgreSQL server");
    }
    return in.len < len + 1 ? 0 : (ptrdiff_t)len + 1;
}

/* A packet: length in three bytes, number 0, then protocol version 10, or 255 for an error. */
static ptrdiff_t read_mysql(tusk_bytes in, char *reason)
{
    if (in.len < 5) {
        return 0;
    }
    uint32_t len = (uint32_t)in.ptr[0] | (uint32_t)in.ptr[1] << 8 | (uint32_t)in.ptr[2] << 16;
    if (len < 1 || len > MESSAGE_MAX || in.ptr[3] != 0 || (in.ptr[4] != 10 && in.ptr[4] != 255)) {
        return refuse(reason, TUSK_EPROTO, "this is no MySQL server");
    }
    if (in.len < len + 4) {
        return 0;
    }
    return in.ptr[4] == 255 ? refuse(reason, TUSK_EPOLICY, "the MySQL server refuses connections")
                            : (ptrdiff_t)len + 4;
}

/* "220 name ...", perhaps after lines "220-..." (RFC 5321, 4.2). */
static ptrdiff_t read_smtp(tusk_bytes in, char *reason)
{
    size_t at = 0;
    for (;;) {
        const uint8_t *line = in.ptr + at;
        const uint8_t *end = memchr(line, '\n', in.len - at);
        size_t seen = end == NULL ? in.len - at : (size_t)(end - line);
        for (size_t i = 0; i < 3 && i < seen; i++) {
            if (line[i] < '0' || line[i] > '9') {
                return refuse(reason, TUSK_EPROTO, "this is no SMTP server");
            }
        }
        if (end == NULL) {
            return in.len > LINE_MAX_BYTES ? refuse(reason, TUSK_EPROTO, "this is no SMTP server")
                                           : 0;
        }
        if (seen < 4 || (line[3] != ' ' && line[3] != '-' && line[3] != '\r')) {
            return refuse(reason, TUSK_EPROTO, "this is no SMTP server");
        }
        if (memcmp(line, "220", 3) != 0) {
            (void)snprintf(reason, LOAD_GREETING_REASON, "the SMTP server answers %.3s",
                           (const char *)line);
            return TUSK_EPOLICY;
        }
        at = (size_t)(end - in.ptr) + 1;
        if (line[3] != '-') {
            return (ptrdiff_t)at;
        }
    }
}

ptrdiff_t tusk__load_greeting_read(tusk_tcp_greeting kind, tusk_bytes in, char *reason)
{
    if (in.len == 0) {
        return 0;
    }
    switch (kind) {
    case TUSK_GREETING_NONE: break;
    case TUSK_GREETING_POSTGRES: return read_postgres(in, reason);
    case TUSK_GREETING_MYSQL: return read_mysql(in, reason);
    case TUSK_GREETING_SMTP: return read_smtp(in, reason);
    }
    return (ptrdiff_t)in.len;
}
