/* SPDX-License-Identifier: MIT */
/* Reading an event stream (WHATWG HTML, 9.2.6), however it is cut. */
#include <tusk/sse.h>

#include "base/utf8.h"
#include "proto/sse_line.h"

static const uint8_t bom[] = {0xef, 0xbb, 0xbf};

enum { RETRY_MAX = 86400000 };

bool tusk_sse_is_content_type(tusk_bytes value)
{
    const tusk_bytes type = tusk_bytes_str("text/event-stream");
    if (value.len < type.len || !tusk_bytes_eq_nocase(tusk_bytes_of(value.ptr, type.len), type)) {
        return false;
    }
    size_t at = type.len;
    while (at < value.len && (value.ptr[at] == ' ' || value.ptr[at] == '\t')) {
        at++;
    }
    return at == value.len || value.ptr[at] == ';';
}

/* ---- text that may not be UTF-8 ---- */
/* Bytes at the front that are one valid sequence, or the longest start of one (`*valid` false):
 * what the WHATWG decoder replaces by one U+FFFD. */
static size_t sequence_len(tusk_bytes in, bool *valid)
{
    uint8_t lead = in.ptr[0];
    uint8_t low = 0x80;
    uint8_t high = 0xbf;
    size_t want = lead < 0x80   ? 1
                  : lead < 0xc2 ? 0
                  : lead < 0xe0 ? 2
                  : lead < 0xf0 ? 3
                  : lead < 0xf5 ? 4
                                : 0;
    switch (lead) {
    case 0xe0: low = 0xa0; break;
    case 0xed: high = 0x9f; break;
    case 0xf0: low = 0x90; break;
    case 0xf4: high = 0x8f; break;
    default: break;
    }
    *valid = false;
    if (want == 0) {
        return 1;
    }
    for (size_t i = 1; i < want; i++) {
        if (i == in.len || in.ptr[i] < low || in.ptr[i] > high) {
            return i;
        }
        low = 0x80;
        high = 0xbf;
    }
    *valid = true;
    return want;
}

static tusk_err append_repaired(tusk_buf *out, tusk_bytes in)
{
    tusk_err err = TUSK_OK;
    while (in.len > 0 && err == TUSK_OK) {
        size_t good = 0;
        size_t bad = 0;
        bool valid = true;
        while (good < in.len) {
            bad = sequence_len(tusk_bytes_of(in.ptr + good, in.len - good), &valid);
            if (!valid) {
                break;
            }
            good += bad;
        }
        err = tusk_buf_append(out, in.ptr, good);
        if (err == TUSK_OK && !valid) {
            err = tusk_buf_append(out, "\xef\xbf\xbd", 3);
            good += bad;
        }
        in.ptr += good;
        in.len -= good;
    }
    return err;
}

static tusk_err append_text(tusk_buf *out, tusk_bytes in)
{
    if (in.len == 0) {
        return TUSK_OK;
    }
    return tusk_utf8_valid(in.ptr, in.len) ? tusk_buf_append(out, in.ptr, in.len)
                                           : append_repaired(out, in);
}

static tusk_err replace_text(tusk_buf *out, tusk_bytes in)
{
    tusk_buf_clear(out);
    return append_text(out, in);
}

/* ---- lines ---- */
static bool is_name(tusk_bytes name, const char *text, size_t len)
{
    return name.len == len && memcmp(name.ptr, text, len) == 0;
}

static void on_retry(tusk_sse_parser *self, tusk_bytes value)
{
    int64_t retry_ms = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9') {
            return;
        }
        retry_ms = retry_ms * 10 + (value.ptr[i] - '0');
        retry_ms =
            retry_ms > RETRY_MAX ? RETRY_MAX : retry_ms; /* a day; more digits change nothing */
    }
    if (value.len > 0) {
        self->retry_ms = retry_ms;
    }
}

static tusk_err on_field(tusk_sse_parser *self, tusk_bytes name, tusk_bytes value)
{
    tusk_err err = TUSK_OK;
    if (is_name(name, "data", 4)) {
        err = append_text(&self->data, value);
        return err == TUSK_OK ? tusk_buf_append(&self->data, "\n", 1) : err;
    }
    if (is_name(name, "event", 5)) {
        return replace_text(&self->type, value);
    }
    if (is_name(name, "id", 2) && (value.len == 0 || memchr(value.ptr, '\0', value.len) == NULL)) {
        self->id_changed = true;
        return replace_text(&self->id, value);
    }
    if (is_name(name, "retry", 5)) {
        on_retry(self, value);
    }
    return err;
}

/* The id counts although no event comes of the block (the standard's step 1). */
static tusk_err dispatch(tusk_sse_parser *self, tusk_sse_event *event, bool *got)
{
    if (self->id_changed) {
        tusk_bytes id = tusk_buf_view(&self->id);
        tusk_buf_clear(&self->last_id);
        tusk_err err = tusk_buf_append(&self->last_id, id.ptr, id.len);
        if (err != TUSK_OK) {
            return err;
        }
        self->id_changed = false;
    }
    self->pending_clear = true;
    tusk_bytes data = tusk_buf_view(&self->data);
    if (data.len == 0) {
        return TUSK_OK;
    }
    *event = (tusk_sse_event){
        .type = tusk_buf_view(&self->type),
        .id = tusk_buf_view(&self->last_id),
        .data = tusk_bytes_of(data.ptr, data.len - 1),
        .has_id = self->last_id.len > 0,
        .has_data = true,
        .retry_ms = self->retry_ms,
    };
    *got = true;
    return TUSK_OK;
}

