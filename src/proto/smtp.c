/* SPDX-License-Identifier: MIT */
/* SMTP: commands, replies, extensions, ends of messages. */
#include "proto/smtp.h"

#include <stdio.h>

#include "proto/ascii.h"
#include "proto/dns_name.h"
#include "proto/ip_text.h"
#include "proto/sse_line.h"

enum { REPLY_HEAD = 4, CHUNK_DIGITS_MAX = 18 };

/* ---- lines ---- */
/* > 0: a line with its CR LF; 0: need more. A NUL in it is as wrong as a bare end: what stands
 * behind it is seen by some and not by others. */
static ptrdiff_t read_line(tusk_bytes *line, tusk_bytes in, size_t max)
{
    tusk_bytes seen = tusk_bytes_of(in.ptr, in.len < max ? in.len : max);
    size_t len = tusk__sse_line_len(seen);
    if (len > 0 && memchr(in.ptr, 0, len) != NULL) {
        return TUSK_EPROTO;
    }
    if (len + 1 < seen.len) {
        *line = tusk_bytes_of(in.ptr, len);
        return in.ptr[len] == '\r' && in.ptr[len + 1] == '\n' ? (ptrdiff_t)len + 2
                                                              : (ptrdiff_t)TUSK_EPROTO;
    }
    if (len < seen.len && in.ptr[len] == '\n') {
        return TUSK_EPROTO;
    }
    return in.len >= max ? (ptrdiff_t)TUSK_ETOOBIG : 0;
}

/* ---- commands ---- */
static const struct {
    const char *name;
    tusk__smtp_verb verb;
} verbs[] = {
    {"EHLO", SMTP_EHLO},         {"HELO", SMTP_HELO}, {"LHLO", SMTP_LHLO},
    {"MAIL", SMTP_MAIL},         {"RCPT", SMTP_RCPT}, {"DATA", SMTP_DATA},
    {"BDAT", SMTP_BDAT},         {"RSET", SMTP_RSET}, {"NOOP", SMTP_NOOP},
    {"QUIT", SMTP_QUIT},         {"VRFY", SMTP_VRFY}, {"HELP", SMTP_HELP},
    {"STARTTLS", SMTP_STARTTLS}, {"AUTH", SMTP_AUTH}, {"XCLIENT", SMTP_XCLIENT},
    {"XFORWARD", SMTP_XFORWARD},
};

static tusk__smtp_verb verb_of(tusk_bytes name)
{
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (tusk_bytes_eq_nocase(name, tusk_bytes_str(verbs[i].name))) {
            return verbs[i].verb;
        }
    }
    return SMTP_OTHER;
}

/* "123" or "123 LAST" (RFC 3030, 2). Read to the letter: a chunk that two sides see with different
 * lengths is a message in which commands can hide. */
static bool read_chunk(tusk__smtp_command *out)
{
    tusk_bytes rest = out->argument;
    size_t digits = 0;
    while (digits < rest.len && tusk__is(rest.ptr[digits], TUSK__DIGIT)) {
        if (digits == CHUNK_DIGITS_MAX) {
            return false;
        }
        out->chunk = out->chunk * 10 + (uint64_t)(rest.ptr[digits++] - '0');
    }
    rest = tusk_bytes_of(rest.ptr + digits, rest.len - digits);
    out->last = tusk_bytes_eq_nocase(rest, tusk_bytes_str(" LAST"));
    return digits > 0 && (rest.len == 0 || out->last);
}

/* AUTH may bring its first answer along (RFC 4954, 4). */
static bool is_auth(tusk_bytes in)
{
    return in.len >= 5 && tusk_bytes_eq_nocase(tusk_bytes_of(in.ptr, 5), tusk_bytes_str("AUTH "));
}

