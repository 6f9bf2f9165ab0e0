/* SPDX-License-Identifier: MIT */
/* What a part of a form says of itself: Content-Disposition with its parameters, and two more
 * fields; all others are ignored (RFC 7578, 4.8). */
#include "proto/multipart.h"

#include "proto/ascii.h"

enum { SEEN_DISPOSITION = 1, SEEN_TYPE = 2, SEEN_CODING = 4, SEEN_NAME = 8, SEEN_EXTENDED = 16 };

static void skip(tusk_bytes *text, size_t len)
{
    text->ptr += len;
    text->len -= len;
}

static void skip_space(tusk_bytes *text)
{
    *text = tusk_bytes_trim_start(*text);
}

static tusk_bytes take_token(tusk_bytes *text)
{
    const uint8_t *end = text->ptr + text->len;
    size_t len = text->len == 0 ? 0 : (size_t)(tusk__skip_token(text->ptr, end) - text->ptr);
    tusk_bytes token = tusk_bytes_of(text->ptr, len);
    skip(text, len);
    return token;
}

/* A backslash that escapes: file names of some browsers have others, which stand for themselves. */
static bool is_pair(tusk_bytes text, size_t at)
{
    return text.ptr[at] == '\\' && at + 1 < text.len &&
           (text.ptr[at + 1] == '"' || text.ptr[at + 1] == '\\');
}

static bool take_quoted(tusk_bytes *text, tusk_bytes *value)
{
    for (size_t i = 1; i < text->len; i++) {
        if (is_pair(*text, i)) {
            i++;
        } else if (text->ptr[i] == '"') {
            *value = tusk_bytes_of(text->ptr + 1, i - 1);
            skip(text, i + 1);
            return true;
        }
    }
    return false;
}

int tusk__multipart_next_param(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *value)
{
    skip_space(rest);
    bool any = rest->len > 0 && rest->ptr[0] == ';';
    while (rest->len > 0 && rest->ptr[0] == ';') { /* some may be empty: RFC 9110, 5.6.6 */
        skip(rest, 1);
        skip_space(rest);
    }
    if (rest->len == 0) {
        return 0;
    }
    if (!any) {
        return TUSK_EPROTO;
    }
    *name = take_token(rest);
    if (name->len == 0 || rest->len < 2 || rest->ptr[0] != '=') {
        return TUSK_EPROTO;
    }
    skip(rest, 1);
    if (rest->ptr[0] == '"') {
        return take_quoted(rest, value) ? 1 : TUSK_EPROTO;
    }
    *value = take_token(rest);
    return value->len > 0 ? 1 : TUSK_EPROTO;
}

static bool is_name(tusk_bytes name, const char *text)
{
    return tusk_bytes_eq_nocase(name, tusk_bytes_str(text));
}

/* "filename*" is forbidden (RFC 7578, 4.2) but sent by some beside "filename", and then ignored. */
static tusk_err on_param(tusk_multipart_part *part, unsigned *seen, tusk_bytes name,
                         tusk_bytes value)
{
    if (is_name(name, "name")) {
        bool twice = (*seen & SEEN_NAME) != 0;
        *seen |= SEEN_NAME;
        part->name = value;
        return twice ? TUSK_EPROTO : TUSK_OK;
    }
    if (is_name(name, "filename")) {
        bool twice = part->filename.ptr != NULL;
        part->filename = value;
        return twice ? TUSK_EPROTO : TUSK_OK;
    }
    if (is_name(name, "filename*")) {
        *seen |= SEEN_EXTENDED;
    }
    return TUSK_OK;
}

static tusk_err on_disposition(tusk_multipart_part *part, unsigned *seen, tusk_bytes value)
{
    tusk_bytes name;
    tusk_bytes param;
    tusk_bytes type = take_token(&value);
    if (!is_name(type, "form-data")) {
        return TUSK_EPROTO;
    }
    int more;
    while ((more = tusk__multipart_next_param(&value, &name, &param)) > 0) {
        tusk_err err = on_param(part, seen, name, param);
        if (err != TUSK_OK) {
            return err;
        }
    }
    bool extended_only = (*seen & SEEN_EXTENDED) != 0 && part->filename.ptr == NULL;
    return more < 0 || (*seen & SEEN_NAME) == 0 || extended_only ? TUSK_EPROTO : TUSK_OK;
}

