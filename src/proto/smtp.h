/* SPDX-License-Identifier: MIT */
/*
 * SMTP as a proxy reads it (RFC 5321): command lines, replies of several lines, the end of a
 * message, the extensions that can be carried on. Lines end with CR LF and with nothing else:
 * whoever takes a bare LF for a line's end can be made to see commands where another saw a message.
 */
#ifndef PROTO_SMTP_H
#define PROTO_SMTP_H

#include <tusk/bytes.h>

enum {
    SMTP_COMMAND_MAX = 2048,    /* with CR LF: RFC 5321, 4.5.3.1.4 and what extensions add */
    SMTP_AUTH_LINE_MAX = 12290, /* RFC 4954, 4: 12,288 and CR LF */
    SMTP_DOMAIN_MAX = 255,
    SMTP_REPLY_LINE_MAX = 2048, /* with CR LF: four times what RFC 5321, 4.5.3.1.5 has */
    SMTP_REPLY_MAX = 16 * 1024, /* all lines of one reply */
    SMTP_TEXT_MAX = 512         /* a line that is written */
};

/* ---- commands ---- */
typedef enum tusk__smtp_verb {
    SMTP_OTHER,
    SMTP_EHLO,
    SMTP_HELO,
    SMTP_LHLO,
    SMTP_MAIL,
    SMTP_RCPT,
    SMTP_DATA,
    SMTP_BDAT,
    SMTP_RSET,
    SMTP_NOOP,
    SMTP_QUIT,
    SMTP_VRFY,
    SMTP_HELP,
    SMTP_STARTTLS,
    SMTP_AUTH,
    SMTP_XCLIENT,
    SMTP_XFORWARD
} tusk__smtp_verb;

/* Views into what was parsed. */
typedef struct tusk__smtp_command {
    tusk__smtp_verb verb;
    tusk_bytes argument; /* behind the first space, without blanks at its end; may be empty */
    uint64_t chunk;      /* BDAT: octets that follow */
    bool last;           /* BDAT: of the message */
} tusk__smtp_command;

/* > 0: bytes of the line with its CR LF; 0: need more. TUSK_EPROTO: a bare CR or LF, a NUL, or a
 * BDAT without a number; TUSK_ETOOBIG: no end within SMTP_COMMAND_MAX (AUTH: SMTP_AUTH_LINE_MAX).
 */
ptrdiff_t tusk__smtp_command_parse(tusk__smtp_command *out, tusk_bytes in);
/* A client's line inside AUTH; as above. `line` is without CR LF. */
ptrdiff_t tusk__smtp_auth_line_parse(tusk_bytes *line, tusk_bytes in);
/* What EHLO, HELO and LHLO name, in lower case: a host name, without a dot at its end,
 * "[192.0.2.1]" or "[IPv6:2001:db8::1]", or such an address without brackets or without its tag.
 * Its length, or 0: none of these. */
size_t tusk__smtp_domain(char out[SMTP_DOMAIN_MAX], tusk_bytes argument);

/* ---- replies ---- */
typedef struct tusk__smtp_line {
    uint16_t code;
    bool last;       /* of its reply */
    tusk_bytes text; /* behind code and space or hyphen, without CR LF */
} tusk__smtp_line;

/* Where in a reply the reader is; all zero begins. */
typedef struct tusk__smtp_reply {
    uint16_t code; /* of the reply under way; 0: none is */
    uint32_t bytes;
} tusk__smtp_reply;

/* One line. > 0: its bytes; 0: need more. TUSK_EPROTO: no reply, a bare CR or LF, or another code
 * than in the lines before; TUSK_ETOOBIG: over SMTP_REPLY_LINE_MAX or SMTP_REPLY_MAX. */
ptrdiff_t tusk__smtp_reply_parse(tusk__smtp_reply *self, tusk__smtp_line *out, tusk_bytes in);
/* Appends "code status text" and CR LF; status may be NULL. What a line cannot carry becomes "?",
 * what is longer than SMTP_TEXT_MAX is cut. */
tusk_err tusk__smtp_reply_write(tusk_buf *out, unsigned code, const char *status, tusk_bytes text);
/* The same of several lines: each ends with LF, the last one may. Without any: one, of the code. */
tusk_err tusk__smtp_reply_write_lines(tusk_buf *out, unsigned code, tusk_bytes lines);

/* ---- extensions ---- */
enum {
    SMTP_EXT_PIPELINING = 1,
    SMTP_EXT_8BITMIME = 2,
    SMTP_EXT_SMTPUTF8 = 4,
    SMTP_EXT_CHUNKING = 8,
    SMTP_EXT_STARTTLS = 16,
    SMTP_EXT_AUTH = 32,
    SMTP_EXT_SIZE = 64,
    SMTP_EXT_STATUS = 128,
    SMTP_EXT_DSN = 256,
    SMTP_EXT_XCLIENT = 512, /* not carried on: what a backend trusts us with is not its clients' */
    SMTP_EXT_CARRIED = 1 | 2 | 4 | 8 | 32 | 64 | 128 | 256 /* STARTTLS ends at each hop */
};
/* Of a line of an EHLO reply behind its first; 0: one that we do not know. */
unsigned tusk__smtp_extension(tusk_bytes text);

/* ---- a message between 354 and its end ---- */
typedef struct tusk__smtp_data {
    uint8_t state;
    bool lenient; /* bare CR and LF are no error, and still no end: for a message thrown away */
    bool done;    /* CR LF . CR LF was seen */
} tusk__smtp_data;

/* All zero begins: a message's first line may be its end. Returns how many bytes belong to the
 * message, its end included: all, unless `done` was reached. TUSK_EPROTO: a bare CR or LF; nothing
 * of `in` may be passed on then. */
ptrdiff_t tusk__smtp_data_scan(tusk__smtp_data *self, tusk_bytes in);

#endif