ptrdiff_t tusk__smtp_command_parse(tusk__smtp_command *out, tusk_bytes in)
{
    tusk_bytes line;
    memset(out, 0, sizeof(*out));
    ptrdiff_t used =
        read_line(&line, in, is_auth(in) ? (size_t)SMTP_AUTH_LINE_MAX : (size_t)SMTP_COMMAND_MAX);
    if (used <= 0) {
        return used;
    }
    line = tusk_bytes_trim_end(line);
    const uint8_t *space = line.len == 0 ? NULL : (const uint8_t *)memchr(line.ptr, ' ', line.len);
    size_t name = space == NULL ? line.len : (size_t)(space - line.ptr);
    out->verb = verb_of(tusk_bytes_of(line.ptr, name));
    out->argument = space == NULL ? tusk_bytes_of(line.ptr + line.len, 0)
                                  : tusk_bytes_of(space + 1, line.len - name - 1);
    return out->verb == SMTP_BDAT && !read_chunk(out) ? (ptrdiff_t)TUSK_EPROTO : used;
}

ptrdiff_t tusk__smtp_auth_line_parse(tusk_bytes *line, tusk_bytes in)
{
    return read_line(line, in, SMTP_AUTH_LINE_MAX);
}

/* "[192.0.2.1]" and "[IPv6:2001:db8::1]" (RFC 5321, 4.1.3), and what devices say in their place:
 * without brackets, or without the tag. Backends take them, and it is theirs to refuse. */
static bool is_address(tusk_bytes text)
{
    static const char v6[] = "IPv6:";
    uint8_t ip[16];
    if (text.len >= 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']') {
        text = tusk_bytes_of(text.ptr + 1, text.len - 2);
        if (text.len >= 5 &&
            tusk_bytes_eq_nocase(tusk_bytes_of(text.ptr, 5), tusk_bytes_of(v6, 5))) {
            return tusk__ipv6_parse(ip, tusk_bytes_of(text.ptr + 5, text.len - 5));
        }
    }
    return tusk__ipv4_parse(ip, text) || tusk__ipv6_parse(ip, text);
}

/* "mail.example.org." is no name of RFC 5321, 4.1.2, but clients that ask a resolver for their own
 * say it, and servers take it. Without its dot it has one spelling, and so one route. */
static tusk_bytes without_root(tusk_bytes name)
{
    bool rooted = name.len > 1 && name.ptr[name.len - 1] == '.';
    return tusk_bytes_of(name.ptr, rooted ? name.len - 1 : name.len);
}

