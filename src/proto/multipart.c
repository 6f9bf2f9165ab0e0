/* SPDX-License-Identifier: MIT */
/* A form's parts between their delimiters (RFC 2046, 5.1.1). */
#include "proto/multipart.h"

#include "proto/ascii.h"

enum state {
    FIRST,     /* a delimiter may stand at the very beginning, without its CR LF */
    PREAMBLE,  /* ignored up to the first delimiter */
    DELIMITED, /* behind a boundary: "--", or the line's end */
    PADDED,    /* white space behind it */
    HEAD,
    BODY_FIRST, /* no contents: the delimiter stands at once */
    BODY,
    EPILOGUE
};

static const tusk_multipart_limits defaults = {.parts_max = 1000, .head_max = 4096};

const tusk_multipart_limits *tusk_multipart_limits_default(void)
{
    return &defaults;
}

/* ---- the boundary ---- */
static bool is_boundary(tusk_bytes text)
{
    static const char marks[] = "'()+_,-./:=? ";
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.ptr[i];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!letter && !tusk__is(c, TUSK__DIGIT) && (c == '\0' || strchr(marks, (char)c) == NULL)) {
            return false;
        }
    }
    return text.len > 0 && text.ptr[text.len - 1] != ' ';
}

/* The boundary that the parameters name, as they have it. */
static tusk_err find_boundary(tusk_bytes params, tusk_bytes *boundary)
{
    tusk_bytes name;
    tusk_bytes value;
    int more;
    *boundary = tusk_bytes_of(NULL, 0);
    while ((more = tusk__multipart_next_param(&params, &name, &value)) > 0) {
        if (tusk_bytes_eq_nocase(name, tusk_bytes_str("boundary"))) {
            if (boundary->ptr != NULL) {
                return TUSK_EPROTO;
            }
            *boundary = value;
        }
    }
    return more == 0 && boundary->ptr != NULL ? TUSK_OK : TUSK_EPROTO;
}

/* A quoted-pair stands for what follows its backslash (RFC 9110, 5.6.4); no token has one. */
static tusk_err take_boundary(tusk_multipart *self, tusk_bytes text)
{
    uint8_t *to = self->delimiter + 4;
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        i += text.ptr[i] == '\\' && i + 1 < text.len;
        if (len == TUSK_MULTIPART_BOUNDARY_MAX) {
            return TUSK_EPROTO;
        }
        to[len++] = text.ptr[i];
    }
    memcpy(self->delimiter, "\r\n--", 4);
    self->delimiter_len = (uint8_t)(4 + len);
    return is_boundary(tusk_bytes_of(to, len)) ? TUSK_OK : TUSK_EPROTO;
}

bool tusk__multipart_is_type(tusk_bytes content_type, tusk_bytes type)
{
    return content_type.len >= type.len &&
           tusk_bytes_eq_nocase(tusk_bytes_of(content_type.ptr, type.len), type) &&
           (content_type.len == type.len || !tusk__is(content_type.ptr[type.len], TUSK__TOKEN));
}

tusk_err tusk_multipart_init(tusk_multipart *self, tusk_bytes content_type,
                             const tusk_multipart_limits *limits)
{
    tusk_bytes type = tusk_bytes_str("multipart/form-data");
    memset(self, 0, sizeof(*self));
    self->limits = limits == NULL ? defaults : *limits;
    if (!tusk__multipart_is_type(content_type, type)) {
        return TUSK_ENOENT;
    }
    tusk_bytes boundary;
    tusk_err err = find_boundary(
        tusk_bytes_of(content_type.ptr + type.len, content_type.len - type.len), &boundary);
    self->state = FIRST;
    return err != TUSK_OK ? err : take_boundary(self, boundary);
}

/* ---- delimiters ---- */
/* Whether the delimiter, or its beginning up to the end of the input, stands at this CR. */
static bool begins(const tusk_multipart *self, const uint8_t *cr, size_t left)
{
    if ((left > 1 && cr[1] != '\n') || (left > 2 && cr[2] != '-')) {
        return false; /* most are other ends of lines */
    }
    return memcmp(cr, self->delimiter, left < self->delimiter_len ? left : self->delimiter_len) ==
           0;
}

/* Bytes in front of the first delimiter, or of what may become one at the end. Contents of nothing
 * but CR must not cost a call for each, so where one is the next few bytes are looked at one by
 * one. */
static size_t before_delimiter(const tusk_multipart *self, tusk_bytes in, bool *found)
{
    enum { NEAR = 32 };
    *found = false;
    for (size_t i = 0; i < in.len;) {
        const uint8_t *cr = memchr(in.ptr + i, '\r', in.len - i);
        if (cr == NULL) {
            return in.len;
        }
        i = (size_t)(cr - in.ptr);
        size_t stop = in.len - i < NEAR ? in.len : i + NEAR;
        for (; i < stop; i++) {
            if (in.ptr[i] == '\r' && begins(self, in.ptr + i, in.len - i)) {
                *found = in.len - i >= self->delimiter_len;
                return i;
            }
        }
    }
    return in.len;
}

/* The delimiter at the beginning, without its CR LF. 1: it is there, 0: need more, -1: it is not.
 */