static tusk_err on_field(tusk_multipart_part *part, unsigned *seen, tusk_bytes name,
                         tusk_bytes value)
{
    unsigned which = is_name(name, "content-disposition")         ? SEEN_DISPOSITION
                     : is_name(name, "content-type")              ? SEEN_TYPE
                     : is_name(name, "content-transfer-encoding") ? SEEN_CODING
                                                                  : 0;
    if ((*seen & which) != 0) {
        return TUSK_EPROTO;
    }
    *seen |= which;
    if (which == SEEN_DISPOSITION) {
        return on_disposition(part, seen, value);
    }
    if (which == SEEN_TYPE) {
        part->type = value;
        return value.len > 0 ? TUSK_OK : TUSK_EPROTO;
    }
    bool plain = is_name(value, "7bit") || is_name(value, "8bit") || is_name(value, "binary");
    return which == SEEN_CODING && !plain ? TUSK_ECODING : TUSK_OK;
}

/* One line without its CR LF. */
static tusk_err on_line(tusk_multipart_part *part, unsigned *seen, tusk_bytes line)
{
    tusk_bytes name = take_token(&line);
    if (name.len == 0 || line.len == 0 || line.ptr[0] != ':') {
        return TUSK_EPROTO;
    }
    skip(&line, 1);
    skip_space(&line);
    if (tusk__skip_value(line.ptr, line.ptr + line.len) != line.ptr + line.len) {
        return TUSK_EPROTO; /* a bare CR or LF, a NUL, another control byte */
    }
    return on_field(part, seen, name, tusk_bytes_trim_end(line));
}

/* CR LF that ends the first line; the section has one. */
static size_t line_len(tusk_bytes head)
{
    size_t len = 0;
    while (!(head.ptr[len] == '\r' && head.ptr[len + 1] == '\n')) {
        len++;
    }
    return len;
}

tusk_err tusk__multipart_head_parse(tusk_multipart_part *part, tusk_bytes head)
{
    unsigned seen = 0;
    memset(part, 0, sizeof(*part));
    part->type = tusk_bytes_str("text/plain");
    for (;;) {
        size_t len = line_len(head);
        if (len == 0) {
            return (seen & SEEN_DISPOSITION) != 0 ? TUSK_OK : TUSK_EPROTO;
        }
        tusk_err err = on_line(part, &seen, tusk_bytes_of(head.ptr, len));
        if (err != TUSK_OK) {
            return err;
        }
        skip(&head, len + 2);
    }
}

/* ---- names ---- */
static size_t escape_len(tusk_bytes in, size_t at, char *c)
{
    static const struct {
        char text[4];
        char c;
    } escapes[] = {{"%22", '"'}, {"%0D", '\r'}, {"%0A", '\n'}};
    if (is_pair(in, at)) {
        *c = (char)in.ptr[at + 1];
        return 2;
    }
    for (size_t i = 0; in.len - at >= 3 && i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        if (is_name(tusk_bytes_of(in.ptr + at, 3), escapes[i].text)) {
            *c = escapes[i].c;
            return 3;
        }
    }
    *c = (char)in.ptr[at];
    return 1;
}

size_t tusk_multipart_text(char *out, tusk_bytes in)
{
    size_t len = 0;
    for (size_t i = 0; i < in.len; len++) {
        i += escape_len(in, i, &out[len]);
    }
    return len;
}

tusk_bytes tusk_multipart_base_name(tusk_bytes filename)
{
    size_t first = filename.len;
    while (first > 0 && filename.ptr[first - 1] != '/' && filename.ptr[first - 1] != '\\') {
        first--;
    }
    return tusk_bytes_of(filename.ptr + first, filename.len - first);
}