static void clear_event(tusk_sse_parser *self)
{
    if (self->pending_clear) {
        tusk_buf_clear(&self->data);
        tusk_buf_clear(&self->type);
        self->pending_clear = false;
    }
}

static tusk_err on_line(tusk_sse_parser *self, tusk_bytes line, tusk_sse_event *event, bool *got)
{
    clear_event(self);
    if (line.len == 0) {
        return dispatch(self, event, got);
    }
    const uint8_t *colon = memchr(line.ptr, ':', line.len);
    if (colon == NULL) {
        return on_field(self, line, tusk_bytes_of(line.ptr + line.len, 0));
    }
    tusk_bytes name = tusk_bytes_of(line.ptr, (size_t)(colon - line.ptr));
    tusk_bytes value = tusk_bytes_of(colon + 1, line.len - name.len - 1);
    if (value.len > 0 && value.ptr[0] == ' ') {
        value.ptr++;
        value.len--;
    }
    return name.len == 0 ? TUSK_OK : on_field(self, name, value);
}

/* ---- input ---- */
/* One leading byte order mark is dropped, also when it comes byte by byte; what only began like one
 * belongs to the first line. */
static tusk_err skip_bom(tusk_sse_parser *self, tusk_bytes *in)
{
    while (!self->started && in->len > 0) {
        if (in->ptr[0] != bom[self->bom_seen]) {
            self->started = true;
            return tusk_buf_append(&self->line, bom, self->bom_seen);
        }
        in->ptr++;
        in->len--;
        self->started = ++self->bom_seen == sizeof(bom);
    }
    return TUSK_OK;
}

/* Reads one line off `in`, or keeps the beginning of one. */
static tusk_err take_line(tusk_sse_parser *self, tusk_bytes *in, tusk_sse_event *event, bool *got)
{
    size_t len = tusk__sse_line_len(*in);
    tusk_bytes line = tusk_bytes_of(in->ptr, len);
    tusk_err err = TUSK_OK;
    if (len == in->len || self->line.len > 0) {
        err = tusk_buf_append(&self->line, in->ptr, len);
        line = tusk_buf_view(&self->line);
    } else if (len > self->line.limit) {
        err = TUSK_ETOOBIG;
    }
    bool ended = len < in->len;
    if (err == TUSK_OK && ended) {
        self->after_cr = in->ptr[len] == '\r';
        err = on_line(self, line, event, got);
        tusk_buf_clear(&self->line);
    }
    in->ptr += len + ended;
    in->len -= len + ended;
    return err;
}

ptrdiff_t tusk_sse_parse(tusk_sse_parser *self, tusk_bytes in, tusk_sse_event *event, bool *got)
{
    tusk_bytes rest = in;
    *got = false;
    clear_event(self);
    tusk_err err = skip_bom(self, &rest);
    while (err == TUSK_OK && rest.len > 0 && !*got) {
        if (self->after_cr) {
            self->after_cr = false;
            if (rest.ptr[0] == '\n') {
                rest.ptr++;
                rest.len--;
                continue;
            }
        }
        err = take_line(self, &rest, event, got);
    }
    return err == TUSK_OK ? (ptrdiff_t)(in.len - rest.len) : (ptrdiff_t)err;
}

/* A repaired text is at most three times as long as what came. */
static size_t repaired_max(size_t len)
{
    return len > SIZE_MAX / 3 ? SIZE_MAX : len * 3;
}

void tusk_sse_parser_init(tusk_sse_parser *self, const tusk_mem *mem, size_t line_max,
                          size_t data_max)
{
    memset(self, 0, sizeof(*self));
    tusk_buf_init(&self->line, mem, line_max);
    tusk_buf_init(&self->data, mem,
                  data_max == SIZE_MAX ? data_max : data_max + 1); /* the last LF is dropped */
    tusk_buf_init(&self->type, mem, repaired_max(line_max));
    tusk_buf_init(&self->id, mem, repaired_max(line_max));
    tusk_buf_init(&self->last_id, mem, repaired_max(line_max));
    self->retry_ms = -1;
}

void tusk_sse_parser_fini(tusk_sse_parser *self)
{
    tusk_buf_fini(&self->line);
    tusk_buf_fini(&self->data);
    tusk_buf_fini(&self->type);
    tusk_buf_fini(&self->id);
    tusk_buf_fini(&self->last_id);
    memset(self, 0, sizeof(*self));
}

void tusk_sse_parser_reset(tusk_sse_parser *self)
{
    tusk_buf_clear(&self->line);
    tusk_buf_clear(&self->data);
    tusk_buf_clear(&self->type);
    self->id_changed =
        false; /* the id buffer counts only after a change; else last_id is its value */
    self->pending_clear = false;
    self->after_cr = false;
    self->started = false;
    self->bom_seen = 0;
}