static int dashes(const tusk_multipart *self, tusk_bytes in)
{
    size_t whole = self->delimiter_len - 2U;
    size_t len = in.len < whole ? in.len : whole;
    if (memcmp(in.ptr, self->delimiter + 2, len) != 0) {
        return -1;
    }
    return len == whole ? 1 : 0;
}

static ptrdiff_t delimited(tusk_multipart *self, size_t used, tusk_multipart_event *event)
{
    *event = self->state == BODY || self->state == BODY_FIRST ? TUSK_MULTIPART_PART_END
                                                              : TUSK_MULTIPART_NOTHING;
    self->state = DELIMITED;
    return (ptrdiff_t)used;
}

static ptrdiff_t take_preamble(tusk_multipart *self, tusk_bytes in, tusk_multipart_event *event)
{
    bool found;
    size_t len = before_delimiter(self, in, &found);
    return found ? delimited(self, len + self->delimiter_len, event) : (ptrdiff_t)len;
}

static ptrdiff_t take_contents(tusk_multipart *self, tusk_bytes in, tusk_multipart_event *event)
{
    bool found;
    size_t len = before_delimiter(self, in, &found);
    if (len == 0) {
        return found ? delimited(self, self->delimiter_len, event) : 0;
    }
    self->file_bytes += len;
    if (self->is_file && self->limits.file_max > 0 && self->file_bytes > self->limits.file_max) {
        return TUSK_ETOOBIG;
    }
    self->data = tusk_bytes_of(in.ptr, len);
    *event = TUSK_MULTIPART_DATA;
    return (ptrdiff_t)len;
}

static ptrdiff_t take_first(tusk_multipart *self, tusk_bytes in, tusk_multipart_event *event)
{
    int there = dashes(self, in);
    if (there >= 0) {
        return there > 0 ? delimited(self, self->delimiter_len - 2U, event) : 0;
    }
    self->state = self->state == FIRST ? PREAMBLE : BODY;
    return self->state == PREAMBLE ? take_preamble(self, in, event)
                                   : take_contents(self, in, event);
}

/* The rest of a delimiter's line: "--" closes; white space is padding (RFC 2046, 5.1.1). */
static ptrdiff_t take_line_end(tusk_multipart *self, tusk_bytes in, tusk_multipart_event *event)
{
    if (in.ptr[0] == ' ' || in.ptr[0] == '\t') {
        self->state = PADDED;
        return 1;
    }
    bool closing = self->state == DELIMITED && in.ptr[0] == '-';
    if (!closing && in.ptr[0] != '\r') {
        return TUSK_EPROTO;
    }
    if (in.len < 2) {
        return 0;
    }
    if (in.ptr[1] != (closing ? '-' : '\n')) {
        return TUSK_EPROTO;
    }
    self->state = closing ? EPILOGUE : HEAD;
    self->scanned = 0;
    *event = closing ? TUSK_MULTIPART_END : TUSK_MULTIPART_NOTHING;
    return 2;
}

/* Length of the header section with its empty line; 0: not yet there. */
static size_t section_len(tusk_multipart *self, tusk_bytes in)
{
    if (in.len >= 2 && in.ptr[0] == '\r' && in.ptr[1] == '\n') {
        return 2;
    }
    size_t most = in.len < self->limits.head_max ? in.len : self->limits.head_max;
    for (size_t i = self->scanned; i + 4 <= most; i++) {
        if (memcmp(in.ptr + i, "\r\n\r\n", 4) == 0) {
            return i + 4;
        }
        self->scanned = (uint32_t)i + 1;
    }
    return 0;
}

static ptrdiff_t take_head(tusk_multipart *self, tusk_bytes in, tusk_multipart_event *event)
{
    size_t len = section_len(self, in);
    if (len == 0) {
        return in.len >= self->limits.head_max ? TUSK_EHEADERS : 0;
    }
    if (self->parts >= self->limits.parts_max) {
        return TUSK_ELIMIT;
    }
    tusk_err err = tusk__multipart_head_parse(&self->part, tusk_bytes_of(in.ptr, len));
    if (err != TUSK_OK) {
        return err;
    }
    self->parts++;
    self->is_file = self->part.filename.ptr != NULL;
    self->file_bytes = 0;
    self->state = BODY_FIRST;
    *event = TUSK_MULTIPART_PART;
    return (ptrdiff_t)len;
}

ptrdiff_t tusk_multipart_parse(tusk_multipart *self, tusk_bytes in, tusk_multipart_event *event)
{
    *event = TUSK_MULTIPART_NOTHING;
    if (in.len == 0) {
        return 0;
    }
    switch ((enum state)self->state) {
    case FIRST:
    case BODY_FIRST: return take_first(self, in, event);
    case PREAMBLE: return take_preamble(self, in, event);
    case DELIMITED:
    case PADDED: return take_line_end(self, in, event);
    case HEAD: return take_head(self, in, event);
    case BODY: return take_contents(self, in, event);
    case EPILOGUE: return (ptrdiff_t)in.len;
    }
    return TUSK_ESTATE;
}

bool tusk_multipart_done(const tusk_multipart *self)
{
    return self->state == EPILOGUE;
}