size_t tusk__smtp_domain(char out[SMTP_DOMAIN_MAX], tusk_bytes argument)
{
    tusk_bytes name = without_root(argument);
    if (tusk__dns_name_lower(out, name)) {
        return name.len;
    }
    if (!is_address(argument)) {
        return 0;
    }
    for (size_t i = 0; i < argument.len; i++) {
        uint8_t c = argument.ptr[i];
        out[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return argument.len;
}

/* ---- replies ---- */
/* Three digits of RFC 5321, 4.2, then a hyphen, a space or nothing. False: no such line. */
static bool read_code(tusk__smtp_line *out, tusk_bytes line)
{
    if (line.len < 3 || line.ptr[0] < '2' || line.ptr[0] > '5' || line.ptr[1] > '5' ||
        !tusk__all(tusk_bytes_of(line.ptr, 3), TUSK__DIGIT)) {
        return false;
    }
    out->code =
        (uint16_t)((line.ptr[0] - '0') * 100 + (line.ptr[1] - '0') * 10 + line.ptr[2] - '0');
    out->last = line.len == 3 || line.ptr[3] == ' ';
    size_t head = line.len == 3 ? 3 : REPLY_HEAD;
    out->text = tusk_bytes_of(line.ptr + head, line.len - head);
    return out->last || line.ptr[3] == '-';
}

ptrdiff_t tusk__smtp_reply_parse(tusk__smtp_reply *self, tusk__smtp_line *out, tusk_bytes in)
{
    tusk_bytes line;
    ptrdiff_t used = read_line(&line, in, SMTP_REPLY_LINE_MAX);
    if (used <= 0) {
        return used;
    }
    if (!read_code(out, line) || (self->code != 0 && out->code != self->code)) {
        return TUSK_EPROTO;
    }
    self->bytes += (uint32_t)used;
    if (self->bytes > SMTP_REPLY_MAX) {
        return TUSK_ETOOBIG;
    }
    self->code = out->last ? 0 : out->code;
    self->bytes = out->last ? 0 : self->bytes;
    return used;
}

/* `mark`: a hyphen, or the space of the last line. */
static tusk_err write_line(tusk_buf *out, unsigned code, char mark, const char *status,
                           tusk_bytes text)
{
    char line[SMTP_TEXT_MAX];
    size_t len = (size_t)snprintf(line, sizeof(line), "%u%c%s%s", code, mark,
                                  status == NULL ? "" : status, status == NULL ? "" : " ");
    for (size_t i = 0; i < text.len && len < sizeof(line) - 2; i++) {
        uint8_t c = text.ptr[i];
        line[len++] = (char)(c >= ' ' && c < 0x7f ? c : '?');
    }
    line[len++] = '\r';
    line[len++] = '\n';
    return tusk_buf_append(out, line, len);
}

tusk_err tusk__smtp_reply_write(tusk_buf *out, unsigned code, const char *status, tusk_bytes text)
{
    return write_line(out, code, ' ', status, text);
}

tusk_err tusk__smtp_reply_write_lines(tusk_buf *out, unsigned code, tusk_bytes lines)
{
    tusk_err err = TUSK_OK;
    do {
        const uint8_t *end = lines.len == 0 ? NULL : memchr(lines.ptr, '\n', lines.len);
        size_t len = end == NULL ? lines.len : (size_t)(end - lines.ptr);
        tusk_bytes text = tusk_bytes_of(lines.ptr, len);
        size_t used = end == NULL ? len : len + 1;
        lines = tusk_bytes_of(used == 0 ? lines.ptr : lines.ptr + used, lines.len - used);
        err = write_line(out, code, lines.len == 0 ? ' ' : '-', NULL, text);
    } while (err == TUSK_OK && lines.len > 0);
    return err;
}

/* ---- extensions ---- */
unsigned tusk__smtp_extension(tusk_bytes text)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {
        {"PIPELINING", SMTP_EXT_PIPELINING},
        {"8BITMIME", SMTP_EXT_8BITMIME},
        {"SMTPUTF8", SMTP_EXT_SMTPUTF8},
        {"CHUNKING", SMTP_EXT_CHUNKING},
        {"STARTTLS", SMTP_EXT_STARTTLS},
        {"AUTH", SMTP_EXT_AUTH},
        {"SIZE", SMTP_EXT_SIZE},
        {"ENHANCEDSTATUSCODES", SMTP_EXT_STATUS},
        {"DSN", SMTP_EXT_DSN},
        {"XCLIENT", SMTP_EXT_XCLIENT},
    };
    const uint8_t *space = text.len == 0 ? NULL : (const uint8_t *)memchr(text.ptr, ' ', text.len);
    tusk_bytes name =
        tusk_bytes_of(text.ptr, space == NULL ? text.len : (size_t)(space - text.ptr));
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tusk_bytes_eq_nocase(name, tusk_bytes_str(known[i].name))) {
            return known[i].bit;
        }
    }
    return 0;
}

/* ---- messages ---- */
enum data_state { LINE_BEGINS, IN_LINE, BEHIND_CR, BEHIND_DOT, BEHIND_DOT_CR };

/* The state behind a byte; *bare: a CR or LF that is not one of a pair. */
static enum data_state step(enum data_state state, uint8_t c, bool *bare)
{
    if (c == '\n') {
        *bare = state != BEHIND_CR && state != BEHIND_DOT_CR;
        return *bare ? IN_LINE : LINE_BEGINS;
    }
    *bare = state == BEHIND_CR || state == BEHIND_DOT_CR;
    if (c == '\r') {
        return state == BEHIND_DOT ? BEHIND_DOT_CR : BEHIND_CR;
    }
    return c == '.' && state == LINE_BEGINS ? BEHIND_DOT : IN_LINE;
}

ptrdiff_t tusk__smtp_data_scan(tusk__smtp_data *self, tusk_bytes in)
{
    size_t at = 0;
    while (at < in.len && !self->done) {
        if (self->state == IN_LINE) {
            at += tusk__sse_line_len(tusk_bytes_of(in.ptr + at, in.len - at));
            if (at == in.len) {
                break;
            }
        }
        bool bare;
        self->done = self->state == BEHIND_DOT_CR && in.ptr[at] == '\n';
        self->state = (uint8_t)step((enum data_state)self->state, in.ptr[at++], &bare);
        if (bare && !self->lenient) {
            return TUSK_EPROTO;
        }
    }
    return (ptrdiff_t)at;
}
